"""The synthetic naming responses have the published error rates and a valid format, and are reproducible."""

from __future__ import annotations

import numpy as np
import pytest

from sample_data import psst
from spokeneval.metrics.classification import accuracy, count_predictions, f1
from spokeneval.metrics.phoneme_recognition import (
    contains_pronunciation,
    drop_fillers,
    feature_error_rate,
)
from spokeneval.metrics.transcript_errors import count_errors, error_rate

ACCEPTED = {word: [run.split() for run in runs] for word, runs in psst.accepted_pronunciations().items()}


def scored(name: str, size: int | None = None):
    utterances, recognised = psst.sample(name, size)
    return (
        utterances,
        [u.transcript.split() for u in utterances],
        [transcript.split() for transcript in recognised],
    )


# Published: validation PER 0.222, FER 0.102; test 0.264, 0.121 (PSST Challenge's baseline).
@pytest.mark.parametrize(
    ("name", "size", "phones", "features"),
    [("development", 341, 0.222, 0.102), ("evaluation", 652, 0.264, 0.121)],
)
def test_recogniser_is_at_the_published_level(name, size, phones, features):
    utterances, reference, hypothesis = scored(name)
    errors = count_errors(*(list(map(drop_fillers, side)) for side in (reference, hypothesis)))
    assert len(utterances) == size
    assert error_rate(errors) == pytest.approx(phones, rel=0, abs=0.01)
    assert feature_error_rate(reference, hypothesis) == pytest.approx(features, rel=0, abs=0.006)
    assert min(errors.substitutions, errors.insertions, errors.deletions) > 40


@pytest.mark.parametrize("name", ["development", "evaluation"])
def test_substring_rule_scores_as_published(name):
    utterances, reference, hypothesis = scored(name)
    labels = np.array([u.correctness == "TRUE" for u in utterances])

    def rule(transcripts):
        return [
            contains_pronunciation(phones, ACCEPTED[u.prompt])
            for u, phones in zip(utterances, transcripts, strict=True)
        ]

    # Published: "about 99% accuracy" on perfect transcripts; F1 0.875 and 0.892 on the recogniser's.
    assert 0.985 <= accuracy(count_predictions(labels, rule(reference))) < 1
    assert 0.87 <= f1(count_predictions(labels, rule(hypothesis))) <= 0.90
