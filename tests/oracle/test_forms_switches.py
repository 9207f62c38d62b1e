"""TBR601: switches set by objects, scopes, decorators and helpers, and what keeps them apart, on torch."""

from __future__ import annotations

import re

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.switched import both_on

require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

HEAD = """
import contextlib
import functools
import torch
import torch as t
import torch.backends
import torch.backends.cudnn as dnn
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from torch import use_deterministic_algorithms as deterministic
from torch.backends import cudnn


def work():
    pass


"""
PROGRAMS = """
### top_partial
on = partial(torch.use_deterministic_algorithms, True)
def setup():
    on()
    torch.backends.cudnn.benchmark = True
### top_partial_off
on = partial(torch.use_deterministic_algorithms, False)
def setup():
    on()
    torch.backends.cudnn.benchmark = True
### method
class T:
    def on(self):
        torch.use_deterministic_algorithms(True)
    def fast(self):
        torch.backends.cudnn.benchmark = True
    def run(self):
        self.on()
        self.fast()
def setup():
    T().run()
### method_flag
class T:
    def __init__(self, b):
        self.b = b
    def run(self):
        torch.use_deterministic_algorithms(True)
        cudnn.benchmark = self.b
def setup():
    T(True).run()
### method_flag_off
class T:
    def __init__(self, b):
        self.b = b
    def run(self):
        torch.use_deterministic_algorithms(True)
        cudnn.benchmark = self.b
def setup():
    T(False).run()
### dataclass
@dataclass
class Cfg:
    fast: bool = True
def setup(cfg=Cfg()):
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = cfg.fast
### dataclass_off
@dataclass
class Cfg:
    fast: bool = False
def setup(cfg=Cfg()):
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = cfg.fast
### classattr
class Cfg:
    fast = True
def setup():
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = Cfg.fast
### classattr_off
class Cfg:
    fast = False
def setup():
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = Cfg.fast
### cm
@contextmanager
def fast():
    old = cudnn.benchmark
    cudnn.benchmark = True
    try:
        yield
    finally:
        cudnn.benchmark = old
def setup():
    with fast():
        torch.use_deterministic_algorithms(True)
        work()
### cm_det
@contextmanager
def det():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)
def setup():
    torch.backends.cudnn.benchmark = True
    with det():
        work()
### cm_det_apart
@contextmanager
def det():
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = False
    yield
    torch.use_deterministic_algorithms(False)
def setup():
    torch.backends.cudnn.benchmark = True
    with det():
        work()
### cm_class
class Det:
    def __enter__(self):
        torch.use_deterministic_algorithms(True)
    def __exit__(self, *a):
        torch.use_deterministic_algorithms(False)
def setup():
    torch.backends.cudnn.benchmark = True
    with Det():
        work()
### deco
def det(f):
    @functools.wraps(f)
    def inner(*a):
        torch.use_deterministic_algorithms(True)
        return f(*a)
    return inner
@det
def setup():
    torch.backends.cudnn.benchmark = True
### deco_flags
@cudnn.flags(enabled=True, benchmark=True)
def setup():
    torch.use_deterministic_algorithms(True)
    work()
### helper_param
def set_(on, fast):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = fast
def setup():
    set_(True, True)
### helper_param_off
def set_(on, fast):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = fast
def setup():
    set_(True, False)
### helper_param_off2
def set_(on, fast):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = fast
def setup():
    set_(False, True)
### helper_opp
def set_(on):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = not on
def setup():
    set_(True)
### helper_default
def set_(on=True):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = on
def setup():
    set_()
### helper_two
def set_(on, fast):
    torch.use_deterministic_algorithms(on)
    cudnn.benchmark = fast
def setup():
    set_(True, False)
def other():
    set_(False, True)
### module_level
torch.backends.cudnn.benchmark = True
def setup():
    torch.use_deterministic_algorithms(True)
### module_level_off
cudnn.benchmark = False
def setup():
    torch.use_deterministic_algorithms(True)
### module_level_both
torch.backends.cudnn.benchmark = True
torch.use_deterministic_algorithms(True)
def setup():
    pass
### global_flag
FAST = True
def setup():
    torch.use_deterministic_algorithms(True)
    cudnn.benchmark = FAST
### if_flag
DET = True
def setup():
    if DET:
        torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = True
### if_flag_off
DET = False
def setup():
    if DET:
        torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = True
### if_flag_both
DET = True
def setup():
    if DET:
        torch.use_deterministic_algorithms(True)
        cudnn.benchmark = False
    else:
        torch.backends.cudnn.benchmark = True
### if_flag_seq
DET = True
def setup():
    if DET:
        torch.use_deterministic_algorithms(True)
    if not DET:
        torch.backends.cudnn.benchmark = True
### if_flag_return
DET = True
def setup():
    if DET:
        torch.use_deterministic_algorithms(True)
        return
    torch.backends.cudnn.benchmark = True
### if_param_return
def set_(det):
    if det:
        torch.use_deterministic_algorithms(True)
        return
    torch.backends.cudnn.benchmark = True
def setup():
    set_(True)
### dispatch
SW = {'det': torch.use_deterministic_algorithms}
def setup():
    SW['det'](True)
    torch.backends.cudnn.benchmark = True
### dispatch_off
SW = {'det': torch.use_deterministic_algorithms}
def setup():
    SW['det'](False)
    torch.backends.cudnn.benchmark = True
### callback_off
def call(f, *a):
    f(*a)
def setup():
    call(torch.use_deterministic_algorithms, False)
    torch.backends.cudnn.benchmark = True
### self_attr
class S_:
    def __init__(self):
        self.on = torch.use_deterministic_algorithms
    def go(self):
        self.on(True)
        torch.backends.cudnn.benchmark = True
def setup():
    S_().go()
### self_partial
class S_:
    def __init__(self):
        self.on = partial(torch.use_deterministic_algorithms, True)
    def go(self):
        self.on()
        torch.backends.cudnn.benchmark = True
def setup():
    S_().go()
### off_again
def setup():
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = True
    torch.use_deterministic_algorithms(False)
    work()
### off_again_after_work
def setup():
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = True
    work()
    torch.use_deterministic_algorithms(False)
### benchmark_off_again
def setup():
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.benchmark = False
    work()
### deterministic_off_again
def setup():
    torch.backends.cudnn.benchmark = True
    torch.use_deterministic_algorithms(True)
    torch.use_deterministic_algorithms(False)
    work()
### one_of_two_off_again
def setup():
    torch.use_deterministic_algorithms(True)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True
    torch.use_deterministic_algorithms(False)
    work()
### setattr_loop
def setup():
    torch.use_deterministic_algorithms(True)
    for name in ("benchmark",):
        setattr(torch.backends.cudnn, name, True)
### setattr_loop_pairs
def setup():
    torch.use_deterministic_algorithms(True)
    for name, value in [("benchmark", True), ("deterministic", True)]:
        setattr(cudnn, name, value)
### setattr_loop_off
def setup():
    torch.use_deterministic_algorithms(True)
    for name in ("enabled", "deterministic"):
        setattr(cudnn, name, True)
### setattr_dict
def setup():
    torch.use_deterministic_algorithms(True)
    for name, value in {"benchmark": True}.items():
        setattr(cudnn, name, value)
"""
FORMS = dict(re.findall(r"### (\w+)\n(.*?)(?=###|\Z)", PROGRAMS, re.DOTALL))


@pytest.mark.parametrize("name", FORMS)
def test_both_on_is_reported(name: str) -> None:
    source = HEAD + FORMS[name]
    assert bool(reported(source, "TBR601")) is both_on(source)


def test_some_forms_are_and_some_are_not() -> None:
    found = [both_on(HEAD + form) for form in FORMS.values()]
    assert 10 < sum(found) < len(found) - 10
