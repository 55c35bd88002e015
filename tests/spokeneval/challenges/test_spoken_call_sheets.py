"""Tests of the sheets of Spoken CALL: reading, public columns, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.challenges import spoken_call
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.files import Files
from spokeneval.formats.format import Items
from spokeneval.formats.problems import FileProblems, Problems, ReferenceFileError, SubmissionError
from spokeneval.formats.sheets import Answers
from spokeneval.formats.speakers import Units
from tests.samples.programs import encoded

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning"
ROWS = [
    "1\tp\tuser-1_a.wav\tr\tt\tcorrect\tcorrect",
    "2\tp\tuser-2_b.wav\tr\tt\tincorrect\tcorrect",
    "3\tp\tuser-1_c.wav\tr\tt\tincorrect\tincorrect",
]


def sheet(*lines):
    return "".join(line + "\n" for line in lines)


def read(text) -> Answers:
    return TASK.format.read_reference(encoded({"reference.csv": text}))


def refused(text):
    with pytest.raises(ReferenceFileError) as refusal:
        read(text)
    return [(problem.code, problem.line) for problem in refusal.value.problems]


WITHOUT_RECOGNITION = ["\t".join([*row.split("\t")[:3], *row.split("\t")[4:]]) for row in ROWS]


@pytest.mark.parametrize(
    "text",
    [
        sheet(HEADER, *ROWS),
        sheet("", HEADER, *ROWS),
        sheet(" " + HEADER.upper().replace("\t", " \t"), *ROWS),
        sheet(*ROWS),
        sheet("", *ROWS),
        sheet(*WITHOUT_RECOGNITION),
        "".join("\t".join(f'"{field}"' for field in row.split("\t")) + "\n" for row in [HEADER, *ROWS]),
        "\ufeff" + sheet(HEADER, *ROWS).replace("\n", "\r\n"),
    ],
)
def test_sheets_with_and_without_a_header(text):
    answers = read(text)
    assert answers.items.ids == ("1", "2", "3")
    assert (answers["language"].tolist(), answers["meaning"].tolist()) == ([1, 0, 0], [1, 1, 0])
    assert answers.texts["Wavfile"] == ["user-1_a.wav", "user-2_b.wav", "user-1_c.wav"]
    assert answers.texts["Transcription"] == ["t"] * 3


def test_a_missing_header_is_detected_by_the_last_cell_of_the_first_row():
    last_first = sheet(ROWS[2], ROWS[0], ROWS[1])
    assert read(last_first).items.ids == ("3", "1", "2")
    assert refused(sheet(ROWS[0] + "ly"))[0][0] == "missing_column"
    assert refused(sheet("x\t" + ROWS[0]))[0][0] == "missing_column"
    assert refused('"' + sheet(*ROWS))[0][0] == "missing_column"


def test_a_header_is_one_whatever_its_last_column_is_called():
    text = sheet(
        "ID\tlanguage\tmeaning\tx\ty\tcorrect", "1\tcorrect\tcorrect\t\t\t", "2\tincorrect\tcorrect\t\t\t"
    )
    assert read(text).items.ids == ("1", "2")


def test_a_header_in_mid_file_is_named_and_left_out():
    text = sheet(
        "", HEADER, ROWS[0], HEADER.upper(), *ROWS[1:], "id\tLanguage", "id\tp\tw\tr\tt\tcorrect\tcorrect"
    )
    assert refused(text) == [("stray_header", 4), ("stray_header", 7)]
    problems = Problems(ReferenceFileError)
    table = spoken_call.read_rows(encoded({"reference.csv": text}), problems)
    assert (table.ids, table.lines) == (["1", "2", "3", "id"], [3, 5, 6, 8])
    assert refused(sheet(*ROWS, HEADER)) == [("stray_header", 4)]


def test_what_is_public():
    answers = read(sheet(HEADER, *ROWS))
    items = b"Id\tPrompt\tWavfile\tRecResult\n1\tp\tuser-1_a.wav\tr\n2\tp\tuser-2_b.wav\tr\n3\tp\tuser-1_c.wav\tr\n"
    sizes = b'{"correct": 1, "incorrect": 2}\n'
    assert TASK.format.public_files(answers, {}) == {"test_sheet.csv": items}
    assert TASK.format.public_files(answers, {"class_sizes": "hidden"}) == {"test_sheet.csv": items}
    public = TASK.format.public_files(answers, {"class_sizes": "public"})
    assert public == {"test_sheet.csv": items, "class_sizes.json": sizes}
    assert TASK.format.read_items(public) == Items(("1", "2", "3"), {"correct": 1, "incorrect": 2})
    assert TASK.format.read_items({"test_sheet.csv": items}) == Items(("1", "2", "3"))


@pytest.mark.parametrize(
    "sizes",
    [
        *("", "[]", "{}", '{"correct": 1}', "[" * 9999, '{"correct": 1, "incorrect": 1}' + " " * (1 << 16)),
        *(
            f'{{"correct": {correct}, "incorrect": {incorrect}}}'
            for correct, incorrect in (("1", "2.0"), ("true", "2"))
        ),
    ],
)
def test_class_sizes_that_are_none_are_refused(sizes):
    files = encoded({"test_sheet.csv": "Id\n1\n2\n", "class_sizes.json": sizes})
    words = (
        "is larger than 65536 bytes"
        if len(sizes) > 65536
        else "expected the numbers of correct and incorrect"
    )
    with pytest.raises(FileProblems, match=rf"^class_sizes.json: 1 problem\n\n  {words}"):
        TASK.format.read_items(files)


def possible(accepts, of, correct, incorrect):
    submission = Answers(Items(tuple(map(str, range(of)))), {"Accept": np.arange(of) < accepts})
    try:
        spoken_call.require_possible(submission, {"correct": correct, "incorrect": incorrect})
    except SubmissionError as refusal:
        return [(problem.code, problem.file, problem.message) for problem in refusal.problems]
    return []


def test_a_number_of_accepts_with_which_the_rule_cannot_be_met_is_refused():
    # Of 6 correct and 4 incorrect responses at least 3 must be accepted and 2 rejected.
    assert [bool(possible(accepts, 10, 6, 4)) for accepts in range(11)] == [True] * 3 + [False] * 6 + [
        True
    ] * 2
    words = (
        "2 responses are accepted; the 50 % rule requires at least 50 % of the 6 correct ones to be accepted"
    )
    assert possible(2, 10, 6, 4) == [("rule_out_of_reach", "results.csv", words)]
    words = (
        "1 response is rejected; the 50 % rule requires at least 50 % of the 4 incorrect ones to be rejected"
    )
    assert possible(9, 10, 6, 4) == [("rule_out_of_reach", "results.csv", words)]
    assert len(possible(0, 0, 1, 1)) == 2


def test_answers_are_held_against_the_class_sizes_where_they_are_known():
    files = Files({"results.csv": b"Id\tAccept\n2\taccept\n1\treject\n"})
    items = Items(("1", "2"))
    assert TASK.format.read_submission(files, items)["Accept"].tolist() == [0, 1]
    sizes = {"correct": 4, "incorrect": 1}
    with pytest.raises(SubmissionError, match="the 4 correct ones"):
        TASK.format.read_submission(files, Items(("1", "2"), sizes))


def answers_of(names, speakers=()):
    texts = {"Wavfile": names} if names else {}
    texts.update({"speaker": list(speakers)} if speakers else {})
    return Answers(Items(("1", "2")), {}, texts)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (answers_of(["a/user-07_x.wav", "user-7.wav"]), Units("speaker", {"1": "user-07", "2": "user-7"})),
        (answers_of(["user-1.wav", "user-.wav"]), Units("response", {"1": "1", "2": "2"})),
        (answers_of([]), Units("response", {"1": "1", "2": "2"})),
        (answers_of(["user-1.wav", "user-2.wav"], "AB"), Units("speaker", {"1": "A", "2": "B"})),
        (
            answers_of(["user-1.wav", "user-2.wav"], ("", "")),
            Units("speaker", {"1": "user-1", "2": "user-2"}),
        ),
    ],
)
def test_speakers_are_those_of_their_column_or_of_the_recordings_names(answers, expected):
    assert spoken_call.units(answers) == expected


def test_decisions_are_counted_by_response():
    reference = Answers(
        Items(("1", "2", "3", "4")), {"language": np.array([1, 1, 0, 0]), "meaning": np.array([1, 1, 1, 0])}
    )
    counts = spoken_call.count(reference, Answers(reference.items, {"Accept": np.array([1, 0, 1, 1])}))
    assert list(counts) == ["decisions"]
    fields = [
        "correct_accepts",
        "false_rejects",
        "plain_false_accepts",
        "gross_false_accepts",
        "correct_rejects",
    ]
    found = [getattr(counts["decisions"], field).tolist() for field in fields]
    assert found == [*np.eye(4, dtype=int).tolist(), [0] * 4]
