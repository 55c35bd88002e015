"""What transcripts and meetings share, and the scores of transcripts in features, phones, words and characters."""

from __future__ import annotations

from typing import Any, Union

from ..formats.normalisation import RULES, read_rules
from ..formats.problems import Problems, count_of
from ..metrics import phoneme_recognition as recognition
from ..metrics import transcript_errors as metrics
from ..task import LOWER, POSITIVE, Score
from .kind import parameter

WORDS, CHARACTERS, PHONES = "words", "characters", "phones"
FEATURES, POOLED = "features", "pooled"


def normalise_parameter() -> Any:
    """Return the field of the rules for both sides."""
    rules = ". ".join(f"{rule.written}: {rule.description}" for rule in RULES)
    description = (
        "What is done with both transcripts before they are compared, in this order. A FILE is in your folder; each "
        "line has what is replaced, a tab or a comma, and the replacement."
    )
    return parameter(f"{description} {rules}.", read_rules, ["nfkc", "casefold", "drop_punctuation"], [])


def check_total(symbols: int, transcripts: int, unit: str, file: str, problems: Problems) -> None:
    """Add the problem of a reference with so few symbols that a rate could exceed what a platform can store."""
    if not problems and 1000 * symbols < max(1000, transcripts):
        found = f"{count_of(symbols, unit)} in {count_of(transcripts, 'transcript')}"
        problems.add(
            f"no_{unit.split()[-1]}s", file, f"{found}; expected at least one {unit} per thousand transcripts"
        )


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
