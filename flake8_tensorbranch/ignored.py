"""What .gitignore and .ignore files leave out, as git reads them, by the library pathspec.

As in ruff: .gitignore and .git/info/exclude count inside of a repository, .ignore everywhere and over them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from flake8_tensorbranch.config.files import ancestors

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

GIT, PLAIN = ".gitignore", ".ignore"
MISSING = "pathspec is not installed, so .gitignore is not respected: pip install 'flake8-tensorbranch[cli]'"

Specs = tuple[tuple[str, "GitIgnoreSpec"], ...]  # (folder, what its file says), the innermost last


class Ignored(NamedTuple):
    """The files that hold in one folder: those in it and around it."""

    git: Specs = ()
    plain: Specs = ()
    in_repository: bool = False

    @classmethod
    def around(cls, folder: str, warn: Callable[[str], None]) -> Ignored:
        """What the folders around an absolute `folder` say; nothing if they leave out the folder itself."""
        found = NOTHING
        for above in reversed([*ancestors(os.path.dirname(folder))] if os.path.dirname(folder) != folder else []):
            if found.has(above, is_folder=True):
                found = NOTHING
            found = found.inside(above, warn)
        return found._replace(git=(), plain=()) if found.has(folder, is_folder=True) else found

    def inside(self, folder: str, warn: Callable[[str], None]) -> Ignored:
        """What holds in `folder`, an absolute path, if this holds around it."""
        found = self
        if os.path.exists(os.path.join(folder, ".git")):
            exclude = _read(os.path.join(folder, ".git", "info", "exclude"), warn)
            found = Ignored(((folder, exclude),) if exclude else (), self.plain, True)
        git = _read(os.path.join(folder, GIT), warn) if found.in_repository else None
        plain = _read(os.path.join(folder, PLAIN), warn)
        if git:
            found = found._replace(git=(*found.git, (folder, git)))
        return found._replace(plain=(*found.plain, (folder, plain))) if plain else found

    def has(self, path: str, is_folder: bool = False) -> bool:
        """Whether an absolute path in the folder is left out; the innermost file that mentions it decides."""
        for specs in (self.plain, self.git):
            for folder, spec in reversed(specs):
                name = os.path.relpath(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")
                verdict = spec.check_file(name).include
                if verdict is not None:
                    return verdict
        return False


NOTHING = Ignored()


def _read(path: str, warn: Callable[[str], None]) -> GitIgnoreSpec | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            lines = stream.read().splitlines()
    except OSError:
        return None
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        warn(MISSING)
        return None
    return GitIgnoreSpec.from_lines(lines)
