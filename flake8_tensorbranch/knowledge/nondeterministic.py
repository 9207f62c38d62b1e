"""Operators of PyTorch's list of nondeterministic operations whose forward result itself may differ on CUDA.

The list is the docstring of `torch.use_deterministic_algorithms`. Left out are rows that speak of the gradient only
("when attempting to differentiate"), convolutions (every network has them), and counts (`histc`, `bincount` without
weights): sums of ones are exact.
"""

from __future__ import annotations

from typing import Final

ADDING: Final = {
    "index_add": "",
    "index_add_": "",
    "scatter_add": "",
    "scatter_add_": "",
    "scatter_reduce": "reduce",
    "scatter_reduce_": "reduce",
    "index_put": "accumulate",
    "index_put_": "accumulate",
    "put": "accumulate",
    "put_": "accumulate",
    "bincount": "weights",
    "cumsum": "",
}
"""Operator -> what its call must say to be meant: nothing, `accumulate=True`, `weights=`, a `reduce=` that adds."""

REDUCTIONS: Final = frozenset({"sum", "mean", "prod"})
INTEGERS: Final = frozenset(
    {"long", "int", "short", "bool", "int64", "int32", "int16", "int8", "uint8", "arange", "randint"}
)
"""Methods, dtypes and makers that give whole numbers, whose sums do not depend on the order."""

FLOATS: Final = frozenset(
    {
        "softmax",
        "log_softmax",
        "sigmoid",
        "exp",
        "log",
        "float",
        "half",
        "double",
        "sqrt",
        "norm",
        "mean",
        "rand",
        "randn",
    }
)
"""Methods and functions that give floating point numbers: `cumsum` is on the list for these only."""

KEEPS: Final = frozenset(
    "bfloat16 clone contiguous cpu cuda detach double expand expand_as flatten float half permute repeat reshape "
    "squeeze t to transpose type type_as unsqueeze view".split()
)
"""Methods after which whole numbers are whole: a float holds their sums exactly, up to 2 ** 24."""

COUNTED: Final = frozenset("ones ones_like zeros zeros_like new_ones new_zeros".split())
ALIKE: Final = COUNTED | frozenset("full full_like new_full".split())
"""Makers of one number many times: what is added to a place is the same, whichever comes first."""
