"""Problems and warnings in the organiser's own names of files and columns."""

import re
from pathlib import Path

import pytest

from speechbundles.competition.intake.declared import Declared
from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference
from spokeneval.challenges import find_task, task_names
from tests.samples.bad_references import bad_references
from tests.samples.own_tables import load
from tests.samples.programs import ROOT, encoded, write_files
from tests.samples.tables import table


@pytest.mark.parametrize("task", task_names())
def test_no_refusal_of_a_renamed_file_names_the_tasks_file_or_columns(tmp_path, task):
    """Every corruption of the references of the tests, with other names of columns and files."""
    definition, found = find_task(task), set()
    for number, bad in enumerate(bad_references(task)):
        files, rename = {}, {}
        for layout in definition.format.layouts:
            text = encoded(bad.files).get(layout.file, b"").decode("utf-8", "replace")
            header, line_end, rows = text.partition("\n")
            known = {*layout.required, *layout.optional} - {"start", "end"}  # ordinary words in messages
            own = {cell: f"Ü{cell[::-1]}" for cell in header.split(layout.delimiter) if cell in known}
            rename.update(own)
            header = layout.delimiter.join(own.get(cell, cell) for cell in header.split(layout.delimiter))
            files[str(Path(layout.file).with_suffix(".txt"))] = header + line_end + rows
        folder = write_files(tmp_path / str(number), files)
        with bad.during():
            try:
                load_reference(definition, "evaluation", folder, {}, declared=Declared(rename=rename))
            except BadReference as error:
                said = re.sub(r"'[^']*'", "", str(error).partition("\n")[2])
                made = (*rename, *(layout.file for layout in definition.format.layouts))
                found.update(word for word in made if re.search(rf"(?<![\w.-]){re.escape(word)}(?!\w)", said))
    assert found == (
        {"audio_name"} if task == "merlion_diarization" else set()
    )  # in regions without a header


CALLS = "call_id,human1,human2,human3,"
RESPONSES = "response_id,prompt_id,speaker_id,human_score,words,"


@pytest.mark.parametrize(
    ("task", "text", "unused"),
    [
        *table("reference_cases")["unused columns"],
        pytest.param("caller_experience", f"{CALLS}{'1' * 60_000}x\na,1,2,3,4\n", None, id="a long number"),
    ],
)
def test_columns_that_look_like_labels_and_are_not_used_are_reported(tmp_path, task, text, unused):
    reference, _ = load(tmp_path, {"reference.csv": text}, task)
    found = [line.partition(" and ")[0] for line in reference.unused]
    assert found == ([f"reference.csv: {unused}"] if unused else [])


def test_no_column_of_the_samples_looks_like_an_unused_label():
    for folder in sorted((ROOT / "reference_data").glob("*/*/")):
        reference = load_reference(find_task(folder.parent.name), folder.name, folder, {})
        assert reference.unused == ()
