"""What participants read follows the organiser's data: no words of other challenges, and examples that are true."""

import hashlib
import json
import re
import subprocess
import sys

import nbformat
import pytest

from speechbundles.bundle.build.downloads import download_files
from speechbundles.bundle.build.pages import page_texts
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.platforms.codabench import PLATFORM as CODABENCH
from spokeneval.formats.submission_folder import list_files
from spokeneval.kinds.declared import KINDS
from tests.samples.declared_tasks import TASKS, declared_folder, kind_of
from tests.samples.programs import ROOT, run_program, write_files

DATA = (
    *("singapore", "aphasi", "stroke", "learner", "librispeech", "aishell", "seame", "call cent", "call-cent"),
    *("german", "32 khz", "data agreement", "picture", "children", "parents in", "clinician", "preselected"),
    *("dr-ntu", "test split", "validation split", "narration", "expert listener", "sample data", "synthetic"),
)  # fmt: skip
"""Words about data of the five challenges."""

FORMATS = {
    "spoken_call": ("spoken call", "grammar.xml"),
    "caller_experience": ("caller experience", "dialogue system"),
    "psst": ("psst", "arpabet", "phone"),
    "merlion": ("merlion", "mandarin"),
    "content_accuracy": ("rouge", "content accuracy"),
}
"""Words about the task of a challenge, which others do not have."""


DECLARED = [name for name in TASKS if kind_of(name) in KINDS]

of_three_kinds = pytest.mark.default_cases("three decisions", "words", "turns")


def texts_of(competition, parts):
    """All texts that participants read, `name -> text`, without citations, which contain titles of papers."""
    texts = {f"pages/{file}": text for file, text in page_texts(competition, parts, CODABENCH).items()}
    for name, content in parts.starting_kit.items():
        if not name.startswith(("spokeneval/", "data/")) and name.endswith((".md", ".py", ".ipynb", ".json")):
            texts[name] = content.decode()
    texts["title"], texts["description"] = competition["title"], competition["description"]
    # The note on intervals refers to a study of learners, whatever the task.
    note = re.compile(r"@\w+\{.*?\n\}|for language learners with .*? over learners", re.DOTALL)
    return {name: note.sub("", text) for name, text in texts.items()}


def words_in(texts, words):
    return [(name, word) for name, text in texts.items() for word in words if word in text.lower()]


def planned_of(folder, task, **options):
    """Return the competition of a declared task, and its parts."""
    planned = plan(Sources(ROOT, write_files(folder / "own", declared_folder(task))), [], {}, **options)
    (competition,) = planned.competitions
    return competition, planned.parts["aufgabe"], planned.warnings


@pytest.fixture(scope="module", params=DECLARED)
def built(request, tmp_path_factory):
    """A competition of a declared task, its parts, and the folder of its unpacked kit."""
    folder = tmp_path_factory.mktemp("own")
    competition, parts, warnings = planned_of(folder, request.param)
    assert warnings == []
    return competition, parts, write_files(folder / "kit", parts.starting_kit)


@pytest.mark.thorough
@of_three_kinds
def test_no_text_of_a_declared_task_has_words_of_a_challenge(built):
    competition, parts, _ = built
    words = {word for words in FORMATS.values() for word in words}
    if competition.definition.declaration["kind"] == "transcripts":
        words -= {"phone", "arpabet"}
    texts = texts_of(competition, parts)
    shared = {"try_submission.py", "score.py", "ingest.py", "baseline.py", "pages/overview.md"}
    assert words_in(texts, DATA) == []
    assert [found for found in words_in(texts, words) if found[0] not in shared] == []
    pages = "".join(text for name, text in texts.items() if name.startswith("pages/"))
    assert re.findall(r"\$\{|\{%", pages) == []


@pytest.mark.default_cases("words")
def test_the_example_on_the_page_is_accepted_when_completed(built, tmp_path):
    """The example's lines, with those of the baseline for the other items, are a valid submission."""
    competition, parts, kit = built
    page = page_texts(competition, parts, CODABENCH)["evaluation.md"]
    example = re.search(r"```\n(.*?)```", page, re.DOTALL)[1].splitlines()
    file = competition.definition.format.submission_file
    given = parts.solutions["evaluation"][file].decode().splitlines()
    if file.endswith(".json"):
        first = json.loads("\n".join(example))
        rest = [row for row in json.loads("\n".join(given)) if row["session_id"] != first[0]["session_id"]]
        lines = [json.dumps([*first, *rest])]
    elif file.endswith(".rttm"):
        lines = example + [line for line in given if line.split()[1] != example[0].split()[1]]
    else:
        assert example[0] == given[0]
        answered = {line.split(",")[0] for line in example}
        lines = example + [line for line in given if line.split(",")[0] not in answered]
    out = write_files(tmp_path / "out", {file: "\n".join([*lines, ""])})
    done = run_program("try_submission.py", "--set", "evaluation", str(out), cwd=kit)
    assert (done.returncode, done.stderr) == (0, "")


@of_three_kinds
def test_the_columns_on_the_page_are_those_of_the_files(built):
    competition, parts, kit = built
    page = page_texts(competition, parts, CODABENCH)["data.md"]
    rows = re.findall(r"^- `(\w+/\w+/[\w.]+)`(?:: (.*))?$", page, re.MULTILINE)
    assert len(rows) >= 3
    for file, columns in rows:
        header = (kit / file).read_text(encoding="utf-8").splitlines()[0]
        if file.endswith(".csv"):
            assert re.findall("`([^`]+)`", columns) == header.split(",")
    hidden = competition.definition.format.reference_files
    assert not [file for file, _ in rows if file.startswith("evaluation/") and file.split("/")[-1] in hidden]


@pytest.mark.default_cases("words")
def test_the_kits_baseline_is_scored_and_the_notebook_runs(built, monkeypatch, capsys):
    competition, parts, kit = built
    assert set(parts.solutions) == {"development", "evaluation"}
    monkeypatch.chdir(kit)
    notebook = nbformat.read(kit / "walkthrough.ipynb", as_version=4)
    nbformat.validate(notebook)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: run_program(*command[1:], cwd=kit))
    assert not [cell for cell in cells_of(parts.starting_kit) if "${" in cell or "{%" in cell]
    run_cells(parts.starting_kit)
    shown = capsys.readouterr().out
    assert "Scores on the development set" in shown
    assert f"  {competition.definition.primary.title} " in shown
    assert "is ready to upload to the phase Evaluation" in shown


@of_three_kinds
@pytest.mark.parametrize("task", DECLARED)
def test_a_baseline_runs_without_public_labels_and_with_few(task, tmp_path):
    """Without a development set, and with one whose labels are all alike."""
    files = declared_folder(task)
    public = {name: text for name, text in files.items() if "/development/" in name}
    baseline = ROOT / "starting_kit" / "kinds" / kind_of(task) / "baseline.py"
    (competition,) = read_competitions(Sources(ROOT, write_files(tmp_path / "own", files)))
    definition = competition.definition
    reference = load_reference(
        definition, "evaluation", tmp_path / "own/reference_data/aufgabe/evaluation", {}
    )
    kit = {f"evaluation/input/{name}": content for name, content in reference.public.items()}
    kit["task.json"] = json.dumps({"declaration": dict(definition.declaration)})
    kit["baseline.py"] = baseline.read_bytes()
    alike = {}
    for name, text in public.items():
        header, first, *_ = text.splitlines()
        alike[f"development/reference/{name.split('/')[-1]}"] = f"{header}\n{first}\n"
    for name, more in (("alone", {}), ("few", alike)):
        folder = write_files(tmp_path / name, {**kit, **more})
        command = [sys.executable, "baseline.py", "evaluation", "out"]
        done = subprocess.run(command, cwd=folder, capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
        definition.format.read_submission(list_files(folder / "out"), reference.parsed.items)


def cells_of(kit):
    return [cell.source for cell in nbformat.reads(kit["walkthrough.ipynb"].decode(), as_version=4).cells]


@pytest.mark.default_cases("words")
@pytest.mark.parametrize("task", ["decisions", "words", "turns"])
def test_a_kit_without_a_development_set_has_no_word_of_one(task, tmp_path, monkeypatch, capsys):
    competition, parts, _ = planned_of(tmp_path, task, leave_out=["development"])
    kit, texts = parts.starting_kit, page_texts(competition, parts, CODABENCH)
    texts["README.md"], texts["notebook"] = kit["README.md"].decode(), "\n".join(cells_of(kit))
    assert words_in(texts, ("development", "scored with the server", "--set evaluation", "the report")) == []
    named = {name for name, _ in words_in(texts, ["python3 baseline.py evaluation out"])}
    assert named >= {"README.md", "overview.md"}
    place = write_files(tmp_path / "kit", kit)
    monkeypatch.chdir(place)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: run_program(*command[1:], cwd=place))
    run_cells(kit)
    assert "submission.zip is ready to upload to the phase Evaluation" in capsys.readouterr().out


def run_cells(kit):
    kernel = {}
    for cell in nbformat.reads(kit["walkthrough.ipynb"].decode(), as_version=4).cells:
        if cell.cell_type == "code":
            exec(cell.source, kernel)


def test_a_kit_without_a_baseline_asks_for_answers(tmp_path, monkeypatch, capsys):
    kit = planned_of(tmp_path, "scores", leave_out=["baseline"])[1].starting_kit
    assert "baseline" not in "\n".join([kit["README.md"].decode(), *cells_of(kit)])
    monkeypatch.chdir(write_files(tmp_path / "kit", kit))
    run_cells(kit)
    shown = capsys.readouterr().out
    assert "Write your system's answers to the folder out first" in shown
    assert "Write your system's answers to the folder final first" in shown


def test_a_kit_without_an_evaluation_set_has_no_step_for_one(tmp_path):
    competition, parts, _ = planned_of(tmp_path, "decisions", leave_out=["evaluation"])
    texts = [parts.starting_kit["README.md"].decode(), *cells_of(parts.starting_kit)]
    texts.append(page_texts(competition, parts, CODABENCH)["overview.md"])
    assert "evaluation set" not in "\n".join(texts)


def test_the_terms_follow_the_licence(tmp_path):
    files = declared_folder("decisions")
    for licence in (", data_licence: CC BY 4.0", ""):
        files["competition.yaml"] = files["competition.yaml"].replace(", data_licence: CC BY 4.0", licence)
        sources = Sources(ROOT, write_files(tmp_path / "own", files))
        (pages,) = plan(sources, [], {}, leave_out=["baseline"]).pages.values()
        terms = pages["terms.md"]
        assert ("You may not pass it on" in terms) == (licence == "")
        assert ("Data licence: CC BY 4.0." in terms) == (licence != "")


def with_downloads(folder, *entries):
    files = declared_folder("speakers")
    declared = "data_url: {" + ", ".join(entries) + "}, "
    files["competition.yaml"] = files["competition.yaml"].replace("defaults: {", "defaults: {" + declared)
    return Sources(ROOT, write_files(folder, {**files, "Ton.tar": "Ton"}))


def test_kit_and_data_page_list_what_is_downloaded(tmp_path):
    digest = hashlib.sha256(b"Ton").hexdigest()
    entry = f"{{url: 'https://a.example/%s', sha256: {digest}, size: %s}}"
    logged = []
    given = (
        f"a.tar: {entry % ('a.tar', 3_000_000)}",
        "b.tar: {url: 'https://a.example/b.tar', file: Ton.tar}",
    )
    planned = plan(with_downloads(tmp_path, *given), [], {}, log=logged.append)
    (competition,), parts = planned.competitions, planned.parts["aufgabe"]
    assert f"data_url: b.tar: size: 3, sha256: {digest}" in logged
    kit = write_files(tmp_path / "kit", parts.starting_kit)
    assert json.loads((kit / "downloads.json").read_text()) == {
        "a.tar": {"url": "https://a.example/a.tar", "size": 3_000_000, "sha256": digest},
        "b.tar": {"url": "https://a.example/b.tar", "size": 3, "sha256": digest},
    }
    line = f"- `data/a.tar`, 3 MB: <https://a.example/a.tar>, SHA-256 `{digest}`\n"
    assert line in (kit / "README.md").read_text(encoding="utf-8")
    assert line in page_texts(competition, parts, CODABENCH)["data.md"]
    write_files(kit, {"data/a.tar": "Ton", "data/b.tar": "Ton"})
    done = run_program("try_submission.py", "--get-data", cwd=kit)
    assert done.returncode == 1
    assert done.stdout == "data/b.tar: is there\n"
    assert "a.tar has 3 bytes, not the declared 3000000" in done.stderr


def test_downloads_that_are_not_described_or_are_other_files_are_listed(tmp_path):
    given = (
        "a.tar: {url: 'https://a.example/a.tar', size: 3}",
        "b.tar: {url: 'https://a.example/b.tar', file: Ton.tar, size: 4}",
        "c.tar: {url: 'https://a.example/c.tar', file: None.tar}",
    )
    (competition,) = read_competitions(with_downloads(tmp_path, *given))
    with pytest.raises(OrganiserError) as refusal:
        download_files(competition, print)
    assert re.findall(
        r"line 1 .*data_url.(\w).tar: (?:.*(no size and|another|No such))", str(refusal.value)
    ) == [
        ("a", "no size and"),
        ("b", "another"),
        ("c", "No such"),
    ]
