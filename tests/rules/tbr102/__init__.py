"""Two files: the reading is in one, the loop in the other."""
