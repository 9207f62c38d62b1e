"""What the helper of the file beside this one compiles."""

from .tools import fast


def body(x):
    if x.sum() > 0:  # error: [TBR304]
        return x
    return -x


run = fast(body)
