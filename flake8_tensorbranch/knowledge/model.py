"""What one torch operation returns and does, looked up by its qualified name.

    lookup("torch.Tensor.item").returns                        # "host"; deps {"data"}, effects {"sync"}
    lookup("torch.max", argc=1).effects                        # {"reduce"}
    lookup("torch.max", argc=2, kinds=("tensor", "host"))      # returns "tensors2"
    lookup("torch.where", argc=1).effects                      # {"dynamic-shape"}
    lookup("torch.nn.MaxPool2d", argc=1, init=("return_indices",)).returns   # "tensors2"
    method("unique", argc=0, keywords=("return_counts",)).returns            # "tensors2"

Arguments of a look-up:

* ``qualname``: a public or private path (``torch.nn.modules.linear.Linear`` is ``torch.nn.Linear``). The name of a
  module class means *calling its instance*; ``torch.Tensor.x`` means the method, property or attribute ``x``.
* ``argc``: how many positional arguments are passed, without ``self``.
* ``keywords``: names of the keyword arguments; one whose value is literally ``False`` or ``None`` is spelled ``!name``.
* ``kinds``: what is known of the positional arguments, from the left: ``"tensor"``, ``"host"`` (surely no tensor),
  ``"none"`` (literally False or None), or ``""`` for unknown.
* ``init``: for module classes, the keywords their constructor got, spelled like ``keywords``, and ``@n`` (``!@n``) for
  its positional argument number ``n``.

Where overloads disagree and the call does not tell them apart, the answer holds what they agree on (``returns`` is then
``"unknown"``). An unknown name gives ``None``; neither torch nor astroid is ever imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flake8_tensorbranch.knowledge.rows import Rows

SCALAR_RETURNS = frozenset(
    {
        "tensor",  # one tensor
        "tensors",  # a tuple or list of tensors, of unknown length
        "host",  # a Python number, string, bool, list or array: `deps` says what it was read from
        "static",  # a host value fixed by metadata, the same for every batch: ndim, dtype tests, flags
        "size",  # torch.Size
        "none",
        "self",  # the receiver (methods) or the first argument (functions, calls of a module)
        "dtype",
        "device",
        "module",
        "state",  # a dictionary of tensors
        "generator",
        "unknown",
    }
)
"""Every value of `OpModel.returns` but ``tensorsN`` (N tensors) and ``tuple(a,b,...)`` (one kind per element)."""

DEPS = frozenset({"data", "shape"})
"""What a host result is read from: the values of a tensor, or its sizes."""

EFFECTS = frozenset(
    {
        "sync",  # waits for the device
        "rng",  # draws from a torch generator
        "dynamic-shape",  # the shape of the result depends on values
        "inplace",  # writes to the receiver or first argument
        "reduce",  # reduces everything to a 0-d tensor
        "collective",  # every rank of a process group must take part
        "nondet",  # on PyTorch's published list of nondeterministic operations
        "array",  # gives a NumPy array that shares or copies the tensor's values
    }
)
"""Every member of `OpModel.effects`."""


@dataclass(frozen=True, slots=True)
class OpModel:
    """What is known of one operation, for the calls that `when` describes."""

    qualname: str
    returns: str
    deps: frozenset[str] = frozenset()
    effects: frozenset[str] = frozenset()
    demands: tuple[tuple[int, str], ...] = ()
    """Parameters that must be tensors in every overload: (position without ``self``, name); -1 for keyword-only."""
    when: str = ""
    """The call shape this row is for: see `matches`. Empty: every call."""
    since: str = ""
    until: str = ""
    """First and last torch version (of those the table was made from) with this row; empty: no border seen."""
    why: str = ""
    """For hand-written rows, the source of the fact."""

    @property
    def elements(self) -> tuple[str, ...] | None:
        """The kind of each element where the result is a tuple of known length, else None."""
        returns = self.returns
        if returns.startswith("tensors") and returns != "tensors":
            return ("tensor",) * int(returns[len("tensors") :])
        if returns.startswith("tuple("):
            return tuple(returns[len("tuple(") : -1].split(","))
        return None


@dataclass(frozen=True, slots=True)
class CallShape:
    """How an operation is called, as far as a call site shows it."""

    argc: int
    keywords: frozenset[str]
    kinds: tuple[str, ...]
    init: frozenset[str]


NO, MAYBE, YES = 0, 1, 2


def matches(when: str, call: CallShape) -> int:
    """Whether a call fits a row's condition: NO, YES, or MAYBE where that hangs on arguments of unknown kind.

    The condition is a parameter list in the order of the signature. ``name`` must be given, ``name=`` may be,
    ``name~`` must not be, ``name!`` must be literally False or None; a literal False or None is not "given".
    ``name:T`` holds a tensor, ``name:H`` none. After ``*`` only keywords follow, ``*name`` takes all further positional
    arguments, ``**`` all further keywords; a lone ``*`` is a call without arguments. ``init.name`` or ``init.name@n``
    stands for an argument of a module's constructor, ``n`` being its position.
    """
    answer = YES
    if not when:
        return answer
    accepted: set[str] = set()
    position = 0
    variadic = keyword_only = anything = False
    for item in when.split(","):
        if item == "**":
            anything = True
            continue
        if item[0] == "*":
            variadic, keyword_only = item != "*", True
            continue
        name, _, kind = item.rstrip("=~!").partition(":")
        keywords = call.keywords
        place = ""
        if name.startswith("init."):
            name, place, index = name[len("init.") :].partition("@")
            place, keywords = place + index, call.init
        elif not keyword_only:
            position += 1
        known = "absent"
        if name in keywords or place in keywords:
            known = ""
        elif "!" + name in keywords or "!" + place in keywords:
            known = "none"
        elif not keyword_only and keywords is call.keywords and position <= call.argc:
            known = call.kinds[position - 1] if position <= len(call.kinds) else ""
        if keywords is call.keywords:
            accepted.update((name, "!" + name))
        mark = item[-1] if item[-1] in "=~!" else ""
        given = known not in ("absent", "none")
        if (mark == "" and not given) or (mark == "~" and given) or (mark == "!" and known != "none"):
            return NO
        if kind and given:
            if known == "":
                answer = MAYBE
            elif (known == "tensor") != (kind == "T"):
                return NO
    fits = (call.argc <= position or variadic) and (anything or call.keywords <= accepted)
    return answer if fits else NO


def parse_row(line: str) -> OpModel:
    """The row of one table line: nine tab-separated cells, ``-`` for an empty one."""
    cells = ["" if cell == "-" else cell for cell in line.split("\t")]
    qualname, when, returns, deps, effects, demands, since, until = cells
    return OpModel(
        qualname=qualname,
        returns=returns,
        deps=_split(deps),
        effects=_split(effects),
        demands=tuple((int(index), name) for index, _, name in (d.partition(":") for d in demands.split(",") if d)),
        when=when,
        since=since,
        until=until,
    )


def _split(cell: str) -> frozenset[str]:
    return frozenset(cell.split(",")) if cell else frozenset()


def _agreement(rows: Sequence[OpModel]) -> OpModel:
    first = rows[0]
    if len(rows) == 1:
        return first
    return replace(
        first,
        returns=first.returns if all(row.returns == first.returns for row in rows) else "unknown",
        deps=frozenset.intersection(*(row.deps for row in rows)),
        effects=frozenset.intersection(*(row.effects for row in rows)),
        when="",
    )


@lru_cache(maxsize=1)
def _generated() -> dict[str, list[str]]:
    """Lines of the generated table by qualified name; a line is parsed only when it is asked for."""
    table: dict[str, list[str]] = {}
    path = os.path.join(os.path.dirname(__file__), "torch_ops.tsv")
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line[0] != "#":
                table.setdefault(line[: line.index("\t")], []).append(line)
    return table


@lru_cache(maxsize=1)
def _overlay() -> dict[str, list[Rows]]:
    """Hand-written rows by qualified name."""
    from flake8_tensorbranch.knowledge.overlay import OPS

    table: dict[str, list[Rows]] = {}
    for written in OPS:
        for qualname in written.qualnames:
            table.setdefault(qualname, []).append(written)
    return table


@lru_cache(maxsize=4096)
def rows(qualname: str) -> tuple[OpModel, ...]:
    """All rows of a canonical name, in the order they are tried: hand-written replace generated ones."""
    hand = _overlay().get(qualname)
    if hand is not None:
        return tuple(written.model(qualname) for written in hand)
    parsed = [parse_row(line) for line in _generated().get(qualname, ())]
    return tuple([row for row in parsed if not row.until] or parsed)


@lru_cache(maxsize=4096)
def canonical(qualname: str) -> str:
    """The public name of what a private or second path denotes; any other name unchanged."""
    from flake8_tensorbranch.knowledge.aliases import ALIASES, PREFIX_ALIASES

    if qualname in ALIASES:
        return ALIASES[qualname].target
    for prefix in PREFIX_ALIASES:
        if qualname.startswith(prefix.prefix):
            rest = qualname[len(prefix.prefix) :]
            if prefix.drop_modules:
                parts = rest.split(".")
                while len(parts) > 1 and parts[0].islower():
                    del parts[0]
                rest = ".".join(parts)
            if prefix.target + rest != qualname:
                return canonical(prefix.target + rest)
    return qualname


@lru_cache(maxsize=8192)
def _select(qualname: str, call: CallShape) -> OpModel | None:
    fitting: list[OpModel] = []
    for row in rows(canonical(qualname)):
        match = matches(row.when, call)
        if match:
            fitting.append(row)
        if match == YES:
            break
    return _agreement(fitting) if fitting else None


def lookup(
    qualname: str,
    argc: int = 0,
    keywords: Iterable[str] = (),
    *,
    kinds: Sequence[str] = (),
    init: Iterable[str] = (),
) -> OpModel | None:
    """What a call of this name returns and does; None where nothing is known. Arguments: see the module's docstring."""
    return _select(qualname, CallShape(argc, frozenset(keywords), tuple(kinds), frozenset(init)))


def method(
    name: str,
    argc: int = 0,
    keywords: Iterable[str] = (),
    *,
    kinds: Sequence[str] = (),
) -> OpModel | None:
    """What a method, property or attribute of a tensor gives: `lookup` of ``torch.Tensor.<name>``."""
    return lookup("torch.Tensor." + name, argc, keywords, kinds=kinds)


def is_known(qualname: str) -> bool:
    """Whether the tables have any row of this name."""
    name = canonical(qualname)
    return name in _overlay() or name in _generated()


@lru_cache(maxsize=8)
def names_with(effects: tuple[str, ...]) -> frozenset[str]:
    """The last names of everything that some row says to have one of these effects, whatever its arguments."""
    found = {name for name, written in _overlay().items() if any(e in row.effects for row in written for e in effects)}
    for name, lines in _generated().items():
        if any(effect in line for line in lines for effect in effects):
            found.add(name)
    return frozenset(name.rsplit(".", 1)[-1] for name in found)


@lru_cache(maxsize=1)
def graph_breaks() -> dict[str, str]:
    """Titles of Dynamo's graph breaks by id (``GB0170``), of the newest torch version that knows the id."""
    path = os.path.join(os.path.dirname(__file__), "graph_breaks.tsv")
    titles: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line[0] != "#":
                identifier, title, _, until = line.split("\t")
                if until == "-" or identifier not in titles:
                    titles[identifier] = title
    return titles
