"""Inference beside the serving of one model token by token: items, adapters, drafts, split phases, offload, caches, agents."""
