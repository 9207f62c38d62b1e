"""Two files: the module that checkpoints is in one, the change before its backward in the other."""
