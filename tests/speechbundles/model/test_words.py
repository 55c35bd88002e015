"""Pages in other languages: every generated text has a translation, and numbers are written as in the language."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import partial

import pytest

from speechbundles.bundle.build.contract_driver import attempt, damages, read
from speechbundles.bundle.build.kit import make_parts
from speechbundles.bundle.build.pages import SHARED, page_texts
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.model.sources import Sources
from speechbundles.model.words import catalogue, entries, words_of
from speechbundles.platforms.facts import MEANINGS, PLATFORMS
from spokeneval.formats.normalisation import RULES
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_zip import unpack
from spokeneval.kinds.declared import KINDS
from spokeneval.run.words import LANGUAGES, Words
from tests.samples import labelled_turns, meetings
from tests.samples.declared_tasks import TASKS, declared_folder, kind_of
from tests.samples.programs import ROOT, write_files
from tests.samples.refusals import observed, refusals
from tests.samples.zips import zip_mutations

OTHERS = LANGUAGES[1:]
ENGLISH_WORDS = re.compile(r"\b(the|of|with|is|are|for|each|your|from|by)\b(?! Wagen)")
OF_REFUSALS = re.compile(
    rf"{ENGLISH_WORDS.pattern}|\b(line|fields?|expected|found|not|and|or|that|this|it|has|more|to)\b"
)
NOT_PROSE = re.compile(r"^```.*?^```|`[^`\n]+`|<[^>\n]+>", re.MULTILINE | re.DOTALL)


def in_language(tmp_path, task, language, renamed=()):
    text = {name: content.encode() for name, content in declared_folder(task).items()}
    for old, new in dict(renamed).items():
        text = {name: content.replace(old.encode(), new.encode()) for name, content in text.items()}
    settings = text["competition.yaml"].replace(
        b"defaults: {", b"defaults: {language: %s, " % language.encode()
    )
    folder = write_files(tmp_path / task, {**text, "competition.yaml": settings})
    (competition,) = read_competitions(Sources(ROOT, folder))
    return competition


def parts_of(competition):
    folder = competition.sources.folder / "reference_data" / competition.task
    sets = {
        name: load_reference(competition.rules, name, folder / name, competition.options)
        for name in competition.sets
    }
    return make_parts(competition, sets)


def texts_of(competition):
    parts = parts_of(competition)
    texts = page_texts(competition, parts, PLATFORMS["codabench"])
    return {**texts, "README.md": parts.starting_kit["README.md"].decode()}


def test_every_text_is_there_once_and_has_a_translation_with_its_values():
    english = [entry["en"] for entry in entries()]
    assert len(set(english)) == len(english)
    for entry in entries():
        assert set(entry) == set(LANGUAGES), entry
        values = set(re.findall(r"{\w}", entry["en"]))
        for language in OTHERS:
            found = set(re.findall(r"{\w}", entry[language]))
            assert values & {"{n}", "{m}"} <= found <= values, entry


def test_every_page_is_translated_with_the_same_facts_and_conditions():
    shared = [*(ROOT / "pages").glob("*.md")]
    pages = [
        *shared,
        *(path for path in (ROOT / "pages" / "kinds").rglob("*.md") if path.name != "overview.md"),
    ]
    kit = {ROOT / "starting_kit/kinds/README.md": "starting_kit/kinds/{}/README.md"}
    translated = {path: f"pages/{{}}/{path.relative_to(ROOT / 'pages')}" for path in pages} | kit
    assert len(translated) > len(shared) > len(SHARED) // 2
    for path, place in translated.items():
        used = re.compile(r"\$\{\w+\}|\{%-? \w+.*? %\}")
        expected = set(used.findall(path.read_text(encoding="utf-8"))) - {
            "${item}",
            "${an_item}",
            "${unit_plural}",
        }
        for language in OTHERS:
            text = (ROOT / place.format(language)).read_text(encoding="utf-8")
            found = set(used.findall(text)) - {"${item}"}
            # Words of English are left out.
            conditions = {each for each in expected ^ found if not re.search("item|plural", each)}
            assert not conditions, place.format(language)


FURTHER = {
    "costs": ("target", {"{kind:": "{priors: [0.5, 0.05], costs: {c_fa: 10}, kind:"}),
    "own costs": ("target", {"{kind:": "{priors: 0.01, eer: crossing, dcf: unnormalised, kind:"}),
    "open costs": ("out of set", {"{kind:": "{priors: [0.5, 0.1], costs: {c_fa: 10}, kind:"}),
    "groups": ("meetings", {"{kind:": "{mean_over: {column: session_id, until: _}, kind:"}),
}
"""Tasks with further parameters that scores describe."""


@pytest.mark.parametrize("name", [*TASKS, *FURTHER])
def test_scores_and_trivial_baselines_of_every_kind_are_translated(tmp_path, name):
    task, parameters = FURTHER.get(name, (name, {}))
    competition = in_language(tmp_path, task, "de", parameters)
    words = competition.words
    for column in competition.columns:
        assert ENGLISH_WORDS.findall(column.description) == [], column.description
        assert not re.search(r"accuracy|\b(Macro|Worst|Mean)\b", column.title), column.title
    for baseline in competition.rules.trivial:
        assert words(baseline) != baseline
    opening = KINDS[kind_of(task)].opening.format(item="item")
    for what in (opening, *(rule.description for rule in RULES), *MEANINGS.values()):
        assert words(what) != what


@pytest.mark.default_cases("words-de", "decisions-zh")
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("task", TASKS)
def test_no_english_sentence_is_on_the_pages(tmp_path, task, language):
    competition = in_language(tmp_path, task, language)
    for file, text in texts_of(competition).items():
        assert ENGLISH_WORDS.findall(NOT_PROSE.sub("", text)) == [], file
    assert [page["title"] for page in competition["pages"]] != ["Overview", "Data", "Evaluation"]


@pytest.mark.default_cases("identification-fr", "turns-zh")
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("task", TASKS)
def test_no_english_sentence_is_in_a_report_its_plots_and_their_captions(tmp_path, task, language):
    texts = report_of(tmp_path, in_language(tmp_path, task, language))
    assert [text for text in texts if ENGLISH_WORDS.search(text)] == []
    assert language == "zh" or [text for text in texts if re.fullmatch(r"[-−]?\d+\.\d+", text)] == []


@pytest.mark.default_cases("decisions", "target")
@pytest.mark.parametrize(
    ("task", "renamed", "shown"),
    [
        ("decisions", {"gesund": "equal", "krank": "Miss"}, {"equal", "Antwort Miss", "Wahre Klasse: equal"}),
        ("turns", {"Deutsch": "equal", "Hindi": "Miss"}, {"equal", "Referenz, Miss", "Fehler equal (%)"}),
        ("target", {"echt": "Miss"}, {"Miss", "Antwort andere als Miss", "Wert: Werte für Miss"}),
        ("ratings", {"Anna": "Miss", "Ravi": "all"}, {"Miss, all", "all, Einreichung", "κ Miss"}),
        ("words", {"Wagen": "equal"}, {"equal", "equal → –"}),
    ],
)
def test_labels_words_and_names_that_are_in_the_catalogue_are_not_translated(tmp_path, task, renamed, shown):
    assert shown <= set(report_of(tmp_path, in_language(tmp_path, task, "de", renamed)))


def report_of(tmp_path, competition):
    """Return the texts of the report on the baseline."""
    kit = write_files(tmp_path / "kit", parts_of(competition).starting_kit)
    for program in (["baseline.py", "development", "out"], ["try_submission.py", "out"]):
        subprocess.run([sys.executable, *program], cwd=kit, capture_output=True, check=True)
    page = (kit / "detailed_results.html").read_text(encoding="utf-8")
    shown = re.sub(r"<style>.*?</style>|<code>.*?</code>", "", page, flags=re.DOTALL)
    return [*re.findall('aria-label="(.*?)"', shown), *re.sub(r"<[^>]*>", "\n", shown).split("\n")]


@pytest.mark.default_cases("posteriors-de", "turns-zh")
@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("task", TASKS)
def test_refusals_of_damaged_answers_are_translated(tmp_path, task, language):
    competition = in_language(tmp_path, task, language)
    parts, rules = parts_of(competition), competition.rules
    gold, words = parts.references["evaluation"].gold.labels, words_of(language)
    for _, files, _ in damages(parts.solutions["evaluation"], gold.items.ids):
        refusal = attempt(rules, SubmissionError, read, rules, files, gold).refusal
        shown = words(str(refusal or ""))
        assert OF_REFUSALS.findall(re.sub(r"'[^']*'|<[^<>]*>|id\S*", "", shown)) == [], shown


NAMES = {
    "rating",
    "score",
    "label",
    "speaker",
    "start",
    "end",
    "duration",
    "recording",
    "channel",
    "word",
    "words",
    "type",
}
"""Words of columns and fields, which are not translated."""
OF_SYSTEM = ("unreadable_file", "nested_folder")
"""Refusals with the operating system's words, or with names of folders."""


def test_no_part_of_a_refusal_stays_english():
    """Of each refusal in the tables of shared readers, in Chinese, whose Latin words are names or in the catalogue."""
    latin = re.compile(r"(?<![\w./-])[A-Za-z][a-z]+(?![\w./-])")
    errors = [
        each.error for task in ("caller_experience", "content_accuracy") for each in refusals(task).values()
    ]
    for side in (labelled_turns, meetings):
        read = partial(side.read_submission, side.make())
        errors += [observed(partial(read, files)).error for files, _ in side.BAD_SUBMISSIONS]
    words = words_of("zh")
    known = NAMES | {word for entry in entries() for word in latin.findall(entry["zh"])}
    left = {}
    for problem in (problem for error in errors if error for problem in error.problems):
        shown = re.sub(r"""'[^']*'|"[^"]*"|<\w*>.*</\w*>|<\w+>""", "", words(problem.message))
        found = set(latin.findall(shown)) - known
        if found and problem.code not in OF_SYSTEM:
            left[problem.message] = found
    assert not left
    assert len(errors) > 100


@pytest.mark.parametrize(
    ("language", "english", "shown"),
    [
        (
            "de",
            "no column session_id, speaker, words (and 2 more); the header has id, word, score",
            "keine Spalte session_id, speaker, words (und 2 weitere); die Kopfzeile hat id, word, score",
        ),
        (
            "es",
            "no column label, words; the header has id,label, word; rename id,label to label; rename word to words",
            "no hay columna label, words; el encabezado tiene id,label, word; "
            "cambien el nombre id,label por label; cambien el nombre word por words",
        ),
        (
            "de",
            "id e1: 'x' is not one of the 40 phones; expected one of AA, AE (and 32 more)",
            "id e1: 'x' ist keiner der 40 Laute; erwartet: einer von AA, AE (und 32 weitere)",
        ),
        ("zh", "1 field separated by commas; the header has 2", "1 个字段（以逗号分隔）；表头有 2 个"),
        *(
            (
                language,
                f"Warning: {n} empty SPEAKER lines left out; expected SPEAKER lines of 1 ms or more",
                shown,
            )
            for language, n, shown in (
                ("de", 1, "Warnung: 1 leere SPEAKER-Zeile ausgelassen; erwartet: SPEAKER-Zeilen ab 1 ms"),
                ("de", 3, "Warnung: 3 leere SPEAKER-Zeilen ausgelassen; erwartet: SPEAKER-Zeilen ab 1 ms"),
                ("zh", 3, "警告：忽略 3 行空的 SPEAKER；应为：1 毫秒以上的 SPEAKER 行"),
            )
        ),
    ],
)
def test_names_in_refusals_stay_and_parts_have_their_place(language, english, shown):
    assert Words(language, catalogue(language), numbers=False)(english) == shown


@pytest.mark.parametrize("language", OTHERS)
def test_refusals_of_zips_are_translated(tmp_path, language):
    for number, bad in enumerate(zip_mutations({"a.csv": "id,x\n"})):
        (tmp_path / "a.zip").write_bytes(bad.archive)
        (tmp_path / str(number)).mkdir()
        with pytest.raises(SubmissionError) as refusal:
            unpack(tmp_path / "a.zip", tmp_path / str(number))
        for problem in refusal.value.problems:
            assert OF_REFUSALS.findall(words_of(language)(problem.message)) == [], problem.message


def test_a_kit_speaks_the_language_and_its_files_do_not(tmp_path):
    competition = in_language(tmp_path, "decisions", "de")
    kit = write_files(tmp_path / "kit", parts_of(competition).starting_kit)
    cells = json.loads((kit / "walkthrough.ipynb").read_text(encoding="utf-8"))["cells"]
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    assert ENGLISH_WORDS.findall(NOT_PROSE.sub("", prose)) == []
    run = partial(subprocess.run, cwd=kit, capture_output=True, encoding="utf-8", check=False)
    run([sys.executable, "baseline.py", "development", "out"], check=True)
    accepted = run([sys.executable, "try_submission.py", "out"])
    assert "95-%-Konfidenzintervall 0." in accepted.stdout  # a point, as in files
    assert ENGLISH_WORDS.findall(accepted.stdout.replace("reference:", "")) == []
    page = (kit / "detailed_results.html").read_text(encoding="utf-8")
    assert '<html lang="de">' in page
    text = re.sub(r"<[^>]*>", " ", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))
    assert ENGLISH_WORDS.findall(text) == []
    assert re.search(r"F1 +0,\d{4}", text)
    (answers,) = (kit / "out").iterdir()
    answers.write_text(answers.read_text(encoding="utf-8").replace("krank", "müde"), encoding="utf-8")
    refused = run([sys.executable, "try_submission.py", "out"])
    assert refused.returncode == 1
    assert "decisions.csv: 40 Probleme" in refused.stderr
    assert "; erwartet: 'gesund' oder 'krank'" in refused.stderr
    rows = answers.read_text(encoding="utf-8").split("\n", 1)[1]
    answers.write_text(f"id,speaker,words\n{rows}", encoding="utf-8")
    refused = run([sys.executable, "try_submission.py", "out"])  # its names are no words to translate
    assert "die Kopfzeile hat id, speaker, words" in refused.stderr


def test_the_column_for_labels_at_home_has_the_title_that_the_pages_name(tmp_path):
    competition = in_language(tmp_path, "ratings", "de", {"defaults: {": "defaults: {labels: home, "})
    assert [column.title for column in competition.board] == ["Eingegangen"]
    assert "*Eingegangen*" in texts_of(competition)["evaluation.md"]


def test_numbers_on_pages_have_a_decimal_comma_and_those_of_files_a_point(tmp_path):
    texts = texts_of(in_language(tmp_path, "posteriors", "de"))
    assert re.search(r"Baseline des Startpakets \| \d,\d{4} \|", texts["evaluation.md"])
    assert ",0.7,0.15" in texts["evaluation.md"]


@pytest.mark.parametrize(
    ("language", "number", "written"),
    [
        ("de", "12,345.60", "12.345,60"),
        ("fr", "12,345.60", "12\N{NARROW NO-BREAK SPACE}345,60"),
        ("es", "12,345.60", "12\N{NARROW NO-BREAK SPACE}345,60"),
        ("es", "1,234", "1234"),  # Ortografía de la lengua española: no space in numbers of four digits
        ("zh", "12,345.60", "12,345.60"),
    ],
)
def test_a_number_is_written_as_in_the_language(language, number, written):
    assert Words(language, {})(number) == written
    assert Words(language, {}, numbers=False)(number) == number


def test_the_catalogue_is_read_only_for_another_language_than_english():
    program = "from speechbundles.model import words; print(words.entries.cache_info().currsize)"
    for language, loaded in (("en", 0), ("fr", 1)):
        command = program.replace("print", f"words.words_of({language!r}); print")
        done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, check=True)
        assert int(done.stdout) == loaded


def test_names_dates_and_versions_stay_as_they_are():
    words = words_of("de")
    for text in ("utt1.5_03", "2027-01-11", "10.2.3", "Die Liste, 1. Teil", "`0.5`", ""):
        assert words(text) == text


def test_one_and_several_have_their_forms():
    words = words_of("de")
    phase = "**P**, from 2027-01-01 UTC: {} a day, 1,200 in all."
    assert (
        words(phase.format("1 submission"))
        == "**P**, ab 2027-01-01 UTC: 1 Einreichung pro Tag, 1.200 insgesamt."
    )
    assert "2 Einreichungen" in words(phase.format("2 submissions"))


def test_a_text_that_is_translated_already_stays_as_it_is():
    words = words_of("fr")
    once = words(
        "cost in bits of the scores converted from probabilities to likelihoods; 1 without information"
    )
    assert " ; 1 sans" in once
    assert words(once) == once
