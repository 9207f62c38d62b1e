"""Two files: the handler is in one, the checkpoint in the other."""
