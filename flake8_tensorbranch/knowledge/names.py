"""What a type named in an annotation is, and which attribute names tell a tensor or a field."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from flake8_tensorbranch.knowledge.aliases import DISTRIBUTIONS, TENSOR_CLASSES


class TypeName(NamedTuple):
    """What a value is whose annotation names this type.

    `kind`: ``tensor``, ``tensors`` (a container of tensors), ``module``, ``size``, ``dtype``, ``device``,
    ``generator``, ``host`` (no tensor), ``loader`` (iterating gives batches), ``optimizer``, ``distribution``,
    ``subscript`` (the first argument in brackets is the type: ``Float[Tensor, "b"]``), or ``unknown`` (may hold
    tensors in a way not modelled).
    """

    kind: str
    why: str


def _words(text: str) -> list[str]:
    return text.split()


def _types(kind: str, prefix: str, names: str, why: str) -> dict[str, TypeName]:
    return {prefix + name: TypeName(kind, why) for name in names.split()}


TYPE_NAMES: dict[str, TypeName] = {
    **_types("tensor", "torch.", "Tensor nn.Parameter nn.Buffer autograd.Variable", "torch.Tensor or a subclass of it"),
    **_types(
        "tensor", "torch.", "nn.UninitializedParameter nn.UninitializedBuffer", "torch.Tensor or a subclass of it"
    ),
    **_types(
        "tensor",
        "torch.",
        " ".join(f"{name}Tensor" for name in TENSOR_CLASSES),
        "instances are torch.Tensor of a dtype",
    ),
    **_types(
        "tensor", "torch.cuda.", " ".join(f"{n}Tensor" for n in TENSOR_CLASSES), "instances are torch.Tensor of a dtype"
    ),
    **_types(
        "tensor",
        "torch.sparse.",
        " ".join(f"{n}Tensor" for n in TENSOR_CLASSES if n != "Bool"),
        "instances are torch.Tensor of a dtype",
    ),
    **_types("tensor", "torch.distributed.tensor.", "DTensor", "a subclass of torch.Tensor"),
    **_types(
        "tensor", "torchvision.tv_tensors.", "TVTensor Image Video Mask BoundingBoxes", "subclasses of torch.Tensor"
    ),
    **_types("tensor", "torchtyping.", "TensorType", "README: annotates a torch.Tensor with its shape"),
    **_types(
        "subscript",
        "jaxtyping.",
        "Shaped Bool Key Num Inexact Float Complex Integer UInt Int Real BFloat16 Float16 Float32 Float64 Complex64 "
        "Complex128 Int2 Int4 Int8 Int16 Int32 Int64 UInt2 UInt4 UInt8 UInt16 UInt32 UInt64",
        'jaxtyping: Float[array type, "shape"]',
    ),
    **_types(
        "module",
        "torch.",
        "nn.Module nn.ModuleList nn.ModuleDict nn.Sequential jit.ScriptModule fx.GraphModule",
        "nn.Module",
    ),
    **_types("module", "torch.nn.parallel.", "DistributedDataParallel DataParallel", "nn.Module around another"),
    **_types(
        "module",
        "",
        "lightning.LightningModule transformers.PreTrainedModel diffusers.ModelMixin",
        "subclasses of nn.Module",
    ),
    **_types("module", "", "transformers.modeling_layers.GradientCheckpointingLayer", "a subclass of nn.Module"),
    **_types("tensors", "torch.nn.", "ParameterList ParameterDict", "containers of parameters"),
    **_types("size", "torch.", "Size", "the sizes of a tensor"),
    **_types("dtype", "torch.", "dtype", "a dtype is metadata"),
    **_types("device", "torch.", "device", "a device is metadata"),
    **_types("host", "torch.", "layout memory_format qscheme finfo iinfo", "metadata"),
    **_types("generator", "torch.", "Generator", "random number state; drawing from it is never replayed (facts D)"),
    **_types("loader", "torch.utils.data.", "DataLoader", "iterating gives batches"),
    **_types(
        "optimizer",
        "torch.optim.",
        "Optimizer Adam AdamW SGD RMSprop Adagrad Adamax NAdam RAdam Adadelta LBFGS",
        "torch.optim",
    ),
    **_types(
        "distribution",
        "torch.distributions.",
        "Distribution " + " ".join(DISTRIBUTIONS),
        "torch/distributions/__init__.py",
    ),
    **_types("unknown", "torch.", "nn.utils.rnn.PackedSequence futures.Future", "holds tensors under other names"),
    **_types("unknown", "tensordict.", "TensorDict TensorDictBase", "mirrors the tensor interface over many tensors"),
    **_types(
        "host",
        "numpy.",
        "ndarray generic number floating integer bool_ float32 float64 int32 int64 uint8 dtype",
        "NumPy",
    ),
    **_types("host", "numpy.typing.", "NDArray ArrayLike", "NumPy"),
    **_types(
        "host", "", "PIL.Image.Image pandas.DataFrame pandas.Series polars.DataFrame polars.Series", "no torch.Tensor"
    ),
    **_types("host", "builtins.", "bool int float complex str bytes bytearray range slice type", "Python's own values"),
    **_types(
        "host",
        "",
        "pathlib.Path argparse.Namespace datetime.datetime decimal.Decimal enum.Enum",
        "standard library values",
    ),
    **_types(
        "host", "numbers.", "Number Real Integral", "Python's numeric tower; torch.Tensor is not registered there"
    ),
}
"""Canonical names (after `model.canonical`) of types that annotations use."""

RECURRENT: frozenset[str] = frozenset(_words("RNNBase RNN LSTM GRU RNNCellBase RNNCell LSTMCell GRUCell"))
"""Layers whose `bias` is the bool that they were built with (torch/nn/modules/rnn.py)."""

MODULE_ATTRIBUTES: dict[str, str] = {
    **dict.fromkeys(
        _words(
            "weight bias weight_g weight_v running_mean running_var num_batches_tracked in_proj_weight in_proj_bias "
            "q_proj_weight k_proj_weight v_proj_weight bias_k bias_v weight_ih weight_hh bias_ih bias_hh weight_ih_l0 "
            "weight_hh_l0 bias_ih_l0 bias_hh_l0 pos_weight"
        ),
        "tensor",
    ),
    **dict.fromkeys(
        _words(
            "training in_features out_features in_channels out_channels kernel_size stride padding padding_mode "
            "dilation groups output_padding transposed num_embeddings embedding_dim padding_idx max_norm norm_type "
            "sparse mode num_heads embed_dim head_dim batch_first hidden_size input_size num_layers bidirectional "
            "proj_size dropout eps momentum affine track_running_stats elementwise_affine normalized_shape "
            "num_features num_groups p inplace dim negative_slope alpha num_parameters approximate size scale_factor "
            "align_corners return_indices ceil_mode output_size start_dim end_dim ignore_index label_smoothing "
            "reduction upscale_factor"
        ),
        "host",
    ),
}
"""What an attribute of a ``torch.nn`` module is: ``tensor`` (None where the layer was made without it) or ``host``.

Source: ``__init__`` of the classes in torch/nn/modules; the test reads them off instances.
"""

RESULT_FIELDS = frozenset(
    _words(
        "values indices min max mantissa exponent a tau hist bin_edges P L U Q R S V Vh sign logabsdet solution "
        "cloned_coefficient eigenvalues eigenvectors LU LD pivots info inverse result residuals rank singular_values "
        "output loss"
    )
)
"""Fields of the named tuples that operations with several results return; every one is a tensor."""


def type_meaning(qualname: str) -> str:
    """The kind of a type by its canonical name; empty where nothing is known of it."""
    known = TYPE_NAMES.get(qualname)
    return known.kind if known is not None else ""


def _tensor_names(role: str) -> frozenset[str]:
    path = os.path.join(os.path.dirname(__file__), "tensor_names.tsv")
    with open(path, encoding="utf-8") as file:
        return frozenset(line.partition("\t")[0] for line in file.read().splitlines() if line.endswith("\t" + role))


TENSOR_ONLY_METHODS = _tensor_names("method")
"""Methods only tensors have: calling one is evidence for a tensor. What NumPy, pandas, modules have too is left out."""

TENSOR_PROPERTIES = _tensor_names("property")
"""Attributes of tensors that are read, not called."""

CACHING: Final = frozenset({"lru_cache", "cache", "cached_property", "cachedmethod", "memoize"})
"""The last names of decorators that keep what a function returned (functools, cachetools, common helpers)."""

CONSTANTS: Final = frozenset(
    "math.inf math.nan math.pi math.e math.tau numpy.inf numpy.nan numpy.pi numpy.e torch.inf torch.nan torch.pi"
    " torch.e".split()
)
"""Numbers that modules hold under a name (docs.python.org/3/library/math.html; NumPy's reference, "Constants")."""
