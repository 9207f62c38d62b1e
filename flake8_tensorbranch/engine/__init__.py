"""The inference engine: lattice, transfer functions, summaries, regions and sinks."""
