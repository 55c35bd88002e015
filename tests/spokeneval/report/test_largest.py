"""The largest sources of error, by hand."""

import re

import numpy as np

from spokeneval.formats.speakers import Units
from spokeneval.report import largest


def test_the_largest_sources_of_error_have_more_than_their_share():
    # Prompt b has 3 of 4 errors in 2 of 6 items; speaker s has 3 of 4 in half; kind x has half in one item of six.
    rows = np.array([0.0, 1, 2, 1, 0, 0])
    groupings = {"Prompt": ["a", "a", "b", "b", "c", "c"]}
    groups = [largest.Group("Kind", "x", 5, 1), largest.Group("Kind", "y", 5, 5)]
    errors = largest.Errors(rows, np.ones(6), ("the errors", "the items"), groupings, groups)
    units = Units("speaker", dict(enumerate("tsstts")))
    markup = largest.largest_section(errors, units).markup
    assert (
        "there would be 62.5 % fewer errors" in markup
    )  # 1 error in the other 4 items: 1.5 in 6, in place of 4
    found = re.findall("<strong>(.*?)</strong> – (.*?)</li>", markup)
    assert found == [
        ("Prompt: b", "75.0 % of the errors, in 33.3 % of the items"),
        ("Kind: x", "50.0 % of the errors, in 16.7 % of the items"),
        ("Speaker: s", "75.0 % of the errors, in 50.0 % of the items"),
    ]
    single = Units("item", dict(enumerate("123456")))
    perfect = largest.Errors(np.zeros(6), np.ones(6), ("the errors", "the items"), groupings)
    assert largest.largest_section(perfect, single) is None
