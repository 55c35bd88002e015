"""Bundles that cannot be read, or whose runs would hang, and bundles in the forms that only other organisers use."""

from datetime import datetime

import pytest

from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import BundleError
from speechbundles.model.zips import write_tree
from tests.samples.programs import unzipped
from tests.samples.small_bundles import ONLY, codabench_bundle, run, zipped
from tests.samples.tables import table


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
    ],
)
def test_a_bundle_that_cannot_be_rehearsed_is_refused(tmp_path, options, message):
    with pytest.raises(BundleError, match=message):
        run(tmp_path, **options)


def test_a_bundle_is_read_from_its_folder_with_the_folders_in_it_zipped(tmp_path):
    """Two tasks by index, a sample solution of the second, and parts that are folders, as in Codabench's examples."""
    tasks = [
        {"index": 7, "name": "First", "scoring_program": "scoring_program.zip"},
        {
            "index": 3,
            "name": "Second",
            "scoring_program": "./programs/score/",
            "input_data": "items",
            "reference_data": "none/",
            "description": "d",
        },
    ]
    phase = {**ONLY, "tasks": [3, 7], "public_data": "items/"}
    solutions = [
        {"index": 0, "tasks": [3], "path": "solutions/one/"},
        {"index": 1, "tasks": [7], "key": "stored"},
    ]
    changes = {"tasks": tasks, "phases": [phase], "solutions": solutions}
    inner = {"programs/score/score.py": "1", "items/a/b.txt": "2", "solutions/one/answer.txt": "3"}
    folder = tmp_path / "bundle"
    write_tree(folder, unzipped(codabench_bundle(tmp_path, changes=changes, inner=inner).read_bytes()))
    write_tree(folder / "none", {".keep": b""})
    (folder / "items/link.txt").symlink_to(folder / "competition.yaml")

    built = read_built_bundle(folder)

    second, first = built.phases[0].tasks
    assert (second.name, second.description, second.solutions) == ("Second", "d", ("solutions/one/",))
    assert (first.name, first.solutions, built.phases[0].public_data) == ("First", (), "items/")
    assert built.phases[0].zips == ["./programs/score/", "none/", "items", "scoring_program.zip"]
    assert unzipped(built.files[second.scoring_program]) == {"score.py": b"1"}
    assert unzipped(built.files["items"]) == unzipped(built.files["items/"]) == {"a/b.txt": b"2"}
    assert unzipped(built.files["none/"]) == {}
    assert unzipped(built.files["solutions/one/"]) == {"answer.txt": b"3"}


@pytest.mark.parametrize(("text", "date"), table("platform_cases")["dates"])
def test_dates_are_read_as_codabench_reads_them(tmp_path, text, date):
    """The first three are in codalab/competition-examples and in Codabench's tests; the month is first, if it can."""
    path = codabench_bundle(tmp_path, changes={"phases": [{**ONLY, "tasks": [0], "start": text}]})
    assert read_built_bundle(path).phases[0].opens == datetime(*date)


@pytest.mark.parametrize(
    "text", ["next Monday", "2026-13-01", "1" * 200, "999999999992027202799999999999m-s"]
)
def test_dates_that_codabench_refuses_are_refused(tmp_path, text):
    path = codabench_bundle(tmp_path, changes={"phases": [{**ONLY, "tasks": [0], "start": text}]})
    with pytest.raises(BundleError, match="is not a date"):
        read_built_bundle(path)
