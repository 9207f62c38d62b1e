"""Two files: the size is read or looped over in one, the region begins in the other."""
