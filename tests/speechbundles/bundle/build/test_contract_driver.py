"""The examination of a task: every task of the repository passes it."""

import pytest

from speechbundles.bundle.build.contract_driver import problems
from spokeneval.challenges import find_task, task_names
from tests.samples.cases import CASES
from tests.samples.programs import encoded


@pytest.mark.default_cases("merlion_diarization")
@pytest.mark.parametrize("name", task_names())
def test_every_task_of_the_repository_holds_the_contract(name):
    case = CASES[name]
    assert list(problems(find_task(name), encoded(case.reference), encoded(case.submission))) == []
