"""Two files: torch's function goes by another name in one, and is called in the other."""
