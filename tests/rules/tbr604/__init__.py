"""Two files: the result is computed in one, and held to an old one in the other."""
