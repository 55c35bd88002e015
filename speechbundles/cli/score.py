"""Score many submissions exactly, for rank.

All zips below DIR are submissions. Each is run as the platform runs it, ingestion first, and its scoring output, with
the scores and the report, is written to OUT as a zip, under the submission's own path:

\b
    DIR/Team Alpha/2027-03-01T0915_first_try.zip
    OUT/Team Alpha/2027-03-01T0915_first_try/scoring_output.zip

For hidden labels too, the scores are exact and the statistics are written. They reveal the labels: keep OUT private.
A submission that cannot be scored is listed, and the others are still scored. Results are kept in OUT/.runs: the same
command scores only new submissions, or all of them with another bundle, phase or reference.

With --fetched, DIR is a folder that fetch wrote. Only the entries of the phase's leaderboard are scored and ranked;
runs before or after the phase's dates are listed. OUT contains one folder for each team, for rank.
"""

import time
from pathlib import Path
from typing import Any

import click

from speechbundles.cli.options import (
    PATH,
    Command,
    bundle_file,
    jobs,
    json_option,
    option,
    path_option,
    phase,
    reference,
)
from speechbundles.cli.progress import counting
from speechbundles.cli.terminal import answer, warn
from speechbundles.leaderboard.score import score_all, scores_to_text
from speechbundles.model.fetched import safe_name
from speechbundles.model.submissions import describe_loose
from speechbundles.model.text import say


@click.command(cls=Command, help=__doc__, failed=2, kept="scored", windows=False)
@bundle_file
@click.argument("folder", type=PATH, metavar="DIR", required=False)
@path_option("--fetched", "DIR", "score the leaderboard's entries in a folder that fetch wrote")
@path_option("--out", "OUT", "output folder (default: scored; with --fetched, scored/PHASE)")
@phase
@reference
@jobs
@option("--scheduler", "ADDRESS", "run on a Dask cluster, such as tcp://10.0.0.1:8786")
@json_option
def command(bundle: Path, folder: Path | None, fetched: Path | None, out: Path | None, **how: Any) -> int:
    place, phase = folder or fetched, how["phase"]
    if place is None or (folder and fetched):
        raise click.UsageError("expected either DIR or --fetched DIR")
    if fetched and not phase:
        raise click.UsageError("--fetched needs --phase")
    out = out or (Path("scored") / safe_name(str(phase)) if fetched else Path("scored"))
    began = time.monotonic()
    with counting("scoring") as progress:
        scores = score_all(bundle, place, out, fetched=fetched is not None, progress=progress, **how)
    submissions = [
        {
            **{"name": name, "status": result.status},
            "scores": {key: None if score is None else f"{score:f}" for key, score in result.scores.items()},
            "reasons": result.reasons,
        }
        for name, result in scores.results.items()
    ]
    content = {"out": out, "submissions": submissions, "notes": scores.notes}
    answer(content, scores_to_text(scores, out))
    loose = describe_loose(place, "Not scored, because they are no zips:", passed_over=out)
    if loose:
        warn(f"{loose}.")
    scored, refused = scores.new - scores.refused, scores.refused
    counted = f"{scored} scored{f' and {refused} refused' if refused else ''}"
    say(f"{counted} in {time.monotonic() - began:.1f} s, written to {out}", error=True)
    return 1 if scores.failed and not fetched else 0
