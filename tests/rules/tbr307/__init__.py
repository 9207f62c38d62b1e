"""Two files: the operator is in one, the region begins in the other."""
