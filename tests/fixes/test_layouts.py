"""Whatever the layout: the tree after a fix is the tree before with the one change, and every comment is kept."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.fixes.apply import apply
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.checkpoint import checkpoint\n\n"
SPACES = st.sampled_from(["", " ", "\n    ", "\n", "  # c, (\n  ", "\t", " \\\n  ", "\n# (é\n\n        "])
ARGUMENTS = st.sampled_from(
    ["x", "(x)", "((x))", "( # in\nx)", "*rest", "x + y", "'é,)('", "f'{x}'", "[x, y][0]", '"""a\nb"""']
)


@st.composite
def laid_out(draw: st.DrawFn, name: str, first: str, rest: Sequence[str], keywords: Sequence[str] = ()) -> str:
    """A call in some layout: its arguments in order, with space and comments between them, perhaps a last comma."""
    parts = [first, *rest, *keywords]
    text = name + "("
    for number, part in enumerate(parts):
        text += draw(SPACES) + part + draw(SPACES) + ("," if number < len(parts) - 1 else "")
    return text + draw(st.sampled_from(["", ",", ", ", ",\n", ",  # end\n    "])) + ")"


def comments(text: str) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def fixed(text: str, code: str) -> str:
    """The text after the one fix of a code, which must be there."""
    (item,) = [found for found in check_source(SourceFile("p.py", text), Settings()) if found.code == code]
    assert item.fix is not None
    after = apply(text, [item]).text
    assert comments(after) == comments(text)
    return after


def calls(text: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "checkpoint"
    ]


def dumped(node: ast.AST) -> str:
    return ast.dump(node)


@given(st.data())
def test_one_argument_more(data: st.DataObject) -> None:
    rest = data.draw(st.lists(ARGUMENTS, max_size=3))
    call = data.draw(laid_out("checkpoint", "block", rest))
    text = f"{HEAD}def f(block, x, y, rest):\n    return {call}\n"
    (before,), (after,) = calls(text), calls(fixed(text, "TBR506"))
    before.keywords.append(ast.keyword("use_reentrant", ast.Constant(False)))
    assert dumped(after) == dumped(before)


@given(st.data())
def test_one_argument_less(data: st.DataObject) -> None:
    rest = data.draw(st.lists(ARGUMENTS, min_size=1, max_size=2))
    keywords = data.draw(st.permutations(["preserve_rng_state=False", "use_reentrant=(False)", "debug=False"]))
    call = data.draw(laid_out("checkpoint", "drop", rest, keywords))
    text = f"{HEAD}drop = nn.Dropout(0.5)\n\n\ndef f(x, y, rest):\n    return {call}\n"
    (before,), (after,) = calls(text), calls(fixed(text, "TBR204"))
    without = [k for k in before.keywords if k.arg != "preserve_rng_state"]
    turned = [ast.keyword(k.arg, ast.Constant(True)) if k not in without else k for k in before.keywords]
    assert dumped(after) in [dumped(ast.Call(before.func, before.args, keywords)) for keywords in (without, turned)]


@given(st.data())
def test_a_closure_that_binds(data: st.DataObject) -> None:
    parameters = data.draw(
        st.sampled_from(
            ["h", "h,", "h, k=1", "*h", "h, /", "h, *, k={1: lambda: 0}", "h, k=f'{1:>3}'", "h, k=(1, 2)[0:1]"]
        )
    )
    gap = data.draw(st.sampled_from(["", " ", "  # (:\n    "]))
    if data.draw(st.booleans()):
        made = f"def run({gap}{parameters}{gap}):\n            return layer(h)\n        x = checkpoint(run, x)"
    else:
        body = data.draw(st.sampled_from(["layer(h)", "(layer(h))", "(lambda: layer(h))()", "{'a': layer}['a'](h)"]))
        made = f"x = checkpoint(({gap}lambda {parameters}:{gap}{body}), x)"
    text = f"{HEAD}def f(layers, x):\n    for layer in layers:\n        {made}\n    return x\n"

    def defaults(text: str) -> list[tuple[list[str], list[str]]]:
        found = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.Lambda, ast.FunctionDef)) and getattr(node, "name", "") != "f":
                a = node.args
                names = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs)]
                values = [ast.unparse(d) for d in (*a.defaults, *(d for d in a.kw_defaults if d is not None))]
                found.append((names, values))
        return found

    (names, values), *others = defaults(text)
    assert defaults(fixed(text, "TBR206")) == [([*names, "layer"], [*values, "layer"]), *others]
