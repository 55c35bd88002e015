"""Errors in transcripts: word error rate, character error rate and their parts.

A transcript is a sequence of symbols: words in a list, or the characters of a string. Reference first; rates are
fractions, not limited to 1; lower is better.

WER = (S + D + I) / N, pooled: substitutions, deletions, insertions and reference words are summed over utterances
before the division. CER is the same for characters, including the single spaces between words. Of the alignments with
the fewest errors, the one with the most substitutions counts, so that S, D and I are defined too.

An utterance may have several references. The one with the lowest error rate counts; among equal rates the longest, then
the first. An utterance whose reference is empty adds its insertions and no words; rates of a set without any word are
undefined (see `counts`).

Source: NIST's definition of the word error rate (SCTK, sclite), with all errors weighted alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, islice
from operator import ne
from typing import Callable, Optional

import numpy as np

from .alignment import compound_errors, partners
from .counts import Counts, Number, ratio, total
from .edit_distance import edit_errors, encode
from .shares import of_shares

Symbols = Sequence[Hashable]
Choice = Callable[[np.ndarray, np.ndarray, Sequence[int]], np.ndarray]
"""A rule: errors, lengths and utterances of references -> places of the references that count."""


@dataclass(frozen=True)
class TranscriptErrors(Counts):
    """Errors of transcripts, in words or in characters.

    Attributes
    ----------
    substitutions
        Symbols recognised as another symbol.
    insertions
        Symbols of the hypothesis that pair with none of the reference.
    deletions
        Symbols of the reference that pair with none of the hypothesis.
    reference_length
        Symbols of the reference.
    utterances, wrong
        Utterances, and those with an error.
    rates, clipped_rates
        Sums of the utterances' own error rates, as they are and limited to 1. An utterance with an empty reference
        counts as one symbol long.

    Raises
    ------
    ValueError
        As for all counts; also if more symbols are substituted and deleted than the reference has.

    Examples
    --------
    >>> errors = count_errors([["to", "be"], ["or"]], [["to", "bee"], ["or", "not", "to"]])
    >>> errors == TranscriptErrors(1, 2, 0, 3, 2, 2, 2.5, 1.5)
    True
    """

    substitutions: Number
    insertions: Number
    deletions: Number
    reference_length: Number
    utterances: Number
    wrong: Number
    rates: Number
    clipped_rates: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.any(self.substitutions + self.deletions > self.reference_length):
            raise ValueError(
                f"{self.substitutions} substitutions and {self.deletions} deletions "
                f"in a reference of {self.reference_length} symbols"
            )

    @property
    def wer(self) -> Number:
        """The word error rate, if the symbols are words; see `error_rate`."""
        return error_rate(self)

    @property
    def cer(self) -> Number:
        """The character error rate, if the symbols are characters; see `error_rate`."""
        return error_rate(self)


def errors_per_utterance(
    reference: Sequence[Symbols], hypothesis: Sequence[Symbols], *, utterance: Optional[Sequence[int]] = None
) -> TranscriptErrors:
    """Return the errors of each utterance: one row per utterance.

    Parameters
    ----------
    reference
        The references, one for each utterance and in its order, unless `utterance` is given.
    hypothesis
        N transcripts.
    utterance
        For each reference the number of its utterance, from 0; each utterance has at least one.

    Raises
    ------
    ValueError
        There is no utterance, one has no reference, or the numbers of references and utterances differ.

    Examples
    --------
    >>> rows = errors_per_utterance([["a"], ["a", "b"], ["c"]], [["a", "b"], ["c"]], utterance=[0, 0, 1])
    >>> rows.insertions.tolist(), rows.reference_length.tolist()
    ([0, 0], [2, 1])
    """
    owner = range(len(hypothesis)) if utterance is None else utterance
    return best_references(reference, hypothesis, owner)[0]


def best_references(
    reference: Sequence[Symbols],
    hypothesis: Sequence[Symbols],
    utterance: Sequence[int],
    *,
    choose: Optional[Choice] = None,
    unknown: str = "",
    merge_compounds: bool = False,
) -> tuple[TranscriptErrors, np.ndarray]:
    """Errors of each utterance, and which reference counts for it: places in `reference`, int, shape (n,).

    Parameters and errors are those of `errors_per_utterance`.

    Parameters
    ----------
    choose
        Which reference counts: `lowest_rates`, which is the default, `fewest_errors` or `lowest_clipped_rates`.
    unknown
        The word for unintelligible speech; see `without_unknown`.
    merge_compounds
        Whether words that one side writes together and the other apart are no errors: `alignment.compound_errors`. The
        length of a reference is that of its own words.

    >>> best_references([["a"], ["a", "b"], ["c"]], [["a", "b"], ["c"]], [0, 0, 1])[1].tolist()
    [1, 2]
    """
    if len(hypothesis) == 0:
        raise ValueError("0 utterances: nothing to score")
    if len(utterance) != len(reference):
        raise ValueError(
            f"{len(reference)} references for {len(utterance)} utterances; expected the same number"
        )
    single = utterance == range(len(hypothesis))
    if not single and not np.array_equal(np.unique(utterance), np.arange(len(hypothesis))):
        raise ValueError(f"references of some of {len(hypothesis)} utterances; expected one or more of each")
    heard = hypothesis if single else [hypothesis[row] for row in utterance]
    if unknown:
        reference, heard = without_unknown(reference, heard, unknown)
    parts = np.zeros((3, len(reference)), dtype=np.int64)
    differ = list(map(ne, reference, heard))
    different = np.flatnonzero(differ)
    if len(different):
        sides = (list(compress(side, differ)) for side in (reference, heard))
        parts[:, different] = edit_errors(*encode(*sides))
    for row in different.tolist() if merge_compounds else ():
        fewer = compound_errors(reference[row], heard[row])
        parts[:, row] = parts[:, row] if fewer is None else fewer
    errors, lengths = parts.sum(axis=0), np.fromiter(map(len, reference), np.int64, len(reference))
    best = np.arange(len(reference)) if single else (choose or lowest_rates)(errors, lengths, utterance)
    substitutions, insertions, deletions = parts[:, best]
    return _rows(substitutions, insertions, deletions, lengths[best]), best


def _rows(
    substitutions: np.ndarray, insertions: np.ndarray, deletions: np.ndarray, lengths: np.ndarray
) -> TranscriptErrors:
    """The errors of each utterance, with what follows from them."""
    errors = substitutions + insertions + deletions
    own_rates = errors / np.maximum(lengths, 1)
    return TranscriptErrors(
        substitutions,
        insertions,
        deletions,
        lengths,
        np.ones(len(lengths), dtype=np.int64),
        (errors > 0).astype(np.int64),
        own_rates,
        np.minimum(own_rates, 1.0),
    )


def errors_by_tag(
    reference: Sequence[Symbols], hypothesis: Sequence[Symbols], tags: Sequence[Sequence[int]], number: int
) -> list[TranscriptErrors]:
    """Return the errors of each utterance in the symbols with each tag, such as a language.

    Of all tags together they are those of `errors_per_utterance`, but for insertions in utterances with an empty
    reference, which have no tag. The alignment is that of `alignment.partners`. A substitution or a deletion counts for
    the tag of the reference symbol; an insertion for that of the reference symbol before it, or else for that of the
    first.

    Parameters
    ----------
    reference, hypothesis
        N transcripts each.
    tags
        For each symbol of each reference the number of its tag.
    number
        How many tags there are.

    Examples
    --------
    >>> rows = errors_by_tag([["wo", "yao", "go", "home"]], [["wo", "go", "home", "now"]], [[0, 0, 1, 1]], 2)
    >>> [(each.deletions.tolist(), each.insertions.tolist(), each.reference_length.tolist()) for each in rows]
    [([1], [0], [2]), ([0], [1], [2])]
    """
    said, heard = encode(reference, hypothesis)
    found, utterances = partners(said, heard), np.arange(len(reference))
    owner, owner_heard = (np.repeat(utterances, side.lengths) for side in (said, heard))
    paired = np.flatnonzero(found >= 0)
    places = heard.starts[owner[paired]] + found[paired]
    before = np.full(len(heard.codes), -1, dtype=np.int64)
    before[places] = paired
    inserted = (before < 0) & (said.lengths[owner_heard] > 0)
    before = np.maximum(np.maximum.accumulate(before), said.starts[owner_heard])
    wrong = paired[said.codes[paired] != heard.codes[places]]
    cell = np.fromiter(chain.from_iterable(tags), np.int64, len(said.codes)) * len(reference) + owner
    kinds = (cell[wrong], cell[before[inserted]], cell[found < 0], cell)
    counts = [np.bincount(each, minlength=number * len(reference)).reshape(number, -1) for each in kinds]
    return [_rows(*each) for each in zip(*counts)]


def lowest_rates(errors: np.ndarray, lengths: np.ndarray, utterance: Sequence[int]) -> np.ndarray:
    """Return which reference counts for each utterance, by lowest rate, then greatest length, then place.

    Parameters
    ----------
    errors, lengths : ndarray, shape (m,)
        Errors (or their costs) against each of m references, and the number of symbols of each.
    utterance
        See `errors_per_utterance`.

    Returns
    -------
    ndarray of int, shape (n,)
        Places of references.

    Examples
    --------
    >>> lowest_rates(np.array([1, 1, 0]), np.array([2, 3, 1]), [0, 0, 1]).tolist()
    [1, 2]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(errors == 0, 0.0, errors / lengths)
    return fewest_errors(rate, lengths, utterance)


def fewest_errors(errors: np.ndarray, lengths: np.ndarray, utterance: Sequence[int]) -> np.ndarray:
    """Return which reference counts for each utterance, by fewest errors, then as for `lowest_rates`.

    >>> fewest_errors(np.array([1, 2, 0]), np.array([2, 5, 1]), [0, 0, 1]).tolist()
    [0, 2]
    """
    owner = np.asarray(utterance)
    order = np.lexsort((-lengths, errors, owner))
    return np.asarray(order[np.flatnonzero(np.diff(owner[order], prepend=-1))])


def lowest_clipped_rates(errors: np.ndarray, lengths: np.ndarray, utterance: Sequence[int]) -> np.ndarray:
    """Return which reference counts for each utterance, like `lowest_rates`, with errors limited to its length.

    >>> lowest_clipped_rates(np.array([3, 6]), np.array([2, 4]), [0, 0]).tolist()
    [1]
    """
    return lowest_rates(np.where(lengths > 0, np.minimum(errors, lengths), errors), lengths, utterance)


def clipped(rows: TranscriptErrors) -> TranscriptErrors:
    """Return the errors with insertions left out, so that no utterance has more errors than reference symbols.

    An utterance with an empty reference keeps its insertions.

    >>> clipped(errors_per_utterance([["a"], []], [["b", "c", "d"], ["e"]])).insertions.tolist()
    [0, 1]
    """
    room = rows.reference_length - rows.substitutions - rows.deletions
    return replace(
        rows,
        insertions=np.where(rows.reference_length > 0, np.minimum(rows.insertions, room), rows.insertions),
    )


def without_unknown(
    reference: Sequence[Symbols], hypothesis: Sequence[Symbols], unknown: str
) -> tuple[list[Symbols], list[Symbols]]:
    """Return pairs of transcripts in which the word for unintelligible speech is no error.

    In the alignment of `alignment.partners`, a word that is paired with it is correct. Where it has no partner, it is
    left out.

    Source: the rule of SAPC2's scoring, which takes the alignment of sclite.

    >>> without_unknown([["a", "unk", "b", "unk"]], [["a", "x", "b"]], "unk")
    ([['a', 'x', 'b']], [['a', 'x', 'b']])
    """
    said, heard = list(reference), list(hypothesis)
    rows = [row for row, pair in enumerate(zip(said, heard)) if any(unknown in side for side in pair)]
    sides = encode(*([side[row] for row in rows] for side in (said, heard)))
    found = iter(partners(*sides).tolist() if rows else ())
    for row in rows:
        places = list(islice(found, len(said[row])))
        pairs, words, there = zip(said[row], places), heard[row], set(places)
        said[row] = [
            words[at] if word == unknown else word for word, at in pairs if word != unknown or at >= 0
        ]
        heard[row] = [word for at, word in enumerate(words) if word != unknown or at in there]
    return said, heard


def count_errors(
    reference: Sequence[Symbols], hypothesis: Sequence[Symbols], *, utterance: Optional[Sequence[int]] = None
) -> TranscriptErrors:
    """Return the rows of `errors_per_utterance`, added up.

    >>> count_errors(["to be"], ["to bee"]).insertions
    1
    """
    return total(errors_per_utterance(reference, hypothesis, utterance=utterance))


def errors(counts: TranscriptErrors) -> Number:
    """Return substitutions + insertions + deletions.

    >>> errors(count_errors(["abc"], ["abd"]))
    1
    """
    return counts.substitutions + counts.insertions + counts.deletions


@of_shares(lambda counts: (errors(counts), counts.reference_length), rates=True)
def error_rate(counts: TranscriptErrors) -> Number:
    """Return (S + D + I) / N: WER of counts in words, CER of counts in characters.

    >>> error_rate(count_errors([["to", "be"], ["or"]], [["to", "bee"], ["or", "not", "to"]]))
    1.0
    """
    return ratio(errors(counts), counts.reference_length, "error rate of an empty reference")


@of_shares(lambda counts: (counts.substitutions, counts.reference_length), within=error_rate)
def substitution_rate(counts: TranscriptErrors) -> Number:
    """Return S / N.

    >>> substitution_rate(count_errors([["to", "be"]], [["to", "bee"]]))
    0.5
    """
    return ratio(counts.substitutions, counts.reference_length, "substitution rate of an empty reference")


@of_shares(lambda counts: (counts.insertions, counts.reference_length), rates=True, within=error_rate)
def insertion_rate(counts: TranscriptErrors) -> Number:
    """Return I / N.

    >>> insertion_rate(count_errors([["to", "be"]], [["to", "be", "or"]]))
    0.5
    """
    return ratio(counts.insertions, counts.reference_length, "insertion rate of an empty reference")


@of_shares(lambda counts: (counts.deletions, counts.reference_length), within=error_rate)
def deletion_rate(counts: TranscriptErrors) -> Number:
    """Return D / N.

    >>> deletion_rate(count_errors([["to", "be"]], [["be"]]))
    0.5
    """
    return ratio(counts.deletions, counts.reference_length, "deletion rate of an empty reference")


@of_shares(lambda counts: (counts.wrong, counts.utterances))
def wrong_utterances(counts: TranscriptErrors) -> Number:
    """Return the share of utterances with at least one error.

    >>> wrong_utterances(count_errors(["ab", "c"], ["ab", "d"]))
    0.5
    """
    return ratio(counts.wrong, counts.utterances, "share of no utterances")


@of_shares(lambda counts: (counts.rates, counts.utterances, counts.reference_length), rates=True)
def mean_rate(counts: TranscriptErrors) -> Number:
    """Return the mean of the utterances' own error rates.

    >>> mean_rate(count_errors(["ab", "c"], ["ab", "cde"]))
    1.0
    """
    return ratio(counts.rates, counts.utterances, "mean rate of no utterances")


@of_shares(lambda counts: (counts.clipped_rates, counts.utterances, counts.reference_length))
def mean_clipped_rate(counts: TranscriptErrors) -> Number:
    """Return the mean of the utterances' own error rates, each at most 1.

    >>> mean_clipped_rate(count_errors(["ab", "c"], ["ab", "cde"]))
    0.5
    """
    return ratio(counts.clipped_rates, counts.utterances, "mean rate of no utterances")


def word_error_rate(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Return the WER of texts whose words are separated by white space, without any normalisation.

    >>> word_error_rate(["to be or", "not to be"], ["to be", "not two be or"])
    0.5
    """
    return float(error_rate(count_errors(_words(reference), _words(hypothesis))))


def character_error_rate(reference: Sequence[str], hypothesis: Sequence[str]) -> float:
    """Return the CER of texts, with each run of white space replaced by a single space.

    >>> character_error_rate(["to be"], ["to  bee"])
    0.2
    """
    sides = [[" ".join(words) for words in _words(side)] for side in (reference, hypothesis)]
    return float(error_rate(count_errors(*sides)))


def _words(texts: Sequence[str]) -> list[list[str]]:
    if isinstance(texts, str):
        raise ValueError("a string; expected a list of them, one an utterance")
    return [text.split() for text in texts]
