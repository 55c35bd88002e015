"""The files of the templates of challenges, our scores of them, and those of the challenges' own scripts."""

import csv
import hashlib
import io
import random
import tempfile
from functools import cache
from pathlib import Path

import yaml

import spokeneval
from speechbundles.new.examples import example_files
from spokeneval.formats.tables import csv_text
from tests.samples.programs import unzipped

FIGURES = Path(__file__).with_name("official_scores.yaml")
SYSTEM = "middling"


@cache
def files_of(challenge):
    """The reference and the submission, `folder/name -> content`, and the settings."""
    files = example_files(challenge)
    start = f"reference_data/{challenge}/evaluation/"
    found = {
        f"reference/{name[len(start) :]}": data for name, data in files.items() if name.startswith(start)
    }
    submission = unzipped(files[f"submissions/{SYSTEM}.zip"])
    return {**found, **{f"submission/{name}": data for name, data in submission.items()}}


ODD = {
    "pasketti_phones": (
        *"tdʃʒaeɛɝŋ",
        *"\u02c8\u02cc\u035c\u0361\u0303",
        "ẽ",
        "ã",
        "tʃ",
        "dʒ",
        ".",
        "'",
        ",",
        "-",
        " ",
    ),
    "sapc2": ("a", "b", "the", " ", " "),
    "pasketti_words": ("uh", "it's", "twenty-one", "$5", "don't", "Mr.", "colour", " ", "two", "."),
}
"""Pieces of odd transcripts by challenge, of SAPC2 after normalisation; in others, words are repeated or left out."""


def odd_files(challenge, seed):
    """The files of a template with few items, ties, equal scores or one class, and empty or odd transcripts."""
    draw = random.Random(f"{challenge} {seed}")
    tables = {
        name: list(csv.DictReader(io.StringIO(data.decode()))) for name, data in files_of(challenge).items()
    }
    (key,) = {next(iter(rows[0])) for rows in tables.values()}
    items = sorted({row[key] for name, rows in tables.items() if name.startswith("ref") for row in rows})
    kept, digits = {*draw.sample(items, draw.randint(3, 20))}, draw.choice([0, 0, 1, 3])
    one = draw.choice([None, None, None, draw.choice(items)])
    found = {}
    for name, rows in tables.items():
        own = [row for row in rows if row[key] in kept]
        label = next((row["label"] for row in rows if row[key] == one and "label" in row), None)
        for row in own:
            for column in row.keys() & {"score", "countermeasure"}:
                row[column] = f"{float(row[column]):.{digits}f}"
            for column in row.keys() & {"transcript", "words"}:
                row[column] = _odd_text(draw, row[column].split(), ODD.get(challenge))
            if label is not None:
                row["label"] = label
        found[name] = csv_text([[*rows[0]], *(row.values() for row in own)]).encode()
    return found


def _odd_text(draw, words, pieces):
    if pieces and draw.random() < 0.8:
        return " ".join("".join(draw.choices(pieces, k=draw.randint(0, 12))).split())
    return " ".join(word for word in words for _ in range(draw.choice([0, 1, 1, 1, 2])))


def write_files(files, folder):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def hash_of(challenge):
    """The hash of the files without the names of speakers and systems, on which no script's score depends."""
    tables = {}
    for name, data in sorted(files_of(challenge).items()):
        rows = [*csv.reader(io.StringIO(data.decode()))]
        kept = [place for place, column in enumerate(rows[0]) if column not in ("speaker", "system")]
        tables[name] = [[row[place] for place in kept] for row in rows]
    return hashlib.sha256(repr(tables).encode()).hexdigest()


def our_scores(challenge, given=None):
    """Our scores with the declaration of the template, of its files or of others."""
    files = example_files(challenge)
    settings = yaml.safe_load(files["competition.yaml"])
    declared = settings["challenges"][challenge]["tasks"][challenge]
    del declared["baseline_data"]
    for rule in declared.get("normalise", ()):
        if isinstance(rule, dict):
            rule["replace"] = [*csv.reader(files[rule["replace"]].decode().splitlines())]
    with tempfile.TemporaryDirectory() as folder:
        write_files(given or files_of(challenge), Path(folder))
        return spokeneval.score(declared, f"{folder}/reference", f"{folder}/submission").scores
