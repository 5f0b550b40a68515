"""Other forms of the same question, with the answer that follows: used in training, and to test coherence.

A yes/no question asked through its negation, as a choice, as two levels; a choice as a yes/no question about one of
its options, with other keys, or without the right option; levels as a choice or as "at least this level?".
"""
import data
import render

NEGATED = ["Is the answer to this question no? {q}", "Would it be wrong to answer yes? {q}", "Should this be answered with no? {q}"]
DENIED = ["It is not true that: {q}", "Is the following false? {q}", "This is wrong: {q}", "Is it untrue that: {q}"]
YES_NO = [("yes", "no"), ("true", "false"), ("Yes", "No"), ("holds", "does_not_hold"), ("correct", "incorrect"), ("it_is_so", "it_is_not_so")]
PROPOSED = ["{q} Is the answer: {a}?", "{q} Proposed answer: {a}. Is it right?", "{q} Would \"{a}\" be right?", "Question: {q} Answer: {a}", "Is \"{a}\" the right answer to this? {q}"]
AT_LEAST = ["{q} Is it at least: {a}?", "{q} Does it reach the level \"{a}\"?", "Is it \"{a}\" or more? {q}"]


def text_of(row):
    return render.render_question(row["instructions"]).strip()


def plain(row):
    """A row with a single hard label."""
    return not row.get("probs") and text_of(row)


def deniable(row):
    return row["type"] == "noul" and plain(row) and not row["criteria"] and len(text_of(row)) < 200


def negated(row, rng):
    q = text_of(row)
    form = rng.choice(NEGATED if q.endswith("?") else DENIED)
    return {**row, "instructions": form.format(q=q), "label": not row["label"]}


def as_choice(row, rng):
    yes, no = rng.choice(YES_NO)
    c = row["criteria"] or {}
    return {**row, "type": "choice", "criteria": {yes: c.get("true"), no: c.get("false")}, "label": yes if row["label"] else no}


def as_levels(row, rng):
    names = [["no", "yes"], ["not so", "so"], ["it does not hold", "it holds"]]
    return {**row, "type": "score", "criteria": list(rng.choice(names)), "label": int(row["label"]), "reversible": False}


def proposed(row, rng):
    texts = dict(render.render_options("choice", row["criteria"]))
    right = rng.random() < 0.5
    others = [k for k in texts if k != row["label"]]
    key = row["label"] if right or not others else rng.choice(others)
    return {**row, "type": "noul", "criteria": None, "instructions": rng.choice(PROPOSED).format(q=text_of(row), a=texts[key]), "label": key == row["label"]}


def renamed(row, rng):
    """Keys that say nothing, with the old key told in the description."""
    style = rng.choice(["abcdefghijklmnopqrstuvwxyz", [f"option_{i}" for i in range(1, 27)], [str(i) for i in range(1, 27)], [f"answer_{i}" for i in range(1, 27)]])
    items = list(row["criteria"].items())
    if len(items) > 26:
        return row
    rng.shuffle(items)
    new = {style[i]: d if d and len(d) > len(k) and rng.random() < 0.3 else (render.humanize(k) if not d else f"{render.humanize(k)}: {d}") for i, (k, d) in enumerate(items)}
    at = [k for k, _ in items].index(row["label"])
    return {**row, "criteria": new, "label": style[at]}


NONE = {"none_of_these": "None of the other options fits", "none": "None of them", "other": "Anything else", "none_fits": None, "something_else": "Something else than the options above"}


def robbed(row, rng):
    """The right option taken away; `none of these` is then right."""
    key = rng.choice(list(NONE))
    items = [(k, d) for k, d in row["criteria"].items() if k != row["label"]] + [(key, NONE[key])]
    return {**row, "criteria": dict(items), "label": key}


def levels_as_choice(row, rng):
    names = [str(x) for x in row["criteria"]]
    if len(set(names)) < len(names):
        return row
    return {**row, "type": "choice", "criteria": {n: None for n in names}, "label": names[row["label"]]}


def at_least(row, rng):
    k = rng.randint(1, len(row["criteria"]) - 1)
    return {**row, "type": "noul", "criteria": None, "instructions": rng.choice(AT_LEAST).format(q=text_of(row), a=row["criteria"][k]), "label": row["label"] >= k}


def other_form(row, rng):
    """A row as it is most of the time, else in one of its other forms."""
    if not plain(row):
        return row
    pick, kind = rng.random(), row["type"]
    if kind == "noul":
        if pick < 0.06 and deniable(row):
            return negated(row, rng)
        return as_choice(row, rng) if pick < 0.12 else as_levels(row, rng) if pick < 0.15 else row
    if kind == "choice":
        special = set(row["criteria"]) & (data.SPECIAL | set(NONE))
        if pick < 0.10 and row["label"] not in special:
            return proposed(row, rng)
        if pick < 0.15:
            return renamed(row, rng)
        return robbed(row, rng) if pick < 0.175 and not special and len(row["criteria"]) > 2 else row
    if pick < 0.08 and row.get("reversible", True):
        return at_least(row, rng)
    return levels_as_choice(row, rng) if pick < 0.16 else row
