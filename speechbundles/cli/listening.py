"""Rank the systems of a listening test: mean ratings or preferences, with intervals over listeners and items.

SOURCE is a table with a row for each judgement: listener, item, system, value. An item is what several systems say,
such as a sentence. Or it is a folder that assign wrote, with the sheets that came back; its table of items then has the
columns item and system.

\b
    acr           ratings from 1 to 5; a system has their mean, its MOS
    mushra        grades from 0 to 100; listeners who grade the hidden --reference below 90, or an --anchor
                  above 90, in more than 15 % of the items are left out (ITU-R BS.1534-3)
    preference    system_a, system_b instead of system, and the value a, b or tie; a system has its ability in
                  Bradley and Terry's model, with Davidson's ties

OUT receives

\b
    systems.csv       score, interval, rank, and the ranks that cannot be excluded
    ranking.html      the same as a page, with a plot
    left_out.csv      of mushra: listeners who are left out, with the rule
    scores.csv        of ratings: the mean of each utterance, for a challenge that asks for predictions
"""

from collections.abc import Sequence
from pathlib import Path

import click

from speechbundles.annotation.study import ACR, MUSHRA, PREFERENCE, rank_study
from speechbundles.cli.options import NOTHING, PATH, Choice, Command, option
from speechbundles.model.disk import write_whole
from speechbundles.model.text import say
from speechbundles.model.zips import require_new, write_tree


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("source", type=PATH)
@option("--test", None, "the kind of test", type=Choice([ACR, MUSHRA, PREFERENCE]), required=True)
@option("--reference", "SYSTEM", "the hidden reference, which is not ranked", default="")
@option("--anchor", "SYSTEM", "a system that is not ranked, such as the low anchor", "anchors", multiple=True)
@option("--out", None, "a new folder", type=PATH, required=True)
def command(source: Path, test: str, reference: str, anchors: Sequence[str], out: Path) -> None:
    require_new(out)
    files, text = rank_study(source, test, reference, anchors)
    write_tree(out, files, write_whole)
    say(text)
    say(f"wrote {', '.join(files)} to {out}", error=True)
