"""MERLIon CCS, Task 2: find which language is spoken when. Primary score: DER in percent, lower is better.

Source: MERLIon CCS Challenge Evaluation Plan 1.2 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..formats import language_turns as files
from ..formats.format import Format
from ..formats.language_labels import LABELS_FILE, LATEST
from ..formats.language_turns import NO_TURNS, Reference, Submission
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import choose_units
from ..metrics import language_diarization as metrics
from ..task import LOWER, POSITIVE, Score, Task, View

EVER = np.array([[0.0, LATEST]])
"""A turn that covers any recording from beginning to end."""

LEAST_SHARE = 1e-6
"""The least share of each language in the evaluated time. With less, an error rate could exceed the largest number that
a platform can store."""


def read_reference(contents: Mapping[str, bytes]) -> Reference:
    """Read the labels and the evaluated regions, and check that both languages have enough scored time."""
    reference = files.read_reference(contents)
    least = LEAST_SHARE * sum(float((regions[:, 1] - regions[:, 0]).sum()) for regions in reference.regions)
    english = mandarin = 0.0
    for turns, regions, excluded in zip(reference.turns, reference.regions, reference.excluded):
        times = metrics.language_times(
            metrics.Turns(*turns), metrics.Turns(*NO_TURNS), regions, excluded=excluded
        )
        english += metrics.english_time(times)
        mandarin += metrics.mandarin_time(times)
        if english > least and mandarin > least:
            return reference
    found = f"{english:.12g} ms of English and {mandarin:.12g} ms of Mandarin"
    message = f"{found} in the evaluated regions; expected more than {least:.3g} ms of each"
    Problems(ReferenceFileError).stop("one_language", LABELS_FILE, message)


def count(reference: Reference, submission: Submission) -> dict[str, Any]:
    """Count one row for each recording."""
    recordings = [
        metrics.Recording(metrics.Turns(*spoken), metrics.Turns(*claimed), regions, excluded)
        for spoken, claimed, regions, excluded in zip(
            reference.turns, submission.turns, reference.regions, reference.excluded
        )
    ]
    times = metrics.language_times_per_recording(recordings)
    return {"times": times, "jaccard": metrics.jaccard_errors(times)}


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
        files.take,
        submission=files.SUBMISSION,
        write_submission=files.write_submission,
        doubts=files.doubts,
        any_order=True,
    ),
    units=lambda reference: choose_units(reference.items.ids, "recording", speaker=reference.speakers),
    count=count,
    scores=SCORES,
    right=lambda rows: 1 - np.fmin(np.nan_to_num(metrics.der(rows["times"])), 1),
    labels=lambda reference: [
        language for turns in reference.turns for language, spoken in enumerate(turns) for _ in spoken
    ],
    trivial={
        "nothing spoken": lambda items: Submission((NO_TURNS,) * len(items)),
        "English throughout": lambda items: Submission(((EVER, NO_TURNS[1]),) * len(items)),
        "Mandarin throughout": lambda items: Submission(((NO_TURNS[0], EVER),) * len(items)),
    },
    view=View("merlion_diarization"),
)
