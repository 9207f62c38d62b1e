"""What asks for, makes, or tells something to the tracers of torch: compile, export, jit, torch.func."""

from __future__ import annotations

from typing import Final

ASKS_COMPILING: Final = frozenset({"is_compiling", "is_dynamo_compiling", "is_torchdynamo_compiling", "is_exporting"})
"""The last names of predicates that are true while dynamo traces (torch.compiler, transformers.utils)."""

ASKS_TRACING: Final = ASKS_COMPILING | frozenset(
    "is_tracing is_scripting is_torch_fx_proxy is_jit_tracing is_fx_tracing is_fx_symbolic_tracing "
    "_get_tracing_state is_in_onnx_export".split()
)
"""The same for any tracer (torch.jit, torch.fx, torch.onnx, transformers.utils)."""

ANSWERS: Final[dict[str, frozenset[str]]] = {
    "torch.jit.is_tracing": frozenset({"recorded", "onnx"}),
    "torch._C._get_tracing_state": frozenset({"recorded", "onnx"}),
    "torch.jit.is_scripting": frozenset(),
    "torch.onnx.is_in_onnx_export": frozenset({"onnx"}),
    "torch.compiler.is_compiling": frozenset({"compiled", "exported", "strict", "onnx"}),
    "torch._dynamo.is_compiling": frozenset({"compiled", "exported", "strict", "onnx"}),
    "torch._utils.is_compiling": frozenset({"compiled", "exported", "strict", "onnx"}),
    "torch.compiler.is_dynamo_compiling": frozenset({"compiled", "strict", "onnx"}),
    "torch.compiler.is_exporting": frozenset({"exported", "strict", "onnx"}),
    "torch.fx._symbolic_trace.is_fx_tracing": frozenset({"proxied", "exported"}),
    "torch.fx._symbolic_trace.is_fx_symbolic_tracing": frozenset({"proxied"}),
}
"""The predicates of torch that ask for a tracer, each with those under which it says yes (tests/oracle): `recorded` by
`jit.trace`, `proxied` by `fx.symbolic_trace` and `make_fx`; `strict` is an export that dynamo traces. `onnx` is either
of two exporters, so that a predicate of any of them counts there.
"""

RECORDING: Final = frozenset({"torch.jit.trace", "torch.jit.trace_module", "torch.onnx.export"})
"""Tracers that run a function once and record the operations of that run: a Python number is a constant to them."""

PROXIES: Final = frozenset({"torch.fx.symbolic_trace"})
"""Tracers that hand the function objects in the place of tensors: these record methods and functions of math."""

PROXY_TRUTHS: Final = frozenset(
    "requires_grad is_cuda is_cpu is_leaf is_sparse is_quantized is_meta is_mps is_xpu".split()
)
"""Attributes of a tensor that are tested themselves; a proxy has none of them to tell (tests/oracle)."""

PROXY_PREDICATES: Final = frozenset("is_contiguous is_floating_point is_complex is_pinned".split())
"""The same of methods, and of functions of torch."""

PROXY_PARTICULARS: Final = frozenset({"ndim", "dtype", "device", "layout"})
"""Attributes of a tensor that are compared with constants."""

PROXY_NUMBERS: Final = frozenset({"dim", "ndimension", "stride", "element_size", "get_device"})
"""Methods that give numbers to compare, of what is no value."""

PROXY_SIZES: Final = frozenset({"shape", "ndim", "itemsize", "nbytes"})
"""Attributes of a tensor that are numbers, or one for each dimension."""

PROXY_COUNTS: Final = PROXY_NUMBERS | {"size", "numel", "nelement", "storage_offset"}
"""The same of methods."""

PROXY_REFUSES: Final = {"operator.index", "functools.reduce"} | {
    f"builtins.{name}"
    for name in (
        "all any bool complex divmod enumerate float frozenset int iter len list map max min range reversed round set "
        "sorted sum tuple zip"
    ).split()
}
"""Functions that convert, compare or iterate what they are given, which raises for a proxy (tests/oracle)."""

PARTS_OF_DEVICE: Final = frozenset({"type", "index"})
"""Attributes of `torch.device`."""

REFUSING: Final = frozenset({"torch.fx.experimental.proxy_tensor.make_fx"})
"""Tracers that run a function with tensors of their own, which have no values."""

PROMISES: Final = frozenset(
    {"_check", "_check_is_size", "_constrain_as_size", "_constrain_as_value", "sym_constrain_range_for_size"}
)
"""Functions of torch that tell the tracer what holds of a size (torch/__init__.py; torch/_check.py)."""

EXPORTS: Final = frozenset({"torch.export.export", "torch.export.export_for_training"})
"""Entries that take `dynamic_shapes`."""

COMPILE: Final = "torch.compile"
TUNED_MODES: Final = ("max-autotune", "max-autotune-no-cudagraphs")
"""The modes of `torch.compile` that time kernels (its docstring)."""

UNTUNED_BACKENDS: Final = ("eager", "aot_eager")
"""The backends of `torch.compile` that run the kernels eager mode runs (docs of torch.compiler, troubleshooting)."""

ENDS_FRAME: Final = frozenset({"torch.device", "warnings.catch_warnings"})
ENDS_FRAME_OF_CONTEXTLIB: Final = frozenset({"contextlib.ExitStack", "contextlib.suppress"})
"""Contexts that the compiler traces and cannot enter again in their middle: a graph break there leaves no graph
(observed; tests/oracle/test_forms_compile.py). Those of torch.autograd, torch.backends and torch.random break the graph
themselves, before their body."""

DERIVATIVES: Final = frozenset(
    f"torch.func.{name}" for name in ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian")
)
"""Transforms of torch.func around a function that traces what is inside as without them."""

CARRIES_VALUE: Final = frozenset({"torch.func.grad_and_value"})
"""Those of them that give the function's value, too: a pair."""

TRANSFORMS: Final[dict[str, tuple[int, str, str]]] = {
    "torch.func.vjp": (1, "*", "pulled"),
    "torch.func.linearize": (1, "*", "pulled"),
    "torch.func.jvp": (1, "primals", "pair"),
    **{f"{module}.functional_call": (2, "args", "value") for module in ("torch.func", "torch.nn.utils.stateless")},
    **{f"torch.autograd.functional.{name}": (1, "inputs", "derivative") for name in ("jacobian", "hessian")},
    **{f"torch.autograd.functional.{name}": (1, "inputs", "valued") for name in ("vjp", "vhp", "hvp")},
    "torch.autograd.functional.jvp": (1, "inputs", "pair"),
}
"""Functions that call the function given first: where its arguments stand (`*`: one by one, else a tuple of them or a
single tensor), and what comes back: its value; the value and another of its form; the value and a function of tensors;
the value and a derivative, or a derivative alone, which has the form of those arguments (docs of torch.func and
torch.autograd.functional).
"""

TRANSFORM_HOMES: Final = ("torch.func.", "torch.autograd.functional.", "torch.nn.utils.stateless.")
"""The modules of all of these."""

RECOMPUTING: Final = frozenset(
    f"{module}.{name}"
    for module in ("torch.func", "functorch")
    for name in "grad grad_and_value vjp jacrev hessian".split()
)
"""Transforms that run a backward of their own; functorch is their older home."""

FORWARD_MODE: Final = frozenset(
    f"{module}.{name}" for module in ("torch.func", "functorch") for name in ("jvp", "jacfwd")
)
"""Transforms that differentiate along with the forward: the recompute of a later backward runs without them, and saves
another number of tensors (tests/oracle).
"""

TRANSFORMING: Final = ("torch.func", "functorch", "import func")
"""What the text of a file holds that imports or calls one."""

FUNCTIONAL_CALLS: Final = frozenset({"torch.func.functional_call", "torch.nn.utils.stateless.functional_call"})
"""Calls of a module with other parameters than its own, which are back in place when they return."""

NUMBERS_OF: Final[dict[str, tuple[int, int, tuple[str, ...]]]] = {
    "torch.arange": (0, 3, ("start", "end", "step")),
    "torch.full": (1, 2, ("fill_value",)),
    "torch.full_like": (1, 2, ("fill_value",)),
    "torch.tensor": (0, 1, ("data",)),
    "torch.as_tensor": (0, 1, ("data",)),
    "torch.roll": (1, 2, ("shifts",)),
    "torch.topk": (1, 2, ("k",)),
}
"""Functions that take Python numbers of the tensors they are given, with the positions and names of those arguments.

`torch.linspace` takes tensors as they are, and so does `as_tensor` a single one (tests/oracle/test_forms_mapped.py).
"""

METHODS_NUMBERS_OF: Final[dict[str, tuple[int, int, tuple[str, ...]]]] = {
    "new_full": (1, 2, ("fill_value",)),
    "new_tensor": (0, 1, ("data",)),
    "roll": (0, 1, ("shifts",)),
    "topk": (0, 1, ("k",)),
}
"""The same, of methods of a tensor."""

COPIES_NUMBERS: Final = frozenset({"torch.as_tensor", "torch.tensor", "new_tensor"})
"""Of these, those that copy the numbers of what they are given: an export has none (observed: tests/oracle)."""

KEEPS_TENSORS: Final = frozenset({"torch.as_tensor"})
"""Of these functions, those that give a single tensor back as it is."""

FORMATS_NUMBERS: Final = ("d", "i", "e", "f", "g", "E", "F", "G")
"""The conversions of `%` that ask for a number."""

TESTS_EACH: Final = frozenset({"any", "all"})
"""Functions of Python that ask of each element whether it is true."""

LEAVES_TORCH: Final = frozenset({"numpy"})
"""Methods that give the memory of a tensor to others: a mapped tensor has none of its own."""

BREAKS_ON_NUMBERS: Final = frozenset({"torch.arange", "torch.full_like", "torch.roll", "new_full", "roll"})
"""Of the functions and methods that take numbers of tensors, those that break a graph; others are traced with them."""


TEXTS: Final = frozenset({"str", "repr"})
"""Functions of Python that give the text of what they are given."""

WRAPPER_WORDS: Final = (
    "torch.compile",
    ".compile()",
    "torch.jit",
    "torch.export",
    "torch.fx",
    "vmap",
    "make_fx",
    "import compile",
    ", compile",
    "compile,",
    "(compile",
    "import torch as ",
    "getattr(torch",
)
"""What the text of a file holds that defines a wrapper of regions other than checkpoints."""

ENTRY_WORDS: Final = ("checkpoint", *WRAPPER_WORDS)
"""The same, of any regions."""


MASKS_INSIDE: Final = frozenset({"torch.combinations"})
"""Functions that select by a mask of their own: a compiler breaks at it, though no value decides the size (observed:
tests/oracle/test_forms_breaks.py).
"""

FIXED_BY_LAYERS: Final = {
    "torch.nn.Linear": -1,
    **dict.fromkeys((f"torch.nn.{kind}{rank}d" for kind in ("BatchNorm", "Conv") for rank in (1, 2, 3)), 1),
    "torch.nn.GroupNorm": 1,
    "torch.nn.LayerNorm": -1,
}
"""The dimension of its input that a layer was built for the size of (observed: tests/oracle/test_forms_declared.py)."""

PRODUCTS: Final = frozenset({"bmm", "matmul", "mm", "mv"})
"""Last names of functions and methods that sum over the last dimension of the one and one of the other (torch's
documentation of `torch.matmul`).
"""

RECORDED_OF_A_SIZE: Final = frozenset({"bits", "repeated list"})
"""What is made of a size that a proxy of torch.fx records as an operation (torch 2.13, observed;
tests/oracle/test_forms_proxy_sizes.py)."""

OF_THE_PROXY: Final = frozenset({"text", "hash", "get"})
"""What is made of a size that a proxy gives of itself, not of the number; what else is made of one raises (the same
test)."""
