"""TBR603: this torch multiplies in deterministic mode without the variable and does not speak of it."""

from __future__ import annotations

import pytest

from tests.oracle.support import cannot_show, loaded, page, require_torch, tell

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]


ONES = torch.ones(2, 2)


def test_both_forms_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    with loaded(page("TBR603").example) as bad:
        assert torch.equal(bad.multiply(ONES), ONES @ ONES)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    with loaded(page("TBR603").repair) as good:
        assert torch.equal(good.multiply(ONES), ONES @ ONES)


def test_the_documentation_of_this_torch_asks_for_nothing() -> None:
    asks = "CUBLAS_WORKSPACE_CONFIG" in str(torch.use_deterministic_algorithms.__doc__)
    tell("the documentation of deterministic mode", f"names CUBLAS_WORKSPACE_CONFIG: {asks}")
    cannot_show("that a cuBLAS call raises in an older torch")
    assert "CUBLAS_WORKSPACE_CONFIG" not in str(torch.use_deterministic_algorithms.__doc__)
