"""What training draws from: the rows of both data folders and of our families, and how often each source is drawn.

Groups of sources have fixed shares. Inside a group a source is drawn with the square root of its (capped) size, so that
a task of 80 rows is seen beside one of 9,000, and its rows in a shuffled cycle. Rows of `dev`, `calib` and `newtask` are never
drawn, nor KEPT_OUT, nor the files named `unstated` (the licence of their sources is not known), nor families held out whole.
"""
import glob
import hashlib
import json
import os

import data
import families
from families import conclusions
import posts
import written

CAP = 4000
# Tasks of train that are kept out whole beside `newtask`, whose half `choose` holds few kinds of task: choices are made on them too.
KEPT_OUT = {"circa", "clickbait", "diplomacy", "hatexplain", "healthfact", "paws", "pawsx", "quarel", "review", "ruletaker", "scicite", "scitail", "scitail1.1",
            "own:policy/refund", "own:adequacy/delivery", "own:rubric/outage"}
# Shares of the draws at first and later. Groups without rows are left out and the rest is scaled up. What carries over to other tasks
# comes first: entailment, reading, our families.
FIRST = {"values": 0.55, "families": 0.20, "entail": 0.07, "read": 0.04, "old": 0.05, "old-families": 0.02, "own": 0.02, "intent": 0.02, "ni": 0.03}
LATER = {"written": 0.24, "new-families": 0.10, "values": 0.05, "families": 0.09, "entail": 0.15, "read": 0.12, "old": 0.06, "old-families": 0.03, "own": 0.02, "intent": 0.03, "ni": 0.18, "other": 0.03, "posts": 0.03}
# Sources whose questions are about which of two numbers, dates or times is the greater.
VALUES = {*(f"family:{f}" for f in ("compared", "extremes", "bounded", "numbers", "dates", "claims", "measures", "against_limit", "thresholds", "schedules", "time_window", "tiers", "sums", "table", "deadline", "hours", "amount",
                                    "eligibility", "purchase", "extraction", "moderation_rule")),
          "procedural:table", "procedural:date", "procedural:tier", "procedural:moderation", "tabfact", "checklist:tabfact", "ni:task212_logic2text_classification"}
ENTAIL = {"mnli", "infotabs", "conjnli", "ambient", "tabfact", "checklist", "logicbench", "condaqa", "superglue", "hans", "farstail", "help", "defeasible", "logic2text", "wscfixed"}
READ = {"cosmosqa", "socialiqa", "hybridqa", "quartz", "ropes", "babi", "propara", "wiqa", "pubmedqa", "torque", "iirc", "disflqa", "disfl", "air", "timetravel", "ecare", "figqa", "copa",
        "swag", "qasc", "senteval", "gap", "enhanced", "openpi", "codah", "legalbench", "overruling", "scruples", "atomic"}
INTENT = {"nlupp", "metatool", "bfcl", "restaurant8k", "hh-rlhf", "clickbait", "ukpconvarg"}
# Factors on a source's draws: what a model of this size hardly learns, or what teaches little beyond itself, is drawn less.
FACTOR = {"gsm8k-solutions": 0.0, "llmbar": 0.3, "pandalm-test": 0.3, "pubmedqa-l": 0.4, "procedural:tradeoff": 0.5, "procedural:urn": 0.5,
          "mnli": 2.0, "infotabs": 1.6, "conjnli": 1.5, "condaqa": 2.0, "blimp": 0.15, "csqa2": 0.4, "creak": 0.4, "openbookqa": 0.5, "xcopa": 0.3,
          "xed": 0.3, "wordnet": 0.5, "winogender": 0.5, "wnut17": 0.5, "legalbench": 0.5}
# Families that were learnt within the first quarter of the run (over 90 % right) leave room for the others.
FACTOR.update({"family:compared": 2.5, "family:extremes": 1.5, "family:amount": 0.5, "family:time_window": 0.4, "family:purchase": 0.5, "procedural:moderation": 0.5, "procedural:tier": 0.6})
FACTOR.update({f"family:{f}": 2.0 for f in conclusions.FAMILIES})
FACTOR.update({f"family:{f}": 0.4 for f in ("certainty", "sarcasm", "distractor", "flags", "foreign", "wanted", "urgent", "stars", "needle", "nothing_fits", "present", "severity")})


def held(row):
    """A slice of train kept out of it by the hash of the state."""
    key = hashlib.sha256(json.dumps(row["state"], sort_keys=True).encode()).digest()
    return key[0] == 7 and key[1] < 128


def task_group(source):
    """Tasks of one source belong together: the word behind the number of a Super-NaturalInstructions task, else the head."""
    head = source.split(":")[0]
    return source.split("_")[1] if head == "ni" else source if head == "own" else head


def load_decisions(folder):
    return data.load(os.path.join(folder, "decisions.jsonl.gz"))


def decisions2_files(folder):
    return [p for kind in ("ni", "other") for p in sorted(glob.glob(os.path.join(folder, f"decisions2-{kind}-*.jsonl.gz")))]


def load_decisions2(folder, splits):
    return [r for path in decisions2_files(folder) for r in data.lines(path) if r["split"] in splits]


def group_of(row):
    source = row["source"]
    head = source.split(":")[0]
    if source in VALUES or source.startswith(("own:pick/", "own:policy/")):
        return "values"
    if head in ("posts", "written"):
        return head
    if head == "family":
        return "old-families" if source[7:] in families.FIRST else "new-families" if source[7:] in families.FOURTH else "families"
    if row.get("old"):
        return "old"
    group = task_group(source)
    return "entail" if group in ENTAIL else "read" if group in READ else "own" if head == "own" else "intent" if group in INTENT else "ni" if head == "ni" else "other"


def factor(source):
    return FACTOR.get(source, FACTOR.get(source.split(":")[0], 1.0))


class Draw:
    """Units of rows without end; `later` says which shares hold. Rows that belong together (the two of a pair, the two of a denial)
    are one unit, so that they meet in one batch. Rows are held as JSON text, a quarter of the memory of parsed ones."""

    def __init__(self, rows, rng):
        self.rng, self.groups, self.later, at = rng, {}, False, {}
        for r in rows:
            source = self.groups.setdefault(group_of(r), {}).setdefault(r["source"], [])
            key = ("pair", r["pair"]) if "pair" in r else ("neg", r["neg"]) if "neg" in r else None
            packed = json.dumps(r, ensure_ascii=False).encode()
            if key in at and key:
                at[key].append(packed)
            else:
                source.append([packed])
                if key:
                    at[key] = source[-1]
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
        return [json.loads(r) for r in left.pop()]


def training_rows(old, new, moderation, per_family, seed):
    """Rows that weights may see, one after another."""
    left_out = set()
    for r in data.lines(os.path.join(old, "decisions.jsonl.gz")):
        if r["split"] == "train" and not held(r):
            yield {**r, "old": True}
    for path in decisions2_files(new):
        for r in data.lines(path):
            unseen = r["split"] == "newtask" or task_group(r["source"]) in KEPT_OUT
            if unseen and isinstance(r["state"], str):
                left_out.add(r["state"])
            elif r["split"] == "train" and not unseen and not held(r):
                yield r
    yield from posts.rows(moderation, left_out, per_family, seed)
    yield from written.rows("train")
    yield from families.rows(per_family, "train", seed, only=families.taught())
