"""Packages of a program's requirements: wheels by hash from a folder, installed once, and never run while installed."""

import hashlib
import random
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from speechbundles.bundle.rehearse import Limits, Outcome
from speechbundles.model.zips import make_zip
from speechbundles.runs import packages, stages
from speechbundles.runs.outcomes import StageEnd, read_stage
from speechbundles.runs.packages import install
from tests.samples.programs import write_files
from tests.samples.programs_at_home import GOOD, program, uploaded

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

METADATA = {
    "ears-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: ears\nVersion: 1.0\n",
    "ears-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "ears-1.0.dist-info/RECORD": "",
}
HEARS = f"import ears\nassert ears.SHARP\n{GOOD}"


def wheel(source="SHARP = True\n", **more):
    files = {"ears/__init__.py": source, **METADATA, **more}
    return make_zip({name: content.encode() for name, content in files.items()})


@pytest.fixture
def go(home, begun, tmp_path, monkeypatch):
    """Return a function that runs a program with requirements; a wheel is in a folder with a relative path."""
    monkeypatch.chdir(tmp_path)
    _, chosen, *_ = begun
    own = replace(chosen, settings={**chosen.settings, "environment": "own"})

    def go(content, line="", source=HEARS):
        write_files(tmp_path / "wheels", {"ears-1.0-py3-none-any.whl": content})
        line = line or f"ears==1.0 --hash=sha256:{hashlib.sha256(content).hexdigest()}"
        uploaded(tmp_path, ("anna", program(source, **{"requirements.txt": f"{line}\n".encode()})))
        (taken,) = home(competition=own, wheels=Path("wheels"))
        return taken

    return go


@pytest.mark.thorough
def test_packages_are_installed_once_and_read_only(go, tmp_path):
    content = wheel()
    assert go(content).step.code == "ok"
    (place,) = (path for path in (tmp_path / "packages").iterdir() if path.is_dir())
    times = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    poison = f"open('/app/packages/ears/__init__.py', 'w')\n{HEARS}"
    assert go(content, source=poison).step.code == "smoke_failed"
    assert times == {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    (place / "ears/__init__.py").write_text("SHARP = False\n")  # a damaged folder is made again
    assert go(content, source=f"{HEARS}#").step.code == "ok"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (wheel(), f"ears==1.0 --hash=sha256:{'0' * 64}", "DO NOT MATCH THE HASHES"),
        (wheel(), f"nose==1.0 --hash=sha256:{'0' * 64}", "No matching distribution found"),
        (b"no wheel", "", "build_failed"),
        (wheel(**{"../outside.py": "x"}), "", "build_failed"),
    ],
)
def test_packages_that_cannot_be_installed(go, tmp_path, content, line, said):
    taken = go(content, line)
    assert taken.step.code == "build_failed"
    assert said in taken.step.log + taken.step.code
    assert not list(tmp_path.rglob("outside.py"))
    assert not [path for path in (tmp_path / "packages").glob("*") if path.is_dir()]


def test_uploads_at_the_same_time_share_one_installation(tmp_path, monkeypatch):
    made = []

    def slow(requirements, scratch, *_):
        made.append(scratch)
        (scratch / "packages").mkdir()
        time.sleep(0.1)
        (scratch / "packages/a.py").write_text("")
        return StageEnd("ok", 1.0)

    monkeypatch.setattr(packages, "_install", slow)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: install(["a==1"], tmp_path, None, None, None, "3"), range(4)))
    assert len(made) == 1
    assert {place for place, _ in found} == {tmp_path / found[0][0].name}
    assert sorted(step.seconds for _, step in found) == [0, 0, 0, 1]


@pytest.mark.thorough
def test_the_time_of_all_builds_of_an_upload_counts(go, monkeypatch):
    """Of those that failed, and of one before a call that failed; packages that are there take no time."""

    def lost(*_, **given):
        raise OSError(28, "No space left")

    failed, counted = (packages, "_install", lambda *_: StageEnd("build_failed", 1800.0)), []
    for broken in (failed, failed, (stages, "_run", lost), (packages, "_install", lost)):
        with monkeypatch.context() as patched:
            patched.setattr(*broken)
            taken = go(wheel())
            counted.append((taken.step.code, read_stage(taken.place / "build.json").seconds))
    assert counted[:2] == [("build_failed", 1800), ("build_failed", 3600)]
    assert counted[2] == ("machine", pytest.approx(3630, abs=29.99))
    assert counted[3] == ("ok", counted[2][1])


@pytest.mark.parametrize(("name", "limit"), [("_SECONDS", 0.001), ("_MEMORY", 1 << 20)])
def test_a_download_has_limits_and_its_time_counts(tmp_path, monkeypatch, name, limit):
    """pip reads the metadata of a wheel while it downloads it."""
    monkeypatch.setattr(packages, name, limit)
    _, step = install(["a==1"], tmp_path, tmp_path, None, Limits(600), "3")
    assert ("time limit" if name == "_SECONDS" else "memory limit") in step.log
    assert 0 < step.seconds < 10


@pytest.mark.thorough
def test_all_downloads_together_have_a_largest_size(tmp_path):
    lines = []
    for name in ("ears", "nose"):
        metadata = {key.replace("ears", name): each.replace("ears", name) for key, each in METADATA.items()}
        files = {**metadata, f"{name}.py": random.Random(name).randbytes(8000).hex()}  # 8 kB when packed
        content = make_zip({key: each.encode() for key, each in files.items()})
        write_files(tmp_path / "wheels", {f"{name}-1.0-py3-none-any.whl": content})
        lines.append(f"{name}==1.0 --hash=sha256:{hashlib.sha256(content).hexdigest()}")
    engine = SimpleNamespace(run=lambda *_: Outcome(0, "", "", 0.0))
    for most, code, said in ((12_000, "build_failed", "File too large"), (1 << 20, "ok", "")):
        limits = Limits(60, output_bytes=most // 8)
        _, step = install(lines, tmp_path / "cache", tmp_path / "wheels", engine, limits, "3")
        assert (step.code, said in step.log) == (code, True), step.log


@pytest.mark.thorough
def test_code_of_a_package_does_not_run_while_it_is_installed(go, tmp_path):
    """Neither modules nor files that Python reads when it starts."""
    hostile = "import os; os.mkdir('/tmp/output/planted')\n"
    content = wheel(**{"ears.pth": hostile, "sitecustomize.py": "", "usercustomize.py": hostile})
    taken = go(content)
    assert taken.step.code == "ok"
    assert not list(tmp_path.rglob("planted"))
