"""The section of ratings: shift and agreement."""

from sklearn.metrics import cohen_kappa_score

from tests.samples.report_pages import section, tables


def test_the_shift_of_ratings_is_against_each_rater_who_rated():
    declared = {"kind": "ratings", "raters": ["Anna", "Ravi"], "scale": [1, 5]}
    reference = {"Anna": [1, 2, 3, 4], "Ravi": [0, 5, 5, 0]}  # 0: not rated
    found = tables(section(declared, reference, {"rating": [2, 2, 4, 3]}))
    assert found["Ratings compared with each rater"][1:] == [
        ["Anna", "+0.25", "25.0 %", "25.0 %", "50.0 %", "4"],
        ["Ravi", "-2.00", "100.0 %", "0.0 %", "0.0 %", "2"],
    ]
    half = tables(
        section({**declared, "scale": [0.5, 2.5], "step": 0.5}, reference, {"rating": [2, 2, 4, 3]})
    )
    assert half["Ratings compared with each rater"][1][:3] == ["Anna", "+0.12", "25.0 %"]
    assert half["Items by the rating of Anna"][1] == ["0.5", "0", "1", "0", "0", "0"]
    assert half["Agreement of each pair"][0][3:6] == ["within 0.5", "1 apart", "1.5 apart"]
    wide = tables(section({**declared, "scale": [1, 8]}, reference, {"rating": [2, 2, 4, 3]}))
    assert wide["Agreement of each pair"][0][3:] == ["within one", "Items"]
    kappa = cohen_kappa_score([1, 2, 3, 4], [2, 2, 4, 3], weights="linear", labels=range(1, 6))
    # Anna and the submission are 1, 0, 1, 1 apart; Anna and Ravi, who rated two items, 3 and 2.
    header, humans, anna, _ = found["Agreement of each pair"]
    assert header[2:] == ["equal", "within one", "2 apart", "3 apart", "4 apart", "Items"]
    assert [humans[0], *humans[2:]] == ["Anna, Ravi", "0.0 %", "0.0 %", "50.0 %", "50.0 %", "0.0 %", "2"]
    assert anna[:2] == ["Anna, submission", f"{kappa:.4f}"]
    assert anna[2:] == ["25.0 %", "100.0 %", "0.0 %", "0.0 %", "0.0 %", "4"]
    assert found["Items by the rating of Anna"][1] == ["1", "0", "1", "0", "0", "0"]
