"""Two files: the compiled function is in one, the backends in the other."""
