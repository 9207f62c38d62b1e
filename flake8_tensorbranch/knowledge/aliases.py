"""Second paths of public names."""

from __future__ import annotations

from typing import NamedTuple


class Alias(NamedTuple):
    """A second path of one public name."""

    target: str
    why: str


class PrefixAlias(NamedTuple):
    """A path prefix that stands for another one."""

    prefix: str
    target: str
    why: str
    drop_modules: bool = False
    """Whether the modules (components in lower case) after the prefix vanish in the public name."""


def _words(text: str) -> list[str]:
    return text.split()


TENSOR_CLASSES = _words("Float Double Half BFloat16 Long Int Short Char Byte Bool")
DISTRIBUTIONS = _words(
    "Bernoulli Beta Binomial Categorical Cauchy Chi2 ContinuousBernoulli Dirichlet Exponential ExponentialFamily "
    "FisherSnedecor Gamma GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal Independent InverseGamma "
    "Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal LowRankMultivariateNormal MixtureSameFamily Multinomial "
    "MultivariateNormal NegativeBinomial Normal OneHotCategorical OneHotCategoricalStraightThrough Pareto Poisson "
    "RelaxedBernoulli RelaxedOneHotCategorical StudentT TransformedDistribution Uniform VonMises Weibull Wishart"
)

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
    PrefixAlias("torch.amp.grad_scaler.", "torch.amp.", "torch/amp/__init__.py re-exports it"),
    PrefixAlias("torch.cuda.amp.grad_scaler.", "torch.amp.", "a subclass with device='cuda'"),
    PrefixAlias("torch.cuda.amp.GradScaler", "torch.amp.GradScaler", "a subclass with device='cuda'"),
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
    *(
        PrefixAlias(f"torch.utils.data.{n}.", "torch.utils.data.", "torch/utils/data/__init__.py re-exports it")
        for n in ("dataloader", "dataset", "sampler")
    ),
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
