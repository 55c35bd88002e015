"""Attacks that extract hidden labels from leaderboards: sets, boards, and one module for each method.

`cases` has the sets, and `boards` the leaderboards and the loop of an attack. `weights`, `turns`, `flips`, `probes` and
`integer_program` decode labels from the numbers on a board; `climbing` learns a little from each of many answers, and
`sealed` measures what that gains on labels that the board does not have.
"""
