"""Corruptions of the references of `cases`, each with the refusal that the organiser gets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

from spokeneval.metrics import phoneme_recognition
from tests.samples.cases import CASES, IDS, OWN, REGIONS, SHEETS, with_speakers
from tests.samples.mutation import Mutation, rows_of

# Changes of the second row (Zoë-2): the old text, the new text, the code, and a part of the message.
SECOND_ROWS = {
    "spoken_call": (
        ("correct\tcorrect", "correct\tincorrect", "contradictory_labels", "correct but meaning incorrect"),
        ("correct", "right", "unknown_value", "'right'; expected 'correct' or 'incorrect'"),
    ),
    "caller_experience": (
        ("3,3,4", "3,6,4", "off_scale", "human2 '6'"),
        ("3,3,4", "3,3,", "off_scale", "human3 is empty"),
        ("3,3,4", "3,3,4.0", "off_scale", "human3 '4.0'"),
    ),
    "psst_recognition": (("AO", "AX", "unknown_phone", "'AX'"),),
    "psst_correctness": (
        ("FALSE", "WRONG", "unknown_value", "'WRONG'"),
        ("FALSE", "", "unknown_value", "is empty"),
    ),
    "content_accuracy": (
        *((",3,", f",{score},", "off_scale", "human_score") for score in ("5", "0", "3.5", "")),
        *((",25", f",{words}", "off_scale", "words") for words in ("0", "-7", "7.5", "")),
    ),
}

LABELS = {
    "spoken_call": "language",
    "caller_experience": "human3",
    "psst_recognition": "transcript",
    "psst_correctness": "correctness",
    "content_accuracy": "words",
}
"""A column of labels of each sheet."""

SECOND_ROWS.update({name: own.BAD_ROWS for name, own in OWN.items()})
LABELS.update({name: own.LABEL for name, own in OWN.items()})

# Changes of the first segment's row: the column's number, the new text, and the code.
FIRST_SEGMENTS = (
    (0, "../x_1.wav", "unusable_name"),
    (0, "x 1.wav", "unusable_name"),
    (0, "\ufeffx_1.wav", "unusable_name"),
    (1, "", "unusable_name"),
    (1, "a\x071", "unusable_name"),
    (2, "soon", "bad_time"),
    (2, "nan", "bad_time"),
    (2, "-1", "negative_time"),
    (3, "1", "empty_span"),
    (3, "1.1e9", "absurd_time"),
    (4, "7", "wrong_length"),
    (4, "", "wrong_length"),
    (5, "Noise", "unknown_value", "a1"),
    (5, "", "unknown_value", "a1"),
)

# Regions of the recordings x_1 and y_1, and the refusal.
BAD_REGIONS = {
    "regions that overlap": (REGIONS + "x_1.wav,9000,12000\n", ("overlapping_regions", 3, "x_1")),
    "a region in a region": ("x_1.wav,2000,3000\n" + REGIONS, ("overlapping_regions", 1, "x_1")),
    "a region twice": (REGIONS + REGIONS[:18] + "\n", ("overlapping_regions", 3, "x_1")),
    "a region's end before its start": (REGIONS.replace("500,10000", "10000,500"), ("empty_span", 1)),
    "a region's time in words": (REGIONS.replace("2000", "half"), ("bad_time", 2)),
    "a region without a name": (REGIONS.replace("x_1.wav", ""), ("unusable_name", 1)),
    "regions with another header": ("audio_name,from,end\n" + REGIONS, ("missing_column", 1)),
    "no regions": ("", ("empty_file",)),
    "regions in seconds": ("x_1.wav,0.5,1.5\ny_1.wav,0,2000\n", ("nothing_evaluated", None, "x_1")),
}


def bad_references(task: str) -> Iterator[Mutation]:
    """Corruptions of a task's reference."""
    files = CASES[task].reference
    file, text = next(iter(files.items()))
    lines = text.splitlines(keepends=True)

    def changed(name: str, content: str | bytes, *row: Any, words: str = "") -> Mutation:
        return Mutation(name, rows_of(file, [row]), {**files, file: content}, words=words)

    yield Mutation("no file", tuple(("unreadable_file", name, None, None) for name in files), {})
    yield changed("an empty file", "", "empty_file")
    yield changed("UTF-16", text.encode("utf-16"), "not_utf8")
    yield changed("a NUL", text[:-1] + "\0\n", "nul_byte", len(lines))
    if task in SHEETS:
        for column in (lines[0].split("\t" if "\t" in text else ",")[0], LABELS[task]):
            content = text.replace(column, "x", 1)
            yield changed(f"no column {column}", content, "missing_column", 1, words=column)
        for item, code, words in (
            (IDS[0], "duplicate_item", "already appears on line 2"),
            ("", "empty_item", "is empty"),
            (IDS[1] + " ", "unusable_id", "no spaces around it"),
            (f"{IDS[1]}\u200b", "unusable_id", "no invisible characters"),
        ):
            content = text.replace(IDS[1], item, 1)
            yield changed(f"the id {item!r}", content, code, 3, *([item] if item else []), words=words)
        content = text.replace(IDS[0], "\u00e9", 1).replace(IDS[1], "e\u0301", 1)
        yield changed("ids in two forms", content, "duplicate_item", 3, "\u00e9", words="on line 2")
        for old, new, code, words in SECOND_ROWS[task]:
            assert old in lines[2]
            content = "".join([*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])
            yield changed(f"{new!r} for {old!r}", content, code, 3, IDS[1], words=words)
        if task not in OWN and task != "content_accuracy":
            for second, code in (("", "no_speaker"), ("S1 ", "unusable_speaker")):
                content = with_speakers(text, ["S1", second, "S1", "S2"])
                yield changed(f"the speaker {second!r}", content, code, 3, IDS[1])
    else:
        content = with_speakers(text, ["S1", "S2", *["S1"] * (len(lines) - 3)])
        words = "expected one speaker for all of x_1"
        yield changed("two speakers of a recording", content, "two_speakers", 3, "a2", words=words)
        no_time = (3, lines[1].split(",")[2] + ".0", "empty_span")
        for column, value, *row in (*FIRST_SEGMENTS, no_time):
            fields = lines[1].split(",")
            fields[column] = value
            content = "".join([lines[0], ",".join(fields), *lines[2:]])
            yield changed(f"{value!r} in column {column}", content, row[0], 2, *row[1:])
    for name, (content, words, *row) in own_corruptions(task, text).items():
        yield changed(name, content, *row, words=words)
    if task == "psst_recognition":
        broken = mock.patch.object(
            phoneme_recognition, "arpabet_features", side_effect=ValueError("a phone twice")
        )
        problem = ("bad_feature_table", "arpabet_features.tsv", None, None)
        yield Mutation("a broken feature table", (problem,), files, during=lambda: broken)
    if task == "merlion_diarization":
        for name, (regions, row) in BAD_REGIONS.items():
            yield Mutation(name, rows_of("regions.csv", [row]), {**files, "regions.csv": regions})
        english = {**files, "regions.csv": "x_1.wav,500,2400\ny_1.wav,0,400\n"}
        yield Mutation("English alone in the regions", rows_of(file, [("one_language",)]), english)
        nothing = {file: files[file].partition("\n")[0], "regions.csv": "audio_name,start,end\n"}
        yield Mutation("no row in any file", rows_of("regions.csv", [("no_recording",)]), nothing)


def own_corruptions(task: str, text: str) -> dict[str, tuple[Any, ...]]:
    """Corruptions of a task's first file: content, part of the message, code, and line and item if there are any."""
    lines = text.splitlines(keepends=True)
    if task in OWN:
        return {}
    if task == "spoken_call":
        correct = text.replace("incorrect", "correct")
        return {
            "a header row in mid-file": (text + lines[0], "", "stray_header", 6),
            "one kind": (correct, "only one kind", "one_class"),
            "one kind but for no label": (
                correct.replace("t\tcor", "t\tx", 1),
                "",
                "unknown_value",
                2,
                IDS[0],
            ),
        }
    if task == "caller_experience":
        return {
            "two ratings": (text.replace("3,3,4", "3,3"), "3 fields", "wrong_field_count", 3),
            "no call": (lines[0], "no calls", "no_items"),
        }
    if task == "psst_recognition":
        fillers = re.sub("K AE T|D AO G|HH", "<sil>", text)
        return {
            "no phone": (lines[0] + lines[3], "0 phones in", "no_phones"),
            "fillers alone": (fillers, "0 phones in", "no_phones"),
        }
    if task == "psst_correctness":
        correct = text.replace("FALSE", "TRUE")
        return {
            "one kind": (correct, "only one kind", "one_class"),
            "one kind but for no label": (correct.replace("TRUE", "x", 1), "", "unknown_value", 2, IDS[0]),
        }
    if task == "content_accuracy":
        constant = re.sub(r"\d(,\d+\n)", r"2\1", text)
        seconds = ("human_score2", "4", "5", "", "")
        two_raters = "".join(f"{line[:-1]},{second}\n" for line, second in zip(lines, seconds))
        return {
            "a second score off the scale": (two_raters, "human_score2 '5'", "off_scale", 3, IDS[1]),
            "two responses": ("".join(lines[:3]), "2 responses", "too_few_items"),
            "one score": (constant, "all human scores are 2", "constant_scores"),
        }
    return recording_corruptions(task, text, lines)


def recording_corruptions(task: str, text: str, lines: list[str]) -> dict[str, tuple[Any, ...]]:
    """Corruptions of a file of labels of recordings."""
    renamed = text.replace("diff_lang", "diff_language")
    doubled = text.replace("length", "overlap_diff_lang", 1)
    shared = {
        "an utterance twice": (
            text + lines[1],
            "already appears",
            "duplicate_utterance",
            len(lines) + 1,
            "a1",
        ),
        "a field more": (text.replace(".wav,a3", ".wav,a3,1", 1), "", "wrong_field_count", 4),
        "seconds": (_in_seconds(text), "expected times in milliseconds", "not_milliseconds"),
        "English alone": (text.replace("Mandarin", "English"), "", "one_language"),
        "Mandarin alone": (text.replace("English", "Mandarin"), "", "one_language"),
        "no language_tag": (text.replace("language_tag", "tag"), "", "missing_column", 1),
        "overlaps misspelt": (renamed, "expected overlap_diff_lang", "unknown_column", 1),
        "an optional column twice": (doubled, "appears twice", "duplicate_column", 1),
    }
    if task == "merlion_identification":
        ambiguous = "x.wav,1_b,0,900,900,English,False,\nx_1.wav,b,0,900,900,English,False,\n"
        return {
            **shared,
            "nothing to score": (lines[0], "", "one_language"),
            "another flag": (text.replace("English,True", "English,x"), "'x'", "unknown_value", 5, "a4"),
            "one id for two": (text + ambiguous, "rename one", "ambiguous_id", None, "x_1_b_0_900"),
        }
    other = "x_1.wav,b1,2500,4000,1500,Non-Evaluated-Speech,False\n"
    other += "y_1.wav,b2,500,1200,700,Non-Evaluated-Speech,False\n"
    return {
        **shared,
        "no region": (text + "z_1.wav,a1,0,9,9,English,False\n", "", "no_region", 8, "z_1"),
        "Mandarin under another language": (text + other, "0 ms of Mandarin", "one_language"),
    }


def _in_seconds(text: str) -> str:
    """Labels whose times are divided by a thousand."""
    return re.sub(r"(?<=,)(\d+)(?=,)", lambda time: f"{int(time[0]) / 1000:.6g}", text)
