"""Two files: the scope or the switch is in one, the region that reads it in the other."""
