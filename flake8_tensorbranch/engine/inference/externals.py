"""Calls that leave the project: what torch's tables, NumPy and the standard library give back."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import (
    builtins,
    calls,
    derivatives,
    frameworks,
    functional,
    mappings,
    operations,
    operators,
    randomness,
    tuples,
)
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.attributes import array_attribute
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.rows import from_row
from flake8_tensorbranch.engine.inference.unknowns import names_arrays
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    HOST_VALUE,
    MAPPING,
    NONE_VALUE,
    OBJECT,
    RANDOM,
    TENSOR,
    TENSOR_VALUE,
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
    with_deps,
)
from flake8_tensorbranch.engine.refs import Instance, Partial, Wrapped
from flake8_tensorbranch.knowledge import containers, evidence, families, names, passing, regions
from flake8_tensorbranch.knowledge.gradients import GRADIENT_MODES
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.modules import PARALLEL
from flake8_tensorbranch.knowledge.randomness import DRAWS_ELEMENTS
from flake8_tensorbranch.knowledge.tracing import TRANSFORM_HOMES
from flake8_tensorbranch.syntax.keeping import REGISTERING, registered

_TORCH: Final = ("torch",)
_MAPPINGS: Final = {"collections.OrderedDict", "collections.defaultdict"}


def call(frame: Frame, qualname: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """The value of calling something external by its qualified name."""
    facts = frame.facts
    if facts is not None and node is not None:
        facts.externals.setdefault(node, {})[qualname] = args
    head, _, rest = qualname.partition(".")
    if head == "builtins":
        transfer = builtins.FUNCTIONS.get(rest) or functional.FUNCTIONS.get(rest)
        return transfer(frame, args, node) if transfer is not None else UNKNOWN
    drawn = randomness.called(qualname)
    if drawn is not None:
        several = DRAWS_ELEMENTS.get(qualname)
        inner = element(args.positional[0]) if several is not None and args.positional else UNKNOWN
        if inner.known and not inner.kinds & HOST:  # which function, module or tensor
            inner = with_deps(inner, RANDOM)
            return container(inner) if several else inner
        return with_deps(drawn, operators.host_deps(*args.positional) & DATA) if head == "random" else drawn
    if head == "torch":
        return _torch(frame, qualname, args, node)
    if head == "numpy":
        return _numpy(rest, args)
    if head == "operator":
        return operations.called(frame, rest, args)
    if head == "math":
        return make(HOST, operators.host_deps(*args.positional))
    if qualname in ("functools.partial", "functools.partialmethod") and args.positional:
        hidden = () if args.double_star is None else (("**", args.double_star),)
        ref = Partial(args.positional[0], tuple(args.positional[1:]), (*args.keywords.items(), *hidden))
        return make(CALLABLE, refs=frozenset({ref}))
    passed = passing.PASSED_ON.get(qualname)
    if passed is not None and passed < len(args.positional):
        return args.positional[passed]
    if qualname in containers.PUTS_IN or qualname in containers.TAKES_FROM_HEAP:
        return functional.heaped(frame, qualname, args, node)
    if qualname in containers.SOME_OF and len(args.positional) > containers.SOME_OF[qualname]:
        return container(operators.iterate(args.positional[containers.SOME_OF[qualname]]))
    if qualname in passing.KEEPING:
        return functional.kept(frame, qualname, args, node)
    if qualname in passing.FOLDING:
        return functional.folded(frame, qualname, args, node)
    if qualname in passing.CHAINED:
        return container(join_all(operators.iterate(v) for v in args.all()))
    if qualname == "itertools.zip_longest":
        return container(sequence([join(operators.iterate(v), NONE_VALUE) for v in args.positional]))
    if qualname == "types.SimpleNamespace":
        held = tuple(args.keywords.items())
        return make(OBJECT, refs=frozenset({Instance(qualname)}), elem=join_all(args.all()), items=held)
    if qualname in passing.REPLACING and args.positional:
        return tuples.replaced(args)
    if qualname in _MAPPINGS:
        if qualname.endswith("defaultdict"):
            made = calls.apply(frame, args.positional[0], Arguments(), None) if args.positional else BOTTOM
            coarse = make(made.kinds, made.deps, refs=made.refs, elem=made.elem)
            return opened({}, coarse) if made.known else make(MAPPING)
        return builtins.FUNCTIONS["dict"](frame, args, node)
    if qualname in ("collections.namedtuple", "typing.NamedTuple") and len(args.positional) > 1:
        return tuples.record_type(args)
    if qualname == "collections.Counter" and args.positional:
        keys = mappings.key_deps(operators.iterate(args.positional[0]))
        return make(MAPPING, keys, elem=make(HOST, keys))  # how often each was met
    if qualname == "collections.deque":
        return builtins.FUNCTIONS["list"](frame, args, node)
    if qualname in ("functools.wraps", "functools.update_wrapper"):
        return UNKNOWN
    return _other(frame, qualname, args, node)


def _other(frame: Frame, qualname: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """A call of a library that only tables of region entries and of tensors speak of."""
    entry = regions.entry(qualname)
    if entry is not None:
        return _enter_region(frame, qualname, entry, args, node)
    row = lookup(qualname, len(args.positional), args.names(), kinds=args.kinds())
    if row is not None:
        value = from_row(row, args, None)
        if value is UNKNOWN and row.returns == "self" and frame.module.mentions(_TORCH) and frame.function is not None:
            # What it is given is an array of a library that the function names, or a tensor.
            return UNKNOWN if names_arrays(frame.function) else make(TENSOR | UNKNOWN_KIND)
        return value
    found = frameworks.called(qualname, args)
    if found is not None:
        return found
    return make(UNKNOWN_KIND, refs=frozenset({Instance(qualname)})) if _is_class(qualname) else UNKNOWN


def _is_class(qualname: str) -> bool:
    last = qualname.rsplit(".", 1)[-1]
    return last[:1].isupper() and (not last.isupper() or qualname.startswith("torch.nn."))  # GELU, LSTM: no constants


def _numpy(name: str, args: Arguments) -> AbstractValue:
    deps = 0
    for value in args.all():
        own = operators.host_deps(value)
        if name not in evidence.NUMPY_ELEMENTWISE and not value.kinds & (ARRAY | TENSOR):
            own &= ~DATA  # a number gives a size or a seed here, not the values
        deps |= own
    if name in ("isscalar", "iterable", "ndim", "issubdtype", "dtype"):
        return HOST_VALUE
    if name in ("shape", "size") and args.positional and args.positional[0].kinds & (ARRAY | TENSOR):
        return array_attribute(args.positional[0], name)
    if name in ("array_equal", "allclose", "size", "prod"):
        return make(HOST, deps)
    return make(ARRAY, deps)


def _torch(frame: Frame, qualname: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    if qualname in evidence.TRACING_PREDICATES:
        return constant(False)
    if qualname in ("torch.finfo", "torch.iinfo"):
        return make(OBJECT, refs=frozenset({Instance(qualname)}))
    meaning = names.type_meaning(qualname)
    if meaning == "tensor":
        return TENSOR_VALUE
    if meaning == "size":
        return tuples.size(args.positional[0]) if args.positional else make(CONTAINER, elem=HOST_VALUE)
    entry = regions.entry(qualname)
    if entry is not None:
        return _enter_region(frame, qualname, entry, args, node)
    if qualname.startswith("torch.nn.") and _is_class(qualname):
        return _new_module(frame, qualname, args)
    if (
        qualname.startswith(TRANSFORM_HOMES)
        and (derived := derivatives.called(frame, qualname, args, node)) is not None
    ):
        return derived
    if qualname == "torch.Tensor.__getitem__" and len(args.positional) == 2:
        return operators.subscript(args.positional[0], args.positional[1])
    row = lookup(qualname, len(args.positional), args.names(), kinds=args.kinds())
    if row is not None:
        if "collective" in row.effects and "inplace" in row.effects:
            _synchronise(frame, node)
        if row.demands and args.positional and args.positional[0] is UNKNOWN and row.demands[0][0] == 0:
            frame.affirm(next(iter(getattr(node, "args", ())), None), UNKNOWN)
        return from_row(row, args, None)
    if _is_class(qualname) or qualname in GRADIENT_MODES:
        return make(OBJECT, refs=frozenset({Instance(qualname)}))
    return UNKNOWN


def _enter_region(
    frame: Frame, qualname: str, entry: regions.RegionEntry, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    """A call that runs, or wraps, the function it is given."""
    function = args.get(entry.argument, entry.keyword)
    if function is None:
        # `torch.compile(fullgraph=True)` gives a decorator.
        return make(
            CALLABLE,
            refs=frozenset({Partial(make(CALLABLE, refs=frozenset({qualname})), (), tuple(args.keywords.items()))}),
        )
    if entry.passed_tuple:
        _run_example(frame, function, entry, args, node)
    if entry.wraps:
        if not function.refs:
            return function if function.known else UNKNOWN
        given = tuple((k, v.const) for k, v in args.keywords.items() if k != entry.keyword)
        return make(function.kinds | CALLABLE, refs=frozenset({Wrapped(qualname, function, given)}))
    if entry.passed < 0:
        return UNKNOWN
    if entry.sequential:
        value = args.get(entry.passed, "input")
        return _chain(frame, function, Arguments([value if value is not None else UNKNOWN]), node)
    rest = args.dropped(entry.passed).without(*entry.own_keywords)
    return calls.apply(frame, function, randomness.drawn_before(rest), node)


def _run_example(
    frame: Frame, function: AbstractValue, entry: regions.RegionEntry, args: Arguments, node: nodes.NodeNG | None
) -> None:
    """A tracer runs the function once, with the example inputs it is given as one tensor or a tuple of them."""
    given = args.get(entry.argument + 1, entry.passed_tuple)
    if given is None or not given.known or given.kinds & (UNKNOWN_KIND | MAPPING):
        return
    named = args.get(entry.argument + 2, "kwargs")
    example = Arguments()
    if given.must(TENSOR):
        example.positional.append(given)
    elif given.items is not None:
        example.positional.extend(v for _, v in given.items)
    elif given.elem is not None and given.elem.must(TENSOR):
        example.star = given.elem
    if named is not None and named.items is not None and named.must(MAPPING):
        example.keywords.update((str(k), v) for k, v in named.items)
    calls.apply(frame, function, randomness.drawn_before(example), node)


def _synchronise(frame: Frame, node: nodes.NodeNG | None) -> None:
    """A collective in place makes its first argument the same on every rank."""
    arguments = getattr(node, "args", None)
    if arguments:
        frame.analysis.mark_synced(frame, arguments[0])


def _new_module(frame: Frame, qualname: str, args: Arguments) -> AbstractValue:
    refs = frozenset({Instance(qualname)})
    if qualname in ("torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ModuleDict", "torch.nn.ParameterList"):
        if qualname == "torch.nn.Sequential" and (len(args.positional) != 1 or args.positional[0].kinds & OBJECT):
            values = list(args.positional)
            if args.star is not None:
                return make(OBJECT | CONTAINER, refs=refs, elem=join_all(values, args.star))
            return make(OBJECT | CONTAINER, refs=refs, elem=join_all(values), items=tuple(enumerate(values)))
        source = args.positional[0] if args.positional else BOTTOM
        mapping = MAPPING if qualname == "torch.nn.ModuleDict" else CONTAINER
        elem = (
            element(source)
            if source.kinds & (MAPPING | CONTAINER)
            else operators.iterate(source)
            if source.kinds
            else BOTTOM
        )
        items = source.items if source.items is not None and source.kinds in (CONTAINER, MAPPING) else None
        return make(OBJECT | mapping, refs=refs, elem=elem, items=items)
    inner = args.get(0, "module") if qualname in PARALLEL else None
    return make(OBJECT, refs=refs) if inner is None else make(OBJECT, refs=refs, elem=inner, items=(("module", inner),))


def _chain(frame: Frame, modules: AbstractValue, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """What comes out of modules applied one after the other."""
    value = args.positional[0] if args.positional else UNKNOWN
    if modules.items is not None:
        for _, module in modules.items:
            value = calls.apply(frame, module, Arguments([value]), node) if module.refs else UNKNOWN
        return value
    inner = element(modules)
    if not inner.refs:
        return UNKNOWN
    once = calls.apply(frame, inner, Arguments([value]), node)
    return join(once, calls.apply(frame, inner, Arguments([once]), node))


def call_instance(
    frame: Frame, callee: AbstractValue, cls: str, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    """Calling an instance of an external class."""
    if cls == "torch.nn.Sequential":
        return _chain(frame, callee, args, node)
    if cls == "torch.nn.Identity":
        return args.positional[0] if args.positional else UNKNOWN
    if cls == "torch.nn.LSTM":
        return sequence([TENSOR_VALUE, sequence([TENSOR_VALUE, TENSOR_VALUE])])
    if cls in GRADIENT_MODES:
        return make(CALLABLE, refs=frozenset({Wrapped(cls, args.positional[0])})) if args.positional else UNKNOWN
    if cls in PARALLEL:
        return calls.apply(frame, dict(callee.items or ()).get("module", UNKNOWN), args, node)
    row = lookup(cls, len(args.positional), args.names(), kinds=args.kinds())
    if row is not None:
        return from_row(row, args, None)
    if cls.startswith("torch.nn.") and cls != "torch.nn.Module":
        return TENSOR_VALUE
    return frameworks.by_family(families.family(cls), args, None) or UNKNOWN


def instance_method(
    frame: Frame, owner: AbstractValue, name: str, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    """A method of an instance whose class is external."""
    for ref in owner.each:
        if not isinstance(ref, Instance):
            continue
        if not isinstance(ref.cls, str):
            return module_method(frame, owner, name, args, node)
        cls = ref.cls
        if cls:
            if cls.startswith("torch.nn.") or cls.rsplit(".", 1)[-1].endswith("Module"):
                if name == "forward" and cls.startswith("torch.nn."):
                    return call_instance(frame, owner, cls, args, node)
                return module_method(frame, owner, name, args, node)
            drawn = randomness.method(cls, name)
            if drawn is not None:
                return drawn
            row = lookup(f"{cls}.{name}", len(args.positional), args.names(), kinds=args.kinds())
            found = from_row(row, args, owner) if row is not None else frameworks.method(cls, name, args, owner)
            if found is not None:
                return found
    return UNKNOWN


def module_method(
    frame: Frame, owner: AbstractValue, name: str, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    """A method every `torch.nn.Module` has."""
    if name in REGISTERING and (args.positional or "name" in args.keywords):
        return _register(frame, owner, args, node)
    row = lookup(f"torch.nn.Module.{name}")
    if row is None:
        return UNKNOWN
    if frame.facts is not None and node is not None and name == "compile":
        frame.facts.externals.setdefault(node, {})["torch.nn.Module.compile"] = Arguments([owner])
    if name in builtins.CHILDREN and owner.elem is not None and owner.elem.refs:
        return container(owner.elem if name == "children" else sequence([HOST_VALUE, owner.elem]))
    if name in ("named_parameters", "named_buffers"):
        return container(sequence([HOST_VALUE, TENSOR_VALUE]))
    return from_row(row, Arguments(), owner)


def _register(frame: Frame, owner: AbstractValue, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """`self.register_buffer(name, value)` and its like store an attribute."""
    name = args.positional[0].const if args.positional else args.keywords["name"].const
    value = args.get(1, "tensor") or args.get(1, "param") or args.get(1, "default") or args.get(1, "module") or UNKNOWN
    if owner == frame.owner:
        keep(frame, name, value, node)
    return NONE_VALUE


def keep(frame: Frame, name: object, value: AbstractValue, node: nodes.NodeNG | None) -> None:
    """Store an attribute of the method's own object that a call names: by a constant, or by those that a loop gives."""
    if isinstance(name, str):
        frame.store(name, value)
        frame.keep(f"{frame.self_name}.{name}", value)
    elif isinstance(node, nodes.Call) and frame.self_name is not None:
        for each in registered(node, frame.self_name):
            frame.store(each, value)
