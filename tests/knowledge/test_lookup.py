"""What a look-up answers: conditions, agreement of overloads, second names, and its cost."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from flake8_tensorbranch.knowledge import model
from flake8_tensorbranch.knowledge.model import CallShape, OpModel, canonical, is_known, lookup, matches, method


def row(qualname: str, argc: int = 0, keywords: tuple[str, ...] = (), **more: tuple[str, ...]) -> OpModel:
    found = lookup(qualname, argc, keywords, **more)
    assert found is not None, qualname
    return found


@pytest.mark.parametrize(
    ("when", "argc", "keywords", "kinds", "init", "expected"),
    [
        ("", 7, ("anything",), (), (), model.YES),
        ("*", 0, (), (), (), model.YES),
        ("*", 1, (), (), (), model.NO),
        ("*", 0, ("dim",), (), (), model.NO),
        ("input,dim,keepdim=", 1, (), (), (), model.NO),
        ("input,dim,keepdim=", 1, ("dim",), (), (), model.YES),
        ("input,dim,keepdim=", 1, ("!dim",), (), (), model.NO),
        ("input,dim,keepdim=", 3, (), (), (), model.YES),
        ("input,dim,keepdim=", 4, (), (), (), model.NO),
        ("input,dim,keepdim=", 2, ("out",), (), (), model.NO),
        ("input,dim~", 1, (), (), (), model.YES),
        ("input,dim~", 1, ("!dim",), (), (), model.YES),
        ("input,dim~", 1, ("dim",), (), (), model.NO),
        ("input,dim~", 2, (), ("tensor", "none"), (), model.YES),
        ("input,dim~", 2, (), (), (), model.NO),
        ("x,flag!", 1, ("!flag",), (), (), model.YES),
        ("x,flag!", 1, (), (), (), model.NO),
        ("x,flag!", 1, ("flag",), (), (), model.NO),
        ("input,other:T", 2, (), ("tensor", "tensor"), (), model.YES),
        ("input,other:T", 2, (), ("tensor", "host"), (), model.NO),
        ("input,other:T", 2, (), ("tensor",), (), model.MAYBE),
        ("input,dim:H", 2, (), ("tensor", "tensor"), (), model.NO),
        ("input,*,out=", 2, (), (), (), model.NO),
        ("input,*,out=", 1, ("out",), (), (), model.YES),
        ("*tensors", 5, (), (), (), model.YES),
        ("query,**", 1, ("scale", "enable_gqa"), (), (), model.YES),
        ("init.dropout,input", 1, (), (), ("dropout",), model.YES),
        ("init.dropout,input", 1, ("dropout",), (), (), model.NO),
        ("init.dropout~,input", 1, (), (), (), model.YES),
        ("init.inplace@1,input", 1, (), (), ("@0", "@1"), model.YES),
        ("init.inplace@1,input", 1, (), (), ("@0", "!@1"), model.NO),
        ("init.inplace@1~,input", 1, (), (), ("@0",), model.YES),
    ],
)
def test_condition(
    when: str, argc: int, keywords: tuple[str, ...], kinds: tuple[str, ...], init: tuple[str, ...], expected: int
) -> None:
    assert matches(when, CallShape(argc, frozenset(keywords), kinds, frozenset(init))) == expected


def test_where_with_one_argument_is_nonzero() -> None:
    assert row("torch.where", 1).effects == {"dynamic-shape"}
    assert row("torch.where", 1).returns == "tensors"
    assert row("torch.where", 1, ("input", "other")).returns == "tensor"
    assert row("torch.where", 3).effects == frozenset()


def test_max_is_told_apart_by_its_second_argument() -> None:
    assert row("torch.max", 1).effects == {"reduce"}
    assert row("torch.max", 1, ("dim",)).returns == "tensors2"
    assert row("torch.max", 2, kinds=("tensor", "host")).returns == "tensors2"
    assert row("torch.max", 2, kinds=("tensor", "tensor")).returns == "tensor"
    undecided = row("torch.max", 2)
    assert (undecided.returns, undecided.effects, undecided.demands) == ("unknown", frozenset(), ((0, "input"),))


def test_method_counts_arguments_without_the_receiver() -> None:
    assert method("max") == row("torch.Tensor.max")
    assert row("torch.Tensor.max").effects == {"reduce"}
    assert row("torch.Tensor.max", 1, kinds=("host",)).elements == ("tensor", "tensor")
    assert row("torch.Tensor.sum", 0, ("!dim",)).effects == {"reduce"}
    assert row("torch.Tensor.sum", 1).effects == frozenset()
    assert row("torch.Tensor.size").returns == "size"
    assert row("torch.Tensor.size", 1).returns == "host"
    assert row("torch.Tensor.nonzero", 0, ("as_tuple",)).returns == "tensors"
    assert row("torch.Tensor.nonzero").effects == {"dynamic-shape"}


@pytest.mark.parametrize(
    ("keywords", "returns"),
    [
        ((), "tensor"),
        (("return_inverse",), "tensors2"),
        (("!return_inverse", "return_counts"), "tensors2"),
        (("return_inverse", "return_counts", "dim"), "tensors3"),
    ],
)
def test_unique_has_one_result_more_for_each_flag(keywords: tuple[str, ...], returns: str) -> None:
    assert row("torch.unique", 1, keywords).returns == returns
    assert row("torch.Tensor.unique", 0, keywords).returns == returns
    assert row("torch.unique", 1, keywords).effects == {"dynamic-shape"}


def test_module_rows_speak_of_calling_the_instance() -> None:
    assert row("torch.nn.Linear", 1).returns == "tensor"
    assert row("torch.nn.Linear", 1).demands == ((0, "input"),)
    assert row("torch.nn.MaxPool2d", 1).returns == "tensor"
    assert row("torch.nn.MaxPool2d", 1, init=("return_indices",)).returns == "tensors2"
    assert row("torch.nn.LSTM", 1).elements == ("tensor", "tensors2")
    assert row("torch.nn.LSTM", 1).effects == frozenset()
    assert row("torch.nn.LSTM", 1, init=("dropout",)).effects == {"rng"}
    assert row("torch.nn.MultiheadAttention", 3, ("!need_weights",)).elements == ("tensor", "none")
    assert row("torch.nn.MultiheadAttention", 3, ("attn_mask",)).returns == "tensors2"
    assert row("torch.nn.ReLU", 1).returns == "tensor"
    assert row("torch.nn.ReLU", 1, init=("@0",)) == row("torch.nn.ReLU", 1, init=("inplace",))
    assert row("torch.nn.ReLU", 1, init=("inplace",)).effects == {"inplace"}
    assert row("torch.nn.CrossEntropyLoss", 2).effects == {"reduce"}
    assert row("torch.nn.CrossEntropyLoss", 2, init=("reduction",)).effects == frozenset()


def test_randomness_hangs_on_the_dropout_probability() -> None:
    attention = "torch.nn.functional.scaled_dot_product_attention"
    assert row(attention, 3, ("is_causal", "scale")).effects == frozenset()
    assert row(attention, 3, ("dropout_p",)).effects == {"rng"}
    assert row("torch.nn.functional.dropout", 1).effects == {"rng"}
    assert row("torch.nn.Dropout", 1).effects == {"rng"}


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("torch.nn.modules.linear.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.Linear", "torch.nn.Linear"),
        ("torch.nn.modules.linear.Linear.forward", "torch.nn.Linear.forward"),
        ("torch.functional.norm", "torch.norm"),
        ("torch._C._nn.gelu", "torch.nn.functional.gelu"),
        ("torch.nn.parameter.Parameter", "torch.nn.Parameter"),
        ("torch.nn.parameter.Parameter.item", "torch.Tensor.item"),
        ("torch.LongTensor.item", "torch.Tensor.item"),
        ("torch.distributions.normal.Normal", "torch.distributions.Normal"),
        ("torch.distributions.normal.Normal.sample", "torch.distributions.Distribution.sample"),
        ("torch.optim.adamw.AdamW", "torch.optim.AdamW"),
        ("torch.cuda.amp.autocast_mode.autocast", "torch.autocast"),
        ("pytorch_lightning.LightningModule", "lightning.LightningModule"),
        ("torch.add", "torch.add"),
        ("numpy.add", "numpy.add"),
    ],
)
def test_second_names(name: str, public: str) -> None:
    assert canonical(name) == public
    assert canonical(public) == public


def test_an_unknown_name_has_no_row() -> None:
    assert lookup("torch.no_such_operation", 1) is None
    assert method("no_such_method") is None
    assert not is_known("torch.no_such_operation")
    assert is_known("torch.nn.modules.linear.Linear")
    assert is_known("torch.Tensor.__bool__")


def test_a_call_that_fits_no_overload_has_no_row() -> None:
    assert lookup("torch.max", 5) is None
    assert lookup("torch.max", 1, ("no_such_keyword",)) is None


def test_rows_of_gone_versions_count_only_for_gone_names(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {
        "torch.kept": ["torch.kept\t-\ttensor\t-\t-\t-\t2.13.0\t-", "torch.kept\t-\thost\t-\t-\t-\t-\t2.12.0"],
        "torch.gone": ["torch.gone\t-\thost\tdata\tsync,rng\t0:input\t-\t2.12.0"],
    }
    monkeypatch.setattr(model, "_generated", lambda: lines)
    assert [r.returns for r in model.rows("torch.kept")] == ["tensor"]
    (gone,) = model.rows("torch.gone")
    assert gone == OpModel(
        "torch.gone", "host", frozenset({"data"}), frozenset({"sync", "rng"}), ((0, "input"),), until="2.12.0"
    )
    model.rows.cache_clear()


def test_nothing_but_the_standard_library_is_imported() -> None:
    code = (
        "import sys; from flake8_tensorbranch.knowledge.model import lookup; lookup('torch.add', 2);"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'torch', 'astroid', 'numpy', 'yaml', 'flake8'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_loading_is_cheaper_than_reading_a_tree_of_the_table() -> None:
    import ast

    with open(model.__file__.replace("model.py", "torch_ops.tsv"), encoding="utf-8") as file:
        text = file.read()

    def load() -> None:
        model._generated.cache_clear()
        model._generated()

    def parse() -> None:
        ast.parse("(\n" + "\n".join(map(repr, text.splitlines())) + "\n)")

    assert min(_seconds(load) for _ in range(5)) < min(_seconds(parse) for _ in range(5))


def _seconds(action: object) -> float:
    assert callable(action)
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
