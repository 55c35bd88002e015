"""A small set of segments of MERLIon CCS, Task 1, good submissions for it, and every bad one."""

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
ONE = "".join(f"{item} {english} {mandarin}\n" for item, (english, mandarin) in zip(IDS, SCORES))
TWO = "".join(f"{item} 0 {e}\n{item} 1 {m}\n" for item, (e, m) in zip(IDS, SCORES))
LINES, PAIRS = ONE.splitlines(keepends=True), TWO.splitlines(keepends=True)


def selected(lines, *numbers):
    """The lines with these numbers, from 1, in this order."""
    return "".join(lines[number - 1] for number in numbers)


def relabelled(pair, label):
    """Two lines for each segment, with another language in the second line of a pair."""
    return TWO.replace(f"{IDS[pair]} 1", f"{IDS[pair]} {label}")


def renamed(place, item, text=ONE):
    return text.replace(IDS[place], item)


def relabelled_throughout(english, mandarin):
    return TWO.replace(" 0 ", f" {english} ").replace(" 1 ", f" {mandarin} ")


ALL_SWAPPED = "".join(f"{item} 1 0.5\n{item} 0 0.5\n" for item in IDS)
ANOTHER_SETS = "".join(f"z_1_a{place}_0_500 0.5 0.25\n" for place in range(25))
LONE_X = relabelled(3, "x").replace(f"{IDS[3]} 0 0.8\n", "")
ONE_THEN_TWO = LINES[0] + selected(PAIRS, 3, 4) + selected(LINES, 3, 4, 5)
TWO_THEN_ONE = selected(PAIRS, *range(1, 7)) + selected(LINES, 4, 5)
DROPPED_AND_MISNAMED = renamed(2, "y_1_a2_700_1201", selected(LINES, 1, 3, 4, 5))
END = ": end '2001' instead of '2000'"
DECIMALS = "start '1500.0' instead of '1500', end '2000.0' instead of '2000'"

# Every refusal: the file; the codes in the order of the lines; the first one's line, or its item where it has no line;
# a part of its message, if the code is not specific enough.
BAD_FILES = {
    "empty": ("", "empty_file", None),
    "blank": (" \n\n\t\n", "missing_item", IDS[0], "5 segments expected, 0 found"),
    "lines swapped": (selected(PAIRS, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10), "swapped_languages", 5),
    "all lines swapped": (ALL_SWAPPED, "swapped_languages " * 5, 1),
    "no Mandarin line": (selected(PAIRS, 1, 2, 3, *range(5, 11)), "missing_language", 3, "no Mandarin line"),
    "first English line gone": (selected(PAIRS, *range(2, 11)), "missing_language", 1, "no English line"),
    "last line gone": (selected(PAIRS, *range(1, 10)), "missing_language", 9, "no Mandarin line"),
    "English twice": (relabelled(1, "0"), "repeated_language", 4),
    "language 2": (relabelled(1, "2"), "unknown_language", 4, "'2'"),
    "language 01": (relabelled(1, "01"), "unknown_language", 4, "'01'"),
    "language 2 for 1 throughout": (relabelled_throughout(0, 2), "unknown_language " * 5, 2),
    "languages as decimals": (relabelled_throughout("0.0", "1.0"), "unknown_language " * 10, 1),
    "languages in words": (relabelled_throughout("English", "Mandarin"), "unknown_language " * 10, 1),
    "another set's segments": (ANOTHER_SETS, "another_set", 1, f"such as {IDS[0]}; is"),
    "one line a segment, then two": (
        selected(LINES, 1, 2) + selected(PAIRS, *range(5, 11)),
        "mixed_formats " * 3,
        4,
    ),
    "a lone line of language x": (LONE_X, "unknown_language", 7),
    "all English lines first": ("".join(PAIRS[::2] + PAIRS[1::2]), "missing_language " * 10, 1),
    "segments swapped": (selected(LINES, 1, 3, 2, 4, 5), "out_of_order", 2, f"expected {IDS[1]} here"),
    "segments swapped, two lines": (selected(PAIRS, 1, 2, 5, 6, 3, 4, *range(7, 11)), "out_of_order", 3),
    "last first": (selected(LINES, 5, 1, 2, 3, 4), "out_of_order", 1, IDS[0]),
    "first last": (selected(LINES, 2, 3, 4, 5, 1), "out_of_order", 5),
    "sorted by name": ("".join(sorted(LINES)), "out_of_order", 3, f"expected {IDS[2]} here"),
    "easy segment twice": (ONE + LINES[0], "duplicate_item", 6, "appears on line 1"),
    "hard segment replaced by an easy one": (renamed(2, IDS[0]), "duplicate_item missing_item", 3),
    "hard segment dropped": (
        selected(LINES, 1, 2, 4, 5),
        "missing_item",
        IDS[2],
        f"{IDS[2]}: 5 segments expected, 4",
    ),
    "one segment for all": (LINES[0], "missing_item", IDS[1], "5 segments expected, 1 found"),
    "one more": (ONE + "z_1_a1_1_2 0 1\n", "unknown_item", 6, "not one of the 5 segments"),
    "no id": (renamed(2, "third"), "wrong_id", 3, f"expected {IDS[2]}"),
    "recording": (renamed(1, "y_1_a3_1500_2000"), "wrong_id", 2, ": recording 'y_1' instead of 'x_1'"),
    "utt_id": (renamed(1, "x_1_a2_1500_2000"), "wrong_id", 2, ": utt_id 'a2' instead of 'a3'"),
    "start": (renamed(1, "x_1_a3_1501_2000"), "wrong_id", 2, ": start '1501'"),
    "end": (renamed(1, "x_1_a3_1500_2001"), "wrong_id", 2, END),
    "end in the English line": (TWO.replace(f"{IDS[1]} 0", "x_1_a3_1500_2001 0"), "wrong_id", 3, END),
    "end in the Mandarin line": (TWO.replace(f"{IDS[1]} 1", "x_1_a3_1500_2001 1"), "wrong_id", 4, END),
    "fraction written": (renamed(1, "x_1_a3_1500.0_2000.0"), "wrong_id", 2, DECIMALS),
    "with the extension": (ONE.replace("x_1_", "x_1.wav_"), "wrong_id wrong_id", 1, "recording 'x_1.wav'"),
    "a segment dropped, another misnamed": (DROPPED_AND_MISNAMED, "wrong_id missing_item", 2, "end '1201'"),
    "one line, then two": (ONE_THEN_TWO, "mixed_formats", 3, "in a file with one line per segment"),
    "two lines, then one": (TWO_THEN_ONE, "mixed_formats " * 2, 7, "in a file with two lines per segment"),
    "four fields": (ONE.replace("0.6 0.3", "0.6 0.3 0.1"), "wrong_field_count", 3, "4 fields; expected 3"),
    "no score": (TWO.replace(f"{IDS[2]} 1 0.3", f"{IDS[2]} 1"), "wrong_field_count", 6, "2 fields"),
    "an id alone": (ONE.replace(" 0.6 0.3", ""), "wrong_field_count missing_item", 3, "1 field"),
    "commas": (ONE.replace(" ", ","), "wrong_field_count " * 5, 1, "spaces, not commas"),
    "a field moved to the next line": (
        ONE.replace("0.2 0.7\n", "0.2\n0.7 "),
        "wrong_field_count " * 2 + "wrong_id",
        2,
    ),
    "nan": (ONE.replace("0.6", "nan"), "bad_score", 3, "score 'nan'"),
    "inf": (TWO.replace("0.6", "-inf"), "bad_score", 5),
    "comma": (ONE.replace("0.6", "1,5"), "bad_score", 3, "a decimal point, not a comma"),
    "an underscore": (ONE.replace("0.6", "1_000"), "bad_score", 3),
    "UTF-16": (ONE.encode("utf-16"), "not_utf8", None, "UTF-16"),
    "NUL": (ONE.replace("0.6", "0\0"), "nul_byte", 3),
    "far too large": ("x" * 2_000_000, "file_too_large", None),
}
