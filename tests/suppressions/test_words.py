"""What `--add-noqa` says when it cannot do as it is told: in words, and with what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.coexistence.processes import tensorbranch


@pytest.mark.parametrize("reason", ["E501 is fine", "a # b", "a\nb", " "])
def test_what_a_reason_is(reason: str, tmp_path: Path) -> None:
    done = tensorbranch("check", f"--add-noqa={reason}", cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert f"--add-noqa: {reason!r} cannot be a reason: it is one line without '#', whose first word" in done.err


def test_a_reason_that_is_not_joined_is_a_path_that_does_not_exist(tmp_path: Path) -> None:
    done = tensorbranch("check", "--add-noqa", "before the linter", cwd=tmp_path)
    assert done.status == 1
    said = "before the linter: not changed: No such file or directory (a reason is joined: --add-noqa=REASON)"
    assert said in done.err
