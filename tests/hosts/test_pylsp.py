"""python-lsp-server, the way of Helix, Zed, Kate, Spyder and others: findings in the buffer, saved or not."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.driving import HELPED, HELPED_PLACE, PLAIN, ROOT, TENSOR, Rpc, project


def documented() -> dict[str, Any]:
    """The settings that the documentation says to paste."""
    text = ROOT.joinpath("docs", "editors.md").read_text(encoding="utf-8")
    blocks = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    (settings,) = [block for block in blocks if "pylsp" in block]
    return settings


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Rpc]:
    project(tmp_path)
    server = Rpc([sys.executable, "-m", "pylsp"], tmp_path)
    try:
        server.request("initialize", processId=None, rootUri=tmp_path.as_uri(), capabilities={})
        server.notify("initialized")
        settings = documented()
        # An executable that is not there makes the server run its own interpreter's flake8.
        settings["pylsp"]["plugins"]["flake8"]["executable"] = "no-such-flake8"
        server.notify("workspace/didChangeConfiguration", settings=settings)
        yield server
    finally:
        server.close()


def diagnostics(server: Rpc, uri: str) -> list[dict[str, Any]]:
    """The next findings that the server publishes for a file."""

    def published(message: dict[str, Any]) -> bool:
        return message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri

    found: list[dict[str, Any]] = server.wait(published)["params"]["diagnostics"]
    return found


def place(found: dict[str, Any]) -> tuple[int, int]:
    start = found["range"]["start"]
    return start["line"] + 1, start["character"] + 1


def test_open_change_save(tmp_path: Path, server: Rpc) -> None:
    uri = (tmp_path / "main.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": HELPED}
    server.notify("textDocument/didOpen", textDocument=document)
    (found,) = diagnostics(server, uri)
    assert (place(found), found["code"], found["source"], found["severity"]) == (HELPED_PLACE, "TBR101", "flake8", 2)
    assert found["message"].startswith("TBR101 ")
    assert found["range"]["end"] == {"line": 6, "character": len(HELPED.splitlines(keepends=True)[6])}

    # The buffer differs from the disk: two lines more, then a suppression.
    unsaved = "# one\n# two\n" + HELPED
    identifier = {"uri": uri, "version": 2}
    server.notify("textDocument/didChange", textDocument=identifier, contentChanges=[{"text": unsaved}])
    (found,) = diagnostics(server, uri)
    assert place(found) == (HELPED_PLACE[0] + 2, HELPED_PLACE[1])
    silenced = HELPED.replace("else x\n", "else x  # noqa: TBR101\n")
    server.notify("textDocument/didChange", textDocument=identifier, contentChanges=[{"text": silenced}])
    assert diagnostics(server, uri) == []

    # The helper changes on disk; the next save of the file that uses it must see that.
    server.notify("textDocument/didChange", textDocument=identifier, contentChanges=[{"text": HELPED}])
    assert len(diagnostics(server, uri)) == 1
    for helper, count in ((PLAIN, 0), (TENSOR, 1)):
        tmp_path.joinpath("lib.py").write_text(helper)
        server.notify("textDocument/didSave", textDocument={"uri": uri})
        assert len(diagnostics(server, uri)) == count


def test_a_file_that_is_on_no_disk_yet(tmp_path: Path, server: Rpc) -> None:
    uri = (tmp_path / "new.py").as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": HELPED.rstrip()}
    server.notify("textDocument/didOpen", textDocument=document)
    (found,) = diagnostics(server, uri)
    assert place(found) == HELPED_PLACE
