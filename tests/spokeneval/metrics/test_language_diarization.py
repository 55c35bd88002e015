import numpy as np
import pytest

from spokeneval.metrics import language_diarization as metrics
from spokeneval.metrics.counts import total
from spokeneval.metrics.language_diarization import LanguageTimes, der, jaccard_errors, language_times
from spokeneval.metrics.sweeps import Recording, Turns

LANGUAGES = ("english", "mandarin")
TIMES = (
    *("english_time", "mandarin_time", "total_time"),
    *("miss_time", "false_alarm_time", "language_error_time"),
)
RATES = (
    *("der", "miss", "false_alarm", "language_error", "english_error", "mandarin_error"),
    *("lder_script", "english_error_script", "mandarin_error_script"),
)


def recorded(reference, hypothesis, regions, excluded=()):
    """A recording from the English and the Mandarin turns of both sides."""
    return Recording(Turns.of_labels(*reference), Turns.of_labels(*hypothesis), regions, excluded)


def times_of(*recording):
    return total(language_times([recorded(*recording)]))


def named(names, times):
    return [getattr(metrics, name)(times) for name in names]


def within(spans, frame):
    return any(start <= frame < end for start, end in spans)


def frame_by_frame(recording, length=200):
    """The times, and the rates, by definition, millisecond by millisecond."""
    times = np.zeros(len(TIMES))
    missed, falsely_claimed = np.zeros((2, 2))
    for frame in range(length):
        if not within(recording.regions, frame) or within(recording.excluded, frame):
            continue
        r, h = (
            {int(label) for span, label in zip(*turns) if within([span], frame)} for turns in recording[:2]
        )
        n_r, n_h = len(r), len(h)
        times += [0 in r, 1 in r, n_r, max(0, n_r - n_h), max(0, n_h - n_r), min(n_r, n_h) - len(r & h)]
        for language in (0, 1):
            missed[language] += language in r - h
            falsely_claimed[language] += language in h - r
    english, mandarin, whole, *errors = times.tolist()
    wrong = missed + falsely_claimed
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.divide(
            [sum(errors), *errors, *missed, wrong.sum(), *wrong],
            [whole, whole, whole, whole, english, mandarin, whole, english, mandarin],
        )
    return times.tolist(), rates


# Worked by hand, in ms. The reference has English at 1000-3000, 4500-6000 and 9500-10500, Mandarin at 3500-5000
# and 8000-9000; both at 4500-5000.
REFERENCE = [(1000, 3000), (4500, 6000), (9500, 10500)], [(3500, 5000), (8000, 9000)]
HYPOTHESIS = [(1200, 3200), (4700, 5500), (8000, 8500), (11000, 12000)], [(3500, 4700), (8500, 9200)]


def test_worked_example():
    # Miss: 1000-1200, 4500-4700 (both spoken, Mandarin claimed), 4700-5000 (both, English), 5500-6000, 9500-10000:
    # 200 + 200 + 300 + 500 + 500 = 1700. False alarm: 3000-3200, 9000-9200. Language error: 8000-8500.
    times = times_of(REFERENCE, HYPOTHESIS, [(500, 10000)])
    assert named(TIMES, times) == [2000 + 1500 + 500, 1500 + 1000, 6500, 1700, 400, 500]
    # English misses 200 + 200 + 500 + 500 and claims 200 + 500 falsely, Mandarin 300 + 500 and 200.
    expected = [
        *(2600 / 6500, 1700 / 6500, 400 / 6500, 500 / 6500, 1400 / 4000, 800 / 2500),
        *((2100 + 1000) / 6500, (1400 + 700) / 4000, (800 + 200) / 2500),
    ]
    np.testing.assert_allclose(named(RATES, times), expected, rtol=0, atol=1e-12)
    # States in the order neither, English, Mandarin, both of the reference; rows likewise of the hypothesis.
    assert times.states.reshape(4, 4).T.tolist() == [
        [9500 - 6000 - 400, 200, 200, 0],
        [1200, 2300, 0, 0],
        [0, 500, 1500, 0],
        [0, 300, 200, 0],
    ]


def test_worked_example_with_two_regions():
    # Without 4600-5200, English loses 600 and Mandarin 400; of the miss, 100 (4600-4700, Mandarin claimed) and 300
    # (4700-5000, English claimed) go. DER (1300 + 400 + 500) / 5500.
    times = times_of(REFERENCE, HYPOTHESIS, [(500, 4600), (5200, 10000)])
    assert named(TIMES, times) == [3400, 2100, 5500, 1300, 400, 500]
    np.testing.assert_allclose(der(times), 0.4, rtol=0, atol=1e-12)


def test_excluded_speech_is_scored_on_neither_side():
    times = times_of(
        *(([(0, 1000)], [(1000, 2000)]), ([(0, 500)], [(1000, 4000)])),
        *([(0, 4000)], [(250, 1500), (1400, 1600), (3000, 3500)]),
    )
    # English 0-250, Mandarin 1600-2000; false alarm 2000-3000 and 3500-4000.
    assert named(TIMES, times) == [250, 400, 650, 0, 1500, 0]


def test_fractions_of_a_millisecond_are_kept():
    times = times_of(([(0.25, 1.5)], []), ([(0.75, 1.625)], []), [(0.0, 2.0)])
    assert named(TIMES, times) == [1.25, 0, 1.25, 0.5, 0.125, 0]
    errors = jaccard_errors(language_times([recorded(([(0, 0.5)], []), ([(0, 0.25)], []), [(0, 1)])]))
    assert (errors.languages.tolist(), errors.error.tolist()) == ([1], [0.5])


def random_turns(rng, most, length):
    """Integer turns that overlap, touch and tie, because their starts and ends have few distinct values."""
    start = rng.integers(0, length, rng.integers(0, most + 1))
    return np.stack([start, start + rng.integers(1, length // 2, len(start))], axis=1)


def random_recording(rng, length=40):
    sides = [[random_turns(rng, 4, length), random_turns(rng, 3, length)] for _ in range(2)]
    if rng.random() < 0.2:
        sides[0][rng.integers(2)] = []
    regions = np.concatenate([[[3, length - 5]], random_turns(rng, 2, length)])[-2:]
    excluded = random_turns(rng, 2, length // 4) + rng.integers(length) if rng.random() < 0.5 else ()
    return recorded(*sides, regions, excluded)


@pytest.mark.parametrize("count", [50, pytest.param(1500, marks=pytest.mark.thorough)])
def test_sweep_is_the_frame_by_frame_definition(count):
    rng = np.random.default_rng(12)
    recordings = [random_recording(rng) for _ in range(count)]
    rows = language_times(recordings)
    assert rows.states.shape == (count, 16)
    rates = np.array(named(RATES, rows)).T
    for recording, states, found in zip(recordings, rows.states, rates):
        times, expected = frame_by_frame(recording)
        assert named(TIMES, LanguageTimes(states)) == times, recording
        np.testing.assert_array_equal(found, np.where(np.isinf(expected), np.nan, expected))
    if count > 1000:
        assert (metrics.language_error_time(rows) > 0).sum() > 500
        assert (metrics.mandarin_time(rows) == 0).sum() > 150


def test_jaccard_error_rate_by_hand_and_as_dscore_has_it():
    # English spoken 0-4 and 6-8 s, claimed 1-5 s: 3 in common of 7. Mandarin spoken 4-6 s, claimed 5-8 s: 1 of 4. In
    # the second recording English 0-2 s, claimed never; Mandarin claimed there counts nothing, as nobody speaks it.
    # dscore's jer (commit f41bd1bc), given these durations and what a language has in common with itself: 77.38095.
    first = recorded(
        *(([(0, 4000), (6000, 8000)], [(4000, 6000)]), ([(1000, 5000)], [(5000, 8000)]), [(0, 8000)])
    )
    second = recorded(([(0, 2000)], []), ([], [(0, 1000)]), [(0, 8000)])
    errors = jaccard_errors(language_times([first, second]))
    assert errors.languages.tolist() == [2, 1]
    np.testing.assert_allclose(errors.error, [4 / 7 + 3 / 4, 1], rtol=0, atol=1e-12)
    expected = (4 / 7 + 3 / 4 + 1) / 3
    assert round(100 * expected, 5) == 77.38095
    assert metrics.jaccard_error_rate(total(errors)) == pytest.approx(expected, rel=0, abs=1e-12)


def annotation(core, turns):
    """The turns for pyannote, which counts overlaps of a label twice, as unions."""
    result = core.Annotation()
    for language, called in enumerate(LANGUAGES):
        spoken = core.Timeline([core.Segment(*span) for span in turns.spans[turns.labels == language]])
        for track, segment in enumerate(spoken.support()):
            result[segment, f"{called}{track}"] = called
    return result


@pytest.mark.filterwarnings("ignore")
def test_der_and_jer_agree_with_pyannote():
    core = pytest.importorskip("pyannote.core")
    pyannote = pytest.importorskip("pyannote.metrics.identification").IdentificationErrorRate
    jaccard = pytest.importorskip("pyannote.metrics.diarization").JaccardErrorRate
    rng = np.random.default_rng(13)
    regions = [(200.0, 1000.5), (1300.0, 2900.0)]
    uem = core.Timeline([core.Segment(*region) for region in regions])
    recordings, jer = [], []
    for _ in range(40):
        sides = [[random_turns(rng, 12, 3000) + rng.random() for _ in LANGUAGES] for _ in range(2)]
        recordings.append(recorded(*sides, regions))
        annotations = [annotation(core, turns) for turns in recordings[-1][:2]]
        parts = pyannote()(*annotations, uem=uem, detailed=True)
        names = ("missed detection", "false alarm", "confusion")
        times = total(language_times(recordings[-1:]))
        np.testing.assert_allclose(
            named(TIMES[3:], times), [parts[name] for name in names], rtol=0, atol=1e-6
        )
        for called in LANGUAGES:
            alone = [each.subset([called]) for each in annotations]
            if alone[0].crop(uem):
                jer.append(jaccard()(*alone, uem=uem))
    errors = total(jaccard_errors(language_times(recordings)))
    assert errors.languages == len(jer) > 60
    assert metrics.jaccard_error_rate(errors) == pytest.approx(np.mean(jer), rel=0, abs=1e-9)


GOOD = recorded(([(0, 1)], [(1, 2)]), ([], []), [(0, 9)])
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        *(
            ({"hypothesis": Turns([span], [0])}, "turns: expected 0 <= start < end")
            for span in ((5, 5), (7, 3), (-1, 3), (NAN, 3), (3, NAN))
        ),
        ({"regions": [(0, INF)]}, "turns: expected 0 <= start < end"),
        ({"excluded": [(3, 2)]}, "turns: expected 0 <= start < end"),
        ({"regions": ()}, "regions in each"),
        ({"regions": [0, 9]}, "dimension"),
        ({"reference": Turns([(1, 2, 3)], [0])}, "dimension"),
        ({"reference": Turns([("1", "2")], [0])}, "turns: expected numbers"),
        ({"reference": Turns([(0, 1)], [2])}, "label 0, English, or 1"),
        ({"reference": Turns([(0, 1)], [])}, "as many labels as turns"),
    ],
)
def test_bad_turns_are_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        language_times([GOOD, GOOD._replace(**changed)])


@pytest.mark.parametrize("shape", [(15,), (16, 4)])
def test_there_are_sixteen_states(shape):
    with pytest.raises(ValueError, match="states must have shape"):
        LanguageTimes(np.zeros(shape))
