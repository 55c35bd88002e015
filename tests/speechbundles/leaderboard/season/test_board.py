"""The leaderboard of a phase day by day, in a platform's order."""

from speechbundles.leaderboard.season.board import rank
from speechbundles.leaderboard.season.replay import replay
from speechbundles.model.bundle import read_built_bundle
from tests.samples.seasons import COLUMNS, PLATFORMS, boards, codabench, codalab, final, season_of

UPLOADS = [
    ("a", "2027-01-01 10:00:00", 0.7),
    ("b", "2027-01-01 11:00:00", 0.6),
    ("a", "2027-01-02 10:00:00", 0.5),
    ("b", "2027-01-03 10:00:00", None),
]


@PLATFORMS
def test_best_and_last_give_different_boards(tmp_path, make_bundle):
    """On the second day a's best run is still the first one, and its last is worse; on the third nothing changes."""
    first = ("2027-01-01", "Development", [(1, "a", "0.7"), (2, "b", "0.6")])
    assert boards(make_bundle(tmp_path, rule="Force_Best"), *UPLOADS) == [first]
    assert boards(make_bundle(tmp_path, rule="Force_Last"), *UPLOADS) == [
        first,
        ("2027-01-02", "Development", [(1, "b", "0.6"), (2, "a", "0.5")]),
    ]


def test_all_are_on_the_board_of_force_latest_multiple(tmp_path):
    bundle = codabench(tmp_path, rule="Force_Latest_Multiple")
    assert final(bundle, *UPLOADS) == [(1, "a", "0.7"), (2, "b", "0.6"), (3, "a", "0.5")]


def test_lower_is_better_where_the_primary_column_says_so(tmp_path):
    bundle = codabench(tmp_path, columns=[{**COLUMNS[0], "sorting": "asc"}, *COLUMNS[1:]])
    assert final(bundle, *UPLOADS) == [(1, "a", "0.5"), (2, "b", "0.6")]
    assert final(codalab(tmp_path, sort="asc"), *UPLOADS) == [(1, "a", "0.5"), (2, "b", "0.6")]


def test_equal_primary_scores_on_codabench(tmp_path):
    """The other columns decide, each in its direction, then time; for the best run, hidden columns count too."""

    def scores(cost, secret):
        return {"accuracy": 0.5, "cost": cost, "secret": secret}

    bundle = codabench(tmp_path)
    uploads = [
        ("late", "2027-01-01 12:00:00", scores(2, 9)),
        ("early", "2027-01-01 11:00:00", scores(2, 0)),
        ("cheap", "2027-01-01 13:00:00", scores(1, 0)),
    ]
    assert [team for _, team, _ in final(bundle, *uploads)] == ["cheap", "early", "late"]
    competition = read_built_bundle(bundle)
    own = [
        ("a", "2027-01-01 10:00:00", scores(2, 0)),
        ("a", "2027-01-01 11:00:00", scores(2, 1)),
        ("a", "2027-01-01 12:00:00", scores(2, 1)),
    ]
    (entry,) = rank(competition, competition.phases[0], replay(competition, *season_of(*own)))
    assert entry.attempt.submission.time.hour == 11


def test_equal_primary_scores_on_codalab(tmp_path):
    """They share a rank, whatever the other columns; the next score has the next rank. Of a team's runs, the last."""
    bundle = codalab(tmp_path)
    uploads = [
        ("a", "2027-01-01 10:00:00", {"accuracy": 0.5, "cost": 1}),
        ("a", "2027-01-01 11:00:00", {"accuracy": 0.5, "cost": 2}),
        ("b", "2027-01-01 10:30:00", {"accuracy": 0.5, "cost": 0}),
        ("c", "2027-01-01 10:40:00", {"accuracy": 0.4, "cost": 0}),
    ]
    assert final(bundle, *uploads) == [(1, "b", "0.5"), (1, "a", "0.5"), (2, "c", "0.4")]
    competition = read_built_bundle(bundle)
    board = rank(competition, competition.phases[0], replay(competition, *season_of(*uploads)))
    assert [(entry.tied, entry.attempt.score("cost")) for entry in board] == [
        (True, 0),
        (True, 2),
        (False, 0),
    ]


def test_a_missing_primary_score_is_first_on_codabench_where_more_is_better(tmp_path):
    """PostgreSQL sorts NULL first in a descending order, last in an ascending one."""
    nothing = {"accuracy": None, "cost": 1, "secret": 0}
    uploads = [*UPLOADS, ("b", "2027-01-04 10:00:00", nothing), ("c", "2027-01-04 11:00:00", 0.9)]
    bundle = codabench(tmp_path)
    assert final(bundle, *uploads) == [(1, "b", "None"), (2, "c", "0.9"), (3, "a", "0.7")]
    lower = codabench(tmp_path, columns=[{**COLUMNS[0], "sorting": "asc"}, *COLUMNS[1:]])
    assert final(lower, *uploads) == [(1, "a", "0.5"), (2, "b", "0.6"), (3, "c", "0.9")]
    assert final(codalab(tmp_path), *uploads) == [(1, "c", "0.9"), (2, "a", "0.7"), (3, "b", "0.6")]


def test_each_phase_has_its_own_board(tmp_path):
    uploads = [("a", "2027-01-31 10:00:00", 0.7), ("b", "2027-02-10 10:00:00", 0.6)]
    assert boards(codabench(tmp_path), *uploads) == [
        ("2027-01-31", "Development", [(1, "a", "0.7")]),
        ("2027-02-10", "Evaluation", [(1, "b", "0.6")]),
    ]
