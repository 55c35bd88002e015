"""The summary of a season: what it says of ties and of choices."""

import pytest

from speechbundles.leaderboard.season_text import season_to_text
from tests.samples.seasons import codabench, codalab, final, season_at

UPLOADS = [("a", "2027-01-01 10:00:00", 0.7), ("b", "2027-01-01 11:00:00", 0.6)]


@pytest.mark.parametrize(
    "bundle",
    [
        lambda tmp_path: codabench(tmp_path, rule="Add"),
        lambda tmp_path: codabench(tmp_path, rule="Add_And_Delete_Multiple"),
        lambda tmp_path: codalab(tmp_path, rule="participants pick"),
    ],
)
def test_where_participants_pick_the_best_is_shown_and_said_to_be_a_guess(tmp_path, bundle):
    season = season_at(bundle(tmp_path), *UPLOADS)
    assert final(tmp_path / "bundle.zip", *UPLOADS) == [(1, "a", "0.7"), (2, "b", "0.6")]
    assert "Development: participants choose their submission on the leaderboard" in season_to_text(season)


@pytest.mark.parametrize(
    ("make_bundle", "ranks"), [(codabench, ["1", "2–3", "2–3"]), (codalab, ["1", "2=", "2="])]
)
def test_ties_are_told_by_the_ranks_that_they_take(tmp_path, make_bundle, ranks):
    uploads = [(team, "2027-01-01 10:00:00", score) for team, score in (("a", 0.7), ("b", 0.5), ("c", 0.5))]
    lines = season_to_text(season_at(make_bundle(tmp_path), *uploads)).splitlines()
    board = next(number for number, line in enumerate(lines) if line.startswith("Final leaderboard"))
    assert [line.split()[1] for line in lines[board + 2 : board + 5]] == ranks


def test_a_long_season_is_its_totals_and_the_first_of_each_list(tmp_path):
    uploads = [(f"t{n:02}", "2027-01-01 10:00:00", 0.5 + n / 100) for n in range(9)]
    failed = [(f"u{n}", "2027-01-01 11:00:00", None) for n in range(4)]
    text = season_to_text(season_at(codabench(tmp_path), *uploads, *failed), 3)
    assert "13 teams, 13 attempts: 9 finished, 4 failed, 0 refused" in text
    assert [word for word in text.split() if word in {name for name, *_ in uploads}] == ["t08", "t07", "t06"]
    assert [line for line in text.splitlines() if "more" in line] == ["  ... and 6 more", "  ... and 1 more"]
    assert text.count("results.csv: 1 problem") == 3
