"""Autocasts and grad modes that a `context_fn` opens: whether forward and recompute compute alike under both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.holding import Held
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.gradients import GRADIENTS_OFF
from flake8_tensorbranch.knowledge.operations import PRODUCTS
from flake8_tensorbranch.knowledge.scopes import AUTOCAST, AUTOCAST_TYPES, LOWER, NO_CONTEXT
from flake8_tensorbranch.syntax.printing import source_of

_SLOTS: Final = ("device_type", "dtype", "enabled", "cache_enabled")
_OLD_SLOTS: Final = ("enabled", "dtype", "cache_enabled")  # torch.cuda.amp.autocast, torch.cpu.amp.autocast
_SETS: Final = "torch.set_grad_enabled"
_STOPS: Final = frozenset(f"torch.{name}" for name in GRADIENTS_OFF)


@dataclass(frozen=True, slots=True)
class _Cast:
    """One autocast: its device, its type and by what it is switched on. A device that the source does not tell is `?`
    and the expression, the type that such a device brings `?`, a type that is not told None.
    """

    device: str
    dtype: str | None
    switch: str

    @property
    def off(self) -> bool:
        """Whether it is certainly switched off."""
        return self.switch == "False"


_NOTHING: Final = _Cast("", "", "False")


def differ(origins: Origins, options: Options, held: Held, first: Expr, second: Expr, bound: dict[str, Expr]) -> bool:
    """True when the region computes in another precision in the recompute than in the forward, or without gradients
    in the recompute alone (torch 2.13: an error each).
    """
    if _stops(origins, options, second):
        return not _stops(origins, options, first) and not origins.externals(first) & {_SETS}
    one, other = _cast(origins, options, first, bound), _cast(origins, options, second, bound)
    if one is None or other is None or (one.off and other.off):
        return False
    if held.lacks(AUTOCAST) and not any(_multiplies(f.node) for f in held.functions):
        return False
    if one.off or other.off:
        return (other if one.off else one).dtype is not None
    if None in (one.dtype, other.dtype) or one.switch != other.switch:
        return False
    if one.device != other.device:
        return not (one.device + other.device).count("?")
    return one.dtype != other.dtype and "?" not in (one.dtype, other.dtype)


def _stops(origins: Origins, options: Options, call: Expr) -> bool:
    """True for a context under which nothing requires grad."""
    names = origins.externals(call)
    given = call.node.args[:1] + [k.value for k in call.node.keywords]
    values = options.constants(Expr(call.module, call.scope, given[0])) if given else []
    if _SETS in names:
        return values == [False]
    return bool(names & _STOPS) and (not given or values == [True])


def _cast(origins: Origins, options: Options, call: Expr, bound: dict[str, Expr]) -> _Cast | None:
    """The autocast that a call builds, with what a partial or default binds names to; None for what builds something
    else, or is switched by what only callers know.
    """
    names = origins.externals(call)
    if NO_CONTEXT in names:
        return _NOTHING
    if AUTOCAST.qualname not in names or any(k.arg is None for k in call.node.keywords):
        return None
    args = call.node.args
    keywords = {k.arg: k.value for k in call.node.keywords}
    old = "device_type" not in keywords and not (args and not isinstance(getattr(args[0], "value", None), bool))
    given: dict[str, nodes.NodeNG] = {**dict(zip(_OLD_SLOTS if old else _SLOTS, args, strict=False)), **keywords}

    def constants(name: str) -> list[object]:
        return options.constants(Expr(call.module, call.scope, given[name])) if name in given else []

    devices = [d for d in constants("device_type") if isinstance(d, str)]
    device = "" if old else "?" + source_of(given["device_type"]) if "device_type" in given else "?"
    if len(devices) == 1:
        device = devices[0].partition(":")[0]
    switch = source_of(given["enabled"]) if "enabled" in given else "True"
    switches = options.constants(bound[switch]) if switch in bound else constants("enabled")
    if len(switches) == 1 and isinstance(switches[0], bool):
        switch = str(switches[0])
    elif call.scope is not None and any(p.name == switch for p in call.scope.params):
        return None
    dtype: str | None = AUTOCAST_TYPES.get(device, "?")
    if "dtype" in given and constants("dtype") != [None]:
        told = origins.of(Expr(call.module, call.scope, given["dtype"]))
        resolver = origins.program.analysis.resolver
        types = {LOWER.get(str(resolver.expression(t.module, t.node, t.scope))) for t in told}
        dtype = types.pop() if len(types) == 1 else None
    return _Cast(device, dtype, switch)


def _multiplies(function: nodes.NodeNG) -> bool:
    """True for a function that multiplies matrices by an operator or a method."""
    if any(node.op in ("@", "@=") for node in function.nodes_of_class((nodes.BinOp, nodes.AugAssign))):
        return True
    calls = function.nodes_of_class(nodes.Call)
    return any(isinstance(c.func, nodes.Attribute) and c.func.attrname in PRODUCTS for c in calls)
