"""The words about fixes that end a run's output, as ruff 0.17 has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from flake8_tensorbranch.pages import rule_name


def counted(fixed: int, left: int) -> str:
    """How much a run found, and what became of it."""
    if not fixed:
        return f"Found {_many(left, 'error')}." if left else "All checks passed!"
    return f"Found {_many(fixed + left, 'error')} ({fixed} fixed, {left} remaining)."


def available(safe: int, unsafe: int) -> list[str]:
    """What is left to fix: `safe` fixes that `--fix` would apply now, and those that only `--unsafe-fixes` would."""
    if safe and unsafe:
        hidden = f"{unsafe} unsafe fix{'' if unsafe == 1 else 'es'}"
        return [f"[*] {safe} fixable with `--fix` ({hidden} available with `--fix --unsafe-fixes`)."]
    if safe:
        return [f"[*] {safe} fixable with `--fix`."]
    if unsafe:
        return [f"{unsafe} unsafe fix{'' if unsafe == 1 else 'es'} available with `--fix --unsafe-fixes`."]
    return []


def applied(fixed: int, unsafe: int, *, really: bool) -> list[str]:
    """The end of `--fix-only` (`really`) and of `--diff`; nothing where there is nothing to say."""
    if fixed:
        rest = f" ({unsafe} additional fix{'' if unsafe == 1 else 'es'} available with `--unsafe-fixes`)"
        verb = "Fixed" if really else "Would fix"
        return [f"{verb} {_many(fixed, 'error')}{rest if unsafe else ''}."]
    if unsafe:
        rest = f" ({unsafe} fix{'' if unsafe == 1 else 'es'} available with `--unsafe-fixes`)"
        return [f"No errors {'fixed' if really else 'would be fixed'}{rest}."]
    return []


def shown(files: Sequence[tuple[str, Mapping[str, int]]]) -> Iterable[str]:
    """The list of `--show-fixes`: for each file that was changed its codes, the most frequent first."""
    total = sum(sum(counts.values()) for _, counts in files)
    if not total:
        return
    yield ""
    yield f"Fixed {_many(total, 'error')}:"
    width = len(str(max(max(counts.values(), default=0) for _, counts in files)))
    for path, counts in sorted(files):
        if counts:
            yield f"- {path}:"
            for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
                yield f"    {count:>{width}} \u00d7 {code} ({rule_name(code)})"
    yield ""


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
