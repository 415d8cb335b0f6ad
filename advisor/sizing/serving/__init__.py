"""Speed of one replica: an engine step from memory, compute and links, and what users see of it."""
