"""Check the planned bundles, and write those without errors."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from speechbundles.bundle.build.changes import changes
from speechbundles.bundle.build.kit import BundleParts
from speechbundles.bundle.build.plan import Plan
from speechbundles.bundle.check import check_bundle
from speechbundles.competition.references import ReferenceSet
from speechbundles.model import dates
from speechbundles.model.archive import LARGEST_BUNDLE, zip_folder
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.competition import Competition
from speechbundles.model.disk import write_whole
from speechbundles.model.document import FILE
from speechbundles.model.errors import BundleError, OrganiserError
from speechbundles.model.finding import Finding
from speechbundles.model.platform import live_platform, platforms
from speechbundles.model.text import size_of
from speechbundles.model.zips import HOME, TASK_FILE, make_zip
from spokeneval.formats.problems import some_of

Render = Callable[[Competition, BundleParts, Mapping[str, str]], dict[str, bytes]]
"""How a platform writes a bundle: its entries, `name -> content`."""


@dataclass(frozen=True)
class Built:
    """A bundle's zip, as written and checked.

    Attributes
    ----------
    changes: what the build means for submissions that are there.
    """

    name: str
    platform: str
    path: Path
    size: int
    sha256: str
    findings: tuple[Finding, ...]
    changes: tuple[str, ...] = ()


def write(
    plan: Plan,
    out: Path,
    *,
    earlier: Path | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[Built]:
    """Check the zip of each planned bundle, and write it to `out/PLATFORM/NAME.zip` if it has no errors.

    Sealed labels are written first, to `out/sealed/TASK/SET/`, readable only by the current user, with the `task.json`
    by which `spokeneval score TASK` knows a declared task.

    Parameters
    ----------
    earlier: the bundle that participants use, for `changes`. By default the one that is replaced, once a phase of it
        has begun.

    Raises
    ------
    OrganiserError: `auto_run_submissions: false`, on a platform that runs every submission at once; a bundle that is
        too large.
    """
    if earlier and len(plan.competitions) > 1:
        raise OrganiserError("--from takes one bundle; name the bundle to build")
    competitions = {each.name: each for each in plan.competitions}
    for name, platform in plan.pages:
        if not (competitions[name]["auto_run_submissions"] or platforms()[platform].can_hold):
            able = ", ".join(name for name in platforms() if platforms()[name].can_hold)
            raise OrganiserError(
                f"{name}: auto_run_submissions is false, but {platform} runs every submission at once; build it with "
                f"--platform {able}"
            )
    for folder, reference in sealed_folders(plan, out).items():
        described = plan.parts[reference.task].scoring_program[TASK_FILE]
        declared = {TASK_FILE: described} if reference.definition.declaration else {}
        for name, content in {**reference.at_home, **declared}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(folder / name, content, private=True)
    for number, ((name, platform), pages) in enumerate(plan.pages.items(), 1):
        progress(f"{name} for {platform} ({number} of {len(plan.pages)} zips)")
        competition = competitions[name]
        render: Render = platforms()[platform].part("write").render
        files = render(competition, plan.parts[competition.task], pages)
        content = make_zip(files, first=FILE)
        path = out / platform / f"{name}.zip"
        _require_room(path, len(content), files)
        yield _write_checked(path, content, competition, earlier)
    for name, folder in plan.foreign.items():
        yield _write_checked(out / live_platform().name / f"{name}.zip", zip_folder(folder))


def _write_checked(
    path: Path, content: bytes, competition: Competition | None = None, earlier: Path | None = None
) -> Built:
    """Check a bundle, and write it if it has no errors."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    changed: tuple[str, ...] = ()
    try:
        unfinished.write_bytes(content)
        findings = tuple(check_bundle(unfinished, competition.elsewhere if competition else {}))
        if not any(finding.level == "error" for finding in findings):
            changed = tuple(_changes(earlier, path, competition, unfinished)) if competition else ()
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return Built(path.stem, path.parent.name, path, len(content), digest_of(content), findings, changed)


def _require_room(path: Path, size: int, files: Mapping[str, bytes]) -> None:
    """Refuse a bundle that is too large; the message names its largest parts."""
    if size > LARGEST_BUNDLE:
        largest = sorted(files, key=lambda name: len(files[name]), reverse=True)
        sizes = [f"{name} ({size_of(len(files[name]))})" for name in largest]
        raise OrganiserError(
            f"{path}: {size_of(size)}; at most {size_of(LARGEST_BUNDLE)}. The largest parts: "
            f"{some_of(sizes, 3)}. Declare large files for participants with data_url in competition.yaml"
        )


def _changes(earlier: Path | None, replaced: Path, competition: Competition, built: Path) -> Iterator[str]:
    """Yield what a build changes for submissions that are there; nothing before the first phase begins."""
    if earlier:
        yield from changes(read_built_bundle(earlier), read_built_bundle(built), competition.definition)
        return
    with suppress(BundleError):  # an older zip that is damaged, or there is none
        bundle = read_built_bundle(replaced)
        if min(phase.opens for phase in bundle.phases) <= dates.now():
            yield from changes(bundle, read_built_bundle(built), competition.definition)


def sealed_folders(plan: Plan, out: Path) -> dict[Path, ReferenceSet]:
    """Return the folder of each set's sealed labels -> the set."""
    return {
        out / HOME / task / name: reference
        for task, parts in plan.parts.items()
        for name, reference in parts.references.items()
        if reference.at_home
    }
