"""Every page that people see, opened in Chromium: `python -m tests.tools.browser [PAGE ...]`."""
