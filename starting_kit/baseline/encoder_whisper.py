"""An encoder from a folder with a Whisper model of the package `transformers`.

    --encoder baseline/encoder_whisper.py --weights FOLDER

FOLDER is one that `save_pretrained` has written, with `config.json`, `preprocessor_config.json` and the weights.
"""

import numpy as np
import torch
from transformers import AutoFeatureExtractor, AutoModel

RATE = 50
WINDOW = 30 * 16_000
"""Whisper always hears 30 seconds; shorter parts are padded, and the frames of the padding left out."""

network = extractor = None


def load(folder):
    global network, extractor
    device = "cuda" if torch.cuda.is_available() else "cpu"
    extractor = AutoFeatureExtractor.from_pretrained(folder, local_files_only=True)
    network = AutoModel.from_pretrained(folder, local_files_only=True).encoder.eval().to(device)


@torch.inference_mode()
def frames(samples):
    parts = []
    for start in range(0, len(samples), WINDOW):
        part = samples[start : start + WINDOW]
        heard = extractor(part, sampling_rate=16_000, return_tensors="pt").input_features
        found = network(heard.to(network.device)).last_hidden_state[0]
        parts.append(found[: -(-len(part) * RATE // 16_000)].float().cpu().numpy())
    return np.concatenate(parts)
