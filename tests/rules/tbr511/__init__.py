"""Two files: the number or the chain is made in one, the segments in the other."""
