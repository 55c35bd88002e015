"""Read and validate everything that the requested bundles need. Nothing is written before everything is valid."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations, product
from pathlib import Path

from speechbundles.bundle.build.contract import hold_to_contract
from speechbundles.bundle.build.joint_kit import with_joint_kits
from speechbundles.bundle.build.kit import BundleParts, make_parts
from speechbundles.bundle.build.overlaps import find_overlap, is_accepted, refusal, shared_units
from speechbundles.bundle.build.pages import Pages, page_texts
from speechbundles.bundle.build.small_sets import warn_of_size
from speechbundles.bundle.build.unsaid import find_unsaid
from speechbundles.competition import located_yaml
from speechbundles.competition.intake.declared import declared_of
from speechbundles.competition.read import kept_bundles, read_competitions
from speechbundles.competition.references import ReferenceSet, load_reference
from speechbundles.competition.seal import keep_home, refuse_marked, seal
from speechbundles.competition.whole import Given, away_from_sample, require_whole, with_all_labels
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference, SealError
from speechbundles.model.platform import live_platform
from speechbundles.model.platform import platforms as all_platforms
from speechbundles.model.sources import Sources
from speechbundles.model.tabular import read_rows
from speechbundles.model.zips import DECIDING_SET
from spokeneval.formats.problems import count_of

Loaded = list[tuple[Competition, dict[str, ReferenceSet]]]
"""A competition of each task, with the task's sets by their names."""


@dataclass(frozen=True)
class Plan:
    """The validated competitions to build, the parts of each task, the pages, and warnings for the organiser.

    `foreign`: the folders of bundles that others built, which are zipped as they are, by the names of the bundles.
    """

    competitions: Sequence[Competition]
    parts: Mapping[str, BundleParts]
    pages: Pages
    warnings: Sequence[str]
    foreign: Mapping[str, Path] = field(default_factory=dict)


def plan(
    sources: Sources,
    names: Sequence[str],
    given: Given,
    *,
    platforms: Sequence[str] = (),
    leave_out: Sequence[str] = (),
    drop_invalid_rows: bool = False,
    kept: Path | None = None,
    at_home: bool = False,
    progress: Callable[[str], None] = lambda step: None,
    log: Callable[[str], None] = lambda line: None,
) -> Plan:
    """Read and validate everything that the named bundles need; all bundles if none is named.

    Parameters
    ----------
    sources: where the competitions' files are.
    given: `(task, set) -> file or folder` of labels that replace those of the competition folder.
    platforms: for which to build each bundle; none: the live one.
    leave_out: sets and files to leave out, as in `competition.yaml`.
    drop_invalid_rows: leave out invalid rows of labels with a warning, instead of refusing them.
    kept: the folder of earlier builds' sealed labels; items that are sealed there stay sealed.
    at_home: plan the bundle that scores at home: with all labels, also those that no platform gets.
    progress: called with the name of each step.
    log: called with one line for each of the organiser's own label files: how it was read.

    Raises
    ------
    OrganiserError: competitions that cannot be built; the message lists all defects that one step finds.
    """
    competitions = _read(sources, names, leave_out, given, at_home=at_home)
    tasks = {competition.task: competition for competition in competitions}
    _require_known(tasks, given)
    require_whole(tasks.values(), given)
    loaded: Loaded = []
    refused: list[str] = []
    for task, competition in tasks.items():
        progress(f"contract of {task}")
        hold_to_contract(competition)
        progress(f"references of {task}")
        found = _load_references(competition, given, drop_invalid_rows, refused, log)
        loaded.append((competition, dict(found)))
    if refused:
        raise BadReference("\n\n".join(refused))
    warnings = [*_check_overlaps(loaded), *_small_sets(loaded)]
    _seal(sources, loaded, kept)
    parts = {}
    for number, (task, (competition, references)) in enumerate(zip(tasks, loaded, strict=True), 1):
        warnings += _warnings(competition, references)
        progress(f"programs, starting kit, baseline of {task} ({number} of {len(tasks)} tasks)")
        parts[task] = make_parts(competition, references, log=log)
        warnings += _kit_warnings(competition, parts[task])
    parts = parts if at_home else with_joint_kits(competitions, parts)
    pages = {
        (each.name, platform): page_texts(each, parts[each.task], all_platforms()[platform])
        for each, platform in product(competitions, platforms or [live_platform().name])
    }
    unsaid = chain(*(find_unsaid(each, parts[each.task], pages) for each in competitions))
    return Plan(competitions, parts, pages, [*unsaid, *warnings], kept_bundles(sources, names))


def _read(
    sources: Sources, names: Sequence[str], leave_out: Sequence[str], given: Given, *, at_home: bool
) -> list[Competition]:
    """Return the named competitions, for a platform with all others of their challenges: these share one kit."""
    read = read_competitions(sources, names, leave_out=leave_out)
    if not at_home and any(each.joint for each in read):
        wanted = dict.fromkeys(chain(*(each.joint.bundles if each.joint else [each.name] for each in read)))
        read = read_competitions(sources, list(wanted), leave_out=leave_out)
    return [_for_labels(each, given, at_home=at_home) for each in read]


def _small_sets(loaded: Loaded) -> Iterator[str]:
    """Yield a warning for each hidden set of an organiser's own that has too few units to compare systems."""
    for competition, references in loaded:
        hidden = () if competition.sources.is_sample else competition.hidden_sets
        yield from filter(None, (warn_of_size(references[name]) for name in hidden))


def _for_labels(competition: Competition, given: Given, *, at_home: bool) -> Competition:
    """Return a competition for the labels that it is built with, without the sample's data if some are given."""
    if at_home:
        competition = with_all_labels(competition)
    is_given = any(task == competition.task for task, _ in given)
    return away_from_sample(competition) if competition.sources.is_sample and is_given else competition


def _require_known(tasks: Mapping[str, Competition], given: Given) -> None:
    """Refuse labels for a set that no bundle has."""
    for task, name in given:
        if task not in tasks or name not in tasks[task].sets:
            known = ", ".join(f"{other}/{each}" for other in tasks for each in tasks[other].sets)
            what = f"--reference {task}/{name}: no bundle to build has this set"
            raise BadReference(f"{what}; the sets are {known}")


def _warnings(competition: Competition, references: Mapping[str, ReferenceSet]) -> Iterator[str]:
    """Yield warnings about a task's labels and options: rows and columns that are not used, and public labels."""
    task = competition.task
    yield from (f"{task}/{name}: left out {row}" for name, each in references.items() for row in each.dropped)
    for name, reference in references.items():
        yield from (f"{task}/{name}: {line}" for line in reference.unused)
    yield from _option_warnings(competition)
    if DECIDING_SET in competition["public_sets"]:
        yield f"{task}: the {DECIDING_SET} set is public: its labels are in the starting kit"
    elif not competition.hidden_sets:
        yield f"{task}: no phase has hidden labels; the labels of all sets are in the starting kit"


def _load_references(
    competition: Competition,
    given: Given,
    drop_invalid_rows: bool,
    refused: list[str],
    log: Callable[[str], None],
) -> Iterator[tuple[str, ReferenceSet]]:
    """Yield the sets of a task that can be used; the refusals of the others are added to `refused`."""
    for name in competition.sets:
        place = competition.sources.find(f"reference_data/{competition.task}/{name}")
        path = given.get((competition.task, name), place)
        try:
            reference = load_reference(
                competition.definition,
                name,
                path,
                competition.options,
                declared=declared_of(competition, name),
                drop_invalid_rows=drop_invalid_rows,
                log=lambda line: None if competition.sources.is_sample else log(line),
            )
            yield name, reference
        except BadReference as error:
            refused.append(str(error))


def _check_apart(competition: Competition, references: Mapping[str, ReferenceSet]) -> None:
    """Check that a public set is no hidden set, and that no two hidden sets have the same ids."""
    hidden = {references[name].fingerprint for name in references if name not in competition["public_sets"]}
    for name in competition["public_sets"]:
        if name in references and references[name].fingerprint in hidden:
            raise BadReference(
                f"{competition.task}: the public set {name} has the same files as a hidden set, so the starting kit "
                f"would reveal the hidden labels. Give the sets different data, or remove {name} from public_sets"
            )
    secret = [reference for name, reference in references.items() if name not in competition["public_sets"]]
    for first, second in combinations(secret, 2):
        if set(first.items) == set(second.items) and first.fingerprint != second.fingerprint:
            raise BadReference(
                f"{competition.task}: the hidden sets {first.name} and {second.name} have the same ids but different "
                "labels. The programs identify a hidden set by its ids; use other ids in one of them"
            )


def _check_overlaps(loaded: Loaded) -> Iterator[str]:
    """Refuse a hidden set that shares items, or units of known labels, with a public set of the same challenge.

    Yields a warning for all other shared units, and for each overlap that the organiser accepts.

    Raises
    ------
    BadReference: sets that cannot be told apart, or overlaps that the organiser does not accept.
    """
    for competition, references in loaded:
        _check_apart(competition, references)
    sets = [(competition, each) for competition, references in loaded for each in references.values()]
    refused = []
    for (owner, secret), (other, shown) in product(sets, sets):
        apart = secret.name not in owner["public_sets"] and shown.name in other["public_sets"]
        if not apart or owner.challenge != other.challenge:
            continue
        for overlap in filter(None, (find_overlap(shown, secret), *shared_units(shown, secret))):
            if not overlap.known:
                yield f"{owner.task}: {overlap}"
            elif is_accepted(overlap, owner["accepted_overlaps"]):
                yield f"{owner.task}: accepted_overlaps: {overlap}"
            else:
                refused.append(overlap)
    if refused:
        raise BadReference(refusal(refused))


def _kit_warnings(competition: Competition, parts: BundleParts) -> Iterator[str]:
    """Yield warnings about a kit: its data that belong to no set but contain ids of a hidden set, and its baseline."""
    for path in (*competition["kit_data"], *competition["baseline_data"]):
        name = path.split("/", 1)[1]
        if "{set}" in path or name not in parts.starting_kit or not name.endswith((".csv", ".tsv")):
            continue
        rows = read_rows(parts.starting_kit[name], "\t" if name.endswith(".tsv") else ",")
        cells = set(chain.from_iterable(row for _, row in rows))
        for reference in (parts.references[hidden] for hidden in competition.hidden_sets):
            named = cells.intersection(reference.items)
            if named:
                yield (
                    f"{competition.task}: {name} contains {len(named)} of the {count_of(len(reference.items), 'id')} "
                    f"of the hidden set {reference.name}; if its rows describe the same items, make sure that they do "
                    "not reveal labels"
                )
    yield from (f"{competition.task}: {failure}" for failure in parts.failures)
    if parts.failures and not parts.solutions:
        yield (
            f"{competition.task}: the kit's baseline fails on every set; fix it, or remove it with leave_out: "
            "[baseline]"
        )


def _seal(sources: Sources, loaded: Loaded, kept: Path | None) -> None:
    """Replace each set that has a sealed share by its open part."""
    defects: located_yaml.Defects = []
    for competition, references in loaded:
        for name, reference in references.items():
            share, before = competition.sealed_share(name), kept and kept / competition.task / name
            if name in competition.home_sets:
                references[name] = keep_home(reference)
                continue
            if not share and before and before.is_dir():
                raise BadReference(
                    f"{before} holds labels that an earlier build kept at home, but neither sealed nor "
                    "labels: home is set now, so they would be uploaded. Restore this setting, or move the folder away "
                    "if no bundle that was built with it is in use"
                )
            try:
                if share:
                    references[name] = seal(reference, share, before)
                elif name in competition.hidden_sets:
                    refuse_marked(reference)
            except SealError as error:
                place = competition.origin.get("sealed", ("bundles", competition.name))
                defects.append((place, f"sealed is {share or 'not set'}; {error}"))
    if defects:
        raise located_yaml.refusal(sources.folder / "competition.yaml", defects)
    uploaded = [(owner.challenge, each) for owner, references in loaded for each in references.values()]
    for (challenge, sealed), (other, reference) in product(uploaded, uploaded):
        rows = sealed.sealed_rows & reference.rows if challenge == other else set()
        if rows:
            raise BadReference(
                f"{sealed.task}: {count_of(len(rows), 'sealed row')} of the set {sealed.name} would be uploaded with "
                f"the set {reference.name} of {reference.task}. Use the same label file for both, and the same "
                "settings sealed and labels"
            )


def _option_warnings(competition: Competition) -> Iterator[str]:
    hidden = [phase.name for phase in competition.phases if phase.reference in competition.hidden_sets]
    for option in competition.definition.options:
        value = competition.options.get(option.name)
        if value in option.public_only and hidden:
            yield (
                f"{competition.name}: {option.name}: {value} applies to hidden labels (phase "
                f"{', '.join(hidden)}). Failed runs cost no attempt, so participants could read the labels from error "
                "messages. Use this value only where the labels are public"
            )
