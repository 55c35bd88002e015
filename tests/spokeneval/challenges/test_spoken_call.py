"""Tests of Spoken CALL: the published table, the 50 % rule, the sample and the baseline."""

import pytest

from benchmarks import paper_tables
from sample_data import spoken_call as sample
from spokeneval.metrics import accept_reject as metrics
from spokeneval.metrics.counts import as_matrix
from spokeneval.run.reference import fingerprint
from tests.samples.programs import ROOT, run_program, run_score, write_files
from tests.samples.spoken_call import COLUMNS, TABLE_1, decided

HEADER = "Id\tPrompt\tWavfile\tRecResult\tTranscription\tlanguage\tmeaning\n"
LABEL = {True: "correct", False: "incorrect"}
COUNTS = ("ca", "fr", "cr", "pfa", "gfa")


def gold(correct, meaningful):
    rows = [
        f"{i}\tFrag: Wasser\t{i}.wav\twater\twater\t{LABEL[bool(c)]}\t{LABEL[bool(m)]}\n"
        for i, (c, m) in enumerate(zip(correct, meaningful, strict=True), 1)
    ]
    return HEADER + "".join(rows)


def results(accepted):
    return "Id\tAccept\n" + "".join(
        f"{i}\t{'accept' if a else 'reject'}\n" for i, a in enumerate(accepted, 1)
    )


SMALL_GOLD = gold([1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0])


def score(folder, accepted, reference=SMALL_GOLD, options=None):
    return run_score(
        "spoken_call", folder, {"reference.csv": reference}, {"results.csv": results(accepted)}, options
    )


@pytest.mark.parametrize("row", TABLE_1)
def test_every_row_of_table_1_comes_out(tmp_path, row):
    counts, published = TABLE_1[row]
    correct, meaningful, accepted = decided(counts)
    run = score(tmp_path, accepted, gold(correct, meaningful))
    assert run.status == 0, run.stderr
    scores = dict(run.scores)
    if row == "JJJ":
        assert (scores["eligible"], scores["d_full"]) == (0, 0)
        scores["d_full"] = scores["d_full_raw"]
    assert " ".join(f"{scores[key]:.3f}" for key in COLUMNS) == published
    assert [scores[key] for key in COUNTS] == list(counts)


def test_a_small_case_by_hand(tmp_path):
    run = score(tmp_path, [1, 1, 0, 0, 0, 1])
    # CA 2, FR 1, CR 2, PFA 0, GFA 1: sqrt(2 * 2 / (3 * 1)).
    assert run.scores["d_full"] == pytest.approx((4 / 3) ** 0.5, rel=0, abs=1e-12)
    assert [run.scores[key] for key in COUNTS] == [2, 1, 2, 0, 1]


def test_everything_accepted_is_flagged_and_never_infinite(tmp_path):
    run = score(tmp_path, [1] * 6)
    assert run.status == 0
    assert (run.scores["eligible"], run.scores["d_full"], run.scores["d_full_raw"]) == (0, 0, 0)
    assert run.scores["precision"] == 3 / (3 + 1 + 3 * 2)


def test_nothing_accepted_has_precision_0(tmp_path):
    run = score(tmp_path, [0] * 6)
    assert run.status == 0
    assert [run.scores[key] for key in ("precision", "f_measure", "eligible")] == [0, 0, 0]


@pytest.mark.parametrize("public", [False, True])
def test_the_policy_reject_fails_a_run_that_breaks_the_rule(tmp_path, public):
    correct, meaningful, accepted = decided(TABLE_1["JJJ"][0])
    reference = gold(correct, meaningful)
    known = [fingerprint({"reference.csv": reference.encode()})] if public else []
    options = {"options": {"fifty_percent_rule": "reject"}, "public_references": known}
    run = score(tmp_path, accepted, reference, options)
    assert (run.status, run.scores) == (1, None)
    assert "breaks the 50 % rule" in run.stderr
    # The exact rates, 666 / 740 and 106 / 260, are shown if the labels are public.
    assert ("found 90.0 % and 40.8 %" in run.stderr) == public
    assert ("90.0" in run.stderr) == ("40.8" in run.stderr) == public
    correct, meaningful, accepted = decided(TABLE_1["GGG"][0])
    assert score(tmp_path / "met", accepted, gold(correct, meaningful), options).status == 0


def test_each_row_of_table_1_has_one_solution():
    # The exhaustive search finds the counts of `TABLE_1`.
    for name, published in paper_tables.DECISIONS.items():
        found = as_matrix(paper_tables.find_decisions(published))
        assert len(found) == 1, name
        if name in TABLE_1:
            assert (tuple(found[0].tolist()), published) == TABLE_1[name]
    assert len(paper_tables.DECISIONS) == 18


def test_the_sample_grammar_on_transcriptions_gives_the_perfect_recognition_baseline():
    # Table 1, BaselinePerfectRec.
    good, lenient = sample._grammar()
    counts = dict.fromkeys(COUNTS, 0)
    for row in sample.make_sheet("evaluation"):
        accept = row["Transcription"] in good[row["Prompt"]] + lenient.get(row["Prompt"], [])
        if row["language"] == "correct":
            counts["ca" if accept else "fr"] += 1
        elif not accept:
            counts["cr"] += 1
        else:
            counts["pfa" if row["meaning"] == "correct" else "gfa"] += 1
    assert tuple(counts.values()) == TABLE_1["BaselinePerfectRec"][0]


def test_the_baseline_reads_a_grammar_in_which_a_prompt_occurs_twice(tmp_path):
    unit = "<prompt_unit><prompt>Frag: Wasser</prompt><response>{}</response></prompt_unit>"
    kit = write_files(
        tmp_path / "kit",
        {
            "baseline.py": (ROOT / "starting_kit/spoken_call/baseline.py").read_bytes(),
            "data/grammar.xml": f"<g>{unit.format('Water  please')}{unit.format('water')}</g>",
            "development/input/test_sheet.csv": "Id\tPrompt\tRecResult\n1\tFrag: Wasser\tWATER\n"
            "2\tFrag: Wasser\twater please\n3\tFrag: Wasser\tbeer\n4\tFrag: Bier\twater\n",
        },
    )
    assert run_program("baseline.py", "development", "out", cwd=kit).returncode == 0
    assert (kit / "out/results.csv").read_text() == "Id\tAccept\n1\taccept\n2\taccept\n3\treject\n4\treject\n"


def test_the_page_has_the_numbers_that_are_computed_with():
    assert (metrics.GROSS_WEIGHT, metrics.ZERO_COUNTS_AS, metrics.REQUIRED_PERCENT) == (3, 0.5, 50)
    page = (ROOT / "pages/spoken_call/evaluation.md").read_text(encoding="utf-8")
    for words in (
        "FA = PFA + 3 · GFA.",
        "it counts as ½ in D",
        "The 50 % rule.** You must reject at least half of",
    ):
        assert words in page
