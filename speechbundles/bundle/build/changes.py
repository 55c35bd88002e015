"""What a new build means for the submissions that are there, by comparison with the bundle that they were made for.

No line contains a label, or an id of an item.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import FORMAT
from speechbundles.model.text import grouped
from speechbundles.model.zips import TASK_FILE
from spokeneval.formats.problems import FileProblems, count_of
from spokeneval.kinds.declared import DECLARATION
from spokeneval.scoring.options import OPTIONS_FILE
from spokeneval.task import Task

AGAIN = "`amend` shows the ranks before and after, and scores all submissions again"
ANEW = "`amend` refuses such a bundle: undo the change, or publish it as a new competition"
BY_HAND = (
    "submissions keep their scores. `amend` does not change it: set it in the competition's editor first"
)


def changes(earlier: BuiltBundle, later: BuiltBundle, task: Task) -> Iterator[str]:
    """Yield a line for each change: what changed, what it means for submissions that are there, and what to do."""
    before, after = ({phase.name: phase for phase in bundle.phases} for bundle in (earlier, later))
    yield from _different("the phases", list(before), list(after), ANEW)
    for name in (name for name in before if name in after):
        old, new = _dates_and_limits(before[name]), _dates_and_limits(after[name])
        for what in old:
            yield from _different(f"phase {name}: {what}", old[what], new[what], BY_HAND)
    yield from _different("the score that decides the rank", _primary(earlier), _primary(later), ANEW)
    if _primary(earlier) == _primary(later):
        columns, new_columns = ([column.key for column in bundle.columns] for bundle in (earlier, later))
        yield from _different("the columns of the leaderboard", columns, new_columns, ANEW)
    facts, new_facts = _facts(earlier, task), _facts(later, task)
    for what in sorted(facts.keys() | new_facts.keys()):
        meaning = f"scores can change, and files that no longer fit are refused. {AGAIN}"
        yield from _different(what, facts.get(what), new_facts.get(what), meaning)
    sets = {phase.reference_data: phase.name for phase in after.values() if phase.name in before}
    for data, name in sets.items():
        if data == before[name].reference_data:
            for line in _of_set(earlier, later, after[name], task):
                yield f"phase {name}: {line}"


def _different(what: str, was: Any, now: Any, meaning: str) -> Iterator[str]:
    if was != now:
        yield f"{what}: was {_shown(was)}, is {_shown(now)}: {meaning}"


def _shown(value: Any) -> str:
    text = f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
    text = "not set" if value is None else text
    return text if len(text) <= 100 else f"{text[:99]}…"


def _primary(bundle: BuiltBundle) -> str:
    return bundle.primary.key if bundle.primary else "none"


def _dates_and_limits(phase: BuiltPhase) -> dict[str, Any]:
    return {
        "opens": phase.opens.strftime(FORMAT),
        "closes": phase.closes.strftime(FORMAT) if phase.closes else "none",
        "submissions a day": phase.per_day,
        "submissions in all": phase.total,
    }


def _facts(bundle: BuiltBundle, task: Task) -> dict[str, Any]:
    """Return what decides a score besides the labels: parameters, options, feedback, and versions of the code."""
    program = bundle.files_of(bundle.phases[0].scoring_program)
    facts: dict[str, Any] = {}
    with suppress(ValueError, KeyError, AttributeError):
        options = json.loads(program[OPTIONS_FILE])
        described = json.loads(program[TASK_FILE])
        facts = {**described.get(DECLARATION, {}), **options.get("options", {})}
        facts |= {"feedback": options.get("feedback")}
    version = program.get("spokeneval/version.py", b"").decode(errors="replace")
    facts.pop("primary", None)  # its own line
    facts["the version of spokeneval"] = version.rpartition("= ")[2].strip()
    if task.code:
        code = program.get(f"spokeneval/challenges/{task.name}.py", b"")
        facts[f"the SHA-256 of tasks/{task.name}.py"] = digest_of(code)[:12]
    return facts


def _of_set(earlier: BuiltBundle, later: BuiltBundle, phase: BuiltPhase, task: Task) -> Iterator[str]:
    """Yield the changes of a set's items, of the columns of its lists, and of its labels."""
    lists, new_lists = (bundle.files_of(phase.input_data or phase.public_data) for bundle in (earlier, later))
    try:
        ids, new_ids = (set(task.format.read_items(files).ids) for files in (lists, new_lists))
    except (FileProblems, KeyError):
        yield f"the lists of items have another format: {ANEW}"
        return
    for file in sorted(lists.keys() & new_lists.keys()):
        header, new_header = (files[file].partition(b"\n")[0].decode() for files in (lists, new_lists))
        if file.endswith((".csv", ".tsv")):
            meaning = "answers stay valid, but participants have the old kit: announce the new one"
            yield from _different(f"the columns of {file}", header, new_header, meaning)
    added, removed = len(new_ids - ids), len(ids - new_ids)
    if added or removed:
        yield (
            f"{count_of(added, 'item')} added, {count_of(removed, 'item')} removed: submissions that are there do not "
            "answer the new list, and would be refused when they are scored again. Leave the items as they are and "
            "publish new ones as a new competition, or ask all teams to submit again"
        )
        return
    with suppress(FileProblems, KeyError):  # labels at home are in neither bundle
        labels, new_labels = (_labels(bundle, phase, task) for bundle in (earlier, later))
        changed = sum(labels[item] != new_labels[item] for item in labels.keys() & new_labels.keys())
        if changed:
            rows = count_of(changed, "item or unit has", "items or units have")
            yield f"{rows} other labels or columns: scores change. {AGAIN}"


def _labels(bundle: BuiltBundle, phase: BuiltPhase, task: Task) -> dict[str, Counter[tuple[str, str]]]:
    """Return the lines with labels of each item or unit, with their files."""
    files = bundle.files_of(phase.reference_data)
    files = {name: content for name, content in files.items() if name in task.format.reference_files}
    lines = {name: content.decode("utf-8-sig").splitlines() for name, content in files.items()}
    rows = task.format.rows(files).items()
    found = grouped((item, (file, lines[file][line - 1])) for file, own in rows for line, item in own.items())
    return {item: Counter(own) for item, own in found.items()}
