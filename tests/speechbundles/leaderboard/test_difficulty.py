"""The share of systems that are right on each item, and what makes items hard."""

import csv
import json

import numpy as np
import pytest

import build_bundle
from sample_data import spoken_call_systems as eighteen
from sample_data.spoken_call import make_sheet
from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.difficulty import explain, items_table
from speechbundles.leaderboard.given import read_properties
from speechbundles.leaderboard.labelled_set import read_labelled_set
from speechbundles.leaderboard.render import table_to_csv
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.scoring.scored import by_unit
from tests.samples.programs import ROOT
from tests.samples.tables import table

# Overview of the third edition (2019), Table 2: correct, then incorrect responses by the number of wrong systems, with
# Incom, Pron, Stutt, xTalk, SNSN, Faint in per cent.
PUBLISHED = """
correct 0–2 605 1.16 0.00 3.64 0.83 2.98 2.31
correct 3–9 65 7.69 0.00 9.23 13.85 3.08 4.62
correct 10–18 70 7.14 0.00 8.57 8.57 17.14 5.71
correct all 740 2.30 0.00 4.59 2.70 4.32 2.84
incorrect 0–2 184 21.74 11.41 9.78 2.17 3.26 4.89
incorrect 3–9 31 16.13 6.45 9.68 3.23 6.45 0.00
incorrect 10–18 45 26.67 0.00 2.22 0.00 2.22 4.44
incorrect all 260 21.92 8.85 8.46 1.92 3.46 4.23
"""


def test_the_hardest_items_are_first_and_no_item_is_a_formula():
    # Two of three systems are right on r0, none on =r1 and r3, which keep their order, and one on r2.
    right = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]], dtype=bool)
    units = Units("speaker", {"r0": "a", "=r1": "a", "r2": "b", "r3": "b"})
    correct = np.array([True, False, True, True])
    counts = [decisions_per_response(correct, correct, correct == answers) for answers in right.T]
    found = items_table(TASK, [by_unit(units, {"decisions": each}) for each in counts])
    expected = ["item,right", "'=r1,0.0000", "r3,0.0000", "r2,0.3333", "r0,0.6667"]
    assert table_to_csv(found).splitlines() == expected


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The sample's eighteen systems: its rows, who is wrong, the tables of properties, and the systems' statistics."""
    folder, rows = tmp_path_factory.mktemp("eighteen"), make_sheet("evaluation")
    wrong = eighteen.wrong_systems(rows)
    eighteen.write(folder)
    (competition,) = read_competitions(Sources(ROOT), ["spoken_call"])
    systems = [*eighteen.statistics(rows, wrong).values()]
    return rows, wrong, folder, read_labelled_set(competition, "evaluation"), systems


def share(outcome, columns):
    """R² by NumPy's least squares."""
    columns = np.column_stack([np.ones(len(outcome)), columns])
    rest = outcome - columns @ np.linalg.lstsq(columns, outcome, rcond=None)[0]
    return 1 - rest @ rest / np.sum((outcome - outcome.mean()) ** 2)


def test_correct_responses_are_explained_and_incorrect_ones_are_not(sample):
    # Section 4 of the overview: word errors 27 % of the variance of correct responses, 48 % with the other columns; of
    # incorrect ones at most 11 %. The synthetic sample has the contrast: 35.9 to 41.3 % with flags, 0.0 to 4.0 %.
    rows, wrong, folder, gold, systems = sample
    decisions = [system.total("decisions") for system in systems]
    errors = [(each.false_rejects, each.plain_false_accepts, each.gross_false_accepts) for each in decisions]
    assert errors == [*eighteen.WRONG.values()]
    bands, variance = explain(folder / "indicators.csv", "language", gold, TASK, systems).values()
    assert [[*row[:3], *row[4:10]] for row in bands.rows] == [
        row.split() for row in PUBLISHED.split("\n")[1:-1]
    ]
    with (folder / "indicators.csv").open() as file:
        given = list(csv.DictReader(file))
    values = np.array(
        [
            [{"yes": 1.0, "no": 0.0}.get(cell) or float(cell.strip("yesno") or 0) for cell in row.values()]
            for row in given
        ]
    )
    found = {(row[0], row[1]): row[4] for row in variance.rows}
    for kind, shown in (("correct", ["35.9", "41.3"]), ("incorrect", ["0.0", "4.0"])):
        held = np.array([row["language"] == kind for row in rows])
        outcome, columns = wrong.sum(axis=1)[held], values[held]
        assert [f"{100 * share(outcome, columns[:, 1:last]):.1f}" for last in (2, 8)] == shown
        assert [found[kind, "#WE"], found[kind, "Faint"]] == shown
        assert found[kind, "WER"] == f"{100 * share(outcome, columns[:, 1:]):.1f}"


def test_a_row_for_each_answer_gives_the_majority_or_the_mean(sample, tmp_path):
    *_, folder, _, systems = sample
    items = systems[0].rows[0]
    flags = {own.name: own.values for own in read_properties(folder / "indicators.csv", items)[0]}
    of_answers, notes = read_properties(folder / "answers.csv", items)
    assert [own.name for own in of_answers] == [*eighteen.FLAGS]
    assert all((own.values == flags[own.name]).all() and own.is_flag for own in of_answers)
    assert notes == []
    # The second answer to a repeated item (time 1) does not count; 0,5 of a German table is 0.5.
    answers = [
        "anna;x;Dauer;0,5;0",
        "anna;x;Dauer;9;1",
        "ben;x;Dauer;1,5;0",
        "ben;x;Satz;gut;0",
        "ben;y;Dauer;0,25;0",
    ]
    (tmp_path / "answers.csv").write_text("\n".join(["annotator;item;question;value;time", *answers, ""]))
    (duration,), notes = read_properties(tmp_path / "answers.csv", ["y", "x"])
    assert (duration.values.tolist(), duration.is_flag) == ([0.25, 1.0], False)
    assert notes == ["Not used: columns in which most cells are neither numbers nor yes or no: Satz."]


@pytest.mark.parametrize(("content", "words"), table("leaderboard_cases")["properties"])
def test_properties_that_do_not_fit_are_refused(tmp_path, content, words):
    (tmp_path / "properties.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(OrganiserError) as refused:
        read_properties(tmp_path / "properties.csv", ["0", "1", "2"])
    assert words in str(refused.value)


def test_items_with_an_error_are_shown_by_quarters_of_their_mean_error(tmp_path):
    # One system leaves out up to three phones of each transcript, the other all of every fifth.
    (competition,) = read_competitions(Sources(ROOT), ["psst_recognition"])
    gold = read_labelled_set(competition, "evaluation")
    said = {item: cells[0].split() for item, cells in gold.columns["transcript"].items()}
    short = {item: said[item][: len(said[item]) - number % 4] for number, item in enumerate(said)}
    none = {item: said[item][number % 5 == 0 and len(said[item]) :] for number, item in enumerate(said)}
    systems = []
    for heard in (short, none):
        lines = ["utterance_id\tasr_transcript", *(f"{item}\t{' '.join(heard[item])}" for item in said), ""]
        answers = gold.task.format.read_submission(
            {"transcripts.tsv": "\n".join(lines).encode()}, gold.labels.items
        )
        systems.append(by_unit(gold.task.units(gold.labels), gold.task.count(gold.labels, answers)))
    errors = np.mean([1 - gold.task.right(system.rows[1]) for system in systems], axis=0)
    frames = np.array([20000 + 10 * len(said[item]) for item in said])
    (tmp_path / "frames.csv").write_text("\n".join(["item,frames", *map("{},{}".format, said, frames), ""]))
    bands, variance = explain(tmp_path / "frames.csv", "", gold, gold.task, systems).values()
    assert list(bands.header) == ["class", "Mean error", "Items", "frames"]
    *quarters, whole = bands.rows
    assert [float(row[1].split(" – ")[0]) for row in quarters] == sorted(
        {float(row[1].split(" – ")[0]) for row in quarters}
    )
    assert len(quarters) == 4
    assert sum(int(row[2]) for row in quarters) == int(whole[2]) == len(said)
    assert whole[3] == f"{frames.mean():.0f}"
    assert variance.rows[0][4] == f"{100 * share(errors, frames):.1f}"
    assert "Linear model of the mean error by" in variance.note


def test_the_command_writes_the_tables_as_csv_and_json(own_competition, tmp_path, capsys):
    lines = [f"x{n};{n % 3 == 0};{n / 4:.2f}".replace(".", ",") for n in range(1, 60)]
    (tmp_path / "Eigenschaften.csv").write_text(
        "\n".join(["Äußerung;Geräusch;Dauer", *lines, ""]), encoding="utf-8"
    )
    outputs = sorted(str(path) for path in (own_competition / "part").iterdir())
    said = ["rank", *outputs, "--competition", str(own_competition / "mine"), "--explain"]
    said += [str(tmp_path / "Eigenschaften.csv")]
    assert build_bundle.main([*said, "--within", "language", "--out", str(tmp_path / "board")]) == 0
    bands = list(csv.reader((tmp_path / "board/bands.csv").read_text(encoding="utf-8").splitlines()))
    assert bands[0] == ["language", "Systems wrong", "Items", "Geräusch (%)", "Dauer"]
    # 30 items, of which x4, x8, ... are incorrect: x12, x24 of 7 are multiples of 3; the mean of n / 4 is 16 / 4.
    assert bands[-1] == ["incorrect", "all", "7", f"{100 * 2 / 7:.2f}", "4"]
    variance = (tmp_path / "board/variance.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[:2] for line in variance[1:]] == [
        [kind, column] for kind in ("correct", "incorrect") for column in ("Geräusch", "Dauer")
    ]
    written = json.loads((tmp_path / "board/board.json").read_text(encoding="utf-8"))
    shown = {table["title"]: table for table in written["tables"]}
    assert [shown["What makes items hard"]["header"], *shown["What makes items hard"]["rows"]] == bands
    assert "Not used: items that are not on this leaderboard: x31," in shown["What makes items hard"]["note"]
    assert "Incorrect: 7 items of 2 speakers" in shown["Variance explained"]["note"]
    capsys.readouterr()
    assert build_bundle.main([*said, "--within", "Sprache"]) == 1
    assert "--within Sprache: the reference has no such column" in capsys.readouterr().err
    assert build_bundle.main(["rank", *outputs, "--within", "language"]) == 2
    assert "--within needs --explain TABLE" in capsys.readouterr().err
