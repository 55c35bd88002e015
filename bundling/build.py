"""Builds bundles: manifest and references in, zips out, nothing written before everything is valid."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from spokeneval.submissions.problems import count_of

from . import codabench, codalab
from .archive import make_zip
from .check import Finding, check_bundle
from .manifest import Bundle, literals, read_manifest
from .pages import page_text
from .parts import DECIDING_SET, Parts, make_parts
from .references import ReferenceError, ReferenceSet, load_reference

PLATFORMS = {"codabench": codabench.render, "codalab": codalab.render}

References = Mapping[tuple[str, str], Path]
"""`(task, set) -> file or folder` of the organiser's own references."""


@dataclass(frozen=True)
class Built:
    """A bundle's zip, as written and checked."""

    bundle: Bundle
    platform: str
    path: Path
    size: int
    sha256: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Plan:
    """Everything valid, nothing written: the bundles to build, and the parts of each task."""

    bundles: Sequence[Bundle]
    parts: Mapping[str, Parts]
    warnings: Sequence[str]


def plan(
    root: Path,
    names: Sequence[str],
    own: References,
    *,
    drop_invalid_rows: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Plan:
    """Read and validate all that the named bundles need (all bundles where none is named).

    Raises
    ------
    ManifestError, ReferenceError: with every defect.
    """
    bundles = read_manifest(root / "competition.yaml", names)
    for bundle in bundles:
        for file in codabench.page_files(bundle):
            page_text(root, bundle, file)
    tasks = {bundle.task: bundle for bundle in bundles}
    for task, name in own:
        if task not in tasks or name not in tasks[task].sets:
            known = ", ".join(f"{other}/{name}" for other, bundle in tasks.items() for name in bundle.sets)
            raise ReferenceError(
                f"--reference {task}/{name}: no such set in what is built; there are {known}"
            )
    loaded = {}
    for task, bundle in tasks.items():
        progress(f"{task}: references")
        loaded[task] = _load_references(root, bundle, own, drop_invalid_rows)
    _check_overlaps(tasks, loaded)
    warnings: list[str] = []
    parts = {}
    for task, bundle in tasks.items():
        references = loaded[task]
        warnings += [
            f"{task}: left out {row}" for reference in references.values() for row in reference.dropped
        ]
        warnings += _option_warnings(root, bundle)
        if DECIDING_SET in bundle["public_sets"]:
            warnings.append(f"{task}: the {DECIDING_SET} set is public: its labels are in the starting kit")
        progress(f"{task}: programs, starting kit, baseline")
        parts[task] = make_parts(root, bundle, references)
        warnings += [f"{task}: {failure}" for failure in parts[task].failures]
    return Plan(bundles, parts, warnings)


def _load_references(
    root: Path, bundle: Bundle, own: References, drop_invalid_rows: bool
) -> dict[str, ReferenceSet]:
    references = {}
    for name in bundle.sets:
        sample = root / "reference_data" / bundle.task / name
        if (bundle.task, name) not in own and not sample.is_dir():
            there = ", ".join(sorted(path.name for path in sample.parent.glob("*/")))
            raise ReferenceError(
                f"{bundle.name}: no reference set {name}, which competition.yaml names in phases or public_sets; there "
                f"are {there or 'none'} in {sample.parent}"
            )
        path = own.get((bundle.task, name), sample)
        references[name] = load_reference(
            bundle.task, name, path, bundle.options, drop_invalid_rows=drop_invalid_rows
        )
    hidden = {references[name].fingerprint for name in references if name not in bundle["public_sets"]}
    for name in bundle["public_sets"]:
        if name in references and references[name].fingerprint in hidden:
            raise ReferenceError(
                f"{bundle.task}: the public set {name} is a hidden set too; its labels would be told"
            )
    return references


def _check_overlaps(tasks: Mapping[str, Bundle], loaded: Mapping[str, Mapping[str, ReferenceSet]]) -> None:
    """Rows of a hidden set must not stand in a public set, of its own task or of another one of its challenge."""
    public: list[tuple[str, ReferenceSet, set[str]]] = []
    hidden: list[tuple[str, ReferenceSet, set[str]]] = []
    for task, references in loaded.items():
        for name, reference in references.items():
            kind = public if name in tasks[task]["public_sets"] else hidden
            kind.append((tasks[task].challenge, reference, reference.rows))
    for (challenge, shown, shown_rows), (other, secret, secret_rows) in product(public, hidden):
        rows = shown_rows & secret_rows if challenge == other else set()
        # Sets that are both numbered from 1 share ids, and by chance a row.
        if rows and 2 * len(rows) >= len(set(shown.items) & set(secret.items)):
            raise ReferenceError(
                f"{shown.task}: {count_of(len(rows), 'row')} of the hidden set {secret.name} of {secret.task} "
                f"also in the public set {shown.name}, which would tell the labels; the first: {min(rows)[:80]}"
            )


def _option_warnings(root: Path, bundle: Bundle) -> Iterator[str]:
    program = (root / "scoring_program" / bundle.task / "score.py").read_text(encoding="utf-8")
    for option, value in literals(program).get("PUBLIC_ONLY", {}).items():
        hidden = [phase.name for phase in bundle.phases if phase.reference not in bundle["public_sets"]]
        if bundle.options.get(option) == value and hidden:
            yield (
                f"{bundle.name}: {option}: {value} on hidden labels (phase {', '.join(hidden)}). Failed runs cost no "
                "attempt, so they would spell the labels out; use it where the labels are public"
            )


def write(
    root: Path,
    plan: Plan,
    platforms: Sequence[str],
    out: Path,
    *,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Built]:
    """Check each planned bundle as it is, and write to `out/PLATFORM/NAME.zip` those that a platform takes."""
    for bundle in plan.bundles:
        for platform in platforms:
            progress(f"{bundle.name}: {platform}")
            content = make_zip(
                PLATFORMS[platform](root, bundle, plan.parts[bundle.task]), first="competition.yaml"
            )
            path = out / platform / f"{bundle.name}.zip"
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".unfinished")
            try:
                unfinished.write_bytes(content)
                findings = tuple(check_bundle(unfinished))
                if not any(finding.level == "error" for finding in findings):
                    unfinished.replace(path)
            finally:
                unfinished.unlink(missing_ok=True)
            digest = hashlib.sha256(content).hexdigest()
            yield Built(bundle, platform, path, len(content), digest, findings)
