"""The entries of a competition whose labels stay at home, for the joint leaderboard."""

import pytest

from speechbundles.leaderboard.joint import score_entries
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import DELETED
from tests.samples.home_boards import answers, begin, bundle_of, f1, fetched
from tests.samples.programs import write_files


@pytest.mark.thorough
@pytest.mark.parametrize(("rule", "counts"), [("Force_Best", 20), ("Add", 30), ("Force_Latest_Multiple", 20)])
def test_the_entries_are_those_of_the_board_of_one_competition(tmp_path, rule, counts):
    """Withdrawn, cancelled and late runs, those that are not chosen, and files of earlier fetches are no entries.

    Runs of other phases are not even listed.
    """
    home = bundle_of(begin(tmp_path / "mine", f"  feedback: exact\n  submission_rule: {rule}\n"), tmp_path)
    folder = fetched(
        tmp_path / "fetched",
        ("anna", "2027-03-01T09:00", 20, {"on_board": False}),
        ("anna", "2027-03-02T09:00", 30),
        ("anna", "2027-03-03T09:00", 9, {"note": DELETED, "on_board": False}),
        ("eva", "2027-03-01T09:00", 0, {"note": DELETED, "on_board": False}),
        ("fay", "2027-03-01T09:00", 0, {"status": "Cancelled"}),
        ("gus", "2027-03-20T09:00", 0),
        ("kim", "2027-03-20T09:00", 0, {"phase": "Development"}),
    )
    write_files(folder, {"submissions/ida/2027-03-01T090000_9.zip": answers(0)})
    outputs, notes, _ = score_entries(home.path, folder, tmp_path / "out", at_home=True, jobs=2)
    assert {each.name: each.scores["f1"] for each in outputs} == {"anna": pytest.approx(f1(counts), abs=1e-9)}
    left_out = ["anna"] * (1 + (rule == "Add")) + ["eva", "gus"]
    assert sorted(note.split()[1] for note in notes) == left_out


@pytest.mark.thorough
def test_entries_are_named_by_accounts_not_by_their_folders(tmp_path):
    settings = "  feedback: exact\n  submission_rule: Force_Latest_Multiple\n"
    home = bundle_of(begin(tmp_path / "mine", settings), tmp_path)
    wrong = {"anna": 4, "Anna": 9, "lab.": 20}
    runs = [(owner, f"2027-03-0{day}T09:00", wrong[owner] + day) for day in (1, 2) for owner in wrong]
    folder, best = (
        fetched(tmp_path / "fetched", *runs),
        {owner: f1(count + 1) for owner, count in wrong.items()},
    )
    for at_home in (True, False):
        outputs, *_ = score_entries(home.path, folder, tmp_path / f"{at_home}", at_home=at_home, jobs=2)
        assert len(outputs) == len(wrong)
        assert {each.name: each.scores["f1"] for each in outputs} == pytest.approx(best, abs=1e-9)


def test_if_no_run_counts_each_reason_is_listed(tmp_path):
    home = bundle_of(begin(tmp_path / "mine"), tmp_path)
    folder = fetched(tmp_path / "fetched", ("gus", "2027-03-20T09:00", 0))
    with pytest.raises(
        OrganiserError, match=r"has a score\n.*gus  1  Evaluation was not open at 2027-03-20 09:00:00"
    ):
        score_entries(home.path, folder, tmp_path / "out", at_home=True)
