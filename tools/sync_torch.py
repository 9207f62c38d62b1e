"""Writes the generated knowledge tables from torch wheels.

Usage: ``python -m tools.sync_torch WHEEL... [--out DIR] [--check]``, with the wheels of all versions the tables shall
cover, in any order. Nothing is imported from the wheels.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.torch_wheel import (
    Overload,
    Parameter,
    WheelFacts,
    WheelReader,
    annotation_returns,
    overload_of,
    read_graph_breaks,
    read_nondeterministic,
    schema_blocks,
    schema_overload,
)

STUB = "torch/_C/__init__.pyi"
NATIVE = "torchgen/packaged/ATen/native/native_functions.yaml"
FOREIGN = Path(__file__).with_name("foreign_names.txt")
TABLES = Path(__file__).resolve().parent.parent / "flake8_tensorbranch" / "knowledge"
OPS_COLUMNS = ("qualname", "when", "returns", "deps", "effects", "demands", "since", "until")
Row = tuple[str, ...]

UNDECIDED = ("__getitem__", "bmm", "resize_")
"""On the nondeterministic list for a kind of argument no call site shows (list index, sparse, quantized): left out."""


def read_wheel(path: Path) -> WheelFacts:
    """Collects what a wheel says about its operations."""
    wheel = WheelReader(path)
    facts = wheel.facts
    named = {
        node.name: annotation_returns(node.bases[0], {})
        for node in wheel.body("torch/return_types.pyi")
        if isinstance(node, ast.ClassDef) and node.bases
    }

    def add(qualname: str, overload: Overload) -> None:
        facts.overloads.setdefault(qualname, []).append(overload)

    for match, module, tags in schema_blocks(wheel.text(NATIVE)):
        base = match["name"].rstrip("_") if not match["name"].endswith("__") else match["name"]
        facts.tags.setdefault(base, set()).update(tags)
        public = match["name"].removeprefix(module + "_")
        writes_out = re.search(r"Tensor\([a-z]!\)(\[\])? \w+", match["args"]) is not None
        if module in {"fft", "linalg", "special", "sparse"} and public[0] != "_" and not writes_out:
            add(f"torch.{module}.{public}", schema_overload(match))
    for node in wheel.functions("torch/_C/_VariableFunctions.pyi"):
        if node.name[0] != "_":
            add(f"torch.{node.name}", overload_of(node, named, method=False))
    for node in wheel.functions(STUB):
        if node.name[0] != "_" and f"torch.{node.name}" not in facts.overloads:
            returns = overload_of(node, named, method=False).returns
            if returns != "unknown":
                add(f"torch.{node.name}", Overload((), "static" if returns == "host" else returns))
    for statement in wheel.body(STUB, "TensorBase"):
        if isinstance(statement, ast.FunctionDef) and not re.match("_[a-zA-Z]|__(init|new)__", statement.name):
            if not any(ast.unparse(a.annotation) == "object" for a in statement.args.args if a.annotation is not None):
                add(f"torch.Tensor.{statement.name}", overload_of(statement, named, method=True))
        elif isinstance(statement, ast.AnnAssign) and (name := ast.unparse(statement.target))[0] != "_":
            add(f"torch.Tensor.{name}", Overload((), annotation_returns(statement.annotation, named)))
            facts.attributes.add(f"torch.Tensor.{name}")
    drawing = {name for name, tags in facts.tags.items() if "nondeterministic_seeded" in tags}
    read_functional(wheel, named, drawing)
    read_modules(wheel, named)
    facts.nondeterministic = read_nondeterministic(wheel.text("torch/__init__.py"))
    facts.graph_breaks = read_graph_breaks(wheel.text("torch/_dynamo/graph_break_registry.json") or "{}")
    return facts


def read_functional(wheel: WheelReader, named: dict[str, str], drawing: set[str]) -> None:
    """Adds ``torch.nn.functional``: its own stubs, what these re-export, and which sources draw random numbers."""
    facts, namespace = wheel.facts, "torch.nn.functional."
    builtin = {n.name: n for n in wheel.functions("torch/_C/_nn.pyi") if n.name[0] != "_"}
    for node in wheel.body("torch/nn/functional.pyi"):
        if isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            facts.overloads.setdefault(namespace + node.name, []).append(overload_of(node, named, method=False))
        elif isinstance(node, ast.ImportFrom) and node.module in {"torch", "torch._C._nn"}:
            for alias in node.names:
                public = namespace + (alias.asname or alias.name)
                if node.module == "torch" and f"torch.{alias.name}" in facts.overloads:
                    facts.overloads[public] = facts.overloads[f"torch.{alias.name}"]
                elif alias.name in builtin:
                    facts.overloads[public] = [overload_of(builtin[alias.name], named, method=False)]
    calls = {n.name: called_names(n) for n in wheel.functions("torch/nn/functional.py")}
    for node in wheel.body("torch/nn/functional.py"):
        if isinstance(node, ast.Assign) and "boolean_dispatch" in called_names(node):
            calls[ast.unparse(node.targets[0])] = {
                n.id.rstrip("_") for n in ast.walk(node.value) if isinstance(n, ast.Name)
            }
    found: set[str] = set()
    while True:
        more = {name for name, called in calls.items() if name not in found and called & (drawing | found)}
        if not more:
            break
        found |= more
    facts.draws |= {namespace + name for name in found}


def called_names(node: ast.AST) -> set[str]:
    """Last components of all names called inside a node, without the underscore of in-place variants."""
    functions = [child.func for child in ast.walk(node) if isinstance(child, ast.Call)]
    names = [
        f.attr if isinstance(f, ast.Attribute) else f.id for f in functions if isinstance(f, ast.Attribute | ast.Name)
    ]
    return {name.rstrip("_") for name in names}


def read_modules(wheel: WheelReader, named: dict[str, str]) -> None:
    """Adds the classes ``torch.nn`` exports: calling an instance returns what its ``forward`` is annotated with."""
    facts = wheel.facts
    paths = sorted(name for name in wheel.files if re.fullmatch(r"torch/nn/modules/\w+\.py", name))
    classes = {n.name: n for path in paths for n in wheel.body(path) if isinstance(n, ast.ClassDef)}
    public = {
        alias.name
        for node in wheel.body("torch/nn/modules/__init__.py")
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def lineage(name: str) -> list[ast.ClassDef]:
        if name not in classes:
            return []
        bases = [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
        return [classes[name], *(parent for base in bases for parent in lineage(base))]

    drawing = {name.rpartition(".")[2] for name in facts.draws}
    for name in sorted(public & set(classes)):
        family = [node for cls in lineage(name) for node in cls.body if isinstance(node, ast.FunctionDef)]
        forward = [node for node in family if node.name == "forward"]
        if not forward:
            continue
        overload = overload_of(forward[0], named, method=True)
        init = next(([a.arg for a in n.args.args[1:]] for n in family if n.name == "__init__"), [])
        for decisive in sorted({"reduction", "inplace"} & set(init)):
            choice = Parameter(f"init.{decisive}@{init.index(decisive)}", nullable=True)
            overload = Overload((choice, *overload.parameters), overload.returns, overload.variadic)
        facts.overloads[f"torch.nn.{name}"] = [overload]
        if called_names(forward[0]) & drawing:
            facts.draws.add(f"torch.nn.{name}")


def rows_of(facts: WheelFacts) -> set[Row]:
    """The table rows of one wheel: qualname, when, returns, deps, effects, demands."""
    found: set[Row] = set()
    for qualname, overloads in facts.overloads.items():
        variants = [variant for overload in overloads for variant in split(facts, qualname, overload)]
        demands = ",".join(f"{i}:{n}" for i, n in demanded(overloads))
        results = {(overload.returns, effects) for overload, effects in variants}
        same_kinds = {i: len(k) < 2 for i, k in positional_kinds(overloads).items()}
        for overload, effects in variants:
            when = "" if len(results) == 1 else condition(overload, same_kinds)
            found.add((qualname, when, overload.returns, "", effects, demands))
    return found


def split(facts: WheelFacts, qualname: str, overload: Overload) -> list[tuple[Overload, str]]:
    """An overload with its effects; two where an optional parameter decides whether everything is reduced."""
    scope, _, name = qualname.rpartition(".")
    in_place = re.fullmatch(r"[a-zA-Z](\w*[^_])?_|__i(?!nv|nt|ndex|ter)\w+__", name) is not None
    base = name.rstrip("_") if name[0] != "_" else name
    schema = {"torch.fft": "fft_", "torch.linalg": "linalg_", "torch.special": "special_"}.get(scope, "") + base
    tags = facts.tags.get(schema, set()) if scope != "torch.nn" else set()
    effects = {"inplace"} if in_place else set()
    if "nondeterministic_seeded" in tags or qualname in facts.draws:
        effects.add("rng")
    if "dynamic_output_shape" in tags and name not in {"index"}:
        effects.add("dynamic-shape")
    if "data_dependent_output" in tags:
        effects.add("sync")
    if in_place and overload.returns == "tensor":
        overload = Overload(overload.parameters, "self", overload.variadic)
    given = {p.name: p for p in overload.parameters}
    when = published(facts, qualname, overload)
    if when is not None:
        decisive = re.search(r"``(weights)`` tensor is given|``(mode)=|(mode)s is used", when)
        parameter = given.get(next(filter(None, decisive.groups()))) if decisive else None
        if parameter is not None:
            quiet = ",".join(sorted(effects)), ",".join(sorted(effects | {"nondet"}))
            return [(refuse(overload, parameter), quiet[0]), (require(overload, parameter), quiet[1])]
        if decisive is None:
            effects.add("nondet")
    plain = overload, ",".join(sorted(effects))
    full = ",".join(sorted(effects | {"reduce"}))
    chosen = {
        p.name.removeprefix("init.").partition("@")[0]: p for p in overload.parameters if p.nullable or p.optional
    }
    if "reduction" in chosen:
        return [(refuse(overload, chosen["reduction"]), full), (require(overload, chosen["reduction"]), plain[1])]
    if "inplace" in chosen:
        writing = require(Overload(overload.parameters, "self", overload.variadic), chosen["inplace"])
        return [(refuse(overload, chosen["inplace"]), plain[1]), (writing, ",".join(sorted(effects | {"inplace"})))]
    reduces = "reduction" in tags or any(p.name == "keepdim" for o in facts.overloads[qualname] for p in o.parameters)
    if (
        not reduces
        or in_place
        or sum(p.kind == "T" and not p.optional for p in overload.parameters) > (scope != "torch.Tensor")
    ):
        return [plain]
    if "dim" not in given:
        return [plain if overload.variadic else (overload, full)]
    if given["dim"].nullable:
        return [(refuse(overload, given["dim"]), full), (require(overload, given["dim"]), plain[1])]
    return [plain]


def refuse(overload: Overload, chosen: Parameter) -> Overload:
    """The overload for calls that do not give a parameter."""
    return replaced(overload, chosen, chosen.name + "~")


def require(overload: Overload, chosen: Parameter) -> Overload:
    """The overload for calls that give a parameter."""
    return replaced(overload, chosen, chosen.name, optional=False)


def replaced(overload: Overload, chosen: Parameter, name: str, *, optional: bool = False) -> Overload:
    """The overload with one parameter renamed."""
    new = Parameter(name, chosen.kind, optional, chosen.keyword_only)
    return Overload(tuple(new if p is chosen else p for p in overload.parameters), overload.returns, overload.variadic)


def published(facts: WheelFacts, qualname: str, overload: Overload) -> str | None:
    """The condition under which the published lists name this operation, under any of its names, in place or not."""
    for listed, when in facts.nondeterministic:
        entry = listed.rpartition(".")[2]
        if entry in UNDECIDED or ("indices output" in when and not overload.returns.startswith("tensors")):
            continue
        if listed.startswith("torch.nn.") and entry[0].isupper():
            functional = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", entry).lower()
            names = {listed, f"torch.nn.functional.{functional}", f"torch.{functional}"}
        else:
            base = entry.rstrip("_")
            spaces = ("torch.nn.functional.",) if ".functional." in listed else ("torch.", "torch.Tensor.")
            names = {space + base + tail for space in spaces for tail in ("", "_")}
        if qualname in names:
            return when
    return None


def demanded(overloads: list[Overload]) -> list[tuple[int, str]]:
    """Positional parameters that are a tensor and nothing else in every overload."""
    sets = []
    for overload in overloads:
        positional = [p for p in overload.parameters if not p.keyword_only and not p.name.startswith("init.")]
        sets.append({(i, p.name) for i, p in enumerate(positional) if p.must_be_tensor})
    return sorted(set.intersection(*sets))


def positional_kinds(overloads: list[Overload]) -> dict[int, set[str]]:
    """The kinds of parameter met at each position over all overloads."""
    kinds: dict[int, set[str]] = {}
    for overload in overloads:
        for index, parameter in enumerate(p for p in overload.parameters if not p.keyword_only):
            kinds.setdefault(index, set()).add(parameter.kind)
    return kinds


def condition(overload: Overload, same_kinds: dict[int, bool]) -> str:
    """The parameter list that tells an overload from the others; kinds only where overloads differ."""
    items: list[str] = []
    for index, p in enumerate(overload.parameters):
        if p.name.startswith("init."):
            items.append(p.name)
            continue
        if p.keyword_only and "*" not in items and not overload.variadic:
            items.append("*")
        kind = f":{p.kind}" if p.kind and not p.keyword_only and not same_kinds.get(index, True) else ""
        items.append(p.name.rstrip("~") + kind + ("~" if p.name.endswith("~") else "=" if p.optional else ""))
    if overload.variadic:
        items.append("*args")
    return ",".join(items) or "*"


def merge(wheels: dict[str, set[Row]]) -> list[Row]:
    """Rows of all versions; `since` and `until` are set where a row is missing before or after."""
    versions = sorted(wheels, key=lambda text: tuple(int(part) for part in re.findall(r"\d+", text)))
    merged: list[Row] = []
    for row in set.union(*wheels.values()):
        having = [version for version in versions if row in wheels[version]]
        since = "" if having[0] == versions[0] else having[0]
        until = "" if having[-1] == versions[-1] else having[-1]
        merged.append((*row, since, until))
    return sorted(merged, key=lambda row: (row[0], row[1] == "", row))


def render(columns: Iterable[str], rows: Iterable[Row], wheels: Iterable[WheelFacts]) -> str:
    """A table file: header comments, then one tab-separated line per row, ``-`` for an empty cell."""
    lines = [f"# wheel {w.name} version {w.version} sha256 {w.sha256}" for w in wheels]
    lines += ["# generated by tools/sync_torch.py; do not edit", "# " + "\t".join(columns)]
    lines += ["\t".join(cell or "-" for cell in row) for row in rows]
    return "\n".join(lines) + "\n"


def tensor_names(wheels: Iterable[WheelFacts]) -> list[Row]:
    """Properties of tensors, and methods of tensors whose names no value of ``foreign_names.txt`` has."""
    foreign = set(FOREIGN.read_text(encoding="utf-8").splitlines())
    roles: dict[str, str] = {}
    for wheel in wheels:
        for qualname in wheel.overloads:
            name = qualname.removeprefix("torch.Tensor.")
            if qualname in wheel.attributes:
                roles[name] = "property"
            elif name != qualname and name[0] != "_" and name not in foreign:
                roles[name] = "method"
    return sorted(roles.items())


def generate(paths: list[Path]) -> dict[str, str]:
    """The text of each generated table, by file name."""
    wheels = sorted((read_wheel(path) for path in paths), key=lambda w: (w.version, w.name))
    breaks = merge({w.version: set(w.graph_breaks.items()) for w in wheels})
    return {
        "torch_ops.tsv": render(OPS_COLUMNS, merge({w.version: rows_of(w) for w in wheels}), wheels),
        "graph_breaks.tsv": render(("id", "title", "since", "until"), breaks, wheels),
        "tensor_names.tsv": render(("name", "role"), tensor_names(wheels), wheels),
    }


def main(argv: list[str] | None = None) -> int:
    """Writes the tables, or with ``--check`` says which differ; the exit code is 1 where one does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    parser.add_argument("--out", type=Path, default=TABLES, metavar="DIR")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args(argv)
    stale = []
    for name, text in generate(options.wheels).items():
        path: Path = options.out / name
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.exists() or path.read_bytes() != text.encode():
            stale.append(name)
    for name in stale:
        print(f"{options.out / name} differs from what the wheels say", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
