"""The way of a value, rebuilt from facts for messages: where the tensor came from, how the region reaches the place."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import DATA, TENSOR
from flake8_tensorbranch.engine.regions.region import Membership, Step, describe
from flake8_tensorbranch.syntax.names import FunctionInfo
from flake8_tensorbranch.syntax.printing import printed

MAX_SUBJECT: Final = 40
MAX_STEPS: Final = 6


def spelled(node: nodes.NodeNG) -> str:
    """The source text of an expression, shortened to fit a message."""
    text = " ".join((printed(node) or "the test").split())
    while text.startswith("(") and text.endswith(")") and isinstance(node, nodes.Compare):
        text = text[1:-1]
    return text if len(text) <= MAX_SUBJECT else text[: MAX_SUBJECT - 3].rstrip() + "..."


def noted(path: str, node: nodes.NodeNG, message: str) -> Related:
    """The related place where a node of the file `path` begins."""
    return Related(path, node.lineno or 1, node.col_offset or 0, message)


def way(
    program: Program, scope: FunctionInfo | None, subject: nodes.NodeNG, regions: dict[str, Membership]
) -> tuple[Related, ...]:
    """Related places of a decision: origins of the value, then the steps from the region's entry."""
    path = program.index.path
    found: list[Related] = []
    facts = program.facts[scope]
    seen: set[str] = set()
    work = [subject]
    while work and len(found) < MAX_STEPS:
        for name in work.pop(0).nodes_of_class(nodes.Name):
            if name.name in seen or scope is None or name.name not in scope.local_names:
                continue
            seen.add(name.name)
            value = facts.values.get(name)
            if value is None or not (value.kinds & TENSOR or value.deps & DATA):
                continue
            bound = _binding(scope, name)
            if bound is not None:
                what = "a tensor" if value.kinds & TENSOR else "read from a tensor"
                found.append(noted(path, bound, f"`{name.name}` is {what}: bound here"))
                if isinstance(bound.parent, (nodes.Assign, nodes.AugAssign)):
                    work.append(bound.parent.value)
    for kind, membership in regions.items():
        entry = membership.entry
        if entry.node is not None:
            found.append(noted(path, entry.node, f"{kind} by {describe(entry)}"))
        found.extend(
            noted(path_of(step, path), step.node, f"which calls {spelled(getattr(step.node, 'func', step.node))}")
            for step in membership.way[:MAX_STEPS]
        )
    return tuple(found)


def path_of(step: Step, here: str) -> str:
    """The path of the file that a step is in; `here` is that of the file under check."""
    return here if step.caller is None else step.caller.module.path


def _binding(scope: FunctionInfo, name: nodes.Name) -> nodes.NodeNG | None:
    """The last binding of a local before it is read, by position."""
    best: nodes.NodeNG | None = None
    for bound in scope.local_names.get(name.name, ()):
        line = getattr(bound, "lineno", None)
        if line is not None and line <= name.lineno and (best is None or line >= best.lineno):
            best = bound
    return best
