"""Two files: the region that draws is in one, the checkpoint that does not restore in the other."""
