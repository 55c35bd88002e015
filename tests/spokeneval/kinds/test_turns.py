"""Turns of labels, declared by parameters, from files to scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import spokeneval
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.formats.turns import NO_TURNS, Submission
from tests.samples.kinds import scores_of
from tests.samples.labelled_turns import GOOD, Turn, make, rttm


def scores(
    reference: list[Turn], system: list[Turn], regions: list[tuple[float, float]], **declared: Any
) -> dict[str, float]:
    """The scores of one recording."""
    uem = "".join(f"r 1 {start:.3f} {end:.3f}\n" for start, end in regions)
    files = {"turns.rttm": rttm(r=reference), "regions.uem": uem.encode()}
    return scores_of(make(**declared), files, {"turns.rttm": rttm(r=system)})


# Oracles


def frames(turns: list[Turn], length: int) -> dict[str, np.ndarray]:
    """The active milliseconds of each label."""
    active: dict[str, np.ndarray] = {}
    for start, end, label in turns:
        found = active.setdefault(label, np.zeros(length, bool))
        found[round(1000 * start) : round(1000 * end)] = True
    return active


def by_frames(
    reference: list[Turn],
    system: list[Turn],
    regions: list[tuple[float, float]],
    *,
    mapping: str = "none",
    collar: float = 0,
    overlap: str = "scored",
) -> dict[str, float]:
    """The scores from every millisecond, as NIST's plan defines them; in random turns there is one best mapping."""
    length = 1 + round(1000 * max(end for _, end, *_ in (*reference, *system, *regions)))
    spoken, claimed = frames(reference, length), frames(system, length)
    evaluated = frames([(*region, "") for region in regions], length)[""]
    scored = evaluated.copy()
    width = round(1000 * collar)
    for active in spoken.values():
        for edge in np.flatnonzero(np.diff(np.concatenate([[0], active.astype(int), [0]]))):
            scored[max(0, edge - width) : edge + width] = False
    r, h = (sum(side.values(), np.zeros(length, int)) for side in (spoken, claimed))
    if overlap == "skipped":
        scored &= r < 2
    common = np.array(
        [[(ref & hyp & evaluated).sum() for hyp in claimed.values()] for ref in spoken.values()]
    ).reshape(len(spoken), len(claimed))
    either = np.array(
        [[((ref | hyp) & evaluated).sum() for hyp in claimed.values()] for ref in spoken.values()]
    ).reshape(common.shape)
    similarity = common / np.maximum(either, 1)
    refs, hyps = list(spoken), list(claimed)
    if mapping == "optimal":
        pairs, alike = (
            list(zip(*linear_sum_assignment(matrix, maximize=True), strict=True))
            for matrix in (common, similarity)
        )
    else:
        pairs = alike = [(refs.index(label), hyps.index(label)) for label in refs if label in hyps]
    c = sum((spoken[refs[i]] & claimed[hyps[j]] for i, j in pairs), np.zeros(length, int))
    parts = {
        "miss": np.maximum(r - h, 0),
        "false_alarm": np.maximum(h - r, 0),
        "confusion": np.minimum(r, h) - c,
    }
    rates = {key: 100 * part[scored].sum() / r[scored].sum() for key, part in parts.items()}
    present = [(active & evaluated).any() for active in spoken.values()]
    jer = 100 * (1 - sum(similarity[pair] for pair in alike) / sum(present))
    return {"der": sum(rates.values()), **rates, "jer": jer}


def random_turns(rng: np.random.Generator, labels: str, n: int) -> list[Turn]:
    starts = rng.integers(0, 9000, n) / 1000
    ends = starts + rng.integers(1, 2500, n) / 1000
    return list(zip(starts.tolist(), ends.tolist(), rng.choice(list(labels), n).tolist(), strict=True))


@pytest.mark.parametrize("mapping", ["none", "optimal"])
@pytest.mark.parametrize("overlap", ["scored", "skipped"])
@pytest.mark.parametrize("collar", [0, 0.1])
def test_scores_equal_those_of_every_millisecond(mapping: str, overlap: str, collar: float) -> None:
    rng = np.random.default_rng(3)
    choices: Any = {"mapping": mapping, "overlap": overlap, "collar": collar}
    for labels in ("AB", "ABC", "CDEFG", "B"):
        reference, system = random_turns(rng, "ABC", 6), random_turns(rng, labels, 9)
        regions = [(0.3, 4.25), (5, 11.5)]
        expected = by_frames(reference, system, regions, **choices)
        assert scores(reference, system, regions, **choices) == pytest.approx(expected, abs=1e-9)


def merged(turns: list[Turn]) -> list[Turn]:
    """The turns of each label, joined where they overlap or touch, as other tools count overlaps twice."""
    found = []
    for label, active in frames(turns, 12000).items():
        edges = np.flatnonzero(np.diff(np.concatenate([[0], active.astype(int), [0]]))) / 1000
        found += [
            (start, end, label) for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
        ]
    return found


def test_scores_equal_those_of_pyannote() -> None:
    """With a mapping there is no collar, because pyannote maps after leaving out collars. Its collar is the width."""
    core = pytest.importorskip("pyannote.core")
    diarization = pytest.importorskip("pyannote.metrics.diarization")
    identification = pytest.importorskip("pyannote.metrics.identification")
    rng = np.random.default_rng(4)
    for skipped in (False, True) * 3:
        reference, system = (merged(random_turns(rng, "ABC", 6)) for _ in range(2))
        annotations = []
        for turns in (reference, system):
            annotation = core.Annotation()
            for number, (start, end, label) in enumerate(turns):
                annotation[core.Segment(start, end), number] = label
            annotations.append(annotation)
        uem = core.Timeline([core.Segment(0.5, 11)])
        rates = {
            "optimal": diarization.DiarizationErrorRate(skip_overlap=skipped),
            "none": identification.IdentificationErrorRate(skip_overlap=skipped, collar=0.2),
        }
        for mapping, rate in rates.items():
            expected = 100 * rate(*annotations, uem=uem)
            choices: Any = {"mapping": mapping, "overlap": "skipped" if skipped else "scored"}
            found = scores(reference, system, [(0.5, 11)], collar=0.1 if mapping == "none" else 0, **choices)
            assert found["der"] == pytest.approx(expected, abs=1e-6)


# By hand


def test_three_labels_of_a_system_against_two() -> None:
    """x has 4 s of A, z 3 s of B; y, 1 s of A and 1 s of B, has no label left: 2 s of 9 s are confused.

    JER: A 1 - 4 / 5, B 1 - 3 / 4, mean 0.225.
    """
    reference = [(0.0, 5.0, "A"), (5.0, 9.0, "B")]
    system = [(0.0, 4.0, "x"), (4.0, 6.0, "y"), (6.0, 9.0, "z")]
    found = scores(reference, system, [(0, 10)], mapping="optimal")
    expected = {"der": 200 / 9, "miss": 0, "false_alarm": 0, "confusion": 200 / 9, "jer": 22.5}
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_collar_is_on_each_side() -> None:
    """The system is 0.25 s late at both ends of 4 s: within the collar. With 0.2 s, 0.05 s of 3.6 s is wrong there."""
    late = [(1.25, 5.25, "A")]
    for collar, miss in ((0, 100 * 0.25 / 4), (0.2, 100 * 0.05 / 3.6), (0.25, 0)):
        found = scores([(1.0, 5.0, "A")], late, [(0, 10)], collar=collar)
        assert (found["miss"], found["false_alarm"]) == pytest.approx((miss, miss), abs=1e-12)
        assert found["jer"] == pytest.approx(100 * (1 - 3.75 / 4.25))  # without a collar


def test_the_mapping_is_chosen_before_collars_are_left_out() -> None:
    """As in md-eval: x has 0.6 s of A, y 0.55 s, so x is A; of the 0.8 s beyond collars, y has 0.55 s."""
    reference = [(0.0, 0.2, "A"), (0.3, 0.5, "A"), (2.0, 3.0, "A")]
    system = [(0.0, 0.2, "x"), (0.3, 0.5, "x"), (2.0, 2.2, "x"), (2.2, 2.75, "y")]
    found = scores(reference, system, [(0, 4)], mapping="optimal", collar=0.1)
    assert found["confusion"] == pytest.approx(100 * 0.55 / 0.8)


def test_overlapping_speech() -> None:
    """A and B together for 2 s of 6 + 4 s; the system finds A alone: 4 s missed, or 2 s of 6 s without the overlap."""
    reference, system = [(0.0, 6.0, "A"), (4.0, 8.0, "B")], [(0.0, 6.0, "A")]
    assert scores(reference, system, [(0, 10)])["miss"] == 40
    assert scores(reference, system, [(0, 10)], overlap="skipped")["miss"] == pytest.approx(100 * 2 / 6)


def test_recordings_without_turns_and_an_empty_submission() -> None:
    """quiet has no turns: 2 s of false alarm of 4 s. Nothing found misses everything."""
    files = {"turns.rttm": rttm(loud=[(0, 4, "A")]), "regions.uem": b"loud 1 0 5\nquiet 1 0 5\n"}
    found = scores_of(make(), files, {"turns.rttm": rttm(loud=[(0, 4, "A")], quiet=[(1, 3, "B")])})
    assert (found["der"], found["false_alarm"], found["jer"]) == (50, 50, 0)
    for policy, empty in (("missed", []), ("refused", [(0, 0, "A")])):
        nothing = {"turns.rttm": rttm(loud=empty, quiet=empty)}
        assert scores_of(make(missing=policy), files, nothing)["miss"] == 100
    memory = {"loud": [(0, 4, "A")], "quiet": []}
    regions = {"loud": [(0, 5)], "quiet": [(0, 5)]}
    gold = {"turns.csv": {"loud": [(0, 4, "A")]}, "regions.csv": regions}
    assert spokeneval.score({"kind": "turns"}, gold, memory).scores["der"] == 0
    with pytest.raises(SubmissionError, match="recording quiet: 2 recordings expected, 1 found"):
        spokeneval.score({"kind": "turns"}, gold, {"loud": [(0, 4, "A")]})
    several = {"loud.rttm": rttm(loud=[(0, 4, "A")]), "quiet.rttm": b""}
    assert scores_of(make(), files, several)["der"] == 0


@pytest.mark.parametrize("mapping", ["none", "optimal"])
def test_without_regions_all_time_is_scored(mapping: str) -> None:
    """Of 3 s, all are found, with 1 s before and 0.5 s after them: 50 %. Regions leave out both."""
    files = {"turns.rttm": rttm(r=[(2, 4, "A"), (5, 6, "A")])}
    system = {"turns.rttm": rttm(r=[(1, 4, "A"), (5, 6.5, "A")])}
    task = make(mapping=mapping)
    found = scores_of(task, files, system)
    assert (found["der"], found["false_alarm"], found["jer"]) == pytest.approx((50, 50, 100 * 1.5 / 4.5))
    assert scores_of(task, {**files, "regions.uem": b"r 1 2 6\n"}, system)["der"] == 0


def test_errors_of_classes_and_tables() -> None:
    """English 3 s with 1 s found, Hindi 2 s with 2 s found; 1 s of Hindi is claimed in English."""
    turns = b"recording,start,end,label,speaker\nr,0,3,English,s1\nr,3,5,Hindi,s1\nq,0,1,Hindi,s1\n"
    files = {"turns.csv": turns, "regions.csv": b"recording,start,end\nr,0,5\nq,0,0.5\nq,1,1.5\n"}
    task = make(classes=["English", "Hindi"])
    system = rttm(r=[(0, 1, "English"), (2, 5, "Hindi")], q=[(0, 1, "Hindi")])
    found = scores_of(task, files, {"turns.rttm": system})
    assert (found["error_1"], found["error_2"]) == pytest.approx((200 / 3, 0))
    reference = task.format.read_reference(files)
    assert task.units(reference)[:2] == ("speaker", {"q": "s1", "r": "s1"})
    public = task.format.public_files(reference, {})
    assert task.format.read_items(public) == reference.items
    assert public == {
        "recordings.csv": b"recording,start_s,end_s\nq,0.000,0.500\nq,1.000,1.500\nr,0.000,5.000\n"
    }
    assert task.format.rows(files)["turns.csv"] == {2: "r", 3: "r", 4: "q"}


# Refusals


def test_labels_and_classes_must_agree() -> None:
    files = {**GOOD, "turns.rttm": rttm(r=[(0, 1, "A"), (1, 2, "B")])}
    with pytest.raises(SubmissionError, match="label 'C'; expected 'A' or 'B'"):
        scores_of(make(classes=["A", "B"]), files, {"turns.rttm": rttm(r=[(0, 1, "C")])})
    with pytest.raises(ReferenceFileError, match="no scored time of class 'B'"):
        scores_of(make(classes=["A", "B"]), GOOD, {"turns.rttm": b""})


def test_the_reference_of_some_recordings_has_their_own_turns_regions_and_units() -> None:
    task = make()
    files = {
        "turns.rttm": rttm(r=[(0, 2, "A")], s=[(1, 4, "B")]) + b"NOSCORE s 1 2 1 <NA> <NA> <NA> <NA> <NA>\n",
        "regions.csv": b"recording,start,end,speaker\nr,0,5,x\ns,0,9,y\n",
    }
    part = task.format.take_reference(task.format.read_reference(files), [1])
    assert (part.items.ids, part.units, part.regions[0].tolist()) == (("s",), ["y"], [[0, 9000]])
    (row,) = task.count(part, Submission(["B"], [NO_TURNS]))["errors"].reference.tolist()
    assert row == 2000  # B from 1 s to 4 s, without the second that is not scored
