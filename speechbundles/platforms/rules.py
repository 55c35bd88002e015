"""Defects of a bundle, one rule for each code: what the platforms do with the defect, and how to fix it.

Levels: an `error` is refused by a platform, leads to wrong scores or reveals a secret; a `warning` works, but
rarely as intended; a `note` can be as intended. The effects are taken from the platforms' public source code
(Codabench, version 2 bundles; CodaLab Competitions 1.5), not from their documentation where the two differ.
"""

from dataclasses import dataclass
from typing import Literal

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Rule:
    level: Level
    platform: str
    remedy: str


def error(platform: str, remedy: str) -> Rule:
    return Rule("error", platform, remedy)


def warning(platform: str, remedy: str) -> Rule:
    return Rule("warning", platform, remedy)


def note(platform: str, remedy: str) -> Rule:
    return Rule("note", platform, remedy)


RULES: dict[str, Rule] = {
    "bundle-not-zip": error("The upload is refused.", "Upload the zip that the build wrote."),
    "bundle-large": warning("Large uploads time out, and every submission downloads its share of the bundle again.",
        "Leave out files that scoring does not need; offer large data as a separate download."),
    "not-a-zip": error("The platform accepts it, but the worker cannot unpack it: every submission fails.",
        "Make it a zip archive."),
    "archive-oversized": error("Unpacking it can fill the disk of the server or the worker. It was not checked.",
        "Leave large data out of the bundle."),
    "entry-corrupt": error("Unpacking fails.", "Write the zip again."),
    "entry-duplicate": error("The tool that unpacks the zip decides which of the two is kept.",
        "Keep one entry of each name."),
    "entry-encrypted": error("The platforms have no password: unpacking fails.",
        "Write the zip without encryption."),
    "entry-junk": warning("It is unpacked with the other files, shown to participants, and can be read as data.",
        "Delete it and zip again."),
    "entry-link": error("A link is unpacked as a text file that contains the path of its target.",
        "Put the file itself in the zip."),
    "entry-path-unsafe": error("The entry is renamed or refused when it is unpacked.",
        "Use relative paths with forward slashes and no '..'."),

    "yaml-missing": error("The upload is refused.", "Put competition.yaml at the root of the zip."),
    "yaml-misnamed": error("The upload is refused: the name must match exactly.", "Name it competition.yaml."),
    "yaml-in-folder": error("The upload is refused: competition.yaml must be at the root.",
        "Zip the folder's contents, not the folder."),
    "yaml-not-first": warning(
        "The upload works, but CodaLab reads the first entry with '.yaml' in its name as competition.yaml.",
        "Put competition.yaml first in the zip."),
    "yaml-not-utf8": error("The upload fails with a server error.", "Save it as UTF-8."),
    "yaml-invalid": error("The upload is refused.", "Correct the YAML at this place."),
    "duplicate-key": error("The last value silently replaces the earlier ones.",
        "Keep one of them, or rename one."),

    "unknown-key": error("Codabench silently ignores an unknown key; CodaLab refuses the bundle.",
        "Correct the key, or remove it."),
    "missing-key": error("The upload is refused.", "Add the key."),
    "wrong-type": error("The upload is refused, or the value is misread.",
        "Write a value of the expected type."),
    "empty": error("The upload is refused, or the competition is useless.", "Fill it in."),
    "too-long": error("The upload is refused by the database.", "Shorten it."),
    "choice": error("The upload is refused, or the value has no effect.", "Use one of the listed values."),
    "docker-missing": warning(
        "The default image is used (Python 3.7 on Codabench). Changes of the default have broken live competitions.",
        "Pin an image, such as codalab/codalab-legacy:py312."),
    "docker-unpinned": warning("The image can change during the competition.",
        "Give a fixed tag or a digest."),
    "docker-invalid": error("The worker cannot pull the image: every submission fails.", "Write repository:tag."),
    "docker-too-old": error("The programs stop at once in this image: they need Python 3.9.",
        "Use codalab/codalab-legacy:py39 or py312."),

    "file-missing": error("The upload is refused.", "Correct the path, or put the file in the zip."),
    "file-path-outside": error("The path leaves the bundle: it is refused, or names a file of the server.",
        "Use a path relative to competition.yaml."),
    "image-format": error("The upload is refused because of the logo.", "Use a PNG, JPEG or GIF file."),
    "image-broken": error("The upload fails because no thumbnail of the logo can be made.",
        "Save the image again."),
    "image-shape": error("The upload fails because the thumbnail, 100 pixels wide, would have no height.",
        "Use an image that is less than a hundred times as wide as it is high."),
    "page-empty": error("The upload is refused.", "Write the page."),
    "page-large": warning("Each visitor downloads the page. Its content is not checked here.",
        "Link to large pictures by a full address instead of embedding them."),
    "page-not-utf8": error("The upload fails with a server error.", "Save the page as UTF-8."),
    "page-relative-link": warning("The link or image is broken, because pages are stored without their folder.",
        "Use a full address, or embed the image as data."),

    "date-offset": error("Codabench drops the offset or time zone and reads the rest as UTC.",
        'Convert it to UTC: "YYYY-MM-DD HH:MM:SS".'),
    "date-format": warning("A lenient parser reads it as the date shown.",
        'Write "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "date-invalid": error("The upload is refused.", 'Write "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "phase-index": warning("Phases are sorted by their numbers, not by their order in the file.",
        "Number the phases in the order in which they are written."),
    "phase-end-before-start": error("The platform accepts it, but nobody can ever submit to the phase.",
        "Put the end after the start."),
    "phase-overlap": error("The upload is refused, or a phase never opens: phases must not overlap.",
        "Start each phase after the end of the previous one."),
    "auto-migrate-first": error("Codabench refuses it on the first phase, and CodaLab drops it.",
        "Remove it from the first phase."),
    "limit-negative": error("The upload is refused.", "Write a number of at least 1."),
    "limit-inconsistent": warning("The limit for the whole phase is reached first: the daily limit has no effect.",
        "Set the daily limit below the total."),
    "time-limit-default": warning("0 or null is ignored, and the default applies (600 s on Codabench).",
        "Write the number of seconds, or remove the key."),
    "detailed-results-exposed": error(
        "No option hides detailed_results.html: anyone can fetch it once the competition is public.",
        "Turn off enable_detailed_results, or the option detailed_results of the scoring program."),

    "deciding-submissions": warning("Many attempts on a hidden set favour luck and reveal its labels.",
        "Allow at most three submissions in all in the deciding phase."),
    "development-short": warning("Only teams that already work on the problem can take part in so short a time.",
        "Keep the phases before the deciding phase open for at least 40 days in all."),
    "daily-default": warning("The platform's default applies: 5 a day on Codabench, 999 (no limit) on CodaLab.",
        "Write max_submissions_per_day."),
    "kit-missing": warning("Participants have nothing to start from, and find mistakes only by failed uploads.",
        "Give a phase a starting_kit with the format, an example and the scoring program, or link to one."),
    "submission-undescribed": warning("Participants do not know what to submit, or how.",
        "Describe the submission on a page: its files, their format, and where they are uploaded."),
    "review-window": warning("Submissions can arrive at any time, so there is no time to review the winners.",
        "Give the deciding phase an end, and leave a week before the next phase."),
    "phase-past": warning("Nobody can submit to the phase any more.", "Set new dates."),
    "licence-missing": warning("Participants do not know what they may do with the data.",
        "Set data_licence, and write ${data_licence} on a page."),

    "solution-metadata": error("The worker runs a submission with a metadata file as code, by its command.",
        "Leave the metadata file out of a results submission."),
    "archive-wrapped": error("A folder was zipped instead of its contents: the program's metadata is not found.",
        "Zip the contents of the folder."),
    "data-wrapped": warning("All files are one folder deeper than the programs expect.",
        "Zip the contents of the folder."),
    "data-empty": error("The programs find no data.", "Put the data in the zip."),
    "program-metadata-missing": error("The worker does not know what to run: no submission gets a score.",
        "Add the file, with a line 'command: ...', at the root of the program's zip."),
    "program-metadata-invalid": error("The worker does not know what to run: no submission gets a score.",
        "Write one line: 'command: python3 ...'."),
    "program-command-missing": error("The worker has nothing to run: no submission gets a score.",
        "Write 'command: python3 ...'."),
    "command-file": error("The program does not start: no submission gets a score.",
        "Name a file that is in the program's zip."),
    "command-variable-unknown": error("The program receives the variable's name, with its dollar sign, as text.",
        "Use a path, or a variable that the worker replaces."),
    "command-shell": error("No shell runs the command: the program receives such characters as plain arguments.",
        "Run one program with plain arguments; put everything else into a script."),
    "program-syntax": error("The program fails when it starts: no submission gets a score.", "Correct the script."),
    "package-missing": error("The import fails: no submission gets a score.",
        "Put the package in the program's zip."),
    "options-invalid": error("The scoring program refuses its options: every submission fails.",
        "Use the options and values that the scoring script declares in OPTIONS."),

    "sorting-default": warning("The default desc applies: the highest score ranks first.",
        "Write asc or desc for every column."),
    "precision-default": warning("The default of two decimals applies, which can make different scores look equal.",
        "Write the number of decimals."),
    "precision-range": error("The leaderboard cannot show the column: scores have at most ten decimals.",
        "Use a number from 0 to 10."),
    "column-not-scored": error("The column shows n/a; a missing primary score ranks first in descending order.",
        "Use a key that the scoring program writes."),
    "declaration-invalid": error("The scoring program cannot read its own task: every submission fails.",
        "Correct the declaration in competition.yaml and build again."),
    "score-not-written": warning("The column shows n/a; a missing primary score ranks first in descending order.",
        "Write the score under this key, or correct the key. Ignore this if the program computes the key."),
    "sorting-inverted": error("The leaderboard ranks the worst submission first.",
        "Write desc where higher is better, and asc where lower is better."),
    "sorting-doubtful": warning("If the name is right, the leaderboard ranks the worst submission first.",
        "Write desc where higher is better, and asc where lower is better. Ignore this if it is as you intend."),
    "primary-not-first-score": warning("The leaderboard does not rank by the program's primary score.",
        "Make the program's first score the primary column."),
    "scores-undeclared": warning("The columns cannot be compared with the keys that the program writes.",
        'List them in task.json beside the scoring script: {"scores": [{"key": "primary"}, ...], "options": {}}.'),

    "leak-file": error("Participants can read the hidden labels.",
        "Remove the file from everything that is public."),
    "leak-column": error("Participants can read the hidden labels.",
        "Remove the column from everything that is public."),
    "leak-attempts": warning(
        "The best of many attempts is high by chance, even if scores are rounded: 1,000 attempts gain many standard "
        "errors.",
        "Lower max_submissions, or seal a share of the set."),
    "leak-scores": warning("So many attempts can reveal a large part of the hidden labels.",
        "Set labels: home (recommended), seal a share of the set, or lower max_submissions. If scores are exact, first "
        "set feedback: coarse."),
    "sealed-uploaded": error("The platform would receive sealed labels, and could reveal them.",
        "Remove these rows and build the bundle again."),
    "sealed-missing": error("Submissions are scored, but the sealed labels that the final ranking needs may be lost.",
        "Keep the folder that the build wrote beside the bundle's folder, or build into the same folder again."),
    "home-missing": warning("The bundle was not searched for the labels that stay at home.",
        "Check the bundle in the folder that the build wrote."),
    "leak-order": warning("The order of the public items reveals the hidden labels.",
        "Sort the item list by item, or shuffle it."),
    "leak-facts": warning("Participants can predict hidden labels without the content of the items.",
        "Shuffle the items, give them random names, and write all files in one format, with the same time stamp "
        "and without metadata. Ignore this if the fact is a property of the task."),
    "leak-duration": note("Participants can answer by the duration, whatever the task is meant to measure.",
        "Ignore this if it is a property of the task, for example because longer answers are better. Otherwise cut the "
        "items to one length, or publish the score of a prediction by duration as a baseline."),
    "leak-unsearched": warning("Hidden labels in this file would not be found.",
        "Inspect the file yourself, or leave it out."),
}  # fmt: skip
