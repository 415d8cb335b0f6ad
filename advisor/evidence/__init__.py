"""Measured cases: how estimates compare with them."""
