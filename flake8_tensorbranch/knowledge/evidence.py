"""What tells a tensor where nothing declares one: methods shared with few other types, names of parameters, predicates
of tracers.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

_FRAMES: Final = ("DataFrame", ".iloc[", ".fillna(", ".set_index(")  # where a star import brings the library
ARRAY_LIBRARIES: Final = (
    *("numpy", "jax", "cupy", "pandas", "polars", "xarray", "tensorflow", "mxnet", "paddle"),
    *_FRAMES,
)
FRAME_LIBRARIES: Final = ("pandas", "polars", "xarray", "jax", "tensorflow", "pyspark", "dask", *_FRAMES)

ARRAY_METHODS: Final = frozenset(
    (
        "any all item tolist argmax argmin argsort clip cumsum cumprod dot max mean min norm std sum var prod nonzero "
        "squeeze repeat"
    ).split()
)
"""Methods that tensors share with arrays and frames alone (tools/foreign_names.txt): evidence where a file names no
such library.
"""

ANSWERS: Final = frozenset({"any", "all"})
"""Methods by which a mask is asked: of these, what a function says counts that names no library of arrays itself."""

SPELLED_ARRAYS: Final = (
    *ARRAY_LIBRARIES,
    "np.",
    "jnp.",
    "cp.",
    "pd.",
    "pl.",
    "xr.",
    "tf.",
    "Series",
    "NDArray",
    "ndarray",
)

DISTRIBUTION_FIELDS: Final = frozenset(
    "loc scale rate probs logits concentration concentration0 concentration1 total_count mean variance stddev mode "
    "temperature low high df covariance_matrix precision_matrix scale_tril".split()
)
"""Attributes of torch.distributions objects that are tensors (torch/distributions/*.py, broadcast in the
constructors).
"""

MOVING_METHODS: Final = frozenset("to cuda cpu float half double bfloat16".split())
"""Methods of tensors and modules (and of batches of them) that give the same thing elsewhere; the truth of a module is
never asked.
"""

FRAME_METHODS: Final = frozenset("abs isnan diff log sqrt exp floor ceil sign cos sin tanh".split())
"""Methods that tensors share with data frames, not with NumPy arrays (tools/foreign_names.txt)."""

SHARED_METHODS: Final = ARRAY_METHODS | MOVING_METHODS | FRAME_METHODS

TENSOR_LIKE_NAMES: Final[dict[str, str]] = {
    "timestep": "diffusion schedulers annotate `int` and are called with elements of the tensor `timesteps` "
    "(seen on runs of diffusers)",
}
"""Parameters that are annotated as numbers and receive tensors in practice: a guess, of lower confidence."""

TENSOR_ATTRIBUTES: Final = frozenset({"grad_fn", "is_cuda", "is_sparse", "requires_grad"})
"""Attributes, not methods, that only tensors have (torch/_C/__init__.pyi, TensorBase)."""

READING_METHODS: Final = frozenset("item tolist any all max min sum equal allclose is_nonzero".split())
"""Methods whose result, as a flag or a number, is read from a tensor's values where a call spells one."""

REDUCING_METHODS: Final = frozenset("max min sum mean prod norm median std var amax amin abs ceil floor".split())
"""Methods that leave a single element, or one of each: what is passed for a number by mistake is a result of these."""

AXES: Final = ("dim", "axis")
"""How parameters end that count dimensions: plain numbers, whatever is passed was declared to be."""


TRACING_PREDICATES: Final = frozenset(
    {
        "torch.jit.is_tracing",
        "torch.jit.is_scripting",
        "torch.compiler.is_compiling",
        "torch.compiler.is_dynamo_compiling",
        "torch.compiler.is_exporting",
        "torch._dynamo.is_compiling",
        "torch.onnx.is_in_onnx_export",
        "torch._C._get_tracing_state",
    }
)
"""Predicates that are false in eager code: what they guard is chosen for tracers on purpose
(torch/compiler/__init__.py).
"""

NUMPY_ELEMENTWISE: Final = frozenset(
    "abs absolute all allclose any array array_equal asarray ascontiguousarray ceil clip concatenate copy exp floor "
    "isclose isfinite isinf isnan log max maximum mean median min minimum prod round sign sqrt stack std sum square "
    "squeeze var vstack hstack power argmax argmin sort unique where nonzero count_nonzero logical_and logical_or "
    "logical_not".split()
)
"""NumPy functions whose result holds the values of their arguments; others (`arange`, `zeros`, ...) take numbers as
sizes.
"""


class _Text(Protocol):
    text: str
    memo: dict[Any, Any]

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the file's text holds any of the words."""


def names_arrays(module: _Text) -> bool:
    """Whether a file names a library of arrays; to call a tensor's `numpy`, or torch's `from_numpy`, names none."""
    if not module.mentions(ARRAY_LIBRARIES):
        return False
    if "arrays" not in module.memo:
        text = module.text
        module.memo["arrays"] = module.mentions(ARRAY_LIBRARIES[1:]) or text.count("numpy") > (
            text.count(".numpy()") + text.count(".from_numpy(")
        )
    return bool(module.memo["arrays"])


def likely_tensor_method(module: _Text, name: str) -> bool:
    """True for a method that in this file only a tensor is likely to have: the libraries that share it are not
    named.
    """
    if name in MOVING_METHODS:
        return True
    if name in ARRAY_METHODS:
        return not names_arrays(module)
    return name in FRAME_METHODS and not module.mentions(FRAME_LIBRARIES)
