"""What the analysis finds in one text, whatever is wrong with the text or with us."""

from __future__ import annotations

import ast
import warnings

from flake8_tensorbranch.diagnostic import Diagnostic, analysis_failed
from flake8_tensorbranch.gate import analyse, passes
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

SYNTAX = "invalid-syntax"


def findings(
    source: SourceFile,
    settings: Settings,
    withheld: list[Diagnostic] | None = None,
    target: tuple[int, int] | None = None,
) -> list[Diagnostic]:
    """What the analysis finds in `source`, or the one finding that says why it could not look.

    `withheld` takes what it found and does not report, for want of confidence or of being enabled. `target` is the
    oldest Python the code is for: what that cannot parse is a finding.
    """
    try:
        if not passes(source, settings):
            return []
        tree = parse(source)
    except SyntaxError as error:
        return [_invalid(source, error)]
    except ValueError as error:
        return [Diagnostic(1, 0, 1, 1, SYNTAX, str(error))]
    except (RecursionError, MemoryError) as error:
        return [analysis_failed(error)]
    too_new = _too_new(source, target)
    try:
        return [*too_new, *analyse(source, settings, tree, withheld)]
    except Exception as error:
        return [*too_new, analysis_failed(error)]


def _too_new(source: SourceFile, target: tuple[int, int] | None) -> list[Diagnostic]:
    """The first place of a text, which this Python parses, that the target does not."""
    if target is None:
        return []
    try:
        parse(source, target)
    except SyntaxError as error:
        return [_invalid(source, error)]
    except (ValueError, RecursionError, MemoryError):
        pass
    return []


def _invalid(source: SourceFile, error: SyntaxError) -> Diagnostic:
    line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
    text = source.lines[line - 1] if line <= len(source.lines) else ""
    column = len(text[:column].encode("utf-8", "surrogatepass"))
    return Diagnostic(line, column, line, column + 1, SYNTAX, error.msg)


def parse(source: SourceFile, target: tuple[int, int] | None = None) -> ast.Module:
    """The tree of a text, without Python's warnings about it; raises what `ast.parse` raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source.text, feature_version=target)
