"""TBR208: values set to what they were, steps without gradients, globals: reported where torch's gradients differ."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
HANDLE = C.register_forward_hook(lambda m, a, o: o * 2)
D = nn.Linear(4, 4)
LOOKING = D.register_forward_hook(lambda m, a, o: None)


def by_name(h):
    return A(h).tanh()


def by_weight(h):
    return F.linear(h, A.weight).tanh()


def through_hook(h):
    return C(h).tanh()


def looked_at(h):
    return D(h).tanh()


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def part(self, x):
        return self.a(x).tanh()

    def beside(self, x, other):
        return self.part(x) * other.part(x)


def run_before(module, x):
    module(x).sum().backward()
"""
)
CHANGES = {
    "clone": "A.weight.data = A.weight.data.clone()",
    "each_clone": "for p in A.parameters():\n    p.data = p.data.clone()",
    "each_detached": "for p in A.parameters():\n    p.data = p.data.detach().clone().contiguous()",
    "itself": "A.bias.data = A.bias.data",
    "detached": "A.weight.data = A.weight.detach()",
    "copied": "A.weight.data.copy_(A.weight.data)",
    "doubled": "A.weight.data = A.weight.data * 2",
    "added": "A.weight.data += A.weight.data",
    "other": "A.weight.data = B.weight.data.clone()",
    "copied_other": "A.weight.data.copy_(B.weight.data)",
    "half": "for p in A.parameters():\n    p.data = p.data.half().float()",
    "other_layer": "B.weight.data = B.weight.data * 2",
    "transposed": "A.weight.data = A.weight.data.t().contiguous()",
}
REGIONS = {"lambda": "lambda h: A(h).tanh()", "global": "by_name"}
FORMS = {
    f"{name}_{region}": (
        f"out = checkpoint({REGIONS[region]}, x, use_reentrant=False)\n{change}\nout.sum().backward()\nreturn x * 1"
    )
    for name, change in CHANGES.items()
    for region in REGIONS
}
CLEAR = "optimizer = torch.optim.SGD(A.parameters(), lr=0.1)\n"
RUN = "out = checkpoint(lambda h: A(h).tanh(), x, use_reentrant=False)\n"
END = "optimizer.step()\nout.sum().backward()\nreturn x * 1"
NEW = "net = nn.Linear(4, 4)\noptimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
NET = "out = checkpoint(lambda h: (h + net.bias).tanh(), x, use_reentrant=False)\n"
FORMS |= {
    "step_cleared": f"{CLEAR}optimizer.zero_grad()\n{RUN}{END}",
    "step_cleared_after": f"{CLEAR}{RUN}optimizer.zero_grad()\n{END}",
    "step_round": f"{CLEAR}for _ in range(2):\n    optimizer.zero_grad()\n{indented(RUN)}"
    "    optimizer.step()\n    out.sum().backward()\nreturn x * 1",
    "step_new": f"{NEW}{NET}{END}",
    "step_new_twice": f"{NEW}first = checkpoint(lambda h: (h + net.bias).tanh(), x, use_reentrant=False)\n"
    f"first.sum().backward()\n{NET}{END}",
    "step_new_helper": f"{NEW}run_before(net, x)\n{NET}{END}",
    "hook_shared": "out = checkpoint(through_hook, x, use_reentrant=False)\nHANDLE.remove()\nout.sum().backward()\n"
    "return x * 1",
    "hook_shared_lambda": "out = checkpoint(lambda h: C(h).tanh(), x, use_reentrant=False)\nHANDLE.remove()\n"
    "out.sum().backward()\nreturn x * 1",
    "hook_looks": "out = checkpoint(looked_at, x, use_reentrant=False)\nLOOKING.remove()\nout.sum().backward()\n"
    "return x * 1",
    "hook_beside": "out = checkpoint(by_name, x, use_reentrant=False)\nHANDLE.remove()\nout.sum().backward()\n"
    "return x * 1",
    "bias_unread": "out = checkpoint(by_weight, x, use_reentrant=False)\nA.weight.data = A.weight.data * 2\n"
    "out.sum().backward()\nreturn x * 1",
}
BODY = "m = Body()\nother = Body()\nout = checkpoint(m.part, x, use_reentrant=False)\n"
POOL = "m = Body()\npool = [Body(), Body()]\nout = checkpoint(m.part, x, use_reentrant=False)\n"
ENDS = "out.sum().backward()\nreturn x * 1"
FORMS |= {
    "part_of_it": f"{BODY}m.a.weight.data.add_(1.0)\n{ENDS}",
    "part_of_another": f"{BODY}other.a.weight.data.add_(1.0)\n{ENDS}",
    "part_of_each": f"{POOL}for one in pool:\n    one.a.weight.data.add_(1.0)\n{ENDS}",
    "part_of_each_here": f"{POOL}for one in (Body(), Body()):\n    one.a.weight.data.add_(1.0)\n{ENDS}",
    "part_of_grown": f"{POOL}pool.append(m)\nfor one in pool:\n    one.a.weight.data.add_(1.0)\n{ENDS}",
    "part_of_all": f"{POOL}for one in [m, *pool]:\n    one.a.weight.data.add_(1.0)\n{ENDS}",
    "part_given": f"{BODY.replace('m.part, x', 'm.beside, x, other')}other.a.weight.data.add_(1.0)\n{ENDS}",
}
PROGRAM = PARTS + functions(FORMS)


def test_changes_that_the_recompute_meets_are_reported() -> None:
    agree(PROGRAM, "TBR208", names=FORMS, wrong=11, right=16)
