"""Closures that take a name's value where they are made: a default binds it."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Sequence

from astroid import nodes

from flake8_tensorbranch.engine.repairs.text import Edits, Place, Text, end, inserting, quoted, start
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex


def bound(index: ModuleIndex, function: FunctionInfo, names: Sequence[str]) -> Edits | None:
    """The edit that gives a nested function or lambda a default for each name it reads from around it.

    None where a function has `**keywords`, which must stay last, or where it assigns a name outside of it.
    """
    node = function.node
    if quoted(node) or function.kwarg is not None:
        return None
    if {*names} & (function.declared_nonlocal | function.declared_global):
        return None
    text = Text.of(index)
    said = ", ".join(f"{name}={name}" for name in names)
    found = _lambda_end(text, node) if function.is_lambda else _parameters_end(text, node)
    if found is None:
        return None
    place, before = found
    lead = {"lambda": " ", "(": "", ",": " "}.get(before, ", ")
    return (inserting(place, lead + said),)


def _tokens(text: Text, node: nodes.NodeNG, begin: Place) -> Iterator[tuple[tokenize.TokenInfo, Place]]:
    """The tokens of a node from a place on, each with the place behind it; comments and line breaks are left out."""
    line, column = begin
    rows = [text.after((line, column)), *(text.line(n) for n in range(line + 1, (node.end_lineno or line) + 1))]
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(rows)).readline):
            if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
                continue
            row, stop = token.end
            size = len(rows[row - 1][:stop].encode("utf-8", "surrogatepass"))
            yield token, (line + row - 1, size + (column if row == 1 else 0))
    except (tokenize.TokenError, SyntaxError, IndexError):
        return


def _lambda_end(text: Text, node: nodes.NodeNG) -> tuple[Place, str] | None:
    """Where the parameters of a lambda end, and the token there."""
    depth = lambdas = 0
    before, place = "", start(node)
    for token, behind in _tokens(text, node, place):
        if token.string == ":" and depth == 0:
            lambdas -= 1
            if lambdas == 0:
                return place, before
        lambdas += token.string == "lambda" and depth == 0
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        before, place = token.string, behind
    return None


def _parameters_end(text: Text, node: nodes.NodeNG) -> tuple[Place, str] | None:
    """Where the parameters of a function end, and the token there."""
    depth = 0
    defined = inside = False
    decorators = getattr(node, "decorators", None)
    before, place = "", start(node) if decorators is None else end(decorators)
    for token, behind in _tokens(text, node, place):
        if not defined:
            defined = token.string == "def"
            continue
        inside = inside or (token.string == "(" and depth == 0)
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        if inside and depth == 0:
            return place, before
        before, place = token.string, behind
    return None
