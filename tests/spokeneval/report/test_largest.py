"""The largest sources of error, by hand."""

import re
from dataclasses import replace

import numpy as np

from spokeneval.formats.speakers import Units
from spokeneval.report import largest


def test_the_largest_sources_of_error_have_more_than_their_share():
    # Prompt b has 3 of 4 errors in 2 of 6 items; speaker s has 3 of 4 in half; kind x has half in one item of six.
    # Twenty times over, so that chance does not explain it.
    rows = np.tile([0.0, 1, 2, 1, 0, 0], 20)
    groupings = {"Prompt": [*"aabbcc"] * 20}
    parts = {"Kind": largest.GroupedErrors(["x"] * 20 + ["y"] * 100, [5] * 20 + [1] * 100, np.ones(120))}
    errors = largest.Errors(rows, np.ones(120), ("the errors", "the items"), groupings, parts)
    units = Units("speaker", dict(enumerate("tsstts" * 20)))
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
    assert (
        largest.largest_section(
            replace(errors, rows=rows[:6], sizes=np.ones(6), groupings={}, parts={}), single
        )
        is None
    )
    perfect = largest.Errors(np.zeros(6), np.ones(6), ("the errors", "the items"), {"Prompt": [*"aabbcc"]})
    assert largest.largest_section(perfect, single) is None


def test_a_group_within_chance_or_with_a_trifling_gain_is_not_named():
    # By hand: 6 of 10 items of group a are wrong, 4 of 10 of b. The wrong ones of 10 of 20 items drawn at random have
    # the variance 10 * (1 - 10 / 20) * 5 / 19, sd 1.15; one more than 5 is chance. 600 in place of 500 are not.
    def named(rows, most=1):
        n = len(rows) // 2
        errors = largest.Errors(
            rows, np.full(2 * n, most), ("the errors", "the items"), {"Group": ["a"] * n + ["b"] * n}
        )
        return largest.largest_section(errors, Units("item", dict(enumerate(map(str, range(2 * n))))))

    assert named(np.repeat([1.0, 0, 1, 0], [6, 4, 4, 6])) is None
    assert "Group: a" in named(np.repeat([1.0, 0, 1, 0], [600, 400, 400, 600])).markup
    # 502 and 498 errors are beyond chance if all items of a group have one more or less, but 0.4 % fewer are trifling
    assert named(np.repeat([503.0, 501, 499, 497], 50), 1000) is None
    assert "Group: a" in named(np.repeat([507.0, 505, 495, 493], 50), 1000).markup  # 1.2 %
