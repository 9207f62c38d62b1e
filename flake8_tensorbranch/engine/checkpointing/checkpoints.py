"""Checkpoint calls: what reaches them, which scopes are open, which backward recomputes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.engine.checkpointing import callshape, segments, transforms
from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.contexts import Contexts
from flake8_tensorbranch.engine.checkpointing.gradients import Gradients
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.checkpointing.reentrant import Reentrant
from flake8_tensorbranch.engine.checkpointing.savedobjects import saves_object
from flake8_tensorbranch.engine.checkpointing.scoped import Scoped
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions import wrappers
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.repairs import variants as edits
from flake8_tensorbranch.engine.repairs.contexts import callable_instead
from flake8_tensorbranch.engine.sink import CheckpointSite, ScopeSite, SinkKind
from flake8_tensorbranch.knowledge.frameworks import BACKWARD_WORDS
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.knowledge.tracing import ENTRY_WORDS, FORWARD_MODE, TRANSFORMING
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_BY_INPUTS: Final = ("autograd", "inputs=")
"""What the text of a file holds that runs a backward by inputs."""

_PARALLEL: Final = ("DistributedDataParallel", "find_unused_parameters")
"""What the text of a file holds that makes DDP modules, or has a trainer make them."""


def sites(program: Program, regions: Regions) -> Iterator[CheckpointSite | ScopeSite]:
    """The sites of a program that rules about checkpoint calls and scopes look at."""
    origins = Origins(program)
    recomputes = Recomputes(origins, regions)
    checkpoints = any(e.kind == "checkpointed" for e, _ in regions.entries) or bool(recomputes.home)
    scoped = Scoped(origins, regions, recomputes)
    # A scope can end too early only for a backward in view, or for a step whose caller runs it.
    if program.index.mentions((*BACKWARD_WORDS, "_step(", "compute_loss(")):
        yield from scoped.sites()
    calls = _Calls(origins, recomputes, scoped.backward)
    if checkpoints:
        yield from calls.sites()
    yield from calls.kept()
    yield from calls.handed()
    yield from calls.begun()
    yield from calls.differentiated()
    yield from calls.around()
    yield from calls.wrapped()


def _choice(row: RegionEntry) -> dict[str, object]:
    """How a checkpoint is told which variant to be: not at all (`fixed`), by `checkpoint_impl` (`implementation`)."""
    by_implementation = row.reentrant_keyword == "checkpoint_impl" or bool(row.wrapper)
    return {"fixed": not row.reentrant_keyword, "implementation": by_implementation}


class _Calls:
    """What is to be said of single checkpoint calls."""

    def __init__(self, origins: Origins, recomputes: Recomputes, backward: Backward) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.options: Options = recomputes.options
        self.contexts = Contexts(origins, recomputes)
        self.has = recomputes.regions.has
        self.gradients = Gradients(origins, recomputes)
        self.backward = backward
        self.reentrant = Reentrant(origins, recomputes, backward, self.gradients.frozen)
        self._returned: dict[FunctionInfo, list[Recompute]] = {}
        self._handed: set[nodes.NodeNG] = set()

    def sites(self) -> Iterator[CheckpointSite]:
        for made in self.recomputes.all():
            call = made.call.node
            facts = self._facts(made, made.row) if made.row is not None else self._home(made)
            if facts:
                yield self._site(made, call, facts, self._repairs(made, facts))

    def kept(self) -> Iterator[CheckpointSite]:
        """Partials of checkpoints, by whose options other files call what they hold."""
        for made in self.recomputes.kept():
            if made.row is not None:
                yield self._site(made, made.call.node, self._told(made, made.row))

    def handed(self) -> Iterator[CheckpointSite]:
        """Calls of wrappers in other files whose reentrant checkpoint is given what it cannot take by this file."""
        program = self.origins.program
        for scope, solved in program.facts.items():
            for call, callees in solved.calls.items():
                for callee in callees if isinstance(call, nodes.Call) and scope is not None else ():
                    if callee.module is program.index or callee.name == "__init__":
                        continue
                    hands = [h for h in wrappers.handed(program.analysis, callee) if h.row.kind == "checkpointed"]
                    given = wrappers.argument(call, callee, hands[0].parameter) if hands else None
                    expr = Expr(program.index, scope, call)
                    if hands and given is None:
                        yield from self._of_base(expr, callee, hands[0].parameter)
                    if given is None or without_grad(self.origins, expr):
                        continue
                    self._handed.add(call)
                    for inner in self.recomputes.tree.calls(callee):
                        made = self.recomputes.direct(inner)
                        if made is None or made.row is None or made.functions:
                            continue
                        variants = self.variants(made)
                        module = Expr(program.index, scope, given)
                        found = tuple(functions_of(program.analysis, self.origins.value(module)))
                        own = replace(made, function=module, functions=found)
                        facts: dict[str, object] = {}
                        if callshape.flag_behind(self.origins, expr, callee, made, module):
                            facts["flag"] = True
                        if True in variants or variants == {None}:
                            facts |= self.gradients.of(own)
                            facts |= self.reentrant.handed(replace(own, call=expr), not facts.get("no_grad_input"))
                        if facts:
                            facts |= {"variants": variants, **_choice(made.row)}
                            yield replace(self._site(made, call, facts), function=scope)

    def _of_base(self, call: Expr, method: FunctionInfo, hand: str) -> Iterator[CheckpointSite]:
        """The site of a call of an object whose base, in another file, checkpoints a method of its class in this file,
        and gets nothing that can require grad.
        """
        owner = Expr(call.module, call.scope, call.node.func)
        classes = [
            r.cls for r in self.origins.value(owner).each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)
        ]
        own = [c.methods[hand[5:]] for c in classes if hand.startswith("self.") and hand[5:] in c.methods]
        for inner in method.calls if own and not without_grad(self.origins, call) else ():
            made = self.recomputes.direct(Expr(method.module, method, inner))
            variants = self.variants(made) if made is not None else set()
            if made is None or made.row is None or not (True in variants or variants == {None}):
                continue
            facts = self.gradients.of(replace(made, function=owner, functions=tuple(own)))
            if facts:
                facts |= {"variants": variants, **_choice(made.row)}
                yield replace(self._site(made, call.node, facts), function=call.scope)

    def begun(self) -> Iterator[CheckpointSite]:
        """What begins a reentrant region that no call of this file checkpoints: a class whose base in another file does
        so with its method, a module that is wrapped in one of another file, `forward = partial(checkpoint, ...)`. Comes
        after `handed`, whose calls it leaves out.
        """
        index = self.origins.program.index
        for begin, functions in self.recomputes.regions.entries:
            node, row = begin.node, begin.row
            if node is None or row is None or row.kind != "checkpointed" or not begin.reentrant or not functions:
                continue
            called = isinstance(node, nodes.Call) and "decorator" not in row.forms and node not in self._handed
            if isinstance(node, nodes.ClassDef) or (
                called and self.recomputes.direct(Expr(index, begin.scope, node)) is None
            ):
                made = Recompute(Expr(index, begin.scope, node), None, tuple(functions), row)
                facts = self.reentrant.within(made)
                if facts:
                    yield self._site(made, node, facts | {"variants": {True}, **_choice(row)})

    def differentiated(self) -> Iterator[CheckpointSite]:
        """Calls of functions in other files that give what a reentrant checkpoint gave, differentiated in this one."""
        program = self.origins.program
        for scope, solved in program.facts.items() if program.index.mentions(_BY_INPUTS) else ():
            for call, callees in solved.calls.items():
                strangers = (c for c in callees if c.module is not program.index and c.name != "__init__")
                given = [(m, m.row) for c in strangers for m in self._given(c) if m.row is not None]
                facts = self.reentrant.partial(Expr(program.index, scope, call)) if given else {}
                for made, row in given if facts else ():
                    told = facts | {"variants": self.variants(made), **_choice(row)}
                    yield replace(self._site(made, call, told), function=scope)

    def _given(self, function: FunctionInfo) -> list[Recompute]:
        """The calls of reentrant checkpoints that stand in a function and whose outputs it returns."""
        if function not in self._returned:
            returned = {r.value for r in function.returns_nodes}
            names = {node.name for node in returned if isinstance(node, nodes.Name)}
            found = self._returned[function] = []
            for call in function.calls if function.module.mentions(ENTRY_WORDS) else ():
                bound = getattr(call.parent, "targets", None) or [getattr(call.parent, "target", None)]
                if call in returned or any(isinstance(t, nodes.AssignName) and t.name in names for t in bound):
                    made = self.recomputes.direct(Expr(function.module, function, call))
                    variants = set() if made is None else self.variants(made)
                    if made is not None and (True in variants or variants == {None}):
                        found.append(made)
        return self._returned[function]

    def around(self) -> Iterator[CheckpointSite]:
        """Calls that run a whole module in another way; what it checkpoints may be in another file."""
        if self.origins.program.index.mentions(("functional_call",)):
            for expr, made in callshape.functional_calls(self.origins, self.recomputes, self.backward):
                yield replace(self._site(made, expr.node, {"functional": True}), function=expr.scope)
        if self.origins.program.index.mentions(TRANSFORMING):
            for expr, name, made in transforms.around(self.origins, self.recomputes):
                facts: dict[str, object] = {"transformed": name}
                if name in FORWARD_MODE:
                    if not transforms.of_a_result(self.backward, expr) or self.variants(made) != {False}:
                        continue
                    facts = {"forward_mode": name}
                yield replace(self._site(made, expr.node, facts), function=expr.scope)

    def wrapped(self) -> Iterator[CheckpointSite]:
        """Calls that wrap modules of a model in reentrant checkpoints, where DDP cannot take the model."""
        if not self.origins.program.index.mentions(_PARALLEL):
            return
        for model, made in self.reentrant.parallel.abroad():
            told: dict[str, object] = {"ddp": "unused", "variants": {True}}
            around = model.node.parent if isinstance(model.node.parent, nodes.Call) else model.node
            if made.row is not None:
                yield replace(self._site(made, around, told | _choice(made.row)), function=model.scope)
        models = self.reentrant.parallel.models()
        for expr, row, how in self.reentrant.parallel.outside.given(models) if models else ():
            made = Recompute(expr, None, (), row)
            facts: dict[str, object] = {"ddp": how, "variants": {True}, **_choice(row)}
            yield self._site(made, expr.node, facts)

    def _site(
        self,
        made: Recompute,
        node: nodes.NodeNG,
        facts: dict[str, object],
        repairs: dict[str, tuple[Edit, ...]] | None = None,
    ) -> CheckpointSite:
        """The site at a node; what explains it, `places` in the facts, becomes its related places."""
        variants = self.variants(made)
        options = tuple(("use_reentrant", v) for v in (False, None, True) if v in variants)
        entry = Entry("checkpointed", made.call.node, made.call.scope, made.row, options)
        related = []
        if made.call.node is not node:
            related.append(noted(made.call.module.path, made.call.node, "checkpointed here"))
        partial = facts.get("partial_backward")
        if isinstance(partial, Expr):
            related.append(noted(partial.module.path, partial.node, "differentiated by this call"))
        for function in made.functions[:2]:
            related.append(noted(function.module.path, function.node, "the checkpointed function"))
        return CheckpointSite(
            SinkKind.CHECKPOINT, node, made.call.scope, entry, facts, tuple(related), repairs=repairs or {}
        )

    def _repairs(self, made: Recompute, facts: dict[str, object]) -> dict[str, tuple[Edit, ...]]:
        """The edits of a call that calls torch's checkpoint and nothing else."""
        call, row, index = made.call, made.row, self.origins.program.index
        if row is None or call.module is not index or not row.qualname.startswith("torch.utils.checkpoint."):
            return {}
        if self.origins.externals(call) != {row.qualname} or self.origins.callees(call).keys() - made.functions:
            return {}
        found: dict[str, tuple[Edit, ...] | None] = {}
        variants, keywords, segments = facts["variants"], facts.get("keywords"), facts.get("segments")
        if facts.get("flag"):
            if callshape.only_the_flag_is_too_much(made, row):
                found["flag"] = edits.flag(index, call.node)
        elif isinstance(variants, set) and (True in variants or variants == {None}):
            found["nonreentrant"] = edits.nonreentrant(index, call.node, row)
            # Where the variant is chosen elsewhere, the keywords give way to it.
            told = variants == {None} or made.bound or edits.is_told(call.node)
            if isinstance(keywords, tuple) and keywords and not told:
                found["bound"] = edits.bound(index, call.scope, call.node, row, keywords)
        malformed = facts.get("malformed")
        if isinstance(malformed, str):
            found["context"] = callable_instead(index, call.scope, call.node, malformed)
        if isinstance(segments, tuple) and not made.bound:
            found["segments"] = edits.segments(call.node, segments[1])
        return {name: made_of for name, made_of in found.items() if made_of is not None}

    def variants(self, made: Recompute) -> set[bool | None]:
        """The variants a call may be; see `Recomputes.variants`."""
        return self.recomputes.variants(made)

    def _home(self, made: Recompute) -> dict[str, object]:
        """What is wrong with a call of a home-made checkpoint."""
        saved = saves_object(self.origins, made)
        return {"saved_object": saved} if saved else {}

    def _facts(self, made: Recompute, row: RegionEntry) -> dict[str, object]:
        facts = self._told(made, row)
        variants = self.variants(made)
        if row.qualname.startswith("torch.utils.checkpoint."):
            facts["flag"] = callshape.positional_flag(self.origins, made, row)
            facts["segments"] = segments.segments(self.origins, self.options, made, row)
        if variants == {False}:
            facts["transforms"] = transforms.inside(self.origins, self.recomputes, made)
        if True in variants or variants == {None}:
            facts.update(self.gradients.of(made))
            facts.update(self.reentrant.of(made, not facts.get("no_grad_input")))
        return facts

    def _told(self, made: Recompute, row: RegionEntry) -> dict[str, object]:
        """What is wrong with the options of a checkpoint, whatever it is called with."""
        call = made.call
        variants = self.variants(made)
        facts: dict[str, object] = {"variants": variants, "callee": row.qualname.rsplit(".", 1)[-1]}
        facts |= _choice(row)
        if row.reentrant_keyword == "use_reentrant" and row.reentrant:
            facts["omitted"] = variants == {None}
        reentrant = True in variants or variants == {None}
        torch = row.qualname.startswith("torch.utils.checkpoint.")
        if torch and row.sequential:
            facts["unknown"] = tuple(self.options.named(call, row.own_keywords))
        elif torch and reentrant:
            facts["refused"] = self._refused(call, False not in variants)
            own = (
                row.own_keywords
                if self.has("early-stop-option")
                else tuple(k for k in row.own_keywords if k != "early_stop")
            )
            facts["keywords"] = tuple(self.options.named(call, (row.keyword, *own)))
        if torch:
            facts.update(self.contexts.of(made, variants))
        return facts

    def _refused(self, call: Expr, surely: bool) -> tuple[str, ...]:
        """The options given that the reentrant checkpoint refuses: `debug` but False, `context_fn` but torch's
        default. Where the call is `surely` reentrant one way to another function is enough.
        """
        found = []
        for name in ("context_fn", "debug"):
            for given in self.options.given(call, name):
                if isinstance(given, Expr) and self._meant(given, name, surely):
                    found.append(name)
                    break
        return tuple(found)

    def _meant(self, given: Expr, name: str, surely: bool) -> bool:
        if name == "context_fn":
            return not self.contexts.is_default(given) or (surely and self.contexts.may_be_another(given))
        return any(c is None or c is True for c in self.options.constants(given))
