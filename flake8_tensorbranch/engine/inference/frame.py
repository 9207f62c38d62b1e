"""One activation of a scope: its state, and what it leaves behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.splitting import listed, sizes
from flake8_tensorbranch.engine.lattice import BOTTOM, TENSOR, AbstractValue, join, make
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

State = dict[str, AbstractValue]
ITEM: Final = "[]"  # after an attribute: what is put in one that nothing is known of
Callees = dict[FunctionInfo, None]  # a set in the order of finding: an order that every process agrees on


class Facts:
    """What was found out about one scope: values by node, and the calls met.

    `calls` maps a call to the project's functions it may enter, `externals` to the external callees by qualified name,
    with the arguments that reach them (through partials, too). `arguments` joins what callees' parameters get. `hooks`
    maps a call of a method that answers the same whatever it is given to those in its place whose answers it has.
    """

    __slots__ = ("arguments", "calls", "exhausted", "externals", "hooks", "values")

    def __init__(self) -> None:
        self.values: dict[nodes.NodeNG, AbstractValue] = {}
        self.calls: dict[nodes.NodeNG, Callees] = {}
        self.externals: dict[nodes.NodeNG, dict[str, Arguments]] = {}
        self.arguments: dict[tuple[FunctionInfo, str], AbstractValue] = {}
        self.hooks: dict[nodes.NodeNG, Callees] = {}
        self.exhausted = False


class Frame:
    """One activation: a scope, its current state, the values of its free names, and what it returns and stores."""

    __slots__ = (
        "analysis",
        "bound",
        "captured",
        "discard",
        "facts",
        "function",
        "iterables",
        "listed",
        "method_of",
        "module",
        "owner",
        "refining",
        "returns",
        "roots",
        "self_name",
        "shared",
        "state",
        "stores",
        "tests",
        "yields",
    )

    def __init__(
        self,
        analysis: Analysis,
        module: ModuleIndex,
        function: FunctionInfo | None,
        facts: Facts | None = None,
        captured: State | None = None,
        method_of: ClassInfo | None = None,
    ) -> None:
        self.analysis = analysis
        self.module = module
        self.function = function
        self.facts = facts
        self.captured: State = captured or {}
        self.method_of = method_of
        self.state: State = {}
        self.returns: AbstractValue = BOTTOM
        self.yields: AbstractValue = BOTTOM
        self.stores: State = {}
        self.roots: set[str] = set()  # what some longer path in the state begins with: `a` and `a.b` for `a.b.c`
        self.bound: State = {}
        self.self_name = function.params[0].name if function is not None and function.takes_self else None
        self.owner: AbstractValue = BOTTOM
        self.discard: nodes.NodeNG | None = None  # the call whose value nobody uses
        self.shared: dict[str, list[FunctionInfo]] = {}  # names that nested functions write, too, and these functions
        self.listed = sizes(function)  # names used as lists of sizes
        self.refining = 0  # how many tests' operands are being evaluated for their outcome
        self.tests: dict[nodes.NodeNG, AbstractValue] = {}
        self.iterables: dict[
            nodes.NodeNG, AbstractValue
        ] = {}  # what a loop iterates, a match looks at: evaluated once, used later

    def store(self, attribute: str, value: AbstractValue) -> None:
        """Record a store to an attribute of the method's own object."""
        old = self.stores.get(attribute)
        self.stores[attribute] = value if old is None else join(old, value)

    def put(self, holder: nodes.NodeNG, value: AbstractValue) -> None:
        """Record that something is put in an attribute of the method's own object; asked where no method makes it."""
        if isinstance(holder, nodes.Attribute) and isinstance(holder.expr, nodes.Name):
            if holder.expr.name == self.self_name:
                self.store(holder.attrname + ITEM, value)

    def keep(self, path: str, value: AbstractValue) -> None:
        """Remember what an attribute path or an item holds; paths that start with it stay."""
        self.state[path] = value
        self.rooted(path)

    def rooted(self, path: str) -> None:
        """File what a path of the state begins with."""
        end = path.rfind(".")
        while end > 0 and (root := path[:end]) not in self.roots:
            self.roots.add(root)
            end = path.rfind(".", 0, end)

    def affirm(self, place: nodes.NodeNG | None, value: AbstractValue) -> None:
        """From here on a local of which nothing is known is likely a tensor: it is used as only tensors are."""
        if isinstance(place, nodes.Name) and place.name in self.state and not value.refs:
            kinds = value.kinds | TENSOR
            self.state[place.name] = make(kinds, value.deps, refs=value.refs, elem=value.elem, items=value.items)

    def forget_below(self, path: str) -> None:
        """Forget the paths that start with this one."""
        if path in self.roots:
            prefix = path + "."
            for known in [p for p in self.state if p.startswith(prefix)]:
                del self.state[known]

    def bind(self, name: str, value: AbstractValue) -> None:
        """Bind a local name; paths that start with it are forgotten."""
        if name in self.shared:
            value = self.analysis.shared(value, self.shared[name], name)
        if name in self.listed:
            value = listed(value)
        self.state[name] = value
        if name in self.roots:
            self.forget_below(name)
        old = self.bound.get(name)
        if old is not value:
            self.bound[name] = value if old is None else join(old, value)
