"""Word recognition with pocketsphinx and the American English model in its wheel.

The bigrams come from transcriptions. Words that are not in the wheel's dictionary cannot be recognised.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from math import log10
from pathlib import Path

import numpy as np
from pocketsphinx import Decoder, get_model_path

START, END, UNKNOWN = "<s>", "</s>", "<UNK>"


def words_of(text: str) -> list[str]:
    """Return the words of a transcription as the dictionary writes them: lower case, no punctuation but apostrophes."""
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)*", text.lower().replace("\u2019", "'"))


def make_recogniser(transcriptions: Iterable[str]) -> Decoder:
    """Return a recogniser of sentences like the transcriptions; print words it cannot recognise to standard error."""
    sentences = [words_of(text) for text in transcriptions]
    dictionary = read_dictionary()
    said = Counter(word for sentence in sentences for word in sentence)
    unheard = [word for word, _ in said.most_common() if word not in dictionary]
    if unheard:
        share = 100 * sum(said[word] for word in unheard) / sum(said.values())
        shown = ", ".join(unheard[:20]) + (" ..." if len(unheard) > 20 else "")
        print(
            f"{len(unheard)} of {len(said)} words ({share:.1f} % of the spoken words) are not in pocketsphinx's "
            f"dictionary and cannot be recognised: {shown}",
            file=sys.stderr,
        )
    known = [[word if word in dictionary else UNKNOWN for word in sentence] for sentence in sentences]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "bigrams.arpa")
        model.write_text(bigram_model(known), encoding="utf-8")
        return Decoder(lm=str(model), loglevel="FATAL")


def read_dictionary() -> set[str]:
    """Return the words of the dictionary in pocketsphinx's wheel."""
    with open(get_model_path("en-us/cmudict-en-us.dict"), encoding="utf-8") as source:
        return {line.split()[0] for line in source if line.strip()}


def bigram_model(sentences: Sequence[Sequence[str]]) -> str:
    """Return a bigram model in the ARPA format, with the smoothing of Witten and Bell (1991).

    After a word that occurred n times, before t different words, a seen bigram has probability count / (n + t). The
    rest, t / (n + t), is shared by the words that were not seen there, in proportion to their unigrams.
    """
    bigrams: dict[str, Counter[str]] = {}
    for sentence in sentences:
        for before, word in zip([START, *sentence], [*sentence, END]):
            bigrams.setdefault(before, Counter())[word] += 1
    unigrams = sum(bigrams.values(), Counter())
    total = sum(unigrams.values())
    lines = []
    for word in sorted({*unigrams, START}):
        probability = log10(unigrams[word] / total) if word in unigrams else -99.0
        lines.append(f"{probability:.4f}\t{word}\t{backoff(bigrams.get(word, Counter()), unigrams):.4f}")
    seen = []
    for before, following in sorted(bigrams.items()):
        weight = sum(following.values()) + len(following)
        seen += [f"{log10(count / weight):.4f}\t{before} {word}" for word, count in sorted(following.items())]
    counts = [f"ngram 1={len(lines)}", f"ngram 2={len(seen)}"]
    return "\n".join(
        ["\\data\\", *counts, "", "\\1-grams:", *lines, "", "\\2-grams:", *seen, "", "\\end\\", ""]
    )


def backoff(following: Counter[str], unigrams: Counter[str]) -> float:
    """Return the log weight of words not seen after a word; 0 if no word, or every word, was seen after it."""
    unseen = 1 - sum(unigrams[word] for word in following) / sum(unigrams.values())
    if not following or unseen <= 0:
        return 0.0
    return log10(len(following) / (sum(following.values()) + len(following)) / unseen)


def transcribe(recogniser: Decoder, samples: np.ndarray) -> str:
    """Return the recognised words of a recording: int16, shape=(n,), 16 kHz."""
    recogniser.reinit_feat()  # reset the channel estimate of earlier recordings
    recogniser.start_utt()
    recogniser.process_raw(samples.tobytes(), full_utt=True)
    recogniser.end_utt()
    heard = recogniser.hyp()
    return heard.hypstr if heard else ""
