"""Whether the form of an expression alone shows that no tensor can be in it.

Plain are literals, tests for None and for types, parameters declared as plain values, attributes that only ever hold
such.
"""

from __future__ import annotations

from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.leads import is_handed_a_read
from flake8_tensorbranch.engine.inference.rebinding import writers
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    CALLABLE,
    CONTAINER,
    HOST,
    MAPPING,
    NONE,
    AbstractValue,
    element,
)
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES, ITERATES_PARAMETERS
from flake8_tensorbranch.syntax.binding import in_digits
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, called_name, dotted
from flake8_tensorbranch.syntax.walk import LOOKS_UP

_PLAIN_CALLS: Final = frozenset(
    "isinstance issubclass hasattr callable type id str repr print open super vars dir globals locals input chr ord "
    "format".split()
)
_PLAIN_IF_ARGUMENTS: Final = frozenset(
    "len int float bool abs round min max sum any all sorted list tuple set dict range zip enumerate reversed "
    "frozenset divmod pow next iter".split()
)
_PLAIN_METHODS: Final = frozenset(
    "is_scripting is_tracing is_compiling is_available is_initialized startswith endswith lower upper split strip "
    "replace join format keys exists isfile is_file is_dir isdir match search get_rank get_world_size is_grad_enabled "
    "isdigit rsplit lstrip rstrip".split()
)
_COUNTED: Final = frozenset({"items", "keys", "values"}) | ITERATES_PARAMETERS | ITERATES_MODULES
_MAX_DEPTH: Final = 8


def _declared_plain(value: AbstractValue) -> bool:
    """True for a declared value that can hold no tensor: a plain value, a callable, a list or dict of plain values."""
    if not value.must(HOST | NONE | CALLABLE | CONTAINER | MAPPING):
        return False
    if value.kinds & (CONTAINER | MAPPING):
        inner = element(value)
        return inner.kinds != 0 and _declared_plain(inner)
    return True


class Plainness:
    """Judges the tests of one module's scopes."""

    def __init__(self, analysis: Analysis, index: ModuleIndex) -> None:
        self.analysis = analysis
        self.index = index
        self._names: dict[tuple[FunctionInfo, str], bool] = {}
        self._attributes: dict[tuple[ClassInfo, str], bool] = {}

    def has_candidates(self, function: FunctionInfo | None) -> bool:
        """True when some test of the scope may depend on a tensor."""
        return any(not self._test_is_plain(node, function) for node in self.index.tests_in(function))

    def _test_is_plain(self, node: nodes.NodeNG, function: FunctionInfo | None) -> bool:
        if isinstance(node, (nodes.If, nodes.While, nodes.IfExp, nodes.Assert)):
            return self.plain(node.test, function)
        if isinstance(node, nodes.For):
            return self._loop_is_plain(node.iter, function)
        if isinstance(node, nodes.Comprehension):
            return self._loop_is_plain(node.iter, function) and all(self.plain(t, function) for t in node.ifs)
        if isinstance(node, nodes.BoolOp):
            return all(self.plain(v, function) for v in node.values[:-1])
        if isinstance(node, nodes.UnaryOp):
            return node.op != "not" or self.plain(node.operand, function)
        if isinstance(node, nodes.Match):
            guards = (case.guard for case in node.cases if case.guard is not None)
            return self.plain(node.subject, function) and all(self.plain(guard, function) for guard in guards)
        if isinstance(node, nodes.Compare):
            return self.plain(node, function)
        if isinstance(node, nodes.Subscript):
            return self.plain(node.slice if function is None else in_digits(function.local_names, node.slice), function)
        if isinstance(node, nodes.Call) and called_name(node) in LOOKS_UP:
            key = node.args[0]
            return self.plain(key if function is None else in_digits(function.local_names, key), function)
        if isinstance(node, nodes.Call):  # that lets elements through, or asserts the first
            first = int(not called_name(node).startswith("_"))
            given = (*node.args[first:], *(k.value for k in node.keywords if not first))
            return all(self.plain(a, function) for a in given)
        return False

    def _loop_is_plain(self, node: nodes.NodeNG, function: FunctionInfo | None) -> bool:
        """A loop over modules, over a plain sequence or a plain range has no site of its own."""
        if (
            isinstance(node, nodes.Call)
            and isinstance(node.func, nodes.Name)
            and node.func.name in ("enumerate", "zip", "reversed")
        ):
            return all(self._loop_is_plain(a, function) for a in node.args)
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in _COUNTED:
            return True
        if isinstance(node, (nodes.Attribute, nodes.Subscript)):
            return True  # modules, parameters, groups: their number is no tensor's value
        if isinstance(node, nodes.Name) and function is not None and node.name in function.local_names:
            return self._names_kept(function, node.name) or self.plain(node, function)
        return self.plain(node, function)

    def _names_kept(self, function: FunctionInfo, name: str) -> bool:
        """True for a local that is only ever another name for something kept: modules, parameters, groups."""
        bound = function.local_names[name]
        return all(
            isinstance(b, nodes.AssignName)
            and isinstance(b.parent, nodes.Assign)
            and isinstance(b.parent.value, (nodes.Attribute, nodes.Subscript))
            for b in bound
        )

    def plain(self, node: nodes.NodeNG, function: FunctionInfo | None, depth: int = _MAX_DEPTH) -> bool:
        """True when the form of an expression shows that no tensor can be in it."""
        if depth <= 0:
            return False
        depth -= 1
        if isinstance(node, (nodes.Const, nodes.JoinedStr, nodes.Lambda)):
            return True
        if isinstance(node, nodes.Name):
            return self._name(node.name, function, depth)
        if isinstance(node, nodes.Compare):
            return self._compare(node, function, depth)
        if isinstance(node, nodes.BoolOp):
            return all(self.plain(v, function, depth) for v in node.values)
        if isinstance(node, nodes.UnaryOp):
            return self.plain(node.operand, function, depth)
        if isinstance(node, nodes.BinOp):
            return self.plain(node.left, function, depth) and self.plain(node.right, function, depth)
        if isinstance(node, nodes.IfExp):
            return all(self.plain(p, function, depth) for p in (node.test, node.body, node.orelse))
        if isinstance(node, (nodes.Tuple, nodes.List, nodes.Set)):
            return all(self.plain(e, function, depth) for e in cast("list[nodes.NodeNG]", node.elts))
        if isinstance(node, nodes.Dict):
            items = cast("list[tuple[nodes.NodeNG, nodes.NodeNG]]", node.items)
            return all(not isinstance(k, nodes.DictUnpack) and self.plain(v, function, depth) for k, v in items)
        if isinstance(node, nodes.Call):
            return self._call(node, function, depth)
        if isinstance(node, nodes.Attribute):
            return self._attribute(node, function, depth)
        if isinstance(node, nodes.Subscript):
            return self.plain(node.value, function, depth) and self.plain(node.slice, function, depth)
        if isinstance(node, nodes.Slice):
            return all(p is None or self.plain(p, function, depth) for p in (node.lower, node.upper, node.step))
        if isinstance(node, nodes.NamedExpr):
            return self.plain(node.value, function, depth)
        return False

    def _compare(self, node: nodes.Compare, function: FunctionInfo | None, depth: int) -> bool:
        ops = [op for op, _ in node.ops]
        sides = [node.left, *(right for _, right in node.ops)]
        if all(op in ("is", "is not") for op in ops):
            asks = any(isinstance(s, nodes.Const) and isinstance(s.value, bool) for s in sides)
            return not asks or all(self.plain(s, function, depth) for s in sides)
        if any(isinstance(s, nodes.Const) and isinstance(s.value, str) for s in sides):
            return True
        last = sides[-1]
        if all(op in ("in", "not in") for op in ops) and isinstance(last, (nodes.Tuple, nodes.List, nodes.Set)):
            texts = [isinstance(e, nodes.Const) and isinstance(e.value, str) for e in last.elts]
            if texts and all(texts):
                return True
        return all(self.plain(s, function, depth) for s in sides)

    def _name(self, name: str, function: FunctionInfo | None, depth: int) -> bool:
        up = function
        while up is not None:
            if name in up.declared_nonlocal or name in writers(up):
                return False
            if name in up.local_names and name not in up.declared_global:
                return self._local(up, name, depth)
            up = up.parent
        return self._global(name, depth)

    def _global(self, name: str, depth: int) -> bool:
        target = self.analysis.resolver.name(self.index, name)
        if target is None or isinstance(target, (FunctionInfo, ClassInfo, ModuleIndex)):
            return target is not None
        if isinstance(target, str):
            return not target.startswith("torch.")
        return self._variable(target, depth)

    def _variable(self, target: Variable, depth: int) -> bool:
        if target.module is not self.index or target.name in self.index.global_stores:
            return False
        for binding in target.module.bindings.get(target.name, []):
            source = getattr(binding.statement, "value", None)
            if (
                source is None
                or not isinstance(binding.statement, (nodes.Assign, nodes.AnnAssign))
                or not self.plain(source, None, depth)
            ):
                return False
        return True

    def _local(self, function: FunctionInfo, name: str, depth: int) -> bool:
        key = (function, name)
        known = self._names.get(key)
        if known is None:
            self._names[key] = True  # assumed while its own bindings are looked at
            known = self._names[key] = self._bindings_are_plain(function, name, depth)
        return known

    def _bindings_are_plain(self, function: FunctionInfo, name: str, depth: int) -> bool:
        params = self.analysis.parameters(function)
        for bound in function.local_names.get(name, ()):
            parent = bound.parent
            if isinstance(parent, nodes.Arguments):
                if (
                    function.node.args.vararg == name
                    or function.node.args.kwarg == name
                    or not _declared_plain(params[name])
                    or is_handed_a_read(function, name)
                ):
                    return False
            elif isinstance(parent, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign, nodes.NamedExpr)):
                if parent.value is None or not self.plain(parent.value, function, depth):
                    return False
            elif isinstance(parent, nodes.Tuple) and isinstance(parent.parent, nodes.Assign):
                if not self.plain(parent.parent.value, function, depth):
                    return False
            elif isinstance(parent, (nodes.For, nodes.Comprehension)):
                if not self.plain(parent.iter, function, depth):
                    return False
            elif isinstance(parent, nodes.Tuple) and isinstance(parent.parent, (nodes.For, nodes.Comprehension)):
                source = parent.parent.iter
                if (
                    isinstance(source, nodes.Call)
                    and isinstance(source.func, nodes.Name)
                    and source.func.name == "enumerate"
                    and parent.elts[0] is bound
                ):
                    continue
                if not self.plain(source, function, depth):
                    return False
            elif isinstance(bound, (nodes.FunctionDef, nodes.ClassDef, nodes.Import, nodes.ImportFrom)):
                continue
            else:
                return False
        if name in (function.vararg, function.kwarg):
            return False
        return name not in params or params[name].must(HOST | NONE | CALLABLE)

    def _call(self, node: nodes.Call, function: FunctionInfo | None, depth: int) -> bool:
        func = node.func
        if isinstance(func, nodes.Name):
            if func.name in _PLAIN_CALLS:
                return True
            if func.name == "len" and len(node.args) == 1 and isinstance(node.args[0], nodes.Attribute):
                return True  # how many are kept
            if func.name == "iter" and len(node.args) > 1:
                return False  # as often as a function gives something else
            if func.name in _PLAIN_IF_ARGUMENTS:
                return all(self.plain(a, function, depth) for a in node.args)
            if func.name == "getattr" and node.args:
                return self.plain(node.args[0], function, depth)
        if isinstance(func, nodes.Attribute):
            if func.attrname in _PLAIN_METHODS:
                return True
            if func.attrname in ("get", "pop") and isinstance(func.expr, nodes.Name) and function is not None:
                if func.expr.name == function.kwarg and all(self.plain(a, function, depth) for a in node.args):
                    return True
            if func.attrname == "get" and node.args and self.plain(func.expr, function, depth):
                return all(self.plain(a, function, depth) for a in node.args)
        target = self.analysis.resolver.expression(self.index, func, function)
        if isinstance(target, FunctionInfo) and target.cls is None:
            said = self.analysis.declared_return(target)
            # What gets no tensor and says that it returns plain values has none to read.
            return (
                said is not None
                and _declared_plain(said)
                and all(self.plain(a, function, depth) for a in (*node.args, *(k.value for k in node.keywords)))
            )
        if isinstance(target, str):
            if target.startswith("torch."):
                row = lookup(target, len(node.args))
                return row is not None and row.returns in ("static", "dtype", "device", "none") and not row.deps
            arguments = [*node.args, *(k.value for k in node.keywords)]
            return target.split(".", 1)[0] in ("os", "math", "re", "copy", "collections", "functools") and all(
                self.plain(a, function, depth) for a in arguments
            )
        return False

    def _attribute(self, node: nodes.Attribute, function: FunctionInfo | None, depth: int) -> bool:
        if node.attrname in (
            "dtype",
            "device",
            "ndim",
            "is_cuda",
            "training",
            "requires_grad",
            "__name__",
            "__class__",
        ):
            return True
        path = dotted(node)
        owner = function
        while owner is not None and owner.cls is None:
            owner = owner.parent
        if (
            path is not None
            and owner is not None
            and owner.cls is not None
            and owner.params
            and path.split(".", 1)[0] == owner.params[0].name
        ):
            parts = path.split(".")
            if len(parts) == 2:
                return self.attribute(owner.cls, parts[1], depth)
            return len(parts) == 3 and parts[1] in ("config", "cfg", "args", "hparams", "opt", "params")
        return self.plain(node.expr, function, depth)

    def attribute(self, cls: ClassInfo, name: str, depth: int, containers: bool = False) -> bool:
        """True when every store of an attribute of the class (its bases included) is plain; with `containers`, modules
        count too.
        """
        key = (cls, f"{name}[]" if containers else name)
        known = self._attributes.get(key)
        if known is None:
            self._attributes[key] = True
            known = self._attributes[key] = self._stores_are_plain(cls, name, depth, containers)
        return known

    def _stores_are_plain(self, cls: ClassInfo, name: str, depth: int, containers: bool) -> bool:
        found = False
        for base in self.analysis.resolver.mro(cls):
            if not isinstance(base, ClassInfo):
                continue
            if base.module is not self.index:
                return False
            if name in base.methods:
                return not base.methods[name].is_property
            if base.fills.get(name):
                return False  # what methods put into it is not looked for here
            for writer in base.stores.get(name, ()):
                for store in writer.attribute_stores:
                    if store.attrname != name:
                        continue
                    found = True
                    parent = store.parent
                    source = getattr(parent, "value", None)
                    if source is None or not isinstance(parent, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)):
                        return False
                    if not self.plain(source, writer, depth) and not (
                        containers and _is_module(self.analysis, writer, source)
                    ):
                        return False
                if not any(s.attrname == name for s in writer.attribute_stores):
                    return False  # registered as a buffer or parameter
            for statement in base.body.get(name, ()):
                found = True
                source = getattr(statement, "value", None)
                if source is None or not self.plain(source, None, depth):
                    return False
        return found


def _is_module(analysis: Analysis, writer: FunctionInfo, node: nodes.NodeNG) -> bool:
    """True for `nn.ModuleList(...)` and other layers of torch."""
    if not isinstance(node, nodes.Call):
        return False
    target = analysis.resolver.expression(writer.module, node.func, writer)
    return isinstance(target, str) and target.startswith("torch.nn.") and target.rsplit(".", 1)[-1][:1].isupper()
