"""What is known of each rule, as `tensorbranch rule` shows it: its page, its declaration, its place in the source."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, Final

from flake8_tensorbranch.diagnostic import analysis_failed
from flake8_tensorbranch.pages import pages, project_url
from flake8_tensorbranch.rules import FixAvailability, Loaded, load
from flake8_tensorbranch.suppressions.judge import judged

PREFIX: Final = "TBR"
LINTER: Final = "flake8-tensorbranch"
FIXES: Final[dict[FixAvailability, str]] = {
    "none": "Fix is not available.",
    "sometimes": "Fix is sometimes available.",
    "always": "Fix is always available.",
}
# Ruff's category of a rule whose findings are of our class.
_CATEGORIES: Final = {"E": "correctness", "W": "suspicious", "I": "pedantic"}
# Codes about the linter itself have no rule: who reports them since when, and how often with a fix.
_TOOL: Final[dict[str, tuple[Callable[..., Any], str, FixAvailability]]] = {
    "TBR000": (analysis_failed, "0.1.0", "none"),
    "TBR001": (judged, "0.1.0", "sometimes"),
    "TBR002": (judged, "0.1.0", "sometimes"),
}


def described(code: str) -> dict[str, Any]:
    """The rule with ruff's twelve keys, and two of ours: its `class`, and its `page` below the package.

    `preview` says that a rule is opt-in; `since` counts releases. Raises `KeyError` for an unknown code.
    """
    page, loaded = pages()[code], _rules().get(code)
    availability = _availability(code)
    return {
        "name": page.name,
        "code": code,
        "linter": LINTER,
        "summary": page.summary,
        "message_formats": [page.summary],
        "fix": FIXES[availability],
        "fix_availability": availability.capitalize(),
        "explanation": page.text,
        "preview": page.opt_in,
        "status": {"Stable": {"since": loaded.rule.since if loaded else _TOOL[code][1]}},
        "category": _CATEGORIES[loaded.rule.level] if loaded else "correctness",
        "source_location": _source(code),
        "class": page.rule_class,
        "page": f"docs/{code}.md",
    }


def text(code: str) -> str:
    """The page of the rule, with a line on its fixes if it has any; raises `KeyError` for an unknown code."""
    page, availability = pages()[code], _availability(code)
    if availability == "none":
        return page.text
    head, rest = re.split(r"(?<=\n)(?=\n## )", page.text, maxsplit=1)
    return f"{head}\n{FIXES[availability]}\n{rest}"


def linters() -> list[dict[str, str | None]]:
    """The one linter there is, with the keys of `ruff linter`."""
    return [{"prefix": PREFIX, "name": LINTER, "url": project_url()}]


def _rules() -> dict[str, Loaded]:
    return {loaded.code: loaded for loaded in load()}


def _availability(code: str) -> FixAvailability:
    loaded = _rules().get(code)
    return loaded.rule.fix_availability if loaded else _TOOL[code][2]


def _source(code: str) -> dict[str, Any]:
    """The file of a rule, below the folder of the package, and the line of its declaration."""
    loaded = _rules().get(code)
    subject = loaded.check if loaded else _TOOL[code][0]
    line = inspect.getsourcelines(subject)[1]
    if loaded:
        source = inspect.getsource(sys.modules[subject.__module__]).splitlines()
        line = next((number for number, text in enumerate(source, 1) if text.startswith("RULE")), line)
    return {"file": subject.__module__.replace(".", "/") + ".py", "line": line}
