"""The board: pairs and their intervals, the papers' tables, refusals, and the written files.

Results are compared with plain loops written here, with hand calculations, or with published tables.
"""

import csv
import io
import json
import math
import re
import stat
import zipfile
from dataclasses import dataclass, fields, replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import build_bundle
from speechbundles.bundle.rehearse import ProcessEngine
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.platforms.keys import MOST_DECIMALS
from speechbundles.publication import board as ranking
from speechbundles.publication import conditions, notes
from speechbundles.publication import page as board_page
from speechbundles.publication import write as plain
from speechbundles.publication.conditions import read_conditions
from speechbundles.publication.gold import Gold
from speechbundles.publication.outputs import ScoringOutput, read_outputs, unique_names
from speechbundles.publication.write import write_board
from spokeneval.challenges.spoken_call import TASK
from spokeneval.formats.files import read_folder
from spokeneval.formats.speakers import Units
from spokeneval.metrics.accept_reject import Decisions, decisions_per_response, ranked_d_full
from spokeneval.metrics.counts import as_matrix
from spokeneval.programs.score import HIDDEN_STATISTICS
from spokeneval.ranking import tables
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.randomisation import MOST_SWAPPED
from spokeneval.ranking.ranks import DECIMALS
from spokeneval.run.signature import Signature
from spokeneval.run.statistics import by_unit, primary_of_sums
from tests.samples.boards import HOSTILE, SIGNATURE, noisy_systems, scored, write_output
from tests.samples.freedom import degrees_of_freedom
from tests.samples.own_competition import begun_folder
from tests.samples.programs import ROOT, write_files
from tests.samples.spoken_call import decided


@dataclass(frozen=True)
class Pair:
    """Counts for small examples; the score is the first divided by the second."""

    above: np.ndarray
    below: np.ndarray


COUNTS = [f"decisions.{field.name}" for field in fields(Decisions)]


def test_scores_tie_to_as_many_decimals_as_platforms_store():
    assert DECIMALS == MOST_DECIMALS


# The board as a whole


def test_a_board_of_systems_that_differ_and_that_tie(tmp_path):
    board = ranking.make_board(Sources(ROOT), read_outputs(noisy_systems(tmp_path)))
    assert [row.name for row in board.rows[:2]] == ["system0", "system4"]
    assert [(row.rank, row.tied) for row in board.rows] == [
        (1, True),
        (1, True),
        (3, False),
        (4, False),
        (5, False),
    ]
    assert board.units == "300 responses"
    assert any("Tie at rank 1: system0, system4" in note for note in board.notes)
    assert [row.cluster for row in board.rows[:2]] == [1, 1]
    assert board.rows[-1].cluster > 1
    for row in board.rows:
        assert row.interval[0] <= row.score <= row.interval[1]
        assert row.ranks[0] <= row.rank <= row.ranks[1]
    text = plain.to_text(board)
    assert re.search(r"system4 +1=", text)
    assert not any("another score" in note for note in board.notes)


def test_lower_scores_come_first_where_lower_is_better(tmp_path):
    signature = "psst_recognition|items:0123456789ab|spokeneval:0.1.0"
    for name, fer in (("a", 20.0), ("b", 10.0), ("c", 30.0)):
        write_output(
            tmp_path / name, {"fer": fer, "fer_low": fer - 1, "fer_high": fer + 1}, signature=signature
        )
    board = ranking.make_board(Sources(ROOT), read_outputs(sorted(tmp_path.iterdir())))
    assert [row.name for row in board.rows] == ["b", "a", "c"]
    assert board.rows[0].interval == (9.0, 11.0)
    assert "lower is better" in plain.to_text(board)


def test_without_statistics_there_are_scores_and_a_word_how_to_get_them(tmp_path):
    paths = noisy_systems(tmp_path)
    (paths[1] / "statistics.json").unlink()
    board = ranking.make_board(Sources(ROOT), read_outputs(paths))
    assert {row.cluster for row in board.rows} == {row.ranks for row in board.rows} == {None}
    assert "statistics.json is missing in system1." in board.notes[-1]
    assert "rehearse BUNDLE.zip TEAM.zip --statistics" in board.notes[-1]
    assert len(board.tables) == 1  # the rates; difficulty and power need the responses


def test_one_system_alone_has_a_board(tmp_path):
    (only,) = noisy_systems(tmp_path, systems=1)
    board = ranking.make_board(Sources(ROOT), read_outputs([only]))
    assert (board.rows[0].rank, board.rows[0].cluster) == (1, None)
    assert "There is only one system, so nothing is compared." in board.notes
    asked = ranking.make_board(Sources(ROOT), read_outputs([only]), items=True)
    assert any("difficulty of items was not estimated" in note for note in asked.notes)
    assert board_page.to_html(board)
    own = write_files(
        tmp_path / "own",
        {
            "competition.yaml": "defaults: {columns: [{key: d_full, precision: 1}]}\n"
            "bundles: {spoken_call: {title: Ours}}\n"
        },
    )
    assert ranking.make_board(Sources(ROOT, own), read_outputs([only])).column.precision == 1


def test_statistics_of_another_score_are_told(tmp_path):
    paths = noisy_systems(tmp_path)
    scores = json.loads((paths[2] / "scores.json").read_text())
    (paths[2] / "scores.json").write_text(json.dumps({**scores, "d_full": scores["d_full"] + 1}))
    board = ranking.make_board(Sources(ROOT), read_outputs(paths))
    assert sum("a different score" in note and "system2" in note for note in board.notes) == 1


@pytest.mark.thorough
def test_too_few_units_are_told_with_how_many_would_do(tmp_path):
    paths = noisy_systems(tmp_path, systems=6, responses=8)
    board = ranking.make_board(Sources(ROOT), read_outputs(paths))
    (note,) = [note for note in board.notes if "too few" in note]
    # 2 / 2**8 = 0.0078, times 15 pairs 0.12.
    assert note.startswith("8 responses are too few to separate 6 systems; at least 10 are needed.")
    assert "is 0.0078; after correction for 15 pairs it is 0.12." in note
    assert {row.cluster for row in board.rows} == {1}


@pytest.mark.thorough
def test_a_board_of_many_systems_has_clusters_by_the_bound_and_ranks_as_one_of_few():
    correct, meaningful = np.arange(400) < 300, np.ones(400, dtype=bool)
    wrong = np.random.RandomState(9).rand(400)
    outputs = []
    for place in range(MOST_SWAPPED + 2):
        scores, statistics = scored((correct, meaningful, correct ^ (wrong < 0.05 + 0.004 * place)))
        outputs.append(ScoringOutput(f"system{place:03d}", scores, Signature.parse(SIGNATURE), statistics))
    widths = []
    for systems in (MOST_SWAPPED, MOST_SWAPPED + 2):
        board = ranking.make_board(Sources(ROOT), outputs[:systems])
        widths.append(np.mean([row.ranks[1] - row.ranks[0] for row in board.rows]))
    assert widths[1] < 1.1 * widths[0]
    assert not board.pairs
    assert board.rows[-1].ranks[0] > 10
    assert board.rows[-1].cluster > 1
    assert any("tail bound" in note for note in board.notes)
    assert all(row.ranks[0] <= row.rank <= row.ranks[1] for row in board.rows)
    assert "Significance map" not in board_page.to_html(board)


def test_pairs_have_their_difference_interval_and_both_p(tmp_path):
    board = ranking.make_board(Sources(ROOT), read_outputs(noisy_systems(tmp_path)))
    rows = list(csv.DictReader(io.StringIO(tables.pairs_to_csv(board))))
    assert len(rows) == 10
    scores = {row.name: row.score for row in board.rows}
    for row in rows:
        difference = float(row["difference"])
        assert difference == pytest.approx(scores[row["first"]] - scores[row["second"]], abs=1e-9)
        assert difference >= 0  # the better system comes first
        assert float(row["difference_low"]) <= difference <= float(row["difference_high"])
        assert float(row["p"]) <= float(row["adjusted_p"])
    twins = rows[0]
    assert (twins["first"], twins["second"], twins["p"]) == ("system0", "system4", "1.0")
    # Jackknife of logarithms in a loop over units, with scipy's t distribution, and Zou and Donner's (2008) difference.
    statistics = {output.name: output.statistics for output in read_outputs(sorted(tmp_path.iterdir()))}
    primary = primary_of_sums(TASK, statistics["system0"])
    without, errors = [], []
    for name in ("system0", "system3"):
        values = statistics[name].values
        without.append(np.array([primary(np.delete(values, unit, 0).sum(0)[None])[0] for unit in range(300)]))
        logs = np.log(without[-1])
        error = math.sqrt(299 / 300 * ((logs - logs.mean()) ** 2).sum())
        half = scipy.stats.t.ppf(0.975, degrees_of_freedom(logs)) * error
        errors.append((scores[name] * (1 - math.exp(-half)), scores[name] * (math.exp(half) - 1)))
    correlation = np.corrcoef(*without)[0, 1]
    down, up = (
        math.sqrt(one**2 + other**2 - 2 * correlation * one * other)
        for one, other in ((errors[0][0], errors[1][1]), (errors[0][1], errors[1][0]))
    )
    (pair,) = [row for row in rows if (row["first"], row["second"]) == ("system0", "system3")]
    assert float(pair["difference_low"]) == pytest.approx(float(pair["difference"]) - down, abs=1e-8)
    assert float(pair["difference_high"]) == pytest.approx(float(pair["difference"]) + up, abs=1e-8)


def test_a_system_without_a_score_is_listed_last(tmp_path, capsys):
    paths = noisy_systems(tmp_path / "outputs", systems=2)
    (tmp_path / "outputs" / "failed").mkdir()
    assert build_bundle.main(["rank", *map(str, [tmp_path / "outputs" / "failed", *paths])]) == 0
    told = capsys.readouterr().out
    assert re.search(r"failed +– +–", told)
    assert "Without a score and therefore without a rank: failed." in told
    board = ranking.make_board(Sources(ROOT), read_outputs([tmp_path / "outputs" / "failed", *paths]))
    *scored_rows, failed = csv.DictReader(io.StringIO(tables.to_csv(board)))
    assert [row["rank"] for row in scored_rows] == ["1", "1"]
    assert failed.pop("system") == "failed"
    assert set(failed.values()) == {""}
    assert "failed & -- & --" in to_latex(board)
    with pytest.raises(OrganiserError, match=r"failed: no scores\.json; expected"):
        read_outputs([tmp_path / "outputs" / "failed"])


def test_an_anonymous_board_names_nobody(tmp_path, capsys):
    paths = noisy_systems(tmp_path / "outputs")
    (tmp_path / "outputs" / "failed").mkdir()
    out = tmp_path / "board"
    arguments = [
        "rank",
        *map(str, [*paths, tmp_path / "outputs" / "failed"]),
        "--anonymous",
        "--out",
        str(out),
    ]
    assert build_bundle.main(arguments) == 0
    printed = capsys.readouterr()
    for text in (printed.out, *(file.read_text() for file in out.iterdir())):
        assert "system" not in re.sub(r"(?i)systems?\b", "", text)
        assert "failed" not in text
    names = [row["system"] for row in csv.DictReader(io.StringIO((out / "board.csv").read_text()))]
    assert names == ["AAA", "BBB", "CCC", "DDD", "EEE", "FFF"]
    assert "AAA  system0\nBBB  system4\n" in printed.err
    assert "FFF  failed\n" in printed.err


def test_names_go_on_after_zzz():
    assert [ranking.anonymous_name(place) for place in (0, 25, 26, 53)] == ["AAA", "ZZZ", "AAAA", "BBBBB"]


@pytest.mark.thorough
def test_scores_by_condition_are_those_of_its_units(tmp_path):
    state = np.random.RandomState(11)
    correct, accept = state.rand(2, 60) < 0.6
    easy = np.arange(60) % 3 > 0
    for name, decided_so in (("a", accept), ("b", correct ^ (np.arange(60) % 7 == 0))):
        write_output(tmp_path / "outputs" / name, *scored((correct, correct, decided_so)))
    table = tmp_path / "conditions.csv"
    table.write_text(
        "Id,prompt\n" + "".join(f"{unit},{'easy' if easy[unit] else 'hard'}\n" for unit in range(60))
    )
    board = ranking.make_board(
        Sources(ROOT), read_outputs(sorted((tmp_path / "outputs").iterdir())), conditions=table
    )
    (found,) = [table for table in board.tables if "by condition" in table.title]
    assert list(found.header) == ["System", "easy (40)", "hard (20)"]
    for kind, cell in ((easy, 1), (~easy, 2)):
        only, _ = scored((correct[kind], correct[kind], accept[kind]))
        (row,) = [row for row in found.rows if row[0] == "a"]
        assert row[cell] == f"{only['d_full']:.4f}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Id,prompt\n", "expected a header row and two columns"),
        ("Id\n0\n1\n2\n", "expected a header row and two columns"),
        (
            "Id,prompt\n0,x\n1,x\n2,x\n",
            "all have the condition 'x'; expected at least two different conditions",
        ),
        ("Id,prompt\n0,x\n1,y\n1,x\n9,y\n", "names that appear twice: 1, first '1'"),
        ("Id,prompt\n0,x\n1,y\n1,x\n9,y\n", "names that are not on the leaderboard: 1, first '9'"),
        ("Id,prompt\n0,x\n1,y\n1,x\n9,y\n", "units or items without a row: 1, first '2'"),
        ("Id,prompt\n0,x\n1,y\n2,\n", "units or items without a condition: 1, first '2'"),
        ("Id,prompt\n0,\xe4\n1,y\n2,x\n", "not UTF-8"),
        (f"Id,prompt\n0,{'x' * 200_000}\n", "line 2: field larger than"),
    ],
)
def test_conditions_that_do_not_fit_are_refused(tmp_path, content, words):
    (tmp_path / "conditions.csv").write_bytes(content.encode("latin-1"))
    with pytest.raises(OrganiserError) as refused:
        read_conditions(tmp_path / "conditions.csv", ["0", "1", "2"], ["a", "b", "c"])
    assert words in str(refused.value)


def test_as_many_conditions_as_are_allowed_and_one_more(tmp_path):
    most = 60
    for count in (most, most + 1):
        rows = [f"u{n},c{n}\n" for n in range(count)]
        (tmp_path / f"{count}.csv").write_text("".join(["Id,kind\n", *rows]))
    units = [f"u{n}" for n in range(most)]
    assert len(set(read_conditions(tmp_path / f"{most}.csv", units, []).values())) == most
    with pytest.raises(OrganiserError, match=f"{most + 1} different conditions; expected at most {most}"):
        read_conditions(tmp_path / f"{most + 1}.csv", [*units, f"u{most}"], [])


@pytest.mark.parametrize(("count", "kinds"), [(12, 12), (13, 4)])
def test_few_different_numbers_are_conditions_and_more_are_quarters(count, kinds):
    items = [f"call{n}" for n in range(count)]
    gold = Gold(TASK, None, {"age": {item: [str(20 + n)] for n, item in enumerate(items)}}, {}, {})
    assert len(set(conditions.conditions_by_column(gold, "age", items).values())) == kinds


SHEET = "\n".join(
    ["Id\tPrompt\tlanguage\tmeaning\tspeaker\tSeconds\tEmpty", 'x1\t"a\tb"\tcorrect\tcorrect\tS1\t20\t1']
    + [
        f"x{n}\tp{n % 3}\t{'in' * (n % 4 == 0)}correct\tcorrect\tS{n % 8}\t{n / 2:g}\t{'y' * (n % 5)}"
        for n in range(2, 42)
    ]
)


@pytest.fixture(scope="module")
def own_competition(tmp_path_factory):
    """A folder whose hidden set is `SHEET`, and the outputs of two systems on all of the set and on a part of it."""
    folder = tmp_path_factory.mktemp("own")
    begun_folder(folder / "mine", ["spoken_call"])
    write_files(folder / "mine/reference_data/spoken_call/evaluation", {"reference.csv": SHEET + "\n"})
    reference = TASK.format.read_reference(read_folder(folder / "mine/reference_data/spoken_call/evaluation"))
    for part, count in (("whole", 41), ("part", 30)):
        for name, period in (("a", 5), ("b", 7)):
            labels = [reference[kind][:count] == 1 for kind in ("language", "meaning")]
            accept = labels[0] ^ (np.arange(count) % period == 0)
            rows = decisions_per_response(*labels, accept)
            units = Units("speaker", dict(zip(reference.items.ids[:count], reference.speakers, strict=False)))
            statistics = by_unit(units, {"decisions": rows})
            scores = {"d_full": float(ranked_d_full(statistics.total("decisions")))}
            written = {"items": list(statistics.items), "item_values": as_matrix(rows).tolist()}
            write_output(folder / part / name, scores, statistics, **written)
    return folder


def board_by(own_competition, *columns, part="whole", **choices):
    outputs = read_outputs(sorted((own_competition / part).iterdir()))
    return ranking.make_board(Sources(ROOT, own_competition / "mine"), outputs, by=columns, **choices)


@pytest.mark.parametrize(("part", "count"), [("whole", 41), ("part", 30)])
def test_scores_by_a_column_of_the_reference_are_those_of_its_items(own_competition, part, count):
    # On a share of the set too, because the organiser has the whole reference.
    board = board_by(own_competition, "prompt", "Seconds", part=part)
    by_prompt, by_seconds = [table for table in board.tables if table.title.startswith("Dfull by ")]
    assert by_prompt.title == "Dfull by prompt"
    correct = np.array([n % 4 > 0 for n in range(1, count + 1)])
    accept = correct ^ (np.arange(count) % 5 == 0)
    kinds = ["a  b", *(f"p{n % 3}" for n in range(2, count + 1))]
    for kind, cell in zip(["p0", "p1", "p2"], by_prompt.rows[0][2:], strict=True):
        only = np.array([prompt == kind for prompt in kinds])
        expected, _ = scored((correct[only], correct[only] | True, accept[only]))
        (row,) = [row for row in by_prompt.rows if row[0] == "a"]
        assert row[by_prompt.header.index(f"{kind} ({only.sum()})")] == f"{expected['d_full']:.4f}", cell
    # More than twelve different numbers are grouped into quarters, from the smallest to the largest.
    assert by_seconds.header[1].startswith("1 – ")
    assert len(by_seconds.header) == 5
    assert sum(int(head.rpartition("(")[2][:-1]) for head in by_seconds.header[1:]) == count


def test_conditions_may_be_of_items_though_units_are_speakers(own_competition, tmp_path):
    rows = "".join(f"x{n},{'even' if n % 2 == 0 else 'odd'}\n" for n in range(1, 42))
    (tmp_path / "items.csv").write_text("Id,kind\n" + rows)
    (tmp_path / "units.csv").write_text("unit,kind\n" + "".join(f"S{n},{n % 2}\n" for n in range(8)))
    for file, header in (("items.csv", ["even (20)", "odd (21)"]), ("units.csv", ["0 (4)", "1 (4)"])):
        board = board_by(own_competition, conditions=tmp_path / file)
        (table,) = [table for table in board.tables if table.title.startswith("Dfull by ")]
        assert list(table.header[1:]) == header


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (
            "Promt",
            "--by Promt: the reference has no such column; it has Id, Prompt, language, meaning, speaker,",
        ),
        ("Id", "--by Id: 41 different conditions"),
        ("Empty", "--by Empty: units or items without a condition: 8, first 'x5'"),
        ("meaning", "--by meaning: all have the condition 'correct'; expected at least two"),
    ],
)
def test_a_column_that_breaks_nothing_down_is_refused(own_competition, column, words, monkeypatch):
    monkeypatch.setattr(conditions, "MOST_CONDITIONS", 30)
    with pytest.raises(OrganiserError) as refused:
        board_by(own_competition, column)
    assert words in str(refused.value)


def test_a_column_that_differs_within_what_is_counted_is_refused():
    columns = {"language": {"call1": ["English", "Mandarin", "English"], "call2": ["English"]}}
    gold = Gold(TASK, None, columns, {}, {})
    with pytest.raises(OrganiserError, match=r"several values within call1 \(English, Mandarin\)"):
        conditions.conditions_by_column(gold, "Language", ["call1", "call2"])


def test_a_board_whose_gold_standard_is_elsewhere_has_no_columns(own_competition):
    outputs = read_outputs(sorted((own_competition / "whole").iterdir()))
    with pytest.raises(
        OrganiserError, match=r"none of the sets of spoken_call there .* has all 41 items\. Give the folder"
    ):
        ranking.make_board(Sources(ROOT), outputs, by=["Prompt"])


@pytest.mark.parametrize(
    ("signature", "words"),
    [
        ("t|reference:0|v", "Trivial baselines: chance 0.5000."),
        ("t|items:0|v", "Trivial baselines, rounded as on the leaderboard: chance 0.5."),
    ],
)
def test_what_is_known_in_steps_is_not_told_as_if_it_were_exact(signature, words):
    output = ScoringOutput("a", {}, Signature.parse(signature), None, {"chance": 0.5})
    assert notes.beside_trivial(output, notes.trivial_scores(output, 4)) == [words]
    assert notes.beside_trivial(output, {}) == []


# Reading outputs


def test_zips_wrapped_folders_and_kept_rehearsals_are_read(tmp_path):
    plain, *_ = noisy_systems(tmp_path / "made", systems=1)
    files = {file.name: file.read_bytes() for file in plain.iterdir()} | {"metadata": b"exitCode: 0\n"}
    places = {
        "flat.zip": "",
        "wrapped.zip": "output of a team/",
        "codabench/": "scoring/app/output/",
        "codalab/": "scoring/run/output/",
        "folder/": "output/",
    }
    for name, inside in places.items():
        if name.endswith(".zip"):
            with zipfile.ZipFile(tmp_path / name, "w") as archive:
                for file, content in files.items():
                    archive.writestr(inside + file, content)
        else:
            (tmp_path / name / inside).mkdir(parents=True)
            (tmp_path / name / "prediction").mkdir(
                exist_ok="scoring" in inside
            ) if "scoring" in inside else None
            for file, content in files.items():
                (tmp_path / name / inside / file).write_bytes(content)
    outputs = read_outputs([tmp_path / name for name in places])
    assert [output.name for output in outputs] == ["flat", "wrapped", "codabench", "codalab", "folder"]
    assert len({json.dumps(dict(output.scores)) for output in outputs}) == 1
    assert all(output.statistics is not None for output in outputs)


def test_folders_of_several_outputs_are_refused_all_at_once(tmp_path):
    for team in ("Team A", "Team B"):
        noisy_systems(tmp_path / team, systems=3)
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        for name in ("a/scores.json", "b/scores.json"):
            archive.writestr(name, "{}")
    paths = [tmp_path / name for name in ("Team A", "Team B", "both.zip")]
    assert refusal([good, *paths]) == "\n".join(
        [
            "No leaderboard: 3 problems",
            "",
            f"  Team A: contains 3 outputs; give the folder of each system, such as {tmp_path / 'Team A/system0'}",
            f"  Team B: contains 3 outputs; give the folder of each system, such as {tmp_path / 'Team B/system0'}",
            "  both: contains 2 outputs; unpack it and give the folder of each system",
        ]
    )
    assert build_bundle.main(["rank", *map(str, [good, *paths])]) == 1
    assert len(read_outputs([good, *sorted((tmp_path / "Team A").iterdir())])) == 4


def test_a_folder_of_an_output_and_failed_ones_is_no_refusal(tmp_path):
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    noisy_systems(tmp_path / "team", systems=1)
    for failed in ("empty", "unscored"):
        (tmp_path / "team" / failed).mkdir()
    (tmp_path / "team/unscored/ingestion.txt").write_text("refused\n")
    outputs = read_outputs([good, tmp_path / "team"])
    assert [(output.name, bool(output.scores)) for output in outputs] == [("system0", True), ("team", True)]


def test_the_list_that_score_writes_beside_the_outputs_is_none_of_them(tmp_path):
    outputs = read_outputs(noisy_systems(tmp_path, systems=2))
    (tmp_path / "scores.csv").write_text("submission,d_full\n")
    assert [output.name for output in read_outputs(sorted(tmp_path.iterdir()))] == [
        output.name for output in outputs
    ]


def test_names_are_as_short_as_tells_them_apart(tmp_path):
    paths = [tmp_path / name for name in ("a/run.zip", "b/run.zip", "c.zip", "c", "v1.2")]
    assert (
        unique_names(paths) == ["a/run.zip", "b/run.zip", "c.zip", "c", "v1.2"][:2] + unique_names(paths)[2:]
    )
    assert unique_names(paths)[2] == "c.zip"
    assert len(set(unique_names(paths))) == 5
    assert unique_names([tmp_path / "x.zip", tmp_path / "a\x1b[31m"]) == ["x", "a\\x1b[31m"]


def refusal(paths):
    with pytest.raises(OrganiserError) as refused:
        read_outputs(paths)
    return str(refused.value)


def test_every_problem_of_all_outputs_is_told_at_once(tmp_path):
    good, *_ = noisy_systems(tmp_path / "made", systems=1)
    scores, statistics = scored(decided((6, 2, 5, 1, 1)))
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("not a zip")
    write_output(tmp_path / "nan", {"d_full": float("nan")})
    write_output(tmp_path / "list", [1])
    write_output(tmp_path / "torn", scores)
    (tmp_path / "torn/scores.json").write_text('{"d_full": 1')
    write_output(tmp_path / "unsigned", scores)
    (tmp_path / "unsigned/signature.txt").unlink()
    write_output(tmp_path / "ragged", scores, statistics, values=[[1, 2], [3]])
    write_output(tmp_path / "foreign", scores, statistics, signature=SIGNATURE)
    content = json.loads((tmp_path / "foreign/statistics.json").read_text())
    (tmp_path / "foreign/statistics.json").write_text(json.dumps({**content, "signature": "other"}))
    names = ("empty", "text.zip", "nan", "list", "torn", "unsigned", "ragged", "foreign", "absent")
    told = refusal([good, good, *(tmp_path / name for name in names)])
    assert told.startswith("No leaderboard: 10 problems\n")
    for words in (
        f"{good}: the same output as {good}",
        "empty: no scores.json; expected",
        "text: expected a folder or a readable zip",
        "nan: scores.json: d_full is nan",
        "list: scores.json has no scores",
        "torn: scores.json is not JSON (line 1)",
        "unsigned: no signature.txt",
        "ragged: statistics.json is damaged",
        "foreign: statistics.json belongs to another result",
        "absent: No such file or directory",
    ):
        assert words in told


def test_results_that_may_not_be_compared_are_refused(tmp_path):
    made = scored(decided((6, 2, 5, 1, 1)))
    paths = [write_output(tmp_path / name, *made) for name in ("a", "b")]
    paths.append(write_output(tmp_path / "hidden", *made, signature=SIGNATURE.replace("public", "hidden")))
    paths.append(write_output(tmp_path / "other", {"fer": 1.0}, signature="psst_recognition|items:1"))
    told = refusal(paths)
    assert "hidden: computed differently: class_sizes:hidden; a has class_sizes:public" in told
    assert "other: the task is psst_recognition; that of a is spoken_call" in told
    assert "2 problems" in told


FULL = "spoken_call|class_sizes:public|feedback:coarse|reference:01|items:02|part:open|spokeneval:0.1.0"


@pytest.mark.parametrize("part", FULL.split("|")[1:])
def test_outputs_of_which_any_part_of_the_signature_differs_are_refused(tmp_path, part):
    """Another reference, or another version of the program, gives scores that cannot be compared."""
    scores, statistics = scored(decided((6, 2, 5, 1, 1)))
    other = part[:-1] + "x"
    paths = [write_output(tmp_path / name, scores, statistics, signature=FULL) for name in ("a", "b")]
    paths.append(write_output(tmp_path / "c", scores, statistics, signature=FULL.replace(part, other)))
    lacks = "no such setting" if part == "feedback:coarse" else other
    assert f"c: computed differently: {lacks}; a has {part}" in refusal(paths)


@pytest.mark.parametrize("part", FULL.split("|"))
def test_statistics_of_which_any_part_of_the_signature_differs_are_refused(tmp_path, part):
    """They are of another run than the scores beside them."""
    written = FULL.replace(part, part[:-1] + "x")
    made = scored(decided((6, 2, 5, 1, 1)))
    path = write_output(tmp_path / "a", *made, signature=written)
    (path / "signature.txt").write_text(FULL)
    assert f"statistics.json belongs to another result: its signature is {written}" in refusal([path])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "prompt"}, "the unit is prompt instead of response"),
        (
            {"columns": [*COUNTS[:3], COUNTS[4], COUNTS[3]]},
            f"the columns are {', '.join(COUNTS[:3])}, {COUNTS[4]}",
        ),
        ({"units": [*map(str, range(14)), "x"]}, "2 units are in only one of the two, first 14"),
        ({"units": [*map(str, range(14, -1, -1))]}, "the units are in a different order"),
        ({"items": ["i", "x"]}, "2 items are in only one of the two, first j"),
        ({"items": ["j", "i"]}, "the items are in a different order"),
    ],
)
def test_statistics_that_cannot_be_paired_are_refused(tmp_path, changes, words):
    made = scored(decided((6, 2, 5, 1, 1)))
    items = {"items": ["i", "j"], "item_values": made[1].values[:2].tolist()}
    paths = [
        write_output(tmp_path / "a", *made, **items),
        write_output(tmp_path / "b", *made, **{**items, **changes}),
    ]
    assert f"b: its statistics cannot be paired with those of a: {words}" in refusal(paths)


def test_statistics_of_unknown_columns_are_refused_in_a_line_each(tmp_path, capsys):
    columns = [column.replace("decisions.", "choices.") for column in COUNTS]
    made = scored(decided((6, 2, 5, 1, 1)))
    paths = [write_output(tmp_path / name, *made, columns=columns) for name in "abc"]
    assert build_bundle.main(["rank", *map(str, paths)]) == 1
    problem = "statistics.json is damaged: its columns are not those of spoken_call"
    listed = f"  a: {problem}\n  b: {problem}\n  c: {problem}\n"
    assert capsys.readouterr().err == f"No leaderboard: 3 problems\n\n{listed}"


def test_one_zip_twice_under_two_names_is_refused(tmp_path):
    plain, *_ = noisy_systems(tmp_path / "made", systems=1)
    for name in ("run.zip", "run (1).zip"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for file in sorted(plain.iterdir()):
                archive.writestr(zipfile.ZipInfo(file.name), file.read_bytes())
    assert "run (1).zip: the same output as" in refusal([tmp_path / "run.zip", tmp_path / "run (1).zip"])


def test_a_task_that_is_not_in_the_series_is_refused(tmp_path):
    output = read_outputs([write_output(tmp_path / "a", {"x": 1}, signature="../../evil|items:1")])
    with pytest.raises(OrganiserError, match=r"competition\.yaml has no task \.\./\.\./evil"):
        ranking.make_board(Sources(ROOT), output)


# Files


@pytest.fixture(scope="module")
def hostile_board(tmp_path_factory):
    paths = noisy_systems(tmp_path_factory.mktemp("hostile"), names=HOSTILE)
    return ranking.make_board(Sources(ROOT), read_outputs(paths))


@pytest.mark.parametrize("name", ["=1", "＝1", "﹢1", " ＠a", "\u2212" + "1"])
def test_a_name_that_a_spreadsheet_would_run_is_marked_as_text(hostile_board, name):
    def cell(name):
        board = replace(hostile_board, rows=[replace(hostile_board.rows[0], name=name)])
        return next(csv.DictReader(io.StringIO(tables.to_csv(board))))["system"]

    assert (cell(name), cell(f"a{name}"), cell("")) == (f"'{name}", f"a{name}", "")


def test_names_are_escaped_in_every_format(hostile_board):
    page = board_page.to_html(hostile_board)
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    markdown = plain.to_markdown(hostile_board)
    assert "<img" not in markdown
    assert r"a\|b\_c" in markdown
    assert r"\*b\* \[l\](x) \`c\`" in markdown
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(hostile_board))))
    assert "'=cmd|' '!A0" in {row["system"] for row in rows}
    for text in (page, markdown, plain.to_text(hostile_board)):
        assert "\u202e" not in text


@pytest.mark.parametrize(("name", "cell"), [(f"{first}1", f"'{first}1") for first in "=+-@"] + [("1=", "1=")])
def test_no_name_is_a_formula(hostile_board, name, cell):
    board = replace(hostile_board, rows=[replace(hostile_board.rows[0], name=name)])
    (row,) = csv.DictReader(io.StringIO(tables.to_csv(board)))
    assert row["system"] == cell


def test_no_key_of_a_score_is_a_formula_in_the_header(tmp_path):
    scores, statistics = scored(decided((6, 2, 5, 1, 1)))
    keys = {"=cmd|' '!A0": "'=cmd|' '!A0", "x;=1": "x;'=1", "a,b": "a,b"}
    path = write_output(tmp_path / "a", {**scores, **dict.fromkeys(keys, 1.0)}, statistics)
    text = tables.to_csv(ranking.make_board(Sources(ROOT), read_outputs([path])))
    header = next(csv.reader(io.StringIO(text)))
    assert set(keys.values()) <= set(header)
    assert not any(re.match(r"\s*[=+@-]", cell) for cell in re.split("[;\t]", text.partition("\n")[0]))


def test_the_csv_has_the_numbers_in_full(hostile_board):
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(hostile_board))))
    for row, expected in zip(rows, hostile_board.rows, strict=True):
        assert float(row["d_full"]) == expected.score
        assert (float(row["d_full_low"]), float(row["d_full_high"])) == expected.interval
        assert (int(row["best_rank"]), int(row["worst_rank"])) == expected.ranks
        assert (int(row["rank"]), int(row["tied"])) == (expected.rank, expected.tied)
        assert float(row["d_a"]) == expected.scores["d_a"]
        assert (float(row["d_a_low"]), float(row["d_a_high"])) == expected.intervals["d_a"]
        assert expected.intervals["d_a"][0] < expected.scores["d_a"] < expected.intervals["d_a"][1]
        assert "ca_low" not in row


def test_the_command_prints_and_writes_the_same_bytes_each_time(tmp_path, capsys):
    paths = [str(path) for path in noisy_systems(tmp_path / "outputs")]
    printed, files = [], []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert build_bundle.main(["rank", *paths, "--items", "--out", str(out)]) == 0
        printed.append(capsys.readouterr().out)
        files.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert printed[0] == printed[1]
    assert files[0] == files[1]
    assert set(files[0]) == {
        *("board.csv", "board.json", "board.md", "board.tex", "board.html"),
        *("pairs.csv", "items.csv"),
    }
    written = json.loads(files[0]["board.json"])
    assert [system["name"] for system in written["systems"]] == [
        row["system"] for row in csv.DictReader(files[0]["board.csv"].decode().splitlines())
    ]
    assert len(written["pairs"]) == len(files[0]["pairs.csv"].splitlines()) - 1
    assert written["systems"][0]["intervals"].keys() >= {written["primary"]}
    assert build_bundle.main(["rank", paths[0], paths[0]]) == 1
    assert "the same output" in capsys.readouterr().err


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A bundle with hidden labels, and a folder with its baseline's submission."""
    folder = tmp_path_factory.mktemp("built")
    assert build_bundle.main(["build", "spoken_call", "--platform", "codabench", "--out", str(folder)]) == 0
    bundle = folder / "codabench/spoken_call.zip"
    with zipfile.ZipFile(bundle) as archive:
        write_files(folder, {"first/baseline.zip": archive.read("solutions/baseline_evaluation.zip")})
    return bundle, folder / "first"


@pytest.mark.thorough
def test_a_rehearsal_keeps_hidden_statistics_only_when_asked(built, tmp_path, capsys):
    bundle, baseline = built[0], built[1] / "baseline.zip"
    arguments = ["rehearse", str(bundle), str(baseline)]
    assert build_bundle.main([*arguments, "--statistics"]) == 2
    assert "--keep" in capsys.readouterr().err
    rehearse(bundle, baseline, keep=tmp_path / "quiet")
    assert build_bundle.main([*arguments, "--statistics", "--keep", str(tmp_path / "told")]) == 0
    # scores in steps cannot be compared with exact ones
    with pytest.raises(OrganiserError, match="told: computed differently"):
        read_outputs([tmp_path / "quiet", tmp_path / "told"])
    found = {name: read_outputs([tmp_path / name])[0].statistics for name in ("quiet", "told")}
    assert found["quiet"] is None
    # The sample's baseline is Table 1's: CA 635, FR 105, CR 213, PFA 32, GFA 15.
    decisions = found["told"].total("decisions")
    assert list(vars(decisions).values()) == [635, 105, 213, 32, 15]
    assert not (Path(tmp_path) / "quiet/scoring/app/output/statistics.json").exists()
    assert ranked_d_full(decisions) == pytest.approx(4.0901, abs=5e-5)


def corrected(bundle, folder):
    """Return a folder with the reference data of a bundle after a correction of five labels."""
    with zipfile.ZipFile(bundle) as archive, zipfile.ZipFile(archive.open("reference_data.zip")) as inner:
        inner.extractall(folder)
    path = folder / "reference.csv"
    labels = path.read_text(encoding="utf-8")
    path.write_text(labels.replace('"correct"\t"correct"', '"incorrect"\t"correct"', 5), encoding="utf-8")
    return folder


def score_into(out, built, *more):
    bundle, submissions = built
    arguments = ["score", str(bundle), str(submissions), "--out", str(out), *map(str, more)]
    assert build_bundle.main(arguments) == 0
    return out / "baseline"


def test_outputs_of_different_gold_standards_are_refused(built, tmp_path):
    gold = corrected(built[0], tmp_path / "gold")
    old, new = score_into(tmp_path / "old", built), score_into(tmp_path / "new", built, "--reference", gold)
    assert (old / "signature.txt").read_bytes() == (new / "signature.txt").read_bytes()
    assert (old / "scores.json").read_bytes() != (new / "scores.json").read_bytes()
    assert "new/baseline: scored with other labels than old/baseline. Score again" in refusal([old, new])
    rehearse(
        built[0],
        built[1] / "baseline.zip",
        reference=gold,
        keep=tmp_path / "kept",
        engine=ProcessEngine({HIDDEN_STATISTICS: "write"}),
    )
    assert "scored with other labels" in refusal([old, tmp_path / "kept"])

    def unchecked(outputs):
        notes = ranking.make_board(Sources(ROOT), read_outputs(outputs)).notes
        return [note for note in notes if "was not checked" in note]

    assert unchecked([new, tmp_path / "kept"]) == []
    (new / "labels.hmac").write_text("0" * 8 + ":" + "0" * 32 + "\n")  # the key of another user
    (note,) = unchecked([old, new])
    assert "several users or on several computers" in note
    (new / "labels.hmac").unlink()  # from before outputs had this file
    (note,) = unchecked([old, new])
    assert "labels.hmac is missing in new/baseline" in note
    score_into(tmp_path / "new", built, "--reference", gold)  # nothing is scored again
    assert "scored with other labels" in refusal([old, new])


def test_nothing_of_the_tag_of_labels_is_in_another_file(built, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    output = score_into(tmp_path / "out", built)
    write_board(ranking.make_board(Sources(ROOT), read_outputs([output])), tmp_path / "out" / "board")
    name, tag = (output / "labels.hmac").read_text().strip().split(":")
    key = (tmp_path / "state/speech-bundles/labels.key").read_bytes()
    assert stat.S_IMODE((tmp_path / "state/speech-bundles/labels.key").stat().st_mode) == 0o600
    files = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    del files[output / "labels.hmac"]
    with zipfile.ZipFile(built[0]) as archive:
        for entry in archive.namelist():
            files[entry] = archive.read(entry)
            if entry.endswith(".zip"):
                with zipfile.ZipFile(archive.open(entry)) as inner:
                    files |= {f"{entry}/{one}": inner.read(one) for one in inner.namelist()}
    files["printed"] = "".join(capfd.readouterr()).encode()
    for secret in (name.encode(), tag.encode(), key, key.hex().encode(), b"labels.hmac"):
        assert [str(place) for place, content in files.items() if secret in content] == []
