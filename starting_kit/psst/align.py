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
from pathlib import Path

from psst_kit import HERE, read_transcripts

from spokeneval.challenges.psst_recognition import read_reference
from spokeneval.formats.files import read_folder
from spokeneval.metrics.counts import total
from spokeneval.metrics.phoneme_recognition import (
    Step,
    align,
    arpabet_features,
    errors_per_utterance,
    fer,
    per,
)

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
    said = reference["transcript"].tolist()
    errors = errors_per_utterance(said, recognised)
    worst = sorted(
        range(len(recognised)), key=lambda row: (-errors.feature_cost[row], reference.items.ids[row])
    )
    for row in worst[: options.first]:
        if errors.feature_cost[row] > 0:
            steps = align(said[row], recognised[row])
            print("\n".join(trace(reference.items.ids[row], steps)), end="\n\n")
    pooled = total(errors)
    flawless = int((errors.feature_cost == 0).sum())
    print(
        f"{len(worst)} utterances, {flawless} without an error; "
        f"FER {100 * fer(pooled):.4f} %, PER {100 * per(pooled):.4f} %"
    )


def trace(utterance: str, steps: tuple[Step, ...]) -> list[str]:
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
        *(f"    {describe(step)}" for step in steps if step.operation != "match"),
    ]


def describe(step: Step) -> str:
    """Return one error as a line, such as `V -> F   1   voice + to -`."""
    if step.operation == "substitution":
        changes = ", ".join(
            f"{feature} {WORDS[before]} to {WORDS[after]}" for feature, before, after in step.changes
        )
        return f"{step.reference} -> {step.hypothesis}   {step.cost:g}   {changes}"
    phone = step.reference if step.operation == "deletion" else step.hypothesis
    return f"{phone} {'deleted' if step.operation == 'deletion' else 'inserted'}   {step.cost:g}"


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
