"""The guided terminal: questions on the left, the plan they make on the right."""
