"""Programs that leave links, pipes, devices and endless folders behind, and programs that replace the host's folders.

Each program runs as ingestion and as scoring, with `output` as its output folder and `outside` as a folder of the
organiser, which contains a private file. Nothing outside the run may change, and nothing from outside may get into it.
"""

import shutil
import sys
import textwrap

import pytest

from speechbundles.bundle.rehearse import left_behind
from speechbundles.bundle.rehearse.sandbox import Outcome
from tests.samples.small_bundles import (
    CODALAB_SCORE,
    INGEST,
    SCORE,
    codalab_run,
    run,
)
from tests.samples.tables import table

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="rehearsals do not run on Windows")

PRIVATE = "a private file of the organiser"

PROGRAMS = {"ingestion": INGEST, "scoring": SCORE, "codalab": CODALAB_SCORE}


@pytest.fixture
def outside(tmp_path):
    """A folder of the organiser with a private file; after the test it has the same content."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "private").write_text(PRIVATE)
    yield folder
    assert [path.name for path in folder.iterdir()] == ["private"]
    assert (folder / "private").read_text() == PRIVATE


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """The folder for temporary files, which is empty after the test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


def attack(tmp_path, step, source, outside=None):
    """Run an ordinary program that then carries out an attack; keep the files of the run."""
    program = textwrap.dedent(PROGRAMS[step])
    program += f"\nimport os\noutside = Path({str(outside)!r})\n" + textwrap.dedent(source)
    keep = tmp_path / "kept"
    if step == "codalab":
        return codalab_run(tmp_path, program, keep=keep)
    return run(tmp_path, keep=keep, **{"ingest" if step == "ingestion" else "score": program})


def kept(tmp_path):
    return [path for path in (tmp_path / "kept").rglob("*") if path.is_symlink() or not path.is_dir()]


STEPS = pytest.mark.parametrize("step", PROGRAMS)


@pytest.mark.default_cases("private")
@STEPS
@pytest.mark.parametrize(("source", "name"), table("escapes")["links"])
def test_a_link_in_the_output_fails_the_rehearsal(tmp_path, outside, step, source, name):
    result = attack(tmp_path, step, source, outside)
    what = {"ingestion": "prediction"}.get(step, "scoring")
    assert result.status == "Failed"
    (problem,) = result.problems
    assert f"the output of {what} contains a link, '{name}'. " in problem
    assert not any(path.is_symlink() or PRIVATE in path.read_text() for path in kept(tmp_path))
    assert "\x1b" not in str(result)


def test_a_link_that_takes_the_place_of_a_listed_file_is_not_followed(tmp_path, outside):
    (tmp_path / "a").symlink_to(outside / "private")
    with left_behind.closing(left_behind.open_folder(tmp_path)) as source:
        assert not left_behind._copy_file("a", source, source, left_behind.Left())


def test_the_report_is_not_written_through_a_dangling_link(tmp_path, outside):
    result = attack(tmp_path, "ingestion", "(output / 'metadata').symlink_to(outside / 'new')", outside)
    assert "wrote a file named metadata to its output" in result.problems[0]


@STEPS
@pytest.mark.parametrize("source", table("escapes")["outputs replaced"])
def test_an_output_that_was_replaced_fails_the_rehearsal(tmp_path, outside, step, source):
    result = attack(tmp_path, step, source, outside)
    assert result.status == "Failed"
    assert PRIVATE not in str(result)
    assert not any(PRIVATE in path.read_text() for path in kept(tmp_path))


@pytest.mark.parametrize(
    "source",
    [
        "(output.parents[2] / 'scoring').symlink_to(outside)",
        "(output.parents[2] / 'scoring').mkdir(); (output.parents[2] / 'scoring/app').symlink_to(outside)",
        "place = output.parents[3]; place.rename(place.with_name('moved')); (outside / 'run').mkdir(); "
        "place.symlink_to(outside)",
    ],
)
def test_the_next_step_is_not_laid_out_through_a_link(tmp_path, outside, temporary, source):
    result = attack(tmp_path, "ingestion", source, outside)
    assert result.status == "Failed"
    assert [step.name for step in result.steps] == ["ingestion"]
    if "moved" in source:
        (outside / "run").rmdir()
        shutil.rmtree(temporary / "moved")  # the link in its place has been deleted


@STEPS
def test_a_pipe_is_left_out_and_reported(tmp_path, step):
    result = attack(tmp_path, step, "os.mkfifo(output / 'pipe')")
    assert result.status == "Finished"
    what = {"ingestion": "prediction"}.get(step, "scoring")
    assert f"left out of the output of {what}, not regular files that can be read: 'pipe'" in result.warnings
    assert all(path.is_file() for path in kept(tmp_path))


@pytest.mark.parametrize("name", ["scores.txt", "detailed_results.html"])
def test_codalab_fails_a_run_with_a_pipe_where_it_expects_a_file(tmp_path, name):
    result = attack(tmp_path, "codalab", f"(output / {name!r}).unlink(); os.mkfifo(output / {name!r})")
    assert result.status == "Failed"
    assert name in result.problems[0]


@pytest.mark.default_cases("scoring")
@STEPS
def test_folders_without_end_are_not_followed_but_deleted(tmp_path, step):
    """Deeper than the longest path, than Python's recursion and than the number of open files."""
    source = """
        os.chdir(output)
        for _ in range(3000):
            os.mkdir('d'); os.chdir('d')
        os.chmod('..', 0)
    """
    result = attack(tmp_path, step, source)
    assert result.status == "Failed"
    assert result.problems[0].endswith("has folders that are nested deeper than 50")


@STEPS
@pytest.mark.parametrize(
    ("limit", "most", "source", "excess"),
    [
        ("MOST_ENTRIES", 20, "[(output / str(i)).touch() for i in range(30)]", "more than 20 files and folders"),
        ("MOST_BYTES", 1 << 20, "[os.truncate(output / str(i), 1 << 19) for i in range(3) "
         "if (output / str(i)).touch() is None]", "more than 1 MB"),
    ],
)  # fmt: skip
def test_an_output_beyond_the_limits_fails_the_rehearsal(
    tmp_path, monkeypatch, step, limit, most, source, excess
):
    monkeypatch.setattr(left_behind, limit, most)
    result = attack(tmp_path, step, source)
    assert result.status == "Failed"
    assert result.problems[0].endswith(f"has {excess}")
    assert any(warning.startswith("not kept: the rest of") for warning in result.warnings)
    assert sum(path.stat().st_size for path in kept(tmp_path)) <= most or limit == "MOST_ENTRIES"


@STEPS
def test_folders_without_permissions_are_deleted(tmp_path, step):
    source = "(output / 'a/b').mkdir(parents=True); (output / 'a/b/c').touch(); os.chmod(output / 'a', 0)"
    attack(tmp_path, step, source)


def test_links_from_another_engine_are_not_followed_either(tmp_path, outside):
    """In a container, a link has another target than here."""

    class Container:
        strict = False

        def run(self, program, scratch, limits):
            (program.mounts["/app/output"] / "scores.json").write_text('{"accuracy": 1, "items": 3}')
            (program.mounts["/app/output"] / "a").symlink_to(outside / "private")
            return Outcome(0, "", "", 0.0)

    result = run(tmp_path, ingest=None, engine=Container(), keep=tmp_path / "kept")
    assert result.status == "Failed"
    assert "contains a link, 'a'" in result.problems[0]
    assert not any(path.is_symlink() or PRIVATE in path.read_text() for path in kept(tmp_path))
