"""PSST Task A: transcribe the phones spoken by people with aphasia. Primary score: FER, lower is better.

Phones and features are those of `metrics/arpabet_features.tsv`. An organiser may replace this table; its phones and
features then apply to references, submissions and scores, on the server and in the kit.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task A.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

import numpy as np

from ..formats.format import Answers
from ..formats.naming import naming_format, naming_groups, naming_reference, naming_submission, naming_units
from ..formats.phones import transcripts
from ..formats.problems import Problems, ReferenceFileError
from ..formats.tables import Table
from ..kinds.transcript_scores import FEATURES, PHONES, check_total, feature_error_rate
from ..kinds.transcripts import TranscriptsKind
from ..metrics import phoneme_recognition as metrics
from ..metrics import transcript_errors
from ..metrics.phoneme_recognition import FeatureTable
from ..task import LOWER, POSITIVE, Score, Task
from ..trivial import always

CELLS = transcripts(lambda: metrics.arpabet_features().phones, metrics.FILLERS)
REFERENCE = naming_reference("transcript", CELLS)
SUBMISSION = naming_submission("transcripts.tsv", "asr_transcript", CELLS)


def check_phones(answers: Answers, table: Table, problems: Problems) -> None:
    check_total(sum(map(len, said(answers))), len(table), "phone", table.file, problems)


FORMAT = naming_format(REFERENCE, SUBMISSION, check_phones)


def read_reference(files: Mapping[str, bytes]) -> Answers:
    """Read the transcripts. Some may be empty, or consist of fillers only."""
    try:
        metrics.arpabet_features()
    except ValueError as error:
        Problems(ReferenceFileError).stop("bad_feature_table", "arpabet_features.tsv", str(error))
    answers: Answers = FORMAT.read_reference(files)
    return answers


def said(reference: Answers) -> list[list[str]]:
    """The phones of each utterance."""
    return list(map(metrics.drop_fillers, reference["transcript"]))


def heard(submission: Answers) -> list[list[str]]:
    """The recognised phones of each utterance."""
    return list(map(metrics.drop_fillers, submission["asr_transcript"]))


def count(reference: Answers, submission: Answers) -> dict[str, Any]:
    """Count in features, and in phones, each at its own cheapest alignment."""
    sides = said(reference), heard(submission)
    return {
        FEATURES: metrics.errors_per_utterance(*sides),
        PHONES: transcript_errors.errors_per_utterance(*sides),
    }


# fmt: off
SCORES = (
    feature_error_rate("utterance"),
    Score("per", "PER", LOWER, transcript_errors.error_rate, "phoneme error rate, pooled over the utterances",
          of=PHONES, percent=True, bounds=POSITIVE),
    Score("substitutions", "Substitutions", LOWER, attrgetter("substitutions"),
          "phones recognised as another phone", of=PHONES, bounds=None, whole=True),
    Score("insertions", "Insertions", LOWER, attrgetter("insertions"), "phones that were not spoken", of=PHONES,
          bounds=None, whole=True),
    Score("deletions", "Deletions", LOWER, attrgetter("deletions"), "phones that were not recognised", of=PHONES,
          bounds=None, whole=True),
)
# fmt: on


class Naming(TranscriptsKind):
    """The utterances, for reports."""

    def __post_init__(self) -> None:
        """Nothing is checked: the phones are read with the reference."""

    def expected(self, reference: Answers) -> list[list[list[str]]]:
        return [[phones] for phones in said(reference)]

    def given(self, submission: Answers) -> list[list[str]]:
        return heard(submission)

    def feature_table(self) -> FeatureTable:
        return metrics.arpabet_features()

    def groupings(self, reference: Answers) -> dict[str, list[str]]:
        return naming_groups(reference)


TASK = Task(
    name="psst_recognition",
    title="PSST, phoneme recognition",
    format=FORMAT._replace(read_reference=read_reference),
    units=naming_units,
    count=count,
    scores=SCORES,
    right=lambda rows: 1 - np.fmin(np.nan_to_num(transcript_errors.error_rate(rows[PHONES])), 1),
    labels=lambda reference: [phone for transcript in reference["transcript"] for phone in transcript],
    trivial={"nothing recognised": always("asr_transcript", [])},
    view=Naming(PHONES),
)
