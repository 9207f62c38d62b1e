"""Which scopes are worth solving: those with a test that may depend on a tensor, judged without solving anything.

A scope all of whose tests are plain (`plain.py`) has no decision site.
"""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.plain import Plainness
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    HOST,
    UNKNOWN_KIND,
)
from flake8_tensorbranch.engine.regions import homemade, wrappers
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, REGION_BASES, REGION_ENTRIES
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, called_name

WORDS: Final = (
    *(
        ".backward( manual_backward training_step all_reduce torch.distributed accelerat DistributedDataParallel "
        "deterministic sdpa_kernel sdp_kernel use_reentrant context_fn torch.compile torch.export vmap "
        "flex_attention cudnn. symbolic_trace jit.trace preserve_rng_state functional_call checkpoint_wrapper "
        "checkpoint_sequential make_fx utils.checkpoint"
    ).split(),
    "import distributed",
    "utils import checkpoint",
)
"""Words of code that drives training, compiles, exports or spreads: a file with one of them is solved whole."""

_ENTRIES: Final = {q.rsplit(".", 1)[-1] for q in REGION_ENTRIES}
_QUOTED: Final = tuple(f"{quote}{name}{quote}" for name in sorted(_ENTRIES) for quote in "'\"")
_NAMED_FREELY: Final = ("compile",)  # `from torch import compile`: the builtin's name, and a method's
_TRIGGERS: Final = (
    _ENTRIES
    | set(REGION_ATTRIBUTES)
    | {
        "backward",
        "DataLoader",
        "Generator",
        "enter_context",
        "barrier",
        "broadcast",
        "all_gather",
        "gradient_checkpointing_enable",
    }
)


def wanted(analysis: Analysis, index: ModuleIndex, settings: Settings) -> set[FunctionInfo | None] | None:
    """The scopes to solve; None for all of them."""
    if settings.compiled or settings.checkpointed or index.mentions(WORDS) or _renames(index):
        return None
    relevance = Plainness(analysis, index)
    scopes = index.scopes
    chosen = {s for s in scopes if relevance.has_candidates(s)}
    # Callers matter only to those whose own declarations leave a parameter open.
    open_ = [s for s in chosen if s is not None and _is_open(analysis, s)]  # any order
    names = {s.cls.name if s.cls is not None and s.name == "__init__" else s.name for s in open_}
    forwards = "forward" in names
    for scope in scopes:
        inherited = wrappers.inherited(analysis, scope.cls) if scope is not None and scope.cls is not None else ()
        for call in index.calls_in(scope):
            name = called_name(call)
            if (
                name in _TRIGGERS
                or (name in names and scope is not None)
                or wrappers.calls_imported(analysis, index, call)
                or name in inherited
                or (name == "apply" and homemade.imported(analysis, index, scope, call) is not None)
            ):
                chosen.add(scope)
                break
        if forwards and scope is not None and scope.name == "forward":
            chosen.add(scope)
    # Who calls a function that begins a region of what it is given, says what that is.
    plain = (f for f in index.functions if f in chosen and f.cls is None and f.parent is None and f.params)
    helpers = {f.name for f in plain if any(called_name(c) in _ENTRIES for c in f.calls)}
    for scope in scopes if helpers else ():
        if scope not in chosen and any(called_name(call) in helpers for call in index.calls_in(scope)):
            chosen.add(scope)
    for function in index.functions:
        if _is_region_class(analysis, function):
            chosen.add(function)
    return chosen


def _renames(index: ModuleIndex) -> bool:
    """True for a module that imports an entry of regions from torch by a name which does not tell it, or gets it as an
    attribute.
    """
    for table in (index.bindings, index.local_imports):
        for name, bindings in table.items():
            for origin in (binding.imported for binding in bindings):
                if origin is None or origin[1] not in _ENTRIES or (origin[1] == name and name not in _NAMED_FREELY):
                    continue
                if origin[0] == "torch" or origin[0].startswith("torch."):
                    return True
    if not (index.mentions(("getattr(",)) and index.mentions(_QUOTED)):
        return False
    calls = (call for scope in index.scopes for call in index.calls_in(scope))
    return any(called_name(call) == "getattr" and _names_entry(call) for call in calls)


def _names_entry(call: nodes.Call) -> bool:
    name = call.args[1] if len(call.args) > 1 else None
    return isinstance(name, nodes.Const) and name.value in _ENTRIES


def _is_open(analysis: Analysis, function: FunctionInfo) -> bool:
    """True when some parameter of the function has no known value of its own."""
    values = analysis.parameters(function)
    params = function.params[1:] if function.takes_self else function.params
    return any(
        not values[p.name].known or values[p.name].kinds & (UNKNOWN_KIND | HOST) for p in params if p.name in values
    )


def _is_region_class(analysis: Analysis, function: FunctionInfo) -> bool:
    if function.name != "forward" or function.cls is None:
        return False
    return any(analysis.resolver.has_base(function.cls, base.rsplit(".", 1)[-1]) for base in REGION_BASES)
