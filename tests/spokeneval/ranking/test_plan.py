"""The number of units that a test set needs, against a formula and simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import spokeneval
from spokeneval.__main__ import main
from spokeneval.metrics.jackknife import error_and_freedom
from spokeneval.ranking.plan import deviation_range, needed_units
from tests.samples.programs import write_files


@pytest.mark.parametrize(("difference", "deviation"), [(1.0, 8.0), (0.02, 0.1), (2.0, 4.5)])
def test_the_needed_number_is_the_smallest_with_the_power_of_a_t_test(difference, deviation):
    # Of normal differences, the t test's power is that of the noncentral t distribution, here by scipy. The test by
    # swaps has about the same: the needed number may be one unit larger, or up to 3 with few units.
    sizes = np.arange(4, 1000)
    critical, away = stats.t.ppf(0.975, sizes - 1), difference / deviation * np.sqrt(sizes)
    enough = sizes[stats.nct.sf(critical, sizes - 1, away) >= 0.8][0]
    assert 0 <= needed_units(difference, deviation) - enough <= (1 if enough > 60 else 3)


def test_so_many_units_find_the_difference_in_80_of_100_test_sets():
    # 36 speakers find a difference of 0.48 standard deviations: ((1.96 + 0.8416) / 0.48)^2 = 34.07, and two more for t.
    assert needed_units(0.48, 1.0) == 36
    drawn = np.random.default_rng(5).normal(0.48, 1, size=(20_000, 36))
    assert np.mean(stats.ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.02)


def test_the_range_contains_the_needed_number_for_95_of_100_pilots():
    # Pilots of 12 speakers of that population: the planned number, 36 times the estimated variance, is from 15 to 64
    # in nine of ten (the 5 % and 95 % points of chi-squared over 11 are 0.416 and 1.789).
    pilots, found, planned = np.random.default_rng(6).normal(size=(2000, 12)), [], []
    for pilot in pilots:
        error, freedom = error_and_freedom((pilot.sum() - pilot) / 11)
        low, high = deviation_range(error * 12**0.5, freedom)
        found.append(low <= 1 <= high)
        planned.append(36 * error**2 * 12)
    assert 0.94 <= np.mean(found) <= 0.97
    assert np.percentile(planned, [5, 95]) == pytest.approx([15, 64.4], rel=0.05)


def _pilot():
    """12 speakers with 10 words each; the second system has 0 to 3 more errors, the first one error each."""
    gold = {f"s{n}": {"transcript": "a b c d e f g h i j", "speaker": f"s{n}"} for n in range(12)}
    one = {item: {"transcript": "a b c d e f g h i x"} for item in gold}
    two = {f"s{n}": {"transcript": " ".join("y" * (n % 4) + "abcdefghi"[n % 4 :] + "x")} for n in range(12)}
    return gold, {"one": one, "two": two}


@pytest.mark.thorough
def test_a_pilot_is_planned_from_in_one_sentence(tmp_path, capsys):
    # Differences are 0, 10, 20 and 30 points for three speakers each: a variance of 3 * 500 / 11 = 136.4. For 5 points,
    # (1.96 + 0.8416)^2 136.4 / 25 = 42.8, and two to four more for the test by swaps.
    gold, systems = _pilot()
    found = spokeneval.plan({"kind": "transcripts"}, gold, systems, 5)
    assert 44 <= found.units <= 47
    low, high = deviation_range(1.0, 11)
    assert (found.lowest, found.highest) == pytest.approx((42.8 * low**2 + 3, 42.8 * high**2 + 2), abs=2)
    assert (found.pilot, found.unit, found.table) == (12, "speaker", None)
    sentence = (
        f"A test set needs about {found.units} speakers to find a difference of 5 in WER (%) between two systems with "
        f"a probability of 80 %; the 12 speakers here show only that it is between {found.lowest} and {found.highest}."
    )
    assert str(found) == sentence
    sheet = "".join(f"{item},{row['transcript']},{row['speaker']}\n" for item, row in gold.items())
    files = {"pilot/reference.csv": f"id,transcript,speaker\n{sheet}"}
    for name, rows in systems.items():
        lines = "".join(f"{item},{row['transcript']}\n" for item, row in rows.items())
        files[f"pilot/submissions/{name}.csv"] = f"id,transcript\n{lines}"
    folder = write_files(tmp_path, {**files})
    words = ["--pilot", str(folder / "pilot"), "--difference", "5"]
    for task in (["wer"], ["--kind", "transcripts"]):
        assert main(["plan", *task, *words]) == 0
        assert capsys.readouterr().out == f"{sentence}\n"
    assert main(["plan", "wer", *words, "--table"]) == 0
    assert "detected with 80 % power" in capsys.readouterr().out


def test_a_plan_that_cannot_be_made_is_refused():
    gold, systems = _pilot()
    for data, difference, message in (
        ((gold, {"one": systems["one"], "same": systems["one"]}), 2, "systems differ in 0 pairs"),
        ((gold, systems), 0, "expected a number above 0, in the unit of WER"),
        ((gold, systems), float("nan"), "expected a number above 0"),
    ):
        with pytest.raises(ValueError, match=message):
            spokeneval.plan({"kind": "transcripts"}, *data, difference)
