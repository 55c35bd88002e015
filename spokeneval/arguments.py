"""The arguments of `python -m spokeneval`, and answers in the lines of text files."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .formats.problems import name as name_of
from .version import __version__

if TYPE_CHECKING:
    from .task import Task


class Parser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: Any = None) -> None:
        """Print at once: argparse ignores that the disk is full."""
        try:
            print(message, end="", file=file, flush=True)
        except OSError:
            from .scoring.output import say  # imported here, so that the help is shown at once

            say(message, error=file is sys.stderr)


STATUS = (
    "Exit status: 0 if the submission was scored; 1 if a file was refused (all problems are on standard error, and "
    "with --json on standard output, too); 2 for wrong arguments, or files that are missing or cannot be written."
)

SHORT = {
    "wer": ("transcripts",),
    "cer": ("transcripts", "primary=cer"),
    "per": ("transcripts", "units=phones"),
    "tcpwer": ("meetings",),
    "der": ("turns", "mapping=optimal"),
    "eer": ("identification",),
    "f1": ("decisions",),
    "atwv": ("events", "match=midpoint", "collar=0.5", "primary=atwv"),
    "kappa": ("ratings",),
    "pearson": ("scores",),
}
"""Commands that are short for `score` with a kind and parameters. A table, so that the help imports no kind."""

OF_TASKS = ("score", "compare", "diff", "plan", "tasks")
"""The commands that the name of a task follows."""


def parser(*, whole_help: bool = False) -> Parser:
    """The parser of the command line; with `whole_help` without arguments of commands, for which numpy is imported."""
    short = "; ".join(f"{name}: {' --set '.join(declared)}" for name, declared in SHORT.items())
    whole = Parser(
        prog="spokeneval",
        description="Score submissions to speech challenges.",
        epilog=f"Short names of `score --kind`, such as `wer REFERENCE SUBMISSION`: {short}.",
    )
    whole.add_argument("--version", action="version", version=f"spokeneval {__version__}")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    scoring = commands.add_parser(
        "score",
        help="score a submission against a reference",
        description="Score a submission against a reference, and print every score at full precision.",
        epilog=STATUS,
    )
    comparing = commands.add_parser(
        "compare",
        help="compare systems by their submissions",
        description="Score several submissions against a reference, and print how certain their order is. With "
        "--rule, the systems of several tasks are ranked by one joint score. Each task is then a folder with "
        "`reference`, a file of any extension or a folder; `submissions`, with a file, folder or zip named after each "
        "system; and task.json for a declared task. For other tasks, give TASK=FOLDER.",
        epilog=STATUS,
    )
    differing = commands.add_parser(
        "diff",
        help="list what changed from one submission to another",
        description="Score two submissions, and list the scores and items that became better or worse.",
        epilog=STATUS,
    )
    planning = commands.add_parser(
        "plan",
        help="how many speakers a test set needs",
        description="Print how many units, such as speakers, separate two systems by a difference with a probability "
        "of 80 %, from a pilot study.",
        epilog=STATUS,
    )
    _add_reproduce(commands)
    _add_export(commands)
    listing = commands.add_parser(
        "tasks", help="list the tasks and kinds, or the files, options, parameters and scores of one"
    )
    if not whole_help:
        _add_sides(scoring, comparing, differing, planning, listing)
        _add_planning(planning)
        _add_scoring(scoring, comparing, differing, planning)
    return whole


def _add_sides(
    scoring: Parser, comparing: Parser, differing: Parser, planning: Parser, listing: Parser
) -> None:
    """Add the task, the reference and the submissions."""
    from .kinds.declared import KINDS

    which = (
        "the name of a task (see `tasks`), or of a declared one whose task.json is beside the reference, unless "
        "--kind or --task-file is given; then"
    )
    submission = "a file, - for standard input, the folder with its files, or a zip of them"
    sides = f"the reference and the submission, each {submission}; in a .txt each line is an answer"
    scoring.add_argument(
        "names",
        nargs="*",
        metavar="[TASK] REFERENCE SUBMISSION",
        help=f"{which} {sides}",
    )
    # Two arguments, so that argparse takes submissions that follow an option.
    comparing.add_argument("task", metavar="TASK", help=f"{which} the first submission")
    comparing.add_argument("submissions", nargs="+", metavar="SUBMISSION", help=f"a submission: {submission}")
    listing.add_argument(
        "task", nargs="?", metavar="NAME", help="name of a task, a kind or a short name such as wer"
    )
    declared = "instead of TASK: the task.json of a declared task, from its bundle or starting kit"
    both = f"{which} the reference and two submissions, each {submission}"
    differing.add_argument("names", nargs="*", metavar="[TASK] REFERENCE A B", help=both)
    for command in (scoring, comparing, differing, planning, listing):
        command.add_argument("--task-file", type=Path, metavar="FILE", help=declared)
    for command in (scoring, comparing, differing, planning):
        command.add_argument("--kind", choices=KINDS, help="instead of TASK: a kind of task")
        command.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="PARAMETER=VALUE",
            help="set a parameter of the kind, such as normalise=casefold,drop_punctuation; can be repeated",
        )
    listing.add_argument("--json", action="store_true", help="print the list as JSON")


def _add_scoring(scoring: Parser, comparing: Parser, differing: Parser, planning: Parser) -> None:
    """Add the arguments of `score`, `compare`, `diff` and `plan`."""
    from .ranking.joint_rule import MISSING, RULES

    reference = "the reference: its file, or the folder with its files"
    scoring.add_argument("--reference", metavar="PATH", help="the reference, by name")
    scoring.add_argument("--submission", metavar="PATH", help="the submission, by name")
    comparing.add_argument("--reference", metavar="PATH", help=f"{reference}; not with --rule")
    written = "write board.csv, pairs.csv and board.tex there"
    grouped = "compare the groups of a column of the reference, such as dialect, within each system, too"
    comparing.add_argument("--by", metavar="COLUMN", help=f"{grouped}; not with --rule")
    comparing.add_argument("--all", action="store_true", help="print differences, p-values and notes, too")
    comparing.add_argument("--out", type=Path, metavar="DIR", help=written)
    comparing.add_argument("--rule", choices=RULES, help="rank systems by this joint score of several tasks")
    lacking = "with --rule: what happens to a system without a score in a task (default: excluded)"
    comparing.add_argument("--missing", choices=MISSING, help=lacking)
    needed = "with --rule: a task without which no system is ranked; can be repeated"
    for flag, metavar, form, help in (
        ("--compulsory", "FOLDER", str, needed),
        ("--weight", "FOLDER=NUMBER", _weight, "the weight of a task in a weighted sum; can be repeated"),
    ):
        comparing.add_argument(flag, action="append", default=[], metavar=metavar, type=form, help=help)
    comparing.add_argument(
        "--baseline",
        default="",
        metavar="SYSTEM",
        help="the system that the others are compared with; with --rule, it is shown without a rank, and is needed "
        "for --missing baseline",
    )
    scoring.add_argument(
        "--baseline",
        metavar="PATH",
        help="a submission to compare with, by the paired interval of the difference",
    )
    units = (
        "a text file with the unit of each item in its lines, such as its speaker, for confidence intervals"
    )
    for command, of in ((scoring, "a report page"), (differing, "a page with every changed item")):
        command.add_argument("--report", type=Path, metavar="FILE", help=f"write {of} (HTML) there")
    for command in (scoring, comparing, differing, planning):
        joined = (
            "; not with --rule, which takes the column speaker of each reference"
            if command is comparing
            else ""
        )
        command.add_argument("--units", type=Path, metavar="FILE", help=units + joined)
        option = "set an option of the task; can be repeated"
        command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=option)
        for flag, help in (
            (
                "--lenient",
                "read a reference in other forms that organisers use, such as Windows-1252 or Excel workbooks",
            ),
            ("--drop-invalid-reference-rows", "leave out invalid rows of the reference, and list them"),
            ("--json", "print the result, or all problems, as JSON"),
        ):
            command.add_argument(flag, action="store_true", help=help)


def _add_planning(planning: Parser) -> None:
    """Add the arguments of `plan`."""
    planned = "the name of a task (see `tasks`), unless --kind, --task-file or DIR/task.json is given"
    planning.add_argument("task", nargs="?", metavar="TASK", help=planned)
    pilot = (
        "the folder of the pilot: reference, and submissions of two systems or more, as for `compare --rule`"
    )
    planning.add_argument("--pilot", type=Path, required=True, metavar="DIR", help=pilot)
    wanted = "the true difference in the primary score to be found, such as 2 points of WER"
    planning.add_argument("--difference", type=float, required=True, metavar="NUMBER", help=wanted)
    planning.add_argument(
        "--table", action="store_true", help="print the power of test sets of several sizes, too"
    )


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected FOLDER=NUMBER; found {text}") from None


def misplaced(options: argparse.Namespace) -> str:
    """Which arguments `compare` takes only with, or not with, `--rule`; empty if there are none."""
    joint = (
        ("missing", "compulsory", "weight"),
        ("reference", "kind", "task_file", "option", "units", "by"),
    )
    found = [name.replace("_", "-") for name in joint[options.rule is not None] if getattr(options, name)]
    return f"--{', --'.join(found)}: {'only' if options.rule is None else 'not'} with --rule" if found else ""


def _add_reproduce(commands: Any) -> None:
    reproducing = commands.add_parser(
        "reproduce",
        help="compute a result again, and compare it",
        description="Compute the result in a JSON of `score --json` again, with the same arguments in the current "
        "folder, and list every number that differs.",
        epilog="Exit status: 0 if all numbers are the same; 1 if some differ, or a file is refused; 2 for "
        "wrong arguments.",
    )
    reproducing.add_argument("result", type=Path, metavar="RESULT", help="the JSON of `score --json`")


def _add_export(commands: Any) -> None:
    exporting = commands.add_parser(
        "export",
        help="write results in the format of another project",
        description="Write results in the format of Hugging Face's .eval_results, or describe their public set as "
        "Croissant 1.1 with RAI. If facts are missing, all of them are listed and nothing is written. For a hidden "
        "set, the figures of its leaderboard are exported.",
        epilog="Exit status: 0 if the files were written; 1 if facts are missing or the results cannot be used; 2 for "
        "wrong arguments.",
    )
    source = "the JSON of score, compare or rank, a folder of rank --out, or the output of a scoring program"
    exporting.add_argument("result", type=Path, metavar="RESULT", help=source)
    exporting.add_argument("--format", choices=("huggingface", "croissant"), required=True, help="the format")
    exporting.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder to write to")
    exporting.add_argument("--meta", type=Path, metavar="FILE", help="a JSON or YAML file with facts")
    competition = "your competition folder, for the facts in its competition.yaml"
    exporting.add_argument("--competition", type=Path, metavar="DIR", help=competition)
    exporting.add_argument("--dataset-id", metavar="ID", help="huggingface: the benchmark on the Hub")
    exporting.add_argument("--reference", type=Path, metavar="PATH", help="croissant: the public labels")
    bundle = "for a hidden set: the bundle, which rounds its scores to steps"
    exporting.add_argument("--bundle", type=Path, metavar="ZIP", help=bundle)
    exporting.add_argument("--exact", action="store_true", help="export the exact scores of a hidden set")
    exporting.add_argument("--json", action="store_true", help="print the files, or the error, as JSON")


def written_out(given: Sequence[str]) -> list[str]:
    """The arguments with a kind and its parameters in place of a short name, such as `wer`."""
    place = int(bool(given) and given[0] in OF_TASKS)
    short = SHORT.get("".join(given[place : place + 1]))
    if not short or (place and any(word.startswith(("--kind", "--task-file")) for word in given)):
        return list(given)
    if given[0] == "tasks":
        return [given[0], short[0], *given[2:]]
    sets = (part for each in short[1:] for part in ("--set", each))
    return [given[0] if place else "score", "--kind", short[0], *sets, *given[place + 1 :]]


def answers_of(options: argparse.Namespace, task: Task, paths: Sequence[Any]) -> list[Any]:
    """The paths; with `--kind`, a .txt that is no table is the list of the answers in its lines."""
    sides: list[Any] = list(map(Path, paths))
    if [*map(str, sides)].count("-") > 1:
        raise ValueError("- is standard input; give it once, and files for the others")
    for place, path in enumerate(sides):
        if str(path) == "-" or path.is_fifo():  # a pipe can be read once
            from tempfile import TemporaryDirectory  # imported here, so that the help is shown at once

            sides[place] = Path(options.opened.enter_context(TemporaryDirectory()), "standard_input.txt")
            sides[place].write_bytes(path.read_bytes() if path.is_fifo() else sys.stdin.buffer.read())
    layout = task.format.submission
    if not options.kind or layout is None or len(layout.required) != 2:
        return sides
    for place, path in enumerate(sides):
        if path.suffix == ".txt":
            lines = read_lines(path, paths[place])
            if not {*layout.columns} & set(re.split("[,;\t]", "".join(lines[:1]))):
                sides[place] = lines
    if "text" in task.format.other_submissions and task.declaration.get("units") != "phones":
        _refuse_ids([(str(path), side) for path, side in zip(paths, sides) if isinstance(side, list)])
    return sides


def read_lines(path: Path, called: Any = None) -> list[str]:
    """The lines of a text file in UTF-8, which an error calls by its path or another name."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{called or path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    return lines if lines[-1] else lines[:-1]


def _refuse_ids(sides: Sequence[tuple[str, Sequence[str]]]) -> None:
    """Refuse lines with ids, as in Kaldi's `text` and in NIST's trn, because the ids would count as words.

    A number alone may be a word: it is an id if the lines of all files begin with the same ones.
    """
    first = [sorted(line.split(" ", 1)[0] for line in side) for _, side in sides]
    same = len(first) > 1 and all(words == first[0] for words in first)
    text = r"(?=\S*\d)\S+" if same else r"(?=\S*\d)(?=\S*[^\W\d])\S+"
    for called, lines in sides:
        for pattern, suffix in ((text, "text"), (r".*(\([^()\s]+\))\s*$", "trn")):
            found = [re.match(pattern, line) for line in lines]
            ids = {each[each.lastindex or 0] for each in found if each}
            if len(ids) == len(lines) > 1 and ids != {*map(str.strip, lines)}:
                file = f"{Path(called).stem.strip('-') or 'NAME'}.{suffix}"
                example = name_of(min(ids).strip("()"))
                raise ValueError(f"{called}: each line has an id, such as {example}; name the file {file}")
