"""The keys of CodaLab's competition.yaml, format 1.5: types, longest texts, choices and defaults (`keys.json`).

CodaLab passes every key to its database, so the upload fails for a key that is not a column there.
"""

from speechbundles.model.keys import read_keys

TABLES = read_keys("codalab")
TOP, PHASE, COLUMN = (TABLES[name] for name in ("TOP", "PHASE", "COLUMN"))
LONGEST_COLUMN_KEY = 36
