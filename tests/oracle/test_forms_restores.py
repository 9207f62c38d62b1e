"""TBR402: states of every kind that a scope ends before the backward: reported where torch's gradients are others."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
import contextvars
import os
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from torch.overrides import TorchFunctionMode

FLAG = contextvars.ContextVar("FLAG", default=False)
SETTINGS = {"scale": 1.0}


class Config:
    scale = 1.0


class Doubled(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.sin:
            return func(*args, **(kwargs or {})) * 2
        return func(*args, **(kwargs or {}))


class Watching(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Adapter(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.on = False

    @contextmanager
    def active(self):
        self.on = True
        yield self
        self.on = False

    def forward(self, h):
        y = self.layer(h).tanh()
        return (y * 3).sin() if self.on else y.sin()


ADAPTER = Adapter()


@contextmanager
def flagged():
    token = FLAG.set(True)
    try:
        yield
    finally:
        FLAG.reset(token)


@contextmanager
def scaled(value):
    old = SETTINGS["scale"]
    SETTINGS["scale"] = value
    yield
    SETTINGS["scale"] = old


@contextmanager
def configured(value):
    old, Config.scale = Config.scale, value
    yield
    Config.scale = old


@contextmanager
def environment(value):
    os.environ["TBR_SCALE"] = value
    try:
        yield
    finally:
        del os.environ["TBR_SCALE"]


@contextmanager
def double():
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)


@contextmanager
def hooked(module):
    handle = module.register_forward_hook(lambda m, i, o: o * 2)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def watched(module):
    handle = module.register_forward_hook(lambda m, i, o: None)
    yield
    handle.remove()


def by_flag(h):
    y = A(h).tanh()
    return (y * 2).sin() if FLAG.get() else y.sin()


def by_settings(h):
    return (A(h).tanh() * SETTINGS["scale"]).sin()


def by_config(h):
    return (A(h).tanh() * Config.scale).sin()


def by_env(h):
    return (A(h).tanh() * float(os.environ.get("TBR_SCALE", "1"))).sin()


def by_dtype(h):
    return A(h).tanh() * torch.ones(4)


def by_sin(h):
    return torch.sin(A(h).tanh()).cos()


def plain(h):
    return A(h).tanh().sin()
"""
)
SCOPES = {
    "flag": ("flagged()", "by_flag"),
    "settings": ("scaled(2.0)", "by_settings"),
    "config": ("configured(2.0)", "by_config"),
    "env": ("environment('2')", "by_env"),
    "mode": ("Doubled()", "by_sin"),
    "hook": ("hooked(A)", "plain"),
    "adapter": ("ADAPTER.active()", "ADAPTER"),
}
"""Scopes and regions that see them."""

WAYS = {
    "": "with {scope}:\n    return checkpoint({region}, x, use_reentrant=False)",
    "_reentrant": "with {scope}:\n    return checkpoint({region}, x, use_reentrant=True)",
    "_stack": (
        "with ExitStack() as stack:\n"
        "    stack.enter_context({scope})\n"
        "    return checkpoint({region}, x, use_reentrant=False)"
    ),
    "_partial": "again = partial(checkpoint, use_reentrant=False)\nwith {scope}:\n    return again({region}, x)",
    "_inside": (
        "def region(h):\n"
        "    with {scope}:\n"
        "        return {region}(h)\n"
        "return checkpoint(region, x, use_reentrant=False)"
    ),
}
FORMS = {
    f"{name}{way}": body.format(scope=scope, region=region)
    for name, (scope, region) in SCOPES.items()
    for way, body in WAYS.items()
}
FORMS |= {
    "flag_else": "with flagged():\n    return checkpoint(plain, x, use_reentrant=False)",
    "settings_else": "with scaled(2.0):\n    return checkpoint(plain, x, use_reentrant=False)",
    "config_else": "with configured(2.0):\n    return checkpoint(plain, x, use_reentrant=False)",
    "env_else": "with environment('2'):\n    return checkpoint(plain, x, use_reentrant=False)",
    "adapter_else": "with ADAPTER.active():\n    return checkpoint(plain, x, use_reentrant=False)",
    "mode_watch": "with Watching():\n    return checkpoint(by_sin, x, use_reentrant=False)",
    "hook_watch": "with watched(A):\n    return checkpoint(plain, x, use_reentrant=False)",
    "dtype": "with double():\n    y = checkpoint(by_dtype, x, use_reentrant=False)\nreturn y.float()",
    "dtype_line": (
        "torch.set_default_dtype(torch.float64)\n"
        "y = checkpoint(by_dtype, x, use_reentrant=False)\n"
        "torch.set_default_dtype(torch.float32)\n"
        "return y.float()"
    ),
    "dtype_try": (
        "torch.set_default_dtype(torch.float64)\n"
        "try:\n"
        "    y = checkpoint(by_dtype, x, use_reentrant=False)\n"
        "finally:\n"
        "    torch.set_default_dtype(torch.float32)\n"
        "return y.float()"
    ),
    "dtype_plain": "with double():\n    y = checkpoint(plain, x, use_reentrant=False)\nreturn y.float()",
    "settings_line": (
        "SETTINGS['scale'] = 2.0\n"
        "y = checkpoint(by_settings, x, use_reentrant=False)\n"
        "SETTINGS['scale'] = 1.0\n"
        "return y"
    ),
    "config_line": (
        "Config.scale = 2.0\ny = checkpoint(by_config, x, use_reentrant=False)\nConfig.scale = 1.0\nreturn y"
    ),
    "config_try": (
        "Config.scale = 2.0\n"
        "try:\n"
        "    return checkpoint(by_config, x, use_reentrant=False)\n"
        "finally:\n"
        "    Config.scale = 1.0"
    ),
    "config_setattr": (
        "setattr(Config, 'scale', 2.0)\n"
        "y = checkpoint(by_config, x, use_reentrant=False)\n"
        "setattr(Config, 'scale', 1.0)\n"
        "return y"
    ),
    "env_line": (
        "os.environ['TBR_SCALE'] = '2'\n"
        "y = checkpoint(by_env, x, use_reentrant=False)\n"
        "del os.environ['TBR_SCALE']\n"
        "return y"
    ),
    "flag_token": (
        "token = FLAG.set(True)\ny = checkpoint(by_flag, x, use_reentrant=False)\nFLAG.reset(token)\nreturn y"
    ),
    "adapter_line": (
        "ADAPTER.on = True\ny = checkpoint(ADAPTER, x, use_reentrant=False)\nADAPTER.on = False\nreturn y"
    ),
    "mode_line": (
        "mode = Doubled()\n"
        "mode.__enter__()\n"
        "y = checkpoint(by_sin, x, use_reentrant=False)\n"
        "mode.__exit__(None, None, None)\n"
        "return y"
    ),
    "autocast_": "with torch.autocast('cpu', torch.bfloat16):\n    return checkpoint(plain, x, use_reentrant=False)",
    "enable": "with torch.enable_grad():\n    return checkpoint(plain, x, use_reentrant=False)",
    "null": "with nullcontext():\n    return checkpoint(by_flag, x, use_reentrant=False)",
    "profiler": "with torch.profiler.record_function('a'):\n    return checkpoint(plain, x, use_reentrant=False)",
    "save_cpu": "with torch.autograd.graph.save_on_cpu():\n    return checkpoint(plain, x, use_reentrant=False)",
}
PROGRAM = PARTS + functions(FORMS) + trainers(FORMS)


def test_states_that_the_recompute_misses_are_reported() -> None:
    agree(PROGRAM, "TBR402", "TBR208", names=FORMS, wrong=31, right=16)
