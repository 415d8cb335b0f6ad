"""A plan as text for a terminal and as Markdown."""
