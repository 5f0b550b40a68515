"""From rows to batches: token ids, positions, segments and markers as the model contract lays them out.

A row is what `decisions.jsonl.gz` holds: `state, type, instructions, criteria, label, probs?`, and `given?`, a list of
[question, answer] pairs. It refuses to cut: an input over 512 tokens becomes windows over the state, and a question
whose options pass 384 tokens becomes groups of options.
"""
import gzip
import json
import os

import numpy as np
import torch
from tokenizers import Tokenizer

import render
import values
from encoders import minilm_dir

CLS, SEP, MASK = 101, 102, 103
LIMIT, HEAD_LIMIT, WINDOW = 512, 384, 160
Q_LAST, OPT_FIRST, OPT_LAST, STATE_FIRST, STATE_LAST = 95, 96, 191, 192, 511

_tokenizer = None
_cache = {}


def tokenizer():
    global _tokenizer
    if _tokenizer is None:
        _tokenizer = Tokenizer.from_file(os.path.join(minilm_dir(), "tokenizer.json"))
        _tokenizer.no_truncation()
        _tokenizer.no_padding()
    return _tokenizer


def read(text):
    """(ids, values) of the WordPieces of a text without special tokens; a text that spells a special token (`[SEP]`) keeps no power.
    Values: for each token the (kind, value) that it is part of, or None."""
    hit = _cache.get(text)
    if hit is None:
        encoded = tokenizer().encode(text, add_special_tokens=False)
        ids = np.array([100 if t in (0, CLS, SEP, MASK) else t for t in encoded.ids], dtype=np.int32)
        held, spans = [None] * len(ids), values.values(text)
        at = 0
        for n, (start, end) in enumerate(encoded.offsets if spans else ()):
            while at < len(spans) and spans[at][1] <= start:
                at += 1
            if at < len(spans) and spans[at][0] < end:
                held[n] = spans[at][2:]
        hit = ids, held
        if len(_cache) < 150_000 and len(text) < 100:
            _cache[text] = hit
    return hit


def tokens(text):
    """The ids of `read`."""
    return read(text)[0]


def lines(path):
    """The rows of a file, one after another."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for line in f:
            yield json.loads(line)


def load(path):
    return list(lines(path))


def target(row, options):
    """Soft target over options, in their order."""
    keys = [k for k, _ in options]
    probs = row.get("probs")
    if probs:
        t = np.array([float(probs.get(k, 0.0)) for k in keys])
        if t.sum() > 0:
            return t / t.sum()
    label = row["label"]
    key = {True: "true", False: "false"}[label] if row["type"] == "noul" else str(label)
    t = np.zeros(len(keys))
    t[keys.index(key)] = 1.0
    return t


def layout(question, options, state):
    """One sequence: (ids, positions, segments, owners, marker indices, ranks). The parts are (ids, values) as `read` gives them.
    Owner: n for the marker and the tokens of the n-th option (from 1), 0 for everything else."""
    scales = values.Scales([question[1], state[1]])
    ids, owner, markers = [CLS, *question[0], SEP], [0] * (len(question[0]) + 2), []
    rank = [0, *map(scales.rank, question[1]), 0]
    pos = [min(i, Q_LAST) for i in range(len(ids))]
    for n, (opt, held) in enumerate(options, 1):
        markers.append(len(ids))
        ids.append(MASK)
        ids.extend(opt)
        rank += [0, *map(scales.rank, held)]
        pos.extend(min(OPT_FIRST + i, OPT_LAST) for i in range(len(opt) + 1))
        owner.extend([n] * (len(opt) + 1))
    ids.append(SEP)
    pos.append(OPT_LAST)
    seg = [0] * (len(question[0]) + 2)
    seg += [1] * (len(ids) - len(seg))
    ids.extend(state[0])
    ids.append(SEP)
    rank += [0, *map(scales.rank, state[1]), 0]
    pos.extend(min(STATE_FIRST + i, STATE_LAST) for i in range(len(state[0]) + 1))
    seg += [2] * (len(state[0]) + 1)
    owner += [0] * (len(ids) - len(owner))
    return ids, pos, seg, owner, markers, rank


def groups(question, option_tokens):
    """Indices of options a sequence: one group when all fit, else greedy packing in order to HEAD_LIMIT tokens."""
    fixed = len(question) + 3
    out, used = [[]], fixed
    for i, opt in enumerate(option_tokens):
        if out[-1] and used + 1 + len(opt) > HEAD_LIMIT:
            out.append([])
            used = fixed
        out[-1].append(i)
        used += 1 + len(opt)
    return out


def windows(state, head):
    """Slices of the state, a range, that fit beside `head` tokens: one if it fits whole, else of WINDOW tokens (or as many as the
    question has) and a quarter of the state at most, stride 3/4 of that, the last one flush with the end."""
    room = max(LIMIT - head - 1, 32)
    if len(state) <= room:
        return [state]
    room = min(room, max(min(max(WINDOW, head), len(state) // 4), 32))
    stride, out, at = room * 3 // 4, [], 0
    while at + room < len(state):
        out.append(state[at : at + room])
        at += stride
    out.append(state[len(state) - room :])
    return out


def encode(row):
    """(options, sequences): every sequence of a row as (option indices, window number, layout). Options stand in the
    serving order, sorted by text, then key. All groups of options see the same windows of the state."""
    options = render.render_options(row["type"], row["criteria"])
    order = sorted(range(len(options)), key=lambda i: (options[i][1], options[i][0]))
    q = read(render.with_given(render.render_question(row["instructions"]), row.get("given")))
    opts = [read(options[i][1]) for i in order]
    state, held = read(render.render_state(row["state"]))
    parts = groups(q[0], [ids for ids, _ in opts])
    head = max(len(q[0]) + 3 + sum(len(opts[i][0]) + 1 for i in g) for g in parts)
    out = []
    for w, part in enumerate(windows(range(len(state)), head)):
        for g in parts:
            part_of = lambda x: x[part.start : part.stop]
            out.append(([order[i] for i in g], w, layout(q, [opts[i] for i in g], (part_of(state), part_of(held)))))
    return options, out


def collate(layouts):
    """The arguments of the model for a batch, padded to its longest, and which markers are there."""
    n = max(len(x[0]) for x in layouts)
    m = max(len(x[4]) for x in layouts)
    b = len(layouts)
    ids, pos, seg, rank = (torch.zeros(b, n, dtype=torch.long) for _ in range(4))
    owner = torch.full((b, n), -1)
    markers = torch.zeros(b, m, dtype=torch.long)
    marked = torch.zeros(b, m, dtype=torch.bool)
    for i, (a, p, s, o, k, r) in enumerate(layouts):
        ids[i, : len(a)] = torch.tensor(a)
        pos[i, : len(a)] = torch.tensor(p)
        seg[i, : len(a)] = torch.tensor(s)
        owner[i, : len(a)] = torch.tensor(o)
        markers[i, : len(k)] = torch.tensor(k)
        rank[i, : len(r)] = torch.tensor(r)
        marked[i, : len(k)] = True
    return (ids, pos, seg, owner, markers, rank), marked


def vary(row, rng):
    """A training view of a row: fewer options, shuffled; descriptions sometimes dropped; levels sometimes reversed;
    none-of-these rows made by taking the right option away."""
    row = dict(row)
    kind = row["type"]
    if kind == "choice":
        items = list(row["criteria"].items())
        soft = row.get("probs") is not None
        limit = rng.choice((4, 6, 6, 8, 8, 16))
        if len(items) > limit and not soft:
            rest = [it for it in items if it[0] != row["label"]]
            special = [it for it in rest if it[0] in SPECIAL]
            plain = [it for it in rest if it[0] not in SPECIAL]
            rng.shuffle(plain)
            kept = (special if rng.random() < 0.7 else []) + plain
            items = [it for it in items if it[0] == row["label"]] + kept[: max(limit - 1, 1)]
        if all(same_as_key(k, d) for k, d in items):
            described = rng.random() < 0.5
            items = [(k, k.replace("_", " ") if described else None) for k, _ in items]
        elif rng.random() < 0.08 and not any(len(k) < 3 for k, _ in items):
            items = [(k, None if k not in SPECIAL else d) for k, d in items]
        if len(items) >= 3 and not soft and not SPECIAL & {k for k, _ in items} and rng.random() < 0.25:
            items.append(rng.choice(NOT_IT))
        rng.shuffle(items)
        row["criteria"] = dict(items)
    elif kind == "score" and rng.random() < 0.1 and row.get("reversible", True) and len(row["criteria"]) <= 5:
        n = len(row["criteria"])
        row["criteria"] = list(reversed(row["criteria"]))
        row["label"] = n - 1 - row["label"]
        if row.get("probs"):
            row["probs"] = {str(n - 1 - int(k)): v for k, v in row["probs"].items()}
    elif kind == "noul" and not row["criteria"] and rng.random() < 0.1:
        row["criteria"] = rng.choice([
            {"true": "the statement holds", "false": "the statement does not hold"},
            {"true": "it is so", "false": "it is not so"}, {"true": "true", "false": "false"}])
    return row


SPECIAL = {"none_of_these", "out_of_scope", "none_qualifies", "unclear", "other", "unknown", "none", "undecided",
           "insufficient_information", "none_fits", "tie", "something_else"}


# Options that are wrong where the right one is listed. Where sources have them they are right half the time, as no user's are.
NOT_IT = [("other", None), ("other", "anything else"), ("other", "everything else"), ("something_else", None), ("none_of_these", None),
          ("none_of_these", "no option fits"), ("none", "none of them"), ("unclear", None), ("unknown", "it is not said")]


def same_as_key(key, description):
    return description is None or render.same_words(key, description)
