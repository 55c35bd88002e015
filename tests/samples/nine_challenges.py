"""Nine challenges with files as organisers have them, and what independent software computes from their answers.

All data are drawn with a fixed seed. Each maker returns, for each task, the files of a set, a submission, and scores.
"""

import io
import random
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from openpyxl import load_workbook

from speechbundles.model.zips import make_zip
from speechbundles.new.examples import EXAMPLES
from tests.samples import valence
from tests.samples.own_competition import caller_experience, table
from tests.samples.own_tables import book

CHALLENGES = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
"""For each challenge its `settings`, what a refusal lists (`asked`), and texts that its advice replaces (`advised`)."""
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


MAKERS = {
    **{"children": _children, "languages": _languages, "meetings": _meetings, "fluency": _fluency},
    **{"dementia": _dementia, "spoofing": _spoofing, "mandarin": _mandarin},
    **{"valence": _valence, "calls": _calls},
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
