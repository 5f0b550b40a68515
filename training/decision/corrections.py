"""What is done to logits after the model, judged on rows that choices are made on.

    python corrections.py MODEL OLD_DATA NEW_DATA [--tasks N] [--held N] [--dev N] [--cosine] [--saw-kept-out]

MODEL is a weight file or a checkpoint. Compared with none: a temperature by type, or by type and number of options; a share of the
logits for an empty state taken off (what the model answers about nothing is its prejudice); and, for choice, a share of the zero-shot
cosine of an option with the state, or with question and state, added. Every figure is cross-validated: temperatures and shares are fitted by
cross-entropy on nine tenths of the sources of tasks and families and judged on the tenth, so no source judges what it fitted. Rows of
sets that were trained on are judged by what fits all the others. --saw-kept-out: the model was trained on the tasks that `mixture.py` keeps
out now.
"""
import collections
import json

import numpy as np
import torch

import data
import evaluate
import mixture
import predict
import render
import yardstick
from baselines import Cosine
from calibrate import fit
from measure import ece
from model import FAST_BFLOAT16

UNSEEN = ("newtask", "held-out families", "kept out")
SHARES = (0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0)
COSINE = (0.0, 0.5, 1.0, 2.0, 4.0, 6.0, 9.0, 14.0)


def source_of(row):
    return row["source"] if row["source"].startswith("family:") else mixture.task_group(row["source"])


def items_of(model, sets, cosine, unquantised):
    """For every row: type, source, set, target, logits, logits of the empty state, cosines of the options (or zeros)."""
    out, zero_shot = [], Cosine() if cosine else None
    for name, rows in sets.items():
        with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16 and unquantised):
            z = predict.logits_of(model, rows)
            empty = predict.logits_of(model, [{**r, "state": ""} for r in rows])
        for r, a, b in zip(rows, z, empty):
            options = render.render_options(r["type"], r["criteria"])
            item = {"type": r["type"], "source": source_of(r), "set": name, "target": data.target(r, options), "z": a - a.mean(), "empty": b - b.mean()}
            if cosine and r["type"] == "choice":
                state = render.render_state(r["state"])
                e = zero_shot.embed([state, f"{render.render_question(r['instructions'])} {state}"] + [t for _, t in options])
                item["state"], item["both"] = e[2:] @ e[0], e[2:] @ e[1]
                for k in ("state", "both"):
                    item[k] = item[k] - item[k].mean()
            out.append(item)
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


def with_shares(parts):
    """`parts`: (name of what is added, its shares, sign), tried in all combinations; the one that, with the temperature that fits it,
    has the lowest cross-entropy."""
    def summed(shares):
        return lambda i: i["z"] + sum(sign * share * i[name] for (name, _, sign), share in zip(parts, shares))

    def make(train):
        best = None
        for shares in np.stack(np.meshgrid(*[shares for _, shares, _ in parts]), -1).reshape(-1, len(parts)):
            t = temperature(train, summed(shares))
            loss = np.mean([nll(summed(shares)(i) / t, i["target"]) for i in train])
            if best is None or loss < best[0]:
                best = (loss, shares, t)
        make.chosen.append("/".join(f"{s:g}" for s in best[1]))
        return lambda i: summed(best[1])(i) / best[2]

    make.chosen = []
    return make


def alone(name):
    def make(train):
        t = temperature(train, lambda i: i[name])
        return lambda i: i[name] / t

    return make


def judged(items, make):
    """Cross-validated (item, probabilities); sets that were trained on by what fits all the others."""
    unseen = [i for i in items if i["set"] in UNSEEN]
    sources = sorted({i["source"] for i in unseen})
    np.random.default_rng(1).shuffle(sources)
    out = []
    for fold in range(10):
        test = set(sources[fold::10])
        if test:
            of = make([i for i in unseen if i["source"] not in test])
            out += [(i, predict.softmax(of(i))) for i in unseen if i["source"] in test]
    of = make(unseen)
    return out + [(i, predict.softmax(of(i))) for i in items if i["set"] not in UNSEEN]


def figures(pairs):
    right = [int(p.argmax() == i["target"].argmax()) for i, p in pairs]
    return f"{100 * np.mean(right):.1f} | {np.mean([nll(np.log(p + 1e-12), i['target']) for i, p in pairs]):.3f} | {ece([p.max() for _, p in pairs], right):.3f}"


def main():
    a = yardstick.arguments()
    a.add_argument("--cosine", action="store_true")
    a.add_argument("--saw-kept-out", action="store_true")
    args = a.parse_args()
    torch.set_num_threads(1)
    sets = yardstick.choose_sets(args)
    if args.saw_kept_out:
        sets["kept out, trained on"] = sets.pop("kept out")
    with open(args.model, "rb") as f:
        key = evaluate.digest("items", f.read(), json.dumps(sets, sort_keys=True), args.cosine, args.last)
    items = evaluate.cached(args.cache, key, lambda: items_of(yardstick.load_model(args.model, args.last)[0], sets, args.cosine, args.model.endswith(".pt")))
    print("| type | set | correction | shares | accuracy | NLL | ECE |\n|---|---|---|---|---|---|---|")
    for kind in ("choice", "noul", "score"):
        mine = [i for i in items if i["type"] == kind]
        empty = ("empty", SHARES, -1)
        makes = {"none": none, "temperature by type": by_type, "by type and options": by_options, "empty state off": with_shares([empty])}
        if kind == "choice" and args.cosine:
            for name in ("state", "both"):
                makes[f"cosine alone, {name}"] = alone(name)
                makes[f"cosine added, {name}"] = with_shares([(name, COSINE, 1)])
            makes["empty state off, cosine added, both"] = with_shares([empty, ("both", COSINE, 1)])
        for name, make in makes.items():
            pairs = judged(mine, make)
            shares = " ".join(sorted(set(getattr(make, "chosen", []))))
            for part in ("unseen", *sets):
                here = [(i, p) for i, p in pairs if i["set"] == part or (part == "unseen" and i["set"] in UNSEEN)]
                if here:
                    print(f"| {kind} | {part} ({len(here)}) | {name} | {shares} | {figures(here)} |", flush=True)


if __name__ == "__main__":
    main()
