"""The synthetic sets have the numbers of Table 1 of the MERLIon CCS Challenge Evaluation Plan 1.2."""

import numpy as np
import pytest

pytest.importorskip("pandas")

from sample_data import merlion
from spokeneval.metrics.equal_error_rate import rocch_eer
from spokeneval.metrics.identification import detection_trials, pooled_trials

# Table 1: recordings, with one language, audio in s; then segments, median and mean length in ms of each language.
TABLE_1 = {
    "development": (150, 28, 28 * 3600 + 36 * 60 + 28, (40287, 1125, 1443.84), (9983, 900, 1106.41)),
    "evaluation": (154, 33, 28 * 3600 + 47 * 60 + 14, (39473, 1120, 1454.73), (9766, 930, 1173.87)),
}


@pytest.fixture(scope="module", params=TABLE_1)
def full(request):
    return request.param, merlion.generate("full", request.param, 7)


def languages_per_recording(labels):
    spoken = labels[labels.language_tag.isin(["English", "Mandarin"])]
    return spoken.groupby("audio_name").language_tag.nunique()


@pytest.mark.thorough
def test_full_size_follows_table_1(full):
    name, tables = full
    recordings, one_language, audio, *languages = TABLE_1[name]
    assert tables.labels.audio_name.nunique() == len(tables.recordings) == recordings
    assert (languages_per_recording(tables.labels) == 1).sum() == one_language
    assert tables.recordings.length.sum() == 1000 * audio
    segments = merlion.scored_segments(tables.labels)
    for language, (count, median, mean) in zip(("English", "Mandarin"), languages, strict=True):
        length = segments.length[segments.language_tag == language]
        assert len(length) == count
        np.testing.assert_allclose([length.median(), length.mean()], [median, mean], rtol=0.01)


@pytest.mark.parametrize(("name", "one_language"), [("development", 5), ("evaluation", 6)])
def test_small_size_keeps_the_proportions(name, one_language):
    tables = merlion.generate("small", name, 8)
    assert len(tables.recordings) == 28
    assert (languages_per_recording(tables.labels) == 1).sum() == one_language
    segments = merlion.scored_segments(tables.labels)
    assert len(segments) == 560
    english = segments.language_tag == "English"
    assert english.mean() == pytest.approx(
        TABLE_1[name][3][0] / sum(row[0] for row in TABLE_1[name][3:]), abs=0.005
    )
    assert segments.length[english].median() > 1.15 * segments.length[~english].median()


def test_identification_scores_have_the_promised_quality(full):
    _, tables = full
    labels = (merlion.scored_segments(tables.labels).language_tag == "Mandarin").to_numpy().astype(int)
    for quality, eer in {"perfect": 0.0, "baseline": 0.2213, "random": 0.5}.items():
        scores = merlion.identification_scores(tables.labels, quality, 3)
        for trials in (pooled_trials, detection_trials):
            assert rocch_eer(*trials(labels, scores)) == pytest.approx(eer, abs=0.01)
