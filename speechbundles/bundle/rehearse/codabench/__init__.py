"""Codabench: bundles of version 2."""
