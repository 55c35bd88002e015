"""Mutation testing: whether a test fails when what decides a score is changed. `python -m mutation [MODULE ...]`."""
