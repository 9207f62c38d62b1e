"""Two files: the reading, or the whole loop, is in one, the region begins in the other."""
