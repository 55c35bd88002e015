"""The first numbers that a newcomer sees, in README, on the page for researchers and in `make demo`, computed anew.

Nothing here imports a metric: the files are read again, and scores are those of scikit-learn, scipy and jiwer, or
formulas of the documentation in numpy. Intervals are by the method of docs/measurements/intervals.md.
"""

import csv
import io
import re
from pathlib import Path

import jiwer
import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from sklearn import metrics

import spokeneval
from sample_data.demo import submissions
from speechbundles.bundle.build.plan import plan
from speechbundles.model.sources import Sources
from spokeneval.metrics.phoneme_recognition import __file__ as PHONES
from tests.samples.freedom import degrees_of_freedom
from tests.samples.programs import ROOT, write_files

README, RESEARCHER = (
    (ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/start/researcher.md")
)


def table(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))


def labels(task, file, delimiter=","):
    return table((ROOT / "reference_data" / task / "evaluation" / file).read_text("utf-8"), delimiter)


@pytest.fixture(scope="module")
def systems():
    """The submissions of the demo by task and name."""
    tasks = ("spoken_call", "caller_experience", "psst_recognition", "psst_correctness")
    tasks += ("merlion_identification", "merlion_diarization", "content_accuracy")
    systems = {task: submissions(task) for task in tasks}
    planned = plan(Sources(ROOT), ["spoken_call", "psst_correctness"], {})
    for task, parts in planned.parts.items():
        systems[task]["baseline"] = parts.solutions["evaluation"]
    return systems


def answers(files, delimiter=","):
    (content,) = files.values()
    return [row[1] for row in csv.reader(io.StringIO(content.decode()), delimiter=delimiter)][1:]


def d_full(rows):
    """Dfull of CA, FR, CR, plain and gross false accepts, the last with weight 3; no errors count as 1/2."""
    ca, fr, cr, plain, gross = np.moveaxis(np.asarray(rows, float), -1, 0)
    fa = plain + 3 * gross
    rule = (cr >= plain + gross) & (ca >= fr)
    return rule * np.sqrt(ca * cr / (np.where(fa, fa, 0.5) * np.where(fr, fr, 0.5)))


def spoken_call(files):
    """The decisions of each speaker, shape (n, 5)."""
    kinds = {("correct", "accept"): 0, ("correct", "reject"): 1, ("incorrect", "reject"): 2}
    speakers = {}
    for row, answer in zip(labels("spoken_call", "reference.csv", "\t"), answers(files, "\t"), strict=True):
        wrong = 3 if row["meaning"] == "correct" else 4
        speakers.setdefault(row["speaker"], np.zeros(5))[kinds.get((row["language"], answer), wrong)] += 1
    return np.array(list(speakers.values()))


def ends(errors, wholes):
    """The ends of a share by scipy: Clopper and Pearson's with an effective number of observations."""
    units, whole = wholes.sum() ** 2 / (wholes**2).sum(), wholes.sum()
    share = errors.sum() / whole
    variance = units / (units - 1) * (((errors - share * wholes) / whole) ** 2).sum()
    showing = min((errors > 0).sum(), (errors < wholes).sum())
    return ends_of_observations(share, whole, variance, units, showing)


def ends_of_observations(share, whole, variance, units, showing):
    effect, usual = variance * whole / (share * (1 - share)), 1 + 0.1 * (whole / units - 1)
    if effect < usual:
        effect = (showing * effect + 2 * usual) / (showing + 2)
    few = max(1, stats.t.ppf(0.975, units - 1) / stats.t.ppf(0.975, whole - 1))
    size = whole / max(1, effect) / few**2
    wrong, right = share * size, (1 - share) * size
    low, high = stats.beta.ppf([0.025, 0.975], [wrong, wrong + 1], [right + 1, right])
    none = 1 - 0.025 ** (usual / whole)  # where the interval of no error ends
    return min(low, 1 - none), max(high, none)


def recovered(score, errors, wholes):
    """The ends of a score of several shares: each is moved to its end, and the squared changes are added up."""
    shares = errors.sum(0) / wholes.sum(0)
    apart = errors - shares * wholes
    showing = np.minimum((errors > 0).sum(0), (errors < wholes).sum(0))
    both = np.minimum.outer(showing, showing)
    varies = (apart**2).sum(0) > 1e-20
    norms = np.sqrt((apart**2).sum(0)) + ~varies
    alike = (
        np.where(np.outer(varies, varies), apart.T @ apart / np.outer(norms, norms), 0) * both / (both + 2)
    )
    np.fill_diagonal(alike, 1)
    moves = np.zeros((2, len(shares)))
    for place in range(len(shares)):
        for side, end in enumerate(ends(errors[:, place], wholes[:, place])):
            moved = np.where(np.arange(len(shares)) == place, end, shares)
            moves[side, place] = score(moved) - score(shares)
    signs = np.sign(moves[1] - moves[0])
    alike = alike * np.outer(signs, signs)
    down, up = moves.min(0), moves.max(0)
    return score(shares) - np.sqrt(down @ alike @ down), score(shares) + np.sqrt(up @ alike @ up)


@pytest.mark.parametrize("name", ["baseline", "perfect"])
def test_the_board_of_the_readme(systems, name):
    ca, fr, cr, plain, gross = (rows := spoken_call(systems["spoken_call"][name])).T
    right = np.stack([ca, cr], axis=1)
    errors = np.stack([fr, plain + 3 * gross], axis=1)
    errors = errors + np.where(errors.any(0), 0, right / right.sum(0) / 2)
    # No rate is farther below its value than half an error's, whose logarithm has the variance 1/0.5.
    least = (errors.sum(0) / (errors + right).sum(0)) * np.exp(-stats.t.ppf(0.975, len(rows) - 1) * 2**0.5)

    def log_d_full(shares):
        shares = np.maximum(shares, least)
        return np.log((1 - shares) / shares).sum() / 2

    score = d_full(rows.sum(0))
    low, high = np.exp(recovered(log_d_full, errors, errors + right))
    shown = re.search(rf"^  \d +{name} +(\S+) +\[(\S+), (\S+)\]", README, re.MULTILINE)
    assert shown.groups() == tuple(f"{number:.4f}" for number in (score, low, high))


def test_systems_that_break_the_rule_of_the_shared_task_have_0(systems):
    for name in ("random", "breaks the 50 % rule"):
        assert d_full(spoken_call(systems["spoken_call"][name]).sum(0)) == 0
        assert re.search(rf"^  \d +{name} +0\.0000 ", README, re.MULTILINE)


def test_the_words_of_the_readme(monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {}
    exec("\n".join(re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)), names)
    said = {row["id"]: row["transcript"] for row in table(Path(names["reference"]).read_text("utf-8"))}
    for system, path in names["heard"].items():
        heard = {row["id"]: row["transcript"] for row in table(Path(path).read_text("utf-8"))}
        both = [*said.values()], [heard[item] for item in said]
        scores = spokeneval.score({"kind": "transcripts"}, names["reference"], path).scores
        assert scores["wer"] == pytest.approx(100 * jiwer.wer(*both), rel=1e-12)
        assert scores["cer"] == pytest.approx(100 * jiwer.cer(*both), rel=1e-12)
        assert re.search(rf"^  {system} +\d +{100 * jiwer.wer(*both):.2f} ", README, re.MULTILINE)


LIBRARY = {
    "F1": metrics.f1_score,
    "Precision": metrics.precision_score,
    "Recall": metrics.recall_score,
    "Accuracy": metrics.accuracy_score,
    "Balanced accuracy": metrics.balanced_accuracy_score,
    "Matthews correlation": metrics.matthews_corrcoef,
    "Specificity": lambda truth, answer: metrics.recall_score(truth, answer, pos_label=False),
}


@pytest.mark.parametrize("heading", LIBRARY)
def test_the_table_for_researchers(systems, heading):
    rows = labels("psst_correctness", "utterances.tsv", "\t")
    truth = np.array([row["correctness"] == "TRUE" for row in rows])
    session = np.array([row["session"] for row in rows])
    files = systems["psst_correctness"]["baseline"]
    answer = np.array([word.lower() == "true" for word in answers(files, "\t")])
    score = LIBRARY[heading](truth, answer)
    counts = {name: [] for name in ("tp", "fp", "fn", "tn")}
    for one in np.unique(session):
        tn, fp, fn, tp = metrics.confusion_matrix(
            truth[session == one], answer[session == one], labels=[0, 1]
        ).ravel()
        for name, number in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn)):
            counts[name].append(number)
    tp, fp, fn, tn = map(np.array, counts.values())
    shares = {
        "Precision": (tp, tp + fp),
        "Recall": (tp, tp + fn),
        "Specificity": (tn, tn + fp),
        "Accuracy": (tp + tn, tp + fp + fn + tn),
        "F1": (tp, tp + fp + fn),
    }
    if heading in shares:
        low, high = ends(*shares[heading])
        low, high = (2 * low / (1 + low), 2 * high / (1 + high)) if heading == "F1" else (low, high)
    elif heading == "Balanced accuracy":
        low, high = recovered(np.mean, np.stack([tn, tp], axis=1), np.stack([tn + fp, tp + fn], axis=1))
    else:
        without = [
            LIBRARY[heading](truth[session != one], answer[session != one]) for one in np.unique(session)
        ]
        share, others = (1 + score) / 2, (1 + np.array(without)) / 2
        variance = (len(others) - 1) * np.var(others)
        n = len(truth)  # items that agree by chance alone show less
        whole = min(n, 2 * (n - (truth.sum() * answer.sum() + (~truth).sum() * (~answer).sum()) / n))
        showing = min(whole * min(share, 1 - share), degrees_of_freedom(others) - 1)
        low, high = np.array(ends_of_observations(share, whole, variance, len(others), showing)) * 2 - 1
        moved = 2 * (len(without) - 1) * (np.mean(without) - score)
        low, high = low - max(moved, 0), high - min(moved, 0)
    shown = re.search(rf"^  {heading} +(\S+)   95 % interval (\S+) to (\S+)$", RESEARCHER, re.MULTILINE)
    assert shown.groups() == tuple(f"{number:.4f}" for number in (score, low, high))


def kappa(files):
    listeners = labels("caller_experience", "reference.csv")
    return np.mean(
        [
            metrics.cohen_kappa_score(
                [int(row[human]) for row in listeners], [*map(int, answers(files))], weights="linear"
            )
            for human in ("human1", "human2", "human3")
        ]
    )


def feature_error_rate(files):
    """Wagner and Fischer's distance, with costs of the features of phones, in percent of the reference's features."""
    lines = Path(PHONES).with_name("arpabet_features.tsv").read_text("utf-8").splitlines()
    _, *rows = (line.split("\t") for line in lines if line[0] != "#")
    values = {"+": 1, "+-": 0.5, "0": 0, "-+": -0.5, "-": -1}
    phones = {phone: np.array([values[symbol] for symbol in symbols]) for phone, *symbols in rows}

    def gap(phone):
        return sum(1 if value else 0.5 for value in phones[phone])

    cost = length = 0
    utterances = labels("psst_recognition", "utterances.tsv", "\t")
    for row, heard in zip(utterances, answers(files, "\t"), strict=True):
        said, heard = (
            [phone for phone in text.split() if phone[0] != "<"] for text in (row["transcript"], heard)
        )
        best = np.cumsum([0, *map(gap, heard)])
        for one in said:
            above, best = best, np.array([best[0] + gap(one)])
            for place, other in enumerate(heard):
                changed = above[place] + np.abs(phones[one] - phones[other]).sum() / 2
                best = np.append(best, min(changed, above[place + 1] + gap(one), best[-1] + gap(other)))
        cost, length = cost + best[-1], length + len(said)
    return 100 * cost / (length * len(phones["AH"]))


def equal_error_rate(files):
    """Where the line miss = false alarm meets the convex hull of the points, as a linear program, in percent.

    By the evaluation plan there is one trial a segment, English minus Mandarin, with English as the target.
    """
    tag = {row["audio_name"][:-4] + f"_{row['utt_id']}_{row['start']}_{row['end']}": row["language_tag"]
           for row in labels("merlion_identification", "labels.csv")}  # fmt: skip
    (content,) = files.values()
    scores = {tuple(words): float(score) for *words, score in map(str.split, content.decode().splitlines())}
    segments = [item for item, language in scores if language == "0"]
    target = [tag[item] == "English" for item in segments]
    differences = [scores[item, "0"] - scores[item, "1"] for item in segments]
    false_alarm, hit, _ = metrics.roc_curve(target, differences, drop_intermediate=False)
    miss = 1 - hit
    return 100 * linprog(miss, A_eq=[miss - false_alarm, np.ones(len(miss))], b_eq=[0, 1]).fun


def diarization_error_rate(files):
    """Languages of each millisecond, in percent of the languages in the reference."""
    wrong = spoken = 0
    turns = labels("merlion_diarization", "labels.csv")
    for region in labels("merlion_diarization", "regions.csv"):
        name, start, end = region["audio_name"], int(region["start"]), int(region["end"])
        scored = np.zeros(10**6, bool)
        scored[start:end] = True
        truth, found = np.zeros((2, 2, 10**6), bool)
        for turn in turns:
            here = slice(int(turn["start"]), int(turn["end"]))
            if turn["audio_name"] == name and turn["language_tag"] in LANGUAGES:
                truth[LANGUAGES.index(turn["language_tag"]), here] = True
            elif turn["audio_name"] == name and turn["language_tag"] != "NON_SPEECH":
                scored[here] = False
        for line in files[name.replace(".wav", ".txt")].decode().splitlines():
            begin, stop, language = line.split()
            found[LANGUAGES.index(language), int(float(begin)) : int(float(stop))] = True
        truth, found = truth[:, scored], found[:, scored]
        # Of r and h languages with c in common: misses, false alarms and confusions are max(r, h) - c.
        wrong += (np.maximum(truth.sum(0), found.sum(0)) - (truth & found).sum(0)).sum()
        spoken += truth.sum()
    return 100 * wrong / spoken


LANGUAGES = ("English", "Mandarin")


def pearson(files):
    human = [float(row["human_score"]) for row in labels("content_accuracy", "reference.csv")]
    return stats.pearsonr(human, [*map(float, answers(files))])[0]


@pytest.mark.parametrize(
    ("task", "recomputed"),
    [
        ("caller_experience", kappa),
        ("psst_recognition", feature_error_rate),
        ("merlion_identification", equal_error_rate),
        ("merlion_diarization", diarization_error_rate),
        ("content_accuracy", pearson),
    ],
)
def test_the_boards_of_the_demo(systems, task, recomputed, tmp_path):
    reference = ROOT / "reference_data" / task / "evaluation"
    for number, files in enumerate(systems[task].values()):
        written = write_files(tmp_path / str(number), files)
        primary, *_ = spokeneval.score(task, reference=reference, submission=written).scores.values()
        assert primary == pytest.approx(recomputed(files), rel=1e-9, abs=1e-9)
