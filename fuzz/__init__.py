"""Fuzzing: whatever the bytes, a result or a typed refusal. `python -m fuzz` is guided by coverage."""
