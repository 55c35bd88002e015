"""What a check finds in a bundle: one rule a code, with what the platform does then and what to do about it.

Levels: an `error` is refused by a platform, or lets a score or a secret go wrong; a `warning` works, but
rarely as meant. The consequences are those of the platforms' public sources (Codabench, version 2 bundles;
CodaLab Competitions 1.5), which win over their documentation where the two differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One defect: `where` it is, `what` was found and expected, what the `platform` does, the `remedy`."""

    code: str
    level: Level
    where: str
    what: str
    platform: str
    remedy: str


@dataclass(frozen=True)
class Rule:
    level: Level
    platform: str
    remedy: str


def _error(platform: str, remedy: str) -> Rule:
    return Rule("error", platform, remedy)


def _warning(platform: str, remedy: str) -> Rule:
    return Rule("warning", platform, remedy)


RULES: dict[str, Rule] = {
    # The zip, outer and inner
    "bundle-not-zip": _error("The upload is refused.", "Upload the zip that the builder wrote."),
    "bundle-large": _warning(
        "Large uploads time out, and every submission downloads its share of the bundle again.",
        "Leave out what scoring does not need; offer big data as a separate download.",
    ),
    "not-a-zip": _error(
        "It is stored as it is; the worker cannot unpack it and every submission fails.",
        "Make it a zip archive.",
    ),
    "archive-oversized": _error(
        "Unpacking fills the server's or the worker's disk.", "Leave large data out of the bundle."
    ),
    "entry-corrupt": _error("Unpacking fails.", "Write the zip again."),
    "entry-duplicate": _error(
        "Which of the two is kept depends on the tool that unpacks.", "Keep one entry of each name."
    ),
    "entry-encrypted": _error(
        "The platforms have no password: unpacking fails.", "Write the zip without encryption."
    ),
    "entry-junk": _warning(
        "It is unpacked with the rest, shown to participants, and may be read as data.",
        "Delete it and zip again.",
    ),
    "entry-link": _error(
        "A link is unpacked as a text file that holds its target.", "Put the file itself in the zip."
    ),
    "entry-path-unsafe": _error(
        "Such an entry is renamed or refused when it is unpacked.",
        "Use relative paths with forward slashes and no '..'.",
    ),
    # competition.yaml, the file
    "yaml-missing": _error("The upload is refused.", "Put competition.yaml at the root of the zip."),
    "yaml-misnamed": _error("The upload is refused: the name must match.", "Name it competition.yaml."),
    "yaml-in-folder": _error(
        "The upload is refused: competition.yaml must be at the root.",
        "Zip the folder's contents, not the folder.",
    ),
    "yaml-shadowed": _error(
        "CodaLab reads the first entry whose name contains '.yaml' as the competition.",
        "Put competition.yaml first in the zip.",
    ),
    "yaml-not-first": _warning(
        "It works, until an entry with '.yaml' in its name comes before it (CodaLab reads the first).",
        "Put competition.yaml first in the zip.",
    ),
    "yaml-extra": _warning(
        "CodaLab reads whichever entry with '.yaml' in its name comes first.",
        "Keep every other .yaml file inside the inner zips.",
    ),
    "yaml-not-utf8": _error("The upload fails with a server error.", "Save it as UTF-8."),
    "yaml-invalid": _error("The upload is refused.", "Correct the YAML at this place."),
    "duplicate-key": _error(
        "The last value silently replaces the earlier ones.", "Keep one of them, or rename one."
    ),
    "version": _error(
        "Without version 2 Codabench reads the file as the old format and refuses it.",
        "Write 'version: 2'.",
    ),
    # Keys and values
    "unknown-key": _error(
        "Codabench ignores an unknown key in silence; CodaLab refuses the bundle.",
        "Correct the key, or remove it.",
    ),
    "missing-key": _error("The upload is refused.", "Add the key."),
    "wrong-type": _error(
        "The upload is refused, or the value is misread.", "Write a value of the expected type."
    ),
    "empty": _error("The upload is refused, or the competition is useless.", "Fill it in."),
    "too-long": _error("The upload is refused by the database.", "Shorten it."),
    "choice": _error("The upload is refused, or the value has no effect.", "Use one of the listed values."),
    "email": _error("The upload is refused.", "Give one plain address, such as organisers@example.org."),
    "queue": _error(
        "The upload is refused: a queue is found by its vhost alone.",
        "Copy the queue's vhost, a UUID, from the queue management page.",
    ),
    "docker-missing": _warning(
        "The default applies (Python 3.7 on Codabench), and a changed default has broken live competitions.",
        "Pin an image, such as codalab/codalab-legacy:py312.",
    ),
    "docker-unpinned": _warning(
        "The image may change under a running competition.", "Give a fixed tag or a digest."
    ),
    "docker-invalid": _error("The worker cannot pull it: every submission fails.", "Write repository:tag."),
    "docker-too-old": _error(
        "The programs stop at once on this image: they need Python 3.9.",
        "Use codalab/codalab-legacy:py39 or py312.",
    ),
    # Files that competition.yaml names
    "file-missing": _error("The upload is refused.", "Correct the path, or put the file in the zip."),
    "file-directory": _warning(
        "Codabench zips the directory through a temporary path that other uploads share.",
        "Put a zip in the bundle instead.",
    ),
    "file-whole-bundle": _error(
        "Codabench takes the whole bundle, reference data included, for this file.",
        "Name a zip in the bundle.",
    ),
    "file-path-outside": _error(
        "The path leaves the bundle: refused, or a file of the server is taken.",
        "Use a path relative to competition.yaml.",
    ),
    "file-lone-script": _error(
        "It uploads, and never runs: a program is a zip with its metadata.",
        "Zip the script together with a metadata.yaml.",
    ),
    "file-not-zip-name": _error(
        "CodaLab takes any other value for the key of a stored dataset, and refuses it.",
        "Name an inner .zip file.",
    ),
    "outside-bundle": _warning(
        "The server's own copy is used; an unknown key is refused.",
        "Nothing, if that is meant: it could not be checked here.",
    ),
    "image-format": _error("The logo is refused, and with it the upload.", "Use a PNG, JPEG or GIF file."),
    "image-broken": _error(
        "Making the logo's thumbnail fails, and with it the upload.", "Save the image again."
    ),
    "image-shape": _error(
        "The thumbnail, 100 pixels wide, would have no height: the upload fails.",
        "Use an image less than a hundred times as wide as it is high.",
    ),
    "page-empty": _error("The upload is refused.", "Write the page."),
    "page-not-utf8": _error("The upload fails with a server error.", "Save the page as UTF-8."),
    "page-relative-link": _warning(
        "Pages are stored as text, without their folder: the link or image is broken.",
        "Use a full address, or embed the image as data.",
    ),
    "page-sanitised": _warning(
        "Codabench strips it from the page.", "Write plain Markdown or HTML without styles and scripts."
    ),
    # Dates
    "date-unquoted": _error(
        "Codabench drops the time of an unquoted YAML date: the phase turns over at midnight UTC.",
        'Quote it: "YYYY-MM-DD HH:MM:SS", in UTC.',
    ),
    "date-unquoted-import": _warning(
        "CodaLab keeps the time; Codabench, importing the same file, drops it.",
        'Quote it: "YYYY-MM-DD HH:MM:SS", in UTC.',
    ),
    "date-offset": _error(
        "Codabench drops an offset or a zone and reads the rest as UTC.",
        'Convert it to UTC: "YYYY-MM-DD HH:MM:SS".',
    ),
    "date-ambiguous": _error(
        "Codabench reads the first number as the month where it can.", 'Write "YYYY-MM-DD HH:MM:SS".'
    ),
    "date-format": _warning(
        "It is read as the value shown, by a lenient parser.", 'Write "YYYY-MM-DD HH:MM:SS", in UTC.'
    ),
    "date-invalid": _error("The upload is refused.", 'Write "YYYY-MM-DD HH:MM:SS", in UTC.'),
    # Tasks, phases, limits
    "task-index-duplicate": _error("The upload is refused.", "Give each task an index of its own."),
    "task-unknown": _error("The upload fails.", "Name the index of a declared task."),
    "task-unused": _warning("Nobody can submit to it.", "Name it in a phase, or remove it."),
    "reference-missing": _warning(
        "The scoring program finds no /app/input/ref.", "Give the task its reference_data."
    ),
    "ingestion-during-scoring": _error(
        "The containers run one after the other, scoring first: programs that wait for each other hang.",
        "Remove it: ingestion then runs before scoring.",
    ),
    "phase-index": _warning(
        "Phases are put in the order of their numbers, whatever the order in the file.",
        "Number the phases in the order in which they are written.",
    ),
    "phase-tasks-empty": _error(
        "The upload is accepted and nobody can submit.", "Name the phase's task."
    ),
    "phase-several-tasks": _warning(
        "A submission fans out to one child a task, each a row of its own on the board.",
        "Use one task in a phase, and a competition for each track.",
    ),
    "several-tasks-force": _error(
        "Under this rule only one of a submission's children shows on the board.",
        "Use one task in a phase, and a competition for each track.",
    ),
    "phase-end-missing": _error(
        "The upload is refused: only the last phase may be without an end.", "Give the phase its end."
    ),
    "phase-end-before-start": _error(
        "Accepted without a word; nobody can ever submit to the phase.", "Put the end after the start."
    ),
    "phase-overlap": _error(
        "Phases must follow one another: the upload is refused, or a phase never opens.",
        "Start a phase after the one before has ended.",
    ),
    "phase-too-short": _warning(
        "Codabench, importing the same file, ends a phase one day before the next one starts.",
        "Leave more than a day between the starts, or upload the version 2 bundle to Codabench.",
    ),
    "auto-migrate-first": _error(
        "Codabench refuses it on the first phase, and CodaLab drops it.", "Remove it from the first phase."
    ),
    "limit-unlimited": _warning(
        "0 or null means no limit on Codabench.", "Write the number that you mean."
    ),
    "limit-none-allowed": _error(
        "0 means on CodaLab that nobody may submit.", "Write the number that you mean."
    ),
    "limit-negative": _error("The upload is refused.", "Write a number of at least 1."),
    "limit-inconsistent": _warning(
        "The smaller limit, over the whole phase, is reached first.", "Set the daily limit below the total."
    ),
    "time-limit-default": _warning(
        "0 or null is ignored: the default applies (600 s on Codabench).", "Write the seconds, or leave it out."
    ),
    "hide-inconsistent": _warning(
        "Participants still see what was meant to be hidden.",
        "Set hide_output too, and hide the leaderboard where its scores are secret.",
    ),
    "detailed-results-exposed": _error(
        "No hide option covers detailed_results.html: anyone can fetch it once the competition is public.",
        "Turn enable_detailed_results off, or the option detailed_results of the scoring program.",
    ),
    # Fact sheet
    "fact-sheet-keys": _error(
        "The upload is refused: a question has exactly six keys.",
        "Give key, type, title, selection, is_required and is_on_leaderboard.",
    ),
    "fact-sheet-key": _error("The upload is refused.", "Repeat the question's own key under 'key'."),
    "fact-sheet-type": _error("The upload is refused.", "Use checkbox, text or select."),
    "fact-sheet-flag": _error(
        "Accepted, and taken for false: the flag is compared with the text 'true'.",
        "Write the quoted text 'true' or 'false'.",
    ),
    "fact-sheet-selection": _error(
        "Participants cannot answer the question.",
        "A select needs a list of texts, a checkbox [true, false], a text ''.",
    ),
    # Solutions
    "solution-task-unknown": _error("The upload is refused.", "Name the index of a declared task."),
    "solution-metadata": _error(
        "The worker takes a submission with a metadata file for code, and runs its command.",
        "Leave metadata out of a results submission.",
    ),
    # Leaderboard
    "leaderboards-several": _error(
        "Only the first is attached to the phases; the others never show.",
        "Keep one leaderboard, and make a competition for each track.",
    ),
    "leaderboard-label": _error(
        "CodaLab refuses it: the labels must be equal to the letter.", "Copy the leaderboard's label."
    ),
    "leaderboard-no-column": _error("The leaderboard cannot be shown.", "Give it a column, or remove it."),
    "primary-index": _error(
        "No column has this index: every score is lost.", "Use the index of the primary column."
    ),
    "primary-not-first": _warning(
        "The board ranks by a column that is not its first.", "Give the primary column the lowest index."
    ),
    "primary-hidden": _warning(
        "The board ranks by a column that nobody sees.", "Show the primary column."
    ),
    "submission-rule": _error("The upload is refused.", "Use one of the listed rules, to the letter."),
    "submission-rule-default": _warning(
        "'Add' applies: nothing is on the board until a participant puts it there.",
        "Write the rule: Force_Best, Force_Last or Add, say.",
    ),
    "column-duplicate": _error(
        "The upload is refused, or two columns show one score.", "Make keys and indexes unique."
    ),
    "column-rank": _error(
        "The order of the columns, and with it the primary one, is left to chance.",
        "Give every column a rank of its own.",
    ),
    "column-index": _error("The upload is refused.", "Use an index of at least 0."),
    "sorting-default": _warning(
        "'desc' applies: the highest score ranks first.", "Write asc or desc for every column."
    ),
    "precision-default": _warning(
        "Two decimals are shown: real differences disappear.", "Write the number of decimals."
    ),
    "precision-range": _error(
        "The board cannot show the column: scores have at most ten decimals.", "Use 0 to 10."
    ),
    "computation": _error(
        "The upload is refused.", "Give a computation and a list of the indexes of other columns."
    ),
    "column-not-scored": _error(
        "The column shows n/a, and with descending order a missing primary score ranks first.",
        "Use a key that the scoring program writes.",
    ),
    "primary-not-first-score": _warning(
        "The board ranks by another score than the one the program calls primary.",
        "Make the program's first score the primary column.",
    ),
    "scores-undeclared": _warning(
        "The columns cannot be held against the keys that the program writes.",
        "Declare them: SCORES = (\"primary\", ...) at the top level of the scoring script.",
    ),
    # Programs and data
    "archive-wrapped": _error(
        "A folder was zipped instead of its contents: the program's metadata is not found.",
        "Zip the contents of the folder.",
    ),
    "data-wrapped": _warning(
        "Everything lies one folder deeper than the programs look.", "Zip the contents of the folder."
    ),
    "data-empty": _error("The programs find nothing to read.", "Put the data in the zip."),
    "program-metadata-missing": _error(
        "The worker does not know what to run: no submission gets a score.",
        "Add the file with its 'command:' at the root of the program's zip.",
    ),
    "program-metadata-invalid": _error(
        "The worker does not know what to run: no submission gets a score.",
        "Write one line: 'command: python3 ...'.",
    ),
    "program-command-missing": _error(
        "The worker has nothing to run: no submission gets a score.", "Write 'command: python3 ...'."
    ),
    "command-file": _error(
        "The program does not start: no submission gets a score.", "Name a file that is in the program's zip."
    ),
    "command-path": _error(
        "That path does not exist in this step's container.", "Use a path that the step provides."
    ),
    "command-variable": _warning(
        "The variable stands for different places in different modes of the worker.",
        "Write the literal /app/... path.",
    ),
    "command-variable-unknown": _error(
        "It is passed on as it stands, with its dollar sign.", "Use a path, or a variable that is replaced."
    ),
    "command-literal-path": _error(
        "CodaLab's worker does not work in /app: the path does not exist.",
        "Use $program, $input and $output.",
    ),
    "command-shell": _error(
        "No shell runs the command: such signs are passed to the program as words.",
        "Run one program with plain arguments; put the rest into a script.",
    ),
    "command-spaces": _error(
        "CodaLab splits at every single space: an extra one becomes an empty argument.",
        "Write exactly one space between words.",
    ),
    "program-syntax": _error("The program stops before it has begun.", "Correct the script."),
    "package-missing": _error(
        "The import fails: no submission gets a score.", "Put the package in the program's zip."
    ),
    "options-invalid": _error(
        "The scoring program refuses its options: every submission fails.",
        "Use the options and values that the scoring script declares in OPTIONS.",
    ),
    # Hidden labels
    "leak-file": _error(
        "Participants can read the hidden labels.", "Remove the file from everything that is public."
    ),
    "leak-column": _error(
        "Participants can read the hidden labels.", "Remove the column from everything that is public."
    ),
    "leak-order": _warning(
        "The order of the public items gives the hidden labels away.", "Sort the item list by item, or shuffle it."
    ),
}  # fmt: skip


class Report:
    """Findings in the order in which they were made, each once."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def add(self, code: str, where: str, what: str) -> None:
        rule = RULES[code]
        finding = Finding(code, rule.level, where, what, rule.platform, rule.remedy)
        if finding not in self.findings:
            self.findings.append(finding)


def format_findings(findings: Iterable[Finding]) -> str:
    """The findings for people, errors first: where, what, what the platform does then, what to do."""
    ordered = sorted(findings, key=lambda finding: finding.level != "error")
    if not ordered:
        return "No findings."
    errors = sum(finding.level == "error" for finding in ordered)
    blocks = [f"{_count(errors, 'error')}, {_count(len(ordered) - errors, 'warning')}"]
    blocks += [
        f"{finding.level:<8} {finding.where}   [{finding.code}]\n"
        f"         {finding.what}\n"
        f"         then: {finding.platform}\n"
        f"         do:   {finding.remedy}"
        for finding in ordered
    ]
    return "\n\n".join(blocks)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
