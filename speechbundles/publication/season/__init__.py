"""Rehearsal of a whole competition. Other rooms import from this module only."""

from speechbundles.publication.season.board import Entry, rank
from speechbundles.publication.season.page import to_html as season_to_html
from speechbundles.publication.season.play import Season, play_submissions
from speechbundles.publication.season.play import play as play_season
from speechbundles.publication.season.replay import Attempt
from speechbundles.publication.season.report import to_json as season_to_json
from speechbundles.publication.season.report import to_text as season_to_text
from speechbundles.publication.season.uploads import Submission

__all__ = [
    "Attempt",
    "Entry",
    "Season",
    "Submission",
    "play_season",
    "play_submissions",
    "rank",
    "season_to_html",
    "season_to_json",
    "season_to_text",
]
