"""Names by which training frameworks and loggers call, and are called: steps, backwards, messages."""

from __future__ import annotations

from typing import Final

LIGHTNING_STEPS: Final = frozenset({"training_step", "validation_step", "test_step", "predict_step"})
"""Methods that Lightning calls as a loop would."""

LOSSES: Final = {"training_step": ("LightningModule",), "compute_loss": ("Trainer",)}
"""Methods whose result the framework calls backward on, with the classes they belong to (Lightning, transformers)."""

BACKWARDS: Final = frozenset({"backward", "manual_backward"})
"""Methods that run a backward: tensors, accelerate, Fabric, DeepSpeed; Lightning modules."""

BACKWARD_WORDS: Final = ("backward(", "autograd.grad")
"""What stands in a file that runs a backward, by whatever method of these."""

DRIVES_TRAINING: Final = BACKWARDS | {"zero_grad"}
"""Methods that only a training loop calls."""

LOG_LEVELS: Final = ("debug", "info", "warning", "error", "exception", "critical", "log", "warning_once", "info_once")
"""Methods of loggers (logging, transformers.utils.logging)."""

LOGGING: Final = frozenset(
    {"print", "rank_zero_info", "rank_zero_debug", "rank_zero_print", "rank_zero_log", *LOG_LEVELS}
)
"""Calls that tell something and change nothing."""

WARNING: Final = frozenset({"warn", "warn_explicit", "rank_zero_warn", "_warn_once", "rank_zero_deprecation"})
"""Calls that warn (warnings, lightning, torch's own helpers)."""

TELLS: Final = LOGGING | WARNING | {"add_scalar"}
"""Calls that tell a number to someone: messages, and the curves of torch.utils.tensorboard."""

LOSS_WORDS: Final = ("loss", "aux")
"""Parts of names by which what a module returns beside its output is differentiated, too."""

SEARCHES_UNUSED: Final = frozenset(
    {
        ("DDPStrategy", "find_unused_parameters"),
        ("DistributedDataParallelKwargs", "find_unused_parameters"),
        ("TrainingArguments", "ddp_find_unused_parameters"),
    }
)
"""Classes of lightning, accelerate and transformers, with the argument by which they have DDP search unused
parameters.
"""

SEARCHING_STRATEGIES: Final = frozenset({"ddp_find_unused_parameters_true"})
"""Names of lightning's strategies that do so."""
