"""Tokenised rows as plain arrays: each text stored once, rows that refer to texts. Needs numpy alone, so that it runs
from a pack.

Arrays (T texts, R rows, U units, V words):
    vocabulary  uint32 [V]: base ids of the words used, sorted; `tokens` are indices into it
    tokens      uint32 (uint16 in packs): all texts concatenated, with prefix and special tokens
    text_start  uint32 [T+1]
    value_start uint32 [T+1], value_at uint16, value_kind uint8, value float64: numbers, dates and times, and the
    token each belongs to
    state, question uint32 [R]: texts; kind uint8 [R]: index into KINDS
    option_start uint32 [R+1], options uint32: texts; target float16: probability of each option; label uint8 [R]:
    the right option
    group, lang uint8 [R], source uint16 [R]: indices into `names`
    denial, pair uint32 [R]: the same number for a question and its negation, or for a minimal pair; 0 for none
    unit_start  uint32 [U+1]: rows of a unit meet in one batch
"""

import json

import numpy as np

KINDS = ("choice", "score", "noul")
SPECIAL = (0, 1, 2, 3)  # <s>, <pad>, </s>, <unk>: the first four of every vocabulary
UNKNOWN = 3
MOST_WORDS = 65_535  # of a pack
DTYPES = {
    "vocabulary": np.uint32,
    "tokens": np.uint32,
    "text_start": np.uint32,
    "value_start": np.uint32,
    "value_at": np.uint16,
    "value_kind": np.uint8,
    "value": np.float64,
    "state": np.uint32,
    "question": np.uint32,
    "kind": np.uint8,
    "option_start": np.uint32,
    "options": np.uint32,
    "target": np.float16,
    "group": np.uint8,
    "lang": np.uint8,
    "source": np.uint16,
    "denial": np.uint32,
    "pair": np.uint32,
    "label": np.uint8,
    "unit_start": np.uint32,
}


class Builder:
    """Collects rows. A text is a tuple of base ids with its values, (token, kind, value) each."""

    def __init__(self):
        self.texts = []
        self.known = {}
        self.names = {"group": {}, "lang": {}, "source": {}}
        self.rows = {k: [] for k in ("state", "question", "kind", "group", "lang", "source", "denial", "pair", "label")}
        self.options = []
        self.targets = []
        self.unit_start = [0]

    def text(self, ids, values):
        """The number of a text, added if it is new."""
        at = self.known.get(ids)
        if at is None:
            at = self.known[ids] = len(self.texts)
            self.texts.append((ids, values))
        return at

    def unit(self, rows):
        """Adds a unit. A row is a dict: state, question (texts), kind (name), options (texts), target, label, group,
        lang, source, and denial, pair if any."""
        for row in rows:
            for k, column in self.rows.items():
                column.append(self.code(k, row.get(k, 0)))
            self.options.append(row["options"])
            self.targets += row["target"]
        self.unit_start.append(len(self.options))

    def code(self, column, value):
        if column == "kind":
            return KINDS.index(value)
        if column in self.names:
            return self.names[column].setdefault(value, len(self.names[column]))
        return value

    def arrays(self):
        """(arrays, about) for `save`."""
        tokens = np.concatenate([np.asarray(ids) for ids, _ in self.texts])
        vocabulary = np.union1d(SPECIAL, tokens)
        values = [v for _, some in self.texts for v in some]
        out = {
            "vocabulary": vocabulary,
            "tokens": np.searchsorted(vocabulary, tokens),
            "text_start": np.cumsum([0, *(len(ids) for ids, _ in self.texts)]),
            "value_start": np.cumsum([0, *(len(some) for _, some in self.texts)]),
            "value_at": [v[0] for v in values],
            "value_kind": [v[1] for v in values],
            "value": [v[2] for v in values],
            "option_start": np.cumsum([0, *map(len, self.options)]),
            "options": np.concatenate([np.asarray(o) for o in self.options]),
            "target": self.targets,
            "unit_start": self.unit_start,
            **self.rows,
        }
        arrays = {k: np.asarray(v, dtype=DTYPES[k]) for k, v in out.items()}
        return arrays, {"names": {k: list(v) for k, v in self.names.items()}}


class Dataset:
    """The arrays of a file as attributes; `names` decodes group, lang and source."""

    def __init__(self, path):
        with np.load(path) as f:
            for k in DTYPES:
                setattr(self, k, f[k])
            self.about = json.loads(bytes(f["names"]))
        self.names = self.about["names"]
        self.lengths = np.diff(self.text_start.astype(np.int64))  # tokens of each text [T]

    def __len__(self):
        return len(self.state)

    def units(self):
        return len(self.unit_start) - 1

    def text(self, at):
        """Tokens [n] of a text, as indices into the vocabulary."""
        return self.tokens[self.text_start[at] : self.text_start[at + 1]]

    def option_texts(self, row):
        return self.options[self.option_start[row] : self.option_start[row + 1]]

    def targets(self, row):
        return self.target[self.option_start[row] : self.option_start[row + 1]].astype(np.float32)

    def values(self, at):
        """(tokens, kinds, values) of the numbers, dates and times of a text."""
        part = slice(self.value_start[at], self.value_start[at + 1])
        return self.value_at[part], self.value_kind[part], self.value[part]

    def cost(self, row):
        """Tokens of state, question and options."""
        n = self.lengths
        return int(n[self.state[row]] + n[self.question[row]] + n[self.option_texts(row)].sum())

    def costs(self):
        """`cost` of every row."""
        n = self.lengths
        options = np.add.reduceat(n[self.options], self.option_start[:-1].astype(np.int64))
        return n[self.state] + n[self.question] + options

    def name(self, what, row):
        """The group, language or source of a row as text."""
        return self.names[what][getattr(self, what)[row]]


def save(path, arrays, about):
    np.savez(path, **arrays, names=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8))


def subset(data, units):
    """(arrays, about) of the first units, with the texts that they use; the vocabulary is unchanged."""
    rows = slice(0, int(data.unit_start[units]))
    options = data.options[: data.option_start[rows.stop]]
    used = np.unique(np.concatenate([data.state[rows], data.question[rows], options]))
    place = np.zeros(len(data.lengths), dtype=np.int64)
    place[used] = np.arange(len(used))
    values = spans(data.value_start, used)
    out = {k: getattr(data, k)[rows] for k in ("kind", "group", "lang", "source", "denial", "pair", "label")}
    out |= {k: getattr(data, k)[values] for k in ("value_at", "value_kind", "value")}
    out |= {
        "vocabulary": data.vocabulary,
        "tokens": data.tokens[spans(data.text_start, used)],
        "text_start": np.cumsum([0, *data.lengths[used]]),
        "value_start": np.cumsum([0, *np.diff(data.value_start.astype(np.int64))[used]]),
        "state": place[data.state[rows]],
        "question": place[data.question[rows]],
        "options": place[options],
        "option_start": data.option_start[: rows.stop + 1],
        "target": data.target[: len(options)],
        "unit_start": data.unit_start[: units + 1],
    }
    return {k: np.asarray(v, dtype=DTYPES[k]) for k, v in out.items()}, data.about


def spans(start, texts):
    """Indices of everything that belongs to some texts, given where each text's part starts."""
    return np.concatenate([np.arange(start[t], start[t + 1], dtype=np.int64) for t in texts])


def in_16_bits(arrays):
    """(arrays with the MOST_WORDS most frequent words and 16-bit tokens, share of tokens that became <unk>)."""
    counts = np.bincount(arrays["tokens"], minlength=len(arrays["vocabulary"]))
    counts[: len(SPECIAL)] = counts.max() + 1
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_WORDS])
    kept = kept[counts[kept] > 0]
    place = np.full(len(counts), UNKNOWN)
    place[kept] = np.arange(len(kept))
    tokens = place[arrays["tokens"]]
    lost = float(((tokens == UNKNOWN) & (arrays["tokens"] != UNKNOWN)).mean())
    return {**arrays, "vocabulary": arrays["vocabulary"][kept], "tokens": tokens.astype(np.uint16)}, lost
