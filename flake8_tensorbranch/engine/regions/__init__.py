"""Regions: which functions run checkpointed, compiled, exported, traced or mapped, and the way that leads there."""
