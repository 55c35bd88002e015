"""Check a system description for missing or empty sections and for pre-trained models that are not documented.

    python3 check_description.py [FILE]        (default: system_description.md)

The sections are those of Appendix D of the MERLIon CCS Challenge evaluation plan, in any order, under headings of any
level. The exit status is 0 if the description is complete. Needs only Python.
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
    "Voice activity detection": "voice activity detection|vad",
    "Acoustic features": "acoustic features",
    "Signal processing": "signal processing",
    "Segment representation": "segment representation",
    "Clustering": "clustering",
    "Results": "results",
    "Development set": "development",
    "Evaluation set": "evaluation",
}
MODELS = "pre-?trained models?"
LARGEST_HOURS = 100

KNOWN_MODELS = (
    "ecapa",
    "hubert",
    "mms",
    "titanet",
    "unispeech",
    "wav2vec",
    "wavlm",
    "whisper",
    "xls-r",
    "xlsr",
)
"""Names by which public pre-trained models are recognised in a text."""


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
        print(f"{path.name}: complete. All sections are filled in and every pre-trained model is documented.")
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
    if not tracks or not re.search("open|closed", tracks, re.IGNORECASE):
        yield "the line 'Tracks: ...' is missing, or contains neither open nor closed"
    is_open = "open" in tracks.lower()
    yield from check_hours(field(text, "Additional hours"), is_open)
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


def check_hours(hours: str, is_open: bool) -> Iterator[str]:
    """Check the additional training data: none in a closed track, at most 100 hours in an open one."""
    number = re.match(r"\d+(\.\d+)?\b", hours)
    if number is None:
        yield "the line 'Additional hours: ...' is missing or has no number"
    elif float(number[0]) > LARGEST_HOURS:
        yield f"{number[0]} additional hours; at most {LARGEST_HOURS} are allowed"
    elif float(number[0]) > 0 and not is_open:
        yield f"{number[0]} additional hours; a closed track allows none"


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
    for model in KNOWN_MODELS:
        if re.search(rf"\b{model}", elsewhere) and model not in listed:
            yield f"'{model}' is mentioned but not listed under 'Pre-trained models'; add its name, version and URL"


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
