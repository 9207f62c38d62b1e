"""Two files: the reading is in one, the branch in the other."""
