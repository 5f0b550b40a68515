"""What the families share: a seeded generator that keeps values back from train, and the three row shapes."""
import banks as b


class Gen:
    def __init__(self, rng, split):
        self.rng, self.split = rng, split

    def coin(self, p=0.5):
        return self.rng.random() < p

    def pick(self, xs):
        """One of a list. The last sixth of a list of four or more is kept back from train."""
        xs = list(xs)
        kept = max(len(xs) // 6, 1) if len(xs) >= 4 else 0
        if kept and self.split == "train":
            xs = xs[:-kept]
        elif kept and self.coin():
            xs = xs[-kept:]
        return self.rng.choice(xs)

    def other(self, xs, x):
        return self.rng.choice([y for y in xs if y != x])

    def name(self):
        return self.pick(b.NAMES)

    def join(self, xs):
        return xs[0] if len(xs) == 1 else ", ".join(xs[:-1]) + " and " + xs[-1]

    def filler(self, n):
        return [self.pick(b.FILLER) for _ in range(n)]

    def lengthen(self, rows):
        """The same rows with the state hidden among sentences that have nothing to do with it."""
        state, n = rows[0]["state"], self.rng.choice([4, 8, 12, 20])
        if any(r["state"] is not state for r in rows):
            return rows
        filler = self.filler(n)
        if isinstance(state, str):
            at = self.rng.randint(0, n)
            new = " ".join(filler[:at] + [state] + filler[at:])
        elif isinstance(state, dict):
            new = dict(state)
            new["notes"] = " ".join(filler)
            if self.coin():
                new = {"notes": new.pop("notes"), **new}
        else:
            return rows
        for r in rows:
            r["state"] = new
        return rows


def noul(g, state, questions, value, criteria=None):
    return {"state": state, "type": "noul", "instructions": g.pick(questions), "criteria": criteria if criteria and g.coin(0.3) else None, "label": bool(value)}


def choice(g, state, questions, options, label):
    options = dict(options)
    if g.coin(0.3) and any(options.values()):
        options = {k: None for k in options}
    items = list(options.items())
    g.rng.shuffle(items)
    return {"state": state, "type": "choice", "instructions": g.pick(questions), "criteria": dict(items), "label": label}


def levels(g, state, questions, names, label, reversible=True):
    return {"state": state, "type": "score", "instructions": g.pick(questions), "criteria": list(names), "label": label, "reversible": reversible}
