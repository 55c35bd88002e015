"""Rehearsal of a whole competition. Other rooms import from this module only."""

from speechbundles.leaderboard.season.board import Entry as Entry
from speechbundles.leaderboard.season.board import rank as rank
from speechbundles.leaderboard.season.files import season_files as season_files
from speechbundles.leaderboard.season.play import Season as Season
from speechbundles.leaderboard.season.play import play_season as play_season
from speechbundles.leaderboard.season.play import play_submissions as play_submissions
from speechbundles.leaderboard.season.replay import PENDING as PENDING
from speechbundles.leaderboard.season.replay import REFUSED as REFUSED
from speechbundles.leaderboard.season.replay import Attempt as Attempt
from speechbundles.leaderboard.season.replay import replay as replay
from speechbundles.leaderboard.season.summary import season_to_dict as season_to_dict
from speechbundles.leaderboard.season.summary import season_to_text as season_to_text
from speechbundles.leaderboard.season.uploads import Submission as Submission
