"""Structured inputs for every target of `tests/tools/fuzz`: each ends in a score or a typed refusal.

The inputs are the same each time (hypothesis, derandomised). `make fuzz` searches further, byte by byte, guided by
coverage. Each input that either has found is a separate test below.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import time
from contextlib import suppress
from datetime import timedelta

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.bundle.rehearse.sandbox import run as run_limited
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.challenges import task_names
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.text import size_limit
from tests.samples.edits import ODD, WAYS, edited
from tests.samples.programs import ROOT, write_files
from tests.tools.fuzz.targets import MANIFEST, seeds, targets
from tests.tools.fuzz.workplace import Workplace

settings.register_profile(
    "fuzz",
    derandomize=True,
    database=None,
    deadline=timedelta(seconds=10),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
FUZZ = settings.get_profile("fuzz")


texts = st.text(max_size=6).map(lambda text: text.encode("utf-8", "replace"))
odd = st.one_of(st.sampled_from(ODD), st.binary(max_size=8), texts)
place = st.integers(0, 1 << 16)
edits = st.lists(st.tuples(st.sampled_from(WAYS), place, place, odd), min_size=1, max_size=4)


@pytest.fixture(scope="module")
def every_target():
    workplace = Workplace()
    yield targets(workplace)
    workplace.close()


FILES = [
    "output",
    "declared",
    "answer",
    "decode",
    "intake",
    "redirect",
    *(f"{kind}-{task}" for kind in ("score", "reference", "items") for task in task_names()),
]


@pytest.mark.parametrize(
    "name", ["manifest", *(pytest.param(name, marks=pytest.mark.thorough) for name in FILES)]
)
def test_files_that_are_nearly_right(every_target, name):
    target, good = every_target[name], seeds(name)

    good_end = "scored" if name.startswith("score") else "accepted"

    @settings(FUZZ, max_examples=30 if good_end == "scored" else 60)
    @given(st.integers(0, len(good) - 1), edits)
    def nearly_right(which, changes):
        # Keep the leading zero byte that selects the second file.
        seed = good[which % len(good)]
        mark = seed[:1] if seed[:1] == b"\0" else b""
        assert target(mark + edited(seed[len(mark) :], changes)) in ("scored", "accepted", "refused")

    assert {target(seed) for seed in good} == {good_end, *(["refused"] if name == "redirect" else [])}
    nearly_right()


ENTRIES = [
    *["results.csv", "a/results.csv", "../x", "/etc/x", "a/../../x", "C:/x", "a\\b", "/", "a/", "a", "a/b", ".", "é"],
    *["metadata", "__MACOSX/._x", ".DS_Store", "ingestion_report.txt"],
    *("", "\n", "x" * 300, "a/" * 300 + "x"),
]  # fmt: skip


VALUES = [
    *("psst_correctness", "f1", "higher", "2027-02-30 00:00:00", "0000-00-00 00:00:00", "../x", "a@b.c"),
    *("\ud800", "\x1b[31m", "1e999999999", "-1e-999999", "NaN", "Infinity", "https://[", "a.b.0"),
    *("x" * 300, "9" * 400, 10**400, 2**70, 1e308, -1e-308),
]
leaves = (st.none(), st.booleans(), st.builds(list), st.builds(dict))
leaves += (st.integers(-3, 10**12), st.floats(), st.text(max_size=6))
few = {"min_size": 1, "max_size": 3}
values = st.recursive(
    st.one_of(*leaves, st.sampled_from(VALUES)),
    lambda inner: st.lists(inner, **few) | st.dictionaries(st.text(max_size=4), inner, **few),
    max_leaves=4,
)


def keys_of(content):
    if isinstance(content, dict):
        return list(content)
    return range(len(content)) if isinstance(content, list) else ()


def places_of(content, here=()):
    """Yield every place in nested mappings and lists."""
    yield here
    for key in keys_of(content):
        yield from places_of(content[key], (*here, key))


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["output", "declared", "answer", "manifest"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_json_with_any_value_anywhere(every_target, monkeypatch, name, count):
    """What `rank` reads, the answers of a server that `fetch` and `amend` read, and a `competition.yaml`."""
    known = read_competitions(Sources(ROOT))
    monkeypatch.setattr("speechbundles.leaderboard.rank.read_competitions", lambda sources: known)
    read = yaml.safe_load if name == "manifest" else json.loads
    contents = [(seed[:1] * (seed[:1] == b"\0"), read(seed.lstrip(b"\0"))) for seed in seeds(name)]
    places = [list(places_of(content)) for _, content in contents]

    @settings(FUZZ, max_examples=min(count, 120) if name == "manifest" else count)
    @given(st.integers(0, 9), st.lists(st.tuples(place, values), min_size=1, max_size=3), st.booleans())
    def any_value_anywhere(which, changes, as_key):
        which %= len(contents)
        mark, content = contents[which]
        changed = copy.deepcopy(content)
        for where, value in changes:
            changed = put(changed, places[which][where % len(places[which])], value, as_key)
        text = yaml.safe_dump(changed, allow_unicode=True) if name == "manifest" else json.dumps(changed)
        assert every_target[name](mark + text.encode("utf-8", "replace")) in ("accepted", "refused")

    any_value_anywhere()


def put(content, where, value, as_key):
    """Return the content with a value, or the value as a key, at a place; unchanged if the place is absent."""
    if not where:
        return value
    holder = content
    for key in where[:-1]:
        if key not in keys_of(holder):
            return content
        holder = holder[key]
    last = where[-1]
    if isinstance(holder, dict) and as_key and last in holder:
        holder[value if value is None or isinstance(value, (str, int, float)) else "x"] = holder.pop(last)
    elif isinstance(holder, dict) or last in keys_of(holder):
        holder[last] = value
    return content


def test_folders_of_any_shape(tmp_path_factory):
    kinds = st.sampled_from(["file", "folder", "link", "pipe", "broken link", "folder with file"])
    plain = [name for name in ENTRIES if name.strip("./") and "/" not in name and len(name) < 99]
    names = st.sampled_from(plain)

    @settings(FUZZ, max_examples=80)
    @given(st.dictionaries(names, kinds, max_size=4), st.booleans(), st.booleans())
    def of_any_shape(tree, wrapped, after_ingestion):
        root = tmp_path_factory.mktemp("tree")
        folder = root / "inner" if wrapped else root
        folder.mkdir(exist_ok=True)
        for name, kind in tree.items():
            path = folder / name
            if kind == "file":
                path.write_bytes(b"x")
            elif kind == "pipe":
                os.mkfifo(path)
            elif "link" in kind:
                path.symlink_to("nowhere" if kind == "broken link" else "/")
            else:
                path.mkdir()
                if "with" in kind:
                    (path / "x").write_bytes(b"")
        with suppress(SubmissionError):
            files = list_files(root, after_ingestion=after_ingestion)
            assert all(path.is_file() and not path.is_symlink() for path in files.values())

    of_any_shape()


# Found by fuzzing


@pytest.fixture
def manifest_of(tmp_path):
    for name in ("competition.schema.json", "pages", "scoring_program"):
        (tmp_path / name).symlink_to(ROOT / name)

    def read(content: bytes) -> str:
        (tmp_path / "competition.yaml").write_bytes(content)
        began = time.process_time()
        with pytest.raises(OrganiserError) as refusal:
            read_competitions(Sources(tmp_path))
        assert time.process_time() - began < 20
        return str(refusal.value)

    return read


BILLION = b"a: &a [x, x, x, x, x, x, x, x, x]\n" + b"".join(
    b"%c: &%c [%s]\n" % (letter, letter, b", ".join([b"*%c" % (letter - 1)] * 9)) for letter in b"bcdefghi"
)
"""Aliases of aliases: 9^9 strings in nine lines. Visiting them takes minutes; printing them exhausts the memory."""


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (MANIFEST.replace(b"Overview", b"\x8bverview"), "line 8: byte 0x8b is not UTF-8"),
        (BILLION, "more than 20000 values, counting each repeat of an alias"),
        (MANIFEST.replace(b'"2027-03-01 00:00:00"', b"2027-13-41"), "month must be in 1..12"),
        (MANIFEST.replace(b"organiser:", b"7:"), "line 3: a key is not text; put it in quotes"),
        (MANIFEST.replace(b"organiser:", b"[x]:"), "a key is not text"),
        (MANIFEST.replace(b"terms.md", b"x" * 3000), "is too long"),
        (MANIFEST.replace(b"organisers@example.org", b"a@" + b"." * 100_000 + b"@"), "...; expected an address"),
    ],
    ids=["bytes", "aliases", "date", "key", "list-key", "path", "mail"],
)  # fmt: skip
@pytest.mark.thorough
def test_competition_yaml_is_refused_by_name(manifest_of, content, told):
    assert told in manifest_of(content)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "unit",
    [b"\n" * 999 + b"a", b"a b\n", b"a 0 " + b"9" * 125 + b"\n", b"a " * 32_000 + b"\n", b"a b c "],
    ids=["nothing but line ends", "short lines", "as many lines as are read", "long lines", "one line"],
)
def test_a_file_as_large_as_can_be_costs_less_than_a_gigabyte(tmp_path, unit):
    """The largest task has 49,239 segments, so 51 MB. Without limits on lines these took up to 14 GB and 4 minutes."""
    segments = "".join(f"r_{n % 154}.wav,a{n},{n}000,{n}900\n" for n in range(49_239))
    write_files(tmp_path / "items", {"segments.csv": "audio_name,utt_id,start,end\n" + segments})
    limit = size_limit(49_239)
    write_files(tmp_path / "submission", {"prediction.txt": unit * (limit // len(unit))})
    program = ROOT / "ingestion_program" / "merlion_identification" / "ingest.py"
    folders = [tmp_path / name for name in ("items", "submission", "output")]
    outcome = run_limited(
        [sys.executable, str(program), *map(str, folders)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        limits=Limits(60, memory_bytes=1 << 30, output_bytes=1 << 20),
    )
    assert (outcome.exit_code, outcome.why_stopped) == (1, None)
    assert outcome.stderr.startswith("prediction.txt: ")
