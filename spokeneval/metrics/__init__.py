"""Metrics: arrays in, numbers out. The reference comes first; `counts` states what all formulas share."""
