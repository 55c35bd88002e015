"""What teams declared in the fact sheets of their submissions, and which declarations break a rule.

A rule is a setting of the question in `competition.yaml`: `required`, `at_most`, `url_for`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.given import no_board
from speechbundles.model.bounded import parse_json
from speechbundles.model.fetched import read_index
from speechbundles.model.sources import Sources
from speechbundles.model.statuses import FINISHED
from speechbundles.model.text import grouped
from spokeneval.formats.problems import printable
from spokeneval.formats.text import decimal
from spokeneval.ranking.leaderboard import TextTable

TEAM, RUNS, BREAKS = "team", "runs", "breaks a rule"
_NOTHING = ("", "none", "no", "n/a", "-")
_HOURS = re.compile(r"\s*h(ours?)?\.?\Z", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s/]+\.[^\s/]+", re.IGNORECASE)


def declared(sources: Sources, folder: Path, task: str) -> TextTable:
    """Return a row for each declaration of each team in a folder that `fetch` wrote, with the runs that made it.

    Raises
    ------
    OrganiserError: the folder has no readable index, or no competition with the task has a fact sheet.
    """
    finished = (run for run in read_index(folder) if run.status == FINISHED)
    given = grouped(((run.owner, run.fact_sheet), str(run.id)) for run in finished)
    try:
        answers = {key: dict(parse_json((key[1] or "{}").encode())) for key in given}
    except (TypeError, ValueError):
        raise no_board(f"{folder}: the column fact_sheet of its index is damaged; fetch again") from None
    sheets = [each.settings.get("fact_sheet", ()) for each in read_competitions(sources) if each.task == task]
    answered = {key for each in answers.values() for key in each}
    if not answered:
        raise no_board(f"{folder}: no run has answers to a fact sheet; fetch again if there were questions")
    questions = max(
        sheets, key=lambda sheet: len(answered & {question["key"] for question in sheet}), default=()
    )
    if not questions:
        raise no_board(f"competition.yaml has no fact_sheet for {task}; give your folder with --competition")
    keys = list(dict.fromkeys([*(question["key"] for question in questions), *sorted(answered)]))
    rows = []
    for (owner, sheet), runs in sorted(given.items()):
        own = answers[owner, sheet]
        cells = [owner, ", ".join(runs), *(str(own.get(key, "")) for key in keys)]
        rows.append([*map(printable, [*cells, "; ".join(_broken(questions, own))])])
    broken = sum(bool(row[-1]) for row in rows)
    title = f"Fact sheets: {broken} of {len(rows)} declarations break a rule"
    header = [TEAM, RUNS, *keys, BREAKS]
    return TextTable(title, header, rows, left=len(header))


def _broken(questions: Sequence[Mapping[str, Any]], answers: Mapping[str, str]) -> Iterator[str]:
    """Yield the rules that answers break."""
    for question in questions:
        key, answer = question["key"], str(answers.get(question["key"], "")).strip()
        none = answer.lower() in _NOTHING
        if not answer and question["required"]:
            yield f"{key}: no answer"
        elif "at_most" in question:
            number = 0 if none else decimal(_HOURS.sub("", answer))
            if number is None:
                yield f"{key}: {answer!r:.50} is not a number"
            elif number > question["at_most"]:
                yield f"{key}: {number:g}, but at most {question['at_most']:g} are allowed"
        elif "url_for" in question:
            other = str(answers.get(question["url_for"], "")).strip()
            if other.lower() not in _NOTHING and not _ADDRESS.search(answer):
                yield f"{key}: no web address for {other!r:.50}"
