"""The bytes of a file around its text: decoded and encoded without loss, and written so that no half a file is left."""

from __future__ import annotations

import contextlib
import io
import os
import secrets
import shutil
import sys
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


class Changed(ValueError):
    """A file that is not any more what the new content was made from."""


def write(path: str, data: bytes, before: bytes | None = None) -> None:
    """Replace the content of a file at once, so that a reader or a crash sees the old or the new one.

    Mode and owner stay, and a symbolic link stays a link to the file replaced. Raises `OSError`, also for a file that
    may not be written to although its folder may, and `Changed` if it holds something else than `before`, where given.
    """
    target = os.path.realpath(path)
    with open(target, "r+b"):
        pass
    # Named before it exists, so that it goes whenever an interrupt comes.
    temporary = os.path.join(os.path.dirname(target), f".tensorbranch-{secrets.token_hex(8)}")
    try:
        with open(temporary, "xb", opener=_private) as file:
            file.write(data)
        _copy_access(target, temporary)
        if before is not None and _content(target) != before:
            raise Changed("the file changed while it was looked at")
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _copy_access(source: str, target: str) -> None:
    """Give a file the owner, as far as we may, and the mode of another."""
    if sys.platform != "win32":
        stat = os.stat(source)
        with contextlib.suppress(OSError):
            os.chown(target, stat.st_uid, stat.st_gid)
    shutil.copymode(source, target)
