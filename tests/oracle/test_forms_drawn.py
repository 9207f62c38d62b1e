"""TBR204: distributions, layers built inside, dropout by what it was built with: reported where gradients differ."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, differs, functions, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
NOISE = torch.distributions.Normal(0.0, 1.0)


class Block(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.drop = nn.Dropout(p)
        self.layer = nn.Linear(4, 4)

    def forward(self, h):
        return self.layer(self.drop(h)).tanh()


class Functional(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p

    def forward(self, h):
        return A(F.dropout(h, self.p, self.training)).tanh()


class Stack(nn.Module):
    def __init__(self, dropout=0.1, number=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block(dropout) for _ in range(number)])

    def forward(self, h):
        for block in self.blocks:
            h = block(h)
        return h.sin()


class Known(Block):
    def __init__(self):
        super().__init__(0.0)


BLOCK = Block(0.0)
FUNCTIONAL = Functional()
KNOWN = Known()
"""
)
REGIONS = {
    "normal": "B(h + torch.distributions.Normal(0.0, 1.0).sample(h.shape)).tanh()",
    "bernoulli": "B(h * torch.distributions.Bernoulli(0.5).sample(h.shape)).tanh()",
    "reparametrized": "B(torch.distributions.Normal(h, 1.0).rsample()).tanh()",
    "categorical": "B(h * torch.distributions.Categorical(logits=h).sample()[:, None]).tanh()",
    "shared": "A(h + NOISE.sample((4,))).tanh()",
    "mean": "A(h + NOISE.mean).tanh()",
    "log_prob": "A(NOISE.log_prob(h)).tanh()",
    "added_last": "A(h).tanh() + NOISE.sample(h.shape)",
    "dropout": "B(nn.Dropout(0.5)(A(h))).tanh()",
    "dropout_none": "B(nn.Dropout(0.0)(A(h))).tanh()",
    "linear": "B(nn.Linear(4, 4)(A(h))).tanh()",
    "convolution": "nn.Conv1d(1, 1, 3)(A(h)[:, None]).tanh()",
    "layer_norm": "B(nn.LayerNorm(4)(A(h))).tanh()",
    "embedding": "(A(h).tanh() * nn.Embedding(4, 4)(torch.tensor([0, 1, 2]))).sin()",
    "block_none": "BLOCK(h)",
    "known_none": "KNOWN(h)",
    "functional_none": "FUNCTIONAL(h)",
    "shape_only": "A(h).tanh() * nn.Linear(4, 4).weight.shape[0]",
}
END = "return checkpoint({region}, x, use_reentrant=False, preserve_rng_state=False)"
FORMS = {name: END.format(region=f"lambda h: {body}") for name, body in REGIONS.items()}
FORMS |= {
    f"{name}_kept": f"return checkpoint(lambda h: {REGIONS[name]}, x, use_reentrant=False)"
    for name in ("normal", "linear", "dropout")
}
BUILT = "def region(h):\n    layer = nn.Linear(4, 4)\n{more}    return B(layer(A(h))).tanh()\n"
FORMS |= {
    "named": BUILT.format(more="") + END.format(region="region"),
    "filled": BUILT.format(more="    nn.init.eye_(layer.weight)\n    nn.init.zeros_(layer.bias)\n")
    + END.format(region="region"),
    "seeded": BUILT.replace("    layer", "    torch.manual_seed(0)\n    layer", 1).format(more="")
    + END.format(region="region"),
}
PROGRAM = PARTS + functions(FORMS)


def test_draws_that_are_not_replayed_are_reported() -> None:
    agree(PROGRAM, "TBR204", names=FORMS, wrong=9, right=9)


@pytest.mark.parametrize("build", ["Block", "Functional", "Stack"])
@pytest.mark.parametrize("others", ["", "MORE = {build}(0.5)\n"])
@pytest.mark.parametrize("probability", [0.0, 0.5])
def test_probabilities_given_through_constructors(build: str, others: str, probability: float) -> None:
    body = f"{others.format(build=build)}NET = {build}({probability})\n"
    program = PARTS + body + f"\n\ndef form(x: Tensor) -> Tensor:\n    {END.format(region='NET')}\n"
    assert bool(reported(program, "TBR204")) is differs(program, "form") is (probability > 0)
