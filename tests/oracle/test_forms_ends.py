"""TBR202: tests of changed state at the end of a region, where a non-reentrant recompute has stopped: reported if, and
only if, torch goes wrong with them.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

ENDS = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.n = 0
        self.seen = []
        self.gain = 1.0
        self.fc = nn.Linear(4, 4)


class Scaled(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2:
            x = x * 2.0
        return x


SCALED = Scaled()


def scaled(x: Tensor) -> Tensor:
    return checkpoint(SCALED, x, use_reentrant=False)


class Saved(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2:
            x = x.sin()
        return x


SAVED = Saved()


def saved(x: Tensor) -> Tensor:
    return checkpoint(SAVED, x, use_reentrant=False)


class Factor(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        return x * (2.0 if self.n % 2 else 3.0)


FACTOR = Factor()


def factor(x: Tensor) -> Tensor:
    return checkpoint(FACTOR, x, use_reentrant=False)


class Sign(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        return x + 1.0 if self.n % 2 else -x


SIGN = Sign()


def sign(x: Tensor) -> Tensor:
    return checkpoint(SIGN, x, use_reentrant=False)


class Returned(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2:
            return x.sin().cos()
        return x


RETURNED = Returned()


def returned(x: Tensor) -> Tensor:
    return checkpoint(RETURNED, x, use_reentrant=False)


class Rounds(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        for _ in range(self.n):
            x = x + 1
        return x


ROUNDS = Rounds()


def rounds(x: Tensor) -> Tensor:
    return checkpoint(ROUNDS, x, use_reentrant=False)


class Refused(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n > 1:
            raise RuntimeError("twice")
        return x


REFUSED = Refused()


def refused(x: Tensor) -> Tensor:
    return checkpoint(REFUSED, x, use_reentrant=False)


class Reshaped(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2:
            x = x.reshape(-1)
        return x


RESHAPED = Reshaped()


def reshaped(x: Tensor) -> Tensor:
    return checkpoint(RESHAPED, x, use_reentrant=False)


class Nothing(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        if self.n % 2:
            x = x * 2
        return x


NOTHING = Nothing()


def nothing(x: Tensor) -> Tensor:
    return checkpoint(NOTHING, x, use_reentrant=False)


class Counted(Net):
    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(A(x))
        self.n += 1
        if self.n % 2:
            x = x.sin()
        return x.cos()


COUNTED = Counted()


def counted(x: Tensor) -> Tensor:
    return checkpoint(COUNTED, x, use_reentrant=False)


class Early(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        if self.n % 2:
            scale = 2.0
        else:
            scale = 3.0
        x = torch.tanh(A(x * scale))
        return x


EARLY = Early()


def early(x: Tensor) -> Tensor:
    return checkpoint(EARLY, x, use_reentrant=False)


class Until(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        while self.n < 3:
            self.n += 1
            x = x.sin()
        return x


UNTIL = Until()


def until(x: Tensor) -> Tensor:
    return checkpoint(UNTIL, x, use_reentrant=False)


class Kept(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        with torch.no_grad():
            if self.n % 2:
                STATE["norm"] = x.norm() * 1
        return x


KEPT = Kept()


def kept(x: Tensor) -> Tensor:
    return checkpoint(KEPT, x, use_reentrant=False)


class Attribute(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        self.gain = 2.0 if self.n % 2 else 3.0
        return x * self.gain


ATTRIBUTE = Attribute()


def attribute(x: Tensor) -> Tensor:
    return checkpoint(ATTRIBUTE, x, use_reentrant=False)


class Reentrant(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        x = torch.tanh(A(x))
        if self.n % 2:
            x = x * 2.0
        return x


REENTRANT = Reentrant()


def reentrant(x: Tensor) -> Tensor:
    return checkpoint(REENTRANT, x, use_reentrant=True)


class Last(Net):
    def scale(self, x: Tensor) -> Tensor:
        if self.n == 1:
            return x * 2.0
        return x

    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        return self.scale(torch.tanh(A(x)))


LAST = Last()


def last(x: Tensor) -> Tensor:
    return checkpoint(LAST, x, use_reentrant=False)


class Inner(Net):
    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        if self.n == 1:
            x = x * 2.0
        return x


class Around(Net):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Tensor) -> Tensor:
        return torch.sin(self.inner(torch.tanh(A(x))))


INNER = Around()


def inner(x: Tensor) -> Tensor:
    return checkpoint(INNER, x, use_reentrant=False)
"""
)


def test_what_is_decided_once_nothing_is_saved_is_not_reported() -> None:
    agree(ENDS, "TBR202")


def test_what_is_counted_is_said_to_be_read_only_where_the_recompute_reads_it() -> None:
    found = {name: "reads it" in messages[0] for name, messages in reported(ENDS, "TBR205").items()}
    unread = ["Scaled", "Factor", "Sign", "Rounds", "Refused", "Reshaped", "Kept", "Attribute", "Last"]
    assert [name for name, reads in found.items() if not reads] == unread
