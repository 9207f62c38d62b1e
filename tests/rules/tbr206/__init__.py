"""Two files: the wrapper that checkpoints is in one, the closure over a loop variable in the other."""
