"""Tests of every task's built bundles and starting kit: the order of the leaderboard, and a kit that works."""

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from importlib import import_module
from unittest import mock
from urllib.parse import unquote

import nbclient
import nbformat
import pytest
import yaml

from sample_data.demo import submissions
from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.rehearse.process import ProcessEngine, own_programs
from speechbundles.bundle.rehearse.rehearsal import rehearse_phase
from speechbundles.competition.read import read_competitions
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from spokeneval import score
from spokeneval.challenges import find_task, task_names
from spokeneval.scoring.options import OPTIONS_FILE
from spokeneval.task import HIGHER
from tests.samples.declared_tasks import declared_folder
from tests.samples.programs import ROOT, run_program, unzipped, write_files

PLATFORMS = ("codabench", "codalab")

# Scores of submissions for the evaluation set: published scores, or those of a perfect or a random system.
SCORES = {
    "spoken_call": [("baseline", "d_full", 4.090, 0.0005)],  # Table 1, Baseline
    # As in the paper, the tree agrees with the listeners as well as they agree with one another.
    "caller_experience": [
        ("baseline", "kappa_mean", 0.81, 0.005),
        ("baseline", "human_kappa_mean", 0.78, 0.005),
        ("random", "kappa_mean", 0, 0.1),
    ],
    "psst_recognition": [("baseline", "fer", 12.1, 0.6), ("perfect", "fer", 0, 0)],
    "psst_correctness": [("baseline", "f1", 0.892, 0.02), ("perfect", "f1", 1, 0)],
    "merlion_identification": [("perfect", "eer", 0, 0)],
    "merlion_diarization": [("perfect", "der", 0, 0)],
    "content_accuracy": [("perfect", "pearson_r", 1, 1e-12)],
}


@pytest.fixture(scope="module", params=task_names())
def task(request):
    return find_task(request.param)


@pytest.fixture(scope="module")
def planned(task):
    """Return the planned bundles of the task."""
    names = [bundle.name for bundle in read_competitions(Sources(ROOT)) if bundle.task == task.name]
    planned = plan(Sources(ROOT), names, {}, platforms=list(PLATFORMS))
    assert not planned.warnings
    return planned


@pytest.fixture(scope="module")
def zips(planned, tmp_path_factory):
    """Return the bundles for both platforms."""
    return list(write(planned, tmp_path_factory.mktemp("zips")))


@pytest.fixture(scope="module")
def kit(task, planned, tmp_path_factory):
    """Return the folder of the unpacked starting kit."""
    return write_files(tmp_path_factory.mktemp("kit"), planned.parts[task.name].starting_kit)


@pytest.mark.default_cases("spoken_call")
def test_the_best_the_baseline_and_random_rank_in_that_order_on_both_platforms(task, planned, zips, tmp_path):
    made = list(submissions(task.name).items())
    files = dict([*made[:1], ("baseline", planned.parts[task.name].solutions["evaluation"]), *made[1:]])
    gold = ROOT / "reference_data" / task.name / "evaluation"
    names = [bundle.name for bundle in planned.competitions]
    tracks = dict(zip(PLATFORMS, (names[0], names[-1]), strict=True))  # a task's tracks score alike
    for built in zips:
        assert built.findings == ()
        with zipfile.ZipFile(built.path) as bundle:
            assert bundle.namelist()[0] == "competition.yaml"
            document = yaml.safe_load(bundle.read("competition.yaml"))
        if built.platform == "codabench":
            columns = document["leaderboards"][0]["columns"]
            assert columns[0]["key"] == task.primary.key
            assert {column["sorting"] for column in columns} <= {"asc", "desc"}
        if built.name != tracks[built.platform]:
            continue
        rows, exact = {}, {}
        unpacked = read_built_bundle(built.path).unpack_once(tmp_path / built.platform)
        submission = tmp_path / "submission.zip"
        own = own_programs(unpacked)
        assert sorted(own) == [name for name in sorted(unpacked.unpacked) if "program" in name]
        with ProcessEngine(own={unpacked.unpacked[name]: whose for name, whose in own.items()}) as engine:
            for name, content in files.items():
                submission.write_bytes(make_zip(content))
                rows[name] = rehearse_phase(unpacked, unpacked.phase(None), submission, engine=engine)
                exact[name] = score(task.name, reference=gold, submission=submission).scores
                assert rows[name].status == "Finished", str(rows[name])
        primary = {name: row.row[0] for name, row in rows.items()}
        higher = task.primary.direction == HIGHER
        sorting = {(cell.key, cell.sorting) for cell in primary.values()}
        assert sorting == {(task.primary.key, "desc" if higher else "asc")}
        assert sorted(exact, key=lambda name: exact[name][task.primary.key], reverse=higher) == list(files)
        best, baseline, *others = (primary[name].stored for name in files)
        assert best > baseline if higher else best < baseline
        assert set(others) == {baseline}  # the floor: worse scores are not shown
        bounds = [primary[name].bound for name in files]
        rule = f" or {task.eligibility.broken}" if task.eligibility else ""
        assert bounds == ["", *[f"{'≤' if higher else '≥'} baseline{rule}"] * (len(files) - 1)]
        for name, key, value, tolerance in SCORES.get(task.name, ()):
            assert exact[name][key] == pytest.approx(value, rel=0, abs=tolerance)


@pytest.mark.thorough
def test_the_kit_scores_with_the_very_files_of_the_server(zips):
    for built in zips:
        bundle = unzipped(built.path.read_bytes())
        kit = unzipped(bundle["starting_kit.zip"])
        programs = {"scoring_program.zip", "ingestion_program.zip"} & bundle.keys()
        inner = {name: unzipped(bundle[name]) for name in programs}
        assert inner
        names = {name for files in (kit, *inner.values()) for name in files}
        assert not any(name.startswith("spokeneval/ranking/") for name in names)
        for files in inner.values():
            for name, content in files.items():
                if name != OPTIONS_FILE and not name.startswith("metadata"):
                    assert kit[name] == content, name
            told = json.loads(files[OPTIONS_FILE])
            assert told.items() <= json.loads(kit[OPTIONS_FILE]).items()


@pytest.mark.thorough
def test_the_readmes_commands_run_in_order_and_the_notebooks_cells_too(kit, monkeypatch, capsys):
    readme, commands = (kit / "README.md").read_text(encoding="utf-8"), commands_of(kit)
    assert len(commands) >= 4
    runs = {}
    for command in commands:
        done = runs[tuple(command)] = run_program(*command, cwd=kit)
        # The template of the system description is incomplete.
        expected = 1 if command == ["check_description.py"] else 0
        assert done.returncode == expected, (command, done.stderr)
        assert expected or done.stderr == ""
    for row in re.findall(r"^\| .* \| (.*) \|$", readme, re.MULTILINE):
        for path in re.findall(r"`([\w./]+)`", row):
            assert (kit / path).exists(), path

    # The README has run the notebook's commands already; reuse their output.
    notebook = nbformat.read(kit / "walkthrough.ipynb", as_version=4)
    nbformat.validate(notebook)
    monkeypatch.chdir(kit)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: runs[tuple(command[1:])])
    kernel = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)
            exec(cell.source, kernel)
        else:
            assert "${" not in cell.source
    shown = capsys.readouterr().out
    assert len(re.findall(r"^development/input/\w+\.[ct]sv: \d+ rows$", shown, re.MULTILINE)) == 1
    assert re.search(r"^development/reference/\w+\.[ct]sv: \d+ rows$", shown, re.MULTILINE)
    assert "Scores on the development set" in shown
    assert "is ready to upload to the phase Evaluation" in shown


def commands_of(kit):
    """Return the commands of the README, as lists of words after `python3`."""
    blocks = re.findall(r"```\n(.*?)```", (kit / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    return [shlex.split(line, comments=True)[1:] for block in blocks for line in block.splitlines()]


@pytest.mark.thorough
def test_the_readmes_commands_name_the_sets_of_the_competition(tmp_path):
    """The sets are train, a public set without a phase; dev, which is public too; and arena, which is hidden."""
    files = {place.replace("evaluation", "arena"): text for place, text in declared_folder("words").items()}
    settings = files["competition.yaml"].replace("evaluation", "arena").replace("development", "dev")
    settings = settings.replace("    phases:", "    public_sets: [train, dev]\n    phases:")
    for place in [place for place in files if "development" in place]:
        labels = files.pop(place)
        files[place.replace("development", "dev")] = labels
        files[place.replace("development", "train")] = labels.replace("\nd", "\nt")
    folder = write_files(tmp_path / "own", {**files, "competition.yaml": settings})
    kit = plan(Sources(ROOT, folder), ["aufgabe"], {}).parts["aufgabe"].starting_kit
    kit = write_files(tmp_path / "kit", kit)
    done = [run_program(*command, cwd=kit) for command in commands_of(kit)]
    assert [each.returncode for each in done] == [0] * 4, done
    assert "Scores on the train set" in done[1].stdout
    assert "submission.zip is ready to upload to the phase Arena." in done[3].stdout


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
def test_a_notebook_runs_in_a_kernel_and_unpacks_the_kit_beside_it(task, planned, tmp_path, monkeypatch):
    """On Colab, the notebook and the kit's zip are uploaded side by side."""
    kit = planned.parts[task.name].starting_kit
    notebook = nbformat.reads(kit["walkthrough.ipynb"].decode(), as_version=4)
    write_files(tmp_path, {"starting kit.zip": make_zip(kit)})
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "".join(
        output.get("text", "") + output.get("data", {}).get("text/html", "")
        for cell in notebook.cells
        for output in cell.get("outputs", ())
    )
    assert "    language: 2 different; 'correct' 750 times, 'incorrect' 250 times" in shown
    assert "Scores on the development set" in shown
    assert f"{task.title}: results" in shown  # the report
    assert "submission.zip is ready to upload to the phase Evaluation." in shown
    assert (tmp_path / "kit/submission.zip").is_file()


@pytest.mark.default_cases("spoken_call")
def test_a_participant_tries_a_submission_and_gets_a_zip(task, kit):
    assert not (kit / "evaluation/reference").exists()
    for name in ("evaluation", "development"):
        assert run_program("baseline.py", name, f"for_{name}", cwd=kit).returncode == 0
        tried = [f"for_{name}", "submission.zip"]
        if task.format.submission_file:
            tried.insert(1, f"for_{name}/{task.format.submission_file}")
        for submission in tried:
            done = run_program("try_submission.py", "--set", name, submission, cwd=kit)
            assert (done.returncode, done.stderr) == (0, "")
            primary = re.search(
                rf"^  {re.escape(task.primary.heading)} +(\S+)   baseline +\1   95 % interval \S+ to \S+$",
                done.stdout,
                re.MULTILINE,
            )
            assert (primary is not None) == (name == "development")
            # The MERLIon CCS tasks have no phase on their development set.
            words = {
                "development": "the phase Development.",
                "evaluation": "the phase Evaluation.",
                "merlion_development": "No phase uses this set, so do not upload the zip.",
                "merlion_evaluation": "the phase Evaluation or Post-evaluation.",
            }[f"merlion_{name}" if task.name.startswith("merlion") else name]
            assert done.stdout.endswith(f"{words}\n")
            assert ("is ready to upload" in done.stdout) == ("No phase" not in words)
            packed = zipfile.ZipFile(kit / "submission.zip").namelist()
            assert sorted(packed) == sorted(path.name for path in (kit / f"for_{name}").iterdir())
    if task.name == "spoken_call":
        assert "Dfull                       3.95" in done.stdout
    for arguments, words in (
        (
            ("--zip", "my zip.zip", "out"),
            "my zip.zip: the name of the zip must not contain spaces. Choose another --zip.\n",
        ),
        (
            ("--zip", "new.zip", "my zip.zip"),
            "my zip.zip: the name has spaces. Do not upload this file, but new.zip.\n"
            "my zip.zip: No such file or directory\nnew.zip was not written.\n",
        ),
        (("--zip", "new.zip", "none"), "none: No such file or directory\nnew.zip was not written.\n"),
        (
            ("--set", "tomorrow", "out"),
            "The kit has no set tomorrow; choose one of development, evaluation.\n",
        ),
    ):
        done = run_program("try_submission.py", *arguments, cwd=kit)
        assert (done.returncode, done.stderr) == (1, words)
    done = run_program("try_submission.py", "--set", "evaluation", "for_development", cwd=kit)
    assert done.returncode == 1
    assert done.stderr == (
        "These are answers to the development set, not to the evaluation set: --set development\n"
        "submission.zip was not written; the existing file is from an earlier run.\n"
    )
    if task.name == "spoken_call":  # the 50 % rule refuses the answers to either set
        answers = (kit / "for_development" / "results.csv").read_text(encoding="utf-8")
        accepted = write_files(kit / "accepted", {"results.csv": answers.replace("reject", "accept")})
        again = run_program("try_submission.py", "--set", "evaluation", accepted.name, cwd=kit)
        assert again.stderr == done.stderr


NO_NUMPY = "This kit needs numpy: pip install numpy\n"


@pytest.mark.default_cases("merlion_diarization", "psst_recognition")
def test_without_numpy_every_program_of_the_kit_ends_with_one_line(kit, tmp_path):
    write_files(tmp_path, {"numpy/__init__.py": "raise ImportError('No module named numpy')\n"})
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for program in ("try_submission.py", "baseline.py", "both.py", "align.py"):
        if not (kit / program).exists() or "numpy" not in (kit / program).read_text(encoding="utf-8"):
            continue
        command = [sys.executable, program, "development", "without_numpy"]
        done = subprocess.run(command, cwd=kit, env=environment, capture_output=True, text=True)
        lines = (NO_NUMPY, "baseline.py needs scikit-learn: pip install scikit-learn\n")
        assert done.stderr in lines
        assert (done.returncode, done.stdout) == (1, "")
        assert (done.stderr == NO_NUMPY) == ("scikit-learn" not in done.stderr)


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
def test_a_tired_participant_gets_one_line(kit, tmp_path):
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    sheet = (kit / "out" / "results.csv").read_text(encoding="utf-8")
    headerless = sheet.partition("\n")[2]
    mistaken = sheet.replace("accept", "acept")
    given = write_files(
        tmp_path,
        {
            "headerless/results.csv": headerless,
            "mistaken/results.csv": mistaken,
            "stray/results.csv": mistaken,
            "stray/notes/read.me": "",
            "answers.docx": make_zip({"[Content_Types].xml": b"", "word/document.xml": b""}),
            "kit.zip": make_zip({"kit/try_submission.py": b"", "kit/spokeneval/__init__.py": b""}),
        },
    )
    not_kit = "  is the starting kit, not a submission; zip the files that your system wrote"
    for name, line in {
        kit: not_kit,
        "kit.zip": not_kit,
        "answers.docx": "  is a Word document (.docx), not a zip of the files; zip the files that your system wrote",
        "headerless": "  line 1    the header is missing; expected a first line with the columns Id, Accept, "
        "separated by tabs",
    }.items():
        done = run_program("try_submission.py", "--zip", "no.zip", given / name, cwd=kit)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.splitlines()[2] == line
        assert done.stderr.endswith("no.zip was not written.\n")
        assert "--all" not in done.stderr

    done = run_program("try_submission.py", "--zip", "no.zip", given / "stray", cwd=kit)
    for words in (
        "1 folder beside the files: notes",
        "decision 'acept'; expected",
        "no.zip was not written.",
    ):
        assert words in done.stderr
    done = run_program("baseline.py", "development", "try_submission.py/out", cwd=kit)
    assert (done.returncode, done.stderr) == (1, "try_submission.py/out: Not a directory\n")
    wrong = mistaken.count("acept")
    done = run_program("try_submission.py", "--zip", "no.zip", given / "mistaken", cwd=kit)
    assert f"({wrong - 1} more like this, lines " in done.stderr
    assert done.stderr.endswith("--all lists every problem.\nno.zip was not written.\n")
    done = run_program("try_submission.py", "--all", "--zip", "no.zip", given / "mistaken", cwd=kit)
    assert done.stderr.count(": decision 'acept'; expected 'accept' or 'reject'") == wrong
    assert "--all" not in done.stderr


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
def test_the_report_has_a_player_where_the_kit_has_the_sound(kit, tmp_path):
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    words = kit / "try_submission.py", kit / "out"
    page = tmp_path / "detailed_results.html"
    assert run_program(*words, cwd=tmp_path).returncode == 0
    silent = page.read_text("utf-8")
    item = re.search(r'<th scope="row">(\d+)</th>', silent.partition("Items with the worst answers")[2])[1]
    write_files(kit, {f"data/a b/{item}.WAV": "", "data/other.wav": ""})
    assert run_program(*words, cwd=tmp_path).returncode == 0
    (place,) = re.findall(
        r'<audio controls preload="none" aria-label="\d+" src="([^":]+)">', page.read_text("utf-8")
    )
    assert (tmp_path / unquote(place)).samefile(kit / f"data/a b/{item}.WAV")
    assert re.sub("<audio.*?</audio>", "", page.read_text("utf-8")) == silent
    shutil.rmtree(kit / "data/a b")


def test_in_the_kit_of_several_tasks_a_player_has_the_sound_of_its_task(tmp_path, monkeypatch):
    sounds = ("one/data/1.wav", "two/data/1.wav", "two/2.wav", "data/3.wav", "one/4.flac", "data/4.wav")
    write_files(tmp_path, dict.fromkeys((*sounds, f"one/{OPTIONS_FILE}", f"two/{OPTIONS_FILE}"), ""))
    monkeypatch.syspath_prepend(str(ROOT / "starting_kit"))
    tried = import_module("try_submission")
    monkeypatch.setattr(tried, "HERE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["try_submission.py", "--task", "one", "out"])
    started = mock.Mock(return_value=mock.Mock(returncode=0))
    monkeypatch.setattr(tried.subprocess, "run", started)
    with pytest.raises(SystemExit):
        tried.choose_task()
    monkeypatch.setattr(os, "environ", started.call_args[1]["env"])
    monkeypatch.chdir(tmp_path)
    page = tried.with_players("".join(f'<th scope="row">{item}</th>' for item in (1, 2, 3, 4, "4.wav")))
    assert re.findall('src="(.*?)"', page) == ["one/data/1.wav", "data/3.wav", "data/4.wav"]


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
def test_the_kit_shows_what_changed_from_an_earlier_submission(kit, tmp_path):
    for called in ("development", "evaluation"):
        assert run_program("baseline.py", called, str(tmp_path / called), cwd=kit).returncode == 0
    (answers,) = (tmp_path / "development").iterdir()
    id, decision = answers.read_text("utf-8").splitlines()[1].split("\t")
    other = {"accept": "reject", "reject": "accept"}[decision]
    changed = answers.read_text("utf-8").replace(f"{id}\t{decision}\n", f"{id}\t{other}\n")
    write_files(tmp_path, {f"later/{answers.name}": changed, f"torn/{answers.name}": "Id\tDecision\n"})
    words = kit / "try_submission.py", "--compare"
    done = run_program(*words, "development", "later", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "What changed from development is in difference.html.\n" in done.stdout
    page = (tmp_path / "difference.html").read_text("utf-8")
    assert "development and later</h1>" in page
    assert re.findall(r'<li class="(?:up|down)"><p><strong>(.*?)</strong>', page) == [id]
    done = run_program(*words, "torn", "later", cwd=tmp_path)
    assert (done.returncode, done.stderr.startswith("torn cannot be compared:\n")) == (0, True)
    done = run_program(*words, "later", "--set", "evaluation", "evaluation", cwd=tmp_path)
    refused = "--compare needs a set with labels: nothing was compared.\n"
    assert (done.returncode, done.stderr) == (0, refused)


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
def test_a_report_and_a_zip_that_cannot_be_written_are_one_line_each(kit, tmp_path):
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    (tmp_path / "detailed_results.html").mkdir()
    words = [kit / "try_submission.py", kit / "out"]
    done = run_program(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == "The report detailed_results.html was not written (Is a directory).\n"
    assert done.stdout.endswith("submission.zip is ready to upload to the phase Development.\n")
    (tmp_path / "detailed_results.html").rmdir()
    done = run_program(*words, "--zip", "submission.zip/new.zip", cwd=tmp_path)
    assert done.returncode == 1
    why = (
        "submission.zip/new.zip was not written (File exists). Choose another folder: --zip FOLDER/new.zip\n"
    )
    assert done.stderr == why


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_on_a_full_or_read_only_disk_the_older_zip_is_kept(kit, tmp_path, monkeypatch, capsys, number):
    write_files(tmp_path, {"out/results.csv": "x", "submission.zip": "older"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(ROOT / "starting_kit"))
    monkeypatch.setattr(sys, "argv", ["try_submission.py", "--set", "evaluation", "out"])
    tried = import_module("try_submission")
    monkeypatch.setattr(tried, "HERE", kit)
    monkeypatch.setattr(tried, "run", lambda *words: True)
    full = mock.Mock(side_effect=OSError(number, os.strerror(number)))
    monkeypatch.setattr(zipfile.ZipFile, "write", full)
    assert tried.guarded(tried.main) == 1
    assert capsys.readouterr().err == (
        f"submission.zip was not written ({os.strerror(number)}); the existing file is from an earlier run. "
        "Choose another folder: --zip FOLDER/submission.zip\n"
    )
    assert (tmp_path / "submission.zip").read_text() == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "submission.zip"]
    monkeypatch.setattr(tried, "run", mock.Mock(side_effect=KeyboardInterrupt))
    assert tried.guarded(tried.main) == 130
    monkeypatch.setattr(tried, "stage", mock.Mock(side_effect=OSError(number, os.strerror(number))))
    assert tried.guarded(tried.main) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        os.strerror(number),
        "submission.zip was not written; the existing file is from an earlier run.",
    ]


@pytest.mark.parametrize("task", ["merlion_diarization"], indirect=True)
def test_one_file_in_seconds_is_warned_of_and_accepted(kit):
    assert run_program("baseline.py", "development", "seconds", cwd=kit).returncode == 0
    first, *_ = sorted((kit / "seconds").iterdir())
    first.write_text("0 60.5 English\n60.5 118.2 Mandarin\n")
    done = run_program("try_submission.py", "seconds", cwd=kit)
    assert (done.returncode, done.stderr) == (0, "")
    second_line = done.stdout.splitlines()[1]
    assert second_line.startswith(
        f"Warning: {first.name}: all turns end within 118 ms, but half of the files"
    )


@pytest.mark.parametrize("task", ["spoken_call"], indirect=True)
@pytest.mark.skipif(sys.platform == "win32", reason="pipes are closed in another way")
def test_a_kit_whose_reader_is_gone_writes_its_zip(kit):
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "try_submission.py", "--zip", "piped.zip", "out"]
    done = subprocess.run(command, cwd=kit, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (kit / "piped.zip").exists()
