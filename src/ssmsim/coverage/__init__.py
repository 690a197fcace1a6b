"""How much of a captured program can be replayed, and what is missing."""
