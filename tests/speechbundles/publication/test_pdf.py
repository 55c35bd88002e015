"""Tests of the leaderboard's PDF: which program makes it, its limits, and what is reported without one."""

import os
import shutil
import sys
import time

import psutil
import pytest

import build_bundle
from speechbundles.publication import pdf


@pytest.fixture
def written(tmp_path):
    """A folder with a leaderboard."""
    folder = tmp_path / "board"
    folder.mkdir()
    latex = r"\documentclass{article}\begin{document}Leaderboard\end{document}"
    (folder / "board.tex").write_text(latex, encoding="utf-8")
    (folder / "board.html").write_text("<h1>Leaderboard</h1>", encoding="utf-8")
    return folder


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A maker of programs on the path, which has no others."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()

    def make(name, code):
        path = tmp_path / "bin" / name
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{code}\n")
        path.chmod(0o755)

    return make


needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts")


@needs_posix
def test_latex_runs_without_a_shell_in_a_temporary_folder(written, program):
    program(
        "xelatex",
        "assert '-no-shell-escape' in sys.argv and os.environ['openout_any'] == 'p'\n"
        "assert {'board.tex'} <= {*os.listdir()} <= {'board.tex', 'board.pdf'}\n"
        "open('board.pdf', 'a').write('run ')",
    )
    assert pdf.write_pdf(written) == ""
    assert (written / "board.pdf").read_text() == "run run run "
    assert sorted(os.listdir(written)) == ["board.html", "board.pdf", "board.tex"]


@needs_posix
def test_the_next_program_is_used_if_one_fails(written, program):
    program("xelatex", "open('board.pdf', 'w').close(); sys.exit(1)")
    assert pdf.write_pdf(written) == "board.pdf was not written: xelatex failed"
    program("chromium", "open([word for word in sys.argv if 'print' in word][0][15:], 'w').write('page')")
    assert pdf.write_pdf(written) == ""
    assert (written / "board.pdf").read_text() == "page"


@needs_posix
def test_a_program_is_stopped_with_its_children(written, program, monkeypatch, tmp_path):
    monkeypatch.setattr(pdf, "LIMIT", 1)
    child = tmp_path / "child"
    program("pdflatex", f"pid = os.fork(); pid and open({str(child)!r}, 'w').write(str(pid)); time.sleep(60)")
    began = time.monotonic()
    assert pdf.write_pdf(written) == "board.pdf was not written: pdflatex was stopped after 1 s"
    assert time.monotonic() - began < 20
    pid = int(child.read_text())
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() - began < 20
        time.sleep(0.01)


def test_a_missing_program_is_reported_in_one_line(written, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = pdf.write_pdf(written)
    assert missing.startswith("board.pdf was not written: none of xelatex, lualatex, pdflatex, chromium")
    assert "\n" not in missing
    assert build_bundle.main(["rank", str(written), "--pdf"]) == 2
    assert "--pdf needs --out DIR" in capsys.readouterr().err


@pytest.mark.thorough
@pytest.mark.parametrize("name", [*pdf.LATEX_ENGINES, "chromium"])
def test_every_program_writes_a_pdf(written, name):
    if shutil.which(name) is None:
        pytest.skip(f"needs {name}")
    assert pdf.write_pdf(written, [name]) == ""
    assert (written / "board.pdf").read_bytes().startswith(b"%PDF-")
