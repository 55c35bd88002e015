"""Check every page that people see in Chromium: `python -m tests.tools.browser [PAGE ...]`."""
