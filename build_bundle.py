#!/usr/bin/env python3
"""Speech challenges as competition bundles: build them, check them, rehearse them.

    build_bundle.py init DIR TASK ...                 a folder for your competition: data, dates, title
    build_bundle.py build [NAME ...]                  zips for both platforms, into dist/
    build_bundle.py check ZIP ...                     what a platform would refuse or get wrong
    build_bundle.py rehearse BUNDLE.zip SUBMISSION.zip    what a platform would do with a submission
    build_bundle.py rank OUTPUT ...                   the board of a task, and which systems really differ
    build_bundle.py score BUNDLE.zip DIR              many submissions, exactly, as rank reads them
    build_bundle.py season BUNDLE.zip DIR             a whole competition: limits, phases, the board day by day
    build_bundle.py publish BUNDLE.zip                upload to Codabench, compare, try with the baseline, open
    build_bundle.py fetch COMPETITION DIR             all submissions of a competition on Codabench
    build_bundle.py amend BUNDLE.zip COMPETITION      correct labels or programs in mid-season, and run all again
    build_bundle.py new NAME                          a new challenge, which builds as it is written

Exit status: 0 well, 1 refused or failed, 2 called wrongly.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

import speechbundles.board.score
import speechbundles.live.amend
import speechbundles.live.folder
import speechbundles.season.page
import speechbundles.season.play
import speechbundles.season.report
from speechbundles.assemble.plan import plan
from speechbundles.assemble.write import Built, sealed_folders, write
from speechbundles.board.board import make_board
from speechbundles.board.outputs import read_outputs
from speechbundles.board.plain import to_text
from speechbundles.board.write import write_board
from speechbundles.check import check_bundle
from speechbundles.live.connection import TOKEN_VARIABLE, Connection, read_server, read_token
from speechbundles.live.fetch import JOBS, fetch
from speechbundles.live.folder import INDEX
from speechbundles.live.publish import publish
from speechbundles.model.errors import BadReference, OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.read import read_built_bundle
from speechbundles.model.text import say
from speechbundles.model.zips import DECIDING_SET, HOME
from speechbundles.new.challenge import what_to_edit, write_challenge
from speechbundles.new.competition_folder import what_goes_where, write_folder
from speechbundles.platforms.facts import PLATFORMS
from speechbundles.rehearse import ContainerEngine, Engine, LocalEngine, rehearse
from spokeneval.formats.problems import count_of
from spokeneval.programs.score import HIDDEN_STATISTICS

ROOT = Path(__file__).resolve().parent

SERVER = "https://www.codabench.org"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(
        ["build"] if not (sys.argv[1:] if arguments is None else arguments) else arguments
    )
    if sys.platform == "win32" and options.run in (_rehearse, _score, _season, _publish, _amend):
        say("Programs are not rehearsed on Windows; run this in WSL, on Linux or on macOS.", error=True)
        return 1
    try:
        status: int = options.run(options)
    except KeyboardInterrupt:
        say("\nStopped.", error=True)
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build_bundle.py", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    init = commands.add_parser(
        "init", help="write a competition folder: what you must say, and a place for your data"
    )
    init.add_argument("folder", type=Path, metavar="DIR", help="a new folder, outside of the clone")
    init.add_argument("names", nargs="+", metavar="TASK", help="tasks, or bundles (tracks)")
    init.set_defaults(run=_init)

    build = commands.add_parser(
        "build", help="build bundles from competition.yaml (without a command: all of them)"
    )
    build.add_argument("names", nargs="*", metavar="NAME", help="bundles to build; all where none is named")
    build.add_argument("--competition", type=Path, metavar="DIR", help="your competition folder, from init")
    build.add_argument("--platform", choices=sorted(PLATFORMS), help="for one platform only")
    build.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="TASK[/SET]=PATH",
        help=f"your own gold standard in place of the sample: a folder, or the file (SET: {DECIDING_SET})",
    )
    build.add_argument(
        "--drop-invalid-reference-rows",
        action="store_true",
        help="leave out rows of your own gold standard that cannot be scored against, and say which",
    )
    build.add_argument(
        "--leave-out",
        action="append",
        default=[],
        metavar="NAME",
        help="do without: a set and its phases, a file of the kit's data, or the baseline",
    )
    build.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to (default: dist; of a competition folder, dist in it)",
    )
    build.set_defaults(run=_build)

    check = commands.add_parser("check", help="tell what a platform would refuse or get wrong")
    check.add_argument("zips", nargs="*", type=Path, metavar="ZIP", help="bundles (default: all in dist/)")
    check.set_defaults(run=_check)

    rehearsal = commands.add_parser("rehearse", help="do to a submission what the platform does")
    rehearsal.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
    rehearsal.add_argument("submission", type=Path, metavar="SUBMISSION.zip")
    phase_help = "name or number (default: the first that scores the evaluation set)"
    reference_help = (
        "score against this folder: what the build left in sealed/TASK/SET, `sealed` or `all` of it"
    )
    rehearsal.add_argument("--phase", help=phase_help)
    rehearsal.add_argument("--reference", type=Path, metavar="DIR", help=reference_help)
    rehearsal.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep everything the run saw and wrote here"
    )
    rehearsal.add_argument(
        "--statistics",
        action="store_true",
        help="with --keep: write what the score was summed from on hidden labels too, for rank (it spells them out)",
    )
    rehearsal.add_argument(
        "--engine",
        choices=("local", "docker"),
        default="local",
        help="where the programs run: with this Python, or in the bundle's own image by Docker or Podman",
    )
    rehearsal.add_argument("--json", action="store_true", help="print the result as JSON")
    rehearsal.set_defaults(run=_rehearse)

    score = commands.add_parser(
        "score",
        help="score many submissions exactly",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=speechbundles.board.score.__doc__,
    )
    score.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
    score.add_argument("folder", type=Path, metavar="DIR", help="submissions' zips, at any depth")
    score.add_argument(
        "--out", type=Path, default=Path("scored"), metavar="OUT", help="where to (default: scored)"
    )
    score.add_argument("--phase", help=phase_help)
    score.add_argument("--reference", type=Path, metavar="DIR", help=reference_help)
    score.add_argument("--jobs", type=int, metavar="N", help="runs at once (default: one a processor)")
    score.add_argument(
        "--scheduler", metavar="ADDRESS", help="run them on a Dask cluster, such as tcp://10.0.0.1:8786"
    )
    score.set_defaults(run=_score)

    rank = commands.add_parser("rank", help="make a task's board from many scoring outputs")
    rank.add_argument(
        "outputs",
        nargs="+",
        type=Path,
        metavar="OUTPUT",
        help="one system's scoring output: a folder, a downloaded zip, or what rehearse --keep left",
    )
    rank.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write the board here: a page, Markdown, LaTeX, CSV, pairs.csv",
    )
    rank.add_argument("--competition", type=Path, metavar="DIR", help="your competition folder, from init")
    rank.add_argument(
        "--anonymous",
        action="store_true",
        help="call the systems AAA, BBB, ... in the board's order; who is who goes to standard error alone",
    )
    rank.add_argument(
        "--conditions",
        type=Path,
        metavar="FILE",
        help="scores by condition too: a CSV file whose first two columns are a unit or an item and its condition",
    )
    rank.add_argument(
        "--by",
        action="append",
        default=[],
        metavar="COLUMN",
        help="scores by a column of the reference in your competition folder, such as Prompt; may be repeated",
    )
    rank.add_argument(
        "--submissions",
        type=Path,
        metavar="DIR",
        help="the zips that score was given: for --by a segment's language or length",
    )
    rank.add_argument(
        "--flags",
        type=Path,
        metavar="FILE",
        help="what makes items hard: a CSV file of an item, its annotator and a column a flag",
    )
    rank.set_defaults(run=_rank)

    season = commands.add_parser(
        "season",
        help="rehearse a whole competition",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=speechbundles.season.play.__doc__,
    )
    season.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
    season.add_argument(
        "folder", type=Path, metavar="DIR", help="a folder a team, with zips named by their UTC time"
    )
    season.add_argument(
        "--work", type=Path, metavar="DIR", help="keep the results of runs here (default: DIR/.season)"
    )
    season.add_argument("--jobs", type=int, metavar="N", help="runs at once (default: one a processor)")
    season.add_argument("--page", type=Path, metavar="FILE", help="write it as an HTML page, too")
    season.add_argument("--json", action="store_true", help="print the result as JSON")
    season.set_defaults(run=_season)

    publishing = commands.add_parser(
        "publish",
        help="upload a bundle to Codabench, read it back, try it with the baseline, and open it",
        description="Upload a bundle to Codabench, wait for the import, compare dates, limits, pages and columns with "
        "the bundle, submit the baselines, and compare their scores with the rehearsal to the last digit.",
    )
    publishing.add_argument("bundle", type=Path, metavar="BUNDLE.zip")
    publishing.add_argument(
        "--competition",
        type=int,
        metavar="NUMBER",
        help="it was uploaded before as this competition: do what follows",
    )
    publishing.add_argument("--open", action="store_true", help="list it for everybody, if all went well")
    _add_server(publishing)
    publishing.set_defaults(run=_publish)

    fetching = commands.add_parser(
        "fetch",
        help="fetch all submissions of a competition on Codabench, with what their runs left",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description=speechbundles.live.folder.__doc__,
    )
    fetching.add_argument(
        "competition", type=int, metavar="COMPETITION", help="its number, as in its address"
    )
    fetching.add_argument("folder", type=Path, metavar="DIR", help="where to; what is there stays")
    fetching.add_argument(
        "--jobs", type=int, default=JOBS, metavar="N", help=f"submissions at once (default: {JOBS})"
    )
    _add_server(fetching)
    fetching.set_defaults(run=_fetch)

    amending = commands.add_parser(
        "amend",
        help="exchange labels or programs of a competition on Codabench, and run all submissions again",
        description=speechbundles.live.amend.__doc__,
    )
    amending.add_argument("bundle", type=Path, metavar="BUNDLE.zip", help="as it is to be from now on")
    amending.add_argument(
        "competition", type=int, metavar="COMPETITION", help="its number, as in its address"
    )
    amending.add_argument(
        "--dir",
        type=Path,
        metavar="DIR",
        help="where its submissions are fetched to (default: fetched/COMPETITION)",
    )
    amending.add_argument(
        "--jobs", type=int, metavar="N", help="runs at once here (default: one a processor)"
    )
    amending.add_argument("--yes", action="store_true", help="do it; without, it is only shown")
    _add_server(amending)
    amending.set_defaults(run=_amend)

    new = commands.add_parser("new", help="write a new challenge that builds, to be edited into your own")
    new.add_argument("name", metavar="NAME", help="of its task: small letters, digits, underscores")
    new.set_defaults(run=_new)
    return parser


def _init(options: argparse.Namespace) -> int:
    try:
        places = write_folder(ROOT, options.folder, options.names)
    except (OrganiserError, OSError) as error:
        say(f"{_describe(error)}\n\nNothing was written.", error=True)
        return 1
    say(what_goes_where(options.folder, places))
    return 0


def _add_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--server", default=SERVER, metavar="URL", help=f"the server's address (default: {SERVER})"
    )
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"holds your token, of mode 0600 (default: the variable {TOKEN_VARIABLE})",
    )


def _build(options: argparse.Namespace) -> int:
    platforms = [options.platform] if options.platform else list(PLATFORMS)
    began = time.monotonic()
    try:
        references = [_own_reference(argument) for argument in options.reference]
        given = dict(references)
        if len(given) < len(references):
            raise BadReference("--reference: one set is given twice")
        out = options.out or _default_out(options)
        with _progress() as progress:
            planned = plan(
                ROOT,
                options.names,
                given,
                folder=options.competition,
                leave_out=options.leave_out,
                drop_invalid_rows=options.drop_invalid_reference_rows,
                kept=out / HOME,
                progress=progress,
                tell=lambda understood: say(understood, error=True),
            )
            built = list(write(ROOT, planned, platforms, out, progress=progress))
    except OrganiserError as error:
        say(f"{error}\n\nNothing was built.", error=True)
        return 1
    except OSError as error:
        say(f"{_describe(error)}; the build stopped there.", error=True)
        return 1
    for warning in planned.warnings:
        say(f"warning: {warning}", error=True)
    width = max(len(str(bundle.path)) for bundle in built)
    for bundle in built:
        say(_row(bundle, width))
    paths_by_findings: dict[str, list[str]] = {}
    for bundle in built:
        if bundle.findings:
            paths_by_findings.setdefault(format_findings(bundle.findings), []).append(str(bundle.path))
    for findings, paths in paths_by_findings.items():
        say("\n".join(["", *paths, findings]), error=True)
    for folder in sealed_folders(planned, out):
        say(f"sealed: {folder} has the labels that no platform gets; keep it private", error=True)
    broken = [bundle for bundle in built if _has_errors(bundle)]
    say(
        f"{count_of(len(built), 'bundle')} in {time.monotonic() - began:.1f} s, {len(built) - len(broken)} ok",
        error=True,
    )
    return 1 if broken else 0


def _default_out(options: argparse.Namespace) -> Path:
    """The folder `dist` beside the data: an organiser's do not get into the clone unless told to."""
    if options.competition is not None:
        return Path(options.competition, "dist")
    if options.reference and Path.cwd().is_relative_to(ROOT):
        raise BadReference(
            "--reference: say where to with --out DIR, so that your data stay out of the clone"
        )
    return Path("dist")


def _own_reference(argument: str) -> tuple[tuple[str, str], Path]:
    target, equals, path = argument.partition("=")
    task, _, name = target.partition("/")
    if not (equals and task and path):
        raise BadReference(f"--reference {argument}: expected TASK=PATH or TASK/SET=PATH")
    return (task, name or DECIDING_SET), Path(path)


def _row(bundle: Built, width: int) -> str:
    refused = _has_errors(bundle)
    columns = count_of(len(bundle.competition.board), "column")
    phases = count_of(len(bundle.competition.phases), "phase")
    verdict = "ok" if not bundle.findings else "REFUSED" if refused else "warnings"
    digest = "not written" if refused else f"sha256 {bundle.sha256}"
    if refused and bundle.path.exists():
        digest += "; the zip there is older"
    board = f"{columns}, {phases}"
    return f"  {bundle.path!s:<{width}}  {bundle.size / 1000:6.0f} kB  {board:<22}  {verdict:<8}  {digest}"


def _has_errors(bundle: Built) -> bool:
    return any(finding.level == "error" for finding in bundle.findings)


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """What is being done now, on a terminal's standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda step: None
        return
    with console.status("reading") as status:
        yield lambda step: status.update(step)


def _check(options: argparse.Namespace) -> int:
    zips = options.zips or sorted(Path("dist").glob("*/*.zip"))
    if not zips:
        say("No zip to check: name one, or build first.", error=True)
        return 2
    status = 0
    for path in zips:
        try:
            findings = check_bundle(path)
        except OSError as error:
            say(_describe(error), error=True)
            status = 2
            continue
        if any(finding.level == "error" for finding in findings):
            status = 1
        say(f"{path}: {format_findings(findings) if findings else 'ok'}")
    return status


def _rehearse(options: argparse.Namespace) -> int:
    if options.statistics and options.keep is None:
        say("--statistics needs --keep DIR: without it nothing is left to read.", error=True)
        return 2
    variables = {HIDDEN_STATISTICS: "write"} if options.statistics else {}
    try:
        if options.engine == "docker":
            bundle = read_built_bundle(options.bundle)
            bundle.phase(options.phase)
            engine: Engine = ContainerEngine(bundle.image, variables=variables)
        else:
            engine = LocalEngine(variables)
        rehearsal = rehearse(
            options.bundle,
            options.submission,
            phase=options.phase,
            reference=options.reference,
            keep=options.keep,
            engine=engine,
        )
    except (OrganiserError, OSError, UnicodeEncodeError) as error:  # a name that is not UTF-8
        say(_describe(error), error=True)
        return 2
    say(rehearsal.to_json() if options.json else rehearsal)
    return 0 if rehearsal.status == "Finished" else 1


Command = Callable[[argparse.Namespace], int]


def _resumed(done: str) -> Callable[[Command], Command]:
    """A command that keeps what is done: it says what goes wrong, and after Ctrl-C that it goes on from there."""

    def told(command: Command) -> Command:
        def run(options: argparse.Namespace) -> int:
            try:
                return command(options)
            except (OrganiserError, OSError, UnicodeEncodeError) as error:
                say(_describe(error), error=True)
                return 2
            except KeyboardInterrupt:
                say(f"Stopped. What was {done} is kept: the same command goes on from here.", error=True)
                return 130

        return run

    return told


@_resumed("scored")
def _score(options: argparse.Namespace) -> int:
    began = time.monotonic()
    with _counting("scoring") as progress:
        scores = speechbundles.board.score.score(
            options.bundle,
            options.folder,
            options.out,
            phase=options.phase,
            reference=options.reference,
            jobs=options.jobs,
            scheduler=options.scheduler,
            progress=progress,
        )
    say(speechbundles.board.score.to_text(scores))
    say(f"{scores.new} scored in {time.monotonic() - began:.1f} s, into {options.out}", error=True)
    return 0 if all(scored.finished for scored in scores.scored) else 1


@_resumed("rehearsed")
def _season(options: argparse.Namespace) -> int:
    began = time.monotonic()
    with _counting("rehearsing") as progress:
        season = speechbundles.season.play.play(
            options.bundle,
            options.folder,
            work=options.work,
            jobs=options.jobs,
            progress=progress,
        )
    say(
        speechbundles.season.report.to_json(season)
        if options.json
        else speechbundles.season.report.to_text(season)
    )
    if options.page:
        options.page.write_text(speechbundles.season.page.to_html(season), encoding="utf-8", errors="replace")
        say(f"wrote {options.page}", error=True)
    say(f"{season.rehearsed} runs in {time.monotonic() - began:.1f} s", error=True)
    return 0


def _fetch(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        say(f"--jobs is {options.jobs}; expected 1 or more", error=True)
        return 2
    try:
        with _counting("fetching") as count:
            haul = fetch(
                _connect(options), options.competition, options.folder, jobs=options.jobs, progress=count
            )
    except (OrganiserError, OSError) as error:
        say(f"{_describe(error)}\n\nWhat is here stays; the same command goes on.", error=True)
        return 1
    for run in haul.lacking:
        say(f"  {run.phase}  {run.owner}  {run.id}  {run.note}")
    for run in haul.unfinished:
        if not run.note:
            say(f"  {run.phase}  {run.owner}  {run.id}  {run.status} still")
    say(f"{len(haul.runs)} runs, {haul.fetched} fetched now; see {options.folder / INDEX}", error=True)
    return 1 if haul.unfinished else 0


def _publish(options: argparse.Namespace) -> int:
    try:
        with _uploading() as progress:
            steps = publish(
                _connect(options),
                options.bundle,
                competition=options.competition,
                opening=options.open,
                progress=progress,
            )
            for step in steps:
                say(step)
    except (OrganiserError, OSError) as error:
        say(_describe(error), error=True)
        return 1
    return 0


def _amend(options: argparse.Namespace) -> int:
    folder = options.dir or Path("fetched") / str(options.competition)
    try:
        connection = _connect(options)
        with _counting("fetching") as fetching, _counting("scoring") as scoring:
            amendment = speechbundles.live.amend.plan(
                connection,
                options.bundle,
                options.competition,
                folder,
                jobs=options.jobs,
                fetching=fetching,
                scoring=scoring,
            )
        say(speechbundles.live.amend.to_text(amendment))
        if not amendment.phases:
            return 0
        if not options.yes:
            say(
                "\nNothing was changed. With --yes the files are exchanged, and all this is run again.",
                error=True,
            )
            return 0
        with _counting("waiting") as waiting:
            for step in speechbundles.live.amend.carry_out(
                connection, amendment, jobs=options.jobs, waiting=waiting
            ):
                say(step)
    except (OrganiserError, OSError) as error:
        say(f"{_describe(error)}\n\nThe same command goes on from here.", error=True)
        return 1
    return 0


@contextmanager
def _uploading() -> Iterator[Callable[[int, int], None]]:
    console = Console(stderr=True)
    columns = (
        "{task.description}",
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("uploading", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total, visible=done < total)


def _connect(options: argparse.Namespace) -> Connection:
    return Connection(
        read_server(options.server), read_token(options.token_file), tell=lambda text: say(text, error=True)
    )


@contextmanager
def _counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal's standard error, that is told how many are done, and of how many."""
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def _rank(options: argparse.Namespace) -> int:
    try:
        with _progress() as progress:
            board = make_board(
                ROOT,
                read_outputs(options.outputs),
                folder=options.competition,
                anonymous=options.anonymous,
                conditions=options.conditions,
                by=options.by,
                submissions=options.submissions,
                flags=options.flags,
                progress=progress,
            )
        say(to_text(board))
        written = write_board(board, options.out) if options.out else []
    except (OrganiserError, OSError) as error:
        say(_describe(error), error=True)
        return 1
    for alias, name in board.aliases.items():
        say(f"{alias}  {name}", error=True)
    for file in written:
        say(f"wrote {file}", error=True)
    return 0


def _new(options: argparse.Namespace) -> int:
    try:
        write_challenge(ROOT, options.name)
    except (OrganiserError, OSError) as error:
        say(f"{_describe(error)}\n\nNothing was written.", error=True)
        return 1
    say(what_to_edit(options.name))
    return 0


def _describe(error: Exception) -> str:
    """What went wrong; of what the system refused, the file first."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `... | head` ends it without a word
    for name in ("SIGTERM", "SIGHUP"):  # as Ctrl-C, so that no files stay in memory; not under nohup
        number = getattr(signal, name, None)
        if number and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    sys.exit(main())
