"""The operating system's limits that a program finds when it runs in the sandbox."""

import json
import resource
import sys

import pytest

from speechbundles.bundle.rehearse.sandbox import Limits, run

SHOW = """
import json, resource
print(json.dumps([resource.getrlimit(limit) for limit in (resource.RLIMIT_CORE, resource.RLIMIT_NPROC)]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the number of processes is limited on Linux only")
def test_a_program_dumps_no_core_and_starts_few_processes(tmp_path):
    """The limits are lowered even if this process has higher ones, which a program would otherwise inherit."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    raised = 1 << 20 if before[1] == resource.RLIM_INFINITY else before[1]
    if raised == 0:
        pytest.skip("core files cannot be allowed here")
    resource.setrlimit(resource.RLIMIT_CORE, (raised, before[1]))
    try:
        found = []
        for processes in (1000, 1):
            limits = Limits(processes=processes)
            outcome = run([sys.executable, "-c", SHOW], cwd=tmp_path, env={}, seconds=20, limits=limits)
            found.append(json.loads(outcome.stdout))
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    for core, _ in found:
        assert core == [0, 0]
    (_, (many, hard)), (_, (few, _)) = found
    assert many == hard
    assert 0 < few < many - 2000  # each process may have several threads, and all of the user's threads count
