"""Two files: the tests that keep values out of traces are in one, the branches in the other."""
