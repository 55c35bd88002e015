"""Competition folders made of bundles that others built."""

import pytest
import yaml

import build_bundle
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.new.adopt import kinds_of, scores_of_kind
from tests.samples.bundle_defects import CLEAN
from tests.samples.programs import unzipped
from tests.samples.small_bundles import AS_ON_THE_PLATFORM, LABELS, bundle_of_others, zipped


@pytest.fixture
def foreign(tmp_path):
    return bundle_of_others(tmp_path)


def run(*words):
    return build_bundle.main(list(map(str, words)))


@pytest.mark.parametrize("platform", CLEAN)
def test_build_makes_the_bundle_again(tmp_path, platform):
    """Its phases, columns, data and programs are the same; a bundle of format 1.5 is one of version 2."""
    (tmp_path / "theirs.zip").write_bytes(CLEAN[platform]().build())
    folder = tmp_path / "mine"
    assert run("adopt", tmp_path / "theirs.zip", folder, "--name", "theirs") == 0
    assert run("build", "--competition", folder) == 0
    before = read_built_bundle(tmp_path / "theirs.zip")
    after = read_built_bundle(folder / "dist" / "codabench" / "theirs.zip")
    assert (after.platform, after.title, after.columns) == ("codabench", before.title, before.columns)
    for old, new in zip(before.phases, after.phases, strict=True):
        dates, again = ((phase.name, phase.opens, phase.closes, phase.per_day) for phase in (old, new))
        assert dates == again
        for part in ("scoring_program", "reference_data", "input_data", "starting_kit", "public_data"):
            files = [
                unzipped(bundle.files[name]) if (name := getattr(phase, part)) else {}
                for bundle, phase in ((before, old), (after, new))
            ]
            assert files[0] == {name: data for name, data in files[1].items() if not name.endswith("/")}


def test_the_folder_has_folders_in_place_of_zips_and_dates_as_codabench_reads_them(tmp_path, foreign):
    folder = tmp_path / "mine"
    assert run("adopt", foreign, folder, "--name", "yes") == 0
    content = yaml.safe_load((folder / "yes" / "competition.yaml").read_text())
    assert content["tasks"][1]["reference_data"] == "reference_data/"
    assert content["solutions"][0]["path"] == "solution/"
    assert content["phases"][0]["start"] == "2027-01-11 00:00:00"
    assert (folder / "yes" / "reference_data" / "truth").read_text().split() == LABELS
    assert yaml.safe_load((folder / "competition.yaml").read_text()) == {"bundles": {"yes": {"kept": "yes"}}}
    assert [path.name for path in folder.rglob("*.zip")] == ["ingestion_program.zip"]  # which no task names


def test_a_kind_with_all_scores_of_the_leaderboard_is_found_and_gives_the_same_scores(foreign):
    bundle = read_built_bundle(foreign)
    assert kinds_of(bundle) == {"decisions": {"accuracy": "accuracy"}}
    evaluation = bundle.phases[1].tasks[0]
    assert scores_of_kind(bundle, evaluation, "solution/", "decisions")["accuracy"] == 6 / 8
    with pytest.raises(OrganiserError, match=r"scoring_program\.zip has 2 tables; expected one"):
        scores_of_kind(bundle, evaluation, "scoring_program.zip", "decisions")
    bundle.files["solution/"] = zipped({"answers": "yes no"})
    with pytest.raises(OrganiserError, match="do not have the same items"):
        scores_of_kind(bundle, evaluation, "solution/", "decisions")


def test_both_scores_are_printed_side_by_side(tmp_path, foreign, capsys, monkeypatch):
    monkeypatch.setattr("speechbundles.cli.adopt.choose_engine", lambda *_: AS_ON_THE_PLATFORM)
    assert run("adopt", foreign, tmp_path / "mine") == 0
    printed = capsys.readouterr().out
    assert "scores of the kind decisions; --kind decisions" in printed
    assert [line.split() for line in printed.splitlines() if "accuracy" in line] == [
        ["accuracy", "0.2500", "0.25"],
        ["accuracy", "0.7500", "0.75"],
    ]


def test_a_kind_takes_the_place_of_the_program(tmp_path, foreign):
    folder = tmp_path / "mine"
    assert run("adopt", foreign, folder, "--name", "yes", "--kind", "decisions") == 0
    settings = (folder / "competition.yaml").read_text()
    assert "title: 'Yes: or no'" in settings
    assert [settings.count(f'start: "2027-{day} 00:00:00"') for day in ("01-11", "02-11")] == [1, 1]
    labels = folder / "reference_data" / "yes"
    assert (labels / "evaluation" / "truth").read_text().split() == LABELS
    assert (labels / "development" / "truth").read_text().split() == LABELS[::-1]
    assert (folder / "adopted_pages" / "terms.md").read_text() == "Be fair."


def test_a_folder_that_exists_and_a_name_that_none_can_have_are_refused(tmp_path, foreign, capsys):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "x").touch()
    assert run("adopt", foreign, tmp_path / "mine") == 1
    assert run("adopt", foreign, tmp_path / "other", "--name", "A b") == 1
    assert run("adopt", tmp_path, tmp_path / "other") == 1
    said = capsys.readouterr().err
    assert "exists already" in said
    assert "expected a name such as" in said
    assert "it has no competition.yaml at its root" in said
    assert not (tmp_path / "other").exists()
