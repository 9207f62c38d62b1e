"""Two files: the normalization is in one, the checkpoint in the other."""
