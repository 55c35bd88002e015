"""Small bundles with seasons. Expected results of tests follow the platforms' source code.

Codabench: `Phase.can_user_make_submissions` (competitions/models.py), `PhaseSerializer.get_status` and
`LeaderboardPhaseSerializer` (api/serializers), leaderboards/strategies.py, competitions/unpackers/v2.py.
CodaLab: `CompetitionSubmission.save`, `CompetitionPhase.is_active` and `rank_values` (web/models.py),
`push_submission_to_leaderboard_if_best` (web/utils.py).
"""

import io
import json
import textwrap
import zipfile
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from speechbundles.bundle.rehearse.many import Result
from speechbundles.model.read import read_built_bundle
from speechbundles.publication.season.board import boards_by_day
from speechbundles.publication.season.play import Season
from speechbundles.publication.season.replay import replay
from speechbundles.publication.season.uploads import Submission

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

COLUMNS = [
    {"key": "accuracy", "title": "Accuracy", "index": 0, "sorting": "desc", "precision": 4},
    {"key": "cost", "title": "Cost", "index": 1, "sorting": "asc", "precision": 1},
    {"key": "secret", "title": "Secret", "index": 2, "sorting": "desc", "precision": 1, "hidden": True},
]
PHASES = [
    {"name": "Development", "start": "2027-01-01 00:00:00", "end": "2027-01-31 23:59:59"},
    {"name": "Evaluation", "start": "2027-02-10 00:00:00", "end": "2027-02-20 12:00:00"},
]


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def codabench(
    tmp_path, *, rule="Force_Best", per_day=3, total=30, columns=COLUMNS, phases=PHASES, changes=()
):
    limits = {"max_submissions_per_day": per_day, "max_submissions": total, "execution_time_limit": 20}
    competition = {
        "version": 2,
        "title": "Synthetic",
        "tasks": [
            {"index": 0, "scoring_program": "score.zip", "reference_data": "development.zip"},
            {"index": 1, "scoring_program": "score.zip", "reference_data": "evaluation.zip"},
        ],
        "phases": [
            {"index": index, "tasks": [min(index, 1)], **limits, **phase}
            for index, phase in enumerate(phases)
        ],
        "leaderboards": [{"primary_index": 0, "submission_rule": rule, "columns": columns}],
        **dict(changes),
    }
    return write_bundle(tmp_path, competition)


def codalab(tmp_path, *, rule="Force_Best", per_day=3, total=30, sort="desc", changes=()):
    phases = [
        ("Development", "2027-01-01 00:00:00", per_day, total),
        ("Closed", "2027-02-01 00:00:00", 0, 0),
        ("Evaluation", "2027-02-10 00:00:00", per_day, total),
    ]
    competition = {
        "title": "Synthetic",
        "end_date": "2027-02-20 12:00:00",
        "force_submission_to_leaderboard": rule == "Force_Last",
        "phases": {
            number: {
                "phasenumber": number,
                "label": label,
                "start_date": start,
                "max_submissions_per_day": day,
                "max_submissions": most,
                "force_best_submission_to_leaderboard": rule == "Force_Best",
                "scoring_program": "score.zip",
                "reference_data": "evaluation.zip" if label == "Evaluation" else "development.zip",
            }
            for number, (label, start, day, most) in enumerate(phases, 1)
        },
        "leaderboard": {
            "columns": {"accuracy": {"rank": 1, "sort": sort}, "cost": {"rank": 2, "sort": "asc"}}
        },
        **dict(changes),
    }
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
    path = tmp_path / "season" / team / name
    path.parent.mkdir(parents=True, exist_ok=True)
    scores = {"accuracy": 0.5, "cost": 1, "secret": 0}
    path.write_bytes(zipped(files or {"told.json": json.dumps(told or scores)}))
    return path


def season_of(*uploads):
    """Return submissions with their results, from (team, time, scores); scores are None for a run that Failed."""
    submissions, results = [], {}
    for number, (team, when, scores) in enumerate(sorted(uploads, key=lambda upload: upload[1])):
        one = Submission(
            datetime.fromisoformat(when), team, f"{number}.zip", Path(f"{number}.zip"), str(number)
        )
        submissions.append(one)
        results[one] = result_of(scores)
    return submissions, lambda submission, phase: results[submission]


def result_of(scores):
    if scores is None:
        return Result("Failed", {}, {}, ("results.csv: 1 problem",), ())
    if not isinstance(scores, dict):
        scores = {"accuracy": scores, "cost": 0, "secret": 0}
    kept = {key: None if score is None else Decimal(str(score)) for key, score in scores.items()}
    return Result("Finished", kept, {key: str(score) for key, score in kept.items()}, (), ())


def season_at(bundle, *uploads):
    """Return the season of a bundle's file, from such uploads as `season_of` has."""
    competition = read_built_bundle(bundle)
    attempts = tuple(replay(competition, *season_of(*uploads)))
    return Season(competition, attempts, tuple(boards_by_day(competition, attempts)), 0)


def statuses(bundle, *uploads):
    return [one.status for one in replay(read_built_bundle(bundle), *season_of(*uploads))]


def boards(bundle, *uploads):
    """Return the board at the end of each day that changed it: (day, phase, [(rank, team, accuracy)])."""

    def shown(entry):
        return entry.rank, entry.attempt.submission.team, entry.attempt.shown("accuracy")

    days = season_at(bundle, *uploads).days
    return [(str(day.day), day.phase.name, list(map(shown, day.board))) for day in days]


def final(bundle, *uploads):
    return boards(bundle, *uploads)[-1][2]
