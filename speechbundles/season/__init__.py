"""A whole competition, rehearsed. Other rooms import from this module alone."""

from speechbundles.season.board import Entry, rank
from speechbundles.season.replay import Attempt
from speechbundles.season.uploads import Submission

__all__ = ["Attempt", "Entry", "Submission", "rank"]
