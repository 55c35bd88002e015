"""What CodaLab alone does with a defect of a bundle, and what to do about it."""

from speechbundles.platforms.rules import Rule, error, warning

RULES: dict[str, Rule] = {
    "yaml-shadowed": error("CodaLab reads the first entry whose name contains '.yaml' as the competition.",
        "Put competition.yaml first in the zip."),
    "yaml-extra": warning("CodaLab reads whichever entry with '.yaml' in its name comes first.",
        "Keep every other .yaml file inside the inner zips."),
    "file-not-zip-name": error("CodaLab takes any other value for the key of a stored dataset, and refuses it.",
        "Name an inner .zip file."),
    "date-unquoted-import": warning("CodaLab keeps the time; Codabench, importing the same file, drops it.",
        'Quote it: "YYYY-MM-DD HH:MM:SS", in UTC.'),
    "phase-too-short": warning("Codabench, importing the same file, ends a phase one day before the next one starts.",
        "Leave more than a day between the starts, or upload the version 2 bundle to Codabench."),
    "hide-not-imported": warning("CodaLab hides the results; Codabench, importing the same file, hides nothing.",
        "Upload the version 2 bundle to Codabench."),
    "limit-none-allowed": error("0 means on CodaLab that nobody may submit.",
        "Write the number that you mean."),
    "leaderboard-label": error("CodaLab refuses it: the labels must be equal to the letter.",
        "Copy the leaderboard's label."),
    "leaderboard-no-column": error("The leaderboard cannot be shown.", "Give it a column, or remove it."),
    "column-rank": error("The order of the columns, and with it the primary one, is left to chance.",
        "Give every column a rank of its own."),
    "command-literal-path": error("CodaLab's worker does not work in /app: the path does not exist.",
        "Use $program, $input and $output."),
    "command-spaces": error("CodaLab splits at every single space: an extra one becomes an empty argument.",
        "Write exactly one space between words."),
}  # fmt: skip
