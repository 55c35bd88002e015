"""The parts of a task's bundles that are the same for every platform and track: programs and starting kit."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from speechbundles.bundle.build.baseline import BaselineRuns, run_baseline
from speechbundles.bundle.build.code_kit import AUDIO, CODE_FOLDER, code_kit, code_steps, imported
from speechbundles.bundle.build.declared_facts import declared_facts
from speechbundles.bundle.build.downloads import SETTING, download_files, downloads_list
from speechbundles.bundle.build.notebook import NOTEBOOK, walkthrough
from speechbundles.bundle.build.steps import Feedback, set_feedback
from speechbundles.bundle.build.template import chosen_options, fill, what_holds
from speechbundles.bundle.build.travel import travelling
from speechbundles.competition.intake.kit_data import canonical_tables
from speechbundles.competition.own_task import program_texts
from speechbundles.competition.references import ReferenceSet
from speechbundles.competition.whole import BASELINE, kit_data_files, left_out_files
from speechbundles.model.competition import RECEIVED_COLUMN, Competition
from speechbundles.model.description import KNOWN_COLUMNS
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.zips import (
    TASK_FILE,
    TRIAL_SET,
    files_below,
    input_zip,
    make_zip,
    read_tree,
    reference_zip,
)
from spokeneval.formats.problems import some_of
from spokeneval.kinds.declared import DECLARATION
from spokeneval.scoring.options import COARSE, OPTIONS_FILE, About, Options
from spokeneval.scoring.reference import items_fingerprint
from spokeneval.task import Task

README = "README.md"

LISTENS = "baseline/"
"""The kit's folder with an audio baseline, which is trained on public labels."""


@dataclass(frozen=True)
class BundleParts:
    """The contents of the inner zips, `name -> content`, without the platform's metadata files.

    Attributes
    ----------
    references: set -> its reference.
    feedback: set -> its score steps, floor and known scores; not for sets whose labels stay at home.
    solutions: set -> the baseline's submission, for each set on which the baseline runs.
    failures: why the baseline failed on a set, one line each.
    joint_kit: the kit of its challenge, for the competitions that are ranked together.
    """

    scoring_program: Mapping[str, bytes]
    ingestion_program: Mapping[str, bytes]
    starting_kit: Mapping[str, bytes]
    references: Mapping[str, ReferenceSet]
    feedback: Mapping[str, Feedback]
    solutions: Mapping[str, Mapping[str, bytes]]
    failures: tuple[str, ...]
    joint_kit: Mapping[str, bytes] = field(default_factory=dict)

    def on_any_platform(self, competition: Competition) -> dict[str, bytes]:
        """Return the files that a bundle has on every platform: the logo, the kit, and labels and items of each set."""
        logo = competition["image"]
        files = {Path(logo).name: competition.sources.find(logo).read_bytes()}
        kit = (competition.joint and self.joint_kit) or for_competition(competition, self.starting_kit)
        files["starting_kit.zip"] = make_zip(kit)
        for name in competition.scored_sets:
            files[reference_zip(name)] = make_zip(self.references[name].files)
            files[input_zip(name)] = make_zip(self.references[name].public)
        return files


def make_parts(
    competition: Competition,
    references: Mapping[str, ReferenceSet],
    *,
    log: Callable[[str], None] = lambda line: None,
) -> BundleParts:
    """Build the programs, starting kit and baseline solutions of a competition's task.

    Parameters
    ----------
    log: called with one line for each table of kit data that was converted to the format that baselines read.

    Raises
    ------
    OrganiserError: kit files that cannot be used, or coarse feedback on a set without a standard error.
    """
    task = competition.definition.with_options(competition.options)
    public = [name for name in competition["public_sets"] if name in references]
    scoring, ingestion = make_programs(competition)
    kit = _kit(competition, references, {**scoring, **ingestion}, log)
    baseline = BaselineRuns()
    if BASELINE in competition["leave_out"]:
        kit.pop("baseline.py", None)
    else:
        baseline = run_baseline(kit, list(references), public)
    holds = what_holds(competition, references.values(), baseline.solutions)
    if README in kit:
        kit[README] = _readme(competition, references, kit, holds)
        kit = {**walkthrough(competition, kit[README], holds), **kit}
    feedback = {
        name: _feedback(competition, task, reference, baseline.solutions.get(name))
        for name, reference in references.items()
        if name not in competition.home_sets
    }
    key_of = {
        name: reference.fingerprint if name in public else items_fingerprint(reference.items)
        for name, reference in references.items()
    }
    solutions, audio = baseline.solutions, kit.pop(AUDIO, None)
    if competition.takes_code:
        kit.update(code_kit(competition, kit, audio))
        solutions = dict.fromkeys(solutions, files_below(CODE_FOLDER, kit))
    options = Options(
        competition.options,
        [references[name].fingerprint for name in public],
        competition["feedback"],
        {key_of[name]: each.of_set for name, each in feedback.items()},
        competition.detailed_results,
        {references[name].fingerprint: scores for name, scores in baseline.scores.items()},
        {column.key: column.precision for column in competition.columns},
        about={key_of[name]: About(name, (), each.baseline_without) for name, each in feedback.items()},
        received=bool(competition.home_sets),
    )
    kit[OPTIONS_FILE] = options.dump()
    code = competition["environment"] if competition.takes_code else ""
    scoring[OPTIONS_FILE] = replace(options, code=code).dump()
    ingestion[OPTIONS_FILE] = replace(options, code=code).dump("options", "code")
    return BundleParts(scoring, ingestion, kit, references, feedback, solutions, tuple(baseline.failures))


def _kit(
    competition: Competition,
    references: Mapping[str, ReferenceSet],
    programs: Mapping[str, bytes],
    log: Callable[[str], None],
) -> dict[str, bytes]:
    """Return the kit's files: its own, those that it shares, the programs and the sets; its README is not filled in."""
    task, root = competition.definition, competition.sources.root
    kit = {
        **_kind_kit(competition),
        **_challenge_kit(competition),
        **competition.sources.read_files(f"starting_kit/{competition.task}"),
    }
    made = {
        "try_submission.py": (root / "starting_kit" / "try_submission.py").read_bytes(),
        **download_files(competition, log),
        "phases.json": _json({phase.name: phase.reference for phase in competition.phases}),
        **programs,
    }
    here = [*made, *(f"data/{name}" for name in competition[SETTING])]
    if taken := [name for name in kit if name in here]:
        raise OrganiserError(
            f"{task.name}: starting kit: {some_of(taken)}: the build writes or declares a file of this name; rename or "
            "remove yours"
        )
    kit.update(made)
    own = b"\n".join(content for name, content in kit.items() if name.startswith(LISTENS))
    shared = {
        f"{LISTENS}{name}": script for name, script in read_tree(root / "starting_kit" / LISTENS).items()
    }
    kit.update(imported(own, shared))
    kit = _with_library(competition.sources.read_library(), kit)
    try:
        data = {name: kit.pop(name) for name in list(kit) if name.startswith("data/")}
        kit.update(canonical_tables(data, lambda line: log(f"{task.name}: {line}")))
    except UnreadableFile as error:
        raise OrganiserError(f"{task.name}: starting kit: {error}") from None
    for name, reference in references.items():
        kit.update({f"{name}/input/{file}": content for file, content in reference.public.items()})
        if name in competition["public_sets"]:
            kit.update({f"{name}/reference/{file}": content for file, content in reference.files.items()})
    left_out = left_out_files(competition)
    listens = BASELINE not in left_out and TRIAL_SET in references and TRIAL_SET in competition["public_sets"]
    return {
        name: content
        for name, content in kit.items()
        if Path(name).name not in left_out and (listens or not name.startswith((LISTENS, AUDIO)))
    }


def _feedback(
    competition: Competition, task: Task, reference: ReferenceSet, solution: Mapping[str, bytes] | None
) -> Feedback:
    """Return the feedback on a set; refuse a set on which scores cannot be compared or rounded."""
    name, hidden = reference.name, reference.name not in competition["public_sets"]
    if solution is None and not task.trivial:
        raise OrganiserError(
            f"{task.name}: there is nothing to compare scores on the {name} set with. Provide a baseline that runs "
            "on it, or give the TASK a `trivial` baseline"
        )
    further = [column.key for column in competition.coarse_columns[1:]]
    feedback = set_feedback(task, reference, solution, hidden=hidden, further=further)
    if hidden and competition["feedback"] == COARSE and not feedback.of_set.steps:
        raise OrganiserError(f"{task.name}: {_no_step(task, reference, feedback.unit)}")
    return feedback


def _no_step(task: Task, reference: ReferenceSet, unit: str) -> str:
    """Return why scores on a hidden set cannot be rounded to steps, and what the organiser can do."""
    found = f"scores on the {reference.name} set cannot be rounded to steps of a standard error (feedback: coarse)"
    home = "set labels: home, so that no score is shown before you publish the ranking"
    if len(set(task.units(reference.parsed.labels).of.values())) == 1:
        return f"{found}, because the set has a single {unit}. Add items of a second {unit}, or {home}"
    same = f"{found}, because {task.primary.title} is the same for every baseline and for answers that are half right"
    if task.code:
        return f"{same}. Give the TASK `partly_right`, which makes such answers from the labels; or {home}"
    other = "Choose another `primary`" if task.declaration else "Provide another baseline"
    return f"{same}. {other}; or {home}"


def make_programs(competition: Competition) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the scoring program, without the options of its sets, and the ingestion program."""
    task = competition.definition.with_options(competition.options)
    root, library = competition.sources.root, competition.sources.read_library()
    known = {KNOWN_COLUMNS: competition[KNOWN_COLUMNS]} if competition[KNOWN_COLUMNS] else {}
    described = {TASK_FILE: _json({**describe_task(task, received=bool(competition.home_sets)), **known})}
    if task.code:
        generated = program_texts(task)
        score, ingest = ({name: generated[name].encode()} for name in ("score.py", "ingest.py"))
    else:
        score = read_tree(root / "scoring_program" / competition.programs)
        ingest = read_tree(root / "ingestion_program" / competition.programs)
    scoring = {**_with_library(library, score), **described}
    ingestion = {**_with_library(library, ingest), **(described if task.declaration else {})}
    ingestion[OPTIONS_FILE] = Options(competition.options).dump("options")
    return scoring, ingestion


def for_competition(competition: Competition, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return a program or a kit with the title, phases and other files of one of its task's competitions (tracks)."""
    content = json.loads(files[OPTIONS_FILE])
    options = Options.load(content)
    about = {
        key: replace(
            known, phases=[phase.name for phase in competition.phases if phase.reference == known.set]
        )
        for key, known in options.about.items()
    }
    others = competition.joint.other_files(competition) if competition.joint else []
    named = replace(options, competition=competition["title"], about=about, other_files=others)
    return {**files, OPTIONS_FILE: named.dump(*content, "other_files")}


def _with_library(library: Mapping[str, bytes], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files of a program or kit, with the library modules that its scripts import."""
    scripts = [content for name, content in files.items() if name.endswith(".py")]
    return {**files, **travelling(library, scripts)}


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def describe_task(task: Task, *, received: bool = False) -> dict[str, Any]:
    """Return the content of `task.json`: the scores that the scoring program writes, primary first, and its options.

    Parameters
    ----------
    received: whether the leaderboard shows only that submissions were received.
    """
    written = [(column.key, column.direction) for column in task.columns]
    if received:
        written.insert(0, (RECEIVED_COLUMN.key, RECEIVED_COLUMN.direction))
    return {
        "task": task.name,
        **({DECLARATION: dict(task.declaration)} if task.declaration else {}),
        "scores": [{"key": key, "direction": direction} for key, direction in written],
        "options": {option: list(values) for option, values in task.choices.items()},
    }


def _readme(
    competition: Competition,
    references: Mapping[str, ReferenceSet],
    kit: Mapping[str, bytes],
    holds: Mapping[str, bool],
) -> bytes:
    """Return the kit's README, filled in; `${files}` becomes the rows of a table of the kit's files."""
    what = kit_data_files(competition)
    rows = [("these steps as a notebook, with an overview of the data", [NOTEBOOK])]
    for name in references:
        inputs = [file for file in kit if file.startswith(f"{name}/input/")]
        labels = [file for file in kit if file.startswith(f"{name}/reference/")]
        rows += [(f"the {name} set, without labels", inputs), (f"labels of the {name} set", labels)]
    rows += [(what.get(file, ""), [file]) for file in kit if file.startswith("data/")]
    listens = [file for file in kit if file == LISTENS + README]
    rows.append(("an audio baseline, which needs your copy of the recordings; see its README", listens))
    facts = {
        "files": "\n".join(
            f"| {content} | {', '.join(f'`{file}`' for file in files)} |" for content, files in rows if files
        ),
        "title": competition["title"],
        "first_set": competition.sets[0],
        "last_set": competition.last_set,
        **chosen_options(competition),
        **declared_facts(competition),
    }
    text = fill(kit[README], f"starting_kit/{competition.task}/{README}", facts, holds)
    if competition.takes_code:
        text = f"{text.rstrip()}\n\n{code_steps(competition, audio=AUDIO in kit)}"
    large = downloads_list(kit)
    return (f"{text.rstrip()}\n\n## Large files\n\n{large}\n" if large else text).encode()


def _kind_kit(competition: Competition) -> dict[str, bytes]:
    """Return the files that the kits of declared tasks share: those of all kinds, replaced by those of the kind."""
    return {
        path.name: path.read_bytes()
        for shelf in reversed(competition.shelves)
        for path in sorted((competition.sources.root / "starting_kit" / shelf).glob("*.*"))
    }


def _challenge_kit(competition: Competition) -> dict[str, bytes]:
    """Return the files that the kits of a challenge's tasks share, from `starting_kit/<challenge>/` if it exists.

    They include the programs of every task, each in a folder named after the task.
    """
    files = competition.sources.read_files(f"starting_kit/{competition.challenge}")
    if competition.challenge == competition.task or competition.shelves or not files:
        return {}
    for task in competition.challenge_tasks:
        for programs in ("scoring_program", "ingestion_program"):
            tree = read_tree(competition.sources.root / programs / task)
            files.update({f"{task}/{name}": content for name, content in tree.items()})
    return files
