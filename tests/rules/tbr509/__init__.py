"""Two files: the module stores the loss in one, the reentrant checkpoint is in the other."""
