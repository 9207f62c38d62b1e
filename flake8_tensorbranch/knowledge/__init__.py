"""What is known about torch, as data."""
