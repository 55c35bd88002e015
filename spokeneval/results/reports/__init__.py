"""The part of a report page that is a task's own: `<task>.py`, with its `TITLE` and its `sections`.

`sections(reference, submission, scores)` is asked only where the labels are public. Plots come by way of
`plots.plot`, which gives None without matplotlib: what a plot says, a table says too.
"""
