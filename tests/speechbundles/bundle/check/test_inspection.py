"""Where a finding about a key is, and which spelling or place it proposes."""

from __future__ import annotations

from tests.samples import bundle_defects
from tests.samples.bundle_defects import CLEAN, findings_of, put


def after(tmp_path, damage, platform="codabench"):
    """Return the one finding in a clean bundle after a change."""
    draft = CLEAN[platform]()
    damage(draft)
    (finding,) = findings_of(tmp_path, draft)
    return finding


def test_a_finding_names_the_line_and_the_key_and_the_correct_spelling_or_place(tmp_path):
    draft = CLEAN["codabench"]()
    ends = put("phases", 1, "end", to="2027-02-28 00:00:00")
    ends(draft)
    text = bundle_defects.yaml.safe_dump(draft.spec, sort_keys=False).splitlines()
    line = 1 + text.index("  end: '2027-02-28 00:00:00'")
    finding = after(tmp_path, ends)
    assert (finding.where, finding.level) == (f"competition.yaml line {line}: phases[1].end", "warning")
    misspelt = after(tmp_path, put("phases", 0, "max_submission_per_day", to=3)).what
    assert "did you mean 'max_submissions_per_day'?" in misspelt
    assert "belongs to phases[]" in after(tmp_path, put("execution_time_limit", to=3)).what


def test_a_development_reference_whose_fingerprint_is_not_declared_is_hidden(tmp_path):
    assert after(tmp_path, bundle_defects._options(public_references=[]), "codalab").code == "leak-file"
