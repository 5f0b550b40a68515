"""What is drawn for training and how often, and the rows that choices are made on.

Sources belong to groups with fixed shares (SHARES). Within a group a source is drawn in proportion to the square root
of its (capped) size, its rows in a shuffled cycle. Never drawn: rows of `dev`, `calib` and `newtask`; tasks in
KEPT_OUT and `mixture.KEPT_OUT`; rows that show the state of such a row; files named `unstated`; sources in UNFIT,
whose passages have terms that forbid it. Share-alike rows (files named `-sa`) are drawn.
"""

import collections
import glob
import json
import os

import data
import families
import mixture
import written
import yardstick

# Tasks of decisions3 kept out of training for choices: phishing, relevance and support in sources or languages not
# trained on.
KEPT_OUT = ("own:phish:pt", "faquad:", "feedbackqa_australia:", "begin", "isarcasm_pair")
UNFIT = ("feedbackqa_who:", "feedbackqa_quebec:")
GROUPS = {
    "lang": "lang",
    "rag": "relevance",
    "support": "support",
    "triage": "triage",
    "own": "own-lang",
}  # by file of decisions3
SHARES = {
    "ni": 0.16,
    "other": 0.05,
    "entail": 0.12,
    "read": 0.08,
    "intent": 0.05,
    "old": 0.07,
    "own": 0.02,
    "lang": 0.11,
    "relevance": 0.10,
    "support": 0.06,
    "triage": 0.05,
    "own-lang": 0.07,
    "families": 0.07,
    "new-families": 0.06,
    "old-families": 0.02,
    "values": 0.10,
    "written": 0.04,
    "posts": 0.03,
}
FACTOR = {  # on the draws of sources of decisions3
    "own:logs": 1.5,
    "own:rules": 2.0,
    "own:phish": 1.5,
    "sib200": 0.6,
    "medquad": 0.7,
    "wellformed": 0.5,
    "janli": 0.5,
}
ALL_SPLITS = ("train", "newtask", "dev", "calib")


def decisions3(folder, splits):
    """Rows of decisions3 with their `group3`, of some splits, without UNFIT ones and without the file of long states."""
    for path in sorted(glob.glob(os.path.join(folder, "decisions3-*.jsonl.gz"))):
        group = GROUPS.get(os.path.basename(path).split("-")[1])
        for row in data.lines(path) if group else ():
            if row["split"] in splits and not row["source"].startswith(UNFIT):
                yield {**row, "group3": group}


def kept_out(row):
    """Whether a row of decisions3 is kept out of training as a whole task."""
    return row["split"] == "newtask" or row["source"].startswith(KEPT_OUT)


def state_key(row):
    return json.dumps(row["state"], sort_keys=True, ensure_ascii=False)


def kept_out_states(second, third):
    """Keys of the states of all rows that are kept out as whole tasks."""
    out = {state_key(r) for r in decisions3(third, ALL_SPLITS) if kept_out(r)}
    for path in mixture.decisions2_files(second):
        for r in data.lines(path):
            if r["split"] == "newtask" or mixture.task_group(r["source"]) in mixture.KEPT_OUT:
                out.add(state_key(r))
    return out


def training_rows(folders, per_family, seed):
    """Rows to train on. folders: decisions, decisions2, decisions3, moderation."""
    first, second, third, moderation = folders
    hidden = kept_out_states(second, third)
    for r in mixture.training_rows(first, second, moderation, per_family, seed):
        if state_key(r) not in hidden:
            yield r
    for r in decisions3(third, ("train",)):
        if not kept_out(r) and state_key(r) not in hidden:
            yield r


def group_of(row):
    return row.get("group3") or mixture.group_of(row)


def factor(source, group):
    if group in GROUPS.values():
        return next((f for name, f in FACTOR.items() if source.startswith(name)), 1.0)
    return mixture.factor(source)


def language_of(row):
    """ISO 639 code of the state; "xx" where a source without codes has several languages."""
    several = "foreign" in row["source"] or row["source"] == "xcopa"
    return row.get("lang") or ("xx" if several else "en")


def link(row):
    """What rows that must meet in one batch have in common, or None."""
    return ("pair", row["pair"]) if "pair" in row else ("neg", row["neg"]) if "neg" in row else None


class Draw:
    """Endless units of rows: minimal pairs and denials stay together; other rows of the same state may join. Rows are
    kept as JSON text, a quarter of the memory of parsed ones."""

    def __init__(self, rows, rng):
        self.rng = rng
        self.groups = {}
        self.by_state = collections.defaultdict(list)
        self.left = {}
        linked = {}
        for r in rows:
            self.add(r, linked)
        self.sources = {g: list(v) for g, v in self.groups.items()}
        self.weights = {g: [self.weight(g, s) for s in v] for g, v in self.sources.items()}
        self.shares = {g: s for g, s in SHARES.items() if g in self.groups}

    def add(self, row, linked):
        units = self.groups.setdefault(group_of(row), {}).setdefault(row["source"], [])
        packed = json.dumps(row, ensure_ascii=False).encode()
        key = link(row)
        if key in linked and key:
            linked[key].append(packed)
            return
        units.append([packed])
        if key:
            linked[key] = units[-1]
        else:
            self.by_state[self.state_hash(row)].append(packed)

    def weight(self, group, source):
        return min(len(self.groups[group][source]), mixture.CAP) ** 0.5 * factor(source, group)

    def state_hash(self, row):
        return hash((row["source"], state_key(row)))

    def siblings(self, row, most):
        """Up to `most` other rows of the same source and state."""
        rows = [json.loads(p) for p in self.by_state.get(self.state_hash(row), ())]
        rows = [r for r in rows if r["id"] != row["id"]] if "id" in row else []
        return self.rng.sample(rows, min(most, len(rows)))

    def unit(self):
        group = self.rng.choices(list(self.shares), list(self.shares.values()))[0]
        source = self.rng.choices(self.sources[group], self.weights[group])[0]
        left = self.left.get(source)
        if not left:
            left = self.left[source] = list(self.groups[group][source])
            self.rng.shuffle(left)
        unit = [json.loads(r) for r in left.pop()]
        if len(unit) == 1 and self.rng.random() < 0.5:
            unit += self.siblings(unit[0], 2)
        return unit


def held_rows(second, third, tasks, held, part):
    """{set: rows} of a half of what is kept out of training: `choose`, which choices are made on, or `report`, which is
    looked at once. tasks: rows of a set of tasks, about; held: rows of each family held out."""
    new2 = mixture.load_decisions2(second, ("newtask",))
    all3 = list(decisions3(third, ALL_SPLITS))
    new3 = [r for r in all3 if r["split"] == "newtask" and families.half(r["source"]) == part]
    both = {
        "new tasks": yardstick.new_tasks(new2, part, tasks),
        "families held out": yardstick.held_out(part, held),
        "decisions3, new tasks": yardstick.evenly(new3, 2 * tasks, 7),
    }
    if part == "report":
        return both
    kept3 = [r for r in all3 if r["split"] != "newtask" and r["source"].startswith(KEPT_OUT)]
    dev3 = [
        r for r in all3 if r["split"] == "dev" and r["group3"] == "own-lang" and not r["source"].startswith(KEPT_OUT)
    ]
    return {
        "new tasks": both["new tasks"],
        "tasks kept out": yardstick.kept_out(second, tasks),
        "families held out": both["families held out"],
        "decisions3, new tasks": both["decisions3, new tasks"],
        "decisions3, kept out": yardstick.evenly(kept3, tasks // 2, 7),
        "decisions3 own, dev": yardstick.evenly(dev3, tasks // 2, 7),
        "by hand": written.by_hand(),
    }
