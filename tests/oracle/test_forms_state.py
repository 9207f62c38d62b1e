"""What a checkpointed region changes and uses up: each form is reported if, and only if, torch goes wrong with it."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

CONSUMING = (
    HEAD
    + """
def cycling(x: Tensor) -> Tensor:
    order = itertools.cycle([A, B, C])

    def region(h: Tensor) -> Tensor:
        return torch.tanh(next(order)(h))

    return checkpoint(region, x, use_reentrant=False)


def cycling_reentrant(x: Tensor) -> Tensor:
    order = itertools.cycle([A, B, C])

    def region(h: Tensor) -> Tensor:
        return torch.tanh(next(order)(h))

    return checkpoint(region, x, use_reentrant=True)


class Cycle(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scales = itertools.cycle([1.0, 2.0, 3.0])

    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(x * next(self.scales)).sin()


def cycling_attribute(x: Tensor) -> Tensor:
    return checkpoint(CYCLE, x, use_reentrant=False)


CYCLE = Cycle()


def cycling_outside(x: Tensor) -> Tensor:
    order = itertools.cycle([A, B, C])
    for _ in range(3):
        x = checkpoint(lambda h, layer=next(order): torch.tanh(layer(h)), x, use_reentrant=False)
    return x


def cycling_inside(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        order = itertools.cycle([A, B])
        for _ in range(3):
            h = torch.tanh(next(order)(h))
        return h

    return checkpoint(region, x, use_reentrant=False)


def taking(pending, x: Tensor) -> Tensor:
    return torch.tanh(next(pending)(x))


def bound(x: Tensor) -> Tensor:
    return checkpoint(functools.partial(taking, iter([A, B])), x, use_reentrant=False)


def by_lambda(x: Tensor) -> Tensor:
    pending = iter([A, B, C, A])
    for _ in range(2):
        x = checkpoint(lambda h: torch.tanh(next(pending)(h)), x, use_reentrant=False)
    return x


def numbered(x: Tensor) -> Tensor:
    pending = iter([A, B])

    def region(h: Tensor) -> Tensor:
        for i, layer in enumerate(pending):
            h = torch.tanh(layer(h)) * (i + 1)
        return h

    return checkpoint(region, x, use_reentrant=False)


def numbered_list(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        for i, layer in enumerate([A, B]):
            h = torch.tanh(layer(h)) * (i + 1)
        return h

    return checkpoint(region, x, use_reentrant=False)


def listed(x: Tensor) -> Tensor:
    pending = (layer for layer in (A, B))

    def region(h: Tensor) -> Tensor:
        return torch.stack([layer(h) for layer in pending]).sum(0).sin()

    return checkpoint(region, x, use_reentrant=False)


def smallest(x: Tensor) -> Tensor:
    heap = [1.0, 2.0, 3.0]

    def region(h: Tensor) -> Tensor:
        return torch.tanh(h * heapq.heappop(heap)).sin()

    return checkpoint(region, x, use_reentrant=False)


def popped(x: Tensor) -> Tensor:
    todo = {"a": A, "b": B}

    def region(h: Tensor) -> Tensor:
        _, layer = todo.popitem()
        return torch.tanh(layer(h))

    return checkpoint(region, x, use_reentrant=False)


def keyword(h: Tensor, scale: Tensor) -> Tensor:
    scale.mul_(2)
    return torch.tanh(h * scale).sin()


def by_keyword(x: Tensor) -> Tensor:
    return checkpoint(keyword, x * 1.0, use_reentrant=False, scale=torch.ones(4))


def in_place(h: Tensor) -> Tensor:
    h += 1
    return torch.tanh(h).sin()


def by_position(x: Tensor) -> Tensor:
    return checkpoint(in_place, x * 1.0, use_reentrant=False)


def not_in_place(h: Tensor) -> Tensor:
    h = h + 1
    return torch.tanh(h).sin()


def made_anew(x: Tensor) -> Tensor:
    return checkpoint(not_in_place, x * 1.0, use_reentrant=False)


class Finally(nn.Module):
    depth = 0

    def forward(self, x: Tensor) -> Tensor:
        try:
            return torch.tanh(A(x))
        finally:
            STATE["calls"] = STATE.get("calls", 0) + 1


FINALLY = Finally()


def counted_in_finally(x: Tensor) -> Tensor:
    return checkpoint(FINALLY, x, use_reentrant=False)


class Balanced(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.depth = 0

    def forward(self, x: Tensor) -> Tensor:
        self.depth += 1
        try:
            return torch.tanh(A(x))
        finally:
            self.depth -= 1


BALANCED = Balanced()


def taken_back(x: Tensor) -> Tensor:
    return checkpoint(BALANCED, x, use_reentrant=False)


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.h: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        if self.h is None:
            self.h = torch.zeros_like(x)
        self.h = torch.tanh(A(x) + self.h)
        return self.h * 2


def recurrent(x: Tensor) -> Tensor:
    return checkpoint(Recurrent(), x, use_reentrant=False)


class Averaging(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mean = torch.zeros(4)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.tanh(A(x))
        self.mean = self.mean * 0.5 + h.detach().mean(0) * 0.5
        return h * 2


def averaging(x: Tensor) -> Tensor:
    return checkpoint(Averaging(), x, use_reentrant=False)
"""
)
# Where the finding stands in another function or class than the one that is run.
CONSUMED_BY = {
    "Cycle": "cycling_attribute",
    "taking": "bound",
    "keyword": "by_keyword",
    "in_place": "by_position",
    "Finally": "counted_in_finally",
    "Recurrent": "recurrent",
    "Averaging": "averaging",
}
CONSUMERS = ["cycling", "cycling_reentrant", "cycling_attribute", "cycling_outside", "cycling_inside", "bound"]
CONSUMERS += ["by_lambda", "numbered", "numbered_list", "listed", "smallest", "popped", "by_keyword", "by_position"]
CONSUMERS += ["made_anew", "counted_in_finally", "taken_back", "recurrent", "averaging"]


def test_what_consumes_state_is_what_goes_wrong() -> None:
    found = {CONSUMED_BY.get(name, name) for name in reported(CONSUMING, "TBR205")}
    assert found == {name for name in CONSUMERS if differs(CONSUMING, name)}
