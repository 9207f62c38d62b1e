"""The rule pages shipped as package data: one Markdown file for each code."""

from __future__ import annotations

import functools
import re
from importlib import metadata, resources
from typing import NamedTuple


class Page(NamedTuple):
    """The page of one code: its heading `# TBRNNN tbr-name`, its `Class:` line, and the whole text."""

    code: str
    name: str
    rule_class: str
    text: str

    @property
    def opt_in(self) -> bool:
        """Whether the rule runs only where it is enabled; one that is opt-in in part is not."""
        return self.rule_class.startswith("I")

    @property
    def summary(self) -> str:
        """The first paragraph under "What it does", on one line."""
        body = self.text.partition("## What it does\n")[2]
        return " ".join(body.strip().split("\n\n")[0].split())


@functools.cache
def pages() -> dict[str, Page]:
    """Every page by code, in the order of the codes; raises `ValueError` for a page without heading or class."""
    found = {}
    for entry in resources.files(__package__).joinpath("docs").iterdir():
        if re.fullmatch(r"TBR[0-9]{3}\.md", entry.name):
            page = parse(entry.name[:6], entry.read_text(encoding="utf-8"))
            found[page.code] = page
    return dict(sorted(found.items()))


def parse(code: str, text: str) -> Page:
    """The page `text` of `code`; raises `ValueError` if it does not begin as a page of that code must."""
    head = re.match(r"# (TBR[0-9]{3}) (tbr-[a-z0-9-]+)\n\nClass: (.+)\n", text)
    if head is None or head[1] != code:
        raise ValueError(f"{code}.md does not begin with '# {code} tbr-name' and a 'Class:' line")
    return Page(code, head[2], head[3], text)


def rule_name(code: str) -> str:
    """The name of `code`, which stands for itself while it has no page (`invalid-syntax` has none)."""
    page = pages().get(code)
    return page.name if page else code


def rule_url(code: str) -> str | None:
    """The address of the code's page: below the project URL named `Rules`; None without such a URL or page."""
    base = _urls().get("rules")
    return f"{base.rstrip('/')}/{code}.md" if base and code in pages() else None


def project_url() -> str | None:
    """The project's home page, as its metadata says; None if they say nothing."""
    return _urls().get("homepage")


@functools.cache
def _urls() -> dict[str, str]:
    """The project URLs of the installed distribution by lower-case label, none if it is not installed."""
    try:
        given = metadata.metadata("flake8-tensorbranch").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return {}
    return {label.strip().lower(): url.strip() for label, _, url in (item.partition(",") for item in given)}
