"""The two ways in which the sandbox finds the processes of a program."""

import sys
import threading

import pytest

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.supervisor import NAMESPACE, REAPER


@pytest.fixture(params=[NAMESPACE, REAPER])
def way(request, monkeypatch):
    """Each test runs with PID namespaces, if this system permits them, and without."""
    if request.param == NAMESPACE:
        if not sandbox.namespaces.is_set():
            pytest.skip("this system does not permit PID namespaces")
    elif sys.platform != "linux":
        pytest.skip("a Linux child subreaper")
    else:
        monkeypatch.setattr(sandbox, "namespaces", threading.Event())
    return request.param
