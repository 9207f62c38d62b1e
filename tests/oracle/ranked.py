"""Two ranks as two threads that meet in each collective: whether both come to the same ones, in the same order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.oracle.support import loaded, require_torch

torch = require_torch()
PATIENCE = 5.0
"""Seconds that a rank waits for one that runs; one that has ended is not waited for."""


class Hang(Exception):
    """The other rank has ended, or waits in another collective or with another shape."""


class World:
    """A group of two ranks; each thread has set its own `rank`."""

    def __init__(self) -> None:
        self.here = threading.local()
        self.changed = threading.Condition()
        self.posts: dict[tuple[int, int], tuple[Any, Any]] = {}
        self.rounds = [0, 0]
        self.ended: set[int] = set()

    def meet(self, key: Any, value: Any) -> list[Any]:
        """Wait for the other rank and give what both have brought, by rank; raises Hang."""
        rank = self.here.rank
        with self.changed:
            number = self.rounds[rank]
            self.rounds[rank] += 1
            self.posts[number, rank] = (key, value)
            self.changed.notify_all()
            self.changed.wait_for(lambda: (number, 1 - rank) in self.posts or 1 - rank in self.ended, PATIENCE)
            other = self.posts.get((number, 1 - rank))
            if other is None or other[0] != key:
                raise Hang(key)
        return [value, other[1]] if rank == 0 else [other[1], value]

    def run(self, rank: int, work: Callable[[], object], said: dict[int, bool]) -> None:
        """Note whether one rank hangs in some work."""
        self.here.rank = rank
        try:
            work()
        except Hang:
            said[rank] = True
        finally:
            with self.changed:
                self.ended.add(rank)
                self.changed.notify_all()


@contextmanager
def group() -> Iterator[World]:
    """Put a new world's collectives in the place of torch.distributed's."""
    dist, world = torch.distributed, World()

    class Work:
        def wait(self) -> bool:
            return True

    def all_reduce(tensor: Any, op: Any = None, group: Any = None, async_op: bool = False) -> Work:
        one, other = world.meet(("all_reduce", tuple(tensor.shape)), tensor.clone())
        tensor.copy_(torch.maximum(one, other) if op == dist.ReduceOp.MAX else one + other)
        return Work()

    def barrier() -> None:
        world.meet("barrier", None)

    def broadcast(tensor: Any, src: int) -> None:
        tensor.copy_(world.meet(("broadcast", tuple(tensor.shape)), tensor.clone())[src])

    def all_gather(found: list[Any], tensor: Any) -> None:
        for place, value in zip(found, world.meet(("all_gather", tuple(tensor.shape)), tensor.clone()), strict=True):
            place.copy_(value)

    def all_gather_object(found: list[Any], value: Any) -> None:
        found[:] = world.meet("all_gather_object", value)

    def broadcast_object_list(found: list[Any], src: int) -> None:
        found[:] = world.meet("broadcast_object_list", list(found))[src]

    def reduce(tensor: Any, dst: int) -> None:
        one, other = world.meet(("reduce", tuple(tensor.shape)), tensor.clone())
        if world.here.rank == dst:
            tensor.copy_(one + other)

    made = [all_reduce, barrier, broadcast, all_gather, all_gather_object, broadcast_object_list, reduce]
    instead = {function.__name__: function for function in made}
    instead["get_rank"] = lambda: world.here.rank
    before = {name: getattr(dist, name) for name in instead}
    for name, function in instead.items():
        setattr(dist, name, function)
    try:
        yield world
    finally:
        for name, function in before.items():
            setattr(dist, name, function)


def hangs(source: str, name: str) -> bool:
    """True when a rank waits in vain in a function of a loss, which is NaN on rank 1 alone, and of a sum."""
    said: dict[int, bool] = {}
    with group() as world, loaded(source) as module:

        def work(rank: int) -> Callable[[], object]:
            loss = torch.tensor(float("nan") if rank else 1.0)
            return lambda: getattr(module, name)(loss, torch.ones(2))

        threads = [threading.Thread(target=world.run, args=(rank, work(rank), said)) for rank in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return any(said.values())
