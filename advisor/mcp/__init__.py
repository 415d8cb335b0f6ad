"""Plans, checks and look-ups as tools for agents, over the Model Context Protocol."""
