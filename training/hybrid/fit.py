#!/usr/bin/env python3
"""Fits, for each head, combined log-odds = a * native + b * decoder + c with a, b >= 0, and the number of denoising steps.

On text_dev, on the contrast rows kept back from training (native log-odds from weights that have not met them either:
`train_text --trial`) and on the hybrid's own dev rows. b = 0, a = 1, c = 0 where five-fold cross-validation says that the
decoder does not help; b is lowered in quarters where either the public rows or the contrast rows would lose average
precision against native alone. Refuses to read devtest or any test row.
"""

import argparse
import json
import pathlib

import numpy as np
from scipy.optimize import minimize

from metrics import Rows, ap, best_threshold, join, log_loss, sigmoid
from model import HARMS

STEPS = (1, 2, 4)


def line(x, truth):
    """Non-negative slopes and an intercept of the logistic regression on the columns of x."""
    def loss(w):
        z = x @ w[:-1] + w[-1]
        error = sigmoid(z) - truth
        return log_loss(truth, z) + 1e-6 * (w @ w), np.append(x.T @ error, error.sum()) / len(truth) + 2e-6 * w
    start = np.append(np.full(x.shape[1], 1 / x.shape[1]), 0.0)
    bounds = [(0, None)] * x.shape[1] + [(None, None)]
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x


def held(x, truth, decoder):
    """a and c with b given."""
    a, c = line_with(x[:, 0], truth, decoder * x[:, 1])
    return a, decoder, c


def line_with(x, truth, offset):
    """A non-negative slope and an intercept on one column beside a fixed part."""
    def loss(w):
        z = x * w[0] + w[1] + offset
        error = sigmoid(z) - truth
        return log_loss(truth, z), np.array([x @ error, error.sum()]) / len(truth)
    return minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)]).x


def crossed(x, truth, folds):
    """Log-odds of each row from a fit that has not met it."""
    out = np.zeros(len(truth))
    for fold in np.unique(folds):
        w = line(x[folds != fold], truth[folds != fold])
        out[folds == fold] = x[folds == fold] @ w[:-1] + w[-1]
    return out


def combine(rows, head, column):
    """{native, decoder, bias} for one head and what cross-validation says of it."""
    known = rows.known(head)
    truth = rows.labels[known, head]
    native, other = rows.native[known, head], rows.found[column][known, head]
    kept = {"native": 1.0, "decoder": 0.0, "bias": 0.0}
    if truth.sum() < 10:
        return kept, {"positives": int(truth.sum())}
    folds = np.array([hash_of(row["id"]) for row, on in zip(rows.rows, known) if on]) % 5
    both = crossed(np.stack([native, other], 1), truth, folds)
    said = {
        "positives": int(truth.sum()), "ap_native": ap(truth, native), "ap_both": ap(truth, both),
        "ap_other": ap(truth, other), "loss_native": log_loss(truth, native), "loss_both": log_loss(truth, both),
    }
    if said["ap_both"] < said["ap_native"] or said["loss_both"] > said["loss_native"]:
        return kept, said
    x = np.stack([native, other], 1)
    a, b, c = line(x, truth)
    ours = np.array([row["src"].startswith("contrast/") for row, on in zip(rows.rows, known) if on])
    strata = [part for part in (ours, ~ours) if truth[part].sum() >= 20]
    for share in (1.0, 0.75, 0.5, 0.25):
        if share < 1:
            a, b, c = held(x, truth, share * line(x, truth)[1])
        both = a * native + b * other + c
        if all(ap(truth[part], both[part]) >= ap(truth[part], native[part]) - 0.002 for part in strata):
            said["share"] = share
            return {"native": float(a), "decoder": float(b), "bias": float(c)}, said
    return kept, said


def hash_of(name):
    return sum(ord(char) * 31 ** (at % 7) for at, char in enumerate(name))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("scores", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    arguments = parser.parse_args()
    read = lambda name, keep=lambda row: True: Rows(arguments.folder, arguments.scores, name, keep)
    rows = join([read("text_dev"), read("contrast_trial", lambda row: row["kept"]), read("hybrid_dev")])
    made = {"combine": {}, "cross_validated": {}, "heads": {}, "thresholds": {}, "rows": len(rows.rows)}
    losses = {}
    for steps in STEPS:
        fitted = [combine(rows, head, f"harm{steps}") for head in range(len(HARMS))]
        losses[steps] = float(np.mean([said.get("loss_both", 0.0) for _, said in fitted]))
        made["cross_validated"][steps] = {HARMS[head]: said for head, (_, said) in enumerate(fitted)}
        made["combine"][steps] = {HARMS[head]: weights for head, (weights, _) in enumerate(fitted)}
    # More steps must earn their time: the fewest within 0.5 % of the least loss.
    steps = min(step for step in STEPS if losses[step] <= min(losses.values()) * 1.005)
    made |= {"steps": steps, "losses": losses}
    made["heads"] = {HARMS[head]: combine(rows, head, "heads")[0] for head in range(len(HARMS))}
    chosen = made["combine"][steps]
    alone = {}
    for head, name in enumerate(HARMS):
        known = rows.known(head)
        truth = rows.labels[known, head]
        native, decoder, heads = rows.native[known, head], rows.found[f"harm{steps}"][known, head], rows.found["heads"][known, head]
        alone[name] = {}
        for what, score in (("decoder", decoder), ("heads", heads)):
            slope, bias = line(score[:, None], truth)
            alone[name][what] = [slope, bias]
        weights, base = chosen[name], made["heads"][name]
        scores = {
            "native": native, "decoder": decoder, "heads": heads,
            "both": weights["native"] * native + weights["decoder"] * decoder + weights["bias"],
            "native+heads": base["native"] * native + base["decoder"] * heads + base["bias"],
        }
        made["thresholds"][name] = {what: best_threshold(truth == 1, score) for what, score in scores.items()}
    made["alone"] = alone
    arguments.out.write_text(json.dumps(made, indent=1))
    print("steps", steps, losses)
    for name in HARMS:
        said = made["cross_validated"][steps][name]
        print(name, {k: round(v, 4) for k, v in chosen[name].items()}, {k: round(float(v), 4) for k, v in said.items()})


if __name__ == "__main__":
    main()
