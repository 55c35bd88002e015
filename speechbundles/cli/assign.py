"""Assign items to annotators, and write a sheet for each.

ITEMS is a table with a row for each item, or each recording; its first column is the id, unless --id names another.
Each item goes to --each annotators, drawn at random with equal loads. Nobody gets items whose `speaker` has their name.
Run the command again with more items or annotators, or a larger --each: earlier sheets do not change, and new sheets
have the missing items. OUT receives

\b
    ANNOTATOR.xlsx     the ids, the columns to --show, and an empty column for each question
    assignment.csv     who got what, in which order
    items.csv, data.json    for the command merge

With --format eaf or TextGrid, each annotator gets a folder with an empty file for each recording instead, for ELAN or
Praat; its tiers are the questions.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from speechbundles.annotation.assign import Assignment
from speechbundles.annotation.rounds import FORMATS, Round, begin_round
from speechbundles.annotation.sheets import parse_questions
from speechbundles.annotation.tables import read_items
from speechbundles.cli.options import COUNT, NOTHING, PATH, Command, flag, option
from speechbundles.model.disk import write_whole
from speechbundles.model.text import say
from speechbundles.model.zips import write_tree
from spokeneval.formats.problems import count_of

ask = option("--ask", "QUESTION[=A,B | =1..5]", "a question, with allowed answers", multiple=True)
seed = option("--seed", "N", "another number gives another result", type=int, default=0)
_NUMBER = click.IntRange(min=0)


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("items", type=PATH)
@option("--annotators", "A,B,…", "names of the annotators", required=True)
@ask
@option("--each", "N", "annotators of an item", type=COUNT, default=1, show_default=True)
@option("--out", None, "the folder for the sheets", type=PATH, required=True)
@option("--id", "COLUMN", "the column of the ids", default="")
@option("--show", "COLUMN", "a column of ITEMS that annotators see", multiple=True)
@option("--calibration", "N", "items that all annotators get first", type=_NUMBER, default=0)
@option("--repeated", "N", "items that annotators get a second time", type=_NUMBER, default=0)
@flag("--apart", "keep items of one speaker from following each other")
@option("--format", None, None, "form", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True)
@seed
def command(
    items: Path,
    annotators: str,
    ask: Sequence[str],
    out: Path,
    id: str,
    show: Sequence[str],
    form: str,
    **how: Any,
) -> None:
    names = [each.strip() for each in annotators.split(",")]
    table = read_items(items, id, show)
    ours = Round(str(table.index.name), parse_questions(ask), table)
    files, rows = begin_round(out, ours, Assignment(names, speakers=ours.units, **how), show, form)
    write_tree(out, files, write_whole)
    for annotator, number in rows["annotator"].value_counts(sort=False).items():
        say(f"{annotator}: {count_of(number, 'item')}")
    say(f"wrote {count_of(len(files), 'file')} to {out}", error=True)
