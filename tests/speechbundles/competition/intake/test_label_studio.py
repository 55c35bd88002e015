"""Exports of Label Studio: JSON, JSON-MIN and CSV give the same answers, and the same regions."""

import csv
import io
import json

import pandas as pd
import pytest

from speechbundles.annotation.reference import exports_in, merge_annotations
from speechbundles.annotation.rounds import Round
from speechbundles.annotation.sheets import read_answers
from speechbundles.annotation.tables import refusing
from speechbundles.competition.intake.reference import read_tables
from speechbundles.model.errors import OrganiserError
from spokeneval.formats.problems import ReferenceFileError
from spokeneval.kinds.declared import declared_task
from tests.samples.annotated import label_studio
from tests.samples.programs import write_files

AUDIO = "/data/upload/3/1a2b3c4d-énoncé_{}.wav"
ASKED = {"humeur": ["gai", "triste"], "note": ["1", "2", "3"], "texte": []}


def annotation(number, who, mood, rating, texts, **more):
    results = [("humeur", {"choices": [mood]}), ("note", {"rating": rating})]
    results += [("texte", {"start": start, "end": start + 1, "text": [text]}) for start, text in texts]
    result = [{"from_name": name, "to_name": "audio", "value": value} for name, value in results]
    given = {"result": result, "was_cancelled": False, "lead_time": 4.2, "completed_by": who, **more}
    return {"id": number, **given}


TASKS = [
    {
        "id": 1,
        "data": {"audio": AUDIO.format(1), "locuteur": "L1"},
        "annotations": [
            annotation(101, 1, "gai", 3, [(2.5, "le\nmonde"), (0.5, "bonjour")]),
            annotation(102, {"id": 2, "email": "b@example.org"}, "triste", 2, [(0, "salut")]),
            annotation(103, 3, "gai", 1, [], was_cancelled=True),
        ],
    },
    {
        "id": 2,
        "data": {"audio": AUDIO.format(2), "locuteur": "L2"},
        "annotations": [annotation(104, 1, "triste", 1, [(0, "oui")])],
    },
]
MIN = [
    {"audio": AUDIO.format(1), "id": 1, "humeur": "gai", "note": [{"rating": 3}],
     "texte": [{"start": 0.5, "end": 1.5, "text": ["bonjour"]}, {"start": 2.5, "end": 3.5, "text": ["le\nmonde"]}],
     "annotator": 1, "annotation_id": 101, "lead_time": 4.2},
    {"audio": AUDIO.format(1), "id": 1, "humeur": "triste", "note": [{"rating": 2}], "texte": "salut",
     "annotator": "b@example.org", "annotation_id": 102, "lead_time": 4.2},
    {"audio": AUDIO.format(2), "id": 2, "humeur": "triste", "note": [{"rating": 1}], "texte": "oui", "annotator": 1,
     "annotation_id": 104, "lead_time": 4.2},
]  # fmt: skip


def as_csv():
    """The rows of JSON-MIN as its converter writes them, with a skipped annotation."""
    skipped = {**MIN[0], "humeur": "", "annotator": 3, "annotation_id": 103, "was_cancelled": True}
    rows = [{"was_cancelled": False, **row} for row in [*MIN, skipped]]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, sorted(rows[0]), quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    for row in rows:
        cells = {key: json.dumps(each) if isinstance(each, list) else each for key, each in row.items()}
        writer.writerow(cells)
    return stream.getvalue()


EXPORTS = {
    "all.json": json.dumps(TASKS, ensure_ascii=False),
    "min.json": json.dumps(MIN, indent=2),
    "all.csv": as_csv(),
}
GIVEN = {
    ("énoncé_1", "1"): ("gai", "3", "bonjour le monde"),
    ("énoncé_1", "b@example.org"): ("triste", "2", "salut"),
    ("énoncé_2", "1"): ("triste", "1", "oui"),
}


def read(tmp_path, file, text, asked=ASKED):
    (tmp_path / file).write_text(text, "utf-8")
    with refusing() as problems:
        return read_answers([tmp_path / file], "audio", asked, None, problems)


@pytest.mark.parametrize("file", EXPORTS)
def test_all_exports_have_the_same_answers(tmp_path, file):
    found = read(tmp_path, file, EXPORTS[file]).pivot(
        index=["item", "annotator"], columns="question", values="value"
    )
    assert {key: tuple(row[question] for question in ASKED) for key, row in found.iterrows()} == GIVEN


def test_problems_name_the_annotation_and_other_json_is_refused(tmp_path):
    wrong = EXPORTS["all.json"].replace('["gai"]', '["gaie"]', 1)
    with pytest.raises(OrganiserError, match="annotation 101 humeur 'gaie'; did you mean gai"):
        read(tmp_path, "a.json", wrong)
    region = {"humeur": [{"start": 0.5, "end": 1, "labels": ["gai"]}]}
    with pytest.raises(
        OrganiserError, match=r"annotation 104 humeur .*; expected a choice, a rating, a number or a text"
    ):
        read(tmp_path, "b.json", json.dumps([*MIN[:2], {**MIN[2], **region}]), {"humeur": []})
    for other in ('{"id": 1}', "[1]", '[{"id": 1}]', "no json"):
        with pytest.raises(OrganiserError, match="expected annotations that Label Studio exports as JSON"):
            read(tmp_path, "c.json", other)


ANA = {"Ana": [(0.5, 2.25, "bonjour toi")], "Ben": [(2, 4.125, "oui")]}
MARKED = [label_studio(1, "réunion 1", {"a@x.org": ANA, "b@x.org": {"Ana": [(0.5, 2, "bonjour")], "Ben": []}}),
          label_studio(2, "b", {"a@x.org": {}, "b@x.org": {"Ben": [(1, 2, "non")]}}),
          label_studio(3, "c", {"a@x.org": {"Ben": [(1, 3, "ça va")]}}),
          {"id": 4, "data": {"audio": "/data/upload/3/00000001-d.wav"}, "annotations": []}]  # fmt: skip


def as_min(tasks):
    """The rows that the converter makes: labels keep their times, and a text alone does not."""
    for task in tasks:
        for annotation in [each for each in task["annotations"] if not each["was_cancelled"]]:
            values = [(each["from_name"], each["value"]) for each in annotation["result"] if "value" in each]
            given = {
                control: [
                    " ".join(each["text"]) if "text" in each else each
                    for name, each in values
                    if name == control
                ]
                for control in dict(values)
            }
            who, number = annotation["completed_by"]["email"], annotation["id"]
            yield {**task["data"], "id": task["id"], **given, "annotator": who, "annotation_id": number}
        if not task["annotations"]:
            yield {**task["data"], "id": task["id"], "annotator": None, "annotation_id": None}


def regions_as_csv(rows):
    stream = io.StringIO()
    writer = csv.DictWriter(
        stream, sorted({key for row in rows for key in row}), quoting=csv.QUOTE_NONNUMERIC
    )
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {key: json.dumps(each) if isinstance(each, list) else each for key, each in row.items()}
        )
    return stream.getvalue()


REGIONS = {
    "all.json": json.dumps(MARKED),
    "min.json": json.dumps([*as_min(MARKED)], indent=2),
    "all.csv": regions_as_csv([*as_min(MARKED)]),
}


@pytest.mark.parametrize("file", REGIONS)
def test_regions_of_several_annotators_are_merged(tmp_path, file):
    """By hand: of two annotators, both mark Ana from 0.5 to 2 s; b marked Ben alone in b; a alone annotated c."""
    paths = exports_in([write_files(tmp_path, {file: REGIONS[file], "notes.csv": "a,b\n1,2\n"})])
    files, lines = merge_annotations(paths, Round("id", {}, pd.DataFrame()), "majority", None, (), False)
    rows = "recording,start,end,label\nc,1.0,3.0,Ben\nréunion 1,0.5,2.0,Ana\n"
    assert files["turns.csv"].decode() == rows
    assert files["regions.csv"].decode() == "recording,start,end\nb,0.0,2.0\nc,0.0,3.0\nréunion 1,0.0,4.125\n"
    assert lines[0] == "3 recordings, 5 turns by a@x.org, b@x.org"


@pytest.mark.parametrize(
    ("file", "change", "kind", "refused"),
    [
        ("all.json", ("", ""), "turns", r"annotation 11 +'réunion 1' also has annotation 10; merge them"),
        ("min.json", ("", ""), "meetings", "texts have no times and no labels; export it as JSON"),
        ("all.json", ('"site": "Lyon"', '"b": "/data/b.wav"'), "turns", "task has 2 addresses of sounds; expected one"),
        ("all.json", ("b@x.org", "a@x.org"), "turns", "annotation 21 +a@x.org's b already appears on annotation 20"),
        ("all.json", ('["Ben"]', '["Ben", "Ana"]'), "meetings", "annotation 10 +a text at 2 s has the labels Ben, Ana"),
        ("all.json", ("4.125", '"4,125"'), "turns", "annotation 10 +could not convert string to float"),
    ],
)  # fmt: skip
def test_regions_that_cannot_be_meant_are_refused(tmp_path, file, change, kind, refused):
    regions = "recording,start,end\nb,0,9\n"
    folder = write_files(tmp_path, {file: REGIONS[file].replace(*change), "regions.csv": regions})
    with pytest.raises(ReferenceFileError, match=refused):
        read_tables(declared_task("x", {"kind": kind}), folder)
