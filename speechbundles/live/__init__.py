"""A competition on a server: published, fetched, amended in mid-season."""
