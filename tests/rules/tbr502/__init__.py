"""TBR502: keyword arguments for the function of a reentrant checkpoint."""
