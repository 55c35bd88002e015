"""Explanations of difficulty: Table 2 of Spoken CALL from flags and texts, analysis of variance, agreement."""

import csv
import io
import json
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

import build_bundle
from sample_data import spoken_call_systems as sample
from sample_data.spoken_call import make_sheet
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from speechbundles.publication.explained.explained import explain_difficulty
from speechbundles.publication.explained.flags import Flags, read_flags
from speechbundles.publication.explained.texts import nearest, word_errors
from speechbundles.publication.explained.variance import explain_variance
from speechbundles.publication.gold import find_gold
from speechbundles.publication.outputs import ScoringOutput
from speechbundles.publication.plain import table_to_csv
from spokeneval.metrics.accept_reject import ranked_d_full
from spokeneval.metrics.agreement import cohen_kappa
from spokeneval.run.signature import Signature
from spokeneval.run.statistics import write_statistics
from tests.samples.own_competition import begun_folder
from tests.samples.programs import ROOT, write_files

# Overview of the third edition (2019), Table 2: responses, then Incom, Pron, Stutt, xTalk, SNSN, Faint in per cent.
PUBLISHED = """
0–2 605 1.16 0.00 3.64 0.83 2.98 2.31
3–9 65 7.69 0.00 9.23 13.85 3.08 4.62
10–18 70 7.14 0.00 8.57 8.57 17.14 5.71
0–18 740 2.30 0.00 4.59 2.70 4.32 2.84
0–2 184 21.74 11.41 9.78 2.17 3.26 4.89
3–9 31 16.13 6.45 9.68 3.23 6.45 0.00
10–18 45 26.67 0.00 2.22 0.00 2.22 4.44
0–18 260 21.92 8.85 8.46 1.92 3.46 4.23
"""
RATIOS = ["9.53", "∞", "1.84", "0.71", "0.80", "1.49"]
# Light's kappa: fair (0.2 to 0.4), moderate, substantial (from 0.6 on).
AGREEMENT = {"Incom": 0.2, "Pron": 0.4, "xTalk": 0.4, "SNSN": 0.4, "Stutt": 0.6}


def competition_in(folder):
    (competition,) = read_competitions(Sources(ROOT, folder), ["spoken_call"])
    return competition


def outputs_of(rows, wrong):
    return [
        ScoringOutput(name, {}, Signature("spoken_call"), statistics)
        for name, statistics in sample.statistics(rows, wrong).items()
    ]


@pytest.fixture(scope="module")
def of_the_sample(tmp_path_factory):
    """The explanation of the sample's 18 systems and flags."""
    rows = make_sheet("evaluation")
    wrong = sample.wrong_systems(rows)
    marked = sample.annotate(rows, wrong)
    flags = tmp_path_factory.mktemp("sample") / "flags.csv"
    flags.write_text(sample.flags_text(rows, marked))
    competition, outputs = competition_in(ROOT), outputs_of(rows, wrong)
    columns = find_gold(competition, outputs[0].statistics.rows[0]).columns
    return explain_difficulty(competition, columns, flags, outputs)


def test_the_samples_flags_are_those_of_table_2(of_the_sample):
    bands = of_the_sample.tables[0]
    published = [line.split() for line in PUBLISHED.strip().splitlines()]
    assert [list(row[1:9]) for row in bands.rows[:-1]] == published
    for found, expected in zip(bands.rows[-1][3:9], RATIOS, strict=True):
        # The paper's ratios are those of rounded shares.
        assert found == expected or float(found) == pytest.approx(float(expected), abs=0.02)


def test_the_samples_word_errors_are_near_those_of_table_2(of_the_sample):
    bands = of_the_sample.tables[0]
    errors = [float(row[bands.header.index("#WE")]) for row in bands.rows[:-1]]
    # Published: 0.17, 0.95, 2.67 and 0.47 in correct responses, 1.48, 1.35, 1.22 and 1.42 in incorrect ones.
    np.testing.assert_allclose(errors, [0.17, 0.95, 2.67, 0.47, 1.48, 1.35, 1.22, 1.42], atol=0.4)
    assert list(bands.header[9:]) == ["OOV (%)", "d(gr)", "d(tr)", "#WE", "WER (%)"]
    for column in ("d(gr)", "d(tr)"):  # incorrect responses are farther away
        assert float(bands.rows[-1][bands.header.index(column)]) > 3


def test_as_many_of_the_samples_responses_as_in_table_2_have_a_new_word(of_the_sample):
    bands = of_the_sample.tables[0]
    shares = {tuple(row[:2]): row[bands.header.index("OOV (%)")] for row in bands.rows}
    assert shares["correct", "0–18"] == "1.49"
    assert shares["incorrect", "0–18"] == "1.92"


def test_word_errors_explain_most_of_what_makes_correct_responses_hard(of_the_sample):
    # The paper finds 27 % for word errors and 48 % in total; for incorrect responses 11 % in total.
    correct, incorrect = of_the_sample.tables[1:3]
    assert correct.rows[0][0] == "#WE"
    assert 27 < float(correct.rows[0][3]) < float(correct.rows[-1][4]) < 55
    assert "no information: Pron." in correct.note  # no annotator set it on a correct response
    assert float(incorrect.rows[-1][4]) < 11


def test_the_samples_annotators_agree_as_the_paper_says(of_the_sample):
    found = {flag: float(kappa) for flag, kappa in of_the_sample.tables[3].rows}
    for flag, least in AGREEMENT.items():
        assert least < found[flag] < least + 0.2, flag


def test_every_response_is_listed_by_band_the_hardest_first(of_the_sample):
    rows = list(csv.DictReader(io.StringIO(table_to_csv(of_the_sample.items))))
    assert len(rows) == 1000
    correct = [row for row in rows if row["response"] == "correct"]
    assert [row["band"] for row in correct] == ["hard"] * 70 + ["medium"] * 65 + ["easy"] * 605
    wrong = [int(row["systems_wrong"]) for row in correct]
    assert wrong == sorted(wrong, reverse=True)
    assert {row["Incom"] for row in rows} == {"0", "1"}


def test_the_samples_systems_are_those_of_table_1():
    rows = make_sheet("evaluation")
    outputs = outputs_of(rows, sample.wrong_systems(rows))
    for output in outputs:
        total = output.statistics.total("decisions")
        found = (total.false_rejects, total.plain_false_accepts, total.gross_false_accepts)
        assert tuple(map(int, found)) == sample.WRONG[output.name]


HEADER = "Id\tPrompt\tRecResult\tTranscription\tlanguage\tmeaning\tspeaker"
EVALUATION = """
1\tFrag: Tee\tI want tea\ti want  tea\tcorrect\tcorrect\tS1
2\tFrag: Tee\twon tea please\ti want tea please\tcorrect\tcorrect\tS1
3\tFrag: Bier\tbeer\tbeer\tcorrect\tcorrect\tS2
4\tFrag: Tee\ti wants tea\ti wants tea\tincorrect\tcorrect\tS2
5\tFrag: Tee\tbeer\tbeer\tincorrect\tincorrect\tS3
6\tSag: Hallo\tbeer\thallo beer\tincorrect\tcorrect\tS3
"""
DEVELOPMENT = """
1\tFrag: Tee\ttea please\ttea please\tcorrect\tcorrect\tS4
12\tFrag: Tee\ti wants tea\ti wants tea\tincorrect\tcorrect\tS5
13\tFrag: Bier\ta beer\ta beer\tcorrect\tcorrect\tS5
"""
GRAMMAR = """<prompts>
<prompt_unit><prompt>Frag: Tee</prompt><response>I want tea</response></prompt_unit>
<prompt_unit><prompt>Frag: Bier</prompt><response>beer</response><response>a beer</response></prompt_unit>
<prompt_unit><prompt>Frag: Tee</prompt><response>tea</response></prompt_unit>
</prompts>"""
FLAGS = "Id,Annotator,Faint\n" + "".join(
    f"{n},{who},{'yes' if n % 2 else 'no'}\n" for n in range(1, 7) for who in "ab"
)


@pytest.fixture
def own(tmp_path):
    """A competition with six responses, and 18 systems, of which 0, 4 or 18 are wrong on a response."""
    begun_folder(tmp_path / "mine", ["spoken_call"])
    sets = {"evaluation": EVALUATION, "development": DEVELOPMENT}
    files = {f"reference_data/spoken_call/{name}/reference.csv": HEADER + rows for name, rows in sets.items()}
    write_files(tmp_path / "mine", {**files, "starting_kit/spoken_call/data/grammar.xml": GRAMMAR})
    (tmp_path / "flags.csv").write_text(FLAGS)
    rows = list(csv.DictReader(io.StringIO(HEADER + EVALUATION), delimiter="\t"))
    wrong = np.zeros((6, 18), dtype=bool)
    for row, systems in enumerate((0, 4, 18, 0, 18, 4)):
        wrong[row, :systems] = True
    return tmp_path, rows, wrong


def explained(own, *, count=6):
    folder, rows, wrong = own
    competition, outputs = competition_in(folder / "mine"), outputs_of(rows[:count], wrong[:count])
    columns = find_gold(competition, outputs[0].statistics.rows[0]).columns
    return explain_difficulty(competition, columns, folder / "flags.csv", outputs)


def test_what_texts_tell_by_hand(own):
    found = explained(own)
    rows = {row["item"]: row for row in csv.DictReader(io.StringIO(table_to_csv(found.items)))}
    tea = [nearest_by_hand(said, "tea please") for said in ("i want tea", "i want tea please", "i wants tea")]
    columns = {name: [float(rows[str(n)][name]) for n in range(1, 7)] for name in found.items.header[4:]}
    assert columns == {
        "Faint": [1, 0, 1, 0, 1, 0],
        # "hallo"; "wants" and "please" are in the training data, "beer" in the grammar
        "OOV": [0, 0, 0, 0, 0, 1],
        # "beer" to "tea"; the sixth prompt has no listed response, so "hallo beer" is compared with all: "a beer".
        "d(gr)": [0, 1, 0, 1, 1, 1],
        # "beer" to "a beer"; the sixth to "a beer" as well, which is nearer to it than "tea please".
        "d(tr)": [*tea[:2], 2, tea[2], nearest_by_hand("beer", "tea please"), 4],
        "#WE": [0, 2, 0, 0, 0, 1],
        "WER (%)": [0, 50, 0, 0, 0, 50],
    }
    bands = found.tables[0]
    # No system wrong is easy, four are medium, all are hard; the last row of the correct responses is their mean.
    assert [row[1:3] for row in bands.rows[:3]] == [["0–2", "1"], ["3–9", "1"], ["10–18", "1"]]
    assert bands.rows[3][bands.header.index("WER (%)")] == "16.67"
    assert found.tables[-1].rows == [["Faint", "1.00"]]


def nearest_by_hand(first, second):
    """Return the edit distance, by the recurrence of Wagner and Fischer."""
    rows = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    rows[:, 0], rows[0] = np.arange(len(first) + 1), np.arange(len(second) + 1)
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            rows[i, j] = min(rows[i - 1, j] + 1, rows[i, j - 1] + 1, rows[i - 1, j - 1] + (a != b))
    return rows[-1, -1]


def test_distances_are_those_of_the_recurrence():
    rng = np.random.default_rng(3)
    for _ in range(40):
        first, *others = ("".join(rng.choice(list("ab "), rng.integers(0, 8))) for _ in range(4))
        assert nearest(first, others) == min(nearest_by_hand(first, other) for other in others)
        assert word_errors(first, others[0]) == nearest_by_hand(first.split(), others[0].split())


def test_a_share_of_the_set_takes_its_part_of_the_flags(own):
    assert [row[2] for row in explained(own, count=5).tables[0].rows[3::4]] == ["3", "2"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("Id,annotator\n1,a\n", "expected a header with the item, 'annotator' if there are several"),
        ("Id,Faint,Faint\n1,1,1\n", "no column name twice"),
        ("Id,Faint\n1,1,1\n", "the same number of cells in every row"),
        ("Id,Faint\n", "no row"),
        ("Id,Faint\n1,maybe\n2,0\n3,\n", "cells that are neither 1/yes/true nor 0/no/false (2): "),
        ("Id,annotator,Faint\n1,a,1\n2,a,1\n3,a,1\n1,b,0\n", "missing rows (2): '2 b', '3 b'"),
        ("Id,Faint\n1,1\n2,1\n3,0\n3,0\n", "rows that appear twice (1): 3"),
        ("Id,Faint\n1,1\n2,1\n3,0\n9,0\n", "items that are not of this set (1): 9"),
        ("Id,Faint\n1,\xe4\n", "not UTF-8"),
        ("", "expected a header"),
    ],
)
def test_flags_that_do_not_fit_are_refused(tmp_path, flags, words):
    (tmp_path / "flags.csv").write_bytes(flags.encode("latin-1"))
    with pytest.raises(OrganiserError) as refused:
        read_flags(tmp_path / "flags.csv", ["1", "2", "3"], known=["1", "2", "3", "4"])
    assert words in str(refused.value)


def test_a_grammar_that_is_no_xml_is_refused(own):
    (own[0] / "mine/starting_kit/spoken_call/data/grammar.xml").write_text("tea\n")
    with pytest.raises(OrganiserError, match=r"grammar.xml: not the shared task's XML"):
        explained(own)


def test_a_task_without_such_a_table_is_refused(tmp_path):
    (competition,) = read_competitions(Sources(ROOT), ["psst_correctness"])
    with pytest.raises(OrganiserError, match="--flags: not available for psst_correctness"):
        explain_difficulty(competition, {}, tmp_path / "flags.csv", [])


def test_factors_are_tested_beside_all_others_and_shares_add_up():
    rng = np.random.default_rng(5)
    factors = {"noise": rng.normal(size=60), "strong": rng.normal(size=60), "flag": rng.random(60) < 0.3}
    factors["weak"] = factors["strong"] + rng.normal(size=60)
    outcome = 2 * factors["strong"] + factors["flag"] + rng.normal(size=60)

    def residual(names):
        columns = np.column_stack([np.ones(60), *(factors[name] for name in names)]).astype(float)
        return np.linalg.lstsq(columns, outcome, rcond=None)[1][0]

    found = explain_variance(outcome, {**factors, "constant": np.ones(60)})
    assert [factor.name for factor in found][:2] == ["strong", "flag"]
    assert len(found) == 4
    entered = []
    left = np.sum((outcome - outcome.mean()) ** 2)
    for factor in found:
        f = (residual(set(factors) - {factor.name}) / residual(factors) - 1) * (60 - 5)
        assert factor.f == pytest.approx(f)
        assert factor.p == pytest.approx(scipy.stats.f.sf(f, 1, 55))
        before = residual(entered) if entered else left
        entered.append(factor.name)
        assert factor.adds == pytest.approx((before - residual(entered)) / left)
    assert len(explain_variance(outcome, {**factors, "twice": 2 * factors["noise"]})) == 4
    assert explain_variance(np.ones(5), {"a": np.arange(5)}) == []


def test_lights_kappa_is_the_mean_over_pairs():
    marked = np.random.default_rng(1).random((3, 40)) < [[0.3], [0.4], [0.5]]
    flags = Flags("abc", {"some": marked, "none": np.zeros((3, 40), dtype=bool)})
    pairs = [cohen_kappa(*pair, scale=(0, 1)) for pair in combinations(marked.astype(int), 2)]
    assert flags.agreement()["some"] == pytest.approx(np.mean(pairs))
    assert np.isnan(flags.agreement()["none"])
    assert flags.by_majority()["some"].tolist() == (marked.sum(axis=0) >= 2).tolist()


def test_the_command_writes_a_board_with_the_flags_tables(own, capsys):
    folder, rows, wrong = own
    signature = Signature("spoken_call", items="0123456789ab")
    for output in outputs_of(rows, wrong)[:3]:
        place = folder / "outputs" / output.name
        scores = {"d_full": float(ranked_d_full(output.statistics.total("decisions")))}
        write_files(place, {"scores.json": json.dumps(scores), "signature.txt": str(signature)})
        write_statistics(place, signature, output.statistics, {})
    outputs = [str(place) for place in (folder / "outputs").iterdir()]
    choices = {"--competition": folder / "mine", "--flags": folder / "flags.csv", "--out": folder / "board"}
    said = [word for choice, place in choices.items() for word in (choice, str(place))]
    assert build_bundle.main(["rank", *outputs, *said, "--by", "PROMPT"]) == 0
    printed = capsys.readouterr().out
    for title in (
        "Properties of hard responses (Table 2",
        "Agreement of the 2 annotators",
        "Dfull by PROMPT",
    ):
        assert title in printed
    assert (
        (folder / "board/indicators.csv").read_text().startswith("item,response,band,systems_wrong,Faint,OOV")
    )
