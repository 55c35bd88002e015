"""Builders of a self-contained HTML page; they escape all content that is not `Html` already.

A report has no script, and no page loads anything. Pages can be read on a phone and by a screen reader, and printed.
The same content gives the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Union

from ..formats.problems import printable

ROWS = 50
"""Number of rows of a table that are shown; further rows are only counted."""

UNFOLDED = 8
"""Number of rows of a long table that are shown without unfolding it."""

NARROW = 14
"""Number of characters of an id: names that are no longer do not wrap, and their column has no minimum width."""

LONGEST = 200
"""Number of characters of a table cell that are shown."""

_NUMBERS = re.compile(
    r"(?:none|not reached|–|(?:< )?[-+−]?[0-9](?:[-+−–=.,:0-9 ]|%|to|\((?:[A-Z]+|[-+−–.,0-9 to]+)\))*|)\Z"
)

STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")

_NUMBER, _NARROW = ' class="number"', ' class="narrow"'


@dataclass(frozen=True)
class Html:
    """Markup that is inserted into a page unchanged."""

    markup: str


Content = Union[Html, str, int]


def text(content: Content) -> str:
    """Return a text with its markup and unprintable characters escaped.

    Those are control characters, terminal escapes and changes of direction.
    """
    if isinstance(content, Html):
        return content.markup
    shown = str(content)
    return escape(shown if shown.isprintable() else printable(shown))


def paragraph(*contents: Content, kind: str = "") -> Html:
    """Return a paragraph; `kind` is a class of the style sheet: `refused` or `note`."""
    attribute = f' class="{kind}"' if kind else ""
    return Html(f"<p{attribute}>{' '.join(map(text, contents))}</p>")


def code(content: str) -> Html:
    """Return text in a monospaced font."""
    return Html(f"<code>{text(content)}</code>")


def strong(content: str) -> Html:
    """Return text in bold."""
    return Html(f"<strong>{text(content)}</strong>")


def facts(pairs: Sequence[tuple[str, Content]]) -> Html:
    """Return names with their values."""
    inner = "\n".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in pairs)
    return Html(f'<dl class="facts">\n{inner}\n</dl>')


def verdict(kind: str, words: str, reason: str) -> Html:
    """Return a verdict with its reason; `kind`, `good` or `bad`, gives it a colour."""
    opening = f'<div class="verdict {kind}">' if kind else '<div class="verdict">'
    rest = f"\n<p>{text(reason)}</p>" if reason else ""
    return Html(f"{opening}\n<p><strong>{text(words)}</strong></p>{rest}\n</div>")


def headline(name: str, number: str, about: str) -> Html:
    """Return a number in large type with its name before it and a remark after it."""
    return Html(f'<p class="headline">{text(name)} <strong>{text(number)}</strong> {text(about)}</p>')


def listing(rows: Iterable[Sequence[Content]]) -> Html:
    """Return a list; the first content of an entry is its title."""
    inner = "\n".join(f"<li>{'<br>'.join(map(text, row))}</li>" for row in rows)
    return Html(f"<ol>\n{inner}\n</ol>")


def lines(content: Sequence[str]) -> Html:
    """Return lines in a monospaced font, with their spaces."""
    return Html(f"<pre>{chr(10).join(map(text, content))}</pre>")


def section(title: str, *parts: Html | None) -> Html:
    """Return a part of the page with a heading; parts that are None are left out.

    The caption of a first table is not shown if it repeats the heading.
    """
    inner = "\n".join(part.markup for part in parts if part is not None)
    kind = ' class="titled"' if f"<caption><span>{text(title)}</span></caption>" in inner else ""
    return Html(f"<section{kind}>\n<h2>{text(title)}</h2>\n{inner}\n</section>")


def table(
    caption: str, header: Sequence[Content], rows: Iterable[Sequence[Content]], *, shown: int = ROWS
) -> Html:
    """Return a table whose first column names its rows; rows after the first `shown` are only counted.

    Cells with numbers (`12`, `1.5 to 2.5`, `2 (1.5 to 2.5)`, `31.4 %`, `640 (CA)`) are aligned right, and so is the
    title of a column that contains only numbers.
    """
    rows = list(rows)
    head = f'<th scope="col">{text(header[0])}</th>'
    for place, title in enumerate(header[1:], 1):
        kind = _NUMBER if all(_number(row[place]) for row in rows[:shown]) else ""
        head += f'<th scope="col"{kind}>{text(title)}</th>'
    body = []
    for first, *rest in rows[:shown]:
        cells = "".join(f"<td{_number(cell)}>{_cut(cell)}</td>" for cell in rest)
        body.append(f'<tr><th scope="row">{_cut(first)}</th>{cells}</tr>')
    label = text(caption)
    narrow = bool(rows) and all(len(_cut(row[0])) <= NARROW for row in rows[:shown])
    markup = [
        f'<div class="scroll" role="region" aria-label="{label}" tabindex="0">',
        f"<table{_NARROW if narrow else ''}>\n<caption><span>{label}</span></caption>",
        f"<thead><tr>{head}</tr></thead>",
        "<tbody>",
        *body,
        "</tbody>\n</table>\n</div>",
    ]
    if len(rows) > shown:
        markup.append(paragraph(f"{len(rows) - shown} more rows are not shown.", kind="note").markup)
    return Html("\n".join(markup))


def _cut(cell: Content) -> str:
    if isinstance(cell, str) and len(cell) > LONGEST:
        cell = cell[:LONGEST] + "..."
    return text(cell)


def _number(cell: Content) -> str:
    return _NUMBER if not isinstance(cell, Html) and _NUMBERS.match(str(cell)) else ""


def percent(part: float, whole: float) -> str:
    """Return a share in percent; `none` of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "none"


def folded(summary: str, *parts: Html | None, opened: bool = False) -> Html:
    """Return parts that are hidden below a summary line until the reader opens it."""
    inner = "\n".join(part.markup for part in parts if part is not None)
    attribute = " open" if opened else ""
    return Html(f"<details{attribute}>\n<summary>{text(summary)}</summary>\n{inner}\n</details>")


def long_table(
    caption: str, header: Sequence[Content], rows: Iterable[Sequence[Content]], *, shown: int = ROWS
) -> Html:
    """Return a table, folded if it has more than `UNFOLDED` rows."""
    rows = list(rows)
    whole = table(caption, header, rows, shown=shown)
    return whole if len(rows) <= UNFOLDED else folded(f"{caption} ({len(rows)} rows)", whole)


def figure(caption: str, label: str, svg: Html | None) -> Html:
    """Return a plot with its caption and its text for screen readers; without a plot, return a note.

    Wide plots scroll in their own box on a narrow screen.
    """
    if svg is None:
        return paragraph(f"{caption}: not drawn, because matplotlib is not installed.", kind="note")
    return Html(
        f'<figure>\n<div class="scroll" role="region" aria-label="{text("Plot: " + caption)}" tabindex="0">'
        f'<div role="img" aria-label="{text(label)}">{svg.markup}</div></div>\n'
        f"<figcaption>{text(caption)}</figcaption>\n</figure>"
    )


def page(title: str, *parts: Html | None, style: str = "", script: str = "") -> str:
    """Return the whole document; `title` is also its first heading.

    With a script, the content policy allows this script alone, by its hash; nothing can be loaded or sent.
    """
    head = f"<style>{style}</style>\n" if style else ""
    if script:
        script = f"\n{script}"
        digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
        head = (
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
            f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\">\n{head}"
        )
        parts = (*parts, Html(f"<script>{script}</script>"))
    inner = "\n".join(part.markup for part in parts if part is not None)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{STYLE}</style>\n{head}</head>\n"
        f"<body>\n<main>\n<h1>{text(title)}</h1>\n{inner}\n</main>\n</body>\n</html>\n"
    )
