"""Two files: the checkpointed or compiled code is in one, the other half in the other."""
