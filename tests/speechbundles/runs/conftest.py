"""A competition whose participants upload programs, built once."""

import pytest

from speechbundles.cli.board import build_at_home, chosen_at_home
from speechbundles.model.bundle import read_built_bundle
from speechbundles.runs import make_job, run_uploads
from tests.samples.programs_at_home import begin_with_sound


@pytest.fixture(scope="session")
def begun(tmp_path_factory):
    """The competition's folder, its built bundle with all labels, and its settings."""
    mine = begin_with_sound(tmp_path_factory.mktemp("sound"))
    chosen = chosen_at_home(mine, None)
    path, rules = build_at_home(mine, chosen, tmp_path_factory.mktemp("private"))
    return mine, chosen, path, rules


@pytest.fixture
def home(begun, tmp_path):
    """Return a function that takes the uploads in a fetched folder through their stages."""
    _, chosen, path, _ = begun
    built = read_built_bundle(path)
    sets = {phase.name: phase.reference for phase in chosen.phases}

    def go(folder=tmp_path, jobs=2, *, competition=chosen, **options):
        of_all = ("scheduler", "team_hours", "release", "progress")
        given = {key: options.pop(key) for key in of_all if key in options}
        job = make_job(competition, built, tmp_path / "packages", **options)
        return run_uploads(job, built, sets, folder / "fetched", jobs=jobs, **given)

    return go
