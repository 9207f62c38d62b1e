"""What a checkpoint may not be given or asked for (TBR501 to TBR510), each with its repair."""

from __future__ import annotations

from tests.rewrites.core import Core

CORES = (
    Core(
        "TBR501",
        "loader",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="use_reentrant=True",
        mended="use_reentrant=False",
        at="call",
        raw=True,
        step="""
def train(loader, optimizer):
    for images, labels in loader:
        out = run(images)
        loss = F.cross_entropy(out, labels)
        loss.backward()
        optimizer.step()
""",
    ),
    Core(
        "TBR501",
        "randn",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="use_reentrant=True",
        at="call",
        raw=True,
        step="""
def train(optimizer):
    noise = torch.randn(4, 16)
    run(noise).mean().backward()
""",
        mended_step="""
def train(optimizer):
    noise = torch.randn(4, 16, requires_grad=True)
    run(noise).mean().backward()
""",
    ),
    Core(
        "TBR502",
        "scale",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="use_reentrant=True, scale=0.5",
        mended="use_reentrant=False, scale=0.5",
        at="call",
    ),
    Core(
        "TBR503",
        "penalty",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="use_reentrant=True",
        mended="use_reentrant=False",
        at="call",
        step="""
def gradient_penalty(images):
    images = images.detach().requires_grad_()
    score = run(images)
    (grads,) = torch.autograd.grad(score.sum(), images, create_graph=True)
    return (grads.norm(dim=-1) - 1).square().mean()
""",
    ),
    Core(
        "TBR504",
        "dict",
        """
return {"hidden": torch.tanh(proj(hidden))}
""",
        """
return torch.tanh(proj(hidden)), None
""",
        options="use_reentrant=True",
        at="call",
        loss='out["hidden"].mean()',
        mended_loss="out[0].mean()",
    ),
    Core(
        "TBR504",
        "list",
        """
outs = []
for _ in range(2):
    hidden = torch.tanh(proj(hidden))
    outs.append(hidden)
return outs
""",
        """
outs = []
for _ in range(2):
    hidden = torch.tanh(proj(hidden))
    outs.append(hidden)
return tuple(outs)
""",
        options="use_reentrant=True",
        at="call",
        loss="out[0].mean() + out[1].mean()",
    ),
    Core(
        "TBR506",
        "implicit",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="preserve_rng_state=True",
        mended="preserve_rng_state=True, use_reentrant=False",
        at="call",
    ),
    Core(
        "TBR507",
        "flag",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="False",
        mended="use_reentrant=False",
        at="call",
        also=("TBR506",),
    ),
    Core(
        "TBR509",
        "aux",
        """
scores = proj(hidden)
aux["loss"] = scores.square().mean()
return hidden * scores.detach()
""",
        """
scores = proj(hidden)
aux["loss"] = scores.detach().square().mean()
return hidden * scores
""",
        state="""
aux = {}
""",
        options="use_reentrant=True",
        at="call",
        loss='out.mean() + aux["loss"]',
    ),
    Core(
        "TBR509",
        "list",
        """
scores = proj(hidden)
losses.append(scores.square().mean())
return hidden * scores.detach()
""",
        """
scores = proj(hidden)
losses[:] = [float(scores.detach().square().mean())]
return hidden * scores
""",
        state="""
losses = []
""",
        options="use_reentrant=True",
        at="call",
        loss="out.mean() + sum(losses)",
    ),
    Core(
        "TBR510",
        "hook",
        """
scores = proj(hidden)
scores.register_hook(lambda g: g.clamp(-1, 1))
return scores.tanh()
""",
        """
scores = proj(hidden)
return scores.tanh()
""",
        options="use_reentrant=True",
        at="call",
    ),
    Core(
        "TBR510",
        "grad",
        """
energy = proj(hidden).square().sum()
(force,) = torch.autograd.grad(energy, hidden, create_graph=True)
return force.sin()
""",
        """
energy = proj(hidden).square()
return energy.sin()
""",
        options="use_reentrant=True",
        at="call",
    ),
    Core(
        "TBR510",
        "retain",
        """
scores = proj(hidden)
scores.retain_grad()
return scores.sin()
""",
        """
scores = proj(hidden)
if scores.requires_grad:
    scores.retain_grad()
return scores.sin()
""",
        options="use_reentrant=True",
        at="call",
    ),
)
