"""A stand-in for Codabench, a competition on it, and a connection to it that never waits."""

import copy as copying
import shutil

import pytest

import build_bundle
from speechbundles.bundle.build.baseline import BaselineRuns
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.platforms.codabench.client.account import Account
from speechbundles.platforms.codabench.client.connection import Connection
from tests.samples.bundle_defects import codabench
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN, CodabenchServer
from tests.samples.live_bundle import EVALUATION, count_here, live_bundle, score, upload
from tests.samples.live_season import season
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT


@pytest.fixture(params=["v1.25", pytest.param("today", marks=pytest.mark.thorough)])
def server(request):
    """As version 1.25 and, in the thorough suite, as today's. Tests parametrised with `server` choose themselves."""
    with CodabenchServer(score, today=request.param == "today") as running:
        running.page_size = 2 if running.today else None
        yield running


@pytest.fixture(autouse=True)
def _programs_of_tests(programs_of_tests):
    """All tests here use it; those that need the walls undo it."""


@pytest.fixture
def pauses():
    """The seconds of each pause that the connection would make."""
    return []


@pytest.fixture
def connection(server, pauses):
    """With an account, for what today's server gives to no token."""
    return Connection(server.address, TOKEN, pauses.append, account=Account(ORGANISER, PASSWORD))


@pytest.fixture
def login(tmp_path_factory):
    """The options that name a file with the account."""
    file = tmp_path_factory.mktemp("login") / "account"
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "utf-8")
    file.chmod(0o600)
    return ["--login-file", str(file)]


@pytest.fixture
def command(server, monkeypatch, capsys):
    """Return a function that calls a command for the server; it returns the status, the output and the errors."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)

    def call(*words):
        capsys.readouterr()
        status = build_bundle.main([*map(str, words), "--server", server.address])
        return (status, *capsys.readouterr())

    return call


@pytest.fixture
def unchecked(monkeypatch):
    """Skip the checks of bundles, which the tests of `check` cover."""
    monkeypatch.setattr("speechbundles.server.compared.check_bundle", lambda path: [])


@pytest.fixture(scope="session")
def small_bundle(tmp_path_factory):
    return live_bundle(tmp_path_factory.mktemp("bundle") / "bundle.zip").read_bytes()


@pytest.fixture
def phase(server, small_bundle):
    """The evaluation phase of a competition with three uploads: two by anna, and one by bob that fails."""
    server.offer(small_bundle)
    server.enter(EVALUATION, "anna", upload(0, 1))
    server.enter(EVALUATION, "anna", upload(0))
    server.enter(EVALUATION, "bob", upload(items=[("item000", "correct")]))
    return EVALUATION


@pytest.fixture
def no_baseline(monkeypatch):
    """Baselines are not run, to save time."""
    monkeypatch.setattr("speechbundles.bundle.build.kit.run_baseline", lambda *_: BaselineRuns())


@pytest.fixture
def own(tmp_path, no_baseline):
    """A complete folder for content accuracy."""
    return own_folder(tmp_path / "own", ["content_accuracy"])


@pytest.fixture
def copy(tmp_path):
    """A copy of the files that Spoken CALL is built from, for tests to damage."""
    programs = ("spokeneval", "scoring_program", "ingestion_program")
    for folder in (*programs, "starting_kit", "reference_data", "pages"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("competition.yaml", "competition.schema.json"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


@pytest.fixture
def quick(unchecked, monkeypatch):
    """Skip checks and real rehearsals, which `test_check` and `test_rehearsal` cover."""
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", count_here)


@pytest.fixture
def new(server, tmp_path):
    """The corrected bundle of a season; see `season`."""
    return season(server, tmp_path)


@pytest.fixture
def one_phase(tmp_path):
    """A bundle with a single phase, which is open."""
    phases = copying.deepcopy(codabench().spec["phases"])
    return live_bundle(tmp_path / "one.zip", phases=[{**phases[1], "index": 0}])
