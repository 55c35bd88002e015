"""Transcripts: what was said, in words or characters. Primary score: word or character error rate, lower is better.

Reference, `transcripts.csv`: an item and its transcript in each row; several rows of one item are several references.
Submission, `transcripts.csv`: one row an item. A transcript may be empty. Both sides are normalised by the same rules.
Errors in words go with errors in characters, spaces between words included, against the same reference. Where
characters are the unit, white space is left out, as is usual for languages that are written without it.
Source: `metrics.transcript_errors`, `formats.normalisation`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any, Optional

import numpy as np

from ..formats.cells import Parser
from ..formats.format import Items
from ..formats.normalisation import RULES, Normaliser, read_rules
from ..formats.problems import Problems, ReferenceFileError, count_of
from ..formats.sheets import Answers, Sheet, sheet_format
from ..formats.speakers import check_speakers
from ..formats.tables import Table, check_ids, read_table
from ..metrics import transcript_errors as metrics
from ..task import LOWER, POSITIVE, Score, Task
from ..trivial import always
from .kind import COMMON, Kind, Parameter, one_table, units_by

FILE = "transcripts.csv"
COLUMN = "transcript"
WORDS, CHARACTERS = "words", "characters"
FEWEST = 1000
"""A reference has at least one word in so many transcripts, so that no rate exceeds what a platform can store."""

PLAIN = Normaliser()


def transcripts(
    name: str,
    title: str,
    *,
    units: str = WORDS,
    normalise: Normaliser = PLAIN,
    clip: Optional[float] = None,
    id: str = "id",
    item: str = "item",
    unit: str = "speaker",
) -> Task:
    """Return a task that asks for transcripts.

    Parameters
    ----------
    units
        What is compared, `words` or `characters`.
    normalise
        The rules for both sides.
    clip
        The largest rate of a single utterance in the mean over utterances, 1; None for no limit.
    id, item, unit
        See `kind`.
    """
    cells = _symbols(normalise, units)
    reference = one_table(FILE, {COLUMN: cells}, id=id, item=item, unit=unit)
    submission = one_table(FILE, {COLUMN: cells}, id=id, item=item)
    form = sheet_format(reference, submission, list_file="items.csv", check=lambda *_: None)
    return Task(
        name=name,
        title=title,
        format=form._replace(read_reference=partial(_read_reference, reference, units=units)),
        units=units_by(item, unit),
        count=partial(_count, units=units),
        scores=_scores(units, item, clip),
        right=lambda rows: 1 - rows[units].clipped_rates,
        labels=lambda answers: [symbol for row in answers[COLUMN] for symbol in chain(*row)],
        trivial={"nothing recognised": always(COLUMN, [])},
    )


def _symbols(normaliser: Normaliser, units: str) -> Parser:
    """A parser for cells of text, which gives lists of words, or of characters without white space."""

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        words = normaliser.words(table.columns[column])
        cells = np.empty(len(words), dtype=object)
        cells[:] = words if units == WORDS else [list("".join(line)) for line in words]
        return cells

    return parse


def _read_reference(sheet: Sheet, files: Mapping[str, bytes], *, units: str) -> Answers:
    """The references of each item, in the order in which the items appear first.

    Raises
    ------
    ReferenceFileError
        Ids that cannot be used, an item with two speakers, or hardly any words.
    """
    problems = Problems(ReferenceFileError)
    table = read_table(files, sheet.layout, problems)
    first: dict[str, int] = {}
    for row, name in enumerate(table.ids):
        first.setdefault(name, row)
    kept = {name: [cells[row] for row in first.values()] for name, cells in table.columns.items()}
    items = Table(table.file, table.id, kept, [table.lines[row] for row in first.values()])
    check_ids(items, problems, noun=sheet.noun)
    check_speakers(table, problems)
    for optional in sheet.optional:
        for row, cell in enumerate(table.columns.get(optional, ())):
            earlier = first[table.ids[row]]
            if cell != table.columns[optional][earlier]:
                message = (
                    f"another {optional} than on line {table.lines[earlier]}; expected one per {sheet.noun}"
                )
                table.add_problem(problems, "two_speakers", row, message)
    symbols = sheet.columns[COLUMN](table, COLUMN, problems)
    references: dict[str, list[Any]] = {name: [] for name in first}
    for name, cell in zip(table.ids, symbols):
        references[name].append(cell)
    total = sum(map(len, symbols))
    if not problems and FEWEST * total < max(FEWEST, len(symbols)):
        found = f"{count_of(total, units[:-1])} in {count_of(len(symbols), 'transcript')}"
        problems.add("no_words", sheet.file, f"{found}; expected at least one in {FEWEST} transcripts")
    problems.raise_if_any()
    column = np.empty(len(first), dtype=object)
    column[:] = list(references.values())
    texts = {name: kept[name] for name in (sheet.id, *sheet.optional) if name in kept}
    return Answers(Items(tuple(first)), {COLUMN: column}, texts)


def _count(reference: Answers, submission: Answers, *, units: str) -> dict[str, metrics.TranscriptErrors]:
    """Errors in words and in characters against the same reference; or in characters only."""
    references = [symbols for row in reference[COLUMN] for symbols in row]
    utterance = [place for place, row in enumerate(reference[COLUMN]) for _ in row]
    hypothesis = submission[COLUMN].tolist()
    if units == CHARACTERS:
        return {CHARACTERS: metrics.errors_per_utterance(references, hypothesis, utterance=utterance)}
    words, places = metrics.best_references(references, hypothesis, utterance)
    chosen = [" ".join(references[place]) for place in places]
    return {WORDS: words, CHARACTERS: metrics.errors_per_utterance(chosen, list(map(" ".join, hypothesis)))}


# fmt: off
def _scores(units: str, item: str, clip: Optional[float]) -> tuple[Score, ...]:
    """The scores: rates in the unit, then CER beside WER."""
    key, title = ("wer", "WER") if units == WORDS else ("cer", "CER")
    unit = units[:-1]
    mean, words = (metrics.mean_rate, "") if clip is None else (metrics.mean_clipped_rate, ", each at most 100 %")
    rates = (
        Score(key, title, LOWER, metrics.error_rate, f"{unit} error rate: errors per reference {unit}", of=units,
              percent=True, bounds=POSITIVE, best=0),
        Score("substitutions", "Substitutions", LOWER, metrics.substitution_rate,
              f"{units} recognised as another {unit}, per reference {unit}", of=units, percent=True),
        Score("deletions", "Deletions", LOWER, metrics.deletion_rate, f"missing {units}, per reference {unit}",
              of=units, percent=True),
        Score("insertions", "Insertions", LOWER, metrics.insertion_rate, f"added {units}, per reference {unit}",
              of=units, percent=True, bounds=POSITIVE),
        Score("wrong", f"Wrong {item}s", LOWER, metrics.wrong_utterances, f"share of the {item}s with an error",
              of=units, percent=True),
        Score(f"mean_{key}", f"Mean {title}", LOWER, mean, f"mean of the {item}s' own {title}{words}", of=units,
              percent=True, bounds=POSITIVE),
    )
    cer = Score("cer", "CER", LOWER, metrics.error_rate,
                "character error rate, spaces between words included", of=CHARACTERS, percent=True, bounds=POSITIVE)
    return (*rates, cer) if units == WORDS else rates
# fmt: on


def _units(value: Any) -> str:
    if value not in (WORDS, CHARACTERS):
        raise ValueError(f"{value!r}; expected {WORDS} or {CHARACTERS}")
    return str(value)


def _clip(value: Any) -> Optional[float]:
    if value not in (None, 1):
        raise ValueError(f"{value!r}; expected 1, or nothing")
    return value


TRANSCRIPTS = Kind(
    "transcripts",
    "what was said in each item, in words or characters",
    (
        Parameter(
            "units",
            "What is compared: words (WER, with CER beside it), or characters (CER, without white space).",
            _units,
            WORDS,
            WORDS,
        ),
        Parameter(
            "normalise",
            "What is done with both transcripts before they are compared, in this order: "
            + "; ".join(f"{rule.name}, {rule.description}" for rule in RULES)
            + ".",
            read_rules,
            ["nfkc", "casefold", "drop_punctuation"],
            [],
        ),
        Parameter(
            "clip",
            "1 limits each item's own rate in the mean over items; without it there is no limit.",
            _clip,
            1,
            None,
        ),
        *COMMON,
    ),
    transcripts,
)
