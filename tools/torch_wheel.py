"""Reads operation signatures out of a torch wheel, as a zip file, without importing torch."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HOST_NAMES = frozenset(
    {
        *("_bool", "_int", "_float", "_complex", "_size", "_device", "_dtype", "_layout", "_qscheme", "_symint"),
        *("bool", "int", "float", "complex", "str", "slice", "None", "Literal", "Number", "Size", "SymInt"),
        *("_dispatchkey", "Generator", "memory_format"),
    }
)
"""Names in annotations that rule a tensor out."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an overload; `kind` is ``T`` (a tensor), ``H`` (never a tensor) or empty (either)."""

    name: str
    kind: str = ""
    optional: bool = False
    keyword_only: bool = False
    nullable: bool = False
    """Whether None, or an empty default, is accepted and means "not given"."""
    must_be_tensor: bool = False


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature: parameters without the receiver, and what is returned, in the words of the table."""

    parameters: tuple[Parameter, ...]
    returns: str
    variadic: bool = False


@dataclass(slots=True)
class WheelFacts:
    """All that one wheel says about its operations, by public name."""

    name: str
    version: str
    sha256: str
    overloads: dict[str, list[Overload]] = field(default_factory=dict)
    tags: dict[str, set[str]] = field(default_factory=dict)
    """Schema tags by base name of the operation (``add`` for ``add.Tensor`` and ``add_``)."""
    attributes: set[str] = field(default_factory=set)
    """Names in `overloads` that are attributes, not methods."""
    nondeterministic: list[tuple[str, str]] = field(default_factory=list)
    """(public name, condition) as the docstring of ``use_deterministic_algorithms`` lists them."""
    draws: set[str] = field(default_factory=set)
    """Python functions and modules whose source calls an operation that draws random numbers."""
    graph_breaks: dict[str, str] = field(default_factory=dict)


def annotation_kind(node: ast.expr | None) -> str:
    """``T``, ``H`` or empty for what an annotation admits."""
    if node is None:
        return ""
    names = set(_leaves(node))
    if names <= {"Tensor", "None"} and "Tensor" in names:
        return "T"
    return "H" if names <= HOST_NAMES else ""


def _leaves(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp):
        yield from _leaves(node.left)
        yield from _leaves(node.right)
    elif isinstance(node, ast.Constant):
        yield "None" if node.value is None else str(node.value)
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in {"Optional", "Union"}:
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from _leaves(part)
        if ast.unparse(node.value) == "Optional":
            yield "None"
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
        yield "Literal"
    elif isinstance(node, ast.Subscript):
        inner = set(re.findall(r"\w+", ast.unparse(node.slice)))
        yield "_size" if inner <= HOST_NAMES else "container"
    else:
        yield ast.unparse(node)


RETURNS = {
    "Tensor": "tensor",
    "Tensor | None": "tensor",
    "S": "tensor",
    "Self": "tensor",
    "None": "none",
    "Size": "size",
    "_dtype": "dtype",
    "_dtype | None": "dtype",
    "_device": "device",
    "_layout": "static",
    "_qscheme": "static",
    "Generator": "generator",
    "_int | SymInt": "host",
    "numpy.ndarray": "host",
    "list": "host",
    "tuple[_int, ...]": "host",
    "tuple[Tensor, ...]": "tensors",
    "Sequence[Tensor]": "tensors",
    "list[Tensor]": "tensors",
}
HOST_RETURNS = frozenset({"_bool", "_int", "_float", "_complex", "Number", "bool", "int", "float", "str"})


def annotation_returns(node: ast.expr | None, named_tuples: dict[str, str]) -> str:
    """What a return annotation means in the words of the table; ``unknown`` where it has none for it."""
    if node is None:
        return "unknown"
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)
    text = text.removeprefix("torch.")
    if text.startswith("return_types."):
        return named_tuples.get(text.removeprefix("return_types."), "unknown")
    if text in RETURNS:
        return RETURNS[text]
    if text in HOST_RETURNS:
        return "host"
    parsed = ast.parse(text, mode="eval").body
    if isinstance(parsed, ast.Subscript) and isinstance(parsed.slice, ast.Tuple) and text.startswith("tuple["):
        kinds = [annotation_returns(part, named_tuples) for part in parsed.slice.elts]
        return f"tensors{len(kinds)}" if set(kinds) == {"tensor"} else f"tuple({','.join(kinds)})"
    return "unknown"


def overload_of(node: ast.FunctionDef, named_tuples: dict[str, str], *, method: bool) -> Overload:
    """The signature of a function definition in a stub or source."""
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    found = [_parameter(a, d, False) for a, d in zip(positional, defaults, strict=True)]
    found += [_parameter(a, d, True) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    parameters = tuple(found[1:] if method and not static else found)
    return Overload(parameters, annotation_returns(node.returns, named_tuples), arguments.vararg is not None)


def _parameter(argument: ast.arg, default: ast.expr | None, keyword_only: bool) -> Parameter:
    annotation = argument.annotation
    leaves = set(_leaves(annotation)) if annotation is not None else set()
    return Parameter(
        argument.arg,
        annotation_kind(annotation),
        default is not None,
        keyword_only,
        "None" in leaves or (default is not None and ast.unparse(default) in {"None", "()"}),
        leaves == {"Tensor"} and default is None,
    )


SCHEMA = re.compile(r"- func: (?P<name>\w+)(?P<overload>\.\w+)?\((?P<args>.*)\) -> (?P<returns>.*)")


def schema_blocks(text: str) -> Iterator[tuple[re.Match[str], str, set[str]]]:
    """(parsed signature, Python module, tags) of every entry of ``native_functions.yaml``."""
    for block in re.split(r"\n(?=- func:)", text):
        match = SCHEMA.match(block)
        if match is None:
            continue
        module = re.search(r"^  python_module: (\w+)", block, re.MULTILINE)
        tags = re.search(r"^  tags: ([^#\n]*)", block, re.MULTILINE)
        yield match, module[1] if module else "", set(re.findall(r"\w+", tags[1])) if tags else set()


def schema_overload(match: re.Match[str]) -> Overload:
    """The Python signature of a schema: ``self`` is called ``input``, numbers and strings rule a tensor out."""
    parameters: list[Parameter] = []
    keyword_only = False
    for part in re.split(r", (?![^\[]*\])", match["args"]):
        if part == "*":
            keyword_only = True
        elif part:
            kind, _, name = part.rpartition(" ")
            name, has_default, default = name.partition("=")
            base = re.sub(r"\(.*\)|\?|\[.*", "", kind)
            parameters.append(
                Parameter(
                    "input" if name == "self" else name,
                    "" if "[" in kind and base == "Tensor" else "T" if base == "Tensor" else "H",
                    bool(has_default),
                    keyword_only,
                    kind.endswith("?") or default in {"None", "[]"},
                    kind == "Tensor" and not has_default,
                )
            )
    words = {"Tensor": "tensor", "()": "none", "ScalarType": "dtype", "Scalar": "host", "Tensor[]": "tensors"}
    returns = re.sub(r"\([a-z]!?\)", "", match["returns"])
    if returns.startswith("(Tensor"):
        mapped = f"tensors{returns.count('Tensor')}"
    else:
        mapped = words.get(
            returns.split(" ")[0], "host" if returns in {"bool", "int", "SymInt", "float"} else "unknown"
        )
    return Overload(tuple(parameters), mapped)


def read_graph_breaks(text: str) -> dict[str, str]:
    """Titles of Dynamo's graph breaks by id; the first entry of an id is its newest."""
    registry = json.loads(text)
    return {key: " ".join(entries[0]["Gb_type"].split()) for key, entries in sorted(registry.items())}


def read_nondeterministic(source: str) -> list[tuple[str, str]]:
    """The entries of both lists in the docstring of ``use_deterministic_algorithms``."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == "use_deterministic_algorithms":
            text = " ".join((ast.get_docstring(node) or "").split())
            entry = re.compile(r"\* :(?:class|func):`([\w.]+)`((?:(?! \* :| The following | In addition,).)*)")
            return [(match[1], match[2].strip()) for match in entry.finditer(text)]
    return []


class WheelReader:
    """Opens a wheel and hands out its files."""

    def __init__(self, path: Path) -> None:
        self.archive = zipfile.ZipFile(path)
        self.files = set(self.archive.namelist())
        metadata = next(name for name in self.files if name.endswith(".dist-info/METADATA"))
        version = re.search(r"^Version: ([^+\s]+)", self.text(metadata), re.MULTILINE)
        if version is None:
            raise ValueError(f"{path}: METADATA names no version")
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        self.facts = WheelFacts(path.name, version[1], digest.hexdigest())

    def text(self, name: str) -> str:
        """A file's text; empty where the wheel has no such file."""
        return self.archive.read(name).decode() if name in self.files else ""

    def functions(self, name: str, cls: str = "") -> Iterator[ast.FunctionDef]:
        """Function definitions at the top of a file, or of one class in it."""
        for node in self.body(name, cls):
            if isinstance(node, ast.FunctionDef):
                yield node

    def body(self, name: str, cls: str = "") -> list[ast.stmt]:
        """Statements at the top of a file, or of one class in it."""
        body = ast.parse(self.text(name)).body
        if not cls:
            return body
        return next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == cls), [])
