"""What a row of torch's tables makes of a call: the kinds of the result, and what it depends on."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference import operators
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CONTAINER,
    DATA,
    FIRST_UNBACKED,
    HOST,
    HOST_VALUE,
    MAPPING,
    MASK,
    NONDET,
    NONE_VALUE,
    OBJECT,
    RANDOM,
    REPLAYED,
    REST,
    SHAPE,
    SUPPOSED,
    SYNCED,
    TENSOR,
    TENSOR_VALUE,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    container,
    element,
    join_all,
    make,
    sequence,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge import masks
from flake8_tensorbranch.knowledge.families import FIELDS, SUBSCRIPTED
from flake8_tensorbranch.knowledge.model import OpModel
from flake8_tensorbranch.knowledge.randomness import DEFAULT_GENERATOR
from flake8_tensorbranch.knowledge.tensors import MOVES_DIMENSIONS, REDUCES_DIMENSION


def from_row(row: OpModel, args: Arguments, owner: AbstractValue | None) -> AbstractValue:
    """The abstract value that a row of knowledge says a call gives."""
    operands = args.all() if owner is None else [owner, *args.all()]
    tensors = [v for v in operands if v.kinds & TENSOR] or [
        element(v) for v in operands if v.kinds & CONTAINER and element(v).kinds & TENSOR
    ]
    deps = operators.tensor_deps(*operands) if tensors else 0
    flow = deps & (NONDET | RANDOM | SYNCED | REPLAYED | SUPPOSED)
    effects = row.effects
    sized = DATA if "dynamic-shape" in effects else deps & DATA if "reduce" not in effects else 0
    if "nondet" in effects:
        flow |= NONDET
    if "rng" in effects:
        flow |= RANDOM if _takes_generator(args) else 0 if tensors else REPLAYED
    if "collective" in effects:
        flow |= SYNCED
    returns = row.returns
    if returns == "tensor":
        mask = MASK if masks.gives_mask(row.qualname) or _asks_for_bool(args) else 0
        if sized and _leaves_first(row.qualname, args):
            sized = 0
        if row.qualname in masks.SIZED_BY_FIRST and _first_size(args) & DATA:
            sized = DATA
        if row.qualname in masks.KEEPS_MASK and owner is not None:
            mask = owner.deps & MASK
        return make(TENSOR, flow | sized | mask)
    if returns == "tensors":
        return container(make(TENSOR, flow | sized), DATA if "dynamic-shape" in effects else 0)
    if returns == "host":
        return _host_result(row, operands, tensors, flow, sized)
    if returns == "size":
        if sized:
            return make(CONTAINER, const=FIRST_UNBACKED, elem=make(HOST, SHAPE | UNBACKED))
        return container(make(HOST, SHAPE | flow & ~SYNCED))
    if returns == "none":
        return NONE_VALUE
    if returns == "self":
        value = owner if owner is not None else args.get(0)
        if value is None or not value.known:
            return make(TENSOR, flow | sized) if row.qualname.startswith("torch.Tensor.") else UNKNOWN
        return make(TENSOR, value.deps | flow & RANDOM) if value.kinds & TENSOR else value
    elements = row.elements
    if elements is not None:
        return sequence([make(TENSOR, flow | sized) if e == "tensor" else simple(e) for e in elements])
    return simple(returns)


def _asks_for_bool(args: Arguments) -> bool:
    """True for `dtype=torch.bool`, also as the argument of `.to`."""
    given = [args.keywords["dtype"]] if "dtype" in args.keywords else args.positional[:1]
    return any("torch.bool" in v.refs for v in given)


def _leaves_first(qualname: str, args: Arguments) -> bool:
    """True when the first dimension, which depends on values, is reduced or moved away."""
    name = qualname.rsplit(".", 1)[-1]
    if name in MOVES_DIMENSIONS:
        return True
    if name not in REDUCES_DIMENSION:
        return False
    dim = args.keywords.get("dim") or (
        args.positional[0] if args.positional and not args.positional[0].kinds & TENSOR else None
    )
    dim = dim or (args.positional[1] if len(args.positional) > 1 else None)
    return dim is not None and type(dim.const) is int and dim.const == 0


def _first_size(args: Arguments) -> int:
    """What the first size that a tensor is made with depends on."""
    given = args.get(0, "size")
    return 0 if given is None else operators.host_deps(given.items[0][1] if given.items else given)


def _host_result(
    row: OpModel, operands: list[AbstractValue], tensors: list[AbstractValue], flow: int, sized: int
) -> AbstractValue:
    if "array" in row.effects:
        return make(ARRAY, DATA | flow)
    if "data" in row.deps:
        flag = masks.gives_mask(row.qualname) or row.qualname.rsplit(".", 1)[-1] in (
            "equal",
            "allclose",
            "is_nonzero",
            "__bool__",
        )
        if row.qualname.endswith(".item") and operands and operands[0].deps & MASK:
            flag = True
        value = make(HOST, DATA | flow | (MASK if flag else 0))
        return container(value, UNBACKED if sized else 0) if row.qualname.endswith(".tolist") else value
    if "shape" in row.deps:
        sizes = [v.const for v in operands[1:2]] if row.qualname.endswith(".size") else []
        other = bool(sizes) and type(sizes[0]) is int and sizes[0] != 0
        deps = UNBACKED | SHAPE if any(v.deps & DATA for v in tensors) and not other else SHAPE
        return make(HOST, deps)
    return make(HOST, operators.host_deps(*operands) if not tensors else 0)


def _takes_generator(args: Arguments) -> bool:
    """True for a call that is handed a generator which is not torch's default one."""
    given = args.keywords.get("generator")
    return given is not None and given.const is not None and given.refs != DEFAULT_GENERATOR


def _open(cls: str) -> AbstractValue:
    """An object whose fields are items, too."""
    others = SUBSCRIPTED[cls]
    items = {name: simple(word) for name, word in FIELDS[cls].items() if word != others}
    items[REST] = simple(others)
    elem = join_all(list(items.values()))
    return make(OBJECT | MAPPING, refs=frozenset({Instance(cls)}), elem=elem, items=tuple(items.items()))


def simple(returns: str) -> AbstractValue:
    """The value that one word of `OpModel.returns` stands for, or `object:` and the class of an object."""
    head, _, cls = returns.partition(":")
    if head == "object":
        if cls in SUBSCRIPTED:
            return _open(cls)
        return make(OBJECT, refs=frozenset({Instance(cls)}))
    if returns == "tensor":
        return TENSOR_VALUE
    if returns in ("static", "dtype", "device", "host"):
        return HOST_VALUE
    if returns == "generator":
        return make(OBJECT, refs=frozenset({Instance("torch.Generator")}))
    if returns == "module":
        return make(OBJECT, refs=frozenset({Instance("torch.nn.Module")}))
    if returns == "none":
        return NONE_VALUE
    if returns == "state":
        return make(MAPPING, elem=TENSOR_VALUE)
    if returns == "tensors":
        return container(TENSOR_VALUE)
    return UNKNOWN
