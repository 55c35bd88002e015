"""Scoring on a local Dask cluster of two workers, one of which is killed during the run."""

import os
import signal

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import read_all
from speechbundles.publication.score import score_all
from tests.samples.programs import write_files
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
