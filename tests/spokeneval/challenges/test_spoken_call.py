"""Tests of Spoken CALL: the published table, the 50 % rule, sheets, the sample and the baseline."""

import re

import numpy as np
import pytest

from sample_data import spoken_call as sample
from spokeneval.challenges import spoken_call
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.format import Answers, Items
from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from spokeneval.formats.speakers import Units
from spokeneval.metrics import accept_reject as metrics
from spokeneval.scoring.reference import fingerprint
from tests.samples.programs import ROOT, encoded, run_program, run_score, write_files
from tests.samples.spoken_call import COLUMNS, TABLE_1, decided

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"
LABEL = {True: "correct", False: "incorrect"}
COUNTS = ("ca", "fr", "cr", "pfa", "gfa")


def gold(correct, meaningful):
    rows = [
        f"{i}\tFrag: Wasser\t{i}.wav\twater\twater\t{LABEL[bool(c)]}\t{LABEL[bool(m)]}\n"
        for i, (c, m) in enumerate(zip(correct, meaningful, strict=True), 1)
    ]
    return HEADER + "".join(rows)


def results(accepted):
    return "Id\tAccept\n" + "".join(
        f"{i}\t{'accept' if a else 'reject'}\n" for i, a in enumerate(accepted, 1)
    )


SMALL_GOLD = gold([1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0])


def score(folder, accepted, reference=SMALL_GOLD, options=None):
    return run_score(
        "spoken_call", folder, {"reference.csv": reference}, {"results.csv": results(accepted)}, options
    )


@pytest.mark.parametrize("row", TABLE_1)
def test_every_row_of_table_1_comes_out(tmp_path, row):
    counts, published = TABLE_1[row]
    correct, meaningful, accepted = decided(counts)
    run = score(tmp_path, accepted, gold(correct, meaningful))
    assert run.status == 0, run.stderr
    scores = dict(run.scores)
    if row == "JJJ":
        assert (scores["eligible"], scores["d_full"]) == (0, 0)
        scores["d_full"] = scores["d_full_raw"]
    assert " ".join(f"{scores[key]:.3f}" for key in COLUMNS) == published
    assert [scores[key] for key in COUNTS] == list(counts)


@pytest.mark.parametrize(
    ("accepted", "expected"),
    [
        # CA 2, FR 1, CR 2, PFA 0, GFA 1: sqrt(2 * 2 / (3 * 1)).
        ([1, 1, 0, 0, 0, 1], {"d_full": (4 / 3) ** 0.5, "ca": 2, "fr": 1, "cr": 2, "pfa": 0, "gfa": 1}),
        ([1] * 6, {"eligible": 0, "d_full": 0, "d_full_raw": 0, "precision": 3 / (3 + 1 + 3 * 2)}),
        ([0] * 6, {"eligible": 0, "precision": 0, "f_measure": 0}),
    ],
)
def test_scores_by_hand_are_never_infinite(tmp_path, accepted, expected):
    run = score(tmp_path, accepted)
    assert run.status == 0, run.stderr
    assert {key: run.scores[key] for key in expected} == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("public", [False, True])
def test_the_policy_reject_fails_a_run_that_breaks_the_rule(tmp_path, public):
    correct, meaningful, accepted = decided(TABLE_1["JJJ"][0])
    reference = gold(correct, meaningful)
    known = [fingerprint({"reference.csv": reference.encode()})] if public else []
    options = {"options": {"fifty_percent_rule": "reject"}, "public_references": known}
    run = score(tmp_path, accepted, reference, options)
    assert (run.status, run.scores) == (1, None)
    assert "breaks the 50 % rule" in run.stderr
    # The exact rates, 666 / 740 and 106 / 260, are shown if the labels are public.
    assert ("found 90.0 % and 40.8 %" in run.stderr) == public
    assert ("90.0" in run.stderr) == ("40.8" in run.stderr) == public
    correct, meaningful, accepted = decided(TABLE_1["GGG"][0])
    assert score(tmp_path / "met", accepted, gold(correct, meaningful), options).status == 0


def test_the_sample_grammar_on_transcriptions_gives_the_perfect_recognition_baseline():
    # Table 1, BaselinePerfectRec.
    good, lenient = sample._grammar()
    counts = dict.fromkeys(COUNTS, 0)
    for row in sample.make_sheet("evaluation"):
        accept = row["Transcription"] in good[row["Prompt"]] + lenient.get(row["Prompt"], [])
        if row["language"] == "correct":
            counts["ca" if accept else "fr"] += 1
        elif not accept:
            counts["cr"] += 1
        else:
            counts["pfa" if row["meaning"] == "correct" else "gfa"] += 1
    assert tuple(counts.values()) == TABLE_1["BaselinePerfectRec"][0]


def test_the_baseline_reads_a_grammar_in_which_a_prompt_occurs_twice(tmp_path):
    unit = "<prompt_unit><prompt>Frag: Wasser</prompt><response>{}</response></prompt_unit>"
    kit = write_files(
        tmp_path / "kit",
        {
            "baseline.py": (ROOT / "starting_kit/spoken_call/baseline.py").read_bytes(),
            "data/grammar.xml": f"<g>{unit.format('Water  please')}{unit.format('water')}</g>",
            "development/input/test_sheet.csv": "Id\tPrompt\tRecResult\n1\tFrag: Wasser\tWATER\n"
            "2\tFrag: Wasser\twater please\n3\tFrag: Wasser\tbeer\n4\tFrag: Bier\twater\n",
        },
    )
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    assert (kit / "out/results.csv").read_text() == "Id\tAccept\n1\taccept\n2\taccept\n3\treject\n4\treject\n"


def test_the_page_has_the_numbers_that_are_computed_with():
    assert (metrics.GROSS_WEIGHT, metrics.ZERO_COUNTS_AS, metrics.REQUIRED_PERCENT) == (3, 0.5, 50)
    page = (ROOT / "pages/spoken_call/evaluation.md").read_text(encoding="utf-8")
    for words in (
        "FA = PFA + 3 · GFA.",
        "it counts as ½ in D",
        "The 50 % rule.** You must reject at least half of",
    ):
        assert words in page


NAMES = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning"
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
        sheet(NAMES, *ROWS),
        sheet("", NAMES, *ROWS),
        sheet(" " + NAMES.upper().replace("\t", " \t"), *ROWS),
        sheet(*ROWS),
        sheet("", *ROWS),
        sheet(*WITHOUT_RECOGNITION),
        "".join("\t".join(f'"{field}"' for field in row.split("\t")) + "\n" for row in [NAMES, *ROWS]),
        "\ufeff" + sheet(NAMES, *ROWS).replace("\n", "\r\n"),
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


def test_what_is_public():
    answers = read(sheet(NAMES, *ROWS))
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
        return [
            (problem.code, problem.file, *re.findall(r"\d+", problem.message)) for problem in refusal.problems
        ]
    return []


def test_a_number_of_accepts_with_which_the_rule_cannot_be_met_is_refused():
    # Of 6 correct and 4 incorrect responses at least 3 must be accepted and 2 rejected.
    refused = [bool(possible(accepts, 10, 6, 4)) for accepts in range(11)]
    assert refused == [True] * 3 + [False] * 6 + [True] * 2
    assert possible(2, 10, 6, 4) == [("rule_out_of_reach", "results.csv", "2", "50", "50", "6")]
    assert possible(9, 10, 6, 4) == [("rule_out_of_reach", "results.csv", "1", "50", "50", "4")]
    assert len(possible(0, 0, 1, 1)) == 2


def test_answers_are_held_against_the_class_sizes_where_they_are_known():
    files = {"results.csv": b"Id\tAccept\n2\taccept\n1\treject\n"}
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
