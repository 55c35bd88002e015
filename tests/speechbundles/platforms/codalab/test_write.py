"""What CodaLab's bundle makes of settings that the platform lacks."""

import pytest
import yaml

from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from tests.samples.programs import ROOT, unzipped


@pytest.mark.thorough
def test_a_gap_between_phases_becomes_a_closed_phase_on_codalab(tmp_path):
    planned = plan(Sources(ROOT), ["merlion_identification_closed"], {}, platforms=["codalab"])
    (built,) = write(planned, tmp_path)
    phases = yaml.safe_load(unzipped(built.path.read_bytes())["competition.yaml"])["phases"]
    keys = ("label", "start_date", "max_submissions_per_day")
    assert [tuple(phase[key] for key in keys) for phase in phases.values()] == [
        ("Evaluation", "2023-02-16 00:00:00", 3),
        ("Closed after Evaluation", "2023-03-01 00:00:00", 0),
        ("Post-evaluation", "2023-03-10 00:00:00", 1),
    ]
