"""Every task in small: two references of the same items with other labels, and a submission that scores against both.

All data are synthetic. A task joins by its entry in `CASES`, and one in `SHEETS` where its submissions are one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

from tests.samples import merlion_identification as identification

Files = Mapping[str, "str | bytes"]


@dataclass(frozen=True)
class Case:
    """A task in small: a reference, the same items with other labels, a submission without fault, and the header of
    the list of items that participants get."""

    reference: Mapping[str, str]
    relabelled: Mapping[str, str]
    submission: Mapping[str, str]
    public_header: str


@dataclass(frozen=True)
class Sheet:
    """A submission of one delimited file, and values that it may not hold: the refusal's code, words of its message."""

    file: str
    delimiter: str
    id: str
    value: str
    values: tuple[str, ...]
    wrong: Mapping[str, tuple[str, str]]

    def text(self, rows: list[tuple[str, str]] | None = None) -> str:
        rows = list(zip(IDS, self.values)) if rows is None else rows
        lines = [(self.id, self.value), *rows]
        return "".join(f"{self.cell(item)}{self.delimiter}{value}\n" for item, value in lines)

    def cell(self, text: str) -> str:
        return f'"{text}"' if self.delimiter in text else text


IDS = ("a-1", "Zoë-2", "a-3", "a-4")


def _wrong(code: str, *quoted: str, told: Mapping[str, str] | None = None) -> dict[str, tuple[str, str]]:
    """Values that their refusal quotes, and those of which it says more."""
    words = {value: repr(value) if value else "is empty" for value in quoted}
    return {value: (code, message) for value, message in {**words, **(told or {})}.items()}


SHEETS = {
    "spoken_call": Sheet(
        "results.csv",
        "\t",
        "Id",
        "Accept",
        ("accept", "reject", "reject", "accept"),
        _wrong(
            "unknown_value",
            "acept",
            "Accept",
            "",
            "1",
            "accept,reject",
            "аccept",
            told={
                "accept ": "'accept '; expected 'accept' or 'reject', without spaces around it",
                " reject": "without spaces around it",
            },
        ),
    ),
    "caller_experience": Sheet(
        "ratings.csv",
        ",",
        "call_id",
        "rating",
        ("1", "3", "5", "4"),
        _wrong(
            "off_scale",
            *("0", "6", "-1", "3e0", "+3", "03", "three", "nan", "", " ", "0x3", "３", "٣"),
            told={
                "3.0": "'3.0'; expected an integer from 1 to 5, without a decimal point",
                " 3": "from 1 to 5, without spaces around it",
            },
        ),
    ),
    "psst_recognition": Sheet(
        "transcripts.tsv",
        "\t",
        "utterance_id",
        "asr_transcript",
        ("K AE T", "", "HH AW S", "D AO <sil> G"),
        _wrong(
            "unknown_phone",
            *("æ", "tʃ", "QX", "K\u200bAE", "ＡＥ", "=K", "\x1b[31mD"),
            told={
                "AE0": "'AE0' is not one of the 40 phones; write AE, without the stress digit",
                "aw S": "'aw' is not one of the 40 phones; write AW, in capitals",
                "aw1 S": "write AW",
                "DAOG": "write D AO G, with spaces between the phones",
                "D-AO-G": "write D AO G",
                "K,AE": "write K AE",
                "<SIL> AO": "write <sil>",
                "spn AO": "write <spn>",
                "D" * 9999 + " AO": "D'...",
            },
        ),
    ),
    "psst_correctness": Sheet(
        "correctness.tsv",
        "\t",
        "utterance_id",
        "prediction",
        ("true", "FALSE", "false", "True"),
        _wrong(
            "unknown_value",
            *("Yes", "1", "0.25", "", "truе", "true;", "K AE T"),
            told={"flase": "'flase'; expected 'true' or 'false'", " true": "without spaces around it"},
        ),
    ),
    "content_accuracy": Sheet(
        "predictions.csv",
        ",",
        "response_id",
        "score",
        ("1.5", "3", "-0.25e0", "4"),
        {
            **_wrong(
                "not_a_number",
                *("nan", "inf", "-Infinity", "1e999", "-1e400", "0x1p3", "1_000", "", "٣", "1e", "--1"),
                *("=1+1", "1d2", "three", "1e+", "2½"),
                told={
                    '"2,5"': "'2,5'; expected a finite decimal number (a decimal point, not a comma)",
                    " 1": "' 1'; expected a finite decimal number, without spaces around it",
                    "1 ": "without spaces",
                },
            ),
            **_wrong(
                "out_of_bounds",
                *("-2.001", "-1e6", "1e308"),
                told={"7.1": "'7.1'; expected a number from -2 to 7"},
            ),
        },
    ),
}


def _table(delimiter: str, header: str, *rows: str) -> str:
    lines = [header.replace(" ", delimiter), *(row.replace("|", delimiter) for row in rows)]
    return "".join(line + "\n" for line in lines)


def _spoken_call(*labels: str) -> dict[str, str]:
    rows = [
        f"{item}|Frag: Wasser|{item}.wav|water|water|{language}correct|{meaning}correct"
        for item, (language, meaning) in zip(IDS, (label.split("/") for label in labels))
    ]
    return {
        "reference.csv": _table("\t", "Id Prompt Wavfile RecResult Transcription language meaning", *rows)
    }


def _utterances(labels: list[tuple[str, str]]) -> dict[str, str]:
    rows = [
        f"{item}|s{number % 2}|BNT|cat|{phones}|{correct}|70|16000|{number}.wav"
        for number, (item, (phones, correct)) in enumerate(zip(IDS, labels))
    ]
    header = "utterance_id session test prompt transcript correctness aq_index duration_frames filename"
    return {"utterances.tsv": _table("\t", header, *rows)}


def _ratings(*rows: str) -> dict[str, str]:
    lines = [f"{item}|{row}" for item, row in zip(IDS, rows)]
    return {"reference.csv": _table(",", "call_id human1 human2 human3", *lines)}


def _human_scores(*rows: str) -> dict[str, str]:
    lines = [f"{item}|p|s{item}|{row}" for item, row in zip(IDS, rows)]
    return {"reference.csv": _table(",", "response_id prompt_id speaker_id human_score words", *lines)}


UTTERANCE_LIST = "utterance_id\tsession\ttest\tprompt\tduration_frames\tfilename"
UTTERANCES = [("K AE T", "TRUE"), ("D AO G", "FALSE"), ("", "FALSE"), ("<spn> HH", "TRUE")]

REGIONS = "x_1.wav,500,10000\ny_1.wav,0,2000\n"


def _labels(tags: str, lengths: tuple[int, ...]) -> str:
    """A tag's letter and a length for each segment; the last two are in the second recording."""
    named = {"E": "English", "M": "Mandarin", "N": "NON_SPEECH", "O": "Non-Evaluated-Speech"}
    rows, start = [], 500
    for number, (tag, length) in enumerate(zip(tags, lengths), 1):
        recording = "x_1" if number < len(tags) - 1 else "y_1"
        start = 0 if number == len(tags) - 1 else start
        rows.append(f"{recording}.wav|a{number}|{start}|{start + length}|{length}|{named[tag]}|False")
        start += length
    return _table(",", "audio_name utt_id start end length language_tag overlap_diff_lang", *rows)


def _exchanged(text: str, one: str, other: str) -> str:
    return text.replace(one, "?").replace(other, one).replace("?", other)


DIARIZATION = {"labels.csv": _labels("EMNEEM", (2000, 1500, 100, 900, 500, 700)), "regions.csv": REGIONS}
TURNS = {"x_1.txt": "600 2500 English\n2500 3000.5 Mandarin\n", "y_1.txt": ""}

CASES = {
    "spoken_call": Case(
        _spoken_call("/", "/", "in/", "in/in"),
        _spoken_call("in/in", "/", "in/", "/"),
        {"results.csv": SHEETS["spoken_call"].text()},
        "Id\tPrompt\tWavfile\tRecResult",
    ),
    "caller_experience": Case(
        _ratings("1|2|1", "3|3|4", "5|5|5", "4|4|4"),
        _ratings("5|5|4", "1|1|2", "3|4|3", "2|5|1"),
        {"ratings.csv": SHEETS["caller_experience"].text()},
        "call_id",
    ),
    "psst_recognition": Case(
        _utterances(UTTERANCES),
        _utterances(UTTERANCES[::-1]),
        {"transcripts.tsv": SHEETS["psst_recognition"].text()},
        UTTERANCE_LIST,
    ),
    "psst_correctness": Case(
        _utterances(UTTERANCES),
        _utterances([UTTERANCES[place] for place in (1, 0, 3, 2)]),
        {"correctness.tsv": SHEETS["psst_correctness"].text()},
        UTTERANCE_LIST,
    ),
    "merlion_identification": Case(
        {"labels.csv": identification.GOLD},
        {"labels.csv": _exchanged(identification.GOLD, "English", "Mandarin")},
        {"prediction.txt": identification.ONE},
        "audio_name,utt_id,start,end",
    ),
    "merlion_diarization": Case(
        DIARIZATION,
        {"labels.csv": _labels("MEOMEN", (100, 900, 1500, 2000, 300, 900)), "regions.csv": REGIONS},
        TURNS,
        "audio_name",
    ),
    "content_accuracy": Case(
        _human_scores("1|10", "3|25", "2|9", "4|60"),
        _human_scores("4|60", "2|9", "3|25", "1|10"),
        {"predictions.csv": SHEETS["content_accuracy"].text()},
        "response_id,prompt_id,speaker_id",
    ),
}


def with_speakers(text: str, speakers: list[str], column: str = "user") -> str:
    """A reference with a further column."""
    delimiter = "\t" if "\t" in text else ","
    rows = zip(text.splitlines(), [column, *speakers])
    return "".join(f"{line}{delimiter}{speaker}\n" for line, speaker in rows)


def _own_tasks() -> dict[str, ModuleType]:
    """The modules of `tests.samples.tasks`, by their task."""
    folder = Path(__file__).parent / "tasks"
    names = sorted(path.stem for path in folder.glob("[a-z]*.py"))
    return {name: import_module(f"tests.samples.tasks.{name}") for name in names}


OWN = _own_tasks()
for _name, _own in OWN.items():
    _wrong_values = {
        value: found for code, values in _own.WRONG.items() for value, found in _wrong(code, *values).items()
    }
    SHEETS[_name] = Sheet(_own.FILE, _own.DELIMITER, _own.ID, _own.VALUE, _own.VALUES, _wrong_values)
    _first, _other = (
        {
            _own.REFERENCE_FILE: "\n".join(
                [
                    _own.REFERENCE_HEADER,
                    *(f"{item},{label}" for item, label in zip(IDS, labels)),
                    "",
                ]
            )
        }
        for labels in _own.REFERENCES
    )
    CASES[_name] = Case(_first, _other, {_own.FILE: SHEETS[_name].text()}, _own.ITEM_LIST_HEADER)
