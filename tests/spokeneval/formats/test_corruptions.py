"""Tests that every refusal in the code is reached by a corruption, and that no corrupted submission is scored."""

from __future__ import annotations

import ast
import re
from collections import Counter
from functools import partial

import numpy as np
import pytest

from spokeneval.challenges import find_task, merlion_diarization, spoken_call, task_names
from spokeneval.formats.format import Items
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.formats.sheets import Answers
from spokeneval.formats.submission_folder import list_files
from spokeneval.metrics.accept_reject import Decisions
from spokeneval.run.options import Settings
from spokeneval.run.signature import Signature
from tests.samples.bad_references import bad_references
from tests.samples.cases import CASES, SHEETS
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.labelled_turns import BAD_REFERENCES, BAD_SUBMISSIONS, read_submission
from tests.samples.labelled_turns import make as make_turns
from tests.samples.programs import ROOT, encoded, write_files
from tests.samples.refusals import HANDED_ON, Refusal, Site, observed, reference_refusals, refusals

NAME = "a name without spaces, slashes, commas, quotation marks or invisible characters"
TYPED = "expected no invisible characters and no spaces around it"
NUMBER = r"expected a finite decimal number( \(a decimal point, not a comma\))?(, without spaces around it)?"
FIELDS = (
    r"(: an id, 0 or 1, and a score; or an id and two scores(; separate them by spaces, not commas)?|, sep.*)"
)
NOT_ACCEPTED = (
    "does not confirm that this submission was accepted. If the check before scoring \\(ingestion\\) refused it, see "
    "its log for the problems. If your submission contains a file of this name, remove it"
)
MESSAGES = {
    "absurd_time": r"end [\de.]+ is more than eleven days; expected milliseconds",
    "ambiguous_id": "segments of x and x_1 have the same id x_1_b_0_900; rename one",
    "another_set": "none of the 25 .* belongs to this set.*; is the file for another set\\?",
    "backslash": "has a backslash in its name, as some Windows programs write it; zip the files themselves, without "
    "a folder",
    "bad_feature_table": "a phone twice",
    "bad_score": f"segment [xy_0-9a]+: score '.*'; {NUMBER}",
    "bad_time": f"(start|end) '.*'; {NUMBER}",
    "bad_zip": "is not a readable zip file(; create it again|, but an empty file; create it again"
    "|, but a text file; zip it, and submit the zip"
    "|, but a (RAR|7-Zip|gzip|bzip2|tar) archive; unpack it and zip its files instead)"
    "|has an unsupported compression; create an ordinary zip file",
    "carriage_return": "a carriage return without a line feed; expected lines that end in LF or CRLF",
    "constant_scores": "all human scores are 2; a correlation needs scores that differ",
    "contradictory_labels": "Id Zoë-2: language is correct but meaning incorrect",
    "duplicate_column": "column [a-zA-Z_]+ appears twice in the header",
    "duplicate_entry": "appears twice in the zip: .*",
    "duplicate_item": r".* already appears on line \d+; keep only one",
    "duplicate_utterance": "utt_id a1 of x_1 already appears on line 2; keep only one",
    "empty_file": "is empty",
    "empty_item": "the [a-zA-Z_]+ is empty",
    "empty_span": "end .* is not after start .*",
    "encrypted_zip": "is encrypted; zip it without a password",
    "file_too_large": r"is larger than \d+ bytes, far more than its items need|a line of more than 65536 characters"
    r"|has more than \d+ lines, far more than its items need"
    r"|has \d+ lines; expected at most 32768: join adjacent turns of the same language",
    "link": "is a link( or special file)?; expected an ordinary file",
    "metadata_file": "would make the platform run a program; a submission contains only results: remove this file",
    "missing_column": "no column .*; the header has .*|fields are separated by .*; expected (commas|tabs)"
    "|the header is missing; expected a first line with the columns .*, separated by (commas|tabs)",
    "missing_file": "is missing(; .*)?",
    "missing_item": r".*: \d+ \w+s expected, \d+ found",
    "missing_language": r"segment .*: no (English line \(0\) right before its Mandarin line \(1\)"
    r"|Mandarin line \(1\) right after its English line \(0\))",
    "misspelt_item": ".* (has spaces around it|was changed to a decimal by a spreadsheet); expected .*",
    "mixed_formats": r"segment .*: (two lines \(0 and 1\) in a file with one line per segment"
    "|one line with two scores in a file with two lines per segment); use one format",
    "negative_time": "start (-1|'-0+'\\.\\.\\.) is before the recording's beginning",
    "nested_folder": r"[12] folders? (side by side|beside the files|below the folder a): .*; "
    "zip the files themselves, or one folder that contains all of them",
    "no_items": "the file has a header but no calls",
    "no_phones": "0 phones in .*; expected at least one phone per thousand transcripts",
    "no_region": r"z_1 has labels, but no evaluated region in regions\.csv",
    "no_speaker": ".*: the speaker is empty; expected a speaker in every row, or in none",
    "not_a_number": f".*: .* (is empty|'.*'(\\.\\.\\.)?); {NUMBER}",
    "not_accepted": NOT_ACCEPTED,
    "not_milliseconds": "half of the segments last less than 5 ms; expected times in milliseconds"
    "|all turns end within 3 ms, but recordings last up to 16384 ms; expected times in milliseconds, not in "
    "seconds",
    "not_text": r"is (compressed \(unzip it\)|a zip or an Excel workbook \(unzip it, or save it in the text format "
    r"that the task's page describes\)); expected UTF-8 text",
    "not_utf8": r"is UTF-16 \(often called 'Unicode'\); save it as UTF-8"
    r"|byte 0x[0-9a-f]+ is not UTF-8 \(Latin-1 or Windows-1252\?\); save the file as UTF-8",
    "nothing_evaluated": "x_1: none of its 3 English or Mandarin segments lies in an evaluated region; expected times "
    "in milliseconds, here and in labels.csv",
    "nul_byte": "a NUL byte; expected UTF-8 text, not UTF-16 or a binary file",
    "off_scale": r".*; expected an integer (from -?\d+ to -?\d+|of -?\d+ or more)(, or an empty cell)?"
    "(, without (a decimal point|spaces around it))?",
    "one_class": "only one kind of response; expected both correct and incorrect responses",
    "one_language": ".* (segments to score; expected at least one of each"
    r"|in the evaluated regions; expected more than 0\.\d+ ms of each)",
    "out_of_bounds": ".*: .* '.*'; expected a number from .* to .*",
    "out_of_order": r"segment .* is not in the order of segments\.csv(; expected .* here)?",
    "overlapping_regions": r"x_1: this region overlaps the region that ends at \d+ ms",
    "repeated_language": r"segment .*: language 0 twice; expected English \(0\), then Mandarin \(1\)",
    "special_file": "is not an ordinary file",
    "starting_kit": "is the starting kit, not a submission; zip the files that your system wrote",
    "stray_header": "a header row in mid-file",
    "swapped_languages": r".*: its Mandarin line \(1\) comes before its English line \(0\); swap the two",
    "too_few_items": "2 responses; expected at least 3",
    "too_many_files": "more than (50 files|20000 entries in the zip)",
    "two_speakers": "utt_id a2: speaker S2, but S1 in an earlier row; expected one speaker for all of x_1, and the "
    "same one in all recordings that belong together. Rename the column if it shows who is talking in each segment",
    "unclosed_quote": "a quotation mark is not closed on its line, or text follows it",
    "unexpected_file": r"is not part of a submission \(.* expected\)(; .*)?",
    "unknown_column": "column overlap_diff_language; expected overlap_diff_lang",
    "unknown_item": r".* is not one of the \d+ \w+",
    "unknown_language": r"segment .*: language '.*'; expected 0 \(English\) or 1 \(Mandarin\)"
    "|language '.*'; expected 'English' or 'Mandarin'",
    "unknown_phone": r".*: '.*'(\.\.\.)? is not one of the 40 phones; (use AA, AE, AH, \.\.\. or the "
    "fillers <sil>, <spn>, <unk>|write .*)",
    "unknown_value": ".* ('.*'|is empty); expected '.*' or '.*'(, without spaces around it)?",
    "unreadable_file": "cannot be read: (No such file or directory|Too many levels of symbolic links)"
    "|is not an ordinary file",
    "unsafe_entry": "would be unpacked outside the submission's folder|is an entry without a name"
    "|has too long a name, or is nested in too many folders|contains a file and a folder of the same name",
    "unusable_id": f".* '.*'; {TYPED}",
    "unusable_name": f"(audio_name|utt_id) ('.*'|is empty); expected {NAME}",
    "unusable_speaker": f".* speaker '.*'; {TYPED}",
    "workbook": r"is (an Excel workbook \(\.xlsx\)|a LibreOffice document \(\.ods, \.odt or \.odp\)), not a zip of the "
    "files; save it in the text format that the task's page describes, and zip that file"
    r"|is a (Word document \(\.docx\)|PowerPoint presentation \(\.pptx\)), not a zip of the files; zip the files that "
    "your system wrote",
    "wrong_field_count": rf"\d+ fields?(; expected 3{FIELDS}| separated by (commas|tabs); the header has \d+)",
    "wrong_id": "segment .*: (expected .*|((, )?(recording|utt_id|start|end) '.*' instead of '.*')+)",
    "wrong_length": "length ('.*'|.*); end minus start is .*",
    "zip_too_large": "contains more than 512 MB when unpacked",
}
"""The whole message of the problems of each code, as a regular expression."""


def in_order(problems) -> list:
    return sorted(problems, key=lambda problem: problem.line or 10**9)


def faults(case, error, expected_error: type) -> list[str]:
    """The differences between a refusal and the table."""
    if error is None:
        return [f"{case.name}: accepted"]
    assert type(error) is expected_error, case.name
    problems = in_order(error.problems)
    rows = [(problem.code, problem.file, problem.line, problem.item) for problem in problems]
    codes = getattr(case, "codes", ())
    if codes:
        assert tuple(problem.code for problem in problems) == codes, case.name
        rows = rows[:1]
    wrong = []
    if sorted(rows, key=repr) != sorted(case.expected, key=repr):
        wrong.append(f"{case.name}: {rows}; expected {case.expected}")
    if case.words not in problems[0].message:
        wrong.append(f"{case.name}: {problems[0].message!r} without {case.words!r}")
    wrong += [
        f"{case.name}: {problem.message!r}"
        for problem in problems
        if not re.fullmatch(MESSAGES.get(problem.code, ".*"), problem.message)
    ]
    return wrong


def test_every_task_has_its_case():
    assert sorted(CASES) == task_names()


@pytest.mark.parametrize("task", CASES)
def test_the_good_submission_is_read_against_either_labelling(task, tmp_path):
    files = find_task(task).format
    case = CASES[task]
    references = [
        files.read_reference(encoded(content))
        for number, content in enumerate((case.reference, case.relabelled))
    ]
    assert case.reference != case.relabelled
    assert references[0].items == references[1].items
    files.read_submission(list_files(write_files(tmp_path / "res", case.submission)), references[0].items)


@pytest.mark.parametrize("task", CASES)
def test_each_corruption_gets_its_refusal(task):
    table = SUBMISSIONS[task]
    assert len({mutation.name for mutation in table}) == len(table)
    errors = [refusals(task)[mutation.name].error for mutation in table]
    wrong = [each for pair in zip(table, errors, strict=True) for each in faults(*pair, SubmissionError)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("task", CASES)
def test_each_corruption_of_a_reference_gets_its_refusal(task):
    table = list(bad_references(task))
    assert len({bad.name for bad in table}) == len(table)
    errors = [reference_refusals(task)[bad.name].error for bad in table]
    wrong = [each for pair in zip(table, errors, strict=True) for each in faults(*pair, ReferenceFileError)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("task", CASES)
def test_every_message_is_one_printable_line_of_bounded_length(task):
    for name, refusal in {**refusals(task), **reference_refusals(task)}.items():
        for line in str(refusal.error).splitlines():
            assert line.isprintable(), (name, line)
            assert len(line) < 700, (name, line[:200])


def refusal_sites() -> dict[Site, tuple[int, str]]:
    """Every `problems.add("code", ...)` in the readers: `(module, first line) -> (last line, code)`."""
    sites = {}
    paths = [path for room in ("formats", "challenges") for path in (ROOT / "spokeneval" / room).glob("*.py")]
    for path in sorted(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr in ("add", *HANDED_ON):
                code = node.args[node.func.attr == "add_problem"]
                if len(node.args) >= 3 and isinstance(code, ast.Constant):
                    sites[path.stem, node.lineno] = (node.end_lineno, code.value)
                ours = len(node.args) == 1 or isinstance(code, ast.Constant) or path.stem in HANDING_ON
                assert ours, (path, node.lineno)
    return sites


HANDING_ON = ("problems", "tables", "labelled_turns")
"""The modules of the methods in `HANDED_ON`."""


def other_refusals() -> list[Refusal]:
    """Refusals outside the tables: the two of the 50 % rule (a number of accepted responses, and the option to refuse),
    those of class sizes and times that no bundle contains, and those of a kind's own files."""
    sizes = encoded({"test_sheet.csv": "Id\n1\n", "class_sizes.json": '{"correct": "many"}'})
    times = encoded({"recordings.csv": "audio_name\nx.wav\n", "times.json": '{"latest_ms": 0}'})
    accepted = Answers(Items(("1", "2")), {"Accept": np.array([1, 1])})
    broken = {"decisions": Decisions(2, 3, 5, 0, 0)}
    turns = make_turns()
    options = Settings({"fifty_percent_rule": "reject"}, False, Signature("spoken_call"))
    return [
        observed(lambda: spoken_call.require_possible(accepted, {"correct": 1, "incorrect": 1})),
        observed(lambda: spoken_call.refuse_ineligible(broken, options)),
        observed(lambda: spoken_call.read_items(sizes)),
        observed(lambda: merlion_diarization.TASK.format.read_items(times)),
        *(observed(partial(read_submission, turns, files)) for files, _ in BAD_SUBMISSIONS),
        *(observed(partial(turns.format.read_reference, files)) for files, _ in BAD_REFERENCES),
    ]


def test_every_refusal_in_the_code_has_a_corruption_that_reaches_it():
    reached: set[Site] = set()
    tables = [table(task) for task in CASES for table in (refusals, reference_refusals)]
    for refusal in [*(each for table in tables for each in table.values()), *other_refusals()]:
        assert refusal.error is not None
        reached |= refusal.sites
    known = refusal_sites()
    assert len(known) > 60
    missed = [
        f"{module}.py line {first}: {code}"
        for (module, first), (last, code) in known.items()
        if not any(name == module and first <= line <= last for name, line in reached)
    ]
    assert not missed, "no corruption gets these refusals:\n" + "\n".join(missed)


def test_each_task_reaches_the_refusals_that_its_reader_promises():
    """If one task's reader lacked a shared check, the other tables would still reach it; so each task is checked."""
    everywhere = {
        *("missing_file", "unexpected_file", "metadata_file", "nested_folder", "link", "special_file"),
        *("unreadable_file", "not_accepted", "file_too_large", "not_utf8", "nul_byte"),
        *("carriage_return", "wrong_field_count", "bad_zip", "unsafe_entry", "duplicate_entry"),
        *("encrypted_zip", "zip_too_large"),
    }
    tables = {"empty_file", "missing_column", "duplicate_column", "unclosed_quote"}
    items = {"missing_item", "unknown_item", "duplicate_item"}
    for task in CASES:
        codes = Counter(p.code for r in refusals(task).values() if r.error for p in r.error.problems)
        promised = everywhere | (tables | items if task in SHEETS else set())
        promised |= items | {"wrong_id", "out_of_order"} if task == "merlion_identification" else set()
        assert promised <= set(codes), (task, promised - set(codes))
