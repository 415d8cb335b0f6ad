"""Questions: what each asks, when it applies, and what is a valid answer."""
