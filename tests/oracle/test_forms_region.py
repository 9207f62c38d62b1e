"""What a checkpointed region draws, caches and catches: each form is reported if, and only if, torch goes wrong."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

CACHING = (
    HEAD
    + """
P = nn.Parameter(torch.ones(4))


def stored(x: Tensor) -> Tensor:
    kept = {}

    def region(h: Tensor) -> Tensor:
        if "scale" not in kept:
            kept["scale"] = torch.exp(torch.sin(P))
        return A(h) * kept["scale"]

    return checkpoint(region, x, use_reentrant=False)


def stored_alias(x: Tensor) -> Tensor:
    kept = {}

    def region(h: Tensor) -> Tensor:
        scale = kept.get("scale")
        if scale is None:
            scale = P.exp().sin()
            kept["scale"] = scale
        return A(h) * scale

    return checkpoint(region, x, use_reentrant=False)


class Attribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = None

    def forward(self, x: Tensor) -> Tensor:
        if not hasattr(self, "other"):
            self.other = P.exp().sin()
        return A(x) * self.other


ATTRIBUTE = Attribute()


def attribute(x: Tensor) -> Tensor:
    return checkpoint(ATTRIBUTE, x, use_reentrant=False)


class Picking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = None

    def forward(self, x: Tensor) -> Tensor:
        self.scale = self.scale if self.scale is not None else P.exp().sin()
        return A(x) * self.scale


PICKING = Picking()


def picking(x: Tensor) -> Tensor:
    return checkpoint(PICKING, x, use_reentrant=False)


class Property(nn.Module):
    @functools.cached_property
    def scale(self) -> Tensor:
        return P.exp().sin()

    def forward(self, x: Tensor) -> Tensor:
        return A(x) * self.scale


PROPERTY = Property()


def cached_property(x: Tensor) -> Tensor:
    return checkpoint(PROPERTY, x, use_reentrant=False)


@functools.lru_cache(maxsize=None)
def table(size: int) -> Tensor:
    return P[:size].exp().sin()


def cached_function(x: Tensor) -> Tensor:
    return checkpoint(lambda h: A(h) * table(4), x, use_reentrant=False)


@functools.cache
def doubled() -> Tensor:
    return P * 2


def cached_product(x: Tensor) -> Tensor:
    return checkpoint(lambda h: (A(h) * doubled()).sin(), x, use_reentrant=False)


@functools.cache
def doubled_too() -> Tensor:
    return P * 2


def cached_product_reentrant(x: Tensor) -> Tensor:
    return checkpoint(lambda h: (A(h) * doubled_too()).sin(), x, use_reentrant=True)


@functools.cache
def positions() -> Tensor:
    return torch.arange(4.0).cos()


def cached_constant(x: Tensor) -> Tensor:
    return checkpoint(lambda h: A(h) * positions(), x, use_reentrant=False)


def moved_around(x: Tensor) -> Tensor:
    kept = {}

    def region(h: Tensor) -> Tensor:
        if "scale" not in kept:
            kept["scale"] = torch.cat([P[:2], P.view(2, 2)[0]])
        return (A(h) * kept["scale"]).sin()

    return checkpoint(region, x, use_reentrant=False)


def detached(x: Tensor) -> Tensor:
    kept = {}

    def region(h: Tensor) -> Tensor:
        if "scale" not in kept:
            kept["scale"] = P.detach().exp()
        return A(h) * kept["scale"]

    return checkpoint(region, x, use_reentrant=False)


def filled_outside(x: Tensor) -> Tensor:
    kept = {"scale": P.exp().sin()}

    def region(h: Tensor) -> Tensor:
        return A(h) * kept["scale"]

    return checkpoint(region, x, use_reentrant=False)
"""
)
CACHES = ["stored", "stored_alias", "attribute", "picking", "cached_property", "cached_function", "cached_product"]
CACHES += ["cached_product_reentrant", "cached_constant", "moved_around", "detached", "filled_outside"]
CACHED_BY = {"Attribute": "attribute", "Picking": "picking", "Property": "cached_property"}


def test_what_caches_a_parameter_is_what_goes_wrong() -> None:
    found = {CACHED_BY.get(name, name) for name in reported(CACHING, "TBR209")}
    assert found == {name for name in CACHES if differs(CACHING, name)}


DRAWING = (
    HEAD
    + """
SINGLE = nn.LSTM(4, 4, dropout=0.3)
STACKED = nn.LSTM(4, 4, 2, dropout=0.3)
ENCODER = nn.TransformerEncoderLayer(4, 2, 8)
QUIET = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)


def single(x: Tensor) -> Tensor:
    return checkpoint(SINGLE, x, use_reentrant=False, preserve_rng_state=False)[0]


def stacked(x: Tensor) -> Tensor:
    return checkpoint(STACKED, x, use_reentrant=False, preserve_rng_state=False)[0]


def encoded(x: Tensor) -> Tensor:
    return checkpoint(ENCODER, x, use_reentrant=False, preserve_rng_state=False)


def encoded_quietly(x: Tensor) -> Tensor:
    return checkpoint(QUIET, x, use_reentrant=False, preserve_rng_state=False)


def dropped(x: Tensor) -> Tensor:
    return checkpoint(lambda h: F.dropout(A(h), 0.5).sin(), x, use_reentrant=True, preserve_rng_state=False)


def not_dropped(x: Tensor) -> Tensor:
    return checkpoint(lambda h: F.dropout(A(h), 0.5, False).sin(), x, use_reentrant=True, preserve_rng_state=False)


def preserved(x: Tensor) -> Tensor:
    return checkpoint(lambda h: F.dropout(A(h), 0.5).sin(), x, use_reentrant=False)


def chosen(x: Tensor) -> Tensor:
    return checkpoint(lambda h: F.gumbel_softmax(A(h)).sin(), x, use_reentrant=False, preserve_rng_state=False)
"""
)
DRAWS = ["single", "stacked", "encoded", "encoded_quietly", "dropped", "not_dropped", "preserved", "chosen"]


@pytest.mark.filterwarnings("ignore:dropout option adds dropout")
def test_what_draws_without_the_random_state_is_what_goes_wrong() -> None:
    assert set(reported(DRAWING, "TBR204")) == {name for name in DRAWS if differs(DRAWING, name)}


SWALLOWING = (
    HEAD
    + """
def before_more(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = A(torch.tanh(h))
        except Exception:
            y = torch.tanh(h)
        return y

    return checkpoint(region, x, use_reentrant=False)


def without_more(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            return torch.tanh(A(h))
        except Exception:
            return h

    return checkpoint(region, x, use_reentrant=False)


def raised_again(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = torch.tanh(A(h))
        except Exception:
            print("failed")
            raise
        return y

    return checkpoint(region, x, use_reentrant=False)


def another_raised(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = torch.tanh(A(h))
        except Exception as error:
            raise RuntimeError("failed") from error
        return y

    return checkpoint(region, x, use_reentrant=False)


def in_a_tuple(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = torch.tanh(A(h))
        except (ValueError, Exception):
            y = h.sin()
        return y

    return checkpoint(region, x, use_reentrant=False)


def named(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = torch.tanh(A(h))
        except ValueError:
            y = h.sin()
        return y

    return checkpoint(region, x, use_reentrant=False)


def tried_again(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        for attempt in range(3):
            try:
                return torch.tanh(A(h))
            except Exception:
                if attempt == 2:
                    raise
        return h

    return checkpoint(region, x, use_reentrant=False)


def reentrant(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        try:
            y = A(torch.tanh(h))
        except Exception:
            y = torch.tanh(h)
        return y

    return checkpoint(region, x, use_reentrant=True)
"""
)
SWALLOWERS = ["before_more", "without_more", "raised_again", "another_raised", "in_a_tuple", "named", "reentrant"]


def test_what_swallows_the_early_stop_is_what_goes_wrong() -> None:
    assert set(reported(SWALLOWING, "TBR207")) - {"tried_again"} == {n for n in SWALLOWERS if differs(SWALLOWING, n)}
