"""PSST Task A: transcribe the phones spoken by people with aphasia. Primary score: FER, lower is better.

Phones and features are those of `metrics/arpabet_features.tsv`. An organiser may replace this table; its phones and
features then apply to references, submissions and scores, on the server and in the kit.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task A.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

import numpy as np

from ..formats.naming import naming_format, naming_groups, naming_reference, naming_submission, naming_units
from ..formats.phones import transcripts
from ..formats.problems import Problems, ReferenceFileError
from ..formats.sheets import Answers
from ..formats.tables import Table
from ..kinds.transcript_scores import feature_error_rate
from ..kinds.transcripts import check_total
from ..metrics import phoneme_recognition as metrics
from ..task import LOWER, POSITIVE, Score, Task, View
from ..trivial import always

PHONES = transcripts(lambda: metrics.arpabet_features().phones, metrics.FILLERS)
REFERENCE = naming_reference("transcript", PHONES)
SUBMISSION = naming_submission("transcripts.tsv", "asr_transcript", PHONES)


def check_phones(answers: Answers, table: Table, problems: Problems) -> None:
    phones = sum(map(len, map(metrics.drop_fillers, answers["transcript"])))
    check_total(phones, len(table), "phone", table.file, problems)


FORMAT = naming_format(REFERENCE, SUBMISSION, check_phones)


def read_reference(files: Mapping[str, bytes]) -> Answers:
    """Read the transcripts. Some may be empty, or consist of fillers only."""
    try:
        metrics.arpabet_features()
    except ValueError as error:
        Problems(ReferenceFileError).stop("bad_feature_table", "arpabet_features.tsv", str(error))
    answers: Answers = FORMAT.read_reference(files)
    return answers


def count(reference: Answers, submission: Answers) -> dict[str, metrics.RecognitionErrors]:
    said, heard = reference["transcript"].tolist(), submission["asr_transcript"].tolist()
    return {"errors": metrics.errors_per_utterance(said, heard)}


# fmt: off
SCORES = (
    feature_error_rate("utterance"),
    Score("per", "PER", LOWER, metrics.per, "phoneme error rate, pooled over the utterances", percent=True,
          bounds=POSITIVE),
    Score("substitutions", "Substitutions", LOWER, attrgetter("substitutions"),
          "phones recognised as another phone", bounds=None),
    Score("insertions", "Insertions", LOWER, attrgetter("insertions"), "phones that were not spoken", bounds=None),
    Score("deletions", "Deletions", LOWER, attrgetter("deletions"), "phones that were not recognised", bounds=None),
)
# fmt: on

TASK = Task(
    name="psst_recognition",
    title="PSST, phoneme recognition",
    format=FORMAT._replace(read_reference=read_reference),
    units=naming_units,
    count=count,
    scores=SCORES,
    right=lambda rows: 1 - np.fmin(np.nan_to_num(metrics.per(rows["errors"])), 1),
    labels=lambda reference: [phone for transcript in reference["transcript"] for phone in transcript],
    trivial={"nothing recognised": always("asr_transcript", [])},
    view=View(
        "transcripts",
        lambda reference: [[metrics.drop_fillers(phones)] for phones in reference["transcript"]],
        lambda submission: [metrics.drop_fillers(phones) for phones in submission["asr_transcript"]],
        {"units": "phones", "features": metrics.arpabet_features},
        naming_groups,
    ),
)
