"""Measures what `dump_text --hybrid` wrote of the test sets and writes the tables into the model card, between its
`<!-- measured: name -->` marks.

Chooses nothing: weights and thresholds come from fit.py.
"""

import argparse
import json
import pathlib
from functools import partial

import numpy as np
from metrics import HARMS, Rows, ap, auc, bootstrap, ece, f1, recall_at, sigmoid

WAYS = ("native", "decoder", "both")
SHOWN = {"native": "native", "decoder": "decoder", "both": "native and decoder"}


class Scored:
    """Log-odds [N, 8] of each way of scoring, calibrated on dev. Rows that the encoder does not read are left out."""

    def __init__(self, rows, fit):
        read = ~np.isnan(rows.decoder[:, 0])
        self.rows = [row for row, on in zip(rows.rows, read) if on]
        self.labels = rows.labels[read]
        slopes = np.array([fit["decoder_alone"][name] for name in HARMS])
        both = np.stack([rows.combined(head, fit["combine"][name]) for head, name in enumerate(HARMS)], 1)
        self.logit = {
            "native": rows.native[read],
            "decoder": rows.decoder[read] * slopes[:, 0] + slopes[:, 1],
            "both": both[read],
        }

    def pick(self, head, way, only=None):
        known = self.labels[:, head] >= 0
        if only is not None:
            known &= only
        return self.labels[known, head], self.logit[way][known, head]


def table(head, lines):
    return "\n".join(
        ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(line) + " |" for line in lines)]
    )


def ranking(scored, measure):
    lines = []
    for head, name in enumerate(HARMS):
        truth, _ = scored.pick(head, "native")
        if truth.sum() < 5:
            lines.append([name, str(len(truth)), str(int(truth.sum())), "not measurable"] + [""] * len(WAYS))
            continue
        values = {way: measure(truth, scored.pick(head, way)[1]) for way in WAYS}
        lines.append(
            [name, str(len(truth)), str(int(truth.sum()))]
            + [f"{values[way]:.3f}" for way in WAYS]
            + [f"{values['both'] - values['native']:+.3f}"]
        )
    return table(["harm", "rows", "positives", *(SHOWN[way] for way in WAYS), "gain"], lines)


def decisions(scored, fit):
    """F1 at dev's thresholds, and calibration."""
    lines = []
    thresholds = fit["thresholds"]
    for head, name in enumerate(HARMS):
        truth, _ = scored.pick(head, "native")
        if truth.sum() < 5:
            continue
        scores = {way: scored.pick(head, way)[1] for way in ("native", "both")}
        line = [f"{f1(truth == 1, score >= thresholds[name][way]):.3f}" for way, score in scores.items()]
        lines.append([name, *line, *(f"{ece(truth, sigmoid(score)):.4f}" for score in scores.values())])
    return table(["harm", "F1 native", "F1 native and decoder", "ECE native", "ECE native and decoder"], lines)


def hate_gain(scored):
    head = HARMS.index("hate")
    truth, native = scored.pick(head, "native")
    both = scored.pick(head, "both")[1]
    low, high = bootstrap(truth, lambda at: ap(truth[at], both[at]) - ap(truth[at], native[at]), rounds=300)
    lines = [
        [
            "all",
            str(len(truth)),
            str(int(truth.sum())),
            f"{ap(truth, native):.3f}",
            f"{ap(truth, both):.3f}",
            f"{ap(truth, both) - ap(truth, native):+.3f} ({low:+.3f} to {high:+.3f})",
        ]
    ]
    sources = np.array([row["src"] for row in scored.rows])
    for source in sorted(set(sources)):
        truth, native = scored.pick(head, "native", sources == source)
        both = scored.pick(head, "both", sources == source)[1]
        if min(truth.sum(), (truth == 0).sum()) >= 10:
            lines.append(
                [
                    source,
                    str(len(truth)),
                    str(int(truth.sum())),
                    f"{ap(truth, native):.3f}",
                    f"{ap(truth, both):.3f}",
                    f"{ap(truth, both) - ap(truth, native):+.3f}",
                ]
            )
    return table(["source", "rows", "positives", "AP native", "AP native and decoder", "gain (95 % interval)"], lines)


def families(scored, harm, positive, negative):
    """Recall of one family at the false-positive rate of others."""
    head = HARMS.index(harm)
    family = np.array([row["src"].removeprefix("contrast/") for row in scored.rows])
    only = np.isin(family, [positive, *negative])
    truth = np.isin(family[only], [positive]).astype(int)
    return truth, {way: scored.logit[way][only, head] for way in WAYS}


def gain_at(truth, scores, share, at):
    """What the hybrid finds more of the rows `at` than the native model, at a share of false alarms."""
    return recall_at(truth[at], scores["both"][at], share) - recall_at(truth[at], scores["native"][at], share)


def lures(sets):
    lines = []
    for what, scored, positive, negative, harm in sets:
        truth, scores = families(scored, harm, positive, negative)
        for share in (0.01, 0.02, 0.05):
            values = {way: recall_at(truth, scores[way], share) for way in WAYS}
            low, high = bootstrap(truth, partial(gain_at, truth, scores, share), rounds=300)
            lines.append(
                [what, f"{int(truth.sum())} / {int((truth == 0).sum())}", f"{share:.0%}"]
                + [f"{values[way]:.3f}" for way in WAYS]
                + [f"{values['both'] - values['native']:+.3f} ({low:+.3f} to {high:+.3f})"]
            )
        lines.append(
            [what, "", "AUC"]
            + [f"{auc(truth, scores[way]):.3f}" for way in WAYS]
            + [f"{auc(truth, scores['both']) - auc(truth, scores['native']):+.3f}"]
        )
    return table(
        ["set", "harmful / benign", "false positives", *(SHOWN[way] for way in WAYS), "gain (95 % interval)"], lines
    )


def weights(fit):
    lines = []
    for name in HARMS:
        one, said = fit["combine"][name], fit["cross_validated"][name]
        lines.append(
            [name, str(said["positives"])]
            + [f"{one[key]:.3f}" for key in ("native", "decoder", "bias")]
            + [
                f"{said[key]:.4f}" if key in said else ""
                for key in ("ap_native", "ap_both", "loss_native", "loss_both")
            ]
            + [f"{sigmoid(fit['thresholds'][name]['both']):.3f}"]
        )
    return table(
        [
            "harm",
            "positives",
            "a (native)",
            "b (decoder)",
            "c",
            "AP native",
            "AP both",
            "log loss native",
            "log loss both",
            "F1 threshold",
        ],
        lines,
    )


def into_card(card, name, text):
    begin, end = f"<!-- measured: {name} -->", "<!-- end -->"
    whole = card.read_text("utf-8")
    head, rest = whole.split(begin, 1)
    card.write_text(head + begin + "\n" + text + "\n" + rest[rest.index(end) :], "utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "folder", type=pathlib.Path, help="holds text_devtest.jsonl, contrast_test.jsonl and hybrid_test.jsonl"
    )
    parser.add_argument("fit", type=pathlib.Path)
    parser.add_argument("card", type=pathlib.Path, nargs="?")
    arguments = parser.parse_args()
    fit = json.loads(arguments.fit.read_text())
    read = lambda name: Scored(Rows([arguments.folder / f"{name}.jsonl"]), fit)
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
        "families": lures(
            [
                ("lures without links, `training/text/contrast` test", contrast, "scam_lure_nolink", quiet, "scam"),
                (
                    "lures without links, `training/hybrid/contrast` test",
                    own,
                    "hybrid_lure",
                    ["hybrid_lure_benign"],
                    "scam",
                ),
                (
                    "hate against identity, negation, quoting, `training/text/contrast` test",
                    contrast,
                    "hate",
                    ["hate_benign"],
                    "hate",
                ),
            ]
        ),
    }
    for name, text in tables.items():
        print(f"## {name}\n\n{text}\n")
        if arguments.card:
            into_card(arguments.card, name, text)


if __name__ == "__main__":
    main()
