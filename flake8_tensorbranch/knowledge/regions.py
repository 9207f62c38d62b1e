"""Where checkpointed and traced regions begin, and which host calls a recompute does not replay."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RegionEntry:
    """A callable that makes a region out of a function it is given."""

    qualname: str
    kind: str
    """``checkpointed``, ``compiled``, ``exported``, ``traced`` or ``vmapped``."""
    forms: frozenset[str]
    """How it is used.

    ``call`` runs the function now, with the arguments that follow; ``wrap`` gives back a callable or module whose calls
    are the region; ``decorator`` is written over the function, also with arguments or under `functools.partial`;
    ``method`` makes the receiver the region; ``in-place`` changes submodules of the module it is given.
    """
    argument: int
    """Position of the function, module or sequence of them; -1 where the receiver is meant."""
    keyword: str
    """That parameter's name."""
    passed: int = -1
    """Position of the function's first own argument; -1 where there is none (``wrap``, or `passed_tuple` is used)."""
    passed_tuple: str = ""
    """The parameter that holds the function's arguments as one tuple; it follows the function."""
    sequential: bool = False
    """Whether the function parameter is a sequence of modules, run one after another."""
    reentrant: bool | None = None
    """For checkpoints: the variant used where the call does not say; None where that is not a checkpoint."""
    reentrant_keyword: str = ""
    """The parameter that chooses the variant; empty where there is no choice."""
    own_keywords: tuple[str, ...] = ()
    """Keywords the entry keeps for itself; all others reach the function."""
    why: str = ""
    variant: tuple[str, object, str] | None = None
    """A keyword, a literal, and the kind of region it makes instead."""
    before: tuple[tuple[str, object, str], ...] = ()
    """A keyword, the default it had, and the behaviour (`versions`) with which that changed."""
    selectors: tuple[tuple[int, str], ...] = ()
    """For ``in-place``: the parameters (position, name) that choose the submodules, the first given one counts."""
    wrapper: str = ""  # the parameter that says what is made of the chosen submodules

    def kind_with(self, options: tuple[tuple[str, object], ...]) -> str:
        """The kind of region that a call with these literal keywords makes."""
        if self.variant is not None and dict(options).get(self.variant[0]) is self.variant[1]:
            return self.variant[2]
        return self.kind

    @property
    def wraps(self) -> bool:
        """Whether the result is a callable whose calls are the region, rather than the function's result."""
        return "wrap" in self.forms


def _entry(
    qualname: str,
    kind: str,
    forms: str,
    argument: int,
    keyword: str,
    *,
    why: str,
    passed: int = -1,
    passed_tuple: str = "",
    sequential: bool = False,
    reentrant: bool | None = None,
    reentrant_keyword: str = "",
    own_keywords: str = "",
    variant: tuple[str, object, str] | None = None,
    before: tuple[tuple[str, object, str], ...] = (),
    selectors: tuple[tuple[int, str], ...] = (),
    wrapper: str = "",
) -> RegionEntry:
    return RegionEntry(
        qualname=qualname,
        kind=kind,
        forms=frozenset(forms.split()),
        argument=argument,
        keyword=keyword,
        passed=passed,
        passed_tuple=passed_tuple,
        sequential=sequential,
        reentrant=reentrant,
        reentrant_keyword=reentrant_keyword,
        own_keywords=tuple(own_keywords.split()),
        why=why,
        variant=variant,
        before=before,
        selectors=selectors,
        wrapper=wrapper,
    )


CHECKPOINT_KEYWORDS = "use_reentrant context_fn determinism_check debug early_stop preserve_rng_state"
WRAPPER = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper."

REGION_ENTRIES: dict[str, RegionEntry] = {
    row.qualname: row
    for row in (
        _entry(
            "torch.utils.checkpoint.checkpoint",
            "checkpointed",
            "call",
            0,
            "function",
            passed=1,
            reentrant=True,
            reentrant_keyword="use_reentrant",
            own_keywords=CHECKPOINT_KEYWORDS,
            why="torch/utils/checkpoint.py; facts A5: the default is still True in 2.13",
        ),
        _entry(
            "torch.utils.checkpoint.checkpoint_sequential",
            "checkpointed",
            "call",
            0,
            "functions",
            passed=2,
            sequential=True,
            reentrant=True,
            reentrant_keyword="use_reentrant",
            own_keywords="functions segments input use_reentrant preserve_rng_state",
            why="torch/utils/checkpoint.py: functions, segments, input; the last segment is not checkpointed (facts G)",
        ),
        _entry(
            WRAPPER + "checkpoint_wrapper",
            "checkpointed",
            "wrap",
            0,
            "module",
            reentrant=False,
            reentrant_keyword="checkpoint_impl",
            why="checkpoint_impl is CheckpointImpl.NO_REENTRANT by default (facts G)",
        ),
        _entry(
            WRAPPER + "CheckpointWrapper",
            "checkpointed",
            "wrap",
            0,
            "mod",
            reentrant=False,
            reentrant_keyword="checkpoint_impl",
            why="the module checkpoint_wrapper makes",
        ),
        _entry(
            WRAPPER + "apply_activation_checkpointing",
            "checkpointed",
            "in-place",
            0,
            "model",
            reentrant=False,
            selectors=((3, "auto_wrap_policy"), (2, "check_fn")),
            wrapper="checkpoint_wrapper_fn",
            why="wraps the submodules that the policy selects, never the root; checkpoint_wrapper_fn says how",
        ),
        _entry(
            "torch.distributed._composable.checkpoint",
            "checkpointed",
            "in-place",
            0,
            "module",
            reentrant=False,
            why="torch/distributed/_composable/checkpoint_activation.py: hooks without reentrant autograd",
        ),
        _entry(
            "deepspeed.checkpointing.checkpoint",
            "checkpointed",
            "call",
            0,
            "function",
            passed=1,
            reentrant=True,
            why="deepspeed/runtime/activation_checkpointing/checkpointing.py: an autograd.Function that recomputes",
        ),
        _entry(
            "deepspeed.checkpointing.non_reentrant_checkpoint",
            "checkpointed",
            "call",
            0,
            "function",
            passed=1,
            reentrant=False,
            why="deepspeed/runtime/activation_checkpointing/checkpointing.py: saved tensor hooks",
        ),
        _entry(
            "megatron.core.tensor_parallel.checkpoint",
            "checkpointed",
            "call",
            0,
            "function",
            passed=2,
            reentrant=True,
            why="megatron/core/tensor_parallel/random.py: function, distribute_saved_activations, *args",
        ),
        _entry(
            "fairscale.nn.checkpoint.checkpoint_wrapper",
            "checkpointed",
            "wrap",
            0,
            "module",
            reentrant=True,
            why="fairscale/nn/checkpoint/checkpoint_activations.py: an autograd.Function that recomputes",
        ),
        _entry(
            "timm.models.checkpoint",
            "checkpointed",
            "call",
            0,
            "function",
            passed=1,
            reentrant=False,
            reentrant_keyword="use_reentrant",
            own_keywords=CHECKPOINT_KEYWORDS,
            why="timm/models/_manipulate.py: use_reentrant_ckpt() is False unless the environment says otherwise",
        ),
        _entry(
            "timm.models.checkpoint_seq",
            "checkpointed",
            "call",
            0,
            "functions",
            passed=1,
            sequential=True,
            reentrant=False,
            reentrant_keyword="use_reentrant",
            own_keywords=CHECKPOINT_KEYWORDS,
            why="timm/models/_manipulate.py: functions, x",
        ),
        _entry(
            "torch.compile",
            "compiled",
            "wrap decorator",
            0,
            "model",
            why="torch/__init__.py; also with arguments as a decorator",
        ),
        _entry("torch.nn.Module.compile", "compiled", "method", -1, "self", why="compiles the module's call in place"),
        _entry(
            "torch.export.export",
            "exported",
            "call",
            0,
            "mod",
            passed_tuple="args",
            before=(("strict", True, "export-non-strict"),),
            why="torch/export/__init__.py: mod, args; strict=False by default (facts J)",
        ),
        _entry(
            "torch.export.export_for_training",
            "exported",
            "call",
            0,
            "mod",
            passed_tuple="args",
            why="torch.export before 2.9",
        ),
        _entry(
            "torch.jit.trace",
            "traced",
            "call wrap",
            0,
            "func",
            passed_tuple="example_inputs",
            why="torch/jit/_trace.py: runs once and bakes the branch (facts J); torch.jit.script does not",
        ),
        _entry(
            "torch.jit.trace_module",
            "traced",
            "call wrap",
            0,
            "mod",
            why="torch/jit/_trace.py: what torch.jit.trace calls for modules",
        ),
        _entry(
            "torch.onnx.export",
            "exported",
            "call",
            0,
            "model",
            passed_tuple="args",
            variant=("dynamo", False, "traced"),
            before=(("dynamo", False, "onnx-dynamo"),),
            why="torch/onnx/__init__.py: dynamo=True by default since 2.9, non-strict then strict export; else a trace",
        ),
        _entry(
            "torch.fx.symbolic_trace",
            "traced",
            "wrap",
            0,
            "root",
            why="torch/fx/_symbolic_trace.py; value and shape branches raise",
        ),
        _entry(
            "torch.fx.experimental.proxy_tensor.make_fx",
            "traced",
            "wrap",
            0,
            "f",
            why="torch/fx/experimental/proxy_tensor.py",
        ),
        _entry(
            "torch.vmap",
            "vmapped",
            "wrap decorator",
            0,
            "func",
            why="torch/_functorch/apis.py; value branches raise (facts J)",
        ),
    )
}
"""Region entries by canonical name."""


def entry(qualname: str) -> RegionEntry | None:
    """The region entry of a canonical name; None where it is none."""
    return REGION_ENTRIES.get(qualname)


REGION_ATTRIBUTES: dict[str, RegionEntry] = {
    "_gradient_checkpointing_func": _entry(
        "_gradient_checkpointing_func",
        "checkpointed",
        "call",
        0,
        "function",
        passed=1,
        reentrant=False,
        own_keywords=CHECKPOINT_KEYWORDS,
        why="transformers and diffusers set it to torch's checkpoint with use_reentrant=False: modeling_utils.py",
    ),
}
"""Attributes of modules that hold a checkpoint function, by attribute name."""

REGION_BASES: dict[str, RegionEntry] = {
    "transformers.modeling_layers.GradientCheckpointingLayer": _entry(
        "transformers.modeling_layers.GradientCheckpointingLayer",
        "checkpointed",
        "method",
        -1,
        "self",
        reentrant=False,
        why="transformers/modeling_layers.py: wraps the forward of every subclass in _gradient_checkpointing_func",
    ),
}
"""Base classes whose subclasses' ``forward`` is a region."""


@dataclass(frozen=True, slots=True)
class HostSource:
    """A call whose result differs in the recompute of a checkpointed region."""

    kind: str
    """``random``, ``identity`` or ``time``."""
    why: str


def _sources(kind: str, prefix: str, names: str, why: str) -> dict[str, HostSource]:
    return {prefix + name: HostSource(kind, why) for name in names.split()}


_PYTHON = (
    "random uniform randint randrange choice choices shuffle sample gauss normalvariate lognormvariate expovariate "
    "betavariate gammavariate paretovariate weibullvariate vonmisesvariate triangular getrandbits randbytes "
    "binomialvariate"
)
_NUMPY = (
    "random choice shuffle permutation normal standard_normal uniform binomial poisson beta gamma exponential "
    "multinomial multivariate_normal dirichlet laplace lognormal geometric bytes"
)
_NOT_REPLAYED = "checkpoint saves torch's generators only; flips in 37-60 % of 30 runs (facts D)"

RNG_HOST: dict[str, HostSource] = {
    **_sources("random", "random.", _PYTHON, _NOT_REPLAYED),
    **_sources("random", "random.Random.", _PYTHON, _NOT_REPLAYED),
    **_sources("random", "random.SystemRandom.", _PYTHON, _NOT_REPLAYED),
    **_sources("random", "numpy.random.", _NUMPY + " rand randn randint random_sample sample ranf", _NOT_REPLAYED),
    **_sources("random", "numpy.random.RandomState.", _NUMPY + " rand randn randint random_sample", _NOT_REPLAYED),
    **_sources("random", "numpy.random.Generator.", _NUMPY + " integers permuted", _NOT_REPLAYED),
    **_sources("random", "secrets.", "choice randbelow randbits token_bytes token_hex token_urlsafe", _NOT_REPLAYED),
    **_sources("random", "os.", "urandom getrandom", _NOT_REPLAYED),
    **_sources("identity", "uuid.", "uuid1 uuid4", _NOT_REPLAYED),
    **_sources(
        "time",
        "time.",
        "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns thread_time",
        _NOT_REPLAYED,
    ),
    **_sources("time", "datetime.", "datetime.now datetime.utcnow datetime.today date.today", _NOT_REPLAYED),
}
"""Calls outside torch that checkpoint does not replay, by canonical name."""


def host_source(qualname: str) -> HostSource | None:
    """Why the result of a call outside torch differs in a recompute; None where it does not, or nothing is known."""
    return RNG_HOST.get(qualname)
