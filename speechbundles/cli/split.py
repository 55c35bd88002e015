"""Split a reference into sets, without a speaker in two of them.

SOURCE is a folder that merge wrote, or a table. Each --set has a share of the items, or their number; items in no set
are left out. Items with the same value of a --by column are in one set, and so are items with the same sound. The
values of each --strata column have the same shares in all sets, as far as possible. --draw evaluation:label:correct=740
takes only 740 items with this label into a set. The items with other values stay, unless a further --draw takes fewer
or none of them. OUT receives a folder for each set, and

\b
    split.csv         the set of each item
    imbalance.csv     items of each stratum in each set: the number, and that of an exact share
    copies.csv        items whose text another set has, too
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd

from speechbundles.annotation.split import Wanted, split_source
from speechbundles.annotation.tables import csv_bytes
from speechbundles.bundle.build.overlaps import same_texts
from speechbundles.cli.assign import seed
from speechbundles.cli.options import NOTHING, PATH, Command, option, path_option
from speechbundles.model.disk import write_whole
from speechbundles.model.text import say
from speechbundles.model.zips import require_new, write_tree
from spokeneval.formats.problems import count_of


def _numbers(convert: Callable[..., Any], example: str) -> Callable[..., dict[str, Any]]:
    """Return what reads the values of an option of the form NAME=NUMBER, each name once."""

    def read(context: click.Context, option: click.Parameter, texts: Sequence[str]) -> dict[str, Any]:
        numbers: dict[str, Any] = {}
        for name, _, number in (text.rpartition("=") for text in texts):
            try:
                numbers[name] = convert(number, option, context)
            except click.BadParameter as error:
                raise click.BadParameter(f"{error.message} Expected a value such as {example}.") from None
        if len(numbers) < len(texts):
            raise click.BadParameter(f"expected each of {', '.join(numbers)} once")
        return numbers

    return read


_SHARES = _numbers(click.FLOAT.convert, "evaluation=0.7")
_DRAWN = _numbers(click.IntRange(min=0).convert, "evaluation:label:correct=740")
_BELOW_1 = click.FloatRange(0, 1, max_open=True)


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("source", type=PATH)
@option("--set", "NAME=SHARE", "a set", "sets", multiple=True, required=True, callback=_SHARES)
@option("--out", None, "a new folder for the sets", type=PATH, required=True)
@option("--by", "COLUMN", "a column whose items stay together (default: speaker)", multiple=True)
@option("--strata", "COLUMN", "a column to balance, such as severity", multiple=True)
@option("--draw", "SET:COLUMN:VALUE=N", "draw N items with this value", multiple=True, callback=_DRAWN)
@option("--sealed", None, "mark this share of the last set as sealed", type=_BELOW_1, default=0.0)
@path_option("--sounds", "FOLDER", "the sounds of the items, named in the column `sound`, or by the ids")
@option("--id", "COLUMN", "the column of the ids in a table (default: the first)", default="")
@path_option("--also", "TABLE", "split it too: a row goes with the item of its id", multiple=True)
@seed
def command(source: Path, out: Path, draw: dict[str, int], sounds: Path | None, id: str, **how: Any) -> None:
    drawn: dict[tuple[str, str], dict[str, int]] = {}
    for text, number in draw.items():
        name, column, value = [*text.split(":", 2), "", ""][:3]
        drawn.setdefault((name, column), {})[value] = number
    require_new(out)
    files, lines, texts = split_source(source, id, Wanted(draw=drawn, **how), sounds)
    copies = pd.DataFrame(same_texts(texts), columns=["set", "item", "other set", "other item"])
    if len(copies):
        files["copies.csv"] = csv_bytes(copies)
        found = count_of(len(copies), "item")
        lines.append(f"{found} with a text that another set has, too; see copies.csv")
    write_tree(out, files, write_whole)
    say("\n".join(lines))
    say(f"wrote {count_of(len(files), 'file')} to {out}", error=True)
