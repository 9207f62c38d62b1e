"""TBR402: constants made in a region under another default dtype: reported where the recompute makes others."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, forms, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
def s_dtype(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: A(h) * torch.ones(4).to(h.dtype), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_mid(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4).to(h.dtype)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_named(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4, dtype=h.dtype)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_bare(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_type_as(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4).type_as(h)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_to_h(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4).to(h)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_moved(x):
    def region(h, device):
        return (A(h) * torch.ones(4).to(device)).tanh()
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(region, x, "cpu", use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_like_second(x):
    def region(h, other: Tensor):
        return (A(h) * torch.ones(4).to(other)).tanh()
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(region, x, x.detach(), use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_float(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones(4).float()).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_name(x):
    def region(h):
        w = torch.ones(4)
        w = w.to(h.dtype)
        return (A(h) * w).tanh()
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(region, x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_name2(x):
    def region(h):
        w = torch.ones(4)
        return (A(h) * w.to(h.dtype)).tanh()
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(region, x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_name_both(x):
    def region(h):
        w = torch.full((4,), 0.3)
        return (A(h) * w.to(h.dtype) * w).tanh()
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(region, x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_arange(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.arange(4)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_tensor(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.tensor([1.0, 2.0, 3.0, 4.0])).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_tensor_to(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.tensor([0.1, 2, 3, 4]).to(h.dtype)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_scalar(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.tensor(0.3)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_like(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.ones_like(h)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_new(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * h.new_ones(4)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_linspace(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.linspace(0, 1, 4)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_ints(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.tensor([1, 2, 3, 4])).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_sizes(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.arange(h.shape[-1])).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_half(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.arange(0, 2, 0.5)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_rand(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.rand(4).to(h.dtype)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
def s_dtype_const(x):
    torch.set_default_dtype(torch.float64)
    try:
        return checkpoint(lambda h: (A(h) * torch.zeros(4, dtype=torch.float32)).tanh(), x, use_reentrant=False)
    finally:
        torch.set_default_dtype(torch.float32)
"""
)
FORMS += "".join(f"\n\ndef train_{name}(x):\n    {name}(x).sum().backward()\n" for name in forms(FORMS))


def test_constants_of_the_default_dtype_are_reported() -> None:
    agree(FORMS, "TBR402")
