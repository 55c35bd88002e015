"""Metrics against published numbers, other implementations and calculations by hand."""
