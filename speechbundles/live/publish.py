"""Publish a bundle: upload, import, read back, try with the baseline, and only then open."""

import tempfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.check import check_bundle
from speechbundles.live import api
from speechbundles.live.connection import Connection, Progress
from speechbundles.live.served import differences
from speechbundles.live.wait import wait_for_import, wait_for_runs
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.document import FILE
from speechbundles.model.errors import OrganiserError, Refused
from speechbundles.model.finding import format_findings
from speechbundles.model.read import read_built_bundle
from speechbundles.rehearse import FINISHED, Rehearsal, rehearse_phase
from spokeneval.formats.problems import count_of


def publish(
    connection: Connection,
    path: Path,
    *,
    competition: int | None = None,
    opening: bool = False,
    progress: Progress | None = None,
) -> Iterator[str]:
    """Publish a bundle, step by step; yields what was done.

    Parameters
    ----------
    path: a built zip for Codabench.
    competition: one that was made of this bundle before: nothing is uploaded, the steps after the import follow.
    opening: list the competition for everybody once all steps before went well.
    progress: called with the bytes of the upload.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, or the server refuses a step, has something else than the bundle
        says, or scores otherwise than at home.
    """
    bundle, content = read_bundle(path)
    rehearsed = list(_rehearse_baselines(bundle, content))
    if competition is None:
        key = api.upload_file(connection, "competition_bundle", path.name, path, progress)
        yield f"uploaded {path}"
        competition = wait_for_import(connection, api.import_bundle(connection, key))
        yield f"imported as competition {competition}: {connection.server}/competitions/{competition}/"
    live = api.read_competition(connection, competition)
    check_served(content, bundle.files, live, competition)
    yield (
        f"read back: dates, limits and pages of {count_of(len(bundle.phases), 'phase')}, the rule, "
        f"{count_of(len(bundle.columns), 'column')} with sorting and precision, as in the bundle"
    )
    phases = api.phases_of(live)
    yield _compare_files(connection, bundle, phases)
    for (built, name, rehearsal), phase in zip(rehearsed, phases, strict=True):
        if name is None or rehearsal is None:
            yield f"{built.name}: no baseline in the bundle, so it was not tried"
            continue
        run = api.submit(connection, phase, Path(name).name, bundle.files[name])
        if not bundle.auto_run:
            api.start(connection, run)
        yield f"{built.name}: submitted {name} as run {run}"
        _compare_scores(connection, bundle, phase, run, rehearsal)
        shown = "  ".join(f"{cell.title} {cell.fixed()}" for cell in rehearsal.row if not cell.hidden)
        yield f"{built.name}: scored as rehearsed, to the last digit: {shown}"
    if not opening:
        yield f"not listed for others yet: publish {path} --competition {competition} --open"
        return
    untried = [built.name for built, name, _ in rehearsed if name is None]
    if untried:
        raise OrganiserError(
            f"not opened, as {', '.join(untried)} was not tried; try it and publish it in the browser"
        )
    api.publish(connection, competition)
    yield "published"


def read_bundle(path: Path) -> tuple[BuiltBundle, Mapping[str, Any]]:
    """A Codabench bundle that `check` does not refuse, and its competition.yaml.

    Raises
    ------
    OrganiserError: it cannot be used, is refused, or another platform's, or a phase has several tasks, as no bundle
        that is built here has.
    """
    bundle = read_built_bundle(path)
    if bundle.platform != "codabench":
        raise OrganiserError(
            f"{path}: a bundle for {bundle.platform}; only Codabench's are published by its API"
        )
    errors = [finding for finding in check_bundle(path) if finding.level == "error"]
    if errors:
        raise OrganiserError(f"{path}: {format_findings(errors)}")
    content = parse_yaml(bundle.files[FILE])
    several = [str(phase["name"]) for phase in content["phases"] if len(phase["tasks"]) > 1]
    if several:
        raise OrganiserError(
            f"{path}: several tasks in {', '.join(several)}; only phases with one task are handled here"
        )
    return bundle, content


def check_served(
    content: Mapping[str, Any], files: Mapping[str, bytes], live: Mapping[str, Any], competition: int
) -> None:
    """Hold a competition on the server against its bundle.

    Raises
    ------
    OrganiserError: with every difference.
    """
    try:
        found = differences(content, files, live)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise OrganiserError(
            f"competition {competition} cannot be compared with the bundle: {error!r:.200}"
        ) from None
    if found:
        lines = "\n".join(f"  {line}" for line in found)
        raise OrganiserError(f"competition {competition} is not what the bundle says:\n\n{lines}")


def read_served_files(connection: Connection, task: int) -> dict[str, bytes]:
    """A task's programs and data as the server has them, `part -> zip`.

    Raises
    ------
    Refused: the server does not give them.
    """
    served = {}
    with tempfile.TemporaryDirectory(prefix="served-") as folder:
        for part, key in api.read_parts(connection, task).items():
            target = Path(folder) / part
            digest = connection.download(partial(api.dataset_link, connection, key), target)
            served[part] = target.read_bytes() if digest else b""
    return served


def wanted_files(bundle: BuiltBundle, phase: BuiltPhase) -> dict[str, bytes]:
    """The programs and data of a phase in the bundle, `part -> zip`."""
    names = {part: getattr(phase, part) for part in api.PARTS}
    return {part: bundle.files[name] for part, name in names.items() if name is not None}


def different_parts(wanted: Mapping[str, bytes], served: Mapping[str, bytes]) -> tuple[str, ...]:
    return tuple(part for part in api.PARTS if wanted.get(part) != served.get(part))


def number(score: Decimal | None) -> str:
    """All digits, without zeros at the end."""
    return "-" if score is None else f"{score.normalize():f}"


def different_scores(wanted: Mapping[str, Decimal], served: Mapping[str, Decimal]) -> list[str]:
    """Where the server's scores are not those of home, a line each."""
    return [
        f"{key}: {number(wanted.get(key))} at home, {number(served.get(key))} on the server"
        for key in dict.fromkeys([*wanted, *served])
        if wanted.get(key) != served.get(key)
    ]


def _compare_files(connection: Connection, bundle: BuiltBundle, phases: list[api.LivePhase]) -> str:
    for built, phase in zip(bundle.phases, phases, strict=True):
        try:
            served = read_served_files(connection, phase.tasks[0])
        except Refused:
            return "the server does not give programs and data back, so their bytes were not compared"
        if other := different_parts(wanted_files(bundle, built), served):
            raise OrganiserError(f"{built.name}: the server has another {', '.join(other)} than the bundle")
    return "read back: programs and data, byte for byte"


def _rehearse_baselines(
    bundle: BuiltBundle, content: Mapping[str, Any]
) -> Iterator[tuple[BuiltPhase, str | None, Rehearsal | None]]:
    """Each phase with the baseline for its task and what that comes to here; None where there is none.

    Raises
    ------
    OrganiserError: a baseline fails here.
    """
    items = sorted(content["phases"], key=lambda item: int(item.get("index", 0)))
    for phase, item in zip(bundle.phases, items, strict=True):
        solutions = [
            solution for solution in content.get("solutions") or () if item["tasks"][0] in solution["tasks"]
        ]
        name = str(solutions[0].get("path")) if solutions else None
        if name is None or name not in bundle.files:
            yield phase, None, None
            continue
        with tempfile.TemporaryDirectory(prefix="baseline-") as folder:
            submission = Path(folder) / "baseline.zip"
            submission.write_bytes(bundle.files[name])
            rehearsal = rehearse_phase(bundle, bundle.phase(phase.number), submission)
        if rehearsal.status != FINISHED:
            raise OrganiserError(
                f"{phase.name}: the baseline {name} fails here already, so nothing was sent\n\n{rehearsal}"
            )
        yield phase, name, rehearsal


def _compare_scores(
    connection: Connection, bundle: BuiltBundle, phase: api.LivePhase, run: int, rehearsal: Rehearsal
) -> None:
    computed = {column.key for column in bundle.columns if column.computed}
    wanted = {cell.key: cell.stored for cell in rehearsal.row if cell.stored is not None}
    found = wait_for_runs(connection, phase, [run], wanted).get(run)
    if found is None or found.status != FINISHED:
        raise OrganiserError(
            f"{phase.name}: run {run} is {found.status if found else 'gone'} on the server, and Finished at home; its "
            "logs are under Submissions in the browser"
        )
    served = {key: score for key, score in found.scores.items() if key not in computed}
    if lines := different_scores(wanted, served):
        raise OrganiserError(
            "\n".join([f"{phase.name}: run {run} has other scores than at home:", "", *lines])
        )
