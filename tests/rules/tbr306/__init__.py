"""Two files: the number is read in one, the region begins in the other."""
