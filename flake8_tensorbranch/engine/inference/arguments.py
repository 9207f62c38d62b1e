"""The arguments of one call, and their binding to a function's parameters."""

from __future__ import annotations

from dataclasses import dataclass, field

from astroid import nodes

from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CONTAINER,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    NO_CONST,
    NONE,
    REST,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    all_deps,
    container,
    join,
    join_all,
    make,
    opened,
    sequence,
)
from flake8_tensorbranch.syntax.names import FunctionInfo


@dataclass(slots=True)
class Arguments:
    """What is passed: positional values, the element of an unpacked sequence of unknown length, keywords, unpacked
    mapping.
    """

    positional: list[AbstractValue] = field(default_factory=list)
    star: AbstractValue | None = None
    keywords: dict[str, AbstractValue] = field(default_factory=dict)
    double_star: AbstractValue | None = None

    def get(self, position: int, name: str = "") -> AbstractValue | None:
        """The argument at a position or of a name; None when it is not seen."""
        if position < len(self.positional):
            return self.positional[position]
        if name and name in self.keywords:
            return self.keywords[name]
        return None

    def dropped(self, count: int) -> Arguments:
        """The same call without its first `count` positional arguments."""
        return Arguments(self.positional[count:], self.star, self.keywords, self.double_star)

    def without(self, *names: str) -> Arguments:
        """The same call without these keywords."""
        kept = {k: v for k, v in self.keywords.items() if k not in names}
        return Arguments(self.positional, self.star, kept, self.double_star)

    def all(self) -> list[AbstractValue]:
        """Every value passed."""
        values = [*self.positional, *self.keywords.values()]
        if self.star is not None:
            values.append(self.star)
        return values

    def kinds(self) -> tuple[str, ...]:
        """Positional kinds as the knowledge tables spell them."""
        return tuple("tensor" if v.must(TENSOR) else "host" if v.must(HOST | NONE) else "" for v in self.positional)

    def names(self) -> frozenset[str]:
        """Keyword names as the knowledge tables spell them: `!name` for a literal False or None."""
        return frozenset(f"!{k}" if v.const is None or v.const is False else k for k, v in self.keywords.items())


def passed(values: dict[nodes.NodeNG, AbstractValue], call: nodes.Call) -> Arguments:
    """The arguments of a call of a solved scope, from the values of its expressions."""
    args = Arguments()
    for item in call.args:
        if not isinstance(item, nodes.Starred):
            value = values.get(item, UNKNOWN)
            if args.star is None:
                args.positional.append(value)
            else:
                args.star = join(args.star, value)
            continue
        value = values.get(item.value, UNKNOWN)
        if value.items is not None and value.kinds == CONTAINER and args.star is None:
            args.positional.extend(v for _, v in value.items)
        else:
            args.star = join(args.star or BOTTOM, value.elem or UNKNOWN)
    for keyword in call.keywords:
        value = values.get(keyword.value, UNKNOWN)
        if keyword.arg is not None:
            args.keywords[keyword.arg] = value
        else:
            unpack(args, value)
    return args


def unpack(args: Arguments, value: AbstractValue) -> None:
    """Add `**value` to the arguments: keys that are known become keywords."""
    if value.items is None or value.kinds != MAPPING:
        args.double_star = value
        return
    named = dict(value.items)
    others = named.pop(REST, None)
    args.keywords.update({str(k): v for k, v in named.items()})
    if others is not None:
        args.double_star = make(MAPPING, elem=others)


def bind(function: FunctionInfo, args: Arguments, owner: AbstractValue | None) -> dict[str, AbstractValue]:
    """Parameter values of a call; a parameter that gets nothing is left out. Surplus arguments are ignored."""
    bound: dict[str, AbstractValue] = {}
    positional = list(args.positional)
    if owner is not None and (function.takes_self or function.is_classmethod or owner.kinds & 32):
        positional.insert(0, owner)
    params, slots = function.params, function.slots
    for param, value in zip(slots, positional, strict=False):
        bound[param.name] = value
    extra = positional[len(slots) :]
    if args.star is not None:
        for param in slots[len(positional) :]:
            # Which of them the unpacked values reach is not known: what a parameter declares of itself holds.
            if param.name not in args.keywords and param.annotation is None:
                bound[param.name] = args.star
    if function.vararg is not None:
        if args.star is not None and len(positional) >= len(slots):
            bound[function.vararg] = container(join_all(extra, args.star))
        elif args.star is not None:
            bound[function.vararg] = container(args.star)
        else:
            bound[function.vararg] = sequence(extra)
    known = function.keywords
    rest: list[tuple[str, AbstractValue]] = []
    for name, value in args.keywords.items():
        if name in known:
            bound[name] = value
        else:
            rest.append((name, value))
    if args.double_star is not None:
        star = args.double_star
        inner = dict(star.items) if star.items is not None else None
        for param in params:
            if param.name in bound:
                continue
            if inner is not None:
                if param.name in inner:
                    bound[param.name] = inner.pop(param.name)
            elif param.default is None:
                bound[param.name] = star.elem if star.elem is not None and star.elem.kinds else UNKNOWN
        if inner is not None:
            rest.extend((str(k), v) for k, v in inner.items() if k not in known)
    if function.kwarg is not None:
        others = args.double_star if args.double_star is not None and args.double_star.items is None else None
        held = BOTTOM if others is None else others.elem if others.elem is not None and others.elem.kinds else UNKNOWN
        bound[function.kwarg] = opened(dict(rest), held)
    return bound


def coarse(value: AbstractValue, depth: int = 2) -> AbstractValue:
    """An argument as summaries are tabulated by it: constants but None, booleans and short strings are forgotten."""
    const = value.const
    keep = const is None or const is set or isinstance(const, bool)
    if not keep and const is not NO_CONST:
        value = make(value.kinds, value.deps, refs=value.refs, elem=value.elem, items=value.items)
    if value.elem is None and value.items is None:
        return value
    if depth == 0:
        return make(value.kinds, value.deps, value.const, value.refs)
    if not value.refs and not all_deps(value) and value.elem is not None and value.elem.must(HOST | NONE):
        return make(value.kinds, elem=HOST_VALUE)  # plain values: which ones makes no difference
    elem = None if value.elem is None else coarse(value.elem, depth - 1)
    items = None
    if value.items is not None and len(value.items) <= 12:
        items = tuple((k, coarse(v, depth - 1)) for k, v in value.items)
    return make(value.kinds, value.deps, value.const, value.refs, elem, items)


def is_open(value: AbstractValue) -> bool:
    """True where a declaration leaves a parameter, or what it holds, to its callers."""
    if not value.known or value.kinds & UNKNOWN_KIND:
        return True
    if value.kinds == CONTAINER and value.elem is not None and value.elem.kinds == MAPPING:
        value = value.elem
    return bool(value.kinds & MAPPING) and (value.elem is None or not value.elem.known)


def is_read(value: AbstractValue) -> bool:
    """True for a tensor, and for a list of numbers read from one."""
    return value.kinds == TENSOR or (value.kinds == CONTAINER and bool(all_deps(value) & DATA))


def combine(passed: AbstractValue, declared: AbstractValue) -> AbstractValue:
    """A parameter's value from what a call passes and what the declaration says: a known argument wins over the
    declaration.
    """
    if not passed.known:
        return declared if declared.kinds else UNKNOWN
    if passed.kinds & 256 and declared.known:
        return join(
            make(passed.kinds & ~256, passed.deps, passed.const, passed.refs, passed.elem, passed.items), declared
        )
    return passed
