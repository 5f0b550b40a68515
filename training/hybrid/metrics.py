"""Measures of ranking and calibration, ties handled, and the sets that fit.py and evaluate.py read. Judges nothing."""

import json
import pathlib

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from model import HARMS


class Rows:
    """Dumped rows with their scores: labels [N, 8] (-1 unknown), native log-odds [N, 8], and what score.py found."""

    def __init__(self, folder, scores, name, keep=lambda row: True):
        rows = [json.loads(line) for line in (pathlib.Path(folder) / f"{name}.jsonl").read_text("utf-8").splitlines()]
        kept = [at for at, row in enumerate(rows) if keep(row)]
        self.rows = [rows[at] for at in kept]
        self.labels = np.array([[-1 if label is None else label for label in row["labels"]] for row in self.rows])
        self.native = np.array([row["native"] for row in self.rows])
        found = np.load(pathlib.Path(scores) / f"{name}.npz")
        self.found = {key: found[key][kept].astype(np.float64) for key in found.files}

    def known(self, head):
        return self.labels[:, head] >= 0


def join(sets):
    made = object.__new__(Rows)
    made.rows = [row for one in sets for row in one.rows]
    made.labels = np.concatenate([one.labels for one in sets])
    made.native = np.concatenate([one.native for one in sets])
    made.found = {key: np.concatenate([one.found[key] for one in sets]) for key in sets[0].found}
    return made


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def ap(truth, score):
    return average_precision_score(truth, score)


def auc(truth, score):
    return roc_auc_score(truth, score)


def ece(truth, probability):
    """Ten bins of equal width, as in the native model's card."""
    at = np.minimum((probability * 10).astype(int), 9)
    gap = sum(abs(probability[at == bin].sum() - truth[at == bin].sum()) for bin in range(10))
    return gap / len(truth)


def log_loss(truth, logit):
    return np.mean(np.logaddexp(0, np.where(truth == 1, -logit, logit)))


def f1(truth, chosen):
    hit = (truth & chosen).sum()
    return 2 * hit / max(1, truth.sum() + chosen.sum())


def best_threshold(truth, probability):
    """The probability at which F1 is highest."""
    order = np.argsort(-probability, kind="stable")
    truth, sorted_ = truth[order].astype(float), probability[order]
    hits = truth.cumsum()
    scores = 2 * hits / (np.arange(1, len(truth) + 1) + truth.sum())
    last = np.append(sorted_[1:] != sorted_[:-1], True)
    return float(sorted_[np.where(last, scores, -1).argmax()])


def recall_at(truth, score, share):
    """The share of positives above the score that a given share of negatives exceeds."""
    negatives = -np.sort(-score[truth == 0])
    return float((score[truth == 1] > negatives[int(len(negatives) * share)]).mean())


def bootstrap(truth, measure, rounds=1000, seed=1):
    """2.5th and 97.5th percentile of a measure of row numbers, over resamplings."""
    rng = np.random.default_rng(seed)
    values = [measure(rng.integers(0, len(truth), len(truth))) for _ in range(rounds)]
    return tuple(np.nanpercentile(values, [2.5, 97.5]))


NAMES = HARMS
