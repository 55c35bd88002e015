"""The agreement of two human scores on the board, compared with kappas of their ratings."""

import numpy as np
import pytest

from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.model.sources import Sources
from spokeneval.challenges.content_accuracy import TASK
from spokeneval.formats.format import Answers
from spokeneval.metrics.agreement import cohen_kappa
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import score_submission
from tests.samples.boards import write_output
from tests.samples.programs import ROOT, encoded


@pytest.mark.parametrize("rated", [45, 0])
def test_the_kappa_of_two_human_scores_is_beside_that_of_each_system(tmp_path, rated):
    state = np.random.RandomState(4)
    human = state.randint(1, 5, size=60)
    second, *systems = (np.clip(human + state.randint(-1, 2, size=60), 1, 4) for _ in range(3))
    rows = [f"r{n},p,s{n % 12},{human[n]},{5 + n % 7},{second[n] if n < rated else ''}\n" for n in range(60)]
    header = "response_id,prompt_id,speaker_id,human_score,words,human_score2\n"
    reference = TASK.format.read_reference(encoded({"reference.csv": header + "".join(rows)}))
    settings = Settings(choose_options(TASK, {}), False, Signature(TASK.name))
    for name, given in zip("ab", systems, strict=True):
        found = score_submission(TASK, reference, Answers(reference.items, {"score": given}), settings)
        write_output(tmp_path / name, found.scores, found.statistics, signature=str(settings.signature))
    board = make_board(Sources(ROOT), read_outputs([tmp_path / name for name in "ab"]))
    tables = [table for table in board.tables if "Agreement" in table.title]
    if not rated:
        assert not tables
        return
    kappas = {"human_score vs. human_score2": (human[:rated], second[:rated])}
    kappas |= {f"human_score vs. {row.name}": (human, systems["ab".index(row.name)]) for row in board.rows}
    expected = {
        name: f"{cohen_kappa(*each, weights='quadratic', scale=(1, 4)):.2f}" for name, each in kappas.items()
    }
    assert dict(tables[0].rows) == expected
    assert len(set(expected.values())) == 3
    assert "45 responses" in tables[0].note
