"""TBR309: compiled code keeps the attention backend of its first call."""

from __future__ import annotations

import pytest

from tests.oracle.support import loaded, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

Q = torch.linspace(-2.0, 2.0, 2 * 64 * 16).sin().reshape(1, 2, 64, 16)


def eager(backend: object) -> object:
    with torch.nn.attention.sdpa_kernel(backend):
        return torch.nn.functional.scaled_dot_product_attention(Q, Q, Q)


def test_example_compares_a_backend_with_itself_and_repair_does_not() -> None:
    SDPBackend = torch.nn.attention.SDPBackend
    math, flash = eager(SDPBackend.MATH), eager(SDPBackend.FLASH_ATTENTION)
    assert not torch.equal(math, flash)
    with loaded(page("TBR309").example) as bad, loaded(page("TBR309").repair) as good:
        torch._dynamo.reset()
        first, second = bad.compare(Q)
        same = "bit-equal" if torch.equal(first, second) else "different"
        tell("two kernels compared", f"no error: the results are {same}; in eager mode they differ")
        assert torch.equal(first, second)
        torch._dynamo.reset()
        first, second = good.compare(Q)
        assert torch.equal(first, math)
        assert torch.equal(second, flash)


def test_backend_eager_picks_the_kernel_in_every_call() -> None:
    with loaded(page("TBR309").example.replace("aot_eager", "eager")) as module:
        torch._dynamo.reset()
        first, second = module.compare(Q)
        assert not torch.equal(first, second)


def test_a_reset_between_the_calls_is_a_repair_too() -> None:
    SDPBackend = torch.nn.attention.SDPBackend
    with loaded(page("TBR309").example) as module:
        for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
            torch.compiler.reset()
            with torch.nn.attention.sdpa_kernel(backend):
                assert torch.equal(module.attend(Q), eager(backend))
    torch._dynamo.reset()


def test_a_switch_is_as_unguarded_as_a_scope() -> None:
    attend = torch.compile(lambda q: torch.nn.functional.scaled_dot_product_attention(q, q, q), backend="aot_eager")
    torch._dynamo.reset()
    first = attend(Q)
    torch.backends.cuda.enable_flash_sdp(False)
    try:
        assert torch.equal(attend(Q), first)
    finally:
        torch.backends.cuda.enable_flash_sdp(True)
        torch._dynamo.reset()
    assert not torch.equal(first, eager(torch.nn.attention.SDPBackend.MATH))
