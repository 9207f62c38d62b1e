"""Compiling: what a tracer meets beside decisions: reads, sizes, state, settings."""
