"""The joint ranking that a challenge declares: its bundles, and how their scores become one."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from speechbundles.competition.located_yaml import Defects
from speechbundles.model.competition import Challenge, Competition, Place
from spokeneval.formats.problems import suggestion
from spokeneval.ranking.joint_rule import JointRule

JOINT, NONE = "joint", "none"
"""The key of the declaration, and the rule of a challenge without a joint score."""


def joined(
    content: Mapping[str, Any], competitions: Sequence[Competition], defects: Defects
) -> Iterator[Competition]:
    """Yield the competitions, each with the challenge that ranks it together with others; add defects."""
    challenges: dict[str, Challenge] = {}
    resolved = {each.name: each for each in competitions}
    for name, layer in content.get("challenges", {}).items():
        if JOINT in layer:
            others = {bundle for bundle in content["bundles"] if bundle not in resolved}
            challenge = _challenge(name, layer[JOINT], resolved, others, defects)
            challenges.update(dict.fromkeys(challenge.bundles, challenge))
    for competition in competitions:
        yield replace(competition, joint=challenges.get(competition.name))


def _challenge(
    name: str,
    declared: Mapping[str, Any],
    resolved: Mapping[str, Competition],
    others: Collection[str],
    defects: Defects,
) -> Challenge:
    """Return a challenge; `others`: the bundles that cannot be resolved, whose defects are known."""
    place: Place = ("challenges", name, JOINT)
    if name in {*resolved, *others}:
        defects.append(
            (place[:2], f"{name} is also a bundle; a challenge with a joint ranking has its own name")
        )
    named: list[str] = declared["bundles"]
    own = {bundle: each for bundle, each in resolved.items() if each.challenge == name}
    for index, bundle in enumerate(named):
        if bundle not in own and bundle not in others:
            what = f"{name} has no bundle {bundle}; {suggestion(bundle, own)}"
            defects.append(((*place, "bundles", index), what))
    chosen = {bundle: own[bundle] for bundle in named if bundle in own}
    given = {key: value for key, value in declared.items() if key != "bundles"}
    compulsory = tuple(given.get("compulsory", ()))
    rule = None if given["rule"] == NONE else JointRule(**given)
    if rule and len(chosen) == len(named):
        for problem in rule.problems({bundle: each.definition.primary for bundle, each in chosen.items()}):
            key, _, what = problem.partition(": ")
            defects.append(
                ((*place, key) if key in declared else place, what if key in declared else problem)
            )
    elif rule is None:
        defects += [
            ((*place, key), f"the rule {NONE} makes no joint score; remove {key}")
            for key in given
            if key not in ("rule", "compulsory")
        ]
        unknown = [bundle for bundle in compulsory if bundle not in named]
        defects += [
            ((*place, "compulsory"), f"no bundle {bundle} in this list of bundles") for bundle in unknown
        ]
    return Challenge(name, chosen, rule, compulsory)
