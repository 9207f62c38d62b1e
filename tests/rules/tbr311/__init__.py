"""Two files: the function or its helper is in one, the trace begins in the other."""
