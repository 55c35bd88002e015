"""Synthesises sentences with espeak-ng, at 16 kHz.

The library crashes in a process that synthesises much speech, so every few utterances are made in a new process. It
varies voices at random; its generator is seeded again for each utterance, so that the same list of utterances gives the
same samples.
"""

from __future__ import annotations

import ctypes
import io
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

RATE = 16_000
"""Samples per second of the returned speech."""

ESPEAK_RATE = 22_050
UTTERANCES_A_PROCESS = 40

SYNCHRONOUS = 2
UTF8_WITH_PHONEMES = 0x1 | 0x100
SPEED, PITCH, RANGE = 1, 3, 4


@dataclass(frozen=True)
class Utterance:
    """A text and how it is spoken.

    Attributes
    ----------
    text: words, or phonemes of espeak between double brackets, `[[k'at]]`. Voices of `cmn` read pinyin with a digit
        for the tone, `ni3 hao3`.
    voice: a language and, after a plus sign, a variant: `en-us+f3`.
    speed: words per minute, 80 to 450.
    pitch, range: the pitch of the voice and the range of its melody, 0 to 99.
    """

    text: str
    voice: str
    speed: int = 175
    pitch: int = 50
    range: int = 50


def speak(utterances: Sequence[Utterance]) -> Iterator[np.ndarray]:
    """Yield the samples of each utterance, from -1 to 1 at 16 kHz, without the silence around it.

    Raises
    ------
    ValueError: espeak-ng refuses an utterance or fails; the message contains its own message.
    """
    from scipy.signal import resample_poly

    root = Path(__file__).resolve().parents[2]
    for start in range(0, len(utterances), UTTERANCES_A_PROCESS):
        batch = json.dumps(
            [asdict(utterance) for utterance in utterances[start : start + UTTERANCES_A_PROCESS]]
        )
        command = [sys.executable, "-m", "sample_data.audio.speak"]
        run = subprocess.run(command, input=batch.encode(), capture_output=True, cwd=root)
        if run.returncode:
            reason = (run.stderr.decode().strip() or f"exit status {run.returncode}").splitlines()[-1]
            raise ValueError(f"espeak-ng failed at utterance {start + 1} or a later one: {reason}")
        with np.load(io.BytesIO(run.stdout)) as spoken:
            for name in spoken.files:
                yield trim(resample_poly(spoken[name] / 32768, 320, 441))


def trim(samples: np.ndarray, *, floor: float = 0.01) -> np.ndarray:
    """Return the samples from the first to the last that is at least `floor` times the loudest one."""
    loud = np.flatnonzero(np.abs(samples) >= floor * np.abs(samples).max(initial=0.0))
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples


def _speak_here(utterances: Sequence[Utterance]) -> list[np.ndarray]:
    """Return the samples of each utterance as synthesised by espeak, 16 bits at 22,050 Hz."""
    import espeakng_loader

    library = espeakng_loader.load_library()
    data = Path(espeakng_loader.get_data_path())
    if library.espeak_Initialize(SYNCHRONOUS, 0, str(data).encode(), 0) != ESPEAK_RATE:
        raise ValueError("espeak-ng cannot be started")
    chunks: list[np.ndarray] = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
    def keep(samples, count, events):
        if samples and count:
            chunks.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    library.espeak_SetSynthCallback(keep)
    spoken = []
    for utterance in utterances:
        variant = utterance.voice.partition("+")[2]
        known = not variant or (data / "voices" / "!v" / variant).is_file()
        if library.espeak_SetVoiceByName(utterance.voice.encode()) or not known:
            raise ValueError(f"espeak-ng has no voice {utterance.voice!r}")
        for parameter, value in (
            (SPEED, utterance.speed),
            (PITCH, utterance.pitch),
            (RANGE, utterance.range),
        ):
            library.espeak_SetParameter(parameter, value, 0)
        library.espeak_ng_SetRandSeed(1)
        text = utterance.text.encode() + b"\0"
        if library.espeak_Synth(text, ctypes.c_size_t(len(text)), 0, 0, 0, UTF8_WITH_PHONEMES, None, None):
            raise ValueError(f"{utterance.text!r} cannot be synthesised")
        library.espeak_Synchronize()
        spoken.append(np.concatenate([*chunks, np.zeros(0, np.int16)]).astype(np.int16))
        chunks.clear()
        if not spoken[-1].any():
            raise ValueError(f"{utterance.text!r} is silent in voice {utterance.voice!r}")
    return spoken


if __name__ == "__main__":
    listed = [Utterance(**fields) for fields in json.load(sys.stdin)]
    buffer = io.BytesIO()
    np.savez(buffer, *_speak_here(listed))
    sys.stdout.buffer.write(buffer.getvalue())
