"""Tables of the challenges' papers, compared with the published tables and with counts by hand."""

import numpy as np
import pytest

from speechbundles.leaderboard.outputs import ScoringOutput, read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.leaderboard.tables.spoken_call import difficulty_bands, rates_of_systems
from speechbundles.model.sources import Sources
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import decisions_per_response
from spokeneval.metrics.counts import by_group
from spokeneval.scoring.options import Signature
from spokeneval.scoring.scored import Statistics, by_unit
from tests.samples.boards import scored, write_output
from tests.samples.programs import ROOT
from tests.samples.spoken_call import COLUMNS, TABLE_1, decided

SIGNATURE = Signature("spoken_call")


def test_table_1_comes_out_as_the_paper_has_it(tmp_path):
    paths = [
        write_output(tmp_path / name, *scored(decided(counts)))
        for name, (counts, _) in sorted(TABLE_1.items())
    ]
    board = make_board(Sources(ROOT), read_outputs(paths))
    table = board.tables[0]
    assert [row[0] for row in table.rows] == list(TABLE_1)
    assert [" ".join(row[1:]) for row in table.rows] == [published for _, published in TABLE_1.values()]
    assert list(table.header) == ["Id", "Pr", "R", "F", "SA", "RCR", "RFR", "D", "DA", "Dfull"]
    assert len(COLUMNS) + 1 == len(table.header)
    # JJJ rejects 106 of 260 incorrect responses: a rule excludes it, and it has its own Dfull, as in the paper.
    last = board.rows[-1]
    assert (last.name, last.excluded, f"{last.score:.3f}") == ("JJJ", "breaks 50 % rule", table.rows[-1][-1])
    assert "JJJ" in table.note
    assert [row.name for row in board.rows] == list(TABLE_1)


def systems(right, correct):
    """Outputs with statistics only: which system is right on which response; each speaker has two responses."""
    units = Units("speaker", {f"r{number}": f"s{number // 2}" for number in range(len(right))})
    correct = np.array(correct, dtype=bool)
    meaningful = np.ones_like(correct)
    counts = [
        decisions_per_response(correct, meaningful, correct == answers) for answers in np.transpose(right)
    ]
    summed = [by_unit(units, {"decisions": each}) for each in counts]
    return [ScoringOutput(str(number), {}, SIGNATURE, each) for number, each in enumerate(summed)]


@pytest.mark.parametrize(
    ("count", "bands"),
    [
        # 18: the paper's bands. 9: round(1) and round(4.5), to even. 4: round(.44) and round(2). 1: right or wrong.
        (18, ["0–2", "3–9", "10–18"]),
        (9, ["0–1", "2–4", "5–9"]),
        (4, ["0", "1–2", "3–4"]),
        (1, ["0", "none", "1"]),
    ],
)
def test_bands_scale_with_the_number_of_systems(count, bands):
    table = difficulty_bands(systems(np.ones((2, count), dtype=bool), [True, False]))
    assert [row[1] for row in table.rows] == [*bands, f"0–{count}"]
    assert ("scaled" in table.note) == (count != 18)


def test_bands_count_wrong_systems_by_hand():
    # Six systems: easy 0-1, medium 2-3, hard 4-6. Correct responses with 0, 1, 2, 6 systems wrong; incorrect 3, 4.
    wrong = np.arange(6) < np.array([[0], [1], [2], [6], [3], [4]])
    rows = [list(row) for row in difficulty_bands(systems(~wrong, [True] * 4 + [False] * 2)).rows]
    assert rows == [
        ["easy", "0–1", "2", "0"],
        ["medium", "2–3", "1", "1"],
        ["hard", "4–6", "1", "1"],
        ["all", "0–6", "4", "2"],
    ]


def test_no_bands_where_statistics_are_missing_or_not_by_response():
    (whole,) = systems([[True], [False]], [True, False])
    decisions = by_group(whole.statistics.rows[1]["decisions"], np.zeros(2, dtype=np.int64), 1)
    merged = Statistics("prompt", ["p"], {"decisions": decisions})
    assert difficulty_bands([whole, ScoringOutput("b", {}, SIGNATURE, None)]) is None
    assert difficulty_bands([ScoringOutput("b", {}, SIGNATURE, merged)]) is None
    assert rates_of_systems([whole]) is None
