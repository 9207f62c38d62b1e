"""Two files: one compiles what it is given, the other gives it."""
