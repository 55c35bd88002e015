r"""A ranking as a LaTeX file for pdfLaTeX, XeLaTeX and LuaLaTeX, alone or with `\input` in a paper.

A system's name may be chosen by a participant. Characters that are special in LaTeX are escaped. The fonts that all
three engines have are those of Western and Central European letters, so that any other name is printed as a unique
label in ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from ..formats.problems import printable
from .leaderboard import Leaderboard, TextTable
from .writers import ranking_table

MOST_LINES = 25
"""Number of lines of names in a floating table; a longer table may run over several pages."""

_UNBROKEN = 12
"""Number of characters of a word between two places where it may be broken."""

_IN_T1 = re.compile("[ -~¡-¬®-ĥĨ-ķĹ-ľŁ-ňŊ-ťŨ-žȘșȚț–—‘’“”„…•€™]*")
"""Text that pdfLaTeX can print with the font encoding T1."""

_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{char: rf"\{char}" for char in "&%$#_{}"},
    **{char: f"{{{char}}}" for char in "[]*"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",
    "`": r"\allowbreak\textasciigrave{}",
    "·": r"$\cdot$",
}
"""Replacements of characters that its fonts lack or that are special in LaTeX, some only after the end of a row."""

_LIGATURES = "-',<>"
"""Characters that LaTeX joins if they are doubled."""

_GREEK = {"α": r"$\alpha$", "κ": r"$\kappa$", "ρ": r"$\rho$"}
"""Greek letters in the titles of scores."""

_ABOUT = r"""% A leaderboard: {title}
%
% Compile this file with pdfLaTeX, XeLaTeX or LuaLaTeX, or \input it in a paper that loads the packages array,
% booktabs{long}. A paper for pdfLaTeX also loads fontenc, with the option T1.
"""

_LABELS = """%
% The fonts of LaTeX do not have these names. Each is printed as a label in ASCII:
"""

_MACROS = Path(__file__).with_name("macros.tex").read_text(encoding="utf-8")


def to_latex(board: Leaderboard) -> str:
    """The leaderboard as a LaTeX file; the comment at its top lists the packages and the labels that replace names."""
    return table_to_latex(ranking_table(board))


def table_to_latex(table: TextTable, label: str = "") -> str:
    """A table whose first column has names as a LaTeX file, as in `to_latex`, with a label for references to it."""
    names, titles = (
        [_printable(row[0]) for row in table.rows],
        [*map(_printable, [table.title, *table.header])],
    )
    labels = _labels(names, titles)
    is_long = sum(1 + len(name) // (2 * _UNBROKEN) for name in names) > MOST_LINES
    title, *header = (_escape(labels.get(text, text)) for text in titles)
    if not re.fullmatch(r"[\w:./-]*", label):
        raise ValueError(f"label {label!r:.60}; expected letters, digits and : . / - _")
    caption, columns = rf"\caption[]{{{title}}}" + (rf"\label{{{label}}}" if label else ""), _columns(table)
    cells = (
        [_escape(labels.get(name, name)), *map(_number, row[1:])] for name, row in zip(names, table.rows)
    )
    head = [r"\toprule", " & ".join(header) + r" \\", r"\midrule"]
    body = [" & ".join(row) + r" \\" for row in cells]
    if is_long:
        lines = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", caption + r" \\", *head, r"\endhead"]
        lines += [r"\bottomrule", r"\endfoot", *body, r"\end{longtable}}"]
    else:
        lines = [r"\begin{\boardtable}[htbp]", r"\small", caption, r"\smallskip"]
        lines += [rf"\begin{{tabular}}{{{columns}}}", *head, *body, r"\bottomrule", r"\end{tabular}"]
        lines += [r"\end{\boardtable}"]
    about = _ABOUT.format(
        title=titles[0], long=" and longtable, which needs a single column" if is_long else ""
    )
    if labels:
        about += _LABELS + "".join(f"%   {label}: {name}\n" for name, label in labels.items())
    return about + _MACROS + "\n".join(["", *lines, r"\boardend", ""])


def _columns(table: TextTable) -> str:
    """Return the columns: numbers as wide as they are, and names, which are wrapped, in the rest of the line."""
    widths = [_width(title, cells) for title, *cells in list(zip(table.header, *table.rows))[1:]]
    rest = rf"\dimexpr\linewidth-{sum(widths):.1f}em-{2 * len(widths)}\tabcolsep"
    numbers = "".join(rf">{{\raggedleft\arraybackslash}}p{{{width:.1f}em}}" for width in widths)
    return rf"@{{}}>{{\raggedright\arraybackslash}}p{{{rest}}}{numbers}@{{}}"


def _width(title: str, cells: Sequence[str]) -> float:
    """Return the width in em of a column of numbers: that of its cells, and of the words of its title."""
    words = [word[:_UNBROKEN] for word in title.split()]
    return round(0.55 * max(map(len, [*words, *(cell[: 2 * _UNBROKEN] for cell in cells)])) + 0.2, 1)


def _printable(text: str) -> str:
    """Return text in composed characters, unprintable ones (control characters, changes of direction) as escapes."""
    return printable(unicodedata.normalize("NFC", text))


def _labels(names: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """Return a label in ASCII for each text that T1 lacks: the text without accents and symbols, or a number."""
    texts = [*names, *titles]
    taken = {text.casefold() for text in texts}
    labels: dict[str, str] = {}
    for number, text in enumerate(texts, 1):
        if text in labels or _IN_T1.fullmatch("".join(char for char in text if char not in _GREEK)):
            continue
        apart = unicodedata.normalize("NFKD", text)
        stem = " ".join(apart.encode("ascii", "ignore").decode().split())
        lost = {unicodedata.category(char)[0] for char in apart if not char.isascii()}
        if number <= len(names) and not (stem and lost <= {"M", "S"}):
            stem = f"System {number}"
        label, again = stem or "Score", 2
        while label.casefold() in taken:
            label, again = f"{stem} ({again})", again + 1
        taken.add(label.casefold())
        labels[text] = label
    return labels


def _escape(text: str) -> str:
    """Return text of T1 as LaTeX; long words may be broken."""
    parts, length = [], 0
    for before, char in zip(f" {text}", text):
        length = 0 if char == " " else length + 1
        if length > 1 and length % _UNBROKEN == 1:
            parts.append(r"\boardbreak{}")
        elif char == before and char in _LIGATURES:
            parts.append(r"\allowbreak{}")
        parts.append(_GREEK.get(char) or _ESCAPED.get(char, char))
    return "".join(parts)


def _number(cell: str) -> str:
    return _escape(cell).replace("-", "$-$").replace("–", "--")
