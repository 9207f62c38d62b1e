# options: --tbr-confidence=likely
"""TBR208 where only names tell which module a call runs."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        return self.drop(self.fc(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x


def train(model, optimizer, batches):
    for x in batches:
        loss = model(x).mean()
        optimizer.step()  # error: [TBR208]
        loss.backward()
        optimizer.zero_grad()


def flipped(model, x):
    model.train()
    loss = model(x).mean()
    model.eval()  # error: [TBR208]
    loss.backward()


class Trainer:
    def __init__(self, model):
        self.model = model

    def fit(self, x):
        out = self.model(x)
        for p in self.model.parameters():
            p.requires_grad = False  # error: [TBR208]
        out.sum().backward()


def usual(model, optimizer, batches):
    for x in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = model(x).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()  # ok: [TBR208] after backward


def other(teacher, model, optimizer, x):
    loss = model(x).mean()
    teacher.eval()  # ok: [TBR208] another module
    loss.backward()
    optimizer.step()  # ok: [TBR208] after backward
