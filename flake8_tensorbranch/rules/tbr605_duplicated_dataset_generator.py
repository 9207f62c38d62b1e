"""TBR605: a generator stored on a dataset is copied into every worker."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-duplicated-dataset-generator", frozenset({SinkKind.SWITCH}), "E", "0.1.0")


def check(site: SwitchSite) -> Iterator[Finding]:
    """A generator made in `__init__` and drawn from in workers: each worker, in each epoch, draws the same numbers."""
    if site.what == "copied-generator":
        name, kind = site.facts["name"], site.facts["kind"]
        message = f"`{name}` ({kind}) is copied into every DataLoader worker: all draw the same"
        help_ = "make it in `__getitem__` or `worker_init_fn`"
        if site.facts["drawn"] == "__iter__":
            help_ = "seed it in `__iter__` by `get_worker_info()`"
        yield Finding(site.node, message, help_, site.certain, site.related)
