"""The place of suppression comments in a run: their options, which findings they leave, and the adding of new ones."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_tensorbranch.cli.console import CLEAN, FOUND, failed
from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.files import STDIN, Unreadable, read
from flake8_tensorbranch.gate import passes
from flake8_tensorbranch.settings import SettingsError
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host, settle

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Run
    from flake8_tensorbranch.config.effective import FileSettings

ADD = "--add-noqa"
TOOL = "TBR0"  # what all codes about the linter itself begin with


def add_flags(group: Group) -> None:
    """The options about comments."""
    group.add_argument("--ignore-noqa", action="store_true", help="report what comments suppress as well")
    group.add_argument(
        ADD,
        metavar="[REASON]",
        help="write a noqa comment for each finding into the files; a reason is joined by an equals sign",
    )


def spelled(argument: str) -> str:
    """An argument as the parser takes it: without a reason, `--add-noqa` would take the next argument for one."""
    return f"{ADD}=" if argument == ADD else argument


def unsuppressed(
    run: Run, source: SourceFile, settings: FileSettings, found: list[Diagnostic], withheld: list[Diagnostic]
) -> list[Diagnostic]:
    """The findings that no comment of the text hides, and TBR001 and TBR002 about such comments.

    `withheld` is what was found and is not reported, for want of confidence or of being enabled.
    """
    others = [item for item in found if not item.code.startswith("TBR")]
    ours = [item for item in found if item.code.startswith("TBR")]
    if run.options.ignore_noqa or not passes(source, settings.analysis) or (others and not ours):
        return found
    settled = settle(source, ours, withheld, settings.analysis, Host.COMMAND, settings.reports)
    return [*others, *(item for item in settled if settings.reports(item.code))]


def adds(options: argparse.Namespace) -> bool:
    """Whether the run writes comments instead of reporting. Raises `SettingsError` for options that contradict it."""
    if options.add_noqa is None:
        return False
    others = "fix fix_only diff statistics ignore_noqa stdin_filename show_files show_settings watch"
    for name in others.split():
        if getattr(options, name):
            raise SettingsError(f"{ADD} cannot be used with --{name.replace('_', '-')}")
    if STDIN in options.paths:
        raise SettingsError(f"{ADD} writes into files, not to standard output: name a file")
    from flake8_tensorbranch.suppressions.add import is_reason

    if options.add_noqa and not is_reason(options.add_noqa):
        rule = "one line without '#', whose first word is not like a code"
        raise SettingsError(f"{ADD}: {options.add_noqa!r} cannot be a reason: it is {rule}")
    return True


def add(run: Run) -> int:
    """Write a comment for each finding into the files, and say how many; 1 if a file could not be read or written."""
    added, failures, left = 0, 0, 0
    paths = list(run.paths())
    if not paths:
        run.console.warn("No Python files found under the given path(s)")
    for path in paths:  # a configuration in error ends the run before anything is written
        run.resolver.for_file(path)
    for path in paths:
        try:
            data = Path(path).read_bytes()
            source = read(path, None, data)
            if isinstance(source, Unreadable):
                raise ValueError(source.reason.message)
            settings = run.resolver.for_file(path)
            found = [item for item in run.look(source, settings) if not item.code.startswith(TOOL)]
            new = _with_comments(path, data, source, found, run.options.add_noqa)
            remaining = [item for item in unsuppressed(run, new, settings, found, []) if item in found]
            added += len(found) - len(remaining)
            left += len(remaining)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            hint = f" (a reason is joined: {ADD}=REASON)" if isinstance(error, FileNotFoundError) else ""
            failed(f"{path}: not changed: {why}{hint}")
            failures += 1
    run.console.note(f"Added {added} noqa directive{'' if added == 1 else 's'}.")
    if left:
        run.console.warn(f"{left} left, on lines whose noqa comment names no code or cannot be read")
    return FOUND if failures else CLEAN


def _with_comments(path: str, data: bytes, source: SourceFile, found: list[Diagnostic], reason: str) -> SourceFile:
    """The source with comments for what was found, as it is in the file now. Raises `OSError` and `ValueError`."""
    from flake8_tensorbranch.fixes import store
    from flake8_tensorbranch.suppressions.add import add_noqa

    if not found:
        return source
    if source.cells:
        from flake8_tensorbranch.notebook import write_notebook

        text = add_noqa(source.text, found, reason)
        content = write_notebook(data, source, text, [cell.first_line for cell in source.cells])
    else:
        before, encoding = store.decoded(data)
        text = add_noqa(before, found, reason)
        content = store.encoded(text, encoding)
    if content != data:
        store.write(path, content, data)
    return SourceFile(source.path, text, source.cells)
