"""Serving under traffic: continuous batching of one configuration, advanced from event to event. Import its modules by name."""
