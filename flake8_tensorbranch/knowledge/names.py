"""Names that denote something known under another name, or a kind of value in an annotation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alias:
    """A second path of one public name."""

    target: str
    why: str


@dataclass(frozen=True, slots=True)
class PrefixAlias:
    """A path prefix that stands for another one."""

    prefix: str
    target: str
    why: str
    drop_modules: bool = False
    """Whether modules between the prefix and the last component vanish in the public name."""


ALIASES: dict[str, Alias] = {}
PREFIX_ALIASES: tuple[PrefixAlias, ...] = (
    PrefixAlias("torch.nn.modules.", "torch.nn.", "torch/nn/__init__.py re-exports nn.modules", drop_modules=True),
    PrefixAlias("torch.functional.", "torch.", "torch/__init__.py re-exports torch.functional"),
)
