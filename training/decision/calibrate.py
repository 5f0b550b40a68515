"""Fits one temperature a (type, bucket of option counts) on calib rows, with the weights as shipped.

    python calibrate.py MODEL.safetensors DATA_DIR

Minimises cross-entropy (soft targets where a row has them) by golden section over ln T. A bucket with fewer than 30
rows takes its type's common temperature. Rewrites the config inside the file.
"""
import argparse
import json
import os

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save_file

import data
import families
import predict
import render
import weights


def nll(items, t):
    total = 0.0
    for z, target in items:
        z = z / t
        logp = z - z.max() - np.log(np.exp(z - z.max()).sum())
        total -= (target * logp).sum()
    return total / len(items)


def fit(items):
    lo, hi, g = np.log(0.2), np.log(5.0), (5**0.5 - 1) / 2
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
    a.add_argument("data")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    rows = [r for r in data.load(os.path.join(args.data, "decisions.jsonl.gz")) if r["split"] == "calib"]
    rows += families.rows(30, "calib", 5)
    kept = {"choice": [[] for _ in range(5)], "score": [[] for _ in range(3)], "noul": [[]]}
    for row, z in zip(rows, predict.logits_of(model, rows, config["windows"])):
        options = render.render_options(row["type"], row["criteria"])
        kept[row["type"]][predict.bucket(row["type"], len(options))].append((z, data.target(row, options)))
    for kind, buckets in kept.items():
        common = fit([it for b in buckets for it in b])
        config["temperatures"][kind] = [round(fit(b) if len(b) >= 30 else common, 4) for b in buckets]
        left = sum(nll(b, t) * len(b) for b, t in zip(buckets, config["temperatures"][kind]) if b) / sum(map(len, buckets))
        print(kind, [len(b) for b in buckets], config["temperatures"][kind], f"calib cross-entropy {left:.4f}")
    rewrite(args.model, config)


if __name__ == "__main__":
    main()
