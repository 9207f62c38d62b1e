"""Reproducibility: settings, generators and comparisons on which a run's repetition rests."""
