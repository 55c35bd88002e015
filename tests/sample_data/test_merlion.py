"""The synthetic sets have the numbers of Table 1 of the MERLIon CCS Challenge Evaluation Plan 1.2."""

import numpy as np
import pytest

pd = pytest.importorskip("pandas")

import spokeneval  # noqa: E402
from sample_data import merlion  # noqa: E402
from spokeneval.metrics.equal_error_rate import rocch_eer  # noqa: E402
from spokeneval.metrics.identification import detection_trials, pooled_trials  # noqa: E402

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


def test_full_sessions_have_the_published_lengths(full):
    name, tables = full
    annotated = (tables.regions.end - tables.regions.start).groupby(tables.regions.audio_name).sum() / 60_000
    assert annotated.min() >= 2
    assert annotated.max() <= 25
    assert tables.recordings.length.between(3 * 60_000, 35 * 60_000).all()
    assert set(tables.regions.audio_name.value_counts()) == {1, 2}
    other = tables.labels.length[tables.labels.language_tag == "Non-Evaluated-Speech"].sum()
    assert other == {"development": 14_000, "evaluation": 19_000}[name]


@pytest.mark.default_cases("small")
@pytest.mark.parametrize("size", ["small", "full"])
@pytest.mark.parametrize("name", TABLE_1)
def test_labels_are_consistent(size, name):
    tables = merlion.generate(size, name, 8)
    labels = tables.labels
    assert (labels.end > labels.start).all()
    assert (labels.length == labels.end - labels.start).all()
    assert set(labels.language_tag) == {"English", "Mandarin", "NON_SPEECH", "Non-Evaluated-Speech"}
    assert not labels.duplicated(["audio_name", "utt_id"]).any()
    length = tables.recordings.set_index("audio_name").length
    for audio_name, turns in labels.groupby("audio_name"):
        regions = tables.regions[tables.regions.audio_name == audio_name]
        start, end, tag = turns.start.to_numpy(), turns.end.to_numpy(), turns.language_tag.to_numpy()
        inside = (start[:, None] >= regions.start.to_numpy()) & (end[:, None] <= regions.end.to_numpy())
        assert inside.any(axis=1).all()
        assert regions.end.max() <= length[audio_name]
        assert (np.diff(start) >= 0).all()
        meets = (start[:, None] < end) & (start < end[:, None])
        spoken = np.isin(tag, ["English", "Mandarin"])
        differs = spoken[:, None] & spoken & (tag[:, None] != tag)
        assert (turns.overlap_diff_lang.to_numpy() == (meets & differs).any(axis=1)).all()
    assert labels.overlap_diff_lang.sum() >= 6


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


def test_diarization_turns_rank_as_their_quality(tmp_path):
    tables = merlion.generate("small", "evaluation", 5)
    merlion.write_diarization_set(tables, tmp_path / "ref")
    der = {}
    for quality in ("perfect", "perturbed", "random"):
        merlion.write_diarization(tables, merlion.diarization_turns(tables, quality, 5), tmp_path / quality)
        paths = {"reference": tmp_path / "ref", "submission": tmp_path / quality}
        der[quality] = spokeneval.score("merlion_diarization", **paths).scores["der"]
    assert der["perfect"] == 0
    assert 15 < der["perturbed"] < 45
    assert der["perturbed"] + 20 < der["random"]
