"""Write all sample files again, with the same bytes as in the repository: `make samples`."""

from pathlib import Path

from sample_data import caller_experience, content_accuracy, merlion, psst, spoken_call

ROOT = Path(__file__).resolve().parent.parent

spoken_call.write(ROOT)
caller_experience.write(ROOT)
psst.write_samples(ROOT)
merlion.write_samples(ROOT)
content_accuracy.write(ROOT)
