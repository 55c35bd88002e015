"""Feature error rate of transcripts in phones (PSST Challenge, Task A).

A transcript is a sequence of phones ("K", "AE", "T"). The fillers `<sil>`, `<spn>` and `<unk>` are removed from
reference and hypothesis first. FER is the edit distance over phones weighted by distinctive features, divided by the
number of reference phones times the number of features of a phone. It may exceed 1; lower is better. PER, with unit
costs, is the `error_rate` of `transcript_errors`.

FER is pooled: costs and lengths are summed over utterances before the division. An utterance with an empty reference
still adds its insertions. FER is undefined for a reference without any phone (see `counts`).

Feature costs: the value of a feature is 1 for +, 1/2 for +- (changing to minus), 0 for 0 (not applicable), -1/2 for -+
(changing to plus), and -1 for -. A substitution costs half the sum of the absolute differences over all features. An
insertion or a deletion costs 1 for each feature that is not 0, and 1/2 for each feature that is 0. All costs are
multiples of 1/4, so that sums are exact.

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

from .alignment import edit_costs
from .counts import Counts, Number, ratio, total
from .edit_distance import Sequences
from .shares import of_shares

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

    Raises
    ------
    ValueError
        The shape is wrong, a symbol is unknown, or a name is repeated, empty or a filler, or contains white space.
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
class FeatureErrors(Counts):
    """Errors of transcripts in features.

    Attributes
    ----------
    feature_cost
        The feature cost of the alignment that is cheapest in features.
    reference_features
        The number of features in the reference: reference phones times features of a phone.
    """

    feature_cost: Number
    reference_features: Number

    @property
    def fer(self) -> Number:
        """The feature error rate; see `fer`."""
        return fer(self)


def errors_per_utterance(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> FeatureErrors:
    """Count the errors of each utterance, one row per utterance."""
    table = table or arpabet_features()
    if len(reference) != len(hypothesis):
        found = f"{len(reference)} reference and {len(hypothesis)} recognised utterances"
        raise ValueError(f"{found}; expected the same")
    if len(reference) == 0:
        raise ValueError("0 utterances; expected at least one")
    pairs = _encode("reference", reference, table), _encode("hypothesis", hypothesis, table)
    # Costs are in quarters of a feature, as integers.
    costs = ((4 * costs).astype(np.int64) for costs in (table.substitution_costs(), table.indel_costs()))
    return FeatureErrors(edit_costs(*pairs, *costs) / 4, len(table.features) * pairs[0].lengths)


@of_shares(lambda counts: (counts.feature_cost, counts.reference_features), rates=True)
def fer(errors: FeatureErrors) -> Number:
    r"""Feature error rate.

    .. math:: FER = \frac{\text{feature cost}}{\text{reference phones} \times \text{features of a phone}}
    """
    return ratio(errors.feature_cost, errors.reference_features, "FER of a reference without phones")


def feature_error_rate(
    reference: Sequence[Phones], hypothesis: Sequence[Phones], *, table: Optional[FeatureTable] = None
) -> float:
    """FER of transcripts: `fer` of all `errors_per_utterance`."""
    return float(fer(total(errors_per_utterance(reference, hypothesis, table=table))))


def _encode(side: str, transcripts: Sequence[Phones], table: FeatureTable) -> Sequences:
    """The numbers of the phones in the table, without fillers."""
    code = {phone: number for number, phone in enumerate(table.phones)}
    for index, phones in enumerate(transcripts):
        if isinstance(phones, str):
            raise ValueError(f"{side} {index} is the string {phones!r}; expected a sequence of phones")
    try:
        spoken = list(map(drop_fillers, transcripts))
        lengths = np.fromiter(map(len, spoken), np.int64)
        codes = np.fromiter(map(code.__getitem__, chain.from_iterable(spoken)), np.int16)
    except (KeyError, TypeError):
        known = [*code, *FILLERS]
        index, phone = next((u, p) for u, phones in enumerate(transcripts) for p in phones if p not in known)
        raise ValueError(f"{side} {index}: {phone!r} is not a phone of the table") from None
    return Sequences(codes, np.cumsum(lengths) - lengths, lengths)
