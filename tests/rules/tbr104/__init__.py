"""Two files: the collectives are in one, what a rank decides for itself in the other."""
