"""Two files: the checkpoint, or what it runs, is in one, the partial backward in the other."""
