"""Measures of ranking and calibration, ties handled, and the rows that fit.py and evaluate.py read. Judges nothing."""

import functools
import json
import pathlib

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

HARMS = ("toxic", "harassment", "hate", "sexual", "violence", "self_harm", "spam", "scam")
# The harms that a language penalty lowers.
ABUSE = ("toxic", "harassment", "hate")


def read(file):
    """The JSON objects of a file of lines."""
    with pathlib.Path(file).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Rows:
    """Rows that `dump_text --hybrid` wrote: which are `ours` (contrast rows), labels [N, 8] (-1 unknown), the native
    log-odds [N, 8] that the server gives in `native` mode, the decoder's logits of the whole message [N, 8] (NaN where
    the encoder does not read its language), and all parts as the server reads them: the row of each, its language, both
    models' log-odds and the penalty."""

    def __init__(self, files, keep=lambda row: True):
        self.rows = [row for file in files for row in read(file) if keep(row)]
        self.ours = np.array([row["src"].startswith("contrast/") for row in self.rows])
        known = lambda labels: [-1 if label is None else label for label in labels[: len(HARMS)]]
        self.labels = np.array([known(row["labels"]) for row in self.rows])
        self.native = np.array([row["native"][: len(HARMS)] for row in self.rows])
        parts = [(at, part) for at, row in enumerate(self.rows) for part in row.pop("parts")]
        nothing = [np.nan] * len(HARMS)
        self.part_row = np.array([at for at, _ in parts])
        self.part_native = np.array([part["native"][: len(HARMS)] for _, part in parts])
        self.part_decoder = np.array([part["decoder"] or nothing for _, part in parts], dtype=np.float64)
        self.part_language = np.array([part["language"] for _, part in parts])
        self.penalty = np.array([part["penalty"] for _, part in parts])
        self.starts = np.flatnonzero(np.diff(self.part_row, prepend=-1))
        self.decoder = self.part_decoder[self.starts]
        self.action = np.array([parts[at][1]["action"] or [0.0] * 4 for at in self.starts])

        self.lose({})

    def lose(self, languages):
        """From now on these penalties, by language tag, are subtracted from abuse."""
        self.lost = np.array([languages.get(tag, 0.0) for tag in self.part_language])

    def known(self, head):
        return self.labels[:, head] >= 0

    def part_scores(self, head, weights):
        """The combined log-odds of each part, as the server has them."""
        mixed = (
            weights["native"] * self.part_native[:, head]
            + weights["decoder"] * self.part_decoder[:, head]
            + weights["bias"]
        )
        if (keep := weights.get("keep")) is not None:
            mixed = np.fmax(mixed, self.part_native[:, head] - keep)
        if HARMS[head] in ABUSE:
            mixed = mixed - self.lost
        return np.where(np.isnan(self.part_decoder[:, head]), self.part_native[:, head], mixed) - self.penalty

    def combined(self, head, weights):
        """The combined log-odds of each row: the highest of its parts."""
        return np.maximum.reduceat(self.part_scores(head, weights), self.starts)

    def worst(self, head, weights):
        """The part of each row with the highest combined log-odds, of equals the first."""
        scores = self.part_scores(head, weights)
        highest = np.maximum.reduceat(scores, self.starts)[self.part_row]
        at = np.where(scores == highest, np.arange(len(scores)), len(scores))
        return np.minimum.reduceat(at, self.starts)


@functools.cache
def severity():
    """What the policy weighs each harm with, and the threat at which each action begins."""
    return json.loads((pathlib.Path(__file__).parent / "policy.json").read_text())


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
