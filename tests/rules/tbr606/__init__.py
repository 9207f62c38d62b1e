"""Two files: the run is made deterministic in one, and shuffles in the other."""
