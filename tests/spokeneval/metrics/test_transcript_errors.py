"""Word and character error rates against jiwer and NIST's sclite."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from spokeneval.metrics import transcript_errors as metrics
from spokeneval.metrics.counts import total
from tests.samples.texts import random_texts

PAIRS = 3_000
SCLITE = shutil.which("sclite", path=os.pathsep.join([os.environ["PATH"], "/usr/lib/sctk/bin"]))


def split(texts: list[str]) -> list[list[str]]:
    return [text.split() for text in texts]


def test_texts_are_lists_of_their_characters() -> None:
    rng = np.random.default_rng(4)
    sides = [["".join(rng.choice(list("aé😀\ud800"), n)) for n in rng.integers(0, 9, 200)] for _ in range(2)]
    of_texts, of_lists = (
        metrics.errors_per_utterance(*sides),
        metrics.errors_per_utterance(*([list(text) for text in side] for side in sides)),
    )
    assert total(of_texts) == total(of_lists)


@pytest.mark.default_cases("words")
@pytest.mark.parametrize("unit", ["words", "characters"])
def test_totals_equal_jiwer(unit: str) -> None:
    jiwer = pytest.importorskip("jiwer")
    texts = [(r, h) for r, h in zip(*random_texts(3, PAIRS)) if r]  # jiwer refuses an empty reference
    reference, hypothesis = map(list, zip(*texts))
    if unit == "words":
        theirs = jiwer.process_words(reference, hypothesis)
        ours = metrics.count_errors(split(reference), split(hypothesis))
        assert metrics.word_error_rate(reference, hypothesis) == theirs.wer
    else:
        theirs = jiwer.process_characters(reference, hypothesis)
        ours = metrics.count_errors(reference, hypothesis)
        assert metrics.character_error_rate(reference, hypothesis) == theirs.cer
    assert metrics.errors(ours) == theirs.substitutions + theirs.insertions + theirs.deletions


@pytest.mark.skipif(SCLITE is None, reason="sclite (Debian's sctk) is not installed")
def test_errors_equal_sclite_where_its_alignment_is_minimal(tmp_path: Path) -> None:
    """sclite weights substitutions 4, insertions and deletions 3: some of its alignments are not minimal."""
    reference, hypothesis = random_texts(5, PAIRS)
    for name, texts in (("ref", reference), ("hyp", hypothesis)):
        lines = [f"{text} (speaker-{number:05d})\n" for number, text in enumerate(texts)]
        (tmp_path / f"{name}.trn").write_text("".join(lines))
    assert SCLITE
    command = [SCLITE, "-i", "rm", "-r", "ref.trn", "trn", "-h", "hyp.trn", "trn", "-o", "pra", "stdout"]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = re.findall(r"speaker-(\d+)\)\nScores: \(#C #S #D #I\) (\d+) (\d+) (\d+) (\d+)", printed)
    rows = metrics.errors_per_utterance(split(reference), split(hypothesis))
    assert len(found) == PAIRS
    ours = metrics.errors(rows)
    theirs = {int(number): int(s) + int(d) + int(i) for number, _, s, d, i in found}
    more = sum(theirs[number] > ours[number] for number in range(PAIRS))
    assert all(theirs[number] >= ours[number] for number in range(PAIRS))
    assert more < PAIRS / 50, f"{more} of {PAIRS} alignments of sclite are not minimal"


def test_the_reference_with_the_lowest_rate_counts_then_the_longest_then_the_first() -> None:
    references = [["a", "b"], ["a", "b", "c"], ["x"], ["x", "y"], ["x", "z"], [], ["q"]]
    utterance = [0, 0, 1, 1, 1, 2, 2]
    hypothesis = [["a", "b", "c"], ["x", "w"], []]
    #  0: 1/2 or 0/3.  1: 1/1, 1/2 and 1/2: the first of the two.  2: 0/0 is no error, 1/1 is one.
    assert metrics.best_references(references, hypothesis, utterance)[1].tolist() == [1, 3, 5]
    rows = metrics.errors_per_utterance(references, hypothesis, utterance=utterance)
    assert rows.reference_length.tolist() == [3, 2, 0]
    assert rows.substitutions.tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "utterance", "message"),
    [
        ([], [], None, "0 utterances"),
        ([["a"]], [["a"], ["b"]], None, "1 references for 2 utterances"),
        ([["a"], ["b"]], [["a"], ["b"]], [0, 0], "expected one or more of each"),
        ([["a"], ["b"]], [["a"]], [0], "2 references for 1 utterances"),
    ],
)
def test_sides_that_do_not_fit_are_refused(reference, hypothesis, utterance, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        metrics.errors_per_utterance(reference, hypothesis, utterance=utterance)


def test_a_rate_of_no_words_is_undefined() -> None:
    with pytest.raises(ValueError, match="empty reference"):
        metrics.word_error_rate([""], ["a"])
    with pytest.raises(ValueError, match="expected a list"):
        metrics.word_error_rate("a b", "a b")
