"""Three files: one checkpoints by bases and helpers, one has blocks, one puts these together."""
