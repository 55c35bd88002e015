"""What the platforms do with a defect of a bundle, and what to do about it: one rule a code.

Levels: an `error` is refused by a platform, or lets a score or a secret go wrong; a `warning` works, but
rarely as meant. The consequences are those of the platforms' public sources (Codabench, version 2 bundles;
CodaLab Competitions 1.5), which win over their documentation where the two differ.
"""

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Rule:
    level: Level
    platform: str
    remedy: str


def error(platform: str, remedy: str) -> Rule:
    return Rule("error", platform, remedy)


def warning(platform: str, remedy: str) -> Rule:
    return Rule("warning", platform, remedy)


RULES: dict[str, Rule] = {
    "bundle-not-zip": error("The upload is refused.", "Upload the zip that the builder wrote."),
    "bundle-large": warning("Large uploads time out, and every submission downloads its share of the bundle again.",
        "Leave out what scoring does not need; offer big data as a separate download."),
    "not-a-zip": error("It is stored as it is; the worker cannot unpack it and every submission fails.",
        "Make it a zip archive."),
    "archive-oversized": error("Unpacking fills the server's or the worker's disk; it was not checked.",
        "Leave large data out of the bundle."),
    "entry-corrupt": error("Unpacking fails.", "Write the zip again."),
    "entry-duplicate": error("Which of the two is kept depends on the tool that unpacks.",
        "Keep one entry of each name."),
    "entry-encrypted": error("The platforms have no password: unpacking fails.",
        "Write the zip without encryption."),
    "entry-junk": warning("It is unpacked with the rest, shown to participants, and may be read as data.",
        "Delete it and zip again."),
    "entry-link": error("A link is unpacked as a text file that holds its target.",
        "Put the file itself in the zip."),
    "entry-path-unsafe": error("Such an entry is renamed or refused when it is unpacked.",
        "Use relative paths with forward slashes and no '..'."),

    "yaml-missing": error("The upload is refused.", "Put competition.yaml at the root of the zip."),
    "yaml-misnamed": error("The upload is refused: the name must match.", "Name it competition.yaml."),
    "yaml-in-folder": error("The upload is refused: competition.yaml must be at the root.",
        "Zip the folder's contents, not the folder."),
    "yaml-not-first": warning(
        "It works, until an entry with '.yaml' in its name comes before it (CodaLab reads the first).",
        "Put competition.yaml first in the zip."),
    "yaml-not-utf8": error("The upload fails with a server error.", "Save it as UTF-8."),
    "yaml-invalid": error("The upload is refused.", "Correct the YAML at this place."),
    "duplicate-key": error("The last value silently replaces the earlier ones.",
        "Keep one of them, or rename one."),

    "unknown-key": error("Codabench ignores an unknown key in silence; CodaLab refuses the bundle.",
        "Correct the key, or remove it."),
    "missing-key": error("The upload is refused.", "Add the key."),
    "wrong-type": error("The upload is refused, or the value is misread.",
        "Write a value of the expected type."),
    "empty": error("The upload is refused, or the competition is useless.", "Fill it in."),
    "too-long": error("The upload is refused by the database.", "Shorten it."),
    "choice": error("The upload is refused, or the value has no effect.", "Use one of the listed values."),
    "docker-missing": warning(
        "The default applies (Python 3.7 on Codabench), and a changed default has broken live competitions.",
        "Pin an image, such as codalab/codalab-legacy:py312."),
    "docker-unpinned": warning("The image may change under a running competition.",
        "Give a fixed tag or a digest."),
    "docker-invalid": error("The worker cannot pull it: every submission fails.", "Write repository:tag."),
    "docker-too-old": error("The programs stop at once on this image: they need Python 3.9.",
        "Use codalab/codalab-legacy:py39 or py312."),

    "file-missing": error("The upload is refused.", "Correct the path, or put the file in the zip."),
    "file-path-outside": error("The path leaves the bundle: refused, or a file of the server is taken.",
        "Use a path relative to competition.yaml."),
    "image-format": error("The logo is refused, and with it the upload.", "Use a PNG, JPEG or GIF file."),
    "image-broken": error("Making the logo's thumbnail fails, and with it the upload.",
        "Save the image again."),
    "image-shape": error("The thumbnail, 100 pixels wide, would have no height: the upload fails.",
        "Use an image less than a hundred times as wide as it is high."),
    "page-empty": error("The upload is refused.", "Write the page."),
    "page-large": warning("Each visitor downloads it; its content is not checked here.",
        "Link to large pictures by a full address instead of embedding them."),
    "page-not-utf8": error("The upload fails with a server error.", "Save the page as UTF-8."),
    "page-relative-link": warning("Pages are stored as text, without their folder: the link or image is broken.",
        "Use a full address, or embed the image as data."),

    "date-offset": error("Codabench drops an offset or a zone and reads the rest as UTC.",
        'Convert it to UTC: "YYYY-MM-DD HH:MM:SS".'),
    "date-format": warning("It is read as the value shown, by a lenient parser.",
        'Write "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "date-invalid": error("The upload is refused.", 'Write "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "phase-index": warning("Phases are put in the order of their numbers, whatever the order in the file.",
        "Number the phases in the order in which they are written."),
    "phase-end-before-start": error("Accepted without a word; nobody can ever submit to the phase.",
        "Put the end after the start."),
    "phase-overlap": error("Phases must follow one another: the upload is refused, or a phase never opens.",
        "Start a phase after the one before has ended."),
    "auto-migrate-first": error("Codabench refuses it on the first phase, and CodaLab drops it.",
        "Remove it from the first phase."),
    "limit-negative": error("The upload is refused.", "Write a number of at least 1."),
    "limit-inconsistent": warning("The smaller limit, over the whole phase, is reached first.",
        "Set the daily limit below the total."),
    "time-limit-default": warning("0 or null is ignored: the default applies (600 s on Codabench).",
        "Write the seconds, or leave it out."),
    "detailed-results-exposed": error(
        "No hide option covers detailed_results.html: anyone can fetch it once the competition is public.",
        "Turn enable_detailed_results off, or the option detailed_results of the scoring program."),

    "deciding-submissions": warning("Many attempts at a hidden set favour luck, and tell its labels.",
        "Allow three submissions in all, or fewer, in the phase that decides."),
    "development-short": warning("Only who works on the problem already can take part in so short a time.",
        "Let 40 days or more pass before the phase that decides."),
    "review-window": warning("There is no time in which nothing comes in, to look at the winners.",
        "End the phase that decides, and leave a week before another begins."),
    "phase-past": warning("Nobody can ever submit to it.", "Set the dates anew."),
    "licence-missing": warning("Participants cannot tell what they may do with the data.",
        "Set data_licence, and have ${data_licence} on a page."),

    "solution-metadata": error("The worker takes a submission with a metadata file for code, and runs its command.",
        "Leave metadata out of a results submission."),
    "archive-wrapped": error("A folder was zipped instead of its contents: the program's metadata is not found.",
        "Zip the contents of the folder."),
    "data-wrapped": warning("Everything lies one folder deeper than the programs look.",
        "Zip the contents of the folder."),
    "data-empty": error("The programs find nothing to read.", "Put the data in the zip."),
    "program-metadata-missing": error("The worker does not know what to run: no submission gets a score.",
        "Add the file with its 'command:' at the root of the program's zip."),
    "program-metadata-invalid": error("The worker does not know what to run: no submission gets a score.",
        "Write one line: 'command: python3 ...'."),
    "program-command-missing": error("The worker has nothing to run: no submission gets a score.",
        "Write 'command: python3 ...'."),
    "command-file": error("The program does not start: no submission gets a score.",
        "Name a file that is in the program's zip."),
    "command-variable-unknown": error("It is passed on as it stands, with its dollar sign.",
        "Use a path, or a variable that is replaced."),
    "command-shell": error("No shell runs the command: such signs are passed to the program as words.",
        "Run one program with plain arguments; put the rest into a script."),
    "program-syntax": error("The program stops before it has begun.", "Correct the script."),
    "package-missing": error("The import fails: no submission gets a score.",
        "Put the package in the program's zip."),
    "options-invalid": error("The scoring program refuses its options: every submission fails.",
        "Use the options and values that the scoring script declares in OPTIONS."),

    "sorting-default": warning("'desc' applies: the highest score ranks first.",
        "Write asc or desc for every column."),
    "precision-default": warning("Two decimals are shown: real differences disappear.",
        "Write the number of decimals."),
    "precision-range": error("The board cannot show the column: scores have at most ten decimals.",
        "Use 0 to 10."),
    "column-not-scored": error("The column shows n/a, and with descending order a missing primary score ranks first.",
        "Use a key that the scoring program writes."),
    "primary-not-first-score": warning("The board ranks by another score than the one the program calls primary.",
        "Make the program's first score the primary column."),
    "scores-undeclared": warning("The columns cannot be held against the keys that the program writes.",
        'Say them in task.json beside the scoring script: {"scores": [{"key": "primary"}, ...], "options": {}}.'),

    "leak-file": error("Participants can read the hidden labels.",
        "Remove the file from everything that is public."),
    "leak-column": error("Participants can read the hidden labels.",
        "Remove the column from everything that is public."),
    "leak-attempts": warning(
        "Whoever tries so often climbs by chance, in steps or not: 1,000 attempts gain many standard errors.",
        "Lower max_submissions, or seal a share of the set."),
    "leak-scores": warning("So many attempts can tell a good part of the hidden labels.",
        "Lower max_submissions, or seal a share of the set; where scores are exact, say feedback: coarse first."),
    "sealed-uploaded": error("The platform would have labels that it must not have, and could tell them.",
        "Remove the rows; build the bundle again."),
    "sealed-missing": error("Submissions are scored, but the sealed labels that the final ranking needs may be lost.",
        "Keep the folder that the build wrote beside the bundle's, or build again into the same folder."),
    "leak-order": warning("The order of the public items gives the hidden labels away.",
        "Sort the item list by item, or shuffle it."),
    "leak-unsearched": warning("Hidden labels in it would not be found here.",
        "Look through it, or leave it out."),
}  # fmt: skip
