"""What holds for one file and for one run, from layers of configuration: each later one counts more."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import NamedTuple

from flake8_tensorbranch.config.analysis import analysis, last, last_layer
from flake8_tensorbranch.config.files import Layer
from flake8_tensorbranch.config.globs import Glob, Globs
from flake8_tensorbranch.config.keys import version
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.selection import Choice, chosen, matches, selectors
from flake8_tensorbranch.settings import Settings

FAILED = "TBR000"  # reported whatever is selected, unless it is ignored by its full code
EXCLUDED = tuple(
    """
    .bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .pants.d .pyenv .pytest_cache .pytype
    .ruff_cache .svn .tox .venv .vscode __pypackages__ _build buck-out dist node_modules site-packages venv
    """.split()
)


class FileSettings(NamedTuple):
    """The settings of one file, from every source there is."""

    analysis: Settings = Settings()
    enabled: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()  # of those, what per-file-ignores leaves out in this file
    fixable_codes: frozenset[str] = frozenset()
    safe_fixes: frozenset[str] = frozenset()  # whose unsafe repairs count as safe
    unsafe_fixes: frozenset[str] = frozenset()  # whose safe repairs count as unsafe
    target_version: tuple[int, int] | None = None
    config: str | None = None  # the file that governs, if one does

    def reports(self, code: str) -> bool:
        """Whether findings of `code` are reported; what is not a rule's (`invalid-syntax`) always is."""
        return not code.startswith("TBR") or (code in self.enabled and code not in self.ignored)

    def fixable(self, code: str) -> bool:
        """Whether findings of `code` may be repaired, as `fixable` and `unfixable` have it."""
        return code in self.fixable_codes


class RunSettings(NamedTuple):
    """What holds for a whole run: the command line over the configuration of the current folder."""

    fix: bool = False
    fix_only: bool = False
    unsafe_fixes: bool | None = None  # None: not applied, but hinted at
    show_fixes: bool = False
    output_format: str = "full"
    respect_gitignore: bool = True
    force_exclude: bool = False


class Effective:
    """Layers made usable; those of all files under one configuration file are the same."""

    def __init__(self, layers: Sequence[Layer], config: str | None = None) -> None:
        """Raises `SettingsError` for a selector that no code has, and for a glob that cannot be one."""
        self.layers = layers
        self.folder = os.path.dirname(config) if config else os.getcwd()
        codes = tuple(pages())
        picks = [_choice(layer, "select", "extend-select", "ignore") for layer in layers]
        enabled = chosen(picks, codes, codes)
        if not any(FAILED in pick.without for pick in picks):
            enabled |= {FAILED}
        fixes = [_choice(layer, "fixable", "extend-fixable", "unfixable") for layer in layers]
        # Selecting an opt-in rule is enough to have it run; what is enabled besides is still subject to selection.
        settings = analysis(layers, sorted(chosen(picks, codes, ())))
        target = last(layers, "target-version")
        self.file = FileSettings(
            settings,
            enabled,
            frozenset(),
            chosen(fixes, codes, codes),
            *self._resafed(),
            None if target is None else version(target),
            config,
        )
        self._excluded = self._excluded_globs()
        self.per_file = self._per_file()

    def for_file(self, path: str) -> FileSettings:
        """The settings of the file at an absolute path."""
        ignored = [codes for glob, negated, codes in self.per_file if glob.fits(path) != negated]
        return self.file._replace(ignored=frozenset().union(*ignored)) if ignored else self.file

    def run(self) -> RunSettings:
        """What the layers say about a run."""
        known = {name: last(self.layers, name.replace("_", "-")) for name in RunSettings._fields}
        return RunSettings(**{name: value for name, value in known.items() if value is not None})

    def excludes(self, path: str) -> bool:
        """Whether `exclude` or `extend-exclude` name an absolute path itself (not a folder around it)."""
        return self._excluded.fit(path)

    def _resafed(self) -> tuple[frozenset[str], frozenset[str]]:
        """Codes whose repairs count as safe, and as unsafe: of all layers together, the longer selector decides."""
        safe = [code for layer in self.layers for code in _selected(layer, "extend-safe-fixes") or ()]
        unsafe = [code for layer in self.layers for code in _selected(layer, "extend-unsafe-fixes") or ()]
        made_safe = chosen([Choice(None, tuple(safe), tuple(unsafe))], tuple(pages()), ())
        return made_safe, frozenset(code for code in pages() if matches(code, unsafe)) - made_safe

    def _excluded_globs(self) -> Globs:
        layer = last_layer(self.layers, "exclude")
        globs = Globs()
        main = layer or Layer("", self.folder, {"exclude": EXCLUDED})
        for pattern in main.values["exclude"]:
            globs.add(pattern, main.folder, _named(main, "exclude"))
        for source in self.layers:
            for pattern in source.values.get("extend-exclude", ()):
                globs.add(pattern, source.folder, _named(source, "extend-exclude"))
        return globs

    def _per_file(self) -> list[tuple[Glob, bool, frozenset[str]]]:
        """Each glob, whether it is negated, and the codes it leaves out."""
        last = last_layer(self.layers, "per-file-ignores")
        sources = [(last, "per-file-ignores")] if last else []
        sources += [(layer, "extend-per-file-ignores") for layer in self.layers]
        found = []
        for layer, name in sources:
            for pattern, texts in layer.values.get(name, ()):
                where = f"{_named(layer, name)}: {pattern}"
                given = selectors(where, texts, pages())
                codes = frozenset(code for code in pages() if matches(code, given))
                found.append((Glob.of(pattern.removeprefix("!"), layer.folder, where), pattern.startswith("!"), codes))
        return found


def _choice(layer: Layer, only: str, extra: str, without: str) -> Choice:
    return Choice(_selected(layer, only), _selected(layer, extra) or (), _selected(layer, without) or ())


def _selected(layer: Layer, name: str) -> tuple[str, ...] | None:
    given = layer.values.get(name)
    return None if given is None else selectors(_named(layer, name), given, pages())


def _named(layer: Layer, name: str) -> str:
    """What a user knows a key of a layer by: a file and the key, or an option."""
    return f"{layer.name}: {name}" if layer.name else f"--{name}"
