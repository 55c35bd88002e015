"""Submissions that are equivalent to the valid ones of `cases`, in another form: `name -> files` for each task."""

from __future__ import annotations

from spokeneval.programs.program import accepted_report
from tests.samples import merlion_identification as identification
from tests.samples.cases import CASES, IDS, SHEETS, TURNS, Sheet

SPELLINGS = {
    "psst_recognition": ("  K AE   T <spn>", "<unk>", "HH <sil> AW S", "D AO G"),
    "psst_correctness": ("tRUE", "false", "FALSE", "TRUE"),
    "content_accuracy": ("15e-1", "+3.", "-.250", "4.0"),
}
"""Other spellings of the values of a task's sheet."""

ONE, TURNS_OF_X = identification.ONE, TURNS["x_1.txt"]
OF_LINES = {
    "merlion_identification": {
        "tabs": ONE.replace(" ", "\t"),
        "two lines a segment": identification.TWO,
        "two lines a segment, blanks and tabs": identification.TWO.replace(" ", " \t ").rstrip("\n"),
        "indented": "\n".join(f"  {line} " for line in ONE.splitlines()),
        "other spellings": ONE.replace("0.9", "+9.0E-1").replace("0.1", ".1"),
    },
    "merlion_diarization": {
        "another order of the turns": "".join(reversed(TURNS_OF_X.splitlines(keepends=True))),
        "tabs": TURNS_OF_X.replace(" ", "\t"),
        "other spellings": TURNS_OF_X.replace("600 2500", "600.0 +2.5e3"),
        "turns twice, and in part again": TURNS_OF_X * 2 + "700 800 English\n",
    },
}
ITEMS = {"merlion_identification": len(identification.IDS), "merlion_diarization": len(TURNS)}


def harmless(task: str) -> dict[str, dict[str, str]]:
    good = dict(CASES[task].submission)
    file, text = next(iter(good.items()))
    texts = {
        **(of_sheet(SHEETS[task], SPELLINGS.get(task)) if task in SHEETS else OF_LINES[task]),
        "BOM and CRLF": "\ufeff" + text.replace("\n", "\r\n"),
        "no final newline": text.rstrip("\n"),
        "blank lines": "\n" + text.replace("\n", "\n \n"),
    }
    inside = {f"mine/{name}": content for name, content in good.items()}
    metadata = "elapsedTime: 0.2\nexitCode: null\ningestionElapsedTime: 1e-05\ningestionExitCode: -9\n"
    report = accepted_report(task, ITEMS.get(task, len(IDS)))
    return {
        **{name: {**good, file: content} for name, content in texts.items()},
        "in one folder": inside,
        "with a computer's own files": {**good, f"__MACOSX/._{file}": "x", ".DS_Store": "x"},
        "in a folder, with them": {**inside, f"__MACOSX/mine/._{file}": "x", "mine/.DS_Store": ""},
        "with the platform's files": {**good, "metadata": metadata, "ingestion_report.txt": report},
        "with a newer platform's": {**good, "metadata": metadata + "human_in_the_loop: false\nretries: 2"},
    }


def of_sheet(sheet: Sheet, spellings: tuple[str, ...] | None) -> dict[str, str]:
    rows = list(zip(IDS, sheet.values))
    mark = sheet.delimiter
    header = f"{sheet.value.upper()}{mark}comment{mark}{sheet.id.upper()}\n"
    quoted = "".join(f'"{value}"{mark}"a{mark} b"{mark}"{item}"\n' for item, value in rows)
    return {
        "another order of the rows": sheet.text([*rows[1:], rows[0]]),
        "quoted, more columns in another order, capitals": header + quoted,
        "other spellings": sheet.text(list(zip(IDS, spellings or sheet.values))),
    }
