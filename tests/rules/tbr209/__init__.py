"""Two files: the cache is in one, the checkpoint in the other."""
