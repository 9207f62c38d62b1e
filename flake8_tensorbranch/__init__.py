"""A linter for PyTorch hazards that run for weeks and then bend a number."""

__version__ = "0.1.0"
