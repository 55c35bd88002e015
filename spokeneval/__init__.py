"""Scores of speech challenges: what decides a number on a leaderboard, written once.

This package travels unchanged into every scoring program, ingestion program and starting kit. It needs
numpy alone and runs on Python 3.9 with numpy 1.19 as well as on the newest of both.

`metrics` takes arrays and returns numbers; `submissions` reads files and refuses bad ones, naming every
problem; `results` writes the scores.
"""

__version__ = "0.1.0"
