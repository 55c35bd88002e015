"""Scores by columns that differ within a counted row, such as a segment's language, computed from the submissions."""

from pathlib import Path

import numpy as np
import pytest

from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.conditions import conditions_by_columns, scores_by_conditions
from speechbundles.leaderboard.labelled_set import find_labelled_set
from speechbundles.leaderboard.outputs import ScoringOutput
from speechbundles.leaderboard.rank import Breakdown, make_board
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from spokeneval.challenges.merlion_identification import TASK
from spokeneval.formats.segment_scores import given_scores
from spokeneval.formats.text import read_folder
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import score_submission
from tests.samples.identification import hull_eer as lowest_eer
from tests.samples.own_competition import begun_folder
from tests.samples.programs import ROOT, write_files

HEADER = "audio_name,utt_id,start,end,language_tag,overlap_diff_lang,speaker,Room"
RECORDINGS, SEGMENTS = 12, 20


def labels():
    """Return labels of recordings of six speakers, with both languages, other rows, various lengths and two rooms."""
    rng = np.random.default_rng(9)
    rows = []
    for recording in range(RECORDINGS):
        speaker, room, end = f"S{recording % 6}", "ab"[recording % 2], 0
        for number in range(SEGMENTS):
            tag = rng.choice(["English", "Mandarin", "Non-Speech"], p=[0.5, 0.4, 0.1])
            start, end = end + 100, end + 100 + int(rng.integers(200, 3000))
            rows.append((f"r{recording}.wav", f"u{number}", start, end, tag, number % 7 == 3, speaker, room))
    return rows


SCORED = [row for row in labels() if row[4] != "Non-Speech" and not row[5]]


def answers(seed):
    rng = np.random.default_rng(seed)
    english = np.array([row[4] == "English" for row in SCORED])
    return np.round(np.stack([2 * english, 2 * ~english]) + rng.normal(size=(2, len(SCORED))), 1)


def prediction(seed):
    lines = [
        f"{row[0][:-4]}_{row[1]}_{row[2]}_{row[3]} {english} {mandarin}\n"
        for row, english, mandarin in zip(SCORED, *answers(seed), strict=True)
    ]
    return make_zip({"prediction.txt": "".join(lines).encode()})


def hull_eer(chosen, seed):
    """Return the equal error rate in per cent, with one trial for each segment, English minus Mandarin."""
    english = np.array([row[4] == "English" for row in SCORED])[chosen]
    difference = answers(seed)[0, chosen] - answers(seed)[1, chosen]
    return 100 * lowest_eer(difference[english], difference[~english])


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A competition folder with this set, and two systems' submissions, one of them in a subfolder."""
    folder = tmp_path_factory.mktemp("own")
    begun_folder(folder / "mine", ["merlion_identification_closed"])
    text = "\n".join([HEADER, *(",".join(map(str, row)) for row in labels())]) + "\n"
    write_files(folder / "mine/reference_data/merlion_identification/evaluation", {"labels.csv": text})
    write_files(folder / "submissions", {"alpha.zip": prediction(1), "late/beta.zip": prediction(2)})
    return folder


@pytest.fixture(scope="module")
def scored(own):
    """`number of recordings -> outputs`: the outputs of the two systems, scored on that many recordings."""
    labels = read_folder(own / "mine/reference_data/merlion_identification/evaluation")
    reference = TASK.format.read_reference(labels)
    options = Settings(choose_options(TASK, {}), False, Signature(TASK.name, items="0123456789ab"))
    outputs = {}
    for recordings in (RECORDINGS, 7):
        places = [place for place, row in enumerate(SCORED) if int(row[0][1:-4]) < recordings]
        part = TASK.format.take_reference(reference, places)
        outputs[recordings] = []
        for seed, path in enumerate((Path("scored/alpha"), Path("scored/late/beta.zip")), 1):
            submission = TASK.format.take(given_scores(reference.items, *answers(seed)), places)
            found = score_submission(TASK, part, submission, options)
            output = ScoringOutput(path.stem, found.scores, options.signature, found.statistics, path=path)
            outputs[recordings].append(output)
    return outputs


def tables_by(own, outputs, *columns, submissions):
    (competition,) = read_competitions(Sources(ROOT, own / "mine"), ["merlion_identification_closed"])
    summed = [output.statistics for output in outputs]
    gold = find_labelled_set(competition, summed[0].rows[0])
    by = conditions_by_columns(columns, gold, summed[0].rows[0], submissions)
    return scores_by_conditions(by, outputs, gold.task, competition.columns[0], (gold, submissions))


@pytest.mark.parametrize("recordings", [RECORDINGS, 7])
def test_segments_are_scored_anew_by_what_differs_within_a_recording(own, scored, recordings):
    # Units are speakers, and rows of the counts are recordings. On a share of the set, only its recordings are scored.
    by_language, by_length, by_room = tables_by(
        own, scored[recordings], "Language_Tag", "length", "room", submissions=own / "submissions"
    )
    assert by_language.title == "EER (%) by Language_Tag"
    held = np.array([int(row[0][1:-4]) < recordings for row in SCORED])
    tags = np.array([row[4] for row in SCORED])
    lengths = np.array([row[3] - row[2] for row in SCORED])
    cuts = np.quantile(lengths[held], [0.25, 0.5, 0.75])
    quarter = (lengths[:, np.newaxis] > cuts).sum(axis=1)
    expected = (
        (by_language, {tag: held & (tags == tag) for tag in ("English", "Mandarin")}),
        (by_length, {number: held & (quarter == number) for number in range(4)}),
    )
    for table, kinds in expected:
        assert len(table.header) == 1 + len(kinds)
        for column, (kind, chosen) in enumerate(kinds.items(), 1):
            name = kind if table is by_language else f"{lengths[chosen].min()} – {lengths[chosen].max()}"
            assert table.header[column] == f"{name} ({chosen.sum()})"
            if table is by_language:  # one trial a segment: an EER needs segments of both languages
                assert {row[column] for row in table.rows} == {"–"}
                continue
            for seed, row in enumerate(table.rows, 1):
                assert float(row[column]) == pytest.approx(hull_eer(chosen, seed), abs=1e-4)
    # The room is the same in all rows of a recording, so no submission is needed.
    rooms = [f"{room} ({sum(n % 2 == place for n in range(recordings))})" for place, room in enumerate("ab")]
    assert by_room.header[1:] == rooms


@pytest.mark.thorough
def test_a_board_without_names_has_the_same_scores(own, scored):
    asked = Breakdown(by=["language_tag"], submissions=own / "submissions")
    board = make_board(Sources(ROOT, own / "mine"), scored[RECORDINGS], anonymous=True, asked=asked)
    rows = {row[0]: row[1:] for row in board.tables[-1].rows}
    (named,) = tables_by(own, scored[RECORDINGS], "language_tag", submissions=own / "submissions")
    found = {board.aliases[alias]: scores for alias, scores in rows.items()}
    assert found == {row[0]: row[1:] for row in named.rows}


def test_rank_asks_for_submissions_before_it_compares_systems(own, scored, monkeypatch):
    monkeypatch.setattr("speechbundles.leaderboard.rank.rank_systems", None)
    with pytest.raises(OrganiserError, match=r"--by language_tag: .* Add --submissions DIR"):
        make_board(Sources(ROOT, own / "mine"), scored[RECORDINGS], asked=Breakdown(by=["language_tag"]))


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (None, "--by language_tag: the column differs within rows of the statistics, so items must be scored again"),
        ({}, "expected a folder that contains the submissions' zips"),
        ({"notes.txt": b"x"}, "no zip in this folder"),
        ({"alpha.zip": 1}, "no zip with the name of 1 output: scored/late/beta.zip"),
        ({"beta.zip": 1, "gamma.zip": 1}, "no zip with the name of 1 output: scored/alpha"),
        ({"beta.zip": 1, "gamma.zip": 1}, "1 zip with other answers than those that were scored: {0}/beta.zip"),
        ({"alpha.zip": 1, "late/beta.zip": b"PK"}, "answers than those that were scored: {0}/late/beta.zip"),
    ],
)  # fmt: skip
def test_submissions_that_are_missing_or_not_those_are_told_at_once(own, scored, tmp_path, files, words):
    folder = None if files is None else tmp_path / "given"
    for name, content in (files or {}).items():
        write_files(folder, {name: prediction(content) if content == 1 else content})
    with pytest.raises(OrganiserError) as refused:
        tables_by(own, scored[7], "language_tag", submissions=folder)
    assert words.format(folder) in str(refused.value)
