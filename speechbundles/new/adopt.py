"""Makes a competition folder of a bundle that others built: its files as they are, or a declared task instead."""

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from speechbundles.bundle.check import DATA, STEPS, read_table
from speechbundles.model.archive import Room, open_archive
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.bundle import BuiltBundle, BuiltTask
from speechbundles.model.dates import FORMAT
from speechbundles.model.document import FILE
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.finding import Report
from speechbundles.model.platform import live_platform
from speechbundles.model.text import dump_yaml
from speechbundles.model.zips import DECIDING_SET, TRIAL_SET, write_tree
from speechbundles.new.competition_folder import require_outside, write_own_tasks
from speechbundles.new.template import fill_template, require_name
from spokeneval import score
from spokeneval.kinds.declared import KINDS, declared_task
from spokeneval.kinds.kind import REQUIRED

_PARTS = (*STEPS, *DATA, "public_data", "starting_kit", "path")
"""Keys whose values are programs and data."""
_SAME = {
    "acc": "accuracy",
    "bacc": "balanced_accuracy",
    "mcc": "matthews",
    "pearson": "pearson_r",
    "qwk": "quadratic_kappa",
    "spearman": "spearman_r",
}
"""Other names of scores of the kinds."""
_OF_LABELS: dict[str, Callable[[Sequence[str]], list[Any]]] = {
    "classes": lambda labels: sorted(set(labels)),
    "scale": lambda labels: [min(map(float, labels)), max(map(float, labels))],
}
"""Parameters that labels give."""
_TIME = re.compile("time|duration", re.IGNORECASE)


def adopt(folder: Path, name: str, bundle: BuiltBundle) -> None:
    """Write a bundle's files to `folder/NAME/`, inner zips as folders, and settings with which `build` zips them again.

    Dates are written as the live platform reads them, and a bundle of another format in its format.

    Raises
    ------
    OrganiserError: a name that a task cannot have, or a folder that cannot be used.
    """
    require_outside(folder)
    require_name(name)
    if FILE not in bundle.files:
        raise OrganiserError(
            f"only bundles with a {FILE} can be adopted; this one has a format of {bundle.platform}"
        )
    content: dict[str, Any] = parse_yaml(bundle.files[FILE])
    live = live_platform()
    if bundle.platform != live.name:
        bundle, content = live.part("convert").convert(bundle, content)
    for item, phase in zip(live.part("read").phases_in_order(content), bundle.phases, strict=True):
        item["start"] = phase.opens.strftime(FORMAT)
        if phase.closes:
            item["end"] = (phase.closes - timedelta(seconds=1)).strftime(FORMAT)
    files: dict[str, bytes] = {}
    folders: dict[str, str] = {}
    for item in (*content["tasks"], *content["phases"], *(content.get("solutions") or ())):
        for key in _PARTS:
            if (part := item.get(key)) in bundle.files:
                item[key] = folders.setdefault(part, _unpack(bundle, part, files))
    named = {posixpath.normpath(part) for part, place in folders.items() if place.endswith("/")}
    others = {place: data for place, data in bundle.files.items() if posixpath.normpath(place) not in named}
    kept = {**others, **files, FILE: dump_yaml(content)}
    write_tree(folder / name, kept)
    templates = {"competition.yaml": "kept.yaml", ".gitignore": "gitignore.txt"}
    write_tree(folder, {file: fill_template(each, name=name).encode() for file, each in templates.items()})


def _unpack(bundle: BuiltBundle, part: str, files: dict[str, bytes]) -> str:
    """Add the files of an inner zip; return the folder that they are in, or the part's own name if it is no zip."""
    archive = open_archive(Report(), part, bundle.files[part], Room())
    if archive is None:
        return part
    place = posixpath.splitext(posixpath.normpath(part))[0] + "/"
    files.update(
        {f"{place}{file}": data for file, data in archive.files.items()} or {f"{place}empty.txt": b""}
    )
    return place


def kinds_of(bundle: BuiltBundle) -> dict[str, dict[str, str]]:
    """Return the kinds that have a score for every column, except times: `kind -> column -> score`."""
    keys = [column.key for column in bundle.columns if not (column.computed or _TIME.search(column.key))]
    plain = {key: re.sub(r"\W+", "_", key.lower()) for key in keys}
    found = {key: _SAME.get(name, name) for key, name in plain.items()}
    kinds = {}
    for name, kind in KINDS.items():
        example = {parameter.name: parameter.example for parameter in kind.parameters()}
        scores = {each.key for each in declared_task("example", {"kind": name, **example}).scores}
        if keys and scores.issuperset(found.values()):
            kinds[name] = found
    return kinds


def scores_of_kind(bundle: BuiltBundle, task: BuiltTask, solution: str, kind: str) -> Mapping[str, float]:
    """Return the scores of a kind on a sample solution, if its answers and the labels are a table or list each.

    Raises
    ------
    OrganiserError: they cannot be read, or their items differ.
    """
    gold, answers = _labels(bundle, str(task.reference_data)), _labels(bundle, solution)
    if gold.keys() != answers.keys():
        raise OrganiserError(f"{task.reference_data} and {solution} do not have the same items, one row each")
    labels = list(gold.values())
    parameters: dict[str, Any] = {"kind": kind}
    try:
        for each in KINDS[kind].parameters():
            if each.default is REQUIRED and each.name in _OF_LABELS:
                parameters[each.name] = _OF_LABELS[each.name](labels)
        return score(parameters, labels, [answers[item] for item in gold]).scores
    except ValueError as error:
        raise OrganiserError(f"the kind {kind} cannot score {solution}: {error}") from None


def _labels(bundle: BuiltBundle, part: str) -> dict[str, str]:
    """Return the labels of items in a zip: those of the only table, or the lines of the only list, by their numbers."""
    found = []
    for name, data in bundle.files_of(part).items():
        lines = data.decode("utf-8", "replace").split()
        try:
            table = read_table(name, data)
        except UnreadableFile:
            continue
        if table and len(table.cells) > 1:
            first, *_, last = table.cells.values()
            found.append(dict(zip(first, last, strict=True)))
        elif lines:
            found.append({str(number): line for number, line in enumerate(lines)})
    if len(found) != 1:
        raise OrganiserError(f"{part} has {len(found)} tables; expected one")
    return found[0]


def replace_by_kind(folder: Path, name: str, bundle: BuiltBundle, kind: str) -> dict[str, str]:
    """Write a competition folder for a task of a kind, with the phases, the title and the labels of a bundle.

    Its first phase becomes that of the development set, its last one that of the evaluation set. Returns what
    `write_own_tasks` does.
    """
    places = write_own_tasks(folder, name, [kind])
    path = folder / "competition.yaml"
    text = path.read_text(encoding="utf-8").replace(
        '"FILL IN: the title"', dump_yaml(bundle.title).decode().strip()
    )
    ends = [bundle.phases[0], bundle.phases[-1]]
    for phase in ends if len(bundle.phases) > 1 else ():
        for date in (phase.opens, phase.closes and phase.closes - timedelta(seconds=1)):
            shown = f'"{date:{FORMAT}}"' if date else '"FILL IN: the end"'
            text = text.replace('"FILL IN: YYYY-MM-DD HH:MM:SS"', shown, 1)
    path.write_text(text, encoding="utf-8")
    for phase, place in zip(ends, (TRIAL_SET, DECIDING_SET), strict=True):
        write_tree(folder / "reference_data" / name / place, bundle.files_of(phase.reference_data))
    pages = {key: data for key, data in bundle.files.items() if key.endswith((".md", ".html"))}
    write_tree(folder / "adopted_pages", {posixpath.basename(page): data for page, data in pages.items()})
    return places
