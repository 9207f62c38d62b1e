"""Two files: the module is in one, its export and its declared dimensions in the other."""
