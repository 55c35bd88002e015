"""Tests of metrics against published numbers, other implementations and hand calculations."""
