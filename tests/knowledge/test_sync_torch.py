"""The generator: exact rows out of a wheel made here, and the shipped tables out of the real one."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from tools.sync_torch import generate, main

FILES = {
    "torch-1.2.3.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 1.2.3+cpu\n",
    "torch/return_types.pyi": "class topk(tuple[Tensor, Tensor]): ...\n",
    "torch/_C/__init__.pyi": """
class TensorBase(metaclass=_TensorMeta):
    shape: Size
    is_cuda: _bool
    _private: _int
    @overload
    def __eq__(self, other: Tensor | Number) -> Tensor: ...
    @overload
    def __eq__(self, other: object) -> _bool: ...
    def __iadd__(self, other: Tensor | Number) -> Tensor: ...
    def add_(self, other: Tensor | Number, *, alpha: Number = 1) -> Tensor: ...
    def t_(self) -> Tensor: ...
    def unsqueeze(self, dim: _int) -> Tensor: ...
    def item(self) -> Number: ...
    def sum(self, *, dtype: _dtype | None = None) -> Tensor: ...
    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: _int) -> _int: ...
    def unbind(self, dim: _int = 0) -> tuple[Tensor, ...]: ...
    def uniform_(self, from_: _float = 0, *, generator: Generator | None = None) -> Tensor: ...
    def scatter_add_(self, dim: _int, index: Tensor, src: Tensor) -> Tensor: ...

def is_grad_enabled() -> _bool: ...
def parse_ir(text: str) -> Graph: ...
""",
    "torch/_C/_VariableFunctions.pyi": """
def _internal(input: Tensor) -> Tensor: ...
def add(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor: ...
@overload
def max(input: Tensor) -> Tensor: ...
@overload
def max(input: Tensor, dim: _int, keepdim: _bool = False) -> torch.return_types.topk: ...
@overload
def max(input: Tensor, other: Tensor) -> Tensor: ...
@overload
def nansum(input: Tensor, dim: _int | _size | None = None, keepdim: _bool = False) -> Tensor: ...
def nonzero(input: Tensor) -> Tensor: ...
def topk(input: Tensor, k: _int, dim: _int = -1) -> torch.return_types.topk: ...
def scatter_add(input: Tensor, dim: _int, index: Tensor, src: Tensor) -> Tensor: ...
def dropout(input: Tensor, p: _float, train: _bool) -> Tensor: ...
def bincount(input: Tensor, weights: Tensor | None = None) -> Tensor: ...
""",
    "torch/_C/_nn.pyi": "def gelu(input: Tensor, *, approximate: str = 'none') -> Tensor: ...\n",
    "torch/nn/functional.pyi": """
from torch import dropout_nothing as nothing
from torch._C._nn import gelu as gelu
def dropout(input: Tensor, p: float = ..., training: bool = ...) -> Tensor: ...
def dropout2d(input: Tensor, p: float = ...) -> Tensor: ...
def mse_loss(input: Tensor, target: Tensor, reduction: str = ...) -> Tensor: ...
def relu(input: Tensor, inplace: bool = ...) -> Tensor: ...
""",
    "torch/nn/functional.py": """
def dropout(input, p=0.5, training=True): return _VF.dropout(input, p, training)
def _feature(input): return dropout(input)
dropout2d = boolean_dispatch(if_true=_feature, if_false=_feature)
def mse_loss(input, target, reduction="mean"): return torch._C._nn.mse_loss(input, target, 1)
""",
    "torch/nn/modules/__init__.py": "from .linear import Linear, MSELoss, Dropout, Lazy, ReLU, Container\n",
    "torch/nn/modules/linear.py": """
class Linear(Module):
    def forward(self, input: Tensor) -> Tensor: return F.linear(input, self.weight)
class Lazy(LazyMixin, Linear): ...
class Dropout(Module):
    def forward(self, input: Tensor) -> Tensor: return F.dropout(input, self.p)
class MSELoss(Module):
    def __init__(self, size_average=None, reduction: str = "mean"): ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
class ReLU(Module):
    def __init__(self, inplace: bool = False): ...
    def forward(self, input: Tensor) -> Tensor: ...
class Container(Module): ...
class NotExported(Module):
    def forward(self, input: Tensor) -> Tensor: ...
""",
    "torch/__init__.py": '''
def use_deterministic_algorithms(mode):
    """Sets something.

    The following normally-nondeterministic operations will act deterministically when ``mode=True``:

        * :func:`torch.Tensor.scatter_add_` when called on a CUDA tensor

    The following normally-nondeterministic operations will throw:

        * :class:`torch.nn.MSELoss` when called on a CUDA tensor
        * :func:`torch.bincount` when called on a CUDA tensor and ``weights`` tensor is given
        * :func:`torch.bmm` when called on sparse-dense CUDA tensors

    In addition, several operations fill uninitialized memory.
    """
''',
    "torch/_dynamo/graph_break_registry.json": """
{"GB0001": [{"Gb_type": "Newest\\n title"}, {"Gb_type": "Older title"}], "GB0000": [{"Gb_type": "First"}]}
""",
    "torchgen/packaged/ATen/native/native_functions.yaml": """
- func: item(Tensor self) -> Scalar
  tags: data_dependent_output
  variants: method

- func: sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
  tags: reduction

- func: nonzero(Tensor self) -> Tensor
  tags: [dynamic_output_shape, core]

- func: uniform_(Tensor(a!) self, float from=0, *, Generator? generator=None) -> Tensor(a!)
  tags: nondeterministic_seeded

- func: dropout(Tensor input, float p, bool train) -> Tensor
  tags: nondeterministic_seeded

- func: linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)
  python_module: linalg

- func: linalg_qr.out(Tensor A, str mode='reduced', *, Tensor(a!) Q, Tensor(b!) R) -> (Tensor(a!) Q, Tensor(b!) R)
  python_module: linalg

- func: fft_fft(Tensor self, SymInt? n=None, int dim=-1) -> Tensor
  python_module: fft

- func: special_erf(Tensor self) -> Tensor
  python_module: special
  tags: pointwise  # a remark

- func: linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False) -> Tensor
  python_module: linalg
  tags: reduction
""",
}
EXPECTED = """
torch.Tensor.__eq__|-|tensor|-|-|-
torch.Tensor.__iadd__|-|self|-|inplace|-
torch.Tensor.add_|-|self|-|inplace|-
torch.Tensor.is_cuda|-|host|-|-|-
torch.Tensor.item|-|host|-|sync|-
torch.Tensor.scatter_add_|-|self|-|inplace,nondet|1:index,2:src
torch.Tensor.shape|-|size|-|-|-
torch.Tensor.size|dim|host|-|-|-
torch.Tensor.size|dim=|size|-|-|-
torch.Tensor.sum|-|tensor|-|reduce|-
torch.Tensor.t_|-|self|-|inplace|-
torch.Tensor.unbind|-|tensors|-|-|-
torch.Tensor.uniform_|-|self|-|inplace,rng|-
torch.Tensor.unsqueeze|-|tensor|-|-|-
torch.add|-|tensor|-|-|-
torch.bincount|input,weights|tensor|-|nondet|0:input
torch.bincount|input,weights~|tensor|-|-|0:input
torch.dropout|-|tensor|-|rng|0:input
torch.fft.fft|-|tensor|-|-|0:input
torch.is_grad_enabled|-|static|-|-|-
torch.linalg.qr|-|tensors2|-|-|0:A
torch.linalg.vector_norm|input,ord=,dim,keepdim=|tensor|-|-|0:input
torch.linalg.vector_norm|input,ord=,dim~,keepdim=|tensor|-|reduce|0:input
torch.max|input|tensor|-|reduce|0:input
torch.max|input,dim:H,keepdim=|tensors2|-|-|0:input
torch.max|input,other:T|tensor|-|-|0:input
torch.nansum|input,dim,keepdim=|tensor|-|-|0:input
torch.nansum|input,dim~,keepdim=|tensor|-|reduce|0:input
torch.nn.Dropout|-|tensor|-|rng|0:input
torch.nn.Lazy|-|tensor|-|-|0:input
torch.nn.Linear|-|tensor|-|-|0:input
torch.nn.MSELoss|init.reduction@1,input,target|tensor|-|nondet|0:input,1:target
torch.nn.MSELoss|init.reduction@1~,input,target|tensor|-|nondet,reduce|0:input,1:target
torch.nn.ReLU|init.inplace@0,input|self|-|inplace|0:input
torch.nn.ReLU|init.inplace@0~,input|tensor|-|-|0:input
torch.nn.functional.dropout|-|tensor|-|rng|0:input
torch.nn.functional.dropout2d|-|tensor|-|rng|0:input
torch.nn.functional.gelu|-|tensor|-|-|0:input
torch.nn.functional.mse_loss|input,target,reduction|tensor|-|nondet|0:input,1:target
torch.nn.functional.mse_loss|input,target,reduction~|tensor|-|nondet,reduce|0:input,1:target
torch.nn.functional.relu|input,inplace|self|-|inplace|0:input
torch.nn.functional.relu|input,inplace~|tensor|-|-|0:input
torch.nonzero|-|tensor|-|dynamic-shape|0:input
torch.scatter_add|-|tensor|-|nondet|0:input,2:index,3:src
torch.special.erf|-|tensor|-|-|0:input
torch.topk|-|tensors2|-|-|0:input
"""


def wheel(folder: Path, files: dict[str, str], name: str = "torch-1.2.3-none-any.whl") -> Path:
    """Writes a wheel with the given files."""
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for inner, text in files.items():
            archive.writestr(zipfile.ZipInfo(inner), text.lstrip("\n"))
    return path


def body(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_rows_of_a_wheel(tmp_path: Path) -> None:
    tables = generate([wheel(tmp_path, FILES)])
    expected = [line.replace("|", "\t") + "\t-\t-" for line in EXPECTED.strip().splitlines()]
    assert body(tables["torch_ops.tsv"]) == expected
    assert body(tables["graph_breaks.tsv"]) == ["GB0000\tFirst\t-\t-", "GB0001\tNewest title\t-\t-"]
    assert body(tables["tensor_names.tsv"]) == [
        "add_\tmethod",
        "is_cuda\tproperty",
        "scatter_add_\tmethod",
        "shape\tproperty",
        "t_\tmethod",
        "unbind\tmethod",
        "uniform_\tmethod",
        "unsqueeze\tmethod",
    ]


def test_header_names_wheel_version_and_digest(tmp_path: Path) -> None:
    import hashlib

    path = wheel(tmp_path, FILES)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert generate([path])["torch_ops.tsv"].splitlines()[:3] == [
        f"# wheel torch-1.2.3-none-any.whl version 1.2.3 sha256 {digest}",
        "# generated by tools/sync_torch.py; do not edit",
        "# qualname\twhen\treturns\tdeps\teffects\tdemands\tsince\tuntil",
    ]


def test_versions_are_merged_into_since_and_until(tmp_path: Path) -> None:
    stub = "torch/_C/_VariableFunctions.pyi"
    metadata = "torch-1.2.3.dist-info/METADATA"
    paths = []
    for version, functions in (
        ("1.9.0", "def old(input: Tensor) -> Tensor: ...\ndef both(input: Tensor) -> Tensor: ...\n"),
        ("1.10.0", "def both(input: Tensor) -> Tensor: ...\ndef new(input: Tensor) -> Tensor: ...\n"),
    ):
        files = {metadata: f"Name: torch\nVersion: {version}\n", stub: functions}
        paths.append(wheel(tmp_path, files, f"torch-{version}-none-any.whl"))
    expected = [
        "torch.both\t-\ttensor\t-\t-\t0:input\t-\t-",
        "torch.new\t-\ttensor\t-\t-\t0:input\t1.10.0\t-",
        "torch.old\t-\ttensor\t-\t-\t0:input\t-\t1.9.0",
    ]
    assert body(generate(paths)["torch_ops.tsv"]) == expected
    assert body(generate(paths[::-1])["torch_ops.tsv"]) == expected


def test_check_compares_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = wheel(tmp_path, FILES)
    arguments = [str(path), "--out", str(tmp_path)]
    assert main([*arguments, "--check"]) == 1
    assert main(arguments) == 0
    assert main([*arguments, "--check"]) == 0
    table = tmp_path / "torch_ops.tsv"
    table.write_bytes(table.read_bytes() + b"\n")
    capsys.readouterr()
    assert main([*arguments, "--check"]) == 1
    assert capsys.readouterr().err == f"{table} differs from what the wheels say\n"


def test_a_wheel_without_a_version_is_refused(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"torch-1.dist-info/METADATA": "Name: torch\n"})
    with pytest.raises(ValueError, match="names no version"):
        generate([path])


@pytest.mark.skipif("TBR_TORCH_WHEEL" not in os.environ, reason="TBR_TORCH_WHEEL names no wheel")
def test_the_shipped_tables_are_what_the_wheel_says() -> None:
    assert main([os.environ["TBR_TORCH_WHEEL"], "--check"]) == 0
