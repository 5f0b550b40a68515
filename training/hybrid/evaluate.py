#!/usr/bin/env python3
"""Measures the scored test sets and writes the tables into the model card, between its `<!-- measured: name -->` marks.

Chooses nothing: weights, thresholds and the number of steps come from fit.py.
"""

import argparse
import json
import pathlib

import numpy as np

from metrics import Rows, ap, auc, bootstrap, ece, f1, log_loss, recall_at, sigmoid
from model import ACTION, ACTIONS, HARMS
from data import action as policy_action
from model import severity

WAYS = ("native", "decoder", "heads", "native+heads", "both")
SHOWN = {"native": "native", "decoder": "decoder", "heads": "independent heads", "native+heads": "native and heads", "both": "native and decoder"}


class Scored:
    """Log-odds [N, 8] of each way of scoring, calibrated on dev."""

    def __init__(self, rows, fit):
        self.rows, self.labels, self.found = rows.rows, rows.labels, rows.found
        decoder, heads = rows.found[f"harm{fit['steps']}"], rows.found["heads"]
        weights = lambda table, key: np.array([table[name][key] for name in HARMS])
        best = fit["combine"][str(fit["steps"])]
        alone = lambda what, x: x * np.array([fit["alone"][n][what][0] for n in HARMS]) + np.array([fit["alone"][n][what][1] for n in HARMS])
        mix = lambda table, x: rows.native * weights(table, "native") + x * weights(table, "decoder") + weights(table, "bias")
        self.logit = {
            "native": rows.native, "decoder": alone("decoder", decoder), "heads": alone("heads", heads),
            "native+heads": mix(fit["heads"], heads), "both": mix(best, decoder),
        }

    def pick(self, head, way, only=None):
        known = self.labels[:, head] >= 0
        if only is not None:
            known &= only
        return self.labels[known, head], self.logit[way][known, head]


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines)])


def ranking(scored, measure):
    lines = []
    for head, name in enumerate(HARMS):
        truth, _ = scored.pick(head, "native")
        if truth.sum() < 5:
            lines.append([name, str(len(truth)), str(int(truth.sum())), "not measurable"] + [""] * len(WAYS))
            continue
        values = {way: measure(truth, scored.pick(head, way)[1]) for way in WAYS}
        lines.append([name, str(len(truth)), str(int(truth.sum()))] + [f"{values[way]:.3f}" for way in WAYS] + [f"{values['both'] - values['native']:+.3f}"])
    return table(["harm", "rows", "positives", *(SHOWN[way] for way in WAYS), "gain"], lines)


def decisions(scored, fit):
    """F1 at dev's thresholds, and calibration."""
    lines = []
    thresholds = fit["thresholds"]
    for head, name in enumerate(HARMS):
        truth, _ = scored.pick(head, "native")
        if truth.sum() < 5:
            continue
        line = [name]
        for way in ("native", "decoder", "heads", "both"):
            score = scored.pick(head, way)[1] if way in ("native", "both") else None
            if score is None:  # thresholds of these are on raw logits
                raw = scored.found["heads" if way == "heads" else f"harm{fit['steps']}"]
                score = raw[scored.labels[:, head] >= 0, head]
            line.append(f"{f1(truth == 1, score >= thresholds[name][way]):.3f}")
        for way in ("native", "both"):
            line.append(f"{ece(truth, sigmoid(scored.pick(head, way)[1])):.4f}")
        lines.append(line)
    return table(["harm", "F1 native", "F1 decoder", "F1 independent heads", "F1 native and decoder", "ECE native", "ECE native and decoder"], lines)


def hate_gain(scored):
    head = HARMS.index("hate")
    truth, native = scored.pick(head, "native")
    both = scored.pick(head, "both")[1]
    low, high = bootstrap(truth, lambda at: ap(truth[at], both[at]) - ap(truth[at], native[at]), rounds=300)
    lines = [["all", str(len(truth)), str(int(truth.sum())), f"{ap(truth, native):.3f}", f"{ap(truth, both):.3f}", f"{ap(truth, both) - ap(truth, native):+.3f} ({low:+.3f} to {high:+.3f})"]]
    sources = np.array([row["src"] for row in scored.rows])
    for source in sorted(set(sources)):
        truth, native = scored.pick(head, "native", sources == source)
        both = scored.pick(head, "both", sources == source)[1]
        if min(truth.sum(), (truth == 0).sum()) >= 10:
            lines.append([source, str(len(truth)), str(int(truth.sum())), f"{ap(truth, native):.3f}", f"{ap(truth, both):.3f}", f"{ap(truth, both) - ap(truth, native):+.3f}"])
    return table(["source", "rows", "positives", "AP native", "AP native and decoder", "gain (95 % interval)"], lines)


def families(scored, harm, positive, negative):
    """Recall of one family at the false-positive rate of others."""
    head = HARMS.index(harm)
    family = np.array([row["src"].removeprefix("contrast/") for row in scored.rows])
    only = np.isin(family, [positive, *negative])
    truth = np.isin(family[only], [positive]).astype(int)
    return truth, {way: scored.logit[way][only, head] for way in WAYS}


def lures(sets):
    lines = []
    for what, scored, positive, negative, harm in sets:
        truth, scores = families(scored, harm, positive, negative)
        for share in (0.01, 0.02, 0.05):
            values = {way: recall_at(truth, scores[way], share) for way in WAYS}
            gain = lambda at: recall_at(truth[at], scores["both"][at], share) - recall_at(truth[at], scores["native"][at], share)
            low, high = bootstrap(truth, gain, rounds=300)
            lines.append([what, f"{int(truth.sum())} / {int((truth == 0).sum())}", f"{share:.0%}"] + [f"{values[way]:.3f}" for way in WAYS]
                         + [f"{values['both'] - values['native']:+.3f} ({low:+.3f} to {high:+.3f})"])
        lines.append([what, "", "AUC"] + [f"{auc(truth, scores[way]):.3f}" for way in WAYS] + [f"{auc(truth, scores['both']) - auc(truth, scores['native']):+.3f}"])
    return table(["set", "harmful / benign", "false positives", *(SHOWN[way] for way in WAYS), "gain (95 % interval)"], lines)


def steps(scored, fit, others):
    """Denoising steps against independent heads: ranking, likelihood, joint correctness, actions."""
    lines = []
    measured = [head for head in range(len(HARMS)) if (scored.labels[:, head] == 1).sum() >= 20]
    acts = [policy_action([None if label < 0 else label for label in row]) for row in scored.labels.tolist()]
    judged = np.array([at for at, act in enumerate(acts) if act is not None])
    truth_acts = np.array([acts[at] for at in judged])
    for what, key in (("independent heads", "heads"), *((f"decoder, {n} step{'s' * (n > 1)}", f"harm{n}") for n in others)):
        x = scored.found[key]
        known = [scored.labels[:, head] >= 0 for head in measured]
        mean_ap = np.mean([ap(scored.labels[k, h], x[k, h]) for h, k in zip(measured, known)])
        loss = np.mean([log_loss(scored.labels[k, h], x[k, h]) for h, k in zip(measured, known)])
        exact = (((x > 0) == (scored.labels == 1)) | (scored.labels < 0)).all(1).mean()
        acted = "" if key == "heads" else f"{(scored.found[key.replace('harm', 'action')][judged].argmax(1) == truth_acts).mean():.4f}"
        lines.append([what, f"{mean_ap:.4f}", f"{loss:.4f}", f"{exact:.4f}", acted])
    heading = ["", f"mean AP of {len(measured)} harms", "mean log loss, not calibrated", "all known labels right at .5", f"action right ({len(judged)} rows)"]
    return table(heading, lines)


def false_actions(scored):
    """The policy's sum over calibrated harms, links and raids aside: benign chat rows that reach `warn`."""
    policy = severity()
    weight = np.array([policy["severity"][name] for name in HARMS])
    benign = np.array([row["chat"] and all(label == 0 for label in row["labels"]) for row in scored.rows])
    sources = np.array([row["src"] for row in scored.rows])
    reach = {}
    for way in ("native", "both"):
        logit = scored.logit[way].copy()
        scam = HARMS.index("scam")
        logit[:, scam] = np.maximum(logit[:, scam], -5.0) - 0.5
        reach[way] = (sigmoid(logit) ** 2 @ weight) > policy["steps"][0]
    lines = []
    for source in [*sorted(set(sources[benign])), "all"]:
        on = benign & ((sources == source) | (source == "all"))
        lines.append([source, str(on.sum())] + [f"{reach[way][on].sum()} ({reach[way][on].mean():.2%})" for way in ("native", "both")])
    return table(["source", "benign chat rows", "acted upon, native", "acted upon, native and decoder"], lines)


def weights(fit):
    lines = []
    for name in HARMS:
        one, said = fit["combine"][str(fit["steps"])][name], fit["cross_validated"][str(fit["steps"])][name]
        lines.append([name, str(said["positives"])] + [f"{one[key]:.3f}" for key in ("native", "decoder", "bias")]
                     + [f"{said[key]:.4f}" if key in said else "" for key in ("ap_native", "ap_both", "loss_native", "loss_both")]
                     + [f"{sigmoid(fit['thresholds'][name]['both']):.3f}"])
    return table(["harm", "positives", "a (native)", "b (decoder)", "c", "AP native", "AP both", "log loss native", "log loss both", "F1 threshold"], lines)


def into_card(card, name, text):
    begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
    whole = card.read_text("utf-8")
    head, rest = whole.split(begin, 1)
    card.write_text(head + begin + "\n" + text + "\n" + rest[rest.index(end):], "utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("scores", type=pathlib.Path)
    parser.add_argument("fit", type=pathlib.Path)
    parser.add_argument("card", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    fit = json.loads(arguments.fit.read_text())
    read = lambda name: Scored(Rows(arguments.folder, arguments.scores, name), fit)
    public, contrast, own = read("text_devtest"), read("contrast_test"), read("hybrid_test")
    quiet = ["scam_benign", "chat", "dev_chat"]
    tables = {
        "weights": weights(fit),
        "devtest AP": ranking(public, ap),
        "devtest AUC": ranking(public, auc),
        "devtest decisions": decisions(public, fit),
        "hate by source": hate_gain(public),
        "contrast AP": ranking(contrast, ap),
        "contrast AUC": ranking(contrast, auc),
        "contrast decisions": decisions(contrast, fit),
        "families": lures([
            ("lures without links, `training/text/contrast` test", contrast, "scam_lure_nolink", quiet, "scam"),
            ("lures without links, `training/hybrid/contrast` test", own, "hybrid_lure", ["hybrid_lure_benign"], "scam"),
            ("hate against identity, negation, quoting, `training/text/contrast` test", contrast, "hate", ["hate_benign"], "hate"),
        ]),
        "steps": steps(public, fit, (1, 2, 4)),
        "benign chat": false_actions(public),
    }
    for name, text in tables.items():
        print(f"## {name}\n\n{text}\n")
        if arguments.card:
            into_card(arguments.card, name, text)


if __name__ == "__main__":
    main()
