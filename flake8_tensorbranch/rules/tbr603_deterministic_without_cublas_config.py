"""TBR603: deterministic mode without the variable that cuBLAS reads, for torch before 2.10."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-deterministic-without-cublas-config", frozenset({SinkKind.SWITCH}), "W", "0.1.0")


def check(site: SwitchSite) -> Iterator[Finding]:
    """CUBLAS_WORKSPACE_CONFIG is missing, or set when cuBLAS may have read it."""
    if site.what != "cublas":
        return
    if site.facts["late"]:
        message = "CUBLAS_WORKSPACE_CONFIG is set after CUDA work that may have read it; the value is ignored"
        yield Finding(site.node, message, "set it before the first use of CUDA", site.certain, site.related)
        return
    if site.facts["value"]:
        message = (
            f'CUBLAS_WORKSPACE_CONFIG="{site.facts["value"]}" is not deterministic: this torch raises at a cuBLAS call'
        )
        yield Finding(site.node, message, 'set it to ":4096:8" or ":16:8"', site.certain, site.related)
        return
    message = "this torch raises at the first cuBLAS call in deterministic mode without CUBLAS_WORKSPACE_CONFIG"
    yield Finding(site.node, message, 'set it to ":4096:8" before CUDA is used', site.certain, site.related)
