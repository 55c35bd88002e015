"""The section of decisions: confusions of classes."""

import numpy as np
from sklearn.metrics import confusion_matrix

from tests.samples.report_pages import section, tables


def test_decisions_have_the_confusions_of_scikit_learn():
    draw = np.random.default_rng(1)
    expected, answered = draw.integers(0, 3, (2, 200))
    declared = {"kind": "decisions", "classes": ["A", "B", "<C>"]}
    (header, *rows) = tables(section(declared, {"label": expected}, {"label": answered}))[
        "Items by true and answered class"
    ]
    assert header == ["True class", "answered A", "answered B", "answered <C>", "all", "right"]
    matrix = confusion_matrix(expected, answered)
    assert [[int(cell) for cell in row[1:4]] for row in rows] == matrix.tolist()
    assert [row[5] for row in rows] == [f"{100 * matrix[n, n] / matrix[n].sum():.1f} %" for n in range(3)]


def test_of_many_classes_the_most_frequent_confusions_are_listed():
    classes = [f"c{n:02d}" for n in range(20)]
    expected = [0] * 10 + [3] * 4 + list(range(20))
    answered = [1] * 7 + [2] * 3 + [4] * 4 + list(range(20))
    markup = section({"kind": "decisions", "classes": classes}, {"label": expected}, {"label": answered})
    (rows,) = tables(markup).values()
    assert rows[1:] == [
        ["c00 → c01", "7", "63.6 %"],
        ["c03 → c04", "4", "80.0 %"],
        ["c00 → c02", "3", "27.3 %"],
    ]


def test_pooled_decisions_are_confused_by_unit():
    """Speaker a has two votes of three for B, b an even vote, which is for A, and c one for B."""
    declared = {"kind": "decisions", "classes": ["A", "B"], "positive": "B", "pool": "vote"}
    reference = {"label": [1, 1, 0, 0, 1, 0], "speaker": [*"aabbac"]}
    (rows,) = tables(section(declared, reference, {"label": [1, 0, 1, 0, 1, 1]})).values()
    assert [row[1:4] for row in rows[1:]] == [["1", "1", "2"], ["0", "1", "1"]]
