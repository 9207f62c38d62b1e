"""Methods of values nothing is known of, where only a tensor, or likely a tensor, has them."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.rows import from_row
from flake8_tensorbranch.engine.lattice import (
    HOST_SHAPE,
    TENSOR_VALUE,
    UNKNOWN,
    AbstractValue,
    container,
    join,
)
from flake8_tensorbranch.knowledge import evidence, names
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.syntax.names import FunctionInfo

_TORCH: Final = ("torch",)


def unknown_method(frame: Frame, owner: AbstractValue, name: str, args: Arguments) -> AbstractValue:
    """A method of a value nothing is known of, which only a tensor has (or whose result is a size whoever has it)."""
    if name in ("size", "numel"):
        return HOST_SHAPE if name == "numel" or args.positional else container(HOST_SHAPE)
    if name in names.TENSOR_ONLY_METHODS:
        return tensor_method(frame, TENSOR_VALUE, name, args)
    if evidence.likely_tensor_method(frame.module, name) or (
        name in evidence.ARRAY_METHODS
        and frame.function is not None
        and frame.module.mentions(_TORCH)
        and not names_arrays(frame.function)
    ):
        return join(tensor_method(frame, TENSOR_VALUE, name, args), UNKNOWN)
    return UNKNOWN


def names_arrays(function: FunctionInfo) -> bool:
    """True for a function whose text, but for examples, names a library of arrays, in full or by its short name."""
    memo, key = function.module.memo, ("arrays", function)
    if key not in memo:
        lines = function.module.text.split("\n")[function.node.fromlineno - 1 : function.node.tolineno]
        text = "\n".join(line for line in lines if not line.lstrip().startswith((">>>", "...")))
        memo[key] = any(word in text for word in evidence.SPELLED_ARRAYS)
    return bool(memo[key])


def tensor_method(frame: Frame, owner: AbstractValue, name: str, args: Arguments) -> AbstractValue:
    """A method of a tensor, by the table."""
    row = tensor_row(name, len(args.positional), args.names(), kinds=args.kinds())
    if row is None:
        return UNKNOWN
    return from_row(row, args, owner)
