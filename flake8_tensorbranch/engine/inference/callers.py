"""What other files of the project pass to a module's functions: the calls in the few files near it that import it."""

from __future__ import annotations

from typing import Final, cast

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import UNKNOWN_KIND, AbstractValue
from flake8_tensorbranch.importers import MOST_IMPORTERS, importers
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_FAR: Final = 2  # files of other packages that are read for one module
_SMALL: Final = 60_000  # characters of such a file

Passed = dict[tuple[FunctionInfo, str], AbstractValue]


def is_open(analysis: Analysis, function: FunctionInfo, facts: Facts) -> bool:
    """Whether a test of the function is unknown for want of what a parameter holds, as far as can be told."""
    declared = analysis.parameters(function)
    named = function.params[1:] if function.takes_self else function.params
    if function.parent is not None or not any(_is_unknown(declared[p.name]) for p in named if p.name in declared):
        return False
    tests = [getattr(test, "test", None) for test in function.tests]
    return any(test is not None and _is_unknown(facts.values.get(test)) for test in tests)


def _is_unknown(value: AbstractValue | None) -> bool:
    return value is None or not value.known or bool(value.kinds & UNKNOWN_KIND)


def passed(analysis: Analysis, index: ModuleIndex, functions: list[FunctionInfo]) -> list[Passed]:
    """What each function near this file that calls one of `functions` passes to its parameters."""
    finder = analysis.project.finder
    wanted = {f.name: f for f in functions}
    found = []
    near = importers(finder, index.path, sorted(wanted))
    for path in near or _far(analysis, index, sorted(n for n, f in wanted.items() if f.cls is None)):
        other = analysis.project.read(path)
        if other is None or other is index:
            continue
        for name in sorted(wanted):
            for caller, _ in other.calls_of(name):
                found.append(_passes(analysis, other, caller))
    return found


def _far(analysis: Analysis, index: ModuleIndex, names: list[str]) -> list[str]:
    """Small files of the packages beside that of a file that import one of its functions by name."""
    project = analysis.project
    found = project.cousins.importing(index.path, names)[:MOST_IMPORTERS]
    return [path for path in found if len(project.text(path)) <= _SMALL][:_FAR]


def _passes(analysis: Analysis, module: ModuleIndex, caller: FunctionInfo | None) -> Passed:
    """What one scope of another module passes on; kept without the facts it comes from, which would fill memory."""
    key = ("passes", caller)
    if key not in module.memo:
        facts = analysis.facts_of(module, caller)
        module.memo[key] = dict(facts.arguments)
        module.memo.pop(("facts", caller), None)
    return cast("Passed", module.memo[key])
