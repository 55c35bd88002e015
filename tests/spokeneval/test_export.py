"""Results in the formats of other projects: their content, refusals, and the findings of the projects' validators."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import build_bundle
import spokeneval
from spokeneval.__main__ import main
from spokeneval.challenges import find_task, task_names
from spokeneval.export import FORMS, export
from spokeneval.scoring.options import Options
from spokeneval.scoring.reference import items_fingerprint, parse_reference
from tests.samples.cases import CASES
from tests.samples.exports import RAI, facts_of, scored
from tests.samples.programs import encoded, write_files

HUGGING_FACE, CROISSANT = FORMS
TASK = "psst_correctness"


@pytest.mark.parametrize("task", task_names())
def test_hugging_face_has_the_primary_score(tmp_path, task):
    output = scored(task, tmp_path)
    files = export(output, HUGGING_FACE, facts=facts_of(task))
    assert list(files) == [f"output/.eval_results/{task}.yaml"]
    (entry,) = yaml.safe_load(files[f"output/.eval_results/{task}.yaml"])
    scores = json.loads((output / "scores.json").read_text())
    assert entry["value"] == scores[find_task(task).primary.key]
    assert entry["dataset"] == {"id": "institute/set", "task_id": "test"}
    assert entry["source"] == {"url": "https://example.org/set"}
    assert entry["notes"].endswith((output / "signature.txt").read_text().strip())


@pytest.mark.parametrize("task", task_names())
def test_croissant_describes_the_files_of_a_public_set(tmp_path, task):
    output, facts = scored(task, tmp_path), facts_of(task)
    reference = tmp_path / "input" / "ref"
    (text,) = export(output, CROISSANT, facts=facts, reference=reference).values()
    described = json.loads(text)
    assert {each["@id"]: each["sha256"] for each in described["distribution"]} == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in reference.iterdir()
    }
    assert {key: described[f"rai:{key}"] for key in RAI} == facts["rai"]
    for rows in described["recordSet"]:
        first = (reference / rows["@id"].partition("/")[0]).read_text().split("\n")[0]
        assert [field["source"]["extract"]["column"] for field in rows["field"]] == first.replace(
            "\t", ","
        ).split(",")
    write_files(tmp_path / "other", CASES[task].relabelled)
    with pytest.raises(ValueError, match="the results were not computed from these files"):
        export(output, CROISSANT, facts=facts, reference=tmp_path / "other")


# Facts


NEEDED = {
    HUGGING_FACE: [("dataset_id",), ("task_id",), ("url",)],
    CROISSANT: [
        *(("title",), ("description",), ("url",), ("data_licence",), ("organisers",), ("citation",)),
        *(("version",), ("published",)),
        *(("rai", key) for key in RAI),
        ("files", "utterances.tsv"),
    ],
}


@pytest.mark.parametrize("form", FORMS)
def test_each_fact_that_a_format_needs_is_asked_for_and_no_other(tmp_path, form):
    output, complete = scored(TASK, tmp_path), facts_of(TASK)
    reference = tmp_path / "input" / "ref"
    least: dict[str, Any] = {}
    for *above, last in NEEDED[form]:
        here, there = least, complete
        for key in above:
            here, there = here.setdefault(key, {}), there[key]
        here[last] = there[last]
    assert export(output, form, facts=least, reference=reference)
    for *above, last in NEEDED[form]:
        for wrong in (None, " ", 3, []):
            facts = json.loads(json.dumps(least))
            here = facts
            for key in above:
                here = here[key]
            here[last] = wrong
            with pytest.raises(ValueError) as refused:
                export(output, form, facts=facts, reference=reference)
            assert str(refused.value).startswith(f"1 fact missing for {form}:\n\n{'.'.join([*above, last])}")


# Hidden sets


@pytest.fixture
def hidden(tmp_path, monkeypatch):
    """The same submission on hidden labels: the output on a platform, the exact one at home, the options."""
    reference = parse_reference(find_task(TASK), encoded(CASES[TASK].reference))
    items = items_fingerprint(reference.items.ids)
    options = {"feedback": "coarse", "sets": {items: {"steps": {"f1": 0.3}, "floor": None, "trivial": {}}}}
    platform = scored(TASK, tmp_path / "platform", public=False, options=options)
    monkeypatch.setenv("SPOKENEVAL_HIDDEN_STATISTICS", "write")
    exact = scored(TASK, tmp_path / "exact", public=False, options=options)
    assert (exact / "statistics.json").exists()
    return platform, exact, Options.load(options)


def test_a_hidden_set_is_exported_as_its_leaderboard_shows_it(hidden):
    platform, exact, options = hidden
    shown = json.loads((platform / "scores.json").read_text())
    for source, more in ((exact, {"options": options}), (platform, {})):
        (text,) = export(source, HUGGING_FACE, facts=facts_of(TASK), **more).values()
        (entry,) = yaml.safe_load(text)
        assert {"f1": entry["value"]} == shown
        assert "interval" not in entry["notes"]
    scores = json.loads((exact / "scores.json").read_text())
    (text,) = export(exact, HUGGING_FACE, facts=facts_of(TASK), exact=True).values()
    assert yaml.safe_load(text)[0]["value"] == scores["f1"] != shown["f1"]


def test_exact_figures_of_a_hidden_set_need_an_option(hidden):
    _, exact, options = hidden
    with pytest.raises(ValueError, match="--bundle, for the steps of its leaderboard; or --exact"):
        export(exact, HUGGING_FACE, facts=facts_of(TASK))
    with pytest.raises(ValueError, match="the bundle does not have the set"):
        export(exact, HUGGING_FACE, facts=facts_of(TASK), options=Options(feedback="coarse"))
    none = {items: {**vars(feedback), "steps": {}} for items, feedback in options.sets.items()}
    unstepped = Options.load({"feedback": "coarse", "sets": none})
    with pytest.raises(ValueError, match="f1, the primary score, is missing or not shown"):
        export(exact, HUGGING_FACE, facts=facts_of(TASK), options=unstepped)
    with pytest.raises(ValueError, match="the labels are hidden"):
        export(exact, CROISSANT, facts=facts_of(TASK), reference=exact)


def test_labels_that_a_bundle_hides_are_hidden_for_the_library_too(tmp_path, hidden):
    """`score` treats any labels as public; the bundle shows whether they are."""
    case = CASES[TASK]
    write_files(tmp_path / "gold", case.reference)
    write_files(tmp_path / "sent", case.submission)
    result = spokeneval.score(TASK, tmp_path / "gold", tmp_path / "sent")
    (tmp_path / "result.json").write_text(json.dumps(result.to_dict()))
    with pytest.raises(ValueError, match="the bundle does not have the set"):
        export(tmp_path / "result.json", HUGGING_FACE, facts=facts_of(TASK), options=hidden[2])


def test_no_item_of_a_hidden_set_is_in_any_byte(hidden):
    platform, exact, options = hidden
    items = parse_reference(find_task(TASK), encoded(CASES[TASK].reference)).items.ids
    facts = facts_of(TASK)
    for files in (
        export(exact, HUGGING_FACE, facts=facts, options=options),
        export(exact, HUGGING_FACE, facts=facts, exact=True),
        export(platform, HUGGING_FACE, facts=facts),
    ):
        assert not any(item in part for item in items for named in files.items() for part in named)


# Boards and other sources


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"signature": "../x|reference:1", "declaration": {"kind": "transcripts"}}', "\xff"],
)
def test_other_files_are_refused(tmp_path, content):
    (tmp_path / "file.json").write_bytes(content.encode("latin-1"))
    for path in (tmp_path, tmp_path / "file.json"):
        with pytest.raises(ValueError, match="expected the JSON of score, compare or rank"):
            export(path, HUGGING_FACE)


@pytest.mark.thorough
def test_the_command_takes_facts_of_the_competition_and_the_steps_of_its_bundle(tmp_path, capsys, hidden):
    published = ("url", "version", "published", "files", "rai")
    facts = {key: value for key, value in facts_of(TASK).items() if key in published}
    own = {
        "defaults": {"publication": {**facts, "task_id": "ours"}},
        "bundles": {TASK: {"title": "Correctness"}},
    }
    write_files(tmp_path / "mine", {"competition.yaml": yaml.safe_dump(own)})
    bundle = tmp_path / "dist" / "codabench" / f"{TASK}.zip"
    build_bundle.main(["build", TASK, "--platform", "codabench", "--out", str(tmp_path / "dist")])
    (tmp_path / "meta.yaml").write_text("url: https://example.org/other\n")
    capsys.readouterr()
    command = ["export", hidden[0], "--format", HUGGING_FACE, "--out", tmp_path / "out", "--bundle", bundle]
    command += ["--competition", tmp_path / "mine", "--meta", tmp_path / "meta.yaml", "--json"]
    assert main([*map(str, command)]) == 1
    refused, told = capsys.readouterr()
    missing = "dataset_id: --dataset-id, a benchmark on the Hub, such as cais/hle"
    assert json.loads(refused) == {"error": "1 fact missing for huggingface:", "missing": [missing]}
    assert missing in told
    assert main([*map(str, command), "--dataset-id", "institute/set"]) == 0
    (file,) = json.loads(capsys.readouterr().out)["files"]
    (entry,) = yaml.safe_load(Path(file).read_text())
    assert entry["dataset"] == {"id": "institute/set", "task_id": "ours"}
    assert entry["source"] == {"url": "https://example.org/other"}


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xe9", "not UTF-8; save it as UTF-8"), (b"- title", "expected facts, `name: value`")],
)
def test_a_file_of_facts_that_cannot_be_read_is_named(tmp_path, capsys, content, words):
    meta = tmp_path / "meta.yaml"
    meta.write_bytes(content)
    command = ["export", str(meta), "--format", HUGGING_FACE, "--out", str(tmp_path), "--meta", str(meta)]
    assert main(command) == 1
    assert capsys.readouterr().err.startswith(f"{meta}: {words}")
