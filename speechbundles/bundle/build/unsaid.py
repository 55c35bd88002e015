"""Warnings about settings and texts that an organiser with their own data has probably not adapted yet."""

import re
from collections.abc import Iterable, Iterator, Mapping

from speechbundles.bundle.build.kit import README, BundleParts
from speechbundles.bundle.build.pages import Pages
from speechbundles.competition.whole import BASELINE
from speechbundles.model import dates
from speechbundles.model.competition import Competition
from speechbundles.model.text import grouped

EXPECTED = ("title", "organiser", "contact_email", "data_licence", "phases")
"""Settings that differ between almost all competitions."""


ABOUT = ("organisers", "timeline", "data_access", "prizes", "faq", "citation")
"""The facts in `about` that careful organisers give; `contact` adds to `contact_email`."""


def unfilled_about(competitions: Iterable[Competition]) -> str:
    """Return a line with the facts in `about` that own competitions do not give; empty if all give all of them."""
    without: dict[str, list[str]] = {}
    for competition in competitions:
        prized = {"prizes"} if "reward" in competition.settings else set()
        missing = [key for key in ABOUT if key not in {*competition.about, *prized}]
        if missing and not competition.sources.is_sample:
            without.setdefault(", ".join(missing), []).append(competition.name)
    listed = "; ".join(f"{', '.join(names)}: {missing}" for missing, names in without.items())
    return f"to fill in below `about` in competition.yaml, for the pages: {listed}" if listed else ""


def same_rules(competitions: Iterable[Competition]) -> str:
    """Return a line with own bundles of one task whose rules do not differ; empty if there are none."""
    own = (each for each in competitions if not each.sources.is_sample)
    pages = ((each, map(each.page_path, ("rules.md", "about_rules.md"))) for each in own)
    alike = grouped(((each.task, *paths, *each["rules"]), each.name) for each, paths in pages)
    listed = "; ".join(" and ".join(names) for names in alike.values() if len(names) > 1)
    how = "if they are tracks, set the `rules` of each in competition.yaml"
    return f"bundles of one task with the same rules: {listed}; {how}" if listed else ""


def find_unsaid(competition: Competition, parts: BundleParts, pages: Pages) -> Iterator[str]:
    """Yield warnings: settings that are not set, phases that have ended, and texts about files that are left out."""
    if competition.sources.is_sample:
        return
    expected = (*EXPECTED, *(["rules"] if competition["rules"] else []))
    inherited = [key for key in expected if key not in competition.stated]
    if inherited[-1:] == ["rules"]:
        inherited[-1] += f" (its pages list those of the challenge {competition.challenge})"
    if inherited:
        yield (
            f"{competition.name}: you have not set {', '.join(inherited)}; do so in the competition.yaml of a "
            "competition folder"
        )
    texts = " ".join(_pages_of(competition, pages).values())
    if not all(" ".join(rule.split()) in texts for rule in competition["rules"]):
        yield f"{competition.name}: no page lists its rules; insert ${{own_rules}} into your own overview.md"
    today = dates.now().strftime(dates.FORMAT)  # `check` reports it if no phase is open
    if any(phase.start <= today and (phase.end is None or today < phase.end) for phase in competition.phases):
        past = [phase for phase in competition.phases if phase.end and phase.end <= today]
        yield from (f"{competition.name}: phase {phase.name} ended at {phase.end}" for phase in past)
    yield from _about_what_is_left_out(competition, parts, pages)


def _pages_of(competition: Competition, pages: Pages) -> Mapping[str, str]:
    return next(texts for (name, _), texts in pages.items() if name == competition.name)


def _about_what_is_left_out(competition: Competition, parts: BundleParts, pages: Pages) -> Iterator[str]:
    """Warn of texts in a competition folder that name files which are left out; the repository's own never do."""
    if not competition["leave_out"]:
        return
    texts = {f"pages/{file}": text for file, text in _pages_of(competition, pages).items()}
    texts[f"starting_kit/{competition.task}/{README}"] = parts.starting_kit.get(README, b"").decode()
    for name in competition["leave_out"]:
        # "published NAME" is about a set published elsewhere, not about the set that is left out.
        word = re.compile(rf"(?<!published )\b{re.escape('baseline.py' if name == BASELINE else name)}\b")
        places = [place for place, text in texts.items() if word.search(text)]
        if places:
            yield (
                f"{competition.name}: {name} is left out, but still mentioned in {', '.join(places)}; put your own "
                "version of the text into the competition folder"
            )
