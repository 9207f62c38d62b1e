"""Checkpointing: what a region runs and changes, which scopes are open, which backward recomputes it."""
