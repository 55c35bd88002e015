"""What an organiser with own data has most likely still to say: warnings alone."""

import re
from collections.abc import Iterator

from speechbundles.assemble.kit import README, Parts
from speechbundles.assemble.pages import page_text
from speechbundles.assemble.template import OLD_CONDITION
from speechbundles.competition.whole import BASELINE
from speechbundles.model import dates
from speechbundles.model.competition import Competition

EXPECTED = ("title", "organiser", "contact_email", "data_licence", "phases")
"""Settings that hardly any two competitions share."""


def find_unsaid(competition: Competition, parts: Parts) -> Iterator[str]:
    """Settings that are still the sample's, dates that are past, and texts about what is left out."""
    if competition.sources.is_sample:
        return
    inherited = [key for key in EXPECTED if key not in competition.stated]
    if inherited:
        yield (
            f"{competition.name}: no own {', '.join(inherited)}; say yours in the competition.yaml of a competition "
            "folder"
        )
    yield from _past(competition)
    yield from _old_conditions(competition)
    yield from _about_what_is_left_out(competition, parts)


def _old_conditions(competition: Competition) -> Iterator[str]:
    own = [competition.page_path(file) for file in competition.page_files]
    own.append(competition.sources.find(f"starting_kit/{competition.task}/{README}"))
    for path in own:
        if path.is_relative_to(competition.sources.folder) and OLD_CONDITION.search(
            path.read_text(encoding="utf-8")
        ):
            yield (
                f"{path.relative_to(competition.sources.folder).as_posix()}: conditions such as <!-- only NAME --> are "
                "read in this version for the last time; write {% if NAME %} and {% endif %}"
            )


def _past(competition: Competition) -> Iterator[str]:
    """Phases that are over while another one is open; where none is, `check` tells."""
    today = dates.now().strftime(dates.FORMAT)
    if any(phase.start <= today and (phase.end is None or today < phase.end) for phase in competition.phases):
        for phase in competition.phases:
            if phase.end and phase.end <= today:
                yield f"{competition.name}: phase {phase.name} is over since {phase.end}"


def _about_what_is_left_out(competition: Competition, parts: Parts) -> Iterator[str]:
    """The repository's texts do not tell of it; those of a competition folder may."""
    if not competition["leave_out"]:
        return
    texts = {f"pages/{file}": page_text(competition, file, parts) for file in competition.page_files}
    texts[f"starting_kit/{competition.task}/{README}"] = parts.starting_kit.get(README, b"").decode()
    for name in competition["leave_out"]:
        # What was published elsewhere is not what is left out here.
        word = re.compile(rf"(?<!published )\b{re.escape('baseline.py' if name == BASELINE else name)}\b")
        told = [place for place, text in texts.items() if word.search(text)]
        if told:
            yield (
                f"{competition.name}: {name} is left out, but named in {', '.join(told)}; put your own into the "
                "competition folder"
            )
