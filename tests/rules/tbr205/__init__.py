"""Two files: the state that the region changes is in one, the checkpoint in the other."""
