"""One starting kit for all tasks of a challenge: files that are the same in all kits once, the others by task."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from speechbundles.bundle.build.kit import README, BundleParts, for_competition
from speechbundles.bundle.build.template import fill, markdown_table
from speechbundles.bundle.build.travel import PACKAGE
from speechbundles.model.competition import Challenge, Competition

PAGE = "joint_kit.md"


def with_joint_kits(
    competitions: Sequence[Competition], parts: Mapping[str, BundleParts]
) -> dict[str, BundleParts]:
    """Return the parts of each task, with the kit of its challenge if its tasks are ranked together."""
    challenges = {each.joint.name: each.joint for each in competitions if each.joint}
    kits = {name: _kit(challenge, parts) for name, challenge in challenges.items()}
    joint = {each.task: kits[each.joint.name] for each in competitions if each.joint}
    return {task: replace(own, joint_kit=joint.get(task, {})) for task, own in parts.items()}


def _kit(challenge: Challenge, parts: Mapping[str, BundleParts]) -> dict[str, bytes]:
    """Return the kit; `try_submission.py --task BUNDLE` puts the files of a bundle over those that all have."""
    kits = {
        name: for_competition(replace(each, joint=challenge), parts[each.task].starting_kit)
        for name, each in challenge.bundles.items()
    }
    every = {file: data for kit in kits.values() for file, data in kit.items() if file != README}
    common = {
        file: data
        for file, data in every.items()
        if file.startswith(f"{PACKAGE}/") or all(kit.get(file) == data for kit in kits.values())
    }
    own = {
        f"{name}/{file}": data
        for name, kit in kits.items()
        for file, data in kit.items()
        if file not in common
    }
    competition = next(iter(challenge.bundles.values()))
    tasks = [(f"`{name}`", each["title"]) for name, each in challenge.bundles.items()]
    facts = {
        "tasks": "\n".join(markdown_table(("`--task`", "competition"), tasks)),
        "first": next(iter(kits)),
        "files": "" if competition.takes_code else ", ".join(f"`{file}`" for file in challenge.files),
        "last_set": competition.last_set,
    }
    readme = fill(competition.page_path(PAGE).read_bytes(), PAGE, facts, {})
    return {**common, **own, README: readme.encode()}
