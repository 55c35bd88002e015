"""A clean bundle for each platform, made in memory of synthetic data, and every way to damage one.

A defect damages the clean bundle in one place; the check must then make exactly the finding that it names.
"""

from __future__ import annotations

import copy
import functools
import json
import operator
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from speechbundles.bundle.check.check import check_bundle
from speechbundles.model.finding import Finding
from spokeneval.kinds.declared import DECLARATION
from spokeneval.scoring.reference import fingerprint
from tests.samples.programs import packed, unzipped, write_files

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
            entries.append((name, content if isinstance(content, bytes) else packed(content)))
        data = packed([*entries, *self.after])
        for patch in self.patches:
            data = patch(data)
        return data

    def inner(self, name: str) -> dict[str, bytes]:
        content = self.zips[name]
        assert not isinstance(content, bytes)
        return dict(content)


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


def _data(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8"))


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
    return Draft(_data("clean_codabench"), {"logo.png": png(), **pages}, zips)


def codalab() -> Draft:
    """The smallest bundle of format 1.5 that has everything and no defect."""
    spec = _data("clean_codalab")
    pages = dict.fromkeys(spec["html"].values(), b"<p>Synthetic. Data licence: MIT. Upload a zip.</p>\n")
    metadata = b"command: python3 $program/score.py $input $output\n"
    return Draft(spec, {"logo.png": png(), **pages}, _inner_zips(("metadata", metadata)))


CLEAN = {"codabench": codabench, "codalab": codalab}


def evalai() -> Draft:
    """The smallest challenge bundle that has everything and no defect."""
    spec = _data("clean_evalai")
    text = b"<p>Synthetic. Data licence: MIT. Upload a zip.</p>\n"
    zips = _inner_zips(("evaluation.json", b'{"command": "python3 $program/score.py $input $output"}'))
    zips["evaluation_script.zip"] = zips.pop("scoring_program.zip")
    files = {"logo.png": png(), "page.html": text}
    return Draft(spec, files, zips, name="challenge_config.yaml")


EVERY = {**CLEAN, "evalai": evalai}
"""Those of CLEAN, whose files have keys in common, and the others."""
PATH = "platform/bundle.zip"


def findings_of(folder: Path, draft: Draft) -> list[Finding]:
    """Check a bundle, with what a build leaves beside it."""
    return check_bundle(write_files(folder, {**draft.beside, PATH: draft.build()}) / PATH)


# The damage

Damage = Callable[[Draft], object]


@dataclass(frozen=True)
class Defect:
    platform: str
    code: str
    name: str
    damage: Damage

    def draft(self) -> Draft:
        draft = copy.deepcopy(EVERY[self.platform]())
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
    ("not-a-zip", "a text under a zip's name", archive("reference_data.zip", b"synthetic text")),
    ("bundle-oversized", "unpacks to 2 GB", both(
        entry("zeros.bin"), patch(lambda data: _central(data, b"zeros.bin", 24, b"\xff\xff\xff\x7f")))),
    ("archive-oversized", "labels unpack to 2 GB", lambda draft: draft.zips.update({
        "reference_data_development.zip": _central(
            packed([("zeros.bin", b"0")]), b"zeros.bin", 24, b"\xff\xff\xff\x7f")})),
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
    ("entry-link", "a link", entry(_link("notes.txt"), b"/etc/hosts")),
    ("entry-link", "a link inside", lambda draft: draft.zips.update(
        {"starting_kit.zip": packed([("README.md", b"kit"), (_link("more.md"), b"README.md")])})),
    ("yaml-missing", "no competition.yaml", _rename("bundle.txt")),
    ("yaml-misnamed", "competition.yml", _rename("competition.yml")),
    ("yaml-misnamed", "Competition.yaml", _rename("Competition.yaml")),
    ("yaml-in-folder", "the folder was zipped", _wrap_bundle),
    ("yaml-not-utf8", "Latin-1", text("title: A", "title: \udce9 A")),
    ("yaml-invalid", "a list at the top", lambda draft: setattr(draft, "spec", ["title"])),
    ("missing-key", "no phases", lambda draft: draft.spec.pop("phases")),
    ("image-broken", "half a PNG", page("logo.png", png()[:40])),
    ("image-broken", "a PNG without a size", page("logo.png", png(0, 4))),
    ("image-broken", "half a JPEG", page("logo.png", b"\xff\xd8\xff\xe0\x00\x04ab")),
    ("image-shape", "a line", page("logo.png", png(201, 2))),
    ("data-empty", "an empty reference", archive("reference_data.zip", [])),
    ("data-empty", "an empty file in the reference", archive("reference_data.zip", [("reference.csv", b"")])),
    ("data-wrapped", "the reference's folder was zipped", _wrap("reference_data.zip")),
    ("archive-wrapped", "the program's folder was zipped", _wrap("scoring_program.zip")),
    ("program-syntax", "no Python", _score(b"import json", b"import import")),
    ("package-missing", "the package left out", inside_files("scoring_program.zip", {PACKAGE[0]: None})),
    ("package-missing", "a part of it imported", both(
        _score(b"import spokeneval", b"from spokeneval.scoring import scores"),
        inside_files("scoring_program.zip", {PACKAGE[0]: None}))),
    ("declaration-invalid", "an unknown kind", inside("scoring_program.zip", task__json=json.dumps(
        {**TASK, DECLARATION: {"kind": "transcript"}}).encode())),
    ("declaration-invalid", "no declaration", inside("scoring_program.zip", task__json=json.dumps(
        {**TASK, DECLARATION: "transcripts"}).encode())),
    ("score-not-written", "a declared key that the script does not write", _score(b'"error"', b'"err"')),
    ("leak-file", "the reference in the starting kit", inside("starting_kit.zip", gold__csv=REFERENCE)),
    ("leak-unsearched", "a hidden table of very many columns", inside("reference_data.zip", wide__csv=table(
        ",".join(f"c{number}" for number in range(1001)), [range(row, row + 1001) for row in range(9)]))),
    ("leak-unsearched-doubtful", "a file of no known form in the kit", inside("starting_kit.zip",
        model__bin=b"\x80\x05\x00\x00" * 9)),
    ("leak-id", "ids with the label", inside("reference_data.zip", more__csv=table(
        "id,label", [(f"{label}/{name}", label) for name, label in SHUFFLED]))),
    ("leak-id-doubtful", "ids with the label, without options", both(
        inside("scoring_program.zip", options__json=None), inside("reference_data.zip", more__csv=table(
            "id,label", [(f"{label}/{name}", label) for name, label in SHUFFLED])))),
    ("leak-file-doubtful", "the reference among the items, without options", both(
        inside("scoring_program.zip", options__json=None), inside("input_data.zip", gold__csv=REFERENCE))),
    ("leak-column-doubtful", "labels among the items, without options", both(
        inside("scoring_program.zip", options__json=None),
        inside("input_data.zip", items__csv=table("id,label", SHUFFLED)))),
    ("leak-column", "labels among the items", inside("input_data.zip", items__csv=table("id,label", SHUFFLED))),
    ("leak-order", "items sorted by label", inside("input_data.zip", items__csv=_items(SORTED))),
    ("leak-column", "sealed labels under another name", both(seal, inside(
        "starting_kit.zip", some__tsv=table("utterance,x", HIDDEN[20:], "\t")))),
    ("sealed-missing", "nothing beside the bundle", both(seal, lambda draft: draft.beside.clear())),
    ("home-missing", "labels at home, but not beside the bundle", both(keep_home, lambda draft: draft.beside.clear())),
    ("sealed-uploaded", "one row of labels at home, in a program", both(keep_home, inside(
        "scoring_program.zip", notes__csv=_reference(HIDDEN[30:31])))),
    ("sealed-uploaded", "the whole reference", both(seal, inside(
        "reference_data.zip", reference__csv=_reference(HIDDEN)))),
    ("sealed-uploaded", "one row, in a program", both(seal, inside(
        "scoring_program.zip", notes__csv=_reference(HIDDEN[30:31])))),
]  # fmt: skip


def _mend_outer(data: bytes, old: bytes, new: bytes) -> bytes:
    """Change bytes in an inner zip that is stored uncompressed, and write the outer zip anew around it."""
    return packed((name, inner.replace(old, new)) for name, inner in unzipped(data).items())


_CODABENCH: list[tuple[str, str, Damage]] = [
    ("too-long", "the image", put("docker_image", to="codalab/" + "x" * 120 + ":py312")),
    ("too-long", "a task's name", put("tasks", 0, "name", to="development" + "x" * 256)),
    ("file-missing", "no program", lambda draft: draft.zips.pop("ingestion_program.zip")),
    ("file-missing", "no solution", lambda draft: draft.zips.pop("solutions/baseline.zip")),
    ("file-missing", "no starting kit", lambda draft: draft.zips.pop("starting_kit.zip")),
    ("file-directory", "input data in a folder", both(
        _as_folder("input_data.zip", "input_data"), put("tasks", 1, "input_data", to="input_data"))),
    ("file-lone-script", "score.py alone", both(
        entry("score.py", SCORE), put("tasks", 0, "scoring_program", to="score.py"))),
    ("outside-bundle", "a stored task", lambda draft: (
        draft.spec["tasks"].append({"index": 2, "key": "0b7c4a1e-7d36-4b58-9c0b-6c1d3f1c2a10"}),
        draft.spec["solutions"][0]["tasks"].append(2),
        put("phases", 0, "tasks", to=[2])(draft),
        draft.spec["tasks"].pop(0))[0]),
    ("page-not-utf8", "a page in Latin-1", page("pages/overview.md", b"# \xdcberblick")),
    ("page-not-utf8", "terms in Latin-1", page("pages/terms.md", b"# Bedingungen f\xfcr alle")),
    ("phase-index", "phases in another order", at(list.reverse, "phases")),
    ("phase-tasks-empty", "no task", lambda draft: (
        put("phases", 0, "tasks", to=[])(draft), draft.spec["tasks"].pop(0))[0]),
    ("submission-undescribed", "pages without a submission", lambda draft: draft.files.update(
        {name: b"Synthetic. Data licence: MIT.\n" for name in draft.files if name.endswith(".md")})),
    ("review-window", "another phase on the next day", lambda draft: draft.spec["phases"].append(
        {**draft.spec["phases"][1], "index": 2, "name": "More", "start": "2027-03-15 00:00:00", "end": None})),
    ("licence-missing", "none", lambda draft: draft.files.update(
        {name: b"Submit under the licence of the data.\n" for name in draft.files if name.endswith(".md")})),
    ("leaderboards-several", "two boards", lambda draft: draft.spec["leaderboards"].append(
        copy.deepcopy(draft.spec["leaderboards"][0]))),
    ("program-metadata-invalid", "no UTF-8", inside("scoring_program.zip", metadata__yaml=b"command: \xff")),
    ("leak-file", "the reference in the shared program", inside("scoring_program.zip", gold__csv=REFERENCE)),
    ("leak-file", "the reference in the ingestion program", inside("ingestion_program.zip", gold__csv=REFERENCE)),
    ("leak-column", "a perfect solution", inside(
        "solutions/baseline.zip", predictions__csv=table("id,decision", RELABELLED))),
    ("page-large", "four megabytes of text", page("pages/overview.md", b"synthetic " * 400_001)),
    ("leak-column", "a table on a page", page("pages/overview.md", (
        "| item | kind |\n|---|---|\n" + "".join(f"| {name} | {label} |\n" for name, label in SHUFFLED)).encode())),
]  # fmt: skip

_CODALAB: list[tuple[str, str, Damage]] = [
    ("too-long", "a column's key", both(
        put("leaderboard", "columns", "k" * 37, to={
            "leaderboard": {"label": "Results"}, "label": "K", "rank": 3, "sort": "asc", "numeric_format": 2}),
        _scores("accuracy", "error", "k" * 37))),
    ("yaml-shadowed", "another .yaml first", _first("extra.yaml")),
    ("yaml-not-first", "after a page", _first("first.txt")),
    ("page-not-utf8", "a page in Latin-1", page("data.html", b"<p>\xfc</p>")),
    ("phase-too-short", "half a day", lambda draft: draft.spec["phases"].update({
        2: {**draft.spec["phases"][1], "phasenumber": 2, "start_date": "2027-01-11 12:00:00"},
        3: {**draft.spec["phases"][2], "phasenumber": 3}})),
    ("submission-undescribed", "pages without a submission", lambda draft: draft.files.update(
        {name: b"<p>Synthetic. Data licence: MIT.</p>\n" for name in draft.files if name.endswith(".html")})),
    ("licence-missing", "none", lambda draft: draft.files.update(
        {name: b"<p>Submit synthetic data.</p>\n" for name in draft.files if name.endswith(".html")})),
    ("leak-file", "the reference among the assets", entry("assets/gold.csv", REFERENCE)),
]  # fmt: skip


def _command(metadata: str, archive: str, command: str) -> Damage:
    return inside_files(archive, {metadata: f"command: {json.dumps(command)}\n".encode()})


def _place(path: str) -> list[Any]:
    return [int(part) if part.isdigit() else part for part in path.split("/")]


def _encoded(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


def _one(kind: str, platform: str, changes: Any) -> list[Damage]:
    """Make the damage of one kind that bundle_defects.yaml describes."""
    if kind == "drop":
        return [drop(*_place(path)) for path in ([changes] if isinstance(changes, str) else changes)]
    if kind == "entry":
        return [entry(name) for name in changes]
    if kind == "scores":
        return [_scores(*changes)]
    if kind in ("options", "directions"):
        return [{"options": _options, "directions": _directions}[kind](**changes)]
    metadata = "metadata" if platform == "codalab" else "metadata.yaml"
    make: Callable[[str, Any], Damage] = {
        "put": lambda path, value: put(*_place(path), to=value),
        "long": lambda path, length: put(*_place(path), to="x" * length),
        "add": lambda path, item: add(*_place(path), item=item),
        "text": text,
        "page": lambda name, content: page(name, _encoded(content)),
        "inside": lambda name, files: inside_files(name, {file: _encoded(files[file]) for file in files}),
        "command": functools.partial(_command, metadata),
        "folder": _as_folder,
    }[kind]
    return [make(key, value) for key, value in changes.items()]


def _described_damage(platform: str, kinds: Mapping[str, Any]) -> Damage:
    return both(*(one for kind, changes in kinds.items() for one in _one(kind, platform, changes)))


def harmless_changes() -> dict[str, tuple[str, Damage]]:
    """Read the changes of harmless_changes.yaml that no rule finds: `name -> (platform, change)`."""
    return {
        name: (platform, _described_damage(platform, kinds))
        for platform, changes in _data("harmless_changes").items()
        for name, kinds in changes.items()
    }


@dataclass(frozen=True)
class Form:
    """A bundle in the form of a public one, with the codes of its findings. `source`: the repository and its commit."""

    platform: str
    name: str
    source: str
    finds: set[str]
    draft: Draft


def foreign_bundles() -> Iterable[Form]:
    """Read foreign_bundles.yaml."""
    for platform, forms in _data("foreign_bundles").items():
        for name, form in forms.items():
            draft = copy.deepcopy(CLEAN[platform]())
            source, finds = form.pop("from"), set(form.pop("finds", ()))
            _described_damage(platform, form)(draft)
            yield Form(platform, name, source, finds, draft)


def _described() -> Iterable[Defect]:
    """Read the defects of bundle_defects.yaml; those under `shared` are of both platforms."""
    for section, codes in _data("bundle_defects").items():
        for platform in CLEAN if section == "shared" else [section]:
            for code, defects in codes.items():
                for name, kinds in defects.items():
                    yield Defect(platform, code, name, _described_damage(platform, kinds))


DEFECTS = [
    *(
        Defect(platform, code, name, damage)
        for platform, table_of_defects in (
            ("codabench", _SHARED + _CODABENCH),
            ("codalab", _SHARED + _CODALAB),
        )
        for code, name, damage in table_of_defects
    ),
    *_described(),
]
