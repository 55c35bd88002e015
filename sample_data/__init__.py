"""Seeded generators of the sample data: synthetic, in the official formats, at the published statistics."""
