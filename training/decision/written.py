"""Scenarios written by hand (`written/*.jsonl`): a state, often a second one that differs in a word or a clause, and questions with the answers to both.

A line is `{"state", "alt"?, "questions": [{"q", "type", "a", "alt_a"?, "not"?, "options"? | "levels"?}]}`: `a` answers `q` on `state`,
`alt_a` on `alt`, and `not` asks for the opposite. One scenario in seven, by the hash of its state, is kept for `dev`.
"""
import glob
import hashlib
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER, BY_HAND = os.path.join(HERE, "written"), os.path.join(HERE, "handwritten.jsonl")


def split_of(scenario):
    key = hashlib.sha256(json.dumps(scenario["state"], sort_keys=True).encode()).digest()
    return "dev" if key[0] % 7 == 0 else "train"


def rows_of(scenario, name):
    """Rows of one scenario. Two states with opposite answers are a `pair`, a question and its opposite a `neg`."""
    states = [(scenario["state"], "a")] + ([(scenario["alt"], "alt_a")] if "alt" in scenario else [])
    for n, q in enumerate(scenario["questions"]):
        criteria = q.get("options") or q.get("levels")
        make = lambda state, text, label: {"state": state, "type": q["type"], "instructions": text, "criteria": criteria, "label": label, "source": f"written:{name}"}
        rows = [make(state, q["q"], q[key]) for state, key in states]
        if len(rows) == 2 and q["a"] != q["alt_a"]:
            rows = [{**row, "pair": f"{name}-{n}"} for row in rows]
        yield from rows
        if "not" in q:
            for k, (state, key) in enumerate(states):
                for text, label in ((q["q"], q[key]), (q["not"], not q[key])):
                    yield {**make(state, text, label), "neg": f"{name}-{n}-{k}"}


def rows(split):
    """All rows of a split, `train` or `dev`."""
    out = []
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.jsonl"))):
        name = os.path.basename(path).removesuffix(".jsonl")
        with open(path, encoding="utf-8") as f:
            for line, text in enumerate(f):
                scenario = json.loads(text)
                if split_of(scenario) == split:
                    out += [{**row, "split": split} for row in rows_of(scenario, f"{name}-{line}")]
    for row in out:
        row["source"] = row["source"].rsplit("-", 1)[0]
    return out


def by_hand():
    """107 everyday questions that measure and nothing else: they were written before the scenarios, whose authors had not seen them."""
    with open(BY_HAND, encoding="utf-8") as f:
        return [{**json.loads(line), "split": "dev"} for line in f]
