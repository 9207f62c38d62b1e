"""Annotations and docstring types as abstract values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.hashed import hashed
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    HOST_VALUE,
    MAPPING,
    NONE_VALUE,
    OBJECT,
    SIZE_VALUE,
    TENSOR,
    TENSOR_LIST,
    TENSOR_VALUE,
    UNKNOWN,
    AbstractValue,
    container,
    join,
    join_all,
    make,
    sequence,
)
from flake8_tensorbranch.engine.refs import Giving, Instance
from flake8_tensorbranch.knowledge.names import type_meaning
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted
from flake8_tensorbranch.syntax.tree import TreeError, build_module

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_LISTS: Final = frozenset(
    "list List Sequence Iterable Iterator Collection set Set frozenset FrozenSet deque Deque MutableSequence Generator "
    "AsyncIterator AsyncIterable AbstractSet KeysView ValuesView".split()
)
_SETS: Final = frozenset("set Set frozenset FrozenSet AbstractSet KeysView".split())
_DICTS: Final = frozenset(
    "dict Dict Mapping MutableMapping OrderedDict DefaultDict defaultdict Counter ChainMap".split()
)
_TRANSPARENT: Final = frozenset(
    "Annotated Final ClassVar Required NotRequired ReadOnly Awaitable Coroutine ContextManager".split()
)
_TENSOR_NAME: Final = re.compile(r"^(?:[A-Z]\w*)?Tensor$")
_VALUES: Final[dict[str, AbstractValue]] = {
    "tensor": TENSOR_VALUE,
    "tensors": TENSOR_LIST,
    "size": SIZE_VALUE,
    "host": HOST_VALUE,
    "dtype": HOST_VALUE,
    "device": HOST_VALUE,
    "generator": make(OBJECT, refs=frozenset({Instance("torch.Generator")})),
    "module": make(OBJECT, refs=frozenset({Instance("torch.nn.Module")})),
}


def value(
    analysis: Analysis, module: ModuleIndex, node: nodes.NodeNG, scope: FunctionInfo | None, depth: int = 6
) -> AbstractValue | None:
    """What an annotation says; None where it says nothing (`Any`, a type variable, an unknown name)."""
    if depth <= 0:
        return None
    if isinstance(node, nodes.Const):
        if node.value is None:
            return NONE_VALUE
        if isinstance(node.value, str):
            parsed = _parse(node.value)
            return None if parsed is None else value(analysis, module, parsed, scope, depth - 1)
        return None
    if isinstance(node, nodes.BinOp) and node.op == "|":
        return _union(analysis, module, [node.left, node.right], scope, depth)
    if isinstance(node, nodes.Subscript):
        return _generic(analysis, module, node, scope, depth)
    path = dotted(node)
    return None if path is None else _named(analysis, module, path, scope, depth)


_parsed: dict[str, nodes.NodeNG | None] = {}


def _parse(text: str) -> nodes.NodeNG | None:
    if text not in _parsed:
        try:
            body = build_module(text.strip(), "<annotation>").body
        except (TreeError, RecursionError):
            body = []
        _parsed[text] = body[0].value if len(body) == 1 and isinstance(body[0], nodes.Expr) else None
    return _parsed[text]


def _union(
    analysis: Analysis, module: ModuleIndex, parts: list[nodes.NodeNG], scope: FunctionInfo | None, depth: int
) -> AbstractValue | None:
    """A union; a member nothing is known of makes the whole unknown unless another is a tensor."""
    result = BOTTOM
    for part in parts:
        member = value(analysis, module, part, scope, depth - 1)
        result = join(result, UNKNOWN if member is None else member)
    return result


def _named(
    analysis: Analysis, module: ModuleIndex, path: str, scope: FunctionInfo | None, depth: int
) -> AbstractValue | None:
    target = analysis.resolver.path(module, path, scope)
    last = path.rsplit(".", 1)[-1]
    if target is None:
        return TENSOR_VALUE if _TENSOR_NAME.match(last) else None
    if isinstance(target, ClassInfo):
        return analysis.instance_of(target)
    if isinstance(target, Variable):
        return _alias(analysis, target, depth)
    if not isinstance(target, str):
        return None
    kind = type_meaning(target)
    if target.startswith("numpy.") and target.rsplit(".", 1)[-1] in ("ndarray", "NDArray", "ArrayLike"):
        return make(ARRAY)
    if kind in _VALUES:
        return _VALUES[kind]
    name = target.rsplit(".", 1)[-1]
    if target.startswith(("builtins.", "typing.", "collections.", "typing_extensions.")):
        if name in _LISTS or name in ("tuple", "Tuple"):
            return make(CONTAINER)
        if name in _DICTS:
            return make(MAPPING)
        if name in ("Callable", "Type", "type"):
            return make(CALLABLE)
        if name in ("Text", "AnyStr", "Hashable", "SupportsFloat", "SupportsInt", "Literal", "LiteralString"):
            return HOST_VALUE
        return None
    if _TENSOR_NAME.match(name):
        return TENSOR_VALUE
    if kind == "subscript" or not name[:1].isupper():
        return None
    return make(OBJECT, refs=frozenset({Instance(target)}))


def _alias(analysis: Analysis, target: Variable, depth: int) -> AbstractValue | None:
    """A module-level alias such as `TensorLike = Union[Tensor, float]`, a NewType or a bound type variable."""
    bindings = target.module.bindings.get(target.name, [])
    if len(bindings) != 1:
        return None
    statement = bindings[0].statement
    source = getattr(statement, "value", None)
    if isinstance(source, nodes.Call):
        called = (dotted(source.func) or "").rsplit(".", 1)[-1]
        if called == "NewType" and len(source.args) == 2:
            source = source.args[1]
        elif called in ("namedtuple", "NamedTuple"):
            return make(OBJECT, refs=frozenset({Instance(f"namedtuple.{target.name}")}))
        elif called == "TypeVar":
            bound = next((k.value for k in source.keywords if k.arg == "bound"), None)
            if bound is None and len(source.args) > 1:
                return _union(analysis, target.module, source.args[1:], None, depth)
            source = bound
        else:
            return None
    if source is None:
        return None
    return value(analysis, target.module, source, None, depth - 1)


def _arguments(node: nodes.Subscript) -> list[nodes.NodeNG]:
    return cast("list[nodes.NodeNG]", node.slice.elts) if isinstance(node.slice, nodes.Tuple) else [node.slice]


def _generic(
    analysis: Analysis, module: ModuleIndex, node: nodes.Subscript, scope: FunctionInfo | None, depth: int
) -> AbstractValue | None:
    path = dotted(node.value)
    if path is None:
        return None
    target = analysis.resolver.path(module, path, scope)
    name = (target if isinstance(target, str) else path).rsplit(".", 1)[-1]
    parts = _arguments(node)

    def inner(part: nodes.NodeNG) -> AbstractValue:
        found = value(analysis, module, part, scope, depth - 1)
        return UNKNOWN if found is None else found

    if isinstance(target, str) and type_meaning(target) == "subscript":
        return inner(parts[0])
    if isinstance(target, str) and type_meaning(target) == "tensor":
        return TENSOR_VALUE
    if name == "Optional":
        return join(inner(parts[0]), NONE_VALUE)
    if name == "Union":
        return _union(analysis, module, parts, scope, depth)
    if name in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], nodes.Const) and parts[1].value is Ellipsis:
            return container(inner(parts[0]))
        return sequence([inner(p) for p in parts])
    if name in _LISTS:
        return (hashed if name in _SETS else container)(inner(parts[0]))
    if name in _DICTS:
        return make(MAPPING, elem=inner(parts[-1]))
    if name in _TRANSPARENT:
        return inner(parts[0])
    if name == "Literal":
        return join_all(NONE_VALUE if isinstance(p, nodes.Const) and p.value is None else HOST_VALUE for p in parts)
    if name == "Callable" and len(parts) == 2:
        given = inner(parts[1])
        return make(CALLABLE, refs=frozenset({Giving(given)})) if given.known else make(CALLABLE)
    if name in ("Type", "type"):
        named = inner(parts[0])
        classes = frozenset(r.cls for r in named.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo))
        return make(CALLABLE, refs=classes) if classes and len(classes) == len(named.refs) else make(CALLABLE)
    if name == "Callable":
        return make(CALLABLE)
    if isinstance(target, str) and target.startswith("numpy"):
        return make(ARRAY)
    if target is None and _TENSOR_NAME.match(name):
        return TENSOR_VALUE
    if isinstance(target, ClassInfo):
        return analysis.instance_of(target)
    return None


NO_COMMENTS: Final[dict[int, re.Match[str]]] = {}
"""What is known of a module without comments that state types."""

_TYPE_COMMENT: Final = re.compile(
    r"^[ \t]*# type: (?P<given>\(.*\))[ \t]*->[ \t]*(?P<back>[^#\n]+?)[ \t]*$",
    re.MULTILINE,
)
_QUOTED: Final = re.compile(r"'[^']*'")
_AROUND_TEXT: Final = frozenset(
    "str Literal Optional Union None typing t tuple Tuple list List set Set Sequence Iterable".split()
)


def is_text(function: FunctionInfo, name: str) -> bool:
    """True for a parameter declared to be text (or None, or several of it), which no tensor is, whatever is passed."""
    node = next((p.annotation for p in function.params if p.name == name), None)
    if node is None:
        return False
    text = node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else node.as_string()
    bare = _QUOTED.sub("str", text) if "Literal" in text else text
    words = set(re.findall(r"\w+", bare))
    return "str" in words and words <= _AROUND_TEXT


_DOC_LINE: Final = re.compile(
    r"^[ \t]*(?::param[ \t]+)?[-*]{0,2}[ \t]*`{0,2}(?P<name>\*{0,2}\w+)`{0,2}[ \t]*"
    r"(?:\((?P<google>[^\n]*?)\)[ \t]*:|:[ \t]*(?P<numpy>[^\n]{2,90})$)",
    re.MULTILINE,
)
_DOC_SPHINX: Final = re.compile(
    r"^[ \t]*:(?:param[ \t]+(?P<type>[\w.\[\]]+)[ \t]+(?P<name>\w+)|type[ \t]+(?P<name2>\w+)):[ \t]*(?P<type2>[^\n]*)",
    re.MULTILINE,
)
_DOC_RETURNS: Final = re.compile(
    r"^[ \t]*(?:Returns?:?[ \t]*\n(?:[ \t]*-+[ \t]*\n)?[ \t]*(?P<type>[^\n]+?)(?::[ \t]|:?$)|"
    r":rtype:[ \t]*(?P<rtype>[^\n]+))",
    re.MULTILINE,
)
_DOC_TENSOR: Final = re.compile(r"(?:^|[^\w.])(?:torch\.tensor\b|(?:torch\.)?(?:[A-Z]\w*)?Tensor\b)")
_DOC_HOST: Final = re.compile(r"^(?:an? |optional )*`?(?:int|float|bool|str|string|number|integer|boolean)`?\b")
_DOC_ARRAY: Final = re.compile(r"^`{0,2}:?(?:np|numpy)\.ndarray\b")
_DOC_CONTAINER: Final = re.compile(r"\b(?:list|tuple|sequence|iterable|set)\b", re.IGNORECASE)
_DOC_DICT: Final = re.compile(r"\bdict|mapping\b", re.IGNORECASE)


def documented(doc: str) -> dict[str, AbstractValue]:
    """Parameter types that a docstring states in the Google, NumPy or Sphinx form."""
    found: dict[str, AbstractValue] = {}
    for match in _DOC_LINE.finditer(doc):
        text = match["google"] if match["google"] is not None else match["numpy"]
        said = _doc_type(text, match["google"] is not None)
        if said is not None:
            found.setdefault(match["name"].lstrip("*"), said)
    for match in _DOC_SPHINX.finditer(doc):
        said = _doc_type(match["type"] or match["type2"] or "", True)
        if said is not None:
            found.setdefault(match["name"] or match["name2"], said)
    return found


def documented_return(function: FunctionInfo) -> AbstractValue | None:
    """The tensors that a docstring says are given back, in the Google, NumPy or Sphinx form."""
    node, memo, key = function.node, function.module.memo, ("documented", function)
    if not isinstance(node, nodes.FunctionDef) or node.doc_node is None:
        return None
    if key not in memo:
        doc = node.doc_node.value
        match = _DOC_RETURNS.search(doc) if isinstance(doc, str) and "ensor" in doc else None
        text = "" if match is None else match["type"] or match["rtype"]
        said = _doc_type(text.partition(" : ")[2] or text, False)
        memo[key] = said if said is not None and said.kinds & TENSOR else None
    return cast("AbstractValue | None", memo[key])


def commented(function: FunctionInfo) -> tuple[dict[str, nodes.NodeNG], nodes.NodeNG | None]:
    """The types of the parameters and of the result that the comment `# type: (Tensor, int) -> Tensor` states."""
    module, node = function.module, function.node
    comments = module.memo.get("comments")
    if comments is None:
        found = _TYPE_COMMENT.finditer(module.text) if "# type: (" in module.text else ()
        lines = {module.text.count("\n", 0, m.start("given")) + 1: m for m in found}
        comments = module.memo["comments"] = lines or NO_COMMENTS
    if comments is NO_COMMENTS or not isinstance(node, nodes.FunctionDef) or not node.body:
        return {}, None
    first = node.doc_node or node.body[0]
    for line in range(node.fromlineno, (first.lineno or 0) + 1):
        match = cast("dict[int, re.Match[str]]", comments).get(line)
        if match is not None:
            given, args = _parse(match["given"].replace("*", "")), node.args
            types = (
                cast("list[nodes.NodeNG]", given.elts) if isinstance(given, nodes.Tuple) else [given] if given else []
            )
            names = [p.name for p in function.params if not p.keyword_only]
            names += [args.vararg] if args.vararg else []
            names += [p.name for p in function.params if p.keyword_only]
            names += [args.kwarg] if args.kwarg else []
            if function.cls is not None and len(types) == len(names) - 1:
                names = names[1:]  # the object itself need not be stated
            return dict(zip(names, types, strict=False)) if len(types) == len(names) else {}, _parse(match["back"])
    return {}, None


def _doc_type(text: str, typed: bool) -> AbstractValue | None:
    text = text.strip()
    head = text.split(" of shape", 1)[0].split(", default", 1)[0]
    tensor = _DOC_TENSOR.search(head)
    if not typed and tensor is not None and tensor.start() > 24:
        return None  # prose after a colon, not a type
    optional = NONE_VALUE if "optional" in text.lower() or "None" in text else BOTTOM
    if tensor is not None:
        if _DOC_DICT.search(head):
            return None
        if _DOC_CONTAINER.search(head):
            plain = " or " in head or "|" in head or "Union" in head
            return join(join(container(TENSOR_VALUE), TENSOR_VALUE if plain else BOTTOM), optional)
        host = HOST_VALUE if re.search(r"\b(?:int|float|bool|str)\b", head) else BOTTOM
        return join(join(TENSOR_VALUE, host), optional)
    if _DOC_HOST.match(head):
        return join(HOST_VALUE, optional)
    if _DOC_ARRAY.search(head) and not _DOC_CONTAINER.search(head):
        return join(make(ARRAY), optional)
    return None
