"""Each task from end to end."""
