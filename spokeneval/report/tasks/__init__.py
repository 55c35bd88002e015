"""Each task's own part of the page, by its name."""
