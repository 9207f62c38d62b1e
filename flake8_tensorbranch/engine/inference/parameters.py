"""What a function's parameters are before any call is seen: annotations, defaults, docstrings, evidence from use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import annotations as types
from flake8_tensorbranch.engine.inference import frameworks, knobs, tensoruses
from flake8_tensorbranch.engine.inference.leads import reads_given, spells_read
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    NONE,
    NONE_VALUE,
    OBJECT,
    TENSOR,
    TENSOR_VALUE,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    container,
    join,
    join_all,
    make,
    opened,
    without,
)
from flake8_tensorbranch.engine.refs import Giving, Instance
from flake8_tensorbranch.knowledge.evidence import (
    TENSOR_LIKE_NAMES,
)
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.modules import CLOSURE
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, Param

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis


def declared(analysis: Analysis, function: FunctionInfo) -> dict[str, AbstractValue]:
    """The value of each parameter as far as the function itself tells."""
    result: dict[str, AbstractValue] = {}
    params = function.params
    start = 0
    if function.takes_self and function.cls is not None:
        result[params[0].name] = make(OBJECT, refs=frozenset({Instance(function.cls)}))
        start = 1
    elif function.is_classmethod and params:
        result[params[0].name] = make(CALLABLE, refs=frozenset({function.cls}))
        start = 1
    rest = params[start:]
    if function.name == "backward" and function.is_static and _is_autograd(analysis, function):
        # What autograd passes after the context.
        result.update((p.name, TENSOR_VALUE) for p in params[1:] if p.annotation is None)
        rest = [p for p in rest if p.name not in result]
    bare: list[Param] = []
    commented, _ = types.commented(function)
    for param in rest:
        said, written = None, param.annotation or commented.get(param.name)
        if written is not None:
            said = types.value(analysis, function.module, written, function)
        if said is not None and said.known:
            if said.kinds & HOST and not said.kinds & TENSOR and _is_element(function, param.name):
                said = make(said.kinds | TENSOR | UNKNOWN_KIND)
            if knobs.is_plain(function, param, said):
                said = without(said, TENSOR)
            if said.kinds & CALLABLE and not said.refs and _is_closure(analysis, function, param):
                said = join(said, _gives_loss())
            result[param.name] = join(said, NONE_VALUE) if _is_none(param.default) else said
        else:
            bare.append(param)
    if bare:
        documented = _documented(function)
        used = tensoruses.evidence(analysis, function, {p.name for p in bare})
        for param in bare:
            given = frameworks.handed(analysis, function, param.name) if param.name in frameworks.HANDED else None
            value = given or _unannotated(param, documented.get(param.name), used.get(param.name))
            if _is_closure(analysis, function, param):
                value = join(_gives_loss(), NONE_VALUE) if _is_none(param.default) else _gives_loss()
            if knobs.is_plain(function, param, value):
                value = without(value, TENSOR)
            result[param.name] = value if value is not UNKNOWN else _default(analysis, function, param.default)
    args = function.node.args
    if args.vararg is not None:
        inner = _annotated(analysis, function, args.varargannotation or commented.get(args.vararg))
        result[args.vararg] = container(inner)
    if args.kwarg is not None:
        inner = _annotated(analysis, function, args.kwargannotation or commented.get(args.kwarg))
        result[args.kwarg] = make(MAPPING, elem=inner)
    return result


def read_by_callers(analysis: Analysis, function: FunctionInfo, index: ModuleIndex) -> dict[str, AbstractValue]:
    """The parameters of a method for which calls in a file spell a read, as numbers that may be read."""
    given = reads_given(function, index)
    known = analysis.parameters(function) if given else {}
    return {
        name: join_all(map(_read, found), known.get(name, UNKNOWN))
        for name, found in given.items()
        if not known.get(name, UNKNOWN).kinds & TENSOR
    }


def _read(node: nodes.NodeNG) -> AbstractValue:
    """A number that is read, or a dictionary some entries of which are."""
    if not isinstance(node, nodes.Dict):
        return make(HOST, DATA)
    named = [(k.value, v) for k, v in node.items if isinstance(k, nodes.Const) and isinstance(k.value, str)]
    return opened({key: make(HOST, DATA) if spells_read(v) else UNKNOWN for key, v in named}, UNKNOWN)


def _is_element(function: FunctionInfo, name: str) -> bool:
    """True for a number by declaration that may be an element of the tensor it is named after: of `self.timesteps`,
    which the file speaks of, not of a number `timesteps` that is passed along with it.
    """
    if name not in TENSOR_LIKE_NAMES:
        return False
    several = f"{name}s"
    return function.module.mentions((f".{several}",)) and all(p.name != several for p in function.params)


def _is_autograd(analysis: Analysis, function: FunctionInfo) -> bool:
    return function.cls is not None and "torch.autograd.Function" in analysis.resolver.mro(function.cls)


def _is_closure(analysis: Analysis, function: FunctionInfo, param: Param) -> bool:
    """True for what an optimizer's `step` calls for the loss."""
    if (function.name, param.name) != CLOSURE or function.cls is None:
        return False
    return any(isinstance(b, str) and b.startswith("torch.optim.") for b in analysis.resolver.mro(function.cls))


def _gives_loss() -> AbstractValue:
    return make(CALLABLE, refs=frozenset({Giving(TENSOR_VALUE)}))


def _annotated(analysis: Analysis, function: FunctionInfo, node: nodes.NodeNG | None) -> AbstractValue:
    said = None if node is None else types.value(analysis, function.module, node, function)
    return UNKNOWN if said is None or said.kinds & OBJECT else said


def _is_none(node: nodes.NodeNG | None) -> bool:
    return isinstance(node, nodes.Const) and node.value is None


def _documented(function: FunctionInfo) -> dict[str, AbstractValue]:
    node = function.node
    docs = []
    if isinstance(node, nodes.FunctionDef) and node.doc_node is not None:
        docs.append(node.doc_node.value)
    if function.cls is not None and function.name in ("__init__", "forward") and function.cls.node.doc_node is not None:
        docs.append(function.cls.node.doc_node.value)
    found: dict[str, AbstractValue] = {}
    for doc in docs:
        if isinstance(doc, str) and ("ensor" in doc or "ndarray" in doc):
            for name, said in types.documented(doc).items():
                found.setdefault(name, said)
    return found


def _unannotated(param: Param, documented: AbstractValue | None, used: AbstractValue | None) -> AbstractValue:
    value = BOTTOM
    default = param.default
    if documented is not None:
        value = documented
    if used is not None:
        value = join(value, used)
        if isinstance(default, nodes.Const) and default.value is not None:
            return join(value, HOST_VALUE)
        return join(value, NONE_VALUE) if _is_none(default) else value
    if value.kinds:
        return join(value, NONE_VALUE) if _is_none(default) else value
    if isinstance(default, nodes.Const):
        if default.value is None:
            return make(UNKNOWN_KIND | NONE)
        if default.value is not Ellipsis:
            return HOST_VALUE
    if isinstance(default, (nodes.Tuple, nodes.List)):
        if not default.elts:
            return make(CONTAINER)
        if all(isinstance(e, nodes.Const) and e.value is not None for e in default.elts):
            return container(HOST_VALUE)
    if isinstance(default, nodes.UnaryOp):
        return HOST_VALUE
    return UNKNOWN


_READING: Final = frozenset({"builtins.bool", "builtins.float", "builtins.int", "operator.truth"})
"""Functions of Python that read a number of a tensor."""


def _default(analysis: Analysis, function: FunctionInfo, node: nodes.NodeNG | None) -> AbstractValue:
    """A class, a function or a layer of torch that a parameter is if it is not passed; callers may pass another."""
    called = isinstance(node, nodes.Call)
    if node is None:
        return UNKNOWN
    if isinstance(node, nodes.Lambda):
        made = function.module.scope_of.get(node)
        return make(CALLABLE | UNKNOWN_KIND, refs=frozenset({made})) if made is not None else UNKNOWN
    target = analysis.resolver.expression(function.module, node.func if isinstance(node, nodes.Call) else node)
    if isinstance(target, (FunctionInfo, ClassInfo)):
        if called:
            return (
                make(OBJECT | UNKNOWN_KIND, refs=frozenset({Instance(target)}))
                if isinstance(target, ClassInfo)
                else UNKNOWN
            )
        return make(CALLABLE | UNKNOWN_KIND, refs=frozenset({target}))
    if isinstance(target, str) and target.startswith("torch."):
        if not called:
            return make(CALLABLE | UNKNOWN_KIND, refs=frozenset({target})) if lookup(target) is not None else UNKNOWN
        if target.startswith("torch.nn.") and target.rsplit(".", 1)[-1][:1].isupper():
            return make(OBJECT | UNKNOWN_KIND, refs=frozenset({Instance(target)}))
        row = lookup(target) if called else None
        return TENSOR_VALUE if row is not None and row.returns == "tensor" else UNKNOWN
    if target in _READING:
        return make(CALLABLE | UNKNOWN_KIND, refs=frozenset({target}))
    if target == "operator.methodcaller" and isinstance(node, nodes.Call) and len(node.args) == 1:
        named = getattr(node.args[0], "value", None)
        return make(CALLABLE | UNKNOWN_KIND, refs=frozenset({f"{target}.{named}"}))
    return UNKNOWN
