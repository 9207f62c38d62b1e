"""TBR205 in layers that transformers checkpoints: it switches their caches off (transformers/modeling_layers.py)."""

import torch
from torch import Tensor, nn
from transformers.modeling_layers import GradientCheckpointingLayer


class Recurrence(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.states = None

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x) if self.states is None else self.fc(x) + self.states
        self.states = h.detach()  # ok: [TBR205] None whenever a checkpointed layer begins
        return h


class Layer(GradientCheckpointingLayer):
    def __init__(self):
        super().__init__()
        self.recurrence = Recurrence()
        self.window = None
        self.seen = torch.zeros(4)

    def forward(self, x: Tensor, use_cache: bool = True) -> Tensor:
        if use_cache:
            if self.window is None:
                self.window = torch.zeros(4)
            x = x + self.window
            self.window = x[-1:]  # ok: [TBR205] not where it is checkpointed
        else:
            self.window = None
            self.recurrence.states = None
        self.seen = self.seen + x.mean(0)  # error: [TBR205]
        return self.recurrence(x) + self.seen


class Window:
    def __init__(self):
        self.kept: Tensor | None = None

    def update(self, x: Tensor) -> Tensor:
        h = x if self.kept is None else torch.cat([self.kept, x])
        self.kept = h[-2:].detach()  # ok: [TBR205] made where `use_cache` is on, and off where it is checkpointed
        return h


class Streaming(GradientCheckpointingLayer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, past_key_values: Window | None = None, frame_cache: Window | None = None) -> Tensor:
        window: Window | None = past_key_values if past_key_values is not None else None
        if window is not None:
            x = window.update(x)
        if frame_cache is not None:
            x = frame_cache.update(x)
        return self.fc(x).sin()
