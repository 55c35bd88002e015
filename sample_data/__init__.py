"""Seeded generators of the sample data: synthetic, in the official formats, with the published statistics."""
