"""Memory of one accelerator: weights, cache, what the engine keeps for itself, and what is left."""
