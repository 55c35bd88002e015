"""Rehearse a whole competition and show the leaderboard of each day.

DIR contains one folder for each team with the team's submissions, each named by its UTC time:

\b
    DIR/Team Alpha/2027-03-01T0915_first_try.zip
    DIR/Team Alpha/2027-03-01T091500_with_seconds.zip

DIR can also be a folder that fetch wrote; then each submission counts in the phase to which it was uploaded.

The submissions are replayed in order of time. The output shows which phase is open, whether the team has an attempt
left, the result of the run, and which of the team's runs the submission rule puts on the leaderboard. Results are kept:
the same command runs only new submissions. Delete DIR/.season to run all of them again, for example after runs that
exceeded the time limit because this computer was too slow.
"""

import time
from pathlib import Path

import click

from speechbundles.cli.options import PATH, Command, bundle_file, jobs, json_option, path_option
from speechbundles.cli.progress import counting
from speechbundles.cli.terminal import answer, as_json
from speechbundles.leaderboard.season import play_season
from speechbundles.leaderboard.season_text import season_files, season_to_dict, season_to_text
from speechbundles.leaderboard.uploads import read_uploads
from speechbundles.model.disk import write_whole
from speechbundles.model.text import say
from speechbundles.model.zips import write_tree
from spokeneval.formats.problems import count_of

MOST_SHOWN, MOST_LISTED = 200, 10
"""Most lines of a season that are printed; of a longer one, so many entries and attempts, and the rest is in a file."""


@click.command(cls=Command, help=__doc__, failed=2, kept="rehearsed", windows=False)
@bundle_file
@click.argument("folder", type=PATH, metavar="DIR")
@path_option("--work", "DIR", "keep the results of runs in this folder (default: DIR/.season)")
@jobs
@path_option("--out", "DIR", "also write each leaderboard to this folder: a page, Markdown, CSV, JSON")
@json_option
def command(bundle: Path, folder: Path, work: Path | None, jobs: int | None, out: Path | None) -> None:
    began, work = time.monotonic(), work or folder / ".season"
    with counting("rehearsing") as progress:
        season = play_season(bundle, read_uploads(folder, passed_over=work), work, jobs, progress)
    text = season_to_text(season)
    if text.count("\n") > MOST_SHOWN and not as_json():
        place = work / "season.txt"
        write_whole(place, text)
        text = f"{season_to_text(season, MOST_LISTED)}\n\nall days, entries and attempts: {place}"
    answer(season_to_dict(season), text)
    if out:
        files = season_files(season)
        write_tree(out, files, write_whole)
        say(f"wrote {count_of(len(files), 'file')} to {out}", error=True)
    say(f"{season.rehearsed} runs in {time.monotonic() - began:.1f} s", error=True)
