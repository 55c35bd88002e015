"""A plugin of pytest that runs the collected tests against each mutant of a module: `--mutants FILE`.

The file lists the mutants' names, in JSON; it is replaced by the names of those that passed. Every mutant is tried in
a copy of this process (a fork), in which all is imported and collected, by the tests that call its function.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.state import state

AT_ONCE = 2


class Call(NamedTuple):
    """That a test calls a function, and its time in seconds."""

    function: str
    test: int
    seconds: float


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutants", required=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    file = Path(session.config.getoption("mutants"))
    names = json.loads(file.read_text(encoding="utf-8"))
    if session.testsfailed:
        raise session.Interrupted("the tests cannot be collected")
    calls_file = file.with_suffix(".calls")
    if any(_in_copies([("stats", 3600, lambda: _write_calls(session, calls_file))]).values()):
        raise session.Interrupted("a test fails without any change")
    noted = json.loads(calls_file.read_text(encoding="utf-8"))
    calls = [Call(*call) for call in noted["calls"]]
    for module in noted["modules"]:  # so that no copy has to import them
        with suppress(ImportError, Warning):  # a warning is an error here
            import_module(module)
    gc.freeze()
    statuses = _in_copies(_trials(session, names, calls))
    survived = [name for name in names if statuses.get(name, 0) == 0]
    file.write_text(json.dumps(survived), encoding="utf-8")
    return True


Trial = tuple[str, float, Callable[[], bool]]
"""A mutant's name, the seconds after which it is stopped, and what tells whether all its tests pass."""


def _in_copies(trials: Iterator[Trial] | list[Trial]) -> dict[str, int]:
    """The wait status of each trial, by its mutant's name: 0 where all its tests passed."""
    running: dict[int, str] = {}
    statuses: dict[str, int] = {}

    def wait() -> None:
        process, status = os.wait()
        if process in running:
            statuses[running.pop(process)] = status

    for name, seconds, passes in trials:
        while len(running) == AT_ONCE:
            wait()
        process = os.fork()
        if not process:
            passed = False
            try:
                set_mutant_under_test(name)
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
                signal.alarm(10 * int(seconds))  # of one that waits
                passed = passes()
            finally:
                os._exit(not passed)
        running[process] = name
    while running:
        wait()
    return statuses


def _trials(session: pytest.Session, names: list[str], calls: list[Call]) -> Iterator[Trial]:
    """Of each mutant that any test calls; the quickest tests first."""
    for name in names:
        called = sorted(
            (call for call in calls if call.function == name.partition("__mutmut_")[0]),
            key=lambda call: call.seconds,
        )
        if called:
            items = [session.items[call.test] for call in called]
            seconds = 3 + 10 * sum(call.seconds for call in called)
            yield name, seconds, lambda items=items: _pass(session, items)


def _pass(session: pytest.Session, items: list[pytest.Item]) -> bool:
    for item, following in pairwise([*items, None]):
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return False
    return True


def _write_calls(session: pytest.Session, file: Path) -> bool:
    """Run all tests as the code is, and note which functions they call and which modules they import."""
    calls = []
    before = set(sys.modules)
    for number, (item, following) in enumerate(pairwise([*session.items, None])):
        state()._stats.clear()
        began = time.process_time()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds = time.process_time() - began
        calls += [Call(function, number, seconds) for function in state()._stats]
    modules = sorted(set(sys.modules) - before)
    file.write_text(json.dumps({"calls": calls, "modules": modules}), encoding="utf-8")
    return not session.testsfailed
