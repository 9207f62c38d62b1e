"""TBR207: a broad handler in a checkpointed region takes the exception that ends its recompute."""

import contextlib
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)
    def fallback(self, h):
        try:
            return self.a(h)
        except Exception:  # error: [TBR207]
            return self.b(h)
    def middle(self, h):
        try:
            h = self.a(h)
        except Exception:  # ok: [TBR207] the region saves more tensors after it
            h = self.b(h)
        return self.b(h)
    def bare(self, h):
        try:
            y = self.a(h)
        except:  # error: [TBR207]
            y = self.b(h)
        return y
    def narrow(self, h):
        try:
            return self.a(h)
        except (RuntimeError, ValueError):  # ok: [TBR207] not what ends the recompute
            return self.b(h)
    def fin(self, h):
        try:
            return self.a(h)
        finally:
            print("x")
    def reraise(self, h):
        try:
            return self.a(h)
        except Exception:  # ok: [TBR207] raised again
            print("x")
            raise
    def converts(self, h):
        try:
            return self.a(h).sin()
        except Exception as e:  # error: [TBR207]
            raise RuntimeError("no") from e
    def harmless(self, h):
        try:
            y = self.a(h).sin()
        except Exception:  # ok: [TBR207] nothing is saved in its place
            y = h
        return y + h
    def rounds(self, h):
        for layer in (self.a, self.b):
            try:
                h = layer(h).sin()
            except Exception:  # error: [TBR207]
                h = self.b(h).exp()
        return h
    def rounds_and_more(self, h):
        for layer in (self.a, self.b):
            try:
                h = layer(h).sin()
            except Exception:  # ok: [TBR207] the last tensor is saved after the loop
                h = self.b(h).exp()
        return self.b(h)
    def doubled(self, h):
        try:
            h = self.a(h).sin()
        except Exception:  # error: [TBR207]
            h = self.b(h).exp()
        return h * 2
    def helper(self, h):
        return self.fallback(h).sin()
    def tail(self, h):
        return self.fast(h.sin())
    def fast(self, h):
        try:
            return self.a(h)
        except Exception:  # error: [TBR207]
            return self.b(h)
    def supp(self, h):
        with contextlib.suppress(Exception):  # error: [TBR207]
            return self.a(h)
        return self.b(h)
    def forward(self, x):
        x = checkpoint(self.fallback, x, use_reentrant=False)
        x = checkpoint(self.middle, x, use_reentrant=False)
        x = checkpoint(self.bare, x, use_reentrant=False)
        x = checkpoint(self.narrow, x, use_reentrant=False)
        x = checkpoint(self.fin, x, use_reentrant=False)
        x = checkpoint(self.reraise, x, use_reentrant=False)
        x = checkpoint(self.converts, x, use_reentrant=False)
        x = checkpoint(self.harmless, x, use_reentrant=False)
        x = checkpoint(self.rounds, x, use_reentrant=False)
        x = checkpoint(self.rounds_and_more, x, use_reentrant=False)
        x = checkpoint(self.doubled, x, use_reentrant=False)
        x = checkpoint(self.tail, x, use_reentrant=False)
        x = checkpoint(self.supp, x, use_reentrant=False)
        return x


class Reentrant(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def attempt(self, h):
        try:
            return self.a(h)
        except Exception:  # ok: [TBR207] a reentrant recompute runs to its end
            return self.b(h)

    def forward(self, x: torch.Tensor):
        return checkpoint(self.attempt, x.requires_grad_(), use_reentrant=True)


class Free(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, h):
        try:
            return self.a(h)
        except Exception:  # ok: [TBR207] not checkpointed
            return self.b(h)
