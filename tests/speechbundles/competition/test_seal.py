"""A sealed share: the draw, the files that the platform gets, and scores at home. All data are synthetic."""

import contextlib
import io
import random
import re
import stat

import pytest

import build_bundle
import spokeneval
from speechbundles.bundle.build.built import write
from speechbundles.bundle.build.plan import plan
from speechbundles.bundle.check.check import check_bundle
from speechbundles.competition.references import load_reference
from speechbundles.competition.seal import draw_units, refuse_marked, seal
from speechbundles.model.errors import BadReference, SealError
from speechbundles.model.sources import Sources
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.text import read_folder
from spokeneval.kinds.declared import declared_task
from tests.samples.near_misses import near_misses
from tests.samples.own_competition import series
from tests.samples.programs import repository_with, unzipped, write_files
from tests.samples.repeated import RELABELLED, REPEATED
from tests.samples.small_bundles import tree

every_task = pytest.mark.parametrize("task", task_names())


def loaded(task, folder, files=None):
    return load_reference(find_task(task), "evaluation", write_files(folder, files or REPEATED[task]), {})


def units_of(task, folder):
    """Return the units of the reference in a folder."""
    return set(find_task(task).units(find_task(task).format.read_reference(read_folder(folder))).of.values())


def laid_out(reference, folder):
    """Write the folders of a sealed set: `open`, which the platform gets, `all` and `sealed`."""
    write_files(folder / "open", reference.files)
    return write_files(folder, reference.at_home)


# The draw


def marked_decisions(folder, marks):
    """Forty speakers with two items each; `marks` are those of the items of the first speakers."""
    marks = [*marks, *["no"] * (80 - len(marks))]
    rows = [f"i{n},{'yn'[n % 2]},S{n // 2},{mark}" for n, mark in enumerate(marks)]
    write_files(folder, {"labels.csv": "\n".join(["id,label,speaker,sealed", *rows, ""]).encode()})
    task = declared_task("x", {"kind": "decisions", "classes": ["y", "n"], "positive": "y"})
    return load_reference(task, "evaluation", folder, {})


def test_speakers_that_the_organiser_marks_are_sealed(tmp_path):
    reference = marked_decisions(tmp_path, ["yes", "YES "] * 20)
    sealed = seal(reference, 0.5, None)
    ids = {line.split(",")[0] for line in sealed.at_home["sealed/labels.csv"].decode().split("\n")[1:]} - {""}
    assert ids == {f"i{n}" for n in range(40)}
    assert not any(b"yes" in content.lower() for content in sealed.files.values())
    with pytest.raises(SealError, match="sealed by the column sealed; change `sealed` or the column"):
        seal(reference, 0.25, None)
    with pytest.raises(SealError, match=r"labels\.csv: S0 has yes and no in the column sealed"):
        seal(marked_decisions(tmp_path, ["yes", "no"]), 0.5, None)


def test_marked_speakers_are_not_uploaded_because_the_setting_is_forgotten(tmp_path):
    refuse_marked(marked_decisions(tmp_path / "none", []))
    with pytest.raises(SealError, match=r"of x has yes for 10 of the 40 speakers.* Add `sealed: 0\.25`, or"):
        refuse_marked(marked_decisions(tmp_path, ["yes"] * 20))


@every_task
def test_whole_units_are_sealed_in_the_requested_number(task, tmp_path):
    reference = loaded(task, tmp_path / "given")
    folder = laid_out(seal(reference, 0.45, None), tmp_path / "sealed")
    parts = [units_of(task, folder / part) for part in ("open", "sealed")]
    every = units_of(task, tmp_path / "given")
    assert parts[0] | parts[1] == every
    assert not parts[0] & parts[1]
    assert len(parts[1]) == round(0.45 * len(every))


@every_task
def test_each_row_is_in_one_part_and_both_parts_have_the_public_items(task, tmp_path):
    reference = loaded(task, tmp_path)
    sealed = seal(reference, 0.5, None)
    for name, content in reference.files.items():
        opened, kept = (
            part.splitlines(True) for part in (sealed.files[name], sealed.at_home[f"sealed/{name}"])
        )
        header = [line for line in opened if line in kept]
        assert len(header) <= 1
        assert sorted([*opened, *kept]) == sorted([*content.splitlines(True), *header])
        assert sealed.at_home[f"all/{name}"] == content
    for name, content in reference.public.items():
        assert sealed.files[f"items/{name}"] == sealed.at_home[f"sealed/items/{name}"] == content
    assert (sealed.public, sealed.items) == (reference.public, reference.items)
    assert sealed.sealed_rows == reference.rows - sealed.rows
    assert sealed.sealed_rows


def test_recordings_with_nothing_to_score_are_in_neither_part(tmp_path):
    files = dict(REPEATED["merlion_identification"])
    files["labels.csv"] += "z.wav,a1,0,900,900,NON_SPEECH,False,Evaluation\n"
    sealed = seal(loaded("merlion_identification", tmp_path, files), 0.5, None)
    found = [name for name, content in (sealed.files | sealed.at_home).items() if b"z.wav" in content]
    assert found == ["all/labels.csv"]


def test_the_draw_needs_the_key():
    units = [f"s{number}" for number in range(40)]
    draws = {draw_units(units, 0.5, bytes([key])) for key in range(50)}
    assert len(draws) == 50
    assert {len(draw) for draw in draws} == {20}
    assert draw_units(units[::-1], 0.5, b"\0") == draw_units(units, 0.5, b"\0")
    often = [sum(unit in draw for draw in draws) for unit in units]
    assert 10 < min(often) <= max(often) < 40  # 25 expected, with a standard deviation of 3.5


def test_the_same_labels_give_the_same_draw_and_others_another(tmp_path):
    first, again = (seal(loaded("spoken_call", tmp_path / name), 0.5, None) for name in "ab")
    assert first == again
    other = seal(loaded("spoken_call", tmp_path / "c", RELABELLED["spoken_call"]), 0.5, None)
    assert (other.items, other.public) == (first.items, first.public)
    of_rows = re.compile(rb"(?m)^[^\t]+")
    assert of_rows.findall(first.files["reference.csv"]) != of_rows.findall(other.files["reference.csv"])


def test_correcting_a_label_does_not_open_sealed_units(tmp_path):
    folder = laid_out(seal(loaded("spoken_call", tmp_path / "given"), 0.5, None), tmp_path / "kept")
    rows = REPEATED["spoken_call"]["reference.csv"].splitlines(keepends=True)
    assert rows[1].endswith("\tcorrect\tcorrect\n")
    rows[1] = rows[1].replace("\tcorrect\tcorrect", "\tincorrect\tcorrect")
    corrected = loaded("spoken_call", tmp_path / "corrected", {"reference.csv": "".join(rows)})
    for kept, same in ((folder, True), (None, False), (tmp_path / "nowhere", False)):
        again = laid_out(seal(corrected, 0.5, kept), tmp_path / f"{kept is None}{same}")
        assert (units_of("spoken_call", folder / "open") == units_of("spoken_call", again / "open")) == same


def test_removing_or_adding_units_does_not_move_others(tmp_path):
    folder = laid_out(seal(loaded("psst_correctness", tmp_path / "given"), 0.5, None), tmp_path / "kept")
    header, *rows = REPEATED["psst_correctness"]["utterances.tsv"].splitlines(keepends=True)
    added = [re.sub(r"-11(?=\t)", "-new", row) for row in rows[-4:]]
    changed = {"utterances.tsv": "".join([header, *rows[4:], *added])}
    changed = loaded("psst_correctness", tmp_path / "changed", changed)
    again = laid_out(seal(changed, 0.5, folder), tmp_path / "again")
    gone, new = {"s0-0", "s1-0"}, {"s0-new", "s1-new"}
    for part in ("open", "sealed"):
        before, after = (units_of("psst_correctness", place / part) for place in (folder, again))
        assert before - gone == after - new
        assert len(after & new) == 1


def test_a_draw_from_other_labels_is_refused(tmp_path):
    """Anybody who has the samples can compute their draw. Half of the rows must be the same."""
    folder = laid_out(seal(loaded("caller_experience", tmp_path / "given"), 0.5, None), tmp_path / "kept")
    rows, others = (
        files["caller_experience"]["reference.csv"].splitlines(True) for files in (REPEATED, RELABELLED)
    )
    assert len(rows) == 1 + 48
    half, other = (
        loaded("caller_experience", tmp_path / str(n), {"reference.csv": "".join(rows[:n] + others[n:])})
        for n in (25, 24)
    )
    assert seal(half, 0.5, folder).at_home
    with pytest.raises(BadReference, match="kept was drawn from other labels"):
        seal(other, 0.5, folder)


@pytest.mark.parametrize(("earlier", "share", "sealed"), [(0.5, 0.3, 24), (0.3, 0.5, 14)])
def test_another_share_than_that_of_an_earlier_draw_is_refused(tmp_path, earlier, share, sealed):
    reference = loaded("caller_experience", tmp_path / "given")
    folder = laid_out(seal(reference, earlier, None), tmp_path / "kept")
    with pytest.raises(
        SealError, match=f"{sealed} of the 48 calls .* are sealed by the earlier draw in .*kept"
    ):
        seal(reference, share, folder)


def test_a_share_may_differ_from_an_earlier_draw_by_a_twentieth(tmp_path):
    rows = "".join(f"c{number},{number % 5 + 1},1,2\n" for number in range(100))
    files = {"reference.csv": f"call_id,human1,human2,human3\n{rows}"}
    reference = loaded("caller_experience", tmp_path, files)
    tenth = seal(reference, 0.1, None)
    assert seal(reference, 0.05, laid_out(tenth, tmp_path / "kept")) == tenth


def test_an_unreadable_earlier_draw_is_refused(tmp_path):
    reference = loaded("caller_experience", tmp_path / "given")
    folder = laid_out(seal(reference, 0.5, None), tmp_path / "kept")
    (folder / "sealed" / "reference.csv").write_text("call_id\n")
    with pytest.raises(BadReference, match="kept holds the draw of an earlier build, but cannot be read"):
        seal(reference, 0.5, folder)
    (folder / "all" / "reference.csv").write_text("call_id\n")
    with pytest.raises(BadReference, match="reference of caller_experience, set evaluation"):
        seal(reference, 0.5, folder)


@pytest.mark.parametrize("sealed", [9, 15])
def test_fewer_than_ten_units_in_a_part_are_refused(tmp_path, sealed):
    reference = loaded("merlion_diarization", tmp_path)
    with pytest.raises(SealError, match=f"^{sealed} of the 24 recordings of .* would be sealed; expected"):
        seal(reference, sealed / 24, None)
    assert seal(reference, 10 / 24, None).at_home
    assert seal(reference, 14 / 24, None).at_home


def test_a_part_that_cannot_be_scored_against_is_refused(tmp_path):
    header, *rows = REPEATED["spoken_call"]["reference.csv"].splitlines(keepends=True)
    rows = [re.sub(r"\tincorrect\t(in)?correct\n", "\tcorrect\tcorrect\n", row) for row in rows]
    rows[0] = rows[0].replace("\tcorrect\tcorrect", "\tincorrect\tincorrect")
    reference = loaded("spoken_call", tmp_path, {"reference.csv": "".join([header, *rows])})
    with pytest.raises(BadReference, match=r"(open|sealed) part cannot be used .*\n.*(\n.*)*only one kind"):
        seal(reference, 0.5, None)


# Scores


def narrowed(task, submission, ids):
    """Return the lines, or files, of a submission for some items."""
    if find_task(task).format.submission_file is None:
        return {f"{item}.txt": submission[f"{item}.txt"] for item in ids}
    ((name, text),) = submission.items()
    lines = text.splitlines(keepends=True)
    header = lines[:1] if name.endswith(("csv", "tsv")) else []
    return {name: "".join(header + [line for line in lines if re.split(r"[,\t ]", line)[0] in ids])}


def without_signature(result):
    return {key: value for key, value in result.to_dict().items() if key != "signature"}


@every_task
def test_a_part_scores_as_its_own_rows_alone_do(task, tmp_path):
    """Answers to all items on a part must score like answers to the part's items on its rows as a plain set."""
    folder = laid_out(seal(loaded(task, tmp_path / "given"), 0.45, None), tmp_path / "sealed")
    answers = near_misses(task, tmp_path / "given")
    every = write_files(tmp_path / "answers", answers)
    results = {}
    for part in ("open", "sealed"):
        names = find_task(task).format.reference_files
        rows = {name: (folder / part / name).read_bytes() for name in names}
        plain = write_files(tmp_path / "plain" / part, rows)
        ids = find_task(task).format.read_reference(read_folder(plain)).items.ids
        own = write_files(tmp_path / "own" / part, narrowed(task, answers, ids))
        expected = spokeneval.score(task, reference=plain, submission=own)
        found = spokeneval.score(task, reference=folder / part, submission=every)
        assert without_signature(found) == without_signature(expected)
        results[part] = found
    whole = spokeneval.score(task, reference=folder / "all", submission=every)
    given = spokeneval.score(task, reference=tmp_path / "given", submission=every)
    assert without_signature(whole) == without_signature(given)  # regions get a header
    assert results["open"].items + results["sealed"].items == whole.items
    assert len({results["open"].signature, results["sealed"].signature, whole.signature}) == 3


# Bundles


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A repository that seals half of the hidden sets."""
    return series(tmp_path_factory.mktemp("half") / "series", ("sealed: 0.5", "registration: approval"))


@pytest.fixture(scope="module")
def built(half, tmp_path_factory):
    """A bundle with a sealed share, built by the command: its zip, the command's stderr, the folder of the labels."""
    out = tmp_path_factory.mktemp("built") / "dist"
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stderr(io.StringIO()) as said:
        patched.setattr("speechbundles.cli.build.ROOT", half)
        assert build_bundle.main(["build", TASK, "--platform", "codabench", "--out", str(out)]) == 0
    return out / f"codabench/{TASK}.zip", said.getvalue(), out / f"sealed/{TASK}/evaluation"


TASK = "psst_correctness"


def inner(path, name):
    return unzipped(unzipped(path.read_bytes())[name])


def test_the_sealed_labels_are_beside_the_bundle_readable_only_by_their_owner(built):
    path, said, home = built
    assert check_bundle(path) == []
    assert f"sealed: {home} has the labels that no platform gets; keep it private" in " ".join(said.split())
    part = ["items/utterance_list.tsv", "part.txt", "utterances.tsv"]
    assert tree(home) == ["all/utterances.tsv", *(f"sealed/{name}" for name in part)]
    assert {stat.S_IMODE((home / name).stat().st_mode) for name in tree(home)} == {0o600}
    reference = inner(path, "reference_data.zip")
    assert sorted(reference) == part
    assert reference["items/utterance_list.tsv"] == inner(path, "input_data.zip")["utterance_list.tsv"]
    assert list(inner(path, "reference_data_development.zip")) == ["utterances.tsv"]


def test_the_bundle_does_not_depend_on_the_sealed_labels(built, half, tmp_path):
    """The labels of all sealed utterances are shuffled in mid-season; the draw beside the bundle is kept."""
    path, _, home = built
    lines = (home / "all/utterances.tsv").read_text().splitlines(keepends=True)
    sealed = set((home / "sealed/utterances.tsv").read_text().splitlines(keepends=True)) - {lines[0]}
    places = [place for place, line in enumerate(lines) if line in sealed]
    fields = [lines[place].split("\t") for place in places]
    column = lines[0].split("\t").index("correctness")
    labels = [row[column] for row in fields]
    random.Random(1).shuffle(labels)
    for place, row, label in zip(places, fields, labels, strict=True):
        lines[place] = "\t".join([*row[:column], label, *row[column + 1 :]])
    corrected = {f"reference_data/{TASK}/evaluation/utterances.tsv": "".join(lines)}
    again_half = repository_with(tmp_path / "series", corrected, half)
    planned = plan(Sources(again_half), [TASK], {}, kept=home.parents[1])
    (again,) = write(planned, tmp_path)
    assert again.path.read_bytes() == path.read_bytes()
    written = [tmp_path / f"sealed/{TASK}/evaluation/{part}/utterances.tsv" for part in ("all", "sealed")]
    assert written[0].read_text() == "".join(lines)
    assert written[1].read_text() == lines[0] + "".join(lines[place] for place in places)
    assert written[1].read_bytes() != (home / "sealed/utterances.tsv").read_bytes()


def test_the_page_describes_the_seal_and_the_kit_has_all_items(built):
    page = unzipped(built[0].read_bytes())["pages/evaluation.md"].decode()
    assert "In each hidden set, 50 % of the sessions are sealed" in page
    kit = inner(built[0], "starting_kit.zip")
    hidden = {name: content for name, content in kit.items() if name.startswith("evaluation/")}
    items = inner(built[0], "input_data.zip")
    assert hidden == {f"evaluation/input/{name}": content for name, content in items.items()}
