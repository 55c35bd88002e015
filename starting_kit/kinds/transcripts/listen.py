"""The audio baseline as a program: words or phones by hidden Markov models, trained on public recordings. Needs numpy.

    main.py train SET_DIR SOUND_DIR
    main.py INPUT_DIR OUTPUT_DIR      (writes OUTPUT_DIR/transcripts.csv)

It can recognise only the words of the public transcripts, which must be separated by spaces.
"""

from __future__ import annotations

from collections.abc import Sequence

from recogniser import main


def split(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of transcripts without punctuation; the first in lower case, if it also occurs so elsewhere."""
    said = [[word.strip(".,;:?!…\"'()") for word in text.split()] for text in texts]
    later = {word for words in said for word in words[1:]}
    for words in said:
        if words and words[0].istitle() and len(words[0]) > 1 and words[0].lower() in later:
            words[0] = words[0].lower()
    return [[word for word in words if word] for words in said]


if __name__ == "__main__":
    main("transcripts.csv", "transcript", "items.csv", "transcripts.csv", "transcript", split, list)
