"""Hand-written rows for what torch's schemas do not say, each with the source of the fact."""

from __future__ import annotations

from flake8_tensorbranch.knowledge.overlay_frameworks import FRAMEWORK_OPS
from flake8_tensorbranch.knowledge.overlay_functions import FUNCTION_OPS
from flake8_tensorbranch.knowledge.overlay_libraries import LIBRARY_OPS
from flake8_tensorbranch.knowledge.overlay_tensor import TENSOR_OPS
from flake8_tensorbranch.knowledge.rows import Rows

OPS: tuple[Rows, ...] = (*TENSOR_OPS, *FUNCTION_OPS, *LIBRARY_OPS, *FRAMEWORK_OPS)
"""Every hand-written row; the rows of one name are tried in this order and replace all generated ones of that name."""
