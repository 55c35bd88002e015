"""The two ways in which the sandbox finds the processes of a program."""

import sys

import pytest

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.supervisor import NAMESPACE, REAPER


@pytest.fixture(params=[NAMESPACE, REAPER])
def way(request, monkeypatch):
    """Each test runs with PID namespaces, if this system permits them, and without."""
    if request.param not in sandbox.ways:
        pytest.skip("this system does not permit PID namespaces")
    if request.param == REAPER and sys.platform != "linux":
        pytest.skip("a Linux child subreaper")
    monkeypatch.setattr(sandbox, "ways", [request.param])
    return request.param
