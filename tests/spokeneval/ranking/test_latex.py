"""Tests that the LaTeX file of a ranking compiles with three engines, fits the page and prints every name or label."""

from __future__ import annotations

import re
import shutil
import subprocess
import unicodedata

import pytest

from spokeneval.challenges.spoken_call import TASK
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.leaderboard import Entry, Leaderboard
from spokeneval.task import Column

PLAIN = {
    r"\input{/etc/passwd}": r"\textbackslash{}input\{/etc",
    "[x]": "{[}x{]} &",
    "*star": "{*}star &",
    "a_b^c~d#e$f%g&h": r"a\_b\textasciicircum{}c\textasciitilde{}d\#e\$f\%\boardbreak{}g\&h",
    "<b>|x</b>": r"\textless{}b\textgreater{}\textbar{}x",
    "]\\\\[": r"{]}\textbackslash{}\textbackslash{}{[}",
    "--- '' ,, << !` \"": r"-\allowbreak{}-",
    "team\u202eevil\x1b[2J\n\\end": r"team\textbackslash{}u202eev\boardbreak{}il",
    "\ud800": r"\textbackslash{}ud800",
    "Łódź Żółć": "Łódź Żółć",
    "Université de Montréal, équipe numéro un, avec un très long nom": "Montréal",
    "W" * 60: r"WWWWWWWWWWWW\boardbreak{}W",
    "é" * 50: r"\boardbreak{}",
    "System 14": "System 14 &",
}
"""Names that every engine prints, each with a part of its LaTeX."""

OTHERS = {
    "清华大学 语音": "System 15",
    "東京大学チーム": "System 16",
    "서울대학교": "System 17",
    "فريق الكلام": "System 18",
    "צוות דיבור": "System 19",
    "Команда Речь": "System 20",
    "नमस्ते टीम": "System 21",
    "ทีมเสียงพูดภาษาไทยแห่งมหาวิทยาลัย": "System 22",
    "Nguyễn Văn Ệ": "Nguyen Van E",
    "Nguyên Văn Ẽ": "Nguyen Van E (2)",
    "漢" * 80: "System 25",
    "عربي" * 20: "System 26",
    "beta γλώσσα": "System 27",
    "rocket 🚀": "rocket",
}
"""Names that the fonts of LaTeX lack, each with its label."""

NAMES = [*PLAIN, *OTHERS]
ENGINES = ("pdflatex", "xelatex", "lualatex")


def board(systems, names=NAMES, title="Mean κ"):
    rows = []
    for place in range(systems):
        round_, name = divmod(place, len(names))
        score = 0.9 - place / 200
        called = f"{names[name][:40]} {round_}" if round_ else names[name]
        rows.append(
            Entry(place + 1, place % 5 == 0, called, score, (score - 0.01, score + 0.01), (1, 9), 1, {}, {})
        )
    column = Column("score", title, "higher", 4)
    return Leaderboard(column, rows, "1000 responses", definition=TASK, unscored=["failed"])


def test_special_characters_are_escaped_and_long_words_may_be_broken():
    latex = to_latex(board(len(NAMES)))
    for name, part in PLAIN.items():
        assert part in latex, name
    assert latex.encode("utf-8").decode("utf-8") == latex
    assert not re.search(r"\\\\\s*[\[*]", latex)
    assert to_latex(board(3)) == to_latex(board(3))


def test_each_name_and_title_that_latex_lacks_has_a_unique_label_in_ascii_and_a_comment():
    comment, document = to_latex(board(len(NAMES), title="正确率")).split(r"\documentclass", 1)
    expected = {**OTHERS, "正确率": "Score"}
    for name, label in expected.items():
        assert f"%   {label}: {name}\n" in comment
        assert name not in document
        assert label in document
    labels = re.findall(r"^%   (.*?): ", comment, re.MULTILINE)
    assert len(set(labels)) == len(labels) == len(expected) + 1  # the caption too
    assert not set(labels) & set(PLAIN)


def test_a_table_has_at_most_seven_columns_and_runs_over_pages_only_if_it_is_long():
    short, long = to_latex(board(24, ["name"])), to_latex(board(25, ["name"]))
    for latex, environment in ((short, r"\begin{tabular}"), (long, r"\begin{longtable}")):
        (line,) = [line for line in latex.splitlines() if line.startswith(environment)]
        assert line.count("}p{") <= 7
    assert "longtable" not in short.split(r"\makeatletter")[0]
    assert "%   " not in short


def squeezed(text):
    """Text without spaces, ligatures, shapes of letters and the shapes that LaTeX gives to quotes."""
    text = unicodedata.normalize("NFKC", text).translate(str.maketrans("’‘”`\u2018", "''\"''"))
    return re.sub(r"[\s\xad]", "", text)


def escaped(name):
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in name)


@pytest.mark.thorough
@pytest.mark.parametrize("systems", [5, 30, 100])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_file_compiles_fits_the_page_and_has_every_name(tmp_path, engine, systems):
    for program in (engine, "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    made = board(systems, NAMES if systems > 5 else ["[x]", "清华大学", "فريق الكلام", "a_b", "Ω <b>"])
    (tmp_path / "board.tex").write_text(to_latex(made), encoding="utf-8")
    for _ in range(3):
        command = [engine, "-no-shell-escape", "-interaction=nonstopmode", "board.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300)
    log = (tmp_path / "board.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, re.findall("^!.*", log, re.MULTILINE)
    assert not re.search("^!|Missing character", log, re.MULTILINE)
    assert [width for width in map(float, re.findall(r"Overfull \\hbox \((.*?)pt", log)) if width > 1] == []
    assert "Overfull \\vbox" not in log
    subprocess.run(["pdftotext", "-raw", "board.pdf"], cwd=tmp_path, check=True)
    printed = squeezed((tmp_path / "board.txt").read_text(encoding="utf-8"))
    comment = (tmp_path / "board.tex").read_text(encoding="utf-8").split(r"\makeatletter")[0]
    labels = {name: label for label, name in re.findall("^%   (.*?): (.*)$", comment, re.MULTILINE)}
    names = map(escaped, [*(row.name for row in made.rows), "failed"])
    assert [name for name in names if squeezed(labels.get(name, name)) not in printed] == []
