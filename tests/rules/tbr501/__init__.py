"""TBR501: a reentrant checkpoint none of whose direct tensor arguments can require grad."""
