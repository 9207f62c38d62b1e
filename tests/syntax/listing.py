"""Write a control-flow graph as text, one line for each block, for golden tests."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.syntax import cfg
from flake8_tensorbranch.syntax.tree import build_module


def listing(text: str) -> str:
    """The graph of the only function, lambda or class in `text`, or else of the module.

    `0: x = 1; if a? | +a 3, -a 4` reads: block 0 assigns, tests `a`, then goes to block 3 if it held, else to 4.
    """
    module = build_module(text, "snippet.py")
    inner = [node for node in module.body if isinstance(node, (nodes.FunctionDef, nodes.ClassDef))]
    graph = cfg.build_cfg(inner[0] if len(module.body) == 1 and inner else module)
    names = {graph.exit: "exit", graph.raise_exit: "raised"}
    lines = []
    for block in graph.blocks:
        if block.index in names:
            continue
        items = "; ".join(show_item(item) for item in block.items)
        edges = ", ".join(f"{show_edge(edge)}{names.get(edge.to, edge.to)}" for edge in block.edges)
        lines.append(f"{block.index}: {items} | {edges}".replace(":  |", ": |"))
    return "\n".join(lines)


def show_item(item: cfg.Item) -> str:
    """An item in a word or two."""
    if isinstance(item, cfg.Test):
        return f"{show_test(item.expr)}?"
    if isinstance(item, cfg.IterEval):
        return f"iter {item.node.iter.as_string()}"
    if isinstance(item, cfg.ForBind):
        return f"next {item.node.target.as_string()}"
    if isinstance(item, cfg.WithEnter):
        return f"enter {item.node.items[item.index][0].as_string()}"
    if isinstance(item, cfg.WithExit):
        return f"leave {item.node.items[0][0].as_string()}"
    if isinstance(item, cfg.ExceptBind):
        return f"except {item.node.type.as_string() if item.node.type else ''}".rstrip()
    if isinstance(item, cfg.MatchSubject):
        return f"match {item.node.subject.as_string()}"
    if isinstance(item, cfg.MatchBind):
        return f"case {item.node.pattern.as_string()}"
    if isinstance(item, cfg.LambdaReturn):
        return f"return {item.expr.as_string()}"
    if isinstance(item, (nodes.FunctionDef, nodes.ClassDef)):
        return f"{'class' if isinstance(item, nodes.ClassDef) else 'def'} {item.name}"
    return str(item.as_string()).strip()


def show_test(test: nodes.NodeNG) -> str:
    """A test; astroid 4.0 writes `n := a` without the parentheses that later ones put around it."""
    text = str(test.as_string())
    return text.strip("()") if isinstance(test, nodes.NamedExpr) else text


def show_edge(edge: cfg.Edge) -> str:
    """An edge's label, with a space behind it if there is one."""
    sign = "+" if edge.truth else "-"
    if edge.kind == "branch":
        assert edge.test is not None
        return f"{sign}{show_test(edge.test)} "
    if edge.kind == "case":
        assert isinstance(edge.test, nodes.MatchCase)
        return f"{sign}case {edge.test.pattern.as_string()} "
    assert edge.test is None
    return {"flow": "", "back": "back ", "exception": "! ", "loop": f"{sign}next "}[edge.kind]
