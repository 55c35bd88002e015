"""Phoneme recognition: phone error rate and feature error rate (PSST Challenge, Task A).

A transcript is a sequence of phones ("K", "AE", "T"). The fillers `<sil>`, `<spn>` and `<unk>` are removed from
reference and hypothesis first. Rates are fractions, may exceed 1, and lower is better.

- PER is the edit distance over phones with unit costs, divided by the number of reference phones.
- FER is the edit distance over phones weighted by distinctive features, divided by the number of reference phones times
  the number of features of a phone.

Both rates are pooled: costs and lengths are summed over utterances before the division. An utterance with an empty
reference still adds its insertions. The rates are undefined for a reference without any phone (see `counts`).

Feature costs: the value of a feature is 1 for +, 1/2 for +- (changing to minus), 0 for 0 (not applicable), -1/2 for -+
(changing to plus), and -1 for -. A substitution costs half the sum of the absolute differences over all features. An
insertion or a deletion costs 1 for each feature that is not 0, and 1/2 for each feature that is 0. All costs are
multiples of 1/4 and are computed as integers in quarters, so that sums are exact.

All functions of transcripts take the same arguments: `reference` and `hypothesis` are n sequences of phones, in the
same order; `table` has the features of the phones, by default `arpabet_features`. They raise ValueError if there are no
utterances or different numbers of them, if an utterance is a string instead of a sequence of phones, or if a phone is
not in the table.

Source: PSST Challenge (Gale, Fleegle, Bedrick and Fergadiotis 2022, RaPID-4), Task A. Costs that the paper does not
define are those of the challenge's evaluation tool (pssteval 0.0.1 on phonologic, system hayes-arpabet).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from os import PathLike, path
from typing import Optional, Union

import numpy as np

from .counts import Counts, Number, ratio, total
from .edit_distance import Sequences, cheapest_path, edit_costs, edit_errors

FILLERS = frozenset({"<sil>", "<spn>", "<unk>"})
"""The tokens of a transcript that are not phones: silence, spoken noise and unknown."""

FEATURE_VALUES = {"+": 1.0, "+-": 0.5, "0": 0.0, "-+": -0.5, "-": -1.0}
"""The values of the symbols in a feature table."""

Phones = Sequence[str]


@dataclass(frozen=True)
class FeatureTable:
    """Phones described by distinctive features.

    Two phones may have equal features. Substituting one for the other then costs nothing in FER, but is an error in
    PER.

    Attributes
    ----------
    phones
        The distinct names of P phones.
    features
        The distinct names of F features.
    symbols
        P rows of F symbols, which are keys of `FEATURE_VALUES`.

    A wrong shape, an unknown symbol, and a name that is repeated, empty, a filler or contains white space raise
    ValueError.
    """

    phones: tuple[str, ...]
    features: tuple[str, ...]
    symbols: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        for kind, names in (("phone", self.phones), ("feature", self.features)):
            if not names:
                raise ValueError(f"a feature table needs at least one {kind}")
            for name in names:
                if name.split() != [name] or name in FILLERS:
                    raise ValueError(f"{kind} {name!r}: expected one word that is not a filler")
                if names.count(name) > 1:
                    raise ValueError(f"{kind} {name!r} occurs {names.count(name)} times")
        if len(self.symbols) != len(self.phones):
            raise ValueError(f"{len(self.symbols)} rows of features for {len(self.phones)} phones")
        for phone, row in zip(self.phones, self.symbols):
            if len(row) != len(self.features):
                raise ValueError(f"phone {phone!r} has {len(row)} values for {len(self.features)} features")
            for feature, symbol in zip(self.features, row):
                if symbol not in FEATURE_VALUES:
                    raise ValueError(f"phone {phone!r}, {feature}: {symbol!r}; expected one of + - 0 +- -+")

    def values(self) -> np.ndarray:
        """The values of the symbols: float, shape (P, F)."""
        return np.array([[FEATURE_VALUES[symbol] for symbol in row] for row in self.symbols])

    def substitution_costs(self) -> np.ndarray:
        """The feature cost of recognising each phone (row) as each other phone (column), shape (P, P)."""
        values = self.values()
        return np.asarray(np.abs(values[:, None] - values[None, :]).sum(axis=2) / 2)

    def indel_costs(self) -> np.ndarray:
        """The feature cost of inserting or deleting each phone: 1 per feature, 1/2 if the feature is 0; shape (P,)."""
        return np.asarray(np.where(self.values() != 0, 1.0, 0.5).sum(axis=1))


def read_feature_table(file: Union[str, PathLike[str]]) -> FeatureTable:
    """Read a tab-separated table in UTF-8, with a header of `phone` and the features, then one row per phone.

    Lines that begin with # are comments. ValueError is raised as by `FeatureTable`, and if the header does not begin
    with `phone`.
    """
    with open(file, encoding="utf-8-sig") as lines:
        rows = [line.rstrip("\r\n").split("\t") for line in lines if line.strip() and line[0] != "#"]
    if not rows or rows[0][0] != "phone":
        raise ValueError(f"{file}: header {rows[0] if rows else []}; expected 'phone', then the features")
    return FeatureTable(
        phones=tuple(row[0] for row in rows[1:]),
        features=tuple(rows[0][1:]),
        symbols=tuple(tuple(row[1:]) for row in rows[1:]),
    )


@cache
def arpabet_features() -> FeatureTable:
    """The challenge's table: 40 phones (39 of ARPAbet, and DX) with 24 features."""
    return read_feature_table(path.join(path.dirname(__file__), "arpabet_features.tsv"))


def phone_classes(table: FeatureTable) -> list[str]:
    """Classify phones by manner: stop, affricate, fricative, tap, nasal, approximant, vowel or diphthong.

    The classes are defined by the features of Hayes (2009), Introductory Phonology, chapter 4: syllabic, sonorant,
    continuant, delayed release, tap, nasal. If a table lacks one of these, the class of every phone is `phone`.

    Examples
    --------
    >>> table = arpabet_features()
    >>> classes = dict(zip(table.phones, phone_classes(table)))
    >>> [classes[phone] for phone in ("T", "CH", "HH", "DX", "NG", "L", "W", "IY", "AW")]
    ['stop', 'affricate', 'fricative', 'tap', 'nasal', 'approximant', 'approximant', 'vowel', 'diphthong']
    """
    if not {"syllabic", *_MANNERS} <= set(table.features):
        return ["phone"] * len(table.phones)
    return [_phone_class(dict(zip(table.features, symbols))) for symbols in table.symbols]


_MANNERS = {
    "tap": "tap",
    "nasal": "nasal",
    "sonorant": "approximant",
    "continuant": "fricative",
    "delayedrelease": "affricate",
}
"""The class of a consonant that has one of these features, in this order."""


def _phone_class(features: dict[str, str]) -> str:
    if features["syllabic"] == "+":
        moving = any(len(symbol) == 2 for symbol in features.values())
        return "diphthong" if moving else "vowel"
    return next((manner for feature, manner in _MANNERS.items() if features[feature] == "+"), "stop")


def drop_fillers(phones: Phones) -> list[str]:
    """The phones without `<sil>`, `<spn>` and `<unk>`."""
    return [phone for phone in phones if phone not in FILLERS]


def contains_pronunciation(phones: Sequence[str], pronunciations: Iterable[Sequence[str]]) -> bool:
    """Whether a transcript without its fillers contains an accepted pronunciation, as consecutive whole phones.

    This is the challenge's rule for a perfect transcript ("a simple substring function"), about 99 % accurate.

    ValueError is raised if there is no pronunciation, if one is empty, or if a string is given in place of a sequence
    of phones.
    """
    accepted = list(pronunciations)
    if not accepted:
        raise ValueError("0 accepted pronunciations; expected at least one")
    for sequence in (phones, *accepted):
        if isinstance(sequence, str):
            raise ValueError(f"{sequence!r} is a string; expected a sequence of phones")
    if not all(accepted):
        raise ValueError(f"an accepted pronunciation has no phones: {accepted!r}")
    transcript = f" {' '.join(drop_fillers(phones))} "
    return any(f" {' '.join(pronunciation)} " in transcript for pronunciation in accepted)


@dataclass(frozen=True)
class RecognitionErrors(Counts):
    """Errors counted against a reference.

    Substitutions, insertions and deletions are the phone errors of the cheapest alignment with unit costs. If several
    alignments are equally cheap, the one with the most substitutions counts. It determines all three numbers; their sum
    is the edit distance.

    Attributes
    ----------
    substitutions
        The number of phones recognised as another phone.
    insertions
        The number of phones in the hypothesis without a counterpart in the reference.
    deletions
        The number of phones in the reference without a counterpart in the hypothesis.
    reference_phones
        The number of phones in the reference.
    feature_cost
        The feature cost of the alignment that is cheapest in features.
    reference_features
        The number of features in the reference: reference phones times features of a phone.

    A count that is not valid, and more substitutions and deletions than phones, raise ValueError.
    """

    substitutions: Number
    insertions: Number
    deletions: Number
    reference_phones: Number
    feature_cost: Number
    reference_features: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.any(self.substitutions + self.deletions > self.reference_phones):
            raise ValueError(
                f"{self.substitutions} substitutions and {self.deletions} deletions "
                f"in {self.reference_phones} reference phones"
            )

    @property
    def per(self) -> Number:
        """The phoneme error rate; see `per`."""
        return per(self)

    @property
    def fer(self) -> Number:
        """The feature error rate; see `fer`."""
        return fer(self)


def errors_per_utterance(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> RecognitionErrors:
    """Count the errors of each utterance, one row per utterance."""
    table = table or arpabet_features()
    pairs = _encode_pairs(reference, hypothesis, table)
    substitutions, insertions, deletions = edit_errors(*pairs)
    return RecognitionErrors(
        substitutions=substitutions,
        insertions=insertions,
        deletions=deletions,
        reference_phones=pairs[0].lengths,
        feature_cost=edit_costs(*pairs, *_feature_quarters(table)) / 4,
        reference_features=len(table.features) * pairs[0].lengths,
    )


def count_errors(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> RecognitionErrors:
    """The total of `errors_per_utterance`."""
    return total(errors_per_utterance(reference, hypothesis, table=table))


def phone_errors(errors: RecognitionErrors) -> Number:
    """The number of phone errors, the edit distance: substitutions + insertions + deletions."""
    return errors.substitutions + errors.insertions + errors.deletions


def per(errors: RecognitionErrors) -> Number:
    r"""Phone error rate.

    .. math:: PER = \frac{\text{substitutions} + \text{insertions} + \text{deletions}}{\text{reference phones}}
    """
    return ratio(phone_errors(errors), errors.reference_phones, "PER of a reference without phones")


def fer(errors: RecognitionErrors) -> Number:
    r"""Feature error rate.

    .. math:: FER = \frac{\text{feature cost}}{\text{reference phones} \times \text{features of a phone}}
    """
    return ratio(errors.feature_cost, errors.reference_features, "FER of a reference without phones")


def phone_error_rate(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> float:
    """PER of transcripts: `per` of `count_errors`, but faster to compute."""
    table = table or arpabet_features()
    pairs = _encode_pairs(reference, hypothesis, table)
    return _rate(np.stack(edit_errors(*pairs)), pairs[0].lengths, 1)


def feature_error_rate(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> float:
    """FER of transcripts: `fer` of `count_errors`, but faster to compute."""
    table = table or arpabet_features()
    pairs = _encode_pairs(reference, hypothesis, table)
    return _rate(edit_costs(*pairs, *_feature_quarters(table)), pairs[0].lengths, 4 * len(table.features))


@dataclass(frozen=True)
class Step:
    """One step of an alignment.

    Attributes
    ----------
    operation
        `match`, `substitution`, `insertion` or `deletion`.
    reference, hypothesis
        The phones; None for the missing side of an insertion or a deletion.
    cost
        The cost in features.
    changes
        For a substitution, each changed feature with its symbols in the reference and in the hypothesis; empty for
        other operations.
    """

    operation: str
    reference: Optional[str]
    hypothesis: Optional[str]
    cost: float
    changes: tuple[tuple[str, str, str], ...] = ()


def align(reference: Phones, hypothesis: Phones, *, table: Optional[FeatureTable] = None) -> tuple[Step, ...]:
    """The alignment of one utterance that is cheapest in features, from the first phone to the last.

    The sum of its costs is the feature cost of `count_errors`. Among equally cheap alignments, it is chosen from the
    end, with a preference for pairs, then deletions, then insertions.
    """
    table = table or arpabet_features()
    pairs = _encode_pairs([reference], [hypothesis], table)
    substitution, indel = table.substitution_costs(), table.indel_costs()
    steps = []
    for a, b in cheapest_path(pairs[0].codes, pairs[1].codes, *_feature_quarters(table)):
        if a is not None and b is not None:
            operation = "match" if a == b else "substitution"
            symbols = zip(table.features, table.symbols[a], table.symbols[b])
            changes = tuple(change for change in symbols if change[1] != change[2])
            cost = float(substitution[a, b])
            steps.append(Step(operation, table.phones[a], table.phones[b], cost, changes))
        elif a is not None:
            steps.append(Step("deletion", table.phones[a], None, float(indel[a])))
        elif b is not None:
            steps.append(Step("insertion", None, table.phones[b], float(indel[b])))
    return tuple(steps)


def _encode_pairs(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], table: FeatureTable
) -> tuple[Sequences, Sequences]:
    if len(reference) != len(hypothesis):
        raise ValueError(
            f"{len(reference)} reference and {len(hypothesis)} recognised utterances; expected the same"
        )
    if len(reference) == 0:
        raise ValueError("0 utterances; expected at least one")
    return _encode("reference", reference, table), _encode("hypothesis", hypothesis, table)


def _encode(side: str, transcripts: Sequence[Phones], table: FeatureTable) -> Sequences:
    code = {phone: number for number, phone in enumerate(table.phones)}
    code.update(dict.fromkeys(FILLERS, -1))
    if any(issubclass(kind, str) for kind in set(map(type, transcripts))):
        index = next(u for u, phones in enumerate(transcripts) if isinstance(phones, str))
        raise ValueError(
            f"{side} {index} is the string {transcripts[index]!r}; expected a sequence of phones"
        )
    lengths = np.fromiter(map(len, transcripts), np.int64)
    try:
        codes = np.fromiter(map(code.__getitem__, chain.from_iterable(transcripts)), np.int16)
    except (KeyError, TypeError):
        known = list(code)
        index, phone = next((u, p) for u, phones in enumerate(transcripts) for p in phones if p not in known)
        raise ValueError(f"{side} {index}: {phone!r} is not a phone of the table") from None
    spoken = codes >= 0
    if not spoken.all():
        spoken_before = np.concatenate(([0], np.cumsum(spoken)))
        lengths = np.diff(spoken_before[np.concatenate(([0], np.cumsum(lengths)))])
        codes = codes[spoken]
    return Sequences(codes, np.cumsum(lengths) - lengths, lengths)


def _feature_quarters(table: FeatureTable) -> tuple[np.ndarray, np.ndarray]:
    """Costs of substitutions, and of insertions and deletions, as integers in quarters of a feature."""
    return (4 * table.substitution_costs()).astype(np.int64), (4 * table.indel_costs()).astype(np.int64)


def _rate(distances: np.ndarray, reference_lengths: np.ndarray, unit: int) -> float:
    if not reference_lengths.any():
        raise ValueError(
            f"the reference has 0 phones in {len(reference_lengths)} utterances; expected at least one"
        )
    return int(distances.sum()) / (unit * int(reference_lengths.sum()))
