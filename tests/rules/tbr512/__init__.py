"""Two files: the home-made checkpoint is in one, the call in the other."""
