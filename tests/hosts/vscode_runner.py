"""The process in which VS Code's flake8 extension keeps flake8 loaded for an interpreter that is not its own.

It is the extension's runner script: the message loop of Microsoft's shared library around its `run_module`, which runs
`python -m flake8` in this very process with other standard streams.
"""

import sys

from vscode_common_python_lsp import JsonRpc, RunResult, run_message_loop, run_module

if __name__ == "__main__":
    run_message_loop(JsonRpc(sys.stdin.buffer, sys.stdout.buffer), run_module, RunResult)
