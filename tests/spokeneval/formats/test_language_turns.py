"""Tests of the files of MERLIon CCS, Task 2: labels, regions, turns, public files, and the limits of refusals."""

from __future__ import annotations

import json

import pytest

from spokeneval.formats import language_turns
from spokeneval.formats.format import Items
from spokeneval.formats.problems import FileProblems, SubmissionError
from spokeneval.formats.turns import Submission, take
from tests.samples.programs import encoded

HEADER = "audio_name,utt_id,start,end,language_tag"
LABELS = [
    "y.wav,a,900,1500,Mandarin",
    "x.wav,a,100,900,English",
    "y.wav,b,0,700,English",
    "x.wav,b,50,80.5,English",
    "x.wav,c,900,1500,Non-Evaluated-Speech",
    "x.wav,d,700,1000,MANDARIN",
    "x.wav,e,10,30,Non-Speech",
]
REGIONS = ["y.mp3,0,2000", "w.wav,0,5", "x.wav,1500,2500", "x.wav,0,1500"]


def reference_files(labels=LABELS, regions=REGIONS, header=HEADER):
    return encoded({"labels.csv": "\n".join([header, *labels]), "regions.csv": "\n".join(regions)})


def read(*changes, **choices):
    return language_turns.read_reference(reference_files(*changes, **choices))


def told(refusal):
    """The code, file and line of each problem of a refusal."""
    return [(problem.code, problem.file, problem.line) for problem in refusal.value.problems]


def listed(parts):
    return [part.tolist() for part in parts]


def test_a_reference_holds_its_recordings_by_name():
    reference = read()
    assert reference.items == Items(("w", "x", "y"), latest=4096)
    assert reference.files == ["w.wav", "x.wav", "y.wav"]  # labels are asked first
    assert reference.units == ()
    assert [listed(turns) for turns in reference.turns] == [
        [[], []],
        [[[50, 80.5], [100, 900], [700, 1000]], [0, 0, 1]],
        [[[0, 700], [900, 1500]], [0, 1]],
    ]
    assert listed(reference.regions) == [[[0, 5]], [[0, 1500], [1500, 2500]], [[0, 2000]]]
    assert listed(reference.excluded) == [[], [[900, 1500]], []]
    public = language_turns.public_files(reference, {})
    assert public == {
        "recordings.csv": b"audio_name\nw.wav\nx.wav\ny.wav\n",
        "times.json": b'{"latest_ms": 4096}\n',
    }
    assert language_turns.read_items(encoded(public)) == reference.items
    assert language_turns.rows(reference_files()) == {
        "labels.csv": {2: "y", 3: "x", 4: "y", 5: "x", 6: "x", 7: "x", 8: "x"},
        "regions.csv": {1: "y", 2: "w", 3: "x", 4: "x"},
    }


def test_only_the_next_power_of_two_of_the_times_is_public():
    labels = ["x.wav,a,0,100,English"]
    for end, latest in (("0.5", 1), ("1", 1), ("1.5", 2), ("2", 2), ("4097", 8192)):
        assert read(labels, [f"x,0,{end}"]).items.latest == latest


def test_recordings_without_a_label_are_nobodys():
    labels = [f"{row},{'PQ'['y' in row]}" for row in LABELS]
    assert read(labels, header=HEADER + ",speaker").units == ["w", "P", "Q"]
    nobody = [f"{row}," for row in LABELS]
    assert read(nobody, header=HEADER + ",speaker").units == ()


@pytest.mark.parametrize(
    "regions",
    [
        ["", "x,0,9", "y,0,9"],
        ["x.wav,0,9,more,and", "y.wav,0,9,,"],
        ["audio_name,start,end", "x,0,9", "y,0,9"],
        ["", "END,start,Audio_Name", "9,0,x", "9,0,y"],
    ],
)
def test_regions_may_have_a_header(regions):
    labels = ["x.wav,a,0,9,English", "y.wav,a,0,9,English"]
    assert listed(read(labels, regions).regions) == [[[0, 9]], [[0, 9]]]


PUBLIC = {"recordings.csv": "audio_name\nx.wav\ny.a.wav\n"}


@pytest.mark.parametrize("latest", [1, 2_000_000_000])
def test_public_items_are_the_recordings_and_a_time(latest):
    files = {**PUBLIC, "times.json": json.dumps({"latest_ms": latest})}
    items = language_turns.read_items(encoded(files))
    assert items == Items(("x", "y.a"), latest=latest)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        *(
            ("times.json", times, "  expected `latest_ms`, a number of milliseconds")
            for times in ("", "[]", "{}", "[" * 9999)
        ),
        *(
            ("times.json", f'{{"latest_ms": {time}}}', "  expected `latest_ms`, a number of milliseconds")
            for time in ("0", "2000000001", "9.0", "true")
        ),
        ("times.json", " " * 65537, "  is larger than 65536 bytes"),
        ("recordings.csv", "name\n", "  line 1    no column audio_name"),
        ("recordings.csv", "audio_name\nx,y\n", "  line 2    2 fields"),
    ],
)
def test_public_files_that_cannot_be_read_are_refused_by_their_names(file, content, words):
    files = {**PUBLIC, "times.json": '{"latest_ms": 1}', file: content}
    with pytest.raises(FileProblems, match=f"^{file}: 1 problem\n\n{words}") as refusal:
        language_turns.read_items(encoded(files))
    assert type(refusal.value) is FileProblems


def submit(latest=None, items=("x", "y"), **files) -> Submission:
    submitted = encoded({f"{name}.txt": content for name, content in files.items()})
    return language_turns.read_submission(submitted, Items(items, latest=latest))


def refused(**choices):
    with pytest.raises(SubmissionError) as refusal:
        submit(**choices)
    return told(refusal)


def test_turns_are_rounded_to_whole_milliseconds_and_those_without_any_left_out():
    turns = "\n1.2 3.6 English\n\t5  1e1 Mandarin \n\n2.6 3.4 English\n0 0.4 Mandarin\n7 8 English\n"
    submission = submit(x=turns, y="\n")
    assert listed(submission.turns[0]) == [[[1, 4], [5, 10], [7, 8]], [0, 1, 0]]
    assert submission.turns[1].spans.shape == (0, 2)
    assert [len(labels) for _, labels in take(submission, [1, 0]).turns] == [0, 3]


def test_turns_within_a_hundredth_of_the_latest_time_are_in_seconds():
    turns = {"x": "0 9 English\n3 8 Mandarin\n", "y": "1 5 Mandarin\n", "latest": 1000}
    assert refused(**turns) == [("not_milliseconds", "", None)]
    for change in ({"y": "1 10 Mandarin\n"}, {"latest": 900}, {"latest": None}, {"x": "", "y": ""}):
        submit(**{**turns, **change})


def doubts(*ends, latest=131072):
    """The warnings of a submission whose recordings a, b, c, ... end at these times in ms; None: without turns."""
    files = {
        f"{name}.txt": "" if end is None else f"0 {end} English"
        for name, end in zip("abcdefghij", ends, strict=False)
    }
    items = Items(tuple("abcdefghij"[: len(ends)]), latest=latest)
    return language_turns.doubts(language_turns.read_submission(encoded(files), items), items)


@pytest.mark.parametrize(
    ("ends", "files"),
    [
        ((120_000, 131.2, 98_000, 125_000), "b.txt"),
        ((120_000, 131.2, 98_000, None, 97.8), "b.txt, e.txt"),
        ((120_000, 97.8), "b.txt"),
        ((120_000, 1.4, 98_000), ""),  # 1 ms may mark a recording without speech
        ((120_000, 1.6, 98_000), "b.txt"),
        ((120_000, 900, 98_000), ""),  # 900 s are longer than the longest recording: a short recording
        ((120_000, 132, 98_000), ""),
        ((120_000, None, 98_000, 0.3, 99_000), ""),
    ],
)
def test_single_files_in_seconds_are_warned_of(ends, files):
    found = doubts(*ends)
    assert [warning.partition(":")[0] for warning in found] == ([files] if files else [])


@pytest.mark.parametrize(
    ("ends", "warning"),
    [
        # 70 s at 16 kHz, where 131072 ms are the public time
        (
            (1_120_000, 960_000),
            "turns end at up to 1120000 ms, recordings at up to 131072 ms: are these samples ",
        ),
        (
            (12_000, 9_800),
            "turns end at up to 12000 ms, recordings at up to 131072 ms: are these centiseconds ",
        ),
        ((200_000, 98_000), ""),
        ((14_000, 9_800), ""),
        (
            (None, None),
            "no turns for any of the 2 recordings. That counts as an answer. Is the upload complete?",
        ),
        ((120_000, None), "no turns for 1 of 2 recordings, such as b. "),
        ((120_000, None, 98_000), ""),  # a recording may be without speech
        ((100_000,) * 10, "all turns are 'English'. Is it the right file?"),
        ((100_000,) * 9, ""),
    ],
)
def test_turns_in_another_unit_of_one_language_or_missing_are_warned_of(ends, warning):
    found = doubts(*ends)
    assert [line.startswith(warning) for line in found] == ([True] if warning else [])


def test_the_warning_gives_both_times_and_needs_a_known_latest_time():
    assert doubts(120_000, 131.2, 98_000) == [
        "b.txt: all turns end within 131 ms, but half of the files have turns after 98000 ms. Times are in "
        "milliseconds; are these in seconds?"
    ]
    assert doubts(120_000, 131.2, 98_000, latest=None) == []
    assert [bool(doubts(3000, end, 2500, latest=4096)) for end in (4, 5, 24)] == [True, False, False]
