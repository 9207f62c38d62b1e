"""Two files: the custom functions are in one, the checkpoint in the other."""
