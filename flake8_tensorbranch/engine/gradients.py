"""Which values can require grad, as far as a file tells."""

from __future__ import annotations

from flake8_tensorbranch.engine.origins import Origins
from flake8_tensorbranch.engine.recomputes import Recompute, Recomputes


class Gradients:
    def __init__(self, origins: Origins, recomputes: Recomputes) -> None:
        self.origins = origins

    def of(self, made: Recompute) -> dict[str, object]:
        return {}
