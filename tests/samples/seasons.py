"""Small bundles with seasons. Expected results of tests follow the platforms' source code.

Codabench: `Phase.can_user_make_submissions` (competitions/models.py), `PhaseSerializer.get_status` and
`LeaderboardPhaseSerializer` (api/serializers), leaderboards/strategies.py, competitions/unpackers/v2.py.
CodaLab: `CompetitionSubmission.save`, `CompetitionPhase.is_active` and `rank_values` (web/models.py),
`push_submission_to_leaderboard_if_best` (web/utils.py).
"""

import copy
import json
import textwrap
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from speechbundles.bundle.rehearse.many import KeptResult
from speechbundles.leaderboard.season import Season, boards_by_day, play_season, replay
from speechbundles.leaderboard.uploads import Upload, read_uploads
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.zips import make_zip
from tests.samples.programs import encoded, write_files

SCORE = """
    import json, sys, time
    from pathlib import Path
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    told = json.loads((source / 'res/told.json').read_text())
    time.sleep(told.pop('sleep', 0))
    if 'refusal' in told:
        sys.exit(told['refusal'])
    if 'crash' in told:
        raise RuntimeError(told['crash'])
    if (source / 'ref/gold.txt').read_text() == 'evaluation':
        told['accuracy'] /= 2
    (output / 'scores.json').write_text(json.dumps(told))
    (output / 'scores.txt').write_text(''.join(f'{key}: {value}\\n' for key, value in told.items()))
"""
"""Writes the scores that the submission asks for: half of them in the evaluation phase."""

DATA = yaml.safe_load(Path(__file__).with_name("seasons.yaml").read_text(encoding="utf-8"))
"""Two phases with a break in between; CodaLab has a closed phase instead, because its phases have no end."""

PHASES = DATA["codabench"]["phases"]
COLUMNS = DATA["codabench"]["leaderboards"][0]["columns"]


def zipped(files):
    return make_zip(encoded(files))


def codabench(
    tmp_path, *, rule="Force_Best", per_day=3, total=30, columns=COLUMNS, phases=PHASES, changes=()
):
    limits = {"max_submissions_per_day": per_day, "max_submissions": total, "execution_time_limit": 20}
    phases = [{"index": n, "tasks": [min(n, 1)], **limits, **phase} for n, phase in enumerate(phases)]
    board = {"primary_index": 0, "submission_rule": rule, "columns": columns}
    competition = {**DATA["codabench"], "phases": phases, "leaderboards": [board], **dict(changes)}
    return write_bundle(tmp_path, competition)


def codalab(tmp_path, *, rule="Force_Best", per_day=3, total=30, sort="desc", changes=()):
    competition = {**copy.deepcopy(DATA["codalab"]), **dict(changes)}
    competition["force_submission_to_leaderboard"] = rule == "Force_Last"
    competition["leaderboard"]["columns"]["accuracy"]["sort"] = sort
    for phase in competition["phases"].values():
        is_open = phase["label"] != "Closed"
        phase.update(max_submissions_per_day=per_day * is_open, max_submissions=total * is_open)
        phase.update(force_best_submission_to_leaderboard=rule == "Force_Best", scoring_program="score.zip")
    return write_bundle(tmp_path, competition)


PLATFORMS = pytest.mark.parametrize("make_bundle", [codabench, codalab])


def write_bundle(tmp_path, competition):
    command = yaml.safe_dump({"command": "python3 $program/score.py $input $output"})
    sets = {f"{name}.zip": zipped({"gold.txt": name}) for name in ("development", "evaluation")}
    program = zipped({"score.py": textwrap.dedent(SCORE), "metadata": command})
    path = tmp_path / "bundle.zip"
    text = yaml.safe_dump(competition, sort_keys=False)
    path.write_bytes(zipped({"competition.yaml": text, "score.zip": program, **sets}))
    return path


def submit(tmp_path, team, name, told=None, *, files=None):
    """Write a team's submission; `told`: instructions for the scoring program."""
    told = told or {"accuracy": 0.5, "cost": 1, "secret": 0}
    zip_file = {f"season/{team}/{name}": zipped(files or {"told.json": json.dumps(told)})}
    return write_files(tmp_path, zip_file) / next(iter(zip_file))


def played(bundle, folder, work=None, **how):
    """Rehearse the season in a folder, as the command does."""
    work = work or folder / ".season"
    return play_season(bundle, read_uploads(folder, passed_over=work), work, **how)


def season_of(*uploads):
    """Return submissions with their results, from (team, time, scores); scores are None for a run that Failed."""
    results = {}
    for number, (team, when, scores) in enumerate(sorted(uploads, key=lambda upload: upload[1])):
        name, time = f"{number}.zip", datetime.fromisoformat(when)
        results[Upload(time, team, name, Path(name), str(number))] = result_of(scores)
    return [*results], lambda submission, phase: results[submission]


def result_of(scores):
    if scores is None:
        return KeptResult("Failed", {}, {}, ("results.csv: 1 problem",), ())
    if not isinstance(scores, dict):
        scores = {"accuracy": scores, "cost": 0, "secret": 0}
    kept = {key: None if score is None else Decimal(str(score)) for key, score in scores.items()}
    return KeptResult("Finished", kept, {key: str(score) for key, score in kept.items()}, (), ())


def season_at(bundle, *uploads):
    """Return the season of a bundle's file, from such uploads as `season_of` has."""
    competition = read_built_bundle(bundle)
    attempts = tuple(replay(competition, *season_of(*uploads)))
    return Season(competition, attempts, tuple(boards_by_day(competition, attempts)), 0)


def statuses(bundle, *uploads):
    return [one.status for one in replay(read_built_bundle(bundle), *season_of(*uploads))]


def boards(bundle, *uploads):
    """Return the board at the end of each day that changed it: (day, phase, [(rank, team, accuracy)])."""
    days = season_at(bundle, *uploads).days
    return [
        (str(day.day), day.phase, [(each.rank, each.name, each.shown["accuracy"]) for each in day.rows])
        for _, day in days
    ]


def final(bundle, *uploads):
    return boards(bundle, *uploads)[-1][2]
