r"""A ranking as a LaTeX file for pdfLaTeX, XeLaTeX and LuaLaTeX, alone or with `\input` in a paper.

A system's name may be chosen by a participant. Characters that are special in LaTeX are escaped. XeLaTeX and LuaLaTeX
keep every script that an installed font has; pdfLaTeX has fonts for Western and Central European letters only, so that
any other name is printed as a unique label in ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Optional

from .tables import Ranking, Table, ranking_table

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

_RIGHT_TO_LEFT, _BRACKET = ("R", "AL"), "bracket"

_CJK = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH"}
"""First words of the names of characters that the Noto CJK fonts have."""

_TAGS = {
    **dict.fromkeys(("CJK SC", "CJK JP", "CJK KR"), "hani"),
    **{"Cyrillic": "cyrl", "Greek": "grek", "Gujarati": "gujr", "Gurmukhi": "guru", "Kannada": "knda"},
    **{"Khmer": "khmr", "Latin": "latn", "Malayalam": "mlym", "Myanmar": "mymr", "Oriya": "orya"},
    **{"Syriac": "syrc", "Tamil": "taml", "Tibetan": "tibt"},
}
"""OpenType's tags of scripts, where they are not the first four letters; LuaLaTeX joins Arabic letters by the tag."""

_ABOUT = r"""% A leaderboard: {title}
%
% Compile this file with pdfLaTeX, XeLaTeX or LuaLaTeX, or \input it in a paper that loads the packages iftex, array,
% booktabs{long}. A paper for pdfLaTeX also loads fontenc, with the option T1.
"""

_LABELS = """%
% These names are kept under XeLaTeX and LuaLaTeX if a Noto or DejaVu font that has them is installed. Otherwise, and
% under pdfLaTeX, each is printed as a label in ASCII:
"""

_MACROS = r"""\makeatletter
\ifx\documentclass\@twoclasseserror % inside a paper
  \let\boardend\relax
\else
  \documentclass{article}
  \usepackage{iftex,array,booktabs,longtable}
  \usepackage[a4paper,margin=25mm]{geometry}
  \iftutex\else
    \usepackage[utf8]{inputenc}
    \usepackage[T1]{fontenc}
    \usepackage{textcomp}
    \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
  \fi
  \pagestyle{empty}
  \def\boardend{\end{document}}
  \begin{document}
\fi
\edef\boardtable{table\if@twocolumn*\fi}
\def\boardbreak{\penalty5000\hskip\z@skip}
"""

_NAME_MACROS = r"""% \boardname{label}{name}: the name, if fonts have all its characters
% \boardrun{script}{tag}{text}: a part of a name in one script
\DeclareRobustCommand\boardname[2]{\leavevmode
  \iftutex
    \global\let\board@missing\@empty
    \begingroup\setbox\z@\hbox{#2}\endgroup
    \ifx\board@missing\@empty#2\else#1\fi
  \else#1\fi}
\def\boardrun#1#2#3{\begingroup
  \suppressfontnotfounderror=1
  \let\board@found\@empty
  \@for\board@name:={Noto Sans},{Noto Sans #1},{Noto Sans Symbols2},{DejaVu Sans}\do{%
    \ifx\board@found\@empty
      \font\board@font="\board@name\ifluatex:mode=harf;script=#2\fi" at \f@size pt
      \ifx\board@font\nullfont\else\let\board@found\board@font\board@check{#3}\fi
    \fi}%
  \ifx\board@found\@empty\global\let\board@missing\board@name\else\board@found#3\fi
  \endgroup}
\def\board@check#1{\@tfor\board@char:=#1\do{%
  \ifx\board@char\board@break\else
    \iffontchar\board@font\expandafter`\board@char\else\let\board@found\@empty\fi
  \fi}}
\def\board@break{\boardbreak}
\ifxetex
  \TeXXeTstate=1 \XeTeXgenerateactualtext=1
  \def\boardrtl#1{\beginR#1\endR}
  \def\boardltr#1{\beginL#1\endL}
\else
  \def\boardrtl#1{{\textdirection 1 #1}}
  \def\boardltr#1{{\textdirection 0 #1}}
\fi
"""


def to_latex(ranking: Ranking) -> str:
    """The ranking as a LaTeX file; the comment at its top lists the packages and the labels that replace names."""
    table = ranking_table(ranking)
    names = [_printable(row[0]) for row in table.rows]
    labels = _labels(names, list(map(_printable, [table.title, *table.header])))
    is_long = sum(1 + len(name) // (2 * _UNBROKEN) for name in names) > MOST_LINES
    caption = rf"\caption[]{{{_cell(table.title, labels)}}}"
    head = [r"\toprule", " & ".join(_cell(title, labels) for title in table.header) + r" \\", r"\midrule"]
    body = [
        " & ".join([_cell(name, labels), *map(_number, row[1:])]) + r" \\"
        for name, row in zip(names, table.rows)
    ]
    columns = _columns(table)
    if is_long:
        lines = [r"{\small", rf"\begin{{longtable}}{{{columns}}}", caption + r" \\", *head, r"\endhead"]
        lines += [r"\bottomrule", r"\endfoot", *body, r"\end{longtable}}"]
    else:
        lines = [
            r"\begin{\boardtable}[htbp]",
            r"\small",
            caption,
            r"\smallskip",
            rf"\begin{{tabular}}{{{columns}}}",
        ]
        lines += [*head, *body, r"\bottomrule", r"\end{tabular}", r"\end{\boardtable}"]
    about = _ABOUT.format(
        title=_printable(table.title), long=" and longtable, which needs a single column" if is_long else ""
    )
    if labels:
        about += _LABELS + "".join(f"%   {label}: {name}\n" for name, label in labels.items())
    macros = _MACROS + (_NAME_MACROS if labels else "") + r"\makeatother"
    return about + "\n".join([macros, "", *lines, r"\boardend", ""])


def _columns(table: Table) -> str:
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
    shown = unicodedata.normalize("NFC", text)
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode()
        for char in shown
    )


def _labels(names: Sequence[str], titles: Sequence[str]) -> dict[str, str]:
    """Return a label in ASCII for each text that T1 lacks: the text without accents and symbols, or a number."""
    taken = {text.casefold() for text in (*names, *titles)}
    labels: dict[str, str] = {}
    for number, text in enumerate((*names, *titles), 1):
        if text in labels or _IN_T1.fullmatch(_in_math(text)):
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


def _in_math(text: str) -> str:
    return "".join(_GREEK.get(char, char) for char in text)


def _cell(text: str, labels: dict[str, str]) -> str:
    """Return a name or a title as LaTeX."""
    text = _printable(text)
    if text not in labels:
        return _escape(text)
    return rf"\boardname{{{_escape(labels[text])}}}{{{_in_scripts(text)}}}"


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


def _in_scripts(text: str) -> str:
    r"""Return text as LaTeX, with a `\boardrun` for each part in another script."""
    strong = [char for char in text if unicodedata.bidirectional(char) in ("L", *_RIGHT_TO_LEFT)]
    backwards = _is_right_to_left("".join(strong[:1]))
    runs: list[tuple[str, str]] = []
    cjk = _cjk_font(text)
    for char in text:
        script = _BRACKET if backwards and char in "()[]{}<>" else _script(char, cjk)
        if runs and (script is None or script == runs[-1][0] or char == " "):
            runs[-1] = (runs[-1][0], runs[-1][1] + char)
        else:
            runs.append((script or "", char))
    parts = []
    for script, part in runs:
        words = part.rstrip(" ")
        tag = _TAGS.get(script, script[:4].lower())
        if script == _BRACKET:
            whole = _escape(words.translate(str.maketrans("()[]{}<>", ")(][}{><")))
        elif script:
            whole = rf"\boardrun{{{script}}}{{{tag}}}{{{_breakable(words, script)}}}"
        else:
            whole = _escape(words)
        if script != _BRACKET and _is_right_to_left(words) != backwards:
            whole = rf"\board{'ltr' if backwards else 'rtl'}{{{whole}}}"
        parts.append(whole + part[len(words) :])
    whole = "".join(parts)
    return rf"\boardrtl{{{whole}}}" if backwards else whole


def _script(char: str, cjk: str) -> Optional[str]:
    """Return the last words of the name of a character's Noto font; empty for T1, None for a mark on any letter."""
    if _IN_T1.fullmatch(char):
        return ""
    first = unicodedata.name(char, "SYMBOLS").replace("-", " ").split()[0]
    if first == "COMBINING":
        return None
    if unicodedata.category(char).startswith("S"):
        return "Symbols"
    return cjk if first in _CJK else first.title()


def _cjk_font(text: str) -> str:
    names = " ".join(unicodedata.name(char, "") for char in text)
    return (
        "CJK JP"
        if "KATAKANA" in names or "HIRAGANA" in names
        else "CJK KR"
        if "HANGUL" in names
        else "CJK SC"
    )


def _is_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in _RIGHT_TO_LEFT for char in text)


def _breakable(text: str, script: str) -> str:
    r"""Return text of one script with `\boardbreak` in long words, and between all characters of Chinese, Japanese and
    Korean, but not before a mark."""
    every = 1 if script.startswith("CJK") else _UNBROKEN
    parts, length = [], 0
    for char in text:
        length = 0 if char == " " else length + 1
        if length > every and not unicodedata.category(char).startswith("M"):
            parts.append(r"\boardbreak ")
            length = 1
        parts.append(char)
    return "".join(parts)


def _number(cell: str) -> str:
    return _escape(cell).replace("-", "$-$").replace("–", "--")
