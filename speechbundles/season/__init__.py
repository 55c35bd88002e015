"""A whole competition, rehearsed."""
