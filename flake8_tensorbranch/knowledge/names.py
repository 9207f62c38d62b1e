"""Names that denote something known under another name, and what a type named in an annotation is."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alias:
    """A second path of one public name."""

    target: str
    why: str


@dataclass(frozen=True, slots=True)
class PrefixAlias:
    """A path prefix that stands for another one."""

    prefix: str
    target: str
    why: str
    drop_modules: bool = False
    """Whether the modules (components in lower case) after the prefix vanish in the public name."""


@dataclass(frozen=True, slots=True)
class TypeName:
    """What a value is whose annotation names this type.

    `kind`: ``tensor``, ``tensors`` (a container of tensors), ``module``, ``size``, ``dtype``, ``device``, ``generator``,
    ``host`` (no tensor), ``loader`` (iterating gives batches), ``optimizer``, ``distribution``, ``subscript`` (the first
    argument in brackets is the type: ``Float[Tensor, "b"]``), or ``unknown`` (may hold tensors in a way not modelled).
    """

    kind: str
    why: str


def _types(kind: str, prefix: str, names: str, why: str) -> dict[str, TypeName]:
    return {prefix + name: TypeName(kind, why) for name in names.split()}


TENSOR_CLASSES = "Float Double Half BFloat16 Long Int Short Char Byte Bool".split()
DISTRIBUTIONS = (
    "Bernoulli Beta Binomial Categorical Cauchy Chi2 ContinuousBernoulli Dirichlet Exponential ExponentialFamily FisherSnedecor "
    "Gamma GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal Independent InverseGamma Kumaraswamy LKJCholesky Laplace "
    "LogNormal LogisticNormal LowRankMultivariateNormal MixtureSameFamily Multinomial MultivariateNormal NegativeBinomial Normal "
    "OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson RelaxedBernoulli RelaxedOneHotCategorical StudentT "
    "TransformedDistribution Uniform VonMises Weibull Wishart"
).split()

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
        " ".join(f"{n}Tensor" for n in TENSOR_CLASSES),
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
        "Shaped Bool Key Num Inexact Float Complex Integer UInt Int Real BFloat16 Float16 Float32 Float64 Complex64 Complex128 "
        "Int2 Int4 Int8 Int16 Int32 Int64 UInt2 UInt4 UInt8 UInt16 UInt32 UInt64",
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

ALIASES: dict[str, Alias] = {
    "torch._tensor.Tensor": Alias("torch.Tensor", "torch/__init__.py: from torch._tensor import Tensor"),
    "torch._C.TensorBase": Alias("torch.Tensor", "the base class that holds the methods"),
    "torch.types.Tensor": Alias("torch.Tensor", "torch/types.py imports it"),
    "torch.compiler.compile": Alias("torch.compile", "torch/compiler/__init__.py forwards to it"),
    "torch.amp.autocast": Alias("torch.autocast", "torch/__init__.py: from torch.amp import autocast"),
    "torch.amp.autocast_mode.autocast": Alias("torch.autocast", "where torch.amp.autocast is defined"),
    "torch.cuda.amp.autocast": Alias("torch.autocast", "a subclass with device_type='cuda'"),
    "torch.cpu.amp.autocast": Alias("torch.autocast", "a subclass with device_type='cpu'"),
    "torch.cuda.amp.autocast_mode.autocast": Alias("torch.autocast", "where torch.cuda.amp.autocast is defined"),
    "torch.autograd.no_grad": Alias("torch.no_grad", "torch/autograd/grad_mode.py is re-exported by torch"),
    "torch.autograd.enable_grad": Alias("torch.enable_grad", "torch/autograd/grad_mode.py is re-exported by torch"),
    "torch.autograd.inference_mode": Alias(
        "torch.inference_mode", "torch/autograd/grad_mode.py is re-exported by torch"
    ),
    "torch.autograd.set_grad_enabled": Alias(
        "torch.set_grad_enabled", "torch/autograd/grad_mode.py is re-exported by torch"
    ),
    "torch.func.vmap": Alias("torch.vmap", "torch/__init__.py: from torch.func import vmap"),
    "functorch.vmap": Alias("torch.vmap", "functorch/__init__.py re-exports torch.func"),
    "torch._functorch.apis.vmap": Alias("torch.vmap", "where torch.vmap is defined"),
    "torch._higher_order_ops.cond": Alias("torch.cond", "torch/__init__.py imports it from there"),
    "torch._higher_order_ops.cond.cond": Alias("torch.cond", "where torch.cond is defined"),
    "functorch.experimental.control_flow.cond": Alias("torch.cond", "the older path of torch.cond"),
    "torch._higher_order_ops.while_loop": Alias(
        "torch.while_loop", "torch/_higher_order_ops/__init__.py re-exports it"
    ),
    **{
        f"torch.random.{name}": Alias(f"torch.{name}", "torch/__init__.py imports it from torch.random")
        for name in ("manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state")
    },
    "torch.jit._trace.trace": Alias("torch.jit.trace", "where torch.jit.trace is defined"),
    "torch.fx._symbolic_trace.symbolic_trace": Alias("torch.fx.symbolic_trace", "where it is defined"),
    "torch.profiler.record_function": Alias("torch.autograd.profiler.record_function", "torch/profiler/__init__.py"),
    "pytorch_lightning.LightningModule": Alias("lightning.LightningModule", "the package's older name"),
    "lightning.pytorch.LightningModule": Alias("lightning.LightningModule", "lightning/__init__.py re-exports it"),
    "lightning.pytorch.core.LightningModule": Alias("lightning.LightningModule", "where it is re-exported"),
    "lightning.pytorch.core.module.LightningModule": Alias("lightning.LightningModule", "where it is defined"),
    "transformers.modeling_utils.PreTrainedModel": Alias("transformers.PreTrainedModel", "where it is defined"),
    "transformers.GradientCheckpointingLayer": Alias(
        "transformers.modeling_layers.GradientCheckpointingLayer", "transformers/__init__.py lists it lazily"
    ),
    "diffusers.models.modeling_utils.ModelMixin": Alias("diffusers.ModelMixin", "where it is defined"),
    "timm.models._manipulate.checkpoint": Alias("timm.models.checkpoint", "where it is defined"),
    "timm.models._manipulate.checkpoint_seq": Alias("timm.models.checkpoint_seq", "where it is defined"),
    "timm.models.helpers.checkpoint_seq": Alias("timm.models.checkpoint_seq", "its module before timm 0.8"),
    "megatron.core.tensor_parallel.random.checkpoint": Alias(
        "megatron.core.tensor_parallel.checkpoint", "where it is defined"
    ),
    "deepspeed.runtime.activation_checkpointing.checkpointing.checkpoint": Alias(
        "deepspeed.checkpointing.checkpoint",
        "deepspeed/__init__.py: from .runtime.activation_checkpointing import checkpointing",
    ),
    "fairscale.nn.checkpoint_wrapper": Alias("fairscale.nn.checkpoint.checkpoint_wrapper", "fairscale/nn/__init__.py"),
    "fairscale.nn.checkpoint.checkpoint_activations.checkpoint_wrapper": Alias(
        "fairscale.nn.checkpoint.checkpoint_wrapper", "where it is defined"
    ),
}

PREFIX_ALIASES: tuple[PrefixAlias, ...] = (
    PrefixAlias("torch.nn.modules.", "torch.nn.", "torch/nn/__init__.py re-exports nn.modules", drop_modules=True),
    PrefixAlias("torch.nn.parameter.", "torch.nn.", "torch/nn/__init__.py re-exports the classes"),
    PrefixAlias("torch.nn.parallel.distributed.", "torch.nn.parallel.", "torch/nn/parallel/__init__.py re-exports it"),
    PrefixAlias("torch.nn.utils.clip_grad.", "torch.nn.utils.", "torch/nn/utils/__init__.py re-exports it"),
    PrefixAlias("torch.nn.utils.convert_parameters.", "torch.nn.utils.", "torch/nn/utils/__init__.py re-exports it"),
    PrefixAlias("torch.optim.", "torch.optim.", "torch/optim/__init__.py re-exports the classes", drop_modules=True),
    PrefixAlias("torch.functional.", "torch.", "torch/__init__.py re-exports torch.functional"),
    PrefixAlias("torch._C._VariableFunctions.", "torch.", "torch/__init__.py copies every name"),
    PrefixAlias("torch._C._nn.", "torch.nn.functional.", "torch/nn/functional.py binds its builtins"),
    PrefixAlias("torch._tensor.Tensor.", "torch.Tensor.", "where Python-level methods are defined"),
    PrefixAlias("torch._C.TensorBase.", "torch.Tensor.", "the base class that holds the methods"),
    PrefixAlias("torch.nn.Parameter.", "torch.Tensor.", "a subclass of torch.Tensor without methods of its own"),
    PrefixAlias("torch.nn.Buffer.", "torch.Tensor.", "makes plain tensors"),
    PrefixAlias("torch.autograd.Variable.", "torch.Tensor.", "Variable and Tensor are one class since torch 0.4"),
    *(
        PrefixAlias(f"torch.{n}Tensor.", "torch.Tensor.", "instances are torch.Tensor of a dtype")
        for n in TENSOR_CLASSES
    ),
    *(
        PrefixAlias(f"torch.cuda.{n}Tensor.", "torch.Tensor.", "instances are torch.Tensor of a dtype")
        for n in TENSOR_CLASSES
    ),
    PrefixAlias("torch.cuda.memory.", "torch.cuda.", "torch/cuda/__init__.py re-exports it"),
    PrefixAlias("torch.cuda.random.", "torch.cuda.", "torch/cuda/__init__.py re-exports it"),
    PrefixAlias("torch.utils.data.dataloader.", "torch.utils.data.", "torch/utils/data/__init__.py re-exports it"),
    PrefixAlias(
        "torch.distributed.distributed_c10d.", "torch.distributed.", "torch/distributed/__init__.py re-exports it"
    ),
    PrefixAlias(
        "torch.distributions.",
        "torch.distributions.",
        "torch/distributions/__init__.py re-exports the classes",
        drop_modules=True,
    ),
    *(
        PrefixAlias(
            f"torch.distributions.{name}.", "torch.distributions.Distribution.", "the methods of the base class"
        )
        for name in DISTRIBUTIONS
    ),
)

MODULE_ATTRIBUTES: dict[str, str] = {
    **dict.fromkeys(
        (
            "weight bias weight_g weight_v running_mean running_var num_batches_tracked in_proj_weight in_proj_bias q_proj_weight "
            "k_proj_weight v_proj_weight bias_k bias_v weight_ih weight_hh bias_ih bias_hh weight_ih_l0 weight_hh_l0 bias_ih_l0 "
            "bias_hh_l0 pos_weight"
        ).split(),
        "tensor",
    ),
    **dict.fromkeys(
        (
            "training in_features out_features in_channels out_channels kernel_size stride padding padding_mode dilation groups "
            "output_padding transposed num_embeddings embedding_dim padding_idx max_norm norm_type sparse mode num_heads embed_dim "
            "head_dim batch_first hidden_size input_size num_layers bidirectional proj_size dropout eps momentum affine "
            "track_running_stats elementwise_affine normalized_shape num_features num_groups p inplace dim negative_slope alpha "
            "num_parameters approximate size scale_factor align_corners return_indices ceil_mode output_size start_dim end_dim "
            "ignore_index label_smoothing reduction upscale_factor"
        ).split(),
        "host",
    ),
}
"""What an attribute of a ``torch.nn`` module is: ``tensor`` (may be None where the layer was made without it) or ``host``.

Source: ``__init__`` of the classes in torch/nn/modules; the test reads them off instances.
"""

RESULT_FIELDS = frozenset(
    "values indices min max mantissa exponent a tau hist bin_edges P L U Q R S V Vh sign logabsdet solution cloned_coefficient "
    "eigenvalues eigenvectors LU LD pivots info inverse result residuals rank singular_values output loss".split()
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
"""Methods only tensors have: calling one is evidence for a tensor. What NumPy, pandas, modules, ... have too is left out."""

TENSOR_PROPERTIES = _tensor_names("property")
"""Attributes of tensors that are read, not called."""
