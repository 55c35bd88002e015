"""Amendments of a season (`tests.samples.live_season`)."""

import functools
from dataclasses import replace

import pytest

from speechbundles.model.errors import Unreachable
from speechbundles.server.amend import carry_out
from speechbundles.server.plan import plan
from tests.samples.codabench_server import Mishap
from tests.samples.home_boards import begin, bundle_of
from tests.samples.live_bundle import COMPETITION, count_here
from tests.samples.live_season import season


@pytest.fixture
def quick(unchecked, monkeypatch):
    """Skip checks and real rehearsals, which `test_check` and `test_rehearsal` cover."""
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", count_here)


@pytest.fixture
def new(server, tmp_path):
    """The corrected bundle of a season; see `season`."""
    return season(server, tmp_path)


def _plan(connection, folder, bundle, **options):
    return plan(connection, bundle, COMPETITION, folder, **options)


@pytest.fixture
def planned(connection, tmp_path):
    """Return a function that plans an amendment."""
    return functools.partial(_plan, connection, tmp_path / "live")


@pytest.fixture
def planned_without_files(tokens_only, tmp_path):
    """As `planned`, without an account."""
    return functools.partial(_plan, tokens_only, tmp_path / "live")


@pytest.fixture
def amend(connection, planned):
    """Return a function that plans and carries out an amendment, and returns its steps."""
    return lambda bundle, **options: list(carry_out(planned(bundle, **options)))


@pytest.fixture
def interrupted(connection, server):
    """Return a function that carries out an amendment until the server does not answer any more."""

    def interrupt(amendment, begins, kind="drop", times=7, after=0, at=connection):
        server.mishaps = [Mishap(begins, kind, times=times, after=after)]
        with pytest.raises(Unreachable):
            list(carry_out(amendment))
        server.mishaps = []

    return interrupt


@pytest.fixture
def tokens_only(connection):
    return replace(connection, account=None)


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
