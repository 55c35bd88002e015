"""What makes items hard: annotators' flags and what texts tell, by how many systems are wrong; a module a task.

A task's module has a function `explain`.
"""
