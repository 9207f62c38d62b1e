"""The pipeline from one file's text to its diagnostics."""

from __future__ import annotations

import ast
from itertools import chain
from typing import TYPE_CHECKING

from flake8_tensorbranch import memory, modules
from flake8_tensorbranch.diagnostic import Confidence, Diagnostic
from flake8_tensorbranch.engine import decisions, relevance, verdicts
from flake8_tensorbranch.engine.checkpointing import checkpoints, regional
from flake8_tensorbranch.engine.compiling import traced
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.reproducibility import determinism
from flake8_tensorbranch.importers import concerned
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.rules import Finding, Loaded, by_sink
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.depth import room
from flake8_tensorbranch.syntax.tree import paused_gc

if TYPE_CHECKING:
    from astroid import nodes

_shared: dict[tuple[str, ...], Project] = {}


def shared_project(src: tuple[str, ...] = ()) -> Project:
    """The project of this process under one `src` setting: other files are read once for all files checked."""
    if src not in _shared:
        _shared[src] = Project(modules.shared_finder(src))
    return _shared[src]


def check_source(
    source: SourceFile,
    settings: Settings,
    tree: ast.Module | None = None,
    project: Project | None = None,
    withheld: list[Diagnostic] | None = None,
) -> list[Diagnostic]:
    """The diagnostics of one file, sorted by position.

    `withheld` takes what was found on the way and is not reported, for want of confidence or of being enabled. `tree`
    is the file's `ast` where the host has it. Raises `TreeError` when no tree can be built, `SyntaxError` when `tree`
    is missing and the text does not parse.
    """
    project = project or shared_project(settings.src)
    if not source.mentions(settings.gate_words) and not concerned(source, settings.gate_words, project.finder):
        return []
    with paused_gc(), room():
        analysis = Analysis(project)
        index = analysis.project.index(source.path, source.text, tree)
        program = Program(analysis, index)
        program.solve(relevance.wanted(analysis, index, settings))
        regions = Regions(program, settings)
        found: dict[tuple[int, int, str], Diagnostic] = {}
        rules = by_sink()
        sites = (
            verdicts.sites(program, decisions.sites(program, regions)),
            checkpoints.sites(program, regions),
            regional.sites(program, regions),
            traced.sites(program, regions),
            determinism.sites(program, settings),
        )
        for site in chain.from_iterable(sites):
            for loaded in rules[site.kind]:
                if not settings.is_enabled(loaded.code, loaded.rule.opt_in):
                    continue
                for finding in loaded.check(site):
                    diagnostic = _diagnostic(loaded, finding)
                    enabled = settings.is_enabled(loaded.code, finding.opt_in)
                    if enabled and diagnostic.confidence >= settings.confidence:
                        found.setdefault((diagnostic.line, diagnostic.column, diagnostic.code), diagnostic)
                    elif withheld is not None:
                        withheld.append(diagnostic)
        index.forget_facts()
        memory.settle(len(source.text) + analysis.project.take_dropped())
        return sorted(found.values(), key=lambda d: (d.line, d.column, d.code))


def _diagnostic(loaded: Loaded, finding: Finding) -> Diagnostic:
    node: nodes.NodeNG = finding.node
    return Diagnostic(
        line=node.lineno or 1,
        column=node.col_offset or 0,
        end_line=node.end_lineno or node.lineno or 1,
        end_column=node.end_col_offset or 0,
        code=loaded.code,
        message=f"{finding.message}; {finding.help}" if finding.help else finding.message,
        confidence=Confidence.CERTAIN if finding.certain else Confidence.LIKELY,
        related=finding.related,
        help=finding.help,
        fix=finding.fix,
    )
