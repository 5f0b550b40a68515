"""What is measured beside dev: tasks kept out whole (`newtask`) and families held out whole, each in two halves.

    python yardstick.py MODEL.safetensors OLD_DATA NEW_DATA [--part choose|report] [--checkpoint RUN.pt]

Every choice is made on the half `choose`; `report` is looked at once, by `evaluate.py`. Samples have fixed seeds. Run by itself it
prints a short summary of one half, for choices during training.
"""
import argparse
import collections
import random

import numpy as np
import torch

import families
import mixture
import predict
import render
import weights
from measure import ece


def task_group(source):
    """Tasks of one source belong to one half: the word behind the number of a Super-NaturalInstructions task, else the head."""
    head = source.split(":")[0]
    return source.split("_")[1] if head == "ni" else source if head == "own" else head


def new_tasks(rows, part, n, seed=7):
    """About n rows, the same number of every task as far as it has them."""
    by, rng, out = collections.defaultdict(list), random.Random(seed), []
    for r in rows:
        if r["split"] == "newtask" and (part is None or families.half(task_group(r["source"])) == part):
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


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("old")
    a.add_argument("new")
    a.add_argument("--part", default="choose", choices=["choose", "report"])
    a.add_argument("--checkpoint", help="its weights instead, with the temperatures of the model")
    a.add_argument("--last", action="store_true")
    a.add_argument("--tasks", type=int, default=500)
    a.add_argument("--held", type=int, default=40)
    a.add_argument("--dev", type=int, default=300)
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    if args.checkpoint:
        model, _ = weights.from_checkpoint(args.checkpoint, averaged=not args.last)
    rng = random.Random(3)
    sets = {"newtask": new_tasks(mixture.load_decisions2(args.new, ("newtask",)), args.part, args.tasks), "held-out families": held_out(args.part, args.held)}
    if args.dev:
        dev = [r for r in mixture.load_decisions(args.old) if r["split"] == "dev"]
        sets["old dev"] = rng.sample(dev, args.dev)
        sets["families, dev rows"] = families.rows(max(args.dev // 25, 1), "dev", 23, only=set(families.SECOND))
    for name, rows in sets.items():
        answers = [answer(r, z, config["temperatures"]) for r, z in zip(rows, predict.logits_of(model, rows))]
        print(summary(name, rows, answers), flush=True)
        if name == "held-out families":
            for f in sorted({r["source"] for r in rows}):
                part = [(r, x) for r, x in zip(rows, answers) if r["source"] == f]
                k, n = pairs_right([r for r, _ in part], [x for _, x in part])
                print(f"    {f[7:]} {100 * np.mean([x[0] for _, x in part]):.0f} pairs {k}/{n} gap {complement(*zip(*part))[0]:.2f}")


if __name__ == "__main__":
    main()
