"""Scoring of many submissions on the organiser's computer, and ranking. Other rooms import from this module only."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from speechbundles.publication.board import Breakdown as Breakdown
    from speechbundles.publication.board import make_board as make_board
    from speechbundles.publication.joint import JointBoard as JointBoard
    from speechbundles.publication.joint import joint_board_to_dict as joint_board_to_dict
    from speechbundles.publication.joint import joint_board_to_text as joint_board_to_text
    from speechbundles.publication.joint import make_joint_board as make_joint_board
    from speechbundles.publication.joint import write_joint_board as write_joint_board
    from speechbundles.publication.outputs import ScoringOutput as ScoringOutput
    from speechbundles.publication.outputs import read_outputs as read_outputs
    from speechbundles.publication.render import escaped_markdown as escaped_markdown
    from speechbundles.publication.render import fitted_tables as fitted_tables
    from speechbundles.publication.render import markdown_table as markdown_table
    from speechbundles.publication.render import table_to_csv as table_to_csv
    from speechbundles.publication.render import text_table as text_table
    from speechbundles.publication.score import score_all as score_all
    from speechbundles.publication.score import scores_to_text as scores_to_text
    from speechbundles.publication.scores_only import rank_scores as rank_scores
    from speechbundles.publication.teams import baseline_team as baseline_team
    from speechbundles.publication.teams import read_teams_table as read_teams_table
    from speechbundles.publication.teams import without_entry as without_entry
    from speechbundles.publication.write import board_to_json as board_to_json
    from speechbundles.publication.write import board_to_text as board_to_text
    from speechbundles.publication.write import write_board as write_board

_NAMES = {
    "board": ("Breakdown", "make_board"),
    "joint": (
        "JointBoard",
        "joint_board_to_dict",
        "joint_board_to_text",
        "make_joint_board",
        "write_joint_board",
    ),
    "outputs": ("ScoringOutput", "read_outputs"),
    "render": ("escaped_markdown", "fitted_tables", "markdown_table", "table_to_csv", "text_table"),
    "score": ("score_all", "scores_to_text"),
    "scores_only": ("rank_scores",),
    "teams": (
        "baseline_team",
        "read_teams_table",
        "without_entry",
    ),
    "write": ("board_to_json", "board_to_text", "write_board"),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: a season needs no rankings."""
    if name not in _PLACES:
        raise AttributeError(name)
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
