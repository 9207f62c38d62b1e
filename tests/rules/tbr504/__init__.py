"""Two files: the function is in one, its reentrant checkpoint in the other."""
