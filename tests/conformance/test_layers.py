"""The rooms of docs/architecture.md, held by the imports and names in the source itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "flake8_tensorbranch"
MODULES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MOST_LINES = 400

LEAVES = {"diagnostic", "settings", "knowledge"}
BASICS = {"settings", "source", "diagnostic"}
CORE = {"engine", "project", "importers", "syntax", "source", *LEAVES}
# Room (a module, or a folder of modules) -> the rooms it may import.
ROOMS = {
    "__init__": set[str](),
    "diagnostic": set[str](),
    "settings": {"diagnostic"},
    "source": set[str](),
    "pages": set[str](),
    "knowledge": {"knowledge"},
    "syntax": {"syntax", "modules", "source", "diagnostic"},
    "disk": set[str](),
    "modules": {"disk"},
    "reach": {"modules", "source"},
    "importers": {"disk", "modules", "reach", "source"},
    "cousins": {"disk", "modules", "reach"},
    "project": {"cousins", "disk", "modules", "syntax", "source", "diagnostic"},
    "engine": CORE,
    "rules": {"rules", "engine.sink", "engine.lattice", "diagnostic"},
    "memory": {"engine.lattice"},
    "check": {"rules", "memory", "modules", *CORE},
    "reveal": {"check", *CORE},
    "gate": {"check", "memory", "modules", "importers", "settings", "source", "diagnostic"},
    "selection": {"settings"},
    "config": {"config", "selection", "pages", "settings"},
    "ipython": {"source"},
    "notebook": {"ipython", "source", "diagnostic"},
    "files": {"notebook", "source", "diagnostic"},
    "fixes": {"fixes", "pages", "source", "diagnostic"},
    "ignored": {"config"},
    "ruffside": {"config", "settings"},
    "walk": {"config", "files", "ignored"},
    "output": {"output", "fixes.safety", "suppressions.layout", "pages", "source", "diagnostic"},
    "catalogue": {"rules", "suppressions", "pages", "diagnostic"},
    "suppressions": {"suppressions", "pages", "settings", "source", "diagnostic"},
    "plugin": {"config.analysis", "gate", "suppressions", "settings", "source", "diagnostic"},
    "cli": {
        "cli",
        "config",
        "gate",
        "files",
        "notebook",
        "fixes",
        "walk",
        "ruffside",
        "suppressions",
        "output",
        "catalogue",
        "pages",
        "reveal",
        *BASICS,
    },
    "__main__": {"cli"},
}
# Modules that must know less than their room does, and nothing of astroid.
STRICTER = {
    "engine.order": set(),
    "engine.lattice": {"engine.lattice", "engine.order", "engine.words"},
    "engine.words": {"engine.lattice"},
    "engine.solver": {"engine.solver", "engine.lattice"},
}
# Within the engine: each room may import itself, the base, and the rooms before it.
BASE = {"engine.order", "engine.lattice", "engine.refs", "engine.solver", "engine.sink", "engine.words"}
ENGINE = (
    "inference",
    "lookup",
    "repairs",
    "regions",
    "branching",
    "checkpointing",
    "compiling",
    "distributed",
    "reproducibility",
)
BUILDS_TREES = {
    "rebuilder",
    "builder",
    "manager",
    "AstroidManager",
    "MANAGER",
    "parse",
    "extract_node",
    "TreeRebuilder",
}
INFERS = {"infer", "inferred", "safe_infer", "infer_call_result", "igetattr", "ilookup", "instance_attr"}


def imported(path: Path) -> Iterator[str]:
    """The dotted names that a module imports, wherever the import stands; relative imports do not occur."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}:{node.lineno}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def ours(path: Path) -> Iterator[str]:
    """The modules of this package that a module imports, without the package's name."""
    for name in imported(path):
        package, _, rest = name.partition(".")
        if package == PACKAGE.name and rest != "__version__":
            while rest and rest not in MODULES:
                rest = rest.rpartition(".")[0]
            yield rest or "__init__"


def within(module: str, rooms: set[str]) -> bool:
    return any(module == room or module.startswith(room + ".") for room in rooms)


def test_every_module_has_a_room() -> None:
    homeless = [module for module in MODULES if module.partition(".")[0] not in ROOMS]
    assert not homeless


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_one_way(module: str) -> None:
    path = MODULES[module]
    allowed = STRICTER.get(module, ROOMS[module.partition(".")[0]])
    assert [name for name in ours(path) if not within(name, allowed)] == []
    if module in STRICTER:
        assert not [name for name in imported(path) if name.partition(".")[0] == "astroid"]


@pytest.mark.parametrize(
    "module", [module for module in MODULES if module.startswith("engine.") and module.count(".") > 1]
)
def test_engine_rooms_build_on_each_other(module: str) -> None:
    room = module.split(".")[1]
    allowed = {f"engine.{name}" for name in ENGINE[: ENGINE.index(room) + 1]} | BASE
    engine = [name for name in ours(MODULES[module]) if name.startswith("engine.")]
    assert [name for name in engine if not within(name, allowed)] == []


@pytest.mark.parametrize("module", MODULES)
def test_torch_is_never_imported(module: str) -> None:
    assert not {"torch", "numpy"} & {name.partition(".")[0] for name in imported(MODULES[module])}


@pytest.mark.parametrize("module", [module for module in MODULES if module not in ("syntax.tree", "syntax.direct")])
def test_trees_are_built_in_one_place_and_never_inferred(module: str) -> None:
    path = MODULES[module]
    from_astroid = [name.split(".") for name in imported(path) if name.partition(".")[0] == "astroid"]
    assert not [parts for parts in from_astroid if BUILDS_TREES & set(parts)]
    if from_astroid:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
        assert not {func.attr for func in calls if isinstance(func, ast.Attribute)} & INFERS


@pytest.mark.parametrize("module", [m for m in MODULES if m.partition(".")[0] == "rules"])
def test_rules_see_sites_not_trees(module: str) -> None:
    assert not [name for name in imported(MODULES[module]) if name.partition(".")[0] in ("astroid", "ast")]


@pytest.mark.parametrize("module", [m for m in MODULES if within(m, {"engine", "syntax", "project", "knowledge"})])
def test_only_rules_know_codes(module: str) -> None:
    assert not re.findall(r"TBR\d{3}", MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_files_are_short_and_say_what_they_are(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    assert text.count("\n") < MOST_LINES
    assert ast.get_docstring(ast.parse(text))
