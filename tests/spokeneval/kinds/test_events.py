"""Events, declared by parameters, from files to scores."""

from __future__ import annotations

import pytest

import spokeneval

REFERENCE = {
    "events.csv": """recording,start,end,label,speaker
r1,1.0,2.0,Klingel,A
r1,5.0,,घंटी,A
r2,3,4.5,Klingel,B
r3,3,4.5,Klingel,C
r4,3,4.5,घंटी,D
r5,3,4.5,घंटी,E
r5,700,701,घंटी,E
""",
    "regions.csv": "recording,start,end\n" + "".join(f"r{n},0,600\n" for n in range(1, 7)),
}
DETECTED = """recording,start,end,label,score
r1,1.1,2.1,Klingel,0.9
r1,5.1,5.9,घंटी,0.8
r2,3.0,4.2,Klingel,0.7
r2,3.1,4.2,Klingel,0.3
r4,3,4.5,घंटी,0.4
r6,5,6,Klingel,0.95
r6,601,602,Klingel,0.95
"""


def scored(folder, declared, reference, detected):
    for side, files in (("reference", reference), ("submission", {"events.csv": detected})):
        (folder / side).mkdir(parents=True)
        for name, text in files.items():
            (folder / side / name).write_text(text, encoding="utf-8")
    return spokeneval.score({"kind": "events", **declared}, folder / "reference", folder / "submission")


@pytest.fixture
def result(tmp_path):
    return scored(tmp_path, {"classes": ["Klingel", "घंटी"]}, REFERENCE, DETECTED)


def test_scores_are_those_of_a_calculation_by_hand(result):
    """In an hour, with 3 events of each label: 2 and 1 are found, with 1 false alarm. With scores of 0.4 or more,
    another one is. What starts at 601 s or later is in no region. Of segments of 1 s, 3 of 5 and 4 are common for
    Klingel, and 1 of 5 and 1 for घंटी: the point is in one segment, its detection in 5 to 6."""
    scores = result.scores
    first, second = 2 * 2 / (3 + 3), 2 * 1 / (1 + 3)
    assert scores["event_f1"] == pytest.approx(100 * (first + second) / 2)
    assert (scores["f1_1"], scores["f1_2"]) == pytest.approx((100 * first, 100 * second))
    assert (scores["precision"], scores["recall"]) == pytest.approx((75, 50))
    assert scores["miss_rate"] == pytest.approx(100 * 2 / 6)
    false_alarms = 999.9 / (3600 - 3)
    assert scores["atwv"] == pytest.approx(1 - (1 / 3 + false_alarms + 2 / 3) / 2)
    assert scores["mtwv"] == pytest.approx(1 - (1 / 3 + false_alarms + 1 / 3) / 2)
    klingel, other = 2 * 3 / (5 + 5), 2 * 1 / (5 + 1)
    assert scores["segment_f1"] == pytest.approx(100 * (klingel + other) / 2)


# The test of KWSEval in NIST's F4DE 3.5.0 with three terms (test6.rttm, test6.kwslist.xml): the seconds at which each
# is said, how long, and the score of a detection with the same start and length. Terms are said in two files, whose
# regions are from 0 to 50 s and from 50 to 100 s.
F4DE = {
    "yes": (1, [*range(0, 75, 5)], [0.912, 0.648, 0.746, 0.823, 0.723, 0.423, 0.345, 0.785, 0.568, 0.567]),
    "sure": (1, [*range(1, 75, 5)], [0.952, 0.964, 0.835, 0.734, 0.467]),
    "why not": (2, [2, 7, 12, 17, 22], [0.994, 0.901]),
}
FALSE_ALARMS = {
    "yes": {90: 0.546, 95: 0.393},
    "sure": {86: 0.724, 91: 0.732, 96: 0.834},
    "why not": {57: 0.845, 62: 0.452, 67: 0.345, 72: 0.623, 77: 0.734},
}


@pytest.mark.parametrize(
    ("end", "actual", "maximum"), [(100, -36.6813, 0.2000), (50, 0.6333, 0.6333)], ids=["2a", "6a"]
)
def test_term_weighted_values_are_those_of_f4de(tmp_path, end, actual, maximum):
    """Those of both files are in res_test2a.txt, those of the first one alone in res_test6a.txt."""
    events, detected = ["recording,start,end,label"], ["recording,start,end,label,score"]
    for term, (length, said, scores) in F4DE.items():
        found = {**dict(zip(said, scores, strict=False)), **FALSE_ALARMS[term]}
        for rows, cells in ((events, dict.fromkeys(said, "")), (detected, found)):
            for start, score in cells.items():
                if start < end:
                    row = f"FILE0{1 + (start >= 50)},{start},{start + length},{term}"
                    rows.append(f"{row},{score}" if score else row)
    regions = "recording,start,end\nFILE01,0,50\n" + "FILE02,50,100\n" * (end > 50)
    declared = {"classes": list(F4DE), "match": "midpoint", "collar": 0.5, "threshold": 0}
    reference = {"events.csv": "\n".join(events), "regions.csv": regions}
    found = scored(tmp_path, declared, reference, "\n".join(detected)).scores
    assert (round(found["atwv"], 4), round(found["mtwv"], 4)) == (actual, maximum)
