"""Distributed: values that differ between ranks, and the collectives that they decide."""
