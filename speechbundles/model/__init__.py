"""A built zip, read."""
