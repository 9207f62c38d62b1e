"""What a user may set: the options every face offers, and the frozen `Settings` they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal, NamedTuple

from flake8_tensorbranch.diagnostic import Confidence

RegionKind = Literal["compiled", "checkpointed"]


class SettingsError(ValueError):
    """A user's value that cannot be used; the text names the option and says what would be accepted."""


class Option(NamedTuple):
    """One option as flake8 (command line and configuration file) and `tensorbranch` both declare it."""

    flag: str
    metavar: str
    help: str
    is_list: bool = True
    default: str | None = None

    @property
    def dest(self) -> str:
        """The attribute that the parsed value is stored on."""
        return self.flag.removeprefix("--").replace("-", "_")


OPTIONS = (
    Option("--tbr-enable", "CODES", "Opt-in rules to report as well: codes or prefixes, TBR for all"),
    Option("--tbr-compiled", "GLOBS", "Functions compiled by code elsewhere: globs over module:Class.method, or *"),
    Option("--tbr-checkpointed", "GLOBS", "Functions checkpointed by code elsewhere: globs as for --tbr-compiled"),
    Option("--tbr-confidence", "LEVEL", "Least confidence to report: certain or likely", False, "likely"),
    Option("--tbr-words", "WORDS", "Words that, besides torch, mark a file as worth analysing"),
    Option("--tbr-torch", "VERSION", "Torch version the code runs on, such as 2.13 (default: the newest known)", False),
)

_CODE_PREFIX = r"TBR[0-9]{0,3}"
_TORCH_VERSION = r"[0-9]+\.[0-9]+(\.[0-9]+)?"


class Settings(NamedTuple):
    """Every choice the analysis depends on. The defaults are what a user gets who sets nothing."""

    enable: tuple[str, ...] = ()
    compiled: tuple[str, ...] = ()
    checkpointed: tuple[str, ...] = ()
    confidence: Confidence = Confidence.LIKELY
    words: tuple[str, ...] = ()
    torch_version: str | None = None

    @classmethod
    def from_options(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from parsed values by `dest`, of any of `OPTIONS`; raises `SettingsError` for a bad value."""
        level = values.get("tbr_confidence") or "likely"
        if level not in ("certain", "likely"):
            raise SettingsError(f"--tbr-confidence: {level!r} is neither 'certain' nor 'likely'")
        version = values.get("tbr_torch") or None
        if version is not None and not re.fullmatch(_TORCH_VERSION, str(version)):
            raise SettingsError(f"--tbr-torch: {version!r} is not a version such as 2.13 or 2.13.0")
        enable = _strings(values, "tbr_enable")
        for code in enable:
            if not re.fullmatch(_CODE_PREFIX, code):
                raise SettingsError(f"--tbr-enable: {code!r} is neither a TBR code nor the beginning of one")
        return cls(
            enable=enable,
            compiled=_globs(values, "tbr_compiled"),
            checkpointed=_globs(values, "tbr_checkpointed"),
            confidence=Confidence.CERTAIN if level == "certain" else Confidence.LIKELY,
            words=_strings(values, "tbr_words"),
            torch_version=None if version is None else str(version),
        )

    @property
    def gate_words(self) -> tuple[str, ...]:
        """The words of which a file must mention one to be analysed."""
        return ("torch", *self.words)

    def is_enabled(self, code: str, opt_in: bool) -> bool:
        """Whether the rule `code` runs: always unless it is opt-in, then if a prefix of it is enabled."""
        return not opt_in or any(code.startswith(prefix) for prefix in self.enable)

    def matches(self, kind: RegionKind, module: str | None, qualname: str) -> bool:
        """Whether the user declared that code elsewhere enters `qualname` (`Class.method`) of the dotted `module`.

        A glob with a colon is matched against both in turn, one without against the qualified name alone; `*` crosses
        dots. With `module` unknown, only a module glob of `*` matches.
        """
        for glob in self.compiled if kind == "compiled" else self.checkpointed:
            module_glob, colon, name_glob = glob.rpartition(":")
            if colon and not fnmatchcase(module or "", module_glob):
                continue
            if fnmatchcase(qualname, name_glob):
                return True
        return False


def _strings(values: Mapping[str, Any], dest: str) -> tuple[str, ...]:
    """The entries of a list option, once each; configuration readers give lists or comma-separated text."""
    given: str | Iterable[object] = values.get(dest) or ()
    texts = (given,) if isinstance(given, str) else map(str, given)
    return tuple(dict.fromkeys(part for text in texts for part in re.split(r"[,\s]+", text) if part))


def _globs(values: Mapping[str, Any], dest: str) -> tuple[str, ...]:
    globs = _strings(values, dest)
    for glob in globs:
        module, colon, name = glob.partition(":")
        if ":" in name or (colon and not (module and name)) or "/" in glob:
            flag = "--" + dest.replace("_", "-")
            raise SettingsError(f"{flag}: {glob!r} is not a glob over module:Class.method, such as 'models.*:Block.*'")
    return globs
