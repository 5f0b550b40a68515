"""A statement about a state, in many wordings, plain and negated; rows of pairs made from it.

`pair`: two rows that differ in a word or two of the state (or question) and have opposite answers. `neg`: two rows on one
state whose questions deny each other, so that the two probabilities of yes must sum to 1. Both are numbers local to
what a family returns; `families.rows` makes them unique.
"""

PLAIN = ["{Q}", "{Q}", "{Q}", "{S}", "{S}", "True or false: {s}.", "Is it correct that {s}?", "Is it true that {s}?", "Does it follow that {s}?", "Can one say that {s}?",
         "Statement: {S}", "Judging by this, {q}", "Decide: {q}", "Claim: {S} Is the claim right?", "From what is given, {q}", "Would you agree that {s}?", "{Q} Answer yes or no.",
         "Is this right? {S}", "Given this, does it hold that {s}?", "Check the statement: {S}"]
DENIED = ["{NQ}", "{NS}", "{NS}", "Is it correct that {ns}?", "True or false: {ns}.", "Is it false that {s}?", "Is it wrong to say that {s}?", "Claim: {NS} Is the claim right?",
          "Statement: {NS}", "It is not the case that {s}.", "Is the following untrue: {S}", "Does it follow that {ns}?", "Would you agree that {ns}?", "Check the statement: {NS}"]
POS = [{"true": "it is so", "false": "it is not so"}, {"true": "the statement holds", "false": "the statement does not hold"}, {"true": "right", "false": "wrong"},
       {"true": "yes, this is the case", "false": "no, this is not the case"}, {"true": "supported by what is given", "false": "not supported by what is given"}]


def cap(text):
    return text[:1].upper() + text[1:]


class Clause:
    """`subject aux rest`: "the lift", "is", "working". With `does` or `did`, `said` gives the plain form: "wants a call"."""

    def __init__(self, subject, aux, rest, said=None):
        self.subject, self.aux, self.rest = subject, aux, rest
        self.s = f"{subject} {said}" if said else f"{subject} {aux} {rest}"
        self.ns = f"{subject} {aux} not {rest}"
        self.q = f"{aux} {subject} {rest}?"
        self.nq = f"{aux} {subject} not {rest}?"

    def fill(self, form):
        return form.format(q=self.q, s=self.s, ns=self.ns, Q=cap(self.q), S=cap(self.s) + ".", NQ=cap(self.nq), NS=cap(self.ns) + ".")


def row(g, state, words, value):
    return {"state": state, "type": "noul", "instructions": words, "criteria": g.rng.choice(POS) if g.coin(0.12) else None, "label": bool(value)}


def said(g, clause, denied=None):
    """(wording, whether it denies the clause)"""
    denied = g.coin(0.25) if denied is None else denied
    return clause.fill(g.pick(DENIED if denied else PLAIN)), denied


def ask(g, state, clause, value, denied=None):
    words, denied = said(g, clause, denied)
    return [row(g, state, words, value != denied)]


def ask_both(g, state, clause, value, neg=0, against=None):
    """The clause and its denial (or a clause that means the opposite) on one state."""
    second = said(g, against, False)[0] if against and g.coin() else said(g, clause, True)[0]
    return [{**row(g, state, said(g, clause, False)[0], value), "criteria": None, "neg": neg}, {**row(g, state, second, not value), "criteria": None, "neg": neg}]


def ask_pair(g, yes_state, no_state, clause, pair=0, denied=None):
    """One wording on two states: one makes the clause true, the other false."""
    words, denied = said(g, clause, denied)
    return [{**row(g, yes_state, words, not denied), "pair": pair}, {**row(g, no_state, words, denied), "pair": pair}]


def pick_one(g, state, questions, options, label, bare=0.4, **more):
    """A choice; descriptions left out some of the time, order shuffled."""
    options = dict(options) if isinstance(options, dict) else {o: None for o in options}
    if any(options.values()) and g.coin(bare):
        options = {k: None for k in options}
    items = list(options.items())
    g.rng.shuffle(items)
    return {"state": state, "type": "choice", "instructions": g.pick(questions), "criteria": dict(items), "label": label, **more}


def scale(g, state, questions, names, level, reverse=0.3, **more):
    """Levels in rising order, or (some of the time) falling."""
    names = list(names)
    if g.coin(reverse):
        names, level = names[::-1], len(names) - 1 - level
    return {"state": state, "type": "score", "instructions": g.pick(questions), "criteria": names, "label": level, "reversible": False, **more}


def wrap(g, text, keys=("message", "text", "note", "body", "content")):
    """A text as it is, or inside a small record."""
    if g.coin(0.7):
        return text
    extra = g.rng.choice([{}, {"from": g.name()}, {"channel": g.rng.choice(["mail", "chat", "phone", "form"])}, {"id": g.rng.randint(100, 9999)}])
    record = {**extra, g.rng.choice(keys): text}
    return record
