"""What options mean, and that a wrong value is named."""

from __future__ import annotations

import pytest

from flake8_tensorbranch.diagnostic import Confidence
from flake8_tensorbranch.selection import Choice, chosen, selectors
from flake8_tensorbranch.settings import OPTIONS, Settings, SettingsError

KNOWN = ("TBR000", "TBR101", "TBR102", "TBR201")


def test_defaults_are_what_no_option_gives() -> None:
    empty = {option.dest: option.default for option in OPTIONS}
    assert Settings.from_options(empty) == Settings.from_options({}) == Settings()


@pytest.mark.parametrize("given", ["TBR1, TBR201\nTBR1", ["TBR1", "TBR201"], ["TBR1,TBR201"], ("TBR1", " TBR201 ", "")])
def test_lists_come_as_text_or_lists(given: object) -> None:
    assert Settings.from_options({"tbr_enable": given}).enable == ("TBR1", "TBR201")


def test_every_option_is_read() -> None:
    options = {
        "tbr_enable": ["TBR"],
        "tbr_compiled": ["*"],
        "tbr_checkpointed": ["m.*:Block.forward"],
        "tbr_confidence": "certain",
        "tbr_words": ["jax"],
        "tbr_torch": "2.13",
    }
    expected = Settings(("TBR",), ("*",), ("m.*:Block.forward",), Confidence.CERTAIN, ("jax",), "2.13")
    assert set(options) == {option.dest for option in OPTIONS}
    assert Settings.from_options(options) == expected
    assert expected.gate_words == ("torch", "jax")


@pytest.mark.parametrize(
    ("dest", "value"),
    [
        ("tbr_enable", ["E501"]),
        ("tbr_enable", ["tbr101"]),
        ("tbr_enable", ["TBR1011"]),
        ("tbr_enable", ["TBR101 TBRx"]),
        ("tbr_compiled", ["a:b:c"]),
        ("tbr_compiled", ["src/model.py"]),
        ("tbr_checkpointed", [":f"]),
        ("tbr_checkpointed", ["module:"]),
        ("tbr_confidence", "high"),
        ("tbr_torch", "two"),
        ("tbr_torch", "2"),
    ],
)
def test_a_wrong_value_is_named(dest: str, value: object) -> None:
    with pytest.raises(SettingsError, match="--" + dest.replace("_", "-")):
        Settings.from_options({dest: value})


@pytest.mark.parametrize(
    ("glob", "module", "qualname", "expected"),
    [
        ("*", "m", "f", True),
        ("*", None, "A.f", True),
        ("Block.*", "m", "Block.forward", True),
        ("Block.*", None, "Block.forward", True),
        ("forward", "m", "Block.forward", False),
        ("m:Block.forward", "m", "Block.forward", True),
        ("m:Block.forward", "n", "Block.forward", False),
        ("m.*:*.forward", "m.a.b", "A.B.forward", True),
        ("m.*:*.forward", "m", "A.forward", False),
        ("m:*", None, "f", False),
        ("*:f", None, "f", True),
        ("block.*", "m", "Block.forward", False),
    ],
)
def test_globs(glob: str, module: str | None, qualname: str, expected: bool) -> None:
    assert Settings(compiled=(glob,)).matches("compiled", module, qualname) is expected
    assert Settings(checkpointed=(glob,)).matches("checkpointed", module, qualname) is expected
    assert not Settings(compiled=(glob,)).matches("checkpointed", module, qualname)


def test_opt_in_rules_need_a_prefix() -> None:
    assert Settings().is_enabled("TBR101", opt_in=False)
    assert not Settings().is_enabled("TBR103", opt_in=True)
    for prefix in ("TBR", "TBR1", "TBR103"):
        assert Settings(enable=(prefix,)).is_enabled("TBR103", opt_in=True)
    assert not Settings(enable=("TBR2", "TBR104")).is_enabled("TBR103", opt_in=True)


@pytest.mark.parametrize(
    ("select", "ignore", "reported"),
    [
        ([], [], {"TBR000", "TBR101", "TBR102", "TBR201"}),
        (["TBR1"], [], {"TBR101", "TBR102"}),
        (["TBR1"], ["TBR102"], {"TBR101"}),
        (["TBR102"], ["TBR1"], {"TBR102"}),
        (["TBR101"], ["TBR101"], set()),
        ([], ["TBR1"], {"TBR000", "TBR201"}),
        (["TBR101,TBR201"], [], {"TBR101", "TBR201"}),
        (["TBR"], ["TBR"], set()),
    ],
)
def test_selection_is_by_the_longest_prefix(select: list[str], ignore: list[str], reported: set[str]) -> None:
    only = selectors("--select", select, KNOWN) if select else None
    choice = Choice(only, without=selectors("--ignore", ignore, KNOWN))
    assert chosen([choice], KNOWN, KNOWN) == reported


def test_an_unknown_selector_is_named() -> None:
    with pytest.raises(SettingsError, match="--ignore: unknown rule selector 'E5'"):
        selectors("--ignore", ["E5"], KNOWN)
