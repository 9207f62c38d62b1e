"""What the engine believes at one place of a file, and how it got there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from astroid import nodes

from flake8_tensorbranch.check import shared_project
from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.words import describe
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.depth import room
from flake8_tensorbranch.syntax.tree import paused_gc

Span = tuple[tuple[int, int], tuple[int, int]]
"""The (line, column) where an expression begins, and the one behind its end."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """One expression: where it is, its text, its abstract value, the regions it runs in, and the way of the value.

    Lines are 1-based; `column` counts characters from 0, as the columns of `way` do where they lie in the same file.
    """

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
    with paused_gc(), room():
        analysis = Analysis(project or shared_project(settings.src))
        analysis.keep_unused = True
        index = analysis.project.index(source.path, source.text)
        program = Program(analysis, index)
        program.solve()
        regions = Regions(program, settings)
        place = None if column is None else (line, column)
        found: list[tuple[Span, Revealed]] = []
        for scope, facts in program.facts.items():
            for node, value in facts.values.items():
                span = _span(source, node)
                if span is None or not _covers(span, line, place):
                    continue
                kinds = tuple(regions.kinds(scope))
                memberships = {k: m for k in kinds if (m := regions.of(scope, k)) is not None}
                way = tuple(_in_characters(source, r) for r in trace.way(program, scope, node, memberships))
                found.append((span, Revealed(*span[0], trace.spelled(node), value, kinds, way)))
        found.sort(key=lambda item: (item[0][0], [-part for part in item[0][1]], item[1].text, item[1].render()))
        return [item for _, item in found]


def _span(source: SourceFile, node: nodes.NodeNG) -> Span | None:
    """Where an expression begins and ends, in characters; None for a node without a place."""
    if node.lineno is None or node.col_offset is None:
        return None
    start = source.position(node.lineno, node.col_offset)
    return start, source.position(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset + 1)


def _covers(span: Span, line: int, place: tuple[int, int] | None) -> bool:
    return span[0][0] == line if place is None else span[0] <= place < span[1]


def _in_characters(source: SourceFile, related: Related) -> Related:
    if related.path != source.path:
        return related
    line, column = source.position(related.line, related.column)
    return related._replace(line=line, column=column)


def render(found: list[Revealed]) -> Iterator[str]:
    """The text of `tensorbranch reveal`, one entry for each expression."""
    for item in found:
        yield item.render()
