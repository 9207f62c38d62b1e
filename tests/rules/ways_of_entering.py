"""Ways in which a function comes to be compiled, traced, exported or mapped. BODY is what it does with `x`."""

from __future__ import annotations

from typing import Final

WAYS: Final = {
    "call": """
def step(x: Tensor) -> Tensor:
    BODY

fast_step = BEGIN(step)
""",
    "deco": """
@ENTRY
def step(x: Tensor) -> Tensor:
    BODY
""",
    "deco_opts": """
@ENTRY(OPTS)
def step(x: Tensor) -> Tensor:
    BODY
""",
    "alias": """
speed_up = ENTRY
def step(x: Tensor) -> Tensor:
    BODY

fast_step = CALL(speed_up, step)
""",
    "from_import": """
from torch import compile as torch_compile
def step(x: Tensor) -> Tensor:
    BODY

fast_step = torch_compile(step)
""",
    "import_as": """
import torch as pt
def step(x: Tensor) -> Tensor:
    BODY

fast_step = pt.compile(step, dynamic=None)
""",
    "partial_entry": """
def step(x: Tensor) -> Tensor:
    BODY

speed_up = functools.partial(ENTRY, OPTS)
fast_step = CALL(speed_up, step)
""",
    "partial_deco": """
speed_up = functools.partial(ENTRY, OPTS)

@speed_up
def step(x: Tensor) -> Tensor:
    BODY
""",
    "partial_fn": """
def step(scale: float, x: Tensor) -> Tensor:
    BODY

fast_step = BEGIN(functools.partial(step, 2.0))
""",
    "partial_fn_kw": """
def step(x: Tensor, scale: float = 1.0) -> Tensor:
    BODY

scaled = functools.partial(step, scale=2.0)
fast_step = BEGIN(scaled)
""",
    "lambda": """
def step(x: Tensor) -> Tensor:
    BODY

fast_step = BEGIN(lambda x: step(x) * 2)
""",
    "lambda_entry": """
def step(x: Tensor) -> Tensor:
    BODY

speed_up = lambda fn: BEGIN(fn)
fast_step = speed_up(step)
""",
    "own_deco": """
def fast(fn):
    return BEGIN(fn)

@fast
def step(x: Tensor) -> Tensor:
    BODY
""",
    "own_deco_opts": """
def fast(**options):
    def decorate(fn):
        return ENTRY(fn, **options)
    return decorate

@fast(OPTS)
def step(x: Tensor) -> Tensor:
    BODY
""",
    "own_deco_flag": """
def maybe_compile(enabled: bool):
    def decorate(fn):
        if not enabled:
            return fn
        return BEGIN(fn)
    return decorate

@maybe_compile(os.environ.get("COMPILE") == "1")
def step(x: Tensor) -> Tensor:
    BODY
""",
    "deco_else_identity": """
USE = os.environ.get("NO_COMPILE") is None
speed_up = (lambda fn: BEGIN(fn)) if USE else (lambda fn: fn)

@speed_up
def step(x: Tensor) -> Tensor:
    BODY
""",
    "lazy_wrapper": """
def compile_on_first_call(fn):
    compiled = None
    @functools.wraps(fn)
    def wrapper(*args):
        nonlocal compiled
        if compiled is None:
            compiled = BEGIN(fn)
        return compiled(*args)
    return wrapper

@compile_on_first_call
def step(x: Tensor) -> Tensor:
    BODY
""",
    "wraps_inner": """
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper

@logged
def step(x: Tensor) -> Tensor:
    BODY

fast_step = BEGIN(step)
""",
    "stacked_deco": """
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper

@ENTRY(OPTS)
@logged
def step(x: Tensor) -> Tensor:
    BODY
""",
    "method_self": """
class Trainer:
    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.step = BEGIN(self._step)

    def _step(self, x: Tensor) -> Tensor:
        BODY
""",
    "method_deco": """
class Trainer:
    @ENTRY
    def step(self, x: Tensor) -> Tensor:
        BODY
""",
    "helper": """
def compiled(fn, enabled=True):
    if enabled:
        fn = BEGIN(fn)
    return fn

def step(x: Tensor) -> Tensor:
    BODY

fast_step = compiled(step)
""",
    "helper_inner": """
def inner(x: Tensor) -> Tensor:
    BODY

def step(x: Tensor) -> Tensor:
    return inner(x) + 1

fast_step = BEGIN(step)
""",
    "keyword": """
def step(x: Tensor) -> Tensor:
    BODY

fast_step = KWBEGIN(step)
""",
    "options_dict": """
OPTIONS = dict(OPTS)
def step(x: Tensor) -> Tensor:
    BODY

fast_step = ENTRY(step, **OPTIONS)
""",
    "config_flag": """
def step(x: Tensor) -> Tensor:
    BODY

def main(args):
    run = step
    if args.compile:
        run = BEGIN(run)
    return run(torch.ones(4, 4))
""",
    "ternary": """
def step(x: Tensor) -> Tensor:
    BODY

def main(args):
    run = BEGIN(step) if args.compile else step
    return run(torch.ones(4, 4))
""",
    "hasattr": """
def step(x: Tensor) -> Tensor:
    BODY

if hasattr(torch, "compile"):
    step = BEGIN(step)
""",
    "exit_stack": """
def step(x: Tensor) -> Tensor:
    BODY

fast_step = BEGIN(step)

def train(batches):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.autocast("cpu", dtype=torch.bfloat16))
        for batch in batches:
            fast_step(batch)
""",
    "table": """
def step(x: Tensor) -> Tensor:
    BODY

STEPS = {"fast": BEGIN(step), "slow": step}
""",
    "dict_loop": """
def step(x: Tensor) -> Tensor:
    BODY

def plain(x: Tensor) -> Tensor:
    return x + 1

STEPS = {"a": step, "b": plain}
FAST = {name: BEGIN(fn) for name, fn in STEPS.items()}
""",
    "getattr": """
def step(x: Tensor) -> Tensor:
    BODY

fast_step = CALL(getattr(MOD, "LEAF"), step)
""",
    "nested_def": """
def make(scale: float):
    def step(x: Tensor) -> Tensor:
        BODY
    return BEGIN(step)
""",
    "call_dunder": """
class Step:
    def __call__(self, x: Tensor) -> Tensor:
        BODY

fast_step = BEGIN(Step())
""",
    "static": """
class Ops:
    @staticmethod
    def mix(x: Tensor) -> Tensor:
        BODY

mix = BEGIN(Ops.mix)
""",
    "classm": """
class Ops:
    @classmethod
    def mix(cls, x: Tensor) -> Tensor:
        BODY

mix = BEGIN(Ops.mix)
""",
    "other_file_entry": """
from fastpath import compiled
def step(x: Tensor) -> Tensor:
    BODY

fast_step = compiled(step)
# == fastpath.py
import torch
def compiled(fn):
    return BEGIN(fn)
""",
    "reexport_entry": """
from accel import compiled
@compiled
def step(x: Tensor) -> Tensor:
    BODY
# == accel/__init__.py
from .wrap import fast as compiled
# == accel/wrap.py
import torch
def fast(fn):
    return BEGIN(fn)
""",
    "other_file_lazy": """
from accel import compiled
@compiled(enabled=True)
def step(x: Tensor) -> Tensor:
    BODY
# == accel.py
import functools
import torch
def compiled(enabled=True):
    def decorate(fn):
        fast = BEGIN(fn) if enabled else fn
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            return fast(*args, **kwargs)
        return wrapper
    return decorate
""",
    "other_file_body": """
from mixing import mix
def step(x: Tensor) -> Tensor:
    return mix(x) + 1  #@

fast_step = BEGIN(step)
# == mixing.py
import torch
from torch import Tensor
import torch.nn.functional as F
def mix(x: Tensor) -> Tensor:
    BODY
""",
    "other_file_model": """
from layers import Mixer
mixer = BEGIN(Mixer())  #@
# == layers.py
import torch
from torch import Tensor, nn
import torch.nn.functional as F
class Mixer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY
""",
}
