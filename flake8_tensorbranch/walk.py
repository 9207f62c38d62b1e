"""Which files a command line means: those it names, and what a walk through the folders it names does not leave out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from flake8_tensorbranch.config.files import ancestors
from flake8_tensorbranch.config.resolver import Resolver
from flake8_tensorbranch.files import STDIN, SUFFIXES
from flake8_tensorbranch.ignored import NOTHING, Ignored


class Walk:
    """One walk under the configuration of a run.

    `warn` hears of folders that cannot be read, and at most once that .gitignore files cannot. `stdin_name` is the path
    that standard input is known by.
    """

    def __init__(
        self, resolver: Resolver, warn: Callable[[str], None] = lambda text: None, stdin_name: str | None = None
    ) -> None:
        self._resolver = resolver
        self._stdin_name = stdin_name
        self._hear = warn
        self._warned = False

    def _warn(self, text: str) -> None:
        if not self._warned:
            self._hear(text)
        self._warned = True

    def _unreadable(self, error: OSError) -> None:
        self._hear(f"{error.filename}: {error.strerror}; what is in there is not looked at")

    def files(self, paths: Iterable[str]) -> Iterator[str]:
        """The files that `paths` name, once each, in order: files as given, folders by their Python files, sorted.

        Files that are named are excluded only under `force-exclude`; symbolic links to folders are not followed. Raises
        `SettingsError` for a configuration file on the way that cannot be used.
        """
        seen = set()
        for given in paths:
            for path in self._named(given):
                key = path if path == STDIN else os.path.abspath(path)
                if key not in seen:
                    seen.add(key)
                    yield path

    def forced_out(self, path: str) -> bool:
        """Whether `force-exclude` holds and something excludes the path or a folder around it, up to its project."""
        if not self._resolver.run.force_exclude:
            return False
        full = os.path.abspath(path)
        top = self._resolver.for_folder(os.path.dirname(full)).folder
        for above in ancestors(full):
            if above == top:
                break
            if self._resolver.for_folder(os.path.dirname(above)).excludes(above):
                return True
        return False

    def _named(self, given: str) -> Iterator[str]:
        name = self._stdin_name if given == STDIN else given
        if name is not None and self.forced_out(name):
            return
        if given != STDIN and Path(given).is_dir():
            yield from self._inside(given)
        else:
            yield given

    def _inside(self, top: str) -> Iterator[str]:
        respect = self._resolver.run.respect_gitignore
        rules = {top: Ignored.around(os.path.abspath(top), self._warn) if respect else NOTHING}
        for folder, folders, names in os.walk(top, onerror=self._unreadable):
            full = os.path.abspath(folder)
            here = rules.pop(folder)
            if respect:
                here = here.inside(full, self._warn)
            excludes = self._resolver.for_folder(full).excludes
            folders[:] = sorted(
                name
                for name in folders
                if not excludes(os.path.join(full, name)) and not here.has(os.path.join(full, name), is_folder=True)
            )
            rules.update((os.path.join(folder, name), here) for name in folders)
            for name in sorted(names):
                path = os.path.join(full, name)
                if name.endswith(SUFFIXES) and not excludes(path) and not here.has(path):
                    yield os.path.normpath(os.path.join(folder, name))
