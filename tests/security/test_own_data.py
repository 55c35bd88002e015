"""Bundles of an organiser's own data contain nothing of the sample, and write nothing to the clone."""

import csv
import functools
import io
import json
import re
import tempfile
from pathlib import Path
from unittest import mock

import yaml

import build_bundle
from speechbundles.bundle.build.baseline import BaselineRuns
from speechbundles.bundle.build.plan import plan
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources
from spokeneval.challenges import task_names
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, unzipped

DATA = [path for pattern in ("reference_data/*/*/*", "starting_kit/*/data/*") for path in ROOT.glob(pattern)]
SHINGLE = 5
"""Number of consecutive words that identify a text."""


def words_of(text):
    return re.findall(r"[\w'-]+", text.lower())


def shingles(text):
    words = words_of(text)
    return {" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1)}


def cells(text):
    """Return the cells of a table below its header, or the lines of another text."""
    delimiter = "\t" if "\t" in text else ","
    _, *rows = csv.reader(io.StringIO(text), delimiter=delimiter)
    return {cell for row in rows for cell in row}


@functools.cache
def of_the_sample():
    """Return the names of the sample's items, and the sequences of `SHINGLE` words in its texts."""
    found = {cell for path in DATA for cell in cells(path.read_text(encoding="utf-8"))}
    names = {cell.lower() for cell in found if re.fullmatch(r"[\w.-]*\d[\w.-]*", cell) and len(cell) >= 5}
    numbers = {name for name in names if re.fullmatch(r"[\d.]+", name)}  # counts of frames or milliseconds
    return names - numbers, {shingle for cell in found for shingle in shingles(cell)}


def unpacked(name, content):
    """Yield the name and content of each file in a zip and in the zips inside it."""
    if not name.endswith(".zip"):
        yield name, content
        return
    for inner, data in unzipped(content).items():
        yield from unpacked(inner if inner.endswith(".zip") else f"{name}/{inner}", data)


def bundles_of_own_data():
    """Return every file of every bundle, `content -> place`, built from own data for all tasks.

    Baselines are not run here; the guide's test runs them.
    """
    with (
        tempfile.TemporaryDirectory() as place,
        mock.patch("speechbundles.bundle.build.kit.run_baseline", return_value=BaselineRuns()),
    ):
        folder = own_folder(Path(place, "own"), task_names())
        # Without an own grammar, the sample's must not be used instead.
        (folder / "starting_kit/spoken_call/data/grammar.xml").unlink()
        left_out = "  spoken_call:\n    leave_out: [baseline]\n    title:"
        settings = (folder / "competition.yaml").read_text(encoding="utf-8")
        settings = settings.replace("  spoken_call:\n    title:", left_out)
        (folder / "competition.yaml").write_text(settings, encoding="utf-8")
        planned = plan(Sources(ROOT, folder), [], {}, platforms=list(platforms()))
    assert len(planned.competitions) == 9
    files = {}
    for platform, value in platforms().items():
        render = value.part("write").render
        for competition in planned.competitions:
            parts, pages = planned.parts[competition.task], planned.pages[competition.name, platform]
            rendered = render(competition, parts, pages)
            for entry, content in rendered.items():
                for name, inner in unpacked(entry, content):
                    files.setdefault(inner, f"{platform}/{competition.name}/{name}")
    return files


def no_name_and_no_sentence_of_the_sample(bundles):
    names, texts = of_the_sample()
    assert len(names) > 3000
    assert len(texts) > 10_000
    found = {}
    for content, where in bundles.items():
        text = content.decode("utf-8", "replace")
        tokens = {token.strip(".").lower() for token in re.findall(r"[\w.-]+", text)}
        if traces := names & tokens | texts & shingles(text):
            found[where] = sorted(traces)[:5]
    assert found == {}, "\n".join(f"{where}: {traces}" for where, traces in found.items())


COUNTS = r"\b(740|260|1,?000 responses|1,?188|202|341|652|560|28 short recordings)\b"
"""Numbers of items in the sample's sets and classes, and of rows in its training data."""


def no_text_speaks_of_the_sample(bundles):
    pages = {where: content for content, where in bundles.items() if where.endswith((".md", ".html"))}
    texts = {where: content.decode() for where, content in pages.items()}
    assert len(texts) > 40
    speaking = re.compile(rf"(?i)\bsample\b|\bsynthetic\b|{COUNTS}")
    assert {where: speaking.findall(text) for where, text in texts.items() if speaking.search(text)} == {}


def settings_and_lists_are_an_organisers(bundles):
    """Settings that `competition.yaml` has for the sample, and the sizes of its sets, appear nowhere."""
    series = yaml.safe_load((ROOT / "competition.yaml").read_text(encoding="utf-8"))
    licence, contact = series["defaults"]["data_licence"], series["defaults"]["contact_email"]
    titles = [bundle["title"] for bundle in series["bundles"].values()]
    titles += [person[key] for person in series["defaults"]["about"]["organisers"] for key in person]
    titles.append(series["defaults"]["about"]["citation"])
    for content, where in bundles.items():
        text = content.decode("utf-8", "replace")
        assert not any(words in text for words in (licence, contact, *titles)), where
        if where.endswith("class_sizes.json"):
            assert sum(json.loads(text).values()) == 60


def test_nothing_of_the_sample_is_in_a_bundle_of_own_data():
    """One test, so that the bundles are built once: names and sentences, words about the sample, and settings."""
    bundles = bundles_of_own_data()
    no_name_and_no_sentence_of_the_sample(bundles)
    no_text_speaks_of_the_sample(bundles)
    settings_and_lists_are_an_organisers(bundles)


def test_nothing_of_an_organisers_data_is_written_into_the_clone(tmp_path):
    def clone():
        folders = ("reference_data", "starting_kit", "pages", "dist", "sealed")
        paths = [*ROOT.glob("*.*"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
        kept = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
        return {path: path.stat().st_mtime_ns for path in kept}

    before = clone()
    with mock.patch("speechbundles.bundle.build.kit.run_baseline", return_value=BaselineRuns()):
        folder = own_folder(tmp_path / "own", ["content_accuracy"])
        assert build_bundle.main(["build", "--competition", str(folder)]) == 0
    assert [path.name for path in folder.glob("dist/*/*")] == ["content_accuracy.zip"]
    assert clone() == before


def test_given_labels_stay_out_of_the_clone_unless_told_where_to(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert build_bundle.main(["build", f"--reference=content_accuracy={tmp_path}"]) == 1
    assert "--reference needs --out DIR here, a folder outside the clone" in capsys.readouterr().err
    for inside in (ROOT / "mine", ROOT):
        assert build_bundle.main(["init", str(inside), "content_accuracy"]) == 1
    assert not (ROOT / "mine").exists()
