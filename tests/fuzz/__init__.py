"""Hostile input thrown at every reader: `python -m tests.fuzz --cases 10000 --seed 1` counts what becomes of it."""
