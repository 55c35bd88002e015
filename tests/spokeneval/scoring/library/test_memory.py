"""Tests that data in memory give the scores of files, and that refusals name their rows."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pandas
import pytest

import spokeneval
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.tables import Layout
from tests.samples.cases import CASES
from tests.samples.programs import write_files


def frame_of(text: str, layout: Layout) -> pandas.DataFrame:
    first = text.partition("\n")[0].lower()
    names = None if layout.id.lower() in first else list(layout.required)  # a file without a header
    return pandas.read_csv(
        io.StringIO(text), sep=layout.delimiter, names=names, dtype=str, keep_default_na=False
    )


def reference_of(task: str) -> Any:
    """The reference of a small set as data frames."""
    layouts = {layout.file: layout for layout in find_task(task).format.layouts}
    frames = {
        file: frame_of(text, layouts[file]) for file, text in CASES[task].reference.items() if file in layouts
    }
    return frames if len(layouts) > 1 else next(iter(frames.values()))


def submission_of(task: str) -> pandas.DataFrame:
    """The submission to a small set as a data frame."""
    layout = find_task(task).format.submission
    assert layout is not None
    files = CASES[task].submission
    if find_task(task).format.write_submission is None:
        return frame_of(files[layout.file], layout)
    several = {file.rpartition(".")[0]: text for file, text in files.items()}
    if find_task(task).format.submission_file is None:
        rows = [[name, *line.split()] for name, text in several.items() for line in text.splitlines()]
        return pandas.DataFrame(rows, columns=layout.required)
    rows = [line.split() for line in files[layout.file].splitlines()]
    if len(rows) == 2 * len({row[0] for row in rows}):  # two lines for each segment
        rows = [[*first[::2], second[2]] for first, second in zip(rows[::2], rows[1::2], strict=True)]
    return pandas.DataFrame(rows, columns=layout.required)


@pytest.mark.parametrize("task", task_names())
def test_data_frames_give_the_scores_of_files(task, tmp_path):
    expected = spokeneval.score(
        task,
        write_files(tmp_path / "reference", CASES[task].reference),
        write_files(tmp_path / "submission", CASES[task].submission),
    )
    submission = submission_of(task).sample(frac=1, random_state=5)
    result = spokeneval.score(task, reference_of(task), submission)
    assert (result.scores, result.intervals) == (expected.scores, expected.intervals)
    mixed = spokeneval.score(task, tmp_path / "reference", submission)
    assert mixed == expected
    assert str(mixed) == str(expected)
    assert mixed.signature == expected.signature


WER = {"kind": "transcripts"}
SAID, HEARD = ["good morning", "yes", "no"], ["good evening", "yes", ""]
NAMED = {"a": SAID[0], "b": SAID[1], "c": SAID[2]}


@pytest.mark.parametrize(
    ("reference", "submission"),
    [
        (SAID, HEARD),
        (tuple(SAID), np.array(HEARD)),
        (np.array(SAID, dtype=object), (text for text in HEARD)),
        (NAMED, {"c": HEARD[2], "b": HEARD[1], "a": HEARD[0]}),
        (NAMED, {"a": {"transcript": HEARD[0]}, "b": {"transcript": HEARD[1]}, "c": {"transcript": HEARD[2]}}),
        ({1: SAID[0], 2: SAID[1], 3: SAID[2]}, pandas.Series(HEARD, index=[1, 2, 3])[::-1]),
        (pandas.Series(SAID), pandas.DataFrame({"transcript": HEARD})[::-1]),
        (SAID, pandas.DataFrame({"Transcript": HEARD, "other": 1})),
        (SAID, [text.split() for text in HEARD]),
        ([{"id": item, "transcript": text} for item, text in NAMED.items()], HEARD),
    ],
)  # fmt: skip
def test_all_forms_of_the_same_data_give_the_same_scores(reference, submission):
    """By hand: of four words one is replaced and one is missing."""
    result = spokeneval.score(WER, reference, submission)
    assert result.scores["wer"] == 50.0
    assert result.scores["wrong"] == pytest.approx(200 / 3, abs=1e-12)


def test_numbers_keep_every_digit():
    state = np.random.RandomState(3)
    labels = state.rand(60) < 0.4
    scores = state.randn(60, 2).astype(np.float32) * 10.0 ** state.randint(-12, 12, (60, 1))
    task = {"kind": "identification", "classes": ["no", "yes"]}
    result = spokeneval.score(task, ["yes" if label else "no" for label in labels], scores)
    text = "id,no,yes\n" + "".join(f"{n},{no!r},{yes!r}\n" for n, (no, yes) in enumerate(scores.tolist()))
    read = csv.DictReader(io.StringIO(text))
    back = np.array([[float(row["no"]), float(row["yes"])] for row in read])
    assert back.tolist() == scores.tolist()
    assert result == spokeneval.score(task, ["yes" if label else "no" for label in labels], back)


def test_no_csv_is_written_and_parsed_again(monkeypatch):
    expected = spokeneval.score(WER, SAID, HEARD)
    monkeypatch.delattr(csv, "writer")
    monkeypatch.delattr(csv, "reader")
    assert spokeneval.score(WER, SAID, HEARD) == expected


TURNS = {"kind": "turns"}


def test_turns_are_lists_of_each_recording():
    """By hand: 0.25 s of 2.75 s are missed; the recording without turns in the submission is all missed."""
    spoken = {"r1": [(0, 1, "A"), (1.5, 3.25, "B")], "r2": [(0.1, 0.4, "A")]}
    found = {"r1": [(0, 1, "A"), (1.5, 3.0, "B")], "r2": []}
    assert spokeneval.score(TURNS, spoken, found).scores["miss"] == pytest.approx(100 * 0.55 / 3.05)
    assert spokeneval.score(TURNS, spoken, spoken).scores["der"] == 0


def test_empty_cells_of_a_second_rater(tmp_path):
    """A data frame that was read from a file has NaN in the empty cells, and numbers with a decimal point beside."""
    file = tmp_path / "reference.csv"
    rows = [f"r{n},p,s{n},{1 + n % 4},{5 + n},{1 + n % 3 if n % 2 else ''}" for n in range(12)]
    file.write_text("\n".join(["response_id,prompt_id,speaker_id,human_score,words,human_score2", *rows]))
    frame = pandas.read_csv(file)
    assert frame["human_score2"].isna().any()
    predictions = dict(zip(frame["response_id"], np.linspace(1, 4, 12), strict=True))
    expected = spokeneval.score("content_accuracy", file, predictions)
    assert spokeneval.score("content_accuracy", frame, predictions).scores == expected.scores


# What is refused


@pytest.mark.parametrize(
    ("task", "reference", "submission", "error", "words"),
    [
        ("nope", [1], [1], ValueError, "unknown task 'nope'; expected one of caller_experience, content_accuracy"),
        ("transcripts", [1], [1], ValueError, "or a declaration such as {'kind': 'transcripts'}"),
        (None, [1], [1], TypeError, "the task is None; expected one of caller_experience"),
        ({"kind": "transcript"}, ["a"], ["a"], ValueError, "did you mean transcripts?"),
        (WER, None, ["a"], TypeError, "the reference is None; expected a path, a data frame, a mapping"),
        (WER, "a b", ["a"], OSError, "no such reference; texts are paths, so put an answer in a list"),
        (WER, ["a"], None, TypeError, "the submission is None; expected a path"),
        (WER, ["a"], 5, TypeError, "the submission is 5 (int); expected a path"),
        (WER, ["a"], b"a", TypeError, "the submission is b'a' (bytes); expected a path"),
        (WER, ["a", "b"], {"a", "b"}, TypeError, "(set); expected a path, a data frame, a mapping"),
        ("merlion_diarization", {"labels.csv": [], "region.csv": []}, {}, ValueError,
         "the reference has the unknown file region.csv; expected labels.csv, regions.csv"),
        (WER, ["a", "b"], ["a"], ValueError, "1 value; the reference has 2 items; give one value for each item"),
        (WER, ["a", "b"], ["a", None], ValueError, "row 1     transcript is None; expected a value"),
        (WER, ["a", "b"], pandas.Series(["a", float("nan")]), ValueError, "row 1     transcript is nan"),
        (WER, ["a", "b"], ["a\nb", "a"], ValueError, "row 0     transcript 'a\\nb'; expected no line breaks"),
        (WER, ["a", "b"], ["a", object], ValueError, "row 1     transcript is <class 'object'> (type)"),
        (WER, ["a"], pandas.DataFrame({"text": ["a"]}), ValueError, "no column transcript; its columns are text"),
        (WER, {"x": "a"}, [{"id": "x"}], ValueError, "row 0 of the submission has no column transcript"),
        (WER, {"": "a"}, {"": "a"}, ValueError, "row 0     the id is empty"),
        (WER, {"x": "a"}, {"y": "a"}, ValueError, "row 0     id y is not one of the 1 item"),
        (WER, [{"id": "x", "transcript": text, "speaker": text} for text in "ab"], ["a"], ValueError,
         "row 1     id x: another speaker than on row 0; expected one per item"),
        ("caller_experience", [[1, 2, 3], [1, 2, 9]], [1, 1], ValueError,
         "reference: 1 problem\n\n  row 1     call_id 1: human3 '9'; expected an integer from 1 to 5"),
        ("caller_experience", [[1, 2, 3], [1, 2]], [1, 1], ValueError, "row 1 of the reference is [1, 2] (list)"),
        ("caller_experience", [[1, 2, 3], [3, 2, 1]], ["1", "one"], ValueError,
         "submission: 1 problem\n\n  row 1     call_id 1: rating 'one'; expected an integer from 1 to 5"),
        ("caller_experience", {"a": [1, 2, 3], "b": [3, 2, 1]},
         pandas.DataFrame({"call_id": ["a", "b", "a"], "rating": 1}), ValueError,
         "row 2     call_id a already appears on row 0; keep only one"),
    ],
)  # fmt: skip
def test_bad_arguments_get_one_error(task, reference, submission, error, words):
    with pytest.raises(error) as refused:
        spokeneval.score(task, reference, submission)
    assert words in str(refused.value)


def test_an_unknown_option_names_the_known_ones():
    with pytest.raises(
        ValueError, match="unknown option 'fifty'; expected one of fifty_percent_rule, class_sizes"
    ):
        spokeneval.score("spoken_call", ["x"], ["y"], options={"fifty": "flag"})
    for wrong in ("scale=0-5", ["scale"], 5):
        with pytest.raises(TypeError, match="expected a mapping from options, scale"):
            spokeneval.score("content_accuracy", ["x"], ["y"], options=wrong)


# Results


# Units


TWO = {"kind": "decisions", "classes": ["sí", "no"], "positive": "sí"}
LABELS = pandas.DataFrame(
    {
        "id": [f"a{n}" for n in range(60)],
        "label": ["sí", "no", "no"] * 20,
        "spk": [f"s{n // 10}" for n in range(60)],
    }
)
DECISIONS = dict(zip(LABELS["id"], [*["sí", "no", "no"] * 15, *["no", "no", "no"] * 5], strict=True))


@pytest.mark.parametrize(
    "column",
    ["spk", "spk_id", "speakerID", "Speaker Name", "client_id", "participant", "Sprecherin", "说话人"],
)
def test_a_column_that_looks_like_speakers_and_is_not_used_gives_a_warning(column, tmp_path):
    labels = LABELS.rename(columns={"spk": column})
    labels.to_csv(tmp_path / "labels.csv", index=False)
    rows = labels.set_index("id").to_dict("index")
    for reference in (labels, tmp_path / "labels.csv", rows, list(rows.values())):
        answers = [*DECISIONS.values()] if isinstance(reference, list) else DECISIONS
        with pytest.warns(UserWarning, match=f"The column {column} of the reference looks like speakers"):
            result = spokeneval.score(TWO, reference, answers)
        assert result.unit == "item"
        assert result.to_dict()["warnings"] == list(result.warnings)
        assert "looks like speakers" in str(result)
    declared = spokeneval.score({**TWO, "unit": column}, labels, DECISIONS)
    renamed = spokeneval.score(TWO, labels.rename(columns={column: "speaker"}), DECISIONS)
    assert declared.intervals == renamed.intervals
    assert (declared.units, declared.warnings, renamed.warnings) == (6, (), ())
    assert "warnings" not in declared.to_dict()


def test_speakers_that_differ_in_spelling_only_give_a_warning():
    labels = LABELS.assign(speaker=["s03", "S03", "s5"] * 20)
    with pytest.warns(
        UserWarning, match="^speaker s03 and S03 differ only in capital letters, leading zeros or"
    ):
        assert spokeneval.score(TWO, labels, DECISIONS).units == 3


def test_a_comparison_has_the_warnings_of_a_result():
    with pytest.warns(UserWarning, match="The column spk of the reference looks like speakers"):
        compared = spokeneval.compare(
            TWO, LABELS, {"ours": DECISIONS, "all no": dict.fromkeys(DECISIONS, "no")}
        )
    assert compared.to_dict()["warnings"] == list(compared.warnings)
    assert str(compared).count("looks like") == 1


@pytest.mark.parametrize("column", ["spokesperson", "split", "duration", "speech_rate", "usage"])
def test_other_columns_give_no_warning(column):
    assert spokeneval.score(TWO, LABELS.rename(columns={"spk": column}), DECISIONS).warnings == ()


@pytest.mark.parametrize("unit", ["spek", "SPK ID"])
def test_a_declared_unit_that_is_no_column_is_refused(unit):
    with pytest.raises(
        spokeneval.ReferenceFileError, match=f"no '{unit}' in the reference, which `unit` declares"
    ):
        spokeneval.score({**TWO, "unit": unit}, LABELS, DECISIONS)
