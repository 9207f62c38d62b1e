"""Spellings of the entry that a single look at the text may miss."""
