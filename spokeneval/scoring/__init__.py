"""Scoring: options, references, scores, confidence intervals, feedback on hidden labels, and the files of a result."""
