"""Scores of the challenges' own scripts: `python official_drivers.py CHALLENGE CHECKOUTS FOLDER` prints them as JSON.

CHECKOUTS has a folder for each repository, under its own name; each folder in FOLDER has the reference and the
submission of a template, under `reference` and `submission`. The last line is a list with the scores of each, or with
the error of the script. The interpreter needs what the script imports; see `official_scores`.
"""

import ast
import csv
import importlib.util
import json
import sys
import types
from pathlib import Path


def rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def module(path, *names):
    """Return a file as a module; with names, only these functions, if what the rest of it imports is not installed."""
    if not names:
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        found = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(found)
        return found
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    return run(tree, path.stem)


def run(tree, name, **known):
    import numpy
    import scipy.stats

    found = types.ModuleType(name)
    vars(found).update(np=numpy, kendalltau=scipy.stats.kendalltau, pearsonr=scipy.stats.pearsonr, **known)
    exec(compile("from __future__ import annotations", name, "exec"), vars(found))
    exec(compile(tree, name, "exec", flags=__import__("__future__").annotations.compiler_flag), vars(found))
    return found


def joined(folder, file, column):
    """The cells of the reference and of the submission, item by item: `column` of the one, rows of the other."""
    given = {row["id"]: row for row in rows(folder / "submission" / file)}
    return [
        (row["id"], row[column], given[row["id"]], row)
        for row in rows(folder / "reference" / file_of(folder))
    ]


def file_of(folder):
    return next(path.name for path in (folder / "reference").glob("*.csv"))


def asvspoof5_track1(checkouts, folder):
    import numpy as np

    package = module(checkouts / "asvspoof5" / "evaluation-package" / "calculate_metrics.py")
    both = joined(folder, "scores.csv", "label")
    scores, keys = (
        np.array([float(row["score"]) for _, _, row, _ in both]),
        np.array([label for _, label, _, _ in both]),
    )
    dcf, eer, cllr, actual = package.calculate_minDCF_EER_CLLR_actDCF(scores, keys, "", printout=False)
    return {"minimum_dcf": dcf, "eer": 100 * eer, "cllr": cllr, "actual_dcf": actual}


def asvspoof5_track2(checkouts, folder):
    import numpy as np

    package = module(checkouts / "asvspoof5" / "evaluation-package" / "calculate_metrics.py")
    both = joined(folder, "scores.csv", "label")
    keys = np.array([label for _, label, _, _ in both])
    bona_fide = np.where(keys == "spoof", "spoof", "bonafide")
    scores, other = (
        np.array([float(row[name]) for _, _, row, _ in both]) for name in ("score", "countermeasure")
    )
    a_dcf, t_dcf, _ = package.calculate_aDCF_tdcf_tEER(
        other, scores, scores, bona_fide, keys, "", printout=False
    )
    return {"a_dcf": float(a_dcf), "t_dcf": float(t_dcf)}


def tidylang2026_languages(checkouts, folder):
    """The statements of `eval.py` from the arrays of labels and of predictions to both accuracies."""
    import numpy as np
    from sklearn.metrics import confusion_matrix

    tree = ast.parse((checkouts / "TidyLang2026-baseline" / "eval.py").read_text(encoding="utf-8"))
    main = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main")
    wanted = {"n", "correct", "micro_acc", "cm", "per_class_acc", "macro_acc"}
    tree.body = [
        node
        for node in main.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in wanted
    ]
    both = joined(folder, "decisions.csv", "label")
    classes = sorted({label for _, label, _, _ in both})
    labels, given = ([classes.index(each) for each in side] for side in _sides(both))
    known = {"all_labels": np.array(labels), "all_preds": np.array(given), "num_languages": len(classes)}
    found = run(tree, "eval", confusion_matrix=confusion_matrix, **known)
    return {"balanced_accuracy": found.macro_acc / 100, "accuracy": found.micro_acc / 100}


def _sides(both):
    return [label for _, label, _, _ in both], [row["label"] for _, _, row, _ in both]


def tidylang2026_trials(checkouts, folder):
    import numpy as np

    path = checkouts / "TidyLang2026-baseline" / "eval_enrollment.py"
    script = module(path, "compute_error_rates", "compute_eer", "compute_mindcf")
    both = joined(folder, "scores.csv", "label")
    labels = np.array([int(label == "same") for _, label, _, _ in both])
    scores = np.array([float(row["score"]) for _, _, row, _ in both])
    return {
        "eer": 100 * script.compute_eer(labels, scores)[0],
        "minimum_dcf": script.compute_mindcf(labels, scores)[0],
    }


def sapc2(checkouts, folder):
    """`WordErrorRateMinTwoRefs` and its CER; stand-ins for torch and torchmetrics where they are not installed."""
    try:
        import torch  # noqa: F401
        import torchmetrics  # noqa: F401
    except ImportError:
        _stand_ins()
    given = {row["id"]: row["transcript"] for row in rows(folder / "submission" / "transcripts.csv")}
    references = {}
    for row in rows(folder / "reference" / "transcripts.csv"):
        references.setdefault(row["id"], []).append(row["transcript"])
    sides = [[given[item] for item in references]] * 2
    sides += [[each[0] for each in references.values()], [each[-1] for each in references.values()]]
    found = {}
    for name in ("wer", "cer"):
        metrics = module(checkouts / "SAPC-template" / "utils" / "metrics" / f"{name}.py")
        errors, total = getattr(metrics, f"_{name}_update_min_two_refs")(*sides, clip_at_one=True)
        found[name] = 100 * float(errors) / float(total)
    return found


def _stand_ins():
    from rapidfuzz.distance import Levenshtein

    names = (
        "torch torchmetrics torchmetrics.metric torchmetrics.utilities torchmetrics.utilities.imports "
        "torchmetrics.utilities.plot torchmetrics.functional torchmetrics.functional.text "
        "torchmetrics.functional.text.helper"
    )
    modules = {name: types.ModuleType(name) for name in names.split()}
    modules["torch"].Tensor, modules["torch"].float = float, float
    modules["torch"].tensor = lambda value, dtype=float: dtype(value)
    modules["torchmetrics.metric"].Metric = object
    modules["torchmetrics.utilities.imports"]._MATPLOTLIB_AVAILABLE = False
    modules["torchmetrics.utilities.plot"]._AX_TYPE = modules[
        "torchmetrics.utilities.plot"
    ]._PLOT_OUT_TYPE = object
    modules["torchmetrics.functional.text.helper"]._edit_distance = Levenshtein.distance
    sys.modules.update(modules)


def _pasketti(checkouts, folder, function):
    script = module(checkouts / "childrens-speech-recognition-runtime" / "metric" / "score.py")
    both = joined(folder, "transcripts.csv", "transcript")
    actual, predicted = [text for _, text, _, _ in both], [row["transcript"] for _, _, row, _ in both]
    return 100 * getattr(script, function)(actual, predicted)


def pasketti_words(checkouts, folder):
    return {"wer": _pasketti(checkouts, folder, "score_wer")}


def pasketti_phones(checkouts, folder):
    return {"cer": _pasketti(checkouts, folder, "score_ipa_cer")}


def _spaced(checkouts, task, group, text):
    script = "add_space_between_chars_asr.py" if task == "asr" else "add_space_between_chars_sdasr.py"
    add = module(
        checkouts / "MLC-SLM-Baseline" / "examples" / "mlcslm" / task / "local" / script
    ).add_space_between_chars
    return " ".join(add(text).split()) if group in ("Japanese", "Korean", "Thai") else text


def mlc_slm_task1(checkouts, folder):
    """The rates of `meeteval-wer wer` for each language, and their mean, as the table of the README has it."""
    import meeteval

    errors, pooled = {}, []
    for item, said, given, row in joined(folder, "transcripts.csv", "transcript"):
        sides = [_spaced(checkouts, "asr", row["language"], text) for text in (said, given["transcript"])]
        stm = [meeteval.io.STM.parse(f"{item} 1 S 0 1 {text}\n") for text in sides]
        own = meeteval.wer.combine_error_rates(meeteval.wer.cpwer(*stm))
        errors.setdefault(row["language"], []).append(own)
        pooled.append(own)
    rates = [meeteval.wer.combine_error_rates(*own).error_rate for own in errors.values()]
    return {
        "group_mean_wer": 100 * sum(rates) / len(rates),
        "group_worst_wer": 100 * max(rates),
        "wer": 100 * meeteval.wer.combine_error_rates(*pooled).error_rate,
    }


def mlc_slm_task2(checkouts, folder):
    """The rates of `meeteval-wer tcpwer --collar 5` for each language, and their mean."""
    import meeteval

    def segments(side, group):
        found = [
            row for row in rows(folder / side / "meetings.csv") if row["session_id"].split("-")[0] == group
        ]
        lines = (
            f"{row['session_id']} 1 {row['speaker']} {row['start_time']} {row['end_time']} "
            f"{_spaced(checkouts, 'sdasr', group, row['words'])}\n"
            for row in found
        )
        return meeteval.io.STM.parse("".join(lines))

    groups = sorted({row["session_id"].split("-")[0] for row in rows(folder / "reference" / "meetings.csv")})
    found = [
        meeteval.wer.combine_error_rates(
            meeteval.wer.tcpwer(segments("reference", group), segments("submission", group), collar=5)
        ).error_rate
        for group in groups
    ]
    return {"group_mean_tcpwer": 100 * sum(found) / len(found), "group_worst_tcpwer": 100 * max(found)}


def chime8_dasr(checkouts, folder):
    """`chime_utils.scoring.meeteval._wer` on a folder as CHiME-8 has it: the mean in its last table, with more digits
    from its details."""
    import contextlib
    import io
    import re
    import tempfile

    sys.path.insert(0, str(checkouts / "chime-utils"))
    # Only its normaliser of CHiME-6 is imported, and not used.
    if "lhotse" not in sys.modules and importlib.util.find_spec("lhotse") is None:
        for name in ("lhotse", "lhotse.recipes", "lhotse.recipes.chime6"):
            sys.modules[name] = types.ModuleType(name)
        sys.modules["lhotse.recipes.chime6"].normalize_text_chime6 = None
    with contextlib.redirect_stdout(io.StringIO()):
        from chime_utils.scoring.meeteval import _wer
    with tempfile.TemporaryDirectory() as place:
        _chime_folder(Path(place), folder)
        found = {}
        for metric in ("tcpWER", "cpWER"):
            shown = io.StringIO()
            with contextlib.redirect_stdout(shown):
                _wer(Path(place) / "hyp", Path(place), "dev", Path(place) / "out", "chime8", False, metric)
            found[metric] = float(re.findall(r"\| dev *\| *([\d.]+) \|", shown.getvalue())[-1])
            details = json.loads((Path(place) / "out" / f"{metric}_per_session.json").read_text())
            rates = [_combined(sessions.values()) for sessions in details["dev"].values()]
            assert abs(sum(rates) / len(rates) - found[metric]) < 1e-5
            found[metric] = sum(rates) / len(rates)
    return {"group_mean_tcpwer": 100 * found["tcpWER"]}


def _combined(sessions):
    errors, length = (sum(session[key] for session in sessions) for key in ("errors", "length"))
    return errors / length


def _chime_folder(place, folder):
    regions = {row["session_id"]: row for row in rows(folder / "reference" / "regions.csv")}
    by_group = {}
    for side in ("reference", "submission"):
        for row in rows(folder / side / "meetings.csv"):
            group = row["session_id"].split("-")[0]
            segment = {**row, "start_time": float(row["start_time"]), "end_time": float(row["end_time"])}
            by_group.setdefault(group, {}).setdefault(side, []).append(segment)
    for group, sides in by_group.items():
        files = {
            f"{group}/transcriptions_scoring/dev/all.json": json.dumps(sides["reference"]),
            f"hyp/dev/{group}.json": json.dumps(sides["submission"]),
            f"{group}/uem/dev/all.uem": "".join(
                f"{name} 1 {row['start']} {row['end']}\n"
                for name, row in regions.items()
                if name.split("-")[0] == group
            ),
        }
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)


def process_diagnosis(checkouts, folder):
    """scikit-learn's macro F1, as the challenge names it; it publishes no script."""
    from sklearn.metrics import f1_score

    sides = _sides(joined(folder, "decisions.csv", "label"))
    return {"macro_f1": float(f1_score(*sides, average="macro"))}


def process_mmse(checkouts, folder):
    """scikit-learn's root mean squared error, as the challenge names it; it publishes no script."""
    from sklearn.metrics import root_mean_squared_error

    both = joined(folder, "scores.csv", "score")
    sides = zip(*((float(score), float(row["score"])) for _, score, row, _ in both), strict=True)
    return {"rmse": float(root_mean_squared_error(*sides))}


def cadenza_clip1(checkouts, folder):
    import numpy as np

    path = checkouts / "clarity" / "recipes" / "cad_icassp_2026" / "baseline" / "evaluate.py"
    script = module(path, "rmse_score", "ncc_score", "kt_score", "std_err", "compute_scores")
    both = joined(folder, "scores.csv", "score")
    sides = np.array([(float(row["score"]), float(score)) for _, score, row, _ in both]).T
    found = script.compute_scores(*sides)
    return {"rmse": float(found["RMSE"]), "pearson_r": float(found["NCC"])}


def urgent2026_track2(checkouts, folder):
    path = checkouts / "urgent2026_challenge_track2" / "urgent2026_sqa" / "utils.py"
    script = module(path, "calculate_metrics")
    both = joined(folder, "scores.csv", "score")
    references = [
        {"sample_id": i, "system_id": row["system"], "value": float(score)} for i, score, _, row in both
    ]
    given = [
        {"sample_id": i, "system_id": row["system"], "value": float(own["score"])} for i, _, own, row in both
    ]
    found = script.calculate_metrics(given, references)
    return {
        "level_pearson_r": float(found["sys"]["lcc"]),
        "level_spearman_r": float(found["sys"]["srcc"]),
        "level_kendall": float(found["sys"]["ktau"]),
        "level_rmse": float(found["sys"]["mse"]) ** 0.5,
        "pearson_r": float(found["utt"]["lcc"]),
        "spearman_r": float(found["utt"]["srcc"]),
        "rmse": float(found["utt"]["mse"]) ** 0.5,
    }


if __name__ == "__main__":
    challenge, checkouts, place = sys.argv[1], *map(Path, sys.argv[2:])
    all_scores = []
    for folder in sorted(place.iterdir()):
        try:
            all_scores.append(globals()[challenge](checkouts.resolve(), folder))
        except (Exception, SystemExit) as error:
            all_scores.append({"error": f"{type(error).__name__}: {error}"})
    print(json.dumps(all_scores))
