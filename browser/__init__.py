"""Every page that people see, opened in Chromium: `python -m browser [PAGE ...]`."""
