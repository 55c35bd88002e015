"""Facts of a set that a bundle may publish."""

from speechbundles.competition.references import load_reference
from speechbundles.competition.seal import keep_home
from spokeneval.challenges import find_task
from tests.samples.programs import write_files
from tests.samples.repeated import REPEATED


def test_no_fact_about_labels_at_home_is_kept(tmp_path):
    given = write_files(tmp_path, REPEATED["psst_correctness"])
    whole = load_reference(find_task("psst_correctness"), "evaluation", given, {})
    kept = keep_home(whole)
    assert whole.facts.units
    assert whole.facts.classes
    assert (kept.facts.units, kept.facts.classes) == (None, "")
    assert kept.facts.hours == whole.facts.hours
