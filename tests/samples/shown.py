"""What a run of a task's programs shows to participants."""

from __future__ import annotations

import json
import re
from pathlib import Path


def without_scores(page: str) -> str:
    """Return the text and structure of a page, without drawings and numbers, and the name of the best baseline."""
    page = re.sub(r"<svg.*?</svg>|<img[^>]*>", "", page, flags=re.DOTALL)
    page = re.sub(r"trivial baseline(?: “[^”]*”)?", "baseline", page)
    return re.sub(r"[-−+]?\d[\d.,]*(?:e[-+]?\d+)?", "0", page)


def seen(folder: Path, status: int, stdout: str, stderr: str) -> dict[str, object]:
    """Return everything that a run shows; of the aggregate scores, only their keys."""
    stdout = re.sub("The leaderboard shows .*", lambda words: without_scores(words[0]), stdout)
    shown: dict[str, object] = {"status": status, "stdout": stdout, "stderr": stderr}
    for path in sorted(folder.rglob("*")):
        if path.name == "scores.json":
            shown[path.name] = list(json.loads(path.read_text()))
        elif path.name == "scores.txt":
            shown[path.name] = [line.split(":")[0] for line in path.read_text().splitlines()]
        elif path.name == "detailed_results.html":
            shown[path.name] = without_scores(path.read_text(encoding="utf-8"))
        elif path.is_file():
            shown[path.name] = path.read_bytes()
    return shown
