"""The place of repairs in a run: their options, a file as it is after them, and the words about them at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flake8_tensorbranch.cli import flags
from flake8_tensorbranch.cli.console import FOUND, Console, Level, failed, write
from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.diagnostic import Applicability, Diagnostic
from flake8_tensorbranch.files import NOTEBOOK, STDIN
from flake8_tensorbranch.source import SourceFile

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Outcome, Run
    from flake8_tensorbranch.config.effective import FileSettings


def add_flags(group: Group) -> None:
    """Ruff's options about fixes."""
    flags.switch(group, "--fix", "apply the fixes that are safe")
    flags.switch(group, "--unsafe-fixes", "with --fix, --fix-only and --diff: also those that change what is computed")
    flags.switch(group, "--show-fixes", "list what was fixed")
    flags.switch(group, "--fix-only", "apply fixes and do not report what is left")
    group.add_argument("--diff", action="store_true", help="show what --fix would change, and change nothing")
    group.add_argument(
        "--exit-non-zero-on-fix",
        action="store_true",
        help="exit with 1 when something was fixed, even if nothing is left",
    )
    flags.codes(group, "--fixable", "codes whose fixes are applied, or prefixes of them (default: ALL)")
    flags.codes(group, "--unfixable", "codes whose fixes are not applied; of two prefixes the longer decides")
    flags.codes(group, "--extend-fixable", "as --fixable, on top of it")


class Repairs:
    """What one run does about fixes."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.diff = bool(run.options.diff)
        self.only = bool(run.settings.fix_only)
        self.writes = (bool(run.settings.fix) or self.only) and not self.diff
        self.unsafe = bool(run.settings.unsafe_fixes)
        self.hints = run.settings.unsafe_fixes is None
        self.shows = bool(run.settings.show_fixes)
        self.failures = 0  # files whose fixes could not be applied or written

    @property
    def active(self) -> bool:
        """Whether fixes are applied, to files or for the diff."""
        return self.writes or self.diff

    @property
    def silent(self) -> bool:
        """Whether what is left is not reported."""
        return self.only or self.diff

    def wanted(self, found: Diagnostic) -> bool:
        """Whether the run applies the fix of a finding."""
        from flake8_tensorbranch.fixes.safety import applied

        return applied(found, self.unsafe)

    def judged(self, found: Diagnostic, settings: FileSettings) -> Diagnostic:
        """A finding with its fix as the settings of its file have it."""
        if found.fix is None:
            return found
        from flake8_tensorbranch.fixes.safety import Safety

        return Safety(settings.fixable, settings.safe_fixes, settings.unsafe_fixes).judged(found)

    def console(self, console: Console, paths: Sequence[str]) -> Console:
        """The console of the run: repaired standard input takes standard output, so that findings go beside it."""
        return console._replace(aside=True) if self.writes and STDIN in paths else console

    def give(self, path: str, data: bytes | None) -> None:
        """Standard input as it is after repairs, to standard output, where the run repairs it."""
        if path == STDIN and data is not None and self.writes:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def repaired(self, path: str, source: SourceFile, settings: FileSettings, data: bytes | None) -> Outcome:
        """The outcome of a file read from `path`, or of standard input (`-`) with the content `data`."""
        from flake8_tensorbranch.cli.run import Outcome

        if not self.active:
            return Outcome(source, self.run.look(source, settings), settings)
        try:
            before = Path(path).read_bytes() if data is None else data
            outcome, content, shown = self._fixed(source, settings, before)
            if content is not None and self.writes and path != STDIN:
                from flake8_tensorbranch.fixes.store import write as store

                store(path, content, before)
        except (OSError, ValueError) as error:
            failed(f"{source.path}: not fixed: {getattr(error, 'strerror', None) or error}")
            self.failures += 1
            outcome, content, shown = Outcome(source, self.run.look(source, settings), settings), None, []
        write(shown)
        self.give(path, data if content is None else content)
        return outcome

    def _fixed(
        self, source: SourceFile, settings: FileSettings, data: bytes
    ) -> tuple[Outcome, bytes | None, list[str]]:
        """The outcome, the new content of the file where it changes, and the lines of `--diff`."""
        from flake8_tensorbranch.cli.run import Outcome
        from flake8_tensorbranch.fixes import store
        from flake8_tensorbranch.fixes.rounds import fix

        if source.path.endswith(NOTEBOOK) and not source.cells:  # nothing in it is Python
            return Outcome(source, self.run.look(source, settings), settings), None, []
        text, encoding = (source.text, "") if source.cells else store.decoded(data)
        if SourceFile(source.path, text).text != source.text:
            raise ValueError("the file changed while it was looked at")
        made = fix(source, text, lambda changed: self.run.look(changed, settings), self.wanted)
        if made.error:
            failed(made.error)
        if not made.counts:
            return Outcome(source, made.left, settings), None, []
        if source.cells:
            from flake8_tensorbranch.notebook import write_notebook

            content = write_notebook(data, source, made.text, [cell.first_line for cell in made.source.cells])
        else:
            content = store.encoded(made.text, encoding)
        shown: list[str] = []
        if self.diff:
            from flake8_tensorbranch.fixes.diff import diff

            head = "" if source.path == STDIN else source.path
            shown = [*diff(text, made.text, head, source.cells, made.source.cells), ""]
        return Outcome(made.source, made.left, settings, source, tuple(sorted(made.counts.items()))), content, shown

    def status(self, outcomes: Sequence[Outcome]) -> int | None:
        """The exit status as far as fixes decide it; None where what is left does."""
        fixed = any(outcome.fixed for outcome in outcomes)
        if self.silent and self.failures:
            return FOUND
        if self.diff:
            return FOUND if fixed else 0
        if fixed and self.run.options.exit_non_zero_on_fix:
            return FOUND
        return 0 if self.only else None

    def footer(self, outcomes: Sequence[Outcome]) -> Iterator[str]:
        """The last lines of a run for people: what was fixed, how much is left, and what could be fixed."""
        from flake8_tensorbranch.fixes import summary

        fixed = sum(count for outcome in outcomes for _, count in outcome.fixed)
        left = [found for outcome in outcomes for found in outcome.findings]
        ready = sum(map(self.wanted, left))
        unsafe = sum(f.fix is not None and f.fix.applicability is Applicability.UNSAFE for f in left)
        unsafe = 0 if self.unsafe else unsafe
        if self.shows and not self.diff:
            yield from summary.shown([(o.source.path, dict(o.fixed)) for o in outcomes if o.fixed])
        if self.silent:
            yield from summary.applied(fixed, unsafe, really=not self.diff)
            return
        yield summary.counted(fixed, len(left))
        yield from summary.available(ready, unsafe if self.hints else 0)


def report(repairs: Repairs, outcomes: Sequence[Outcome]) -> bool:
    """Say what `--diff` and `--fix-only` have to say; False where what is left is to be reported as ever."""
    if not repairs.silent:
        return False
    console = repairs.run.console
    if console.level >= Level.NORMAL:
        beside = repairs.diff and STDIN in repairs.run.given
        write(repairs.footer(outcomes), sys.stderr if beside or console.aside else None)
    return True
