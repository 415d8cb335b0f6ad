"""Sizing: formulas over a table of candidates, one file a subject."""
