"""Check a system description: sections, results, additional hours of training data, and pre-trained models.

    python3 check_description.py [FILE]        (default: system_description.md)

The sections are those of Appendix D of the MERLIon CCS Challenge evaluation plan, in any order, under headings of any
level; the subsections that it suggests may be missing. The exit status is 0 if the description is complete. Needs only
Python.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Optional

SECTIONS = {
    "Authors": "authors?",
    "Abstract": "abstract",
    "Notable highlights": "(brief summary of )?(notable )?highlights",
    "Data resources": "data resources",
    "Detailed description of the algorithm": "(detailed )?description of (the )?algorithm",
    "Results": "results",
}
MODELS = "pre-?trained models?"
LARGEST_HOURS = 100

SETS = {"development": "dev(elopment)?", "evaluation": "eval(uation)?"}
SCORES = {
    "1": {"EER": "EER|equal error rates?", "balanced accuracy": "balanced accurac(y|ies)"},
    "2": {
        "language diarization error rate": "L?DER|diari[sz]ation error rates?",
        "English error": "English (language )?error",
        "Mandarin error": "Mandarin (language )?error",
    },
}
"""The scores that Appendix D requires of each task, on both sets, and how they are written."""

HOURS = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(\s?k)?[\s-]*(?:h|hrs?|hours?)\b", re.IGNORECASE)
NOT_ADDITIONAL = re.compile(
    r"librispeech|aishell|national speech corpus|\bNSC\b|seame\b|pre-?selected|(development|evaluation) set|pre-?train|"
    r"\b[CG]PU|\btook\b",
    re.IGNORECASE,
)
"""Words beside hours that are not additional: of the challenge's own data, pre-training by others, computing."""
SELECTED = re.compile(r"\b(of which|first|subset|selected|random(ly)?)\b", re.IGNORECASE)

KNOWN_MODELS = (
    "data2vec",
    "ecapa",
    "emotion2vec",
    "hubert",
    "mms",
    "owsm",
    "seamless[ -]?m4t",
    "speecht5",
    "titanet",
    "unispeech",
    "voxlingua",
    "w2v-bert",
    "wav2vec",
    "wavlm",
    "whisper",
    "xls-r",
    "xlsr",
)
"""Names by which public pre-trained models are recognised in a text."""
UNNAMED = re.compile(r"(pre-?trained|foundation) (model|encoder|network|embedding|checkpoint)", re.IGNORECASE)
NOT_USED = re.compile(r"\b(no|not|none|without|never)\b", re.IGNORECASE)


class Section(NamedTuple):
    """A heading and the text below it, including sections of a lower level."""

    title: str
    line: int
    text: str


def main() -> int:
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    path = Path(sys.argv[1] if len(sys.argv) == 2 else "system_description.md")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        print(f"{path} cannot be read: {error}", file=sys.stderr)
        return 1
    problems = list(check(text))
    for problem in problems:
        print(f"{path.name}: {problem}", file=sys.stderr)
    if not problems:
        print(
            f"{path.name}: complete. It has all sections and results, the additional hours of training data, and every "
            "pre-trained model with its version and URL."
        )
    return 1 if problems else 0


def check(text: str) -> Iterator[str]:
    """Yield a message for each problem."""
    text = re.sub(r"<!--.*?-->", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    sections = read_sections(text)
    for title, pattern in SECTIONS.items():
        section = find(sections, pattern)
        if section is None:
            yield f"section '{title}' is missing"
        elif not written(section.text):
            yield f"line {section.line}: section '{section.title}' is empty"
    tracks = field(text, "Tracks?")
    tasks = sorted(set(re.findall(r"Task\s*([12])", tracks, re.IGNORECASE)))
    if not tasks or not re.search("open|closed", tracks, re.IGNORECASE):
        yield "the line 'Tracks: ...' is missing, or lacks a task or its track, as in 'Task 1 open, Task 2 closed'"
    is_open = "open" in tracks.lower()
    yield from check_results(find(sections, SECTIONS["Results"]), tasks)
    yield from check_hours(text, is_open)
    yield from check_models(sections, text, is_open)


def read_sections(text: str) -> list[Section]:
    """Return every section, in the order of the text."""
    lines = text.split("\n")
    headings = []
    for number, line in enumerate(lines):
        heading = re.match(r"(#+)\s+(?:(?:\d+|[a-z])[.)]\s*)?(.*?)\s*#*$", line)
        if heading:
            headings.append((number, len(heading[1]), heading[2]))
    sections = []
    for index, (number, level, title) in enumerate(headings):
        below = [other for other, depth, _ in headings[index + 1 :] if depth <= level]
        sections.append(
            Section(title, number + 1, "\n".join(lines[number + 1 : below[0] if below else len(lines)]))
        )
    return sections


def find(sections: list[Section], pattern: str) -> Optional[Section]:
    """Return the first section whose title begins with a pattern, or None."""
    for section in sections:
        if re.match(rf"(?:{pattern})\b", section.title, re.IGNORECASE):
            return section
    return None


def written(text: str) -> str:
    """Return the author's own text, without headings, fields, table frames and the template's text in brackets."""
    kept = [
        line
        for line in text.split("\n")
        if not re.match(r"#|\s*\|[\s:|-]*$|\s*\|\s*model\s*\|", line)
        and not re.match(r"Additional hours:", line)
    ]
    return re.sub(r"^\(.*\)$", "", "\n".join(kept).strip(), flags=re.MULTILINE).strip()


def field(text: str, name: str) -> str:
    """Return the text after `name:`, or an empty string if it is still the template's."""
    found = re.search(rf"^{name}:[ \t]*(.*)$", text, re.MULTILINE | re.IGNORECASE)
    return "" if found is None or found[1].startswith("(") else found[1].strip()


def check_results(section: Optional[Section], tasks: list[str]) -> Iterator[str]:
    """Check that every required score has a number on both sets."""
    there = set() if section is None else reported(section.text)
    for task in tasks if section is not None else ():
        for each in SETS:
            lacking = [score for score in SCORES[task] if (each, score) not in there]
            if lacking:
                yield f"section 'Results': Task {task}, {each} set: no number for {', '.join(lacking)}"


def reported(text: str) -> set[tuple[str, str]]:
    """Return the sets and scores that have a number: below or after their names, in a table or in a sentence."""
    there: set[tuple[str, str]] = set()
    title = ""
    header: list[str] = []
    text = re.sub(r"(?i)\b(task|system|track)\s*\d+", r"\1", text)
    text = re.sub("^(#.*)", r"\1\n", text, flags=re.MULTILINE)
    for line in re.sub(r"(?<![\n|])\n(?![\n|#*-])", " ", text).split("\n"):  # paragraphs are lines
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("#"):
            title, header = line, []
        elif not line.lstrip().startswith("|"):
            header = []
            read_numbers(title, line, there)
        elif not header:
            header = cells
        else:
            words = " ".join(cell for cell in cells if not re.match(r"\d", cell))
            for above, cell in zip(header, cells):
                if re.match(r"\d", cell):
                    read_numbers(f"{title} {above} {words}", cell, there)
    return there


def read_numbers(context: str, text: str, there: set[tuple[str, str]]) -> None:
    """Add the sets and scores of each number in a text: those named last before it, else those of the context."""
    names = {**SETS, **SCORES["1"], **SCORES["2"]}
    named = {
        name for name, pattern in names.items() if re.search(rf"\b(?:{pattern})\b", context, re.IGNORECASE)
    }
    any_name = "|".join(rf"\b(?:{pattern})\b" for pattern in names.values())
    for found in re.finditer(rf"{any_name}|\d+", text, re.IGNORECASE):
        if found[0].isdigit():
            there |= {(each, score) for each in named & set(SETS) for score in named - set(SETS)}
            continue
        name = next(key for key, pattern in names.items() if re.fullmatch(pattern, found[0], re.IGNORECASE))
        named = {other for other in named if (other in SETS) != (name in SETS)} | {name}


def check_hours(text: str, is_open: bool) -> Iterator[str]:
    """Check the additional training data: none in a closed track, at most 100 hours in an open one, and as declared."""
    number = re.match(r"\d+(\.\d+)?\b", field(text, "Additional hours"))
    if number is None:
        yield "the line 'Additional hours: ...' is missing or has no number"
        return
    declared = float(number[0])
    if declared > LARGEST_HOURS:
        yield f"{number[0]} additional hours; at most {LARGEST_HOURS} are allowed"
    elif declared > 0 and not is_open:
        yield f"{number[0]} additional hours; a closed track allows none"
    for line, sentence in sentences(text):
        words = HOURS.split(sentence)
        for place in range(0, len(words) - 3, 3):
            before, amount, thousands, after = words[place : place + 4]
            part = place + 4 < len(words) and SELECTED.search(
                after
            )  # of a corpus; the hours that follow are used
            hours = float(amount.replace(",", "")) * (1000 if thousands else 1)
            if hours > declared and not part and not NOT_ADDITIONAL.search(f"{before} {after}"):
                yield (
                    f"line {line}: {amount}{thousands or ''} hours, but 'Additional hours: {number[0]}'. Count all "
                    "training data beside the preselected; beside other hours, name their corpus, such as LibriSpeech"
                )


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each sentence, row of a table, or item of a list, without headings."""
    text, place = re.sub("^#.*", "", text, flags=re.MULTILINE), 0
    for part in re.split(r"((?<=[.;!?])\s+|\n\s*\n|\n(?=[|*-]))", text):
        if part.strip():
            yield text.count("\n", 0, place) + 1, part
        place += len(part)


def check_models(sections: list[Section], text: str, is_open: bool) -> Iterator[str]:
    """Check that every pre-trained model is listed with its name, version and URL."""
    section = find(sections, MODELS)
    rows = [] if section is None else model_rows(section)
    for line, cells in rows:
        named = cells[0] or "a model without a name"
        if not is_open:
            yield f"line {line}: pre-trained model {named}; a closed track allows none"
        for what, cell in zip(("name", "version", "URL"), cells):
            if not cell:
                yield f"line {line}: pre-trained model {named}: the {what} is missing"
        if cells[2] and not re.match(r"https?://[^\s/]+\.[^\s/]+", cells[2]):
            yield f"line {line}: pre-trained model {named}: {cells[2]!r} is not a URL (https://...)"
    if section is None or (not rows and not written(section.text)):
        yield "section 'Pre-trained models' is missing or empty; list every model, or write 'none'"
    listed = " ".join(cells[0].lower() for _, cells in rows)
    elsewhere = text.lower() if section is None else text.replace(section.text, "").lower()
    for line, sentence in sentences("" if rows else text):
        if UNNAMED.search(sentence) and not NOT_USED.search(sentence):
            yield f"line {line}: a pre-trained model is mentioned, but none is listed under 'Pre-trained models'"
    for model in KNOWN_MODELS:
        found = re.search(rf"\b{model}", elsewhere)
        if found and not re.search(model, listed):
            yield f"'{found[0]}' is mentioned but not listed under 'Pre-trained models'; add its name, version and URL"


def model_rows(section: Section) -> list[tuple[int, list[str]]]:
    """Return the line and the three cells of each row below the table's header."""
    rows = []
    for line, row in enumerate(section.text.split("\n"), section.line + 1):
        if row.lstrip().startswith("|") and set(row) - set(" |:-"):
            cells = [cell.strip() for cell in row.strip().strip("|").split("|")]
            if cells[0].lower() not in ("model", "none"):
                rows.append((line, [*cells, "", "", ""][:3]))
    return rows


if __name__ == "__main__":
    sys.exit(main())
