"""The tables against the installed torch: names exist, and calls give and do what their rows say."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from flake8_tensorbranch.knowledge import masks, model, names, regions, scopes
from flake8_tensorbranch.knowledge.model import OpModel, is_known, lookup
from tests.oracle.support import require_torch, resolve

torch = require_torch()
pytestmark = pytest.mark.oracle

ROWS = sorted(set(model._generated()) | set(model._overlay()))
CALLED = [name for name in ROWS if name.startswith("torch.") and ".Module." not in name]
NOT_CALLED = (
    "distributed",
    "distributions",
    "cuda",
    "set_",
    "seed",
    "save",
    "load",
    "deterministic",
    "compile",
    "_assert",
    "Module",
)
"""Parts of names whose call needs a process group or a file, or changes this process."""

SHAPES: dict[str, list[tuple[str, ...]]] = {
    "method": [(), ("x",), ("1",), ("x", "x"), ("1", "1"), ("i",), ("1", "i", "x")],
    "function": [
        ("x",),
        ("x", "x"),
        ("x", "1"),
        ("x", "x", "x"),
        ("x", "1", "i", "x"),
        ("b",),
        ("b", "x", "x"),
        ("i",),
    ],
}
CHECKS_ITS_ARGUMENTS = {
    *("torch.Tensor.corrcoef", "torch.Tensor.cov", "torch.corrcoef", "torch.cov", "torch.lobpcg", "torch.combinations"),
    *("torch.nn.GaussianNLLLoss", "torch.nn.functional.gaussian_nll_loss", "torch.nn.init.trunc_normal_"),
    *("torch.nn.utils.rnn.pack_sequence", "torch.nn.utils.rnn.unpad_sequence", "torch.Tensor.__getitem__"),
}
"""Operations that read values on the way (to check arguments, or for an index that is a mask), whatever they return."""


def argument(letter: str) -> Any:
    if letter in "xo":
        return torch.full((3, 3) if letter == "x" else (), 0.5)
    if letter == "i":
        return torch.tensor([0, 1, 2])
    return torch.ones(3, 3, dtype=torch.bool) if letter == "b" else 1


def kind_of(value: Any) -> str:
    """What a value is, in the words of the table."""
    for cls, kind in ((torch.Tensor, "tensor"), (torch.Size, "size"), (torch.dtype, "dtype"), (torch.device, "device")):
        if isinstance(value, cls):
            return kind
    if isinstance(value, (tuple, list)) and value and all(isinstance(item, torch.Tensor) for item in value):
        return f"tensors{len(value)}"
    if isinstance(value, tuple):
        return f"tuple({','.join(kind_of(item) for item in value)})"
    if value is None:
        return "none"
    return "generator" if isinstance(value, torch.Generator) else "host"


def fits(returns: str, value: Any) -> bool:
    """Whether a value is what a row announces."""
    kind = kind_of(value)
    if returns == "tensors":
        return kind.startswith("tensors") or value == ()
    if returns.startswith("tuple("):
        return [model.OpModel("", returns).elements] == [tuple(map(loosely, value))]
    if returns in {"static", "host"}:
        return kind in {"host", "none"} or re.fullmatch(r"tuple\((host,?)*\)", kind) is not None
    return returns == "unknown" or kind == ("tensor" if returns == "self" else returns)


def loosely(value: Any) -> str:
    kind = kind_of(value)
    return "tensors" if isinstance(value, tuple) and len(value) > 2 and kind.startswith("tensors") else kind


def calls() -> Iterator[tuple[str, OpModel, Any, list[str]]]:
    """Every call that the sample arguments make possible: name, row, callable, letters of the arguments."""
    for qualname in CALLED:
        try:
            target = resolve(qualname)
        except AttributeError:
            continue
        is_method = qualname.startswith("torch.Tensor.")
        if not is_method and any(part in qualname for part in NOT_CALLED):
            continue
        if isinstance(target, type) and issubclass(target, torch.nn.Module):
            with suppress(TypeError):
                target = target()
        if isinstance(target, type) or not callable(target):
            continue
        for letters in SHAPES["method" if is_method else "function"]:
            kinds = tuple("host" if letter == "1" else "tensor" for letter in letters)
            row = lookup(qualname, len(letters), kinds=kinds)
            found = row or OpModel(qualname, "no row")
            if not is_method:
                yield qualname, found, target, list(letters)
                continue
            yield qualname, found, target, ["x", *letters]
            if not letters:
                yield qualname, found, target, ["o"]


def test_names_exist() -> None:
    """Names of another package than torch, and of torch's lazily bound parts, are not looked for."""
    missing = []
    optional = ("torchvision.", "einops.", "torch.distributed.", "torch.onnx", "torch.cuda.", "torch.fx.experimental")
    tables = (names.TYPE_NAMES, regions.REGION_ENTRIES, scopes.SCOPES)
    for qualname in [*ROWS, *(name for table in tables for name in table)]:
        if qualname.startswith("torch.") and not qualname.startswith(optional):
            try:
                resolve(qualname)
            except AttributeError:
                # Names of `torch.distributions` are filed without their module (aliases.PREFIX_ALIASES).
                if not hasattr(torch.distributions.utils, qualname.removeprefix("torch.distributions.")):
                    missing.append(qualname)
    gone = {"torch.get_num_thread", "torch.unique_dim", "torch.export.export_for_training"}
    instance_only = {f"torch.nn.Module.{name}" for name in ("training",)} | {
        f"torch.distributions.Distribution.{name}" for name in ("probs", "logits", "loc", "scale")
    }
    assert set(missing) - gone - instance_only == set()


@pytest.mark.filterwarnings("ignore")
def test_calls_give_and_do_what_their_rows_say() -> None:
    """Kinds of results; and a call that moves the generator or writes its first argument has a row that says so."""
    wrong: list[tuple[object, ...]] = []
    tried = 0
    for qualname, row, target, letters in calls():
        arguments = [argument(letter) for letter in letters]
        state = torch.get_rng_state()
        try:
            value = target(*arguments)
        except Exception:
            continue
        if value is NotImplemented:
            continue
        value = tuple(value) if isinstance(value, Iterator) else value
        tried += 1
        if not fits(row.returns, value):
            wrong.append((qualname, letters, row.returns, kind_of(value)))
        if "rng" not in row.effects and not torch.equal(state, torch.get_rng_state()):  # noqa: TBR103 - the question
            wrong.append((qualname, letters, "draws"))
        first = arguments[0] if arguments else None
        written = isinstance(first, torch.Tensor) and first._version > 0
        if written and "inplace" not in row.effects and qualname not in CHECKS_ITS_ARGUMENTS:
            wrong.append((qualname, letters, "writes"))
    ignored = {"torch.Tensor.grad", "torch.sym_sum", "torch.histogramdd", "torch.fbgemm_linear_quantize_weight"}
    assert [entry for entry in wrong if entry[0] not in ignored] == []
    assert tried > 1000


@pytest.mark.filterwarnings("ignore")
def test_reads_of_values_are_marked() -> None:
    """A fake tensor has no values: what fails on it for want of them must be marked as depending on them."""
    from torch._subclasses import fake_tensor

    wrong = []
    found = set()
    for qualname, row, target, letters in calls():
        if row.returns == "no row" or qualname in CHECKS_ITS_ARGUMENTS or "rnn." in qualname or letters.count("x") > 2:
            continue
        needed = ""
        try:
            target(*[argument(letter) for letter in letters])
        except Exception:
            continue  # a call that is wrong on real tensors may crash on fake ones
        with fake_tensor.FakeTensorMode():
            try:
                target(*[argument(letter) for letter in letters])
            except fake_tensor.DynamicOutputShapeException:
                needed = "dynamic-shape"
            except fake_tensor.DataDependentOutputException:
                needed = "sync"
            except Exception:
                continue
        if needed:
            found.add(qualname)
            if needed not in row.effects:
                wrong.append((qualname, letters, needed))
    assert wrong == []
    assert {"torch.where", "torch.Tensor.nonzero", "torch.Tensor.item", "torch.Tensor.__bool__", "torch.equal"} <= found


def test_masks_are_boolean() -> None:
    for qualname in sorted(masks.GIVES_MASK):
        operation = resolve(qualname)
        for arguments in ([torch.rand(3)], [torch.rand(3), torch.rand(3)]):
            with suppress(TypeError):
                value = operation(*arguments)
                assert value is NotImplemented or value.dtype is torch.bool, qualname


MASK = torch.ones(2, 2, dtype=torch.bool)
INDEX = torch.zeros(2, dtype=torch.long)
MORE: dict[str, list[Any]] = {
    **{f"__{prefix}{name}__": [MASK] for prefix in ("", "r") for name in ("and", "or", "xor")},
    **{f"bitwise_{name}": [MASK] for name in ("and", "or", "xor")},
    **{name: [(1, 0)] for name in ("permute", "flip")},
    **{name: [0, 1] for name in ("movedim", "swapaxes", "transpose", "select")},
    **{name: [MASK] for name in ("expand_as", "reshape_as", "view_as")},
    **{name: [1] for name in ("chunk", "roll")},
    **{name: [(2, 2)] for name in ("expand", "repeat", "reshape", "tile", "view")},
    "__getitem__": [0],
    "gather": [0, INDEX.expand(2, 2)],
    "index_select": [0, INDEX],
    "masked_fill": [MASK, 0],
    "narrow": [0, 0, 1],
    "unflatten": [0, (1, 2)],
    "unsqueeze": [0],
}


@pytest.mark.parametrize("qualname", sorted(masks.KEEPS_MASK - {"torch.Tensor.cuda"}))
def test_masks_stay_boolean(qualname: str) -> None:
    value = resolve(qualname)(MASK, *MORE.get(qualname.rpartition(".")[2], []))
    assert (value[0] if isinstance(value, tuple) else value).dtype is torch.bool


@pytest.mark.parametrize("qualname", sorted(masks.SIZED_BY_FIRST))
def test_the_first_argument_is_the_size(qualname: str) -> None:
    filled = [7.0] if qualname.endswith("full") else []
    owner = [MASK] if qualname.startswith("torch.Tensor.") else []
    assert resolve(qualname)(*owner, (3, 5), *filled).shape == (3, 5)


def test_module_attributes() -> None:
    """Attributes of modules made with the fewest arguments; a layer may lack one, or hold None."""
    made = [
        torch.nn.Linear(2, 2),
        torch.nn.Conv2d(2, 2, 1),
        torch.nn.BatchNorm1d(2),
        torch.nn.LayerNorm(2),
        torch.nn.GroupNorm(1, 2),
        torch.nn.Embedding(2, 2, padding_idx=0, max_norm=1.0),
        torch.nn.MultiheadAttention(2, 1, add_bias_kv=True, kdim=3),
        torch.nn.MultiheadAttention(2, 1),
        torch.nn.LSTM(2, 2),
        torch.nn.LSTMCell(2, 2),
        torch.nn.Dropout(),
        torch.nn.LeakyReLU(),
        torch.nn.ELU(),
        torch.nn.PReLU(),
        torch.nn.GELU(),
        torch.nn.Softmax(0),
        torch.nn.Upsample(2, mode="bilinear", align_corners=False),
        torch.nn.Upsample(scale_factor=2),
        torch.nn.MaxPool2d(2),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.CrossEntropyLoss(),
        torch.nn.BCEWithLogitsLoss(pos_weight=torch.ones(1)),
        torch.nn.PixelShuffle(2),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.append(torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)))
    seen: dict[str, set[str]] = {}
    for module in made:
        for name in names.MODULE_ATTRIBUTES:
            value = getattr(module, name, None)
            if value is not None:
                seen.setdefault(name, set()).add("tensor" if isinstance(value, torch.Tensor) else "host")
    assert seen.pop("bias") == {"tensor", "host"}, "LSTM.bias is a flag, everywhere else bias is a parameter"
    assert seen == {name: {kind} for name, kind in names.MODULE_ATTRIBUTES.items() if name != "bias"}


def test_tensor_properties_are_read_and_methods_called() -> None:
    tensor = torch.rand(2, 2, dtype=torch.complex64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert [name for name in names.TENSOR_PROPERTIES if callable(getattr(tensor, name))] == []
    assert [name for name in names.TENSOR_ONLY_METHODS if not callable(getattr(torch.Tensor, name))] == []


def test_result_fields_are_fields() -> None:
    """Fields of torch's named tuples that hold tensors; `output` and `loss` are those of AdaptiveLogSoftmax."""
    fields = {
        field
        for cls in vars(torch.return_types).values()
        if isinstance(cls, type)
        for field in vars(cls)
        if not field.startswith("_")
    }
    assert names.RESULT_FIELDS - {"output", "loss"} <= fields


@pytest.mark.parametrize(
    "qualname",
    [
        name
        for name, entry in regions.REGION_ENTRIES.items()
        if name.startswith("torch.") and "method" not in entry.forms
    ],
)
def test_region_entries_name_their_parameters(qualname: str) -> None:
    entry = regions.REGION_ENTRIES[qualname]
    if qualname == "torch.export.export_for_training":
        pytest.skip("gone from torch 2.13")
    target = resolve(qualname)
    parameters = [p for p in inspect.signature(target).parameters.values() if p.name != "self"]
    assert parameters[entry.argument].name == entry.keyword
    if entry.passed_tuple:
        assert parameters[entry.argument + 1].name == entry.passed_tuple
    if entry.passed > 0:
        before = [p for p in parameters if p.kind is not p.KEYWORD_ONLY][: entry.passed]
        assert all(p.kind is p.POSITIONAL_OR_KEYWORD for p in before)
    assert entry.reentrant_keyword in {"", *(p.name for p in parameters)}


def test_base_class_of_distributions() -> None:
    from flake8_tensorbranch.knowledge.aliases import DISTRIBUTIONS

    base = torch.distributions.Distribution
    assert [name for name in DISTRIBUTIONS if not issubclass(getattr(torch.distributions, name), base)] == []
    assert is_known("torch.distributions.Normal.rsample")
