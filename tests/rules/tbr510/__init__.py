"""Two files: autograd is asked in one, the reentrant checkpoint is in the other."""
