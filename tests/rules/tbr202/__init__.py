"""Two files: the state is changed in one and decides a branch in the other."""
