"""TBR207: what binds, fills or empties a name behind a handler, on the way to where it is read."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

REGIONS = {
    "bound_in_finally_": """
try:
    y = A(h).tanh()
except Exception:
    pass
finally:
    y = h + 2
return y
""",
    "finally_leaves_name_": """
try:
    y = A(h).tanh()
except Exception:
    pass
finally:
    STATE["n"] = 1
return y
""",
    "finally_returns_": """
try:
    y = A(h).tanh()
except Exception:
    pass
finally:
    return h
return y
""",
    "bound_by_match_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
match h.dim():
    case 2:
        y = h + 1
    case _:
        y = h
return y + 0
""",
    "bound_by_with_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
with contextlib.nullcontext(h + 1) as y:
    pass
return y + 0
""",
    "bound_in_expression_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
STATE["s"] = str((y := h + 1).shape) + str(y.shape)
return y + 0
""",
    "bound_by_def_": """
y = None
try:
    y = A(h).tanh()
except Exception:
    pass
def y():
    return h
return y.__call__()
""",
    "bound_by_a_call_": """
y = None
def fallback():
    nonlocal y
    y = h + 1
try:
    y = A(h).tanh()
except Exception:
    pass
fallback()
return y + 0
""",
    "filled_by_a_call_": """
outs = []
def fill(to):
    if not to:
        to.append(h)
try:
    outs.append(A(h).tanh())
except Exception:
    pass
fill(outs)
return outs[0]
""",
    "handler_leaves_none_": """
try:
    y = A(h).tanh()
except Exception:
    y = None
return y * 2
""",
    "handler_leaves_none_asked_": """
try:
    y = A(h).tanh()
except Exception:
    y = None
return h if y is None else y * 2
""",
    "handler_leaves_nothing_": """
try:
    y = [A(h).tanh()]
except Exception:
    y = []
return y[0]
""",
    "handler_leaves_nothing_counted_": """
try:
    y = [A(h).tanh()]
except Exception:
    y = []
STATE["n"] = 1 if len(y) == 5 else 2
return y[0]
""",
    "handler_leaves_nothing_filled_": """
try:
    y = [A(h).tanh()]
except Exception:
    y = []
y += [h]
return y[0]
""",
    "handler_leaves_none_bound_": """
try:
    y = A(h).tanh()
except Exception:
    y = None
if y is None:
    y = h
return y + 0
""",
}
FORMS = HEAD + "".join(
    f"\n\ndef {name}(x):\n    def region(h):\n{indented(body.strip(chr(10)), 8)}\n"
    "    return checkpoint(region, x, use_reentrant=False)\n"
    for name, body in REGIONS.items()
)


def test_ways_to_names_that_are_bound_again_are_silent() -> None:
    agree(FORMS, "TBR207", wrong=4, right=9)
