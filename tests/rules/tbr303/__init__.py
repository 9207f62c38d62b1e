"""Two files: the state changes in one, the region begins in the other."""
