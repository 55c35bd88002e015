"""Systems compared with one another: randomisation tests, multiple comparisons, ranks, power. Arrays in, numbers out.

Rank 1 is the best. A *unit* is one row of the statistics (a speaker, a recording, a call, a response); systems are
compared on the same units. Bundles and kits do not contain this package.
"""
