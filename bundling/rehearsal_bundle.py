"""What a built bundle says about one of its phases, for a rehearsal: programs, data, limits, columns."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

CODABENCH = "codabench"
CODALAB = "codalab"

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEFAULT_SECONDS = {CODABENCH: 600, CODALAB: 300}
_DEFAULT_IMAGE = "codalab/codalab-legacy:py37"


class BundleError(ValueError):
    """A bundle that cannot be rehearsed; the text says what is wrong with it."""


@dataclass(frozen=True)
class Column:
    key: str
    title: str
    sorting: str
    precision: int
    hidden: bool
    computed: bool


@dataclass(frozen=True)
class Plan:
    """What a bundle says about one phase; the programs and data are names of inner zips."""

    bundle: Path
    platform: str
    phase: str
    image: str
    seconds: float
    scoring_program: str
    ingestion_program: str | None
    reference_data: str | None
    input_data: str | None
    columns: tuple[Column, ...]
    primary: Column | None
    detailed_results: bool
    warnings: tuple[str, ...]

    def extract(self, name: str, folder: Path) -> Path:
        """Unpack an inner zip of the bundle into a new folder."""
        folder.mkdir(parents=True)
        try:
            with zipfile.ZipFile(self.bundle) as bundle:
                inner = io.BytesIO(bundle.read(name))
            with zipfile.ZipFile(inner) as archive:
                for entry in archive.namelist():
                    path = PurePosixPath(entry)
                    if path.is_absolute() or ".." in path.parts or "\\" in entry:
                        raise BundleError(f"{name} in the bundle: the entry {entry!r} would land outside")
                archive.extractall(folder)
        except KeyError:
            raise BundleError(f"{name} is named in competition.yaml but is not in the bundle") from None
        except zipfile.BadZipFile:
            raise BundleError(f"{name} in the bundle is no zip; only zips are rehearsed") from None
        return folder


def read_bundle(bundle: Path, phase: str | None) -> Plan:
    try:
        with zipfile.ZipFile(bundle) as archive:
            competition = yaml.load(archive.read("competition.yaml").decode("utf-8-sig"), _Loader)
    except OSError as error:
        raise BundleError(f"{bundle}: {error.strerror}; expected a bundle's zip") from None
    except zipfile.BadZipFile:
        raise BundleError(f"{bundle}: is no zip; expected a bundle's zip") from None
    except KeyError:
        raise BundleError(f"{bundle}: there is no competition.yaml at its root") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BundleError(f"{bundle}: competition.yaml: {error}") from None
    try:
        if str(competition.get("version")) == "2":
            return _codabench_plan(bundle, competition, phase)
        return _codalab_plan(bundle, competition, phase)
    except BundleError:
        raise
    except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
        raise BundleError(f"{bundle}: competition.yaml is incomplete or malformed: {error!r}") from error


def _codabench_plan(bundle: Path, competition: Mapping[str, Any], wanted: str | None) -> Plan:
    phases = sorted(competition["phases"], key=lambda item: int(item.get("index", 0)))
    tasks = {task["index"]: task for task in competition["tasks"]}
    for item in phases:
        if not item["tasks"]:
            raise BundleError(f"phase {item['name']!r} has no task")
    references = [tasks[item["tasks"][0]].get("reference_data") for item in phases]
    names = [(str(item["name"]), str(item.get("index", 0))) for item in phases]
    chosen = phases[_choose(names, references, wanted)]
    task = tasks[chosen["tasks"][0]]
    if task.get("ingestion_only_during_scoring"):
        raise BundleError("ingestion_only_during_scoring hangs on the platform and is not rehearsed")
    warnings = []
    if len(chosen["tasks"]) > 1:
        warnings.append(f"phase {chosen['name']!r} has several tasks; only the first is rehearsed")
    board = competition["leaderboards"][0]
    ordered = sorted(board["columns"], key=lambda item: int(item["index"]))
    columns = [
        Column(
            key=str(item["key"]),
            title=str(item["title"]),
            sorting=item.get("sorting", "desc"),
            precision=int(item.get("precision", 2)),
            hidden=bool(item.get("hidden", False)),
            computed=item.get("computation") is not None,
        )
        for item in ordered
    ]
    primary = [
        column
        for column, item in zip(columns, ordered, strict=True)
        if item["index"] == board.get("primary_index", 0)
    ]
    if not primary:
        warnings.append("primary_index names no column: the platform loses every score")
    return Plan(
        bundle=bundle,
        platform=CODABENCH,
        phase=str(chosen["name"]),
        image=str(competition.get("docker_image") or _DEFAULT_IMAGE),
        seconds=float(chosen.get("execution_time_limit") or _DEFAULT_SECONDS[CODABENCH]),
        scoring_program=task["scoring_program"],
        ingestion_program=task.get("ingestion_program"),
        reference_data=task.get("reference_data"),
        input_data=task.get("input_data"),
        columns=tuple(columns),
        primary=primary[0] if primary else None,
        detailed_results=bool(competition.get("enable_detailed_results", False)),
        warnings=tuple(warnings),
    )


def _codalab_plan(bundle: Path, competition: Mapping[str, Any], wanted: str | None) -> Plan:
    phases = sorted(competition["phases"].values(), key=lambda item: int(item["phasenumber"]))
    names = [(str(item["label"]), str(item["phasenumber"])) for item in phases]
    chosen = phases[_choose(names, [item.get("reference_data") for item in phases], wanted)]
    if not chosen.get("is_scoring_only", True):
        raise BundleError(f"phase {chosen['label']!r} is not is_scoring_only: CodaLab would run submissions")
    ordered = sorted(
        competition["leaderboard"]["columns"].items(), key=lambda item: int(item[1].get("rank", 1))
    )
    columns = [
        Column(
            key=str(key),
            title=str(item.get("label", key)),
            sorting=item.get("sort") or "desc",
            precision=int(item.get("numeric_format", 2)),
            hidden=bool(item.get("hidden", False)),
            computed="computed" in item,
        )
        for key, item in ordered
    ]
    return Plan(
        bundle=bundle,
        platform=CODALAB,
        phase=str(chosen["label"]),
        image=str(competition.get("competition_docker_image") or _DEFAULT_IMAGE),
        seconds=float(chosen.get("execution_time_limit") or _DEFAULT_SECONDS[CODALAB]),
        scoring_program=chosen["scoring_program"],
        ingestion_program=None,
        reference_data=chosen.get("reference_data"),
        input_data=None,
        columns=tuple(columns),
        primary=columns[0],
        detailed_results=bool(competition.get("enable_detailed_results", False)),
        warnings=(),
    )


def _choose(names: Sequence[tuple[str, str]], references: Sequence[object], wanted: str | None) -> int:
    """Position of the phase with this name or index; default: see `rehearse`."""
    if wanted is None:
        return references.index("reference_data.zip") if "reference_data.zip" in references else 0
    for by in (0, 1):
        for position, name in enumerate(names):
            if name[by] == wanted:
                return position
    known = ", ".join(f"{name!r} ({index})" for name, index in names)
    raise BundleError(f"there is no phase {wanted!r} in the bundle; there are {known}")
