"""Synthetic speech, and leaderboards of the audio baselines on it.

Results on synthetic speech check the code and predict nothing. `python -m sample_data.audio` makes the speech, runs the
audio baselines of the starting kits on it and prints a leaderboard for each task. It needs the extra `[audio]`.
"""

SYNTHETIC = "synthetic: it checks the code and predicts nothing"
"""The note on every leaderboard, page and folder of synthetic speech."""
