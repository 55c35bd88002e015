"""Boards and outputs that several modules share."""

from datetime import date

import pytest

from speechbundles.model.sources import Sources
from speechbundles.publication import make_board, read_outputs
from tests.samples.boards import HOSTILE, noisy_systems
from tests.samples.programs import ROOT


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
