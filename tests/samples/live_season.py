"""A season whose first two labels turn out to be wrong, and its amendment."""

from __future__ import annotations

import json
from pathlib import Path

from tests.samples.codabench_server import CodabenchServer
from tests.samples.live_bundle import COMPETITION, EVALUATION, live_bundle, upload

CORRECTED = [("anna", 40), ("carol", 39), ("bob", 36)]
"""The leaderboard of `season` after the amendment."""
AS_PREDICTED = "Evaluation: the leaderboard is as predicted"


def season(server: CodabenchServer, tmp_path: Path, *, page: bytes = b"", **settings: object) -> Path:
    """Enter four teams into a competition whose first two labels turn out to be wrong; return the corrected bundle.

    Of 40 items, anna has 39 and then 38 right, bob 38, carol 37; dora's file is refused. With corrected labels, anna's
    first submission has 37 right, her second 40, bob's 36 and carol's 39.
    """
    server.offer(live_bundle(tmp_path / "old.zip", **settings).read_bytes())
    for team, mistakes in (("anna", [5]), ("bob", [6, 7]), ("anna", [0, 1]), ("carol", [0, 1, 8])):
        server.enter(EVALUATION, team, upload(*mistakes))
    server.enter(EVALUATION, "dora", upload(items=[("item000", "correct")]))
    return live_bundle(tmp_path / "new.zip", **settings, wrong=2, page=page)


def state_of(server: CodabenchServer) -> str:
    """Return what an organiser can replace: tasks, pages, terms and kits."""
    found = server.competitions[COMPETITION]
    keys = {task: one["parts"] for task, one in server.tasks.items()}
    return json.dumps([keys, *(found[key] for key in ("pages", "terms", "phases"))], sort_keys=True)
