"""What is done to logits after the model, judged on rows that choices are made on.

    python corrections.py MODEL OLD_DATA NEW_DATA [--tasks N] [--held N] [--cosine]

MODEL is a weight file or a checkpoint. Three corrections, each compared with none: a temperature by type, or by type and number of
options; a share of the logits for an empty state taken off (what the model answers about nothing is its prejudice); and a share of the
zero-shot cosine of state and option added (choice only). Every figure is cross-validated: a temperature or share is fitted by
cross-entropy on nine tenths of the sources of tasks and families and judged on the tenth, so no source judges what it fitted.
"""
import collections

import numpy as np
import torch

import data
import mixture
import predict
import render
import yardstick
from baselines import Cosine
from calibrate import fit
from measure import ece

SETS = ("newtask", "kept out", "held-out families")
SHARES = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0)
COSINE = (0.0, 1.0, 2.0, 4.0, 6.0, 9.0)


def source_of(row):
    return row["source"] if row["source"].startswith("family:") else mixture.task_group(row["source"])


def items_of(model, sets, cosine):
    """For every row: type, source, set, target, logits, logits of the empty state, cosines of the options (or zeros)."""
    out, zero_shot = [], Cosine() if cosine else None
    for name, rows in sets.items():
        z = predict.logits_of(model, rows)
        empty = predict.logits_of(model, [{**r, "state": ""} for r in rows])
        for r, a, b in zip(rows, z, empty):
            options = render.render_options(r["type"], r["criteria"])
            cos = np.zeros(len(options))
            if cosine and r["type"] == "choice":
                e = zero_shot.embed([render.render_state(r["state"])] + [t for _, t in options])
                cos = e[1:] @ e[0]
            out.append({"type": r["type"], "source": source_of(r), "set": name, "target": data.target(r, options), "z": a - a.mean(), "empty": b - b.mean(), "cos": cos - cos.mean()})
    return out


def nll(z, target):
    return -float((target * (z - z.max() - np.log(np.exp(z - z.max()).sum()))).sum())


def temperature(items, of):
    return fit([(of(i), i["target"], 1.0) for i in items]) if items else 1.0


def none(train):
    return lambda i: i["z"]


def by_type(train):
    t = temperature(train, lambda i: i["z"])
    return lambda i: i["z"] / t


def by_options(train):
    common = temperature(train, lambda i: i["z"])
    buckets = collections.defaultdict(list)
    for i in train:
        buckets[predict.bucket(i["type"], len(i["z"]))].append(i)
    t = {b: temperature(v, lambda i: i["z"]) if len(v) >= 40 else common for b, v in buckets.items()}
    return lambda i: i["z"] / t.get(predict.bucket(i["type"], len(i["z"])), common)


def with_share(shares, other, sign):
    """The share of `other` that, with the temperature that fits it, has the lowest cross-entropy."""
    def make(train):
        best = None
        for share in shares:
            of = lambda i, share=share: i["z"] + sign * share * i[other]
            t = temperature(train, of)
            loss = np.mean([nll(of(i) / t, i["target"]) for i in train])
            if best is None or loss < best[0]:
                best = (loss, share, t)
        make.chosen.append(best[1])
        return lambda i: (i["z"] + sign * best[1] * i[other]) / best[2]

    make.chosen = []
    return make


def judged(items, make):
    """Cross-validated (item, probabilities)."""
    sources = sorted({i["source"] for i in items})
    np.random.default_rng(1).shuffle(sources)
    out = []
    for fold in range(10):
        test = set(sources[fold::10])
        if test:
            of = make([i for i in items if i["source"] not in test])
            out += [(i, predict.softmax(of(i))) for i in items if i["source"] in test]
    return out


def figures(pairs):
    right = [int(p.argmax() == i["target"].argmax()) for i, p in pairs]
    return f"{100 * np.mean(right):.1f} | {np.mean([nll(np.log(p + 1e-12), i['target']) for i, p in pairs]):.3f} | {ece([p.max() for _, p in pairs], right):.3f}"


def main():
    a = yardstick.arguments()
    a.add_argument("--cosine", action="store_true")
    args = a.parse_args()
    torch.set_num_threads(1)
    sets = {k: v for k, v in yardstick.choose_sets(args).items() if k in SETS}
    items = items_of(yardstick.load_model(args.model, args.last)[0], sets, args.cosine)
    print("| type | set | correction | share | accuracy | NLL | ECE |\n|---|---|---|---|---|---|---|")
    for kind in ("choice", "noul", "score"):
        mine = [i for i in items if i["type"] == kind]
        makes = {"none": none, "temperature by type": by_type, "by type and options": by_options, "empty state off": with_share(SHARES, "empty", -1)}
        if kind == "choice" and args.cosine:
            makes["cosine added"] = with_share(COSINE, "cos", 1)
        for name, make in makes.items():
            pairs = judged(mine, make)
            shares = " ".join(f"{s:g}" for s in sorted(set(getattr(make, "chosen", []))))
            for part in ("all", *SETS):
                mine_here = [(i, p) for i, p in pairs if part in ("all", i["set"])]
                if mine_here:
                    print(f"| {kind} | {part} ({len(mine_here)}) | {name} | {shares} | {figures(mine_here)} |", flush=True)


if __name__ == "__main__":
    main()
