"""Ways in which a module comes to be compiled, traced, exported or mapped. BODY is what it does with `x`."""

from __future__ import annotations

from typing import Final

WAYS: Final = {
    "method_deco_opts": """
class Net(nn.Module):
    @ENTRY(OPTS)
    def forward(self, x: Tensor) -> Tensor:
        BODY
""",
    "module": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

net = BEGIN(Net())
""",
    "module_var": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def build():
    net = Net()
    net.eval()
    net = BEGIN(net)
    return net
""",
    "module_compile": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

net = Net()
net.compile()
""",
    "module_compile_opts": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def build(device):
    net = Net().to(device)
    net.compile(OPTS)
    return net
""",
    "self_compile": """
class Net(nn.Module):
    def __init__(self, fast: bool = False) -> None:
        super().__init__()
        if fast:
            self.compile(OPTS)
    def forward(self, x: Tensor) -> Tensor:
        BODY
""",
    "forward_swap": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

net = Net()
net.forward = BEGIN(net.forward)
""",
    "children": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x

net = Net()
for i, block in enumerate(net.blocks):
    net.blocks[i] = BEGIN(block)
""",
    "children_compile": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(3)])
    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x

net = Net()
for block in net.blocks:
    block.compile(OPTS)
""",
    "sequential": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

net = BEGIN(nn.Sequential(nn.Linear(4, 4), Block(), nn.GELU()))
""",
    "class_deco_block": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY
FastBlock = BEGIN(Block())
""",
    "helper_method": """
class Net(nn.Module):
    def _mix(self, x: Tensor) -> Tensor:
        BODY
    def forward(self, x: Tensor) -> Tensor:
        return self._mix(x)

net = BEGIN(Net())
""",
    "class_attr_fn": """
def mix(x: Tensor) -> Tensor:
    BODY

class Net(nn.Module):
    mix = staticmethod(mix)
    def forward(self, x: Tensor) -> Tensor:
        return self.mix(x)

net = BEGIN(Net())
""",
    "self_fn": """
def mix(x: Tensor) -> Tensor:
    BODY

class Net(nn.Module):
    def __init__(self, fn=mix) -> None:
        super().__init__()
        self.fn = fn
    def forward(self, x: Tensor) -> Tensor:
        return self.fn(x)

net = BEGIN(Net())
""",
    "self_fn_init": """
def mix(x: Tensor) -> Tensor:
    BODY

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fn = functools.partial(mix)
    def forward(self, x: Tensor) -> Tensor:
        return self.fn(x)

net = BEGIN(Net())
""",
    "try_compile": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def build():
    model = Net()
    try:
        model = BEGIN(model)
    except Exception as error:
        logging.warning("no compile: %s", error)
    return model
""",
    "exit_stack_inside": """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            BODY

net = BEGIN(Net())
""",
    "own_cm": """
@contextlib.contextmanager
def compiled_model(model):
    fast = BEGIN(model)
    yield fast

class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def serve(batches):
    with compiled_model(Net()) as net:
        for batch in batches:
            net(batch)
""",
    "cm_swap": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

@contextlib.contextmanager
def compiled(model):
    eager = model.forward
    model.forward = BEGIN(eager)
    try:
        yield model
    finally:
        model.forward = eager

def serve(batches):
    with compiled(Net()) as net:
        for batch in batches:
            net(batch)
""",
    "try_finally": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def evaluate(batches):
    model = Net()
    eager = model.forward
    try:
        model.forward = BEGIN(model.forward)
        for batch in batches:
            model(batch)
    finally:
        model.forward = eager
""",
    "list_comp": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

blocks = [BEGIN(block) for block in [Block(), Block()]]
""",
    "map": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

blocks = nn.ModuleList(map(lambda b: BEGIN(b), [Block(), Block()]))
""",
}
