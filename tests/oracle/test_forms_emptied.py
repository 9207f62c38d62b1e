"""TBR207: ways behind a handler to what the stopped statement was to fill or give: reported where they fail."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

QUIET = """

class Quiet:
    def __enter__(self): return self
    def __exit__(self, kind, value, tb): return True
"""
REGIONS = {
    "handler_returns_h_": """
try:
    y = A(h).tanh()
except Exception:
    return h
return y
""",
    "handler_returns_none_": """
try:
    y = A(h).tanh()
except Exception:
    return None
return y
""",
    "none_then_attr_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
return y.view(3, 4)
""",
    "none_then_shape_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
return y.detach() * 0 + y
""",
    "none_then_plus_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
return y + 1
""",
    "dict_missing_": """
out = {}
try:
    out["y"] = A(h).tanh()
except Exception:
    pass
return out["y"]
""",
    "list_missing_": """
out = []
try:
    out.append(A(h).tanh())
except Exception:
    pass
return out[-1]
""",
    "list_stack_": """
out = []
try:
    out.append(A(h).tanh())
except Exception:
    pass
return torch.stack(out)[0]
""",
    "assert_after_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
assert y is not None
return y
""",
    "raise_after_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
if y is None:
    raise ValueError("no result")
return y
""",
    "raise_after_clean_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
if y is None:
    return h
return y
""",
    "suppress_unbound_": """
with contextlib.suppress(Exception):
    y = A(h).tanh()
return y
""",
    "suppress_then_return_inside_": """
with contextlib.suppress(Exception):
    return A(h).tanh()
return h
""",
    "suppress_bound_": """
with contextlib.suppress(ValueError):
    y = A(h).tanh()
return y
""",
    "or_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
return y or h if y is None else y
""",
    "guarded_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
if y is not None:
    y = y + 1
return y
""",
    "guarded_ifexp_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
return y + 0 if y is not None else h
""",
    "dict_get_": """
out = {}
try:
    out["y"] = A(h).tanh()
except Exception:
    pass
return out.get("y", h)
""",
    "dict_in_": """
out = {}
try:
    out["y"] = A(h).tanh()
except Exception:
    pass
if "y" in out:
    return out["y"]
return h
""",
    "dict_other_": """
out = {"x": h}
try:
    out["y"] = A(h).tanh()
except Exception:
    pass
return out["x"]
""",
    "list_other_": """
out = []
out.append(h)
try:
    out.append(A(h).tanh())
except Exception:
    pass
return out[-1]
""",
    "list_sum_": """
out = []
try:
    out.append(A(h).tanh())
except Exception:
    pass
return sum(out)
""",
    "list_len_": """
out = []
try:
    out.append(A(h).tanh())
except Exception:
    pass
if not out:
    return h
return out[0]
""",
    "list_len2_": """
out = []
try:
    out.append(A(h).tanh())
except Exception:
    pass
if len(out) == 0:
    return h
return out[0]
""",
    "none_raise_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
if y is None:
    raise RuntimeError("failed")
return y
""",
    "none_save_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
if y is None:
    y = B(h).tanh()
return y
""",
    "caller_view_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
return none_helper(h).view(3, 4)
""",
    "caller_plus_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
return none_helper(h) + 1
""",
    "caller_name_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
y = none_helper(h)
return y + 1
""",
    "caller_fallback_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
y = none_helper(h)
if y is None:
    y = B(h).tanh()
return y
""",
    "caller_fallback_clean_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
y = none_helper(h)
if y is None:
    y = h
return y
""",
    "caller_raise_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
y = none_helper(h)
if y is None:
    raise RuntimeError("failed")
return y
""",
    "caller_fall_plus_": """
def fall_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        pass
return fall_helper(h) + 1
""",
    "caller_pass_": """
def none_helper(v):
    try:
        return A(v).tanh()
    except Exception:
        return None
return none_helper(h)
""",
    "caller_tuple_": """
def pair_helper(v):
    try:
        return A(v).tanh(), 1
    except Exception:
        return None
y, z = pair_helper(h)
return y
""",
    "suppress_none_": """
y = None
with contextlib.suppress(Exception):
    y = A(h).tanh()
return y.view(3, 4)
""",
    "suppress_cls_": """
with Quiet():
    y = A(h).tanh()
return y
""",
}
FORMS = (
    HEAD
    + QUIET
    + "".join(
        f"\n\ndef {name}(x):\n    def region(h):\n{indented(body.strip(chr(10)), 8)}\n"
        "    return checkpoint(region, x, use_reentrant=False)\n"
        for name, body in REGIONS.items()
    )
)


def test_ways_to_what_is_none_or_empty_are_reported() -> None:
    agree(FORMS, "TBR207", wrong=10, right=10)
