"""What a board is about: its title, phase and date, the baseline, and the systems that `systems.csv` describes."""

import csv
import io
import json
import unicodedata
from datetime import date

import pytest

from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard import write as plain
from speechbundles.leaderboard.about import Description, read_systems
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.page import to_html
from speechbundles.leaderboard.write import to_text
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from spokeneval.ranking.writers import ranking_table, to_csv
from tests.samples.boards import noisy_systems, write_output
from tests.samples.programs import ROOT
from tests.samples.tables import table

EER = {"eer_plan": 0.2, "eer_plan_low": 0.1, "eer_plan_high": 0.3}
MERLION = "merlion_identification|items:0123456789ab|spokeneval:0.1.0"
TITLES = ("MERLIon CCS Task 1 — language identification, closed track", "Task 1, open track")


def recorded(folder, title, phase="Evaluation"):
    (folder / ".runs").mkdir(parents=True)
    (folder / ".runs/scored").write_text(json.dumps({"title": title, "phase": phase}))


def board_of(*paths, **choices):
    return ranking.make_board(Sources(ROOT), read_outputs(paths), **choices)


@pytest.mark.parametrize("title", TITLES)
def test_a_board_has_the_title_and_phase_that_score_recorded(tmp_path, title):
    """Both tracks of a task have the same signatures, so the outputs alone do not tell them apart."""
    recorded(tmp_path, title)
    system = write_output(tmp_path / "team/run", EER, signature=MERLION)
    board = board_of(system, day=date(2027, 3, 14))
    assert f"{title} · Evaluation · 2027-03-14" in " ".join(plain.to_text(board).split())
    assert plain.to_markdown(board).startswith(f"# {title} · Evaluation · 2027-03-14\n")
    assert board_of(system, title="Ours").occasion == "Ours · Evaluation"
    signature = MERLION.replace("|spokeneval", "|part:sealed|spokeneval")
    part = write_output(tmp_path / "team/part", EER, signature=signature)
    assert board_of(part).occasion == f"{title} · Evaluation (sealed)"


def test_a_board_is_by_the_primary_score_that_the_signature_names(tmp_path):
    scores = {"eer_plan": 30.0, "eer": 10.0}
    for name, named in (("eer_plan", ""), ("eer", "|primary:eer"), ("eer_plan", "|primary:no_score")):
        signature = MERLION.replace("|items", f"{named}|items")
        board = board_of(write_output(tmp_path / f"run{len(named)}", scores, signature=signature))
        assert (board.column.key, board.rows[0].score) == (name, scores[name])


def test_the_title_comes_from_the_competition_where_nothing_was_recorded(tmp_path):
    (spoken,) = noisy_systems(tmp_path / "spoken", systems=1)
    merlion = write_output(tmp_path / "merlion", EER, signature=MERLION)
    assert board_of(spoken).occasion == "Spoken CALL — accept or reject learners' responses"
    assert "track" not in board_of(merlion).occasion  # two competitions have this task
    (tmp_path / ".runs").mkdir()
    (tmp_path / ".runs/scored").write_text("[1")
    assert board_of(merlion).occasion == board_of(merlion, title="").occasion


SYSTEMS = "system,team,affiliation,track,description\n"


@pytest.mark.thorough
def test_systems_are_described_by_their_names_on_the_board(tmp_path):
    names = ["Équipe", "b", "c"]
    paths = noisy_systems(tmp_path, systems=3, names=names)
    name = unicodedata.normalize("NFD", "Équipe")
    table = f"System,team,description\n{name},Les Bleus,wav2vec2 <b>large</b>\nc,,\n"
    (tmp_path / "systems.csv").write_text(table)
    outputs = [*paths, tmp_path / "systems.csv"]  # as from a shell's scored/*
    board = board_of(*outputs)
    known = {"Équipe": Description("Les Bleus", description="wav2vec2 <b>large</b>"), "c": Description()}
    assert board.descriptions == known
    assert board_of(paths[0], paths[1]).descriptions == {"c": Description()}  # Équipe is not on this board
    hidden = board_of(*outputs, anonymous=True)
    assert not any(map(any, hidden.descriptions.values()))
    assert "Les Bleus" not in to_html(hidden)


def test_an_unofficial_entry_is_in_parentheses_and_has_no_rank(tmp_path):
    # The best, which c equals, is unofficial: it is no winner, and c is first. As in the paper, an anonymous
    # leaderboard has the recognisers too, and names in the order of the scores.
    paths = noisy_systems(tmp_path, systems=4, names=["late", "a", "b", "c"])
    described = "system,team,recogniser,official\nlate,Team L,=Whisper,no\na,Team A,Kaldi,yes\nb,Team B,,\n"
    (tmp_path / "systems.csv").write_text(described)
    board = board_of(*paths)
    official = board_of(*(path for path in paths if path.name != "late"))
    assert [(row.rank, row.name, row.ranks, row.score) for row in board.eligible] == [
        (row.rank, row.name, row.ranks, row.score) for row in official.rows
    ]
    assert (board.rows[-1].called, board.rows[-1].excluded, board.rows[-1].rank) == (
        "(late)",
        "unofficial",
        1,
    )
    assert board.rows[-1].interval is not None
    assert len(board.pairs) == 3
    assert any(note.startswith("Unofficial, and therefore") and "(late)." in note for note in board.notes)
    ranking = ranking_table(board)
    assert ranking.header[-1] == "Rec"
    assert [(row[0], row[1], row[-1]) for row in ranking.rows][-1] == ("(late)", "–", "=Whisper")
    assert ("b", "–") in [(row[0], row[-1]) for row in ranking.rows]
    assert "(late)" in to_text(board)
    assert [row[0] for row in board.tables[0].rows[:2]] == ["c", "(late)"]
    first = next(csv.DictReader(io.StringIO(to_csv(board))))
    assert (first["excluded"], first["recogniser"]) == ("", "Kaldi" if first["system"] == "a" else "")
    assert "'=Whisper" in to_csv(board)
    page = to_html(board)
    assert "<bdi>(late)</bdi>" in page
    assert "<strong><bdi>late" not in page
    hidden = board_of(*paths, anonymous=True)
    late = next(alias for alias, name in hidden.aliases.items() if name == "late")
    assert (hidden.rows[-1].called, hidden.rows[-1].recogniser) == (f"({late})", "=Whisper")
    assert "Team L" not in to_html(hidden)
    assert ">Description<" not in to_html(hidden)


def test_an_entry_is_official_or_not(tmp_path):
    (tmp_path / "systems.csv").write_text("system,official\na,nein\n")
    with pytest.raises(OrganiserError, match="official is neither yes nor no: a"):
        read_systems(tmp_path, ["a"])


def test_systems_that_are_not_there_are_refused_in_one_list(tmp_path):
    paths = noisy_systems(tmp_path, systems=3, names=["a", "b", "c"])
    rows = f"a,T,,,{'x' * 201}\na,T,,,\nnobody,T,,,\nB,T,,,\nb,T\nc,T,,,{'x' * 200}\n"
    (tmp_path / "systems.csv").write_text(SYSTEMS + rows)
    with pytest.raises(OrganiserError) as refused:
        board_of(*paths)
    head, _, *problems = str(refused.value).splitlines()
    assert "4 problems" in head
    assert all(line.startswith(f"  {tmp_path / 'systems.csv'}: ") for line in problems)
    named = [line.rpartition(": ")[2] for line in problems[:3]]
    assert named == ["nobody, B", "a", "b"]
    assert "a (description: 201)" in problems[3]


@pytest.mark.parametrize(("header", "problems"), table("leaderboard_cases")["systems"])
def test_columns_that_are_not_known_are_refused_in_one_list(tmp_path, header, problems):
    (tmp_path / "systems.csv").write_text(header + "\na,b\n")
    with pytest.raises(OrganiserError) as refused:
        read_systems(tmp_path, ["a"])
    assert f"{len(problems)} problem" in str(refused.value)
    assert [problem for problem in problems if problem not in str(refused.value)] == []


@pytest.mark.thorough
def test_a_baseline_that_is_not_there_is_refused(tmp_path):
    paths = noisy_systems(tmp_path, systems=3, names=["a", "b", "sample"])
    with pytest.raises(OrganiserError, match="--baseline sampel: no such system; did you mean 'sample'"):
        board_of(*paths, baseline="sampel")
    assert board_of(*paths, baseline="sample").marked == "sample"
    hidden = board_of(*paths, baseline="sample", anonymous=True)
    assert hidden.aliases[hidden.marked] == "sample"
