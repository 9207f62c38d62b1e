"""Lookup: what the source alone says, without solving: origins, slices, loops, options, control dependence."""
