"""Repairs: what to change in the source text so that a finding is gone, as edits that rules hand on."""
