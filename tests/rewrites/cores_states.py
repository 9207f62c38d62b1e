"""What state a region may not touch (TBR205 to TBR212), or may not change before backward, each with its repair."""

from __future__ import annotations

from tests.rewrites.core import Core

CORES = (
    Core(
        "TBR205",
        "tokens",
        """
stats['tokens'] += hidden.shape[0]  #: here
return torch.tanh(proj(hidden)).sin()
""",
        """
tokens = hidden.shape[0]
return torch.tanh(proj(hidden) / tokens).sin()
""",
        state="""
stats = {'tokens': 0}
""",
    ),
    Core(
        "TBR205",
        "next",
        """
rate = next(rates)  #: here
return torch.tanh(proj(hidden) * rate).sin()
""",
        """
rate = 0.1
return torch.tanh(proj(hidden) * rate).sin()
""",
        state="""
rates = itertools.cycle([0.1, 0.2, 0.3])
""",
    ),
    Core(
        "TBR205",
        "inplace",
        """
hidden += 1.0  #: here
return torch.tanh(proj(hidden)).sin()
""",
        """
hidden = hidden + 1.0
return torch.tanh(proj(hidden)).sin()
""",
    ),
    Core(
        "TBR205",
        "append",
        """
hidden = proj(hidden)
history.append(hidden.detach().mean())  #: here
return hidden.sin()
""",
        """
hidden = proj(hidden)
history = [hidden.detach().mean()]
return hidden.sin()
""",
        state="""
history = []
def report():
    print(sum(history) / len(history))
""",
    ),
    Core(
        "TBR205",
        "buffer",
        """
hidden = proj(hidden)
meter.count += hidden.shape[0]  #: here
return hidden.sin().exp()
""",
        """
hidden = proj(hidden)
meter.last = hidden.shape[0]
return hidden.sin().exp()
""",
        state="""
class Meter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('count', torch.zeros(()))
meter = Meter()
""",
    ),
    Core(
        "TBR205",
        "popleft",
        """
rate = queue.popleft()  #: here
return (proj(hidden) * rate).sin()
""",
        """
rate = queue[0]
return (proj(hidden) * rate).sin()
""",
        state="""
import collections
queue = collections.deque([0.1, 0.2, 0.3])
""",
    ),
    Core(
        "TBR207",
        "oom",
        """
hidden = proj(hidden)
try:
    return torch.softmax(hidden, -1)
except Exception:  #: here
    return torch.stack([torch.softmax(row, -1) for row in hidden])
""",
        """
hidden = proj(hidden)
try:
    return torch.softmax(hidden, -1)
except torch.OutOfMemoryError:
    return torch.stack([torch.softmax(row, -1) for row in hidden])
""",
    ),
    Core(
        "TBR207",
        "bare",
        """
hidden = proj(hidden)
try:
    hidden = hidden.softmax(-1)
except:  #: here
    hidden = torch.exp(hidden) / torch.exp(hidden).sum(-1, keepdim=True)
return hidden
""",
        """
hidden = proj(hidden)
try:
    hidden = hidden.softmax(-1)
except RuntimeError:
    hidden = torch.exp(hidden) / torch.exp(hidden).sum(-1, keepdim=True)
return hidden
""",
    ),
    Core(
        "TBR208",
        "step",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        state="""
optimizer = torch.optim.SGD(proj.parameters(), lr=0.1)
""",
        at="step",
        step="""
def update(batch, other):
    first = run(batch).mean()
    second = run(other).mean()
    first.backward()
    optimizer.step()  #: here
    second.backward()
""",
        mended_step="""
def update(batch, other):
    first = run(batch).mean()
    first.backward()
    optimizer.step()
    optimizer.zero_grad()
    second = run(other).mean()
    second.backward()
""",
    ),
    Core(
        "TBR208",
        "load",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        at="step",
        step="""
def update(batch, ema):
    loss = run(batch).mean()
    proj.load_state_dict(ema)  #: here
    loss.backward()
""",
        mended_step="""
def update(batch, ema):
    loss = run(batch).mean()
    loss.backward()
    proj.load_state_dict(ema)
""",
    ),
    Core(
        "TBR209",
        "lazy",
        """
if 'decay' not in tables:
    tables['decay'] = torch.exp(torch.sin(decay))  #: here
return torch.tanh(proj(hidden) * tables['decay'])
""",
        """
return torch.tanh(proj(hidden) * torch.exp(torch.sin(decay)))
""",
        state="""
decay = nn.Parameter(torch.ones(16))
tables = {}
""",
    ),
    Core(
        "TBR209",
        "lru",
        """
return torch.tanh(proj(hidden) * table(16))  #: here
""",
        """
return torch.tanh(proj(hidden) * torch.exp(torch.sin(decay)) * 16)
""",
        state="""
decay = nn.Parameter(torch.ones(16))
@functools.lru_cache(maxsize=None)
def table(n):
    return torch.exp(torch.sin(decay)) * n
""",
    ),
    Core(
        "TBR210",
        "route",
        """
expert = router(hidden).argmax(-1)  #: here
mixed = torch.zeros_like(hidden)
mixed[expert == 0] = torch.tanh(proj(hidden[expert == 0]))
return mixed.sin()
""",
        """
gate = router(hidden).softmax(-1)
mixed = gate[..., :1] * torch.tanh(proj(hidden))
return mixed.sin()
""",
        state="""
router = nn.Linear(16, 2)
""",
    ),
    Core(
        "TBR210",
        "topk",
        """
weights, chosen = router(hidden).softmax(-1).topk(2, dim=-1)  #: here
out = torch.zeros_like(hidden)
for index, expert in enumerate(experts):
    rows, slot = torch.where(chosen == index)
    out[rows] += expert(hidden[rows]).sin() * weights[rows, slot, None]
return out.sin()
""",
        """
weights = router(hidden).softmax(-1)
out = torch.zeros_like(hidden)
for index, expert in enumerate(experts):
    out = out + expert(hidden).sin() * weights[:, index, None]
return out.sin()
""",
        state="""
router = nn.Linear(16, 4)
experts = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
""",
    ),
    Core(
        "TBR211",
        "bn",
        """
return torch.relu(bn(proj(hidden)))
""",
        """
return torch.relu(F.layer_norm(proj(hidden), (16,)))
""",
        state="""
bn = nn.BatchNorm1d(16)
""",
        at="call",
    ),
    Core(
        "TBR211",
        "fbn",
        """
return torch.relu(F.batch_norm(proj(hidden), mean, var, training=True))
""",
        """
return torch.relu(F.batch_norm(proj(hidden), mean, var, training=False))
""",
        state="""
mean, var = torch.zeros(16), torch.ones(16)
""",
        at="call",
    ),
    Core(
        "TBR212",
        "unpack",
        """
return Gate.apply(proj(hidden).sin(), hidden)
""",
        state="""
class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, weight):
        ctx.save_for_backward(value, weight)
        return value * weight
    @staticmethod
    def backward(ctx, grad):
        value = ctx.saved_tensors[0]
        weight = ctx.saved_tensors[1]  #: here
        return grad * weight, grad * value
""",
        repaired_state="""
class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, weight):
        ctx.save_for_backward(value, weight)
        return value * weight
    @staticmethod
    def backward(ctx, grad):
        value, weight = ctx.saved_tensors
        return grad * weight, grad * value
""",
    ),
)
