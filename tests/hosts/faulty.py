"""flake8 with a fault in the analysis: `python faulty.py MODULE:NAME KIND ARGUMENTS` puts one there and runs flake8.

KIND is the name of an exception to raise, `warn` for a warning, or `nonsense` for a result that is none.
"""

from __future__ import annotations

import builtins
import importlib
import sys
import warnings
from typing import Any

place, kind = sys.argv.pop(1), sys.argv.pop(1)
module_name, _, name = place.partition(":")
owner: Any = importlib.import_module(module_name)
*way, last = name.split(".")
for part in way:
    owner = getattr(owner, part)
original = getattr(owner, last)


def fault(*arguments: Any, **keywords: Any) -> Any:
    """Stands for a function of ours."""
    if kind == "warn":
        warnings.warn("a warning of ours", stacklevel=1)
    elif kind == "nonsense":
        return 3
    else:
        raise getattr(builtins, kind)("a fault\nof ours")
    return original(*arguments, **keywords)


setattr(owner, last, fault)

from flake8.main.cli import main  # noqa: E402

raise SystemExit(main(sys.argv[1:]))
