"""Bytes in, bytes out: encodings and marks come back, files are replaced whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from flake8_tensorbranch.fixes import store


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1\r\ny = 2\rz\n",
        b"\xef\xbb\xbfx = 1\n",
        "# -*- coding: latin-1 -*-\nx = 'é'\r\n".encode("latin-1"),
        "# coding: cp1252\nx = '€'\n".encode("cp1252"),
        "x = '\U0001f600'".encode(),
    ],
)
def test_text_gives_its_bytes_back(data: bytes) -> None:
    text, encoding = store.decoded(data)
    assert store.encoded(text, encoding) == data


def test_a_file_that_would_not_come_back_is_refused() -> None:
    with pytest.raises(store.Unfaithful, match="utf-7"):
        store.decoded(b"# coding: utf-7\nx = '+AGE-'\n")


def test_what_the_encoding_cannot_hold_is_refused() -> None:
    with pytest.raises(store.Unfaithful, match="cannot hold"):
        store.encoded("é", "ascii")


def test_write_keeps_the_mode_and_the_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(b"old")
    real.chmod(0o751)
    link.symlink_to(real)
    store.write(str(link), b"new")
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o751
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]


def test_a_failing_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p.py"
    path.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError("no")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no"):
        store.write(str(path), b"new")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["p.py"])


@pytest.mark.parametrize("moment", ["open", "chmod", "replace"])
def test_an_interrupt_at_any_moment_leaves_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = tmp_path / "p.py"
    path.write_bytes(b"old")
    call = getattr(os, moment)

    def interrupted(*arguments: object, **options: object) -> None:
        call(*arguments, **options)  # what was asked for is done, but its result is lost
        raise KeyboardInterrupt

    monkeypatch.setattr(os, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        store.write(str(path), b"new")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["p.py"]
    assert path.read_bytes() == (b"new" if moment == "replace" else b"old")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_write_keeps_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_bytes(b"old")
    os.chown(path, 65534, 65534)
    store.write(str(path), b"new")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_bytes()) == (65534, 65534, b"new")


def test_what_someone_wrote_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "p.py"
    path.write_bytes(b"newer")
    with pytest.raises(store.Changed, match="changed while"):
        store.write(str(path), b"new", b"old")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"newer", ["p.py"])
    store.write(str(path), b"new", b"newer")
    assert path.read_bytes() == b"new"
