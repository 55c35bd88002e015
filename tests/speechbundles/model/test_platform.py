"""The folders of platforms have what the jobs ask them for."""

import pytest

from speechbundles.bundle.rehearse.run import Worker
from speechbundles.model.platform import NAMES, live_platform, platforms

WORKER = {name for name in {*vars(Worker), *Worker.__annotations__} if not name.startswith("_")}
PARTS = {"read": {"is_own", "read"}, "write": {"render"}, "findings": {"check"}, "worker": WORKER}


def test_a_folder_has_the_modules_and_functions_of_each_job():
    assert len(WORKER) == 7
    asked = {(name, job, function) for name in NAMES for job in PARTS for function in PARTS[job]}
    there = {each for each in asked if hasattr(platforms()[each[0]].part(each[1]), each[2])}
    assert asked == there


@pytest.mark.parametrize("name", NAMES)
def test_a_platform_has_the_name_of_its_folder(name):
    assert platforms()[name].name == name


def test_the_platform_with_a_client_is_the_live_one():
    assert [name for name in NAMES if platforms()[name].has_client] == [live_platform().name] == ["codabench"]
