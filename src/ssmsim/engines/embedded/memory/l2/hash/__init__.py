"""Hashes of the L2: home_of(m, line), the slice that owns a line; number_of(m, line), its place among those of its slice."""
