"""Pages of a competition: Markdown with the facts filled in from `competition.yaml`, HTML for CodaLab."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from string import Template

from markdown_it import MarkdownIt

from .manifest import Bundle, ManifestError, page_path

_RULES = {
    "Add": "The submission that you choose is on the board.",
    "Add_And_Delete": "The submission that you choose is on the board; you may take it back.",
    "Add_And_Delete_Multiple": "The submissions that you choose are on the board; you may take them back.",
    "Force_Last": "Your **last** submission is on the board, not your best.",
    "Force_Latest_Multiple": "All your submissions are on the board, the latest first.",
    "Force_Best": "Your **best** submission by the first column is on the board, not your last.",
}


def page_text(root: Path, bundle: Bundle, file: str) -> str:
    """A page in Markdown. `${name}` stands for a fact of the bundle, `$$` for a dollar sign.

    Raises
    ------
    ManifestError: a page that is not UTF-8, a `$` that stands for nothing.
    """
    path = page_path(root, bundle, file)
    where = path.relative_to(root).as_posix()
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError(f"{where} line {line}: not UTF-8; save the page as UTF-8") from None
    facts = {
        "title": bundle["title"],
        "description": bundle["description"],
        "organiser": bundle["organiser"],
        "contact_email": bundle["contact_email"],
        "columns": _columns_table(bundle),
        "phases": _phases_table(bundle),
        "rule": _RULES[bundle["submission_rule"]],
    }

    for found in Template.pattern.finditer(text):
        name = found["named"] or found["braced"] or ""
        if name in facts or found["escaped"]:
            continue
        line = text.count("\n", 0, found.start()) + 1
        near = get_close_matches(name, facts, 1)
        hint = f"did you mean ${{{near[0]}}}?" if near else f"${{name}} can be {', '.join(facts)}."
        raise ManifestError(f"{where} line {line}: {found[0]} stands for nothing; {hint} A dollar sign is $$")
    return Template(text).substitute(facts)


def page_html(markdown: str) -> str:
    """A page as HTML, without styles or scripts."""
    return str(MarkdownIt("commonmark").enable("table").render(markdown))


def _columns_table(bundle: Bundle) -> str:
    rows = ["| column | better | what it is |", "|---|---|---|"]
    for column in bundle.columns:
        primary = " (decides the rank)" if column is bundle.columns[0] else ""
        rows.append(f"| {column.title}{primary} | {column.direction} | {column.description} |")
    return "\n".join(rows)


def _phases_table(bundle: Bundle) -> str:
    rows = ["| phase | from (UTC) | to (UTC) | a day | in all | what for |", "|---|---|---|---|---|---|"]
    for phase in bundle.phases:
        end = phase.end or "open"
        limits = f"{phase.max_submissions_per_day} | {phase.max_submissions}"
        rows.append(f"| {phase.name} | {phase.start} | {end} | {limits} | {phase.description} |")
    return "\n".join(rows)
