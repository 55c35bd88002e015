"""Print the errors of each utterance, phone by phone, with the features that changed; the worst utterance first.

    python3 align.py out/transcripts.tsv
    python3 align.py --first 20 my_transcripts.tsv

The transcripts must be of the development set, whose reference is in the kit. The alignment is the one with the lowest
feature cost, which FER counts. An utterance's cost is in features; a phone has 24. Needs numpy.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from psst_kit import HERE, read_transcripts

from spokeneval.challenges.psst_recognition import read_reference
from spokeneval.formats.text import read_folder
from spokeneval.metrics.alignment import cheapest_path
from spokeneval.metrics.counts import total
from spokeneval.metrics.phoneme_recognition import arpabet_features, drop_fillers, errors_per_utterance, fer
from spokeneval.metrics.transcript_errors import count_errors, error_rate

NOTHING = "-"
WORDS = {"+": "+", "-": "-", "0": "0", "-+": "-+ (towards +)", "+-": "+- (towards -)"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Print the errors of each utterance, phone by phone, the worst utterance first."
    )
    parser.add_argument(
        "transcripts", type=Path, help="a file with utterance_id and asr_transcript, for the development set"
    )
    parser.add_argument("--first", type=int, metavar="N", help="print only the N worst utterances")
    options = parser.parse_args()
    reference = read_reference(read_folder(HERE / "development" / "reference"))
    recognised = read_transcripts(options.transcripts, reference.items, "development")
    said, heard = (list(map(drop_fillers, side)) for side in (reference["transcript"], recognised))
    errors = errors_per_utterance(said, heard)
    worst = sorted(
        range(len(recognised)), key=lambda row: (-errors.feature_cost[row], reference.items.ids[row])
    )
    for row in worst[: options.first]:
        if errors.feature_cost[row] > 0:
            steps = align(said[row], heard[row])
            print("\n".join(trace(reference.items.ids[row], steps)), end="\n\n")
    flawless, per = int((errors.feature_cost == 0).sum()), error_rate(count_errors(said, heard))
    print(
        f"{len(worst)} utterances, {flawless} without an error; "
        f"FER {100 * fer(total(errors)):.4f} %, PER {100 * per:.4f} %"
    )


class Step(NamedTuple):
    """One step of an alignment: the phones, None for the missing side, its cost in features, and the changed ones."""

    reference: Optional[str]
    hypothesis: Optional[str]
    cost: float
    changes: Sequence[tuple[str, str, str]] = ()


def align(said: Sequence[str], heard: Sequence[str]) -> list[Step]:
    """Return the steps of the alignment that is cheapest in features, from the first phone to the last."""
    import numpy as np  # psst_kit reports if it is missing

    table = arpabet_features()
    number = {phone: place for place, phone in enumerate(table.phones)}
    sides = (np.array([number[phone] for phone in side], dtype=int) for side in (said, heard))
    substitution, indel = table.substitution_costs(), table.indel_costs()
    steps = []
    for a, b in cheapest_path(*sides, *((4 * costs).astype(int) for costs in (substitution, indel))):
        if a is None or b is None:
            place = b if a is None else a
            names = (None if side is None else table.phones[side] for side in (a, b))
            steps.append(Step(*names, float(indel[place])))
        else:
            symbols = zip(table.features, table.symbols[a], table.symbols[b])
            changes = [change for change in symbols if change[1] != change[2]]
            steps.append(Step(table.phones[a], table.phones[b], float(substitution[a, b]), changes))
    return steps


def trace(utterance: str, steps: Sequence[Step]) -> list[str]:
    """Return the lines for one utterance: the two aligned transcripts, then the errors."""
    pairs = [(step.reference or NOTHING, step.hypothesis or NOTHING) for step in steps]
    widths = [max(map(len, pair)) for pair in pairs]
    said, heard = (" ".join(map(str.ljust, side, widths)).rstrip() for side in zip(*pairs))
    cost = sum(step.cost for step in steps)
    phones = sum(step.reference is not None for step in steps)
    return [
        f"{utterance}   {cost:g} of {phones * len(arpabet_features().features)} features",
        f"  said   {said}",
        f"  heard  {heard}",
        *(f"    {describe(step)}" for step in steps if step.reference != step.hypothesis),
    ]


def describe(step: Step) -> str:
    """Return one error as a line, such as `V -> F   1   voice + to -`."""
    if step.reference and step.hypothesis:
        changes = ", ".join(
            f"{feature} {WORDS[before]} to {WORDS[after]}" for feature, before, after in step.changes
        )
        return f"{step.reference} -> {step.hypothesis}   {step.cost:g}   {changes}"
    return (
        f"{step.reference or step.hypothesis} {'deleted' if step.reference else 'inserted'}   {step.cost:g}"
    )


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
