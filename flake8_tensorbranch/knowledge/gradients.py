"""Which values never require grad, and which modules have nothing to train, by name."""

from __future__ import annotations

from typing import Final

CUTS: Final = frozenset(
    [
        "detach",
        "argmax",
        "argmin",
        "argsort",
        "nonzero",
        "bincount",
        "one_hot",
        "randint",
        "randperm",
        "arange",
        "searchsorted",
        "bucketize",
        "long",
        "int",
        "short",
        "bool",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "isnan",
        "isinf",
        "isfinite",
        "item",
        "tolist",
        "numpy",
        "size",
        "dim",
        "numel",
        "new_zeros",
        "new_ones",
        "new_empty",
        "new_full",
        "new_tensor",
        "zeros_like",
        "ones_like",
        "empty_like",
        "full_like",
        "rand_like",
        "randn_like",
        "randint_like",
        "multinomial",
        "sign",
        "round",
        "floor",
        "ceil",
    ]
)
"""Functions and methods whose results never require grad: integers, booleans, copies cut off the graph, metadata."""

FACTORIES: Final = frozenset(
    [
        "rand",
        "randn",
        "zeros",
        "ones",
        "empty",
        "full",
        "tensor",
        "as_tensor",
        "from_numpy",
        "linspace",
        "logspace",
        "eye",
        "normal",
        "load",
        "stack_frames",
    ]
)
"""Functions of torch whose tensors require grad only where `requires_grad` asks for it."""

NO_ATTRIBUTES: Final = frozenset(["shape", "dtype", "device", "data", "grad", "ndim", "requires_grad", "is_leaf"])
"""Attributes of a tensor that lead to no gradient of it."""

BARE_MODULES: Final = frozenset(
    [
        "Identity",
        "ReLU",
        "ReLU6",
        "LeakyReLU",
        "ELU",
        "SELU",
        "CELU",
        "GELU",
        "SiLU",
        "Mish",
        "Sigmoid",
        "Tanh",
        "Softplus",
        "Softsign",
        "Hardswish",
        "Hardsigmoid",
        "Hardtanh",
        "Softmax",
        "LogSoftmax",
        "LogSigmoid",
        "Dropout",
        "Dropout1d",
        "Dropout2d",
        "Dropout3d",
        "AlphaDropout",
        "Flatten",
        "Unflatten",
        "MaxPool1d",
        "MaxPool2d",
        "MaxPool3d",
        "AvgPool1d",
        "AvgPool2d",
        "AvgPool3d",
        "AdaptiveAvgPool1d",
        "AdaptiveAvgPool2d",
        "AdaptiveAvgPool3d",
        "AdaptiveMaxPool1d",
        "AdaptiveMaxPool2d",
        "Upsample",
        "PixelShuffle",
        "PixelUnshuffle",
        "ZeroPad1d",
        "ZeroPad2d",
        "ReflectionPad1d",
        "ReflectionPad2d",
        "ReplicationPad2d",
        "ConstantPad1d",
        "ConstantPad2d",
        "Fold",
        "Unfold",
        "GLU",
        "CosineSimilarity",
        "MSELoss",
        "L1Loss",
        "CrossEntropyLoss",
        "NLLLoss",
        "BCELoss",
        "BCEWithLogitsLoss",
        "SmoothL1Loss",
        "KLDivLoss",
    ]
)
"""Modules of `torch.nn` that hold no parameters."""

ONE_INPUT_MODULES: Final = frozenset(
    [
        "Linear",
        "Conv1d",
        "Conv2d",
        "Conv3d",
        "Sequential",
        "LayerNorm",
        "GroupNorm",
        "RMSNorm",
        "BatchNorm1d",
        "BatchNorm2d",
        "Embedding",
        "ReLU",
        "GELU",
        "SiLU",
        "Dropout",
        "Flatten",
    ]
)
"""Modules of `torch.nn` whose forward takes one input and nothing else."""

LOADERS: Final = ("DataLoader", "StatefulDataLoader")
"""Classes whose elements are batches of data."""
