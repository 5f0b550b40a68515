"""Measures a weight file on dev rows and writes the tables of the card.

    python evaluate.py MODEL.safetensors DATA_DIR [--checkpoint RUN.pt] [--part tables|checks] [--out FILE.md]

Everything runs on the weights as shipped: 7-bit weights, inputs rounded a token at a time, fitted temperatures. With
--checkpoint the unquantised weights are measured beside them. dev rows are only reported on, except that the rule
for windows is chosen on long rows of our own. Confidence is the probability of the top answer; ECE has 15 bins
of equal width; intervals are Wilson's, 95 %.
"""
import argparse
import collections
import os
import random

import numpy as np
import torch

import banks
import data
import families
import predict
import render
import weights
from measure import auroc, ece, wilson
from model import DecisionModel


def outcome(row, z, temperatures):
    """(right, confidence, index of the answer, negative log-likelihood of the label)"""
    options = render.render_options(row["type"], row["criteria"])
    p = predict.probabilities(z, row["type"], temperatures)
    label = {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])
    at = [k for k, _ in options].index(label)
    return int(p.argmax()) == at, float(p.max()), int(p.argmax()), -float(np.log(max(p[at], 1e-12)))


class Cosine:
    """Zero-shot: cosine of the base model's sentence embeddings (mean of the last states) of state and option."""

    def __init__(self):
        self.model = DecisionModel().eval()
        self.cache = {}

    @torch.no_grad()
    def embed(self, texts):
        new = [t for t in dict.fromkeys(texts) if t not in self.cache]
        new.sort(key=len)
        for at in range(0, len(new), 32):
            ids = [[101, *data.tokens(t)[:254].tolist(), 102] for t in new[at : at + 32]]
            n = max(map(len, ids))
            x = torch.tensor([i + [0] * (n - len(i)) for i in ids])
            mask = torch.tensor([[1.0] * len(i) + [0.0] * (n - len(i)) for i in ids])
            m = self.model
            h = m.norm(m.words[x] + m.positions[:n] + m.segments[0])
            for layer in m.layers:
                h = layer(h, torch.where(mask > 0, 0.0, -30000.0)[:, None, None, :])
            v = (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            for t, e in zip(new[at : at + 32], torch.nn.functional.normalize(v, dim=1).numpy()):
                self.cache[t] = e
        return np.stack([self.cache[t] for t in texts])

    def right(self, row):
        options = render.render_options(row["type"], row["criteria"])
        e = self.embed([render.render_state(row["state"])] + [t for _, t in options])
        return options[int((e[1:] @ e[0]).argmax())][0] == row["label"]


def majorities(train):
    """The most common label of each (source, type), and of each type."""
    by = collections.defaultdict(collections.Counter)
    for r in train:
        for key in ((r["source"], r["type"]), r["type"]):
            by[key][str(r["label"])] += 1
    return {k: c.most_common(1)[0][0] for k, c in by.items()}


def table(rows, outcomes, base, key, out, plain=None, name=""):
    groups = collections.defaultdict(list)
    for i, r in enumerate(rows):
        groups[key(r)].append(i)
    out.append(f"| {name} | rows | accuracy (95 % interval) | ECE | {'unquantised | ' if plain else ''}cosine | majority of the type | majority of the source |")
    out.append("|---|---|---|---|---|---|---|" + ("---|" if plain else ""))
    for g, idx in sorted(groups.items()):
        n, k = len(idx), sum(outcomes[i][0] for i in idx)
        low, high = wilson(k, n)
        e = ece([outcomes[i][1] for i in idx], [outcomes[i][0] for i in idx])
        b = [base[i] for i in idx]
        pct = lambda j: f"{100 * sum(x[j] for x in b) / n:.1f}" if all(x[j] is not None for x in b) else ""
        mid = f"{100 * sum(plain[i][0] for i in idx) / n:.1f} | " if plain else ""
        out.append(f"| {g} | {n} | {100 * k / n:.1f} ({100 * low:.1f}–{100 * high:.1f}) | {e:.3f} | {mid}{pct(0)} | {pct(1)} | {pct(2)} |")
    out.append("")


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


def long_rows(seed, n=120):
    """Family rows whose state is hidden in some 600 to 1,200 tokens of other sentences."""
    rng = random.Random(seed)
    pool = families.rows(60, "dev", seed, only={"routing", "extraction", "permission", "dialogue", "harm", "triage", "personal", "urgency", "change", "claim"})
    pool = [r for r in pool if isinstance(r["state"], str) and len(r["state"]) < 400]
    out = []
    for r in rng.sample(pool, min(n, len(pool))):
        k = rng.randint(60, 120)
        filler = [rng.choice(banks.FILLER) for _ in range(k)]
        at = rng.randint(0, k)
        out.append({**r, "state": " ".join(filler[:at] + [r["state"]] + filler[at:])})
    return out


def window_rules(model, rows, config, out):
    parts = predict.window_logits(model, rows)
    counts = [len(p) for p in parts]
    out.append(f"{len(rows)} rows of {min(counts)} to {max(counts)} windows:\n")
    out.append("| rule | accuracy | negative log-likelihood | ECE |")
    out.append("|---|---|---|---|")
    for rule in ("mean", "weighted", "confident"):
        o = [outcome(r, predict.combine(p, rule), config["temperatures"]) for r, p in zip(rows, parts)]
        out.append(f"| {rule} | {100 * np.mean([x[0] for x in o]):.1f} | {np.mean([x[3] for x in o]):.3f} | {ece([x[1] for x in o], [x[0] for x in o]):.3f} |")
    out.append("")


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


def tables(model, config, every, args, out):
    dev, train = [r for r in every if r["split"] == "dev"], [r for r in every if r["split"] == "train"]
    own = families.rows(40, "dev", 9)
    rows, n = dev + own, len(dev)
    outcomes = [outcome(r, z, config["temperatures"]) for r, z in zip(rows, predict.logits_of(model, rows, config["windows"]))]
    plain = []
    if args.checkpoint:
        whole, _ = weights.from_checkpoint(args.checkpoint, averaged=not args.last)
        plain = [outcome(r, z, config["temperatures"]) for r, z in zip(rows, predict.logits_of(whole, rows, config["windows"]))]
    cosine, most = Cosine(), majorities(train)
    base = []
    for r in rows:
        of_type = None if r["type"] == "choice" else most[r["type"]] == str(r["label"])
        of_source = None if r["type"] == "choice" or (r["source"], r["type"]) not in most else most[(r["source"], r["type"])] == str(r["label"])
        base.append((cosine.right(r) if r["type"] == "choice" else None, of_type, of_source))
    out.append("### dev, by type\n")
    table(dev, outcomes[:n], base[:n], lambda r: r["type"], out, plain[:n], "type")
    table(dev, outcomes[:n], base[:n], lambda r: "all", out, plain[:n], "dev")
    out.append("### dev, by source\n")
    table(dev, outcomes[:n], base[:n], lambda r: f"{r['source']}, {r['type']}", out, plain[:n], "source, type")
    out.append("### Our own families\n")
    table(own, outcomes[n:], base[n:], lambda r: r["type"], out, plain[n:], "type")
    table(own, outcomes[n:], base[n:], lambda r: r["source"][7:], out, plain[n:], "family")


def checks(model, config, every, out):
    dev, rng = [r for r in every if r["split"] == "dev"], random.Random(4)
    out.append("### Order, steps, windows, abstaining\n")
    abstain(model, [r for r in every if r["split"] in ("dev", "calib")], config, out)
    shuffled(model, dev, config, rng, out)
    window_rules(model, long_rows(31), config, out)
    hybrid(model, families.rows(40, "dev", 21), config, out)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("data")
    a.add_argument("--checkpoint", help="also measure its unquantised weights")
    a.add_argument("--last", action="store_true", help="of the checkpoint, the last step instead of the running average")
    a.add_argument("--part", choices=["tables", "checks"], help="one half alone")
    a.add_argument("--out")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    every, out = data.load(os.path.join(args.data, "decisions.jsonl.gz")), []
    if args.part != "checks":
        tables(model, config, every, args, out)
    if args.part != "tables":
        checks(model, config, every, out)
    text = "\n".join(out)
    print(text)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            f.write(text + "\n")


if __name__ == "__main__":
    main()
