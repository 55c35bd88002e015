"""The scores of transcripts: rates of errors in features, phones, words and characters."""

from __future__ import annotations

from typing import Union

from ..metrics import phoneme_recognition as recognition
from ..metrics import transcript_errors as metrics
from ..task import LOWER, POSITIVE, Score

WORDS, CHARACTERS, PHONES = "words", "characters", "phones"
FEATURES, POOLED = "features", "pooled"


# fmt: off
def feature_error_rate(item: str) -> Score:
    """Return the score of tasks with features."""
    return Score("fer", "FER", LOWER, recognition.fer, f"feature error rate, pooled over the {item}s", of=FEATURES,
                 percent=True, bounds=POSITIVE, best=0)


def transcript_scores(units: str, item: str, clip: Union[int, str, None]) -> tuple[Score, ...]:
    """Return the scores: rates in the unit, then CER beside WER."""
    unit = units[:-1]
    key, title = f"{unit[0]}er", f"{unit[0]}er".upper()
    mean, words = (metrics.mean_rate, "") if clip is None else (metrics.mean_clipped_rate, ", each at most 100 %")
    limited = ", at most the length of each reference that is not empty" if clip == POOLED else ""
    own = ", against the reference that is best by CER" if clip == POOLED else ""
    rates = (
        Score(key, title, LOWER, metrics.error_rate, f"{unit} error rate: errors per reference {unit}{limited}",
              of=units, percent=True, bounds=POSITIVE, best=0),
        Score("substitutions", "Substitutions", LOWER, metrics.substitution_rate,
              f"{units} recognised as another {unit}, per reference {unit}", of=units, percent=True),
        Score("deletions", "Deletions", LOWER, metrics.deletion_rate, f"missing {units}, per reference {unit}",
              of=units, percent=True),
        Score("insertions", "Insertions", LOWER, metrics.insertion_rate, f"added {units}, per reference {unit}",
              of=units, percent=True, bounds=POSITIVE),
        Score("wrong", f"Wrong {item}s", LOWER, metrics.wrong_utterances, f"share of the {item}s with an error",
              of=units, percent=True),
        Score(f"mean_{key}", f"Mean {title}", LOWER, mean, f"mean of the {item}s' own {title}{words}", of=units,
              percent=True, bounds=POSITIVE),
    )
    cer = Score("cer", "CER", LOWER, metrics.error_rate,
                f"character error rate, spaces between words included{own}", of=CHARACTERS, percent=True,
                bounds=POSITIVE)
    return (*rates, cer) if units == WORDS else rates
# fmt: on
