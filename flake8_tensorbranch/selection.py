"""Which codes are meant by lists of selectors, by ruff's algorithm: the longer prefix decides, then the later list.

The order of the facts here is that of ruff 0.17 (`ruff_workspace`, `as_rule_table`), against which it is tested.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from flake8_tensorbranch.settings import SettingsError

ALL, LINTER = "ALL", "TBR"


class Choice(NamedTuple):
    """The selectors of one source (a file, the command line) about one question: reported? fixable?

    `only` replaces what earlier sources chose, None where the source does not say; `extra` adds, `without` takes away.
    """

    only: tuple[str, ...] | None = None
    extra: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def chosen(choices: Iterable[Choice], codes: Sequence[str], initial: Iterable[str]) -> frozenset[str]:
    """The `codes` that `choices`, the later over the earlier, leave of `initial`.

    Within one choice the longer selector decides over a code, `without` between equals. An empty `only`, with no
    `extra`, hands its `without` on to the next choice.
    """
    kept = set(initial)
    handed_on: tuple[str, ...] = ()
    for choice in choices:
        verdicts: dict[str, bool] = {}
        without = (*choice.without, *handed_on)
        handed_on = ()
        wanted = (*(choice.only or ()), *choice.extra)
        for code in codes:
            plus, minus = _longest(code, wanted), _longest(code, without)
            if plus >= 0 or minus >= 0:
                verdicts[code] = plus > minus
        if choice.only is not None:
            kept = {code for code, verdict in verdicts.items() if verdict}
            if not wanted:
                handed_on = choice.without
        else:
            kept = {code for code in codes if verdicts.get(code, code in kept)}
    return frozenset(kept)


def matches(code: str, selectors: Iterable[str]) -> bool:
    """Whether any selector means `code`."""
    return _longest(code, selectors) >= 0


def selectors(name: str, texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The selectors in comma-separated texts; raises `SettingsError`, naming `name`, for one of no `known` code.

    A prefix has the letters of its linter in full, so that empty text, as from an unset variable, is none.
    """
    found = tuple(part for text in texts for part in re.split(r"\s*,\s*|\s+", text.strip()))
    for selector in found:
        if selector != ALL and not any(code.startswith(selector) and selector.startswith(LINTER) for code in known):
            raise SettingsError(f"{name}: unknown rule selector {selector!r}")
    return found


def _longest(code: str, prefixes: Iterable[str]) -> int:
    """The length of the longest prefix of `code`, 0 for ALL; -1 if nothing means it."""
    lengths = (0 if prefix == ALL else len(prefix) for prefix in prefixes if prefix == ALL or code.startswith(prefix))
    return max(lengths, default=-1)
