"""Answering from the library: passages and their search."""
