"""Tasks that an organiser declares in `competition.yaml`, from the folder to the leaderboard, and bad declarations."""

import json
import random
import zipfile

import pytest

import build_bundle
from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.kinds.declared import KINDS
from tests.samples.own_competition import DATES
from tests.samples.programs import ROOT, write_files

SETTINGS = """\
defaults: {{organiser: Uns, contact_email: a@example.org, data_licence: CC BY 4.0}}
challenges:
  stimmen:
    tasks:
      spoof: {task}
    phases:
      - {{reference: development, start: "2027-01-01 00:00:00", end: "2027-03-01 00:00:00"}}
      - {{reference: evaluation, start: "2027-03-02 00:00:00", end: "2027-04-01 00:00:00"}}
bundles:
  spoof: {{task: spoof, title: Echt oder nicht}}
"""
TASK = "{kind: decisions, classes: [echt, falsch], positive: falsch, item: recording}"
SIZES = {"development": 80, "evaluation": 120}


def labels(name):
    draw = random.Random(name)
    return [
        (f"{name[:2]}{n:03d}", draw.choice(["echt", "falsch", "falsch"]), f"S{n % 20}")
        for n in range(SIZES[name])
    ]


@pytest.fixture
def own(tmp_path):
    files = {"competition.yaml": SETTINGS.format(task=TASK)}
    for name in SIZES:
        rows = "".join(f"{','.join(row)}\n" for row in labels(name))
        files[f"reference_data/spoof/{name}/labels.csv"] = f"id,label,speaker\n{rows}"
    return write_files(tmp_path / "own", files)


def submissions(folder, systems):
    """One zip for each system, `name -> share of right answers`."""
    for system, share in systems.items():
        draw = random.Random(system)
        other = {"echt": "falsch", "falsch": "echt"}
        rows = [
            (item, label if draw.random() < share else other[label])
            for item, label, _ in labels("evaluation")
        ]
        folder.mkdir(exist_ok=True)
        with zipfile.ZipFile(folder / f"{system}.zip", "w") as archive:
            archive.writestr(
                "decisions.csv", "id,label\n" + "".join(f"{item},{label}\n" for item, label in rows)
            )
    return folder


@pytest.mark.thorough
def test_a_declared_task_from_the_folder_to_the_leaderboard(own, tmp_path, capsys):
    assert build_bundle.main(["build", "--competition", str(own)]) == 0
    bundle = own / "dist" / "codabench" / "spoof.zip"
    systems = submissions(tmp_path / "systems", {"gut": 0.95, "mittel": 0.8, "schlecht": 0.7})
    zips = sorted(map(str, systems.iterdir()))
    assert build_bundle.main(["rehearse", str(bundle), *zips[:1], "--phase", "Evaluation"]) == 0
    out = tmp_path / "scored"
    assert (
        build_bundle.main(["score", str(bundle), str(systems), "--phase", "Evaluation", "--out", str(out)])
        == 0
    )
    capsys.readouterr()
    # Its statistics declare the task, so that the leaderboard needs neither the folder nor code.
    outputs = [str(path) for path in sorted(out.iterdir()) if path.is_dir()]
    assert build_bundle.main(["rank", *outputs]) == 0
    alone = capsys.readouterr().out
    assert build_bundle.main(["rank", *outputs, "--competition", str(own)]) == 0
    assert capsys.readouterr().out == alone
    assert [line.split()[0] for line in alone.splitlines() if line.startswith("  ") and "[0." in line] == [
        "gut",
        "mittel",
        "schlecht",
    ]
    assert "kind:decisions|classes:" in alone.replace("\n  ", "")


@pytest.mark.thorough
def test_a_task_of_three_classes_is_ranked(own, tmp_path, capsys):
    classes = ("de", "hi", "ta")
    declared = "{kind: decisions, classes: [de, hi, ta], item: clip}"
    settings = (own / "competition.yaml").read_text().replace(TASK, declared)
    files = {"competition.yaml": settings}
    for name in SIZES:
        rows = "".join(f"{item},{classes[n % 3]},{who}\n" for n, (item, _, who) in enumerate(labels(name)))
        files[f"reference_data/spoof/{name}/labels.csv"] = f"id,label,speaker\n{rows}"
    write_files(own, files)
    systems = tmp_path / "systems"
    systems.mkdir()
    for wrong, system in enumerate(("a", "b", "c", "d")):
        rows = [
            (item, classes[(n + (n % 7 < wrong)) % 3]) for n, (item, *_) in enumerate(labels("evaluation"))
        ]
        with zipfile.ZipFile(systems / f"{system}.zip", "w") as archive:
            archive.writestr(
                "decisions.csv", "id,label\n" + "".join(f"{item},{label}\n" for item, label in rows)
            )
    assert build_bundle.main(["build", "--competition", str(own), "--platform", "codabench"]) == 0
    bundle, out = str(own / "dist/codabench/spoof.zip"), tmp_path / "scored"
    assert build_bundle.main(["score", bundle, str(systems), "--phase", "Evaluation", "--out", str(out)]) == 0
    capsys.readouterr()
    assert build_bundle.main(["rank", *(str(path) for path in out.iterdir() if path.is_dir())]) == 0
    assert "Macro F1" in capsys.readouterr().out


@pytest.mark.thorough
def test_a_declared_task_reads_a_sheet_with_other_names_of_columns(own):
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Hörproben"
    for row in [("Datei", "Urteil", "Sprecher"), *labels("evaluation")]:
        book.active.append(row)
    folder = own / "reference_data" / "spoof" / "evaluation"
    expected = (folder / "labels.csv").read_text()
    (folder / "labels.csv").unlink()
    book.save(folder / "Ergebnisse 2027.xlsx")
    settings = own / "competition.yaml"
    read = "{file: Ergebnisse 2027.xlsx, rename: {id: Datei, label: Urteil, speaker: Sprecher}}"
    settings.write_text(settings.read_text().replace("title:", f"sets: {{evaluation: {read}}}, title:"))
    planned = plan(Sources(ROOT, own), [], {})
    assert planned.parts["spoof"].references["evaluation"].files["labels.csv"].decode() == expected
    book.active["B3"] = "Falsch!"
    book.save(folder / "Ergebnisse 2027.xlsx")
    with pytest.raises(OrganiserError) as refusal:
        plan(Sources(ROOT, own), [], {})
    said = str(refusal.value)
    assert "; Ergebnisse 2027.xlsx: sheet 'Hörproben'\n" in said
    assert "  row 3     Datei ev001: Urteil 'Falsch!'; expected" in said
    assert "labels.csv" not in said


def test_a_declared_task_at_home(own, tmp_path, capsys):
    assert build_bundle.main(["build", "--competition", str(own)]) == 0
    with zipfile.ZipFile(own / "dist" / "codabench" / "spoof.zip") as archive:
        archive.extractall(tmp_path)
    with zipfile.ZipFile(tmp_path / "starting_kit.zip") as kit:
        kit.extractall(tmp_path / "kit")
    from spokeneval.__main__ import main

    reference = own / "reference_data" / "spoof" / "evaluation"
    answers = submissions(tmp_path / "systems", {"gut": 0.95}) / "gut.zip"
    given = ["--reference", str(reference), "--submission", str(answers)]
    capsys.readouterr()
    assert main(["score", "--task-file", str(tmp_path / "kit" / "task.json"), *given, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["task"] == "spoof"
    assert 0.85 < result["scores"]["f1"] < 1
    (tmp_path / "task.json").write_text("[]")
    assert main(["score", "--task-file", str(tmp_path / "task.json"), *given]) == 2
    assert capsys.readouterr().err.endswith("task.json: not the task.json of a declared task\n")


BAD = {
    "{kind: decision}": "line 5    challenges.stimmen.tasks.spoof.kind: 'decision'; did you mean decisions?",
    "{kind: decisions}": "line 5    challenges.stimmen.tasks.spoof: classes: missing.",
    "{kind: decisions, classes: [echt]}": "spoof.classes: ['echt']; expected a list of two classes or more",
    "{kind: decisions, classes: [a, a]}": "spoof.classes: class 'a' twice",
    "{kind: decisions, clases: [a, b]}": "spoof.clases: unknown key; did you mean classes?",
    "{kind: decisions, classes: [a, b], positive: c}": "spoof.positive: 'c' is not one of the classes a, b",
    "{kind: decisions, classes: [a, b], positive: a, units: words}": "spoof.units: unknown parameter; ",
    "{kind: transcripts, normalise: [nfkk]}": "spoof.normalise: ",
    "{kind: transcripts, primary: weer}": "spoof.primary: 'weer'; did you mean wer?",
    "{phases: []}": "spoof",
    "{}": "challenges.stimmen: unknown challenge stimmen",
}


@pytest.mark.parametrize("task", BAD)
def test_a_bad_declaration_is_refused_with_its_place(task, own):
    (own / "competition.yaml").write_text(SETTINGS.format(task=task))
    with pytest.raises(OrganiserError) as refusal:
        read_competitions(Sources(ROOT, own))
    assert BAD[task] in str(refusal.value)


def test_the_name_of_a_task_of_the_repository_is_refused(own):
    text = (
        SETTINGS.format(task=TASK)
        .replace("spoof:", "psst_correctness:")
        .replace("task: spoof", "task: psst_correctness")
    )
    (own / "competition.yaml").write_text(text)
    with pytest.raises(
        OrganiserError, match="psst_correctness is a task of the repository; choose another name"
    ):
        read_competitions(Sources(ROOT, own))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_init_explains_every_parameter_of_a_kind(kind, tmp_path, capsys):
    folder = tmp_path / "own"
    assert build_bundle.main(["init", str(folder), "--new", "meine_aufgabe", "--kind", kind]) == 0
    text = (folder / "competition.yaml").read_text()
    assert all(f" {parameter.name}: " in text for parameter in KINDS[kind].parameters)
    assert max(map(len, text.splitlines())) <= 120
    examples = {parameter.name: parameter.example for parameter in KINDS[kind].parameters}
    dates = iter(DATES)
    lines = []
    for line in text.splitlines():
        name = line.strip("# ").partition(":")[0]
        if "FILL IN" in line and name in examples:
            line = f"        {name}: {json.dumps(examples[name])}"
        elif "FILL IN: YYYY" in line:
            line = line.partition('"')[0] + f'"{next(dates)}"'
        elif line.startswith("        # ") and name in examples:
            line = line.replace("# ", "", 1)
        lines.append(
            line.replace("FILL IN: an e-mail address for participants", "a@example.org").replace(
                "FILL IN", ""
            )
        )
    (folder / "competition.yaml").write_text("\n".join(lines))
    (competition,) = read_competitions(Sources(ROOT, folder))
    assert competition.rules.declaration["kind"] == kind
    assert len(competition.columns) > 3
    assert [phase.name for phase in competition.phases] == ["Development", "Evaluation"]


def test_init_wants_names_or_a_kind(tmp_path, capsys):
    for words in (
        [],
        ["psst_correctness", "--new", "a", "--kind", "decisions"],
        ["--new", "a"],
        ["--kind", "decisions"],
    ):
        assert build_bundle.main(["init", str(tmp_path / "own"), *words]) == 2
        assert "--new NAME with --kind KIND" in capsys.readouterr().err
    assert (
        build_bundle.main(["init", str(tmp_path / "own"), "--new", "spoken_call", "--kind", "decisions"]) == 1
    )
    assert "spoken_call is a task of the repository" in capsys.readouterr().err
    assert not (tmp_path / "own").exists()
