"""Fuzzing: any bytes must give a result or a typed refusal. `python -m tests.tools.fuzz` is guided by coverage."""
