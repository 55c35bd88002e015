"""Challenges with files as organisers have them, and what independent software computes from their answers.

All data are drawn with a fixed seed. Each maker returns, for each task, the files of a set, a submission, and scores.
"""

import io
import json
import random
import statistics
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np
import yaml
from openpyxl import load_workbook

from speechbundles.model.zips import make_zip
from speechbundles.new.examples import EXAMPLES
from tests.samples import valence
from tests.samples.annotated import eaf, elan_text, label_studio, label_track, text_grid
from tests.samples.own_competition import caller_experience, table
from tests.samples.own_tables import book

CHALLENGES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""For each challenge its `settings`, what a refusal lists (`asked`), and texts that its advice replaces (`advised`).

The challenge of a tool's export has the declaration of its `task` in place of settings, and may have the arguments with
which its answers are merged (`merged`)."""
FRAME = """\
defaults: {{organiser: El Instituto, contact_email: a@example.org, data_licence: CC BY 4.0}}

challenges:
  {name}:
    tasks:
      {name}:
{task}
    phases:
      - {{reference: development, start: "2027-01-11 00:00:00", end: "2027-02-28 23:59:59"}}
      - {{reference: evaluation, start: "2027-03-01 00:00:00", end: "2027-03-14 23:59:59"}}

bundles:
  {name}: {{task: {name}, title: Tarea}}
"""
for _name, _challenge in CHALLENGES.items():
    if "task" in _challenge:
        _challenge["settings"] = FRAME.format(name=_name, task=indent(_challenge["task"].rstrip(), 8 * " "))
SIZES = {"development": 40, "evaluation": 60, "finale": 60}


class Part(NamedTuple):
    """One set of one task: the organiser's files, a submission's, and scores of it by other software; further files."""

    files: Mapping[str, str | bytes]
    answers: Mapping[str, str]
    scores: Mapping[str, float]
    further: Mapping[str, str | bytes] = {}


def _ids(part: str, pattern: str = "{}{:03d}") -> list[str]:
    return [pattern.format(part[0], number) for number in range(SIZES[part])]


# German children's speech in three phases: semicolons, a byte-order mark, decomposed letters, line breaks in cells


def _plain(text: str) -> str:
    letters = "".join(
        letter for letter in unicodedata.normalize("NFKC", text).casefold() if letter not in ".,\n"
    )
    return " ".join(word for word in letters.split() if word not in ("äh", "ähm"))


def _children(draw: random.Random, part: str) -> dict[str, Part]:
    import jiwer

    example = EXAMPLES["children_asr"]
    labels = example.labels(draw, _ids(part, "Gerät_{}{:03d}"))
    answers = example.answers(draw, labels, 0.8)
    rows = [line.split(",") for line in labels["transcripts.csv"].splitlines()[1:]]
    said: dict[str, list[str]] = {}
    for item, text, _ in rows:
        said.setdefault(item, []).append(_plain(text))
    measured = []
    for line in answers["transcripts.csv"].splitlines()[1:]:
        item, text = line.split(",")
        done = [jiwer.process_words(reference, _plain(text)) for reference in said[item]]
        errors = [each.substitutions + each.deletions + each.insertions for each in done]
        best = min(range(len(done)), key=lambda at: errors[at] / len(said[item][at].split()))
        measured.append((errors[best], len(said[item][best].split())))
    wrong, words = np.sum(measured, axis=0)
    messy = [
        (unicodedata.normalize("NFD", item), f"{text[:5]}{text[5:].replace(' ', chr(10), 1)}", f"{who} ")
        for item, text, who in rows
    ]
    text = table(("Äußerung-Nr.", "Wortlaut", "Kind"), messy, ";")
    return {
        "kinder": Part(
            {"transcripts.csv": f"\ufeffKorpus {part};;\n\n{text}".encode()},
            answers,
            {"wer": 100 * wrong / words},
        )
    }


# Five languages: what Excel saves as Unicode text, UTF-16 with tabs, and Chinese names of columns

LANGUAGES = ("Deutsch", "Français", "Türkçe", "普通话", "हिन्दी", "andere")


def _languages(draw: random.Random, part: str) -> dict[str, Part]:
    from sklearn.metrics import balanced_accuracy_score

    items = _ids(part)
    labels = np.array([draw.randrange(6) if number > 5 else number for number in range(len(items))])
    scores = np.array([[draw.gauss(4 * (each == label) - 2, 2) for each in range(5)] for label in labels])
    accepted = np.array([(scores > 0)[labels == label].mean(axis=0) for label in range(6)])
    own = np.diag(accepted)
    alarms = 0.3 * (accepted[:5].sum(axis=0) - own) / 4 + 0.2 * accepted[5]  # the last label is out of set
    cavg = np.mean(0.5 * (1 - own) + alarms)  # NIST LRE 2009, with all costs 1
    known = labels < 5
    accuracy = balanced_accuracy_score(labels[known], scores[known].argmax(axis=1))
    rows = [(f"{item} ", LANGUAGES[labels[n]], f"S{n % 12}") for n, item in enumerate(items)]
    text = table(("文件名", "语言", "说话人"), rows, "\t").encode("utf-16")
    answers = {"scores.csv": table(("id", *LANGUAGES[:5]), [(i, *s) for i, s in zip(items, scores.tolist())])}
    values = {"cavg": cavg, "macro_accuracy": 100 * accuracy}
    return {"sprachen": Part({"labels.txt": text}, answers, values)}


# Diarization: RTTM with comments, other lines and CRLF, and regions that cut recordings short


def _meetings(draw: random.Random, part: str) -> dict[str, Part]:
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate
    from pyannote.metrics.identification import IdentificationErrorRate

    example = EXAMPLES["meeting_speakers"]
    files = example.labels(draw, _ids(part)[:12])
    answers = example.answers(draw, files, 0.8)
    regions = [line.split() for line in files["regions.uem"].splitlines()]
    spans = [(name, *each) for name, _, _, end in regions for each in ((1, 10), (12.5, float(end) - 9))]

    def turns(text: str) -> dict[str, Annotation]:
        found = {name: Annotation(uri=name) for name, *_ in regions}
        for number, line in enumerate(text.splitlines()):
            _, name, _, start, length, _, _, who, *_ = line.split()
            found[name][Segment(float(start), float(start) + float(length)), number] = who
        return found

    # Overlapping turns of one speaker are one turn. Labels are mapped before collars are left out, as in md-eval.
    rate = IdentificationErrorRate(collar=0.5)
    said, answered = turns(files["turns.rttm"]), turns(answers["turns.rttm"])
    for name in said:
        scored = Timeline([Segment(start, end) for other, start, end in spans if other == name])
        reference, system = said[name].support(), answered[name].support()
        mapping = DiarizationErrorRate().optimal_mapping(reference, system, uem=scored)
        rate(reference, system.rename_labels(mapping), uem=scored)
    names = "".join(f"SPKR-INFO {name} 1 <NA> <NA> <NA> unknown anna <NA> <NA>\r\n" for name, *_ in regions)
    messy = files["turns.rttm"].replace("\n", "\r\n").replace(" <NA> <NA> ", "  <NA>\t<NA> ")
    uem = "".join(f"{name}\t1  {start:.3f} {end:.3f}\r\n" for name, start, end in spans)
    made = {"sitzungen.rttm": f";; Stand: März\r\n{names}{messy}", "bereiche.uem": f"\r\n;; \r\n{uem}"}
    return {"sitzungen": Part(made, answers, {"der": 100 * abs(rate)})}


# Fluency by seven raters with half points, in a workbook with notes on another sheet

RATERS = [f"Prüferin {letter}" for letter in "ABCDEFG"]


def _fluency(draw: random.Random, part: str) -> dict[str, Part]:
    from sklearn.metrics import cohen_kappa_score

    def point(true: float, spread: float) -> float:
        return min(5, max(0, round(2 * draw.gauss(true, spread)) / 2))

    items, true = _ids(part), [draw.uniform(0, 5) for _ in range(SIZES[part])]
    given = [[point(each, 0.6) if draw.random() < 0.9 else None for _ in RATERS] for each in true]
    answered = [point(each, 1) for each in true]
    kappas = []
    for ratings in zip(*given):
        both = [(int(2 * a), int(2 * b)) for a, b in zip(ratings, answered) if a is not None]
        kappas.append(cohen_kappa_score(*zip(*both), labels=range(11), weights="linear"))
    given = [[None if each is None else str(each).replace(".", ",") for each in cells] for cells in given]
    header = ["Antwort", "Schüler", *RATERS]
    rows = [[item, f"S{n % 15}", *cells] for n, (item, cells) in enumerate(zip(items, given))]
    sheets = book(Lies_mich=[["Noten von 0 bis 5"]], Noten=[header, *rows])
    answers = {"ratings.csv": table(("Antwort", "rating"), zip(items, answered))}
    return {"fluss": Part({"Flüssigkeit.xlsx": sheets}, answers, {"kappa_mean": np.mean(kappas)})}


# Dementia: a class and a score for each person, in two tasks


def _dementia(draw: random.Random, part: str) -> dict[str, Part]:
    from scipy.stats import pearsonr
    from sklearn.metrics import f1_score, matthews_corrcoef

    items = _ids(part)
    scores = [
        [draw.randint(8, 22), draw.randint(25, 30)][n % 2] for n in range(len(items) // 2) for _ in "ab"
    ]
    labels = ["ja" if score < 24 else "nein" for score in scores]
    decided = [label if draw.random() < 0.8 else draw.choice(["ja", "nein"]) for label in labels]
    guessed = [round(score + draw.gauss(0, 4), 1) for score in scores]
    who = "P" if part == "evaluation" else "D"
    rows = [(item, f"{who}{n // 2} ", labels[n], scores[n]) for n, item in enumerate(items)]
    heading = [["Befunde, vertraulich"], [], ["Aufnahme", "Person", "Demenz", "MMSE"]]
    pairs = [f"B{line}:B{line + 1}" for line in range(4, len(items) + 4, 2)]  # two recordings of one person
    files = {"Befunde.xlsx": _merged(book(Daten=[*heading, *rows]), pairs)}
    truth, voted = (
        labels[::2],
        ["ja" if "ja" in pair else "nein" for pair in zip(decided[::2], decided[1::2])],
    )
    values = {"f1": f1_score(truth, voted, pos_label="ja"), "matthews": matthews_corrcoef(truth, voted)}
    return {
        "demenz": Part(files, {"decisions.csv": table(("id", "label"), zip(items, decided))}, values),
        "mmse": Part(
            files,
            {"scores.csv": table(("id", "score"), zip(items, guessed))},
            {"pearson_r": pearsonr(scores, guessed)[0]},
        ),
    }


def _merged(workbook: bytes, ranges: Sequence[str]) -> bytes:
    opened, stream = load_workbook(io.BytesIO(workbook)), io.BytesIO()
    for cells in ranges:
        opened.active.merge_cells(cells)
    opened.save(stream)
    return stream.getvalue()


# Spoofed speech with the costs of ASVspoof


def _spoofing(draw: random.Random, part: str) -> dict[str, Part]:
    from sklearn.metrics import roc_curve

    items = _ids(part, "LA_{}_{:03d}")
    real = [draw.random() < 0.4 for _ in items]
    scores = [round(draw.gauss(3 * each - 1, 1), 4) for each in real]
    alarms, hits, _ = roc_curve(real, scores, drop_intermediate=False)
    cost = np.min(0.05 * (1 - hits) + 10 * 0.95 * alarms) / min(0.05, 10 * 0.95)
    rows = [
        (f"LA_{n % 9:04d}", item, "-", *(("-", "bonafide") if is_real else ("A07", "spoof")))
        for n, (item, is_real) in enumerate(zip(items, real))
    ]
    files = {"trl.txt": "".join(" ".join(row) + "\n" for row in rows)}
    answers = {"scores.csv": table(("id", "score"), zip(items, scores))}
    return {"faelschung": Part(files, answers, {"minimum_dcf": cost})}


# Mandarin phones with tones

PHONES = ("b", "p", "m", "zh", "sh", "ng", "a1", "a2", "a3", "a4", "i1", "i4", "ü3", "v4")


def _mandarin(draw: random.Random, part: str) -> dict[str, Part]:
    import jiwer
    from sklearn.metrics import f1_score

    items, spoken, said, heard = _ids(part), [], [], []
    for _ in items:
        # No phone twice, so that only one alignment has the fewest errors.
        pool = draw.sample(PHONES, len(PHONES))
        length = draw.randint(3, 8)
        spoken.append(pool[:length])
        said.append([draw.choice([phone] * 3 + pool[8:]) for phone in spoken[-1]])
        heard.append([phone if draw.random() < 0.8 else draw.choice(pool[8:]) for phone in said[-1]])
    canonical, true, answered = (np.concatenate(each) for each in (spoken, said, heard))
    texts = [list(map(" ".join, each)) for each in (said, heard, spoken)]
    rows = [
        (item, text.replace(" ", "  "), f"说{n % 12}", right)
        for n, (item, text, _, right) in enumerate(zip(items, *texts))
    ]
    files = {"转写.csv": b"\xef\xbb\xbf" + table(("编号", "读音", "说话人", "标准"), rows).encode()}
    answers = {"transcripts.csv": table(("id", "transcript"), zip(items, texts[1]))}
    values = {
        "f1": 100 * f1_score(canonical != true, canonical != answered),
        "per": 100 * jiwer.wer(*texts[:2]),
    }
    return {"putonghua": Part(files, answers, values)}


# A metric in the organiser's own Python: the concordance correlation of valences


def _valence(draw: random.Random, part: str) -> dict[str, Part]:
    true = [round(draw.uniform(-1, 1), 2) for _ in range(SIZES[part])]
    guessed = [round(max(-1, min(1, 0.7 * each + draw.gauss(0.1, 0.2))), 3) for each in true]
    cov = np.cov(true, guessed, bias=True)
    value = 2 * cov[0, 1] / (np.trace(cov) + (np.mean(true) - np.mean(guessed)) ** 2)
    rows = [(item, str(each).replace(".", ",")) for item, each in zip(_ids(part), true)]
    files = {"labels.csv": table(("ID", "Valence"), rows, ";").encode("utf-16")}
    sample = "id,valence\na,0.5\nb,-0.5\nc,0.1\n"
    own = {
        "tasks/valence.py": Path(valence.__file__).read_text("utf-8"),
        "tasks/valence/sample/reference/labels.csv": sample,
    }
    own["tasks/valence/sample/submission/answers.csv"] = sample
    answers = {"answers.csv": table(("id", "valence"), zip(_ids(part), guessed))}
    return {"valence": Part(files, answers, {"ccc": value}, own)}


# Caller Experience on 1 to 7, first as the task of that name, which has 1 to 5


def _calls(draw: random.Random, part: str) -> dict[str, Part]:
    from sklearn.metrics import cohen_kappa_score

    first = caller_experience(part, random.Random(1), draw, SIZES[part])
    items, true = _ids(part, "{}call{}"), [draw.uniform(1, 7) for _ in range(SIZES[part])]
    given = [[min(7, max(1, round(draw.gauss(each, 0.8)))) for each in true] for _ in range(4)]
    *humans, system = given
    kappa = np.mean(
        [cohen_kappa_score(human, system, labels=range(1, 8), weights="linear") for human in humans]
    )
    files = {"ratings.xlsx": book(Tabelle1=[["call_id", "human1", "human2", "human3"], *zip(items, *humans)])}
    own = {place: text for place, text in first.items() if place.startswith("starting_kit/")}
    own[f"reference_data/caller_experience/{part}/reference.xlsx"] = files["ratings.xlsx"]
    answers = {"ratings.csv": table(("call_id", "rating"), zip(items, system))}
    return {"anrufe": Part(files, answers, {"kappa_mean": kappa}, own)}


# Exports of tools: REDCap, Prolific, Label Studio, ELAN, Praat and Audacity

VOCABULARY = ("la", "casa", "está", "lejos", "señor", "y", "mañana", "llueve", "poco", "aquí")


def _phrase(draw: random.Random) -> str:
    return " ".join(draw.choice(VOCABULARY) for _ in range(draw.randint(2, 6)))


def _misheard(draw: random.Random, text: str) -> str:
    return " ".join(word if draw.random() < 0.8 else draw.choice(VOCABULARY) for word in text.split())


def _wer(said: Sequence[str], heard: Sequence[str]) -> float:
    import jiwer

    return 100 * float(jiwer.wer(list(said), list(heard)))


def _redcap(draw: random.Random, part: str) -> dict[str, Part]:
    """A longitudinal project: dates of visits that nobody scores, and notes with line breaks, as Excel and as CSV."""
    from scipy.stats import pearsonr

    header = [
        "record_id",
        "redcap_event_name",
        "redcap_repeat_instance",
        "visit_date",
        "audio_file",
        "phq9_total",
    ]
    header += ["notes", "visit_complete"]
    items, totals = _ids(part), [draw.randint(0, 27) for _ in range(SIZES[part])]
    guessed = [round(total + draw.gauss(0, 4), 1) for total in totals]
    rows = [
        [
            100 + n // 2,
            f"visit_{n % 2 + 1}_arm_1",
            "",
            datetime(2026, 1, 1 + n % 28),
            item,
            total,
            "tired,\nquiet",
            2,
        ]
        for n, (item, total) in enumerate(zip(items, totals))
    ]
    book_or_text: dict[str, str | bytes] = {"DATA_2026.xlsx": book(Sheet1=[header, *rows])}
    if part == "development":
        book_or_text = {"DATA_2026.csv": table(header, [[*row[:3], "2026-01-01", *row[4:]] for row in rows])}
    answers = {"scores.csv": table(("id", "score"), zip(items, guessed))}
    return {"redcap": Part(book_or_text, answers, {"pearson_r": float(pearsonr(totals, guessed)[0])})}


def _prolific(draw: random.Random, part: str) -> dict[str, Part]:
    """Ratings of listeners, one row for each; every clip has five of them."""
    items, people = _ids(part), [f"{draw.getrandbits(96):024x}" for _ in range(10)]
    given = {item: {who: draw.randint(1, 5) for who in draw.sample(people, 5)} for item in items}
    rows = [
        (who, "2026-05-04T10:11:12.000Z", item, mos, "APPROVED")
        for item in items
        for who, mos in given[item].items()
    ]
    medians = [statistics.median(each.values()) for each in given.values()]
    guessed = [round(each + draw.gauss(0, 1), 2) for each in medians]
    export = table(("participant_id", "Started at", "clip", "mos", "Status"), draw.sample(rows, len(rows)))
    answers = {"scores.csv": table(("clip", "score"), zip(items, guessed))}
    rmse = float(np.sqrt(np.mean(np.square(np.subtract(medians, guessed)))))
    return {"prolific": Part({}, answers, {"rmse": rmse}, {f"exports/{part}.csv": export})}


def _tasks_of_label_studio(
    items: Sequence[str], given: Sequence[Sequence[tuple[str, Any]]]
) -> list[dict[str, Any]]:
    """Tasks as Label Studio exports them; `given`: for each item the control and the value of each annotator."""
    numbers = iter(range(100, 100000))
    return [
        {
            "id": 7 + n,
            "data": {"audio": f"/data/upload/3/{n:08x}-{item}.wav"},
            "annotations": [
                {
                    "id": next(numbers),
                    "completed_by": {"id": who, "email": f"{who}@example.org"},
                    "was_cancelled": False,
                    "lead_time": 3.5,
                    "result": [{"from_name": name, "to_name": "audio", "type": "choices", "value": value}],
                }
                for who, (name, value) in enumerate(given[n])
            ],
        }
        for n, item in enumerate(items)
    ]


def _label_studio_csv(draw: random.Random, part: str) -> dict[str, Part]:
    from sklearn.metrics import f1_score

    items, classes = _ids(part), ("alegre", "triste")
    given = [[draw.choice(classes) for _ in range(3)] for _ in items]
    truth = [max(classes, key=answers.count) for answers in given]
    guessed = [label if draw.random() < 0.7 else draw.choice(classes) for label in truth]
    header = (
        "annotation_id",
        "annotator",
        "audio",
        "created_at",
        "id",
        "lead_time",
        "sentimiento",
        "was_cancelled",
    )
    address, time = "/data/upload/3/{:08x}-{}.wav", "2026-05-04T10:11:12Z"
    rows = [
        (10 * n + who, f"{who}@example.org", address.format(n, item), time, n, 3.5, choice, False)
        for n, item in enumerate(items)
        for who, choice in enumerate(given[n])
    ]
    answers = {"decisions.csv": table(("audio", "label"), zip(items, guessed))}
    value = float(f1_score(truth, guessed, pos_label="alegre"))
    return {
        "label_studio_csv": Part({}, answers, {"f1": value}, {f"exports/{part}.csv": table(header, rows)})
    }


def _label_studio_json(draw: random.Random, part: str) -> dict[str, Part]:
    items, said = _ids(part), [_phrase(draw) for _ in range(SIZES[part])]
    half = [max(1, len(text.split()) // 2) for text in said]
    pieces = [(text.split()[:n], text.split()[n:]) for text, n in zip(said, half)]
    values = [{"text": ["\n".join(" ".join(words) for words in each if words)]} for each in pieces]
    tasks = _tasks_of_label_studio(items, [[("texto", value)] for value in values])
    heard = [_misheard(draw, text) for text in said]
    answers = {"transcripts.csv": table(("audio", "transcript"), zip(items, heard))}
    export = {f"exports/{part}.json": json.dumps(tasks, ensure_ascii=False)}
    return {"label_studio_json": Part({}, answers, {"wer": _wer(said, heard)}, export)}


SPEAKERS = ("w@Ana", "w@Luz")


def _talk(draw: random.Random) -> dict[str, list[tuple[float, float, str]]]:
    """Phrases of two speakers, one after the other, by tier."""
    tiers: dict[str, list[tuple[float, float, str]]] = {who: [] for who in SPEAKERS}
    end = 0.5
    for number in range(8):
        start, end = end, round(end + draw.uniform(1, 3), 3)
        tiers[SPEAKERS[number % 2]].append((start, end, _phrase(draw)))
    return tiers


def _elan_text(draw: random.Random, part: str) -> dict[str, Part]:
    """Meetings as ELAN's text without a header; cpWER by jiwer, over both ways to match two speakers."""
    import jiwer

    names, files, rows, wrong, words = _ids(part)[:12], {}, [], 0, 0
    for name in names:
        tiers = _talk(draw)
        files[f"{name}.txt"] = elan_text(tiers, header=False)
        heard = [[(start, end, _misheard(draw, text)) for start, end, text in tiers[who]] for who in SPEAKERS]
        rows += [(name, f"spk{n}", *turn) for n, turns in enumerate(heard) for turn in turns]
        said = [" ".join(text for *_, text in tiers[who]) for who in SPEAKERS]
        found = [" ".join(text for *_, text in turns) for turns in heard]
        done = [jiwer.process_words(said, order) for order in (found, found[::-1])]
        wrong += min(each.substitutions + each.deletions + each.insertions for each in done)
        words += sum(len(text.split()) for text in said)
    header = ("session_id", "speaker", "start_time", "end_time", "words")
    return {"elan_text": Part(files, {"meetings.csv": table(header, rows)}, {"cpwer": 100 * wrong / words})}


def _diarized(part: str, draw: random.Random, mapped: bool, write: Any) -> Part:
    """Turns of two speakers or languages, shifted by a system; DER by pyannote.metrics, without a collar."""
    from pyannote.core import Annotation, Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate
    from pyannote.metrics.identification import IdentificationErrorRate

    names, files, rows = _ids(part)[:12], {}, []
    rate = DiarizationErrorRate() if mapped else IdentificationErrorRate()
    for name in names:
        tiers = _talk(draw)
        file, content = write(name, tiers)
        files[file] = content
        sides = Annotation(), Annotation()
        for number, (start, end, tier) in enumerate(
            sorted((*turn[:2], who) for who in tiers for turn in tiers[who])
        ):
            late = round(start + draw.uniform(0, 0.4), 3)
            who = draw.choice(SPEAKERS) if draw.random() < 0.2 else tier
            sides[0][Segment(start, end), number] = tier
            sides[1][Segment(late, end), number] = who
            rows.append(f"SPEAKER {name} 1 {late} {round(end - late, 3)} <NA> <NA> {who} <NA> <NA>\n")
        rate(*sides, uem=Timeline([Segment(0, 30)]))
    files["zonas.uem"] = "".join(f"{name} 1 0 30\n" for name in names)
    return Part(files, {"turns.rttm": "".join(rows)}, {"der": 100 * abs(rate)})


def _elan(draw: random.Random, part: str) -> dict[str, Part]:
    """Tiers that are the speakers, with words as annotations."""
    return {"elan": _diarized(part, draw, True, lambda name, tiers: (f"{name}.eaf", eaf(tiers)))}


def _label_studio_regions(draw: random.Random, part: str) -> dict[str, Part]:
    """Regions with the speaker as label, texts, a relation, and an annotation that was cancelled."""

    def export(name: str, tiers: Mapping[str, Any]) -> tuple[str, str]:
        return f"project-3-at-{name}.json", json.dumps([label_studio(7, name, {"ana@example.org": tiers})])

    return {"label_studio_regions": _diarized(part, draw, True, export)}


def _audacity(draw: random.Random, part: str) -> dict[str, Part]:
    """Label tracks, with the name of a speaker on each label and the frequencies of a spectral selection."""

    def track(name: str, tiers: Mapping[str, Any]) -> tuple[str, bytes]:
        turns = sorted((*turn[:2], who) for who in tiers for turn in tiers[who])
        return f"{name}.txt", label_track(turns) + b"\\\t100.000000\t4000.000000\n"

    return {"audacity": _diarized(part, draw, False, track)}


def _praat(draw: random.Random, part: str) -> dict[str, Part]:
    """A tier with words and one with phones, of one recording for each item."""
    files, items, said, heard = {}, _ids(part), [], []
    for item in items:
        said.append(_phrase(draw))
        heard.append(_misheard(draw, said[-1]))
        words = [(0.5 + n, 1.5 + n, word) for n, word in enumerate(said[-1].split())]
        phones = [(start, end, word[:1]) for start, end, word in words]
        files[f"{item}.TextGrid"] = text_grid({"words": words, "phones": phones}, short=len(files) % 2 == 1)
    answers = {"transcripts.csv": table(("id", "transcript"), zip(items, heard))}
    return {"praat": Part(files, answers, {"wer": _wer(said, heard)})}


MAKERS = {
    **{"children": _children, "languages": _languages, "meetings": _meetings, "fluency": _fluency},
    **{"dementia": _dementia, "spoofing": _spoofing, "mandarin": _mandarin},
    **{"valence": _valence, "calls": _calls},
    **{"redcap": _redcap, "prolific": _prolific, "elan_text": _elan_text, "elan": _elan, "praat": _praat},
    **{"label_studio_csv": _label_studio_csv, "label_studio_json": _label_studio_json, "audacity": _audacity},
    "label_studio_regions": _label_studio_regions,
}
"""For each challenge a function of a random generator and the name of a set: its parts, by task."""


def files_of(name: str) -> dict[str, Any]:
    """Return the files of a challenge's folder, with a submission to the evaluation set of each task."""
    files: dict[str, Any] = {"competition.yaml": CHALLENGES[name]["settings"]}
    for part in (part for part in SIZES if f"reference: {part}" in CHALLENGES[name]["settings"]):
        for task, made in part_of(name, part).items():
            files.update({f"reference_data/{task}/{part}/{file}": text for file, text in made.files.items()})
            files.update(made.further)
            if part == "evaluation":
                answers = {file: text.encode() for file, text in made.answers.items()}
                files[f"submissions/{task}/team.zip"] = make_zip(answers)
    return files


def part_of(name: str, part: str) -> dict[str, Part]:
    """Return a set of a challenge, by task."""
    return MAKERS[name](random.Random(f"{name} {part}"), part)
