"""`python -m flake8_tensorbranch`: the `tensorbranch` command."""

from __future__ import annotations

from flake8_tensorbranch.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
