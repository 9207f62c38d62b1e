"""TBR102: loops whose rounds make a result and no tensor are reported only where the rule is enabled, which it is not here."""

from torch import Tensor


def words(ids: Tensor, names: dict[int, str]) -> list[str]:
    return [names[i] for i in ids.nonzero().flatten().tolist()]  # ok: [TBR102] no tensor work in the rounds: a result


def longest(ids: Tensor) -> int:
    best = 0
    for i in ids.nonzero().flatten().tolist():  # ok: [TBR102] counts, and nothing else
        best = max(best, i)
    return best


def doubled(ids: Tensor, table: Tensor) -> list[Tensor]:
    return [table[i] * 2 for i in ids.nonzero().flatten().tolist()]  # error: [TBR102]
