"""The audio baseline as a program: phones by hidden Markov models, trained on public recordings. Needs numpy.

main.py train SET_DIR SOUND_DIR
main.py INPUT_DIR OUTPUT_DIR      (writes OUTPUT_DIR/transcripts.tsv)
"""

from __future__ import annotations

from collections.abc import Sequence

from recogniser import main


def split(texts: Sequence[str]) -> list[list[str]]:
    return [text.split() for text in texts]


def spell(phone: str) -> list[str]:
    return [phone]


if __name__ == "__main__":
    main(
        "utterances.tsv",
        "transcript",
        "utterance_list.tsv",
        "transcripts.tsv",
        "asr_transcript",
        split,
        spell,
    )
