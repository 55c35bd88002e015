"""A stand-in for Codabench, and a connection to it that never waits."""

import pytest

from speechbundles.live.connection import Connection
from tests.samples.codabench_server import TOKEN, CodabenchServer
from tests.samples.live_bundle import score


@pytest.fixture
def server(request):
    """As version 1.25; a test parametrised with `server` chooses `v1.25` or `today` (see `CodabenchServer`)."""
    with CodabenchServer(score, today=getattr(request, "param", "v1.25") == "today") as running:
        yield running


@pytest.fixture
def pauses():
    """The seconds of each pause that the connection would make."""
    return []


@pytest.fixture
def connection(server, pauses):
    return Connection(server.address, TOKEN, sleep=pauses.append)
