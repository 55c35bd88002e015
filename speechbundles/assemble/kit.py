"""The files that a task's bundles are made of, the same for every platform and track: programs and starting kit."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from speechbundles.assemble.baseline import Baseline, run_baseline
from speechbundles.assemble.feedback import Feedback, set_feedback
from speechbundles.assemble.notebook import NOTEBOOK, has_every_step, walkthrough
from speechbundles.assemble.template import chosen_options, fill, what_holds
from speechbundles.assemble.travel import travelling
from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import BASELINE, kit_data_files, left_out_files
from speechbundles.model.competition import Competition
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.zips import TASK_FILE, TRIAL_SET, read_tree
from spokeneval.formats.problems import some_of
from spokeneval.run.feedback import COARSE
from spokeneval.run.options import OPTIONS_FILE, Options, SetFeedback
from spokeneval.run.reference import items_fingerprint
from spokeneval.task import Task
from spokeneval.tasks import find_task

README = "README.md"

LISTENS = "baseline/"
"""The kit's folder with a baseline that works on recordings, and learns from public labels."""


@dataclass(frozen=True)
class Parts:
    """The contents of the inner zips, `name -> content`, without a platform's own metadata.

    Attributes
    ----------
    references: set -> its reference.
    feedback: set -> what its board tells, and what everybody can submit.
    solutions: set -> the baseline's submission, where the baseline runs on the set.
    failures: why a baseline did not run, one line each.
    """

    scoring_program: Mapping[str, bytes]
    ingestion_program: Mapping[str, bytes]
    starting_kit: Mapping[str, bytes]
    references: Mapping[str, ReferenceSet]
    feedback: Mapping[str, Feedback]
    solutions: Mapping[str, Mapping[str, bytes]]
    failures: tuple[str, ...]


def make_parts(
    competition: Competition,
    references: Mapping[str, ReferenceSet],
    *,
    log: Callable[[str], None] = lambda understood: None,
) -> Parts:
    """Programs, starting kit and baseline solutions for a competition's task.

    Parameters
    ----------
    log: takes what was understood of each table of kit data that is not in the notation that baselines read.
    """
    task = find_task(competition.task).with_options(competition.options)
    public = [name for name in competition["public_sets"] if name in references]
    root, library = competition.sources.root, competition.sources.read_library()
    scoring = read_tree(root / "scoring_program" / competition.task)
    scoring = {**_with_library(library, scoring), TASK_FILE: _json(describe_task(task))}
    ingestion = _with_library(library, read_tree(root / "ingestion_program" / competition.task))
    ingestion[OPTIONS_FILE] = Options(competition.options).dump("options")
    kit = {
        **_challenge_kit(competition),
        **competition.sources.read_files(f"starting_kit/{competition.task}"),
    }
    made = {
        "try_submission.py": (root / "starting_kit" / "try_submission.py").read_bytes(),
        "phases.json": _json({phase.name: phase.reference for phase in competition.phases}),
        **scoring,
        **ingestion,
    }
    taken = [name for name in kit if name in made]
    if taken:
        raise OrganiserError(
            f"{task.name}: starting kit: {some_of(taken)}: the build writes what has this name; rename yours"
        )
    kit.update(made)
    kit.update(_shared_scripts(root, kit))
    kit = _with_library(library, kit)
    try:
        data = {name: kit.pop(name) for name in list(kit) if name.startswith("data/")}
        kit.update(canonical_tables(data, lambda understood: log(f"{task.name}: {understood}")))
    except UnreadableFile as error:
        raise OrganiserError(f"{task.name}: starting kit: {error}") from None
    for name, reference in references.items():
        kit.update({f"{name}/input/{file}": content for file, content in reference.public.items()})
        if name in public:
            kit.update({f"{name}/reference/{file}": content for file, content in reference.files.items()})
    left_out = left_out_files(competition)
    kit = {name: content for name, content in kit.items() if Path(name).name not in left_out}
    if BASELINE in left_out or TRIAL_SET not in public:
        kit = {name: content for name, content in kit.items() if not name.startswith(LISTENS)}
    if README in kit:
        kit[README] = _readme(competition, references, kit)
    if BASELINE in competition["leave_out"]:
        del kit["baseline.py"]
        baseline = Baseline()
    else:
        baseline = run_baseline(kit, list(references), public)
    kit = {**walkthrough(root, kit), **kit}
    told = {}
    for name, reference in references.items():
        hidden, solution = name not in public, baseline.solutions.get(name)
        told[name] = set_feedback(task, reference, solution, hidden=hidden)
        if hidden and competition["feedback"] == COARSE and not told[name].steps:
            raise OrganiserError(
                f"feedback: coarse needs a standard error to make a step of; the {name} set of {task.name} has none "
                f"(one {told[name].unit} alone, or answers that all score alike). Give it a baseline that runs, or say "
                "feedback: exact"
            )
    options = Options(
        competition.options,
        [references[name].fingerprint for name in public],
        competition["feedback"],
        {
            references[name].fingerprint
            if name in public
            else items_fingerprint(references[name].items): SetFeedback(each.steps, each.floor, each.trivial)
            for name, each in told.items()
        },
        competition.detailed_results,
        {references[name].fingerprint: scores for name, scores in baseline.scores.items()},
        {column.key: column.precision for column in competition.columns},
    )
    for program in (scoring, kit):
        program[OPTIONS_FILE] = options.dump()
    return Parts(scoring, ingestion, kit, references, told, baseline.solutions, tuple(baseline.failures))


def _with_library(library: Mapping[str, bytes], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a program or kit, and what its scripts need of the library."""
    scripts = [content for name, content in files.items() if name.endswith(".py")]
    return {**files, **travelling(library, scripts)}


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def describe_task(task: Task) -> dict[str, Any]:
    """What a scoring program says of itself in `task.json`: every score that it writes, the primary one first."""
    return {
        "task": task.name,
        "scores": [{"key": column.key, "direction": column.direction} for column in task.columns],
        "options": {option.name: list(option.values) for option in task.options},
    }


def _readme(
    competition: Competition, references: Mapping[str, ReferenceSet], kit: Mapping[str, bytes]
) -> bytes:
    """The kit's README; `${files}` are the rows of a table, what is there and where."""
    what = kit_data_files(competition)
    rows = [("these steps and a look at the data, as a notebook", [NOTEBOOK] if has_every_step(kit) else [])]
    for name in references:
        inputs, labels = (
            [file for file in kit if file.startswith(f"{name}/{part}/")] for part in ("input", "reference")
        )
        rows += [(f"the {name} set without labels", inputs), (f"the {name} set's labels", labels)]
    rows += [(what.get(file, ""), [file]) for file in kit if file.startswith("data/")]
    listens = [file for file in kit if file == LISTENS + README]
    rows.append(("a baseline that listens to your copy of the recordings; its README says how", listens))
    facts = {
        "files": "\n".join(
            f"| {told} | {', '.join(f'`{file}`' for file in files)} |" for told, files in rows if files
        ),
        "first_set": competition.sets[0],
        **chosen_options(competition),
    }
    holds = what_holds(competition, references.values())
    return fill(kit[README], f"starting_kit/{competition.task}/{README}", facts, holds).encode()


def _shared_scripts(root: Path, kit: Mapping[str, bytes]) -> dict[str, bytes]:
    """The scripts of `starting_kit/baseline/`, which baselines that listen share, that a kit's own import."""
    own = b"\n".join(content for name, content in kit.items() if name.startswith(LISTENS))
    shared = read_tree(root / "starting_kit" / LISTENS)
    return {
        f"{LISTENS}{name}": content
        for name, content in shared.items()
        if f"\nfrom {Path(name).stem} import ".encode() in own
    }


def _challenge_kit(competition: Competition) -> dict[str, bytes]:
    """What the kits of a challenge's tasks share, `starting_kit/<challenge>/`, if there is such a folder: its files,
    and every task's programs, in a folder of the task's name."""
    files = competition.sources.read_files(f"starting_kit/{competition.challenge}")
    if competition.challenge == competition.task or not files:
        return {}
    for task in competition.challenge_tasks:
        for programs in ("scoring_program", "ingestion_program"):
            tree = read_tree(competition.sources.root / programs / task)
            files.update({f"{task}/{name}": content for name, content in tree.items()})
    return files
