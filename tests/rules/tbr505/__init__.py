"""Two files: the block or the shared tensor is made in one, the reentrant checkpoint is in the other."""
