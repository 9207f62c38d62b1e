"""Transfer functions of Python's builtin functions and of the methods of builtin containers, strings and arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import (
    attributes,
    calls,
    externals,
    functional,
    mappings,
    operators,
    randomness,
    spelled,
)
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.hashed import hashed, unread
from flake8_tensorbranch.engine.inference.unknowns import tensor_method, unknown_method
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CONTAINER,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    NONE,
    NONE_VALUE,
    OBJECT,
    REST,
    SHAPE,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    constant,
    container,
    element,
    join,
    join_all,
    make,
    opened,
    sequence,
    without,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.model import is_known
from flake8_tensorbranch.syntax.names import ClassInfo

Transfer = Callable[[Frame, Arguments, Any], AbstractValue]


def _first(args: Arguments) -> AbstractValue:
    return args.positional[0] if args.positional else args.star or BOTTOM


def _len(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    if value.kinds & OBJECT and not value.kinds & (CONTAINER | MAPPING):
        found = calls.special(frame, value, "__len__", [], node)
        return found if found.known else HOST_VALUE
    if value.items is not None and value.kinds == CONTAINER and not value.deps:
        return constant(len(value.items))
    return make(HOST, operators.length_deps(value))


def _number(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return make(HOST, operators.host_deps(*args.positional))


def _bool(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    if value.kinds & OBJECT and not value.kinds & (CONTAINER | MAPPING):
        found = calls.special(frame, value, "__bool__", [], node)
        if found.known:
            return found
    return operators.flag(operators.truth_deps(value))


def _extreme(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    values = args.positional
    deps = 0
    if len(values) == 1 and args.star is None:
        deps = operators.length_deps(values[0]) & DATA
        values = [operators.iterate(values[0])]
    elif args.star is not None:
        values = [*values, args.star]
    if "default" in args.keywords:
        values = [*values, args.keywords["default"]]
    if all(v.must(HOST) for v in values):
        return make(HOST, operators.host_deps(*values) | deps)
    result = join_all(values)
    return result if result.kinds else UNKNOWN


def _sum(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    source = _first(args)
    value = operators.iterate(source)
    if value.kinds & TENSOR:
        return make(value.kinds & (TENSOR | UNKNOWN_KIND), value.deps)
    if value.must(HOST | ARRAY):
        return make(value.kinds, value.deps | operators.length_deps(source) & (DATA | SHAPE))
    return value if value.kinds & CONTAINER else UNKNOWN


def _any(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    source = _first(args)
    return operators.flag(operators.truth_deps(operators.iterate(source)) | (operators.length_deps(source) & DATA))


def _range(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return container(HOST_VALUE, operators.host_deps(*args.positional))


def _enumerate(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    source = _first(args)
    return container(sequence([HOST_VALUE, operators.iterate(source)]), operators.length_deps(source))


def _zip(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if args.star is not None:
        row = frame.analysis.iterable(frame, args.star)
        if not args.positional and row.items is not None and row.kinds in (CONTAINER, OBJECT):
            return sequence([container(v) for _, v in row.items])  # the columns of a list of pairs
        return container(
            container(join_all((operators.iterate(v) for v in args.positional), operators.iterate(args.star)))
        )
    deps = 0
    for value in args.positional:
        deps |= operators.length_deps(value)
    return container(sequence([operators.iterate(v) for v in args.positional]), deps)


def _copy_sequence(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    if not value.kinds:
        return sequence([]) if not args.positional else container(UNKNOWN)
    if value.kinds == CONTAINER and value.const is not set:
        return value
    return container(operators.iterate(value), operators.length_deps(value))


def _set(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    inner = operators.iterate(value) if value.kinds else BOTTOM
    return hashed(inner, operators.length_deps(value) | operators.distinct_deps(inner))


def _dict(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if not args.positional and args.star is None:
        return opened(args.keywords, mappings.rest(args.double_star))
    value = _first(args)
    if value.kinds != MAPPING:
        pair = operators.iterate(value)
        known = bool(pair.kinds & CONTAINER)
        deps = mappings.key_deps(operators.subscript(pair, constant(0))) if known else 0
        value = make(MAPPING, deps, elem=operators.subscript(pair, constant(1)) if known else UNKNOWN)
    if not args.keywords and args.double_star is None:
        return value
    return mappings.merged(value, opened(args.keywords, mappings.rest(args.double_star)))


def _next(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    counted = randomness.advanced(_first(args))
    if counted is not None:
        return counted
    value = operators.iterate(_first(args))
    return join(value, args.positional[1]) if len(args.positional) > 1 else value


def _same(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    return value if value.kinds else UNKNOWN


def _iterated(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    value = _first(args)
    return container(operators.iterate(value), operators.length_deps(value))


def _type(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """The classes of the project that an object may be of."""
    value = _first(args)
    classes = [r.cls for r in value.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
    if len(args.positional) != 1 or value.kinds != OBJECT or len(classes) != len(value.refs):
        return UNKNOWN
    return join_all(map(attributes.named, classes)) if classes else UNKNOWN


def _getattr(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if len(args.positional) < 2:
        return UNKNOWN
    name = args.positional[1].const
    if isinstance(name, str):
        value = attributes.read(frame, args.positional[0], name)
    else:
        value = spelled.read(frame, args.positional[0], node)
    if len(args.positional) > 2:
        value = join(value, args.positional[2])
    return value


def _setattr(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if len(args.positional) == 3 and args.positional[0] == frame.owner:
        externals.keep(frame, args.positional[1].const, args.positional[2], node)
    return NONE_VALUE


def _host(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return HOST_VALUE


def _hash(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return make(HOST, mappings.key_deps(_first(args)))  # of numbers by what they are, of a tensor by its identity


def _none(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return NONE_VALUE


def _text(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return HOST_VALUE  # text is rarely a verdict on what it shows


def _divmod(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if len(args.positional) < 2:
        return UNKNOWN
    return sequence([operators.binary(args.positional[0], args.positional[1], op) for op in ("//", "%")])


def _abs(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    return operators.unary(_first(args), "abs")


def _power(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if len(args.positional) < 2:
        return UNKNOWN
    return operators.binary(args.positional[0], args.positional[1], "**")


FUNCTIONS: Final[dict[str, Transfer]] = {
    "len": _len, "int": _number, "float": _number, "complex": _number, "round": _number, "bool": _bool,
    "min": _extreme, "max": _extreme, "sum": _sum, "any": _any, "all": _any, "range": _range,
    "enumerate": _enumerate, "zip": _zip, "list": _copy_sequence, "tuple": _copy_sequence,
    "reversed": _iterated, "set": _set, "frozenset": _set,
    "dict": _dict, "next": _next, "getattr": _getattr, "abs": _abs, "pow": _power, "divmod": _divmod,
    "isinstance": _host, "issubclass": _host, "hasattr": _host, "callable": _host, "id": _host, "hash": _hash,
    "ord": _host, "chr": _host, "print": _none, "setattr": _setattr, "str": _text, "repr": _text, "format": _text,
    "staticmethod": _same, "type": _type,
}  # fmt: skip

_STRINGS: Final = frozenset(
    {"join", "format", "strip", "lstrip", "rstrip", "lower", "upper", "replace", "title", "encode", "decode"}
)
CHILDREN: Final = ("children", "named_children")
_OBJECTS: Final = frozenset({*CHILDREN, "to"})  # what a list or mapping that is an object has, too
_STRING_LISTS: Final = frozenset({"split", "rsplit", "splitlines", "partition", "rpartition"})


def method(frame: Frame, owner: AbstractValue, name: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """A method of a tensor, container, string, number or array."""
    if name == "__getitem__" and len(args.positional) == 1 and not owner.kinds & OBJECT:
        return operators.subscript(owner, args.positional[0], frame)
    result = BOTTOM
    kinds = owner.kinds
    if kinds & TENSOR:
        result = tensor_method(frame, owner, name, args)
    elif kinds & OBJECT and owner.refs and (name in _OBJECTS or not kinds & (CONTAINER | MAPPING)):
        return externals.instance_method(frame, owner, name, args, node)
    if kinds & ARRAY and not (kinds & OBJECT and _is_objects_own(frame, owner, name)):
        result = join(result, _array(owner, name, args))
    if kinds & MAPPING:
        result = join(result, _mapping(frame, owner, name, args, node))
    if kinds & CONTAINER:
        result = join(result, _list(frame, owner, name, args, node))
    if kinds & HOST and not kinds & (CONTAINER | MAPPING):
        result = join(result, _scalar(owner, name, args))
    if kinds & UNKNOWN_KIND and not kinds & TENSOR:
        result = join(result, unknown_method(frame, owner, name, args))
    return result if result.kinds else UNKNOWN


def _is_objects_own(frame: Frame, owner: AbstractValue, name: str) -> bool:
    """True for a method that one of the classes has which a value may be of, and no tensor: nor has an array."""
    classes = [r.cls for r in owner.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
    return not is_known(f"torch.Tensor.{name}") and any(
        frame.analysis.resolver.method(c, name) is not None for c in classes
    )


def _array(owner: AbstractValue, name: str, args: Arguments) -> AbstractValue:
    if name == "tolist":
        return container(make(HOST, owner.deps))
    if name == "item":
        return make(HOST, owner.deps)
    if name in ("dim", "ndim", "flags"):
        return HOST_VALUE
    return make(ARRAY, owner.deps | operators.host_deps(*args.positional) & DATA)


def _scalar(owner: AbstractValue, name: str, args: Arguments) -> AbstractValue:
    if name in _STRING_LISTS:
        return container(HOST_VALUE)
    if name in _STRINGS:
        return HOST_VALUE
    return make(HOST, owner.deps | operators.host_deps(*args.positional) & DATA)


def update(frame: Frame, node: nodes.NodeNG | None, value: AbstractValue) -> None:
    """Change what the receiver of a method call holds, where it is a name or an attribute path."""
    place = _receiver(node)
    if place is not None:
        frame.analysis.rebind(frame, place, value)


def _receiver(node: nodes.NodeNG | None) -> nodes.NodeNG | None:
    func = getattr(node, "func", None)
    return func.expr if isinstance(func, nodes.Attribute) else None


def _list(frame: Frame, owner: AbstractValue, name: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if name in ("append", "add", "insert", "appendleft"):
        added = args.positional[-1] if args.positional else UNKNOWN
        functional.grow(frame, _receiver(node), owner, added)
        return NONE_VALUE
    if name in ("extend", "update"):
        functional.grow(frame, _receiver(node), owner, operators.iterate(_first(args)))
        return NONE_VALUE
    if name in ("pop", "popleft"):
        return _elements(owner)
    if name in ("index", "count"):
        return make(HOST, DATA if element(owner).kinds & TENSOR else operators.host_deps(owner))
    if name in ("sort", "reverse", "clear", "remove"):
        return NONE_VALUE
    if name in ("issubset", "issuperset", "isdisjoint"):
        return operators.flag(operators.host_deps(*map(unread, (owner, *args.positional))))
    if name in ("copy", "union", "intersection", "difference"):
        return make(CONTAINER, owner.deps, owner.const, elem=owner.elem)
    if name == "numel":  # torch.Size
        return make(HOST, operators.host_deps(element(owner)))
    if name in ("values", "items", "keys", "children", "modules"):
        return container(UNKNOWN)
    return UNKNOWN


def _elements(owner: AbstractValue) -> AbstractValue:
    inner = element(owner)
    return inner if inner.kinds else UNKNOWN


def _mapping(
    frame: Frame, owner: AbstractValue, name: str, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    if name in ("get", "pop", "setdefault"):
        default = args.positional[1] if len(args.positional) > 1 else NONE_VALUE
        key = args.positional[0] if args.positional else UNKNOWN
        if owner.items is not None and isinstance(key.const, str):
            named = dict(owner.items)
            found = named.get(key.const)
            if found is not None:
                return found if name != "get" or default.kinds == NONE else join(without(found, NONE), default)
            others = named.get(REST)
            if others is None:
                return default
            return join(UNKNOWN if others.kinds & UNKNOWN_KIND else others, default)
        if name == "setdefault" and owner.elem is not None and not owner.elem.kinds:
            return default  # the first one that is put in
        inner = _elements(owner)
        if inner.kinds & UNKNOWN_KIND:
            inner = UNKNOWN
        if key.deps & DATA:
            inner = operators.picked(owner, key, inner)
            default = operators.picked(owner, key, default) if default.must(HOST) else default
        return join(inner, default) if name != "pop" or len(args.positional) > 1 else inner
    if name == "items":
        return container(sequence([mappings.keys(owner), _elements(owner)]), operators.length_deps(owner))
    if name == "values":
        return container(_elements(owner), operators.length_deps(owner))
    if name == "keys":
        return hashed(mappings.keys(owner), operators.length_deps(owner))
    if name == "copy":
        return owner
    if name == "update":
        value = owner
        for added in (*args.positional, opened(args.keywords, mappings.rest(args.double_star))):
            value = mappings.merged(value, added)
        update(frame, node, make(owner.kinds, value.deps, refs=owner.refs, elem=value.elem, items=value.items))
        return NONE_VALUE
    return UNKNOWN
