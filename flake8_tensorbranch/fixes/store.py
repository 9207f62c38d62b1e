"""The bytes of a file around its text: decoded and encoded without loss, and written so that no half a file is left."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
import tokenize


class Unfaithful(ValueError):
    """A file whose bytes do not come back from its text, so that writing it would change what no fix touches."""


def decoded(data: bytes) -> tuple[str, str]:
    """The text of Python source with its line breaks as stored, and its encoding: by coding line or mark, else UTF-8.

    Raises `Unfaithful` where encoding the text does not give the same bytes; otherwise as `SourceFile.from_bytes`.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    if encoded(text, encoding) != data:
        raise Unfaithful(f"its bytes do not come back from its text in {encoding}")
    return text, encoding


def encoded(text: str, encoding: str) -> bytes:
    """The bytes of a text. Raises `Unfaithful` for what the encoding cannot hold."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise Unfaithful(f"{encoding} cannot hold what a fix writes") from error


def write(path: str, data: bytes) -> None:
    """Replace the content of a file at once, so that a reader or a crash sees the old or the new one.

    The mode stays, and a symbolic link stays a link to the file replaced. Raises `OSError`, also for a file that may
    not be written to although its folder may.
    """
    target = os.path.realpath(path)
    with open(target, "r+b"):
        pass
    handle, temporary = tempfile.mkstemp(prefix=".tensorbranch-", dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        shutil.copymode(target, temporary)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
