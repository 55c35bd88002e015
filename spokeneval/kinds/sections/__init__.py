"""Sections of a report on public labels, by the kind of the task: the module `KIND.py` beside `kinds/KIND.py`.

They are apart from the kinds because programs start without what makes pages. A module has a function
`sections(kind, reference, submission, scored)`, which returns the sections, and may have:

- `groupings(kind, reference)`: groups of items for the largest sources of error, `kind of group -> group of each item`;
- `answers(kind, reference, submission, rows)`: for the table of wrong answers, `title of a column -> a cell per row`;
- `distance(kind, reference, submission)`: how wrong each answer is, for the order of that table;
- `errors(kind, reference, submission, scored)`: the errors for the largest sources, in place of those by item;
- `plots(kind, reference, submission, scored)`: drawings, by name.
"""
