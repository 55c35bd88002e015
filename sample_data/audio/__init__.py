"""Speech made by a synthesiser, and boards of the baselines that listen to it.

Everything here is synthetic: it checks the code and predicts nothing. `python -m sample_data.audio` makes the speech,
runs the audio baselines of the starting kits on it and prints a board for each task. Needs the extra `[audio]`.
"""

SYNTHETIC = "synthetic: it checks the code and predicts nothing"
"""What every board, page and folder of synthetic speech says."""
