"""Kinds of task: from a few parameters to a whole `Task`, with its files, its counts and its scores.

A kind is declared once, in a module of its own, with the parameters that an organiser may set. `kind.read_parameters`
checks what an organiser wrote, `Kind.make` builds the task, and `declared.declared_task` does both.
"""
