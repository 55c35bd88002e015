"""Bundles that cannot be read, or whose runs would hang."""

import pytest

from speechbundles.model.errors import BundleError
from tests.samples.small_bundles import (
    ONLY,
    run,
    zipped,
)


def only(phase=(), **task):
    """Return the changes that leave one task, with a scoring program, and one phase."""
    task = {"index": 0, "name": "t", "scoring_program": "scoring_program.zip", **task}
    return {"changes": {"tasks": [task], "phases": [{**ONLY, "tasks": [0], **dict(phase)}]}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inner": {"scoring_program.zip": zipped({"../score.py": ""})}}, "leaves the folder"),
        ({"inner": {"reference_data.zip": b"no zip"}}, "is not a zip"),
        ({"inner": {"competition.yaml": "version: 2\ntasks: []\n"}}, "incomplete or malformed"),
        ({"inner": {"competition.yaml": "a: [\n"}}, "competition.yaml"),
        ({"inner": {"competition.yaml": "just text"}}, "incomplete or malformed"),
        ({"command": "python3 a\0b", "ingest": None}, "embedded null byte"),
        ({"command": "python3 \ud800", "ingest": None}, "surrogates not allowed"),
        (only(reference_data="lost.zip"), r"lost\.zip is named"),
        (only({"execution_time_limit": -5}), r"seconds is -5\.0; expected a positive number"),
        (only(ingestion_only_during_scoring=True), "makes runs hang"),
    ],
)
def test_a_bundle_that_cannot_be_rehearsed_is_refused(tmp_path, options, message):
    with pytest.raises(BundleError, match=message):
        run(tmp_path, **options)
