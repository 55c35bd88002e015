"""Files of a competition folder, and those that the repository provides in their place."""

import pytest

from speechbundles.bundle.build.plan import plan
from speechbundles.competition.read import read_competitions
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import Sources
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, write_files


def test_templates_fall_through_one_by_one(own):
    write_files(
        own,
        {
            "pages/content_accuracy/data.md": "# Ours\n\nAsk ${contact_email}.\n",
            "pages/terms.md": "# Our terms\n\n${data_licence}\n",
            "pages/logo.png": (ROOT / "pages/logo.png").read_bytes() + b"ours",
            "starting_kit/content_accuracy/README.md": "ours",
        },
    )
    planned = plan(Sources(ROOT, own), [], {})
    (pages,) = planned.pages.values()
    assert pages["data.md"] == "# Ours\n\nAsk plux@klonmub.example.\n"
    assert pages["terms.md"] == "# Our terms\n\nData licence: CC BY-NC 4.0.\n"
    assert pages["overview.md"].startswith("# Dwimfleg, a challenge\n")
    kit = planned.parts["content_accuracy"].starting_kit
    assert kit["README.md"] == b"ours"
    assert kit["content.py"] == (ROOT / "starting_kit/content_accuracy/content.py").read_bytes()
    (own / "pages/content_accuracy/data.md").write_text("${title} ${contact}\n")
    words = r"^pages/content_accuracy/data.md line 1: \$\{contact\} is not a fact"
    with pytest.raises(OrganiserError, match=words):
        plan(Sources(ROOT, own), [], {})


def test_an_own_shared_page_precedes_a_challenges_page_in_the_repository(tmp_path):
    own = own_folder(tmp_path / "own", ["merlion_diarization"])
    write_files(own, {"pages/terms.md": "Ours."})
    assert (ROOT / "pages/merlion/terms.md").is_file()
    for competition in read_competitions(Sources(ROOT, own)):
        assert competition.page_path("terms.md").read_text() == "Ours."
