"""Uploads of programs: how each ends, what participants get, limits, and runs that go on or are repeated."""

import csv
import math
import os
import re
import shutil
import signal
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import DELETED, read_index, write_index
from speechbundles.model.statuses import CODES
from speechbundles.runs import OF_HIDDEN_RUNS, make_job, outcomes, stages, uploads
from speechbundles.runs.job import SoundSet, conditions
from speechbundles.runs.outcomes import read_stage, shown_factor, shown_time
from speechbundles.runs.stages import machine_seconds, take_through
from tests.samples.programs import ROOT, write_files
from tests.samples.programs_at_home import GOOD, READS, WRITES, WRONG, program, tone, uploaded

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")

HIDDEN = "hidden = len(items) == 120\n"
LATER = "import time\n" + READS + HIDDEN


def codes(taken):
    return {each.run.owner: each.step.code for each in taken}


def answers(folder, number):
    (path,) = (folder / "fetched/.runs/fetched/submissions").rglob(f"*_{number}.zip")
    return path.read_bytes()


ENDS = {
    "ok": (GOOD, "ok"),
    "no zip": (None, "refused"),
    "error": (f"{READS}1/0", "smoke_failed"),
    "error later": (f"{LATER}hidden and 1/0\n{WRITES}", "run_failed"),
    "too slow later": (f"{LATER}time.sleep(60 * hidden)\n{WRITES}", "run_time"),
    "memory": (f"{READS}x = bytearray(400 << 20)\nimport time; time.sleep(9)\n", "smoke_limit"),
    "no answers": (READS, "smoke_answers"),
    "an item less later": (f"{LATER}hidden and answers.pop(items[0])\n{WRITES}", "run_answers"),
    "a random answer": (
        f"{READS}import random\nanswers[items[0]] = random.choice(['yes', 'no'])\n{WRITES}",
        "",
    ),
}


@pytest.mark.thorough
def test_each_end_has_its_code_and_participants_get_no_more(home, begun, tmp_path):
    _, chosen, *_ = begun
    limits = {**chosen["run_limits"], "seconds": 2}
    quick = replace(chosen, settings={**chosen.settings, "run_limits": limits})
    uploaded(tmp_path, *((name, program(source) if source else b"no") for name, (source, _) in ENDS.items()))
    taken = home(competition=quick, repeat=2)
    found = codes(taken)
    assert found.pop("a random answer") in ("ok", "not_reproducible")
    assert found == {name: code for name, (_, code) in ENDS.items() if code}
    state = tmp_path / "fetched/.runs"
    rows = {row["owner"]: row for row in csv.DictReader((state / "runs.csv").read_text("utf-8").splitlines())}
    assert rows["ok"]["reproducible"] == "yes"
    assert float(rows["ok"]["real_time_factor"]) > 0
    assert int(rows["memory"]["peak_mb"]) >= 300  # whole MB of more than the limit
    returned = {
        each.run.owner: next((state / "returns").glob(f"*_{each.run.id}.txt")).read_text() for each in taken
    }
    assert not any("ZeroDivisionError" in text for text in returned.values())
    assert "time: up to 4/4 of the time limit" in returned["too slow later"]
    assert all(f"meaning: {CODES[each.step.code]}" in returned[each.run.owner] for each in taken)


def text_of(tmp_path, folder, number=1):
    (path,) = (tmp_path / "fetched/.runs" / folder).glob(f"*_{number}.txt")
    return path.read_text("utf-8")


def test_only_the_organiser_gets_the_log_of_a_hidden_run(home, tmp_path):
    source = f"{READS}print('so far')\nlen(items) == 120 and 1/0\n{WRITES}"
    uploaded(tmp_path, ("anna", program(source, **{"weights.txt": b"a"})), ("anna", program(source)))
    home()
    assert "run 1 of anna, Evaluation, set evaluation: refused" in text_of(tmp_path, "logs", 1)
    assert "weights.txt" in text_of(tmp_path, "logs", 1)
    log = text_of(tmp_path, "logs", 2)
    lines = [line.partition(",")[0] for line in log.splitlines() if " s, " in line]
    assert lines == ["check: ok", "smoke: ok", "run1: run_failed"]
    assert log.count("so far") == 2
    assert "ZeroDivisionError" in log
    assert "ZeroDivisionError" not in text_of(tmp_path, "returns", 2)


def test_nothing_that_a_program_prints_or_answers_is_returned_unless_the_organiser_releases_it(
    home, tmp_path
):
    """Programs with the same code and check on public items get the same text, whatever they found on the machine."""
    refused = READS + "print('FOUND')\nanswers[items[0]] = 'FOUND 1'\n" + WRITES
    pairs = {
        "ok": [program(f"print('FOUND', {number})\n{GOOD}") for number in range(2)],
        "smoke_failed": [program(f"{READS}raise SystemExit({number})") for number in (1, 99)],
        "smoke_answers": [program(refused), program(refused.replace("FOUND 1", "FOUND 2"))],
    }
    uploaded(
        tmp_path, *((f"{code} {n}", each) for code, both in pairs.items() for n, each in enumerate(both))
    )
    assert [each.step.code for each in home()] == [code for code in pairs for _ in range(2)]
    texts = [text_of(tmp_path, "returns", number).partition("\n")[2] for number in range(1, 7)]
    assert texts[::2] == texts[1::2]
    assert not any("FOUND" in text for text in texts)
    assert "first problem of the answers: unknown_value" in texts[4]
    assert "FOUND 0" in text_of(tmp_path, "logs", 1)
    home(release=[1])
    for _ in range(2):  # also in later calls
        assert ["FOUND" in text_of(tmp_path, "returns", number) for number in range(1, 7)] == [True] + [
            False
        ] * 5
        home()


@pytest.mark.parametrize(
    ("declared", "said"),
    [(b"no", "the same as"), (b"yes", "other than"), (b"maybe", "other than"), (None, "")],
)
def test_participants_learn_whether_a_program_answers_as_it_declares(home, begun, tmp_path, declared, said):
    """The answers that are declared are in another order, which makes no difference."""
    labels = begun[0] / "reference_data/health/development/labels.csv"
    rows = [
        b"%s,%s" % (line.partition(",")[0].encode(), declared or b"")
        for line in reversed(labels.read_text().split()[1:])
    ]
    files = {"expected/decisions.csv": b"\n".join([b"id,label", *rows])} if declared else {}
    always = READS + "answers = dict.fromkeys(answers, 'no')" + WRITES
    uploaded(tmp_path, ("anna", program(always, **files)))
    assert codes(home()) == {"anna": "ok"}
    returned = text_of(tmp_path, "returns")
    assert f"answers to the public recordings: {said} those in expected/" in returned or not declared
    assert declared or "expected" not in returned


def test_participants_learn_which_packages_or_weights_failed_and_nothing_of_the_machine(
    home, begun, tmp_path, monkeypatch
):
    failed = stages.StageEnd("build_failed", log="/home/organiser: private==1.2")
    monkeypatch.setattr(stages, "install", lambda *_: (None, failed))
    monkeypatch.setattr(stages, "fetch_weights", lambda *_: ({}, failed))
    digest = "0" * 64
    weights = f"a sha256:{digest} 1 https://example.org/a".encode()
    uploaded(
        tmp_path,
        ("anna", program(GOOD, **{"requirements.txt": f"a==1 --hash=sha256:{digest}".encode()})),
        ("bob", program(GOOD, **{"weights.txt": weights})),
    )
    own = replace(begun[1], settings={**begun[1].settings, "environment": "own"})
    assert codes(home(competition=own)) == {"anna": "build_failed", "bob": "build_failed"}
    for number, what in (
        (1, "requirements.txt: a file could not be"),
        (2, "weights.txt: a file could"),
    ):
        assert what in text_of(tmp_path, "returns", number)
        assert "private" not in text_of(tmp_path, "returns", number)
        assert "private" in text_of(tmp_path, "logs", number)


def test_all_downloads_come_before_the_first_run(home, begun, tmp_path, monkeypatch):
    """Their servers belong to participants, and would learn from the time of the next download how long a run took."""
    real, calls = stages._run, []
    monkeypatch.setattr(
        stages, "fetch_weights", lambda *_: calls.append("fetch") or ({}, stages.StageEnd("ok"))
    )
    monkeypatch.setattr(
        stages, "_run", lambda job, stage, *a, **k: calls.append(stage) or real(job, stage, *a, **k)
    )
    weights = f"a sha256:{'0' * 64} 1 https://example.org/a".encode()
    uploaded(
        tmp_path, *((name, program(f"{GOOD}#{name}", **{"weights.txt": weights})) for name in ("anna", "bob"))
    )
    own = replace(begun[1], settings={**begun[1].settings, "environment": "own"})
    assert codes(home(competition=own, jobs=1)) == {"anna": "ok", "bob": "ok"}
    assert calls[:2] == ["fetch", "fetch"]
    assert calls.count("run") == 2


def test_answers_are_scored_in_their_canonical_form(home, tmp_path):
    shuffled = GOOD.replace("answers.items()", "sorted(answers.items(), key=str, reverse=True)")
    shuffled = shuffled.replace("id,label", "note,id,label").replace("{item},", "secret,{item},")
    uploaded(tmp_path, ("anna", program(GOOD)), ("bob", program(shuffled)), ("eva", program(WRONG)))
    assert codes(home()) == dict.fromkeys(["anna", "bob", "eva"], "ok")
    assert answers(tmp_path, 1) == answers(tmp_path, 2) != answers(tmp_path, 3)
    rows = read_index(tmp_path / "fetched/.runs/fetched")
    assert [(run.owner, run.note, bool(run.submission)) for run in rows] == [
        (name, "", True) for name in ("anna", "bob", "eva")
    ]


@pytest.mark.thorough
def test_limits_of_a_phase_count_failed_runs_too(home, tmp_path):
    """Three uploads are allowed; one that the check refuses is free, one that fails on hidden recordings is not."""
    failing = program(f"{LATER}hidden and 1/0\n{WRITES}")
    sources = [b"no zip", failing, program(GOOD), program(WRONG), program(GOOD + "#")]
    uploaded(tmp_path, *(("anna", content) for content in sources))
    for _ in range(2):
        found = [each.step.code for each in home()]
        assert found == ["refused", "run_failed", "ok", "ok", "not_counted"]


def test_withdrawn_late_and_public_uploads(home, tmp_path):
    uploaded(tmp_path, *((name, program(GOOD)) for name in ("gone", "late", "public", "hours")))
    early = {"public": "2027-02-02T09:00", "late": "2028-01-01T00:00"}
    runs = []
    for run in read_index(tmp_path / "fetched"):
        time = type(run.time).fromisoformat(early.get(run.owner, run.time.isoformat()))
        phase = "Development" if run.owner == "public" else run.phase
        runs.append(replace(run, time=time, phase=phase, note=DELETED if run.owner == "gone" else ""))
    write_index(tmp_path / "fetched", runs)
    taken = home(team_hours=1e-9)
    assert codes(taken) == {"gone": "withdrawn", "late": "not_counted", "public": "ok", "hours": "ok"}
    (public,) = (each for each in taken if each.run.owner == "public")
    assert not (public.place / "run1.json").exists()
    uploaded(tmp_path, *(("hours", program(f"{GOOD}#{n}")) for n in range(2)))
    assert [each.step.code for each in home(jobs=1, team_hours=1e-9)] == ["ok", "team_limit"]


def test_hours_of_earlier_calls_and_repeats_count_whatever_the_jobs(home, tmp_path):
    """Also hours of an upload that was withdrawn after its run; the first run ends, and is not repeated."""
    uploaded(tmp_path, ("anna", program(GOOD)), ("anna", program(GOOD + "#")), ("bob", program(GOOD)))
    first, second, third = home(team_hours=1e-9, repeat=3)
    assert [each.step.code for each in (first, second, third)] == ["ok", "team_limit", "ok"]
    assert [path.name for path in first.place.glob("run*.json")] == ["run1.json"]
    runs = read_index(tmp_path / "fetched")
    write_index(tmp_path / "fetched", [replace(runs[0], note=DELETED), *runs[1:]])
    assert [each.step.code for each in home(team_hours=1e-9)] == ["withdrawn", "team_limit", "ok"]
    uploaded(tmp_path, ("bob", program(GOOD + "##")), ("bob", program(GOOD)))
    assert [each.step.code for each in home(team_hours=1e-9)] == ["team_limit", "ok"]


def test_answers_of_a_withdrawn_upload_are_deleted(home, tmp_path):
    uploaded(tmp_path, ("anna", program(GOOD)), ("bob", program(WRONG)))
    home()
    runs = read_index(tmp_path / "fetched")
    write_index(tmp_path / "fetched", [replace(runs[0], note=DELETED), runs[1]])
    home()
    assert [path.parent.name for path in (tmp_path / "fetched/.runs/fetched").rglob("*.zip")] == ["bob"]


def test_ctrl_c_begins_no_further_upload(home, tmp_path, monkeypatch):
    begun = []

    def take(job, upload, *others):
        begun.append(upload)
        raise KeyboardInterrupt

    monkeypatch.setattr(uploads, "take_through", take)
    uploaded(tmp_path, *((f"team{number}", program(f"{GOOD}#{number}")) for number in range(9)))
    with pytest.raises(KeyboardInterrupt):
        home(jobs=1)
    assert len(begun) == 1


def test_uploads_that_are_too_large_or_cannot_be_read_stop_no_other(home, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "MAX_BYTES", 500)
    uploaded(tmp_path, ("large", b"x" * 2000), ("lost", b""), ("anna", program("1/0")))
    (tmp_path / "fetched/submissions/lost/2.zip").unlink()
    assert codes(home()) == {"large": "refused", "lost": "machine", "anna": "smoke_failed"}


class Killed(BaseException):
    """In place of a signal."""


def test_a_killed_run_goes_on_after_the_last_stage_that_ended(home, tmp_path, monkeypatch):
    uploaded(tmp_path, ("anna", program(GOOD)))
    real, calls = stages._run, []

    def run(job, stage, part, **given):
        calls.append(stage)
        if calls == ["smoke", "run"]:
            raise Killed
        return real(job, stage, part, **given)

    monkeypatch.setattr(stages, "_run", run)
    with pytest.raises(Killed):
        home()
    assert codes(home()) == {"anna": "ok"}
    assert calls == ["smoke", "run", "run"]
    assert codes(home()) == {"anna": "ok"}
    assert len(calls) == 3


def test_answers_of_an_interrupted_run_do_not_count_for_the_run_that_replaces_it(home, tmp_path, monkeypatch):
    """As if the command was killed after the answers were written and before how the run ended."""
    uploaded(tmp_path, ("anna", program(GOOD)))
    (taken,) = home()
    for name in ("run1.json", "outcome.json"):
        (taken.place / name).unlink()
    real = stages.engine_of

    def engine_of(job):
        return SimpleNamespace(run=lambda *given: replace(real(job).run(*given), why_stopped="time"))

    monkeypatch.setattr(stages, "engine_of", engine_of)
    assert codes(home()) == {"anna": "run_time"}
    assert [run.submission for run in read_index(tmp_path / "fetched/.runs/fetched")] == [""]


@pytest.mark.thorough
@pytest.mark.default_cases("run1.json", "answers.zip")
@pytest.mark.parametrize(
    "name", ["check.json", "environment.json", "smoke.json", "run1.json", "outcome.json", "answers.zip"]
)
def test_a_stage_whose_file_is_cut_off_has_not_ended(home, tmp_path, capsys, name):
    """Also if nothing of the file is left, as after a power failure; the answers are on the board in each case."""
    uploaded(tmp_path, ("anna", program(GOOD)))
    (taken,) = home()
    expected = answers(tmp_path, 1)
    for size in (0, (taken.place / name).stat().st_size // 2):
        os.truncate(taken.place / name, size)
        assert codes(home()) == {"anna": "ok"}
        assert answers(tmp_path, 1) == expected
        assert f"{name}: " in capsys.readouterr().err
    if name == "answers.zip":
        (taken.place / name).unlink()
        assert (codes(home()), answers(tmp_path, 1)) == ({"anna": "ok"}, expected)


def test_a_change_of_recordings_or_limits_runs_a_program_again(home, begun, tmp_path, monkeypatch):
    """Also a recording of the same size and time as before; without a change, nothing runs."""
    mine, chosen, *_ = begun
    real, calls = stages._run, []
    monkeypatch.setattr(
        stages,
        "_run",
        lambda job, stage, *args, **given: calls.append(stage) or real(job, stage, *args, **given),
    )
    sound = shutil.copytree(mine.parent / "sound", tmp_path / "sound")
    uploaded(tmp_path, ("anna", program(GOOD)))
    limits, runs = dict(chosen["run_limits"]), []
    high, *_, low = sorted(
        (sound / "evaluation").iterdir(), key=lambda path: path.read_bytes().count(b"\xe4")
    )
    for change in (
        lambda: None,
        lambda: None,
        lambda: overwrite(high, low),
        lambda: limits.update(seconds=19),
    ):
        change()
        settings = {**chosen.settings, "sound": str(sound), "run_limits": dict(limits)}
        runs.append(home(competition=replace(chosen, settings=settings))[0])
    assert calls == ["smoke", "run"] * 3
    first, second, third, fourth = (each.step.digest for each in runs)
    assert first == second != third == fourth


def overwrite(path, by):
    status = path.stat()
    path.write_bytes(by.read_bytes())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def test_the_conditions_of_an_outcome_are_all_told_apart(begun, tmp_path, monkeypatch):
    _, chosen, path, _ = begun
    job = make_job(chosen, read_built_bundle(path), tmp_path)
    fewer = {
        name: replace(part, items={**part.items, "items.csv": b"id\n"}) for name, part in job.parts.items()
    }
    jobs = [
        job,
        *(
            replace(job, **change)
            for change in (
                {"limits": replace(job.limits, processes=9)},
                {"environment": "own"},
                {"image": "x"},
                {"parts": fewer},
            )
        ),
    ]
    found = [digest for each in jobs for digest in conditions(each, ("", "evaluation")).values()]
    assert len({*found}) == len(found)
    assert conditions(replace(job, repeat=2, wheels=tmp_path), [""]) == {"": found[0]}
    monkeypatch.setattr("speechbundles.runs.job.environment_of", lambda job: "3.14 torch==3.0")
    assert conditions(job, [""])[""] not in found


def test_a_machine_that_fails_is_no_fault_of_the_program(home, tmp_path, monkeypatch):
    uploaded(tmp_path, ("anna", program(GOOD)))
    with monkeypatch.context() as patched:
        patched.setattr(
            uploads, "take_through", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left"))
        )
        assert codes(home()) == {"anna": "machine"}
    assert "[Errno 28] No space left" in text_of(tmp_path, "logs")
    assert "No space" not in text_of(tmp_path, "returns")
    assert uploads.take_through is take_through
    assert codes(home()) == {"anna": "ok"}


def test_a_run_that_never_ends_is_counted_and_repeated_twice_only(home, tmp_path, monkeypatch):
    """As if this machine failed each time that a program has answered; each time counts as long as it may take."""
    real, begun = stages._run, []

    def run(job, stage, *args, **given):
        begun.append(stage)
        if stage == "run":
            raise OSError(5, "Input/output error")
        return real(job, stage, *args, **given)

    monkeypatch.setattr(stages, "_run", run)
    uploaded(tmp_path, ("anna", program(GOOD)))
    calls = [home()[0] for _ in range(5)]
    assert [each.step.code for each in calls] == ["machine"] * 5
    assert begun == ["smoke", "run", "run", "run"]
    assert 60 < machine_seconds(calls[-1].place) < 80  # the limit is 20 s
    assert "run1.json: began 3 times and did not end; to let it begin again, delete this file" in text_of(
        tmp_path, "logs"
    )
    monkeypatch.undo()
    (calls[-1].place / "run1.json").unlink()
    assert codes(home()) == {"anna": "ok"}


def test_answers_are_read_also_if_the_program_hides_them(home, tmp_path, monkeypatch):
    """A file that its owner may not open is read; here it has no name any more, because root may open all files."""
    real = stages.engine_of

    def engine_of(job):
        def run(program, *others):
            outcome = real(job).run(program, *others)
            program.mounts["/app/answers.tar"].unlink()
            return outcome

        return SimpleNamespace(run=run)

    monkeypatch.setattr(stages, "engine_of", engine_of)
    uploaded(tmp_path, ("anna", program(GOOD)))
    assert codes(home()) == {"anna": "ok"}


def test_a_run_that_is_too_slow_beside_others_is_repeated_alone(home, tmp_path, monkeypatch):
    """The first smoke run of anna and the first run of bob, as beside busy neighbours; and all of a slow program."""
    busy, real, seen = {"anna": "smoke", "bob": "run"}, stages._run, Counter()

    def run(job, stage, part, *, code, **given):
        owner = (code / "owner").read_text()
        seen[f"{owner} {stage}"] += 1
        if owner == "slow" or (seen[f"{owner} {stage}"] == 1 and busy[owner] == stage):
            return stages.StageEnd(f"{stage}_time", seconds=20)
        return real(job, stage, part, code=code, **given)

    monkeypatch.setattr(stages, "_run", run)
    uploaded(tmp_path, *((name, program(GOOD, owner=name.encode())) for name in ("anna", "bob", "slow")))
    taken = home()
    assert codes(taken) == {"anna": "ok", "bob": "ok", "slow": "smoke_time"}
    assert seen == Counter(
        [
            "anna smoke",
            "anna smoke",
            "anna run",
            "bob smoke",
            "bob run",
            "bob run",
            "slow smoke",
            "slow smoke",
        ]
    )
    assert [round(machine_seconds(each.place), -1) for each in taken] == [20, 20, 40]  # also what was lost


def test_one_attempt_carries_at_most_64_bits_beside_its_answers():
    """All that can be returned and shown of an upload, whatever its program or another one found on the machine.

    A code without a run; the code of the first problem of the answers to public items; or a run's time, and for two
    codes, whether the answers to public items are as declared, and a score of 0 to 1 in 0.001.
    """
    source = "".join(path.read_text("utf-8") for path in (ROOT / "spokeneval").rglob("*.py"))
    problems = {*re.findall(r"\.(?:add|stop)\(\s*\"(\w+)\"", source)}
    assert 60 < len(problems) <= 128
    assert len(CODES) <= 16
    assert len(OF_HIDDEN_RUNS) == 6
    ends = [16 + 128 + 4 * times + 2 * times * 2 * 1001 for times in (outcomes.TIME_STEPS, 11)]
    assert ends == [16176, 44232]
    assert [math.log2(each) for each in ends] == pytest.approx([13.982, 15.433], abs=1e-3)
    assert math.log2(16 + 128 + 2) < 7.2  # an upload that is only run on public items
    limit, sound = 100, 17.3
    seen = {(shown_time(time, limit), shown_factor(time, sound)) for time in np.geomspace(0.01, limit, 10**4)}
    assert len(seen) == 11


@pytest.mark.parametrize(
    ("seconds", "sound", "shown"),
    [
        (0.1, 3.2, "up to 0.03125"),
        (5, 20, "up to 0.25"),
        (5.1, 20, "up to 0.5"),
        (40.1, 20, "over 2"),
        (1, 0, ""),
    ],
)
def test_the_real_time_factor_is_shown_in_steps(seconds, sound, shown):
    assert shown_factor(seconds, sound) == shown


@pytest.mark.parametrize("bad", [b"RIFF", tone(True)[:24] + bytes(4) + tone(True)[28:]])
def test_the_duration_of_recordings_is_known_only_if_all_can_be_read(tmp_path, bad):
    """Not if a file ends early, or has a sample rate of 0; a folder is no recording."""
    write_files(tmp_path, {"a.wav": tone(True), "b.wav/c.WAV": tone(False, 0.25), "d.txt": b"x"})
    assert SoundSet({}, tmp_path).seconds == pytest.approx(0.35)
    write_files(tmp_path, {"e.wav": bad})
    assert SoundSet({}, tmp_path).seconds == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sound: (sound / "evaluation/labels.csv").write_text("id"), "named as the files with labels"),
        (lambda sound: (sound / "evaluation/x.wav").symlink_to("/etc/passwd"), "links or special files"),
        (lambda sound: (sound / "development").rename(sound / "dev"), "no folder of a public set"),
        (lambda sound: (sound / "evaluation").rename(sound / "eval"), "evaluation/: no such folder"),
    ],
)
def test_recordings_that_cannot_be_given_to_programs_are_refused(home, begun, tmp_path, change, said):
    mine, chosen, *_ = begun
    shutil.copytree(mine.parent / "sound", tmp_path / "sound")
    change(tmp_path / "sound")
    uploaded(tmp_path)
    moved = replace(chosen, settings={**chosen.settings, "sound": str(tmp_path / "sound")})
    with pytest.raises(OrganiserError, match=said):
        home(competition=moved)


def nth(number):
    """A good program with answers of its own: its first `number` answers are the other class."""
    other = "{'yes': 'no', 'no': 'yes'}"
    return program(
        f"{READS}for item in items[:{number}]:\n    answers[item] = {other}[answers[item]]\n{WRITES}"
    )


def digests(taken, names):
    return {each.run.owner: each.step.digest for each in taken if each.run.owner in names}


@pytest.mark.thorough
def test_50_runs_give_the_same_bytes_with_1_and_4_workers_one_of_which_is_killed(home, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    sources = {f"team{number}": nth(number % 120) for number in range(50)}
    uploaded(tmp_path / "one", *sources.items())
    one = home(tmp_path / "one", jobs=1)
    uploaded(tmp_path / "four", *sources.items())
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=None) as cluster:
        victim = next(iter(cluster.workers.values())).pid

        def kill_one(done, total):
            if done == 10:
                os.kill(victim, signal.SIGKILL)

        four = home(tmp_path / "four", scheduler=cluster.scheduler_address, progress=kill_one)
    assert {each.step.code for each in four} == {"ok"}
    assert digests(one, sources) == digests(four, sources)
    assert all(read_stage(each.place / "outcome.json") for each in four)
