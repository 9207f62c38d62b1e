"""Sinks: the places where a value, a region or a scope is consumed, as rules see them."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.regions.region import Entry, Membership
from flake8_tensorbranch.knowledge.tracing import OF_THE_PROXY, RECORDED_OF_A_SIZE
from flake8_tensorbranch.syntax.names import FunctionInfo

GRAD_MODE: Final = "grad mode"
"""In `ValueSite.mutated`: the reentrant checkpoint changes it (no grad in forward, grad in recompute)."""


class SinkKind(enum.Enum):
    """What consumes a value."""

    BRANCH = "branch"  # a tensor's value decides which way is taken
    LOOP = "loop"  # a tensor's value decides how often a loop runs
    SETTLED = "settled"  # a number that was read from a tensor when its object was made decides
    RAISE = "raise"  # a tensor's value only guards an error or a warning
    MAPPED_DRAW = "mapped-draw"  # a draw under `vmap`, which was not told whether all elements draw the same
    MAPPED_WRITE = "mapped-write"  # a mapped value is written into a tensor that is one for the whole batch
    RANDOM = "random"  # host randomness enters a tensor
    SIZE_BRANCH = "size-branch"
    SIZE_LOOP = "size-loop"
    CHECKPOINT = "checkpoint"  # a call that checkpoints a function
    COLLECTIVE = "collective"  # a value that differs between ranks decides what they must do together
    UNREPEATABLE = "unrepeatable"  # a decision on a value out of a nondeterministic operator
    SWITCH = "switch"  # a setting that determinism rests on, or a comparison that rests on it
    SCOPE = "scope"  # a context that is open while a checkpointed function runs
    STATE = "state"  # a checkpointed region changes what outlives it
    LATE_BINDING = "late-binding"  # a checkpointed function reads a name that is bound anew before its recompute
    SWALLOWED = "swallowed"  # a handler in a checkpointed region takes what ends its recompute
    CHANGED = "changed"  # something that the recompute reads is changed before it
    KEPT_GRAPH = "kept-graph"  # a cache that a checkpointed region fills keeps a tensor with its graph
    DYNAMIC_SHAPE = "dynamic-shape"  # values decide the size of a tensor in a checkpointed region
    STATISTICS = "statistics"  # a normalization in a checkpointed region keeps running statistics
    UNPACKED = "unpacked"  # a custom function in a checkpointed region takes its saved tensors twice
    RNG_STATE = "rng-state"  # a checkpoint that does not restore the random state
    SCALAR_READ = "scalar-read"  # a tensor's value becomes a Python number
    SIZED_RESULT = "sized-result"  # an operator's result has a size that depends on values
    COMPILED_STATE = "compiled-state"  # Python state that a compiled function is specialised on and that changes
    DIMENSION = "dimension"  # a dimension declared dynamic that something fixes
    UNGUARDED = "unguarded"  # a compiled function runs under a setting that its guards do not know
    FLEX = "flex"  # a call of flex_attention
    COMPILED_CHECKPOINT = "compiled-checkpoint"  # a checkpoint and a compiled region that do not go together


class Decides(enum.Enum):
    """What a branch decides."""

    WORK = "work"  # tensor work that flows on
    RESULT = "result"  # what is returned, counted, appended, skipped, saved
    NOTHING = "nothing"  # only a log, a print, telemetry
    ERROR = "error"  # only whether an error or a warning is raised


@dataclass(frozen=True, slots=True)
class SinkSite:
    """One place in the file under check; `node` is where a finding about it sits.

    `repairs` holds edits of the file by the name of what they do (see `engine.repairs`); rules choose among them.
    """

    kind: SinkKind
    node: nodes.NodeNG
    function: FunctionInfo | None
    repairs: dict[str, tuple[Edit, ...]] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True, slots=True)
class ValueSite(SinkSite):
    """A value that decides something.

    `deps` is what the decision depends on (bits of `engine.lattice`). `subject` is the source text that is read,
    `effect` says what is decided ("whether `x` is multiplied"). `driver` is true in code that no recorded computation
    depends on: it runs backward or an optimizer step itself, or wholly without gradients. `regions` holds the
    function's place in each kind of region. `mutated` names state of the region that the predicate reads and the region
    itself changes.
    """

    value: AbstractValue
    deps: int
    subject: str
    effect: str
    decides: Decides
    driver: bool
    certain: bool
    regions: dict[str, Membership] = field(default_factory=dict)
    guarded: bool = False  # a test of `torch.compiler.is_compiling()` keeps it out of traced code
    checked: bool = False  # `torch._check` promised something about what is read: a tracer may know the outcome
    declared: str = ""  # the size is of a dimension declared dynamic, which the decision fixes; how it was declared
    mutated: str = ""
    draw: str = ""  # of what is drawn: see `engine.branching.drawings`
    form: str = "if"
    # Of sizes: "equality" where only `==` and `!=` ask, "empty" and "single" where one is compared with 0 and with 1,
    # "truth" where it is asked itself, `if n`; of loops: "rounds" where several sizes have the same number of them.
    comparison: str = ""
    apart: str = ""  # why its sides are not to be picked between: see `engine.branching.sides`
    frame_lost: bool = False  # inside `for`, `try`, a generator: the whole frame runs eagerly
    related: tuple[Related, ...] = ()

    @property
    def eager(self) -> bool:
        """Whether no region speaks of the site: it is in none, or kept out of the traces of those it is in."""
        return not self.regions or (self.guarded and "checkpointed" not in self.regions)

    @property
    def speaks(self) -> str:
        """The kind of region whose code speaks of the site, so that each site has one; empty outside of regions.

        A recompute comes first (its flip is silent), then the tracers that refuse or freeze the branch, then compile.
        """
        return next((kind for kind in _ORDER if kind in self.regions), "")

    @property
    def proxied(self) -> str:
        """What a proxy of torch.fx does where the site asks it for a size: `recorded` as an operation, `itself` where
        it answers for itself, empty where it raises.
        """
        return "recorded" if self.form in RECORDED_OF_A_SIZE else "itself" if self.form in OF_THE_PROXY else ""


OFTEN = "how often the loop runs"
"""The effect of a loop's own test, or of what it runs over."""

ENDS = "when the loop ends"
"""The effect of a `break`."""

FULL = "which rounds of the loop run in full"
"""The effect of a `continue`."""

ROWS = "what each round works on"
"""The effect of a loop over what `tolist()` gave: there are as many rounds as rows."""

RESIZED = "resized"
LOOKED_UP = "looked up"
"""Why the sides of a branch are not to be picked between: see `engine.branching.sides`."""

_ORDER = ("checkpointed", "exported", "vmapped", "traced", "compiled")


@dataclass(frozen=True, slots=True)
class TracedSite(SinkSite):
    """What a tracer (compile, export, vmap) meets; `facts` holds what the rule of its kind asks for."""

    subject: str
    regions: dict[str, Membership] = field(default_factory=dict)
    facts: dict[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckpointSite(SinkSite):
    """A call of an activation checkpoint; see `engine.checkpointing.checkpoints`, which fills it."""

    entry: Entry
    facts: dict[str, object] = field(default_factory=dict)
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class ScopeSite(SinkSite):
    """A scope that ends before the backward that recomputes a checkpointed call inside of it."""

    entry: Entry
    state: str
    related: tuple[Related, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RegionSite(SinkSite):
    """Something in a checkpointed region that its recompute does not repeat alike.

    `subject` is the source text it is about, `form` says in one word which way it is (each sink's rule knows its
    forms). `reentrant` is the variant of the checkpoint, None where the source does not tell.
    """

    subject: str
    form: str
    reentrant: bool | None
    certain: bool = True
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class CollectiveSite(SinkSite):
    """A value that differs between ranks and decides what all of them must do together.

    `label` names the collective, or with `replica` the module that takes part in a replicated forward or does not.
    `often`: how often it runs is decided, not whether. `shape`: the operand itself has another size on every rank.
    """

    subject: str
    label: str
    often: bool
    replica: bool
    shape: bool
    backward: bool
    certain: bool
    rank: bool = False  # the value is the rank itself
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class UnrepeatableSite(SinkSite):
    """A decision on a value that flows out of a nondeterministic operator, named by `operator`."""

    subject: str
    effect: str
    operator: str
    certain: bool
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchSite(SinkSite):
    """Something wrong with a setting that determinism rests on, or with a comparison; `facts` hold its particulars.

    `what` is one of `autotuned`, `warn-only`, `cublas`, `compared`, `copied-generator`, `shuffled`.
    """

    what: str
    facts: dict[str, str] = field(default_factory=dict)
    certain: bool = True
    related: tuple[Related, ...] = ()
