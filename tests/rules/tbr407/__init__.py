"""Two files: the module that checkpoints is in one, the `functional_call` in the other."""
