import numpy as np
import pytest

from spokeneval.metrics import language_diarization
from spokeneval.metrics.language_diarization import (
    LanguageTimes,
    Recording,
    Turns,
    language_times,
    language_times_per_recording,
)

NONE = np.empty((0, 2))

# Worked by hand, in ms. The reference has English at 1000-3000, 4500-6000 and 9500-10500, Mandarin at 3500-5000
# and 8000-9000; both at 4500-5000.
REFERENCE = Turns([(1000, 3000), (4500, 6000), (9500, 10500)], [(3500, 5000), (8000, 9000)])
HYPOTHESIS = Turns([(1200, 3200), (4700, 5500), (8000, 8500), (11000, 12000)], [(3500, 4700), (8500, 9200)])


def test_worked_example():
    # Miss: 1000-1200, 4500-4700 (both spoken, Mandarin claimed), 4700-5000 (both, English), 5500-6000, 9500-10000:
    # 200 + 200 + 300 + 500 + 500 = 1700. False alarm: 3000-3200, 9000-9200. Language error: 8000-8500.
    times = language_times(REFERENCE, HYPOTHESIS, [(500, 10000)])
    assert times == LanguageTimes(
        english_time=2000 + 1500 + 500,
        mandarin_time=1500 + 1000,
        miss_time=1700,
        false_alarm_time=400,
        language_error_time=500,
        english_missed_time=200 + 200 + 500 + 500,
        mandarin_missed_time=300 + 500,
        english_false_alarm_time=200 + 500,
        mandarin_false_alarm_time=200,
    )
    assert times.total_time == 6500
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
        np.testing.assert_allclose(getattr(times, name), expected, rtol=0, atol=1e-12, err_msg=name)


def test_worked_example_with_two_regions():
    # Without 4600-5200, English loses 600 and Mandarin 400; of the miss, 100 (4600-4700, Mandarin claimed) and 300
    # (4700-5000, English claimed) go. DER (1300 + 400 + 500) / 5500.
    times = language_times(REFERENCE, HYPOTHESIS, [(500, 4600), (5200, 10000)])
    assert (times.english_time, times.mandarin_time) == (3400, 2100)
    assert (times.miss_time, times.false_alarm_time, times.language_error_time) == (1300, 400, 500)
    np.testing.assert_allclose(times.der, 0.4, rtol=0, atol=1e-12)


def test_swapped_languages_are_all_wrong():
    reference = Turns([(0, 1000)], [(1000, 3000)])
    times = language_times(reference, Turns(reference.mandarin, reference.english), [(0, 4000)])
    assert times.der == times.language_error == times.english_error == times.mandarin_error == 1.0
    assert times.lder_script == 2.0
    assert times.miss_time == times.false_alarm_time == 0.0


def test_overlapping_turns_of_one_language_count_once():
    reference = Turns([(0, 1000), (500, 1500), (1500, 2000), (0, 1000)], NONE)
    times = language_times(reference, Turns([(0, 2000)], NONE), [(0, 3000), (1000, 2500)])
    assert times == LanguageTimes(english_time=2000)


def test_speech_claimed_in_silence_of_a_region_is_a_false_alarm_and_outside_it_is_not():
    reference = Turns([(0, 1000)], NONE)
    times = language_times(reference, Turns([(0, 9000)], NONE), [(0, 5000)])
    assert (times.false_alarm_time, times.english_false_alarm_time, times.der) == (4000, 4000, 4.0)


def test_excluded_speech_is_scored_on_neither_side():
    reference = Turns([(0, 1000)], [(1000, 2000)])
    hypothesis = Turns([(0, 500)], [(1000, 4000)])
    times = language_times(
        reference, hypothesis, [(0, 4000)], excluded=[(250, 1500), (1400, 1600), (3000, 3500)]
    )
    assert (times.english_time, times.mandarin_time) == (250, 400)  # 0-250, 1600-2000
    assert times.false_alarm_time == times.mandarin_false_alarm_time == 1500  # 2000-3000, 3500-4000
    assert times.miss_time == 0


def test_fractions_of_a_millisecond_are_kept():
    times = language_times(Turns([(0.25, 1.5)], NONE), Turns([(0.75, 1.625)], NONE), [(0.0, 2.0)])
    assert times == LanguageTimes(
        english_time=1.25,
        miss_time=0.5,
        false_alarm_time=0.125,
        english_missed_time=0.5,
        english_false_alarm_time=0.125,
    )


def random_turns(rng, most, length):
    """Integer turns that overlap, touch and tie: starts and ends fall on few instants."""
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
    """The definition, one millisecond after another."""

    def within(turns, frame):
        return any(start <= frame < end for start, end in turns)

    names = list(LanguageTimes.__dataclass_fields__)
    times = dict.fromkeys(names, 0)
    for frame in range(length):
        if not within(recording.regions, frame) or within(recording.excluded, frame):
            continue
        r = {language for language in Turns._fields if within(getattr(recording.reference, language), frame)}
        h = {language for language in Turns._fields if within(getattr(recording.hypothesis, language), frame)}
        times["miss_time"] += max(0, len(r) - len(h))
        times["false_alarm_time"] += max(0, len(h) - len(r))
        times["language_error_time"] += min(len(r), len(h)) - len(r & h)
        for language in Turns._fields:
            times[f"{language}_time"] += language in r
            times[f"{language}_missed_time"] += language in r - h
            times[f"{language}_false_alarm_time"] += language in h - r
    return LanguageTimes(**times)


def test_sweep_is_the_frame_by_frame_definition():
    rng = np.random.default_rng(11)
    recordings = [random_recording(rng) for _ in range(3000)]
    times = language_times_per_recording(recordings)
    for recording, swept in zip(recordings[:1500], times):  # noqa: B905
        assert swept == frame_by_frame(recording), recording
    assert sum(each.language_error_time > 0 for each in times) > 1000
    assert sum(each.mandarin_time == 0 for each in times) > 300
    alone = [language_times(*each[:3], excluded=each.excluded) for each in recordings[:300]]
    assert alone == times[:300]


def test_order_of_turns_and_recordings_changes_nothing(monkeypatch):
    rng = np.random.default_rng(12)
    recordings = [random_recording(rng) for _ in range(50)]
    shuffled = [
        Recording(
            Turns(*(rng.permutation(turns) for turns in each.reference)),
            Turns(*(rng.permutation(turns) for turns in each.hypothesis)),
            rng.permutation(each.regions),
            rng.permutation(each.excluded),
        )
        for each in recordings
    ]
    times = language_times_per_recording(recordings)
    assert language_times_per_recording(shuffled[::-1]) == times[::-1]
    for turns in (1, 7, 50):
        monkeypatch.setattr(language_diarization, "_TURNS_AT_A_TIME", turns)
        assert language_times_per_recording(recordings) == times


def union(turns):
    """Disjoint turns with the same instants, for a tool that would count an overlap twice."""
    merged = []
    for start, end in sorted(map(tuple, turns)):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


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
        np.testing.assert_allclose(times.der, parts["identification error rate"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(
            times.miss * times.total_time, parts["missed detection"], rtol=0, atol=1e-6
        )
        np.testing.assert_allclose(times.false_alarm_time, parts["false alarm"], rtol=0, atol=1e-6)
        np.testing.assert_allclose(times.language_error_time, parts["confusion"], rtol=0, atol=1e-6)


def test_pooling_adds_times_and_not_rates():
    # 1 of 1 s wrong and 0 of 9 s wrong: a tenth, not a half.
    wrong = language_times(Turns([(0, 1000)], NONE), Turns(NONE, NONE), [(0, 1000)])
    right = language_times(Turns([(0, 9000)], NONE), Turns([(0, 9000)], NONE), [(0, 9000)])
    assert sum([wrong, right], LanguageTimes()).der == 0.1


def test_rates_without_reference_speech_are_refused():
    silent = language_times(Turns(NONE, NONE), Turns([(0, 500)], NONE), [(0, 1000)])
    assert silent.false_alarm_time == 500
    for rate in ("der", "miss", "false_alarm", "language_error", "lder_script"):
        with pytest.raises(ValueError, match=r"reference holds 0.0 ms of English or Mandarin"):
            getattr(silent, rate)
    english = language_times(Turns([(0, 500)], NONE), Turns(NONE, NONE), [(0, 1000)])
    assert english.english_error == english.english_error_script == english.lder_script == 1.0
    for rate in ("mandarin_error", "mandarin_error_script"):
        with pytest.raises(ValueError, match=r"reference holds 0.0 ms of Mandarin"):
            getattr(english, rate)
    with pytest.raises(ValueError, match=r"0.0 ms of English$"):
        _ = silent.english_error


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


def test_the_recording_with_the_bad_turn_is_named():
    good = Recording(GOOD, GOOD, [(0, 9)])
    with pytest.raises(ValueError, match=r"recording 2, Mandarin reference: turn from 4.0 to 1.0"):
        language_times_per_recording([good, good, good._replace(reference=Turns(NONE, [(4, 1)]))])
    with pytest.raises(ValueError, match="no recording"):
        language_times_per_recording([])


def test_times_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="not negative"):
        LanguageTimes(english_time=-1.0)
    with pytest.raises(ValueError, match="finite"):
        LanguageTimes(english_time=float("nan"))
    with pytest.raises(ValueError, match="do not add up"):
        LanguageTimes(english_time=10.0, miss_time=5.0, english_missed_time=4.0)
