"""Tests of `python -m spokeneval`: kinds and short names, `compare`, `tasks`, `--json`, `--lenient`, rows left out."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import spokeneval
from spokeneval.__main__ import main
from spokeneval.challenges import find_task, task_names
from spokeneval.kinds.declared import KINDS
from spokeneval.scoring import scored
from tests.samples.own_tables import book
from tests.samples.programs import ROOT, write_files

TASK = "spoken_call"
HEADER = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning")
ROWS = [
    *((str(n), "p", f"{n}.wav", "x", "café", "correct", "correct") for n in range(1, 9)),
    *(
        (str(n), "p", f"{n}.wav", "x", "y", "incorrect", ("correct", "incorrect")[n % 2])
        for n in range(9, 15)
    ),
]
MADE = ("99", "p", "99.wav", "x", "y", "correct", "incorrect")
"""A row as in an official sheet: the language is correct, the meaning is not."""


def sheet(rows, delimiter="\t") -> str:
    return "".join(delimiter.join(row) + "\n" for row in (HEADER, *rows))


def answers(rows, wrong=()) -> str:
    accept = {row[0]: (row[5] == "correct") != (row[0] in wrong) for row in rows}
    return "Id\tAccept\n" + "".join(
        f"{item}\t{'accept' if kept else 'reject'}\n" for item, kept in accept.items()
    )


@pytest.fixture
def place(tmp_path):
    """An official sheet with one invalid row in the middle, the sheet without it, and submissions to both."""
    official = [*ROWS[:5], MADE, *ROWS[5:]]
    return write_files(
        tmp_path,
        {
            "official.csv": sheet(official),
            "clean.csv": sheet(ROWS),
            "official_answers.csv": answers(official, wrong=("2", "10", "11")),
            "clean_answers.csv": answers(ROWS, wrong=("2", "10", "11")),
            "worse.csv": answers(official, wrong=("2", "3", "4", "10", "11")),
        },
    )


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    status = main(list(map(str, arguments)))
    return status, *capsys.readouterr()


# Rows that are left out


def test_an_invalid_row_is_left_out_with_its_answer(place, capsys):
    clean = spokeneval.score(TASK, place / "clean.csv", place / "clean_answers.csv")
    paths = ("--reference", place / "official.csv", "--submission", place / "official_answers.csv")
    official = ("score", TASK, *paths)
    status, printed, told = run(capsys, *official)
    assert (status, printed) == (1, "")
    assert "line 7    Id 99: language is correct but meaning incorrect" in told
    status, printed, told = run(capsys, *official, "--drop-invalid-reference-rows", "--json")
    result = json.loads(printed)
    assert (status, told, result["items"]) == (0, "", len(ROWS))
    assert result["scores"] == clean.scores
    assert result["left_out"] == ["reference.csv line 7: Id 99: language is correct but meaning incorrect"]
    status, printed, told = run(capsys, *official, "--drop-invalid-reference-rows")
    assert (
        "Invalid rows of the reference are left out, which biases the set:\n  reference.csv line 7: Id 99"
        in printed
    )
    _, printed, _ = run(capsys, *official, "--drop-invalid-reference-rows", "--lenient")
    assert "Invalid rows of the reference are left out:\n  1 row of the" in printed
    assert printed.count("biases the set") == 1


def test_the_answer_to_a_row_that_is_left_out_may_be_missing(place):
    clean = spokeneval.score(TASK, place / "clean.csv", place / "clean_answers.csv")
    dropped = {"drop_invalid_reference_rows": True}
    for answered in ("official_answers.csv", "clean_answers.csv"):
        result = spokeneval.score(TASK, place / "official.csv", place / answered, **dropped)
        assert (result.scores, result.intervals) == (clean.scores, clean.intervals)
    wrong = (place / "clean_answers.csv").read_text().replace("3\taccept", "3\tyes", 1)
    (place / "wrong.csv").write_text(wrong)
    with pytest.raises(spokeneval.SubmissionError) as refused:
        spokeneval.score(TASK, place / "official.csv", place / "wrong.csv", **dropped)
    assert [problem.code for problem in refused.value.problems] == ["unknown_value"]


# Forms of organisers


def test_lenient_reads_the_forms_of_organisers(place, capsys):
    (place / "book.xlsx").write_bytes(book(one=[HEADER, *ROWS]))
    (place / "windows.csv").write_bytes(sheet(ROWS, ";").encode("cp1252"))
    clean = spokeneval.score(TASK, place / "clean.csv", place / "clean_answers.csv")
    for name in ("book.xlsx", "windows.csv", "clean.csv"):
        arguments = ("score", TASK, "--reference", place / name, "--submission", place / "clean_answers.csv")
        status, _, _ = run(capsys, *arguments)
        assert status == (0 if name == "clean.csv" else 1)
        status, printed, _ = run(capsys, *arguments, "--lenient", "--json")
        assert (status, json.loads(printed)["scores"]) == (0, clean.scores)


def test_a_refused_reference_names_lenient_and_lenient_no_competition(tmp_path, capsys):
    titled = "Recordings;;\nid;transcript;speaker\na;yes;s\nb;no;s\n"
    write_files(
        tmp_path,
        {"titled.csv": titled, "bare.csv": "a;yes\nb;no\n", "given.csv": "id,transcript\na,yes\nb,no\n"},
    )
    for file, wrong in (
        ("titled.csv", "the header seems to be in line 2"),
        ("bare.csv", "no column id, transcript"),
    ):
        arguments = ("wer", tmp_path / file, tmp_path / "given.csv")
        assert "Nothing was scored. --lenient reads other separators" in run(capsys, *arguments)[2]
        told = run(capsys, *arguments, "--lenient")[2]
        assert (wrong in told, "competition.yaml" in told, "--lenient" in told) == (True, False, False), told
    assert "--lenient" not in run(capsys, "wer", tmp_path / "given.csv", tmp_path / "titled.csv")[2]


def test_lenient_prints_how_it_read_a_file_and_refuses_words_that_it_would_garble(place, capsys):
    rows = [[cell.replace("café", "晚上好") for cell in row] for row in ROWS]
    (place / "windows.csv").write_bytes(sheet(ROWS, ";").encode("cp1252"))
    (place / "chinese.csv").write_bytes(sheet(rows, ";").encode("gb18030"))
    rest = ("--submission", place / "clean_answers.csv", "--lenient")
    status, _, told = run(capsys, "score", TASK, "--reference", place / "windows.csv", *rest)
    assert (status, "not UTF-8, read as Windows-1252: is '" in told) == (0, True)
    status, printed, told = run(capsys, "score", TASK, "--reference", place / "chinese.csv", *rest)
    assert (status, printed) == (1, "")
    assert "line 2: not UTF-8, and read as Windows-1252 it has words such as '" in told


def test_lenient_names_the_extra_that_it_needs(place, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "speechbundles.competition.references", None)
    arguments = ("--reference", place / "clean.csv", "--submission", place / "clean_answers.csv")
    status, printed, told = run(capsys, "score", TASK, *arguments, "--lenient")
    assert (status, printed) == (2, "")
    assert told.startswith(
        "Lenient reading needs the organiser's commands; install them with pip install '.["
    )
    assert told.count("\n") == 1


# Kinds, short names, and answers in lines

KIND = ("score", "--kind", "transcripts")
SPOKEN = {"ref.txt": "Good morning\nhow are you\n", "hyp.txt": "good evening\r\nhow are\r\n"}


@pytest.mark.parametrize(
    ("arguments", "declaration"),
    [
        (KIND, {}),
        (("wer",), {}),
        (("cer",), {"primary": "cer"}),
        ((*KIND, "--set", "normalise=nfkc,casefold"), {"normalise": ["nfkc", "casefold"]}),
        ((*KIND, "--set", "normalise=[casefold]", "--set", "clip=1"), {"normalise": ["casefold"], "clip": 1}),
        (("wer", "--set", 'normalise=[{"drop": ["are"]}]'), {"normalise": [{"drop": ["are"]}]}),
    ],
)
def test_a_kind_is_scored_from_answers_in_lines(tmp_path, capsys, arguments, declaration):
    paths = [write_files(tmp_path, SPOKEN) / name for name in SPOKEN]
    status, printed, _ = run(capsys, *arguments, *paths, "--json", "--report", tmp_path / "page.html")
    sides = [["Good morning", "how are you"], ["good evening", "how are"]]
    result = spokeneval.score({"kind": "transcripts", **declaration}, *sides)
    written = json.loads(printed)
    assert written.pop("arguments")[:3] == [*KIND]
    assert (status, written) == (0, json.loads(json.dumps(result.to_dict())))
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == result.report()


TAB = "id,{}\na,{}\nb,{}\nc,{}\n"
TURN = "SPEAKER a 1 0.0 2.0 <NA> <NA> anna <NA> <NA>\n"


@pytest.mark.parametrize(
    ("short", "reference", "answers", "expected"),
    [  # by hand: precision 1/3 and recall 1; one of three phones is wrong
        ("f1 --set classes=no,yes --set positive=yes", "label no no yes", "label yes yes yes", 0.5),
        ("pearson --set scale=[1,5]", "score 1 2 3", "score 2 3 4", 1.0),
        ("per --set phones=[P,T,K,S] --set units=phones", "transcript P T K", "transcript P T T", 100 / 3),
        ("eer --set target=x", "label x y y", "score 2 1 0", 0.0),
    ],
)
def test_a_short_name_takes_two_files(tmp_path, capsys, short, reference, answers, expected):
    sides = {"ref.csv": TAB.format(*reference.split()), "hyp.csv": TAB.format(*answers.split())}
    write_files(tmp_path, sides)
    status, printed, told = run(capsys, *short.split(), tmp_path / "ref.csv", tmp_path / "hyp.csv", "--json")
    assert status == 0, told
    assert next(iter(json.loads(printed)["scores"].values())) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("wer", "ref.txt"), "Give REFERENCE and SUBMISSION, or --reference and --submission."),
        (("score", TASK), "Give REFERENCE and SUBMISSION"),
        ((*KIND, TASK, "ref.txt", "hyp.txt"), "Give only one of TASK, --kind and --task-file."),
        (
            ("wer", "ref.txt", "hyp.txt", "--set", "unit=a", "--set", "norm=x"),
            "--set norm: unknown parameter",
        ),
        (
            ("wer", "ref.txt", "hyp.txt", "--set", "normalize=casefold"),
            "did you mean normalise? `tasks transcripts` lists",
        ),
        (("wer", "ref.txt", "none.txt"), "none.txt: No such file or directory"),
        (("wer", "ref.txt", "latin.txt"), "latin.txt: not UTF-8 at byte 1; save it as UTF-8"),
        (("wer", "ids.txt", "ids.txt"), "each line has an id, such as utt1; name the file ids.text"),
        (
            ("wer", "numbers.txt", "numbers.txt"),
            "each line has an id, such as 12; name the file numbers.text",
        ),
        (("wer", "ref.txt", "ids.txt"), "ids.txt: each line has an id, such as utt1; name the file ids.text"),
        (
            ("wer", "ref.txt", "nist.txt"),
            "nist.txt: each line has an id, such as a_1; name the file nist.trn",
        ),
        (("wer", "table.txt", "table.txt"), "fields are separated by semicolons; expected commas"),
    ],
)
def test_a_wrong_call_of_a_short_name_is_explained(tmp_path, capsys, monkeypatch, arguments, words):
    write_files(
        tmp_path,
        {
            **SPOKEN,
            "latin.txt": b"n\xe9e\n",
            "table.txt": "id;transcript\n1;a\n",
            "ids.txt": "utt1 no\nutt2 a\n",
            "numbers.txt": "12 no\n34 a\n",
            "nist.txt": "no (a_1)\na (a_2)\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    status, printed, told = run(capsys, *arguments)
    assert (status > 0, printed) == (True, "")
    assert words in told


MISSPELT = [
    ("scor a b", "did you mean score?"),
    ("wr a b", "did you mean wer?"),
    ("score psst_correctness a b --jsn", "did you mean --json?"),
    ("compare a b --refrence=c", "did you mean --reference?"),
    ("score psst_recog a b", "Unknown task psst_recog; did you mean psst_recognition?"),
    ("tasks transcript", "Unknown task transcript; did you mean transcripts?"),
    ("compare wre --reference a b c", "Unknown task wre; did you mean wer?"),
]


@pytest.mark.parametrize(("typed", "expected"), MISSPELT)
def test_a_misspelt_command_option_or_task_is_suggested(capsys, typed, expected):
    try:
        status, _, told = run(capsys, *typed.split())
    except SystemExit as ended:
        status, told = ended.code, capsys.readouterr().err
    assert (status, told.rstrip().endswith(expected)) == (2, True), told


@pytest.mark.parametrize("typed", ["zebra a", "score a b --zebra", "export a --js --out b"])
def test_nothing_is_suggested_for_another_word_or_an_abbreviation(capsys, typed):
    with pytest.raises(SystemExit, match=r"^2$"):
        main(typed.split())
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "place", "expected"),
    [
        ("sc", 1, "score"),
        ("score psst_c", 2, "psst_correctness"),
        ("tasks me", 2, "merlion_diarization merlion_identification meetings"),
        ("wer a --uni", 3, "--units"),
        ("compare --rule m", 3, "mean_rank macro_mean"),
        ("score a --reference ", 4, ""),
        ("reproduce ", 2, ""),
    ],
)
def test_bash_completes_commands_options_tasks_and_choices(capsys, monkeypatch, typed, place, expected):
    for name, value in (
        ("_SPOKENEVAL_COMPLETE", "bash_complete"),
        ("COMP_WORDS", "\n".join(["spokeneval", *typed.split(" ")])),
        ("COMP_CWORD", str(place)),
    ):
        monkeypatch.setenv(name, value)
    status, printed, _ = run(capsys)
    assert (status, printed.split()) == (0, expected.split())


SHELLS = {
    "bash": """eval "$(_SPOKENEVAL_COMPLETE=bash_source spokeneval)"
        COMP_WORDS=(spokeneval wer "a b" --rep); COMP_CWORD=3
        _spokeneval_completion spokeneval --rep "a b"; echo "${COMPREPLY[*]}"; complete -p spokeneval""",
    "zsh": """compdef() { echo "$@" }; compadd() { shift; echo "$@" }
        eval "$(_SPOKENEVAL_COMPLETE=zsh_source spokeneval)"
        words=(spokeneval wer "a b" --rep); CURRENT=4; _spokeneval_completion""",
    "fish": """_SPOKENEVAL_COMPLETE=fish_source spokeneval | source
        complete -C 'spokeneval wer "a b" --rep'; complete -C 'spokeneval sc'""",
}
"""The shells, and a script that completes `--rep`; zsh completes on a terminal only, so its builtins are replaced."""
COMPLETED = {
    "bash": ["--report", "complete -o default -F _spokeneval_completion spokeneval"],
    "zsh": ["_spokeneval_completion spokeneval", "--report"],
    "fish": ["--report", "score"],
}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_for_a_shell_asks_the_program(tmp_path, shell):
    if not shutil.which(shell):
        pytest.skip(f"needs {shell}")
    program = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m spokeneval "$@"\n'
    (write_files(tmp_path, {"spokeneval": program}) / "spokeneval").chmod(0o755)
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    done = subprocess.run(
        [shell, "-c", SHELLS[shell]], env=variables, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == COMPLETED[shell], done.stderr


def test_the_script_for_another_shell_is_refused(capsys, monkeypatch):
    monkeypatch.setenv("_SPOKENEVAL_COMPLETE", "tcsh_source")
    status, printed, _ = run(capsys)
    assert (status, printed) == (2, "")


CSV = "id,transcript\n1,good morning\n2,how are you\n"


@pytest.mark.parametrize(
    ("arguments", "piped", "expected"),
    [  # by hand: one of five words is wrong
        ("wer ref.csv -", CSV.replace("you", "we"), "  WER (%)               20.0000\n"),
        ("wer - ref.csv", CSV.replace("you", "we"), "  WER (%)               20.0000\n"),
        ("wer ref.txt -", "good morning\nhow are we\n", "  WER (%)               20.0000\n"),
        ("compare wer --reference ref.csv ref.csv -", CSV.replace("you", "we"), "\n  -          2    20.00 "),
        ("diff wer ref.csv - ref.csv", CSV.replace("you", "we"), "1 item became better"),
        ("der turns.rttm -", TURN, "  DER (%)              0.0000\n"),
        ("wer - -", "", "- is standard input; give it once, and files for the others\n"),
        ("wer ref.txt -", "good\n", "The submission - is refused.\n"),
        ("diff wer - ref.csv ref.txt", CSV.replace(",", ";"), "The reference - is refused.\n"),
        ("wer ref.txt -", b"good\n\xff\n", "-: not UTF-8 at byte 5"),
    ],
)
def test_a_dash_is_standard_input(tmp_path, capsys, monkeypatch, arguments, piped, expected):
    files = {"ref.csv": CSV, "ref.txt": "good morning\nhow are you\n", "turns.rttm": TURN}
    monkeypatch.chdir(write_files(tmp_path, files))
    bytes_piped = piped if isinstance(piped, bytes) else piped.encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bytes_piped)))
    assert expected in "".join(run(capsys, *arguments.split())[1:])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_such_as_of_a_process_substitution_is_read_once(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(write_files(tmp_path, {"ref.csv": CSV}))
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(CSV,))
    writer.start()
    assert "  WER (%)                0.0000" in run(capsys, "wer", "ref.csv", "pipe")[1]
    writer.join()


def test_a_short_name_follows_tasks_and_compare(tmp_path, capsys, monkeypatch):
    described = run(capsys, "tasks", "transcripts")[1]
    stands = "cer is short for `--kind transcripts --set primary=cer`.\n\n"
    assert run(capsys, "tasks", "cer") == (0, stands + described, "")
    assert run(capsys, "tasks", "cer", "--json")[1] == run(capsys, "tasks", "transcripts", "--json")[1]
    sides = [
        write_files(tmp_path, {"ref.csv": CSV, "wer": CSV}) / name for name in ("ref.csv", "wer", "ref.csv")
    ]
    monkeypatch.chdir(tmp_path)
    whole = run(capsys, "compare", *KIND[1:], "--set", "primary=cer", "--reference", *sides)
    assert run(capsys, "compare", "cer", "--reference", *sides) == whole
    _, printed, _ = run(capsys, "compare", "wer", "ref.csv", *KIND[1:], "--reference", "ref.csv", "--json")
    assert {system["name"] for system in json.loads(printed)["systems"]} == {"ref", "wer"}  # a file named wer


def test_compare_prints_the_ranking_and_all_prints_the_rest(capsys, monkeypatch):
    monkeypatch.chdir(ROOT / "docs/start/wer")
    words = ("compare", "wer", "--reference", "reference.csv", "large.csv", "small.csv")
    paths = {name: f"{name}.csv" for name in ("large", "small")}
    found = spokeneval.compare({"kind": "transcripts"}, "reference.csv", paths)
    whole = str(found)
    status, printed, _ = run(capsys, *words)
    head, note = printed.rstrip("\n").rsplit("\n\n", 1)
    assert (status, whole.startswith(f"{head}\n\n"), len(printed.split("\n"))) == (0, True, 9)
    assert note.startswith("  --all also prints")
    assert run(capsys, *words, "--all")[1] == f"{whole}\n"
    assert json.loads(run(capsys, *words, "--json")[1]) == json.loads(json.dumps(found.to_dict()))
    found = [run(capsys, *words, *more)[1] for more in ((), ("--baseline=small",))]
    assert ["Differences" in printed for printed in found] == [False, True]
    unnamed = [["a b"] * 4, {"one": ["a b"] * 4, "two": ["a c"] * 4}]
    remarks = spokeneval.compare({"kind": "transcripts"}, *unnamed).remarks
    assert any("names no speakers" in remark for remark in remarks)


MISSING = [
    "wer none.csv ref.csv",
    "wer ref.csv none.txt",
    "wer ref.csv ref.csv --baseline none",
    "wer ref.csv ref.csv --units none",
    "wer ref.csv ref.csv --report none/page.html",
    "compare wer --reference ref.csv ref.csv none",
    "diff wer ref.csv ref.csv none",
    "plan wer --pilot none --difference 2",
    "reproduce none",
    "tasks --task-file none",
    "score --task-file none ref.csv ref.csv",
    "compare --rule mean_rank none none2",
    *(
        f"export ref.csv --format croissant --out out --{name} none"
        for name in ("meta", "competition", "bundle")
    ),
]


@pytest.mark.parametrize("arguments", MISSING)
def test_a_missing_file_has_one_exit_status(tmp_path, capsys, monkeypatch, arguments):
    monkeypatch.chdir(write_files(tmp_path, {"ref.csv": CSV}))
    status, _, told = run(capsys, *arguments.split())
    assert (status, told.startswith("none"), "No such file" in told) == (2, True, True), told


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("program", "status"),
    [
        (("-m", "spokeneval", "--help"), 2),
        (("-m", "spokeneval", "tasks"), 2),
        (("-m", "spokeneval", "wer", "--help"), 2),
        (("-m", "spokeneval", "wer", *[str(ROOT / "docs/start/wer/small.csv")] * 2), 2),
        ((str(ROOT / "build_bundle.py"), "check", str(ROOT / "sample_data")), 1),
        ((str(ROOT / "build_bundle.py"), "check", "--help"), 1),
        ((str(ROOT / "build_bundle.py"), "init", "new", "--example", "health"), 1),
    ],
)
def test_a_full_disk_is_reported_in_a_line(tmp_path, program, status):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, *program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (status, "standard output: No space left on device\n")


@pytest.mark.parametrize("stopped", ["spokeneval.commands", "spokeneval.kinds.declared"])
def test_ctrl_c_ends_the_program_quietly_while_it_starts(stopped):
    code = f"""import sys, spokeneval.__main__ as program
class Stop:
    def find_spec(self, name, *_):
        if name == {stopped!r}: raise KeyboardInterrupt
sys.meta_path.insert(0, Stop())
sys.exit(program.main(["tasks"]))"""
    done = run_program_text(code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


CHANGED = """
1 item became better, 1 worse, 1 unchanged.

Better
  0: 50 % right, now 100 %
    a  said   good morning
    a  heard  good evening
    a              S
    b  said   good morning
    b  heard  good morning

Worse
  1: 100 % right, now 50 %
    a  said   see you
    a  heard  see you
    b  said   see you
    b  heard  see –
    b             D

"""


def test_two_submissions_are_compared_item_by_item(tmp_path, capsys, monkeypatch):
    files = {"ref.txt": "good morning\nsee you\nyes\n", "a.txt": "good evening\nsee you\nyes\n"}
    monkeypatch.chdir(write_files(tmp_path, {**files, "b.txt": "good morning\nsee\nyes\n"}))
    arguments = ("diff", "--kind", "transcripts", "ref.txt", "a.txt", "b.txt")
    counted, scoring = [], scored.score_submission
    monkeypatch.setattr(scored, "score_submission", lambda *a: counted.append(a) or scoring(*a))
    status, printed, _ = run(capsys, *arguments)
    assert (status, CHANGED in printed, len(counted)) == (0, True, 2)
    assert "  WER (%)            20.00  20.00   +0.00\n  Substitutions (%)  20.00   0.00  -20.00\n" in printed
    assert "Difference from a: +0.00" in " ".join(printed.split())
    found = json.loads(run(capsys, *arguments, "--json", "--report", "page.html")[1])
    assert "<title>Transcripts: a and b</title>" in (tmp_path / "page.html").read_text("utf-8")
    assert (found["better_items"], found["worse_items"], found["same_items"]) == (1, 1, 1)
    assert found["worse"][0]["right"] == [1, 0.5]
    assert run(capsys, *arguments[:-1])[::2] == (2, "Give REFERENCE and two submissions, A and B.\n")
    assert run(capsys, *arguments, "c.txt")[0] == 2
    again = run(capsys, *arguments[:-1], "a.txt")
    assert again[::2] == (2, "a.txt is there twice; expected two submissions\n")


def test_a_result_is_reproduced_until_a_file_changes(tmp_path, capsys, monkeypatch):
    files = {"ref.txt": "a b\nc d\ne f\ng h\n", "hyp.txt": "a b\nc\ne f\ng h\n", "who.txt": "x\nx\ny\nz\n"}
    monkeypatch.chdir(write_files(tmp_path, files))
    arguments = ("wer", "ref.txt", "hyp.txt", "--units", "who.txt", "--baseline", "ref.txt", "--json")
    status, printed, _ = run(capsys, *arguments)
    found = json.loads(printed)
    assert (status, found["units"], found["baseline"]["wer"]) == (0, 3, 0)
    assert "|units:" in found["signature"]
    write_files(
        tmp_path,
        {"result.json": printed, "bare.json": "{}", "none.json": "no", "some.json": '{"arguments": []}'},
    )
    signature = json.loads(printed)["signature"]
    expected = f"Reproduced: 14 numbers and the signature are the same.\n{signature}\n"
    assert run(capsys, "reproduce", "result.json") == (0, expected, "")
    for other in ("bare", "none", "some"):
        status, _, told = run(capsys, "reproduce", f"{other}.json")
        assert (status, "expected the JSON of `score --json`" in told) == (2, True)
    write_files(tmp_path, {"hyp.txt": "a\nc\ne f\ng h\n"})
    status, printed, told = run(capsys, "reproduce", "result.json")
    assert (status, printed, told.split("\n")[:2]) == (
        1,
        "",
        ["Not reproduced:", "scores wer: 12.5; now 25.0"],
    )
    (tmp_path / "hyp.txt").unlink()
    assert run(capsys, "reproduce", "result.json")[0] == 2


def test_systems_of_a_kind_are_compared_from_lines(tmp_path, capsys):
    paths = [write_files(tmp_path, SPOKEN) / name for name in SPOKEN]
    status, printed, _ = run(
        capsys, "compare", "--kind", "transcripts", "--reference", *paths[:1], *paths, "--json"
    )
    assert (status, [system["name"] for system in json.loads(printed)["systems"]]) == (0, ["ref", "hyp"])
    write_files(tmp_path, {name: 4 * text for name, text in {**SPOKEN, "own.txt": "good\nare\n"}.items()})
    words = ("compare", "--kind", "transcripts", "--reference", paths[0], *paths, tmp_path / "own.txt")
    status, printed, _ = run(capsys, *words, "--baseline", "hyp", "--json")
    assert {tuple(sorted((pair["first"], pair["second"]))) for pair in json.loads(printed)["pairs"]} == {
        ("hyp", "ref"),
        ("hyp", "own"),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_described_with_every_parameter(capsys, kind):
    described = next(each for each in spokeneval.list_kinds() if each.name == kind)
    status, printed, _ = run(capsys, "tasks", kind)
    assert (status, printed) == (0, f"{described}\n")
    words = " ".join(printed.split())
    for parameter in KINDS[kind].parameters():
        assert f"{parameter.name} (" in words
        assert parameter.description in words
    assert json.loads(run(capsys, "tasks", kind, "--json")[1])["parameters"] == [
        json.loads(json.dumps(each._asdict())) for each in described.parameters
    ]


# compare


def test_compare_names_systems_apart(place, capsys):
    for folder in ("a", "b"):
        write_files(place / folder, {"results.csv": (place / "clean_answers.csv").read_text()})
    paths = [place / folder / "results.csv" for folder in ("a", "b")]
    _, printed, _ = run(capsys, "compare", TASK, "--reference", place / "clean.csv", *paths, "--json")
    assert [system["name"] for system in json.loads(printed)["systems"]] == list(map(str, paths))
    status, _, told = run(capsys, "compare", TASK, "--reference", place / "clean.csv", paths[0])
    assert (status, told) == (2, "Give the submissions of two systems or more.\n")


def test_compare_joins_folders_of_tasks(tmp_path, capsys):
    utterances = (ROOT / "reference_data/psst_correctness/development/utterances.tsv").read_text()
    answers = "utterance_id\tprediction\n" + "".join(
        f"{line.split(chr(9))[0]}\ttrue\n" for line in utterances.splitlines()[1:]
    )
    files = {"words/task.json": json.dumps({"task": "kids", "declaration": {"kind": "transcripts"}})}
    files["words/reference.csv"] = "id,transcript\na,good morning\nb,yes\n"
    files["answers/reference/utterances.tsv"] = utterances
    for name, said in (("x", "evening"), ("y", "morning"), ("z", "night")):
        files[f"words/submissions/{name}.csv"] = f"id,transcript\na,good {said}\nb,yes\n"
        if name != "z":
            files[f"answers/submissions/{name}/correctness.tsv"] = answers
    write_files(tmp_path, files)
    folders = (tmp_path / "words", f"psst_correctness={tmp_path / 'answers'}")
    status, printed, _ = run(
        capsys, "compare", "--rule", "mean_rank", *folders, "--json", "--out", tmp_path / "out"
    )
    found = json.loads(printed)
    assert (status, [*found["tasks"]]) == (0, ["words", "answers"])
    assert [(system["name"], system["score"]) for system in found["systems"]] == [("y", 1.0), ("x", 1.5)]
    assert found["apart"] == {"z": "no score in answers"}
    assert (tmp_path / "out" / "board.csv").is_file()
    weighted = (
        "--rule",
        "weighted_sum",
        "--weight",
        "words=2",
        "--missing",
        "worst",
        "--compulsory",
        "words",
    )
    status, printed, told = run(capsys, "compare", *weighted, *folders)
    assert (status, printed, told) == (2, "", "weights: answers without a weight above 0\n")
    status, printed, _ = run(capsys, "compare", *weighted, "--weight", "answers=1", *folders)
    assert (status, printed.splitlines()[0]) == (0, "words, answers · Weighted sum (higher is better)")
    (tmp_path / "words" / "submissions" / "x.csv").write_text("id,transcript\na,good\n")
    (tmp_path / "answers" / "reference.csv").write_text("")
    status, _, told = run(capsys, "compare", "--rule", "mean_rank", *folders)
    assert status == 1
    assert told.startswith(f"The submission {tmp_path / 'words' / 'submissions'} is refused.")
    (tmp_path / "words" / "submissions" / "x.csv").unlink()
    status, _, told = run(capsys, "compare", "--rule", "mean_rank", *folders)
    assert (status, told) == (
        2,
        f"{tmp_path / 'answers'}: expected one file or folder named reference; found 2\n",
    )
    status, _, told = run(capsys, "compare", TASK, "a.csv", "b.csv")
    assert (status, told) == (2, "Give --reference, or --rule and a folder for each task.\n")
    for words, why in (
        (["--option", "a=b", "--reference", "r"], "--reference, --option: not with --rule"),
        (["--units", "u"], "--units: not with --rule"),
        ([], f"{tmp_path / 'words'}: two folders are named words; rename one of them"),
    ):
        status, _, told = run(capsys, "compare", "--rule", "weighted_sum", *words, folders[0], folders[0])
        assert (status, told) == (2, f"{why}\n")
    status, _, told = run(capsys, "compare", TASK, "a", "b", "--reference", "r", "--missing", "worst")
    assert (status, told) == (2, "--missing: only with --rule\n")


# tasks, and JSON


def test_a_description_has_what_the_command_prints(capsys):
    assert [task.name for task in spokeneval.list_tasks()] == task_names()
    for name, described in zip(task_names(), spokeneval.list_tasks(), strict=True):
        assert described == spokeneval.get_task(name) == spokeneval.get_task(find_task(name))
        assert run(capsys, "tasks", name)[1] == f"{described}\n"
        assert json.loads(run(capsys, "tasks", name, "--json")[1]) == described.to_dict()
    described = [task.to_dict() for task in spokeneval.list_tasks()]
    assert json.loads(run(capsys, "tasks", "--json")[1]) == described
    declared = spokeneval.get_task({"kind": "transcripts", "units": "characters"})
    assert (declared.scores[0].key, declared.submission.columns) == ("cer", ("id", "transcript"))


def test_refusals_are_json_too(place, capsys):
    (place / "bad.csv").write_text("Id\tAccept\n1\tyes\n2\taccept\n")
    paths = ("--reference", place / "clean.csv", "--submission", place / "bad.csv")
    status, printed, told = run(capsys, "score", TASK, *paths, "--json")
    found = json.loads(printed)
    assert (status, found["error"]) == (1, f"The submission {place / 'bad.csv'} is refused.")
    assert told.startswith(found["error"])
    assert (found["total"], found["problems"][0]["code"]) == (2, "missing_item")
    place = {"file": "bad.csv", "line": 2, "item": "1", "code": "unknown_value"}
    assert found["problems"][1].items() > place.items()
    for wrong in (["score", "nope"], ["score", TASK, "--option", "x=y"], ["tasks", "nope"]):
        more = [] if wrong[0] == "tasks" else ["--reference", "x", "--submission", "y"]
        status, printed, told = run(capsys, *wrong, *more, "--json")
        assert (status, json.loads(printed)["error"]) == (2, told.strip())
    for words, named in ((["nope"], "'nope'"), (["compare", "a", "b", "--weight", "a=x"], "found a=x")):
        with pytest.raises(SystemExit, match=r"^2$"):
            main([*words, "--json"])
        printed, told = capsys.readouterr()
        assert named in json.loads(printed)["error"]
        assert told.rstrip().endswith(json.loads(printed)["error"])


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert (ended.value.code, capsys.readouterr().out) == (0, f"spokeneval {spokeneval.__version__}\n")


# Public names


def test_public_names_are_there_at_once():
    for name in spokeneval.__all__:
        assert getattr(spokeneval, name) is not None
    assert set(spokeneval.__all__) <= set(dir(spokeneval))
    assert (Path(spokeneval.__file__).parent / "py.typed").exists()
    with pytest.raises(AttributeError, match="module 'spokeneval' has no attribute 'scores'"):
        _ = spokeneval.scores


def test_metrics_are_there_after_one_import():
    code = (
        "import sys, spokeneval; assert 'numpy' not in sys.modules; "
        "print(spokeneval.metrics.phoneme_recognition.feature_error_rate([['V']], [['F']])); "
        "from spokeneval import Result, SubmissionError, list_tasks; print(hasattr(spokeneval.metrics, 'none'))"
    )
    done = run_program_text(code)
    assert done.stdout.split() == [str(1 / 24), "False"], done.stderr


def run_program_text(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)


def test_by_position_the_rows_that_are_left_out_have_answers_too():
    labels = [{"language": "correct", "meaning": "correct"}, {"language": "correct", "meaning": "incorrect"}]
    labels += [{"language": "incorrect", "meaning": "correct"}]
    answered = ["accept", "accept", "accept"]
    result = spokeneval.score(TASK, labels, answered, drop_invalid_reference_rows=True)
    assert [result.scores[key] for key in ("ca", "pfa", "gfa", "fr", "cr")] == [1, 1, 0, 0, 0]
    assert result.left_out == ("row 1: Id 1: language is correct but meaning incorrect",)


@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_the_help_is_shown_without_numpy(asked):
    shows = "import sys; from spokeneval.__main__ import main\ntry: main(sys.argv[1:])\n"
    command = [sys.executable, "-c", f"{shows}finally: assert 'numpy' not in sys.modules", asked]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
