"""Comparisons of several systems: randomisation tests, multiple comparisons, ranks and statistical power.

All functions take arrays and return numbers. Rank 1 is the best. A *unit* is one row of the statistics: a speaker, a
recording, a call or a response. Systems are compared on the same units. Bundles and kits do not contain this package.
"""
