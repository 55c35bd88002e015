"""Rehearsal of a whole competition. Other rooms import from this module only."""

from speechbundles.publication.season.board import Entry as Entry
from speechbundles.publication.season.board import rank as rank
from speechbundles.publication.season.files import season_files as season_files
from speechbundles.publication.season.play import Season as Season
from speechbundles.publication.season.play import play_season as play_season
from speechbundles.publication.season.play import play_submissions as play_submissions
from speechbundles.publication.season.replay import PENDING as PENDING
from speechbundles.publication.season.replay import REFUSED as REFUSED
from speechbundles.publication.season.replay import Attempt as Attempt
from speechbundles.publication.season.replay import replay as replay
from speechbundles.publication.season.summary import season_to_dict as season_to_dict
from speechbundles.publication.season.summary import season_to_text as season_to_text
from speechbundles.publication.season.uploads import Submission as Submission
