"""The samples in the repository are what their generators write."""

import pytest

from sample_data import caller_experience, content_accuracy, merlion, psst, spoken_call
from tests.samples.programs import ROOT

# For each task: the function that writes its files below a folder, and the number of files.
GENERATORS = {
    "spoken_call": (spoken_call.write, 3),
    "caller_experience": (caller_experience.write, 5),
    "psst": (psst.write_samples, 7),
    "merlion": (merlion.write_samples, 8),
    "content_accuracy": (content_accuracy.write, 6),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_the_files_are_what_the_generator_writes(tmp_path, name):
    write, count = GENERATORS[name]
    written = write(tmp_path)
    assert len(written) == count
    for path in written:
        assert path.read_bytes() == (ROOT / path.relative_to(tmp_path)).read_bytes(), path
    if name == "content_accuracy":
        assert sum(path.stat().st_size for path in written) < 620_000  # with manual transcripts
