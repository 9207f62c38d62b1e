"""Two files: the `context_fn` is in one, the checkpoint in the other."""
