"""Metrics: functions from arrays to numbers. The reference comes first; `counts` documents what all metrics share."""
