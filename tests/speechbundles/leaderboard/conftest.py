"""Boards and outputs that several modules share."""

from datetime import date

import numpy as np
import pytest

from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.model.sources import Sources
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.speakers import Units
from spokeneval.formats.text import read_folder
from spokeneval.metrics.accept_reject import decisions_per_response, ranked_d_full
from spokeneval.metrics.counts import as_matrix
from spokeneval.scoring.scored import by_unit
from tests.samples.boards import HOSTILE, noisy_systems, write_output
from tests.samples.home_boards import begin, bundle_of
from tests.samples.own_competition import begun_folder
from tests.samples.programs import ROOT, write_files

SHEET = "\n".join(
    ["Id\tPrompt\tlanguage\tmeaning\tspeaker\tSeconds\tEmpty", 'x1\t"a\tb"\tcorrect\tcorrect\tS1\t20\t1']
    + [
        f"x{n}\tp{n % 3}\t{'in' * (n % 4 == 0)}correct\tcorrect\tS{n % 8}\t{n / 2:g}\t{'y' * (n % 5)}"
        for n in range(2, 42)
    ]
)


@pytest.fixture(scope="package")
def noisy(tmp_path_factory):
    """The outputs of five systems, `system0` and `system4` equal, and their board."""
    paths = noisy_systems(tmp_path_factory.mktemp("noisy"))
    return paths, make_board(Sources(ROOT), read_outputs(paths))


@pytest.fixture(scope="package")
def small(tmp_path_factory):
    """A board of five systems with hostile names."""
    paths = noisy_systems(tmp_path_factory.mktemp("hostile"), names=HOSTILE)
    return make_board(Sources(ROOT), read_outputs(paths), day=date(2027, 3, 14))


@pytest.fixture(scope="package")
def own_competition(tmp_path_factory):
    """A folder whose hidden set is `SHEET`, and the outputs of two systems on all of the set and on a part of it."""
    folder = tmp_path_factory.mktemp("own")
    begun_folder(folder / "mine", ["spoken_call"])
    write_files(folder / "mine/reference_data/spoken_call/evaluation", {"reference.csv": SHEET + "\n"})
    reference = TASK.format.read_reference(read_folder(folder / "mine/reference_data/spoken_call/evaluation"))
    for part, count in (("whole", 41), ("part", 30)):
        for name, period in (("a", 5), ("b", 7)):
            labels = [reference[kind][:count] == 1 for kind in ("language", "meaning")]
            accept = labels[0] ^ (np.arange(count) % period == 0)
            rows = decisions_per_response(*labels, accept)
            units = Units("speaker", dict(zip(reference.items.ids[:count], reference.speakers, strict=False)))
            statistics = by_unit(units, {"decisions": rows})
            scores = {"d_full": float(ranked_d_full(statistics.total("decisions")))}
            written = {"items": list(statistics.items), "item_values": as_matrix(rows).tolist()}
            write_output(folder / part / name, scores, statistics, **written)
    return folder


@pytest.fixture(scope="session")
def coarse(tmp_path_factory):
    """A competition whose board shows scores in steps."""
    place = tmp_path_factory.mktemp("coarse")
    return bundle_of(begin(place / "mine"), place)


@pytest.fixture(scope="session")
def exact(tmp_path_factory):
    """A competition whose board shows exact scores."""
    place = tmp_path_factory.mktemp("exact")
    return bundle_of(begin(place / "mine", "  feedback: exact\n"), place)
