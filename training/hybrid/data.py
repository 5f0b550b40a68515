"""Rows for the hybrid model, from what `dump_text` wrote: labels, masked labels, action labels, batches.

Refuses to guess: a label that a source does not state stays unknown, and so does an action that an unknown label could
change.
"""

import json
import pathlib
import random

import torch
from metrics import severity
from model import ACTION, FIRST_ACTION, HARMS, SLOTS

UNKNOWN = -1


def read(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]


def action(labels):
    """The policy's action for harms that are certain, links and raids aside; unknown if it hangs on an unknown
    label."""
    policy = severity()

    def at(unknown):
        threat = sum(
            policy["severity"][name] * (unknown if label is None else label) for name, label in zip(HARMS, labels)
        )
        return sum(threat > begins for begins in policy["steps"])

    return at(0) if at(0) == at(1) else None


def slots(labels):
    """Values of the nine slots as the decoder numbers them; UNKNOWN where nothing is known."""
    labels = labels[: len(HARMS)]
    act = action(labels)
    return [UNKNOWN if label is None else 1 + label for label in labels] + [
        UNKNOWN if act is None else FIRST_ACTION + act
    ]


def choose(rows, seed):
    """A sub-sample of the public training rows: all of the rarer harms, less of what is plentiful or plainly benign."""
    rng = random.Random(seed)
    rare = [HARMS.index(name) for name in ("harassment", "hate", "violence", "scam", "spam")]
    keep = {
        "davidson": 0.3,
        "tweeteval_offensive": 0.4,
        "toxic_spans": 0.25,
        "wiki_context_toxicity": 0.12,
        "conda": 0.4,
        "irc_ubuntu": 0.25,
        "slack_clojure": 0.3,
        "slack_racket18": 0.3,
        "edos": 0.6,
        "vicomtech": 0.6,
        "twitter_suicidal": 0.35,
        "sdcnl": 0.4,
        "clinc150": 0.4,
        "fox_news": 1.0,
    }

    def share(row):
        if any(row["labels"][at] == 1 for at in rare) and not (row["src"] == "conda" and row["labels"][2] != 1):
            return 1.0
        return keep.get(row["src"], 1.0)

    return [row for row in rows if rng.random() < share(row)]


# Languages whose benign sources are read in part; of all others less.
LANGUAGES = frozenset(
    ["de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "ar", "hi", "hi-Latn", "id", "zh", "ja", "ko"]
)
# Requests to an assistant, whose labels follow other guidelines.
REQUESTS = frozenset({"multijail"})
ABUSE = [HARMS.index(name) for name in ("toxic", "harassment", "hate")]


def is_abusive(row):
    return any(row["labels"][at] == 1 for at in ABUSE)


def some(rows, most, rng):
    """At most so many of the rows."""
    return rows if len(rows) <= most else rng.sample(rows, most)


def choose_languages(rows, rng):
    """A sub-sample of the rows in other languages: of each language and source at most so many abusive and benign ones.
    A row that its source knows to be no abuse of any kind counts as free of the other harms."""
    groups = {}
    for row in rows:
        if row["src"] not in REQUESTS:
            groups.setdefault((row["src"], row["lang"], is_abusive(row)), []).append(row)
    abusive = {(source, language) for source, language, abuse in groups if abuse}
    chosen = []
    for (source, language, abuse), group in sorted(groups.items()):
        if abuse:
            most = 4_000
        elif (source, language) in abusive:
            most = 3_000
        else:
            most = 250 if language in LANGUAGES else 80
        chosen += some(group, most, rng)
    return [
        {**row, "labels": [label or 0 for label in row["labels"]]}
        if row["labels"][0] == 0 and not is_abusive(row)
        else row
        for row in chosen
    ]


def encode(rows, tokenizer, limit=None):
    """Adds `ids` (message tokens without special ones) and `slots` to rows."""
    for row, read in zip(rows, tokenizer.encode_batch([row["text"] for row in rows], add_special_tokens=False)):
        row["ids"] = read.ids[: limit - 2] if limit else read.ids
        row["slots"] = slots(row["labels"])
    return rows


def batches(rows, tokens, rng):
    """Batches of about equal length and cost, in random order."""
    order = sorted(range(len(rows)), key=lambda at: (len(rows[at]["ids"]) + rng.random() * 4, rng.random()))
    groups, group = [], []
    for at in order:
        if group and (len(group) + 1) * (len(rows[at]["ids"]) + 2) > tokens:
            groups.append(group)
            group = []
        group.append(at)
    groups.append(group)
    rng.shuffle(groups)
    return [[rows[at] for at in group] for group in groups]


def labels_of(rows):
    """Slots as a tensor [N, 9]."""
    return torch.tensor([row["slots"] for row in rows]).view(-1, len(SLOTS))


def harms_of(rows):
    """1, 0 and UNKNOWN for each harm."""
    values = labels_of(rows)[:, :ACTION]
    return torch.where(values == UNKNOWN, values, values - 1)
