"""Fixes: which edits are applied, to a text and to the bytes of its file, until nothing is left to do."""
