"""Publish a bundle: upload it, import it, read it back, submit the baseline, and only then open the competition."""

import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.check import check_bundle, unprotected_labels
from speechbundles.live import api
from speechbundles.live.connection import Connection, Progress
from speechbundles.live.served import differences, different_settings
from speechbundles.live.wait import wait_for_import, wait_for_runs
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.codabench import phases_in_order
from speechbundles.model.document import FILE
from speechbundles.model.errors import OrganiserError, Refused
from speechbundles.model.finding import format_findings
from speechbundles.model.read import read_built_bundle
from speechbundles.model.temporary import temporary_folder
from speechbundles.rehearse import FINISHED, Rehearsal, rehearse_phase
from spokeneval.formats.problems import count_of


def publish(
    connection: Connection,
    path: Path,
    *,
    competition: int | None = None,
    opening: bool = False,
    again: str,
    progress: Progress | None = None,
) -> Iterator[str]:
    """Publish a bundle step by step; yield a line for each step.

    Parameters
    ----------
    path: a built zip for Codabench.
    competition: a competition that was already imported from this bundle; the upload and the import are skipped.
    opening: list the competition publicly after all other steps have succeeded.
    again: the command that publishes this bundle, to which the last line adds the options that open the competition.
    progress: called with the uploaded bytes, and their total.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, the server refuses a step, the competition there differs from the
        bundle, or its scores differ from those of the rehearsal.
    """
    bundle, content = read_bundle(path)
    is_new = competition is None
    rehearsed = list(_rehearse_baselines(bundle, content))
    if competition is None:
        key = api.upload_file(connection, "competition_bundle", path.name, path, progress)
        yield f"uploaded {path}"
        competition = wait_for_import(connection, api.import_bundle(connection, key))
        yield f"imported as competition {competition}: {connection.server}/competitions/{competition}/"
    live = api.read_competition(connection, competition)
    check_served(content, bundle.files, live, competition)
    yield (
        f"read back: dates, limits and pages of {count_of(len(bundle.phases), 'phase')}, the submission rule, and "
        f"{count_of(len(bundle.columns), 'column')} with sorting and precision are as in the bundle"
    )
    phases = api.phases_of(live)
    yield _compare_files(connection, bundle, phases)
    if is_new:
        parts = {pair for phase in phases for pair in api.read_parts(connection, phase.tasks[0]).items()}
        readable = dict.fromkeys(sorted(part for part, _ in parts), "no")
        for part, key in parts:
            with suppress(Refused):
                api.dataset_link(connection, key, signed_in=False)
                readable[part] = "yes"
        kinds = [f"{part.replace('_', ' ')}: {answer}" for part, answer in readable.items()]
        yield f"readable by others before opening: {', '.join(kinds)}"
    yield from (f"note: {line}" for line in unprotected_labels(bundle))
    at_home = dict.fromkeys(phase.reference_data for phase in bundle.phases if bundle.is_at_home(phase))
    yield from (
        f"note: {name}: these reference data contain no hidden label (labels: home)" for name in at_home
    )
    for (built, name, rehearsal), phase in zip(rehearsed, phases, strict=True):
        if name is None or rehearsal is None:
            yield f"{built.name}: no test submission, because the bundle has no baseline for it"
            continue
        run = api.submit(connection, phase, Path(name).name, bundle.files[name])
        if not bundle.auto_run:
            api.start(connection, run)
        yield f"{built.name}: submitted {name} as run {run}"
        _compare_scores(connection, bundle, phase, run, rehearsal)
        shown = "  ".join(f"{cell.title} {cell.fixed()}" for cell in rehearsal.row if not cell.hidden)
        yield f"{built.name}: same scores as in the rehearsal, to the last digit: {shown}"
    if not opening:
        yield f"not public yet; to open it: {again} --competition {competition} --open"
        return
    untried = [built.name for built, name, _ in rehearsed if name is None]
    if untried:
        raise OrganiserError(
            f"not opened: no test submission to {', '.join(untried)}; make one, then publish it in the browser"
        )
    api.publish(connection, competition)
    yield "published"


def read_bundle(path: Path) -> tuple[BuiltBundle, Mapping[str, Any]]:
    """Read a Codabench bundle without errors, and its competition.yaml.

    Raises
    ------
    OrganiserError: the bundle cannot be read, has errors, is for another platform, or has a phase with several tasks
        (bundles that are built here never have).
    """
    bundle = read_built_bundle(path)
    if bundle.platform != "codabench":
        raise OrganiserError(
            f"{path}: this bundle is for {bundle.platform}; only Codabench has an API to publish it"
        )
    errors = [finding for finding in check_bundle(path) if finding.level == "error"]
    if errors:
        raise OrganiserError(f"{path}: {format_findings(errors)}")
    content = parse_yaml(bundle.files[FILE])
    several = [str(phase["name"]) for phase in content["phases"] if len(phase["tasks"]) > 1]
    if several:
        raise OrganiserError(
            f"{path}: phases with several tasks: {', '.join(several)}; only phases with one task are supported"
        )
    return bundle, content


def check_served(
    content: Mapping[str, Any],
    files: Mapping[str, bytes],
    live: Mapping[str, Any],
    competition: int,
    *,
    texts: bool = True,
) -> None:
    """Compare a competition on the server with its bundle. `texts`: whether pages and terms must be the same too.

    Raises
    ------
    OrganiserError: the message lists all differences.
    """
    found = served_differences(content, files, live, competition, texts=texts)
    if found:
        lines = "\n".join(f"  {line}" for line in found)
        raise OrganiserError(f"competition {competition} differs from the bundle:\n\n{lines}")


def served_differences(
    content: Mapping[str, Any],
    files: Mapping[str, bytes],
    live: Mapping[str, Any],
    competition: int,
    *,
    texts: bool = True,
) -> list[str]:
    """Return the differences that `check_served` reports.

    Raises
    ------
    OrganiserError: the server's answer lacks a value, or has it in another form.
    """
    try:
        return differences(content, files, live) if texts else different_settings(content, live)
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise OrganiserError(
            f"competition {competition} cannot be compared with the bundle: {error!r:.200}"
        ) from None


def read_served_files(connection: Connection, task: int) -> dict[str, bytes]:
    """Download a task's programs and data from the server, `part -> zip`.

    Raises
    ------
    Refused: the server does not provide them.
    """
    return {part: read_dataset(connection, key) for part, key in api.read_parts(connection, task).items()}


def read_dataset(connection: Connection, key: str) -> bytes:
    """Download a dataset's file.

    Raises
    ------
    Refused: the server does not provide it.
    """
    with temporary_folder("served") as folder:
        target = folder / "file"
        digest = connection.download(partial(api.dataset_link, connection, key), target)
        return target.read_bytes() if digest else b""


def wanted_kits(
    bundle: BuiltBundle, content: Mapping[str, Any], phases: list[api.LivePhase]
) -> dict[int, dict[str, bytes]]:
    """Return the starting kit and the public data of each phase in the bundle, `phase -> kind -> zip`."""
    return {
        phase.id: {kind: bundle.files[item[kind]] for kind in api.KITS if item.get(kind) in bundle.files}
        for phase, item in zip(phases, phases_in_order(content), strict=True)
    }


def wanted_files(bundle: BuiltBundle, phase: BuiltPhase) -> dict[str, bytes]:
    """Return the programs and data of a phase in the bundle, `part -> zip`."""
    names = {part: getattr(phase, part) for part in api.PARTS}
    return {part: bundle.files[name] for part, name in names.items() if name is not None}


def different_parts(wanted: Mapping[str, bytes], served: Mapping[str, bytes]) -> tuple[str, ...]:
    return tuple(part for part in api.PARTS if wanted.get(part) != served.get(part))


def number(score: Decimal | None) -> str:
    """Format a score with all its digits, without trailing zeros."""
    return "-" if score is None else f"{score.normalize():f}"


def different_scores(
    wanted: Mapping[str, Decimal], served: Mapping[str, Decimal], hidden: Collection[str]
) -> list[str]:
    """Return a line for each score that differs between here and the server. `hidden`: hidden columns."""
    compared = api.returned(wanted, hidden, served)
    return [
        f"{key}: {number(wanted.get(key))} here, {number(served.get(key))} on the server"
        for key in dict.fromkeys([*wanted, *served])
        if (key in compared or key in served) and wanted.get(key) != served.get(key)
    ]


def _compare_files(connection: Connection, bundle: BuiltBundle, phases: list[api.LivePhase]) -> str:
    for built, phase in zip(bundle.phases, phases, strict=True):
        try:
            served = read_served_files(connection, phase.tasks[0])
        except Refused:
            return "the server does not return programs and data, so their bytes were not compared"
        if other := different_parts(wanted_files(bundle, built), served):
            raise OrganiserError(
                f"{built.name}: these files on the server differ from the bundle: {', '.join(other)}"
            )
    return "read back: programs and data are as in the bundle, byte for byte"


def _rehearse_baselines(
    bundle: BuiltBundle, content: Mapping[str, Any]
) -> Iterator[tuple[BuiltPhase, str | None, Rehearsal | None]]:
    """Yield each phase with the baseline for its task and its rehearsal; None, None if there is no baseline.

    Raises
    ------
    OrganiserError: a baseline fails in the rehearsal.
    """
    for phase, item in zip(bundle.phases, phases_in_order(content), strict=True):
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
                f"{phase.name}: the baseline {name} fails in the rehearsal, so nothing was sent\n\n{rehearsal}"
            )
        yield phase, name, rehearsal


def _compare_scores(
    connection: Connection, bundle: BuiltBundle, phase: api.LivePhase, run: int, rehearsal: Rehearsal
) -> None:
    computed = {column.key for column in bundle.columns if column.computed}
    wanted = {cell.key: cell.stored for cell in rehearsal.row if cell.stored is not None}
    found = wait_for_runs(connection, phase, [run], wanted, bundle.hidden_columns).get(run)
    if found is None or found.status != FINISHED:
        raise OrganiserError(
            f"{phase.name}: run {run} is {found.status if found else 'deleted'} on the server, but Finished in the "
            "rehearsal; its logs are under Submissions in the browser"
        )
    served = {key: score for key, score in found.scores.items() if key not in computed}
    if lines := different_scores(wanted, served, bundle.hidden_columns):
        raise OrganiserError(
            "\n".join([f"{phase.name}: the scores of run {run} differ from the rehearsal:", "", *lines])
        )
