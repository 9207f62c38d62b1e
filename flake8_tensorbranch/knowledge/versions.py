"""What newer torch does and older torch does not: since which version, and where that was read or observed."""

from __future__ import annotations

from typing import NamedTuple


class Since(NamedTuple):
    """The first version (major, minor) of a behaviour, and its source.

    "Observed" is the record of the oracle suite, `tests/oracle/observed/`; a version between two records is not known
    and counts as the newer.
    """

    version: tuple[int, int]
    source: str


BEHAVIOURS: dict[str, Since] = {
    "cublas-unchecked": Since(
        (2, 10),
        "pull request 161749, after 2.9 was branched off; use_deterministic_algorithms' docstring of 2.9 has it",
    ),
    "export-non-strict": Since((2, 8), "torch/export/__init__.py: `strict: bool = False`, True in 2.7"),
    "export-refuses-checkpoint": Since(
        (2, 7), "observed: a strict export of a checkpoint is a RuntimeError in 2.13, no error in 2.6"
    ),
    "onnx-dynamo": Since((2, 9), "torch/onnx/__init__.py: `dynamo: bool = True`, False in 2.8"),
    "fullgraph-captures": Since(
        (2, 10), "torch.compile's docstring: fullgraph turns capture_scalar_outputs and ..._shape_ops on; observed"
    ),
    "module-int-specialised": Since(
        (2, 7), "torch/_dynamo/config.py: allow_unspec_int_on_nn_module came with 2.7, False; observed: 2 graphs in 2.6"
    ),
    "early-stop-option": Since((2, 9), "torch.utils.checkpoint.checkpoint: the parameter early_stop"),
    "selective-contexts-counted": Since(
        (2, 13), "torch/utils/checkpoint.py: storage is kept by a counter that is never set back; observed"
    ),
    "compiled-checkpoint-refuses-cond": Since(
        (2, 10), "observed: NotImplementedError in 2.13, no error in 2.6; none in 2.9 either"
    ),
    "policy-blind-to-compiled": Since(
        (2, 10), "observed: a selective policy sees the operations of a compiled function in 2.6 and 2.9, not in 2.13"
    ),
    "suppress-loses-frame": Since(
        (2, 10),
        "observed: no graph in 2.13, a graph break in 2.6; so it is in 2.9; ExitStack and contextmanager likewise",
    ),
    "generator-loses-frame": Since((2, 7), "observed: no graph in 2.13, a graph break in 2.6; as 2.13 in 2.9"),
}


def has(behaviour: str, target: str | None) -> bool:
    """Whether the target torch ("2.6", "2.13.0"; None is the newest known) behaves so."""
    if target is None:
        return True
    major, minor = (int(part) for part in target.split(".")[:2])
    return (major, minor) >= BEHAVIOURS[behaviour].version
