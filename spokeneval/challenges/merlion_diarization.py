"""MERLIon CCS, Task 2: find which language is spoken when. Primary score: DER in percent, lower is better.

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..formats import language_turns as files
from ..formats.format import Format
from ..formats.language_labels import LABELS_FILE, LANGUAGES
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import choose_units
from ..formats.turns import Reference, Submission, take
from ..kinds.turns import LEAST_SHARE, always, partly_right, recordings, turns_view
from ..metrics import language_diarization as metrics
from ..metrics.counts import total
from ..metrics.diarization import DiarizationErrors
from ..task import LOWER, POSITIVE, Score, Task


def read_reference(contents: Mapping[str, bytes]) -> Reference:
    """Read the labels and the evaluated regions, and check that both languages have enough scored time."""
    reference = files.read_reference(contents)
    least = LEAST_SHARE * sum(float(np.diff(regions).sum()) for regions in reference.regions)
    times = total(_times(reference, always(LANGUAGES)(reference.items)))
    english, mandarin = metrics.english_time(times), metrics.mandarin_time(times)
    if english > least and mandarin > least:
        return reference
    found = f"{english:.12g} ms of English and {mandarin:.12g} ms of Mandarin"
    message = f"{found} in the evaluated regions; expected more than {least:.3g} ms of each"
    Problems(ReferenceFileError).stop("one_language", LABELS_FILE, message)


def count(reference: Reference, submission: Submission) -> dict[str, Any]:
    """Count one row for each recording."""
    times = _times(reference, submission)
    return {"times": times, "jaccard": metrics.jaccard_errors(times)}


def _times(reference: Reference, submission: Submission) -> metrics.LanguageTimes:
    return metrics.language_times(list(recordings(reference, submission, classes=LANGUAGES)))


def _errors(rows: Mapping[str, Any]) -> DiarizationErrors:
    """Return the errors in the form of the kind of turns, for its sections of a report."""
    parts = (metrics.total_time, metrics.miss_time, metrics.false_alarm_time, metrics.language_error_time)
    unused = np.zeros((2, len(rows["times"].states)))
    return DiarizationErrors(*(part(rows["times"]) for part in parts), *unused)


# fmt: off
SCORES = (
    Score("der", "DER", LOWER, metrics.der,
          "miss, false alarm and language error over the time of both languages in the reference", percent=True,
          bounds=POSITIVE, best=0),
    Score("english_error", "English error", LOWER, metrics.english_error,
          "share of English time in which the system does not find English", percent=True),
    Score("mandarin_error", "Mandarin error", LOWER, metrics.mandarin_error,
          "share of Mandarin time in which the system does not find Mandarin", percent=True),
    Score("miss", "Miss", LOWER, metrics.miss, "speech time in which the system finds no language, or too few",
          percent=True),
    Score("false_alarm", "False alarm", LOWER, metrics.false_alarm,
          "time in which the system finds more languages than are spoken", percent=True, bounds=POSITIVE),
    Score("language_error", "Language error", LOWER, metrics.language_error,
          "time with one language taken for the other", percent=True),
    Score("lder_script", "LDER of the script", LOWER, metrics.lder_script,
          "misses and false alarms of both languages; the challenge's script gives other figures where turns overlap",
          percent=True, bounds=POSITIVE),
    Score("english_error_script", "English error of the script", LOWER, metrics.english_error_script,
          "English misses and false alarms over English time", percent=True, bounds=POSITIVE),
    Score("mandarin_error_script", "Mandarin error of the script", LOWER, metrics.mandarin_error_script,
          "Mandarin misses and false alarms over Mandarin time", percent=True, bounds=POSITIVE),
    Score("jer", "JER", LOWER, metrics.jaccard_error_rate,
          "Jaccard error rate: errors over the time in reference or system, mean over each recording's languages",
          of="jaccard", percent=True),
)
# fmt: on

TASK = Task(
    name="merlion_diarization",
    title="MERLIon CCS, language diarization",
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
        submission=files.SUBMISSION,
        write_submission=files.write_submission,
        doubts=files.doubts,
        any_order=True,
    ),
    units=lambda reference: choose_units(reference.items.ids, "recording", speaker=reference.units),
    count=count,
    scores=SCORES,
    right=lambda rows: 1 - np.fmin(np.nan_to_num(metrics.der(rows["times"])), 1),
    labels=lambda reference: [label for _, labels in reference.turns for label in labels.tolist()],
    trivial={
        "nothing spoken": always(LANGUAGES),
        "English throughout": always(LANGUAGES, 0),
        "Mandarin throughout": always(LANGUAGES, 1),
    },
    partly_right=partly_right,
    view=turns_view(LANGUAGES, errors=_errors),
)
