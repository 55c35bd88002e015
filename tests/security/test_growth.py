"""Every reader takes time in proportion to the rows of a file: ten times as many take at most eleven times as long."""

from __future__ import annotations

import gc
import io
import random
import re
import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from openpyxl import Workbook

from speechbundles.annotation.tables import read_items
from speechbundles.annotation.turn_files import read_turns
from speechbundles.model.fetched import Fetched, read_index, write_index
from speechbundles.model.tabular import parse_source
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.submission_zip import unpack
from spokeneval.formats.transcript_files import read_utt2spk
from spokeneval.kinds.declared import declared_task
from spokeneval.programs.code import read_requirements, read_weights
from spokeneval.task import Task
from tests.samples import declared_tasks
from tests.samples.programs import ROOT
from tests.samples.tables import table
from tests.samples.zips import zipped

Contents = dict[str, bytes]
Make = Callable[[int], Contents]
"""Makes files with so many rows."""

ROWS = 1500
"""The rows of the smaller file; its reader takes a few hundredths of a second."""
FACTOR, MOST, ATTEMPTS = 10, 15.0, 6
SLACK = 0.1
"""Seconds that other programs may add. The processor's caches, which hold the smaller file only, are why ten times the
rows may take more than ten times as long; a quadratic reader takes a hundred times."""
OF_A_RECORDING = 50


def lines(row: str, header: str = "", end: str = "") -> Make:
    """Files whose rows have their number `n`, that of their recording `r` and their time in it `t`."""

    def make(many: int) -> Contents:
        rows = (row.format(n=n, r=n // OF_A_RECORDING, t=n % OF_A_RECORDING) for n in range(many))
        return {"file": "\n".join([*filter(None, [header]), *rows, end]).encode()}

    return make


FORMATS = {
    kind: {file: lines(*parts) for file, parts in files.items()}
    for kind, files in table("growing_files").items()
}
CELLS = ("gesund", "A", "5", "0.1", "0.3333", "so many", "t", "HH", "zh", "true", "accept", "1", "froh,4,4")
"""Answers, of which each task takes one."""
NO_TABLES = ("meetings", "turns", "speakers")


def of_kind(name: str) -> Task:
    return declared_task("own", yaml.safe_load(declared_tasks.TASKS[name][0]))


def declared_reference(name: str, many: int) -> Contents:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(declared_tasks.SIZES, "development", many)
        made = declared_tasks.TASKS[name][1]("development", random.Random(1))
    return {file: text.encode() for file, text in made.items()}


def challenge_reference(name: str, many: int) -> Contents:
    """The rows of the sample again and again, with other ids and recordings."""
    found = {}
    for layout in find_task(name).format.layouts:
        path = ROOT / "reference_data" / name / "development" / layout.file
        header, *rows = path.read_text(encoding="utf-8").splitlines()
        place = [cell.strip('"') for cell in header.split(layout.delimiter)].index(layout.id)
        grown = []
        for number in range(many):
            turn, row = number // len(rows), rows[number % len(rows)]
            id = row.split(layout.delimiter)[place].strip('"')
            row = re.sub(r"_\d{8}_", f"_{turn:08}_", row) if name.startswith("merlion") else row
            grown.append(row.replace(id, f"{id}{turn:05}") if id in row else row)
        found[layout.file] = "\n".join([header, *grown, ""]).encode()
    return found


def submissions(task: Task, files: Contents) -> tuple[Contents, Any]:
    """A submission that is one table, with the first of `CELLS` that is accepted, and its items."""
    items, asked = task.format.read_reference(files).items, task.format.answer
    assert asked is not None
    header = [] if asked.delimiter == " " else [asked.delimiter.join(asked.required)]
    for cell in CELLS:
        width = len(asked.required) - 1
        cells = [cell] if asked.delimiter in cell else [cell] * width
        rows = (asked.delimiter.join([id, *cells]) for id in items.ids)
        content = {asked.file: "\n".join([*header, *rows, ""]).encode()}
        try:
            task.format.read_submission(content, items)
        except FileProblems as error:
            refusal = error
        else:
            return content, items
    raise refusal


def readers() -> dict[str, Callable[[int], Callable[[], object]]]:
    """Functions that make files with so many rows, and return what reads them."""
    found: dict[str, Callable[[int], Callable[[], object]]] = {}

    def of_task(name: str, task: Task, make: Make) -> None:
        def submitted(many: int) -> Callable[[], object]:
            content, items = submissions(task, make(many))
            return lambda: task.format.read_submission(content, items)

        def listed(many: int) -> Callable[[], object]:
            made = make(many)
            public = task.format.public_files(task.format.read_reference(made), {})
            return lambda: task.format.read_items(public)

        found[f"{name}: reference"] = lambda many: partial(task.format.read_reference, make(many))
        found[f"{name}: items"] = listed
        if task.format.answer:
            found[f"{name}: submission"] = submitted

    def either(name: str, task: Task, files: dict[str, Make], beside: Make | None = None) -> None:
        for file, make in files.items():

            def reference(many: int, file: str = file, make: Make = make) -> Contents:
                other = beside(many) if beside else {}
                return {file: make(many)["file"], **other}

            of_task(f"{name} {file}", task, reference)
            if file in (task.format.submission_file, *task.format.other_submissions):

                def sent(many: int, make: Callable[[int], Contents] = reference, file: str = file) -> Any:
                    content = make(many)
                    items = task.format.read_reference(content).items
                    return lambda: task.format.read_submission({file: content[file]}, items)

                found[f"{name} {file}: sent"] = sent

    for name in declared_tasks.TASKS:
        if name not in NO_TABLES:
            of_task(name, of_kind(name), partial(declared_reference, name))
    for name in task_names():
        of_task(name, find_task(name), partial(challenge_reference, name))
    either("words", of_kind("words"), FORMATS["transcripts"])
    either("meetings", of_kind("meetings"), FORMATS["meetings"])
    for file, make in FORMATS["regions"].items():
        both = partial(lambda many, file, make: {file: make(many)["file"]}, file=file, make=make)
        either(
            f"turns {file}",
            declared_task("own", {"kind": "turns", "mapping": "optimal"}),
            FORMATS["turns"],
            both,
        )
    return found


READERS = readers()


def annotation(suffix: str, many: int, folder: Path) -> Path:
    """An annotation with so many turns."""
    path = folder / f"r{many}{suffix}"
    if suffix == ".eaf":
        from pympi import Eaf

        eaf = Eaf(author="")
        eaf.remove_tier("default")
        eaf.add_tier("language")
        for n in range(many):
            eaf.add_annotation("language", 10 * n, 10 * n + 5, "Hindi")
        eaf.to_file(str(path))
    elif suffix == ".TextGrid":
        row = 'intervals [{n}]:\n xmin = {n}\n xmax = {n}.5\n text = "Hindi"'
        tier = (
            f'class = "IntervalTier"\nname = "language"\nxmin = 0\nxmax = {many}\nintervals: size = {many}\n'
        )
        head = f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = {many}\ntiers? <exists>\n'
        path.write_bytes(lines(row, f"{head}size = 1\nitem []:\nitem [1]:\n{tier}")(many)["file"])
    else:
        row = "{n}\t{n}.5\tHindi" if suffix == ".txt" else "SPEAKER r{r} 1 {t} 0.5 <NA> <NA> Hindi <NA> <NA>"
        path.write_bytes(lines(row)(many)["file"])
    return path


def workbook(many: int) -> bytes:
    book, stream = Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet("sheet")
    for n in range(many):
        sheet.append([f"r{n}", "so many words", n])
    book.save(stream)
    return stream.getvalue()


def of_organisers(folder: Path) -> dict[str, Callable[[int], Callable[[], object]]]:
    def written(name: str, content: bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def index(many: int) -> Callable[[], object]:
        place = folder / str(many)
        place.mkdir()
        write_index(
            place, [Fetched(n, "phase", f"o{n}", datetime(2027, 1, 1), "Finished") for n in range(1, many)]
        )
        return partial(read_index, place)

    def archive(many: int) -> Callable[[], object]:
        path, turn = written(f"{many}.zip", zipped({f"{n}.txt": "x" for n in range(many)})), iter(range(99))

        def unpacked() -> None:
            place = folder / f"{many} {next(turn)}"
            place.mkdir()
            unpack(path, place)

        return unpacked

    def turns(suffix: str, many: int) -> Callable[[], object]:
        path = annotation(suffix, many, folder)
        return lambda: read_turns({path: "anna"}, [], [], Problems(), False)

    table = lines("r{n},so many words,{n}", "id,words,number")
    quoted = lines('r{n},"so, many",{n}', "id,words,number")
    pinned = lines("a{n}==1 --hash=sha256:" + "0" * 64)
    weights = lines("a{n} sha256:" + "0" * 64 + " 7 https://models.example/{n}")
    return {
        **{f"turns {suffix}": partial(turns, suffix) for suffix in (".eaf", ".TextGrid", ".txt", ".rttm")},
        "table": lambda many: partial(parse_source, table(many)["file"], "a.csv"),
        "quoted table": lambda many: partial(parse_source, quoted(many)["file"], "a.csv"),
        "workbook": lambda many: partial(parse_source, workbook(many), "a.xlsx"),
        "items": lambda many: partial(read_items, written(f"{many}.csv", table(many)["file"])),
        "index": index,
        "zip": archive,
        "utt2spk": lambda many: partial(read_utt2spk, lines("u{n} s{r}")(many)["file"].decode(), Problems()),
        "requirements": lambda many: partial(
            read_requirements, written(f"{many}.r", pinned(many // 2)["file"]), "own", Problems()
        ),
        "weights": lambda many: partial(
            read_weights, written(f"{many}.w", weights(many // 2)["file"]), "own", Problems()
        ),
    }


OF_ORGANISERS = tuple(of_organisers(Path()))


def seconds(read: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        read()
        return time.process_time() - began
    finally:
        gc.enable()


def grows_in_proportion(make: Callable[[int], Callable[[], object]]) -> None:
    """The least of several times counts: other programs only make it longer."""
    small, large = make(ROWS), make(FACTOR * ROWS)
    of_small, of_large = seconds(small), seconds(large)
    for _ in range(ATTEMPTS):
        if of_large <= MOST * of_small + SLACK:
            return
        of_small, of_large = min(of_small, seconds(small)), min(of_large, seconds(large))
    assert of_large <= MOST * of_small + SLACK, f"{of_small:.3f} s, then {of_large:.3f} s"


@pytest.mark.thorough
@pytest.mark.parametrize("name", READERS)
def test_a_reader_of_participants_and_references_takes_linear_time(name: str) -> None:
    grows_in_proportion(READERS[name])


@pytest.mark.thorough
@pytest.mark.parametrize("name", OF_ORGANISERS)
def test_a_reader_of_organisers_takes_linear_time(name: str, tmp_path: Path) -> None:
    grows_in_proportion(of_organisers(tmp_path)[name])


def test_every_other_format_of_a_kind_has_a_test_of_growth() -> None:
    forms = [of_kind(name).format for name in declared_tasks.TASKS]
    others = {file for form in forms for file in (*form.other_files, *form.other_submissions)}
    assert others <= {*FORMATS["transcripts"], *FORMATS["meetings"], *FORMATS["turns"], *FORMATS["regions"]}
