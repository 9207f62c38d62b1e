"""Branching: what a branch decides, and what its form, or a promise, says of it."""
