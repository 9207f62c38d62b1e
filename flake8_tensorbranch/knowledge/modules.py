"""Names that modules, parameters and optimizers of torch have: their classes, bases, methods and attributes."""

from __future__ import annotations

from typing import Final

MODULE_BASES: Final = frozenset({"torch.nn.Module", "torch.jit.ScriptModule", "lightning.LightningModule"})
"""Classes outside of the project whose subclasses are modules."""

CONTAINERS: Final = frozenset({"torch.nn.Module", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.Sequential"})
"""Modules that say nothing of what their forward takes."""

PARALLEL: Final = (
    "torch.nn.DataParallel",
    "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel",
)
"""Modules around a module, which they keep in `module` (torch/nn/parallel)."""

DISTRIBUTED: Final = "torch.nn.parallel.DistributedDataParallel"
"""Of these, the one whose hooks on parameters wait for one gradient each."""

PARAMETERS: Final = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
"""What makes a tensor a parameter."""

PARAMETER_NAMES: Final = ("weight", "bias")
"""Attributes of torch's layers that are their parameters, by the convention of torch.nn."""

IN_ORDER: Final = frozenset({"torch.nn.Sequential"})
"""Modules whose forward runs each of their elements once."""

OPEN_BASES: Final = frozenset(
    {
        *("torch.nn.Module", "torch.optim.Optimizer", "torch.optim.optimizer.Optimizer", "torch.utils.data.Dataset"),
        *("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol"),
    }
)
"""Bases that leave the attributes of a class to its methods and its heirs."""

OPTIMIZER_ATTRIBUTES: Final = frozenset({"param_groups", "state", "defaults"})
"""What `torch.optim.Optimizer.__init__` stores (torch/optim/optimizer.py)."""

CLOSURE: Final = ("step", "closure")
"""The method of an optimizer and its parameter that "reevaluates the model and returns the loss"
(torch/optim/optimizer.py).
"""

RECORD_BASES: Final = ("NamedTuple", "ModelOutput", "BaseOutput", "TypedDict", "BaseModel")
"""Bases by whose annotations a class has fields: typing, transformers and diffusers, pydantic."""

FORWARD_HOOKS: Final = frozenset({"register_forward_hook", "register_forward_pre_hook"})
"""Methods of modules whose argument may replace what a forward gives or takes."""

ITERATES_PARAMETERS: Final = frozenset({"parameters", "named_parameters"})
ITERATES_TENSORS: Final = ITERATES_PARAMETERS | {"buffers", "named_buffers"}
ITERATES_MODULES: Final = frozenset({"children", "named_children", "modules", "named_modules"})
"""Methods of modules that go over what they hold."""

ITERATES_NAMES: Final = frozenset(n for n in ITERATES_TENSORS | ITERATES_MODULES if n.startswith("named_"))
"""Of these, the ones that give a name first, which is the same whatever is written into what it names."""

BUILDERS: Final = frozenset({"__init__", "reset_parameters", "_init_weights", "init_weights"})
"""Methods of modules that run when they are built, by the conventions of torch.nn and transformers."""

INITIALIZERS: Final = "torch.nn.init."
"""Where the functions stand that fill the tensor they are given first; the names of these end in `_`."""

FROM_VECTOR: Final = frozenset(
    {"torch.nn.utils.vector_to_parameters", "torch.nn.utils.convert_parameters.vector_to_parameters"}
)
"""Functions that store the parts of their first argument in the parameters that are their second."""

REWRITES_PARAMETERS: Final = frozenset({"reset_parameters", "_apply"})
"""Methods of torch's modules that store other values in their parameters."""

REPARAMETRIZES: Final = frozenset(
    f"torch.nn.utils.{name}"
    for name in (
        *("weight_norm", "remove_weight_norm", "spectral_norm", "remove_spectral_norm"),
        *("weight_norm.weight_norm", "weight_norm.remove_weight_norm"),
        *("spectral_norm.spectral_norm", "spectral_norm.remove_spectral_norm"),
        *(f"parametrizations.{n}" for n in ("orthogonal", "spectral_norm", "weight_norm")),
        *(f"parametrize.{n}" for n in ("register_parametrization", "remove_parametrizations")),
        *(f"prune.{n}" for n in ("identity", "random_unstructured", "l1_unstructured", "random_structured")),
        *(f"prune.{n}" for n in ("ln_structured", "custom_from_mask", "global_unstructured", "remove")),
    )
)
"""Functions that make the weight of a module another computation, in the module that they are given first, or in each
of the pairs (module, name) that `global_unstructured` is given.
"""

REPLACES_MODULES: Final = frozenset({"set_submodule"})
"""Methods of modules that put another module where one stands (torch/nn/modules/module.py)."""

OWN_DICTIONARIES: Final = ("__dict__", "_parameters", "_buffers", "_modules")
"""Attributes of modules that hold their attributes by name (torch/nn/modules/module.py)."""

NAMING: Final = frozenset({"register_buffer", "register_parameter", "register_module", "add_module", "__setattr__"})
"""Methods of modules that set the attribute which their argument `name` names."""

IDENTITIES: Final = frozenset({"torch.nn.Identity"})
"""Modules of torch that give back what they are given."""

DESCRIBES: Final = frozenset(
    (
        "in_features out_features in_channels out_channels num_embeddings embedding_dim num_features affine "
        "elementwise_affine"
    ).split()
)
"""Attributes of layers of torch that tell how one was built, and that no forward reads (torch/nn/modules)."""
