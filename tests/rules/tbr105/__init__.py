"""Two files: the reading is in one, the check in the other."""
