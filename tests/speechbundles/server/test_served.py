"""Each difference between a competition on a server and its bundle is found."""

import copy
import functools

import pytest

from speechbundles.server.served import different_settings, different_texts
from tests.samples.bundle_defects import codabench
from tests.samples.codabench import Codabench
from tests.samples.live_bundle import score


def differences(spec, files, served):
    return different_settings(spec, served) + different_texts(spec, files, served)


PHASE, BOARD = ("phases", 1), ("leaderboards", 0)
TASKS = [{"name": "Practice (development)"}]
# A place in the server's copy, its new value (`...`: removed), and the reported values of bundle and server.
CHANGES = (
    (("phases", 0, "start"), "2027-01-11T01:00:00Z", "phases[0].start: 2027-01-11 00:00:00", "2027-01-11 01:00:00"),
    ((*PHASE, "end"), None, "phases[1].end: 2027-03-14 23:59:59", "None"),
    ((*PHASE, "max_submissions_per_day"), 5, "phases[1].max_submissions_per_day: 3", "5"),
    ((*PHASE, "max_submissions_per_person"), None, "phases[1].max_submissions: 3", "0"),
    ((*PHASE, "has_max_submissions"), False, "phases[1].has_max_submissions: the server does not apply", ""),
    (("phases", 0, "execution_time_limit"), 600, "phases[0].execution_time_limit: 300", "600"),
    ((*PHASE, "tasks"), TASKS, "phases[1].tasks: Test", "Practice (development)"),
    (("phases", 1), ..., "number of phases: 2", "1"),
    ((*BOARD, "submission_rule"), "Add", "leaderboards[0].submission_rule: 'Force_Best'", "'Add'"),
    ((*BOARD, "primary_index"), 1, "leaderboards[0].primary_index: 0", "1"),
    ((*BOARD, "columns", 0, "precision"), 2, "column accuracy.precision: 4", "2"),
    ((*BOARD, "columns", 1, "sorting"), "desc", "column error.sorting: 'asc'", "'desc'"),
    ((*BOARD, "columns", 1), ..., "columns: accuracy, error", "accuracy"),
    (("docker_image",), "a/b:py37", "docker_image: 'codalab/codalab-legacy:py312'", "'a/b:py37'"),
    (("auto_run_submissions",), False, "auto_run_submissions: True", "False"),
    (("queue",), {"vhost": "7d9f"}, "queue: None", "'7d9f'"),
    (("pages", 0, "content"), "# Overview", "page 'Overview'", ""),
    (("terms",), "None.", "terms: ", ""),
    (("fact_sheet",), None, "fact_sheet: ", ""),
)  # fmt: skip


@pytest.mark.parametrize(("path", "value", "bundles", "servers"), CHANGES)
def test_differences_after_the_import_are_reported(imported, path, value, bundles, servers):
    draft, served = copy.deepcopy(imported)
    assert differences(draft.spec, draft.files, served) == []
    holder = functools.reduce(lambda place, part: place[part], path[:-1], served)
    holder.__delitem__(path[-1]) if value is ... else holder.__setitem__(path[-1], value)
    (found,) = differences(draft.spec, draft.files, served)
    assert found.startswith(f"{bundles} in the bundle, {servers} on the server" if servers else bundles)


@pytest.fixture(scope="module")
def imported():
    """A bundle, and the competition that a server imports from it."""
    draft, server = codabench(), Codabench(score)
    return draft, server.competitions[server.offer(draft.build())]


def test_no_limit_is_0_or_null(imported):
    """The server treats both as no limit (`Phase.can_user_make_submissions`)."""
    draft, served = copy.deepcopy(imported)
    draft.spec["phases"][0]["max_submissions"] = 0
    served["phases"][0]["max_submissions_per_person"] = None
    assert differences(draft.spec, draft.files, served) == []
