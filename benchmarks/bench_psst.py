"""Phone and feature error rates compared with phonologic (the challenge's tool) and rapidfuzz.

    python -m benchmarks.bench_psst [UTTERANCES]    (default 100,000, synthetic, with the corpus's lengths)

Tools that are not installed are skipped with a note. Times are the best of three in this process, on one core.
phonologic is timed once, on a 50th of the utterances; its time is multiplied by 50.
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
from collections import deque
from collections.abc import Callable
from pathlib import Path

from benchmarks.processes import best_call, score_command
from benchmarks.processes import seconds as process_seconds
from sample_data.psst import Utterance, sample, write_transcripts, write_utterances
from spokeneval.metrics.phoneme_recognition import arpabet_features, drop_fillers, feature_error_rate
from spokeneval.metrics.phoneme_recognition import errors_per_utterance as feature_errors
from spokeneval.metrics.transcript_errors import count_errors, errors

PHONOLOGIC_SHARE = 50

Transcripts = list[list[str]]


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    return best_call(run, repeats)[0]


def phone_errors(reference: Transcripts, hypothesis: Transcripts) -> int:
    """Return the number of errors in phones."""
    return int(errors(count_errors(*(list(map(drop_fillers, side)) for side in (reference, hypothesis)))))


def both_rates(reference: Transcripts, hypothesis: Transcripts) -> None:
    """Compute PER and FER."""
    phone_errors(reference, hypothesis)
    feature_error_rate(reference, hypothesis)


def against_phonologic(reference: Transcripts, hypothesis: Transcripts, ours: float) -> None:
    """Compare PER and FER with the challenge's tool, which runs utterance by utterance in one process."""
    try:
        import phonologic
    except ImportError:
        print("  phonologic             not installed; skipped")
        return
    system = phonologic.load("hayes-arpabet")
    part = max(1, len(reference) // PHONOLOGIC_SHARE)
    pairs = [(" ".join(r), " ".join(h)) for r, h in zip(reference[:part], hypothesis[:part], strict=True)]
    found = []

    def run() -> None:
        for r, h in pairs:
            found.append(
                (system.analyze_phoneme_errors(r, h).distance, system.analyze_feature_errors(r, h).distance)
            )

    taken = seconds(run, repeats=1) * len(reference) / part
    costs = feature_errors(reference[:part], hypothesis[:part]).feature_cost
    mine = phone_errors(reference[:part], hypothesis[:part]), costs.sum()
    same = mine == tuple(map(sum, zip(*found, strict=True)))
    print(
        f"  phonologic PER + FER   {taken:8.3f} s   (timed on {part} utterances)   {taken / ours:.0f} x ours"
    )
    print(f"    same phone errors and feature cost on those {part}: {'yes' if same else 'NO'}")


def against_rapidfuzz(reference: Transcripts, hypothesis: Transcripts, ours: float) -> None:
    """Compare PER with a loop over C++ functions: on lists of phones, on strings with a letter per phone, on texts.

    `distance` gives the number of errors alone; `opcodes` gives substitutions, insertions and deletions, as ours does.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        print("  rapidfuzz              not installed; skipped")
        return
    letters = {phone: chr(65 + number) for number, phone in enumerate(arpabet_features().phones)}
    lists = [list(map(drop_fillers, side)) for side in (reference, hypothesis)]
    strings = [["".join(map(letters.__getitem__, phones)) for phones in side] for side in lists]
    for name, sides in (("lists of phones", lists), ("ready-made strings", strings)):
        for function in (Levenshtein.distance, Levenshtein.opcodes):
            taken = seconds(lambda sides=sides, function=function: deque(map(function, *sides), maxlen=0))
            called = f"{function.__name__} of {name}"
            print(f"  rapidfuzz, {called:30s} {taken:.3f} s   ours takes {ours / taken:.1f} times as long")
    texts = [list(map(" ".join, side)) for side in (reference, hypothesis)]

    def split() -> list[Transcripts]:
        return [[text.split() for text in side] for side in texts]

    def errors_of_texts() -> int:
        return sum(map(Levenshtein.distance, *(map(drop_fillers, side) for side in split())))

    mine, theirs = seconds(lambda: phone_errors(*split())), seconds(errors_of_texts)
    print(
        f"  from texts: ours {mine:.3f} s, rapidfuzz {theirs:.3f} s   ours takes {mine / theirs:.1f} times as long"
    )
    same = sum(map(Levenshtein.distance, *lists)) == phone_errors(reference, hypothesis)
    print(f"    same phone errors: {'yes' if same else 'NO'}")


def whole_program(spoken: list[Utterance], recognised: list[str]) -> float:
    """Return the time of the server's score.py from files to scores, with the start of Python and all checks."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Path(folder)
        write_utterances(inputs / "ref/utterances.tsv", spoken)
        ids = [utterance.utterance_id for utterance in spoken]
        write_transcripts(inputs / "res/transcripts.tsv", ids, recognised)
        return min(process_seconds(*score_command("psst_recognition", inputs)) for _ in range(3))


def main(utterances: int = 100_000) -> None:
    """Print the comparison, how the time grows, and the time for a long utterance."""
    spoken, recognised = sample("evaluation", utterances)
    reference = [utterance.transcript.split() for utterance in spoken]
    hypothesis = [transcript.split() for transcript in recognised]
    mean = sum(map(len, reference)) / len(reference)
    both = seconds(lambda: both_rates(reference, hypothesis))
    per = seconds(lambda: phone_errors(reference, hypothesis))
    print(f"{utterances} utterances, {mean:.1f} phones on average")
    print(f"  ours PER + FER         {both:8.3f} s")
    against_phonologic(reference, hypothesis, both)
    print(f"  ours PER alone         {per:8.3f} s")
    against_rapidfuzz(reference, hypothesis, per)

    print(f"  score.py from its files{whole_program(spoken, recognised):7.3f} s")

    print("Scaling (PER + FER)")
    for size in (utterances // 100, utterances // 10, utterances):
        taken = seconds(lambda size=size: both_rates(reference[:size], hypothesis[:size]))
        print(
            f"  {size:7d} utterances     {taken:8.4f} s   {1e6 * taken / max(size, 1):6.2f} µs per utterance"
        )

    rng = random.Random(1)
    long, other = ([rng.choice(arpabet_features().phones) for _ in range(2000)] for _ in range(2))
    print("One utterance of 2000 phones")
    print(f"  PER + FER              {seconds(lambda: both_rates([long], [other])):8.3f} s")
    print(
        f"Peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB, including the transcripts"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
