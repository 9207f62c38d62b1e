"""What objects of the project's classes keep: attributes joined over all methods, class bodies, records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import (
    attributes,
    building,
    empties,
    heirs,
    keyed,
    randomness,
    spelled,
    updates,
)
from flake8_tensorbranch.engine.inference.arguments import Arguments, bind, combine
from flake8_tensorbranch.engine.inference.frame import ITEM, Frame, State
from flake8_tensorbranch.engine.inference.outcomes import open_constant
from flake8_tensorbranch.engine.inference.settling import constructs, settled
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    OBJECT,
    TENSOR_VALUE,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    join,
    join_all,
    make,
)
from flake8_tensorbranch.engine.refs import Instance, Method, Partial, Super
from flake8_tensorbranch.knowledge.families import family
from flake8_tensorbranch.knowledge.model import is_known
from flake8_tensorbranch.knowledge.modules import OPEN_BASES, OPTIMIZER_ATTRIBUTES, RECORD_BASES
from flake8_tensorbranch.knowledge.names import MODULE_ATTRIBUTES, type_meaning
from flake8_tensorbranch.syntax.keeping import REGISTERING
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_OPERATORS: Final = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne",
}  # fmt: skip


class Classes:
    """The queries about classes of one analysis."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def attribute(self, cls: ClassInfo, name: str, owner: AbstractValue, unread: bool = False) -> AbstractValue:
        """An attribute read from an object of the class: a method, a property, or whatever any method stored there,
        handed reads or, where it is `unread`, none.
        """
        analysis = self.analysis
        key = ("attribute", cls, name, unread)
        stored = analysis.query(cls.module.memo, key, lambda: self._stored(cls, name, unread), BOTTOM)
        function = analysis.resolver.method(cls, name)
        if function is None and name == "__call__" and analysis.resolver.is_module(cls):
            function = analysis.resolver.method(cls, "forward")
        if function is not None:
            if function.is_property:
                return analysis.returned(function, {function.params[0].name: owner} if function.params else {})
            if function.is_static:
                value = attributes.named(function)
            elif function.is_classmethod:
                value = attributes.bound(function, attributes.named(cls))
            else:
                value = attributes.bound(function, owner)
            return join(value, stored) if stored.known else value
        if stored.kinds:
            return stored
        if name not in MODULE_ATTRIBUTES and self._is_left_open(cls, name):
            kept = spelled.stored(analysis, cls, name)
            if not kept.kinds:
                kept = heirs.attribute(analysis, cls, name)
            if not kept.kinds:
                kept = analysis.query(cls.module.memo, ("filled", cls, name), lambda: self._filled(cls, name), BOTTOM)
            if kept.kinds:
                return kept
        return self._inherited(cls, name, owner)

    def _is_left_open(self, cls: ClassInfo, name: str) -> bool:
        """True for an attribute that neither a class above defines nor a layer of torch may have."""
        for base in self.analysis.resolver.mro(cls):
            if name in base.stores or name in base.body if isinstance(base, ClassInfo) else base not in OPEN_BASES:
                return False
        return (
            not name.startswith("__") and not is_known(f"torch.nn.Module.{name}") and name not in OPTIMIZER_ATTRIBUTES
        )

    def _inherited(self, cls: ClassInfo, name: str, owner: AbstractValue) -> AbstractValue:
        for base in self.analysis.resolver.mro(cls):
            if isinstance(base, str):
                if base.startswith(("torch.nn.", "lightning.", "torch.distributions.")):
                    return attributes.external_attribute(
                        owner, "torch.nn.Module" if base == "torch.nn.Module" else base, name
                    )
                if type_meaning(base) == "tensor":
                    return attributes.tensor_attribute(TENSOR_VALUE, name)
        if self.analysis.resolver.is_module(cls):
            return attributes.external_attribute(owner, "torch.nn.Module", name)
        if name in REGISTERING:
            return make(CALLABLE, refs=frozenset({Method(owner, name)}))
        if name == "_replace" and self.fields(cls) is not None:
            replacing = make(CALLABLE, refs=frozenset({"dataclasses.replace"}))
            return make(CALLABLE, refs=frozenset({Partial(replacing, (owner,), ())}))
        return UNKNOWN

    def _stored(self, cls: ClassInfo, name: str, unread: bool) -> AbstractValue:
        analysis = self.analysis
        # Without fuel for the constructor, what is written there: a method that fills a list must know that it is one.
        value = BOTTOM if analysis.fuel else empties.written(analysis, cls, name)
        given = BOTTOM
        in_body = False
        wrote: list[FunctionInfo] = []
        nearer: list[ClassInfo] = []
        for base in analysis.resolver.mro(cls):
            if not isinstance(base, ClassInfo):
                continue
            writers: Sequence[FunctionInfo] = base.stores.get(name, ())
            if name in base.fills and (name in base.stores or name not in OPTIMIZER_ATTRIBUTES):
                writers = [*writers, *base.fills[name]]
            for writer in writers:
                if writer.name == "__init__" and any(_replaces(one, name) for one in nearer):
                    continue
                first = writer.name == "__init__"
                chained = cls if base is not cls and first and "__init__" in cls.methods else None
                left = updates.stores(analysis, writer) if unread and not first else analysis.stores(writer, chained)
                kept = left.get(name, BOTTOM)
                value = join(value, randomness.settled(kept) if first else kept)
                wrote.append(writer)
            nearer.append(base)
            if not in_body and name in base.body:
                in_body = True
                if not value.known or any(getattr(s, "value", None) is not None for s in base.body[name]):
                    value = join(value, self.body(base).get(name, BOTTOM))
                if value.kinds & HOST and not value.deps:
                    given = join(given, building.recorded(analysis, base, name))
        value = open_constant(value)
        if (value.deps & DATA or value.elem is not None) and all(map(constructs, wrote)):
            value = settled(value)
        return join(value, given) if given.kinds else value

    def _filled(self, cls: ClassInfo, name: str) -> AbstractValue:
        """What holds the tensors that methods put in an attribute which no method of the class makes."""
        bases = self.analysis.resolver.lineage(cls)
        held = join_all(
            self.analysis.stores(writer, None).get(name + ITEM, BOTTOM)
            for base in bases
            for writer in base.fills.get(name, ())
        )
        return make(CONTAINER | UNKNOWN_KIND, elem=held) if held.kinds else BOTTOM

    def body(self, cls: ClassInfo) -> State:
        """The names a class body binds, methods apart."""
        analysis = self.analysis

        def compute() -> State:
            frame = Frame(analysis, cls.module, None, method_of=cls)
            analysis.run(frame, cls.node)
            return frame.bound

        return analysis.query(cls.module.memo, ("body", cls), compute, {})

    def member(self, cls: ClassInfo, name: str) -> AbstractValue:
        """An attribute read from the class itself."""
        analysis = self.analysis
        function = analysis.resolver.method(cls, name)
        if function is not None:
            if function.is_classmethod:
                return attributes.bound(function, attributes.named(cls))
            return attributes.named(function)
        if name == "apply" and analysis.resolver.has_base(cls, "Function"):
            forward = analysis.resolver.method(cls, "forward")
            if forward is not None:
                if analysis.resolver.method(cls, "setup_context") is not None:
                    return attributes.named(forward)
                # `ctx` is passed by torch, unless `setup_context` takes it.
                return attributes.bound(forward, make(CALLABLE))
        return self._written(analysis.resolver.mro(cls), name)

    def _written(self, bases: Sequence[ClassInfo | str], name: str) -> AbstractValue:
        """What the first body of these classes binds a name to."""
        for base in bases:
            if isinstance(base, ClassInfo) and name in base.body:
                found = self.body(base).get(name, BOTTOM)
                for statement in base.body[name]:
                    inner = base.module.scope_of.get(statement)
                    if isinstance(inner, ClassInfo):
                        return attributes.named(inner)
                if found.kinds:
                    return open_constant(found)
        return UNKNOWN

    def external_super(self, ref: Super, name: str) -> AbstractValue:
        """`super().name` where no base of the project has it."""
        for base in self.analysis.resolver.mro(ref.cls):
            if isinstance(base, str) and (base.startswith("torch.nn.") or family(base)):
                return attributes.external_attribute(make(OBJECT, refs=frozenset({Instance(base)})), base, name)
        makes = name == "__init__" and keyed.is_dictionary(self.analysis, ref.cls)
        return attributes.external(keyed.MAKER) if makes else UNKNOWN

    def fields(self, cls: ClassInfo) -> list[tuple[str, nodes.AnnAssign, ClassInfo]] | None:
        """The fields of a record-like class in order; None for any other class. Once per class."""
        memo, key = cls.module.memo, ("fields", cls)
        if key not in memo:
            memo[key] = self._fields(cls)
        return cast("list[tuple[str, nodes.AnnAssign, ClassInfo]] | None", memo[key])

    def _fields(self, cls: ClassInfo) -> list[tuple[str, nodes.AnnAssign, ClassInfo]] | None:
        record = False
        found: dict[str, tuple[str, nodes.AnnAssign, ClassInfo]] = {}
        for base in reversed(self.analysis.resolver.mro(cls)):
            if isinstance(base, str):
                record = record or base.rsplit(".", 1)[-1] in RECORD_BASES
                continue
            record = record or base.name in RECORD_BASES or _is_dataclass(base)
            for statement in base.node.body:
                if isinstance(statement, nodes.AnnAssign) and isinstance(statement.target, nodes.AssignName):
                    found[statement.target.name] = (statement.target.name, statement, base)
        return list(found.values()) if record and found else None

    def filled(self, value: AbstractValue) -> AbstractValue:
        """A named tuple as the tuple it is, where only its class is known."""
        if value.kinds == OBJECT and value.items is None and len(value.refs) == 1:
            ref = value.each[0]
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                if self.analysis.resolver.has_base(ref.cls, "NamedTuple"):
                    return self.new(ref.cls, Arguments(star=UNKNOWN))
        return value

    def field(self, value: AbstractValue, name: str) -> AbstractValue:
        """What a record, or a dictionary with a class of its own, holds under a key; UNKNOWN where there is none."""
        for ref in value.each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                if any(name == known for known, *_ in self.fields(ref.cls) or ()):
                    return self.attribute(ref.cls, name, value)
                held = keyed.item(self.analysis, ref.cls, name)
                if held.known:
                    return held
        return UNKNOWN

    def iterable(self, frame: Frame, value: AbstractValue) -> AbstractValue:
        """What iterating an object iterates: the result of `__iter__`, the tuple that a record is."""
        value = self.filled(value)
        found = self.analysis.special(frame, value, "__iter__", []) if value.items is None else value
        return found if found.known else value

    def operated(self, frame: Frame, left: AbstractValue, right: AbstractValue, op: str) -> AbstractValue | None:
        """What the class of an operand makes of an operator; None where no class of the project defines it."""
        name = _OPERATORS.get(op)
        if name is None:
            return None
        for one, other, method in ((left, right, name), (right, left, f"r{name}")):
            for ref in one.each if one.kinds & OBJECT else ():
                if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                    if self.analysis.resolver.method(ref.cls, f"__{method}__") is not None:
                        return self.analysis.special(frame, one, f"__{method}__", [other])
        return None

    def is_record(self, value: AbstractValue) -> bool:
        """True when a value may be an instance of a record-like class, whose fields a declaration does not tell."""
        return any(isinstance(r, Instance) and isinstance(r.cls, ClassInfo) and self.fields(r.cls) for r in value.refs)

    def instance(self, cls: ClassInfo) -> AbstractValue:
        """An object of the class of which nothing more is known."""
        key = ("instance", cls)
        memo = cls.module.memo
        if key not in memo:
            memo[key] = make(OBJECT, refs=frozenset({Instance(cls)}))
            if any(isinstance(b, str) and type_meaning(b) == "tensor" for b in self.analysis.resolver.mro(cls)):
                memo[key] = TENSOR_VALUE
        value = memo[key]
        assert isinstance(value, AbstractValue)
        return value

    def new(self, cls: ClassInfo, args: Arguments) -> AbstractValue:
        """What calling the class gives; a record keeps the values of its fields."""
        plain = self.instance(cls)
        fields = self.fields(cls)
        if fields is None and plain.kinds & OBJECT:
            return self._told_apart(cls, plain, args)
        if fields is None or len(fields) > 20 or not plain.kinds & OBJECT:
            return plain
        items: list[tuple[str, AbstractValue]] = []
        for position, (name, statement, owner) in enumerate(fields):
            said = self.analysis.annotation(owner.module, statement.annotation, None) or UNKNOWN
            passed = args.get(position, name)
            if passed is not None:
                items.append((name, combine(passed, said)))
            elif args.star is not None or args.double_star is not None:
                items.append((name, said))
            else:
                default = self.body(owner).get(name, UNKNOWN) if statement.value is not None else said
                items.append((name, join(default, said) if default.known else said))
        return make(OBJECT, refs=plain.refs, elem=join_all(v for _, v in items), items=tuple(items))

    def _told_apart(self, cls: ClassInfo, plain: AbstractValue, args: Arguments) -> AbstractValue:
        """An object of a class that keeps what it is given, with what it was given here."""
        kept = self._keeps(cls)
        if not kept:
            return plain
        bound = bind(cls.methods["__init__"], args, plain)
        items = [(name, open_constant(bound[param])) for name, param in kept if param in bound]
        items = [(name, value) for name, value in items if value.known]
        return make(OBJECT, refs=plain.refs, elem=join_all(v for _, v in items), items=tuple(items)) if items else plain

    def _keeps(self, cls: ClassInfo) -> list[tuple[str, str]]:
        """The attributes that hold an undeclared parameter of the constructor, as it is, and that no method changes."""
        memo, key = cls.module.memo, ("keeps", cls)
        if key not in memo:
            init = cls.methods.get("__init__")
            found = []
            if init is not None and len(init.params) <= 12 and not self.analysis.resolver.is_module(cls):
                params = self.analysis.parameters(init)
                for store in init.attribute_stores:
                    statement = store.parent
                    name = getattr(getattr(statement, "value", None), "name", "")
                    if (
                        isinstance(statement, nodes.Assign)
                        and statement.parent is init.node
                        and isinstance(statement.value, nodes.Name)
                        and name in params
                        and (not params[name].known or params[name].kinds & UNKNOWN_KIND)
                        and len(init.local_names[name]) == 1
                        and cls.stores.get(store.attrname) == [init]
                        and sum(s.attrname == store.attrname for s in init.attribute_stores) == 1
                        and store.attrname not in cls.methods
                    ):
                        found.append((store.attrname, name))
            memo[key] = found
        return cast("list[tuple[str, str]]", memo[key])

    def constructed(self, init: FunctionInfo) -> State:
        return building.constructed(self.analysis, init)

    def passed_up(self, cls: ClassInfo, init: FunctionInfo) -> State:
        """What the constructor of `cls` passes to a base class's constructor."""
        own = cls.methods.get("__init__")
        if own is None or own is init:
            return {}
        facts = self.analysis.facts_of(cls.module, own)
        params = self.analysis.parameters(init)
        return {
            name: value
            for (callee, name), value in facts.arguments.items()
            if callee is init and value.known and name in params and not params[name].known
        }

    def super_attribute(self, ref: Super, name: str) -> AbstractValue:
        """What `super().<name>` is, for the classes that the object may have."""
        function = self.analysis.resolver.method(ref.cls, name, after=ref.cls)
        for owner in ref.owner.each:
            inner = getattr(owner, "cls", None)
            if isinstance(inner, ClassInfo):
                function = self.analysis.resolver.method(inner, name, after=ref.cls) or function
        if function is not None:
            if function.is_static:
                return attributes.named(function)
            return attributes.bound(function, ref.owner)
        written = self._written(self.analysis.resolver.mro(ref.cls)[1:], name)
        return written if written.known else self.external_super(ref, name)


def _replaces(cls: ClassInfo, name: str) -> bool:
    """True when the constructor of a class always stores an attribute anew, whatever those of its bases have stored."""
    init = cls.methods.get("__init__")
    if init is None:
        return False
    return any(
        store.attrname == name
        and store.statement().parent is init.node
        and not any(read.attrname == name for read in store.statement().nodes_of_class(nodes.Attribute))
        for store in init.attribute_stores
    )


def _is_dataclass(cls: ClassInfo) -> bool:
    decorators = cls.node.decorators
    if decorators is None:
        return False
    for node in decorators.nodes:
        target = node.func if isinstance(node, nodes.Call) else node
        name = target.attrname if isinstance(target, nodes.Attribute) else getattr(target, "name", "")
        if name in ("dataclass", "define", "frozen", "attrs", "s"):
            return True
    return False
