"""Ways to start hosts of flake8 as child processes, and a project for them to look at."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
SECONDS = 60.0

HELPED = """\
import torch

from lib import helper


def run(x: torch.Tensor) -> torch.Tensor:
    é = "ü"; y = x * 2 if helper(x) else x
    return y
"""
# What a linter says of HELPED where `helper` is TENSOR: line and column from 1, the column in characters.
HELPED_PLACE = (7, 27)
TENSOR = "def helper(x):\n    return x.sum() > 0\n"
PLAIN = "def helper(x):\n    return len(x) > 0\n"


class Done(NamedTuple):
    """A finished process."""

    status: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """Ours, with this checkout and this interpreter's commands first."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}


def run(command: Sequence[str], cwd: Path, stdin: str | bytes | None = None, **more: str) -> Done:
    """Run a command to its end; text is UTF-8."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        command, cwd=cwd, input=data, capture_output=True, check=False, env=environment(**more), timeout=4 * SECONDS
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def flake8(*arguments: str, cwd: Path, stdin: str | bytes | None = None, **more: str) -> Done:
    """Run this interpreter's flake8."""
    return run([sys.executable, "-m", "flake8", *arguments], cwd, stdin, **more)


def project(folder: Path, helper: str = TENSOR) -> Path:
    """A root with `main.py`, whose one finding hangs on the text of `lib.py`."""
    folder.joinpath("setup.cfg").touch()
    folder.joinpath("main.py").write_text(HELPED, encoding="utf-8")
    folder.joinpath("lib.py").write_text(helper, encoding="utf-8")
    return folder


class Rpc:
    """A child that speaks JSON with `Content-Length` headers over its standard streams, as language servers do."""

    def __init__(self, command: Sequence[str], cwd: Path, **more: str) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment(**more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._receive, daemon=True).start()
        self._ids = iter(range(1, 1_000_000))

    def _receive(self) -> None:
        for message in self._read():
            self._messages.put(message)
        self._messages.put(None)

    def _read(self) -> Iterator[dict[str, Any]]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        for header in iter(stream.readline, b""):
            name, _, value = header.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            elif not header.strip() and length:
                yield json.loads(stream.read(length))
                length = 0

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message."""
        data = json.dumps(message).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification of the language server protocol."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, **params: Any) -> Any:
        """Send a request, and wait for its result."""
        number = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.wait(lambda message: message.get("id") == number and "method" not in message)["result"]

    def wait(self, wanted: Any) -> dict[str, Any]:
        """The next message that is wanted; requests of the server that come before it get an empty answer."""
        while True:
            message = self._messages.get(timeout=SECONDS)
            assert message is not None, "the server has ended"
            if "method" in message and "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
            if wanted(message):
                return message

    def close(self) -> None:
        """End the child."""
        self.process.kill()
        self.process.communicate()
