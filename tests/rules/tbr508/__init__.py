"""TBR508: reentrant checkpoints under DDP."""
