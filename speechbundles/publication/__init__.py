"""Scoring of many submissions on the organiser's computer, and ranking. Other rooms import from this module only."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from speechbundles.publication.board import Breakdown, make_board
    from speechbundles.publication.outputs import read_outputs
    from speechbundles.publication.pdf import write_pdf
    from speechbundles.publication.render import escaped as escaped_markdown
    from speechbundles.publication.render import fitted_tables, markdown_table, text_table
    from speechbundles.publication.score import score as score_all
    from speechbundles.publication.score import to_text as scores_to_text
    from speechbundles.publication.write import to_json as board_to_json
    from speechbundles.publication.write import to_text as board_to_text
    from speechbundles.publication.write import write_board

__all__ = [
    "Breakdown",
    "board_to_json",
    "board_to_text",
    "escaped_markdown",
    "fitted_tables",
    "make_board",
    "markdown_table",
    "read_outputs",
    "score_all",
    "scores_to_text",
    "text_table",
    "write_board",
    "write_pdf",
]

_PLACES = {
    "Breakdown": ("board", "Breakdown"),
    "board_to_json": ("write", "to_json"),
    "board_to_text": ("write", "to_text"),
    "escaped_markdown": ("render", "escaped"),
    "fitted_tables": ("render", "fitted_tables"),
    "make_board": ("board", "make_board"),
    "markdown_table": ("render", "markdown_table"),
    "read_outputs": ("outputs", "read_outputs"),
    "score_all": ("score", "score"),
    "scores_to_text": ("score", "to_text"),
    "text_table": ("render", "text_table"),
    "write_board": ("write", "write_board"),
    "write_pdf": ("pdf", "write_pdf"),
}


def __getattr__(name: str) -> Any:
    """Import a name from its module when it is first used: a season needs no rankings."""
    if name not in _PLACES:
        raise AttributeError(name)
    module, own = _PLACES[name]
    return getattr(import_module(f"{__name__}.{module}"), own)
