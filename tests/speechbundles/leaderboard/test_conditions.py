"""Scores by condition: from a table, and from a column of the reference."""

import numpy as np
import pytest

from speechbundles.leaderboard import conditions
from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard.conditions import read_conditions
from speechbundles.leaderboard.labelled_set import LabelledSet
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges.spoken_call import TASK
from tests.samples.boards import scored
from tests.samples.programs import ROOT
from tests.samples.tables import table


@pytest.mark.parametrize(
    ("content", "words"),
    [
        *table("leaderboard_cases")["conditions"],
        (f"Id,prompt\n0,{'x' * 200_000}\n", "line 2: field larger than"),
    ],
)
def test_conditions_that_do_not_fit_are_refused(tmp_path, content, words):
    (tmp_path / "conditions.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(OrganiserError) as refused:
        read_conditions(tmp_path / "conditions.csv", ["0", "1", "2"], ["a", "b", "c"])
    assert words in str(refused.value)


@pytest.mark.parametrize(("count", "kinds"), [(12, 12), (13, 4)])
def test_few_different_numbers_are_conditions_and_more_are_quarters(count, kinds):
    items = [f"call{n}" for n in range(count)]
    gold = LabelledSet(TASK, None, {"age": {item: [str(20 + n)] for n, item in enumerate(items)}}, {}, {})
    assert len(set(conditions.conditions_by_column(gold, "age", items).values())) == kinds


def board_by(own_competition, *columns, part="whole", **choices):
    outputs = read_outputs(sorted((own_competition / part).iterdir()))
    asked = ranking.Breakdown(by=columns, **choices)
    return ranking.make_board(Sources(ROOT, own_competition / "mine"), outputs, asked=asked)


@pytest.mark.parametrize(("part", "count"), [("whole", 41), ("part", 30)])
def test_scores_by_a_column_of_the_reference_are_those_of_its_items(own_competition, part, count):
    # On a share of the set too, because the organiser has the whole reference.
    board = board_by(own_competition, "prompt", "Seconds", part=part)
    by_prompt, by_seconds = [table for table in board.tables if table.title.startswith("Dfull by ")]
    assert by_prompt.title == "Dfull by prompt"
    correct = np.array([n % 4 > 0 for n in range(1, count + 1)])
    accept = correct ^ (np.arange(count) % 5 == 0)
    kinds = ["a  b", *(f"p{n % 3}" for n in range(2, count + 1))]
    for kind, cell in zip(["p0", "p1", "p2"], by_prompt.rows[0][2:], strict=True):
        only = np.array([prompt == kind for prompt in kinds])
        expected, _ = scored((correct[only], correct[only] | True, accept[only]))
        (row,) = [row for row in by_prompt.rows if row[0] == "a"]
        assert row[by_prompt.header.index(f"{kind} ({only.sum()})")] == f"{expected['d_full']:.4f}", cell
    # More than twelve different numbers are grouped into quarters, from the smallest to the largest.
    assert by_seconds.header[1].startswith("1 – ")
    assert len(by_seconds.header) == 5
    assert sum(int(head.rpartition("(")[2][:-1]) for head in by_seconds.header[1:]) == count


def test_conditions_may_be_of_items_though_units_are_speakers(own_competition, tmp_path, monkeypatch):
    rows = "".join(f"x{n},{'even' if n % 2 == 0 else 'odd'}\n" for n in range(1, 42))
    (tmp_path / "items.csv").write_text("Id,kind\n" + rows)
    (tmp_path / "units.csv").write_text("unit,kind\n" + "".join(f"S{n},{n % 2}\n" for n in range(8)))
    monkeypatch.setattr(conditions, "MOST_CONDITIONS", 2)  # as many as there are
    for file, header in (("items.csv", ["even (20)", "odd (21)"]), ("units.csv", ["0 (4)", "1 (4)"])):
        board = board_by(own_competition, conditions=tmp_path / file)
        (table,) = [table for table in board.tables if table.title.startswith("Dfull by ")]
        assert list(table.header[1:]) == header


@pytest.mark.parametrize(("column", "words"), table("leaderboard_cases")["columns"])
def test_a_column_that_breaks_nothing_down_is_refused(own_competition, column, words, monkeypatch):
    monkeypatch.setattr(conditions, "MOST_CONDITIONS", 40)
    with pytest.raises(OrganiserError) as refused:
        board_by(own_competition, column)
    assert words in str(refused.value)
