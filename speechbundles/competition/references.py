"""Reference sets: the organiser's label files, read by the same code that the scoring program uses.

The public facts about a set (the item list, the class sizes) are derived from these files.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from speechbundles.competition.intake.commas import refused_commas
from speechbundles.competition.intake.declared import NOTHING_DECLARED, Declared
from speechbundles.competition.intake.ids import describe_alike, units_by_column
from speechbundles.competition.intake.own_words import in_own_words, listed_in_own_words, unused_labels
from speechbundles.competition.intake.reference import read_tables
from speechbundles.competition.intake.table import OwnTable
from speechbundles.competition.set_facts import SetFacts, public_lists, set_facts
from speechbundles.model.errors import BadReference, UnreadableFile
from speechbundles.model.text import PROGRAM
from spokeneval.formats.format import Format
from spokeneval.formats.problems import Problem, ReferenceFileError, count_of, quote, some_of
from spokeneval.formats.speakers import unused_speakers
from spokeneval.formats.tables import Layout, alike
from spokeneval.scoring.reference import NO_ROW, Reference
from spokeneval.task import Task

MANY_ROWS = 20
"""With so many rows that cannot be used, the labels are probably not those of the task."""

DROP = "--drop-invalid-reference-rows"


@dataclass(frozen=True)
class ReferenceSet:
    """One reference set of a task.

    Attributes
    ----------
    files: the files of the bundle's reference data, `name -> content`; only the open part if a share is sealed.
    public: the files that participants and the ingestion program get, `name -> content`.
    items: the ids of the items.
    source: the organiser's file or folder.
    facts: the facts shown on pages; they describe the whole set, also if a share is sealed.
    definition: the task, with the organiser's options.
    options: the organiser's choices of the task's options.
    dropped: invalid rows that were left out on request: how many of which classes, then the first ones with their
        reasons.
    unused: for each file, the columns that look like labels and are not used, in one line, and the repeated rows.
    parsed: the labels read from `files`.
    at_home: the files that only the organiser keeps if a share is sealed, `name -> content`: `all/`, the whole
        reference, and `sealed/`, the sealed part.
    """

    task: str
    name: str
    files: Mapping[str, bytes]
    public: Mapping[str, bytes]
    items: tuple[str, ...]
    source: Path = field(compare=False)
    facts: SetFacts
    parsed: Reference = field(compare=False, repr=False)
    definition: Task = field(compare=False, repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    at_home: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        return self.parsed.fingerprint

    @property
    def units_by_column(self) -> dict[str, Mapping[str, str]]:
        """The units of the items, such as speakers and the other side of trials, `column -> item -> unit`."""
        return units_by_column(self.definition, self.parsed.labels)

    @property
    def rows(self) -> set[str]:
        """The lines of all files, without the first line of each, which is usually a header."""
        return _rows(self.files)

    @property
    def sealed_rows(self) -> set[str]:
        """The lines that no platform may have; empty if nothing is sealed."""
        return _rows(self.at_home) - self.rows


def _rows(files: Mapping[str, bytes]) -> set[str]:
    texts = (content.decode("utf-8-sig").split("\n") for content in files.values())
    return {line for lines in texts for line in [*filter(None, map(str.strip, lines))][1:]}


class ReadLabels(NamedTuple):
    """The labels of a set, with the files of the bundle's reference data and the tables that these are from.

    Attributes
    ----------
    dropped: the lines that were left out of each table, by its file.
    reasons: why they were left out.
    """

    labels: Any
    files: Mapping[str, bytes]
    tables: Sequence[OwnTable]
    dropped: Mapping[str, Collection[int]]
    reasons: Sequence[Problem]


def load_reference(
    default: Task,
    name: str,
    path: Path,
    options: Mapping[str, str],
    *,
    declared: Declared = NOTHING_DECLARED,
    drop_invalid_rows: bool = False,
    dropping: str = DROP,
    log: Callable[[str], None] = lambda line: None,
) -> ReferenceSet:
    """Read a set with `read_labels`, and derive what a bundle and its pages need.

    Raises
    ------
    BadReference: as `read_labels`; or ids differ in spelling only.
    """
    task = default.with_options(options)
    own = read_labels(task, name, path, declared, drop_invalid_rows, dropping=dropping, log=log)
    labels, tables = own.labels, own.tables
    if declared.place and (alike := describe_alike(task, labels, tables, declared.distinct, name)):
        raise BadReference(f"{_called(task, name, path)}\n{alike}")
    read = [
        (layout, table, own.dropped[table.file])
        for layout, table in zip(task.format.layouts, tables, strict=True)
    ]
    public = task.format.public_files(labels, options)
    lists = public_lists(public)
    published = {column for rows in lists for column in rows[0]}
    units = task.units(labels)
    columns = [column for table in tables for column in table.columns]
    return ReferenceSet(
        task=task.name,
        name=name,
        files=own.files,
        public=public,
        items=tuple(labels.items.ids),
        source=path,
        # The lists of declared tasks have times in other units, if any.
        facts=set_facts(units, len(labels.items), [] if task.declaration else lists, read),
        parsed=Reference(labels, labels.items, files=own.files),
        definition=task,
        options=options,
        dropped=tuple(_describe_dropped(read, listed_in_own_words(own.reasons, tables))),
        unused=(
            *(line for layout, table, _ in read for line in unused_labels(table, layout, published)),
            *(line for each in read for line in _repeated(*each)),
            *unused_speakers(columns, units.called, task.declaration),
        ),
    )


def read_labels(
    task: Task,
    name: str,
    path: Path,
    declared: Declared,
    drop_invalid_rows: bool,
    *,
    dropping: str = DROP,
    log: Callable[[str], None] = lambda line: None,
) -> ReadLabels:
    """Read the labels from a folder with the reference files, or from the file itself if the task has only one.

    Parameters
    ----------
    task: the task, with the organiser's options.
    declared: what the organiser declares about the files.
    drop_invalid_rows: leave out invalid rows instead of refusing them; also if they are declared to be left out.
    dropping: how the user has invalid rows left out, for the refusal.
    log: called with one line for each file, before its rows are checked: how it was read.

    Raises
    ------
    BadReference: missing or unusable files; the message lists every invalid row.
    """
    where = _called(task, name, path)
    tables = _read(task, name, path, declared, where, log)
    reasons: dict[tuple[str, int | None], Problem] = {}
    dropped: dict[str, set[int]] = {table.file: set() for table in tables}
    while True:
        try:
            labels = _check(task.format, tables, dropped)
            break
        except ReferenceFileError as error:
            rows = [
                problem
                for problem in error.problems
                if problem.code not in NO_ROW and problem.line and problem.line not in dropped[problem.file]
            ]
            if not rows or not (drop_invalid_rows or declared.drop_invalid_rows):
                hint = f"{dropping} leaves such rows out." if rows and not reasons else ""
                if declared.place:
                    hint = _scale_hint(task, rows) or _label_hint(task, rows, dropping)
                    hint = hint or _hint(task, name, error, rows, dropping if not reasons else "")
                refusal = _refusal(error, tables, [*reasons.values()], hint)
                raise BadReference(f"{where}{refusal}") from None
            for problem in rows:
                reasons.setdefault((problem.file, problem.line), problem)
                dropped[problem.file].add(problem.line or 0)
    if any(table.unchanged is None for table in tables):  # the rows have other lines in the bundle
        shipped = {table.file: table.to_read(dropped[table.file], shipped=True) for table in tables}
        labels = task.format.read_reference(shipped)
    files = {table.file: table.to_ship(dropped[table.file]) for table in tables}
    return ReadLabels(labels, files, tables, dropped, [*reasons.values()])


def _called(task: Task, name: str, path: Path) -> str:
    return f"{path}: reference of {task.name}, set {name}"


def _read(
    task: Task, name: str, path: Path, declared: Declared, where: str, log: Callable[[str], None]
) -> list[OwnTable]:
    """Return the tables of a set; log how each was read."""
    try:
        found = read_tables(task, path, declared)
        if any(table.has_commas for _, table in found):
            commas = _refused_commas(task.format, [table for _, table in found])
            found = read_tables(task, path, replace(declared, commas=commas)) if commas else found
    except OSError as error:
        raise BadReference(f"{error.filename or path}: {error.strerror}") from None
    except UnreadableFile as error:
        raise BadReference(str(error)) from None
    except ReferenceFileError as error:
        raise BadReference(f"{where}\n{error}") from None
    for source, table in found:
        log(f"{task.name}/{name}: {source}: {table.understood}")
    return [table for _, table in found]


def _refused_commas(task_format: Format, tables: Sequence[OwnTable]) -> frozenset[str]:
    """Return the numbers with a comma that the task's reader refuses."""
    try:
        task_format.read_reference({table.file: table.to_read() for table in tables})
    except ReferenceFileError as error:
        return refused_commas(error.problems)
    return frozenset()


def _repeated(layout: Layout, table: OwnTable, left_out: Collection[int]) -> Iterator[str]:
    """Yield a warning of rows with the same cells as an earlier row."""
    used = [place for place, column in enumerate(table.columns) if column in layout.columns]
    first: dict[tuple[str, ...], int] = {}
    again = {}
    for line, cells in table.rows.items():
        if line not in left_out:
            earlier = first.setdefault(tuple(cells[place].strip() for place in used), line)
            again.update({line: earlier} if earlier != line else {})
    if again:
        (line, earlier), rows = next(iter(again.items())), count_of(len(again), "row")
        (file, at), (_, at_first) = table.provenance.place_of(line), table.provenance.place_of(earlier)
        yield (
            f"{rows} of {file} with the same cells as an earlier row, such as {table.provenance.line_word} {at} (as in "
            f"{table.provenance.line_word} {at_first}): a repeated row adds no reference. Delete repeated rows"
        )


def _check(task_format: Format, tables: Sequence[OwnTable], dropped: Mapping[str, set[int]]) -> Any:
    """Read the labels from the tables without the dropped lines; each row keeps its line number.

    Raises
    ------
    ReferenceFileError: also with the problems of lines that could not be split into cells.
    """
    problems = [each for own in tables for each in own.problems if each.line not in dropped[own.file]]
    try:
        labels = task_format.read_reference({own.file: own.to_read(dropped[own.file]) for own in tables})
    except ReferenceFileError as error:
        raise ReferenceFileError([*problems, *error.problems]) from None
    if problems:
        raise ReferenceFileError(problems)
    return labels


def _describe_dropped(
    tables: Sequence[tuple[Layout, OwnTable, Collection[int]]], reasons: Sequence[str]
) -> Iterator[str]:
    """Describe the rows that were left out: how many, of which classes, and why.

    The remaining set is biased, unless all of them are copies of rows that remain.
    """
    for layout, table, lines in tables:
        if lines:
            total = len(table.rows) + len(table.unreadable)
            what = table.describe_lines(lines, layout.required)
            remaining = {tuple(cells) for line, cells in table.rows.items() if line not in lines}
            copies = sum(tuple(table.rows.get(line, ())) in remaining for line in lines)
            yield (
                f"{count_of(len(lines), 'row')} of the {total} in {table.provenance.source}"
                + (", which biases the set" if copies < len(lines) else "")
                + (f" (left out by value: {what})" if what else "")
                + (
                    f"; {copies} {'copies another row' if copies == 1 else 'copy other rows'}"
                    if copies
                    else ""
                )
            )
    yield from reasons


def _hint(task: Task, name: str, error: ReferenceFileError, rows: Sequence[Problem], dropping: str) -> str:
    """Return how to build nevertheless; empty if the files have to be changed."""
    if any(problem.code == "missing_column" for problem in error.problems):
        return (
            "If the file has the column under another name, titles above the header, or no header, write into "
            "competition.yaml, under the task or the bundle, one of\n"
            f"  sets: {{{name}: {{rename: {{COLUMN: NAME IN YOUR FILE}}}}}}\n"
            f"  sets: {{{name}: {{header_row: LINE OF THE HEADER}}}}\n"
            f"  sets: {{{name}: {{columns: [NAME OF THE FIRST, _, NAME OF THE THIRD]}}}}    _ for one that is not used"
        )
    if rows and dropping:
        lines = {(problem.file, problem.line) for problem in rows if problem.code != "no_rating"}
        hint = f"{dropping} leaves such rows out."
        if len(lines) < MANY_ROWS:
            return hint
        another = f"this is another task: `{PROGRAM} init DIR --new NAME --kind KIND` declares one with"
        if task.declaration:
            another = "change the task's declaration in competition.yaml to"
        if task.declaration and {problem.code for problem in rows} == {"duplicate_item"}:
            column = task.format.layouts[0].id
            return f"If {column} does not name the items, change `id` of the task in competition.yaml. {hint}"
        hint += f" It would leave out {len(lines)} rows. If these labels are meant, {another} your own labels"
        return f"{hint}, {'phones' if task.declaration else 'raters'} or scale."
    return ""


_STEPS = (1, 0.5, 0.25, 0.2, 0.1, 0.05, 0.01)
_OFF_SCALE = re.compile(
    r"'(-?\d+(?:\.\d+)?)'; expected an? (?:integer|number) from (-?[\d.]+) to (-?[\d.]+)\b"
)


def _scale_hint(task: Task, rows: Sequence[Problem]) -> str:
    """Return how to declare the scale of labels that are numbers beyond the task's; empty if there are none.

    To leave out such rows would leave out the highest or lowest labels.
    """
    found = [tuple(map(float, cells)) for problem in rows for cells in _OFF_SCALE.findall(problem.message)]
    seen = {value for value, low, high in found if not low <= value <= high or value % 1}
    if not seen or not hasattr(task.view, "scale"):
        return ""
    every = [number for numbers in found for number in numbers]
    low, high = min(every), max(every)
    step = next((step for step in _STEPS if all(abs(n / step - round(n / step)) < 1e-6 for n in every)), 1)
    scale = f"scale: [{low:g}, {high:g}]" + (f", step: {step:g}" if step != 1 else "")
    if task.declaration:
        without = ", without step," if step == 1 and any(number % 1 for number in every) else ""
        advice = f"declare {scale}{without} for the task in competition.yaml."
    elif any(option.name == "scale" and f"{low:g}-{high:g}" in option.values for option in task.options):
        advice = f'write scale: "{low:g}-{high:g}" into the task\'s options in competition.yaml.'
    else:
        another = f"`{PROGRAM} init DIR --new NAME --kind {task.view.name}`"
        advice = f"this is another task: {another} makes one. Declare {scale} there"
        advice += ", and the columns of your raters." if hasattr(task.view, "raters") else "."
    labels = some_of([f"{value:g}" for value in sorted(seen)], 8)
    return f"If {labels} are labels and no mistakes, {advice} Leaving out their rows would bias the set."


_LABEL = re.compile(r": label ('.*?'); expected ")
_PHONE = re.compile(r": ('.*?') is not one of the \d+ phones; ")
_MOST_ADDED = 200


def _label_hint(task: Task, rows: Sequence[Problem], dropping: str) -> str:
    """Return how to declare labels or phones that a declared task does not have; empty if there are none."""
    if not task.declaration:
        return ""
    classes = [*task.declaration.get("classes", ()), *filter(None, [task.declaration.get("target")])]
    wrong = {label[1:-1] for problem in rows for label in _LABEL.findall(problem.message)}
    same = [group for group in alike([*map(str, classes), *sorted(wrong)]) if not wrong.isdisjoint(group)]
    if same:
        groups = "; ".join(some_of(group, 8, quote) for group in same)
        return f"These labels differ in spelling only: {groups}. Spell each of them in one way, as in competition.yaml."
    closed = hasattr(task.view, "out_of_set") and not {"out_of_set", "target"} & set(task.declaration)
    for pattern, parameter in ((_LABEL, "classes"), (_PHONE, "phones")):
        found = sorted({label for problem in rows for label in pattern.findall(problem.message)})
        if len(found) == 1 and closed:
            return (
                f"If {found[0]} is the label of items of none of the classes, declare out_of_set: {found[0]} for the "
                "task in competition.yaml. If it is a class, add it to classes."
            )
        if 0 < len(found) <= _MOST_ADDED:
            return (
                f"If these {parameter} are correct, add them to competition.yaml: {', '.join(found)}. "
                f"If not, correct them: {dropping} leaves out their rows, which biases the set."
            )
    return ""


def _refusal(
    error: ReferenceFileError, tables: Sequence[OwnTable], dropped: Sequence[Problem], hint: str
) -> str:
    origins = [table.provenance for table in tables]
    sheets = [f"; {each.source}: sheet {quote(each.sheet)}" for each in origins if each.sheet]
    report = str(ReferenceFileError([in_own_words(each, tables) for each in error.problems], error.counts))
    if tables and len(sheets) == len(tables):
        report = re.sub(r"^  line (\d+ *) ", r"  row \1  ", report, flags=re.MULTILINE)
    lines = ["".join(sheets), report]
    if dropped:
        remain = f"The problems above remain after {count_of(len(dropped), 'row')} were left out:"
        lines += ["", remain, *listed_in_own_words(dropped, tables)]
    return "\n".join([*lines, *(["", hint] if hint else [])])
