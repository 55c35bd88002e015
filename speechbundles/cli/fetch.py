"""Fetch all submissions of a competition on Codabench.

COMPETITION is the competition's number, as in its address. DIR receives:

\b
    index.csv       a line for each run: phase, owner, time, status, files,
                    missing files
    submissions/    the uploaded zips by owner and UTC time, for season
    outputs/        the outputs of the scoring programs, for rank
    logs/           console output, ingestion output, report page

Run the same command again to fetch new submissions. Files that are already in DIR are kept.

Exit status, for cron: 0 all files are in DIR, except files that an earlier call has already listed as lost; 1 an error,
files are missing for the first time, or runs have not ended.
"""

from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import COUNT, PATH, Command, json_option, option
from speechbundles.cli.progress import counting
from speechbundles.cli.server import competition_number, connect, server_options, using
from speechbundles.cli.terminal import answer
from speechbundles.model.statuses import what_to_do
from speechbundles.model.text import say
from speechbundles.server import INDEX, JOBS, fetch_competition
from spokeneval.formats.problems import count_of

KEPT = "\n\nFetched files are kept. Run the same command again to continue."


@click.command(cls=Command, help=__doc__, ending=KEPT)
@competition_number
@click.argument("folder", type=PATH, metavar="DIR")
@option("--jobs", "N", f"submissions fetched at the same time (default: {JOBS})", type=COUNT, default=JOBS)
@server_options
@json_option
def command(competition: int, folder: Path, jobs: int, **access: Any) -> int:
    with counting("fetching") as progress:
        connection = connect(**access)
        with using(folder):
            haul = fetch_competition(connection, competition, folder, jobs=jobs, progress=progress)
    rows = [(run, run.note) for run in haul.lacking]
    rows += [(run, f"still {run.status}") for run in haul.unfinished if not run.note]
    shown = ("phase", "owner", "id", "status", "note")
    incomplete = [{key: getattr(run, key) for key in shown} for run, _ in rows]
    content = {"index": folder / INDEX, "runs": len(haul.runs), "fetched": haul.fetched}
    lines = [f"  {run.phase}  {run.owner}  {run.id}  {note}" for run, note in rows]
    if advice := what_to_do(run.status for run in haul.unfinished):
        lines.append(f"  If a run does not end: {advice}")
    answer({**content, "incomplete": incomplete}, "\n".join(lines))
    runs = count_of(len(haul.runs), "run")
    say(f"{runs}, {haul.fetched} fetched now; see {folder / INDEX}", error=True)
    return 1 if haul.unsettled else 0
