"""TBR308: a dimension declared dynamic is fixed by an example size, a test, a loop or a view."""

import torch
import torch._dynamo
from torch import Tensor, nn
from torch.export import Dim, export

BATCH = Dim("batch")


# --- example sizes --------------------------------------------------------------------------------
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor, scale: Tensor | None = None) -> Tensor:
        return self.fc(x)


def named() -> torch.export.ExportedProgram:
    sample = torch.randn(1, 4)
    return export(Net(), (sample,), dynamic_shapes={"x": {0: BATCH}})  # error: [TBR308] "has size 1"


def by_position(device: str) -> torch.export.ExportedProgram:
    sample = torch.ones((4,)).unsqueeze(0).to(device)
    shapes = ({0: Dim("b", min=1, max=8)},)
    return torch.export.export(Net().eval(), args=(sample,), dynamic_shapes=shapes)  # error: [TBR308]


def dynamic() -> torch.export.ExportedProgram:
    return export(Net(), (torch.zeros(0, 4),), dynamic_shapes=[[Dim.DYNAMIC, None]])  # error: [TBR308] "has size 0"


def calm(rows: int) -> list[torch.export.ExportedProgram]:
    one, two = torch.zeros(1, 4), torch.zeros(2, 4)
    return [
        export(Net(), (one,)),  # ok: [TBR308] nothing is declared
        export(Net(), (two,), dynamic_shapes={"x": {0: BATCH}}),  # ok: [TBR308] size 2
        export(Net(), (one,), dynamic_shapes={"x": {0: Dim.AUTO}}),  # ok: [TBR308] gives way
        export(Net(), (one,), dynamic_shapes={"x": None}),  # ok: [TBR308] static
        export(Net(), (one.T,), dynamic_shapes={"x": {0: BATCH}}),  # ok: [TBR308] made by an operation
        export(Net(), (torch.zeros(rows, 4),), dynamic_shapes={"x": {0: BATCH}}),  # ok: [TBR308] not a literal
    ]


# --- tests, loops and views in an exported function -----------------------------------------------
class Tested(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        rows, columns = x.shape
        if rows > 4:  # error: [TBR308] "the test"
            y = y + 1
        if rows > 64:  # ok: [TBR308] `max` answers it
            raise ValueError("too many")
        if columns == 4:  # ok: [TBR308] not declared
            y = y * 2
        assert x.size(0) % 2 == 0  # error: [TBR308]
        return self.rest(x, y)

    def rest(self, h: Tensor, y: Tensor) -> Tensor:
        for i in range(len(h)):  # error: [TBR308] "the loop"
            y = y + h[i]
        if h.shape[0] == 1:  # ok: [TBR308] sizes 0 and 1 are never part of the range
            return y
        return y * h.shape[0]  # ok: [TBR308] arithmetic


tested = export(
    Tested(),
    (torch.zeros(2, 4), torch.zeros(2, 4)),
    dynamic_shapes={"x": {0: Dim("rows", max=64)}, "y": None},
)


class Viewed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[0] > 3:  # ok: [TBR308] `Dim.DYNAMIC` takes a range
            return x.view(-1, 2, 2)  # ok: [TBR308] one size is left open
        return x.view(2, 2, 2)  # error: [TBR308] "fixes"


viewed = export(Viewed(), (torch.zeros(2, 4),), dynamic_shapes={"x": {0: Dim.DYNAMIC}})


class Positions(nn.Module):
    def __init__(self, length: int = 16) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.zeros(1, length, 4))
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        scaled = x * self.scale  # ok: [TBR308] broadcast along the dimension
        cut = x + self.table[:, : x.shape[1]]  # ok: [TBR308] cut to the size, which `max` bounds
        return x + self.table + scaled + cut  # error: [TBR308] "x + self.table"


positions = export(Positions(), (torch.zeros(2, 16, 4),), dynamic_shapes={"x": {1: Dim("length", max=16)}})


# --- mark_dynamic ---------------------------------------------------------------------------------
@torch.compile
def marked(x: Tensor) -> Tensor:
    if x.shape[0] == 128:  # error: [TBR308]
        x = x.sin()
    return x.cos()


@torch.compile
def maybe(x: Tensor) -> Tensor:
    for row in x:  # ok: [TBR308] `maybe_mark_dynamic` gives way  # error: [TBR302]
        x = x + row
    return x


@torch.compile
def ranged(x: Tensor) -> Tensor:
    if x.shape[0] > 128:  # ok: [TBR308] a range stays dynamic  # error: [TBR301]
        return x.sin()
    for row in x:  # error: [TBR308]
        x = x + row
    return x


def run(x: Tensor) -> Tensor:
    torch._dynamo.mark_dynamic(x, 0)
    y = torch.zeros(3, 4)
    torch._dynamo.maybe_mark_dynamic(y, 0)
    return marked(x) + ranged(x) + maybe(y)


def made_of_itself(device: str) -> torch.export.ExportedProgram:
    sample = torch.zeros(1, 4)
    sample = sample.to(device)
    sample = sample.float()
    return export(Net(), (sample,), dynamic_shapes={"x": {0: BATCH}})  # ok: [TBR308] bound anew: not followed
