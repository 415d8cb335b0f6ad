"""Arithmetic of checking a quote: power, memory, network, host, storage, money and time."""
