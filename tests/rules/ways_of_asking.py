"""Ways in which a method comes by the answer to a question of a tensor's value: the functions that answer it."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import OVER, Way

WAYS: Final = {
    "direct": Way(
        "VALUE(T)",
    ),
    "helper": Way(
        "_over(T)",
        before=OVER,
    ),
    "helper_unannotated": Way(
        "over(T)",
        before="""
def over(t, limit=1.0):
    return VALUE
""",
    ),
    "two_helpers": Way(
        "exploded(T)",
        before=OVER
        + """
def exploded(grads):
    return _over(grads, limit=8.0)
""",
    ),
    "alias": Way(
        "is_over(T)",
        before=OVER + "is_over = _over\n",
    ),
    "partial": Way(
        "too_big(T)",
        before=OVER + "too_big = functools.partial(_over, limit=3.0)\n",
    ),
    "partial_local": Way(
        "check(T)",
        before=OVER,
        stmts="check = functools.partial(_over, limit=3.0)",
    ),
    "lambda": Way(
        "spiky(T)",
        before="spiky = lambda t: VALUE\n",
    ),
    "lambda_local": Way(
        "spiky(T)",
        stmts="spiky = lambda t: VALUE",
    ),
    "deco_wraps": Way(
        "over(T)",
        before="""
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        out = fn(*args, **kwargs)
        return out
    return wrapper

@logged
def over(t: Tensor):
    return VALUE
""",
    ),
    "deco_plain": Way(
        "over(T)",
        before="""
def counted(fn):
    calls = 0
    def inner(*a, **k):
        nonlocal calls
        calls += 1
        return fn(*a, **k)
    return inner

@counted
def over(t):
    return VALUE
""",
    ),
    "deco_args": Way(
        "over(T)",
        before="""
def timed(label):
    def decorate(fn):
        @functools.wraps(fn)
        def run(*args, **kwargs):
            try:
                return fn(*args, **kwargs)
            finally:
                print(label)
        return run
    return decorate

@timed("over")
def over(t):
    return VALUE
""",
    ),
    "deco_no_grad": Way(
        "over(T)",
        before="""
@torch.no_grad()
def over(t):
    return VALUE
""",
    ),
    "deco_class": Way(
        "over(T)",
        before="""
class Traced:
    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self.fn = fn
    def __call__(self, *args):
        return self.fn(*args)

@Traced
def over(t):
    return VALUE
""",
    ),
    "method": Way(
        "self._overflows(T)",
        members="""
def _overflows(self, t: Tensor):
    return VALUE
""",
    ),
    "staticmethod": Way(
        "self.over(T)",
        members="""
@staticmethod
def over(t):
    return VALUE
""",
    ),
    "classmethod": Way(
        "type(self).over(T)",
        members="""
@classmethod
def over(cls, t):
    return VALUE
""",
    ),
    "class_attr": Way(
        "self.check(T)",
        before=OVER,
        members="check = staticmethod(_over)",
    ),
    "self_fn": Way(
        "self.check(T)",
        before=OVER,
        init="self.check = _over",
    ),
    "self_lambda": Way(
        "self.check(T)",
        init="self.check = lambda t: VALUE",
    ),
    "self_partial": Way(
        "self.check(T)",
        before=OVER,
        init="self.check = functools.partial(_over, limit=2.0)",
    ),
    "keyword": Way(
        "_over(t=T)",
        before=OVER,
    ),
    "kwargs": Way(
        '_over(**{"t": T, "limit": 2.0})',
        before=OVER,
    ),
    "star": Way(
        "_over(*args)",
        before=OVER,
        stmts="args = (T, 2.0)",
    ),
    "table": Way(
        'CHECKS["norm"](T)',
        before=OVER + 'CHECKS = {"norm": _over}\n',
    ),
    "table_cfg": Way(
        "CHECKS[self.kind](T)",
        before=OVER
        + """
def _never(t, limit=0.0):
    return False
CHECKS = {"norm": _over, "off": _never}
""",
        init='self.kind = "norm"',
    ),
    "callable_obj": Way(
        "self.check(T)",
        before="""
class Threshold:
    def __init__(self, limit: float) -> None:
        self.limit = limit
    def __call__(self, t: Tensor):
        return VALUE
""",
        init="self.check = Threshold(2.0)",
    ),
    "module_obj": Way(
        "self.check(T)",
        before="""
class Detector(nn.Module):
    def forward(self, t: Tensor):
        return VALUE
""",
        init="self.check = Detector()",
    ),
    "dataclass": Way(
        "self.cfg.check(T)",
        before=OVER
        + """
@dataclass
class Config:
    check: object = _over
""",
        init="self.cfg = Config()",
    ),
}
