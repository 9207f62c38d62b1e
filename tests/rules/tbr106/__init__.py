"""Two files: the nondeterministic operator is in one, the decision in the other."""
