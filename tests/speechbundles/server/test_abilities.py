"""What a server lets others read is measured, not assumed."""

import pytest

from tests.samples.live_bundle import two_phases

both = pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)


PARTS = ("ingestion program", "input data", "reference data", "scoring program")


def measured(lines):
    """Return the answers, `fact -> yes, no or not measured`."""
    rows = [line.split(": ", 2)[1:] for line in lines if line.startswith("measured on 2027-03-02, ")]
    return {fact: answer for answer, facts in rows for fact in facts.split("; ")}


@both
def test_what_others_can_read_is_measured(steps, server):
    done, error = steps()
    assert error is None
    old = "no" if server.today else "yes"
    assert measured(done) == {
        "phases refuse submissions outside their dates": "not measured",  # only an open one has a baseline
        "a token opens programs and data": old,
        "scores of hidden columns are returned": "not measured",  # there is no such column
        **{f"others can read {part}": old for part in PARTS},
        "others can read the list of runs": old,
        "others can read the uploads and logs of runs": old,
    }
    (note,) = (step for step in done if step.startswith("note"))
    assert f"reference_data.zip: others {'could not' if server.today else 'can'} read" in note
    anonymous = {what for what, _, token in server.requests if what.startswith("API") and token is None}
    assert anonymous == {"API GET", *["API POST"] * server.today}  # POST: the sign-in form
    keys = {key for task in server.tasks.values() for key in task["parts"].values()}
    assert not any(key in step for key in keys for step in done)


@both
def test_hidden_columns_and_the_dates_of_phases_are_measured(steps, server, tmp_path):
    server.returns_hidden = not server.today
    done, error = steps(two_phases(tmp_path, hidden="error"))
    assert error is None
    found = measured(done)
    assert found["scores of hidden columns are returned"] == ("no" if server.today else "yes")
    assert found["phases refuse submissions outside their dates"] == ("yes" if server.today else "no")
