"""Which process-wide states the recompute of a checkpointed region sees as its forward did, from runs of torch 2.13."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flake8_tensorbranch.knowledge.operations import ATTENTION, CAST, FACTORIES, PLACED, RECURRENT, Operations


@dataclass(frozen=True, slots=True)
class Scope:
    """A context manager or switch whose state may end between a checkpointed forward and its backward."""

    qualname: str
    state: str
    """What it changes, in a few words for messages."""
    form: str
    """``context`` (with, decorator, ExitStack), ``switch`` (a call that stays in force), ``base`` (of own modes)."""
    non_reentrant: str
    """What happens when the scope ends before a non-reentrant backward.

    ``error``, ``silent`` (wrong without a word), ``info`` (seen, without effect on CPU), ``ok`` or ``unmeasured``.
    """
    reentrant: str
    """The same for a reentrant one."""
    why: str
    on: Operations | None = None
    """What the state bears on; None where that is no list of operations."""

    @property
    def restored(self) -> bool:
        """Whether neither variant of checkpoint needs the scope around its backward."""
        return self.non_reentrant == self.reentrant == "ok"


_ON = {
    "the attention backend": ATTENTION,
    "context parallelism": ATTENTION,
    "the default dtype": FACTORIES,
    "the default device": PLACED,
    "the oneDNN switch": RECURRENT,
    "autocast": CAST,
}


def _scopes(state: str, form: str, non_reentrant: str, reentrant: str, names: str, why: str) -> dict[str, Scope]:
    on = _ON.get(state)
    return {name: Scope(name, state, form, non_reentrant, reentrant, why, on) for name in names.split()}


ATTENTION_BACKEND: Final = "the attention backend"
"""The state of kernels' scopes, which speak of it by this name."""

PREFERRED_BACKEND: Final = "FLASH_ATTENTION"
"""The kernel that torch 2.13 takes first where it may (`torch._C._get_sdp_priority_order()`; on CPU it is the only one
beside math): under a scope that allows it forward and recompute agree, but on devices that prefer cuDNN's.
"""

SCOPES: dict[str, Scope] = {
    **_scopes(
        ATTENTION_BACKEND,
        "context",
        "error",
        "silent",
        "torch.nn.attention.sdpa_kernel torch.nn.attention._sdpa_kernel_variadic torch.backends.cuda.sdp_kernel",
        "facts E: metadata differ where the backend chosen outside is another one; reentrant 2e-7 to 3e-2",
    ),
    **_scopes(
        ATTENTION_BACKEND,
        "switch",
        "error",
        "silent",
        "torch.backends.cuda.enable_flash_sdp torch.backends.cuda.enable_mem_efficient_sdp "
        "torch.backends.cuda.enable_math_sdp torch.backends.cuda.enable_cudnn_sdp",
        "facts E: enable_flash_sdp(False) toggled; the others set the same kind of flag",
    ),
    **_scopes(
        "the default dtype",
        "switch",
        "error",
        "silent",
        "torch.set_default_dtype torch.set_default_tensor_type",
        "facts E: a constant made in the region changes its dtype",
    ),
    **_scopes(
        "the oneDNN switch",
        "context",
        "error",
        "silent",
        "torch.backends.mkldnn.flags",
        "facts E: around an LSTM 53 against 12 saved tensors; a convolution stays equal on CPU",
    ),
    **_scopes(
        "the parametrization cache",
        "context",
        "error",
        "silent",
        "torch.nn.utils.parametrize.cached",
        "facts B8, E: fails unless the cache lives inside the function",
    ),
    **_scopes(
        "the parameters given to functional_call",
        "switch",
        "silent",
        "silent",
        "torch.func.functional_call torch.nn.utils.stateless.functional_call",
        "facts B3, E: the recompute reads the module's own parameters",
    ),
    **_scopes(
        "the compiler's stance",
        "context",
        "error",
        "unmeasured",
        "torch.compiler.set_stance",
        "facts E: force_eager on one side only, with a compiled function in the region",
    ),
    **_scopes(
        "a function mode",
        "base",
        "silent",
        "silent",
        "torch.overrides.TorchFunctionMode",
        "facts E: a mode that changes an operation is not active in the recompute; one that observes is harmless",
    ),
    **_scopes(
        "context parallelism",
        "context",
        "unmeasured",
        "unmeasured",
        "torch.distributed.tensor.experimental.context_parallel",
        "docstring: replaces scaled_dot_product_attention while it is open; facts E: not testable without a GPU",
    ),
    **_scopes(
        "a numeric setting",
        "context",
        "info",
        "info",
        "torch.backends.cudnn.flags",
        "facts E: the recompute sees the other value; bit-equal on CPU, GPU not measured",
    ),
    **_scopes(
        "a numeric setting",
        "switch",
        "info",
        "info",
        "torch.set_float32_matmul_precision torch.backends.mha.set_fastpath_enabled torch.use_deterministic_algorithms",
        "facts E: the recompute sees the other value; bit-equal on CPU, GPU not measured",
    ),
    **_scopes(
        "the default device",
        "context",
        "ok",
        "error",
        "torch.device",
        "facts A13, E: restored by the non-reentrant variant only",
    ),
    **_scopes(
        "the default device",
        "switch",
        "ok",
        "error",
        "torch.set_default_device",
        "facts A13, E: restored by the non-reentrant variant only",
    ),
    **_scopes("autocast", "context", "ok", "ok", "torch.autocast", "facts A13, E: restored, bit-equal"),
    **_scopes(
        "autocast", "switch", "ok", "ok", "torch.set_autocast_enabled torch.set_autocast_dtype", "facts E: restored"
    ),
    **_scopes(
        "grad mode",
        "context",
        "ok",
        "ok",
        "torch.enable_grad torch.set_grad_enabled torch.no_grad torch.inference_mode",
        "facts E: restored, or wrong without checkpoint too",
    ),
    **_scopes(
        "an observer",
        "context",
        "ok",
        "ok",
        "torch.autograd.graph.save_on_cpu torch.autograd.graph.saved_tensors_hooks "
        "torch.autograd.set_multithreading_enabled torch.autograd.detect_anomaly torch.autograd.set_detect_anomaly "
        "torch.autograd.profiler.record_function torch.autograd.profiler.profile torch.profiler.profile "
        "torch.random.fork_rng torch.utils.flop_counter.FlopCounterMode "
        "torch.utils.checkpoint.set_checkpoint_early_stop torch.utils.checkpoint.set_checkpoint_debug_enabled",
        "facts A14, E: bit-equal",
    ),
    **_scopes(
        "tensor parallelism",
        "context",
        "ok",
        "ok",
        "torch.distributed.tensor.experimental.implicit_replication torch.distributed.tensor.parallel.loss_parallel",
        "facts E: fails without checkpoint too, so it is no matter of checkpoint",
    ),
    **_scopes(
        "leniency about mutated saved tensors",
        "context",
        "ok",
        "ok",
        "torch.autograd.graph.allow_mutation_on_saved_tensors",
        "facts E: asserts without checkpoint too",
    ),
}
"""Scopes by canonical name."""

EARLY_STOP_SWITCH: Final = "set_checkpoint_early_stop"
"""The last name of the context by which a recompute runs to its end, or stops early (torch/utils/checkpoint.py)."""

CHECKS: Final = ("default", "none")
"""What `determinism_check` may be (torch.utils.checkpoint: ValueError for any other, None included)."""

SELECTIVE: Final = "torch.utils.checkpoint.create_selective_checkpoint_contexts"
DEFAULT_CONTEXTS: Final = "torch.utils.checkpoint.noop_context_fn"
NO_CONTEXT: Final = "contextlib.nullcontext"
"""Contexts of checkpoints that leave the state of the process alone."""

AUTOCAST: Final = SCOPES["torch.autocast"]
LOWER: Final = {"torch.bfloat16": "torch.bfloat16", "torch.float16": "torch.float16", "torch.half": "torch.float16"}
"""The types that autocast runs products in, by how they may be spelled."""
AUTOCAST_TYPES: Final = {"cpu": "torch.bfloat16", "cuda": "torch.float16", "xpu": "torch.bfloat16"}
"""What autocast takes where it is given no type, by device."""

SINGLE: Final = frozenset({NO_CONTEXT, "contextlib.suppress", "contextlib.ExitStack"}) | {
    name for name, scope in SCOPES.items() if scope.form == "context"
}
"""What gives one context when it is called."""
WITH_ARGUMENTS: Final = frozenset(
    {
        "torch.autocast",
        "torch.set_grad_enabled",
        "torch.device",
        "torch.nn.attention.sdpa_kernel",
        "torch.compiler.set_stance",
        "torch.autograd.profiler.record_function",
        "torch.autograd.set_detect_anomaly",
        "torch.autograd.graph.saved_tensors_hooks",
        "torch.utils.checkpoint.create_selective_checkpoint_contexts",
    }
)
"""Those of them, and selective checkpointing's, that raise a TypeError when they are called without arguments."""

ENTERED_ONCE: Final = frozenset(
    {
        "torch.nn.attention.sdpa_kernel",
        "torch.nn.attention._sdpa_kernel_variadic",
        "torch.backends.cuda.sdp_kernel",
        "torch.random.fork_rng",
        "torch.backends.mkldnn.flags",
        "torch.backends.cudnn.flags",
        "torch.nn.utils.parametrize.cached",
        "torch.autograd.graph.disable_saved_tensors_hooks",
        "torch.distributed.tensor.experimental.context_parallel",
        "torch.utils.checkpoint.set_checkpoint_early_stop",
        "torch.utils.checkpoint.set_checkpoint_debug_enabled",
    }
)
"""Functions of torch under `@contextmanager`: what they return can be entered once."""

MODES: Final = ("TorchFunctionMode", "TorchDispatchMode", "BaseTorchFunctionMode")
"""Last names of the bases of a project's own modes (torch/overrides.py, torch/utils/_python_dispatch.py)."""

MODE_HANDLERS: Final = {"__torch_function__": "a function mode", "__torch_dispatch__": "a dispatch mode"}
"""The methods by which a mode handles each operation, with what such a mode is called in messages."""
