"""The tables of words against the installed torch: what each method, operator and layer named there does."""

from __future__ import annotations

import builtins
import inspect
import itertools
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from flake8_tensorbranch.knowledge import containers, gradients, modules, operations, randomness, scopes, tensors
from tests.oracle.support import require_torch, resolve

torch = require_torch()
pytestmark = pytest.mark.oracle


def floats() -> Any:
    return torch.arange(6.0).reshape(2, 3) - 2.3


def leaf() -> Any:
    return floats().requires_grad_()


def integers() -> Any:
    return torch.tensor([[0, 1, 2], [2, 1, 0]])


def argument_lists() -> Iterator[tuple[Any, ...]]:
    """Arguments that some method takes."""
    mask, index, row = floats() > 0, torch.tensor([0]), torch.tensor([[0, 0, 0]])
    yield from [(), (1,), (0,), (2, 3), (6,), (0, 1), (-1,), ((2, 2),), (0, 0, 2), ((3, 2),), (torch.ones(2, 3),)]
    yield from [(0, index), (1, (3, 1)), (torch.float32,), (0, index, 1.0), (0, row, 1.0), (mask, 2.0), (1.0, 2.0)]
    yield from [(mask, torch.arange(6.0)), (0, index, torch.ones(1, 3)), (index, torch.ones(1)), ((2, 2), 1.0)]


def ways(word: str, make: Callable[[], Any]) -> Iterator[Callable[[Any], Any]]:
    """Calls of a method or a function of torch with that name which run on what `make` gives."""
    for owner in (None, torch, torch.nn.functional):
        for arguments in argument_lists():
            for packed in (False, True):

                def call(tensor: Any, owner: Any = owner, arguments: Any = arguments, packed: bool = packed) -> Any:
                    if owner is not None:
                        return getattr(owner, word)([tensor, tensor] if packed else tensor, *arguments)
                    found = getattr(tensor, word)
                    return found(*arguments) if callable(found) else found

                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        call(make())
                except (TypeError, RuntimeError, AttributeError, IndexError, ValueError):
                    continue
                yield call


def way(word: str, make: Callable[[], Any] = floats) -> Callable[[Any], Any]:
    found = next(ways(word, make), None)
    assert found is not None, f"nothing runs {word}"
    return found


def first(result: Any) -> Any:
    return result[0] if isinstance(result, (tuple, list)) else result


def saved_by(run: Callable[[], Any]) -> list[Any]:
    saved: list[Any] = []

    def keep(tensor: Any) -> Any:
        saved.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        run()
    return saved


@pytest.mark.parametrize("word", sorted(gradients.CUTS))
def test_results_that_never_require_grad(word: str) -> None:
    found = next(ways(word, leaf), None)
    result = first(found(leaf())) if found is not None else None
    if found is None:  # for detached values, integers, or sizes alone
        arguments: dict[str, Any] = {
            "arange": (3,),
            "randperm": (3,),
            "randint": (3, (2,)),
            "bincount": (torch.tensor([1]),),
        }
        arguments |= {"bucketize": (leaf(), torch.tensor([0.0, 1.0])), "one_hot": (integers(),)}
        arguments |= {"multinomial": (leaf().abs(), 1)}
        if word in arguments:
            made = getattr(torch, word, None) or getattr(torch.nn.functional, word)
            result = made(*arguments[word])
        elif word == "item":
            result = leaf().sum().item()
        else:
            with pytest.raises(RuntimeError, match="requires grad"):
                getattr(leaf(), word)()
            return
    assert not (isinstance(result, torch.Tensor) and result.requires_grad)


@pytest.mark.parametrize("word", ["round", "floor", "ceil", "sign", "trunc"])
def test_rounding_stays_in_the_graph(word: str) -> None:
    x = leaf()
    result = getattr(x, word)()
    assert result.requires_grad
    assert word not in gradients.CUTS
    result.sum().backward()
    assert not x.grad.any()


@pytest.mark.parametrize("word", sorted(gradients.FACTORIES - {"from_numpy"}))
def test_factories_require_grad_where_asked(word: str) -> None:
    arguments = {"full": ((2,), 1.0), "tensor": ([1.0],), "linspace": (0, 1, 3), "logspace": (0, 1, 3)}.get(word, (2,))
    make = getattr(torch, word)
    assert not make(*arguments).requires_grad
    assert make(*arguments, requires_grad=True).requires_grad


def test_what_passes_gradients_on_is_no_factory(tmp_path: Any) -> None:
    assert torch.as_tensor(leaf()).requires_grad
    assert torch.normal(leaf(), 1.0).requires_grad
    torch.save(torch.nn.Parameter(floats()), tmp_path / "p.pt")
    assert torch.load(tmp_path / "p.pt").requires_grad
    assert not gradients.FACTORIES & {"as_tensor", "normal", "load"}


def layers() -> Iterator[type]:
    for cls in vars(torch.nn).values():
        if inspect.isclass(cls) and issubclass(cls, torch.nn.Module):
            yield cls


def build(cls: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for arguments in [
            (),
            (2,),
            (2, 2),
            (2, (2, 2)),
            (2, 2, 2),
            (2, 0.1),
            (1.0, 2.0),
            (2, 2, 2, 2),
            (0, 1),
            (1, (2,)),
        ]:
            try:
                return cls(*arguments)
            except (TypeError, ValueError, AssertionError, RuntimeError, AttributeError, NotImplementedError):
                continue
    return None


def test_layers_without_parameters() -> None:
    """Every layer of torch.nn that can be built is in the table exactly where no argument gives it parameters."""
    holds_others = {"Module", "ModuleList", "ModuleDict", "Sequential", "ParameterList", "ParameterDict", "Container"}
    holds_others |= {"DataParallel", "TripletMarginWithDistanceLoss"}  # of modules or a function they are given
    switched_on = {"InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"}  # affine=True
    bare = {c.__name__ for c in layers() if (m := build(c)) is not None and not list(m.parameters())}
    bare -= holds_others | switched_on
    assert bare - {"NLLLoss2d"} == gradients.BARE_MODULES & {c.__name__ for c in layers()}
    assert {c.__name__ for c in layers()} >= gradients.BARE_MODULES


@pytest.mark.parametrize("word", sorted(gradients.ONE_INPUT_MODULES))
def test_layers_of_one_input(word: str) -> None:
    forward = inspect.signature(getattr(torch.nn, word).forward)
    assert len(forward.parameters) == 2


@pytest.mark.parametrize("word", sorted(tensors.VIEWS - {"to_local"} | tensors.SAME_STORAGE - {"imag"}))
def test_views(word: str) -> None:
    x = floats()
    assert first(way(word)(x)).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


def test_view_of_the_imaginary_part() -> None:
    z = torch.zeros(2, dtype=torch.complex64)
    z.imag.fill_(1.0)
    assert z[0].item() == 1j


@pytest.mark.parametrize("word", sorted(tensors.REPEATABLE_IN_PLACE))
def test_twice_in_place_is_once(word: str) -> None:
    run, x = way(word), floats()
    run(x)
    once = x.clone()
    run(x)
    assert torch.equal(x, once)


@pytest.mark.parametrize("word", ["add_", "mul_", "sub_", "eq_", "ne_", "neg_", "unsqueeze_", "lerp_", "logical_not_"])
def test_twice_in_place_is_more_than_once(word: str) -> None:
    """What is left out of the table, for a reason."""
    x = torch.full((2,), 3.0)
    arguments = {"lerp_": (torch.ones(2), 0.5), "eq_": (3.0,), "ne_": (3.0,), "unsqueeze_": (0,)}
    arguments |= {"neg_": (), "logical_not_": ()}
    run = getattr(torch.Tensor, word)
    run(x, *arguments.get(word, (2.0,)))
    once = x.clone()
    run(x, *arguments.get(word, (2.0,)))
    assert x.shape != once.shape or not torch.equal(x, once)
    assert word not in tensors.OVERWRITES


@pytest.mark.parametrize("word", sorted(randomness.DRAWN_IN_PLACE))
def test_draws_in_place_forget_what_was_there(word: str) -> None:
    def drawn(start: float) -> Any:
        torch.manual_seed(0)
        return getattr(torch.full((4,), start), word)(*((0.5,) if word == "geometric_" else ()))

    assert torch.equal(drawn(0.0), drawn(9.0))


@pytest.mark.parametrize("word", sorted(tensors.CONVERSIONS - {"cuda"}))
def test_conversions_twice_are_once(word: str) -> None:
    arguments = {"to": (torch.float64,), "type": (torch.float64,), "type_as": (torch.ones(1),), "view": (3, 2)}
    arguments |= {"reshape": (3, 2)}

    def run(x: Any) -> Any:
        return getattr(x, word)(*arguments.get(word, ()))

    once = run(floats())
    assert torch.equal(run(once), once)
    assert word not in tensors.SAME_SHAPE or once.shape == floats().shape


@pytest.mark.parametrize("word", sorted(tensors.SAVES_NOTHING))
def test_operations_that_save_nothing(word: str) -> None:
    run = way(word)
    assert not saved_by(lambda: run(leaf()))


@pytest.mark.parametrize(
    ("sign", "run"),
    [("*", operator.mul), ("/", operator.truediv), ("**", operator.pow), ("@", lambda a, b: a @ b.T)],
)
def test_operators_that_save(sign: str, run: Callable[[Any, Any], Any]) -> None:
    assert sign in tensors.SAVING_OPERATORS
    assert saved_by(lambda: run(leaf() + 3, torch.ones(2, 3)))


@pytest.mark.parametrize(("sign", "run"), [("+", operator.add), ("-", operator.sub), ("%", operator.mod)])
def test_operators_that_save_nothing(sign: str, run: Callable[[Any, Any], Any]) -> None:
    assert sign not in tensors.SAVING_OPERATORS
    assert not saved_by(lambda: run(leaf(), torch.ones(2, 3)))


@pytest.mark.parametrize("word", sorted(tensors.FINITE_SLOPE | tensors.STEEP))
def test_slopes(word: str) -> None:
    arguments = (0.5,) if word.startswith("cl") else ()
    slopes = []
    for value in (-2.0, -1.0, 0.0, 0.5, 1.0):
        x = torch.tensor([value], requires_grad=True)
        result = getattr(x, word)(*arguments)
        assert result.shape == x.shape
        assert result.dtype == x.dtype
        result.sum().backward()
        slopes.append(bool(torch.isfinite(x.grad).all()))
    assert all(slopes) or word not in tensors.FINITE_SLOPE


@pytest.mark.parametrize("word", sorted(tensors.REDUCES_TO_ONE))
def test_reductions_to_one(word: str) -> None:
    assert getattr(floats(), word)().numel() == 1


@pytest.mark.parametrize("word", sorted(tensors.REDUCES_DIMENSION))
def test_reductions_of_a_dimension(word: str) -> None:
    assert first(getattr(torch, word)(floats(), dim=0)).shape == (3,)


@pytest.mark.parametrize("word", sorted(tensors.METADATA | tensors.METADATA_METHODS))
def test_metadata_tell_nothing_of_the_values(word: str) -> None:
    def asked(x: Any) -> Any:
        found = getattr(x, word)
        return found() if callable(found) else found

    assert asked(floats()) == asked(floats() + 1)


@pytest.mark.parametrize(
    "word", sorted(tensors.SIZED_BY_ARGUMENT | tensors.ROUTES | tensors.EXPANDING | tensors.CLAMPS)
)
def test_names_of_operations(word: str) -> None:
    assert hasattr(torch, word) or hasattr(torch.Tensor, word)


@pytest.mark.parametrize("word", sorted(tensors.SPLITS))
def test_splits_take_numbers(word: str) -> None:
    assert sum(len(part) for part in getattr(torch.arange(4), word)([1, 3])) == 4


@pytest.mark.parametrize(("word", "option"), sorted(tensors.SIZE_AT_LEAST.items()))
def test_sizes_that_an_option_sets(word: str, option: str) -> None:
    for classes in (torch.tensor([0, 0, 1]), torch.tensor([2, 3, 3])):
        assert getattr(torch, word)(classes, **{option: 4}).shape == (4,)


def test_repeats_of_another_sum_than_output_size_are_refused() -> None:
    assert floats().repeat_interleave(torch.tensor([1] * len(floats())), dim=0, output_size=len(floats())).shape
    with pytest.raises(RuntimeError):
        floats().repeat_interleave(torch.tensor([2] * len(floats())), dim=0, output_size=len(floats()))


@pytest.mark.parametrize("word", sorted(modules.ITERATES_NAMES))
def test_names_come_first(word: str) -> None:
    net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))
    assert all(isinstance(name, str) for name, _ in getattr(net, word)())


@pytest.mark.parametrize("word", sorted(modules.ITERATES_TENSORS | modules.ITERATES_MODULES | modules.FORWARD_HOOKS))
def test_names_of_modules(word: str) -> None:
    assert callable(getattr(torch.nn.Module, word))


def test_attributes_of_optimizers() -> None:
    made = torch.optim.SGD([torch.nn.Parameter(floats())], lr=0.1)
    assert set(vars(made)) >= modules.OPTIMIZER_ATTRIBUTES


CLASSES = (
    *modules.PARALLEL,
    *sorted(modules.PARAMETERS | modules.CONTAINERS),
    *sorted(n for n in operations.ATTENTION.names if n.startswith("torch.nn.") and n[9].isupper()),
)


@pytest.mark.parametrize("name", CLASSES)
def test_names_of_classes(name: str) -> None:
    assert inspect.isclass(resolve(name))


@pytest.mark.parametrize("name", sorted(scopes.ENTERED_ONCE))
def test_contexts_that_are_entered_once(name: str) -> None:
    """`contextlib.contextmanager` wraps a generator function, of which what is made can be entered once."""
    assert inspect.isgeneratorfunction(inspect.unwrap(resolve(name)))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (list, containers.REPEATS - {"appendleft", "extendleft"}),
        (set, {"add", "discard", "remove", "update"}),
        (dict, {"get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"}),
    ],
)
def test_methods_of_containers(kind: type, words: set[str]) -> None:
    assert all(hasattr(kind, word) for word in words)
    assert words <= containers.CHANGES | containers.GIVES_ELEMENTS


@pytest.mark.parametrize("word", sorted(tensors.RESIZING))
def test_operations_that_resize(word: str) -> None:
    x = floats()
    arguments: dict[str, tuple[Any, ...]] = {"pad": (x, (0, 1)), "narrow": (x, 1, 0, 2), "repeat_interleave": (x, 2)}
    arguments |= {"tile": (x, (1, 2))}
    if word == "repeat":
        result = x.repeat(1, 2)
    else:
        result = getattr(torch, word, getattr(torch.nn.functional, word, None))(*arguments.get(word, ((x, x),)))
    assert result.numel() != x.numel()


@pytest.mark.parametrize("word", sorted(tensors.SPLIT_SIZES))
def test_sizes_of_a_split_are_no_tensor(word: str) -> None:
    with pytest.raises(TypeError, match="must be tuple of ints, not Tensor"):
        getattr(torch.arange(6), word)(torch.tensor([2, 4]))


@pytest.mark.parametrize("word", sorted(containers.ITERATES))
def test_what_goes_over_fails_for_a_single_element(word: str) -> None:
    arguments = (str, torch.tensor(2)) if word == "map" else (torch.tensor(2),)
    with pytest.raises(TypeError):
        list(getattr(builtins, word, itertools.accumulate)(*arguments))
