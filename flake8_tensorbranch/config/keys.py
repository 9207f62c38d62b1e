"""The keys of the configuration: what each is for, its default, and which values it takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from flake8_tensorbranch.settings import OPTIONS, SettingsError, checked

TARGETS = ("py37", "py38", "py39", "py310", "py311", "py312", "py313", "py314", "py315")
FORMATS = tuple("concise full json json-lines junit grouped github gitlab pylint rdjson azure sarif".split())


class Key(NamedTuple):
    """One key, with ruff's name where ruff has it; `default` and `example` are TOML."""

    name: str
    type: str
    default: str
    meaning: str
    example: str

    @property
    def flag(self) -> str | None:
        """The option of the command line that overrides it, if there is one."""
        if self.name in ("extend", "src", "extend-safe-fixes", "extend-unsafe-fixes"):
            return None
        return f"--tbr-{self.name}" if self.name in ANALYSIS else f"--{self.name}"


ANALYSIS = tuple(option.key for option in OPTIONS)
_CODES, _BOOL, _STRINGS, _STRING = "list[RuleSelector]", "bool", "list[str]", "str"
_PER_FILE = "dict[str, list[RuleSelector]]"
_EXAMPLES = {
    "enable": '["TBR105"]',
    "compiled": '["models.*:Encoder.forward", "step"]',
    "checkpointed": '["models.blocks:Block.*"]',
    "confidence": '"certain"',
    "words": '["mylib"]',
    "torch": '"2.9"',
}

_OF_ANALYSIS = tuple(
    (
        option.key,
        _STRINGS if option.is_list else _STRING,
        "[]" if option.is_list else f'"{option.default}"' if option.default else "none",
        option.help,
        _EXAMPLES[option.key],
    )
    for option in OPTIONS
)

KEYS = tuple(
    Key(*row)
    for row in (
        ("extend", _STRING, "none", "A configuration file to inherit from, relative to this one", '"../base.toml"'),
        (
            "select",
            _CODES,
            '["TBR"] without opt-in rules',
            "Codes to report, or prefixes; reports opt-in rules too",
            '["TBR2"]',
        ),
        (
            "ignore",
            _CODES,
            "[]",
            "Codes not to report; of two prefixes the longer decides, of equal ones this",
            '["TBR3"]',
        ),
        ("extend-select", _CODES, "[]", "As select, on top of what is selected already", '["TBR105"]'),
        (
            "per-file-ignores",
            _PER_FILE,
            "{}",
            "Codes not to report in files by glob, `!` for all others; all that match count",
            '{ "tests/*" = ["TBR1"] }',
        ),
        (
            "extend-per-file-ignores",
            _PER_FILE,
            "{}",
            "As per-file-ignores, on top of those inherited",
            '{ "!src/**.py" = ["TBR3"] }',
        ),
        ("preview", _BOOL, "false", 'Report every opt-in rule, as `enable = ["TBR"]`', "true"),
        *_OF_ANALYSIS,
        (
            "target-version",
            _STRING,
            "that of ruff's configuration, else of `requires-python`, else none",
            "Oldest Python the code runs on: newer syntax is an error in it",
            '"py310"',
        ),
        ("src", _STRINGS, '[".", "src"] of the project', "Folders that imports start from", '["lib"]'),
        (
            "exclude",
            _STRINGS,
            "ruff's",
            "Files and folders not to look at: names, or globs relative to this file",
            '["legacy"]',
        ),
        ("extend-exclude", _STRINGS, "[]", "As exclude, on top of it", '["third_party/*"]'),
        ("respect-gitignore", _BOOL, "true", "Leave out what .gitignore names", "false"),
        ("force-exclude", _BOOL, "false", "Exclude also files that the command line names", "true"),
        ("output-format", _STRING, '"full"', "The shape of the findings", '"concise"'),
        ("fix", _BOOL, "false", "Repair what can be repaired, as --fix", "true"),
        ("fix-only", _BOOL, "false", "Repair and do not report what is left, as --fix-only", "true"),
        (
            "unsafe-fixes",
            _BOOL,
            "none: hinted at, not applied",
            "Apply unsafe repairs too; false also hides the hint",
            "true",
        ),
        ("show-fixes", _BOOL, "false", "List what was repaired", "true"),
        ("fixable", _CODES, '["ALL"]', "Codes whose findings may be repaired", '["TBR201"]'),
        ("unfixable", _CODES, "[]", "Codes whose findings may not be repaired", '["TBR101"]'),
        ("extend-fixable", _CODES, "[]", "As fixable, on top of it", '["TBR3"]'),
        ("extend-safe-fixes", _CODES, "[]", "Codes whose unsafe repairs count as safe", '["TBR506"]'),
        ("extend-unsafe-fixes", _CODES, "[]", "Codes whose safe repairs count as unsafe", '["TBR501"]'),
    )
)
BY_NAME = {key.name: key for key in KEYS}


def value(name: str, given: object, where: str) -> Any:
    """The value of a key as it is used: bool, text, tuple of texts, or for globs a tuple of (glob, selectors).

    `where` is what the user knows the key by. Raises `SettingsError` for a value of another type or without a meaning.
    """
    kind = BY_NAME[name].type
    if kind == _BOOL:
        if not isinstance(given, bool):
            raise SettingsError(f"{where}: {given!r} is neither true nor false")
        return given
    if kind == _PER_FILE:
        if not isinstance(given, Mapping):
            raise SettingsError(f"{where}: {given!r} is not a table of globs, each with a list of codes")
        return tuple((glob, _texts(codes, f"{where}.{glob}")) for glob, codes in given.items())
    if kind == _STRING:
        if not isinstance(given, str):
            raise SettingsError(f"{where}: {given!r} is not a string")
        known = {"target-version": TARGETS, "output-format": FORMATS}.get(name)
        if known and given not in known:
            raise SettingsError(f"{where}: {given!r} is none of {', '.join(known)}")
    texts = given if kind == _STRING else _texts(given, where)
    return checked(name, texts, where) if name in ANALYSIS else texts


def unknown(name: str) -> str:
    """What is wrong with a key that there is not, with the one that may have been meant."""
    from difflib import get_close_matches

    close = get_close_matches(name.replace("_", "-"), BY_NAME, 1)
    return f"unknown key {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


def _texts(given: object, where: str) -> tuple[str, ...]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, str) for item in given):
        raise SettingsError(f"{where}: {given!r} is not a list of strings")
    return tuple(given)


def version(target: str) -> tuple[int, int]:
    """The Python version that a target such as `py310` names."""
    match = re.fullmatch("py3([0-9]+)", target)
    assert match is not None
    return 3, int(match[1])
