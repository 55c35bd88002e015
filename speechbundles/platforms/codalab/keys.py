"""The keys of CodaLab's competition.yaml, format 1.5: types, longest texts, choices and defaults (`keys.json`).

CodaLab passes every key to its database, so the upload fails for a key that is not a column there.
"""

from speechbundles.platforms.keys import read_keys

TOP, PHASE, BOARDS, LEADERBOARD, COLUMN = read_keys("codalab")
PAGES = ("overview", "evaluation", "terms", "data")
LONGEST_COLUMN_KEY = 36
