"""Training: what a run needs of memory and time, as formulas over a table of layouts."""
