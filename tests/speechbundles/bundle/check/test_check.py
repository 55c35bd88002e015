"""Every defect in the table is found by its own rule and no other; clean bundles have no findings."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from speechbundles.bundle.check.check import check_bundle
from speechbundles.model.archive import Archive, Room
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.finding import RULES, format_findings
from tests.samples import bundle_defects
from tests.samples.bundle_defects import CLEAN, DEFECTS, EVERY, PATH, Defect, findings_of, put
from tests.samples.programs import write_files


@pytest.mark.parametrize("platform", EVERY)
def test_a_clean_bundle_has_no_findings(tmp_path, platform):
    assert findings_of(tmp_path, EVERY[platform]()) == []


def image(kind):
    buffer = io.BytesIO()
    Image.new("L", (2, 3)).save(buffer, kind)
    return buffer.getvalue()


IMAGES = {"logo.jpg": image("JPEG"), "logo.gif": image("GIF")}

HARMLESS = {
    **bundle_defects.harmless_changes(),
    **{name: ("codabench", bundle_defects.both(put("image", to=name), lambda draft, name=name: draft.files.update(
        {name: IMAGES[name]}))) for name in IMAGES},
    "more phases a week after the one that decides": ("codabench", lambda draft: draft.spec["phases"].append(
        {**draft.spec["phases"][1], "index": 2, "name": "More", "start": "2027-03-22 00:00:00", "end": None})),
    "an image with a digest": ("codabench", put("docker_image", to="example/image@sha256:" + "0" * 64)),
    "a sealed share": ("codabench", bundle_defects.seal),
    "a sealed share on the other platform": ("codalab", bundle_defects.seal),
    "a kit in the public data": ("codabench", bundle_defects.both(
        bundle_defects.drop("phases", 0, "starting_kit"), put("phases", 0, "public_data", to="kit.zip"),
        bundle_defects.archive("kit.zip", [("baseline.py", b"print()\n")]))),
    "pages in French": ("codabench", lambda draft: draft.files.update(
        {name: "Déposez. Licence : CC BY 4.0.\n".encode() for name in draft.files if name.endswith(".md")})),
    "prompts in the public data alone": ("codabench", bundle_defects.both(
        put("phases", 1, "public_data", to="public_data.zip"),
        bundle_defects.archive("public_data.zip", bundle_defects.codabench().zips["input_data.zip"]),
        bundle_defects.inside("input_data.zip", items__csv=b"id\nitem000\n"))),
}  # fmt: skip


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_change_has_no_findings(tmp_path, name):
    platform, change = HARMLESS[name]
    draft = CLEAN[platform]()
    change(draft)
    assert findings_of(tmp_path, draft) == []


@pytest.mark.default_cases("codabench:")
@pytest.mark.parametrize(
    "defect", DEFECTS, ids=lambda d: f"{d.platform}: {d.code}: {d.name}".replace(" ", "-")
)
def test_a_defect_is_found_and_nothing_else(tmp_path, defect: Defect):
    found = findings_of(tmp_path, defect.draft())
    assert {finding.code for finding in found} == {defect.code}, format_findings(found)


def test_a_program_in_one_folder_is_an_error_only_where_the_worker_does_not_move_it_up(tmp_path):
    for platform, level in (("codabench", "error"), ("codalab", "warning")):
        draft = CLEAN[platform]()
        bundle_defects._wrap("scoring_program.zip")(draft)
        assert [(each.code, each.level) for each in findings_of(tmp_path / platform, draft)] == [
            ("archive-wrapped", level)
        ]
    draft = CLEAN["codalab"]()
    bundle_defects.inside("scoring_program.zip", metadata=None)(draft)
    (found,) = findings_of(tmp_path / "none", draft)
    assert found.what == "no metadata or metadata.yaml at its root"
    assert Archive("reference_data/", {}, Room()).where("label.json") == "reference_data/label.json"


FORMS = list(bundle_defects.foreign_bundles())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.platform}: {form.name}")
def test_a_form_of_public_bundles_has_no_error_and_can_be_read(tmp_path, form):
    found = findings_of(tmp_path, form.draft)
    assert {finding.code for finding in found} == form.finds, format_findings(found)
    assert "error" not in {finding.level for finding in found}
    assert read_built_bundle(tmp_path / PATH).phases


OF_KNOWN_TASKS = {"leak-attempts", "leak-scores"}
"""Findings only in bundles of this project's tasks: see test_feedback."""


def test_every_rule_has_a_defect_that_breaks_it():
    assert {defect.code for defect in DEFECTS} | OF_KNOWN_TASKS == set(RULES)


def places(value, path=()):
    """All places in a value of mappings and lists."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [None, [], {}, -1, "x", [{"a": [1]}], {"x": None}], ids=repr)
@pytest.mark.parametrize("platform", EVERY)
def test_nonsense_anywhere_ends_in_findings_and_never_in_an_exception(tmp_path, platform, wrong):
    for path in places(EVERY[platform]().spec):
        draft = EVERY[platform]()
        draft.zips = dict(list(draft.zips.items())[:1])
        if path:
            bundle_defects.put(*path, to=wrong)(draft)
        else:
            draft.spec = wrong
        findings = findings_of(tmp_path, draft)
        assert any(finding.level == "error" for finding in findings), path


@pytest.mark.parametrize("seed", range(3))
def test_damaged_bytes_never_end_in_an_exception(tmp_path, seed):
    rng = bundle_defects.random.Random(seed)
    for make_draft in EVERY.values():
        data = make_draft().build()
        for _ in range(40):
            damaged = bytearray(data)
            for at in rng.sample(range(len(data)), 10):
                damaged[at] = rng.randrange(256)
            for finding in check_bundle(write_files(tmp_path, {PATH: bytes(damaged)}) / PATH):
                assert finding.code in RULES
