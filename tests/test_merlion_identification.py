"""MERLion CCS, Task 1, end to end: worked scores, every refusal, the built bundles, the starting kit."""

import random
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from bundling.archive import make_zip
from bundling.build import plan, write
from bundling.rehearsal import rehearse
from sample_data import merlion as sample
from spokeneval.submissions import merlion_identification as reader
from spokeneval.submissions.files import decimal, decimals
from spokeneval.submissions.folder import list_files
from spokeneval.submissions.problems import ReferenceFileError, SubmissionError
from spokeneval.submissions.tables import split_fields
from tests.support import ROOT, run_program, run_score, write_files

TASK = "merlion_identification"
HEADER = "audio_name,utt_id,start,end,length,language_tag,overlap_diff_lang,dev_eval_status\n"


def labels(*rows):
    """Rows `recording, utt_id, start, end, tag` or with an overlap flag as the sixth."""
    text = HEADER
    for recording, utterance, start, end, tag, *flag in rows:
        text += f"{recording}.wav,{utterance},{start},{end},{end - start},{tag},{(flag or ['False'])[0]},Evaluation\n"
    return text


GOLD = labels(
    ("x_1", "a1", 100, 900, "English"),
    ("x_1", "a2", 900, 1500, "NON_SPEECH"),
    ("x_1", "a3", 1500, 2000, "Mandarin"),
    ("x_1", "a4", 1900, 2500, "English", "True"),
    ("y_1", "a1", 0, 700, "Non-Evaluated-Speech"),
    ("y_1", "a2", 700, 1200, "Mandarin", "FALSE"),
    ("y_1", "a3", 1200, 2200, "English", "false"),
    ("y_1", "a10", 2200, 2900, "English"),
)
IDS = ("x_1_a1_100_900", "x_1_a3_1500_2000", "y_1_a2_700_1200", "y_1_a3_1200_2200", "y_1_a10_2200_2900")
SCORES = ((0.9, 0.1), (0.2, 0.7), (0.6, 0.3), (0.8, 0.4), (0.5, 0.5))
ONE = "".join(f"{item} {english} {mandarin}\n" for item, (english, mandarin) in zip(IDS, SCORES, strict=True))
TWO = "".join(f"{item} 0 {e}\n{item} 1 {m}\n" for item, (e, m) in zip(IDS, SCORES, strict=True))
ITEMS = reader.Items(IDS)


def score(folder, gold, prediction):
    return run_score(TASK, folder, {"labels.csv": gold}, {"prediction.txt": prediction})


def read(folder, prediction, items=ITEMS):
    write_files(folder, {"prediction.txt": prediction})
    return reader.read_submission(list_files(folder), items)


def test_every_column_of_a_small_set_by_hand(tmp_path):
    # Trials pooled: targets .9 .8 .7 .5 .3, nontargets .6 .5 .4 .2 .1. Points (false alarm, miss): (0, .4) above .6,
    # (.4, .2) from .5 on, (.6, 0) from .3 on. (.4, .2) lies above the line from (0, .4) to (.6, 0), where miss = false
    # alarm at x = .4 - x / 1.5, x = .24.
    # One trial a segment: English .8 .4 0, Mandarin .3 -.5. Points (0, 1/3) above .3, (1/2, 1/3) from .3 on, (1/2, 0)
    # from 0 on. The line from (0, 1/3) to (1/2, 0): x = 1/3 - 2x/3, x = .2. Through all points: x = 1/3.
    for name, prediction in (("one", ONE), ("two", TWO)):
        run = score(tmp_path / name, GOLD, prediction)
        assert run.status == 0, run.stderr
        expected = {
            "eer": 24,
            "balanced_accuracy": 75,  # English 3 of 3 (a tie is English), Mandarin 1 of 2
            "eer_plan": 20,
            "eer_interpolated": 100 / 3,
            "balanced_accuracy_per_recording": 75,  # x 1, y (1 + 0) / 2
            "english_recall": 100,
            "mandarin_recall": 50,
        }
        assert list(run.scores)[: len(expected)] == list(expected)
        found = [run.scores[key] for key in expected]
        np.testing.assert_allclose(found, list(expected.values()), rtol=0, atol=1e-12)


# The worked score lists of the task's specification, with the two EERs as fractions.
EER_CASES = {
    "no ties, 4 v 4": ("0.9 0.8 0.4 0.3", "0.7 0.5 0.2 0.1", 1 / 4, 1 / 2),
    "ties, 6 v 6": ("0.9 0.8 0.6 0.5 0.5 0.4", "0.6 0.5 0.5 0.3 0.2 0.1", 2 / 7, 1 / 3),
    "perfect": ("2 3 4", "-1 0 1", 0, 0),
    "reversed": ("-1 0 1", "2 3 4", 1 / 2, 1),
    "all tied": ("1 1 1", "1 1", 1 / 2, 1 / 2),
    "3 v 7": ("0.9 0.55 0.2", "0.8 0.5 0.45 0.4 0.3 0.15 0.1", 5 / 19, 1 / 3),
    "5 v 3, ties": ("3 2 2 1 1", "2 1 0", 4 / 11, 4 / 11),
    "2 v 3": ("0.6 0.2", "0.5 0.4 0.1", 2 / 7, 1 / 2),
}


@pytest.mark.parametrize("case", EER_CASES)
def test_the_worked_eers_come_out_of_the_program(tmp_path, case):
    targets, nontargets, rocch, interpolated = EER_CASES[case]
    rows, lines = [], []
    for tag, scores in (("English", targets.split()), ("Mandarin", nontargets.split())):
        for value in scores:
            number = len(rows)
            rows.append(("x", f"a{number}", 100 * number, 100 * number + 50, tag))
            lines.append(f"x_a{number}_{100 * number}_{100 * number + 50} {value} 0\n")
    run = score(tmp_path, labels(*rows), "".join(lines))
    found = [run.scores["eer_plan"], run.scores["eer_interpolated"]]
    np.testing.assert_allclose(found, [100 * rocch, 100 * interpolated], rtol=0, atol=1e-12)


def test_the_pooled_eer_of_the_worked_lists(tmp_path):
    for case, (targets, nontargets, rocch, _) in EER_CASES.items():
        pairs = list(zip(targets.split(), nontargets.split(), strict=False))
        if len(targets.split()) != len(nontargets.split()):
            continue
        # A segment has one target and one nontarget trial, whatever its language.
        rows = [("x", f"a{i}", 9 * i, 9 * i + 5, ("English", "Mandarin")[i % 2]) for i in range(len(pairs))]
        lines = [
            f"x_a{i}_{9 * i}_{9 * i + 5} {' '.join(pair[:: (1, -1)[i % 2]])}\n"
            for i, pair in enumerate(pairs)
        ]
        run = score(tmp_path / case.replace(" ", ""), labels(*rows), "".join(lines))
        assert run.scores["eer"] == pytest.approx(100 * rocch, rel=0, abs=1e-12)


def test_exact_doubles_decide(tmp_path):
    gold = labels(("x", "a1", 0, 9, "English"), ("x", "a2", 9, 19, "Mandarin"))
    run = score(tmp_path, gold, "x_a1_0_9 1e300 -1e300\nx_a2_9_19 1e-300 1.0000000000000002e-300\n")
    assert (run.scores["balanced_accuracy"], run.scores["eer_plan"]) == (100, 0)
    run = score(tmp_path, gold, "x_a1_0_9 1.7e308 -1.7e308\nx_a2_9_19 -0.0 0\n")
    assert run.scores["mandarin_recall"] == 0  # a tie is English


def test_without_a_recording_of_both_languages_the_pooled_accuracy_stands_in(tmp_path):
    gold = labels(("x", "a1", 0, 9, "English"), ("y", "a1", 0, 9, "Mandarin"), ("y", "a2", 9, 19, "Mandarin"))
    run = score(tmp_path, gold, "x_a1_0_9 1 0\ny_a1_0_9 1 0\ny_a2_9_19 0 1\n")
    assert run.scores["balanced_accuracy_per_recording"] == run.scores["balanced_accuracy"] == 75


def test_items_are_the_scored_segments_in_the_labels_order(tmp_path):
    write_files(tmp_path, {"labels.csv": GOLD})
    reference = reader.read_reference(tmp_path)
    assert reference.items.ids == IDS
    assert reference.is_english.tolist() == [True, False, False, True, True]
    assert reference.recordings.tolist() == [0, 0, 1, 1, 1]
    public = reader.public_items(reference, {})
    assert public["segments.csv"].decode().splitlines()[:3] == [
        "audio_name,utt_id,start,end",
        "x_1.wav,a1,100,900",
        "x_1.wav,a3,1500,2000",
    ]
    assert list(public) == ["segments.csv"]
    write_files(tmp_path / "input", public)
    assert reader.read_items(tmp_path / "input") == reference.items


def test_underscores_in_names_do_not_blur_the_parts_of_an_id(tmp_path):
    rows = (("x_1", "a_1", "0.5", "10", "English"), ("x", "1_a_2", "1e1", "20.50", "Mandarin"))
    gold = HEADER + "".join(
        f"{r}.wav,{u},{s},{e},{float(e) - float(s)},{tag},False,\n" for r, u, s, e, tag in rows
    )
    reference = reader.read_reference(write_files(tmp_path / "ref", {"labels.csv": gold}))
    public = reader.public_items(reference, {})
    assert (
        public["segments.csv"] == b"audio_name,utt_id,start,end\nx_1.wav,a_1,0.5,10\nx.wav,1_a_2,1e1,20.50\n"
    )
    assert reader.read_items(write_files(tmp_path / "items", public)) == reference.items


OFFICIAL = "TTS_P91182TT_VCST_ECxxx_01_AO_48503281_v001_R004_CRR_MERLion-CCS"


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (f"{HEADER}{OFFICIAL}.wav,a1,1170,2750,1580,English,False,Development\n", "a1_1170_2750"),
        (f"{HEADER}{OFFICIAL}.wav,a1,1170.0,2750.5,1580.5,English,FALSE,\n", "a1_1170.0_2750.5"),
        (
            f"audio_name,utt_id,start,end,length,language_tag\n{OFFICIAL}.wav,a1,1170,2750,1580,English\n",
            "a1_1170_2750",
        ),
        (
            f"\ufeffAudio_name,UTT_ID,start,end,language_tag\r\n{OFFICIAL}.wav,a1,1170,2750,English\r\n",
            "a1_1170_2750",
        ),
    ],
    ids=["as distributed", "fractions", "without the last two columns", "BOM, CRLF, capitals, no length"],
)
def test_labels_drop_in_unchanged_and_give_the_plans_id(tmp_path, text, last):
    rest = text.splitlines()[1].replace("a1,", "b1,").replace("English", "Mandarin")
    write_files(tmp_path, {"labels.csv": (text + rest + "\n").encode()})
    assert reader.read_reference(tmp_path).items.ids[0] == f"{OFFICIAL}_{last}"


def without(text, line):
    lines = text.splitlines(keepends=True)
    return "".join(lines[: line - 1] + lines[line:])


def swapped(text, first, second):
    lines = text.splitlines(keepends=True)
    lines[first - 1], lines[second - 1] = lines[second - 1], lines[first - 1]
    return "".join(lines)


# Every refusal: the file, the codes in the order of the lines, the line and item of the first, words of its message.
BAD_FILES = {
    "empty": ("", ["empty_file"], None, None, "is empty"),
    "blank": (" \n\n\t\n", ["missing_item"], None, IDS[0], "5 segments expected, 0 found"),
    "lines swapped": (
        swapped(TWO, 5, 6),
        ["swapped_languages"],
        5,
        IDS[2],
        "its Mandarin line (1) comes before its English line (0)",
    ),
    "first lines swapped": (swapped(TWO, 1, 2), ["swapped_languages"], 1, IDS[0], "Mandarin line"),
    "all lines swapped": (
        "".join(f"{item} 1 0.5\n{item} 0 0.5\n" for item in IDS),
        ["swapped_languages"] * 5,
        1,
        IDS[0],
        "swap the two",
    ),
    "no Mandarin line": (without(TWO, 4), ["missing_language"], 3, IDS[1], "no Mandarin line (1)"),
    "no English line": (without(TWO, 3), ["missing_language"], 3, IDS[1], "no English line (0)"),
    "first English line gone": (without(TWO, 1), ["missing_language"], 1, IDS[0], "no English line (0)"),
    "last line gone": (without(TWO, 10), ["missing_language"], 9, IDS[4], "no Mandarin line (1)"),
    "English twice": (TWO.replace(f"{IDS[1]} 1", f"{IDS[1]} 0"), ["repeated_language"], 4, IDS[1], "0 twice"),
    "language 2": (
        TWO.replace(f"{IDS[1]} 1", f"{IDS[1]} 2"),
        ["unknown_language"],
        4,
        IDS[1],
        "language '2'",
    ),
    "language 01": (
        TWO.replace(f"{IDS[1]} 1", f"{IDS[1]} 01"),
        ["unknown_language"],
        4,
        IDS[1],
        "expected 0 (English) or 1 (Mandarin)",
    ),
    "language in words": (
        TWO.replace(f"{IDS[3]} 0", f"{IDS[3]} English"),
        ["unknown_language"],
        7,
        IDS[3],
        "language 'English'",
    ),
    "language 2 for 1 throughout": (
        TWO.replace(" 1 ", " 2 "),
        ["unknown_language"] * 5,
        2,
        IDS[0],
        "language '2'; expected 0 (English) or 1 (Mandarin)",
    ),
    "languages as decimals": (
        TWO.replace(" 0 ", " 0.0 ").replace(" 1 ", " 1.0 "),
        ["unknown_language"] * 10,
        1,
        IDS[0],
        "language '0.0'",
    ),
    "languages in words": (
        TWO.replace(" 0 ", " English ").replace(" 1 ", " Mandarin "),
        ["unknown_language"] * 10,
        1,
        IDS[0],
        "language 'English'; expected 0 (English)",
    ),
    "another set's segments": (
        "".join(f"z_1_a{place}_0_500 0.5 0.25\n" for place in range(25)),
        ["another_set"],
        None,
        None,
        f"none of the 25 segments is of this set's recordings; the first one expected is {IDS[0]}; is the file another",
    ),
    "one line a segment, then two": (
        "".join(ONE.splitlines(keepends=True)[:2] + TWO.splitlines(keepends=True)[4:]),
        ["mixed_formats"] * 3,
        4,
        IDS[2],
        "two lines, 0 and 1, in a file of one line a segment",
    ),
    "a lone line of language x": (
        TWO.replace(f"{IDS[3]} 0 0.8\n", "").replace(f"{IDS[3]} 1", f"{IDS[3]} x"),
        ["unknown_language"],
        7,
        IDS[3],
        "language 'x'",
    ),
    "all English lines first": (
        "".join(TWO.splitlines(keepends=True)[::2] + TWO.splitlines(keepends=True)[1::2]),
        ["missing_language"] * 10,
        1,
        IDS[0],
        "no Mandarin line (1)",
    ),
    "segments swapped": (swapped(ONE, 2, 3), ["out_of_order"], 2, IDS[2], f"expected {IDS[1]} here"),
    "segments swapped, two lines": (
        swapped(swapped(TWO, 3, 5), 4, 6),
        ["out_of_order"],
        3,
        IDS[2],
        "is not in the order of segments.csv",
    ),
    "last first": (ONE.splitlines()[-1] + "\n" + without(ONE, 5), ["out_of_order"], 1, IDS[4], IDS[0]),
    "first last": (without(ONE, 1) + ONE.splitlines()[0], ["out_of_order"], 5, IDS[0], "not in the order"),
    "sorted by name": (
        "".join(sorted(ONE.splitlines(keepends=True))),
        ["out_of_order"],
        3,
        IDS[4],
        f"expected {IDS[2]} here",
    ),
    "easy segment twice": (ONE + ONE.splitlines()[0], ["duplicate_item"], 6, IDS[0], "first on line 1"),
    "easy pair twice": (
        TWO + "".join(TWO.splitlines(keepends=True)[:2]),
        ["duplicate_item"],
        11,
        IDS[0],
        "again; first on line 1",
    ),
    "hard segment replaced by an easy one": (
        ONE.replace(IDS[2], IDS[0]),
        ["duplicate_item", "missing_item"],
        3,
        IDS[0],
        "again",
    ),
    "hard segment dropped": (
        without(ONE, 3),
        ["missing_item"],
        None,
        IDS[2],
        f"{IDS[2]}: 5 segments expected, 4 found",
    ),
    "hard pair dropped": (without(without(TWO, 5), 5), ["missing_item"], None, IDS[2], IDS[2]),
    "one more": (ONE + "z_1_a1_1_2 0 1\n", ["unknown_item"], 6, "z_1_a1_1_2", "not one of the 5 segments"),
    "no id": (ONE.replace(IDS[2], "third"), ["wrong_id"], 3, "third", f"expected {IDS[2]}"),
    "recording": (
        ONE.replace(IDS[1], "y_1_a3_1500_2000"),
        ["wrong_id"],
        2,
        "y_1_a3_1500_2000",
        ": recording 'y_1' instead of 'x_1'",
    ),
    "utt_id": (
        ONE.replace(IDS[1], "x_1_a2_1500_2000"),
        ["wrong_id"],
        2,
        "x_1_a2_1500_2000",
        "'a2' instead of 'a3'",
    ),
    "start": (ONE.replace(IDS[1], "x_1_a3_1501_2000"), ["wrong_id"], 2, "x_1_a3_1501_2000", "start '1501'"),
    "end": (ONE.replace(IDS[1], "x_1_a3_1500_2001"), ["wrong_id"], 2, "x_1_a3_1500_2001", "end '2001'"),
    "end in the English line": (
        TWO.replace(f"{IDS[1]} 0", "x_1_a3_1500_2001 0"),
        ["wrong_id"],
        3,
        "x_1_a3_1500_2001",
        ": end '2001' instead of '2000'",
    ),
    "end in the Mandarin line": (
        TWO.replace(f"{IDS[1]} 1", "x_1_a3_1500_2001 1"),
        ["wrong_id"],
        4,
        "x_1_a3_1500_2001",
        ": end '2001' instead of '2000'",
    ),
    "fraction written": (
        ONE.replace(IDS[1], "x_1_a3_1500.0_2000.0"),
        ["wrong_id"],
        2,
        "x_1_a3_1500.0_2000.0",
        "start '1500.0' instead of '1500', end '2000.0' instead of '2000'",
    ),
    "with the extension": (
        ONE.replace("x_1_", "x_1.wav_"),
        ["wrong_id", "wrong_id"],
        1,
        "x_1.wav_a1_100_900",
        "recording 'x_1.wav' instead of 'x_1'",
    ),
    "a segment dropped, another misnamed": (
        without(ONE, 2).replace(IDS[2], "y_1_a2_700_1201"),
        ["wrong_id", "missing_item"],
        2,
        "y_1_a2_700_1201",
        "end '1201' instead of '1200'",
    ),
    "one line, then two": (
        ONE.splitlines()[0]
        + "\n"
        + "".join(TWO.splitlines(keepends=True)[2:4])
        + "".join(ONE.splitlines(True)[2:]),
        ["mixed_formats"],
        3,
        IDS[1],
        "in a file of one line a segment",
    ),
    "two lines, then one": (
        "".join(TWO.splitlines(keepends=True)[:6]) + "".join(ONE.splitlines(keepends=True)[3:]),
        ["mixed_formats"] * 2,
        7,
        IDS[3],
        "in a file of two lines a segment",
    ),
    "four fields": (
        ONE.replace("0.6 0.3", "0.6 0.3 0.1"),
        ["wrong_field_count"],
        3,
        IDS[2],
        "4 fields; expected 3",
    ),
    "no score": (TWO.replace(f"{IDS[2]} 1 0.3", f"{IDS[2]} 1"), ["wrong_field_count"], 6, IDS[2], "2 fields"),
    "an id alone": (
        ONE.replace(f"{IDS[2]} 0.6 0.3", IDS[2]),
        ["wrong_field_count", "missing_item"],
        3,
        IDS[2],
        "1 field",
    ),
    "commas": (
        ONE.replace(" ", ","),
        ["wrong_field_count"] * 5 + ["missing_item"],
        1,
        f"{IDS[0]},0.9,0.1",
        "blanks, not commas",
    ),
    "a field moved to the next line": (
        ONE.replace("0.2 0.7\n", "0.2\n0.7 "),
        ["wrong_field_count"] * 2 + ["wrong_id"],
        2,
        IDS[1],
        "2 fields",
    ),
    "nan": (ONE.replace("0.6", "nan"), ["bad_score"], 3, IDS[2], "score 'nan'; expected a finite decimal"),
    "inf": (TWO.replace("0.6", "-inf"), ["bad_score"], 5, IDS[2], "score '-inf'"),
    "comma": (ONE.replace("0.6", "1,5"), ["bad_score"], 3, IDS[2], "a decimal point, not a comma"),
    "hexadecimal": (ONE.replace("0.6", "0x1p3"), ["bad_score"], 3, IDS[2], "'0x1p3'"),
    "underscore": (ONE.replace("0.6", "1_000"), ["bad_score"], 3, IDS[2], "'1_000'"),
    "too large": (ONE.replace("0.6", "1e999"), ["bad_score"], 3, IDS[2], "'1e999'"),
    "half a number": (ONE.replace("0.6", "1e"), ["bad_score"], 3, IDS[2], "'1e'"),
    "Arabic digits": (ONE.replace("0.6", "٣"), ["bad_score"], 3, IDS[2], "'٣'"),
    "UTF-16": (ONE.encode("utf-16"), ["not_utf8"], None, None, "UTF-16"),
    "NUL": (ONE.replace("0.6", "0\0"), ["nul_byte"], 3, None, "NUL"),
    "a bare carriage return": (
        ONE.replace("0.7\n", "0.7\r"),
        ["carriage_return"],
        2,
        None,
        "carriage return",
    ),
    "far too large": ("x" * 2_000_000, ["file_too_large"], None, None, "far more than its items need"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_refused_with_line_and_item(tmp_path, case):
    content, codes, line, item, words = BAD_FILES[case]
    with pytest.raises(SubmissionError) as refusal:
        read(tmp_path, content)
    problems = sorted(refusal.value.problems, key=lambda problem: problem.line or 10**9)
    assert [problem.code for problem in problems] == codes
    first = problems[0]
    assert (first.file, first.line, first.item) == ("prediction.txt", line, item)
    assert words in first.message


@pytest.mark.parametrize(
    "case", ["lines swapped", "hard segment dropped", "end", "nan", "two lines, then one"]
)
def test_both_programs_refuse_with_the_same_words(tmp_path, case):
    content, _, _, _, words = BAD_FILES[case]
    run = score(tmp_path, GOLD, content)
    assert (run.status, run.scores) == (1, None)
    assert words in run.stderr
    write_files(tmp_path / "public", reader.public_items(reader.read_reference(tmp_path / "input/ref"), {}))
    ingest = ROOT / "ingestion_program" / TASK / "ingest.py"
    done = run_program(ingest, tmp_path / "public", tmp_path / "input/res", tmp_path / "ingested")
    assert (done.returncode, done.stderr) == (1, run.stderr)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "missing_file"),
        ({"predictions.txt": ONE}, "missing_file"),
        ({"prediction.txt.txt": ONE}, "missing_file"),
        ({"prediction.txt": ONE, "notes.txt": "x"}, "unexpected_file"),
        ({"prediction.txt": ONE, "metadata": "command: x"}, "metadata_file"),
    ],
)
def test_a_bad_folder_is_refused(tmp_path, files, code):
    write_files(tmp_path, files)
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission(list_files(tmp_path), ITEMS)
    assert refusal.value.problems[0].code == code


@pytest.mark.parametrize(
    "prediction",
    [
        ONE.replace(" ", "\t"),
        TWO.replace(" ", " \t "),
        "\ufeff" + ONE.replace("\n", "\r\n"),
        TWO.rstrip("\n"),
        "\n" + TWO.replace("\n", "\n \n"),
        "\n".join(f"  {line} " for line in ONE.splitlines()),
        ONE.replace("0.9", "+9.0E-1").replace("0.1", ".1"),
    ],
    ids=[
        "tabs",
        "blanks and tabs",
        "BOM and CRLF",
        "no final newline",
        "blank lines",
        "indented",
        "other decimals",
    ],
)
def test_harmless_variations_are_the_same_scores(tmp_path, prediction):
    submission = read(tmp_path, prediction)
    assert list(zip(submission.english, submission.mandarin, strict=True)) == list(SCORES)


def accepts(lines, ids):
    """A plain reading of both formats: the oracle."""
    rows = [line.split() for line in lines if line.split()]
    if any(len(row) != 3 for row in rows):
        return False
    single = [row[0] for row in rows] == list(ids) and all(
        decimal(x) is not None for r in rows for x in r[1:]
    )
    wanted = [(item, language) for item in ids for language in "01"]
    double = [tuple(row[:2]) for row in rows] == wanted and all(decimal(row[2]) is not None for row in rows)
    return single or double


def test_a_damaged_file_is_accepted_exactly_when_a_plain_reading_accepts_it(tmp_path):
    rng = random.Random(1)
    kinds = {True: 0, False: 0}
    path = tmp_path / "prediction.txt"
    for _ in range(2500):
        ids = IDS[: rng.choice([1, 2, 3, 5])]
        lines = [line for line in rng.choice([ONE, TWO]).splitlines() if line.split()[0] in ids]
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            at = rng.randrange(len(lines)) if lines else 0
            damage = rng.randrange(8)
            if damage == 0 or not lines:
                lines.insert(at, rng.choice([*(ONE + TWO).splitlines(), "", " ", "foo", "a b c"]))
            elif damage == 1:
                del lines[at]
            elif damage == 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            elif damage == 3:
                lines[at] = lines[at].replace(rng.choice("0123456789. "), rng.choice(["1", "x", "\t", ""]), 1)
            elif damage == 4:
                lines[at] += rng.choice([" ", " 1", "e5", ",5", "\t"])
            elif damage == 5:
                lines[at] = lines[at].replace(" 0 ", " 1 ").replace("_a", rng.choice(["_a", "_b"]))
            elif damage == 6:
                rng.shuffle(lines)
            else:
                lines[at : at + 1] = lines[at].split(" ", 1)
        path.write_text("\n".join(lines) + "\n")
        expected = accepts(lines, ids)
        kinds[expected] += 1
        try:
            reader.read_submission({"prediction.txt": path}, reader.Items(ids))
            accepted = True
        except SubmissionError:
            accepted = False
        assert accepted == expected, lines
    assert min(kinds.values()) > 300


def test_bulk_reading_agrees_with_one_by_one():
    rng = random.Random(2)
    for _ in range(3000):
        texts = [
            "".join(rng.choices("0123456789.+-eE_nif ,x٣", [5] * 10 + [1] * 13, k=rng.randint(0, 5)))
            for _ in "ab"
        ]
        one_by_one = [decimal(text) for text in texts]
        bulk = decimals(texts)
        assert (bulk is None) == (None in one_by_one), texts
        assert bulk is None or bulk.tolist() == one_by_one
        lines = ["".join(rng.choices("ab \t", k=rng.randint(0, 7))) for _ in range(rng.randint(0, 4))]
        rows = [line.split() for line in lines if line.split()]
        expected = [[row[i] for row in rows] for i in (0, 1)] if all(len(row) == 2 for row in rows) else None
        assert split_fields("\n".join(lines), 2) == expected


# What stops the build: labels, the code, its line.
REFERENCES = {
    "another tag": (GOLD.replace("NON_SPEECH", "Noise"), "unknown_value", 3),
    "no tag": (GOLD.replace("NON_SPEECH", ""), "unknown_value", 3),
    "end before start": (GOLD.replace("1500,2000,500", "2000,1500,-500"), "empty_span", 4),
    "end at start": (GOLD.replace("1500,2000,500", "1500,1500,0"), "empty_span", 4),
    "no number": (GOLD.replace(",100,", ",soon,"), "bad_time", 2),
    "nan": (GOLD.replace(",100,", ",nan,"), "bad_time", 2),
    "negative": (GOLD.replace(",100,900,800", ",-100,900,1000"), "negative_time", 2),
    "absurd": (GOLD.replace("100,900,800", "100,1.1e9,1099999900"), "absurd_time", 2),
    "wrong length": (GOLD.replace(",800,", ",802,"), "wrong_length", 2),
    "no length": (GOLD.replace(",800,", ",,"), "wrong_length", 2),
    "utt_id twice": (GOLD.replace("x_1.wav,a3", "x_1.wav,a1"), "duplicate_utterance", 4),
    "no utt_id": (GOLD.replace("x_1.wav,a3", "x_1.wav,"), "unusable_name", 4),
    "a blank in a name": (GOLD.replace("x_1.wav,a3", "x 1.wav,a3"), "unusable_name", 4),
    "a flag that is none": (GOLD.replace("English,True", "English,maybe"), "unknown_value", 5),
    "only English": (GOLD.replace("Mandarin", "English"), "one_language", None),
    "only Mandarin": (GOLD.replace("English", "Mandarin"), "one_language", None),
    "nothing to score": (HEADER, "one_language", None),
    "no language_tag": (GOLD.replace("language_tag", "tag"), "missing_column", 1),
    "a field more": (GOLD.replace("x_1.wav,a3", "x_1.wav,a3,1"), "wrong_field_count", 4),
    "empty": ("", "empty_file", None),
}


@pytest.mark.parametrize("case", REFERENCES)
def test_a_broken_reference_is_refused_with_its_row(tmp_path, case):
    content, code, line = REFERENCES[case]
    write_files(tmp_path, {"labels.csv": content})
    with pytest.raises(ReferenceFileError) as refusal:
        reader.read_reference(tmp_path)
    assert (refusal.value.problems[0].code, refusal.value.problems[0].line) == (code, line)


def test_a_broken_reference_on_the_server_tells_participants_nothing(tmp_path):
    run = score(tmp_path, GOLD.replace("NON_SPEECH", "Noise"), ONE)
    assert (run.status, run.scores) == (1, None)
    assert "tell the organisers" in run.stderr
    assert "Noise" not in run.stderr


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    """The evaluation set's size, and a perfect prediction."""
    folder = tmp_path_factory.mktemp("full")
    tables = sample.generate("full", "evaluation", 1)
    sample.write_identification_set(tables, folder / "ref")
    scores = sample.identification_scores(tables.labels, "perfect", 1)
    sample.write_identification(tables.labels, scores, folder / "res", lines=2)
    return reader.read_reference(folder / "ref"), (folder / "res/prediction.txt").read_text()


@pytest.mark.parametrize(
    ("first", "second", "code"), [(50001, 50002, "swapped_languages"), (50001, 50003, "out_of_order")]
)
def test_one_swapped_pair_among_98478_lines_is_named(tmp_path, full, first, second, code):
    reference, text = full
    lines = text.splitlines(keepends=True)
    assert len(lines) == 98478
    if code == "out_of_order":
        lines[first - 1 : first + 3] = lines[second - 1 : second + 1] + lines[first - 1 : first + 1]
    else:
        lines[first - 1], lines[second - 1] = lines[second - 1], lines[first - 1]
    path = tmp_path / "prediction.txt"
    path.write_text("".join(lines))
    with pytest.raises(SubmissionError) as refusal:
        reader.read_submission({"prediction.txt": path}, reference.items)
    assert [(problem.code, problem.line) for problem in refusal.value.problems] == [(code, first)]


BUNDLES = ["merlion_identification_closed", "merlion_identification_open"]


@pytest.fixture(scope="module")
def planned():
    return plan(ROOT, BUNDLES, {})


def test_perfect_baseline_and_random_rank_in_that_order_on_both_platforms(tmp_path, planned):
    parts = planned.parts[TASK]
    labels = sample.generate("small", "evaluation", 2302).labels
    submissions = {"baseline": parts.solutions["evaluation"]}
    for quality in ("perfect", "random"):
        scores = sample.identification_scores(labels, quality, 1)
        sample.write_identification(labels, scores, tmp_path / quality, lines=2)
        submissions[quality] = {"prediction.txt": (tmp_path / quality / "prediction.txt").read_bytes()}
    for built in write(ROOT, planned, ["codabench", "codalab"], tmp_path):
        assert built.findings == ()
        assert built.bundle.columns[0].direction == "lower"
        if built.bundle.name.endswith("open") == (built.platform == "codabench"):
            continue  # tracks do not differ in scoring: one on each platform is rehearsed
        eer = {}
        for name, files in submissions.items():
            (tmp_path / "submission.zip").write_bytes(make_zip(files))
            done = rehearse(built.path, tmp_path / "submission.zip")
            assert done.status == "Finished", str(done)
            eer[name] = done.scores["eer"]
        assert sorted(eer, key=eer.__getitem__) == ["perfect", "baseline", "random"]
        assert eer["perfect"] == 0


def test_open_tracks_ask_for_data_hours_and_pretrained_model(planned):
    closed, open_track = planned.bundles
    assert "fact_sheet" not in closed.settings
    keys = [question["key"] for question in open_track["fact_sheet"]]
    assert keys == ["training_data", "additional_hours", "pretrained_model", "pretrained_model_url"]
    assert [phase.start for phase in closed.phases] == ["2023-02-16 00:00:00", "2023-03-10 00:00:00"]
    assert {phase.max_submissions_per_day for bundle in planned.bundles for phase in bundle.phases} == {3}


def test_nothing_public_tells_a_label(planned):
    reference = planned.parts[TASK].references["evaluation"]
    (content,) = reference.public.values()
    header, *rows = content.decode().splitlines()
    assert header == "audio_name,utt_id,start,end"
    assert len(rows) == 320


def test_a_participant_tries_a_submission_and_gets_a_zip(tmp_path, planned):
    kit = write_files(tmp_path / "kit", planned.parts[TASK].starting_kit)

    def run(*command):
        return subprocess.run([sys.executable, *command], cwd=kit, capture_output=True, text=True)

    assert run("baseline.py", "development", "out").returncode == 0
    done = run("try_submission.py", "out")
    assert done.returncode == 0, done.stderr
    assert "eer " in done.stdout
    assert zipfile.ZipFile(kit / "submission.zip").namelist() == ["prediction.txt"]
    assert done.stdout.endswith("submission.zip is ready to upload, to a phase of the development set.\n")
    done = run("try_submission.py", "--zip", "my answer.zip", "out")
    assert (done.returncode, done.stderr) == (
        1,
        "my answer.zip: the name of a zip to upload must have no blanks.\n",
    )
    done = run("try_submission.py", "--zip", "new.zip", "nowhere")
    assert (done.returncode, done.stderr) == (
        1,
        "nowhere: No such file or directory\nnew.zip was not written.\n",
    )
    done = run("try_submission.py", "--set", "evaluation", "out")
    assert done.returncode == 1
    assert done.stderr.endswith("submission.zip was not written; the one that is there is older.\n")
    assert (
        "none of the 320 segments is of this set's recordings; the first one expected is TTS_P91"
        in done.stderr
    )
    assert run("check_description.py").returncode == 1
