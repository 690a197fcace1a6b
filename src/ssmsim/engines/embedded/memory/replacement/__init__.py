"""Replacement in L1 and L2: victim(tags, lines, first, ways, line), the way to give up; NONE when all await data."""
