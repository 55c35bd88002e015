"""Make a task's leaderboard from many scoring outputs.

OUTPUT is one system's scoring output: a folder, a downloaded zip, or a folder written by rehearse --keep.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import PATH, Command, flag, json_option, option, own_folder, path_option
from speechbundles.cli.progress import steps
from speechbundles.cli.terminal import ROOT, answer, as_json, beginning
from speechbundles.leaderboard.fact_sheets import declared
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import Breakdown, make_board
from speechbundles.leaderboard.render import console_table, markdown_table, table_to_csv
from speechbundles.leaderboard.scores_only import rank_scores
from speechbundles.leaderboard.write import to_json, to_text, write_board
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.console import wrap
from speechbundles.model.dates import now
from speechbundles.model.disk import write_whole
from speechbundles.model.sources import Sources
from speechbundles.model.text import say
from speechbundles.model.zips import write_tree
from spokeneval.ranking.leaderboard import TextTable


@click.command(cls=Command, help=__doc__)
@click.argument("outputs", nargs=-1, required=True, type=PATH, metavar="OUTPUT...")
@path_option("--out", "DIR", "write the leaderboard to this folder: a page, Markdown, LaTeX, CSV, pairs.csv")
@own_folder
@option("--title", "TEXT", "title of the leaderboard (default: that of the competition)", default="")
@option(
    "--date",
    "DATE",
    "date of the leaderboard, such as 2027-03-31 (default: the current date, in UTC)",
    "day",
    type=click.DateTime(["%Y-%m-%d"]),
)
@option("--baseline", "SYSTEM", "the system to mark as the baseline", default="")
@flag(
    "--anonymous",
    "name the systems AAA, BBB, ... in order of rank; print their real names to standard error only",
)
@path_option(
    "--conditions",
    "FILE",
    "also give scores by condition: a CSV file whose first two columns are a unit or an item, and its condition",
)
@option(
    "--by",
    "COLUMN",
    "also give scores by a column of the reference in your competition folder, such as Prompt; may be repeated",
    multiple=True,
)
@path_option(
    "--submissions",
    "DIR",
    "the submissions' zips, as given to score; needed for --by with a segment's language or length",
)
@flag(
    "--items",
    "also write items.csv to --out DIR: the share of systems that are right on each item, the hardest first",
)
@path_option(
    "--explain",
    "TABLE",
    "what makes items hard: a table with the item and its properties, yes or no or numbers, or as merge writes it",
)
@option(
    "--within", "COLUMN", "with --explain, separately for each class of a column of the reference", default=""
)
@path_option(
    "--scores-only",
    "BUNDLE",
    "rank by the scores that this bundle's own program wrote, without intervals; --out gets board.csv and board.md",
)
@path_option(
    "--fact-sheets",
    "DIR",
    "also list what each team declared in the runs of this fetched folder, and which rules that breaks; --out gets "
    "fact_sheets.csv",
)
@json_option
def command(
    outputs: Sequence[Path],
    out: Path | None,
    competition: Path | None,
    day: datetime | None,
    scores_only: Path | None,
    fact_sheets: Path | None,
    **options: Any,
) -> None:
    if scores_only:
        if competition or day or fact_sheets or any(options.values()):
            raise click.UsageError("--scores-only takes only --out and --json")
        _rank_scores(scores_only, outputs, out)
        return
    if options["items"] and out is None:
        raise click.UsageError("--items needs --out DIR")
    if fact_sheets and options["anonymous"]:
        raise click.UsageError("--fact-sheets names the teams; leave out --anonymous")
    if options["within"] and options["explain"] is None:
        raise click.UsageError("--within needs --explain TABLE")
    asked = Breakdown(**{name: options.pop(name) for name in Breakdown._fields})
    with steps() as progress:
        options |= {"day": (day or now()).date(), "asked": asked, "progress": progress}
        sources = Sources(ROOT, competition)
        board = make_board(sources, read_outputs(outputs), **options)
    sheets = declared(sources, fact_sheets, board.own_task.name) if fact_sheets else None
    text = to_json(board, sheets) if as_json() else to_text(board)
    written = write_board(board, out) if out else []
    if sheets and out:
        write_whole(out / SHEETS_FILE, table_to_csv(sheets))
        written.append(out / SHEETS_FILE)
    shown = beginning(text.split("\n"), "board.md") if written and not as_json() else [text]
    say("\n".join(shown))
    if sheets and not as_json():
        say(_fact_sheets(sheets))
    for alias, name in board.aliases.items():
        say(f"{alias}  {name}", error=True)
    if written and out:
        say(wrap(f"wrote {', '.join(file.name for file in written)} to {out}"), error=True)
        say(f"next: open {out / 'board.html'}, the page to publish", error=True)


SHEETS_FILE = "fact_sheets.csv"


def _fact_sheets(sheets: TextTable) -> str:
    """Return what teams declared, and below it which rules this breaks, for a console."""
    rows = [row[:-1] for row in sheets.rows]
    narrow = replace(sheets, header=sheets.header[:-1], rows=rows, left=sheets.left - 1)
    broken = [wrap(f"{team} (run {runs}): {why}", "  ") for team, runs, *_, why in sheets.rows if why]
    return "\n".join(["", sheets.title, console_table(narrow), *broken])


def _rank_scores(bundle: Path, outputs: Sequence[Path], out: Path | None) -> None:
    """Rank outputs by the scores that the bundle's own program wrote."""
    table = rank_scores(read_built_bundle(bundle), [path for path in outputs if path.is_dir()])
    systems = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    answer({"systems": systems}, console_table(table))
    if out:
        board = {"board.csv": table_to_csv(table), "board.md": f"{markdown_table(table)}\n"}
        write_tree(out, {name: text.encode() for name, text in board.items()}, write_whole)
        say(f"wrote {', '.join(board)} to {out}", error=True)
