"""Properties: reading never raises, removal keeps what others read, and adding changes comments alone, once."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host, settle
from flake8_tensorbranch.suppressions.add import add_noqa, is_reason
from flake8_tensorbranch.suppressions.edits import without
from flake8_tensorbranch.suppressions.grammar import Action, directives
from tests.coexistence.random_programs import block_programs

WORDS = """
    # noqa NOQA noqa: : , TBR101 TBR201 TBR101] E501 f821 ruff ruff: flake8 ignore file-ignore disable enable [ ] - . ;
    ( é reason
"""
PIECES = st.sampled_from([*WORDS.split(), " ", "  ", "\t", "\xa0", "\x0c", "# noqa: ", "# ruff: ignore["])
COMMENTS = st.builds("#{}".format, st.one_of(st.lists(PIECES, max_size=12).map("".join), st.text(max_size=30)))
HOSTS = st.sampled_from(Host)


@given(COMMENTS, HOSTS)
def test_any_comment_can_be_read(comment: str, host: Host) -> None:
    for found in directives(comment, host):
        assert 0 <= found.start < found.end <= len(comment)
        assert comment[found.start] == "#"
        for word in found.words or ():
            assert comment[word.start : word.end] == word.text
            assert found.start < word.start < word.end <= found.end


@given(COMMENTS, st.data())
def test_a_removal_leaves_what_is_left_as_it_was(comment: str, data: st.DataObject) -> None:
    listed = [found for found in directives(comment, Host.COMMAND) if found.words]
    if not listed:
        return
    chosen = data.draw(st.sampled_from(listed))
    size = len(chosen.words or ())
    indices = data.draw(st.lists(st.integers(0, size - 1), min_size=1, unique=True))
    new = without(comment, chosen, indices)
    if new is None:
        return
    assert new == "" or new.startswith("#")
    texts = [[word.text for word in found.words or ()] for found in listed]
    texts[listed.index(chosen)] = [word.text for i, word in enumerate(chosen.words or ()) if i not in indices]
    after = [found for found in directives(new, Host.COMMAND) if found.words]
    assert [[word.text for word in found.words or ()] for found in after] == [words for words in texts if words]


def code_of(text: str) -> list[tuple[int, str]]:
    """The tokens of a text without comments and line breaks."""
    left_out = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return [(token.type, token.string) for token in tokens if token.type not in left_out]


def undefined(text: str) -> list[Diagnostic]:
    return [
        Diagnostic(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, "TBR101", "found")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name) and node.id == "missing"
    ]


def visible(text: str) -> list[Diagnostic]:
    every = settle(SourceFile("p.py", text), undefined(text), [], Settings(), Host.COMMAND, lambda code: True)
    return [item for item in every if item.code == "TBR101"]


@given(st.integers(0, 10**6), st.sampled_from([None, "why not"]), st.sampled_from(["\n", "\r\n"]))
def test_adding_changes_comments_alone_and_only_once(seed: int, reason: str | None, line_break: str) -> None:
    (text,) = block_programs(seed, 1)
    text = text.replace("F821", "TBR101")
    stored = text.replace("\n", line_break)
    added = add_noqa(stored, visible(text), reason)
    assert added.count(line_break) == stored.count(line_break)
    plain = added.replace(line_break, "\n")
    assert code_of(plain) == code_of(text)
    left = visible(plain)
    assert add_noqa(added, left, reason) == added
    for item in left:
        # What is left is on a line where ruff reads no comment, which then is one inside of a string.
        assert re.search(r'"abc \\$', text.split("\n")[item.line - 1])


@given(COMMENTS, st.sets(st.sampled_from(["TBR101", "TBR201", "TBR606"]), min_size=1))
def test_adding_to_any_comment_keeps_its_other_directives(comment: str, codes: set[str]) -> None:
    text = f"x  {comment}\n"
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    if len([token for token in tokens if token.type == tokenize.COMMENT]) != 1 or "\r" in text:
        return
    added = add_noqa(text, [Diagnostic(1, 0, 1, 1, code, "found") for code in codes])
    if added == text:
        return
    before, after = (directives(it[3:-1], Host.COMMAND) for it in (text, added))
    rest = [[found for found in every if found.action is not Action.NOQA] for every in (before, after)]
    assert [(f.action, [w.text for w in f.words or ()]) for f in rest[0]] == [
        (f.action, [w.text for w in f.words or ()]) for f in rest[1]
    ]
    (read,) = [found for found in after if found.action is Action.NOQA]
    old = {word.text for found in before if found.action is Action.NOQA for word in found.words or ()}
    assert [word.text for word in read.words or ()] == sorted(codes | old)


@given(st.text(max_size=20))
def test_a_reason_is_no_part_of_the_list(reason: str) -> None:
    if is_reason(reason):
        for host in Host:
            (found,) = directives(f"# noqa: TBR101 {reason}", host)
            assert [word.text for word in found.words or ()] == ["TBR101"]
