"""TBR602: deterministic mode that only warns, beside exact comparisons."""
