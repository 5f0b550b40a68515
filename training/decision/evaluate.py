"""Measures weight files side by side and writes the tables of the card.

    python evaluate.py NEW.safetensors OLD_DATA NEW_DATA --before OLD.safetensors [--cache FOLDER] [--tasks 2000] [--out FILE.md]

Everything runs on the weights as shipped: 7-bit weights, inputs rounded a token at a time, fitted temperatures. Sets: tasks and
families held out whole, in two halves (`choose`: temperatures and every other choice were made on it; `report`: on nothing), then
dev rows of both data folders and of the families that are trained on. Confidence is the probability of the top answer; ECE has 15
bins of equal width; intervals are Wilson's, 95 %. Logits are kept in --cache by the hash of the file and of the rows.
"""
import argparse
import collections
import hashlib
import json
import os
import pickle
import random

import numpy as np
import torch

import families
import mixture
import predict
import weights
import written
import yardstick
from baselines import Cosine, majorities
from measure import ece, wilson


def digest(*parts):
    h = hashlib.sha256()
    for p in parts:
        h.update(p if isinstance(p, bytes) else str(p).encode())
    return h.hexdigest()[:20]


def cached(folder, key, make):
    path = os.path.join(folder, key + ".pickle") if folder else None
    if path and os.path.exists(path):
        with open(path, "rb") as f:
            return pickle.load(f)
    made = make()
    if path:
        os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as f:
            pickle.dump(made, f)
    return made


def tensors_digest(path):
    """Of the weights alone: temperatures can be written into the file without changing it."""
    with open(path, "rb") as f:
        blob = f.read()
    start = 8 + int.from_bytes(blob[:8], "little")
    return digest(blob[start:])


def logits(path, rows, folder):
    rule = json.loads(weights.metadata(path)["config"])["windows"]
    return cached(folder, digest(tensors_digest(path), json.dumps(rows, sort_keys=True), rule), lambda: predict.logits_of(weights.read(path)[0], rows, rule))


def sets(old, new, tasks, held, dev, folder=None):
    """({name: rows}, calib rows of both folders, most common labels in train), drawn once and kept in the cache."""
    return cached(folder, digest("sets", tasks, held, dev), lambda: draw(old, new, tasks, held, dev))


def draw(old, new, tasks, held, dev):
    first, second, rng, out = mixture.load_decisions(old), mixture.load_decisions2(new, ("newtask", "train", "dev", "calib")), random.Random(11), {}
    of = lambda rows, split: [r for r in rows if r["split"] == split]
    some = lambda rows, n: rng.sample(rows, min(n, len(rows)))
    for part in ("choose", "report"):
        out[f"newtask, {part}"] = yardstick.new_tasks(of(second, "newtask"), part, tasks // 2)
    for part in ("choose", "report"):
        out[f"families held out, {part}"] = yardstick.held_out(part, held)
    out["dev, first data folder"] = some(of(first, "dev"), dev)
    out["dev, second data folder"] = some(of(second, "dev"), dev)
    out["scenarios written by hand, dev rows"] = written.rows("dev")
    out["questions by hand"] = written.by_hand()
    out["families trained on, dev rows"] = families.rows(max(held // 2, 1), "dev", 29, only=set(families.SECOND))
    out["families added after 2.0.0, dev rows"] = families.rows(max(held // 4, 1), "dev", 31, only=set(families.THIRD))
    out["families added after 2.2.0, dev rows"] = families.rows(max(held // 4, 1), "dev", 37, only=set(families.FOURTH))
    out["families of 1.0.0, dev rows"] = families.rows(max(held // 4, 1), "dev", 9, only=families.FIRST)
    calib = some(of(first, "calib"), dev) + some(of(second, "calib"), dev) + families.rows(12, "calib", 5, only=families.taught())
    return out, calib, majorities(of(first, "train") + of(second, "train"))


def line(name, rows, columns, base):
    """One row of a table: columns are lists of answers, one a model."""
    n, cells = len(rows), []
    for answers in columns:
        k = sum(x[0] for x in answers)
        low, high = wilson(k, n)
        cells.append(f"{100 * k / n:.1f} ({100 * low:.1f}–{100 * high:.1f}) | {ece([x[1] for x in answers], [x[0] for x in answers]):.3f}")
    pct = lambda j: f"{100 * np.mean([x[j] for x in base]):.1f}" if base and all(x[j] is not None for x in base) else ""
    return f"| {name} | {n} | " + " | ".join(cells) + f" | {pct(0)} | {pct(1)} |"


def head(first, names):
    return [f"| {first} | rows | " + " | ".join(f"{n} accuracy (95 % interval) | {n} ECE" for n in names) + " | cosine | majority |", "|---|---|" + "---|---|" * len(names) + "---|---|"]


def grouped(rows, columns, base, key):
    by = collections.defaultdict(list)
    for i, r in enumerate(rows):
        by[key(r)].append(i)
    for name in sorted(by):
        idx = by[name]
        yield name, [rows[i] for i in idx], [[c[i] for i in idx] for c in columns], [base[i] for i in idx]


def special(name, rows, columns):
    """Pairs, complements and records, a model a column."""
    pick = lambda test: [i for i, r in enumerate(rows) if test(r)]
    pct = lambda idx: [f"{100 * np.mean([c[i][0] for i in idx]):.1f}" if idx else "" for c in columns]
    pairs = [yardstick.pairs_right(rows, c) for c in columns]
    gaps = [yardstick.complement(rows, c) for c in columns]
    flags, numbers = pick(lambda r: r["source"] in ("family:settings", "family:flags") and yardstick.is_json(r)), pick(lambda r: r["source"] in ("family:readings", "family:fields", "family:numbers") and yardstick.is_json(r))
    out = [f"| {name}: minimal pairs, both right ({pairs[0][1]} pairs) | " + " | ".join(f"{100 * k / max(n, 1):.1f}" for k, n in pairs) + " |",
           f"| {name}: mean of abs(P + P' - 1) ({gaps[0][1]} pairs) | " + " | ".join(f"{g:.3f}" for g, _ in gaps) + " |"]
    for label, idx in (("booleans in JSON", flags), ("numbers in JSON", numbers)):
        if idx:
            out.append(f"| {name}: {label} ({len(idx)} rows) | " + " | ".join(pct(idx)) + " |")
    return out


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("old")
    a.add_argument("new")
    a.add_argument("--before", required=True)
    a.add_argument("--cache")
    a.add_argument("--tasks", type=int, default=2000)
    a.add_argument("--held", type=int, default=80, help="rows of each held-out family")
    a.add_argument("--dev", type=int, default=600, help="dev rows of each data folder")
    a.add_argument("--only-before", action="store_true", help="fill the cache for the old weights and the baselines, print nothing")
    a.add_argument("--out")
    args = a.parse_args()
    torch.set_num_threads(1)
    every, _, most = sets(args.old, args.new, args.tasks, args.held, args.dev, args.cache)
    cosine, out, own = Cosine(), [], []
    files = [args.before] if args.only_before else [args.before, args.model]
    names = [weights.metadata(path)["version"] for path in files]
    details = []
    out += ["### By type\n", *head("set, type", names)]
    for name, rows in every.items():
        near = cached(args.cache, digest("cosine2", json.dumps(rows, sort_keys=True)), lambda: [cosine.right(r) if r["type"] == "choice" else None for r in rows])
        base = [(c, None if r["type"] == "choice" else most[r["type"]] == str(r["label"])) for r, c in zip(rows, near)]
        columns = []
        for path in files:
            t = weights.read(path)[1]["temperatures"]
            columns.append([yardstick.answer(r, z, t) for r, z in zip(rows, logits(path, rows, args.cache))])
        print(name, len(rows), flush=True)
        for kind, *part in grouped(rows, columns, base, lambda r: r["type"]):
            out.append(line(f"{name}, {kind}", *part))
        if name.startswith("families held") or name.startswith("families trained"):
            own += special(name, rows, columns)
        if not name.startswith("dev"):
            details += [f"\n### {name[:1].upper() + name[1:]}\n", *head("source", names)]
            details += [line(s.removeprefix("family:"), *part) for s, *part in grouped(rows, columns, base, lambda r: r["source"])]
    out += ["\n### Pairs, complements, records\n", "| figure | " + " | ".join(names) + " |", "|---|---|---|", *own, *details]
    if args.only_before:
        return
    text = "\n".join(out) + "\n"
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
