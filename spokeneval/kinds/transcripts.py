"""Transcripts: what was said, in words, characters or phones. Primary score: an error rate, lower is better.

Reference, `transcripts.csv`: an item and its transcript in each row; several rows of one item are several references.
Submission, `transcripts.csv`: one row an item. A transcript may be empty. Both sides are normalised by the same rules.
Errors in words go with errors in characters, spaces between words included, against the same reference. Where
characters are the unit, white space is left out. Phones are separated by white space and belong to an inventory;
`metrics.phoneme_recognition.FILLERS` are left out. With features the primary score is the feature error rate, with
phone errors against the same reference. With canonical pronunciations it is the F1 of detected mispronunciations: where
the reference, of several the one with the lowest error rate, differs from the canonical phones, which all get.
Source: `metrics.transcript_errors`, `metrics.phoneme_recognition`, `metrics.mispronunciation`, `formats.normalisation`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, Callable, Optional, Union

import numpy as np

from ..formats.format import Answers, Format, Items, Sheet, read_sheet, sheet_format
from ..formats.normalisation import Normaliser
from ..formats.phones import check_phones, nearest_phones
from ..formats.problems import Problems, ReferenceFileError, count_of, some_of
from ..formats.speakers import check_speakers
from ..formats.tables import Parser, Table, check_ids
from ..formats.text import size_limit
from ..formats.transcript_files import KEYS, transcript_tables
from ..metrics import mispronunciation
from ..metrics import phoneme_recognition as recognition
from ..metrics import transcript_errors as metrics
from ..metrics.counts import taken
from ..metrics.phoneme_recognition import FeatureTable
from ..task import Score
from ..trivial import always
from .kind import (
    Kind,
    ParameterError,
    id_parameter,
    item_parameter,
    one_of,
    one_table,
    optional_text,
    parameter,
    unit_parameter,
)
from .pronunciations import DETECTIONS, check_pronunciations, detection_scores
from .transcript_scores import (
    CHARACTERS,
    FEATURES,
    PHONES,
    POOLED,
    WORDS,
    check_total,
    feature_error_rate,
    normalise_parameter,
    transcript_scores,
)
from .word_tags import TAGS, check_tags, part_of, tag_cells, tag_names, tag_scores

FILE = "transcripts.csv"
COLUMN = "transcript"
ARPABET = "arpabet"
"""Names the inventory and the features of `metrics/arpabet_features.tsv`."""
MOST_PHONES = 500
"""The most phones of an inventory: costs are tables of all pairs."""

LOWEST, FEWEST, MERGED = "lowest_rate", "fewest_errors", "merged"

Inventory = Union[str, tuple[str, ...], None]
"""Phones, `arpabet`, or none."""


def _phone_names(value: Any) -> Inventory:
    if value is None or value == ARPABET:
        return None if value is None else ARPABET
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError(f"{value!r}; expected a list of phones, or {ARPABET}")
    for phone in value:
        if not isinstance(phone, str):
            raise ValueError(
                f"phone {phone!r}; expected a text, in quotation marks if it is a number or a yes"
            )
        if phone.split() != [phone] or phone in recognition.FILLERS:
            raise ValueError(f"phone {phone!r}; expected one word that is not a filler")
    phone, times = Counter(value).most_common(1)[0]
    if times > 1:
        raise ValueError(f"phone {phone!r} {times} times; expected it once")
    return tuple(value)


def _features(value: Any) -> Optional[FeatureTable]:
    if value is None:
        return None
    rows = value if isinstance(value, (list, tuple)) else []
    if not rows or not all(isinstance(row, (list, tuple)) and row for row in rows) or rows[0][0] != "phone":
        raise ValueError(
            f"{value!r:.100}; expected rows: phone and the names of features, then one for each phone"
        )
    header, *symbols = [tuple(map(str, row)) for row in rows]
    return FeatureTable(tuple(row[0] for row in symbols), header[1:], tuple(row[1:] for row in symbols))


@dataclass(frozen=True)
class TranscriptsKind(Kind):
    """A task that asks for transcripts."""

    # fmt: off
    units: str = parameter(
        "What is compared: words (WER, with CER beside it), characters (CER, without white space), phones (PER).",
        one_of(WORDS, CHARACTERS, PHONES), WORDS, WORDS)
    phones: Inventory = parameter(
        f"For units: phones, the inventory: a list such as [p, t, k], or {ARPABET} (39 phones of ARPAbet and DX, with "
        "features). Leave it out for all phones of the table of features.", _phone_names, None, None)
    features: Optional[FeatureTable] = parameter(
        "For units: phones, a file of your folder for the feature error rate (FER), then the primary score: a header "
        "of phone and the names of the features, then one row for each phone with +, -, 0, +- or -+.", _features, None,
        None)
    canonical: str = parameter(
        "For units: phones, a column of the reference with canonical pronunciations, which participants get: F1 of "
        "detected mispronunciations, false acceptances and rejections, diagnostic errors. The column `transcript` has "
        "the phones that were spoken.", optional_text, None, None)
    normalise: Normaliser = normalise_parameter()
    clip: Union[int, str, None] = parameter(
        f"1 limits each item's own rate in the mean over items. {POOLED} limits the errors of each item to its length "
        "in all rates, by leaving out insertions, unless its reference is empty, and CER takes the reference that is "
        "best by CER, as in SAPC2. Without it there is no limit.", one_of(None, 1, POOLED), 1, None)
    best: str = parameter(
        f"Which of several references of an item counts: {LOWEST}, that with the lowest error rate; {FEWEST}, that "
        "with the fewest errors; of equal ones the longest, then the first.", one_of(LOWEST, FEWEST), LOWEST, LOWEST)
    unk: str = parameter(
        "For units: words, a word for unintelligible speech, such as unk. A word that is aligned with it is correct; "
        "elsewhere it is left out of references and submissions.", optional_text, None, None)
    compounds: Optional[str] = parameter(
        f"For units: words, {MERGED}: a word that the other side writes as two or more words is correct, such as "
        "icecream for ice cream, or ice cream for icecream. References keep their number of words, and CER counts "
        "spaces as before. WER is then that of kaldialign's merge_compounds, as in the Open ASR Leaderboard.",
        one_of(None, MERGED), None, None)
    tags: tuple[str, ...] = parameter(
        "For units: words, the tags of words, such as the languages [zh, en] of mixed speech, for the WER of each. "
        "The reference then has a column `tags` with one of them for each word of `transcript`, between spaces. A "
        "wrong or missing word counts for its own tag; an added one for that of the reference word before it, or of "
        "the first; for none if the reference has no words.", tag_names, ["zh", "en"], None)
    id: str = id_parameter(
        "The column that names an item, in the reference and in submissions. Several rows of the reference with one id "
        "are several references, of which one counts; see best.")
    item: str = item_parameter()
    unit: str = unit_parameter()
    # fmt: on

    name = "transcripts"
    description = "what was said in each item, in words, characters or phones"
    opening = "Transcribe each {item}."
    texts_as_labels = True

    def __post_init__(self) -> None:
        inventory, table = self.inventory
        if self.pooled and table is not None:
            message = f"{POOLED}; expected 1 or none with features, whose error rate it does not limit"
            raise ParameterError("clip", message)
        unknown = self.normalise.words([self.unk])[0]
        if self.unk and (self.units != WORDS or len(unknown) != 1):
            many = f"the rules make {len(unknown)} words of {self.unk!r}"
            found = f"units are {self.units}" if self.units != WORDS else many
            raise ParameterError("unk", f"{found}; expected one word, with units: {WORDS}")
        for phone, kept in zip(inventory, self.normalise.words(inventory)):
            if kept != [phone]:
                found = f"the rules change the phone {phone!r} to {' '.join(kept)!r}"
                raise ParameterError("normalise", f"{found}; expected rules that keep it")
        if self.canonical and (self.units != PHONES or self.canonical in (self.id, self.unit, COLUMN)):
            another = f"{self.canonical!r} is another column"
            found = another if self.units == PHONES else f"units are {self.units}"
            raise ParameterError("canonical", f"{found}; expected a column of its own, with units: {PHONES}")
        if self.compounds and (self.units != WORDS or self.unk or self.tags):
            expected = f"units: {WORDS}, without unk and tags, for which words are paired one by one"
            raise ParameterError("compounds", f"expected {expected}")
        if self.tags and (self.units != WORDS or self.unk or self.pooled):
            expected = f"units: {WORDS}, without unk and clip: {POOLED}, which leave out words"
            raise ParameterError(TAGS, f"expected {expected}")
        if self.tags and TAGS in (self.id, self.unit):
            raise ParameterError(TAGS, f"the column {TAGS} is also id or unit; give that one another name")

    @property
    def pooled(self) -> bool:
        """Whether the errors of each item are limited to its length in all rates."""
        return self.clip == POOLED

    @cached_property
    def inventory(self) -> tuple[tuple[str, ...], Optional[FeatureTable]]:
        """The phones, none for other units, and the table of their features."""
        return _inventory(self.units, self.phones, self.features)

    def feature_table(self) -> Optional[FeatureTable]:
        return self.inventory[1]

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """Arguments of `best_references`, with the word for what could not be understood as the rules write it."""
        choose = metrics.lowest_clipped_rates if self.pooled else metrics.lowest_rates
        return {
            "choose": choose if self.best == LOWEST else metrics.fewest_errors,
            "unknown": self.normalise.words([self.unk])[0][0] if self.unk else "",
            "merge_compounds": bool(self.compounds),
        }

    def format(self) -> Format:
        reference = one_table(FILE, self.columns(limited=False), id=self.id, item=self.item, unit=self.unit)
        if not (self.canonical or self.tags):  # other formats have no column for it
            reference = replace(reference, others=transcript_tables(self.id, COLUMN, "text"))
        submission = one_table(FILE, self.columns(limited=True), id=self.id, item=self.item)
        submission = replace(submission, others=transcript_tables(self.id, COLUMN, *KEYS))
        public = (self.canonical,) if self.canonical else ()
        form = sheet_format(reference, submission, public=public, check=lambda *_: None)
        read = partial(_read_reference, reference, units=self.units, canonical=self.canonical, tags=self.tags)
        return form._replace(read_reference=read)

    def columns(self, *, limited: bool) -> dict[str, Parser]:
        """The columns of a submission, or of a reference."""
        cells = {COLUMN: _symbols(self.normalise, self.units, self.inventory[0], limited=limited)}
        if not limited and self.canonical:
            cells[self.canonical] = cells[COLUMN]
        if not limited and self.tags:
            cells[TAGS] = tag_cells(self.normalise, self.tags, COLUMN)
        return cells

    def expected(self, reference: Any) -> list[Any]:
        """The references of each item."""
        return list(reference[COLUMN].tolist())

    def given(self, submission: Any) -> list[Any]:
        return list(submission[COLUMN].tolist())

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        """Errors in words and in characters against the same reference, in features and phones, or in one unit only.

        With `clip`, CER has a reference of its own: the one that is best by CER, as in SAPC2.
        With canonical pronunciations, also the detections of mispronunciations, against the same reference.
        """
        units, table, clip = self.units, self.inventory[1], self.pooled
        choose, unknown = self.chosen["choose"], self.chosen["unknown"]
        references = [symbols for row in reference[COLUMN] for symbols in row]
        utterance = [place for place, row in enumerate(reference[COLUMN]) for _ in row]
        hypothesis = submission[COLUMN].tolist()
        counts: dict[str, Any]
        if table:
            heard = [hypothesis[place] for place in utterance]
            costs = recognition.errors_per_utterance(references, heard, table=table)
            places = choose(costs.feature_cost, costs.reference_features, utterance)
            same = [references[place] for place in places]
            counts = {FEATURES: taken(costs, places), PHONES: metrics.errors_per_utterance(same, hypothesis)}
        else:
            errors, places = metrics.best_references(references, hypothesis, utterance, **self.chosen)
            counts, same = {units: errors}, [references[place] for place in places]
        if self.tags:
            tags = list(chain.from_iterable(reference[TAGS]))
            by_tag = metrics.errors_by_tag(
                same, hypothesis, [tags[place] for place in places], len(self.tags)
            )
            counts.update({part_of(number): rows for number, rows in enumerate(by_tag)})
        if units == WORDS:
            if clip:
                same, hypothesis = references, [hypothesis[place] for place in utterance]
            if unknown:
                same, hypothesis = metrics.without_unknown(same, hypothesis, unknown)
            characters = metrics.errors_per_utterance(
                *(list(map(" ".join, side)) for side in (same, hypothesis))
            )
            if clip:
                lengths = characters.reference_length
                characters = taken(characters, choose(metrics.errors(characters), lengths, utterance))
            counts[CHARACTERS] = characters
        if clip:
            counts.update(
                {part: metrics.clipped(counts[part]) for part in (units, CHARACTERS) if part in counts}
            )
        if self.canonical:
            pronounced = reference[self.canonical].tolist()
            counts[DETECTIONS] = mispronunciation.detections_per_utterance(pronounced, same, hypothesis)
        return counts

    def all_scores(self) -> tuple[Score, ...]:
        return (
            *(detection_scores() if self.canonical else ()),
            *([feature_error_rate(self.item)] if self.inventory[1] else []),
            *transcript_scores(self.units, self.item, self.clip),
            *tag_scores(self.tags),
        )

    def right(self, rows: Mapping[str, Any]) -> Any:
        return 1 - rows[self.units].clipped_rates

    def labels(self, reference: Answers) -> list[str]:
        return [symbol for row in reference[COLUMN] for symbol in chain(*row)]

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        return {"nothing recognised": always(COLUMN, [])}

    def partly_right(self, reference: Answers, right: np.ndarray) -> Answers:
        """A submission in which the chosen items have their first reference, and the others nothing."""
        column = np.empty(len(right), dtype=object)
        column[:] = [references[0] if chosen else [] for references, chosen in zip(reference[COLUMN], right)]
        return Answers(reference.items, {COLUMN: column})


def _symbols(normaliser: Normaliser, units: str, inventory: tuple[str, ...], *, limited: bool) -> Parser:
    """A parser for cells of text: lists of words, of characters without white space, or of phones without fillers.

    With `limited`, the limit on a file's size holds after normalisation, too.
    """

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        words: list[list[str]] = []
        try:
            words = normaliser.words(table.columns[column], size_limit(len(table)) if limited else None)
        except ValueError as error:
            problems.stop("file_too_large", table.file, f"{column}: {error}")
        if units == PHONES:
            phones = list(map(recognition.drop_fillers, words))
            return check_phones(table, phones, inventory, recognition.FILLERS, nearest_phones, problems)
        cells = np.empty(len(words), dtype=object)
        cells[:] = words if units == WORDS else [list("".join(line)) for line in words]
        return cells

    return parse


def _inventory(
    units: str, phones: Inventory, features: Optional[FeatureTable]
) -> tuple[tuple[str, ...], Optional[FeatureTable]]:
    """The phones, none for other units, and the table of their features."""
    if units != PHONES:
        for name, value in (("phones", phones), ("features", features)):
            if value is not None:
                raise ParameterError(name, f"units are {units}; expected {name} with units: {PHONES} only")
        return (), None
    if phones == ARPABET:
        if features is not None:
            raise ParameterError(
                "features", f"phones: {ARPABET} has features of its own; leave out one of the two"
            )
        features, phones = recognition.arpabet_features(), None
    if features is not None and phones is not None:
        rows = dict(zip(features.phones, features.symbols))
        missing = [phone for phone in phones if phone not in rows]
        if missing:
            raise ParameterError(
                "features", f"no row for {count_of(len(missing), 'phone')}: {some_of(missing, 8)}"
            )
        features = FeatureTable(tuple(phones), features.features, tuple(rows[phone] for phone in phones))
    inventory = tuple(features.phones if features else phones or ())
    if not 0 < len(inventory) <= MOST_PHONES:
        found = f"{len(inventory)} phones" if inventory else "missing"
        raise ParameterError("phones", f"{found}; expected a list of 1 to {MOST_PHONES} phones, or {ARPABET}")
    return inventory, features


def _read_reference(
    sheet: Sheet, files: Mapping[str, bytes], *, units: str, canonical: str, tags: tuple[str, ...]
) -> Answers:
    """The references of each item, in the order in which the items appear first.

    Raises
    ------
    ReferenceFileError
        Ids that cannot be used, an item with two speakers, or hardly any words.
    """
    problems = Problems(ReferenceFileError)
    table = read_sheet(sheet, files, problems)
    first: dict[str, int] = {}
    for row, name in enumerate(table.ids):
        first.setdefault(name, row)
    kept = {name: [cells[row] for row in first.values()] for name, cells in table.columns.items()}
    items = replace(table, columns=kept, lines=[table.lines[row] for row in first.values()])
    check_ids(items, problems, noun=sheet.noun)
    check_speakers(table, problems)
    once = dict.fromkeys(sheet.optional, "two_speakers")
    once.update({canonical: "two_pronunciations"} if canonical else {})
    for name, code in once.items():
        for row, cell in enumerate(table.columns.get(name, ())):
            earlier = first[table.ids[row]]
            if cell != table.columns[name][earlier]:
                place = f"{table.place} {table.lines[earlier]}"
                message = f"another {name} than on {place}; expected one per {sheet.noun}"
                table.add_problem(problems, code, row, message)
    symbols = sheet.columns[COLUMN](table, COLUMN, problems)
    check_total(sum(map(len, symbols)), len(symbols), units[:-1], sheet.file, problems)
    column = _by_item(table.ids, symbols)
    read = {COLUMN: column}
    if tags:
        read[TAGS] = _by_item(table.ids, sheet.columns[TAGS](table, TAGS, problems))
        check_tags(read[TAGS].tolist(), tags, sheet.file, problems)
    if canonical:
        read[canonical] = sheet.columns[canonical](items, canonical, problems)
        check_pronunciations(read[canonical], column, items, canonical, problems)
    problems.raise_if_any()
    texts = {name: kept[name] for name in (sheet.id, *once) if name in kept}
    return Answers(Items(tuple(first)), read, texts)


def _by_item(ids: Sequence[str], cells: Iterable[Any]) -> np.ndarray:
    """The cells of each item, in the order in which the items appear first."""
    found: dict[str, list[Any]] = {}
    for item, cell in zip(ids, cells):
        found.setdefault(item, []).append(cell)
    column = np.empty(len(found), dtype=object)
    column[:] = list(found.values())
    return column
