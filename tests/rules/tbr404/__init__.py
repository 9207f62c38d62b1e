"""Two files: the two contexts are chosen in one, the checkpoint is in the other."""
