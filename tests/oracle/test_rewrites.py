"""Cores, ways and scopes of the rewrites' matrix are wrong, and their repairs right, on real torch.

Each core by one way, one core by each way, each scope in each form; the programs of `tests/rewrites/programs` do not
run.
"""

from __future__ import annotations

import ast
import importlib
import random
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.oracle.agree import plain
from tests.oracle.support import Outcome, importable, loaded, observe, require_torch
from tests.rewrites.core import HEAD, Core, Section, files, marks, program
from tests.rewrites.kinds import KINDS, MODES
from tests.rewrites.test_rewrites import CORES, SCOPES, WAYS

torch = require_torch()
pytest.importorskip("numpy")
pytestmark = pytest.mark.oracle

UNFLIPPED = {"TBR201": "nothing flips it here", "TBR210": "nothing flips it here"}
UNRUN = {
    ("TBR502", "scale"): "the ways' region takes no `scale`, whoever hands it on",
    ("TBR203", "clock"): "the clock decides",
    ("TBR506", "implicit"): "it only warns",
}
"""Why the wrong program is not asked to be wrong (`UNFLIPPED`), or is not run at all."""

METHOD = next(w for w in WAYS if w.title == "method")
RUN = [core for core in CORES if (core.code, core.name) not in UNRUN]
TRAINER = "\n\ndef train_step(x, optimizer):\n    Trainer(optimizer).step(x)\n"
TRAIN = "\n\ndef train_step(x, optimizer):\n    train([x], optimizer)\n"
DRAWN = next(c for c in CORES if (c.code, c.name) == ("TBR203", "noise"))
SEEDS = range(12)


@contextmanager
def placed(source: str) -> Iterator[ModuleType]:
    """The last module of a program, whose files stand where they can be imported."""
    modules = files(source)
    if len(modules) == 1:
        with loaded(source) as module:
            yield module
        return
    with TemporaryDirectory() as folder, importable(Path(folder), modules):
        yield importlib.import_module(list(modules)[-1].removesuffix(".py").replace("/", "."))


def state(module: ModuleType) -> list[Any]:
    """What a step leaves: gradients, buffers, and the plain state of the module and of those beside it."""
    folder = f"{sys.path[0]}/"  # of the program, where it has several files
    beside = (m for m in sys.modules.values() if type(m) is ModuleType and m is not module)
    near = [m for m in beside if all(str(vars(n).get("__file__")).startswith(folder) for n in (m, module))]
    held = [v for m in (module, *near) for k, v in sorted(vars(m).items()) if not k.startswith("__")]
    layers = [v for v in held if isinstance(v, torch.nn.Module)]
    found: list[Any] = [p.grad for layer in layers for p in layer.parameters()]
    found += [b for layer in layers for b in layer.buffers()]
    found += [v.grad if v.is_leaf and v.requires_grad else v.detach() for v in held if isinstance(v, torch.Tensor)]
    return [*found, repr([v for v in held if isinstance(v, (dict, list)) and len(repr(v)) < 2000])]


def given(name: str, module: ModuleType) -> Any:
    """What a step is called with, by the name of its parameter."""
    x = torch.linspace(-1.0, 2.0, 128).reshape(8, 16)
    if name == "loader":
        return [(x, torch.arange(8))]
    if name == "optimizer":
        return SimpleNamespace(step=lambda: None, zero_grad=lambda: None)
    if name in ("cfg", "deterministic"):
        return SimpleNamespace(deterministic=True, gradient_checkpointing=True)
    if name == "net":
        taken = module.Net.__init__.__code__.co_varnames[1 : module.Net.__init__.__code__.co_argcount]
        return module.Net(*(given(n, module) for n in taken))
    if name == "ema":
        return {k: v + 1.0 for k, v in module.proj.state_dict().items()}
    return x.clone() if name in ("batch", "other", "images") else x.clone().requires_grad_()


def step(loading: AbstractContextManager[ModuleType], name: str, names: list[str], seed: int) -> list[Any]:
    torch.manual_seed(seed)
    with loading as module:
        torch.manual_seed(seed)
        random.seed(seed)
        module.np.random.seed(seed)
        result = getattr(module, name)(*(given(n, module) for n in names))
        return [result if isinstance(result, torch.Tensor) else None, *state(module)]


def outcomes(source: str, seed: int = 0) -> tuple[Outcome, Outcome]:
    """What the last function of a program does as it is, and without its checkpoints."""
    main = list(files(source).values())[-1]
    last = [n for n in ast.parse(main).body if isinstance(n, ast.FunctionDef)][-1]
    names = [a.arg for a in last.args.args]
    return (
        observe(step, placed(source), last.name, names, seed),
        observe(step, plain(source, placed), last.name, names, seed),
    )


def alike(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return torch.equal(one, other)
    return type(one) is type(other) and (isinstance(one, torch.Tensor) or one == other)


def differ(source: str, seed: int = 0) -> bool:
    """True where the checkpoint changes what a program does."""
    found, right = outcomes(source, seed)
    if found.error is not None or right.error is not None:
        return found.kind != right.kind
    return not all(map(alike, found.value, right.value))


@pytest.mark.parametrize("core", RUN, ids=lambda core: f"{core.code}-{core.name}")
def test_a_core_is_wrong_and_its_repair_is_not(core: Core) -> None:
    bad, mended = program(core, METHOD), program(core, METHOD, repaired=True)
    if core.code == "TBR507":  # the function raises, checkpointed or not
        assert [o.kind for o in outcomes(bad)] == ["TypeError", "TypeError"]
    elif core.code not in UNFLIPPED:
        assert any(differ(bad, seed) for seed in SEEDS)
    found, _ = outcomes(mended)
    assert found.error is None
    # What a `context_fn` chooses, a program without checkpoints goes without.
    assert "context_fn" in core.mended or not any(differ(mended, seed) for seed in SEEDS[:3])


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.title)
def test_a_way_leads_into_a_checkpoint(way: Section) -> None:
    assert differ(program(DRAWN, way))
    found, _ = outcomes(program(DRAWN, way, repaired=True))
    assert found.error is None
    assert not differ(program(DRAWN, way, repaired=True))


@pytest.mark.parametrize("form", SCOPES, ids=lambda form: form.title)
@pytest.mark.parametrize("kind", KINDS)
def test_a_scope_that_ends_early_is_wrong(kind: str, form: Section) -> None:
    _, scope, around = KINDS[kind]
    source = f"{HEAD}\n{around.strip()}\n{form.text.replace('SCOPE', scope)}"
    words = {words[0] for _, _, words in marks(source)}
    source += TRAINER if "class Trainer" in source else TRAIN if "def train(" in source else ""
    found, _ = outcomes(source)
    assert found.error is None or differ(source)
    assert differ(source) is ("here" in words or ("mode" in words and kind in MODES))
