"""What training draws from: the rows of both data folders and of our families, and how often each source is drawn.

Groups of sources have fixed shares. Inside a group a source is drawn with the square root of its (capped) size, so that
a task of 80 rows is seen beside one of 9,000, and its rows in a shuffled cycle. Rows of `dev`, `calib` and `newtask` are never
drawn, nor the files named `unstated` (the licence of their sources is not known), nor families held out whole.
"""
import glob
import hashlib
import json
import os

import data
import families

CAP = 4000
# Shares of the draws at first and later. Groups without rows are left out and the rest is scaled up. Skills come first: a mixture of
# everything from the start learnt nothing of reading a record in 8,000 rows, which 3,000 rows of that kind alone teach.
FIRST = {"families": 0.74, "old": 0.10, "old-families": 0.04, "entail": 0.08, "own": 0.04}
LATER = {"families": 0.30, "old": 0.30, "old-families": 0.12, "entail": 0.12, "own": 0.03, "intent": 0.05, "ni": 0.06, "other": 0.02}
ENTAIL = ("mnli", "infotabs", "conjnli", "ambient", "tabfact", "checklist", "logicbench", "condaqa")
INTENT = ("nlupp", "metatool", "bfcl", "restaurant8k", "hh-rlhf", "clickbait", "ukpconvarg")
# Factors on a source's draws: what a model of this size hardly learns, or what teaches little beyond itself, is drawn less.
FACTOR = {"gsm8k-solutions": 0.0, "llmbar": 0.3, "pandalm-test": 0.3, "pubmedqa-l": 0.4, "procedural:tradeoff": 0.5, "procedural:urn": 0.5,
          "mnli": 2.0, "infotabs": 1.6, "conjnli": 1.5, "condaqa": 2.0, "blimp": 0.15, "csqa2": 0.4, "creak": 0.4, "openbookqa": 0.5, "xcopa": 0.3,
          "xed": 0.3, "wordnet": 0.5, "winogender": 0.5, "wnut17": 0.5, "legalbench": 0.5}
# Families that were learnt within the first quarter of the run (over 90 % right) leave room for the others.
FACTOR.update({f"family:{f}": 0.4 for f in ("certainty", "sarcasm", "distractor", "flags", "foreign", "wanted", "urgent", "stars", "needle", "nothing_fits", "present", "severity")})


def held(row):
    """A slice of train kept out of it by the hash of the state."""
    key = hashlib.sha256(json.dumps(row["state"], sort_keys=True).encode()).digest()
    return key[0] == 7 and key[1] < 128


def load_decisions(folder):
    return data.load(os.path.join(folder, "decisions.jsonl.gz"))


def load_decisions2(folder, splits):
    out = []
    for kind in ("ni", "other"):
        for path in sorted(glob.glob(os.path.join(folder, f"decisions2-{kind}-*.jsonl.gz"))):
            out += [r for r in data.load(path) if r["split"] in splits]
    return out


def group_of(row):
    source = row["source"]
    head = source.split(":")[0]
    if head == "family":
        return "old-families" if source[7:] in families.FIRST else "families"
    if row.get("old"):
        return "old"
    return "entail" if head in ENTAIL else "own" if head == "own" else "intent" if head in INTENT else "ni" if head == "ni" else "other"


def factor(source):
    return FACTOR.get(source, FACTOR.get(source.split(":")[0], 1.0))


def units(rows):
    """Rows that belong together (the two of a pair, the two of a denial) as one unit, so that they meet in one batch."""
    out, at = [], {}
    for r in rows:
        key = ("pair", r["pair"]) if "pair" in r else ("neg", r["neg"]) if "neg" in r else None
        if key in at and key:
            at[key].append(r)
        else:
            out.append([r])
            if key:
                at[key] = out[-1]
    return out


class Draw:
    """Units of rows without end; `later` says which shares hold."""

    def __init__(self, rows, rng):
        self.rng, self.groups, self.later = rng, {}, False
        for r in rows:
            self.groups.setdefault(group_of(r), {}).setdefault(r["source"], []).append(r)
        self.groups = {g: {s: units(v) for s, v in sources.items()} for g, sources in self.groups.items()}
        self.sources = {g: list(v) for g, v in self.groups.items()}
        self.weights = {g: [min(len(self.groups[g][s]), CAP) ** 0.5 * factor(s) for s in self.sources[g]] for g in self.groups}
        self.left = {}

    def unit(self):
        shares = {g: s for g, s in (LATER if self.later else FIRST).items() if g in self.groups}
        group = self.rng.choices(list(shares), list(shares.values()))[0]
        source = self.rng.choices(self.sources[group], self.weights[group])[0]
        left = self.left.get(source)
        if not left:
            left = self.left[source] = list(self.groups[group][source])
            self.rng.shuffle(left)
        return left.pop()


def training_rows(old, new, per_family, seed):
    rows = [{**r, "old": True} for r in load_decisions(old) if r["split"] == "train" and not held(r)]
    rows += [r for r in load_decisions2(new, ("train",)) if not held(r)]
    return rows + families.rows(per_family, "train", seed, only=families.taught())
