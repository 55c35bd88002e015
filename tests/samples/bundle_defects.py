"""A clean bundle for each platform, made in memory of synthetic data, and every way to damage one.

A defect damages the clean bundle in one place; the check must then make exactly the finding that it names.
"""

from __future__ import annotations

import copy
import functools
import io
import json
import operator
import random
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from spokeneval.kinds.declared import DECLARATION
from spokeneval.run.reference import fingerprint

Entries = list[tuple[str, bytes]]


@dataclass
class Draft:
    """A bundle before it is zipped: competition.yaml as a value, plain files, inner zips by their entries.

    `beside`: the files that a build leaves beside the platforms' folders.
    """

    spec: dict[str, Any]
    files: dict[str, bytes]
    zips: dict[str, Entries | bytes]
    replacements: list[tuple[str, str]] = field(default_factory=list)
    name: str = "competition.yaml"
    before: Entries = field(default_factory=list)
    after: list[tuple[str | zipfile.ZipInfo, bytes]] = field(default_factory=list)
    patches: list[Callable[[bytes], bytes]] = field(default_factory=list)
    beside: dict[str, bytes] = field(default_factory=dict)

    def build(self) -> bytes:
        text = yaml.safe_dump(self.spec, sort_keys=False, allow_unicode=True)
        for old, new in self.replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        raw = text.encode("utf-8", "surrogateescape")
        entries: list[tuple[str | zipfile.ZipInfo, bytes]] = [*self.before, (self.name, raw)]
        entries += self.files.items()
        for name, content in self.zips.items():
            entries.append((name, content if isinstance(content, bytes) else make_zip(content)))
        data = make_zip([*entries, *self.after])
        for patch in self.patches:
            data = patch(data)
        return data

    def inner(self, name: str) -> dict[str, bytes]:
        content = self.zips[name]
        assert not isinstance(content, bytes)
        return dict(content)


def make_zip(entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as archive:
        warnings.simplefilter("ignore")
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


# The clean bundles


def png(width: int = 4, height: int = 4) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x80" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _labels(seed: int) -> list[str]:
    """40 labels in no order, 24 of them correct."""
    labels = ["correct"] * 24 + ["incorrect"] * 16
    random.Random(seed).shuffle(labels)
    return labels


HIDDEN = [(f"item{number:03}", label) for number, label in enumerate(_labels(1))]
OPEN = [(f"practice{number:03}", label) for number, label in enumerate(_labels(2))]


def table(header: str, rows: Iterable[Iterable[Any]], separator: str = ",") -> bytes:
    lines = [header.replace(",", separator)] + [separator.join(map(str, row)) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def _prompt(name: str) -> str:
    return f"prompt{int(name[-3:]) % 7}"


def _reference(items: list[tuple[str, str]]) -> bytes:
    rows = ((name, _prompt(name), label) for name, label in items)
    return table("id,prompt,label", rows)


def _items(items: list[tuple[str, str]]) -> bytes:
    return table("id,prompt", ((name, _prompt(name)) for name, _ in items))


def _predictions(items: list[tuple[str, str]]) -> bytes:
    """Right for three items in four."""
    decisions = {"correct": "accept", "incorrect": "reject"}
    wrong = {"correct": "reject", "incorrect": "accept"}
    rows = ((name, (wrong if at % 4 == 3 else decisions)[label]) for at, (name, label) in enumerate(items))
    return table("id,decision", rows)


SCORE = b'''"""A synthetic scoring program."""

import json

import spokeneval

KEYS = ["accuracy", "error", "count"]
'''
TASK = {
    "task": "synthetic",
    "scores": [{"key": key} for key in ("accuracy", "error", "count")],
    "options": {"policy": ["flag", "reject"]},
}
INGEST = b'"""A synthetic ingestion program."""\n'
PACKAGE = ("spokeneval/__init__.py", b"")
OPTIONS = {
    "options": {"policy": "flag"},
    "public_references": [fingerprint({"reference.csv": _reference(OPEN)})],
    "detailed_results": False,
}


def _inner_zips(scoring_metadata: tuple[str, bytes]) -> dict[str, Entries | bytes]:
    return {
        "scoring_program.zip": [
            ("score.py", SCORE),
            ("options.json", json.dumps(OPTIONS).encode()),
            ("task.json", json.dumps(TASK).encode()),
            scoring_metadata,
            PACKAGE,
        ],
        "reference_data.zip": [("reference.csv", _reference(HIDDEN))],
        "reference_data_development.zip": [("reference.csv", _reference(OPEN))],
        "input_data.zip": [("items.csv", _items(HIDDEN))],
        "input_data_development.zip": [("items.csv", _items(OPEN))],
        "starting_kit.zip": [
            ("README.md", b"# Kit\n\nSynthetic.\n"),
            ("development.csv", _reference(OPEN)),
            ("items.csv", _items(HIDDEN)),
        ],
    }


CODABENCH = """
version: 2
title: A synthetic competition
description: Synthetic.
image: logo.png
terms: pages/terms.md
contact_email: organisers@example.org
docker_image: codalab/codalab-legacy:py312
enable_detailed_results: true
make_programs_available: true
pages: [{title: Overview, file: pages/overview.md}]
fact_sheet:
  method: {key: method, type: select, title: Method, selection: ["", neural, other], is_required: "false",
           is_on_leaderboard: "true"}
tasks:
  - {index: 0, name: Practice (development),
     scoring_program: scoring_program.zip, ingestion_program: ingestion_program.zip,
     input_data: input_data_development.zip, reference_data: reference_data_development.zip}
  - {index: 1, name: Test,
     scoring_program: scoring_program.zip, ingestion_program: ingestion_program.zip,
     input_data: input_data.zip, reference_data: reference_data.zip}
solutions: [{index: 0, tasks: [1], path: solutions/baseline.zip}]
phases:
  - {index: 0, name: Development, start: "2027-01-11 00:00:00", end: "2027-02-28 23:59:59", tasks: [0],
     max_submissions_per_day: 10, max_submissions: 500, execution_time_limit: 300, starting_kit: starting_kit.zip}
  - {index: 1, name: Evaluation, start: "2027-03-01 00:00:00", end: "2027-03-14 23:59:59", tasks: [1],
     max_submissions_per_day: 3, max_submissions: 3, execution_time_limit: 300}
leaderboards:
  - title: Results
    key: results
    primary_index: 0
    submission_rule: Force_Best
    columns:
      - {title: Accuracy, key: accuracy, index: 0, sorting: desc, precision: 4}
      - {title: Error, key: error, index: 1, sorting: asc, precision: 4}
"""


def codabench() -> Draft:
    """The smallest bundle of version 2 that has everything and no defect."""
    scoring = "command: python3 /app/program/score.py /app/input /app/output\n"
    ingestion = "command: python3 /app/program/ingest.py /app/input_data /app/ingested_program /app/output\n"
    zips = _inner_zips(("metadata.yaml", scoring.encode()))
    zips["ingestion_program.zip"] = [("ingest.py", INGEST), ("metadata.yaml", ingestion.encode()), PACKAGE]
    zips["solutions/baseline.zip"] = [("predictions.csv", _predictions(HIDDEN))]
    pages = {
        "pages/terms.md": b"# Terms\n\nBe fair. Submit three times. **Data licence**: MIT.\n",
        "pages/overview.md": b"# Overview\n\nSee [terms](#terms), `[code](x.md)`. Submit. Data licence: MIT.\n",
    }
    return Draft(yaml.safe_load(CODABENCH), {"logo.png": png(), **pages}, zips)


CODALAB = """
title: A synthetic competition
description: Synthetic.
image: logo.png
has_registration: true
enable_detailed_results: true
competition_docker_image: codalab/codalab-legacy:py312
end_date: "2027-03-14 23:59:59"
html: {overview: overview.html, evaluation: evaluation.html, terms: terms.html, data: data.html}
phases:
  1: {phasenumber: 1, label: Development, start_date: "2027-01-11 00:00:00",
      max_submissions: 3, max_submissions_per_day: 3, execution_time_limit: 300, is_scoring_only: true, color: green,
      scoring_program: scoring_program.zip, reference_data: reference_data_development.zip,
      public_data: input_data_development.zip, starting_kit: starting_kit.zip}
  2: {phasenumber: 2, label: Evaluation, start_date: "2027-03-01 00:00:00",
      max_submissions: 3, max_submissions_per_day: 3, execution_time_limit: 300, is_scoring_only: true, color: green,
      scoring_program: scoring_program.zip, reference_data: reference_data.zip,
      public_data: input_data.zip, starting_kit: starting_kit.zip}
leaderboard:
  leaderboards: {RESULTS: {label: Results, rank: 1}}
  columns:
    accuracy: {leaderboard: {label: Results, rank: 1}, label: Accuracy, rank: 1, sort: desc, numeric_format: 4}
    error: {leaderboard: {label: Results, rank: 1}, label: Error, rank: 2, sort: asc, numeric_format: 4}
"""


def codalab() -> Draft:
    """The smallest bundle of format 1.5 that has everything and no defect."""
    spec = yaml.safe_load(CODALAB)
    pages = dict.fromkeys(spec["html"].values(), b"<p>Synthetic. Data licence: MIT. Upload a zip.</p>\n")
    metadata = b"command: python3 $program/score.py $input $output\n"
    return Draft(spec, {"logo.png": png(), **pages}, _inner_zips(("metadata", metadata)))


CLEAN = {"codabench": codabench, "codalab": codalab}


# The damage

Damage = Callable[[Draft], object]


@dataclass(frozen=True)
class Defect:
    platform: str
    code: str
    name: str
    damage: Damage

    def draft(self) -> Draft:
        draft = copy.deepcopy(CLEAN[self.platform]())
        self.damage(draft)
        return draft


def seal(draft: Draft) -> None:
    """Seal half of the hidden set."""
    part = [("part.txt", b"open\n"), ("items/items.csv", _items(HIDDEN))]
    draft.zips["reference_data.zip"] = [("reference.csv", _reference(HIDDEN[:20])), *part]
    home = "sealed/synthetic/evaluation"
    draft.beside = {
        f"{home}/all/reference.csv": _reference(HIDDEN),
        f"{home}/sealed/reference.csv": _reference(HIDDEN[20:]),
        f"{home}/sealed/part.txt": b"sealed\n",
        f"{home}/sealed/items/items.csv": _items(HIDDEN),
    }


def keep_home(draft: Draft) -> None:
    """Keep all labels of the hidden set at home."""
    draft.zips["reference_data.zip"] = [("part.txt", b"home\n"), ("items/items.csv", _items(HIDDEN))]
    draft.beside = {"sealed/synthetic/evaluation/all/reference.csv": _reference(HIDDEN)}


def at(change: Callable[[Any], object], *path: Any) -> Damage:
    """Change the value at a place in competition.yaml."""
    return lambda draft: change(functools.reduce(lambda holder, part: holder[part], path, draft.spec))


def put(*path: Any, to: Any) -> Damage:
    """Set a value in competition.yaml."""
    return at(lambda holder: operator.setitem(holder, path[-1], to), *path[:-1])


def drop(*path: Any) -> Damage:
    """Remove a key or an item from competition.yaml."""
    return at(lambda holder: operator.delitem(holder, path[-1]), *path[:-1])


def add(*path: Any, item: Any) -> Damage:
    """Append to a list in competition.yaml."""
    return at(lambda holder: holder.append(item), *path)


def text(old: str, new: str) -> Damage:
    """Replace in the text of competition.yaml."""
    return lambda draft: draft.replacements.append((old, new))


def page(name: str, content: bytes | None) -> Damage:
    """Replace a plain file, or remove it."""

    def damage(draft: Draft) -> None:
        del draft.files[name]
        draft.files.update({} if content is None else {name: content})

    return damage


def inside(archive: str, **files: bytes | None) -> Damage:
    """Replace, add or (None) remove files of an inner zip; `__` is a dot in a name."""
    return inside_files(archive, {name.replace("__", "."): content for name, content in files.items()})


def inside_files(archive: str, files: Mapping[str, bytes | None]) -> Damage:
    """The same, by the files' plain names."""

    def damage(draft: Draft) -> None:
        content = {**draft.inner(archive), **files}
        draft.zips[archive] = [(name, data) for name, data in content.items() if data is not None]

    return damage


def archive(name: str, content: Entries | bytes) -> Damage:
    """Replace a whole inner zip."""
    return lambda draft: operator.setitem(draft.zips, name, content)


def entry(name: str | zipfile.ZipInfo, data: bytes = b"synthetic", *, times: int = 1) -> Damage:
    """Append an entry to the outer zip."""
    return lambda draft: draft.after.extend([(name, data)] * times)


def patch(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of the finished zip."""
    return lambda draft: draft.patches.append(change)


def both(*damages: Damage) -> Damage:
    return lambda draft: [damage(draft) for damage in damages]


def _central(data: bytes, name: bytes, offset: int, value: bytes) -> bytes:
    """Overwrite a field of an entry's central directory header (46 bytes, then the name)."""
    at = data.rindex(name) - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    return data[: at + offset] + value + data[at + offset + len(value) :]


def _link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system = 3
    info.external_attr = 0o120777 << 16
    return info


def _wrap(name: str) -> Damage:
    """Put everything in an inner zip into one folder."""
    return lambda draft: draft.zips.update(
        {name: [(f"folder/{file}", data) for file, data in draft.inner(name).items()]}
    )


def _as_folder(name: str, folder: str) -> Damage:
    """Put an inner zip's files into a folder of the bundle instead."""

    def damage(draft: Draft) -> None:
        draft.files.update({f"{folder}/{file}": data for file, data in draft.inner(name).items()})
        del draft.zips[name]

    return damage


def _wrap_bundle(draft: Draft) -> None:
    draft.name = f"folder/{draft.name}"
    draft.files = {f"folder/{name}": data for name, data in draft.files.items()}
    draft.zips = {f"folder/{name}": data for name, data in draft.zips.items()}


def _rename(name: str) -> Damage:
    return lambda draft: setattr(draft, "name", name)


def _first(name: str, data: bytes = b"synthetic: true\n") -> Damage:
    return lambda draft: draft.before.append((name, data))


def _command(archive: str, command: str, metadata: str = "metadata.yaml") -> Damage:
    return inside(archive, **{metadata.replace(".", "__"): f"command: {json.dumps(command)}\n".encode()})


def _options(**changes: Any) -> Damage:
    return inside("scoring_program.zip", options__json=json.dumps({**OPTIONS, **changes}).encode())


def _scores(*keys: str) -> Damage:
    task = {**TASK, "scores": [{"key": key} for key in keys]}
    script = SCORE.replace(b'["accuracy", "error", "count"]', json.dumps(keys).encode())
    return inside("scoring_program.zip", task__json=json.dumps(task).encode(), score__py=script)


def _directions(**directions: str) -> Damage:
    task = {**TASK, "scores": [{"key": key, "direction": value} for key, value in directions.items()]}
    return inside("scoring_program.zip", task__json=json.dumps(task).encode())


def _score(old: bytes, new: bytes) -> Damage:
    assert old in SCORE
    return inside("scoring_program.zip", score__py=SCORE.replace(old, new))


BOARD = ("leaderboards", 0)
FIRST_COLUMN = (*BOARD, "columns", 0)
SECOND_COLUMN = (*BOARD, "columns", 1)
QUESTION = ("fact_sheet", "method")
COLUMNS = ("leaderboard", "columns")

NAMES = {"correct": "1", "incorrect": "0"}
SHUFFLED = random.Random(3).sample(HIDDEN, len(HIDDEN))
RELABELLED = [(name, NAMES[label]) for name, label in SHUFFLED]
SORTED = sorted(HIDDEN, key=lambda item: item[1])
REFERENCE = _reference(HIDDEN)

# Defects of either platform: code, name, damage
_SHARED: list[tuple[str, str, Damage]] = [
    ("bundle-not-zip", "not a zip", patch(lambda data: b"Rar!" + data[4:20])),
    ("bundle-not-zip", "cut short", patch(lambda data: data[:200])),
    ("bundle-large", "16 MB of noise", entry("noise.bin", random.Random(0).randbytes(16_000_000))),
    ("not-a-zip", "a text under a zip's name", archive("starting_kit.zip", b"synthetic text")),
    ("archive-oversized", "unpacks to 2 GB", both(
        entry("zeros.bin"), patch(lambda data: _central(data, b"zeros.bin", 24, b"\xff\xff\xff\x7f")))),
    ("entry-corrupt", "a byte changed", both(
        entry("notes.txt", b"synthetic notes"),
        patch(lambda data: data.replace(b"synthetic notes", b"synthetic mates")))),
    ("entry-corrupt", "a byte changed inside", both(
        inside("starting_kit.zip", notes__txt=b"synthetic notes"),
        patch(lambda data: _mend_outer(data, b"synthetic notes", b"synthetic mates")))),
    ("entry-duplicate", "a name twice", entry("notes.txt", times=2)),
    ("entry-duplicate", "a name twice inside", lambda draft: draft.zips.update(
        {"starting_kit.zip": [("README.md", b"one"), ("README.md", b"two")]})),
    ("entry-encrypted", "the flag of encryption", both(
        entry("notes.txt"), patch(lambda data: _central(data, b"notes.txt", 8, b"\x01\x00")))),
    ("entry-junk", "a Mac's folder", entry("__MACOSX/._logo.png")),
    ("entry-junk", "a Mac's file inside", inside_files("reference_data.zip", {".DS_Store": b"junk"})),
    ("entry-junk", "compiled modules inside", inside_files("scoring_program.zip", {"__pycache__/score.pyc": b"junk"})),
    ("entry-link", "a link", entry(_link("notes.txt"), b"/etc/hosts")),
    ("entry-link", "a link inside", lambda draft: draft.zips.update(
        {"starting_kit.zip": make_zip([("README.md", b"kit"), (_link("more.md"), b"README.md")])})),
    ("entry-path-unsafe", "an absolute path", entry("/notes.txt")),
    ("entry-path-unsafe", "a path upwards", entry("pages/../../notes.txt")),
    ("entry-path-unsafe", "a drive", entry("C:notes.txt")),
    ("entry-path-unsafe", "a path upwards inside", inside_files("reference_data.zip", {"../notes.txt": b"synthetic"})),
    ("yaml-missing", "no competition.yaml", _rename("bundle.txt")),
    ("yaml-misnamed", "competition.yml", _rename("competition.yml")),
    ("yaml-misnamed", "Competition.yaml", _rename("Competition.yaml")),
    ("yaml-in-folder", "the folder was zipped", _wrap_bundle),
    ("yaml-not-first", "after a page", _first("first.txt")),
    ("yaml-not-utf8", "Latin-1", text("title: A", "title: \udce9 A")),
    ("yaml-invalid", "a bracket left open", text("title: A", "title: [A")),
    ("yaml-invalid", "a tab", text("title: A", "title:\n\t- A")),
    ("yaml-invalid", "an object to construct", text("title: A", "title: !!python/object:os.system A")),
    ("yaml-invalid", "a list at the top", lambda draft: setattr(draft, "spec", ["title"])),
    ("yaml-invalid", "a list as a key", text("title: A", "[a, b]: c\ntitle: A")),
    ("duplicate-key", "a title twice", text("title: A", "title: First\ntitle: A")),
    ("unknown-key", "a misspelt key", put("imgae", to="logo.png")),
    ("missing-key", "no title", drop("title")),
    ("missing-key", "no image", drop("image")),
    ("missing-key", "no phases", lambda draft: draft.spec.pop("phases")),
    ("wrong-type", "title a list", put("title", to=["A"])),
    ("wrong-type", "title null", put("title", to=None)),
    ("wrong-type", "image null", put("image", to=None)),
    ("wrong-type", "a flag that is neither", put("enable_detailed_results", to="perhaps")),
    ("empty", "a blank title", put("title", to="  ")),
    ("file-missing", "no logo", page("logo.png", None)),
    ("file-missing", "a misspelt logo", put("image", to="lgoo.png")),
    ("file-path-outside", "the logo elsewhere on the server", put("image", to="/etc/logo.png")),
    ("file-path-outside", "the logo upwards", put("image", to="../logo.png")),
    ("image-format", "an SVG", page("logo.png", b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
    ("image-format", "an empty file", page("logo.png", b"")),
    ("image-broken", "half a PNG", page("logo.png", png()[:40])),
    ("image-broken", "a PNG without a size", page("logo.png", png(0, 4))),
    ("image-broken", "half a JPEG", page("logo.png", b"\xff\xd8\xff\xe0\x00\x04ab")),
    ("image-broken", "half a GIF", page("logo.png", b"GIF89a\x01")),
    ("image-shape", "a line", page("logo.png", png(201, 2))),
    ("data-empty", "an empty reference", archive("reference_data.zip", [])),
    ("data-empty", "an empty file in the reference", archive("reference_data.zip", [("reference.csv", b"")])),
    ("data-wrapped", "the reference's folder was zipped", _wrap("reference_data.zip")),
    ("archive-wrapped", "the program's folder was zipped", _wrap("scoring_program.zip")),
    ("program-syntax", "no Python", _score(b"import json", b"import import")),
    ("package-missing", "the package left out", inside_files("scoring_program.zip", {PACKAGE[0]: None})),
    ("package-missing", "a part of it imported", both(
        _score(b"import spokeneval", b"from spokeneval.run import scores"),
        inside_files("scoring_program.zip", {PACKAGE[0]: None}))),
    ("options-invalid", "no JSON", inside("scoring_program.zip", options__json=b"{")),
    ("options-invalid", "a list", inside("scoring_program.zip", options__json=b"[]")),
    ("options-invalid", "an unknown value", _options(options={"policy": "maybe"})),
    ("options-invalid", "an unknown option", _options(options={"polcy": "flag"})),
    ("options-invalid", "an unknown key", _options(details=True)),
    ("scores-undeclared", "no description", inside_files("scoring_program.zip", {"task.json": None})),
    ("scores-undeclared", "no JSON in it", inside("scoring_program.zip", task__json=b"{")),
    ("scores-undeclared", "no score in it", inside("scoring_program.zip", task__json=b'{"scores": [], "options": {}}')),
    ("scores-undeclared", "scores without keys", inside(
        "scoring_program.zip", task__json=b'{"scores": ["accuracy"], "options": {}}')),
    ("column-not-scored", "the program lost a key", _scores("accuracy", "count")),
    ("primary-not-first-score", "the program has another first", _scores("error", "accuracy", "count")),
    ("declaration-invalid", "an unknown kind", inside("scoring_program.zip", task__json=json.dumps(
        {**TASK, DECLARATION: {"kind": "transcript"}}).encode())),
    ("declaration-invalid", "no declaration", inside("scoring_program.zip", task__json=json.dumps(
        {**TASK, DECLARATION: "transcripts"}).encode())),
    ("score-not-written", "a declared key that the script does not write", _score(b'"error"', b'"err"')),
    ("leak-file", "the reference in the starting kit", inside("starting_kit.zip", gold__csv=REFERENCE)),
    ("leak-file", "the reference in a zip in the kit", inside(
        "starting_kit.zip", more__zip=make_zip([("gold.csv", REFERENCE)]))),
    ("leak-file", "the reference among the items", inside("input_data.zip", gold__csv=REFERENCE)),
    ("leak-unsearched", "a hidden table of very many columns", inside("reference_data.zip", wide__csv=table(
        ",".join(f"c{number}" for number in range(31)), [range(row, row + 31) for row in range(9)]))),
    ("leak-unsearched", "a text of ten million letters", inside("starting_kit.zip", big__csv=b"a,b\n" * 2_500_001)),
    ("leak-unsearched", "a damaged zip in the kit", inside("starting_kit.zip", more__zip=b"synthetic text")),
    ("leak-column", "labels among the items", inside("input_data.zip", items__csv=table("id,label", SHUFFLED))),
    ("leak-column", "labels under another name", inside(
        "starting_kit.zip", items__csv=table("id,group", RELABELLED))),
    ("leak-column", "labels of half of the items", inside(
        "starting_kit.zip", some__tsv=table("utterance,x", RELABELLED[:20], "\t"))),
    ("leak-column", "labels as JSON", inside("starting_kit.zip", some__json=json.dumps(dict(SHUFFLED)).encode())),
    ("leak-column", "labels as JSON records", inside("starting_kit.zip", some__json=json.dumps(
        [{"key": name, "kind": label.upper()} for name, label in SHUFFLED]).encode())),
    ("leak-column", "labels as JSON columns", inside("starting_kit.zip", some__json=json.dumps(
        {"key": [name for name, _ in SHUFFLED], "kind": [label for _, label in SHUFFLED]}).encode())),
    ("leak-column", "labels separated by blanks, without a header", inside(
        "starting_kit.zip", some__txt=table("item000 1.0", RELABELLED, " "))),
    ("leak-order", "items sorted by label", inside("input_data.zip", items__csv=_items(SORTED))),
    ("leak-facts", "items in four blocks of equal labels", inside("input_data.zip", items__csv=_items(
        SORTED[:12] + SORTED[24:32] + SORTED[12:24] + SORTED[32:]))),
    ("leak-duration", "longer texts for one label", inside_files("starting_kit.zip", {
        f"texts/{name}.txt": random.Random(name).randbytes(20 + 20 * (label == "correct")).hex().encode()
        for name, label in HIDDEN})),
    ("leak-column", "sealed labels under another name", both(seal, inside(
        "starting_kit.zip", some__tsv=table("utterance,x", HIDDEN[20:], "\t")))),
    ("sealed-missing", "nothing beside the bundle", both(seal, lambda draft: draft.beside.clear())),
    ("sealed-missing", "those of another set beside the bundle", both(seal, lambda draft: draft.beside.update(
        {"sealed/synthetic/evaluation/all/reference.csv": _reference(HIDDEN[1:])}))),
    ("sealed-missing", "no sealed label beside the bundle", both(seal, lambda draft: draft.beside.pop(
        "sealed/synthetic/evaluation/sealed/reference.csv"))),
    ("home-missing", "labels at home, but not beside the bundle", both(keep_home, lambda draft: draft.beside.clear())),
    ("leak-column", "labels at home under another name", both(keep_home, inside(
        "starting_kit.zip", some__tsv=table("utterance,x", HIDDEN, "\t")))),
    ("sealed-uploaded", "one row of labels at home, in a program", both(keep_home, inside(
        "scoring_program.zip", notes__csv=_reference(HIDDEN[30:31])))),
    ("sealed-uploaded", "the whole reference", both(seal, inside(
        "reference_data.zip", reference__csv=_reference(HIDDEN)))),
    ("sealed-uploaded", "one row, in a program", both(seal, inside(
        "scoring_program.zip", notes__csv=_reference(HIDDEN[30:31])))),
    ("sealed-uploaded", "one row, in a zip in the kit", both(seal, inside(
        "starting_kit.zip", more__zip=make_zip([("notes.csv", _reference(HIDDEN[30:31]))])))),
    ("sealed-uploaded", "one row, in a file of the starting kit", both(seal, inside(
        "starting_kit.zip", notes__txt=b"Such as\n\n  " + _reference(HIDDEN[30:31]).split(b"\n")[1] + b"\r\n"))),
]  # fmt: skip


def _mend_outer(data: bytes, old: bytes, new: bytes) -> bytes:
    """Change bytes in an inner zip that is stored uncompressed, and write the outer zip anew around it."""
    with zipfile.ZipFile(io.BytesIO(data)) as outer:
        return make_zip([(name, outer.read(name).replace(old, new)) for name in outer.namelist()])


_CODABENCH: list[tuple[str, str, Damage]] = [
    ("version", "no version", drop("version")),
    ("version", "a version yet to come", put("version", to=3)),
    ("version", "a fraction", put("version", to=2.0)),
    ("unknown-key", "a misspelt key of a page", put("pages", 0, "tilte", to="A")),
    ("unknown-key", "a misspelt key of a task", put("tasks", 0, "inputdata", to="input_data.zip")),
    ("unknown-key", "a limit one level too high", put("max_submissions_per_day", to=3)),
    ("unknown-key", "a documented key that nothing reads", put(
        "phases", 0, "accepts_only_result_submissions", to=True)),
    ("unknown-key", "a misspelt key of a board", put(*BOARD, "submision_rule", to="Force_Best")),
    ("unknown-key", "a misspelt key of a column", put(*FIRST_COLUMN, "sort", to="asc")),
    ("unknown-key", "a misspelt key of a solution", put("solutions", 0, "file", to="x")),
    ("missing-key", "no terms", drop("terms")),
    ("missing-key", "no pages", drop("pages")),
    ("missing-key", "no leaderboards", drop("leaderboards")),
    ("missing-key", "a page without a title", drop("pages", 0, "title")),
    ("missing-key", "a page without a file", drop("pages", 0, "file")),
    ("missing-key", "a task without a name", drop("tasks", 0, "name")),
    ("missing-key", "a task without a scoring program", drop("tasks", 0, "scoring_program")),
    ("missing-key", "a phase without a name", drop("phases", 0, "name")),
    ("missing-key", "a phase without a start", drop("phases", 0, "start")),
    ("missing-key", "a board without a key", drop(*BOARD, "key")),
    ("missing-key", "a board without columns", drop(*BOARD, "columns")),
    ("missing-key", "a column without a title", drop(*FIRST_COLUMN, "title")),
    ("missing-key", "a column without a key", drop(*SECOND_COLUMN, "key")),
    ("missing-key", "a column without an index", drop(*SECOND_COLUMN, "index")),
    ("missing-key", "a solution without a path", drop("solutions", 0, "path")),
    ("missing-key", "a solution without tasks", drop("solutions", 0, "tasks")),
    ("wrong-type", "the start null", put("phases", 0, "start", to=None)),
    ("wrong-type", "a kit null", put("phases", 0, "starting_kit", to=None)),
    ("wrong-type", "an index as text", put("phases", 0, "index", to="0")),
    ("wrong-type", "a limit as text", put("phases", 0, "max_submissions", to="many")),
    ("wrong-type", "a page that is no mapping", put("pages", 0, to="pages/overview.md")),
    ("wrong-type", "a program that is a list", put("tasks", 0, "ingestion_program", to=["ingestion_program.zip"])),
    ("empty", "no columns", put(*BOARD, "columns", to=[])),
    ("empty", "no pages in the list", put("pages", to=[])),
    ("empty", "no leaderboard in the list", put("leaderboards", to=[])),
    ("too-long", "the title", put("title", to="x" * 257)),
    ("too-long", "the reward", put("reward", to="x" * 257)),
    ("too-long", "the image", put("docker_image", to="codalab/" + "x" * 120 + ":py312")),
    ("too-long", "a page's title", put("pages", 0, "title", to="x" * 256)),
    ("too-long", "a task's name", put("tasks", 0, "name", to="development" + "x" * 256)),
    ("too-long", "a phase's name", put("phases", 0, "name", to="x" * 257)),
    ("too-long", "a board's title", put(*BOARD, "title", to="x" * 65)),
    ("too-long", "a board's key", put(*BOARD, "key", to="x" * 37)),
    ("too-long", "a column's title", put(*FIRST_COLUMN, "title", to="x" * 37)),
    ("choice", "the type of competition", put("competition_type", to="challenge")),
    ("choice", "a sorting", put(*FIRST_COLUMN, "sorting", to="descending")),
    ("choice", "a computation", both(
        put(*SECOND_COLUMN, "computation", to="median"), put(*SECOND_COLUMN, "computation_indexes", to=None))),
    ("email", "a name", put("contact_email", to="the organisers")),
    ("email", "no domain", put("contact_email", to="organisers@example")),
    ("queue", "a queue's name", put("queue", to="our queue")),
    ("docker-missing", "no image", drop("docker_image")),
    ("docker-unpinned", "no tag", put("docker_image", to="codalab/codalab-legacy")),
    ("docker-unpinned", "the latest", put("docker_image", to="registry.example.org:5000/codalab/legacy:latest")),
    ("docker-invalid", "a blank in it", put("docker_image", to="codalab/codalab-legacy: py312")),
    ("docker-invalid", "capitals", put("docker_image", to="Codalab/Legacy:py312")),
    ("docker-too-old", "Python 3.7", put("docker_image", to="codalab/codalab-legacy:py37")),
    ("file-missing", "no terms page", page("pages/terms.md", None)),
    ("file-missing", "no program", lambda draft: draft.zips.pop("ingestion_program.zip")),
    ("file-missing", "no solution", lambda draft: draft.zips.pop("solutions/baseline.zip")),
    ("file-missing", "no starting kit", lambda draft: draft.zips.pop("starting_kit.zip")),
    ("file-directory", "input data in a folder", both(
        _as_folder("input_data.zip", "input_data"), put("tasks", 1, "input_data", to="input_data/"))),
    ("file-whole-bundle", "an empty path", put("phases", 0, "starting_kit", to="")),
    ("file-whole-bundle", "a dot", put("phases", 1, "public_data", to="./")),
    ("file-path-outside", "a kit upwards", put("phases", 0, "starting_kit", to="../starting_kit.zip")),
    ("file-lone-script", "score.py alone", both(
        entry("score.py", SCORE), put("tasks", 0, "scoring_program", to="score.py"))),
    ("outside-bundle", "a stored data set", put(
        "phases", 0, "public_data", to="0b7c4a1e-7d36-4b58-9c0b-6c1d3f1c2a10")),
    ("outside-bundle", "a stored task", lambda draft: (
        draft.spec["tasks"].append({"index": 2, "key": "0b7c4a1e-7d36-4b58-9c0b-6c1d3f1c2a10"}),
        draft.spec["solutions"][0]["tasks"].append(2),
        put("phases", 0, "tasks", to=[2])(draft),
        draft.spec["tasks"].pop(0))[0]),
    ("outside-bundle", "a stored solution", add(
        "solutions", item={"index": 1, "tasks": [0], "key": "0b7c4a1e-7d36-4b58-9c0b-6c1d3f1c2a10"})),
    ("page-empty", "an empty page", page("pages/overview.md", b"")),
    ("page-empty", "blank terms", page("pages/terms.md", b" \n")),
    ("page-not-utf8", "a page in Latin-1", page("pages/overview.md", b"# \xdcberblick")),
    ("page-not-utf8", "terms in Latin-1", page("pages/terms.md", b"# Bedingungen f\xfcr alle")),
    ("page-relative-link", "an image beside the page", page("pages/overview.md", b"![curve](figures/curve.png)")),
    ("page-relative-link", "a link beside the page", page("pages/overview.md", b'<a href="terms.md">terms</a>')),
    ("page-sanitised", "a style", page("pages/overview.md", b'<p style="color: red">!</p>')),
    ("page-sanitised", "a script", page("pages/terms.md", b"<script>alert(1)</script>")),
    ("date-unquoted", "a start", text("'2027-01-11 00:00:00'", "2027-01-11 09:00:00")),
    ("date-unquoted", "an end with an offset", text("'2027-03-14 23:59:59'", "2027-03-14T23:59:59+02:00")),
    ("date-offset", "an offset", put("phases", 0, "start", to="2027-01-11 09:00:00+02:00")),
    ("date-offset", "a zone", put("phases", 0, "start", to="2027-01-11 09:00:00 CET")),
    ("date-ambiguous", "which is the month", put("phases", 0, "start", to="01/02/2027")),
    ("date-ambiguous", "with dots", put("phases", 0, "start", to="1.2.2027 12:00")),
    ("date-format", "a T and a Z", put("phases", 0, "start", to="2027-01-11T00:00:00Z")),
    ("date-format", "no seconds", put("phases", 0, "start", to="2027-01-11 09:30")),
    ("date-format", "no time", put("phases", 0, "start", to="2027-01-11")),
    ("date-format", "no time, unquoted", text("'2027-01-11 00:00:00'", "2027-01-11")),
    ("date-format", "the month spelt", put("phases", 0, "start", to="11 January 2027 9:00")),
    ("date-invalid", "not in the calendar", put("phases", 0, "start", to="2027-02-30 00:00:00")),
    ("date-invalid", "25 o'clock", put("phases", 0, "start", to="2027-01-11 25:00:00")),
    ("date-invalid", "in words", put("phases", 0, "start", to="next Monday")),
    ("date-invalid", "a number", put("phases", 0, "start", to=20270111)),
    ("task-index-duplicate", "an index twice", both(
        put("tasks", 0, "index", to=1), put("phases", 0, "tasks", to=[1]))),
    ("task-unknown", "a task that is not there", add("phases", 1, "tasks", item=7)),
    ("task-unused", "a task without a phase", both(
        put("phases", 0, "tasks", to=[1]))),
    ("reference-missing", "no reference", drop("tasks", 0, "reference_data")),
    ("ingestion-during-scoring", "the option", put("tasks", 0, "ingestion_only_during_scoring", to=True)),
    ("phase-index", "phases in another order", at(list.reverse, "phases")),
    ("phase-index", "one phase without", drop("phases", 1, "index")),
    ("phase-tasks-empty", "no task", lambda draft: (
        put("phases", 0, "tasks", to=[])(draft), draft.spec["tasks"].pop(0))[0]),
    ("phase-several-tasks", "two tasks", put("phases", 1, "tasks", to=[0, 1])),
    ("several-tasks-force", "two tasks, the last counts", both(
        put("phases", 1, "tasks", to=[0, 1]), put(*BOARD, "submission_rule", to="Force_Last"))),
    ("several-tasks-force", "two tasks, the least counts", both(
        put("phases", 1, "tasks", to=[0, 1]), put(*FIRST_COLUMN, "sorting", to="asc"),
        put(*FIRST_COLUMN, "key", to="effort"), put(*FIRST_COLUMN, "title", to="Effort"), _scores("effort", "error"))),
    ("phase-end-missing", "no end before a phase", drop("phases", 0, "end")),
    ("phase-end-missing", "a null end before a phase", put("phases", 0, "end", to=None)),
    ("phase-end-before-start", "the end before the start", put("phases", 1, "end", to="2027-02-28 00:00:00")),
    ("phase-end-before-start", "no time at all", put("phases", 1, "end", to="2027-03-01 00:00:00")),
    ("phase-overlap", "overlapping", put("phases", 0, "end", to="2027-03-02 00:00:00")),
    ("phase-overlap", "touching", put("phases", 0, "end", to="2027-03-01 00:00:00")),
    ("auto-migrate-first", "on the first phase", put("phases", 0, "auto_migrate_to_this_phase", to=True)),
    ("limit-unlimited", "none a day", put("phases", 0, "max_submissions_per_day", to=0)),
    ("limit-unlimited", "null in all", put("phases", 0, "max_submissions", to=None)),
    ("limit-negative", "below zero", put("phases", 0, "max_submissions", to=-1)),
    ("limit-negative", "a negative time", put("phases", 0, "execution_time_limit", to=-300)),
    ("limit-inconsistent", "more a day than in all", put("phases", 0, "max_submissions", to=5)),
    ("time-limit-default", "no time", put("phases", 0, "execution_time_limit", to=0)),
    ("hide-browser-only", "the output", put("phases", 1, "hide_output", to=True)),
    ("hide-browser-only", "the scores' file", put("phases", 1, "hide_score_output", to=True)),
    ("hide-browser-only", "the board", put(*BOARD, "hidden", to=True)),
    ("detailed-results-exposed", "hidden output", both(
        put("phases", 1, "hide_output", to=True), put("auto_run_submissions", to=False),
        _options(detailed_results=True))),
    ("detailed-results-exposed", "hidden output, no options", both(
        put("phases", 1, "hide_output", to=True), put("auto_run_submissions", to=False),
        inside("scoring_program.zip", options__json=None))),
    ("deciding-submissions", "four in all", put("phases", 1, "max_submissions", to=4)),
    ("deciding-submissions", "the default, a hundred", drop("phases", 1, "max_submissions")),
    ("development-short", "39 days", put("phases", 0, "start", to="2027-01-21 00:00:00")),
    ("development-short", "ten days, long before", put("phases", 0, "end", to="2027-01-20 23:59:59")),
    ("daily-default", "none a day in development", drop("phases", 0, "max_submissions_per_day")),
    ("kit-missing", "no kit", drop("phases", 0, "starting_kit")),
    ("submission-undescribed", "pages without a submission", lambda draft: draft.files.update(
        {name: b"Synthetic. Data licence: MIT.\n" for name in draft.files if name.endswith(".md")})),
    ("sorting-doubtful", "accuracy ascending", put(*FIRST_COLUMN, "sorting", to="asc")),
    ("sorting-doubtful", "an error rate descending", put(*SECOND_COLUMN, "sorting", to="desc")),
    ("sorting-inverted", "not as declared", _directions(accuracy="lower", error="lower")),
    ("review-window", "an endless last phase", put("phases", 1, "end", to=None)),
    ("review-window", "another phase on the next day", lambda draft: draft.spec["phases"].append(
        {**draft.spec["phases"][1], "index": 2, "name": "More", "start": "2027-03-15 00:00:00", "end": None})),
    ("phase-past", "a year that is over", both(
        put("phases", 0, "start", to="2025-01-11 00:00:00"), put("phases", 0, "end", to="2025-02-28 23:59:59"))),
    ("licence-missing", "none", lambda draft: draft.files.update(
        {name: b"Submit under the licence of the data.\n" for name in draft.files if name.endswith(".md")})),
    ("fact-sheet-keys", "a key missing", drop(*QUESTION, "is_on_leaderboard")),
    ("fact-sheet-keys", "a key too many", put(*QUESTION, "hint", to="x")),
    ("fact-sheet-keys", "no mapping", put(*QUESTION, to="Method?")),
    ("fact-sheet-key", "another key", put(*QUESTION, "key", to="methods")),
    ("fact-sheet-type", "a date", put(*QUESTION, "type", to="date")),
    ("fact-sheet-flag", "a boolean", put(*QUESTION, "is_required", to=True)),
    ("fact-sheet-flag", "a capital", put(*QUESTION, "is_on_leaderboard", to="True")),
    ("fact-sheet-selection", "nothing to select", put(*QUESTION, "selection", to="")),
    ("fact-sheet-selection", "a checkbox with texts", put(*QUESTION, "type", to="checkbox")),
    ("fact-sheet-selection", "a text with a list", put(*QUESTION, "type", to="text")),
    ("solution-task-unknown", "a task that is not there", put("solutions", 0, "tasks", to=[5])),
    ("solution-metadata", "metadata in a solution", inside("solutions/baseline.zip", metadata=b"command: x")),
    ("leaderboards-several", "two boards", lambda draft: draft.spec["leaderboards"].append(
        copy.deepcopy(draft.spec["leaderboards"][0]))),
    ("primary-index", "no such column", put(*BOARD, "primary_index", to=9)),
    ("primary-not-first", "the second column", both(
        put(*BOARD, "primary_index", to=1), _scores("error", "accuracy", "count"))),
    ("primary-hidden", "nobody sees it", put(*FIRST_COLUMN, "hidden", to=True)),
    ("submission-rule", "in lower case", put(*BOARD, "submission_rule", to="force_best")),
    ("submission-rule", "null", put(*BOARD, "submission_rule", to=None)),
    ("submission-rule-default", "none", drop(*BOARD, "submission_rule")),
    ("column-duplicate", "a key twice", put(*SECOND_COLUMN, "key", to="accuracy")),
    ("column-duplicate", "an index twice", put(*SECOND_COLUMN, "index", to=0)),
    ("column-index", "below zero", both(
        put(*FIRST_COLUMN, "index", to=-1), put(*BOARD, "primary_index", to=-1))),
    ("sorting-default", "none", drop(*SECOND_COLUMN, "sorting")),
    ("precision-default", "none", drop(*SECOND_COLUMN, "precision")),
    ("precision-range", "below zero", put(*FIRST_COLUMN, "precision", to=-1)),
    ("precision-range", "above ten", put(*FIRST_COLUMN, "precision", to=12)),
    ("computation", "of nothing", put(*SECOND_COLUMN, "computation", to="avg")),
    ("computation", "without a function", put(*SECOND_COLUMN, "computation_indexes", to=[0])),
    ("computation", "of itself", both(
        put(*SECOND_COLUMN, "computation", to="avg"), put(*SECOND_COLUMN, "computation_indexes", to=[0, 1]))),
    ("computation", "of a column that is not there", both(
        put(*SECOND_COLUMN, "computation", to="avg"), put(*SECOND_COLUMN, "computation_indexes", to=[0, 5]))),
    ("computation", "of a text, which is read letter by letter", both(
        put(*SECOND_COLUMN, "computation", to="avg"), put(*SECOND_COLUMN, "computation_indexes", to="0,0"))),
    ("column-not-scored", "a misspelt key", put(*SECOND_COLUMN, "key", to="eror")),
    ("primary-not-first-score", "another column first", both(
        put(*FIRST_COLUMN, "key", to="error"), put(*SECOND_COLUMN, "key", to="accuracy"))),
    ("program-metadata-missing", "no metadata", inside("scoring_program.zip", metadata__yaml=None)),
    ("program-metadata-missing", "no metadata for ingestion", inside("ingestion_program.zip", metadata__yaml=None)),
    ("program-metadata-invalid", "no mapping", inside("scoring_program.zip", metadata__yaml=b"python3 score.py")),
    ("program-metadata-invalid", "no YAML", inside("scoring_program.zip", metadata__yaml=b"command: [")),
    ("program-metadata-invalid", "no UTF-8", inside("scoring_program.zip", metadata__yaml=b"command: \xff")),
    ("program-command-missing", "a misspelt command", inside(
        "scoring_program.zip", metadata__yaml=b"comand: python3 x")),
    ("program-command-missing", "a list", inside(
        "scoring_program.zip", metadata__yaml=b"command: [python3, score.py]")),
    ("command-file", "a script that is not there", _command(
        "scoring_program.zip", "python3 /app/program/scores.py /app/input /app/output")),
    ("command-file", "a relative script that is not there", _command(
        "ingestion_program.zip", "python3 run.py /app/input_data /app/ingested_program /app/output")),
    ("command-path", "the submission's place during ingestion", _command(
        "scoring_program.zip", "python3 /app/program/score.py /app/ingested_program /app/output")),
    ("command-path", "reference data during ingestion", _command(
        "ingestion_program.zip", "python3 /app/program/ingest.py /app/input/ref /app/output")),
    ("command-path", "input data that the task lacks", drop("tasks", 0, "input_data")),
    ("command-variable", "variables", _command("scoring_program.zip", "python3 $program/score.py $input $output")),
    ("command-variable", "variables of ingestion", _command(
        "ingestion_program.zip", "python3 $ingestion_program/ingest.py $input $submission_program $predictions")),
    ("command-variable-unknown", "a misspelt variable", _command(
        "scoring_program.zip", "python3 /app/program/score.py $inputs /app/output")),
    ("command-shell", "two commands", _command(
        "scoring_program.zip", "pip install x && python3 /app/program/score.py /app/input /app/output")),
    ("command-shell", "a redirection", _command(
        "scoring_program.zip", "python3 /app/program/score.py /app/input /app/output > log.txt")),
    ("command-shell", "a quote left open", _command(
        "scoring_program.zip", "python3 '/app/program/score.py /app/input /app/output")),
    ("leak-file", "the reference as the starting kit", put("phases", 0, "starting_kit", to="reference_data.zip")),
    ("leak-file", "the reference in the shared program", inside("scoring_program.zip", gold__csv=REFERENCE)),
    ("leak-file", "the reference as a solution", inside("solutions/baseline.zip", gold__csv=REFERENCE)),
    ("leak-file", "the reference in the ingestion program", inside("ingestion_program.zip", gold__csv=REFERENCE)),
    ("leak-column", "the reference without its prompts as a solution", inside(
        "solutions/baseline.zip", predictions__csv=table("id,label", SHUFFLED))),
    ("leak-column", "a perfect solution", inside(
        "solutions/baseline.zip", predictions__csv=table("id,decision", RELABELLED))),
    ("page-large", "four megabytes of text", page("pages/overview.md", b"synthetic " * 400_001)),
    ("leak-column", "a table on a page", page("pages/overview.md", (
        "| item | kind |\n|---|---|\n" + "".join(f"| {name} | {label} |\n" for name, label in SHUFFLED)).encode())),
]  # fmt: skip

_CODALAB: list[tuple[str, str, Damage]] = [
    ("unknown-key", "a version", put("version", to="1.5")),
    ("unknown-key", "a key of Codabench", put("docker_image", to="codalab/codalab-legacy:py312")),
    ("unknown-key", "a misspelt key of a phase", put("phases", 1, "max_submission", to=3)),
    ("unknown-key", "an option that CodaLab's database lacks", put(
        "phases", 1, "ingestion_program_only_during_scoring", to=False)),
    ("unknown-key", "a misspelt key of a column", put(*COLUMNS, "error", "sorting", to="asc")),
    ("missing-key", "no page of data", drop("html", "data")),
    ("missing-key", "no leaderboard", drop("leaderboard")),
    ("missing-key", "a phase without a number", drop("phases", 1, "phasenumber")),
    ("missing-key", "a phase without a start", drop("phases", 1, "start_date")),
    ("missing-key", "a phase without a reference", drop("phases", 1, "reference_data")),
    ("missing-key", "a phase without a label", drop("phases", 1, "label")),
    ("missing-key", "no columns", drop("leaderboard", "columns")),
    ("missing-key", "a board without a rank", drop("leaderboard", "leaderboards", "RESULTS", "rank")),
    ("missing-key", "a column without a label", drop(*COLUMNS, "error", "label")),
    ("missing-key", "a column without a board", drop(*COLUMNS, "error", "leaderboard")),
    ("wrong-type", "a reward in words", put("reward", to="A book")),
    ("wrong-type", "a limit null", put("phases", 1, "max_submissions", to=None)),
    ("wrong-type", "a format in words", put(*COLUMNS, "error", "numeric_format", to="four")),
    ("wrong-type", "a page null", put("html", "data", to=None)),
    ("too-long", "the title", put("title", to="x" * 101)),
    ("too-long", "a phase's label", put("phases", 1, "label", to="x" * 51)),
    ("too-long", "a phase's description", put("phases", 1, "description", to="x" * 1001)),
    ("too-long", "a column's label", put(*COLUMNS, "error", "label", to="x" * 37)),
    ("too-long", "a column's key", both(
        put(*COLUMNS, "k" * 37, to={"leaderboard": {"label": "Results"}, "label": "K", "rank": 3, "sort": "asc",
                                    "numeric_format": 2}),
        _scores("accuracy", "error", "k" * 37))),
    ("choice", "a colour", put("phases", 1, "color", to="mauve")),
    ("choice", "a sorting", put(*COLUMNS, "error", "sort", to="ascending")),
    ("docker-missing", "no image", drop("competition_docker_image")),
    ("docker-unpinned", "no tag", put("competition_docker_image", to="codalab/codalab-legacy")),
    ("docker-too-old", "Python 3.7", put("competition_docker_image", to="codalab/codalab-legacy:py37")),
    ("yaml-shadowed", "another .yaml first", _first("extra.yaml")),
    ("yaml-extra", "another .yaml after", entry("extra.yaml.txt")),
    ("file-not-zip-name", "a folder", put("phases", 1, "starting_kit", to="starting_kit")),
    ("file-not-zip-name", "capitals", put("phases", 1, "starting_kit", to="starting_kit.ZIP")),
    ("file-missing", "a page", page("data.html", None)),
    ("file-missing", "a program", put("phases", 1, "ingestion_program", to="ingestion_program.zip")),
    ("file-missing", "a path with a dot", put("phases", 1, "starting_kit", to="./starting_kit.zip")),
    ("page-not-utf8", "a page in Latin-1", page("data.html", b"<p>\xfc</p>")),
    ("page-empty", "an empty page", page("terms.html", b"")),
    ("page-relative-link", "an image", page("data.html", b"<img src='curve.png'>")),
    ("date-unquoted-import", "a start", text("'2027-01-11 00:00:00'", "2027-01-11 09:00:00")),
    ("date-offset", "an offset", put("phases", 1, "start_date", to="2027-01-11 09:00:00+02:00")),
    ("date-invalid", "no time", put("phases", 1, "start_date", to="2027-01-11")),
    ("date-invalid", "the month spelt", put("phases", 1, "start_date", to="11 January 2027")),
    ("date-invalid", "slashes", put("end_date", to="14/03/2027")),
    ("date-format", "a T", put("phases", 1, "start_date", to="2027-01-11T00:00:00")),
    ("phase-index", "a number twice", both(
        put("phases", 2, "phasenumber", to=1))),
    ("phase-overlap", "the second starts first", put("phases", 2, "start_date", to="2027-01-01 00:00:00")),
    ("phase-overlap", "both at once", put("phases", 2, "start_date", to="2027-01-11 00:00:00")),
    ("phase-too-short", "half a day", lambda draft: draft.spec["phases"].update({
        2: {**draft.spec["phases"][1], "phasenumber": 2, "start_date": "2027-01-11 12:00:00"},
        3: {**draft.spec["phases"][2], "phasenumber": 3}})),
    ("phase-end-before-start", "the end before the last start", put("end_date", to="2027-02-01 00:00:00")),
    ("auto-migrate-first", "on the first phase", put("phases", 1, "auto_migration", to=True)),
    ("limit-none-allowed", "none a day", put("phases", 1, "max_submissions_per_day", to=0)),
    ("limit-none-allowed", "none in all", put("phases", 1, "max_submissions", to=0)),
    ("limit-negative", "below zero", put("phases", 1, "max_submissions", to=-1)),
    ("limit-inconsistent", "more a day than in all", put("phases", 1, "max_submissions_per_day", to=31)),
    ("deciding-submissions", "four in all", put("phases", 2, "max_submissions", to=4)),
    ("development-short", "39 days", put("phases", 1, "start_date", to="2027-01-21 00:00:00")),
    ("review-window", "no end", drop("end_date")),
    ("daily-default", "999 a day in development", both(
        drop("phases", 1, "max_submissions_per_day"), put("phases", 1, "max_submissions", to=500))),
    ("kit-missing", "no kit", both(drop("phases", 1, "starting_kit"), drop("phases", 2, "starting_kit"))),
    ("submission-undescribed", "pages without a submission", lambda draft: draft.files.update(
        {name: b"<p>Synthetic. Data licence: MIT.</p>\n" for name in draft.files if name.endswith(".html")})),
    ("sorting-doubtful", "accuracy ascending", put(*COLUMNS, "accuracy", "sort", to="asc")),
    ("sorting-inverted", "not as declared", _directions(accuracy="lower", error="lower")),
    ("licence-missing", "none", lambda draft: draft.files.update(
        {name: b"<p>Submit synthetic data.</p>\n" for name in draft.files if name.endswith(".html")})),
    ("hide-not-imported", "hidden results", put("phases", 2, "leaderboard_management_mode", to="hide_results")),
    ("time-limit-default", "no time", put("phases", 1, "execution_time_limit", to=0)),
    ("detailed-results-exposed", "hidden results", both(
        put("phases", 2, "leaderboard_management_mode", to="hide_results"), _options(detailed_results=True))),
    ("leaderboard-label", "another case", put(*COLUMNS, "error", "leaderboard", "label", to="results")),
    ("leaderboard-label", "a blank at the end, which CodaLab strips from one of the two", both(
        put("leaderboard", "leaderboards", "RESULTS", "label", to="Results "),
        put(*COLUMNS, "accuracy", "leaderboard", to={"label": "Results "}),
        put(*COLUMNS, "error", "leaderboard", to={"label": "Results "}))),
    ("leaderboard-no-column", "a second board", put(
        "leaderboard", "leaderboards", "MORE", to={"label": "More", "rank": 2})),
    ("column-rank", "a rank twice", put(*COLUMNS, "error", "rank", to=1)),
    ("column-rank", "a rank missing", drop(*COLUMNS, "error", "rank")),
    ("sorting-default", "none", drop(*COLUMNS, "error", "sort")),
    ("precision-default", "none", drop(*COLUMNS, "error", "numeric_format")),
    ("precision-range", "above ten", put(*COLUMNS, "error", "numeric_format", to=40)),
    ("primary-not-first-score", "ranks swapped", both(
        put(*COLUMNS, "accuracy", "rank", to=2), put(*COLUMNS, "error", "rank", to=1))),
    ("program-metadata-missing", "metadata.yaml alone", inside(
        "scoring_program.zip", metadata=None, metadata__yaml=b"command: python3 $program/score.py $input $output")),
    ("command-file", "a script that is not there", _command(
        "scoring_program.zip", "python3 $program/scores.py $input $output", "metadata")),
    ("command-file", "a script without its folder", _command(
        "scoring_program.zip", "python3 score.py $input $output", "metadata")),
    ("command-literal-path", "/app", _command(
        "scoring_program.zip", "python3 /app/program/score.py /app/input /app/output", "metadata")),
    ("command-spaces", "two spaces", _command(
        "scoring_program.zip", "python3  $program/score.py $input $output", "metadata")),
    ("command-variable-unknown", "Codabench's", _command(
        "scoring_program.zip", "python3 $program/score.py $input $submission_program", "metadata")),
    ("command-shell", "quotes", _command(
        "scoring_program.zip", "python3 '$program/score.py' $input $output", "metadata")),
    ("leak-file", "the reference among the assets", entry("assets/gold.csv", REFERENCE)),
]  # fmt: skip

DEFECTS = [
    Defect(platform, code, name, damage)
    for platform, table_of_defects in (
        ("codabench", _SHARED + _CODABENCH),
        ("codalab", _SHARED + _CODALAB),
    )
    for code, name, damage in table_of_defects
]
