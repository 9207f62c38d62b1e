"""TBR509: hooks on layers inside a checkpointed region: what they keep is reported where its gradient is lost."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
        self.seen = {}
        self.l.register_forward_hook(self.hook)
    def hook(self, module, args, output):
        self.seen["l"] = output
    def block(self, h):
        return self.m(self.l(h))
    def forward(self, x):
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.seen["l"].square()
class Lam(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
        self.feats = []
        self.l.register_forward_hook(lambda m, a, o: self.feats.append(o))
    def block(self, h):
        return self.m(self.l(h))
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.feats[0].square()
class Det(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
        self.feats = []
        self.l.register_forward_hook(lambda m, a, o: self.feats.append(o.detach()))
    def block(self, h):
        return self.m(self.l(h))
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.feats[0].square()
class Out(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
        self.feats = []
        self.m.register_forward_hook(lambda m, a, o: self.feats.append(o))
    def forward(self, x):
        self.feats.clear()
        y = self.m(checkpoint(self.l, x, use_reentrant=True))
        return y + self.feats[0].square()
class Seq(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        for l in self.net:
            l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats[0].square()
class SeqItem(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        self.net[0].register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats[0].square()
class SeqNamed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = {}
        for name, l in self.net.named_modules():
            l.register_forward_hook(self.make(name))
    def make(self, name):
        def hook(module, args, output):
            self.feats[name] = output
        return hook
    def forward(self, x):
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats["0"].square()
class SeqOff(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        for l in self.net:
            l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=False)
        return y + self.feats[0].square()
class SeqUnread(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        for l in self.net:
            l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y
class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 4)
        self.feats = []
        self.net.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats[0].square()
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
    def forward(self, h):
        return self.m(self.l(h))
class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.feats = []
        self.block.l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.feats[0].square()
class Pre(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.feats = []
        self.block.m.register_forward_pre_hook(self.keep)
    def keep(self, module, args):
        self.feats.append(args[0])
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.feats[0].square()
class Stat(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.loss = 0.0
        self.block.l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.loss = output.square().mean()
    def forward(self, x):
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.loss
class StatItem(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.loss = 0.0
        self.block.l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.loss = output.square().mean().item()
    def forward(self, x):
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.loss
class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.feats = []
        self.block.l.register_forward_hook(self.keep)
    @torch.no_grad()
    def keep(self, module, args, output):
        self.feats.append(output * 2)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.block, x, use_reentrant=True)
        return y + self.feats[0].square()
INNER, LAM, DET, OUT, SEQ, SEQITEM = Inner(), Lam(), Det(), Out(), Seq(), SeqItem()
SEQNAMED, SEQOFF, SEQUNREAD, WHOLE = SeqNamed(), SeqOff(), SeqUnread(), Whole()
NESTED, PRE, STAT, STATITEM, NOGRAD = Nested(), Pre(), Stat(), StatItem(), NoGrad()
def a_inner(x): return INNER(x)
def a_lam(x): return LAM(x)
def a_det(x): return DET(x)
def a_out(x): return OUT(x)
def a_seq(x): return SEQ(x)
def a_seqitem(x): return SEQITEM(x)
def a_seqnamed(x): return SEQNAMED(x)
def a_seqoff(x): return SEQOFF(x)
def a_sequnread(x): return SEQUNREAD(x)
def a_whole(x): return WHOLE(x)
def a_nested(x): return NESTED(x)
def a_pre(x): return PRE(x)
def a_stat(x): return STAT(x)
def a_statitem(x): return STATITEM(x)
def a_nograd(x): return NOGRAD(x)
def here(x):
    seen = []
    handle = A.register_forward_hook(lambda m, a, o: seen.append(o))
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    handle.remove()
    return y + seen[0].square()
def here_non(x):
    seen = []
    handle = A.register_forward_hook(lambda m, a, o: seen.append(o))
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=False)
    handle.remove()
    return y + seen[0].square()
def here_def(x):
    seen = {}
    def hook(m, a, o):
        seen["a"] = o
    A.register_forward_hook(hook)
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    A._forward_hooks.clear()
    return y + seen["a"].square()
def here_other(x):
    seen = {}
    def hook(m, a, o):
        seen["a"] = o
    C.register_forward_hook(hook)
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    z = C(y)
    C._forward_hooks.clear()
    return z + seen["a"].square()

def here_with(x):
    seen = []
    with A.register_forward_hook(lambda m, a, o: seen.append(o)):
        y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    return y + seen[0].square()

def last(x):
    seen = []
    handle = B.register_forward_hook(lambda m, a, o: seen.append(o))
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    handle.remove()
    return y + seen[0].square()
def first(x):
    seen = []
    handle = A.register_forward_pre_hook(lambda m, a: seen.append(a[0]))
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    handle.remove()
    return y + seen[0].square()
def removed(x):
    seen = [x]
    handle = A.register_forward_hook(lambda m, a, o: seen.append(o))
    handle.remove()
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    return y + seen[0].square()
def closed(x):
    seen = []
    with A.register_forward_hook(lambda m, a, o: seen.append(o)):
        z = A(x)
    y = checkpoint(lambda h: B(A(h)), z, use_reentrant=True)
    return y + seen[0].square()
def afterwards(x):
    seen = []
    y = checkpoint(lambda h: B(A(h)), x, use_reentrant=True)
    with A.register_forward_hook(lambda m, a, o: seen.append(o)):
        z = A(y)
    return z + seen[0].square()
class SeqLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        for l in self.net:
            l.register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats[-1].square()
class ItemLast(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.feats = []
        self.net[2].register_forward_hook(self.keep)
        self.net[-1].register_forward_hook(self.keep)
    def keep(self, module, args, output):
        self.feats.append(output)
    def forward(self, x):
        self.feats.clear()
        y = checkpoint(self.net, x, use_reentrant=True)
        return y + self.feats[0].square()
SEQLAST, ITEMLAST = SeqLast(), ItemLast()
def a_seqlast(x): return SEQLAST(x)
def a_itemlast(x): return ITEMLAST(x)
"""
)


def test_lost_gradients_of_what_hooks_keep_are_reported() -> None:
    agree(FORMS, "TBR509")
