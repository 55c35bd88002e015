"""The commands, examples and printed outputs of README and the pages in docs, against what the programs do.

A block of output is held against what is printed, and the comment behind a value in Python against the value. In both,
`...` is any text, as in a doctest.
"""

import ast
import csv
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from datetime import datetime
from functools import partial

import pytest

import build_bundle
from sample_data import demo
from speechbundles.cli.board import chosen_at_home
from speechbundles.competition.read import read_competitions
from speechbundles.model.fetched import Fetched, write_index
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.new.challenge import what_to_edit
from spokeneval.__main__ import main
from spokeneval.challenges import find_task
from spokeneval.formats.text import read_folder
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.reference import labelled, read_reference
from spokeneval.scoring.scored import score_submission
from tests.samples.codabench_server import TOKEN, CodabenchServer
from tests.samples.home_boards import upload_bundle
from tests.samples.own_competition import begun_folder, own_data
from tests.samples.own_python import own_python
from tests.samples.own_python import submissions as own_submissions
from tests.samples.programs import ROOT, run_program, unzipped, write_files
from tests.samples.small_bundles import LABELS, bundle_of_others, zipped

DOCS = ROOT / "docs"
OWN_TASK, CODE, RTTM = "how-to/own-task", "how-to/run-code", "how-to/score-rttm"
SPEAKERS, SECOND = "how-to/how-many-speakers", "how-to/second-baseline"
UPLOAD = "submissions/anna/2027-06-22T091500_12.zip"
RUN_OF_ANNA = Fetched(12, "Evaluation", "anna", datetime(2027, 6, 22, 9, 15), "Finished", True, UPLOAD)
ELSEWHERE = {
    "how-to/audio-baselines",
    "how-to/new-challenge",
    CODE,
    OWN_TASK,
}
"""Pages whose commands are run by other tests, or need hours."""
README = "../README"
GENERATED = re.compile("<!-- generated: .+? -->.*?<!-- end -->", re.DOTALL)
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): GENERATED.sub("", path.read_text(encoding="utf-8"))
    for path in sorted(DOCS.glob("[a-z]*/*.md"))
}
PAGES |= {page: (DOCS / f"{page}.md").read_text(encoding="utf-8") for page in ("index", README)}
IN_THE_CLONE = (
    "start/organiser",
    "how-to/github",
    "how-to/from-recordings",
    "how-to/listening-tests",
    README,
)
"""Pages that start in the clone, without a competition folder."""
SEE_THE_CLONE = (*IN_THE_CLONE, "how-to/ranking")
"""Pages that use the sample of the clone."""
GUIDES = [page for page in PAGES if page == README or page.startswith(("start/", "how-to/"))]
NOT_RUN = ("(umask 077;", "pip install mlcroissant")
"""The first words of commands that other tests run: those that get a token
(`tests/speechbundles/server/test_account.py`) and the validators (`tests/tools/test_validators.py`)."""


def blocks(page, language):
    return blocks_in(PAGES[page], language)


def blocks_in(text, language):
    found = re.findall(r"^( *)```(.*?)\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    return [text for _, word, text in found if re.fullmatch(language, word)]


def with_speakers(sheet):
    """A sheet of Spoken CALL with a column that names one of 24 speakers, a byte-order mark and a blank line."""
    header, *rows = csv.reader(io.StringIO(sheet), delimiter="\t")
    text = io.StringIO()
    named = [[*row, f"s{number % 24}"] for number, row in enumerate(rows)]
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows([[*header, "speaker"], *named])
    return f"\ufeff{text.getvalue()}\n"


def with_mistakes(solution, count):
    """A solution in which the first `count` answers are changed: the opposite decision, or the scores exchanged."""
    other = {"accept": "reject", "reject": "accept"}
    ((name, content),) = unzipped(solution).items()
    separator = "\t" if "\t" in content.decode() else " "
    rows = [line.split(separator) for line in content.decode().splitlines()]
    for row in rows[1 : count + 1]:
        row[1:] = [other[row[1]]] if row[1] in other else row[:0:-1]
    return make_zip({name: "\n".join([separator.join(row) for row in rows] + [""]).encode()})


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder with the files that the guides name. `ours` is a built competition; pages that need `mine` get it."""
    place = tmp_path_factory.mktemp("guides")
    data = own_data("spoken_call")
    labels = {
        name: f"reference_data/spoken_call/{name}/reference.csv" for name in ("evaluation", "development")
    }
    data.update({name: with_speakers(data[name]) for name in labels.values()})
    items = [line.split("\t")[0] for line in data[labels["evaluation"]].splitlines()[1:-1]]
    write_files(
        place,
        {
            "properties.csv": "Id,noise\n" + "".join(f"{item},{n % 2}\n" for n, item in enumerate(items)),
            "my_gold_standard.csv": data[labels["evaluation"]],
            "my_development_set.csv": data[labels["development"]],
            "my_grammar.xml": data["starting_kit/spoken_call/data/grammar.xml"],
            "my_about.md": "About the data.\n",
            "my_overview.md": blocks("how-to/own-pages", "markdown")[0],
            "conditions.csv": "speaker,severity\n" + "".join(f"s{n},{n % 2}\n" for n in range(24)),
            "clone/.venv/bin/activate": "",
        },
    )
    bundles = ["spoken_call", "merlion_identification_closed"]
    write_files(begun_folder(place / "ours", bundles), {**own_data("merlion_identification"), **data})
    assert build_bundle.main(["build", "--competition", str(place / "ours")]) == 0
    for bundle, folder in zip(bundles, ("submissions", "merlion"), strict=True):
        built = unzipped((place / f"ours/dist/codabench/{bundle}.zip").read_bytes())
        solution = built["solutions/baseline_evaluation.zip"]
        for mistakes, team in enumerate(("alpha", "beta", "baseline")):
            write_files(place / folder, {f"{team}.zip": with_mistakes(solution, 3 * mistakes)})
    one = (place / "submissions/beta.zip").read_bytes()
    write_files(place, {"team_a.zip": one, "ours/season/Team A/2027-06-22T0915_try.zip": one})
    write_files(
        place,
        {"ours/season/Équipe Zürich/2027-06-22T0930.zip": (place / "submissions/alpha.zip").read_bytes()},
    )
    write_files(place, {f"live/{UPLOAD}": one})
    write_index(place / "live", [RUN_OF_ANNA])
    submissions, scored = str(place / "submissions"), str(place / "live/outputs/Evaluation")
    bundle = str(place / "ours/dist/codabench/spoken_call.zip")
    assert build_bundle.main(["score", bundle, submissions, "--out", scored]) == 0
    return place


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The sample bundle of Spoken CALL."""
    place = tmp_path_factory.mktemp("bundle")
    assert build_bundle.main(["build", "spoken_call", "--platform", "codabench", "--out", str(place)]) == 0
    return place / "codabench/spoken_call.zip"


@pytest.fixture
def shell(tmp_path, site):
    """Return a function that runs commands in a shell, from a folder.

    The packages are those of the wheel; `seen` is the path of Python's modules.
    """
    programs = {
        name: f'PYTHONPATH="{site}:{ROOT}" exec "{sys.executable}" -m tests.samples.guide_program {name}'
        for name in ("speech-bundles", "pip", "make", "jupyter")
    }
    programs |= dict.fromkeys(("python", "python3"), f'PYTHONPATH="$SEEN" exec "{sys.executable}"')
    programs["spokeneval"] = f"{programs['python']} -m spokeneval"
    for name, program in programs.items():
        (write_files(tmp_path / "bin", {name: f'#!/bin/sh\n{program} "$@"\n'}) / name).chmod(0o755)
    variables = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path), "COLUMNS": "100"}
    variables.update(
        {f"GIT_{who}_{what}": "a@b.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    )

    def shell(commands, folder, seen, **more):
        done = subprocess.run(
            ["bash", "-exc", commands],
            cwd=folder,
            env={**os.environ, **variables, "SEEN": seen, **more},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        return done.stdout

    return shell


@pytest.fixture
def run(shell, site):
    """Return a function that runs the blocks of a page, and other commands between the first ones and the rest.

    Only pages for a clone see its other folders, and a kit sees its own alone.
    """

    def run(page, folder, between="", first=0):
        commands = [block for block in blocks(page, "sh") if not block.lstrip().startswith(NOT_RUN)]
        commands = "".join([*commands[:first], between, *commands[first:]])
        seen = f"{site}:{ROOT}" if page in SEE_THE_CLONE else "" if page == "start/participant" else str(site)
        return shell(commands, folder, seen)

    return run


@pytest.mark.parametrize("page", [README, OWN_TASK, "start/organiser"])
def test_a_page_for_beginners_installs_the_packages_of_its_commands(page):
    assert 'pip install ".[organiser]"' in PAGES[page]


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
@pytest.mark.thorough
@pytest.mark.parametrize("page", [page for page in GUIDES if page not in ELSEWHERE and blocks(page, "sh")])
def test_every_command_of_a_guide_works(page, request, run, tmp_path):
    place = tmp_path / "place"
    if page == "start/participant":
        kit = unzipped(request.getfixturevalue("bundle").read_bytes())["starting_kit.zip"]
        write_files(place, {"starting_kit.zip": kit})
    elif page == "start/organiser":  # an empty folder beside the clone
        write_files(place, {"clone/.venv/bin/activate": ""})
    elif page == "start/researcher":
        request.getfixturevalue("example")
        place = tmp_path / "example"
    elif page == RTTM:
        write_files(place, {**rttm_files(), "other.rttm": rttm_files()["system.rttm"]})
    elif page == SECOND:
        write_files(place, {"second.py": blocks(SECOND, "python")[0]})
    elif page == SPEAKERS:
        write_files(place, pilot())
    elif page == "how-to/check-a-bundle":
        right = zipped({"answers": "\n".join(LABELS)})
        sent = ("submission.zip", "submissions/a.zip", "season/a/2027-01-12T0900_a.zip")
        bundle_of_others(write_files(place, dict.fromkeys(sent, right)))
    else:
        shutil.copytree(request.getfixturevalue("world"), place)
        (place / "build_bundle.py").symlink_to(ROOT / "build_bundle.py")
        if page not in IN_THE_CLONE:
            (place / "ours").rename(place / "mine")
    if page == "how-to/sealed-share":
        settings = place / "mine/competition.yaml"
        sealed = settings.read_text(encoding="utf-8").replace(
            "  spoken_call:\n", "  spoken_call:\n    sealed: 0.5\n", 1
        )
        settings.write_text(sealed, encoding="utf-8")
    if page in ("how-to/labels-at-home", "how-to/exporting", "how-to/without-a-platform"):
        settings = place / "mine/competition.yaml"
        (lines,) = (block for block in blocks(page, "yaml") if block.startswith("defaults:"))
        own = "".join(f"  {line}\n" for line in lines.splitlines()[1:])
        text = settings.read_text(encoding="utf-8").replace("  spoken_call:\n", f"  spoken_call:\n{own}", 1)
        settings.write_text(text, encoding="utf-8")
    if page == "how-to/exporting":
        write_files(place, {"meta.yaml": blocks(page, "yaml")[-1]})
        outputs = map(str, sorted((place / "live/outputs/Evaluation").iterdir()))
        assert build_bundle.main(["rank", *outputs, "--out", str(place / "mine/board")]) == 0
    if page == "how-to/labels-at-home":
        (place / "mine/fetched/submissions").mkdir(parents=True)
        shutil.copytree(place / "live/submissions/anna", place / "mine/fetched/submissions/anna")
        write_index(place / "mine/fetched", [RUN_OF_ANNA])
    run(page, place / "clone" if page in IN_THE_CLONE else place)


@pytest.mark.thorough
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_the_guide_to_ones_own_challenge_works_with_its_settings(run, tmp_path):
    files = {"settings.yaml": blocks(OWN_TASK, "yaml")[0]}
    for name, file in (("e", "my_labels.csv"), ("d", "my_public_labels.csv")):
        rows = [f"{name}{n},{'krank' if n % 3 else 'gesund'},S{n // 4}" for n in range(80)]
        files[file] = "\n".join(["id,label,speaker", *rows, ""])
    for team, mistakes in (("a", 3), ("b", 9)):
        rows = [f"e{n},{'krank' if n % 3 and n % mistakes else 'gesund'}" for n in range(80)]
        write_files(
            tmp_path / "submissions",
            {f"team_{team}.zip": make_zip({"decisions.csv": "\n".join(["id,label", *rows]).encode()})},
        )
    shutil.copy(tmp_path / "submissions/team_a.zip", tmp_path)
    own_submissions(own_python(tmp_path / "rhythm") / "submissions", {"good": 2, "poor": 20})
    told = run(OWN_TASK, write_files(tmp_path, files), "cp settings.yaml klinik/competition.yaml\n", first=2)
    assert "team_a" in told.partition("Ranks")[2]
    assert re.findall("good|poor", told.partition("pauses · MAE")[2])[:2] == ["good", "poor"]
    lines = [line for line in files["settings.yaml"].splitlines() if line]
    assert len(lines) <= 20


def best_trivial(competition, folder):
    """Return the score of the best answer that is the same for all items of the hidden set."""
    task = competition.definition
    gold = read_reference(task, folder / "reference_data" / task.name / "evaluation")
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    given = (labelled(task, answer(gold.items), gold) for answer in task.trivial.values())
    scored = [score_submission(task, gold.labels, each, settings) for each in given]
    return min(each.scores[task.primary.key] for each in scored)


@pytest.fixture
def follow(shell, tmp_path):
    """Return a function that runs commands of the page; before `run 1234`, a participant uploads the program."""
    write_files(tmp_path, {"make_sound.py": blocks(CODE, "python")[0], ".codabench-token": TOKEN})
    (tmp_path / ".codabench-token").chmod(0o600)

    def follow(commands, folder, bundle, upload, site, seen=""):
        before, run, after = commands.partition("speech-bundles run 1234")
        shell(before, tmp_path, seen)
        with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
            number = upload_bundle(server, tmp_path / folder, bundle)
            phase = server.competitions[number]["phases"][1]["id"]
            server.enter(phase, "anna", (tmp_path / upload).read_bytes())
            there = {"GUIDE_SERVER": server.address, "GUIDE_TIME": "2027-03-10T04:00"}
            shell(run.replace("1234", str(number)) + after, tmp_path, seen, **there)
        assert "anna,Evaluation,ok," in (tmp_path / site / "runs.csv").read_text("utf-8")
        board = json.loads((tmp_path / site / "board.json").read_text("utf-8"))
        (entry,) = board["phases"][0]["systems"]
        ((same, shown),) = re.findall(
            rf"^\| `{bundle}` .*? \| ([\d.]+) \| ([\d.]+) \|", PAGES[CODE], re.MULTILINE
        )
        assert next(iter(entry["scores"].values())) == shown
        trivial = best_trivial(chosen_at_home(tmp_path / folder, bundle), tmp_path / folder)
        assert float(same) == pytest.approx(trivial, abs=0.05)
        assert float(shown) < trivial / 2

    return follow


OF_THE_SAMPLE = "The same for PSST and MERLIon CCS"


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
@pytest.mark.thorough
def test_the_guide_to_programs_works_with_its_settings(follow, tmp_path):
    begin, *rest = blocks_in(PAGES[CODE].partition(OF_THE_SAMPLE)[0], "sh")
    own = "".join(f"  {setting}\n" for setting in blocks(CODE, "yaml")[0].splitlines())
    settings = "sed -i '/^defaults:$/r own.yaml' clinic/competition.yaml\n"
    write_files(tmp_path, {"own.yaml": own})
    follow("".join([begin, settings, *rest]), "clinic", "children_asr", "program.zip", "site")
    listed = set(re.findall(r"^\| `(\w+\.csv|\w+)/?", PAGES[CODE].partition("## Read")[2], re.MULTILINE))
    assert listed <= {*os.listdir(tmp_path / "clinic/fetched/.runs"), "ID"}


@pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")
@pytest.mark.thorough
def test_the_guide_to_programs_works_for_the_sample(follow, site):
    commands = "".join(blocks_in(PAGES[CODE].partition(OF_THE_SAMPLE)[2], "sh"))
    begin, each = re.split(r"(?=^python3 -m zipfile)", commands, maxsplit=1, flags=re.MULTILINE)
    for bundle, sound in re.findall(r"^\| `((psst|merlion)_\w+)` \|", PAGES[CODE], re.MULTILINE):
        named = each.replace("BUNDLE", bundle).replace("SOUND", sound)
        seen = f"{site}:{ROOT}"
        follow(begin + named, "sample", bundle, f"{bundle}/program.zip", f"site/{bundle}", seen)
        begin = ""


def test_the_organisers_first_page_is_short():
    assert len(PAGES["start/organiser"].split()) <= 1200


def board_of_the_demo(request):
    bundle = request.getfixturevalue("bundle")
    (settings,) = (one for one in read_competitions(Sources(ROOT)) if one.name == "spoken_call")
    zips = {name: make_zip(files) for name, files in demo.submissions("spoken_call").items()}
    zips["baseline"] = unzipped(bundle.read_bytes())["solutions/baseline_evaluation.zip"]
    print(f"{settings['title']}\n")
    demo.print_board(settings, list(zips), *demo.try_all(bundle, "spoken_call", zips))


def refusal_of_the_kit(request):
    place = request.getfixturevalue("tmp_path")
    kit = unzipped(request.getfixturevalue("bundle").read_bytes())["starting_kit.zip"]
    write_files(place, unzipped(kit))
    assert run_program("baseline.py", "development", "out", cwd=place).returncode == 0
    answers = place / "out/results.csv"
    lines = answers.read_text(encoding="utf-8").splitlines()
    lines[3:5] = [line.replace("accept", "acept") for line in lines[3:5]]
    lines[8] = lines[7]
    answers.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(run_program("try_submission.py", "out", cwd=place).stderr)


def scores_of_a_baseline(request):
    request.getfixturevalue("example")
    _printed_by(re.findall(r"^\$ (.+)$", PAGES["start/researcher"], re.MULTILINE)[1])


def scores_of_two_files(request):
    request.getfixturevalue("example")
    _printed_by(re.findall(r"^\$ (.+)$", PAGES["start/researcher"], re.MULTILINE)[0])


def first_of_the_readme(request):
    exec(blocks(README, "python")[0], {})


def commands_in_the_clone(page, request):
    request.getfixturevalue("monkeypatch").chdir(ROOT)
    for line in re.findall(r"^\$ (.+)$", PAGES[page], re.MULTILINE):
        _printed_by(line)


def rttm_files():
    """The files that the page on RTTM shows."""
    _, *parts = re.split(r"==> (.+) <==\n", blocks(RTTM, "text")[0])
    return {name: f"{text.strip()}\n" for name, text in zip(parts[::2], parts[1::2], strict=True)}


def scores_of_rttm(request):
    request.getfixturevalue("monkeypatch").chdir(
        write_files(request.getfixturevalue("tmp_path"), rttm_files())
    )
    _printed_by(re.findall(r"^\$ (spokeneval .+)$", PAGES[RTTM], re.MULTILINE)[0])


def pilot():
    """The folder that the page on the number of speakers names."""
    return {
        name: (DOCS / "start/wer" / name.split("/")[-1]).read_bytes()
        for name in blocks(SPEAKERS, "text")[0].split()
    }


def plan_of_the_pilot(request):
    request.getfixturevalue("monkeypatch").chdir(write_files(request.getfixturevalue("tmp_path"), pilot()))
    _printed_by(re.findall(r"^\$ (spokeneval .+)$", PAGES[SPEAKERS], re.MULTILINE)[0])


def _printed_by(line):
    print(f"$ {line}")
    assert run_spokeneval(line) == 0


def run_spokeneval(line):
    """Run a command of the library in this process."""
    program, arguments = line.replace("\\\n", "").split("spokeneval ", 1)
    assert program in ("", "python -m ")
    return main(shlex.split(arguments))


DRAWN, WRITTEN = "a drawing", "what readers write, or an extract of it"
PRINTED = {
    README: [first_of_the_readme, *[partial(commands_in_the_clone, README)] * 2, board_of_the_demo],
    "index": [partial(commands_in_the_clone, "index")],
    "start/participant": [refusal_of_the_kit],
    "start/researcher": [scores_of_two_files, scores_of_a_baseline],
    "explanation/scores": [scores_of_a_baseline],
    "how-to/new-challenge": [lambda request: print(what_to_edit("speech_rate"))],
    "how-to/before-opening": [WRITTEN],
    "how-to/github": [WRITTEN],
    "how-to/own-task": [WRITTEN, WRITTEN, WRITTEN],
    "how-to/own-workers": [WRITTEN],
    "how-to/ranking": [WRITTEN],
    "how-to/several-tasks": [WRITTEN],
    "how-to/without-a-platform": [WRITTEN],
    RTTM: [WRITTEN, scores_of_rttm],
    SPEAKERS: [WRITTEN, plan_of_the_pilot],
    "explanation/architecture": [DRAWN, DRAWN, DRAWN, DRAWN],
    "reference/commands": [WRITTEN],
    "reference/files": [WRITTEN],
}
"""What prints each block of a page, or why a block is not held against any output."""


@pytest.mark.parametrize("page", PAGES)
def test_every_printed_block_is_what_the_program_prints(page, request, capsys):
    for printed, shown in zip(PRINTED.get(page, ()), blocks(page, "(?:text|console)?"), strict=True):
        if not isinstance(printed, str):
            capsys.readouterr()
            printed(request)
            output = f"\n{capsys.readouterr().out}"
            assert is_like(f"...\n{shown}...", output), output


def is_like(shown, output):
    """Whether an output is what is shown, where `...` is any text."""
    return doctest.OutputChecker().check_output(shown, output, doctest.ELLIPSIS)


@pytest.fixture
def example(tmp_path, monkeypatch):
    """The files that the page for researchers names: labels, and the outputs of two systems."""
    labels = ROOT / "reference_data/psst_correctness/evaluation"
    kit = tmp_path / "kit"
    for part in ("starting_kit/psst", "starting_kit/psst_correctness"):
        shutil.copytree(ROOT / part, kit, dirs_exist_ok=True)
    form = find_task("psst_correctness").format
    items = form.public_files(form.read_reference(read_folder(labels)), {})
    write_files(kit / "evaluation/input", items)
    assert run_program("baseline.py", "evaluation", "out", cwd=kit).returncode == 0
    text = (kit / "out/correctness.tsv").read_text(encoding="utf-8")
    header, *rows = text.splitlines(keepends=True)
    swapped = {"true": "false", "false": "true"}
    worse = [re.sub("true|false", lambda found: swapped[found[0]], row) for row in rows[: len(rows) // 4]]
    files = {
        "reference.txt": "Good morning.\nHow are you?\nfine thank you\nsee you soon\nyes please\nit is late\n",
        "hypothesis.txt": "good morning\nwho are you\nfine\nsee you soon\nyes\nit is eight\n",
        "utterances.tsv": (labels / "utterances.tsv").read_bytes(),
        "correctness.tsv": text,
        "systems/first.tsv": text,
        "systems/second.tsv": "".join([header, *worse, *rows[len(worse) :]]),
    }
    files |= {f"docs/start/wer/{path.name}": path.read_bytes() for path in DOCS.glob("start/wer/*")}
    for condition in ("clinic", "home"):
        files[f"{condition}/reference/utterances.tsv"] = files["utterances.tsv"]
        for system in ("first", "second"):
            files[f"{condition}/submissions/{system}.tsv"] = files[f"systems/{system}.tsv"]
    monkeypatch.chdir(write_files(tmp_path / "example", files))


ELSEWHERE_IN_PYTHON = ("from dask_jobqueue import", '"""')
"""The beginnings of examples that need a cluster, and of modules, which `tests/samples/own_python.py` runs."""


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_the_values_in_an_example_are_those_of_its_lines(page):
    names = {}
    for code in blocks(page, "python"):
        if not code.startswith(ELSEWHERE_IN_PYTHON):
            run_python(code, names)


def run_python(code, names):
    """Run an example; a comment behind an expression that begins with a number or a bracket is its value."""
    lines = code.splitlines()
    for step in ast.parse(code).body:
        source = ast.get_source_segment(code, step)
        if not isinstance(step, ast.Expr):
            exec(source, names)
            continue
        value = repr(eval(source, names))
        shown = lines[step.end_lineno - 1].partition("  # ")[2]
        if re.match(r"[-\d(\[]", shown):
            assert is_like(f"{shown}\n", f"{value}\n"), (shown, value)


@pytest.mark.usefixtures("example")
def test_the_commands_of_the_researchers_page_compare_two_systems(capsys):
    block, joint = (block for block in blocks("start/researcher", "sh") if "spokeneval compare" in block)
    assert run_spokeneval(joint) == 0, capsys.readouterr().err
    assert "clinic, home · Mean over tasks" in capsys.readouterr().out
    assert run_spokeneval(block) == 0, capsys.readouterr().err
    with open("board/board.csv", encoding="utf-8", newline="") as file:
        ranks = {row["system"]: row["rank"] for row in csv.DictReader(file)}
    assert ranks == {"first": "1", "second": "2"}
    cells = re.findall(r"^\| (`board.*|`pairs.*) \|.*\|$", PAGES["start/researcher"], re.MULTILINE)
    assert set(re.findall(r"`(\S+)`", " ".join(cells))) == set(os.listdir("board"))
