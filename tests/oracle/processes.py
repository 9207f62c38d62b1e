"""Two ranks as two processes of a gloo group, and what each says."""

from __future__ import annotations

import datetime
import os
import tempfile
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path

from tests.oracle.support import require_torch

torch = require_torch()
TIMEOUT = datetime.timedelta(seconds=2)
Results = dict[int, str]


def _work(case: Callable[[int], str], rank: int, store: str, results: Queue[tuple[int, str]]) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2, timeout=TIMEOUT
    )
    try:
        said = case(rank)
    except RuntimeError as error:
        said = f"RuntimeError: {error}"
    results.put((rank, said))
    results.close()
    results.join_thread()
    if said == "skipped" or said.startswith("RuntimeError"):
        # The rank lives on, as one in a longer job would, until the other has given up.
        time.sleep(TIMEOUT.total_seconds() + 1)
    os._exit(0)


def on_two_ranks(case: Callable[[int], str]) -> Results:
    """What two processes that run `case` say, by rank: what it returns, or `RuntimeError: ` and the error's text."""
    context = torch.multiprocessing.get_context("fork")
    results = context.Queue()
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "store")
        workers = [context.Process(target=_work, args=(case, rank, store, results)) for rank in range(2)]
        for worker in workers:
            worker.start()
        try:
            return dict(results.get(timeout=20) for _ in workers)
        finally:
            for worker in workers:
                worker.kill()
                worker.join()
