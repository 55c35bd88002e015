"""Sections of a report on public labels, by the kind of the task: the module `KIND.py` for tasks whose view names KIND.

A module has a function `sections(view, reference, submission, scored)`, which returns the sections, and may have:

- `groups(view, reference)`: groups of items for the largest sources of error, `kind of group -> group of each item`;
- `answers(view, reference, submission, rows)`: for the table of wrong answers, `title of a column -> a cell per row`;
- `distance(view, reference, submission)`: how wrong each answer is, for the order of that table;
- `errors(view, reference, submission, scored)`: the errors for the largest sources, in place of those by item.
"""
