"""Two files: the score is made in one, the verdict in the other."""
