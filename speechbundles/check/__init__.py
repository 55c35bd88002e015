"""What a platform would refuse in a built zip, or get wrong. Other rooms import from this module alone."""

from speechbundles.check.check import check_bundle
from speechbundles.check.practice import MOST_SUBMISSIONS
from speechbundles.check.text_tables import SEGMENT, TextTable, read_tables

__all__ = ["MOST_SUBMISSIONS", "SEGMENT", "TextTable", "check_bundle", "read_tables"]
