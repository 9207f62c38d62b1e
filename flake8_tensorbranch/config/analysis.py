"""The settings of the analysis from layers of configuration: all that a host needs which selects codes itself.

This is what the flake8 plugin reads for each file: it costs a few `stat` calls where nothing has changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from flake8_tensorbranch.config.files import RUFF, Layer, chain, governing, inherited
from flake8_tensorbranch.config.keys import ANALYSIS
from flake8_tensorbranch.settings import Settings


def last(layers: Sequence[Layer], name: str) -> Any:
    """The value in the last layer that has the key, None if none has."""
    layer = last_layer(layers, name)
    return None if layer is None else layer.values[name]


def last_layer(layers: Sequence[Layer], name: str) -> Layer | None:
    """The last layer that has the key."""
    return next((layer for layer in reversed(layers) if name in layer.values), None)


def analysis(layers: Sequence[Layer], selected: Iterable[str] = ()) -> Settings:
    """The settings that layers amount to; `selected` are codes that run, opt-in or not, because they are asked for."""
    values = {name: last(layers, name) for name in ANALYSIS}
    enabled = ("TBR",) if last(layers, "preview") else values["enable"] or ()
    values["enable"] = tuple(dict.fromkeys((*enabled, *selected)))
    source = last_layer(layers, "src")
    if source is not None:
        folders = (os.path.join(source.folder, folder) for folder in source.values["src"])
        values["src"] = tuple(map(os.path.normpath, folders))
    return Settings.from_keys(values)


def configured(path: str, given: Mapping[str, Any], beside_ruff: bool = False) -> Settings:
    """The settings of the file at `path`, from its configuration file under `given` (values by key, None for unset).

    `beside_ruff` also asks ruff's configuration, for `src`. Raises `SettingsError` for a file that cannot be used.
    """
    folder = os.path.dirname(os.path.abspath(path))
    own = governing(folder)
    layers = chain(own) if own else []
    if beside_ruff and last_layer(layers, "src") is None:
        ruff = governing(folder, RUFF)
        layers = [*(inherited(ruff) if ruff else ()), *layers]
    set_here = {name: value for name, value in given.items() if value is not None}
    if "enable" in set_here:
        set_here["preview"] = False  # an option about opt-in rules has the last word about them
    return analysis([*layers, Layer("", folder, set_here)])
