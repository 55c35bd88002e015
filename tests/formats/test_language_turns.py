"""MERLion CCS, Task 2: what is read of labels, regions and turns, what is public, and each refusal in full words."""

from __future__ import annotations

import json

import pytest

from spokeneval.formats import language_turns
from spokeneval.formats.format import Items
from spokeneval.formats.language_turns import MOST_LINES, Submission
from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from tests.samples.programs import write_files

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


def read(folder, labels=LABELS, regions=REGIONS, header=HEADER):
    files = {"labels.csv": "\n".join([header, *labels]), "regions.csv": "\n".join(regions)}
    return language_turns.read_reference(write_files(folder, files))


def told(refusal):
    """The problems of a refusal: code, file, line, item, message."""
    problems = refusal.value.problems
    return [(problem.code, problem.file, problem.line, problem.item, problem.message) for problem in problems]


def refused_reference(folder, *changes, **choices):
    with pytest.raises(ReferenceFileError) as refusal:
        read(folder, *changes, **choices)
    return told(refusal)


def listed(parts):
    return [part.tolist() for part in parts]


def test_a_reference_holds_its_recordings_by_name(tmp_path):
    reference = read(tmp_path)
    assert reference.items == Items(("w", "x", "y"), latest=4096)
    assert reference.audio_names == ("w.wav", "x.wav", "y.wav")  # labels are asked first
    assert reference.speakers == ()
    assert [listed(turns) for turns in reference.turns] == [
        [[], []],
        [[[100, 900], [50, 80.5]], [[700, 1000]]],
        [[[0, 700]], [[900, 1500]]],
    ]
    assert listed(reference.regions) == [[[0, 5]], [[1500, 2500], [0, 1500]], [[0, 2000]]]
    assert listed(reference.excluded) == [[], [[900, 1500]], []]
    public = language_turns.public_files(reference, {})
    assert public == {
        "recordings.csv": b"audio_name\nw.wav\nx.wav\ny.wav\n",
        "times.json": b'{"latest_ms": 4096}\n',
    }
    assert language_turns.read_items(write_files(tmp_path / "input", public)) == reference.items
    assert language_turns.rows(tmp_path) == {
        "labels.csv": {2: "y", 3: "x", 4: "y", 5: "x", 6: "x", 7: "x", 8: "x"},
        "regions.csv": {1: "y", 2: "w", 3: "x", 4: "x"},
    }


def test_many_spans_keep_their_order(tmp_path):
    labels = [
        f"{'xy'[number % 2]}.wav,a{number},{number},{number + 10},English" for number in range(99, 0, -1)
    ]
    reference = read(tmp_path, labels, ["y,0,500", "x,0,500"])
    assert reference.turns[0][0][:, 0].tolist() == list(range(98, 0, -2))


def test_of_the_times_the_next_power_of_two_is_told(tmp_path):
    labels = ["x.wav,a,0,100,English"]
    for end, latest in (("0.5", 1), ("1", 1), ("1.5", 2), ("2", 2), ("4097", 8192)):
        assert read(tmp_path, labels, [f"x,0,{end}"]).items.latest == latest


def test_recordings_without_a_label_are_nobodys(tmp_path):
    labels = [f"{row},{'PQ'['y' in row]}" for row in LABELS]
    assert read(tmp_path, labels, header=HEADER + ",speaker").speakers == ("w", "P", "Q")
    nobody = [f"{row}," for row in LABELS]
    assert read(tmp_path, nobody, header=HEADER + ",speaker").speakers == ()


@pytest.mark.parametrize(
    "regions",
    [
        ["x,0,9", "y,0,9"],
        ["", "x,0,9", "y,0,9"],
        ["x.wav,0,9,more,and", "y.wav,0,9,,"],
        ["audio_name,start,end", "x,0,9", "y,0,9"],
        ["", "END,start,Audio_Name", "9,0,x", "9,0,y"],
    ],
)
def test_regions_may_have_a_header(tmp_path, regions):
    labels = ["x.wav,a,0,9,English", "y.wav,a,0,9,English"]
    assert listed(read(tmp_path, labels, regions).regions) == [[[0, 9]], [[0, 9]]]


@pytest.mark.parametrize("first", ["x,0", "x,0,soon", 'x,"0,9', "X", " "])
def test_a_first_row_without_two_times_is_a_header(tmp_path, first):
    (problem,) = refused_reference(tmp_path, LABELS, [first, "x,0,9"])
    assert problem[:4] == ("missing_column", "regions.csv", 1, None)


def test_regions_that_are_not_usable_are_told_with_labels_that_are_not(tmp_path):
    unusable = "expected a name without blanks, slashes, commas, quotation marks and invisible characters"
    labels, regions = ["x.wav,a,0,9,Noise"], ["x y,0,9", "x,9,0"]
    found = refused_reference(tmp_path, labels, regions)
    assert [problem[:3] for problem in found[:1]] == [("unknown_value", "labels.csv", 2)]
    bad_regions = [
        ("unusable_name", "regions.csv", 1, None, f"audio_name 'x y'; {unusable}"),
        ("empty_span", "regions.csv", 2, None, "end 0 is not after start 9"),
    ]
    assert found[1:] == bad_regions
    found = refused_reference(tmp_path, labels, regions, header="audio_name,utt_id,start,end,tag")
    assert [problem[:3] for problem in found[:1]] == [("missing_column", "labels.csv", 1)]
    assert found[1:] == bad_regions
    with pytest.raises(ReferenceFileError) as refusal:
        language_turns.rows(tmp_path / "nowhere")
    assert [problem[:2] for problem in told(refusal)] == [("unreadable_file", "regions.csv")]


def test_regions_lie_beside_each_other_and_every_labelled_recording_has_one(tmp_path):
    regions = ["y,0,2000", "x,100.5,1500", "x,0,200", "x,200,300", "y,2000,3000", "x,1500,1600"]
    assert refused_reference(tmp_path, [*LABELS, "z.wav,a,0,9,English", "z.wav,b,0,9,English"], regions) == [
        ("no_region", "labels.csv", 9, "z", "z has labels, but no evaluated region in regions.csv"),
        ("overlapping_regions", "regions.csv", 2, "x", "x: this region and the one up to 200 ms overlap"),
        ("overlapping_regions", "regions.csv", 4, "x", "x: this region and the one up to 1500 ms overlap"),
    ]


def test_some_of_a_recordings_speech_is_evaluated(tmp_path):
    labels = ["x.wav,a,100,900,English", "x.wav,b,900,1000,Mandarin", "y.wav,a,0,100,English"]
    words = "; expected times in milliseconds, here and in labels.csv"
    assert refused_reference(tmp_path, labels, ["x,0,100", "x,1000,2000", "y,100,200"]) == [
        (
            *("nothing_evaluated", "regions.csv", None, "x"),
            f"x: none of its 2 English or Mandarin segments lies in an evaluated region{words}",
        ),
        (
            *("nothing_evaluated", "regions.csv", None, "y"),
            f"y: none of its 1 English or Mandarin segment lies in an evaluated region{words}",
        ),
    ]
    for regions in (["x,0,101"], ["x,999,2000"], ["x,0,9", "x,9,19", "x,950,960"]):
        assert len(read(tmp_path, labels, [*regions, "y,0,9"]).items) == 2


PUBLIC = {"recordings.csv": "audio_name\nx.wav\ny.a.wav\n", "times.json": '{"latest_ms": 1}'}


@pytest.mark.parametrize("latest", [1, 2_000_000_000])
def test_public_items_are_the_recordings_and_a_time(tmp_path, latest):
    files = {**PUBLIC, "times.json": json.dumps({"latest_ms": latest})}
    items = language_turns.read_items(write_files(tmp_path, files))
    assert items == Items(("x", "y.a"), latest=latest)


@pytest.mark.parametrize(
    "times",
    [
        "",
        "[]",
        "{}",
        "[" * 9999,
        *(f'{{"latest_ms": {time}}}' for time in ("0", "2000000001", "9.0", "true")),
    ],
)
def test_a_time_that_is_none_is_refused(tmp_path, times):
    with pytest.raises(FileProblems) as refusal:
        language_turns.read_items(write_files(tmp_path, {**PUBLIC, "times.json": times}))
    assert type(refusal.value) is FileProblems
    assert told(refusal) == [
        ("bad_times", "times.json", None, None, "expected `latest_ms`, a number of milliseconds")
    ]


def test_public_files_that_cannot_be_read_are_refused_by_their_names(tmp_path):
    with pytest.raises(FileProblems, match=r"^times.json: 1 problem\n\n  is larger than 65536 bytes"):
        language_turns.read_items(write_files(tmp_path, {**PUBLIC, "times.json": " " * 65537}))
    with pytest.raises(FileProblems, match=r"^recordings.csv: 1 problem\n\n  line 1    no column audio_name"):
        language_turns.read_items(write_files(tmp_path, {"recordings.csv": "name\n"}))
    with pytest.raises(FileProblems, match=r"^recordings.csv: 1 problem\n\n  line 2    2 fields"):
        language_turns.read_items(write_files(tmp_path, {**PUBLIC, "recordings.csv": "audio_name\nx,y\n"}))


def submit(folder, latest=None, items=("x", "y"), **files) -> Submission:
    write_files(folder, {f"{name}.txt": content for name, content in files.items()})
    paths = {f"{name}.txt": folder / f"{name}.txt" for name in files}
    return language_turns.read_submission(paths, Items(items, latest=latest))


def refused(folder, **choices):
    with pytest.raises(SubmissionError) as refusal:
        submit(folder, **choices)
    return told(refusal)


def test_turns_are_rounded_to_whole_milliseconds_and_those_without_any_left_out(tmp_path):
    turns = "\n1.2 3.6 English\n\t5  1e1 Mandarin \n\n2.6 3.4 English\n0 0.4 Mandarin\n7 8 English\n"
    submission = submit(tmp_path, x=turns, y="\n")
    assert listed(submission.turns[0]) == [[[1, 4], [7, 8]], [[5, 10]]]
    assert [part.shape for part in submission.turns[1]] == [(0, 2), (0, 2)]
    assert language_turns.take(submission, [1, 0]).turns == submission.turns[::-1]


def test_every_line_that_is_no_turn_is_told(tmp_path):
    found = refused(
        tmp_path, x="5 4 English\n\n1 2\n1 2 english\n1,2,English\n1 2 English x\n", y="-1 2 English\n"
    )
    fields = "expected 3, separated by blanks: start, end, language"
    assert found == [
        ("wrong_field_count", "x.txt", 3, None, f"2 fields; {fields}"),
        ("wrong_field_count", "x.txt", 5, None, f"1 field; {fields}"),
        ("wrong_field_count", "x.txt", 6, None, f"4 fields; {fields}"),
        ("empty_span", "x.txt", 1, None, "end 4 is not after start 5"),
        ("unknown_language", "x.txt", 4, None, "language 'english'; expected 'English' or 'Mandarin'"),
        ("negative_time", "y.txt", 1, None, "start -1 is before the recording's beginning"),
    ]
    found = refused(tmp_path, x="1 2 English x\n", y="")
    assert found == [("wrong_field_count", "x.txt", 1, None, f"4 fields; {fields}")]


def test_files_are_one_to_a_recording_and_within_bounds(tmp_path):
    assert refused(tmp_path, z="", y="\0", items=("x", "y")) == [
        ("missing_file", "x.txt", None, None, "is missing"),
        ("unexpected_file", "z.txt", None, None, "is not part of a submission (2 files expected)"),
        ("nul_byte", "y.txt", 1, None, "a NUL byte; expected UTF-8 text (not UTF-16, not a binary file)"),
    ]
    assert len(submit(tmp_path, x="1 2 English" + "\n" * (MOST_LINES - 1), y="").turns) == 2
    words = "has 32769 lines, at most 32768 expected; join turns of one language that touch"
    found = refused(tmp_path, x="1 2 English" + "\n" * MOST_LINES, y="1 2 french")
    assert found[0] == ("file_too_large", "x.txt", None, None, words)
    assert [problem[0] for problem in found[1:]] == ["unknown_language"]
    words = "is larger than 1048576 bytes, far more than its items need"
    assert refused(tmp_path, x=" " * ((1 << 20) + 1), y="") == [
        ("file_too_large", "x.txt", None, None, words)
    ]


def test_turns_within_a_hundredth_of_the_latest_time_are_in_seconds(tmp_path):
    words = "all turns end within 9 ms, and recordings go on for up to 1000 ms; expected times in milliseconds, not in "
    turns = {"x": "0 9 English\n3 8 Mandarin\n", "y": "1 5 Mandarin\n"}
    assert refused(tmp_path, latest=1000, **turns) == [
        ("not_milliseconds", "", None, None, words + "seconds")
    ]
    for change in (
        {"latest": 1000, "y": "1 10 Mandarin\n"},
        {"latest": 900},
        {"latest": None},
        {"x": "", "y": ""},
    ):
        submit(tmp_path, **{"latest": 1000, **turns, **change})
