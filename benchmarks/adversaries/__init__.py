"""Attacks on what a board tells about hidden labels: sets, boards, and one module each for a way of reading labels.

`cases` are the sets, `boards` what they answer; `weights`, `turns`, `flips`, `probes` and `integer_program` decode
labels from numbers that were meant to rank systems, `climbing` learns from many answers a little each.
"""
