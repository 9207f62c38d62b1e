"""Two files: the base class, or the generator, is in one, the dataset in the other."""
