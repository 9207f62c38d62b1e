"""TBR202: predicates that flip one way only: reported if, and only if, that way changes the gradients."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
class OneWay(nn.Module):
    def __init__(self):
        super().__init__()
        self.done = False
    def forward(self, x):
        x = torch.tanh(A(x))
        if not self.done:
            x = x.sin()
            self.done = True
        return x.cos()
class Init(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = None
    def forward(self, x):
        if self.scale is None:
            self.scale = 2.0
        return torch.tanh(A(x)) * self.scale
class InitData(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = None
    def forward(self, x):
        if self.scale is None:
            self.scale = x.detach().abs().mean()
        return torch.tanh(A(x)) * self.scale
class Warm(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        x = torch.tanh(A(x))
        if self.step < 1:
            x = x.sin()
        self.step += 1
        return x.cos()
class WarmEnd(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        if self.step > 1:
            x = x + 1
        return x
class WarmEndSave(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        if self.step > 1:
            x = x.sin()
        return x
class WarmEndFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        if self.step == 1:
            x = x.sin()
        return x
class WarmAfter(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        x = torch.tanh(A(x)).cos()
        self.step += 1
        return x if self.step < 5 else x + 1
class Reset(nn.Module):
    def __init__(self):
        super().__init__()
        self.on = True
    def forward(self, x):
        x = torch.tanh(A(x))
        if self.on:
            x = x.sin()
        self.on = True
        return x.cos()
ONEWAY = OneWay()
INIT = Init()
INITDATA = InitData()
WARM = Warm()
WARMEND = WarmEnd()
WARMENDSAVE = WarmEndSave()
WARMENDFIRST = WarmEndFirst()
WARMAFTER = WarmAfter()
RESET = Reset()
def f_oneway(x): return checkpoint(ONEWAY, x, use_reentrant=False)
def f_init(x): return checkpoint(INIT, x, use_reentrant=False)
def f_initdata(x): return checkpoint(INITDATA, x, use_reentrant=False)
def f_warm(x): return checkpoint(WARM, x, use_reentrant=False)
def f_warmend(x): return checkpoint(WARMEND, x, use_reentrant=False)
def f_warmendsave(x): return checkpoint(WARMENDSAVE, x, use_reentrant=False)
def f_warmendfirst(x): return checkpoint(WARMENDFIRST, x, use_reentrant=False)
def f_warmafter(x): return checkpoint(WARMAFTER, x, use_reentrant=False)
def f_reset(x): return checkpoint(RESET, x, use_reentrant=False)
class ElseEnd(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        if self.step > 1:
            x = x + 1
        else:
            x = x.sin()
        return x
ELSEEND = ElseEnd()
def f_elseend(x): return checkpoint(ELSEEND, x, use_reentrant=False)
class TernaryEnd(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        return x.sin() if self.step > 1 else x
TERNARYEND = TernaryEnd()
def f_ternaryend(x): return checkpoint(TERNARYEND, x, use_reentrant=False)
class TernaryDrop(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        return x if self.step > 1 else x.sin()
TERNARYDROP = TernaryDrop()
def f_ternarydrop(x): return checkpoint(TERNARYDROP, x, use_reentrant=False)
class NotDone(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        x = torch.tanh(A(x)).cos()
        x = x.sin() if self.step else x
        self.step = 1
        return x
NOTDONE = NotDone()
def f_notdone(x): return checkpoint(NOTDONE, x, use_reentrant=False)
class EarlyOut(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        x = torch.tanh(A(x)).cos()
        self.step += 1
        if self.step > 1:
            return x
        return x.sin()
EARLYOUT = EarlyOut()
def f_earlyout(x): return checkpoint(EARLYOUT, x, use_reentrant=False)
class EarlyAdds(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        x = torch.tanh(A(x)).cos()
        self.step += 1
        if self.step < 2:
            return x
        return x.sin()
EARLYADDS = EarlyAdds()
def f_earlyadds(x): return checkpoint(EARLYADDS, x, use_reentrant=False)
class Down(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step -= 1
        x = torch.tanh(A(x)).cos()
        if self.step < -1:
            x = x.sin()
        return x
DOWN = Down()
def f_down(x): return checkpoint(DOWN, x, use_reentrant=False)
class DownDrop(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step -= 1
        x = torch.tanh(A(x)).cos()
        if self.step > -2:
            x = x.sin()
        return x
DOWNDROP = DownDrop()
def f_downdrop(x): return checkpoint(DOWNDROP, x, use_reentrant=False)
class TernaryAgain(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0
    def forward(self, x):
        self.step += 1
        x = torch.tanh(A(x)).cos()
        return x.sin() if self.step > 1 else x
TERNARYAGAIN = TernaryAgain()
def f_ternaryagain(x): return checkpoint(TERNARYAGAIN, x, use_reentrant=True)
"""
)


def test_the_way_a_predicate_flips() -> None:
    agree(FORMS, "TBR202")
