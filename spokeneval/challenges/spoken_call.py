"""Spoken CALL: accept or reject each learner's response. Primary score: Dfull, higher is better.

The reference is the shared task's own sheet, in the layouts of its three editions. A submission has `accept` or
`reject` for each response. A submission that breaks the 50 % rule has a Dfull of 0, or is refused if the organiser
chose so for public labels.

Intervals are computed over speakers, given by the column `speaker` or by `user-NNN` in the names of the recordings. If
neither is available, responses are treated as independent.

Source: Overview of the third edition of the Spoken CALL Shared Task (2019), section 2.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, Optional

import numpy as np

from ..formats.format import Answers, Items, Sheet, parse_reference, read_answers, sheet_format
from ..formats.problems import FileProblems, Problems, ReferenceFileError, count_of
from ..formats.speakers import SPEAKER, SPEAKER_ALIASES, Units, choose_units
from ..formats.tables import Table, parse_table, read_table, split_row, words
from ..formats.text import Files, content_of, text_of
from ..kinds.decisions import DecisionsKind
from ..metrics import accept_reject as metrics
from ..task import AGREEMENT, HIGHER, LOWER, POSITIVE, Eligibility, Option, Score, Task
from ..trivial import always, at_random

CORRECT, INCORRECT = 1, 0

JUDGED = words({"correct": CORRECT, "incorrect": INCORRECT})

PUBLIC = ("Prompt", "Wavfile", "RecResult")
"""The columns of the sheet that participants get besides the ids."""

TRANSCRIPTION = "Transcription"
"""The column with the manual transcription; reports on public labels show it."""

REFERENCE = Sheet(
    "reference.csv",
    "Id",
    {"language": JUDGED, "meaning": JUDGED},
    noun="response",
    delimiter="\t",
    optional=(*PUBLIC, TRANSCRIPTION, SPEAKER),
    aliases=SPEAKER_ALIASES,
)

SUBMISSION = Sheet(
    "results.csv",
    "Id",
    {"Accept": words({"accept": 1, "reject": 0}, called="decision")},
    noun="response",
    delimiter="\t",
)

HEADERLESS = {
    7: ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning"),
    6: ("Id", "Prompt", "Wavfile", "Transcription", "language", "meaning"),
}
"""The columns of a sheet without a header row, `number of columns -> their names`."""

CLASS_SIZES_FILE = "class_sizes.json"

SHARE = f"{metrics.REQUIRED_PERCENT} %"
RULE = f"the {SHARE} rule"


def check_labels(answers: Answers, table: Table, problems: Problems) -> None:
    correct, incorrect_meaning = answers["language"] == CORRECT, answers["meaning"] == INCORRECT
    for row in np.flatnonzero(correct & incorrect_meaning).tolist():
        table.add_problem(problems, "contradictory_labels", row, "language is correct but meaning incorrect")
    if not problems and (correct.all() or not correct.any()):
        message = "only one kind of response; expected both correct and incorrect responses"
        problems.add("one_class", REFERENCE.file, message)


SHEETS = sheet_format(REFERENCE, SUBMISSION, list_file="test_sheet.csv", public=PUBLIC, check=check_labels)


def read_reference(files: Mapping[str, bytes]) -> Answers:
    """Read the labels of a sheet, with or without a header row."""
    problems = Problems(ReferenceFileError)
    return parse_reference(REFERENCE, read_rows(files, problems), problems, check_labels)


def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of the sheet, each with its item, in the form of `Format.rows`."""
    table = read_rows(files, Problems(ReferenceFileError))
    return {table.file: dict(zip(table.lines, table.ids))}


def read_rows(files: Mapping[str, bytes], problems: Problems) -> Table:
    """Read the sheet, with or without a header row. Further header rows are problems, and are left out."""
    given, layout = files.get(REFERENCE.file), REFERENCE.layout._replace(headerless=_headerless)
    if isinstance(given, Table):
        if given.header:
            given = given.without(_stray_headers(zip(given.lines, zip(*given.columns.values())), problems))
        return read_table({REFERENCE.file: given}, layout, problems)
    return parse_table(
        [_without_stray_headers(text_of(files, REFERENCE.file, problems), problems)], layout, problems
    )


def _headerless(cells: Sequence[str]) -> Optional[tuple[str, ...]]:
    """The names of the columns if the first line is a row; None if it is a header."""
    first = [cell.strip().lower() for cell in cells]
    is_row = "id" not in first and first[-1:] in (["correct"], ["incorrect"])
    return HEADERLESS.get(len(first)) if is_row else None


_MAYBE_HEADER = re.compile(r'^(?:[^\S\n\t]|")*id(?:[^\S\n\t]|")*\t', re.IGNORECASE | re.MULTILINE)
"""Matches the beginning of every header row, and of few other rows."""


def _without_stray_headers(text: str, problems: Problems) -> str:
    top = len(text) - len(text.lstrip("\n"))  # the number of blank lines at the top
    if not _MAYBE_HEADER.search(text, text.find("\n", top)):
        return text
    lines = text.split("\n")
    rows = ((number, split_row(line, "\t") or ()) for number, line in enumerate(lines[top + 1 :], top + 2))
    for number in _stray_headers(rows, problems):
        lines[number - 1] = ""
    return "\n".join(lines)


def _stray_headers(rows: Iterable[tuple[int, Sequence[str]]], problems: Problems) -> list[int]:
    """The lines of header rows below the first one, each of which is a problem."""
    stray = [
        line
        for line, cells in rows
        if cells
        and cells[0].strip().lower() == "id"
        and "language" in [cell.strip().lower() for cell in cells]
    ]
    for line in stray:
        problems.add("stray_header", REFERENCE.file, "a header row in mid-file", line=line)
    return stray


def public_files(reference: Answers, options: Mapping[str, str]) -> dict[str, bytes]:
    """The sheet without the labels; with the option `class_sizes: public`, also the number of correct responses."""
    files = SHEETS.public_files(reference, options)
    if options.get("class_sizes") == "public":
        correct = int((reference["language"] == CORRECT).sum())
        sizes = {"correct": correct, "incorrect": len(reference.items) - correct}
        files[CLASS_SIZES_FILE] = (json.dumps(sizes) + "\n").encode()
    return files


def read_items(files: Mapping[str, bytes]) -> Items:
    items = SHEETS.read_items(files)
    if CLASS_SIZES_FILE not in files:
        return items
    problems = Problems(FileProblems)
    content = content_of(files, CLASS_SIZES_FILE, problems, 1 << 16)
    try:
        sizes = json.loads(content)
        sizes = {kind: sizes[kind] for kind in ("correct", "incorrect")}
    except (ValueError, KeyError, TypeError, RecursionError):
        sizes = {}
    if not sizes or not all(type(size) is int for size in sizes.values()):
        message = "expected the numbers of correct and incorrect responses"
        problems.stop("bad_class_sizes", CLASS_SIZES_FILE, message)
    return replace(items, class_sizes=sizes)


def read_submission(files: Files, items: Items) -> Answers:
    submission = read_answers(SUBMISSION, files, items)
    if items.class_sizes is not None:
        require_possible(submission, items.class_sizes)
    return submission


def require_possible(submission: Answers, class_sizes: Mapping[str, int]) -> None:
    """Refuse a number of accepted responses with which the 50 % rule cannot be met, whatever the labels are.

    Only public numbers are used, so the refusal reveals no label.

    Raises
    ------
    SubmissionError
        Too few responses are accepted, or too few are rejected.
    """
    problems = Problems()
    accepts = int(submission["Accept"].sum())
    for count, kind, verb in (
        (accepts, "correct", "accepted"),
        (len(submission.items) - accepts, "incorrect", "rejected"),
    ):
        size = class_sizes[kind]
        if not metrics.is_required_share(count, size):
            message = f"{count_of(count, 'response')} {'is' if count == 1 else 'are'} {verb}; "
            message += f"{RULE} requires at least {SHARE} of the {size} {kind} ones to be {verb}"
            if count and metrics.is_required_share(len(submission.items) - count, size):
                message += "; are accept and reject swapped?"
            problems.add("rule_out_of_reach", SUBMISSION.file, message)
    problems.raise_if_any()


_USER = re.compile(r"user-\d+")


def units(reference: Answers) -> Units:
    """Speakers by their column, else by the recordings' names if each contains a user, else the responses."""
    users = [_USER.search(name) for name in reference.texts.get("Wavfile", ())]
    in_names = [user[0] for user in users if user] if all(users) else []
    speakers = reference.speakers if any(reference.speakers) else in_names
    return choose_units(reference.items.ids, "response", speaker=speakers)


def count(reference: Answers, submission: Answers) -> dict[str, metrics.Decisions]:
    return {
        "decisions": metrics.decisions_per_response(
            reference["language"] == CORRECT, reference["meaning"] == CORRECT, submission["Accept"] == 1
        )
    }


def refuse_ineligible(counts: Mapping[str, metrics.Decisions], options: Any) -> None:
    """Refuse a submission that breaks the 50 % rule, if the organiser chose so."""
    decisions = counts["decisions"]
    if options["fifty_percent_rule"] != "reject" or metrics.meets_fifty_percent_rule(decisions):
        return
    message = f"breaks {RULE}: accept at least {SHARE} of the correct responses, and reject at least {SHARE} of the "
    message += "incorrect ones"
    if options.labels_public:
        rates = metrics.accept_rate_correct(decisions), metrics.reject_rate_incorrect(decisions)
        message += f"; found {100 * rates[0]:.1f} % and {100 * rates[1]:.1f} %"
    Problems().stop("fifty_percent_rule", SUBMISSION.file, message)


class Responses(DecisionsKind):
    """The responses, for reports: their kinds, and the rule that a submission breaks."""

    answers, wanted = ("rejected", "accepted"), (1, 0, 0)
    texts = ("Prompt", "RecResult", TRANSCRIPTION)

    def expected(self, reference: Answers) -> np.ndarray:
        return np.asarray(2 - reference["language"] - reference["meaning"])

    def sides(self, reference: Answers, submission: Answers) -> tuple[np.ndarray, np.ndarray]:
        return self.expected(reference), submission["Accept"]

    def groupings(self, reference: Answers) -> dict[str, Sequence[str]]:
        return {"Prompt": reference.texts["Prompt"]} if "Prompt" in reference.texts else {}

    def broken(self, totals: Mapping[str, Any]) -> str:
        """The 50 % rule with the share that breaks it; empty if the submission meets the rule."""
        counts = totals["decisions"]
        if metrics.meets_fifty_percent_rule(counts):
            return ""
        accepted = metrics.false_accepts(counts, gross_weight=1)
        shares = (
            (counts.false_rejects, metrics.correct_responses(counts), "correct responses rejected"),
            (accepted, metrics.incorrect_responses(counts), "incorrect responses accepted"),
        )
        found = [
            f"{100 * part / whole:.1f} % of the {words} ({part:g} of {whole:g})"
            for part, whole, words in shares
            if whole and not metrics.is_required_share(whole - part, whole)
        ]
        return f"{RULE}: {' and '.join(found) or 'a class has no responses'}, at most {SHARE} allowed"


def eligible(decisions: metrics.Decisions) -> Any:
    """1 if the 50 % rule is met, else 0."""
    return metrics.meets_fifty_percent_rule(decisions) * 1


# fmt: off
SCORES = (
    Score("d_full", "Dfull", HIGHER, metrics.ranked_d_full,
          f"√(D · D_A) = √(CA · CR / (FA · FR)); 0 if {RULE} is broken", bounds=POSITIVE,
          interval=partial(metrics.d_interval, formula=metrics.ranked_d_full, exponents=(0.5, 0.5))),
    Score("d", "D", HIGHER, metrics.d, "RCR / RFR, the ratio of the reject rates", bounds=POSITIVE,
          interval=partial(metrics.d_interval, formula=metrics.d, exponents=(1.0, 0.0))),
    Score("d_a", "D_A", HIGHER, metrics.d_a, "RCA / RFA, the ratio of the accept rates", bounds=POSITIVE,
          interval=partial(metrics.d_interval, formula=metrics.d_a, exponents=(0.0, 1.0))),
    Score("precision", "Precision", HIGHER, metrics.precision, "CA / (CA + FA)", undefined=0.0),
    Score("recall", "Recall", HIGHER, metrics.recall, "CA / (CA + FR)"),
    Score("f_measure", "F", HIGHER, metrics.f_measure, "harmonic mean of precision and recall"),
    Score("scoring_accuracy", "Scoring accuracy", HIGHER, metrics.scoring_accuracy,
          "(CA + CR) / (CA + CR + FA + FR)"),
    Score("rcr", "RCR", HIGHER, metrics.relative_correct_reject_rate, "CR / (CR + FA), relative correct rejects"),
    Score("rfr", "RFR", LOWER, metrics.relative_false_reject_rate, "FR / (FR + CA), relative false rejects"),
    Score("rca", "RCA", HIGHER, metrics.recall, "CA / (FR + CA), relative correct accepts"),
    Score("rfa", "RFA", LOWER, metrics.relative_false_accept_rate, "FA / (CR + FA), relative false accepts"),
    Score("reject_rate_incorrect", "Incorrect rejected", HIGHER, metrics.reject_rate_incorrect,
          "CR / (CR + PFA + GFA)"),
    Score("accept_rate_correct", "Correct accepted", HIGHER, metrics.accept_rate_correct, "CA / (CA + FR)"),
    Score("eligible", "Eligible", HIGHER, eligible,
          f"1 if at least {SHARE} of the incorrect responses are rejected and {SHARE} of the correct ones accepted",
          bounds=None, whole=True),
    Score("d_full_raw", "Dfull without the rule", HIGHER, metrics.d_full,
          f"Dfull whether or not {RULE} is met", bounds=POSITIVE,
          interval=partial(metrics.d_interval, formula=metrics.d_full, exponents=(0.5, 0.5))),
    Score("ca", "CA", HIGHER, attrgetter("correct_accepts"), "correct responses accepted", bounds=None, whole=True),
    Score("cr", "CR", HIGHER, attrgetter("correct_rejects"), "incorrect responses rejected", bounds=None, whole=True),
    Score("fr", "FR", LOWER, attrgetter("false_rejects"), "correct responses rejected", bounds=None, whole=True),
    Score("pfa", "PFA", LOWER, attrgetter("plain_false_accepts"), "responses incorrect in language only, accepted",
          bounds=None, whole=True),
    Score("gfa", "GFA", LOWER, attrgetter("gross_false_accepts"), "responses incorrect in meaning too, accepted",
          bounds=None, whole=True),
    Score("matthews", "Matthews correlation", HIGHER, metrics.matthews_correlation,
          "correlation between correct and accepted responses, unweighted", bounds=AGREEMENT),
    Score("frr", "False rejection rate", LOWER, metrics.relative_false_reject_rate, "FR / (FR + CA), the same as RFR"),
    Score("far", "False acceptance rate", LOWER, metrics.false_acceptance_rate, "(PFA + GFA) / (CR + PFA + GFA)"),
)
# fmt: on


def partly_right(reference: Answers, right: np.ndarray) -> Answers:
    """A submission with the right decisions on the chosen responses, and the wrong ones on the others."""
    return Answers(
        reference.items, {"Accept": np.where(right, reference["language"], 1 - reference["language"])}
    )


TASK = Task(
    name="spoken_call",
    title="Spoken CALL",
    format=SHEETS._replace(
        list_files=(*SHEETS.list_files, CLASS_SIZES_FILE),
        read_reference=read_reference,
        public_files=public_files,
        read_items=read_items,
        read_submission=read_submission,
        rows=rows,
        headerless=HEADERLESS,
    ),
    units=units,
    count=count,
    scores=SCORES,
    right=lambda rows: rows["decisions"].correct_accepts + rows["decisions"].correct_rejects,
    labels=lambda reference: zip(reference["language"].tolist(), reference["meaning"].tolist()),
    view=Responses(("correct", "incorrect in language only", "incorrect in language and meaning")),
    options=(
        # flag: a submission that breaks the rule is scored, but its Dfull is 0. reject: its run fails.
        Option("fifty_percent_rule", ("flag", "reject"), public_only=("reject",)),
        # public: the number of correct responses is published, and a submission whose number of accepted responses
        # cannot meet the rule is refused before it is scored.
        Option("class_sizes", ("hidden", "public"), reveals=("public",)),
    ),
    refuse=refuse_ineligible,
    eligibility=Eligibility("eligible", "d_full_raw", f"breaks {SHARE} rule"),
    partly_right=partly_right,
    trivial={
        "everything accepted": always("Accept", 1),
        "everything rejected": always("Accept", 0),
        "accepted at random": at_random("Accept", (0, 1)),
    },
)
