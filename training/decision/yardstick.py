"""What is measured beside dev: tasks kept out whole (`newtask`) and families held out whole, each in two halves.

    python yardstick.py MODEL OLD_DATA NEW_DATA [--last] [--tasks N] [--held N] [--dev N]

Every choice is made on the half `choose`, and on the tasks of train that `mixture.py` keeps out; `report` is looked at once, by
`evaluate.py`. Samples have fixed seeds. Run by itself it prints a short summary of `choose`, for choices during training; MODEL is a
weight file, or a checkpoint (`.pt`), taken at temperature 1 with its running average. `by task` is the mean over tasks of one source.
"""
import argparse
import collections
import json
import os
import random

import numpy as np
import torch

import families
import mixture
import predict
import render
import weights
import written
from measure import ece
from model import FAST_BFLOAT16


def new_tasks(rows, part, n, seed=7):
    """About n rows of the tasks kept out whole by the data, of a half."""
    return evenly([r for r in rows if r["split"] == "newtask" and (part is None or families.half(mixture.task_group(r["source"])) == part)], n, seed)


def kept_out(new, n, seed=7):
    """About n rows of the tasks of train that are kept out of it for choices."""
    return evenly([r for r in mixture.load_decisions2(new, ("train", "dev", "calib")) if mixture.task_group(r["source"]) in mixture.KEPT_OUT], n, seed)


def evenly(rows, n, seed):
    """About n rows, the same number of every task and type as far as it has them."""
    by, rng, out = collections.defaultdict(list), random.Random(seed), []
    for r in rows:
        by[r["source"], r["type"]].append(r)
    for v in by.values():
        rng.shuffle(v)
    share = 1
    while sum(min(share, len(v)) for v in by.values()) < n and share < 400:
        share += 1
    for key in sorted(by):
        out += by[key][:share]
    return out


def held_out(part, n, seed=17):
    """About n rows of every held-out family of a half; groups stay whole."""
    return families.rows(n, "dev", seed, only=families.held(part) if part else set(families.HELD))


def label_key(row):
    return {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])


def answer(row, z, temperatures):
    """right, confidence, probability of the label, probabilities"""
    keys = [k for k, _ in render.render_options(row["type"], row["criteria"])]
    p = predict.probabilities(z, row["type"], temperatures)
    at = keys.index(label_key(row))
    return int(p.argmax()) == at, float(p.max()), float(p[at]), p


def pairs_right(rows, answers):
    """(pairs with both right, pairs)"""
    by = collections.defaultdict(list)
    for r, a in zip(rows, answers):
        if "pair" in r:
            by[r["pair"]].append(a[0])
    whole = [v for v in by.values() if len(v) == 2]
    return sum(all(v) for v in whole), len(whole)


def complement(rows, answers):
    """Mean |P(yes to q) + P(yes to its denial) - 1|, and the number of pairs."""
    by = collections.defaultdict(list)
    for r, a in zip(rows, answers):
        if "neg" in r:
            by[r["neg"]].append(a[3][0])
    gaps = [abs(sum(v) - 1) for v in by.values() if len(v) == 2]
    return float(np.mean(gaps)) if gaps else float("nan"), len(gaps)


def is_json(row):
    return not isinstance(row["state"], str)


def summary(name, rows, answers):
    out = [f"{name}: {len(rows)} rows"]
    for kind in ("choice", "noul", "score"):
        part = [a for r, a in zip(rows, answers) if r["type"] == kind]
        if part:
            out.append(f"{kind} {100 * np.mean([a[0] for a in part]):.1f} (n {len(part)}, nll {np.mean([-np.log(max(a[2], 1e-9)) for a in part]):.3f}, ECE {ece([a[1] for a in part], [a[0] for a in part]):.3f})")
    k, n = pairs_right(rows, answers)
    if n:
        out.append(f"pairs {100 * k / n:.1f} (n {n}), |P+P'-1| {complement(rows, answers)[0]:.3f}")
    return "; ".join(out)


def by_task(rows, answers, kind):
    """Accuracy of a type by source of tasks."""
    by = collections.defaultdict(list)
    for r, x in zip(rows, answers):
        if r["type"] == kind:
            by[mixture.task_group(r["source"])].append(x[0])
    return {k: float(np.mean(v)) for k, v in by.items()}


FLAT = {"choice": [1.0] * 5, "score": [1.0] * 3, "noul": [1.0]}


def load_model(path, last=False):
    """(model, temperatures) of a weight file or a checkpoint."""
    if path.endswith(".pt"):
        return weights.from_checkpoint(path, averaged=not last)[0], FLAT
    model, config = weights.read(path)
    return model, config["temperatures"]


def choose_sets(args):
    """The rows that choices are made on, kept in --cache by the sizes asked for: reading both folders takes longer than a short look."""
    if not args.cache:
        return draw_sets(args)
    path = os.path.join(args.cache, f"choose-{args.tasks}-{args.held}-{args.dev}.json")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as f:
            json.dump(draw_sets(args), f)
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def draw_sets(args):
    old = [r for r in mixture.load_decisions(args.old) if r["split"] == "dev"]
    return {
        "newtask": new_tasks(mixture.load_decisions2(args.new, ("newtask",)), "choose", args.tasks),
        "kept out": kept_out(args.new, args.tasks),
        "held-out families": held_out("choose", args.held),
        "old dev": random.Random(3).sample(old, args.dev),
        "written scenarios, dev rows": written.rows("dev"),
        "families, dev rows": families.rows(max(args.dev // 25, 1), "dev", 23, only=set(families.SECOND)),
    }


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("old")
    a.add_argument("new")
    a.add_argument("--last", action="store_true")
    a.add_argument("--tasks", type=int, default=700)
    a.add_argument("--held", type=int, default=50)
    a.add_argument("--dev", type=int, default=300)
    a.add_argument("--cache", help="a folder, emptied when data or families change")
    return a


def main():
    args = arguments().parse_args()
    torch.set_num_threads(1)
    model, temperatures = load_model(args.model, args.last)
    for name, rows in choose_sets(args).items():
        with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16 and args.model.endswith(".pt")):
            answers = [answer(r, z, temperatures) for r, z in zip(rows, predict.logits_of(model, rows))]
        print(summary(name, rows, answers), flush=True)
        if name in ("newtask", "kept out"):
            for kind in ("choice", "noul", "score"):
                tasks = by_task(rows, answers, kind)
                if tasks:
                    print(f"    {kind} by task {100 * np.mean(list(tasks.values())):.1f}: " + ", ".join(f"{k} {100 * v:.0f}" for k, v in sorted(tasks.items())), flush=True)
        if name == "held-out families":
            for f in sorted({r["source"] for r in rows}):
                part = [(r, x) for r, x in zip(rows, answers) if r["source"] == f]
                k, n = pairs_right([r for r, _ in part], [x for _, x in part])
                print(f"    {f[7:]} {100 * np.mean([x[0] for _, x in part]):.0f} pairs {k}/{n} gap {complement(*zip(*part))[0]:.2f}")


if __name__ == "__main__":
    main()
