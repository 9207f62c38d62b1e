"""TBR503, TBR504, TBR505, TBR510, TBR511: what the reentrant checkpoint gets wrong only where gradients are recorded."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.chain = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))

    def named(self, x):
        return {"x": self.fc(x)}

    def hooked(self, x):
        h = self.fc(x)
        if h.requires_grad:
            h.register_hook(lambda grad: grad)  # not reached by the forward, which records no graph
        return h

    def own_graph(self, x):
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            slope = torch.autograd.grad(self.fc(y).sum(), y)[0]
        return self.fc(x) * slope


def evaluated(net: Net, x: torch.Tensor) -> object:
    with torch.no_grad():
        return checkpoint(net.named, x, use_reentrant=True)  # ok: [TBR504] no graph is wanted


def trained(net: Net, x: torch.Tensor) -> None:
    checkpoint(net.named, x, use_reentrant=True)["x"].sum().backward()  # error: [TBR504]


def conditioned(net: Net, x: torch.Tensor) -> None:
    with torch.no_grad():
        c = net.fc(x)
    a = checkpoint(lambda h: h * c, x, use_reentrant=True)  # ok: [TBR505] it has no graph
    b = checkpoint(lambda h: h + c, x, use_reentrant=True)
    (a + b).sum().backward()


def asked(net: Net, x: torch.Tensor) -> None:
    checkpoint(net.hooked, x, use_reentrant=True).sum().backward()  # ok: [TBR510] the forward asks for a graph first


def longer(net: Net, x: torch.Tensor) -> torch.Tensor:
    net.chain.append(nn.ReLU())
    return checkpoint_sequential(net.chain, 4, x, use_reentrant=False)  # ok: [TBR511] it has grown


def recorded(net: Net, x: torch.Tensor) -> None:
    checkpoint(net.own_graph, x, use_reentrant=True).sum().backward()  # ok: [TBR510] the region records its own graph


def apart(net: Net, x: torch.Tensor) -> object:
    y = checkpoint(net.fc, x, use_reentrant=True)  # ok: [TBR503] what is differentiated has no graph that leads here
    with torch.no_grad():
        z = y.sum()
    return torch.autograd.grad((net.fc.weight * z).sum(), [net.fc.weight])


def through(net: Net, x: torch.Tensor) -> object:
    y = checkpoint(net.fc, x, use_reentrant=True)  # error: [TBR503]
    with torch.no_grad():
        z = y
    return torch.autograd.grad((net.fc.weight * z).sum(), [net.fc.weight])
