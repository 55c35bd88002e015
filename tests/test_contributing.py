"""CONTRIBUTING.md shows how a sixth challenge is added; here it is added, as written, to a copy."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from bundling.archive import make_zip
from tests.support import ROOT, write_files


def test_the_sixth_challenge_of_contributing_builds_and_runs(tmp_path):
    copy = tmp_path / "repository"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "dist", "tests", "benchmarks")
    shutil.copytree(ROOT, copy, ignore=ignored)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"\n\*\*`([^*\n]+)\*\*\n\n```[a-z]+\n(.*?)\n```\n", text, re.DOTALL))
    manifest = (copy / "competition.yaml").read_text(encoding="utf-8")
    for section in ("challenges", "bundles"):
        entry = blocks.pop(f"competition.yaml`, under `{section}:`")
        manifest = manifest.replace(f"\n{section}:\n", f"\n{section}:\n{entry}\n\n", 1)
    files = {name.rstrip("`"): content + "\n" for name, content in blocks.items()}
    assert len(files) == 10
    write_files(copy, {**files, "competition.yaml": manifest})

    done = run(copy, "build", "speech_rate")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" ok ") == 2
    for platform in ("codabench", "codalab"):
        # By hand: |3.75 - 4| + |5 - 5| + |6.5 - 6| over 3.
        scored = rehearse(copy, platform, "recording_id,rate\nb3,6\nb1,4\nb2,5\n")
        assert scored["status"] == "Finished"
        assert scored["scores"]["mae"] == 0.25
        # Of three recordings, 0.25, 0 and 0.5 off, the luckiest resamples draw the best alone, the others the worst.
        assert (scored["scores"]["mae_low"], scored["scores"]["mae_high"]) == (0, 0.5)
        assert rehearse(copy, platform, "recording_id,rate\nb3,6\nb1,fast\n")["status"] == "Failed"


def rehearse(copy: Path, platform: str, rates: str) -> dict:
    (copy / "submission.zip").write_bytes(make_zip({"rates.csv": rates.encode()}))
    done = run(copy, "rehearse", f"dist/{platform}/speech_rate.zip", "submission.zip", "--json")
    return json.loads(done.stdout)


def run(copy: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "build_bundle.py", *arguments]
    return subprocess.run(command, cwd=copy, capture_output=True, text=True)
