"""Amendments of a season (`tests.samples.live_season`)."""

import functools
from dataclasses import replace

import pytest

from speechbundles.bundle.rehearse.rehearsal import rehearse_phase
from speechbundles.model.errors import OrganiserError, Unreachable
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.plan import plan_amendment
from speechbundles.server.publish import publish_bundle
from tests.samples.codabench_server import Mishap
from tests.samples.live_bundle import AGAIN, COMPETITION, OPEN, live_bundle


def _plan(connection, folder, bundle, **options):
    return plan_amendment(connection, bundle, COMPETITION, folder, **options)


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
    return lambda bundle, **options: list(carry_out_amendment(planned(bundle, **options)))


@pytest.fixture
def interrupted(connection, server):
    """Return a function that carries out an amendment until the server does not answer any more."""

    def interrupt(amendment, begins, kind="drop", times=7, after=0, at=connection):
        server.mishaps = [Mishap(begins, kind, times=times, after=after)]
        with pytest.raises(Unreachable):
            list(carry_out_amendment(amendment))
        server.mishaps = []

    return interrupt


@pytest.fixture
def tokens_only(connection):
    return replace(connection, account=None)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    return live_bundle(tmp_path_factory.mktemp("bundle") / "synthetic.zip")


@pytest.fixture
def rehearsed_once(unchecked, monkeypatch, rehearsals):
    """Rehearse each baseline only once, and skip checks."""

    def rehearse_once(bundle, phase, submission, *, engine):
        key = phase.name, bundle.hidden_columns
        if key not in rehearsals:
            rehearsals[key] = rehearse_phase(bundle, phase, submission, engine=engine)
        return rehearsals[key]

    monkeypatch.setattr("speechbundles.server.baselines.rehearse_phase", rehearse_once)


@pytest.fixture(scope="session")
def rehearsals():
    return {}


@pytest.fixture
def steps(connection, bundle, rehearsed_once):
    """Return a function that publishes: the successful steps, and the error that ended them."""

    def run(path=bundle, **options):
        done = []
        try:
            done.extend(publish_bundle(connection, path, **{"again": AGAIN, "now": OPEN, **options}))
        except OrganiserError as error:
            return done, str(error)
        return done, None

    return run
