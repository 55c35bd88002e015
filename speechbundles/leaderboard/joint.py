"""The leaderboard of a challenge: one ranking of the teams over all tasks, then the ranking of each task.

A folder receives a page with both, the joint ranking as CSV, JSON and LaTeX, its pairs, and a folder for each bundle
with the files of `rank`. The page has exact scores: it is for the time after the evaluation.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from speechbundles.leaderboard.board import Board, make_board
from speechbundles.leaderboard.outputs import ScoringOutput
from speechbundles.leaderboard.render import fitted_tables, html_table, text_table
from speechbundles.leaderboard.teams import by_team
from speechbundles.leaderboard.write import (
    CSV_FILE,
    HTML_FILE,
    JSON_FILE,
    LATEX_FILE,
    PAIRS_FILE,
    write_board,
)
from speechbundles.model.competition import Challenge
from speechbundles.model.console import wrap
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.model.text import printable
from spokeneval.formats.problems import count_of
from spokeneval.ranking.joint import JointRanking, join_tasks, why_apart
from spokeneval.ranking.joint_rule import EXCLUDED
from spokeneval.ranking.joint_tables import (
    apart_table,
    joint_pairs_table,
    joint_pairs_to_csv,
    joint_table,
    joint_to_csv,
    joint_to_dict,
)
from spokeneval.ranking.latex import table_to_latex
from spokeneval.ranking.tables import ranking_table
from spokeneval.ranking.values import Table
from spokeneval.report import page

INDEX_FILE = "index.html"


@dataclass(frozen=True)
class JointBoard:
    """The leaderboard of a challenge. `joint`: None if each bundle is ranked by itself; `apart`: who lacks a compulsory
    task, `team -> reason`."""

    challenge: Challenge
    boards: Mapping[str, Board]
    joint: JointRanking | None
    apart: Mapping[str, str]
    day: date


def make_joint_board(
    challenge: Challenge,
    outputs: Mapping[str, Sequence[ScoringOutput]],
    teams: Mapping[str, Mapping[str, str]],
    sources: Sources,
    day: date,
) -> JointBoard:
    """Rank the teams of a challenge.

    Parameters
    ----------
    challenge: the baseline of its rule is named by its team.
    outputs: those of each bundle's entries, named by their accounts.
    teams: the names of the teams of accounts, `bundle -> account -> name`; other accounts are teams of their own.

    Raises
    ------
    OrganiserError: as `make_board`, or the baseline cannot be used.
    """
    boards, baseline = {}, challenge.rule.baseline if challenge.rule else ""
    for name, competition in challenge.bundles.items():
        column = competition.columns[0]
        scores = {output.name: output.scores[column.key] for output in outputs[name] if output.scores}
        counted = by_team(scores, teams[name], higher=column.direction == "higher")
        named = [replace(each, name=counted[each.name]) for each in outputs[name] if each.name in counted]
        lost = {teams[name].get(each.name, each.name): each for each in outputs[name] if not each.scores}
        named += [replace(each, name=team) for team, each in lost.items() if team not in counted.values()]
        named = [replace(each, name=printable(each.name)) for each in named]
        marked = baseline if baseline in {each.name for each in named} else ""
        boards[name] = make_board(sources, named, title=competition["title"], day=day, baseline=marked)
    try:
        if challenge.rule:
            joint = join_tasks(boards, challenge.rule)
            return JointBoard(challenge, boards, joint, joint.apart, day)
    except ValueError as error:
        raise OrganiserError(f"{challenge.name}: {error}") from None
    entered = {name: set(board.names) for name, board in boards.items()}
    teams_of = sorted({team for board in boards.values() for team in (*board.names, *board.unscored)})
    why = {team: why_apart(team, entered, challenge.compulsory, excluded=False) for team in teams_of}
    return JointBoard(challenge, boards, None, {team: reason for team, reason in why.items() if reason}, day)


def _titled(joint: JointRanking, boards: Mapping[str, Board]) -> Table:
    """Return the joint ranking as a table with the titles of the tasks, not the names of their bundles."""
    table, titles = joint_table(joint), {name: board.about.title for name, board in boards.items()}
    heading = f"{', '.join(titles.values())} · {joint.heading.partition(' · ')[2]}"
    return replace(table, title=heading, header=[titles.get(head, head) for head in table.header])


def _of_task(board: Board) -> Table:
    """Return the ranking of a task as a table in which the baseline is marked."""
    table, baseline = ranking_table(board), board.about.baseline
    rows = [[f"{name} (baseline)" if name == baseline else name, *cells] for name, *cells in table.rows]
    return replace(table, rows=rows)


def joint_board_to_text(board: JointBoard) -> str:
    """Return the joint ranking, and the teams that are not in it."""
    tables = (
        [_titled(board.joint, board.boards)]
        if board.joint
        else [ranking_table(each) for each in board.boards.values()]
    )
    tables += [apart_table(board.apart)] if board.apart else []
    notes = [wrap(note, "  ", hanging="") for note in board.joint.notes[:1]] if board.joint else []
    return "\n\n".join([*(f"{table.title}\n\n{text_table(table)}" for table in tables), *notes])


def joint_board_to_dict(board: JointBoard) -> dict[str, object]:
    """Return the joint ranking for JSON; the rankings of the tasks are in their own files."""
    joint = joint_to_dict(board.joint) if board.joint else {"rule": None, "apart": dict(board.apart)}
    return {"challenge": board.challenge.name, "date": str(board.day), **joint}


def write_joint_board(board: JointBoard, directory: Path) -> list[Path]:
    """Write all files of the leaderboard; return them."""
    texts = {JSON_FILE: json.dumps(joint_board_to_dict(board), indent=2) + "\n", INDEX_FILE: to_html(board)}
    if board.joint:
        texts |= {
            CSV_FILE: joint_to_csv(board.joint),
            PAIRS_FILE: joint_pairs_to_csv(board.joint),
            LATEX_FILE: table_to_latex(_titled(board.joint, board.boards)),
        }
    written = [path for name, each in board.boards.items() for path in write_board(each, directory / name)]
    for file, text in texts.items():
        write_whole(directory / file, text.encode("utf-8", "replace"))
    return [*(directory / file for file in texts), *written]


def to_html(board: JointBoard) -> str:
    """Return the page: the joint ranking first, then that of each task."""
    joint = board.joint
    titles = {name: each.about.title for name, each in board.boards.items()}
    boards, baseline = board.boards.values(), {joint.rule.baseline} if joint else set()
    teams = len({name for each in boards for name in (*each.names, *each.unscored)} - baseline)
    parts: list[page.Html | None] = [
        page.facts(
            [
                ("Score", joint.heading.partition(" · ")[2] if joint else "none over all tasks"),
                ("Test sets", (joint and joint.units) or ""),
                ("Teams", f"{count_of(teams, 'team')}, {len(board.apart)} not ranked"),
                ("Tasks", "; ".join(f"{name}: {title}" for name, title in titles.items() if name != title)),
                ("Date", str(board.day)),
            ]
        )
    ]
    if joint:
        table = _titled(joint, board.boards)
        notes = [page.paragraph(note, kind="note") for note in (table.note, *joint.notes)]
        parts.append(page.section("Joint ranking", *fitted_tables(table), *notes))
    if board.apart:
        entered = {name: {*each.names} for name, each in board.boards.items()}
        excluded = joint is not None and joint.rule.missing == EXCLUDED
        apart = {
            team: why_apart(team, entered, board.challenge.compulsory, excluded=excluded, called=titles)
            for team in board.apart
        }
        parts.append(page.section("Not ranked", html_table(apart_table(apart))))
    if joint and joint.pairs:
        pairs = joint_pairs_table(joint)
        parts.append(page.section(pairs.title, html_table(pairs, shown=page.ROWS)))
    for name, each in board.boards.items():
        link = page.Html(f'<a href="{name}/{HTML_FILE}">{page.text("Intervals, differences and notes")}</a>')
        parts.append(page.section(each.about.title, html_table(_of_task(each)), page.paragraph(link)))
    return page.page(f"{board.challenge.name}: leaderboard", *parts)
