"""Two files: the reading is in one, the map in the other."""
