"""What a new build means for submissions that are there."""

from datetime import datetime

import pytest

from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.model import dates
from speechbundles.model.sources import Sources
from tests.samples.declared_tasks import declared_folder
from tests.samples.programs import ROOT, write_files

LABELS = "reference_data/aufgabe/evaluation/labels.csv"


def build(folder, files, earlier=None, platforms=()):
    planned = plan(
        Sources(ROOT, write_files(folder, files)), [], {}, platforms=platforms, leave_out=["baseline"]
    )
    (built,) = write(planned, folder / "dist", earlier=earlier)
    return built


@pytest.fixture(scope="module")
def files():
    return declared_folder("identification")


@pytest.fixture(scope="module")
def earlier(files, tmp_path_factory):
    return build(tmp_path_factory.mktemp("earlier"), files).path


def _rows(files, change):
    header, *rows = files[LABELS].splitlines()
    return {LABELS: "\n".join([header, *change(rows), ""])}


def _settings(files, old, new):
    assert old in files["competition.yaml"]
    return {"competition.yaml": files["competition.yaml"].replace(old, new)}


CHANGES = {
    "nothing": (lambda files: {}, []),
    "another order": (lambda files: _rows(files, lambda rows: rows[::-1]), []),
    "a label": (
        lambda files: _rows(files, lambda rows: [rows[0].replace("Deutsch", "Hindi"), *rows[1:]]),
        ["phase Evaluation: 1 item or unit has other labels"],
    ),
    "items": (
        lambda files: _rows(files, lambda rows: [*rows[3:], "neu1,Hindi,P1", "neu2,Tamil,P1"]),
        ["phase Evaluation: 2 items added, 3 items removed: submissions that are there do not answer"],
    ),
    "an end": (
        lambda files: _settings(files, "2027-04-01 00:00:00", "2027-04-08 00:00:00"),
        ["phase Evaluation: closes: was 2027-04-01 00:00:01, is 2027-04-08 00:00:01: submissions keep"],
    ),
    "a phase": (
        lambda files: _settings(files, "reference: evaluation,", "reference: evaluation, name: Finale,"),
        ["the phases: was [Development, Evaluation], is [Development, Finale]: `amend` refuses"],
    ),
    "the name of the ids": (
        lambda files: {
            name: text.replace("id,", "Clip,", 1).replace("{kind:", "{id: Clip, kind:")
            for name, text in files.items()
        },
        [
            "id: was not set, is Clip: scores can change, and files that no longer fit are refused.",
            "phase Development: the lists of items have another format: `amend` refuses",
            "phase Evaluation: the lists of items have another format: `amend` refuses",
        ],
    ),
    "feedback": (
        lambda files: _settings(files, "kind:", "feedback: exact, kind:"),
        ["the columns of the leaderboard: was", "feedback: was coarse, is exact: scores can change"],
    ),
}


@pytest.mark.default_cases("nothing", "a label", "feedback")
@pytest.mark.parametrize("change", CHANGES)
def test_a_build_says_what_it_means_for_submissions_that_are_there(tmp_path, files, earlier, change):
    edit, expected = CHANGES[change]
    built = build(tmp_path, {**files, **edit(files)}, earlier)
    lines = [
        line for line in built.changes if "columns of the leaderboard" not in line or change == "feedback"
    ]
    assert [line[: len(start)] for line, start in zip(lines, expected, strict=False)] == expected
    assert len(lines) == len(expected)
    assert not any(word in line for line in built.changes for word in ("neu1", "ev00"))


@pytest.mark.thorough
def test_the_replaced_bundle_counts_once_its_first_phase_has_begun(tmp_path, files, monkeypatch):
    assert build(tmp_path, files).changes == ()
    moved = {**files, **_settings(files, "2027-04-01", "2027-04-08")}
    for now, count in ((datetime(2026, 12, 31), 0), (datetime(2027, 1, 1), 1)):
        build(tmp_path, files)
        monkeypatch.setattr(dates, "now", lambda now=now: now)
        assert len(build(tmp_path, moved).changes) == count
        monkeypatch.undo()


def test_items_are_compared_where_only_participants_get_their_lists(tmp_path, files, monkeypatch):
    build(tmp_path, files, platforms=["codalab"])
    monkeypatch.setattr(dates, "now", lambda: datetime(2027, 1, 1))
    fewer = {**files, **_rows(files, lambda rows: rows[3:])}
    (line,) = build(tmp_path, fewer, platforms=["codalab"]).changes
    assert line.startswith(
        "phase Evaluation: 0 items added, 3 items removed: submissions that are there do not answer"
    )
