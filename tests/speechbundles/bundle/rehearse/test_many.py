"""Many runs: programs of others, and a local Dask cluster of two workers, one of which is killed during the run."""

import os
import shutil
import signal

import pytest

from speechbundles.bundle.rehearse import engines, many
from speechbundles.leaderboard.score import score_all
from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import read_all
from tests.samples.programs import unzipped, write_files
from tests.samples.small_bundles import SCORE, codabench_bundle, zipped

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.mark.thorough
def test_a_cluster_writes_the_same_bytes_also_when_a_worker_dies(tmp_path, cluster):
    answers = {f"team {n}/run.zip": zipped({"answer.txt": f"{40 + n % 3}\n"}) for n in range(8)}
    folder = write_files(tmp_path / "in", {**answers, "broken.zip": "no zip"})
    bundle = codabench_bundle(tmp_path, score=SCORE + "    import time; time.sleep(0.3)\n")
    here = score_all(bundle, folder, tmp_path / "here")
    killed = []

    def kill_one(done, total):
        if not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    there = score_all(
        bundle, folder, tmp_path / "there", scheduler=cluster.scheduler_address, progress=kill_one
    )
    assert killed
    assert there.results == here.results
    assert there.new == 9
    assert read_all(tmp_path / "there") == read_all(tmp_path / "here")
    assert score_all(bundle, folder, tmp_path / "there", scheduler="tcp://nowhere:1").new == 0


def test_a_scheduler_that_does_not_answer_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("speechbundles.bundle.rehearse.many.WAIT", 1)
    folder = write_files(tmp_path / "in", {"a.zip": zipped({"answer.txt": "42\n"})})
    with pytest.raises(OrganiserError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1"):
        score_all(codabench_bundle(tmp_path), folder, tmp_path / "out", scheduler="tcp://127.0.0.1:1")


ELSEWHERE = """
    import os
    for path in (__file__, "/app/input/ref/gold.txt"):
        open(path, "a").write("# run before")
    seen = [os.path.exists(HOME), open("/app/input/ref/gold.txt").read().count("before")]
    open("/app/output/scores.json", "w").write('{"accuracy": 1, "items": 3}')
    open("/app/output/seen.txt", "w").write(repr(seen))
""".replace("HOME", repr(__file__))


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_programs_of_others_run_in_bubblewrap_and_leave_nothing_for_the_next_run(tmp_path, monkeypatch):
    monkeypatch.setattr(many, "choose_engine", engines.choose_engine)
    folder = write_files(tmp_path / "in", {f"{name}.zip": zipped({"answer.txt": ""}) for name in "abc"})
    bundle = codabench_bundle(tmp_path, score=ELSEWHERE, ingest=None)
    found = score_all(bundle, folder, tmp_path / "out", jobs=1)
    assert {result.shown["accuracy"] for result in found.results.values()} == {"1.0000"}
    outputs = [unzipped((tmp_path / "out" / name / "scoring_output.zip").read_bytes()) for name in "abc"]
    assert {output["seen.txt"] for output in outputs} == {b"[False, 1]"}
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OrganiserError, match="not this project's own"):
        score_all(bundle, folder, tmp_path / "other")
