"""Run the code blocks of a rule's page on real torch and observe what they do."""

from __future__ import annotations

import importlib
import inspect
import itertools
import linecache
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "flake8_tensorbranch" / "docs"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COUNTER = itertools.count()


def require_torch() -> Any:
    """Return torch, or skip the calling module; under TBR_REQUIRE_TORCH=1 a missing torch is an error."""
    if os.environ.get("TBR_REQUIRE_TORCH") == "1":
        return importlib.import_module("torch")
    return pytest.importorskip("torch")


def require_gloo() -> None:
    """Skip the calling test or module where torch has no gloo; under TBR_REQUIRE_TORCH=1 that is an error."""
    dist = require_torch().distributed
    if not (dist.is_available() and dist.is_gloo_available()):
        if os.environ.get("TBR_REQUIRE_TORCH") == "1":
            raise RuntimeError("torch has no gloo")
        pytest.skip("torch has no gloo", allow_module_level=True)


def resolve(qualname: str) -> Any:
    """What a name of torch denotes; modules on the way are imported, an AttributeError says that there is none such."""
    found: Any = require_torch()
    for part in qualname.split(".")[1:]:
        if inspect.ismodule(found) and not hasattr(found, part):
            with suppress(ImportError):
                importlib.import_module(f"{found.__name__}.{part}")
        found = getattr(found, part)
    return found


def nodes_behind(tensor: Any) -> set[Any]:
    """The autograd nodes that lead to a tensor."""
    seen: set[Any] = set()
    work = [tensor.grad_fn]
    while work:
        node = work.pop()
        if node is not None and node not in seen:
            seen.add(node)
            work.extend(parent for parent, _ in node.next_functions)
    return seen


@dataclass(frozen=True)
class Page:
    """The two code blocks of one rule page."""

    code: str
    example: str
    repair: str


def page(code: str) -> Page:
    """Read `docs/<code>.md`; raise ValueError unless Example and Repair hold exactly one python block each."""
    text = (DOCS / f"{code}.md").read_text(encoding="utf-8")
    return Page(code, _only_block(text, "Example", code), _only_block(text, "Repair", code))


def section(text: str, heading: str) -> str:
    """Return the text under `## heading` up to the next heading of that level; raise KeyError when it is absent."""
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def _only_block(text: str, heading: str, code: str) -> str:
    blocks = _BLOCK.findall(section(text, heading))
    if len(blocks) != 1:
        raise ValueError(f"{code}: section {heading!r} holds {len(blocks)} python blocks, not one")
    return str(blocks[0])


@contextmanager
def loaded(source: str) -> Iterator[ModuleType]:
    """Execute `source` as a fresh module whose lines tracebacks and TorchDynamo can read; forget it afterwards."""
    name = f"tbr_page_{next(_COUNTER)}"
    filename = f"<{name}>"
    module = ModuleType(name)
    module.__file__ = filename
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    sys.modules[name] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # torch's own imports give some
            exec(compile(source, filename, "exec"), module.__dict__)
        yield module
    finally:
        sys.modules.pop(name, None)
        linecache.cache.pop(filename, None)


@contextmanager
def importable(folder: Path, files: Mapping[str, str]) -> Iterator[None]:
    """Files by their paths in a folder, written there: they can be imported, and are forgotten afterwards."""
    for name, text in files.items():
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(name).write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name, module in list(sys.modules.items()):
            own = vars(module) if type(module) is ModuleType else {}
            places = [own.get("__file__") or "", *own.get("__path__", ())]  # a namespace package has no file
            if any(Path(place).is_relative_to(folder) for place in places):
                del sys.modules[name]


@contextmanager
def compiling(source: str) -> Iterator[ModuleType]:
    """The module of `source` on a clean TorchDynamo, which is left clean."""
    torch = require_torch()
    torch._dynamo.reset()
    try:
        with loaded(source) as module:
            yield module
    finally:
        torch._dynamo.reset()


def indented(body: str, by: int = 4) -> str:
    """Each line of a body moved right by so many spaces, and ended."""
    return "".join(f"{' ' * by}{line}\n" for line in body.splitlines())


@dataclass
class Outcome:
    """What one call did: its value or its exception, and the warnings it gave."""

    value: Any = None
    error: BaseException | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def first_line(self) -> str:
        """First line of the exception's text, empty when the call returned."""
        return "" if self.error is None else (str(self.error).splitlines() or [""])[0]

    @property
    def kind(self) -> str:
        """Class name of the exception, empty when the call returned."""
        return "" if self.error is None else type(self.error).__name__


def observe(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Outcome:
    """Run `call`, catching what it raises and recording (not raising) what it warns."""
    outcome = Outcome()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            outcome.value = call(*args, **kwargs)
        except Exception as error:
            outcome.error = error
    outcome.warnings = [str(item.message).splitlines()[0] for item in caught if str(item.message)]
    return outcome


class Told:
    """What the running test told of its observations; `tests/oracle/conftest.py` begins it anew for each test.

    `wanted` are the observations of this torch that are committed, by rule and situation, or None where none are.
    """

    def __init__(self, rule: str, wanted: dict[tuple[str, str], str] | None) -> None:
        self.rule = rule
        self.wanted = wanted
        self.rows: list[tuple[str, str]] = []


_RUNNING: list[Told] = []


@contextmanager
def telling(told: Told) -> Iterator[None]:
    """Let `tell` speak to `told` meanwhile."""
    _RUNNING.append(told)
    try:
        yield
    finally:
        _RUNNING.pop()


def tell(situation: str, seen: Outcome | str | int) -> None:
    """Record what a rule's example did, for the table in docs/oracle.md: an outcome, a text or a count of graphs.

    Raises AssertionError where the committed table says another thing, ValueError for a text that is not the same in
    every run or place.
    """
    text = seen if isinstance(seen, str) else _graphs(seen) if isinstance(seen, int) else _said(seen)
    for part in (situation, text):
        if not part or re.search(r"0x[0-9a-f]{4}|[\t\n]|/(tmp|home|usr|root)/|tbr_page_", part):
            raise ValueError(f"not the same in every run: {part!r}")
    told = _RUNNING[-1]
    told.rows.append((situation, text))
    if told.wanted is not None:
        assert text == told.wanted.get((told.rule, situation)), f"run `python tools/oracle.py --write`: {situation}"


def cannot_show(why: str) -> None:
    """Record that no CPU shows what the rule warns of; the table then cites the page's references."""
    tell("not shown by a CPU", why)


def _said(outcome: Outcome) -> str:
    """The class and first line of the exception, the warnings, or that there were none."""
    if outcome.error is not None:
        name = outcome.kind.removeprefix("torch.")
        return f"{name}: {outcome.first_line.strip()}" if outcome.first_line.strip() else name
    warned = [text for text in outcome.warnings if text]
    return "warns: " + "; ".join(dict.fromkeys(warned)) if warned else "no error, no warning"


def _graphs(count: int) -> str:
    return f"{count or 'no'} graph{'' if count == 1 else 's'}"


def wrong_by(found: Any, right: Any) -> str:
    """How far a gradient is from the right one, in parts of the right one's largest entry, to one digit or decade."""
    if found is None or right is None:
        return "no gradient (None)" if right is not None else "a gradient where there is none"
    off = float((found - right).abs().max() / right.abs().max())
    if off == 0.0:
        return "the right gradient, bit for bit"
    return f"a gradient off by {off:.1g}" if off >= 0.01 else f"a gradient off by 1e{math.floor(math.log10(off))}"


def shortened(outcome: Outcome, end: str) -> str:
    """An outcome whose exception's text is cut after the first `end`, where what follows is long or changes."""
    text = _said(outcome)
    return text.partition(end)[0] + end if end in text else text


def silent(outcome: Outcome, result: str) -> str:
    """An outcome and what came of it: `no error, no warning: a gradient off by 0.5`."""
    return f"{_said(outcome)}: {result}" if outcome.error is None else _said(outcome)


def graphs_compiled(action: Callable[[], object]) -> int:
    """Run `action` on a clean TorchDynamo and return how many graphs it compiled, whichever backend took them."""
    torch = require_torch()
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        action()
    graphs = int(torch._dynamo.utils.counters["stats"]["unique_graphs"])
    torch._dynamo.reset()
    return graphs


def graphs_of(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]], **options: Any) -> int:
    """Compile `function` with backend "eager" and `options`, make `calls`, return how many graphs were compiled."""
    compiled = require_torch().compile(function, backend="eager", **options)

    def action() -> None:
        for args in calls:
            compiled(*args)

    return graphs_compiled(action)


def saved_by(call: Callable[[], Any]) -> int:
    """Run `call` and return how many tensors autograd saved for its backward."""
    torch = require_torch()
    packed: list[Any] = []

    def pack(tensor: Any) -> Any:
        packed.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        call()
    return len(packed)
