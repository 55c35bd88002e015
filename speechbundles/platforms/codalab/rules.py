"""Defects of a bundle that concern CodaLab only: the effect of each, and how to fix it."""

from speechbundles.platforms.rules import Rule, error, warning

RULES: dict[str, Rule] = {
    "yaml-shadowed": error("CodaLab reads the first entry with '.yaml' in its name as competition.yaml.",
        "Put competition.yaml first in the zip."),
    "yaml-extra": warning("CodaLab reads the first entry with '.yaml' in its name as competition.yaml.",
        "Keep every other .yaml file inside the inner zips."),
    "file-not-zip-name": error("CodaLab reads any other value as the key of a stored data set, and refuses it.",
        "Name an inner .zip file."),
    "date-unquoted-import": warning("CodaLab keeps the time; Codabench drops it when it imports the same file.",
        'Quote it: "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "phase-too-short": warning("Codabench, if it imports this file, ends a phase one day before the next one starts.",
        "Leave more than a day between the starts, or upload the version 2 bundle to Codabench."),
    "hide-not-imported": warning("CodaLab hides the results; Codabench hides nothing when it imports the same file.",
        "Upload the version 2 bundle to Codabench."),
    "limit-none-allowed": error("On CodaLab 0 means that nobody can submit.",
        "Write the number that you intend."),
    "leaderboard-label": error("CodaLab refuses it: the two labels must be identical.",
        "Copy the leaderboard's label."),
    "leaderboard-no-column": error("The leaderboard cannot be shown.", "Give it a column, or remove it."),
    "column-rank": error("The order of the columns, and therefore the primary column, is undefined.",
        "Give every column a different rank."),
    "command-literal-path": error("CodaLab's worker does not work in /app: the path does not exist.",
        "Use $program, $input and $output."),
    "command-spaces": error("CodaLab splits the command at each space: an extra space becomes an empty argument.",
        "Write exactly one space between words."),
}  # fmt: skip
