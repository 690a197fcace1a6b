"""Search: the cheapest configuration that reaches a speed-up, or the front of speed-up against area."""
