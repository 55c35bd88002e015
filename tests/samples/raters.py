"""Ratings by three raters and a system, with the statistics that other tools give for them."""

from __future__ import annotations

import numpy as np

# Three raters and a system on 40 items, drawn at random around common ratings. krippendorff 0.9.0 gives
# alpha(..., value_domain=[1, 2, 3, 4, 5], level_of_measurement="ordinal") without and with the system; the code beside
# the paper on the alternative annotator test (github.com/nitaytech/AltTest, commit 13eada27), with its negative root
# mean square error and a margin of 0.2, a winning rate of 2/3 and an advantage of 0.8666....
RATERS = (
    "2334114532431532431254435235122451335232",
    "2344125423423522332144525233111351235223",
    "3325114542544444531155535135111451425114",
)
SYSTEM = "2335215513441523431153545235121351325332"


def digits(*ratings):
    return np.array([list(map(int, each)) for each in ratings])
