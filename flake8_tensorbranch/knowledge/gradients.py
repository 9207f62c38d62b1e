"""Which values never require grad, and which modules have nothing to train, by name."""

from __future__ import annotations

from typing import Final

STOPS: Final = frozenset(
    (
        "detach detach_ item tolist numpy argmax argmin argsort nonzero bincount one_hot searchsorted bucketize "
        "multinomial bool short int long eq ne lt le gt ge isnan isinf isfinite size dim numel"
    ).split()
)
"""Functions and methods of a tensor by which its gradients end: integers, booleans, copies off the graph, metadata.

Rounding is not among them: what `round`, `floor`, `ceil` and `sign` give requires grad, and gets zeros.
"""

CUTS: Final = STOPS | frozenset(
    (
        "arange randint randperm new_zeros new_ones new_empty new_full new_tensor zeros_like ones_like empty_like "
        "full_like rand_like randn_like randint_like"
    ).split()
)
"""These, and what makes new tensors after the form of others: none of the results requires grad."""

FACTORIES: Final = frozenset(("rand randn zeros ones empty full tensor from_numpy linspace logspace eye").split())
"""Functions of torch whose tensors require grad only where `requires_grad` asks for it.

`as_tensor` gives a tensor back as it is, and `normal` of a tensor is recorded: both are as their arguments.
"""

CONSTANTS: Final = frozenset(f"torch.{n}" for n in ("arange", "eye", "full", "linspace", "ones", "tensor", "zeros"))
"""Of these, with `arange`, the ones that give the same tensor for the same numbers."""

RESTORING: Final = frozenset({"torch.load"})
"""Functions whose result requires grad as what was saved did."""

NO_ATTRIBUTES: Final = frozenset(["shape", "dtype", "device", "data", "grad", "ndim", "requires_grad", "is_leaf"])
"""Attributes of a tensor that lead to no gradient of it."""

LEAVES_THE_GRAPH: Final = CUTS | frozenset(NO_ATTRIBUTES) | {"grad_fn", "backward"}
"""Attributes and methods whose result carries no gradient back to the tensor."""

NUMBERS: Final = frozenset("bool float format int isinstance len repr str".split())
"""Functions of Python that make no tensor of a tensor."""

CARRIES_GRADIENTS: Final = frozenset("mean sum clone flatten reshape view square abs pow norm".split())
"""Methods that arrays have, too, and that of a tensor lead its gradients on."""

BIASED: Final = ("linear", "conv1d", "conv2d", "conv3d")
"""Functions whose third argument is added to what they give."""

BARE_MODULES: Final = frozenset(
    (
        "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
        "AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss CELU CTCLoss ChannelShuffle "
        "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d CosineEmbeddingLoss "
        "CosineSimilarity CrossEntropyLoss CrossMapLRN2d Dropout Dropout1d Dropout2d Dropout3d ELU "
        "FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GaussianNLLLoss Hardshrink "
        "Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity KLDivLoss L1Loss LPPool1d LPPool2d "
        "LPPool3d LeakyReLU LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d MaxPool2d "
        "MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish MultiLabelMarginLoss MultiLabelSoftMarginLoss "
        "MultiMarginLoss NLLLoss PairwiseDistance PixelShuffle PixelUnshuffle PoissonNLLLoss RReLU ReLU ReLU6 "
        "ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d SELU SiLU "
        "Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink "
        "Threshold TripletMarginLoss Unflatten Unfold Upsample UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d "
        "ZeroPad2d ZeroPad3d"
    ).split()
)
"""Modules of `torch.nn` without parameters, whatever they are built with (tests/oracle builds them)."""

ONE_INPUT_MODULES: Final = frozenset(
    (
        "Linear Conv1d Conv2d Conv3d Sequential LayerNorm GroupNorm RMSNorm BatchNorm1d BatchNorm2d Embedding ReLU "
        "GELU SiLU Dropout Flatten"
    ).split()
)
"""Modules of `torch.nn` whose forward takes one input and nothing else."""

LOADERS: Final = ("DataLoader", "StatefulDataLoader")
"""Classes whose elements are batches of data."""

GRADIENTS_OFF: Final = frozenset({"no_grad", "inference_mode"})
GRADIENTS_ON: Final = frozenset({"enable_grad"})
"""The scopes of torch by which gradients are not recorded, or are again."""

GRADIENT_MODES: Final = frozenset(f"torch.{name}" for name in (*GRADIENTS_OFF, *GRADIENTS_ON))
"""The same by qualified names. An instance called with a function gives that function under it
(torch/utils/_contextlib.py).
"""

BY_INPUTS: Final = frozenset(
    {
        *(f"torch.autograd.functional.{name}" for name in ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp")),
        *("torch.autograd.gradcheck", "torch.autograd.gradgradcheck"),
    }
)
"""Functions that differentiate what they are given by its inputs alone, by `torch.autograd.grad` (tests/oracle)."""

DIFFERENTIATING: Final = ("jacobian", "hessian", "vjp", "jvp", "hvp", "vhp", "gradcheck", "gradgradcheck")
"""What the text of a file holds that calls one."""
