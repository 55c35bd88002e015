"""Malformed answers of a server are refused."""

import json

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench import client as api
from tests.samples.codabench_server import LISTED, Mishap


@pytest.mark.parametrize(
    "change",
    [
        *({"id": number} for number in (True, -1, 10**40, "1")),
        *({"owner": owner} for owner in (None, {"name": "anna"})),
        *({"created_when": time} for time in (5, "0001-01-01T00:00:00+14:00")),
        {"status": ["Finished"]},
        {"scores": 7},
        *({"scores": [{"column_key": "accuracy", "score": score}]} for score in ("NaN", 1e300, "1e999999")),
    ],
)
def test_a_malformed_answer_is_refused(connection, server, change):
    answers = [json.dumps([listed]).encode() for listed in (LISTED, LISTED | change)]
    server.mishaps = [Mishap("API GET /api/submissions/?", 200, body=answer) for answer in answers]
    assert [run.owner for run in api.list_runs(connection, 701)] == ["anna"]
    with pytest.raises(OrganiserError, match="has no valid list of submissions") as refusal:
        api.list_runs(connection, 701)
    assert len(str(refusal.value)) < 300
