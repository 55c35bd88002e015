"""Scoring of many submissions on the organiser's computer, and ranking. Other rooms import from this module only."""

from speechbundles.board.board import make_board
from speechbundles.board.outputs import read_outputs
from speechbundles.board.page import fitted_tables
from speechbundles.board.pdf import write_pdf
from speechbundles.board.plain import to_text as board_to_text
from speechbundles.board.score import score as score_all
from speechbundles.board.score import to_text as scores_to_text
from speechbundles.board.write import to_json as board_to_json
from speechbundles.board.write import write_board

__all__ = [
    "board_to_json",
    "board_to_text",
    "fitted_tables",
    "make_board",
    "read_outputs",
    "score_all",
    "scores_to_text",
    "write_board",
    "write_pdf",
]
