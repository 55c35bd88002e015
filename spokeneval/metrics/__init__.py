"""Metrics: arrays in, numbers out. The reference comes first; what is undefined raises ValueError."""
