"""TBR207: ways behind a handler to names that the stopped statement was to bind: reported where they fail."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

REGIONS = {
    "unbound_then_use_": """
try:
    y = A(h).tanh()
except Exception:
    STATE["caught"] = True
return y * 1.0
""",
    "unbound_then_return_": """
try:
    y = A(h).tanh()
except Exception:
    pass
return y
""",
    "unbound_in_return_item_": """
try:
    y = A(h).tanh()
    z = 1
except Exception:
    pass
return y + z - z
""",
    "bound_before_return_": """
y = h
try:
    y = A(h).tanh()
except Exception:
    pass
return y
""",
    "unbound_logged_": """
try:
    y = A(h).tanh()
except Exception as e:
    STATE["e"] = str(e)[:3]
return y
""",
    "handler_reads_unbound_": """
try:
    y = A(h).tanh()
except Exception:
    return y
return y
""",
    "finally_unbound_": """
try:
    y = A(h).tanh()
finally:
    h = h
return y
""",
    "unbound_narrow_": """
try:
    y = A(h).tanh()
except ValueError:
    pass
return y
""",
    "unbound_named_reraise_": """
try:
    y = A(h).tanh()
except Exception:
    raise
return y
""",
    "unbound_saved_later_": """
try:
    y = A(h)
except Exception:
    pass
return (y * y).tanh()
""",
    "else_return_": """
try:
    y = A(h).tanh()
except Exception:
    pass
else:
    return y
return h
""",
    "two_names_": """
try:
    a, b = A(h).tanh(), 2
except Exception:
    pass
return a * b / b
""",
    "unbound_only_number_": """
try:
    y = A(h).tanh()
    n = 3
except Exception:
    n = 4
return y
""",
    "return_constant_none_after_": """
ok = False
try:
    y = A(h).tanh()
    ok = True
except Exception:
    pass
if not ok:
    return h
return y
""",
    "unbound_under_ok_": """
ok = False
try:
    y = A(h).tanh()
    ok = True
except Exception:
    pass
if ok:
    return y
return h
""",
    "bound_in_handler_": """
try:
    y = A(h).tanh()
except Exception:
    y = h
return y
""",
    "narrow_first_": """
try:
    y = A(h).tanh()
except ValueError:
    y = h
except Exception:
    pass
return y
""",
    "ifexp_": """
ok = False
try:
    y = A(h).tanh()
    ok = True
except Exception:
    pass
return y if ok else h
""",
    "two_steps_": """
try:
    a = A(h)
    b = B(a).tanh()
except Exception:
    pass
return a + b
""",
    "two_steps_first_": """
try:
    a = A(h).tanh()
    b = 2
except Exception:
    pass
return a
""",
    "first_bound_": """
try:
    a = A(h).tanh()
    b = B(a).tanh()
except Exception:
    return a
return b
""",
    "first_bound_fall_": """
b = 0
try:
    a = A(h).tanh()
    b = B(a).tanh()
except Exception:
    pass
return a + b
""",
    "number_after_": """
try:
    a = A(h).tanh()
    n = 2
except Exception:
    a = h
return a * n
""",
    "printed_": """
try:
    y = A(h).tanh()
except Exception:
    pass
STATE["s"] = tuple(y.shape)
return y
""",
    "closure_unused_": """
try:
    y = A(h).tanh()
except Exception:
    return h
def g(): return y
return y
""",
    "inside_if_": """
if h.requires_grad:
    try:
        y = A(h).tanh()
    except Exception:
        pass
    return y
return h
""",
    "inside_if_after_": """
y = None
if h.requires_grad:
    try:
        y = A(h).tanh()
    except Exception:
        pass
return y + 0
""",
    "inside_with_": """
with contextlib.nullcontext():
    try:
        y = A(h).tanh()
    except Exception:
        pass
return y
""",
    "with_inside_": """
try:
    with contextlib.nullcontext():
        y = A(h).tanh()
except Exception:
    pass
return y
""",
    "nested_try_": """
try:
    try:
        y = A(h).tanh()
    except Exception:
        pass
    return y
except NameError:
    return h
""",
    "loop_prior_": """
for _ in range(2):
    try:
        y = A(h).tanh()
    except Exception:
        pass
return y
""",
    "conditional_bind_": """
if h.dim() == 2:
    y = h
try:
    y = A(h).tanh()
except Exception:
    pass
return y
""",
    "aug_": """
y = h
try:
    y = y + A(h).tanh()
except Exception:
    pass
return y
""",
    "tuple_result_": """
try:
    y, z = A(h).tanh(), h
except Exception:
    pass
return y
""",
}
FORMS = HEAD + "".join(
    f"\n\ndef {name}(x):\n    def region(h):\n{indented(body.strip(chr(10)), 8)}\n"
    "    return checkpoint(region, x, use_reentrant=False)\n"
    for name, body in REGIONS.items()
)


def test_ways_to_unbound_names_are_reported() -> None:
    agree(FORMS, "TBR207", wrong=10, right=10)
