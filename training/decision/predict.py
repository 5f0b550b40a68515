"""Logits and probabilities of rows, as the engine computes them: groups, windows, temperatures."""
import math

import numpy as np
import torch

import data

CHOICE_BUCKETS = (2, 4, 8, 16)
SCORE_BUCKETS = (3, 5)


def bucket(kind, n):
    """Index into the temperatures of a type: choice 2, 3-4, 5-8, 9-16, 17+; score 2-3, 4-5, 6-10; noul one."""
    if kind == "noul":
        return 0
    return sum(n > top for top in (CHOICE_BUCKETS if kind == "choice" else SCORE_BUCKETS))


def softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


RULES = ("mean", "weighted", "confident", "max", "logsumexp", "deviant", "surest2")


def combine(windows, rule):
    """One logit an option from those of every window. `mean`; `weighted`: mean weighted by 1 - entropy / ln k; `confident`: the
    window with the highest top probability; `max`: the largest logit of each option, above its window's mean; `logsumexp`: likewise,
    soft; `deviant`: mean weighted by the fourth power of the distance from the median of all (of two, from equal scores); `surest2`: mean of the two most confident."""
    z = np.stack(windows)
    if len(z) == 1 or rule == "mean":
        return z.mean(0)
    p = np.stack([softmax(w) for w in z])
    if rule == "confident":
        return z[p.max(1).argmax()]
    if rule == "surest2":
        return z[np.argsort(-p.max(1))[:2]].mean(0)
    flat = z - z.mean(1, keepdims=True)
    if rule == "max":
        return flat.max(0)
    if rule == "logsumexp":
        return np.log(np.exp(flat).mean(0))
    if rule == "deviant":
        far = np.abs(flat - (np.median(flat, axis=0) if len(z) > 2 else 0.0)).sum(1)
        weight = np.maximum((far / max(far.max(), 1e-12)) ** 4, 1e-12)
        return (z * (weight / weight.sum())[:, None]).sum(0)
    weight = 1 + (p * np.log(np.maximum(p, 1e-12))).sum(1) / math.log(z.shape[1])
    weight = np.maximum(weight, 1e-6)
    return (z * (weight / weight.sum())[:, None]).sum(0)


@torch.no_grad()
def window_logits(model, rows, batch_tokens=4096):
    """For every row: a list of arrays, one a window, each with a logit an option in the order of the criteria."""
    jobs, out = [], []
    for r, row in enumerate(rows):
        options, sequences = data.encode(row)
        out.append([np.zeros(len(options)) for _ in range(1 + max(w for _, w, _ in sequences))])
        jobs += [(lay, r, w, idx) for idx, w, lay in sequences]
    jobs.sort(key=lambda j: len(j[0][0]))
    at = 0
    while at < len(jobs):
        end = at + 1
        while end < len(jobs) and len(jobs[end][0][0]) * (end + 1 - at) <= batch_tokens:
            end += 1
        part = jobs[at:end]
        logits = model(*data.collate([j[0] for j in part])[0]).numpy()
        for i, (_, r, w, idx) in enumerate(part):
            out[r][w][idx] = logits[i, : len(idx)]
        at = end
    return out


def logits_of(model, rows, rule="mean", batch_tokens=4096):
    return [combine(w, rule) for w in window_logits(model, rows, batch_tokens)]


def probabilities(z, kind, temperatures):
    return softmax(z / temperatures[kind][bucket(kind, len(z))])
