"""Fits one temperature a (type, bucket of option counts), with the weights as shipped.

    python calibrate.py MODEL.safetensors OLD_DATA NEW_DATA [--cache FOLDER]

On two kinds of rows: the half `choose` of the tasks and families held out whole (two thirds of the weight, since tasks that
were never seen are what users bring), and calib rows of both data folders and of the families trained on (one third). Minimises
cross-entropy (soft targets where a row has them) by golden section over ln T. A bucket with fewer than 30 rows takes its type's
common temperature. Rewrites the config inside the file.
"""
import argparse
import json

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import data
import evaluate
import predict
import render
import weights


def nll(items, t):
    total, mass = 0.0, 0.0
    for z, target, weight in items:
        z = z / t
        logp = z - z.max() - np.log(np.exp(z - z.max()).sum())
        total -= weight * (target * logp).sum()
        mass += weight
    return total / mass


def fit(items):
    lo, hi, g = np.log(0.2), np.log(8.0), (5**0.5 - 1) / 2
    for _ in range(40):
        a, b = hi - g * (hi - lo), lo + g * (hi - lo)
        if nll(items, np.exp(a)) < nll(items, np.exp(b)):
            hi = b
        else:
            lo = a
    return float(np.exp((lo + hi) / 2))


def rewrite(path, config):
    with safe_open(path, "pt") as f:
        meta, tensors = dict(f.metadata()), {k: f.get_tensor(k) for k in f.keys()}
    meta["config"] = json.dumps(config, sort_keys=True)
    save_file(tensors, path, metadata=meta)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("old")
    a.add_argument("new")
    a.add_argument("--cache")
    a.add_argument("--tasks", type=int, default=2000)
    a.add_argument("--held", type=int, default=80)
    a.add_argument("--dev", type=int, default=600)
    args = a.parse_args()
    torch.set_num_threads(1)
    _, config = weights.read(args.model)
    every, calib, _ = evaluate.sets(args.old, args.new, args.tasks, args.held, args.dev, args.cache)
    unseen = [rows for name, rows in every.items() if name.endswith("choose")]
    parts = [(rows, 1 / len(unseen)) for rows in unseen] + [(calib, 0.5)]
    kept = {"choice": [[] for _ in range(5)], "score": [[] for _ in range(3)], "noul": [[]]}
    for rows, share in parts:
        count = {k: sum(r["type"] == k for r in rows) for k in kept}
        for row, z in zip(rows, evaluate.logits(args.model, rows, args.cache)):
            options = render.render_options(row["type"], row["criteria"])
            kept[row["type"]][predict.bucket(row["type"], len(options))].append((z, data.target(row, options), share / count[row["type"]]))
    for kind, buckets in kept.items():
        common = fit([it for b in buckets for it in b])
        config["temperatures"][kind] = [round(fit(b) if len(b) >= 30 else common, 4) for b in buckets]
        print(kind, [len(b) for b in buckets], config["temperatures"][kind], "common", round(common, 3))
    rewrite(args.model, config)


if __name__ == "__main__":
    main()
