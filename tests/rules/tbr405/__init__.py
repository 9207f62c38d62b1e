"""Two files: the options or the wrapper are in one, the checkpoint call or its `context_fn` in the other."""
