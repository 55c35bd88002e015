"""A challenge's package on EvalAI's worker, which imports it and calls `evaluate`. It travels as `__init__.py`.

The programs run in processes of their own: a submission is unpacked and scored by the code that the starting kit has.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent


class NotScoredError(Exception):
    """What the scoring program says about a submission that it refuses. Participants read it on the platform."""


def evaluate(
    test_annotation_file: str,
    user_submission_file: str,
    phase_codename: str,
    output: Optional[str] = None,
    **_: Any,
) -> dict[str, Any]:
    """Return the scores of a submission, for the dataset split that has the phase's codename.

    Parameters
    ----------
    output: folder for the files that the scoring program writes; by default, they are lost.
    """
    settings = json.loads((HERE / "evaluation.json").read_text(encoding="utf-8"))
    seconds = settings["seconds"][phase_codename]
    with tempfile.TemporaryDirectory() as folder:
        places = {
            "$program": HERE,
            "$input": Path(folder, "input"),
            "$output": Path(output or f"{folder}/output"),
        }
        with zipfile.ZipFile(test_annotation_file) as reference:
            reference.extractall(places["$input"] / "ref")
        (places["$input"] / "res").mkdir()
        _run([str(HERE / "unpack.py"), user_submission_file, str(places["$input"] / "res")], seconds)
        words = settings["command"].split()[1:]
        for name, place in places.items():
            words = [word.replace(name, str(place)) for word in words]
        _run(words, seconds)
        scores = json.loads((places["$output"] / "scores.json").read_text(encoding="utf-8"))
    return {"result": [{phase_codename: {key: scores[key] for key in settings["columns"] if key in scores}}]}


def _run(words: list[str], seconds: float) -> None:
    """Run a script and print what it says.

    Raises
    ------
    NotScoredError: it took too long, or ended with an error.
    """
    command = [sys.executable, *words]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise NotScoredError(f"Stopped after {seconds} seconds.\nNothing was scored.") from None
    said, errors = (text.decode("utf-8", "replace") for text in (ended.stdout, ended.stderr))
    print(said, end="")
    if ended.returncode:
        raise NotScoredError(errors.rstrip())
    print(errors, end="", file=sys.stderr)
