"""Checks beside accuracy: option order, questions asked together, abstaining.

    python checks.py MODEL.safetensors OLD_DATA [--out FILE.md]
"""
import argparse
import collections
import os
import random

import numpy as np
import torch

import data
import families
import predict
import render
import weights
from measure import auroc


def outcome(row, z, temperatures):
    """(right, confidence, index of the answer, negative log-likelihood of the label)"""
    options = render.render_options(row["type"], row["criteria"])
    p = predict.probabilities(z, row["type"], temperatures)
    label = {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])
    at = [k for k, _ in options].index(label)
    return int(p.argmax()) == at, float(p.max()), int(p.argmax()), -float(np.log(max(p[at], 1e-12)))


def shuffled(model, rows, config, rng, out, times=1000):
    """Shuffled option orders, a sequence at a time: PyTorch sums in another order in another batch, and a float that
    differs in its last bit can be rounded to another byte."""
    rows = [r for r in rows if r["type"] == "choice" and len(r["criteria"]) > 2]
    picks = [rng.choice(rows) for _ in range(times)]
    turned = []
    for r in picks:
        items = list(r["criteria"].items())
        rng.shuffle(items)
        turned.append({**r, "criteria": dict(items)})
    both = predict.logits_of(model, picks + turned, config["windows"], batch_tokens=1)
    worst, same = 0.0, 0
    for r, t, a, b in zip(picks, turned, both[:times], both[times:]):
        pa = dict(zip(r["criteria"], predict.probabilities(a, "choice", config["temperatures"])))
        pb = dict(zip(t["criteria"], predict.probabilities(b, "choice", config["temperatures"])))
        gap = max(abs(pa[k] - pb[k]) for k in pa)
        worst, same = max(worst, gap), same + (max(pa, key=pa.get) == max(pb, key=pb.get) and gap <= 1e-6)
    out.append(f"Shuffled options: {same} of {times} unchanged (same answer, probabilities within 1e-6); largest change {worst:.1e}.\n")


def hybrid(model, rows, config, out):
    """Rows of one state asked together: the most confident half is committed, the others are asked again with it."""
    groups = collections.defaultdict(list)
    for r in rows:
        groups[r["group"]].append(r)
    groups = [g for g in groups.values() if len(g) >= 2]
    flat = [r for g in groups for r in g]
    native = [outcome(r, z, config["temperatures"]) for r, z in zip(flat, predict.logits_of(model, flat, config["windows"]))]
    again, where, at = [], [], 0
    for g in groups:
        idx = sorted(range(len(g)), key=lambda i: -native[at + i][1])
        kept = idx[: (len(g) + 1) // 2]
        given = [[render.render_question(g[i]["instructions"]), render.render_options(g[i]["type"], g[i]["criteria"])[native[at + i][2]][1]] for i in kept]
        for i in idx[(len(g) + 1) // 2 :]:
            again.append({**g[i], "given": given})
            where.append(at + i)
        at += len(g)
    second = [outcome(r, z, config["temperatures"]) for r, z in zip(again, predict.logits_of(model, again, config["windows"]))]
    mixed = list(native)
    for w, o in zip(where, second):
        mixed[w] = o
    n, m = len(flat), len(where)
    out.append(f"{len(groups)} states with 2 to 5 questions, {n} questions, {m} of them asked twice: native {100 * np.mean([o[0] for o in native]):.1f} %, hybrid {100 * np.mean([o[0] for o in mixed]):.1f} % right; "
               f"on the {m} asked twice {100 * np.mean([native[w][0] for w in where]):.1f} % against {100 * np.mean([o[0] for o in second]):.1f} %.\n")


def abstain(model, rows, config, out):
    """Does a low top probability tell that no option fits? Out-of-scope rows without their right option, against rows in scope."""
    lost = []
    for r in rows:
        if r["source"] == "clinc150-oos" and r["label"] in data.SPECIAL:
            lost.append({**r, "criteria": {k: d for k, d in r["criteria"].items() if k != r["label"]}})
    inside = [r for r in rows if r["source"] == "clinc150-train" and r["type"] == "choice" and 4 <= len(r["criteria"]) <= 13 and r["label"] not in data.SPECIAL
              and not set(r["criteria"]) & data.SPECIAL]
    top = lambda part: [outcome({**r, "label": next(iter(r["criteria"]))}, z, config["temperatures"])[1] for r, z in zip(part, predict.logits_of(model, part, config["windows"]))]
    a, b = top(inside), top(lost)
    out.append(f"Abstaining: top probability of {len(inside)} CLINC rows whose intent is offered against {len(lost)} out-of-scope rows (dev and calib) with no fitting option: AUROC {auroc(a, b):.3f}; medians {np.median(a):.3f} and {np.median(b):.3f}.\n")


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("old")
    a.add_argument("--times", type=int, default=300, help="shuffled option orders")
    a.add_argument("--out")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    every, out = data.load(os.path.join(args.old, "decisions.jsonl.gz")), []
    abstain(model, [r for r in every if r["split"] in ("dev", "calib")], config, out)
    shuffled(model, [r for r in every if r["split"] == "dev"], config, random.Random(4), out, args.times)
    hybrid(model, families.rows(20, "dev", 21, only=families.FIRST), config, out)
    text = "\n".join(out)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            f.write(text + "\n")


if __name__ == "__main__":
    main()
