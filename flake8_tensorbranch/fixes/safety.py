"""Which fixes a run applies: by code, and by what they may change in what a program computes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic


class Safety(NamedTuple):
    """The user's word on fixes, as ruff's settings have it.

    `fixable` tells for a code whether its findings are repaired at all; fixes of the codes in `safe` and `unsafe` count
    as that whatever we think. Fixes for display stay so.
    """

    fixable: Callable[[str], bool]
    safe: Collection[str] = ()
    unsafe: Collection[str] = ()

    def judged(self, found: Diagnostic) -> Diagnostic:
        """The finding as the user has it: without its fix, or with the fix counted as safe or unsafe."""
        fix = found.fix
        if fix is None:
            return found
        if not self.fixable(found.code):
            return found._replace(fix=None)
        if fix.applicability is Applicability.DISPLAY or found.code not in (*self.safe, *self.unsafe):
            return found
        forced = Applicability.UNSAFE if found.code in self.unsafe else Applicability.SAFE
        return found._replace(fix=fix._replace(applicability=forced))


def applied(found: Diagnostic, unsafe_fixes: bool) -> bool:
    """Whether a run applies the fix of a finding: a safe one, or an unsafe one where the user asks for those."""
    if found.fix is None:
        return False
    return found.fix.applicability is Applicability.SAFE or (
        unsafe_fixes and found.fix.applicability is Applicability.UNSAFE
    )
