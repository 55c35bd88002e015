"""Scoring of many submissions on the organiser's computer, and ranking. Other rooms import from this module only."""

from speechbundles.publication.board import Breakdown, make_board
from speechbundles.publication.outputs import read_outputs
from speechbundles.publication.page import fitted_tables
from speechbundles.publication.pdf import write_pdf
from speechbundles.publication.score import score as score_all
from speechbundles.publication.score import to_text as scores_to_text
from speechbundles.publication.write import escaped as escaped_markdown
from speechbundles.publication.write import markdown_table, write_board
from speechbundles.publication.write import to_json as board_to_json
from speechbundles.publication.write import to_text as board_to_text

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
    "write_board",
    "write_pdf",
]
