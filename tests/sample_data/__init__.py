"""The generators of synthetic data."""
