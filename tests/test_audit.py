"""The audit's page is made of its rows, and its sample depends on the findings alone."""

from __future__ import annotations

import random

import pytest

from tools import audit

FOUND = [
    audit.Found("lib", f"lib/{name}.py", line, code, "")
    for name in "abcdef"
    for line in range(1, 40)
    for code in ("TBR101", "TBR102", "TBR501")
] + [audit.Found("lib", "lib/z.py", 7, "TBR304", "")]


def test_the_page_is_written_from_the_rows() -> None:
    assert audit.PAGE.read_text(encoding="utf-8") == audit.page(audit.load())


def test_the_sample_is_every_error_and_warnings_of_every_code() -> None:
    drawn = audit.drawn(FOUND)
    codes = [item.code for item in drawn]
    assert codes.count("TBR501") == 6 * 39
    assert len(codes) - codes.count("TBR501") == audit.SAMPLE_W + audit.SECOND_W + audit.THIRD_W
    assert codes.count("TBR304") == 1
    shuffled = random.Random(1).sample(FOUND, len(FOUND))
    assert audit.drawn(shuffled) == drawn


def test_precision_counts_what_is_still_reported() -> None:
    rows = [
        audit.Row("lib", "lib/a.py", 1, "TBR101", "reported", "true", "any() of a mask"),
        audit.Row("lib", "lib/a.py", 2, "TBR101", "gone", "false", "a list"),
        audit.Row("lib", "lib/a.py", 3, "TBR101", "reported", "unsure", "an argument"),
    ]
    assert "| W | 1 | 1 | 1 | 50 % | 100 % |" in audit.page(rows)
    assert "| lib/a.py:2 | TBR101 | false, gone | a list |" in audit.page(rows)


@pytest.mark.parametrize(
    "row", ["lib\ta.py\t1\tTBR101\treported\tperhaps\twhy", "lib\ta.py\t1\tTBR101\treported\ttrue\t"]
)
def test_a_row_without_verdict_or_reason_is_refused(
    row: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path_factory.mktemp("audit") / "audit.tsv"
    path.write_text(row + "\n", encoding="utf-8")
    monkeypatch.setattr(audit, "ROWS", path)
    with pytest.raises(ValueError, match="no verdict"):
        audit.load()
