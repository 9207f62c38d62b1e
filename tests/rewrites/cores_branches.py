"""What branches and draws wrongly inside of a region (TBR201 to TBR204), each with its repair."""

from __future__ import annotations

from tests.rewrites.core import Core

CORES = (
    Core(
        "TBR201",
        "cap",
        """
hidden = proj(hidden).relu()
peak = hidden.abs().amax()
if peak > 8.0:  #: here
    hidden = hidden * (8.0 / peak)
return hidden.sin()
""",
        """
hidden = proj(hidden).relu()
peak = hidden.abs().amax()
hidden = hidden * (8.0 / peak).clamp(max=1.0)
return hidden.sin()
""",
    ),
    Core(
        "TBR201",
        "item_while",
        """
hidden = proj(hidden)
norm = hidden.norm().item()
while norm > 4.0:  #: here
    hidden = torch.tanh(hidden) / 2
    norm = hidden.norm().item()
return hidden.exp()
""",
        """
hidden = proj(hidden)
for _ in range(3):
    hidden = torch.tanh(hidden) / 2
return hidden.exp()
""",
    ),
    Core(
        "TBR201",
        "any_helper",
        """
hidden = proj(hidden)
if has_nan(hidden):  #: here
    hidden = torch.nan_to_num(hidden) * hidden.sigmoid()
return hidden.sin()
""",
        """
hidden = proj(hidden)
hidden = torch.nan_to_num(hidden)
return hidden.sin()
""",
        state="""
def has_nan(t):
    return bool(torch.isnan(t).any())
""",
    ),
    Core(
        "TBR201",
        "ternary",
        """
hidden = proj(hidden)
scale = 0.5 if float(hidden.std()) > 1.0 else 1.0  #: here
return (hidden * scale).sin()
""",
        """
hidden = proj(hidden)
scale = 0.5 if hidden.shape[-1] > 64 else 1.0
return (hidden * scale).sin()
""",
    ),
    Core(
        "TBR202",
        "global",
        """
stats['calls'] += 1  #: here TBR205
hidden = proj(hidden)
if stats['calls'] % 2 == 0:  #: here
    hidden = hidden * hidden.tanh()
return hidden.sin()
""",
        """
hidden = proj(hidden)
if stats['calls'] % 2 == 0:
    hidden = hidden * hidden.tanh()
return hidden.sin()
""",
        state="""
stats = {'calls': 0}
""",
    ),
    Core(
        "TBR202",
        "gradmode",
        """
hidden = proj(hidden)
if torch.is_grad_enabled():  #: here
    hidden = hidden * hidden.sigmoid()
return hidden.sin()
""",
        """
hidden = proj(hidden)
hidden = hidden * hidden.sigmoid()
return hidden.sin()
""",
        options="use_reentrant=True",
    ),
    Core(
        "TBR203",
        "layerdrop",
        """
hidden = proj(hidden)
if random.random() < 0.2:  #: here
    hidden = hidden * hidden.sigmoid()
return hidden.sin()
""",
        """
hidden = proj(hidden)
if torch.rand(()) < 0.2:
    hidden = hidden * hidden.sigmoid()
return hidden.sin()
""",
    ),
    Core(
        "TBR203",
        "noise",
        """
noise = torch.randn(hidden.shape, generator=rng)
hidden = proj(hidden) * noise  #: here
return hidden.sin()
""",
        """
noise = torch.randn(hidden.shape)
hidden = proj(hidden) * noise
return hidden.sin()
""",
        state="""
rng = torch.Generator().manual_seed(0)
""",
    ),
    Core(
        "TBR203",
        "numpy",
        """
hidden = proj(hidden)
keep = np.random.rand() > 0.5
return hidden.sin() if keep else hidden.cos().exp()  #: here
""",
        """
hidden = proj(hidden)
keep = hidden.shape[0] > 4
return hidden.sin() if keep else hidden.cos().exp()
""",
    ),
    Core(
        "TBR203",
        "choice",
        """
factor = rnd.choice([0.5, 1.0, 2.0])
hidden = proj(hidden).tanh()
return (hidden * factor).sin()  #: here
""",
        """
factor = 0.5
hidden = proj(hidden).tanh()
return (hidden * factor).sin()
""",
        state="""
import random as rnd
""",
    ),
    Core(
        "TBR203",
        "clock",
        """
hidden = proj(hidden).tanh()
if time.time() % 2 > 1:  #: here
    hidden = hidden.exp()
return hidden.sin()
""",
        """
hidden = proj(hidden).tanh()
print(time.time())
return hidden.sin()
""",
    ),
    Core(
        "TBR204",
        "drop",
        """
hidden = proj(hidden)
return F.dropout(hidden, 0.1, training=True).sin()
""",
        """
hidden = proj(hidden)
return F.gelu(hidden).sin()
""",
        options="use_reentrant=False, preserve_rng_state=False",
        at="call",
    ),
    Core(
        "TBR204",
        "layer",
        """
return drop(proj(hidden)).sin()
""",
        """
return nn.functional.relu(proj(hidden)).sin()
""",
        state="""
drop = nn.Dropout(0.3)
""",
        options="use_reentrant=False, preserve_rng_state=False",
        at="call",
    ),
    Core(
        "TBR204",
        "rand",
        """
mask = torch.rand_like(hidden) > 0.5
return (proj(hidden) * mask).sin()
""",
        """
mask = torch.ones_like(hidden) > 0.5
return (proj(hidden) * mask).sin()
""",
        options="use_reentrant=True, preserve_rng_state=False",
        at="call",
    ),
)
