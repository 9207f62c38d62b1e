"""Two files: the module or its helper is in one, the export in the other."""
