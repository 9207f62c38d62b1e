"""`--show-files` and `--show-settings`: what a run would look at, and under which settings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from flake8_tensorbranch.config.analysis import last_layer
from flake8_tensorbranch.config.effective import EXCLUDED, Effective
from flake8_tensorbranch.config.keys import KEYS
from flake8_tensorbranch.pages import pages, rule_name


def files(paths: Iterable[str]) -> Iterator[str]:
    """The absolute paths, sorted."""
    yield from sorted(map(os.path.abspath, paths))


def settings(path: str, effective: Effective) -> Iterator[str]:
    """The value of each key for a file and where it comes from, then the rules that this amounts to."""
    full = os.path.abspath(path)
    chosen = effective.for_file(full)
    yield f"Resolved settings for: {json.dumps(full)}"
    if chosen.config:
        yield f"Settings path: {json.dumps(chosen.config)}"
    yield ""
    for key in KEYS:
        layer = last_layer(effective.layers, key.name)
        if layer is not None:
            yield f"{key.name} = {_toml(layer.values[key.name])}  # {layer.name or 'command line'}"
        elif key.name == "exclude":
            yield f"{key.name} = {_toml(EXCLUDED)}"
        else:
            yield f"{key.name} = {key.default}"
    runs = {code for code, page in pages().items() if chosen.analysis.is_enabled(code, page.rule_class.startswith("I"))}
    enabled = (chosen.enabled - chosen.ignored) & runs
    for title, codes in (("enabled", enabled), ("should_fix", enabled & chosen.fixable_codes)):
        yield ""
        yield f"rules.{title} = ["
        yield from (f"\t{rule_name(code)} ({code})," for code in sorted(codes))
        yield "]"


def _toml(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{ " + ", ".join(f"{json.dumps(glob)} = {json.dumps(codes)}" for glob, codes in value) + " }"
    return json.dumps(value)
