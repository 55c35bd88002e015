"""What holds for all counts and formulas of `spokeneval.metrics`; new ones are included automatically."""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import spokeneval.metrics
from spokeneval.metrics.agreement import RatingCells
from spokeneval.metrics.alternative_annotator import AnnotatorComparisons
from spokeneval.metrics.classification import BinaryCounts, ClassCounts
from spokeneval.metrics.correlation import CorrelationMoments, PairOrders, PartialMoments
from spokeneval.metrics.counts import field_arrays
from spokeneval.metrics.diarization import LabelTimes
from spokeneval.metrics.equal_error_rate import ScoreHistograms
from spokeneval.metrics.event_detection import EventCounts
from spokeneval.metrics.identification import ClassCosts
from spokeneval.metrics.prediction_error import Differences, TrueScoreErrors
from spokeneval.metrics.rater_pairs import RaterPairs
from spokeneval.metrics.tandem import ThresholdErrors
from spokeneval.metrics.transcript_errors import TranscriptErrors

MODULES = [
    importlib.import_module(f"spokeneval.metrics.{found.name}")
    for found in pkgutil.iter_modules(spokeneval.metrics.__path__)
]


def test_type_checkers_are_told_of_every_module():
    told = re.findall(r"^        (\w+) as \1,$", inspect.getsource(spokeneval.metrics), re.MULTILINE)
    assert sorted(told) == [found.name for found in pkgutil.iter_modules(spokeneval.metrics.__path__)]


SETS = 100

KINDS = [
    kind
    for module in MODULES
    for kind in vars(module).values()
    if is_dataclass(kind) and kind.__module__ == module.__name__ and hasattr(kind, "__add__")
]
SHAPES = {
    RatingCells: [(4, 4)],
    RaterPairs: [(3, 4), (3, 4), (3,), (3,), (3,)],
    AnnotatorComparisons: [(3,)] * 3,
    ScoreHistograms: [(6,)] * 2,
    ClassCounts: [(3,)] * 4,
    ClassCosts: [(3,), (3,), (3,), (3, 4), (3, 4)],
    LabelTimes: [(3,)] * 3,
    ThresholdErrors: [(3,), (3, 4)],
    EventCounts: [(3, 4), (3, 4), (3,), ()],
}
"""The shapes of the fields with further axes."""
SIGNED = {
    CorrelationMoments: ("x", "y", "xy"),
    PartialMoments: ("x", "y", "z", "xy", "xz", "yz"),
    Differences: ("difference", "reference"),
    TrueScoreErrors: ("rating",),
    PairOrders: ("agreement",),
}
AT_LEAST = {
    TranscriptErrors: {"reference_length": ["substitutions", "deletions"]},
    TrueScoreErrors: {"ratings": ["items"], "squared_rating": ["rating"]},
}
"""Fields that must be at least the sum of other fields."""
VARIANTS = {
    "kappa": [{"weights": weights} for weights in (None, "linear", "quadratic")],
    **{
        name: [{"weights": weights} for weights in ("linear", "quadratic")]
        for name in ("pair_kappas", "mean_kappa")
    },
    "krippendorff_alpha": [{"raters": 2}],
    **{
        cost: [{"weights": [(1, 1), (2, 9)]}]
        for cost in (
            *("average_cost", "minimum_average_cost", "target_cost"),
            "minimum_detection_cost",
        )
    },
    **{
        cost: [{"weights": [(0.5, 0.3, 0.2), (1, 0.4, 0.4)]}]
        for cost in ("open_average_cost", "open_minimum_cost")
    },
    "minimum_cost": [{"weights": (1, 0.5, 2)}],
    "class_recall": [{"number": 1}],
    "label_error": [{"label": 1}],
    "label_f1": [{"number": 1}],
    "miss_rate_at": [{"rate": 1}],
}


def field_names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]


def draw(kind: type) -> Any:
    """Counts of several sets. The first is empty and half are small, so that formulas are undefined for some."""
    rng = np.random.default_rng(2)
    if kind in (CorrelationMoments, PartialMoments):  # sums of products, by the letters of their names
        items = {"n": 1, **{letter: rng.integers(0, 3, (SETS, 6)) for letter in "xyz"}}
        items["x"][0] = 0
        sums = {name: math.prod(items[letter] for letter in name) for name in field_names(kind)}
        return kind(**{name: np.broadcast_to(each, (SETS, 6)).sum(axis=1) for name, each in sums.items()})
    drawn = {}
    for name, shape in zip(field_names(kind), SHAPES.get(kind, [()] * 10)):
        most = np.where(np.arange(SETS) < SETS // 2, 3, 1000).reshape(-1, *[1] * len(shape))
        drawn[name] = rng.integers(0, most, (SETS, *shape))
        drawn[name][0] = 0
    for field, others in AT_LEAST.get(kind, {}).items():
        drawn[field] = drawn[field] * (most > 3) + sum(drawn[other] for other in others)
    return kind(**drawn)


def one_set(counts: Any, row: int) -> Any:
    rows = {name: array[row] for name, array in field_arrays(counts).items()}
    return replace(counts, **{name: value if value.shape else value.item() for name, value in rows.items()})


def value_or(undefined: Any, formula: Any, counts: Any) -> Any:
    """The value of a formula, or another one where the formula says by name that it is undefined.

    It is NaN of several sets alone, as the six pairs of raters are.
    """
    try:
        value = formula(counts)
    except ValueError as refusal:
        if not re.search(r"^\S.* undefined|constant|expected (some|both)", str(refusal)):
            raise
        return undefined
    six = isinstance(counts, RatingCells) and len(counts.cells) == 6
    assert six or np.ndim(value) or not math.isnan(value)
    return value


OF_UNITS = {"clustered_winning_rate"}
"""Functions that take the counts of units, from which no sum would do."""


def formulas() -> Iterator[Any]:
    """Every public function that takes counts, with the class of its counts and a name."""
    numbers = ("Number", "Any", "float", "Union[bool, np.ndarray]", "np.ndarray")
    kinds = {**{kind.__name__: [kind] for kind in KINDS}, "AnyCounts": [ClassCounts, BinaryCounts]}
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != module.__name__ or name.startswith("_") or name in OF_UNITS:
                continue
            first = next(iter(inspect.signature(function).parameters.values()), None)
            if first and first.annotation in kinds and function.__annotations__["return"] in numbers:
                for options, kind in product(VARIANTS.get(name, [{}]), kinds[first.annotation]):
                    called = ".".join([module.__name__.rpartition(".")[2], name, *map(str, options.values())])
                    yield pytest.param(partial(function, **options), kind, id=called)


FORMULAS = list(formulas())


@pytest.mark.parametrize(("formula", "kind"), FORMULAS)
def test_a_formula_of_many_sets_gives_what_it_gives_for_each(formula, kind):
    many = draw(kind)
    found = formula(many)
    floats = replace(many, **{name: array.astype(float) for name, array in field_arrays(many).items()})
    np.testing.assert_array_equal(formula(floats), found)  # as the sums of a resample are
    bare = SimpleNamespace(**field_arrays(many))  # as counts from a file, which have no class
    np.testing.assert_array_equal(formula(bare), found)
    each = [value_or(None, formula, one_set(many, row)) for row in range(SETS)]
    undefined = False if found.dtype == bool else np.nan
    np.testing.assert_array_equal(found, [undefined if value is None else value for value in each])
    assert {type(value) for value in each} <= {float, int, bool, np.ndarray, type(None)}
    assert sum(value is None for value in each) < 0.9 * SETS
    assert len(np.unique(found)) > (1 if found.dtype == bool else 3)


@pytest.mark.parametrize("kind", [RatingCells])
def test_sets_may_have_several_axes(kind):
    many = draw(kind)
    (name, states), *_ = field_arrays(many).items()
    grid = replace(many, **{name: states.reshape(2, -1, *states.shape[1:])})
    for formula, other in (param.values for param in FORMULAS):
        if other is kind:
            found = formula(many)
            np.testing.assert_array_equal(formula(grid), found.reshape(2, -1, *found.shape[1:]))


@pytest.mark.parametrize("kind", KINDS)
def test_plus_pools_two_sets(kind):
    first, second = one_set(draw(kind), 1), one_set(draw(kind), -1)
    pooled = first + second
    assert type(pooled) is kind
    for name, array in field_arrays(pooled).items():
        np.testing.assert_array_equal(array, getattr(first, name) + np.asarray(getattr(second, name)))


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_finite_and_not_negative(kind):
    many = draw(kind)
    for name, array in field_arrays(many).items():
        for value in (-1, np.nan, np.inf):
            wrong = array.astype(float)
            wrong[1] = value
            if value == -1 and name in SIGNED.get(kind, ()):
                assert getattr(replace(many, **{name: wrong}), name) is wrong
                continue
            message = rf"^{name} is {float(value)} in row 1; expected a finite number"
            with pytest.raises(ValueError, match=message):
                replace(many, **{name: wrong})
            if array.ndim == 1:
                with pytest.raises(ValueError, match=f"^{name} is {value}; expected a finite number"):
                    replace(one_set(many, 1), **{name: value})


# Rates as properties

NAMED = {"wer": "error_rate", "cer": "error_rate", "jer": "jaccard_error_rate", "eer": "histogram_eer"}
"""The functions of properties with another name."""

RATES = [
    pytest.param(kind, name, id=f"{kind.__name__}.{name}")
    for kind in KINDS
    for name, member in vars(kind).items()
    if isinstance(member, property)
    if hasattr(importlib.import_module(kind.__module__), NAMED.get(name, name))
]


def test_counts_have_the_rates_that_libraries_of_the_field_offer():
    assert {rate.id for rate in RATES} >= {
        *("TranscriptErrors.wer", "TranscriptErrors.cer", "FeatureErrors.fer", "DiarizationErrors.der"),
        *("DiarizationErrors.jer", "BinaryCounts.f1", "ScoreHistograms.eer"),
    }


@pytest.mark.parametrize(("kind", "name"), RATES)
def test_a_rate_of_counts_is_its_function(kind, name):
    function = getattr(importlib.import_module(kind.__module__), NAMED.get(name, name))
    counts = draw(kind)
    np.testing.assert_array_equal(getattr(counts, name), function(counts))
    for row in range(SETS):
        one = one_set(counts, row)
        expected = value_or(None, function, one)
        assert value_or(None, lambda counts: getattr(counts, name), one) == expected
