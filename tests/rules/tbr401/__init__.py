"""TBR401: a kernel's scope ends before the backward that recomputes the checkpointed calls made in it."""
