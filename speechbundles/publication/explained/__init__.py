"""Explanations of item difficulty: annotators' flags and properties of texts, by the number of systems that are wrong.

Each task that supports this has a module here with a function `explain`.
"""
