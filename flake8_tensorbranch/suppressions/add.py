"""The adding of `noqa` comments: each finding's code goes onto the line where every host reads it."""

from __future__ import annotations

import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable

from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host
from flake8_tensorbranch.suppressions.grammar import Action, Directive, directives
from flake8_tensorbranch.suppressions.layout import Layout


def is_reason(text: str) -> bool:
    """Whether a text can stand behind a list of codes and be no part of it, for any host."""
    if not text.isprintable() or not text.strip() or "#" in text:
        return False
    comment = f"# noqa: TBR101 {text}"
    read = [directives(comment, host) for host in Host]
    return all([word.text for word in found.words or ()] == ["TBR101"] for (found, *_) in read)


def add_noqa(text: str, findings: Iterable[Diagnostic], reason: str | None = None) -> str:
    """The text with a `noqa` comment for each of its findings, none of which a comment hides yet.

    A line's codes join the list that is there, sorted; its reason and other comments stay, and `reason` is written
    where there is none. Line breaks and a byte order mark stay as they are. No comment is made for the tool's own codes
    (`TBR0`), on a line whose `noqa` names no code or cannot be read, or in a text that `tokenize` does not take.
    """
    source = SourceFile("", text)
    try:
        layout = Layout(source.text)
    except (tokenize.TokenError, SyntaxError):
        return text
    codes: dict[int, set[str]] = defaultdict(set)
    for item in findings:
        if item.code.startswith("TBR") and not item.code.startswith("TBR0"):
            codes[layout.noqa_line(source.position(item.line, item.column)[0])].add(item.code)
    comments = {comment.line: comment for comment in layout.comments}
    parts = re.split(r"(\r\n|\r|\n)", text)
    for line, wanted in codes.items():
        row, comment = parts[2 * line - 2], comments.get(line)
        merged = _merged(comment.text if comment else "", wanted, reason)
        if merged is not None and layout.ends_in_line_break(line):
            code = row[: len(row) - len(comment.text)] if comment else row
            parts[2 * line - 2] = f"{code.rstrip()}  {merged}" if code.strip("\ufeff \t\f") else code + merged
    return "".join(parts)


def _merged(comment: str, wanted: set[str], reason: str | None) -> str | None:
    """The comment with these codes in its list; None if its `noqa` is a blanket to a host, or not read by the command.

    Only the first `noqa` of a comment counts, so that none can be put behind one that is malformed.
    """
    command, flake8 = (_noqa(comment, host) for host in (Host.COMMAND, Host.FLAKE8))
    if any(found is not None and found.words is None for found in (command, flake8)):
        return None
    behind = f" {reason}" if reason else ""
    before, after, codes = comment, "", wanted
    if command is not None:
        before, after = comment[: command.start], comment[command.end :].rstrip()
        codes = {*wanted, *(word.text for word in command.words or ())}
    if after.lstrip().startswith("#"):
        after = f"{behind}  {after.lstrip()}"
    merged = "  ".join(filter(None, (before.rstrip(), f"# noqa: {', '.join(sorted(codes))}{after or behind}")))
    read = _noqa(merged, Host.COMMAND)
    return merged if read and [word.text for word in read.words or ()] == sorted(codes) else None


def _noqa(comment: str, host: Host) -> Directive | None:
    return next((found for found in directives(comment, host) if found.action is Action.NOQA), None)
