"""Batches: the distinct texts of some rows, packed into lines, and where each question finds its parts. Needs numpy
and torch alone.

A batch is a dict of tensors (P lines of L tokens, T texts, Q questions with at most K options, J tokens of a question
and its options, S tokens of a state; "place" means an index into the flattened lines):
    ids, places, text [P, L]: word, position within its text, number of the text (-1 for padding)
    pool [P * L]: number of the text, T for padding; texts: T
    state_id, question_id [Q], option_id [Q, K]: numbers of texts; there [Q, K]: whether the option exists
    kind, denial [Q]; target [Q, K]
    joint [Q, J]: places; owner [Q, J]: 0 for the question, k for the k-th option, -1 for padding
    joint_ranks [Q, J]: ranks of values
    state [Q, S]: places; state_text [Q, S]: -1 for padding; state_ranks [Q, S]
    option_mean [Q, K, J], question_mean [Q, J]: weights for means over tokens
    rows: the rows in order; used: tokens without padding
"""

import random
from bisect import bisect_left

import numpy as np
import torch

RANKED = 31  # values of one kind that get a rank of their own; more share ranks
PREFIX = 3  # <s> and the two tokens of "query:"
SHORTEST_LINE = 64
TOKENS = 8  # lengths are multiples of it, so that a GPU meets fewer shapes
LENGTHS = np.array([64, 112, 176, 256])  # bounds of the classes of state lengths that share batches


class Scale:
    """Ranks of values among the values of a state. Like `values.Scales`, but of the state alone, so that a state's
    ranks can be cached."""

    def __init__(self, kinds, values):
        self.sorted = [sorted(set(values[kinds == k].tolist())) for k in range(4)]

    def rank(self, kind, value):
        """Even if the state has the value, odd if it lies between two of the state's."""
        known = self.sorted[kind]
        n = max(len(known), RANKED)
        at = bisect_left(known, value)
        return 2 * (at * RANKED // n) + (2 if at < len(known) and known[at] == value else 1)


def ranks_of(data, scale, text):
    """Ranks [tokens] of a text; 0 where there is no value."""
    out = np.zeros(data.lengths[text], dtype=np.int64)
    for at, kind, value in zip(*data.values(text)):
        out[at] = scale.rank(kind, value)
    return out


def pack(lengths, line):
    """([(line number, first token)] of texts, number of lines): first fit, longest first."""
    room = []
    out = [None] * len(lengths)
    for i in np.argsort(-np.asarray(lengths), kind="stable"):
        n = int(lengths[i])
        k = next((k for k, free in enumerate(room) if free >= n), len(room))
        if k == len(room):
            room.append(line)
        out[i] = (k, line - room[k])
        room[k] -= n
    return out, len(room)


def lay_out(data, texts):
    """(ids, places, text and pool of a batch; the first place of each text [T])."""
    lengths = data.lengths[texts]
    line = max(SHORTEST_LINE, -(-int(lengths.max()) // TOKENS) * TOKENS)
    where, lines = pack(lengths, line)
    ids = np.ones((lines, line), np.int64)
    places = np.zeros((lines, line), np.int64)
    text = np.full((lines, line), -1, np.int64)
    for n, (at, (k, first)) in enumerate(zip(texts, where)):
        part = slice(first, first + lengths[n])
        ids[k, part] = data.text(at)
        text[k, part] = n
        places[k, part] = np.arange(lengths[n])
    pool = np.where(text < 0, len(texts), text).reshape(-1)
    first_places = np.array([k * line + first for k, first in where])
    return {"ids": ids, "places": places, "text": text, "pool": pool}, first_places


def joining(n):
    """Tokens of a question or option of n tokens that enter the join stream: <s> and the text, without prefix and
    </s>."""
    return np.concatenate([[0], np.arange(PREFIX, n - 1)])


def padded(parts, fill, multiple=1):
    """[len(parts), longest] of sequences of numbers, the longest rounded up to a multiple."""
    out = np.full((len(parts), -(-max(map(len, parts)) // multiple) * multiple), fill, dtype=np.int64)
    for i, p in enumerate(parts):
        out[i, : len(p)] = p
    return out


def spread(parts, places):
    """`padded` of places in the lines, with other places in the padding, since adding up gradients is slow where many
    meet in one place."""
    out = padded(parts, -1, TOKENS)
    gaps = out < 0
    out[gaps] = np.arange(gaps.sum()) % places
    return out


def join_arrays(data, row, first, number):
    """Of one row: places, owners and ranks of the join stream's tokens [J], and ranks of the state's tokens [S]."""
    scale = Scale(*data.values(data.state[row])[1:])
    texts = [data.question[row], *data.option_texts(row)]
    tokens = [joining(data.lengths[t]) for t in texts]
    places = np.concatenate([first[number[t]] + w for t, w in zip(texts, tokens)])
    owner = np.concatenate([np.full(len(w), k) for k, w in enumerate(tokens)])
    ranks = np.concatenate([ranks_of(data, scale, t)[w] for t, w in zip(texts, tokens)])
    return places, owner, ranks, ranks_of(data, scale, data.state[row])


def means(owner, options):
    """(option_mean, question_mean) of a batch."""
    option = owner[:, None, :] == np.arange(1, options + 1)[None, :, None]
    question = owner == 0
    share = lambda mask: (mask / np.maximum(mask.sum(-1, keepdims=True), 1)).astype(np.float32)
    return share(option), share(question)


def collate(data, rows):
    """The batch of some rows (indices); see the top of the file."""
    texts = sorted({int(t) for r in rows for t in (data.state[r], data.question[r], *data.option_texts(r))})
    number = {t: n for n, t in enumerate(texts)}
    out, first = lay_out(data, np.array(texts))
    joints = [join_arrays(data, r, first, number) for r in rows]
    states = [number[int(data.state[r])] for r in rows]
    options = [[number[int(t)] for t in data.option_texts(r)] for r in rows]
    lengths = [data.lengths[data.state[r]] for r in rows]
    target = np.zeros((len(rows), max(map(len, options))), np.float32)
    for i, r in enumerate(rows):
        target[i, : len(options[i])] = data.targets(r)
    owner = padded([j[1] for j in joints], -1, TOKENS)
    option_mean, question_mean = means(owner, target.shape[1])
    out |= {
        "state_id": states,
        "question_id": [number[int(data.question[r])] for r in rows],
        "option_id": padded(options, 0),
        "there": padded(options, -1) >= 0,
        "kind": data.kind[rows].astype(np.int64),
        "denial": data.denial[rows].astype(np.int64),
        "target": target,
        "joint": spread([j[0] for j in joints], out["ids"].size),
        "owner": owner,
        "joint_ranks": padded([j[2] for j in joints], 0, TOKENS),
        "state": spread([first[s] + np.arange(n) for s, n in zip(states, lengths)], out["ids"].size),
        "state_text": padded([np.full(n, s) for s, n in zip(states, lengths)], -1, TOKENS),
        "state_ranks": padded([j[3] for j in joints], 0, TOKENS),
        "option_mean": option_mean,
        "question_mean": question_mean,
    }
    tensors = {k: torch.as_tensor(np.asarray(v)) for k, v in out.items()}
    return {**tensors, "texts": len(texts), "rows": list(rows), "used": int(data.lengths[texts].sum())}


def to_device(b, device):
    return {k: v.to(device, non_blocking=True) if torch.is_tensor(v) else v for k, v in b.items()}


class Order:
    """Endless lists of rows: units shuffled every epoch, sorted within chunks, cut at a number of tokens. Units whose
    states are about as long share a batch, because attention pays for the longest text; then those with about as many
    tokens in question and options."""

    def __init__(self, data, tokens, seed, longest):
        self.data = data
        self.tokens = tokens
        self.rng = random.Random(seed)
        self.cost = data.costs()
        self.state = data.lengths[data.state]
        self.longest = longest

    def __iter__(self, chunk=2048):
        units = list(range(self.data.units()))
        while True:
            self.rng.shuffle(units)
            for at in range(0, len(units), chunk):
                lists = self.cut(sorted(self.rows_of(units[at : at + chunk]), key=self.key))
                self.rng.shuffle(lists)
                yield from lists

    def rows_of(self, units):
        """Rows of each unit, without those that are too long."""
        start = self.data.unit_start
        rows = [np.arange(start[u], start[u + 1]) for u in units]
        return [kept for u in rows if len(kept := u[self.cost[u] <= self.longest])]

    def key(self, rows):
        joint = (self.cost[rows] - self.state[rows]).max() * (1 + 0.05 * self.rng.random())
        return (int((self.state[rows].max() > LENGTHS).sum()), joint)

    def cut(self, units):
        lists = []
        used = self.tokens
        for u in units:
            cost = int(self.cost[u].sum())
            if used + cost > self.tokens:
                lists.append([])
                used = 0
            lists[-1] += u.tolist()
            used += cost
        return [rows for rows in lists if rows]
