"""TBR208: what a checkpointed forward read is changed before its backward."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)
        self.scale = 1.0
    def forward(self, x):
        return self.drop(torch.tanh(self.fc(x) * self.scale))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)

def step_before(net: Net, x, opt: torch.optim.Optimizer):
    loss = net(x).sum()
    opt.step()  # error: [TBR208]
    loss.backward()

def fine(net: Net, x, opt):
    opt.zero_grad()
    loss = net(x).sum()
    loss.backward()
    opt.step()  # ok: [TBR208] after backward

def evaled(net: Net, x):
    loss = net(x).sum()
    net.eval()  # error: [TBR208]
    loss.backward()

def trained(net: Net, x):
    net.train()
    loss = net(x).sum()
    net.train()  # ok: [TBR208] the mode that the forward ran in
    loss.backward()

def frozen(net: Net, x):
    loss = net(x).sum()
    for p in net.parameters():
        p.requires_grad_(False)  # error: [TBR208]
    loss.backward()

def frozen2(net: Net, x):
    loss = net(x).sum()
    for p in net.block.parameters():
        p.requires_grad = False  # error: [TBR208]
    loss.backward()

def halved(net: Net, x):
    loss = net(x).sum()
    net.double()  # error: [TBR208]
    loss.backward()

def hooked(net: Net, x):
    h = net.block.register_forward_hook(lambda m, i, o: o * 2)
    loss = net(x).sum()
    h.remove()  # error: [TBR208]
    loss.backward()

def looking(net: Net, x):
    seen = []
    h = net.block.register_forward_hook(lambda m, i, o: seen.append(o))
    loss = net(x).sum()
    h.remove()  # ok: [TBR208] the hook only looks
    loss.backward()

def attr(net: Net, x):
    block = net.block
    loss = net(x).sum()
    block.scale = 2.0  # error: [TBR208]
    loss.backward()

def swap(net: Net, ema, x):
    loss = net(x).sum()
    with torch.no_grad():
        for p, e in zip(net.parameters(), ema):
            p.copy_(e)  # error: [TBR208]
    loss.backward()

def load(net: Net, state, x):
    loss = net(x).sum()
    net.load_state_dict(state)  # error: [TBR208]
    loss.backward()

def gan(g: Net, d: nn.Module, x):
    opt_d = torch.optim.Adam(d.parameters())
    opt_g = torch.optim.Adam(g.parameters())
    fake = g(x)
    d(fake.detach()).sum().backward()
    opt_d.step()  # ok: [TBR208] the parameters of another module
    d(fake).sum().backward()
    opt_g.step()

def two(net: Net, x):
    opt = torch.optim.SGD(net.parameters(), 0.1)
    a = net(x).sum()
    b = net(x + 1).sum()
    a.backward()
    opt.step()  # error: [TBR208]
    b.backward()

def freeze(m):
    for p in m.parameters():
        p.requires_grad_(False)

def helper(net: Net, x):
    loss = net(x).sum()
    freeze(net)  # error: [TBR208]
    loss.backward()

def clip(net: Net, x):
    loss = net(x).sum()
    loss.mul_(2)  # ok: [TBR208] the output, not what the region reads
    print(net.training)
    loss.backward()

def closed(l: nn.Linear, x):
    mask = torch.ones(4)
    y = checkpoint(lambda h: torch.tanh(l(h)) * mask, x, use_reentrant=False)
    mask.zero_()  # error: [TBR208]
    y.sum().backward()


class Adapted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.adapters = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.Linear(4, 4)})
        self.active = "a"
        self.label = ""

    def choose(self, name: str) -> None:
        self.active = name

    def call_it(self, label: str) -> None:
        self.label = label

    def run(self, x: torch.Tensor) -> torch.Tensor:
        return self.adapters[self.active](x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.run, x, use_reentrant=False)


def both_adapters(model: Adapted, x: torch.Tensor) -> None:
    model.choose("a")
    one = model(x).sum()
    model.call_it("both")  # ok: [TBR208] nothing in the region reads it
    model.choose("b")  # error: [TBR208]
    two = model(x).sum()
    (one + two).backward()


def watched(model: Net, x: torch.Tensor) -> None:
    out = checkpoint(model, x, use_reentrant=False)
    handle = model.register_forward_hook(lambda module, given, result: print(result.shape))  # ok: [TBR208] only looks
    out.sum().backward()
    handle.remove()
