"""Suppressions: which comments hide which findings, which of them hide nothing, and how one is added.

Importing this costs nothing: comments are read only in files whose text holds what a suppression begins with.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flake8_tensorbranch.diagnostic import Diagnostic
    from flake8_tensorbranch.settings import Settings
    from flake8_tensorbranch.source import SourceFile

_ANY = re.compile("noqa|ruff", re.IGNORECASE)


class Host(enum.Enum):
    """Who reads the `noqa` comments of a file, since flake8 and ruff read some of them differently.

    `FLAKE8` applies them itself, after the plugin, in its own reading; `COMMAND` has nobody else, and reads them as
    ruff does. Comments that begin with `ruff:` mean the same in both, and flake8 itself ignores them.
    """

    FLAKE8 = "flake8"
    COMMAND = "command"


def settle(
    source: SourceFile,
    found: list[Diagnostic],
    withheld: list[Diagnostic],
    settings: Settings,
    host: Host,
    selected: Callable[[str], bool],
) -> list[Diagnostic]:
    """The findings of an analysed file without those that comments hide, and what is wrong with such comments.

    TBR001 and TBR002 join the findings, by position. `withheld` is what was found and is not reported, for want of
    confidence or because nobody enabled it; `selected` says whether the host reports a code: a comment is not called
    unused for what could not have been reported. Under `Host.FLAKE8`, findings hidden by `noqa` comments stay in.
    """
    if not _ANY.search(source.text) or not (found or "tbr" in source.text.lower()):
        return found
    from flake8_tensorbranch.suppressions.judge import judged

    return judged(source, found, withheld, settings, host, selected)
