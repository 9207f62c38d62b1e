"""The entry as an attribute that a string names."""

# fmt: off
import torch as th

fast = getattr(th, 'compile')  # noqa: B009


def body(x):
    if x.sum() > 0:  # error: [TBR304]
        return x
    return -x


run = fast(body)
