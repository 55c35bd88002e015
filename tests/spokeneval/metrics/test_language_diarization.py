import re

import numpy as np
import pytest

from spokeneval.metrics import language_diarization as diarization
from spokeneval.metrics.counts import total
from spokeneval.metrics.language_diarization import (
    LanguageTimes,
    Recording,
    Turns,
    confusions,
    der,
    error_spans,
    jaccard_error_rate,
    jaccard_errors,
    language_times,
    language_times_per_recording,
)

NONE = np.empty((0, 2))

TIMES = (
    "english_time",
    "mandarin_time",
    "total_time",
    "miss_time",
    "false_alarm_time",
    "language_error_time",
)
# Each rate, with its numerator as a sum of times and of `language_errors`, and its denominator.
RATES = {
    "der": (("miss_time", "false_alarm_time", "language_error_time"), "total_time"),
    "miss": (("miss_time",), "total_time"),
    "false_alarm": (("false_alarm_time",), "total_time"),
    "language_error": (("language_error_time",), "total_time"),
    "english_error": (("english_missed",), "english_time"),
    "mandarin_error": (("mandarin_missed",), "mandarin_time"),
    "lder_script": (
        ("english_missed", "mandarin_missed", "english_falsely_claimed", "mandarin_falsely_claimed"),
        "total_time",
    ),
    "english_error_script": (("english_missed", "english_falsely_claimed"), "english_time"),
    "mandarin_error_script": (("mandarin_missed", "mandarin_falsely_claimed"), "mandarin_time"),
}


def times_of(times):
    """All times, by name."""
    return {name: getattr(diarization, name)(times) for name in TIMES}


def language_errors(times):
    """For each language the time that only the reference, and that only the hypothesis has, from the confusions.

    Of neither, English, Mandarin and both, English has the second and the last, Mandarin the last two.
    """
    table = confusions(times)
    errors = {}
    for language, has, lacks in (("english", [1, 3], [0, 2]), ("mandarin", [2, 3], [0, 1])):
        errors[f"{language}_missed"] = table[np.ix_(has, lacks)].sum()
        errors[f"{language}_falsely_claimed"] = table[np.ix_(lacks, has)].sum()
    return errors


def same(first, second):
    return np.array_equal(first.states, second.states)


# Worked by hand, in ms. The reference has English at 1000-3000, 4500-6000 and 9500-10500, Mandarin at 3500-5000
# and 8000-9000; both at 4500-5000.
REFERENCE = Turns([(1000, 3000), (4500, 6000), (9500, 10500)], [(3500, 5000), (8000, 9000)])
HYPOTHESIS = Turns([(1200, 3200), (4700, 5500), (8000, 8500), (11000, 12000)], [(3500, 4700), (8500, 9200)])


def test_worked_example():
    # Miss: 1000-1200, 4500-4700 (both spoken, Mandarin claimed), 4700-5000 (both, English), 5500-6000, 9500-10000:
    # 200 + 200 + 300 + 500 + 500 = 1700. False alarm: 3000-3200, 9000-9200. Language error: 8000-8500.
    times = language_times(REFERENCE, HYPOTHESIS, [(500, 10000)])
    assert times_of(times) == {
        "english_time": 2000 + 1500 + 500,
        "mandarin_time": 1500 + 1000,
        "total_time": 6500,
        "miss_time": 1700,
        "false_alarm_time": 400,
        "language_error_time": 500,
    }
    assert language_errors(times) == {
        "english_missed": 200 + 200 + 500 + 500,
        "mandarin_missed": 300 + 500,
        "english_falsely_claimed": 200 + 500,
        "mandarin_falsely_claimed": 200,
    }
    # Rows neither, English, Mandarin, both of the reference; columns likewise of the hypothesis.
    assert confusions(times).tolist() == [
        [9500 - 6000 - 400, 200, 200, 0],
        [1200, 2300, 0, 0],
        [0, 500, 1500, 0],
        [0, 300, 200, 0],
    ]
    rates = {
        "der": 2600 / 6500,
        "miss": 1700 / 6500,
        "false_alarm": 400 / 6500,
        "language_error": 500 / 6500,
        "english_error": 1400 / 4000,
        "mandarin_error": 800 / 2500,
        "lder_script": (2100 + 1000) / 6500,
        "english_error_script": (1400 + 700) / 4000,
        "mandarin_error_script": (800 + 200) / 2500,
    }
    for name, expected in rates.items():
        found = getattr(diarization, name)(times)
        assert type(found) is float
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=name)


def test_worked_example_with_two_regions():
    # Without 4600-5200, English loses 600 and Mandarin 400; of the miss, 100 (4600-4700, Mandarin claimed) and 300
    # (4700-5000, English claimed) go. DER (1300 + 400 + 500) / 5500.
    times = language_times(REFERENCE, HYPOTHESIS, [(500, 4600), (5200, 10000)])
    assert list(times_of(times).values()) == [3400, 2100, 5500, 1300, 400, 500]
    np.testing.assert_allclose(der(times), 0.4, rtol=0, atol=1e-12)


def test_swapped_languages_are_all_wrong():
    reference = Turns([(0, 1000)], [(1000, 3000)])
    times = language_times(reference, Turns(reference.mandarin, reference.english), [(0, 4000)])
    assert der(times) == 1.0
    assert diarization.language_error(times) == 1.0
    assert diarization.english_error(times) == diarization.mandarin_error(times) == 1.0
    assert diarization.lder_script(times) == 2.0
    assert diarization.miss_time(times) == diarization.false_alarm_time(times) == 0.0


def test_overlapping_turns_of_one_language_count_once():
    reference = Turns([(0, 1000), (500, 1500), (1500, 2000), (0, 1000)], NONE)
    times = language_times(reference, Turns([(0, 2000)], NONE), [(0, 3000), (1000, 2500)])
    assert list(times_of(times).values()) == [2000, 0, 2000, 0, 0, 0]


def test_speech_claimed_in_silence_of_a_region_is_a_false_alarm_and_outside_it_is_not():
    reference = Turns([(0, 1000)], NONE)
    times = language_times(reference, Turns([(0, 9000)], NONE), [(0, 5000)])
    assert diarization.false_alarm_time(times) == 4000
    assert language_errors(times)["english_falsely_claimed"] == 4000
    assert der(times) == 4.0


def test_excluded_speech_is_scored_on_neither_side():
    reference = Turns([(0, 1000)], [(1000, 2000)])
    hypothesis = Turns([(0, 500)], [(1000, 4000)])
    times = language_times(
        reference, hypothesis, [(0, 4000)], excluded=[(250, 1500), (1400, 1600), (3000, 3500)]
    )
    assert diarization.english_time(times) == 250  # 0-250
    assert diarization.mandarin_time(times) == 400  # 1600-2000
    assert diarization.false_alarm_time(times) == 1500  # 2000-3000, 3500-4000
    assert language_errors(times)["mandarin_falsely_claimed"] == 1500
    assert diarization.miss_time(times) == 0


def test_fractions_of_a_millisecond_are_kept():
    times = language_times(Turns([(0.25, 1.5)], NONE), Turns([(0.75, 1.625)], NONE), [(0.0, 2.0)])
    assert list(times_of(times).values()) == [1.25, 0, 1.25, 0.5, 0.125, 0]


def random_turns(rng, most, length):
    """Integer turns that overlap, touch and tie, because their starts and ends have few distinct values."""
    start = rng.integers(0, length, rng.integers(0, most + 1))
    return np.stack([start, start + rng.integers(1, length // 2, len(start))], axis=1)


def random_recording(rng, length=40):
    reference = [random_turns(rng, 4, length), random_turns(rng, 3, length)]
    if rng.random() < 0.2:
        reference[rng.integers(2)] = NONE
    hypothesis = [random_turns(rng, 4, length), random_turns(rng, 3, length)]
    regions = np.concatenate([[[3, length - 5]], random_turns(rng, 2, length)])[-2:]
    excluded = random_turns(rng, 2, length // 4) + rng.integers(length) if rng.random() < 0.5 else NONE
    return Recording(Turns(*reference), Turns(*hypothesis), regions, excluded)


def frame_by_frame(recording, length=200):
    """The times by definition, millisecond by millisecond, and those of `language_errors`."""

    def within(turns, frame):
        return any(start <= frame < end for start, end in turns)

    times = dict.fromkeys(TIMES, 0)
    errors = dict.fromkeys(language_errors(LanguageTimes(np.zeros(16))), 0)
    for frame in range(length):
        if not within(recording.regions, frame) or within(recording.excluded, frame):
            continue
        r = {language for language in Turns._fields if within(getattr(recording.reference, language), frame)}
        h = {language for language in Turns._fields if within(getattr(recording.hypothesis, language), frame)}
        times["total_time"] += len(r)
        times["miss_time"] += max(0, len(r) - len(h))
        times["false_alarm_time"] += max(0, len(h) - len(r))
        times["language_error_time"] += min(len(r), len(h)) - len(r & h)
        for language in Turns._fields:
            times[f"{language}_time"] += language in r
            errors[f"{language}_missed"] += language in r - h
            errors[f"{language}_falsely_claimed"] += language in h - r
    return times, errors


@pytest.mark.parametrize("count", [12, pytest.param(1500, marks=pytest.mark.thorough)])
def test_sweep_is_the_frame_by_frame_definition(count):
    rng = np.random.default_rng(12)
    recordings = [random_recording(rng) for _ in range(count)]
    rows = language_times_per_recording(recordings)
    assert rows.states.shape == (count, 16)
    for recording, states in zip(recordings, rows.states):
        swept = LanguageTimes(states)
        times, errors = frame_by_frame(recording)
        assert (times_of(swept), language_errors(swept)) == (times, errors), recording
        assert same(language_times(*recording[:3], excluded=recording.excluded), swept)
        for rate, (numerator, denominator) in RATES.items():
            wrong = sum({**times, **errors}[name] for name in numerator)
            if times[denominator]:
                assert getattr(diarization, rate)(swept) == wrong / times[denominator]
    if count > 1000:
        assert (diarization.language_error_time(rows) > 0).sum() > 500
        assert (diarization.mandarin_time(rows) == 0).sum() > 150


def test_spans_are_real_numbers_though_all_turns_are_whole():
    turns = [(1, 2)]
    spans = error_spans(Recording(Turns([(0, 3)], turns), Turns(turns, turns), [(0, 4)], turns))
    assert spans["miss"].tolist() == [[0, 1], [2, 3]]
    assert {found.dtype for found in spans.values()} == {np.dtype(np.float64)}


def test_a_language_of_half_a_millisecond_counts_as_one():
    recording = Recording(Turns([(0, 0.5)], []), Turns([(0, 0.25)], []), [(0, 1)])
    errors = jaccard_errors(language_times_per_recording([recording]))
    assert (errors.languages.tolist(), errors.error.tolist()) == ([1], [0.5])


def test_times_do_not_depend_on_how_many_turns_are_swept_at_a_time(monkeypatch):
    rng = np.random.default_rng(12)
    recordings = [random_recording(rng) for _ in range(50)]
    times = language_times_per_recording(recordings)
    for turns in (1, 7, 50):
        monkeypatch.setattr(diarization, "_TURNS_AT_A_TIME", turns)
        assert same(language_times_per_recording(recordings), times)


def union(turns):
    """Disjoint turns that cover the same time, for a tool that counts overlaps twice."""
    merged = []
    for start, end in sorted(map(tuple, turns)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def test_spans_of_errors_are_as_long_as_the_times_in_error():
    rng = np.random.default_rng(14)
    seen = 0
    for _ in range(60):
        recording = random_recording(rng)
        spans = error_spans(recording)
        table = confusions(language_times_per_recording([recording]))[0]
        languages = np.array([0, 1, 1, 2])  # neither, English, Mandarin, both
        spoken, claimed = languages[:, np.newaxis], languages
        common = np.array([[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 2]])
        for name, wrong in (
            ("miss", spoken > claimed),
            ("false_alarm", claimed > spoken),
            ("language_error", np.minimum(spoken, claimed) > common),
        ):
            lengths = np.diff(spans[name])
            assert lengths.sum() == table[wrong].sum()
            assert (lengths > 0).all()
            assert (spans[name][1:, 0] > spans[name][:-1, 1]).all()
            seen += len(lengths) > 1
    assert seen > 30


def test_jaccard_error_rate_by_hand_and_as_dscore_has_it():
    # English spoken 0-4 and 6-8 s, claimed 1-5 s: 3 in common of 7. Mandarin spoken 4-6 s, claimed 5-8 s: 1 of 4. In
    # the second recording English 0-2 s, claimed never; Mandarin claimed there counts nothing, as nobody speaks it.
    # dscore's jer (commit f41bd1bc), given these durations and what a language has in common with itself: 77.38095.
    first = Recording(
        Turns([(0, 4000), (6000, 8000)], [(4000, 6000)]), Turns([(1000, 5000)], [(5000, 8000)]), [(0, 8000)]
    )
    second = Recording(Turns([(0, 2000)], []), Turns([], [(0, 1000)]), [(0, 8000)])
    errors = jaccard_errors(language_times_per_recording([first, second]))
    assert errors.languages.tolist() == [2, 1]
    np.testing.assert_allclose(errors.error, [4 / 7 + 3 / 4, 1], rtol=0, atol=1e-12)
    expected = (4 / 7 + 3 / 4 + 1) / 3
    assert round(100 * expected, 5) == 77.38095
    assert jaccard_error_rate(total(errors)) == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_jaccard_error_rate_agrees_with_pyannote_on_each_language_alone():
    core = pytest.importorskip("pyannote.core")
    diarization_metrics = pytest.importorskip("pyannote.metrics.diarization")
    rng = np.random.default_rng(12)
    regions = [(200.0, 1000.5), (1300.0, 2900.0)]
    uem = core.Timeline([core.Segment(*region) for region in regions])
    recordings, expected = [], []
    for _ in range(20):
        reference, hypothesis = (Turns(*(random_turns(rng, 6, 3000) for _ in range(2))) for _ in range(2))
        recordings.append(Recording(reference, hypothesis, regions))
        for spoken, claimed in zip(reference, hypothesis):
            sides = []
            for turns in (spoken, claimed):
                sides.append(core.Annotation())
                for track, (start, end) in enumerate(union(turns)):
                    sides[-1][core.Segment(start, end), track] = "it"
            if sides[0].crop(uem):
                expected.append(diarization_metrics.JaccardErrorRate()(*sides, uem=uem))
    errors = total(jaccard_errors(language_times_per_recording(recordings)))
    assert errors.languages == len(expected) > 30
    assert jaccard_error_rate(errors) == pytest.approx(np.mean(expected), rel=0, abs=1e-10)


@pytest.mark.filterwarnings("ignore")
def test_der_agrees_with_pyannote():
    core = pytest.importorskip("pyannote.core")
    identification = pytest.importorskip("pyannote.metrics.identification")

    def annotation(turns):
        result = core.Annotation()
        for language in Turns._fields:
            for track, (start, end) in enumerate(union(getattr(turns, language))):
                result[core.Segment(start, end), f"{language}{track}"] = language
        return result

    rng = np.random.default_rng(13)
    for _ in range(40):
        reference = Turns(*(random_turns(rng, 12, 3000) + rng.random() for _ in range(2)))
        hypothesis = Turns(*(random_turns(rng, 12, 3000) + rng.random() for _ in range(2)))
        regions = [(200.0, 1000.5), (1300.0, 2900.0)]
        if not sum(map(len, reference)):
            continue
        uem = core.Timeline([core.Segment(*region) for region in regions])
        metric = identification.IdentificationErrorRate()
        parts = metric(annotation(reference), annotation(hypothesis), uem=uem, detailed=True)
        times = language_times(reference, hypothesis, regions)
        np.testing.assert_allclose(der(times), parts["identification error rate"], rtol=0, atol=1e-9)
        for name, part in (
            ("miss_time", "missed detection"),
            ("false_alarm_time", "false alarm"),
            ("language_error_time", "confusion"),
        ):
            np.testing.assert_allclose(getattr(diarization, name)(times), parts[part], rtol=0, atol=1e-6)


def test_pooling_adds_times_and_not_rates():
    # 1 of 1 s wrong and 0 of 9 s wrong: a tenth, not a half.
    wrong = language_times(Turns([(0, 1000)], NONE), Turns(NONE, NONE), [(0, 1000)])
    right = language_times(Turns([(0, 9000)], NONE), Turns([(0, 9000)], NONE), [(0, 9000)])
    assert der(wrong + right) == 0.1


def test_rates_of_one_language_alone():
    english = language_times(Turns([(0, 500)], NONE), Turns(NONE, NONE), [(0, 1000)])
    for rate in ("english_error", "english_error_script", "lder_script"):
        assert getattr(diarization, rate)(english) == 1.0
    for rate in ("mandarin_error", "mandarin_error_script"):
        with pytest.raises(ValueError, match="Mandarin error"):
            getattr(diarization, rate)(english)


GOOD = Turns([(0, 1)], [(1, 2)])


@pytest.mark.parametrize(
    ("reference", "hypothesis", "regions", "excluded", "message"),
    [
        (
            Turns([(5, 5)], NONE),
            GOOD,
            [(0, 9)],
            NONE,
            "recording 0, English reference: turn from 5.0 to 5.0 ms",
        ),
        (GOOD, Turns(NONE, [(0, 2), (7, 3)]), [(0, 9)], NONE, "Mandarin hypothesis: turn from 7.0 to 3.0 ms"),
        (GOOD, Turns([(-1, 3)], NONE), [(0, 9)], NONE, "English hypothesis: turn from -1.0 to 3.0"),
        (GOOD, Turns([(float("nan"), 3)], NONE), [(0, 9)], NONE, "from nan to 3.0"),
        (GOOD, Turns([(3, float("nan"))], NONE), [(0, 9)], NONE, "from 3.0 to nan"),
        (GOOD, GOOD, [(0, float("inf"))], NONE, "regions: turn from 0.0 to inf"),
        (GOOD, GOOD, [(0, 9)], [(3, 2)], "excluded speech: turn from 3.0 to 2.0"),
        (GOOD, GOOD, NONE, NONE, "recording 0: no evaluated region"),
        (GOOD, GOOD, [0, 9], NONE, r"regions: expected numbers of shape \(n, 2\), not int.* of shape \(2,\)"),
        (GOOD, Turns([(1, 2, 3)], NONE), [(0, 9)], NONE, r"English hypothesis: .* of shape \(1, 3\)"),
        (GOOD, Turns([("1", "2")], NONE), [(0, 9)], NONE, "English hypothesis: expected numbers"),
        (GOOD, ([(0, 1)],), [(0, 9)], NONE, "2 languages in the reference, 1 in the hypothesis"),
    ],
)
def test_bad_turns_are_refused(reference, hypothesis, regions, excluded, message):
    with pytest.raises(ValueError, match=message):
        language_times(reference, hypothesis, regions, excluded=excluded)


@pytest.mark.parametrize("turns", [1, 1 << 12])
def test_the_recording_with_the_bad_turn_is_named(monkeypatch, turns):
    monkeypatch.setattr(diarization, "_TURNS_AT_A_TIME", turns)
    good = Recording(GOOD, GOOD, [(0, 9)])
    with pytest.raises(ValueError, match=r"recording 2, Mandarin reference: turn from 4.0 to 1.0"):
        language_times_per_recording([good, good, good._replace(reference=Turns(NONE, [(4, 1)]))])
    with pytest.raises(ValueError, match=r"^recording 1, regions: expected numbers of shape \(n, 2\)"):
        language_times_per_recording([good, good._replace(regions=[(1, 2, 3)])])
    with pytest.raises(ValueError, match="0 recordings"):
        language_times_per_recording([])


@pytest.mark.parametrize("shape", [(15,), (16, 4)])
def test_there_are_sixteen_states(shape):
    with pytest.raises(ValueError, match=re.escape(f"states must have shape (..., 16), not {shape}")):
        LanguageTimes(np.zeros(shape))
