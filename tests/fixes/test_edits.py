"""The text that fixes make, form by form: layouts, comments, aliases, imports, and where there is rather no fix."""

from __future__ import annotations

import ast
import textwrap

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.fixes.apply import apply
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

HEAD = "import torch\nfrom torch.utils.checkpoint import checkpoint\n"


def found(text: str, code: str) -> list[Diagnostic]:
    ast.parse(text)
    return [item for item in check_source(SourceFile("p.py", text), Settings()) if item.code == code]


def fixed(text: str, code: str) -> str:
    """The text after the first fix of a code, in which that finding is gone."""
    before = found(text, code)
    assert before
    assert before[0].fix is not None
    after = apply(text, before[:1]).text
    assert len(found(after, code)) == len(before) - 1
    return after


def call(text: str) -> str:
    """A function whose value is the call `text`."""
    return f"{HEAD}\ndef f(block, x, y):\n    return {text}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("checkpoint(block, x)", "checkpoint(block, x, use_reentrant=False)"),
        ("checkpoint(block, x,)", "checkpoint(block, x, use_reentrant=False)"),
        ("checkpoint(block, (x))", "checkpoint(block, (x), use_reentrant=False)"),
        ("checkpoint(block, ((x)),)", "checkpoint(block, ((x)), use_reentrant=False)"),
        ("checkpoint( block, x )", "checkpoint( block, x, use_reentrant=False )"),
        ("checkpoint(block, *(x, y))", "checkpoint(block, *(x, y), use_reentrant=False)"),
        ("checkpoint(block, x, use_reentrant=None)", "checkpoint(block, x, use_reentrant=False)"),
        ("checkpoint(block, 'é', x)", "checkpoint(block, 'é', x, use_reentrant=False)"),
        ("(checkpoint)(block, x)", "(checkpoint)(block, x, use_reentrant=False)"),
        ("checkpoint(block, # , )\n    x)", "checkpoint(block, # , )\n    x, use_reentrant=False)"),
        ("checkpoint(block, x  # last\n    )", "checkpoint(block, x, use_reentrant=False  # last\n    )"),
        ("checkpoint(block, x, # last\n    )", "checkpoint(block, x, use_reentrant=False, # last\n    )"),
        (
            "checkpoint(\n        block,\n        x,  # the input\n    )",
            "checkpoint(\n        block,\n        x,  # the input\n        use_reentrant=False,\n    )",
        ),
        (
            "checkpoint(\n        block,\n        x  # the input\n    )",
            "checkpoint(\n        block,\n        x,  # the input\n        use_reentrant=False\n    )",
        ),
        (
            "checkpoint(\n        block,\n        x\n    )",
            "checkpoint(\n        block,\n        x,\n        use_reentrant=False\n    )",
        ),
        (
            "checkpoint(\n        block,\n        x\n        ,\n    )",
            "checkpoint(\n        block,\n        x\n        ,\n        use_reentrant=False,\n    )",
        ),
        ("checkpoint(block, \\\n        x)", "checkpoint(block, \\\n        x, use_reentrant=False)"),
    ],
)
def test_one_argument_more(before: str, after: str) -> None:
    assert fixed(call(before), "TBR506") == call(after)


@pytest.mark.parametrize(
    "text",
    [
        'f"{checkpoint(block, x)}"',
        "checkpoint(block, x, **{})",
        "checkpoint(block, x, **dict(preserve_rng_state=True))",
    ],
)
def test_rather_no_fix(text: str) -> None:
    assert [item.fix for item in found(call(text), "TBR506")] == [None]


def test_no_fix_where_another_function_may_be_called() -> None:
    text = f"{HEAD}\ndef g(f, x):\n    return f(x)\n\ndef f(block, x, on):\n    run = checkpoint if on else g\n"
    text += "    return run(block, x)\n"
    assert {item.fix for item in found(text, "TBR506")} <= {None}


LAYER = "\ndef double(x):\n    return x * 2\n\ndef f(x, y):\n    return "


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("checkpoint(double, x, True)", "checkpoint(double, x, use_reentrant=True)"),
        ("checkpoint(double, (x), False,)", "checkpoint(double, (x), use_reentrant=False,)"),
        (
            "checkpoint(double, x,  # the input\n    False)",
            "checkpoint(double, x,  # the input\n    use_reentrant=False)",
        ),
    ],
)
def test_a_named_flag(before: str, after: str) -> None:
    assert fixed(f"{HEAD}{LAYER}{before}\n", "TBR507") == f"{HEAD}{LAYER}{after}\n"


@pytest.mark.parametrize(
    "text",
    [
        "checkpoint(double, x, (False))",
        "checkpoint(double, x, True, use_reentrant=False)",
        "checkpoint(double, x, y, False)",
    ],
)
def test_a_flag_whose_meaning_is_not_sure(text: str) -> None:
    assert [item.fix for item in found(f"{HEAD}{LAYER}{text}\n", "TBR507")] == [None]


BLOCK = (
    "\nclass Block(torch.nn.Module):\n    def forward(self, x, scale=1, shift=0):\n        return x * scale + shift\n"
)
CHOSEN = f"{HEAD}OPTIONS = {{'use_reentrant': True}}\n"


def keywords(imports: str, text: str, name: str = "y") -> str:
    return f"{imports}{BLOCK}\ndef f(block: Block, x, {name}):\n    return {text}\n"


@pytest.mark.parametrize(
    ("imports", "imports_after", "partial"),
    [
        ("", "import functools\n", "functools.partial"),
        ("import functools\n", "import functools\n", "functools.partial"),
        ("import functools as ft\n", "import functools as ft\n", "ft.partial"),
        ("from functools import partial as p\n", "from functools import partial as p\n", "p"),
        ('"""Doc."""\nfrom __future__ import annotations\n\n', None, "functools.partial"),
    ],
)
def test_keywords_bound_to_the_function(imports: str, imports_after: str | None, partial: str) -> None:
    before = keywords(imports + CHOSEN, "checkpoint(block, x, scale=2, shift=y, **OPTIONS)")
    wanted = f"{imports}import functools\n" if imports_after is None else imports_after
    after = keywords(wanted + CHOSEN, f"checkpoint({partial}(block, scale=2, shift=y), x, **OPTIONS)")
    assert fixed(before, "TBR502") == after


def test_the_import_goes_before_a_decorated_first_statement() -> None:
    decorated = "@staticmethod\ndef g():\n    pass\n"
    tail = "\nimport torch, torch.utils.checkpoint as c\n"
    text = keywords("# head\n" + CHOSEN, "checkpoint(block, x, scale=2, **OPTIONS)")
    assert fixed(text, "TBR502").startswith("# head\nimport functools\nimport torch\n")
    text = keywords(f"{decorated}{tail}{CHOSEN}", "checkpoint(block, x, scale=2, **OPTIONS)")
    assert fixed(text, "TBR502").startswith(f"{decorated}\nimport functools\nimport torch, ")


@pytest.mark.parametrize("name", ["functools", "y, functools=None"])
def test_a_name_that_hides_the_module_is_not_shadowed(name: str) -> None:
    text = keywords(CHOSEN, "checkpoint(block, x, scale=2, **OPTIONS)", name)
    assert [item.fix for item in found(text, "TBR502")] == [None]


def test_keywords_where_the_variant_is_written_at_the_call() -> None:
    text = keywords(HEAD, "checkpoint(block, x, use_reentrant=True, scale=2)")
    assert "checkpoint(block, x, use_reentrant=False, scale=2)" in fixed(text, "TBR502")


def late(made: str, loop: str = "for layer in layers:") -> str:
    return f"{HEAD}\ndef f(layers, x, other):\n    {loop}\n{textwrap.indent(made, ' ' * 8)}    return x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("lambda h: layer(h)", "lambda h, layer=layer: layer(h)"),
        ("lambda h,: layer(h)", "lambda h, layer=layer: layer(h)"),
        ("lambda *h: layer(*h)", "lambda *h, layer=layer: layer(*h)"),
        ("lambda h, /: layer(h)", "lambda h, /, layer=layer: layer(h)"),
        ("lambda h, *, k=1: layer(h)", "lambda h, *, k=1, layer=layer: layer(h)"),
        ("lambda h, k={1: lambda: 0}: layer(h)", "lambda h, k={1: lambda: 0}, layer=layer: layer(h)"),
        ("lambda h: (lambda: layer(h))()", "lambda h, layer=layer: (lambda: layer(h))()"),
        ("lambda h: {1: layer}[1](h)", "lambda h, layer=layer: {1: layer}[1](h)"),
    ],
)
def test_a_lambda_that_binds(before: str, after: str) -> None:
    line = "x = checkpoint({}, x, use_reentrant=False)\n"
    assert fixed(late(line.format(before)), "TBR206") == late(line.format(after))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def run(h):", "def run(h, layer=layer):"),
        (
            "def run(h: torch.Tensor = (x)) -> 'list[int]':",
            "def run(h: torch.Tensor = (x), layer=layer) -> 'list[int]':",
        ),
        ("def run(\n    h,  # hidden (\n):", "def run(\n    h, layer=layer  # hidden (\n):"),
        ("@decorated(1)  # (\nasync def run(h):", "@decorated(1)  # (\nasync def run(h, layer=layer):"),
    ],
)
def test_a_function_that_binds(before: str, after: str) -> None:
    text = "{}\n    return layer(h)\nx = checkpoint(run, x, use_reentrant=False)\n"
    assert fixed(late(text.format(before)), "TBR206") == late(text.format(after))


@pytest.mark.parametrize(
    "made",
    [
        "x = checkpoint(lambda h, **k: layer(h), x, use_reentrant=False)\n",
        "def run(h):\n    return layer(h)\nlayer = other\nx = checkpoint(run, x, use_reentrant=False)\n",
        "if other:\n    def run(h):\n        return layer(h)\nx = checkpoint(run, x, use_reentrant=False)\n",
    ],
)
def test_a_closure_that_cannot_bind(made: str) -> None:
    assert [item.fix for item in found(late(made), "TBR206")] == [None]


def test_a_function_made_before_the_loop_cannot_bind() -> None:
    text = f"{HEAD}\ndef f(layers, x):\n    layer = None\n    def run(h):\n        return layer(h)\n"
    text += "    for layer in layers:\n        x = checkpoint(run, x, use_reentrant=False)\n    return x\n"
    assert [item.fix for item in found(text, "TBR206")] == [None]


def branch(body: str, head: str = "import torch\n", annotation: str = "torch.Tensor") -> str:
    return f"{head}\ndef f(x: {annotation}, s: {annotation}, n: float):\n{textwrap.indent(body, '    ')}"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if s < 1:\n    x = x * s\nreturn x\n", "x = x * s.clamp(max=1)\nreturn x\n"),
        ("if s <= 1.0: x *= s\nreturn x\n", "x *= s.clamp(max=1)\nreturn x\n"),
        (
            "if s < 1:  # cap\n    # now\n    x = s * x  # so\nreturn x\n",
            "# cap\n# now\nx = s.clamp(max=1) * x  # so\nreturn x\n",
        ),
        (
            "c = torch.clamp(n / s, max=1.0)\nif (c < 1).any():\n    x = x * c\nreturn x\n",
            "c = torch.clamp(n / s, max=1.0)\nx = x * c\nreturn x\n",
        ),
        ("if x.sum() > n:\n    x = -x\nreturn x\n", "x = torch.where(x.sum() > n, -x, x)\nreturn x\n"),
        ("return x.sin() if x.sum() > 0 else x\n", "return torch.where(x.sum() > 0, x.sin(), x)\n"),
        (
            "if x.sum() > 0:\n    y = x.sin()\nelse:\n    y = x.cos()\nreturn y\n",
            "y = torch.where(x.sum() > 0, x.sin(), x.cos())\nreturn y\n",
        ),
        ("if x.isnan().any():\n    return -x\nreturn x\n", "return torch.where(x.isnan().any(), -x, x)\n"),
    ],
)
def test_no_branch(before: str, after: str) -> None:
    assert fixed(branch(before), "TBR101") == branch(after)


def test_torch_imported_with_a_part_of_it() -> None:
    head = "import torch\nimport torch.nn.functional as F\nimport torch.utils.checkpoint\n"
    text = branch("if x.sum() > n:\n    x = -x\nreturn x\n", head)
    assert "x = torch.where(x.sum() > n, -x, x)" in fixed(text, "TBR101")


@pytest.mark.parametrize(
    "head", ["import torch\ntorch = torch\n", "try:\n    import torch\nexcept ImportError:\n    torch = None\n"]
)
def test_torch_that_may_be_something_else(head: str) -> None:
    text = branch("if x.sum() > n:\n    x = -x\nreturn x\n", head, "'torch.Tensor'")
    assert {item.fix for item in found(text, "TBR101")} <= {None}


def test_torch_by_another_name() -> None:
    text = branch("if x.sum() > n:\n    x = -x\nreturn x\n", "import torch as th\n", "th.Tensor")
    assert "x = th.where(x.sum() > n, -x, x)" in fixed(text, "TBR101")


@pytest.mark.parametrize(
    "body",
    [
        "if (s < 1).any():\n    x = x * s\nreturn x\n",  # rows above 1 grow too
        "if s < 2:\n    x = x * s\nreturn x\n",
        "if x > 0:\n    x = -x\nreturn x\n",  # perhaps of shape (1, 1)
        "if x.sum(0) > 0:\n    x = -x\nreturn x\n",
        "if x.sum() > 0:\n    x = x[:1]\nreturn x\n",  # another shape
        "if x.sum() > 0:\n    x = x + s\nreturn x\n",  # perhaps another shape
        "if x.sum() > 0:\n    x = -x\n    print(1)\nreturn x\n",
        "if n > 0:\n    pass\nelif x.sum() > 0:\n    x = -x\nreturn x\n",
        "if x.sum() > 0:\n    x = x.double()\nreturn x\n",
        "if x.sum() > 0: x = -x; n = 2\nreturn x\n",
        "if x.sum() > 0:  # type: ignore\n    x = -x\nreturn x\n",
        "if x.sum() > 0:\n    # pragma: no cover\n    x = -x\nreturn x\n",
    ],
)
def test_a_branch_that_stays(body: str) -> None:
    assert [item.fix for item in found(branch(body), "TBR101")] == [None]


def test_division_is_shown_and_not_applied() -> None:
    """Where the norm is 0, the quotient's gradient is no number, and `torch.where` lets it through."""
    (item,) = found(branch("if x.norm() > 0:\n    x = x / x.norm()\nreturn x\n"), "TBR101")
    assert item.fix is not None
    assert item.fix.applicability.value == "display"
