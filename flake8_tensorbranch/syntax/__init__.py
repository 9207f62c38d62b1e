"""Syntax: astroid trees, names and control-flow graphs, without inference."""
