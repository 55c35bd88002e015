"""Merge the answers or turns of annotators into a reference.

SOURCE is a folder that assign wrote, with the files that came back. Or it is several sheets or exports of Label Studio
(.csv, .json), of which the labelled regions are merged without --ask. Or it is a folder for each annotator with .eaf
(ELAN), .TextGrid (Praat) or .rttm files, label tracks (.txt) or ELAN's tab-delimited text (.txt), each named after its
recording.

\b
    unanimous    all annotators agree; of turns, time on which they disagree is not evaluated
    majority     more than half of the annotators agree
    mean         the mean of numbers
    fair_mean    the mean that all annotators would give: some are severe, others lenient
    median       the median of numbers; of two in the middle their mean
    low_median   the median of numbers; of two in the middle the lower one
    each         keep the answers of each annotator: ratings, or several transcripts

With several questions, --rule may be repeated: --rule majority --rule arousal=mean. Items without a label are left out,
and are listed in the sheet disagreements.xlsx. Fill it in, and give it as --adjudicated to a new run. OUT receives the
reference, agreement.csv (kappa, alpha, gamma, with intervals over --unit), left_out.csv with the reasons, and
answers.csv; for means also fair_means.csv and severity.csv.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from speechbundles.annotation.merge import TURN_RULES
from speechbundles.annotation.reference import (
    exports_in,
    files_in,
    merge_annotations,
    merge_sheets,
    parse_rules,
)
from speechbundles.annotation.rounds import Round, read_round
from speechbundles.annotation.sheets import parse_questions
from speechbundles.annotation.tables import DATA, SPEAKER, read_items
from speechbundles.cli.assign import ask
from speechbundles.cli.options import NOTHING, Command, flag, option, path_option
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.text import say
from speechbundles.model.zips import require_new, write_tree

SOURCE = click.Path(exists=True, path_type=Path)


@click.command(cls=Command, help=__doc__, ending=NOTHING)
@click.argument("sources", type=SOURCE, nargs=-1, required=True, metavar="SOURCE...")
@option("--rule", "[QUESTION=]RULE", None, "rules", multiple=True, required=True)
@option("--out", None, "a new folder for the reference", type=click.Path(path_type=Path), required=True)
@ask
@option("--only", "QUESTION", "merge only these questions", multiple=True)
@option("--id", "COLUMN", "the column of the ids in other sheets (default: id)", default="")
@option(
    "--annotator",
    "COLUMN",
    "the column of the annotators in other sheets (default: found by its name)",
    default="",
)
@path_option("--items", "TABLE", "the items, with columns such as speaker and duration (in seconds)")
@option("--unit", "COLUMN", "the units that intervals resample", default=SPEAKER, show_default=True)
@path_option("--adjudicated", "SHEET", "labels for items on which annotators disagree")
@flag("--model", "compare the labels with those of Dawid and Skene's model of annotators' errors")
@option("--tier", "PATTERN", "read these tiers, such as '*Language*'", "tiers", multiple=True)
@flag("--tier-labels", "the names of tiers are the labels, such as speakers")
@path_option("--recode", "TABLE", "new labels or answers: columns from and to; an empty one leaves them out")
def command(
    sources: Sequence[Path],
    rules: Sequence[str],
    out: Path,
    ask: Sequence[str],
    id: str,
    items: Path | None,
    unit: str,
    **how: Any,
) -> None:
    of_turns = {"recode": how["recode"], **{key: how.pop(key) for key in ("tiers", "tier_labels")}}
    require_new(out)
    rounds = [each for each in sources if (each / DATA).is_file()]
    ours_alone = {"--items": items, "--ask": ask, "--id": id, "--annotator": how["annotator"]}
    given = [key for key, value in ours_alone.items() if value]
    if rounds and given:
        recorded = "assign recorded its items, questions and ids"
        raise OrganiserError(f"{rounds[0]}: {recorded}; leave out {', '.join(given)}")
    if rounds:
        ours = replace(read_round(rounds[0]), unit=unit)
    else:
        table = read_items(items) if items else pd.DataFrame()
        ours = Round(id or "id", parse_questions(ask), table, None, unit)
    turns = files_in(sources) | ({} if ours.questions else exports_in(sources))
    if turns:
        files, lines = merge_annotations(turns, ours, parse_rules(rules, [""], TURN_RULES)[""], **of_turns)
    else:
        files, lines = merge_sheets(sources, ours, rules, **how)
    write_tree(out, files, write_whole)
    say("\n".join(lines))
    say(f"wrote {', '.join(files)} to {out}", error=True)
