"""Each task's own part of the report page, in a module with the task's name."""
