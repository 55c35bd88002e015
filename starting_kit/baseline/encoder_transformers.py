"""An encoder from a folder with a wav2vec 2.0, HuBERT or WavLM model of the package `transformers`.

    --encoder baseline/encoder_transformers.py --weights FOLDER

FOLDER is one that `save_pretrained` has written, with `config.json` and the weights. The frames are those of the layer
`LAYER`; layers in the middle usually separate languages and phones best.
"""

import numpy as np
import torch
from transformers import AutoModel

RATE = 50
LAYER = -1
LONGEST = 30 * 16_000
"""Samples that are encoded at once; longer recordings are cut, because the cost grows with the square of the length."""

network = None


def load(folder):
    global network
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = AutoModel.from_pretrained(folder, local_files_only=True).eval().to(device)


@torch.inference_mode()
def frames(samples):
    # The last part has at least one frame.
    cuts = range(LONGEST, len(samples) - 400, LONGEST)
    parts = [_encode(part) for part in np.split(samples, cuts)]
    return np.concatenate(parts)


def _encode(samples):
    samples = np.pad(samples, (0, max(0, 400 - len(samples))))
    scaled = (samples - samples.mean()) / (samples.std() + 1e-7)
    heard = network(torch.from_numpy(scaled)[None].to(network.device), output_hidden_states=True)
    return heard.hidden_states[LAYER][0].float().cpu().numpy()
