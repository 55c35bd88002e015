"""A typical script with pandas and scikit-learn that computes all columns of the task from the files.

    python peer_identification.py INPUT_DIR      (INPUT_DIR/ref/labels.csv, INPUT_DIR/res/prediction.txt in format 1)

It checks only the ids and their order.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import recall_score, roc_curve


def rocch_eer(is_target, scores):
    """Return the equal error rate on the ROC convex hull, which is found by pooling adjacent violators."""
    trials = (
        pd.DataFrame({"target": is_target, "score": scores}).groupby("score").target.agg(["mean", "size"])
    )
    posterior = isotonic_regression(trials["mean"].to_numpy(), sample_weight=trials["size"].to_numpy())
    targets, sizes = (trials["mean"] * trials["size"]).to_numpy(), trials["size"].to_numpy()
    last = np.append(np.flatnonzero(np.diff(posterior)), len(posterior) - 1)
    miss = np.append(0, targets.cumsum()[last] / targets.sum())
    false_alarm = 1 - np.append(0, (sizes - targets).cumsum()[last] / (sizes - targets).sum())
    return crossing(miss, false_alarm)


def crossing(miss, false_alarm):
    """Return the point at which the line through the points crosses miss = false alarm."""
    after = int(np.flatnonzero(miss >= false_alarm)[0])
    before = after - 1
    under, over = false_alarm[before] - miss[before], miss[after] - false_alarm[after]
    return (miss[before] * over + miss[after] * under) / (under + over)


inputs = Path(sys.argv[1])
labels = pd.read_csv(inputs / "ref" / "labels.csv")
labels = labels[labels.language_tag.isin(["English", "Mandarin"]) & ~labels.overlap_diff_lang]
ids = labels.audio_name.str.replace(r"\.wav$", "", regex=True) + "_" + labels.utt_id
ids += "_" + labels.start.astype(str) + "_" + labels.end.astype(str)
columns = ["id", "language", "score"]
predictions = pd.read_csv(inputs / "res" / "prediction.txt", sep=" ", header=None, names=columns)
english, mandarin = (predictions[predictions.language == language] for language in (0, 1))
if not (np.array_equal(english.id, ids) and np.array_equal(mandarin.id, ids)):
    sys.exit("ids differ")
english, mandarin = english.score.to_numpy(), mandarin.score.to_numpy()
is_english = (labels.language_tag == "English").to_numpy()
called_english = english >= mandarin
false_alarm, detection, _ = roc_curve(is_english, english - mandarin, drop_intermediate=False)
english_recall, mandarin_recall = recall_score(is_english, called_english, average=None, labels=[True, False])
right = pd.DataFrame(
    {"name": labels.audio_name, "english": is_english, "right": is_english == called_english}
)
recalls = right.groupby(["name", "english"]).right.mean().unstack().dropna()
scores = {
    "eer": rocch_eer(np.concatenate([is_english, ~is_english]), np.concatenate([english, mandarin])),
    "balanced_accuracy": (english_recall + mandarin_recall) / 2,
    "eer_plan": rocch_eer(is_english, english - mandarin),
    "eer_interpolated": crossing(1 - detection[::-1], false_alarm[::-1]),
    "balanced_accuracy_per_recording": recalls.mean(axis=1).mean(),
    "english_recall": english_recall,
    "mandarin_recall": mandarin_recall,
}
for key, score in scores.items():
    print(f"{key}: {100 * score}")
