"""Ways in which the answer to a question of a tensor's value reaches a test: stores, scopes, flags, files."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import OVER, Way

WAYS: Final = {
    "walrus": Way(
        "(hit := VALUE(T))",
    ),
    "bool": Way(
        "bool(VALUE(T))",
    ),
    "stored": Way(
        "hit",
        stmts="hit = VALUE(T)",
    ),
    "unpacked": Way(
        "hit",
        stmts="hit, limit = VALUE(T), 1.0",
    ),
    "exit_stack": Way(
        "hit",
        stmts="""
with contextlib.ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    hit = VALUE(T)
""",
    ),
    "own_cm": Way(
        "hit",
        before="""
@contextlib.contextmanager
def frozen():
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        yield
    finally:
        torch.set_grad_enabled(before)
""",
        stmts="""
with frozen():
    hit = VALUE(T)
""",
    ),
    "cm_yields": Way(
        "hit",
        before="""
@contextlib.contextmanager
def measuring(t: Tensor):
    yield VALUE
""",
        stmts="""
with measuring(T) as hit:
    pass
""",
    ),
    "try_finally": Way(
        "hit",
        stmts="""
torch.set_grad_enabled(False)
try:
    hit = VALUE(T)
finally:
    torch.set_grad_enabled(True)
""",
    ),
    "config_and": Way(
        "self.guard and VALUE(T)",
        init="self.guard = True",
    ),
    "config_if": Way(
        "hit",
        init="self.guard = True",
        stmts="""
hit = False
if self.guard:
    hit = VALUE(T)
""",
    ),
    "config_ternary": Way(
        "(VALUE(T) if self.guard else False)",
        init="self.guard = True",
    ),
    "cfg_object": Way(
        "self.cfg.guard and VALUE(T)",
        before="""
@dataclass
class Config:
    guard: bool = True
""",
        init="self.cfg = Config()",
    ),
    "not_not": Way(
        "not (not VALUE(T))",
    ),
    "operator": Way(
        "operator.truth(VALUE(T))",
    ),
    "other_file": Way(
        "_over(T)",
        before="from checks import _over\n",
        files="""
# == checks.py
import torch
from torch import Tensor
"""
        + OVER,
    ),
    "other_file_mod": Way(
        "checks._over(T)",
        before="import checks\n",
        files="""
# == checks.py
import torch
from torch import Tensor
"""
        + OVER,
    ),
    "reexport": Way(
        "is_spiky(T)",
        before="from guards import is_spiky\n",
        files="""
# == guards/__init__.py
from .numeric import _over as is_spiky
# == guards/numeric.py
import torch
from torch import Tensor
"""
        + OVER,
    ),
    "reexport_star": Way(
        "_is_over(T)",
        before="""
from guards import *
from guards import _is_over
""",
        files="""
# == guards/__init__.py
from .numeric import *
from .numeric import _is_over
# == guards/numeric.py
import torch
from torch import Tensor

def _is_over(t: Tensor, limit: float = 1.0):
    return VALUE
""",
    ),
    "mixin_file": Way(
        "self.overflows(T)",
        before="from mixins import GuardMixin\n",
        files="""
# == mixins.py
import torch
class GuardMixin:
    def overflows(self, t):
        return VALUE
""",
    ),
    "override": Way(
        "self.overflows(T)",
        members="""
def overflows(self, t: Tensor):
    return False
""",
    ),
    "nested_def": Way(
        "over(T)",
        stmts="""
def over(t):
    return VALUE
""",
    ),
    "closure": Way(
        "over()",
        stmts="""
seen = T
def over():
    t = seen
    return VALUE
""",
    ),
    "any_gen": Way(
        "any(VALUE(t) for t in [T])",
    ),
    "list_any": Way(
        "any([VALUE(T)])",
    ),
    "map": Way(
        "any(map(_over, [T]))",
        before=OVER,
    ),
    "index": Way(
        "flags[0]",
        stmts="flags = [VALUE(T)]",
    ),
    "dictitem": Way(
        'stats["hit"]',
        stmts='stats = {"hit": VALUE(T)}',
    ),
    "attr": Way(
        "self.hit",
        stmts="self.hit = VALUE(T)",
    ),
    "property": Way(
        "self.hit",
        members="""
@property
def hit(self):
    t = self.seen
    return VALUE
""",
        stmts="self.seen = T",
    ),
    "method_ref": Way(
        "f(T)",
        members="""
def _over(self, t):
    return VALUE
""",
        stmts="f = self._over",
    ),
    "getattr": Way(
        'getattr(self, "_over")(T)',
        members="""
def _over(self, t):
    return VALUE
""",
    ),
    "try_except": Way(
        "hit",
        stmts="""
try:
    hit = VALUE(T)
except RuntimeError:
    hit = False
""",
    ),
    "return_tuple": Way(
        "hit",
        before="""
def stats(t: Tensor):
    return t.mean(), VALUE
""",
        stmts="_, hit = stats(T)",
    ),
    "namedtuple": Way(
        "s.hit",
        before="""
from typing import NamedTuple
class Stats(NamedTuple):
    mean: Tensor
    hit: object
def stats(t: Tensor):
    return Stats(t.mean(), VALUE)
""",
        stmts="s = stats(T)",
    ),
    "dc_result": Way(
        "s.hit",
        before="""
@dataclass
class Stats:
    mean: Tensor
    hit: object
def stats(t: Tensor) -> Stats:
    return Stats(mean=t.mean(), hit=VALUE)
""",
        stmts="s = stats(T)",
    ),
    "composed": Way(
        "over(T)",
        before="""
def compose(f, g):
    return lambda t: f(g(t))
over = compose(lambda m: m, lambda t: VALUE)
""",
    ),
    "factory": Way(
        "over(T)",
        before="""
def make_check(limit: float):
    def check(t: Tensor):
        return VALUE
    return check
over = make_check(4.0)
""",
    ),
    "factory_self": Way(
        "self.over(T)",
        before="""
def make_check(limit: float):
    def check(t: Tensor):
        return VALUE
    return check
""",
        init="self.over = make_check(4.0)",
    ),
}
