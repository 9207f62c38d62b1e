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

    @property
    def key(self) -> str:
        """The key of the configuration file."""
        return self.flag.removeprefix("--tbr-")


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
    src: tuple[str, ...] = ()  # absolute folders that imports start from, instead of the project's root and its `src`

    @classmethod
    def from_options(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from parsed values by `dest`, of any of `OPTIONS`; raises `SettingsError` for a bad value."""
        return cls.from_keys({o.key: checked(o.key, values.get(o.dest), o.flag) for o in OPTIONS})

    @classmethod
    def from_keys(cls, values: Mapping[str, Any]) -> Settings:
        """Settings from values by `key` that `checked` has given; None and a missing key stand for the default."""
        level = values.get("confidence")
        version = values.get("torch")
        return cls(
            enable=values.get("enable") or (),
            compiled=values.get("compiled") or (),
            checkpointed=values.get("checkpointed") or (),
            confidence=Confidence.CERTAIN if level == "certain" else Confidence.LIKELY,
            words=values.get("words") or (),
            torch_version=version,
            src=values.get("src") or (),
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


def checked(key: str, given: object, name: str) -> Any:
    """The value of an option as it is used, None if it is not given or is empty text.

    `name` is what the user knows it by. Raises `SettingsError` for a value that does not fit.
    """
    if given is None or given == "":
        return None
    if key == "confidence":
        if given not in ("certain", "likely"):
            raise SettingsError(f"{name}: {given!r} is neither 'certain' nor 'likely'")
        return given
    if key == "torch":
        if not re.fullmatch(_TORCH_VERSION, str(given)):
            raise SettingsError(f"{name}: {given!r} is not a version such as 2.13 or 2.13.0")
        return str(given)
    entries = strings(given)
    for entry in entries:
        if key == "enable" and not re.fullmatch(_CODE_PREFIX, entry):
            raise SettingsError(f"{name}: {entry!r} is neither a TBR code nor the beginning of one")
        if key in ("compiled", "checkpointed") and not _is_glob(entry):
            raise SettingsError(f"{name}: {entry!r} is not a glob over module:Class.method, such as 'models.*:Block.*'")
    return entries


def strings(given: object) -> tuple[str, ...]:
    """The entries of a list option, once each; configuration readers give lists or comma-separated text."""
    texts = map(str, given) if isinstance(given, Iterable) and not isinstance(given, str) else (str(given),)
    return tuple(dict.fromkeys(part for text in texts for part in re.split(r"[,\s]+", text) if part))


def _is_glob(entry: str) -> bool:
    module, colon, name = entry.partition(":")
    return not (":" in name or (colon and not (module and name)) or "/" in entry)
