"""Inference: the abstract values of expressions, names, attributes and calls, by fixpoints and summaries."""
