"""References: what a callable, object or namespace value names.

A plain `str` is the qualified name of something outside the project (`"torch.relu"`). `FunctionInfo`, `ClassInfo` and
`ModuleIndex` are themselves references; the classes here are the compound ones. The `place` of one orders it among
others (`engine.order`).
"""

from __future__ import annotations

from dataclasses import dataclass

from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.order import Place, first, named
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of a class of the project, or of an external one named by its qualified name."""

    cls: ClassInfo | str
    unread: bool = False
    """Of a class whose other objects are handed reads: this one is handed none."""

    @property
    def place(self) -> Place:
        return named(self.cls) if isinstance(self.cls, str) else self.cls.place

    def __str__(self) -> str:
        return self.cls if isinstance(self.cls, str) else self.cls.qualname


@dataclass(frozen=True, slots=True)
class Bound:
    """A method bound to the object it was read from."""

    function: FunctionInfo
    owner: AbstractValue

    @property
    def place(self) -> Place:
        return self.function.place

    def __str__(self) -> str:
        return self.function.qualname


@dataclass(frozen=True, slots=True)
class Closure:
    """A nested function or lambda with the values of its free names."""

    function: FunctionInfo
    captured: tuple[tuple[str, AbstractValue], ...]

    @property
    def place(self) -> Place:
        return self.function.place

    def __str__(self) -> str:
        return self.function.qualname


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial(function, *args, **keywords)`; the keyword `**` holds an unpacked mapping whose keys are not
    known.
    """

    function: AbstractValue
    args: tuple[AbstractValue, ...]
    keywords: tuple[tuple[str, AbstractValue], ...]

    @property
    def place(self) -> Place:
        return first(self.function.each)

    def __str__(self) -> str:
        return f"partial({self.function!r})"


@dataclass(frozen=True, slots=True)
class Super:
    """`super()` in a method of `cls`, for the object `owner`."""

    cls: ClassInfo
    owner: AbstractValue

    @property
    def place(self) -> Place:
        return self.cls.place

    def __str__(self) -> str:
        return f"super({self.cls.qualname})"


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value whose class is not of the project: a tensor, a list, an array."""

    owner: AbstractValue
    name: str

    @property
    def place(self) -> Place:
        return named(self.name)

    def __str__(self) -> str:
        return f"{self.owner!r}.{self.name}"


@dataclass(frozen=True, slots=True)
class RecordType:
    """The class that `namedtuple(name, fields)` makes."""

    name: str
    fields: tuple[str, ...]

    @property
    def place(self) -> Place:
        return named(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Giving:
    """A callable of which nothing is known but what it returns, as `Callable[[int], Tensor]` says."""

    value: AbstractValue

    @property
    def place(self) -> Place:
        return first(self.value.each)

    def __str__(self) -> str:
        return f"-> {self.value!r}"


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A function passed through a wrapper of torch (`torch.compile(f)`, `checkpoint_wrapper(m)`): calling it calls the
    function. `options` are the keywords of the wrapper, as literals.
    """

    wrapper: str
    function: AbstractValue
    options: tuple[tuple[str, object], ...] = ()

    @property
    def place(self) -> Place:
        return first(self.function.each)

    def __str__(self) -> str:
        return f"{self.wrapper}({self.function!r})"
