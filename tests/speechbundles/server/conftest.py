"""A stand-in for Codabench, and a connection to it that never waits."""

import pytest

from speechbundles.server.account import Account
from speechbundles.server.connection import Connection
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN, CodabenchServer
from tests.samples.live_bundle import score


@pytest.fixture(params=["v1.25", pytest.param("today", marks=pytest.mark.thorough)])
def server(request):
    """As version 1.25 and, in the thorough suite, as today's. Tests parametrised with `server` choose themselves."""
    with CodabenchServer(score, today=request.param == "today") as running:
        yield running


@pytest.fixture
def pauses():
    """The seconds of each pause that the connection would make."""
    return []


@pytest.fixture
def connection(server, pauses):
    """With an account, for what today's server gives to no token."""
    return Connection(server.address, TOKEN, pauses.append, account=Account(ORGANISER, PASSWORD))


@pytest.fixture
def login(tmp_path_factory):
    """The options that name a file with the account."""
    file = tmp_path_factory.mktemp("login") / "account"
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "utf-8")
    file.chmod(0o600)
    return ["--login-file", str(file)]
