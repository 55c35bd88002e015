"""Synthesises English with flite, whose voices a recogniser of American English understands, at 16 kHz.

Install it with `apt-get install flite`; there is no package for pip.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from sample_data.audio.speak import RATE, Utterance, trim

VOICES = {
    "development": (("awb", 60), ("slt", 25)),
    "evaluation": (("rms", 80), ("kal16", 55)),
}
"""`set -> voices`, each with the pitch at which the recogniser understands it best."""


def said_by(set: str, number: int, text: str, *, slowest: int) -> Utterance:
    """Return a text as a speaker of a set says it; the sets share no voice.

    slowest: words per minute of the slowest speaker.
    """
    voices = VOICES[set]
    name, pitch = voices[number % len(voices)]
    return Utterance(
        text, name, speed=slowest + 7 * number % 50, pitch=pitch - 10 + 5 * (number // len(voices) % 5)
    )


def speak(utterances: Sequence[Utterance]) -> Iterator[np.ndarray]:
    """Yield the samples of each utterance, from -1 to 1 at 16 kHz, without the silence around it.

    Phones between double brackets are flite's, `[[k ae1 t]]`. A pitch other than 50 raises or lowers all frequencies by
    up to a sixth.

    Raises
    ------
    ValueError: flite is missing, or fails; the message contains its own message.
    """
    import soundfile
    import soxr

    if not shutil.which("flite"):
        raise ValueError("flite is missing, which speaks for this baseline: apt-get install flite")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        for utterance in utterances:
            higher = 1 + (utterance.pitch - 50) / 300
            stretch = ("--setf", f"duration_stretch={175 * higher / utterance.speed:.3f}")
            phones = utterance.text.startswith("[[")
            text = ("-p" if phones else "-t", utterance.text.strip("[]"))
            run = subprocess.run(
                ["flite", "-voice", utterance.voice, *stretch, *text, "-o", str(path)],
                capture_output=True,
                text=True,
            )
            if run.returncode or not path.is_file():
                raise ValueError(
                    f"flite cannot say {utterance.text!r}: {run.stderr.strip() or run.returncode}"
                )
            samples, rate = soundfile.read(path)
            path.unlink()
            yield trim(soxr.resample(samples, rate * higher, RATE))
