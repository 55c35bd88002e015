"""MERLIon CCS, Task 2: find which language is spoken when. Primary score: DER in percent, lower is better.

The errors are those of `metrics.diarization` without a mapping or a collar; the language error is its confusion, and
the excluded speech is that in other languages. Times are in milliseconds, whole or fractional.

The error rates of the challenge's own script (`lder_script` and its parts) also count false alarms. The script shortens
Mandarin by 1 ms at each end, and turns a chain of overlapping turns that contains Mandarin into Mandarin. Neither is
done here. So the figures of the script are the same to within 2 ms for each Mandarin turn if no turns of a recording
overlap. Where turns overlap, even by less than 100 ms, they can differ by 20 percentage points and more in a recording.

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023), "Scoring metrics".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..formats import language_turns as files
from ..formats.format import Format
from ..formats.language_labels import LABELS_FILE, LANGUAGES
from ..formats.problems import Problems, ReferenceFileError
from ..formats.turns import LEAST_SHARE, Submission, TurnReference, take, take_reference
from ..kinds.turns import TurnsKind, always
from ..metrics import diarization as metrics
from ..metrics.counts import Number, ratio
from ..metrics.diarization import LabelTimes
from ..metrics.shares import of_shares
from ..task import LOWER, POSITIVE, Score

_KIND = TurnsKind(LANGUAGES)


def read_reference(contents: Mapping[str, bytes]) -> TurnReference:
    """Read the labels and the evaluated regions, and check that both languages have enough scored time."""
    reference = files.read_reference(contents)
    least = LEAST_SHARE * sum(float(np.diff(regions).sum()) for regions in reference.regions)
    times = _KIND.count(reference, always(LANGUAGES)(reference.items))["labels"]
    english, mandarin = times.reference.sum(axis=0).tolist()
    if english > least and mandarin > least:
        return reference
    found = f"{english:.12g} ms of English and {mandarin:.12g} ms of Mandarin"
    message = f"{found} in the evaluated regions; expected more than {least:.3g} ms of each"
    Problems(ReferenceFileError).stop("one_language", LABELS_FILE, message)


def count(reference: TurnReference, submission: Submission) -> dict[str, Any]:
    """Count as the kind does, with Jaccard error rates that are rounded once for each language."""
    counts = _KIND.count(reference, submission)
    times = counts["labels"]
    either = times.reference + times.false_alarm
    jaccard = np.where(times.reference > 0, _wrong(times) / np.where(either > 0, either, 1), 0).sum(axis=1)
    return {**counts, "errors": replace(counts["errors"], jaccard=jaccard)}


def _wrong(times: LabelTimes) -> Number:
    return np.asarray(times.missed) + times.false_alarm


@of_shares(lambda times: (_wrong(times).sum(axis=1), times.reference.sum(axis=1)), rates=True)
def lder_script(times: LabelTimes) -> Number:
    """Language DER of the challenge's script: misses and false alarms of both languages over their time."""
    return ratio(_wrong(times).sum(axis=-1), np.sum(times.reference, axis=-1), "language DER of the script")


@of_shares(lambda times, label: (_wrong(times)[:, label], times.reference[:, label]), rates=True)
def label_error_script(times: LabelTimes, *, label: int) -> Number:
    """Error of a language by the challenge's script: its misses and false alarms over its time."""
    name = f"{LANGUAGES[label]} error of the script"
    return ratio(_wrong(times)[..., label], np.asarray(times.reference)[..., label], name)


# fmt: off
SCORES = (
    Score("der", "DER", LOWER, metrics.der,
          "miss, false alarm and language error over the time of both languages in the reference", of="errors",
          percent=True, bounds=POSITIVE, best=0),
    Score("english_error", "English error", LOWER, partial(metrics.label_error, label=0),
          "share of English time in which the system does not find English", of="labels", percent=True),
    Score("mandarin_error", "Mandarin error", LOWER, partial(metrics.label_error, label=1),
          "share of Mandarin time in which the system does not find Mandarin", of="labels", percent=True),
    Score("miss", "Miss", LOWER, metrics.miss, "speech time in which the system finds no language, or too few",
          of="errors", percent=True),
    Score("false_alarm", "False alarm", LOWER, metrics.false_alarm,
          "time in which the system finds more languages than are spoken", of="errors", percent=True, bounds=POSITIVE),
    Score("language_error", "Language error", LOWER, metrics.confusion,
          "time with one language taken for the other", of="errors", percent=True),
    Score("lder_script", "LDER of the script", LOWER, lder_script,
          "misses and false alarms of both languages; the challenge's script gives other figures where turns overlap",
          of="labels", percent=True, bounds=POSITIVE),
    Score("english_error_script", "English error (script)", LOWER, partial(label_error_script, label=0),
          "English misses and false alarms over English time", of="labels", percent=True, bounds=POSITIVE),
    Score("mandarin_error_script", "Mandarin error (script)", LOWER, partial(label_error_script, label=1),
          "Mandarin misses and false alarms over Mandarin time", of="labels", percent=True, bounds=POSITIVE),
    Score("jer", "JER", LOWER, metrics.jaccard_error_rate,
          "Jaccard error rate: errors over the time in reference or system, mean over each recording's languages",
          of="errors", percent=True),
)
# fmt: on

TASK = replace(
    _KIND.task("merlion_diarization", "MERLIon CCS, language diarization"),
    format=Format(
        files.LAYOUTS,
        None,
        files.LIST_FILES,
        read_reference,
        files.public_files,
        files.read_items,
        files.read_submission,
        files.rows,
        take,
        take_reference,
        submission=files.SUBMISSION,
        write_submission=files.write_submission,
        doubts=files.doubts,
        any_order=True,
    ),
    count=count,
    scores=SCORES,
    trivial={
        "nothing spoken": always(LANGUAGES),
        "English throughout": always(LANGUAGES, 0),
        "Mandarin throughout": always(LANGUAGES, 1),
    },
)
