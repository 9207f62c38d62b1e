"""What well-known libraries give and hand over: their functions, objects, fields and hooks, by family.

All of it is joined with UNKNOWN: one class or function of a family may be an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.rows import from_row, simple
from flake8_tensorbranch.engine.lattice import OBJECT, UNKNOWN, UNKNOWN_KIND, AbstractValue, join, make
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.families import ASKED, BUILDERS, FIELDS, HOOKS, family
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.syntax.names import FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

HANDED: Final = frozenset(name for hooks in HOOKS.values() for _, given in hooks for name in given)
"""The parameters that a framework fills, by name."""


def called(qualname: str, args: Arguments) -> AbstractValue | None:
    """What a function of a library gives, or what builds an object of a class; None where nothing is known."""
    owner, _, last = qualname.rpartition(".")
    if last[:1].islower() and last not in BUILDERS:
        return by_family(family(qualname), args, None)
    cls = owner if last in BUILDERS else qualname
    return make(OBJECT | UNKNOWN_KIND, refs=frozenset({Instance(cls)})) if family(cls) else None


def by_family(name: str, args: Arguments, owner: AbstractValue | None) -> AbstractValue | None:
    """What the row of a family, or of a method of it, says of a call; None where there is none."""
    if not name:
        return None
    names = args.names()
    for word, asked in ASKED.items():
        if word in names and args.keywords[word].const != asked:
            names -= {word}
    row = lookup(name, len(args.positional), names, kinds=args.kinds())
    return None if row is None else join(from_row(row, args, owner), UNKNOWN)


def method(cls: str, name: str, args: Arguments, owner: AbstractValue) -> AbstractValue | None:
    """What a method of an object of a library's class gives; None where nothing is known."""
    known = family(cls)
    return by_family(f"{known}.{name}", args, owner) if known else None


def field(cls: str, name: str) -> AbstractValue | None:
    """What an object of a library's class has under a name; None where nothing is known."""
    word = FIELDS.get(family(cls), {}).get(name)
    return None if word is None else join(simple(word), UNKNOWN)


def handed(analysis: Analysis, function: FunctionInfo, name: str) -> AbstractValue | None:
    """What a framework passes for a parameter of a method that it calls; None where it does not."""
    if function.cls is None:
        return None
    for base in analysis.resolver.mro(function.cls):
        for called, given in HOOKS.get(family(base), ()) if isinstance(base, str) else ():
            if name in given and called.fullmatch(function.name):
                return join(simple(given[name]), UNKNOWN)
    return None
