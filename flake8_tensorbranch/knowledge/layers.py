"""Layers of torch.nn whose forward draws or keeps statistics, by what they were built with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """The argument that switches a layer on, its position (-1: by name only), and whether it is on without.

    `layers` is the position of `num_layers` where only what stands between several of them is switched on. One that is
    `late` moves its statistics after all that it saves for backward.
    """

    keyword: str
    position: int
    default: bool
    layers: int = -1
    late: bool = False


_P = Layer("p", 0, True)

DRAWING: dict[str, Layer] = {
    **{
        f"torch.nn.{name}": _P
        for name in ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]
    },
    "torch.nn.RReLU": Layer("upper", 1, True),
    "torch.nn.FractionalMaxPool2d": Layer("_random_samples", -1, True),
    "torch.nn.FractionalMaxPool3d": Layer("_random_samples", -1, True),
    "torch.nn.MultiheadAttention": Layer("dropout", 2, False),
    "torch.nn.TransformerEncoderLayer": Layer("dropout", 3, True),
    "torch.nn.TransformerDecoderLayer": Layer("dropout", 3, True),
    "torch.nn.Transformer": Layer("dropout", 5, True),
    "torch.nn.LSTM": Layer("dropout", 5, False, 2),
    "torch.nn.GRU": Layer("dropout", 5, False, 2),
    "torch.nn.RNN": Layer("dropout", 5, False, 2),
}
"""torch/nn/modules/{dropout,activation,pooling,transformer,rnn}.py: drawn in training, where the argument is not 0."""

DRAWN_WHEN_BUILT: frozenset[str] = frozenset(
    f"torch.nn.{name}"
    for name in [
        *("Linear", "Bilinear", "Embedding", "EmbeddingBag", "Conv1d", "Conv2d", "Conv3d"),
        *(
            "ConvTranspose1d",
            "ConvTranspose2d",
            "ConvTranspose3d",
            "RNN",
            "LSTM",
            "GRU",
            "RNNCell",
            "LSTMCell",
            "GRUCell",
        ),
        *("MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer"),
    ]
)
"""Layers whose constructors draw their parameters (`reset_parameters` in torch/nn/modules)."""

COUNTING: dict[str, Layer] = {
    **{
        f"torch.nn.{lazy}{name}": Layer("track_running_stats", 4, True)
        for lazy in ("", "Lazy")
        for name in ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]
    },
    "torch.nn.SyncBatchNorm": Layer("track_running_stats", 4, True),
    **{
        f"torch.nn.{lazy}{name}": Layer("track_running_stats", 4, False, late=True)
        for lazy in ("", "Lazy")
        for name in ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]
    },
}
"""torch/nn/modules/{batchnorm,instancenorm}.py: statistics move with every forward in training (facts B9, E).

A non-reentrant recompute stops inside of an instance normalization that nothing follows, before they move (facts B9).
"""

COUNTING_FUNCTIONS: dict[str, Layer] = {
    "torch.nn.functional.batch_norm": Layer("training", 5, False),
    "torch.nn.functional.instance_norm": Layer("use_input_stats", 5, True, late=True),
}
"""torch/nn/functional.py: the parameter by which the input's own statistics are used and the running ones moved."""

STATISTICS: frozenset[str] = frozenset({"num_batches_tracked", "running_mean", "running_var"})
"""The buffers in which they are kept."""
