"""TBR205: what a region takes, turns and counts, through aliases, partials, functions and helpers: reported if, and
only if, torch goes wrong with it.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

CONSUMED = (
    HEAD
    + """
class Proc:
    def __init__(self, n=0):
        self.n = n
        self.items = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        self.processor = [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]


def rec_closure(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0, 4.0]
    def region(h: Tensor) -> Tensor:
        def rec(y, depth):
            if depth == 0:
                return y
            return rec(torch.sin(y * todo.pop()), depth - 1)
        return rec(torch.tanh(A(h)), 2)
    return checkpoint(region, x, use_reentrant=False)


def rec_self(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0, 4.0]
    def region(h, depth=2):
        h = torch.sin(h * todo.pop())
        if depth:
            return region(h, depth - 1)
        return h
    return checkpoint(region, x, use_reentrant=False)


def rec_copy(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0, 4.0]
    def region(h: Tensor) -> Tensor:
        mine = list(todo)
        def rec(y, depth):
            if depth == 0:
                return y
            return rec(torch.sin(y * mine.pop()), depth - 1)
        return rec(torch.tanh(A(h)), 2)
    return checkpoint(region, x, use_reentrant=False)


def alias(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0, 4.0]
    pop = todo.pop
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * pop())
    return checkpoint(region, x, use_reentrant=False)


def partial_next(x: Tensor) -> Tensor:
    it = iter([1.0, 2.0, 3.0])
    take = functools.partial(next, it)
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * take())
    return checkpoint(region, x, use_reentrant=False)


def method_next(x: Tensor) -> Tensor:
    it = iter([1.0, 2.0, 3.0])
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * it.__next__())
    return checkpoint(region, x, use_reentrant=False)


def argument(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h, items):
        return torch.sin(torch.tanh(A(h)) * items.pop())
    return checkpoint(region, x, todo, use_reentrant=False)


def argument_copy(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h, items):
        items = items.copy()
        return torch.sin(torch.tanh(A(h)) * items.pop())
    return checkpoint(region, x, todo, use_reentrant=False)


def helper_pop(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def take(items):
        return items.pop()
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * take(todo))
    return checkpoint(region, x, use_reentrant=False)


def dict_pop(x: Tensor) -> Tensor:
    todo = {"a": 1.0}
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * todo.pop("a", 5.0))
    return checkpoint(region, x, use_reentrant=False)


def del_item(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h: Tensor) -> Tensor:
        scale = todo[0]
        del todo[0]
        return torch.sin(torch.tanh(A(h)) * scale)
    return checkpoint(region, x, use_reentrant=False)


def sliced(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h: Tensor) -> Tensor:
        scale = todo[0]
        todo[:] = todo[1:]
        return torch.sin(torch.tanh(A(h)) * scale)
    return checkpoint(region, x, use_reentrant=False)


def rotate(x: Tensor) -> Tensor:
    todo = collections.deque([1.0, 2.0, 3.0])
    def region(h: Tensor) -> Tensor:
        todo.rotate(1)
        return torch.sin(torch.tanh(A(h)) * todo[0])
    return checkpoint(region, x, use_reentrant=False)


def reversed_list(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h: Tensor) -> Tensor:
        todo.reverse()
        return torch.sin(torch.tanh(A(h)) * todo[0])
    return checkpoint(region, x, use_reentrant=False)


def sorted_list(x: Tensor) -> Tensor:
    todo = [3.0, 2.0, 1.0]
    def region(h: Tensor) -> Tensor:
        todo.sort()
        return torch.sin(torch.tanh(A(h)) * todo[0])
    return checkpoint(region, x, use_reentrant=False)


def remove_item(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(h: Tensor) -> Tensor:
        todo.remove(todo[0])
        return torch.sin(torch.tanh(A(h)) * todo[0])
    return checkpoint(region, x, use_reentrant=False)


def counter_update(x: Tensor) -> Tensor:
    seen = collections.Counter()
    def region(h: Tensor) -> Tensor:
        seen.update(["a"])
        return torch.sin(torch.tanh(A(h)) * seen["a"])
    return checkpoint(region, x, use_reentrant=False)


def dict_update(x: Tensor) -> Tensor:
    seen = {"a": 0}
    def region(h: Tensor) -> Tensor:
        seen.update(a=seen["a"] + 1)
        return torch.sin(torch.tanh(A(h)) * seen["a"])
    return checkpoint(region, x, use_reentrant=False)


def setattr_count(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        setattr(k, "n", k.n + 1)
        return torch.sin(torch.tanh(A(h)) * k.n)
    return checkpoint(region, x, use_reentrant=False)


def dict_count(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        k.__dict__["n"] += 1
        return torch.sin(torch.tanh(A(h)) * k.n)
    return checkpoint(region, x, use_reentrant=False)


def vars_count(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        vars(k)["n"] += 1
        return torch.sin(torch.tanh(A(h)) * k.n)
    return checkpoint(region, x, use_reentrant=False)


def set_add(x: Tensor) -> Tensor:
    seen = {0.0}
    def region(h: Tensor) -> Tensor:
        seen.add(float(len(seen)))
        return torch.sin(torch.tanh(A(h)) * len(seen))
    return checkpoint(region, x, use_reentrant=False)


def set_same(x: Tensor) -> Tensor:
    seen = {0.0}
    def region(h: Tensor) -> Tensor:
        seen.add(1.0)
        return torch.sin(torch.tanh(A(h)) * len(seen))
    return checkpoint(region, x, use_reentrant=False)


def walrus(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        if (n := k.items.pop()) > 0:
            h = h * n
        return torch.sin(torch.tanh(A(h)))
    return checkpoint(region, x, use_reentrant=False)


def generator_send(x: Tensor) -> Tensor:
    def gen():
        n = 1.0
        while True:
            n += 1
            yield n
    g = gen()
    next(g)
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * g.send(None))
    return checkpoint(region, x, use_reentrant=False)


def islice_take(x: Tensor) -> Tensor:
    it = iter([1.0, 2.0, 3.0, 4.0])
    def region(h: Tensor) -> Tensor:
        (scale,) = itertools.islice(it, 1)
        return torch.sin(torch.tanh(A(h)) * scale)
    return checkpoint(region, x, use_reentrant=False)


def unpack_iter(x: Tensor) -> Tensor:
    it = iter([1.0, 2.0, 3.0, 4.0])
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h))
        for scale in it:
            h = torch.sin(h * scale)
        return h
    return checkpoint(region, x, use_reentrant=False)


def tensor_copy_(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        buf.copy_(buf * 2)
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def tensor_setitem(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        buf[0] += 1
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def tensor_data(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        buf.data = buf.data + 1
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def torch_out(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        torch.add(buf, 1, out=buf)
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def torch_out_same(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        torch.add(torch.ones(4), 1, out=buf)
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def index_add(x: Tensor) -> Tensor:
    buf = torch.ones(4)
    def region(h: Tensor) -> Tensor:
        torch.Tensor.add_(buf, 1)
        return torch.sin(torch.tanh(A(h)) * buf)
    return checkpoint(region, x, use_reentrant=False)


def foreach_add(x: Tensor) -> Tensor:
    bufs = [torch.ones(4)]
    def region(h: Tensor) -> Tensor:
        torch._foreach_add_(bufs, 1.0)
        return torch.sin(torch.tanh(A(h)) * bufs[0])
    return checkpoint(region, x, use_reentrant=False)


def toggled_back(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        k.n += 1
        y = torch.sin(torch.tanh(A(h)) * k.n)
        k.n -= 1
        return y.cos()
    return checkpoint(region, x, use_reentrant=False)


def try_back(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        k.n += 1
        try:
            y = torch.sin(torch.tanh(A(h)) * k.n)
        finally:
            k.n -= 1
        return y.cos()
    return checkpoint(region, x, use_reentrant=False)


@contextlib.contextmanager
def bumped(k):
    k.n += 1
    try:
        yield
    finally:
        k.n -= 1


def own_context(x: Tensor) -> Tensor:
    k = Proc(1)
    def region(h: Tensor) -> Tensor:
        with bumped(k):
            y = torch.sin(torch.tanh(A(h)) * k.n)
        return y.cos()
    return checkpoint(region, x, use_reentrant=False)


def partial_region(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    def region(items, h):
        return torch.sin(torch.tanh(A(h)) * items.pop())
    return checkpoint(functools.partial(region, todo), x, use_reentrant=False)


def heap(x: Tensor) -> Tensor:
    todo = [1.0, 2.0, 3.0]
    pop = heapq.heappop
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * pop(todo))
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_what_the_recompute_finds_changed() -> None:
    agree(CONSUMED, "TBR205")
