"""Edit distances between responses and expected texts, in words or characters, after normalisation."""

from collections.abc import Collection, Sequence

from rapidfuzz.distance import Levenshtein


def normal(text: str) -> str:
    """Return text in lower case with single spaces."""
    return " ".join(text.lower().split())


def word_errors(said: str, heard: str) -> int:
    """Return the number of substituted, inserted and deleted words between a transcription and the recognised text."""
    return int(Levenshtein.distance(said.split(), heard.split()))


def nearest(text: str | Sequence[str], texts: Collection[str | Sequence[str]]) -> int:
    """Return the edit distance to the nearest of some texts: in characters, or in words for sequences of words."""
    least = max(len(text), min(map(len, texts)))
    for other in texts:
        least = min(least, Levenshtein.distance(text, other, score_cutoff=least))
    return int(least)
