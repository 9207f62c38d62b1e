"""Attribute reads: what `value.name` gives, by the kinds of the value."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import frameworks, properties, updates
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.operators import tensor
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    DERIVED,
    FIRST_UNBACKED,
    HOST,
    HOST_SHAPE,
    HOST_VALUE,
    MAPPING,
    NAMESPACE,
    NONE,
    NONE_VALUE,
    OBJECT,
    RANDOM,
    SHAPE,
    SIZE_VALUE,
    TENSOR,
    TENSOR_LIST,
    TENSOR_VALUE,
    UNBACKED,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    element,
    join,
    make,
)
from flake8_tensorbranch.engine.refs import Bound, Instance, Method, Super, Wrapped
from flake8_tensorbranch.knowledge import evidence, names
from flake8_tensorbranch.knowledge.model import canonical, is_known
from flake8_tensorbranch.knowledge.model import method as tensor_method
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

_methods: dict[tuple[AbstractValue, str, int], AbstractValue] = {}
_bound: dict[tuple[FunctionInfo, AbstractValue], AbstractValue] = {}
_named: dict[FunctionInfo | ClassInfo, AbstractValue] = {}
DERIVED.extend((_methods, _bound, _named))
_GRAD_FN: Final = make(OBJECT | NONE, refs=frozenset({Instance("torch.autograd.graph.Node")}))  # None for a leaf
_PLAIN_METHODS: Final = frozenset({*dir(str), *dir(float), *dir(int)} - {"index"})
_STATIC_ARRAY: Final = frozenset({"dtype", "ndim", "itemsize", "nbytes", "flags"})


_NAMES: Final = frozenset({nodes.Name, nodes.AssignName, nodes.DelName})
_ATTRIBUTES: Final = frozenset({nodes.Attribute, nodes.AssignAttr, nodes.DelAttr})


def state_path(node: Any) -> str | None:
    """The state's key for a name or attribute chain."""
    kind = type(node)
    if kind in _NAMES:
        name: str = node.name
        return name
    if kind in _ATTRIBUTES:
        base = state_path(node.expr)
        return None if base is None else f"{base}.{node.attrname}"
    if kind is nodes.Subscript and type(node.slice) is nodes.Const and isinstance(node.slice.value, str):
        base = state_path(node.value)
        return None if base is None else f"{base}.[{node.slice.value!r}]"
    return None


def read(frame: Frame, value: AbstractValue, name: str) -> AbstractValue:
    """`value.name`."""
    kinds = value.kinds
    result = BOTTOM
    if kinds & TENSOR:
        result = tensor_attribute(value, name)
    for ref in value.each:
        found = _of_ref(frame, value, ref, name)
        result = join(result, found) if result.kinds or not found.kinds else found
    if kinds & ARRAY:
        result = join(result, array_attribute(value, name))
    if kinds & HOST and value.deps & RANDOM:
        result = join(result, make(HOST, RANDOM))
    if kinds & CONTAINER and not value.refs and name in names.RESULT_FIELDS and element(value).kinds & TENSOR:
        # A field of the named tuple that an operation with several results returns.
        return join(
            result,
            dict(value.items).get(1 if name == "indices" else 0, TENSOR_VALUE) if value.items else element(value),
        )
    if kinds == HOST and name == "type":
        return HOST_VALUE  # of a device
    if kinds & (CONTAINER | MAPPING | HOST) and not value.refs:
        # A plain value may be a device, a slice, a date: what no number and no text has need not be a method.
        open_ = not kinds & ~(HOST | NONE) and name not in _PLAIN_METHODS
        result = join(result, method_of(value, name, CALLABLE | UNKNOWN_KIND if open_ else CALLABLE))
    if kinds & UNKNOWN_KIND and not (kinds & TENSOR) and not any(isinstance(r, str) for r in value.refs):
        result = join(result, unknown_attribute(value, name))
    return result if result.kinds else UNKNOWN


def named(item: FunctionInfo | ClassInfo) -> AbstractValue:
    """A function or class of the project itself."""
    found = _named.get(item)
    if found is None:
        found = _named[item] = make(CALLABLE, refs=frozenset({item}))
    return found


def bound(function: FunctionInfo, owner: AbstractValue) -> AbstractValue:
    """A method of the project, bound to what it was read from."""
    key = (function, owner)
    found = _bound.get(key)
    if found is None:
        found = _bound[key] = make(CALLABLE, refs=frozenset({Bound(function, owner)}))
    return found


def method_of(value: AbstractValue, name: str, kinds: int = CALLABLE) -> AbstractValue:
    """The method `name` of a value whose class is not of the project."""
    key = (value, name, kinds)
    found = _methods.get(key)
    if found is None:
        found = _methods[key] = make(kinds, refs=frozenset({Method(value, name)}))
    return found


def unknown_attribute(value: AbstractValue, name: str) -> AbstractValue:
    """An attribute of a value nothing is known of: sizes are sizes whatever has them."""
    if name == "shape":
        return SIZE_VALUE
    if name == "saved_tensors":
        return TENSOR_LIST  # of the context of an autograd.Function
    if name in names.TENSOR_ONLY_METHODS:
        return method_of(value, name)
    if name in evidence.SHARED_METHODS or name == "backward":
        return method_of(value, name, CALLABLE | UNKNOWN_KIND)
    if name in ("size", "numel", "dim"):
        return method_of(value, name)
    return UNKNOWN


def tensor_attribute(value: AbstractValue, name: str) -> AbstractValue:
    """An attribute of a tensor: metadata, another tensor, or a method."""
    if name not in names.TENSOR_PROPERTIES:
        return method_of(value, name)
    if name == "grad_fn":
        return _GRAD_FN
    row = tensor_method(name)
    if row is None:
        return UNKNOWN
    if row.returns in ("tensor", "self"):
        found = tensor(value.deps)
        return join(found, NONE_VALUE) if name == "grad" else found  # None before any backward
    if row.returns == "size":
        return size_of(value)
    if "data" in row.deps:
        return make(HOST, DATA)
    if "shape" in row.deps:
        return make(HOST, UNBACKED | SHAPE if value.deps & DATA else SHAPE)
    return join(HOST_VALUE, NONE_VALUE) if name == "grad_fn" else HOST_VALUE


def size_of(value: AbstractValue) -> AbstractValue:
    """The shape of a tensor; of one whose size depends on values, it depends on them too."""
    if value.deps & DATA:
        return make(CONTAINER, const=FIRST_UNBACKED, elem=make(HOST, UNBACKED | SHAPE))
    return SIZE_VALUE


def array_attribute(value: AbstractValue, name: str) -> AbstractValue:
    """An attribute of a NumPy array."""
    if name == "shape":
        return SIZE_VALUE
    if name == "size":
        return HOST_SHAPE
    if name in _STATIC_ARRAY:
        return HOST_VALUE
    if name in ("T", "real", "imag", "flat", "values"):
        return value
    return method_of(value, name)


def _of_ref(frame: Frame, value: AbstractValue, ref: Any, name: str) -> AbstractValue:
    analysis = frame.analysis
    kind = type(ref)  # no kind of reference has subclasses
    if kind is str:
        module = analysis.resolver.outside(frame.module, f"{ref}.{name}") if value.kinds == UNKNOWN_KIND else None
        return external(f"{ref}.{name}") if module is None else analysis.of_target(module)
    if kind is ModuleIndex:
        return analysis.module_member(ref, name)
    if kind is ClassInfo:
        return analysis.class_member(ref, name)
    if kind is Instance:
        if value.items is not None:
            for key, inner in value.items:
                if key == name:
                    return inner
        if isinstance(ref.cls, ClassInfo):
            if name == "__class__":
                return named(ref.cls)
            stored = frame.self_name in frame.roots and value == frame.owner
            now = properties.value(frame, ref.cls, name) if stored else None
            found = analysis.attribute(ref.cls, name, value, ref.unread) if now is None else now
            if ref.unread or found.kinds & ~updates.PLAIN or found.deps & DATA or ref.cls.module is frame.module:
                return found
            return updates.kept(frame, ref.cls, name, found)
        return external_attribute(value, ref.cls, name)
    if kind is Super:
        return analysis.super_attribute(ref, name)
    if kind is Wrapped:
        return read(frame, ref.function, name)
    return UNKNOWN


def external_attribute(value: AbstractValue, cls: str, name: str) -> AbstractValue:
    """An attribute of an instance of an external class: tables first, then nothing is known."""
    if not cls.startswith("torch.") and (found := frameworks.field(cls, name)) is not None:
        return found
    known = names.MODULE_ATTRIBUTES.get(name) if cls.startswith("torch.nn.") else None
    if cls.startswith("torch.distributions.") and name in evidence.DISTRIBUTION_FIELDS:
        known = "tensor"
    if known == "tensor":
        return HOST_VALUE if name == "bias" and cls.rsplit(".", 1)[-1] in names.RECURRENT else make(TENSOR)
    if known == "host" or cls in ("torch.finfo", "torch.iinfo"):
        return HOST_VALUE
    if cls.startswith(("torch.", "lightning.", "?.")) or value.kinds & (CONTAINER | MAPPING):
        return method_of(value, name)
    return method_of(value, name, UNKNOWN_KIND)


@lru_cache(maxsize=4096)
def external(qualname: str) -> AbstractValue:
    """The value of something outside the project, by its qualified name."""
    qualname = canonical(qualname)
    if qualname in names.CONSTANTS:
        return HOST_VALUE
    if qualname.startswith("torch.") or qualname == "torch":
        if is_known(qualname):
            return make(CALLABLE, refs=frozenset({qualname}))
        return make(CALLABLE | HOST | NAMESPACE, refs=frozenset({qualname}))
    if qualname.startswith(("numpy.", "builtins.", "math.")):
        return make(CALLABLE | HOST, refs=frozenset({qualname}))
    return make(UNKNOWN_KIND, refs=frozenset({qualname}))
