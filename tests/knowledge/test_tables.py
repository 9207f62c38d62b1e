"""Every row has a meaning, a source and a reason to be there."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from flake8_tensorbranch.knowledge import aliases, families, masks, model, names, regions, scopes
from flake8_tensorbranch.knowledge.model import OpModel, canonical, parse_row
from flake8_tensorbranch.knowledge.overlay import OPS

KNOWLEDGE = Path(model.__file__).parent
GENERATED = [
    parse_row(line)
    for line in (KNOWLEDGE / "torch_ops.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
WRITTEN = [written.model(qualname) for written in OPS for qualname in written.qualnames]
WHY = [
    *((row.qualname, row.why) for row in WRITTEN),
    *((name, alias.why) for name, alias in aliases.ALIASES.items()),
    *((alias.prefix, alias.why) for alias in aliases.PREFIX_ALIASES),
    *((name, kind.why) for name, kind in names.TYPE_NAMES.items()),
    *((name, entry.why) for name, entry in regions.REGION_ENTRIES.items()),
    *((name, entry.why) for name, entry in regions.REGION_ATTRIBUTES.items()),
    *((name, entry.why) for name, entry in regions.REGION_BASES.items()),
    *((name, source.why) for name, source in regions.RNG_HOST.items()),
    *((name, scope.why) for name, scope in scopes.SCOPES.items()),
    *((known.name, known.why) for known in families.FAMILIES),
]
ITEM = r"(?:init\.\w+(?:@\d)?[~!]?|\w+(?::[TH])?[=~!]?|\*\w*|\*\*)"
CONDITION = re.compile(f"{ITEM}(?:,{ITEM})*")


def is_return(word: str) -> bool:
    """Whether a word is one that `OpModel.returns` may hold."""
    if word.startswith("tuple("):
        return word.endswith(")") and all(is_return(part) for part in word[len("tuple(") : -1].split(","))
    if word.startswith("object:"):
        return families.family(word[len("object:") :]) != ""
    return word in model.SCALAR_RETURNS or re.fullmatch(r"tensors[2-9]", word) is not None


@pytest.mark.parametrize("table", [GENERATED, WRITTEN], ids=["generated", "written"])
def test_rows_use_the_words_of_the_model(table: list[OpModel]) -> None:
    assert [row for row in table if not is_return(row.returns)] == []
    assert [row for row in table if not row.deps <= model.DEPS] == []
    assert [row for row in table if not row.effects <= model.EFFECTS] == []
    assert [row for row in table if row.when and CONDITION.fullmatch(row.when) is None] == []
    assert [row for row in table if any(index < 0 or not name.isidentifier() for index, name in row.demands)] == []


@pytest.mark.parametrize("table", [GENERATED, WRITTEN], ids=["generated", "written"])
def test_no_condition_stands_twice(table: list[OpModel]) -> None:
    counted = Counter((row.qualname, row.when, row.since, row.until) for row in table)
    assert [key for key, count in counted.items() if count > 1] == []


def test_every_hand_written_fact_says_why() -> None:
    assert [name for name, why in WHY if len(why) < 4] == []


def test_no_hand_written_row_repeats_the_generated_one() -> None:
    dead = []
    for qualname in {row.qualname for row in WRITTEN}:
        written = [replace(row, why="") for row in WRITTEN if row.qualname == qualname]
        generated = [row for row in GENERATED if row.qualname == qualname]
        if written == generated:
            dead.append(qualname)
    assert dead == []


def test_rows_stand_under_the_canonical_name() -> None:
    assert [row.qualname for row in [*GENERATED, *WRITTEN] if canonical(row.qualname) != row.qualname] == []
    tables = (names.TYPE_NAMES, regions.REGION_ENTRIES, regions.REGION_BASES, scopes.SCOPES)
    assert [name for table in tables for name in table if canonical(name) != name] == []
    assert [name for name in names.RESULT_FIELDS if not name.isidentifier()] == []


def test_aliases_lead_to_a_name_and_no_further() -> None:
    for name, alias in aliases.ALIASES.items():
        assert canonical(alias.target) == alias.target != name


def test_hand_written_tensor_methods_exist_or_only_python_defines_them() -> None:
    """An overlay row naming an operation of the schema misspelt would silently be dead."""
    known = {row.qualname for row in GENERATED}
    only_python = {
        *(
            "__str__",
            "__repr__",
            "__format__",
            "__array__",
            "__len__",
            "__iter__",
            "__reversed__",
            "__pos__",
            "__rdiv__",
        ),
        *(
            "__rlshift__",
            "__rrshift__",
            "__rmatmul__",
            "__rmod__",
            "__deepcopy__",
            "__ipow__",
            "__itruediv__",
            "__hash__",
        ),
        *("norm", "unique", "unique_consecutive", "stft", "to_sparse_coo", "lu", "backward", "register_hook", "name"),
        *("register_post_accumulate_grad_hook", "share_memory_", "dim_order", "is_shared", "is_xla", "const_data_ptr"),
    }
    methods = {row.qualname for row in WRITTEN if row.qualname.startswith("torch.Tensor.")}
    assert methods - known == {f"torch.Tensor.{name}" for name in only_python}


def test_every_host_result_is_read_from_data_or_shape_or_is_static() -> None:
    """A host result without a row of its own would read as depending on nothing by accident."""
    written = {row.qualname for row in WRITTEN}
    assert {row.qualname for row in GENERATED if row.returns == "host"} <= written
    assert [row.qualname for row in WRITTEN if row.returns == "host" and not row.deps] == []
    assert [row.qualname for row in WRITTEN if row.returns == "size" and not row.deps] == ["torch.Size"]
    assert [row.qualname for row in WRITTEN if row.returns == "static" and row.deps] == []


def test_tables_are_sorted_and_say_where_they_come_from() -> None:
    for name in ("torch_ops.tsv", "graph_breaks.tsv", "tensor_names.tsv"):
        lines = (KNOWLEDGE / name).read_text(encoding="utf-8").splitlines()
        header = [line for line in lines if line.startswith("#")]
        assert lines[: len(header)] == header
        assert re.fullmatch(r"# wheel torch-\S+\.whl version [\d.]+ sha256 [0-9a-f]{64}", header[0])
        assert "tools/sync_torch.py" in header[-2]
        body = [line.split("\t") for line in lines[len(header) :]]
        assert {len(cells) for cells in body} == {len(header[-1].split("\t"))}
        assert [cells[0] for cells in body] == sorted(cells[0] for cells in body)


@pytest.mark.parametrize(
    ("qualname", "kind"),
    [
        ("torch.Tensor", "tensor"),
        ("torch.cuda.LongTensor", "tensor"),
        ("torch.nn.Parameter", "tensor"),
        ("torch.nn.Module", "module"),
        ("numpy.ndarray", "host"),
        ("jaxtyping.Float", "subscript"),
        ("torchtyping.TensorType", "tensor"),
        ("torch.distributions.Normal", "distribution"),
        ("somewhere.Else", ""),
    ],
)
def test_types_of_annotations(qualname: str, kind: str) -> None:
    assert names.type_meaning(qualname) == kind


def test_tensor_only_methods_are_nobody_elses() -> None:
    assert {"unsqueeze", "detach", "masked_fill", "contiguous", "permute", "addmm_"} <= names.TENSOR_ONLY_METHODS
    others = {
        "requires_grad_",
        "to",
        "sum",
        "view",
        "reshape",
        "copy",
        "item",
        "split",
        "float",
        "size",
        "transpose",
        "shape",
    }
    assert others.isdisjoint(names.TENSOR_ONLY_METHODS)
    assert names.TENSOR_ONLY_METHODS.isdisjoint(names.TENSOR_PROPERTIES)
    assert {"shape", "T", "mT", "grad", "data", "is_cuda", "requires_grad", "ndim", "dtype"} <= names.TENSOR_PROPERTIES
    assert [n for n in names.TENSOR_PROPERTIES if not model.is_known(f"torch.Tensor.{n}")] == []


@pytest.mark.parametrize(
    ("qualname", "kind", "wraps", "reentrant"),
    [
        ("torch.utils.checkpoint.checkpoint", "checkpointed", False, True),
        ("timm.models.checkpoint_seq", "checkpointed", False, False),
        ("torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper", "checkpointed", True, False),
        ("torch.compile", "compiled", True, None),
        ("torch.export.export", "exported", False, None),
        ("torch.jit.trace", "traced", True, None),
        ("torch.vmap", "vmapped", True, None),
    ],
)
def test_region_entries(qualname: str, kind: str, wraps: bool, reentrant: bool | None) -> None:
    entry = regions.entry(qualname)
    assert entry is not None
    assert (entry.kind, entry.wraps, entry.reentrant) == (kind, wraps, reentrant)


def test_scripting_is_no_region() -> None:
    assert regions.entry("torch.jit.script") is None


def test_region_entries_use_known_words() -> None:
    tables = (regions.REGION_ENTRIES, regions.REGION_ATTRIBUTES, regions.REGION_BASES)
    for entry in (entry for table in tables for entry in table.values()):
        assert entry.kind in {"checkpointed", "compiled", "exported", "traced", "vmapped"}
        assert entry.forms <= {"call", "wrap", "decorator", "method", "in-place"}
        assert (entry.reentrant is not None) == (entry.kind == "checkpointed")
        assert (entry.argument == -1) == ("method" in entry.forms)


def test_host_sources_are_draws_not_seeds() -> None:
    assert regions.host_source("random.random") is not None
    assert regions.host_source("numpy.random.Generator.integers") is not None
    assert regions.host_source("random.seed") is None
    assert regions.host_source("numpy.random.default_rng") is None
    assert {source.kind for source in regions.RNG_HOST.values()} == {"random", "identity", "time"}


def test_scopes_say_what_happens() -> None:
    outcomes = {"error", "silent", "info", "ok", "unmeasured"}
    for scope in scopes.SCOPES.values():
        assert {scope.non_reentrant, scope.reentrant} <= outcomes
        assert scope.form in {"context", "switch", "base"}
    assert not scopes.SCOPES["torch.nn.attention.sdpa_kernel"].restored
    assert scopes.SCOPES["torch.autocast"].restored
    assert not scopes.SCOPES["torch.device"].restored


def test_masks_are_known_operations() -> None:
    assert [name for name in masks.GIVES_MASK | masks.KEEPS_MASK if not model.is_known(name)] == []
    assert masks.gives_mask("torch.Tensor.__lt__")
    assert not masks.gives_mask("torch.Tensor.add")


def test_graph_breaks_have_titles() -> None:
    titles = model.graph_breaks()
    assert titles["GB0170"] == "Data-dependent branching"
    assert all(re.fullmatch(r"GB\d{4}", identifier) and title for identifier, title in titles.items())


def test_families_have_rows_or_fields() -> None:
    spoken = {row.qualname for row in WRITTEN} | set(families.FIELDS) | set(families.HOOKS)
    names = {family.name for family in families.FAMILIES}
    assert {n for n in names if not any(s == n or s.startswith(f"{n}.") for s in spoken)} == set()


def test_fields_and_hooks_use_the_words_of_the_model() -> None:
    words = [word for fields in families.FIELDS.values() for word in fields.values()]
    words += [word for hooks in families.HOOKS.values() for _, given in hooks for word in given.values()]
    assert [word for word in words if not is_return(word)] == []
