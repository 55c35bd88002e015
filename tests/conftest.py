"""Settings and fixtures of all tests."""

import hashlib
import os
import pickle
import shutil
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest

collect_ignore_glob = ["tools/*/*"]
"""These folders contain no tests, and the packages that they import may not be installed."""

os.environ["COLUMNS"] = "80"  # wrapped text is the same in every terminal


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the cases of a test with `default_cases(NAMES)` as thorough, except those with a name in their ids."""
    for item in items:
        mark = item.get_closest_marker("default_cases")
        if mark and not any(name in item.callspec.id for name in mark.args):
            item.add_marker(pytest.mark.thorough)


def organisers_side():
    """Whether a collected test imports the organiser's side; tests of metrics alone start without its 0.7 seconds."""
    return not sys.modules.keys().isdisjoint({"speechbundles", "build_bundle"})


@pytest.fixture(autouse=True)
def _before_the_seasons(monkeypatch):
    """Fix the date before the sample's seasons, because `check` warns of dates in the past."""
    if organisers_side():
        monkeypatch.setattr("speechbundles.model.dates.now", lambda: datetime(2026, 12, 1))


@pytest.fixture
def programs_of_tests(monkeypatch):
    """Programs in tests run as this project's own do, unless a test names an engine: faster, and without bubblewrap."""
    from speechbundles.bundle.rehearse import ProcessEngine, engines

    def choose(name, bundle, *, variables=None, python=None):
        if name == "auto" and python is None:
            return ProcessEngine(variables)
        return choose_engine(name, bundle, variables=variables, python=python)

    choose_engine = engines.choose_engine
    for module in ("bundle.rehearse.many", "server.baselines", "cli.rehearse"):
        monkeypatch.setattr(f"speechbundles.{module}.choose_engine", choose)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of the repository."""
    pytest.importorskip("hatchling")
    from tests.samples.wheels import build_wheel

    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def site(wheel):
    """The folder of an installed wheel, which sees neither the clone nor its other folders."""
    shutil.unpack_archive(wheel, wheel.parent / "site", "zip")
    return wheel.parent / "site"


@pytest.fixture(scope="session", autouse=True)
def _no_state_of_the_user(tmp_path_factory):
    """Keep the key of the labels' tags out of the user's own folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _baselines_run_once_and_warm(tmp_path_factory):
    """Run the baseline of each distinct kit once per session, for all workers, in a copy of this process.

    `test_try_submission` runs the baselines in processes of their own, too.
    """
    if not organisers_side():
        yield
        return
    from speechbundles.bundle.build import baseline, kit
    from tests.samples.programs import run_program

    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "baselines"
    folder.mkdir(exist_ok=True)
    run_baseline = kit.run_baseline
    one_at_a_time = threading.Lock()

    def run_once(files, sets, public):
        digest = hashlib.sha256(repr((sorted(sets), sorted(public))).encode())
        for name, content in sorted(files.items()):
            digest.update(f"{name} {len(content)}\n".encode() + content)
        path = folder / digest.hexdigest()
        if not path.exists():
            part = path.with_suffix(f".{os.getpid()}")
            part.write_bytes(pickle.dumps(run_baseline(files, sets, public)))
            part.replace(path)
        return pickle.loads(path.read_bytes())

    def run_warm(place, program, *arguments):
        with one_at_a_time:
            return run_program(Path(program), *arguments, cwd=place)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kit, "run_baseline", run_once)
        patch.setattr(baseline, "run_program", run_warm)
        yield
