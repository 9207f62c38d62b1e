"""What the engine believes at one place of a file, and how it got there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astroid import nodes

from flake8_tensorbranch.check import shared_project
from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine import trace
from flake8_tensorbranch.engine.lattice import AbstractValue, describe
from flake8_tensorbranch.engine.program import Program
from flake8_tensorbranch.engine.region import Regions
from flake8_tensorbranch.engine.summary import Analysis
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.tree import paused_gc


@dataclass(frozen=True, slots=True)
class Revealed:
    """One expression: where it is, its text, its abstract value, the regions it runs in, and the way of the value."""

    line: int
    column: int
    text: str
    value: AbstractValue
    regions: tuple[str, ...]
    way: tuple[Related, ...]

    def render(self) -> str:
        """The lines that `tensorbranch reveal` prints."""
        head = f"{self.line}:{self.column + 1}: {self.text} -> {describe(self.value)}"
        if self.regions:
            head += f"  (runs {', '.join(self.regions)})"
        return "\n".join([head, *(f"    {r.path}:{r.line}:{r.column + 1}: {r.message}" for r in self.way)])


def reveal(
    source: SourceFile, settings: Settings, line: int, column: int | None = None, project: Project | None = None
) -> list[Revealed]:
    """The expressions that begin on a line (or that cover the character `column`, 0-based), outermost first.

    Raises `TreeError` when the file does not parse. An expression that no path reaches is not listed.
    """
    with paused_gc():
        analysis = Analysis(project or shared_project())
        index = analysis.project.index(source.path, source.text)
        program = Program(analysis, index)
        program.solve()
        regions = Regions(program, settings)
        found = []
        for scope, facts in program.facts.items():
            for node, value in facts.values.items():
                if node.lineno is None or not _covers(node, line, column):
                    continue
                kinds = tuple(regions.kinds(scope))
                memberships = {k: m for k in kinds if (m := regions.of(scope, k)) is not None}
                way = trace.way(program, scope, node, memberships)
                found.append(Revealed(node.lineno, node.col_offset or 0, trace.spelled(node), value, kinds, way))
        return sorted(found, key=lambda r: (r.line, r.column, -len(r.text)))


def _covers(node: nodes.NodeNG, line: int, column: int | None) -> bool:
    if column is None:
        return bool(node.lineno == line)
    if node.lineno != line or node.col_offset is None:
        return False
    end = node.end_col_offset if node.end_lineno == line and node.end_col_offset is not None else 1 << 30
    return bool(node.col_offset <= column < end)


def render(found: list[Revealed]) -> Iterator[str]:
    """The text of `tensorbranch reveal`, one entry for each expression."""
    for item in found:
        yield item.render()
