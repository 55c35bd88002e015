"""How far responses are from what is expected of them, in words or characters: edit distances of normalised texts."""

from collections.abc import Collection, Sequence

from rapidfuzz.distance import Levenshtein


def normal(text: str) -> str:
    """Lower case, single blanks."""
    return " ".join(text.lower().split())


def word_errors(said: str, heard: str) -> int:
    """Substitutions, insertions and deletions of words between a transcription and what was recognised."""
    return int(Levenshtein.distance(said.split(), heard.split()))


def nearest(text: str | Sequence[str], texts: Collection[str | Sequence[str]]) -> int:
    """The edit distance to the nearest of some texts: in characters, or in words where they are sequences of words."""
    least = max(len(text), min(map(len, texts)))
    for other in texts:
        least = min(least, Levenshtein.distance(text, other, score_cutoff=least))
    return int(least)
