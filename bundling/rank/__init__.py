"""The board of a task, from many scoring outputs."""
