"""What the statements that a branch holds do: raise, log, leave a loop; and words for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.knowledge.frameworks import LOGGING, WARNING
from flake8_tensorbranch.syntax.kinds import NESTED, SCOPE_NODES
from flake8_tensorbranch.syntax.names import dotted, last_name

_LONGEST_NAME: Final = 24
_EXITS: Final = (nodes.Return, nodes.Break, nodes.Continue)
Blocks = list[nodes.NodeNG]


def statements(top: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """A statement and all in it, those of nested functions and classes apart."""
    stack = [top]
    while stack:
        node = stack.pop()
        if isinstance(node, NESTED):
            continue
        yield node
        stack.extend(
            child
            for child in node.get_children()
            if child.is_statement or isinstance(child, (nodes.ExceptHandler, nodes.MatchCase))
        )


def called_in(statement: nodes.NodeNG) -> str:
    """The last name of what a statement that is a call calls; empty for any other statement."""
    if isinstance(statement, nodes.Expr) and isinstance(statement.value, nodes.Call):
        func = statement.value.func
        return last_name(func)
    return ""


def is_logged(node: nodes.NodeNG) -> bool:
    """True inside of a call that only logs."""
    up = node.parent
    while up is not None and not up.is_statement:
        up = up.parent
    return up is not None and called_in(up) in LOGGING


def is_elif(node: nodes.If) -> bool:
    """True when all that the `else` of a branch holds is another branch."""
    return len(node.orelse) == 1 and isinstance(node.orelse[0], nodes.If)


def only_errors(body: Blocks, fails: Callable[[nodes.NodeNG], bool] = lambda call: False) -> bool:
    """True when nothing but an error or a warning comes of the statements; `fails` tells of a call that it raises."""
    final = False
    for statement in body:
        called = called_in(statement)
        if isinstance(statement, (nodes.Raise, nodes.Assert)) or called in WARNING:
            final = True
        elif isinstance(statement, nodes.If):
            if not only_errors(list(statement.body), fails):
                return False
            if statement.orelse and not only_errors(list(statement.orelse), fails):
                return False
            final = True
        elif isinstance(statement, nodes.Expr) and fails(statement.value):
            final = True
        elif isinstance(statement, nodes.Assign) and isinstance(body[-1], (nodes.Raise, nodes.Expr)):
            continue  # the words of the error
        elif not isinstance(statement, nodes.Pass) and called not in LOGGING:
            return False
    return final


def only_raises(function: nodes.NodeNG) -> bool:
    """True for a function that always raises: what comes before is the words of the error, or a log. One that others
    override (`raise NotImplementedError`) does not.
    """
    body = [s for s in getattr(function, "body", None) or [] if not is_text(s)] if _is_plain(function) else []
    if not body or not isinstance(body[-1], nodes.Raise):
        return False
    error = body[-1].exc
    named = last_name(error.func if isinstance(error, nodes.Call) else error)
    return named != "NotImplementedError" and only_errors(body)


def _is_plain(function: nodes.NodeNG) -> bool:
    return type(function) is nodes.FunctionDef and function.decorators is None


def is_text(statement: nodes.NodeNG) -> bool:
    """True for a statement that is a constant: a docstring, an ellipsis."""
    return isinstance(statement, nodes.Expr) and isinstance(statement.value, nodes.Const)


def is_check(node: nodes.NodeNG) -> bool:
    """True for `if ...:` over `if strict: raise ...` and a constant that is returned instead: validation, as asked."""
    if not isinstance(node, nodes.If) or node.orelse or len(node.body) != 2:
        return False
    asked, told = node.body
    if not isinstance(told, nodes.Return) or not (told.value is None or isinstance(told.value, nodes.Const)):
        return False
    if not isinstance(asked, nodes.If) or asked.orelse or not isinstance(asked.test, (nodes.Name, nodes.Attribute)):
        return False
    return isinstance(asked.body[-1], nodes.Raise)


def only_logs(body: Blocks) -> bool:
    """True when nothing but a log comes of the statements."""
    return all(isinstance(s, nodes.Pass) or called_in(s) in LOGGING for s in body)


def exits(block: Blocks) -> Iterator[nodes.NodeNG]:
    """The statements of a block that end the loop around it, or its present round."""
    for statement in block:
        if isinstance(statement, _EXITS):
            yield statement
        elif isinstance(statement, nodes.If):
            yield from exits([*statement.body, *statement.orelse])
        elif isinstance(statement, (nodes.With, nodes.Try)):
            yield from exits(statement.body)


def loop_around(node: nodes.NodeNG) -> nodes.For | nodes.While | None:
    """The innermost loop of its own scope that a statement stands in."""
    up = node.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, (nodes.For, nodes.While)):
            return up
        up = up.parent
    return None


def after(node: nodes.NodeNG, within: nodes.NodeNG | None = None) -> Blocks:
    """The statements that run after the node in its scope, or in one round of the loop `within`, block by block."""
    found: Blocks = []
    child, up = node, node.parent
    while up is not None:
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(up, block, None)
            if isinstance(statements, list) and child in statements:
                found.extend(statements[statements.index(child) + 1 :])
        if up is within or isinstance(up, (nodes.FunctionDef, nodes.Module, nodes.ClassDef)):
            break
        child, up = up, up.parent
    return found


def in_words(body: Blocks, orelse: Blocks, later: Blocks | None = None) -> str:
    """What the branch decides, for a message: what is returned, else the first that is read `later`, else the first."""
    found: list[tuple[str, str]] = []
    for statement in _nested([*body, *orelse]):
        if isinstance(statement, nodes.Return):
            return "what is returned"
        if isinstance(statement, nodes.AugAssign):
            name = named(statement.target)
            found.append((name, f"whether `{name}` is changed" if name else "whether a value is changed"))
        elif isinstance(statement, (nodes.Assign, nodes.AnnAssign)):
            target = statement.targets[0] if isinstance(statement, nodes.Assign) else statement.target
            name = named(target)
            held = named(target.value) if isinstance(target, nodes.Subscript) else ""
            words = f"what `{name}` is" if name else f"what `{held}` holds" if held else "what is assigned"
            found.append((name or held, words))
        else:
            called = called_in(statement)
            if called and called not in LOGGING:
                found.append(("", f"whether `{cut(called)}()` runs"))
    if not found:
        return "which branch runs"
    if len(found) == 1:
        return found[0][1]
    read = {n.name for s in later or () for n in s.nodes_of_class(nodes.Name)}
    return next((words for name, words in found if name.partition(".")[0] in read), found[0][1])


def _nested(block: Blocks) -> Iterator[nodes.NodeNG]:
    """Statements in the order of the text, those in inner branches and scopes of a `with` after what holds them."""
    for statement in block:
        yield statement
        if isinstance(statement, (nodes.If, nodes.With)):
            yield from _nested([*statement.body, *getattr(statement, "orelse", [])])


def named(node: nodes.NodeNG) -> str:
    """A target's dotted name as far as a message has room for it; empty for any other target."""
    return cut(dotted(node) or "")


def cut(name: str) -> str:
    """A name as far as a message has room for it."""
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 3] + "..."
