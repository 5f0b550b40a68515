"""A rule with several conditions applied to one case, where one fact (or one word of the rule) decides and the rest are decoys.

A scene is a table: who or what the rule is about, what it grants or demands, facts that speak for it, facts that speak
against it. Forms of rules are shared by all scenes; answers are computed from the form. Pairs differ in the deciding fact or word.
"""
from itertools import product

from clauses import DENIED, PLAIN, Clause, ask_both, ask_pair, cap, pick_one, row

WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
GAPS = [5, 10, 15, 20, 35, 50, 75, 110]


def alt(g, text):
    """One of the wordings between bars."""
    return g.pick(text.split("|"))


class Fact:
    """One condition as drawn: how a rule says it, how a rule says its opposite, and how a case tells it when it holds and when not."""

    def __init__(self, key, cond, flip, yes, no):
        self.key, self.cond, self.flip, self.told = key, cond, flip, {True: yes, False: no}
        self.tag = " ".join(w for w in key.split("_") if w not in ("kg", "cm", "m2", "euros", "years"))


def yn(key, yes, no):
    """Something that is so or not."""
    def draw(g):
        against = alt(g, no)
        return Fact(key, alt(g, yes), against, (alt(g, yes), True), (against, False))
    return draw


def num(key, say, ops, limits, step=1):
    """A number against a limit; `ops` are the comparisons that make sense in a rule. The limit itself is a value at times."""
    def draw(g):
        op, n = g.rng.choice(ops.split()), g.rng.choice(limits)
        high = n + step * g.rng.choice([1, 1, 2, 3, 5])
        low = max(n - step * g.rng.choice([1, 1, 2, 3, 5]), min(2 * step, n - step))
        if g.coin(0.2):
            high, low = (n, low) if op in (">=", "<") else (high, n)
        words = {">=": "at least|no less than", ">": "more than", "<": "less than", "<=": "at most|no more than"}
        cond, flip = (say.format(v=f"{alt(g, words[o])} {n}") for o in (op, {">=": "<", "<": ">=", ">": "<=", "<=": ">"}[op]))
        told = [(say.format(v=v), v) for v in ((high, low) if op[0] == ">" else (low, high))]
        return Fact(key, cond, flip, *told)
    return draw


def clock(key, say, lo=9, hi=20):
    """A time of day before, after or between full hours, never on the hour of the rule."""
    def draw(g):
        half = g.coin(0.35)
        write = lambda t: (f"{(t // 60 + 11) % 12 + 1}" + (f":{t % 60:02d}" if t % 60 else "") + (" pm" if t >= 720 else " am")) if half else f"{t // 60:02d}:{t % 60:02d}"
        at = 60 * g.rng.randint(lo, hi)
        early, late = at - g.rng.choice(GAPS), at + g.rng.choice(GAPS)
        kind = g.rng.choice(["before", "after", "between"])
        if kind == "between":
            to = at + 60 * g.rng.randint(2, 3)
            cond, flip = f"between {write(at)} and {write(to)}", f"either before {write(at)} or after {write(to)}"
            yes, no = late, g.rng.choice([early, to + g.rng.choice(GAPS[:6])])
        else:
            cond, flip = f"{kind} {write(at)}", f"{'after' if kind == 'before' else 'before'} {write(at)}"
            yes, no = (early, late) if kind == "before" else (late, early)
        return Fact(key, say.format(t=cond), say.format(t=flip), *((say.format(t=f"at {write(t)}"), write(t)) for t in (yes, no)))
    return draw


def day(key, say):
    """A day of the week."""
    def draw(g):
        a, z = g.rng.sample(WEEK, 2)
        cond, flip, days = g.rng.choice([("from Monday to Friday", "at the weekend (Saturday, Sunday)", WEEK[:5]),
            ("at the weekend (Saturday, Sunday)", "from Monday to Friday", WEEK[5:]), ("from Monday to Wednesday", "from Thursday to Sunday", WEEK[:3]),
                                         (f"either on a {a} or on a {z}", f"on a day other than {a} and {z}", [a, z]), (f"on a {a}", f"on any day but {a}", [a]),
                                          (f"on any day but {a}", f"on a {a}", [d for d in WEEK if d != a])])
        yes, no = g.rng.choice(days), g.rng.choice([d for d in WEEK if d not in days])
        return Fact(key, say.format(t=cond), say.format(t=flip), (say.format(t=f"on {yes}"), yes), (say.format(t=f"on {no}"), no))
    return draw


def dated(key, say):
    """A day of a month, never one that the rule names."""
    def draw(g):
        m, a = g.rng.choice(MONTHS), g.rng.randint(5, 14)
        z = a + g.rng.randint(4, 9)
        inside, early, late = g.rng.randint(a + 1, z - 1), a - g.rng.randint(1, 4), z + g.rng.randint(1, 4)
        cond, flip, yes, no = g.rng.choice([(f"before {a} {m}", f"after {a} {m}", early, late), (f"after {z} {m}", f"before {z} {m}", late, inside),
            (f"between {a} and {z} {m}", f"either before {a} {m} or after {z} {m}", inside, g.rng.choice([early, late]))])
        return Fact(key, say.format(t=cond), say.format(t=flip), *((say.format(t=f"on {d} {m}"), f"{d} {m}") for d in (yes, no)))
    return draw


def role(key, say, values):
    """A kind, a plan, a role: one or two of the values will do."""
    def draw(g):
        one, two, other = g.rng.sample(values.split("|"), 3)
        bare = lambda v: v.removeprefix("a ").removeprefix("an ").removeprefix("the ")
        cond = say.format(v=f"either {one} or {two}" if g.coin(0.4) else one)
        return Fact(key, cond, say.format(v=other), (say.format(v=one), bare(one)), (say.format(v=other), bare(other)))
    return draw


# What a rule says; p, q, s are facts that speak for it, r is one that speaks against it.
FORMS = [
    ("Only {a} {who} {p} and {q} {can}.", lambda p, q, s, r: p and q),
    ("{A} {cannot} unless the {x} {p} and {q}.", lambda p, q, s, r: p and q),
    ("{A} {who} {p} and {q} {can}; {no_other}.", lambda p, q, s, r: p and q),
    ("If the {x} {p} and {q}, the {x} {can}. If not, the {x} {cannot}.", lambda p, q, s, r: p and q),
    ("As a rule {a} {cannot}; the one exception is {a} {who} {p} and {q}.", lambda p, q, s, r: p and q),
    ("All of these must hold, or else {a} {cannot}: (1) the {x} {p}; (2) the {x} {q}; (3) the {x} {s}.", lambda p, q, s, r: p and q and s),
    ("Only {a} {who} {p}, {q} and {s} {can}.", lambda p, q, s, r: p and q and s),
    ("Only {a} {who} {p} or {q} {can}.", lambda p, q, s, r: p or q),
    ("{A} {can} if at least one of these holds: the {x} {p}; the {x} {q}. Otherwise the {x} {cannot}.", lambda p, q, s, r: p or q),
    ("{A} {cannot} unless the {x} {p} or {q}.", lambda p, q, s, r: p or q),
    ("{A} {who} {p} {can}. So does one {who} {q}. {No_other}.", lambda p, q, s, r: p or q),
    ("One of these is enough, and without any of them {a} {cannot}: (1) the {x} {p}; (2) the {x} {q}; (3) the {x} {s}.", lambda p, q, s, r: p or q or s),
    ("{A} {who} {p} {can}, unless the {x} {r}. {No_other}.", lambda p, q, s, r: p and not r),
    ("Only {a} {who} {p} {can}, and even then not one {who} {r}.", lambda p, q, s, r: p and not r),
    ("Whatever else is true, {a} {who} {r} {cannot}. Any other {x} {can} if the {x} {p}, and not otherwise.", lambda p, q, s, r: p and not r),
    ("{A} {can} if the {x} {p} and {q}, except where the {x} {r}. In all other cases the {x} {cannot}.", lambda p, q, s, r: p and q and not r),
    ("Every {x} {can}, except one {who} {r}.", lambda p, q, s, r: not r),
    ("{A} {can} unless the {x} {r}.", lambda p, q, s, r: not r),
    ("{A} {who} {r} {cannot}; {every_other}.", lambda p, q, s, r: not r),
    ("{A} {cannot}. The only exception is {a} {who} {p}.", lambda p, q, s, r: p),
    ("{A} {who} {p} or {q} {can}, but never one {who} {r}. {No_other}.", lambda p, q, s, r: (p or q) and not r),
    ("{A} {can} if the {x} {p} and, besides, at least one of these holds: the {x} {q}; the {x} {s}. Otherwise the {x} {cannot}.", lambda p, q, s, r: p and (q or s)),
    ("Every {x} {can}, except one {who} {r}. Even such {a} {can}, though, if the {x} {p}.", lambda p, q, s, r: p or not r),
    ("{A} {cannot}, except one {who} {p}. That exception is void for {a} {who} {r}, unless the {x} {q}.", lambda p, q, s, r: p and (q or not r)),
]
BOTH, EITHER, P, NOT_P = (lambda p, q, s, r: p and q), (lambda p, q, s, r: p or q), (lambda p, q, s, r: p), (lambda p, q, s, r: not p)
R, NOT_R, P_NOT_R = (lambda p, q, s, r: r), (lambda p, q, s, r: not r), (lambda p, q, s, r: p and not r)
# Rules that differ in {w} only, and what each of the two words makes of them.
TWINS = [
    ("{A} {who} {p} {w} {q} {can}; {no_other}.", {"and": BOTH, "or": EITHER}),
    ("Only {a} {who} {p} {w} {q} {can}.", {"and": BOTH, "or": EITHER}),
    ("{A} {cannot} unless the {x} {p} {w} {q}.", {"and": BOTH, "or": EITHER}),
    ("{A} {can} {w} the {x} {p}. There are no other conditions.", {"only if": P, "unless": NOT_P}),
    ("{A} {can} {w} the {x} {r}. There are no other conditions.", {"only if": R, "unless": NOT_R}),
    ("{A} {cannot} {w} the {x} {p}. There are no other conditions.", {"unless": P, "if": NOT_P}),
    ("{A} {cannot} {w} the {x} {r}. There are no other conditions.", {"unless": R, "if": NOT_R}),
    ("{A} {who} {p} {w}. For every other {x} the opposite holds.", {"{can}": P, "{cannot}": NOT_P}),
    ("{A} {who} {r} {w}. For every other {x} it is the other way round.", {"{can}": R, "{cannot}": NOT_R}),
    ("{w}, except one {who} {r}.", {"Every {x} {can}": NOT_R, "No {x} {do}": R}),
    ("{w}, with one exception: {a} {who} {p}.", {"Every {x} {can}": NOT_P, "No {x} {do}": P}),
    ("{A} {who} {p} {can}, {w} the {x} {r}. {No_other}.", {"unless": P_NOT_R, "even if": P}),
    ("{A} {who} {p} {can}, {w} one {who} {r}. {No_other}.", {"except": P_NOT_R, "even": P}),
    ("Conditions: (1) the {x} {p}; (2) the {x} {q}. If {w}, the {x} {can}; if not, the {x} {cannot}.",
     {"both hold": BOTH, "at least one of them holds": EITHER, "the first holds": P, "the second holds": lambda p, q, s, r: q, "neither of them holds": lambda p, q, s, r: not (p or q), "exactly one of them holds": lambda p, q, s, r: p != q}),
]
# Three outcomes: 0 is yes, 1 is the middle one, 2 is no.
DESK = [
    ("If the {x} {p} and {q}: {y}. If the {x} {p} but the second condition fails: {m}. In every other case: {n}.", lambda p, q, s, r: 2 if not p else 0 if q else 1),
    ("Check (1) whether the {x} {p} and (2) whether the {x} {q}. Both true: {y}. Only (1) true: {m}. (1) not true: {n}.", lambda p, q, s, r: 2 if not p else 0 if q else 1),
    ("{A} {who} {r}: {n}. Any other {x} {who} {p}: {y}. All the rest: {m}.", lambda p, q, s, r: 2 if r else 0 if p else 1),
    ("First check whether the {x} {p}. If not: {n}. If so, check whether the {x} {q}. If that is so too: {y}; if it is not: {m}.", lambda p, q, s, r: 2 if not p else 0 if q else 1),
    ("{A} {who} {r}: {n}, whatever else is true. Otherwise, one {who} {p} or {q}: {y}. Anything else: {m}.", lambda p, q, s, r: 2 if r else 0 if p or q else 1),
    ("The {x} {p} and {q}: {y}. Just one of the two: {m}. Neither of the two: {n}.", lambda p, q, s, r: 2 - bool(p) - bool(q)),
]
HEADS = ["", "", "Rule: ", "The rule: ", "House rule: ", "Notice: ", "Policy: ", "What applies here: ", "From the rule book: "]
ALL = [dict(zip("pqsr", f)) for f in product([True, False], repeat=4)]


def scene(x, verb, act, needs, bans, decoys, asides, desk, things=None):
    """`verb` is may, gets or must; `desk` is what to do when all, some or none of it holds; without `things` it is about people."""
    return dict(x=x, verb=verb, act=act, needs=needs, bans=bans, decoys=decoys, asides=asides, desk=desk, things=things)


class Draw:
    """A scene with its words, facts and way of writing chosen; the same for all states of a draw."""

    def __init__(self, g, sc):
        self.g, self.verb, self.act, self.x = g, sc["verb"], alt(g, sc["act"]), alt(g, sc["x"])
        self.things = sc["things"]
        names = g.rng.sample(sc["things"].split("|"), 3) if self.things else []
        while len(names) < 3:
            n = g.name()
            names += [n] if n not in names else []
        self.names, self.who = names, names[0]
        self.facts = {k: f(g) for k, f in zip("pqs", g.rng.sample(sc["needs"], 3))} | {"r": g.pick(sc["bans"])(g)}
        self.decoys = [(key, say, g.rng.randint(3, 60)) for key, say in g.rng.sample(sc["decoys"], g.rng.choice([0, 1, 1, 2]))]
        aside = alt(g, sc["asides"]) if g.coin(0.4) else None
        self.around = (lambda rule: rule) if not aside else (lambda rule: f"{aside} {rule}") if g.coin() else (lambda rule: f"{rule} {aside}")
        an = ("an " if self.x[0] in "aeiou" else "a ") + self.x
        can, cannot = {"may": ("may {}", "may not {}"), "gets": ("gets {}", "does not get {}"), "must": ("must {}", "need not {}")}[self.verb]
        can, cannot = can.format(self.act), cannot.format(self.act)
        do = {"may": "may {}", "gets": "gets {}", "must": "has to {}"}[self.verb].format(self.act)
        short = {"may": ("may", "may"), "gets": ("does", "does"), "must": ("must", "has to")}[self.verb] if g.coin() else (can, do)
        every, none = f"every other {self.x} {short[0]}", f"no other {self.x} {short[1]}"
        self.words = {"do": do, "every_other": every, "no_other": none, "No_other": cap(none), "can": can, "cannot": cannot,
                      "a": an, "A": cap(an), "x": self.x, "who": "that" if self.things else "who"}
        self.desk = [t.format(x=self.x) for t in sc["desk"]]
        self.style, self.head, self.tells = g.rng.randint(0, 8), g.pick(HEADS), g.rng.randint(0, 4)
        self.wish = self.verb == "may" and not self.things and g.coin(0.4)
        self.extra = [k for k in "pqsr" if g.coin(0.35)]
        self.order = g.rng.sample(range(9), 9)

    def rule(self, form, flip=(), **more):
        """The rule in words; the facts in `flip` are told as their opposites."""
        conds = {k: f.flip if k in flip else f.cond for k, f in self.facts.items()}
        form = form.replace("So does one {who}", "So may one {who}" if self.verb == "may" else "So must one {who}" if self.verb == "must" else "So does one {who}")
        for _ in range(2):
            form = form.format(**{"p": "", **self.words, **conds, "w": "{w}", **more})
        return self.around(form)

    def shown(self, form):
        """The facts a case tells: those the rule speaks of, and a decoy or two."""
        return [k for k in "pqsr" if "{" + k + "}" in form or k in self.extra]

    def person(self, who, f, shown):
        """(predicates, record) of one person or thing, in the order of this draw."""
        parts = [(self.facts[k].key, *self.facts[k].told[f[k]]) for k in shown] + [(key, say.format(n=n), n) for key, say, n in self.decoys]
        parts = [p for _, p in sorted(zip(self.order, parts))]
        name = "item" if self.things else "name"
        return [t for _, t, _ in parts], {name: who, **({"wants_to": self.act} if self.wish else {}), **{k: v for k, _, v in parts}}

    def text(self, who, told):
        """A case in sentences."""
        join, first = self.g.join, cap(who)
        wish = f"{first} wants to {self.act}. " if self.wish else ""
        if self.tells == 0:
            return f"{wish}{first}: {'; '.join(told)}."
        if self.tells == 1 and len(told) > 2:
            return f"{wish}{first} {join(told[:2])}. {first} also {join(told[2:])}."
        if self.tells == 2:
            return wish + " ".join(f"{first} {t}." for t in told)
        return f"{wish}{first} {join(told)}."

    def tell(self, rule, people, shown, after=""):
        """(state, what stands before the question): the rule is in the state, or in the question."""
        told = [(who, *self.person(who, f, shown)) for who, f in people]
        text = " ".join(self.text(who, t) for who, t, _ in told) + after
        records = [r for _, _, r in told]
        record = records[0] if len(records) == 1 else records
        inside = {self.x if len(records) == 1 else "cases": record, **({"what_happened": after.strip()} if after else {})}
        bullets = "\n".join(f"{cap(who)}\n" + "\n".join(f"- {t}" for t in ts) for who, ts, _ in told) + after.replace(" ", "\n", 1)
        rule_text = self.head + rule
        return [(f"{rule_text} {text}", ""), (f"{rule_text}\n{text}", ""), ({"rule": rule, "case": text}, ""), ({"rule": rule, **inside}, ""), ({**inside, "rule": rule}, ""),
                (text, f"Rule: {rule} "), (inside, f"The rule is this: {rule} "), (f"{text} {rule_text if self.head else 'The rule: ' + rule}", ""), (f"{rule_text}\n\n{bullets}", "")][self.style]

    def clauses(self, who):
        """Clauses that say yes to what the rule grants or demands, and questions that are true when it does or does not."""
        act = self.act
        if self.verb == "gets":
            return [Clause(who, "does", f"get {act}", f"gets {act}"), Clause(who, "is", f"entitled to {act}"), Clause(who, "does", f"qualify for {act}", f"qualifies for {act}")], [
                (f"Should {who} be given {act}?", True), (f"Would it be against the rule to give {who} {act}?", False), (f"Must {who} go without {act}?", False)]
        if self.verb == "must":
            return [Clause(who, "does", f"have to {act}", f"has to {act}"), Clause(who, "is", f"required to {act}"),
                    Clause("the rule", "does", f"require {who} to {act}", f"requires {who} to {act}")], [
                (f"Must {who} {act}?", True), (f"Is it fine for {who} not to {act}?", False), (f"Is {who} exempt?", False),
                (f"Would it be against the rule for {who} not to {act}?", True)]
        more = [(f"Can {who} {act}?", True)] if self.things else [(f"Does the rule stop {who} from being able to {act}?", False), (f"Should {who} be refused?", False),
                                                                     (f"Would {who} be within the rule?", True)]
        return [Clause(who, "may", act), Clause(who, "is", f"allowed to {act}") if not self.things else Clause(who, "can", act),
                Clause("the rule", "does", f"allow {who} to {act}", f"allows {who} to {act}")], more + [
            (f"Would it break the rule if {who} were to {act}?", False), (f"Is it against the rule for {who} to {act}?", False), (f"Is it fine for {who} to {act}?", True)]


def _asked(d, yes, no, who, pair):
    """One question on two states; each is a state and what stands before the question."""
    clauses, more = d.clauses(who)
    if d.g.coin(0.6):
        rows = ask_pair(d.g, yes[0], no[0], d.g.rng.choice(clauses), pair)
    else:
        words, value = d.g.rng.choice(more)
        rows = [{**row(d.g, s, words, v), "pair": pair} for s, v in ((yes[0], value), (no[0], not value))]
    for r, (_, before) in zip(rows, (yes, no)):
        r["instructions"] = before + r["instructions"]
    return rows


def _near(form, ok):
    """Two sets of facts that differ in one fact the rule speaks of, the first with the answer yes."""
    return [(f, {**f, k: not f[k]}) for f in ALL for k in "pqsr" if "{" + k + "}" in form and ok(**f) and not ok(**{**f, k: not f[k]})]


def _fact_pair(d):
    """The deciding fact changes, the rule stays."""
    form, ok = d.g.pick(FORMS)
    yes, no = d.g.rng.choice(_near(form, ok))
    rule, shown = d.rule(form), d.shown(form)
    return _asked(d, d.tell(rule, [(d.who, yes)], shown), d.tell(rule, [(d.who, no)], shown), d.who, 0)


def _rule_pair(d):
    """A word of the rule changes, the case stays."""
    g = d.g
    if g.coin(0.3):
        form, ok = g.pick(FORMS)
        yes, no = g.rng.choice(_near(form, ok))
        k = next(k for k in "pqsr" if yes[k] != no[k])
        f = g.rng.choice([yes, no])
        one, two = d.rule(form, (k,) if f is no else ()), d.rule(form, (k,) if f is yes else ())
    else:
        form, words = g.pick(TWINS)
        v, w, f = g.rng.choice([(v, w, f) for v in words for w in words for f in ALL if words[v](**f) and not words[w](**f)])
        one, two = d.rule(form, w=v), d.rule(form, w=w)
    shown = d.shown(form)
    return _asked(d, d.tell(one, [(d.who, f)], shown), d.tell(two, [(d.who, f)], shown), d.who, 1)


def _breach(d):
    """The same, and somebody acted: was the rule broken?"""
    form, ok = d.g.pick(FORMS)
    yes, no = d.g.rng.choice(_near(form, ok))
    rule, shown, must = d.rule(form), d.shown(form), d.verb == "must"
    after = f" {d.who} {'did not' if must else 'went on to'} {d.act}."
    good, bad = (no, yes) if must else (yes, no)
    words, broken = d.g.pick([("Does this break the rule?", True), ("Was the rule broken?", True), ("Is this a breach of the rule?", True), ("Is this within the rule?", False),
        ("Was the rule kept?", False), ("Did {} do anything that the rule forbids?", True), ("Is everything in order here?", False), ("The rule was not kept.", True),
        ("{} kept to the rule.", False)])
    words = words.format(d.who) if not must else words.replace("do anything that the rule forbids", "fail to do what the rule demands").format(d.who)
    out = []
    for f, v in ((bad, broken), (good, not broken)):
        state, before = d.tell(rule, [(d.who, f)], shown, after)
        out.append({**row(d.g, state, before + words, v), "pair": 2})
    return out


def _two(d):
    """Two under one rule; the same question about each of them."""
    form, ok = d.g.pick(FORMS)
    yes, no = d.g.rng.choice(_near(form, ok))
    a, c = d.names[:2]
    people = [(a, yes), (c, no)]
    d.g.rng.shuffle(people)
    state, before = d.tell(d.rule(form), people, d.shown(form))
    kind, denied = d.g.rng.randint(0, 2), d.g.coin(0.25)
    words = d.g.pick(DENIED if denied else PLAIN)
    return [{**row(d.g, state, before + d.clauses(who)[0][kind].fill(words), value != denied), "pair": 3} for who, value in ((a, True), (c, False))]


def _both(d):
    """A question and its denial on one state."""
    form, ok = d.g.pick(FORMS)
    value = d.g.coin()
    f = d.g.rng.choice(_near(form, ok))[0 if value else 1]
    state, before = d.tell(d.rule(form), [(d.who, f)], d.shown(form))
    rows = ask_both(d.g, state, d.g.rng.choice(d.clauses(d.who)[0]), value)
    return [{**r, "instructions": before + r["instructions"]} for r in rows]


def _which(d):
    """Three of them, one (or none) fits."""
    g = d.g
    form, ok = g.pick(FORMS)
    near = _near(form, ok)
    rule, shown = d.rule(form), d.shown(form)
    fails = [g.rng.choice(near)[1] for _ in d.names]
    words = {"may": ["Which of them may {}?", "Pick the one that may {}.", "The rule lets one of them {}. Which?"],
             "gets": ["Which of them gets {}?", "Pick the one entitled to {}."], "must": ["Which of them has to {}?", "Pick the one that must {}."]}[d.verb]
    words = g.rng.choice(words if g.coin(0.85) and d.verb != "may" else words[:2]).format(d.act)
    none = g.coin(0.4)
    options = d.names + (["none of them"] if none else [])
    out, places = [], g.rng.sample([0, 1, 2], 2)
    if none and g.coin(0.4):
        places[1] = None
    good = g.rng.choice(near)[0]
    for at in places:
        people = [(n, good if i == at else fails[i]) for i, n in enumerate(d.names)]
        state, before = d.tell(rule, people, shown)
        out.append(pick_one(g, state, [before + words], options, "none of them" if at is None else d.names[at], pair=4))
    return out


def _outcome(d):
    """What to do, of three things."""
    g = d.g
    form, ok = g.pick(DESK)
    y, m, n = d.desk
    rule, shown = d.rule(form, y=y, m=m, n=n), d.shown(form)
    k, (i, j) = g.rng.randint(0, 2), g.rng.sample([0, 1, 2], 2)
    keys = [[y, m, n], ["A", "B", "C"], ["full", "middle", "none"]][k]
    options = {key: None if k == 0 else t for key, t in zip(keys, d.desk)}
    words = g.pick(["What should be done?", "What does the rule lead to?", "Apply the rule.", "What follows for {}?", "How is the case of {} to be handled?", "Choose what to do."]).format(d.who)
    out = []
    apart = lambda f, h: sum(f[k] != h[k] for k in "pqsr")
    pairs = [(f, h) for f in ALL for h in ALL if ok(**f) == i and ok(**h) == j]
    least = min(apart(f, h) for f, h in pairs)
    both = g.rng.choice([(f, h) for f, h in pairs if apart(f, h) == least])
    for want, f in zip((i, j), both):
        state, before = d.tell(rule, [(d.who, f)], shown)
        out.append(pick_one(g, state, [before + words], options, keys[want], bare=0, pair=5))
    return out


def _missing(d):
    """Which of three conditions is not met, or none."""
    g = d.g
    form = g.pick(["Only {a} {who} {p}, {q} and {s} {can}.", "All of these must hold, or else {a} {cannot}: (1) the {x} {p}; (2) the {x} {q}; (3) the {x} {s}.",
                   "{A} {can} if the {x} {p}, {q} and {s}, and not otherwise.", "{A} {cannot} unless the {x} {p}, {q} and {s}."])
    rule, shown = d.rule(form), [k for k in "pqsr" if k != "r" or "r" in d.extra]
    tags = {k: d.facts[k].tag for k in "pqs"} | {"": g.rng.choice(["none", "nothing", "none of these"])}
    options = {t: f"The {d.x} {d.facts[k].cond}" if k else "All three conditions are met" for k, t in tags.items()}
    words = g.pick(["Which condition is missing?", "Which condition is not met?", "What is still lacking?", "Which of the conditions fails?", "On which condition does the case fail, if any?"])
    r, out = g.coin(), []
    bare = 1 if g.coin(0.4) else 0
    for k in g.rng.sample(["p", "q", "s", ""], 2):
        state, before = d.tell(rule, [(d.who, {**dict.fromkeys("pqs", True), "r": r, **({k: False} if k else {})})], shown)
        out.append(pick_one(g, state, [before + words], options, tags[k], bare=bare, pair=6))
    return out


def _rows(g, scenes):
    """The rows of one draw: a pair of cases, a pair of rules, a third kind, and often a choice."""
    d = lambda: Draw(g, sc)
    sc = g.rng.choice(scenes)
    free = sc["verb"] != "gets" and not sc["things"]
    third = g.rng.choice([_breach, _breach, _two, _both] if free else [_two, _both])
    return _fact_pair(d()) + _rule_pair(d()) + third(d()) + (g.rng.choice([_which, _outcome, _missing])(d()) if g.coin(0.75) else [])


def gym_access(g):
    """Memberships, hours and inductions at a gym."""
    return _rows(g, [scene("guest|customer|visitor", "may",
        "use the weights room|join the spinning class|use the sauna|train on the upper floor|use the boxing ring|book a squash court|bring a friend along",
        [role("membership", "holds {v}", "a Gold membership|a Basic membership|an Off-Peak membership|a day pass|a student membership|a family membership"),
         num("age", "is {v} years old", ">= >", [14, 16, 18, 21]), clock("arrival", "arrives {t}"), day("day", "comes {t}"),
         yn("induction_done", "has done the induction|has been through the induction", "has not done the induction|has skipped the induction"),
          yn("towel", "brings a towel|has a towel", "brings no towel|has no towel"), yn("photo_card", "shows a card with a photo", "shows no card with a photo")],
        [yn("unpaid_bill", "has an unpaid bill|still owes a monthly fee", "has paid every bill|owes nothing"), yn("suspended", "is suspended", "is not suspended"),
         num("missed_classes", "has missed {v} booked classes", ">= >", [3, 4, 5]), yn("outdoor_shoes", "wears outdoor shoes", "wears clean indoor shoes")],
        [("locker", "has locker {n}"), ("visits_so_far", "has been there {n} times"), ("distance_km", "lives {n} km away"),
         ("last_paid_euros", "paid {n} euros last time")],
         "The juice bar closes at 20:00.|A lost key costs 15 euros.|Lockers are emptied every Sunday.|Members of staff wear red shirts.|Classes have at most 18 places.",
        ("let the {x} in", "send the {x} to the front desk", "turn the {x} away"))])


def airline_baggage(g):
    """What may come into the cabin, and who pays for a bag."""
    tickets = role("ticket", "travels on {v}", "a Light ticket|a Flex ticket|a Business ticket|a group ticket|a Saver ticket")
    route = role("destination", "flies to {v}", "Lisbon|Oslo|Nairobi|Lima|Kyoto|Graz|Tallinn|Porto|Accra")
    bags = [("seat_row", "sits in row {n}"), ("wait_minutes", "has {n} minutes to change planes"), ("gate", "leaves from gate {n}"),
        ("flights_this_year", "has flown {n} times this year")]
    asides = "The gate closes 20 minutes before departure.|Seats in row 12 cost extra.|Hot drinks are served after take-off.|Lost bags are reported at counter 4.|Blankets are handed out on night flights."
    return _rows(g, [scene("passenger|traveller", "may", "take a bag into the cabin|board with two bags|keep a cello in the cabin|carry a folding bike on board|bring a pushchair to the gate",
        [num("bag_weight_kg", "has a bag of {v} kg", "<= <", [7, 8, 10, 12]), tickets, route,
         yn("priority_boarding", "has priority boarding|has booked priority boarding", "has no priority boarding|has not booked priority boarding"),
         clock("checked_in_at", "checked in {t}"), yn("bag_tag", "has a tag on the bag", "has no tag on the bag")],
        [yn("spray_cans", "carries spray cans", "carries no spray cans"), yn("exit_row", "sits at an emergency exit", "does not sit at an emergency exit"),
         num("bag_length_cm", "has a bag that is {v} cm long", ">", [55, 60, 80], 5)], bags[:2] + bags[3:], asides,
         ("let the bag on board", "measure the bag first", "send the bag to the hold")),
        scene("passenger|traveller", "must", "pay the bag fee|pay 40 euros for the bag|check in the bag at the counter|weigh the bag again",
        [num("bag_weight_kg", "has a bag of {v} kg", "> >=", [20, 23, 25, 32]), num("bags", "travels with {v} bags", ">= >", [3, 4]), tickets, route,
         yn("booked_at_airport", "booked the bag at the airport", "booked the bag at home"), yn("brings_skis", "brings skis", "brings no skis")],
        [yn("gold_card", "has a gold card|holds a gold card", "has no gold card"), yn("travels_with_baby", "travels with a baby", "travels without a baby"),
         yn("crew", "belongs to the crew", "does not belong to the crew")], bags, asides, ("charge the full fee", "charge half the fee", "charge nothing"))])


def returns_refunds(g):
    """Days, receipts, seals: goods taken back."""
    return _rows(g, [scene("item|article|product", "may", "be returned|be exchanged|be refunded in full|be sent back free of charge|be swapped for another size",
        [num("days_since_purchase", "was bought {v} days ago", "<= <", [10, 14, 30, 60]),
         yn("receipt", "comes with the receipt|comes with its receipt", "comes without a receipt|lacks the receipt"),
         yn("sealed", "is still sealed|is unopened", "has been opened|is no longer sealed"),
         role("bought_where", "was bought {v}", "online|in the shop|by phone|at the spring market|at the airport branch"),
         yn("original_box", "is in its original box", "is not in its original box"), yn("price_tag", "still has its price tag", "has lost its price tag")],
        [yn("clearance", "was a clearance item|was bought in the clearance sale", "was not a clearance item"), yn("made_to_order", "was made to order", "was not made to order"),
         yn("gift", "was a gift", "was not a gift"), yn("paid_with_voucher", "was paid for with a voucher", "was paid for in cash")],
        [("price_euros", "cost {n} euros"), ("shelf", "came from shelf {n}"), ("leaflet_page", "is shown on page {n} of the leaflet"),
         ("queue_number", "was brought in under queue number {n}")],
         "Gift wrapping costs 3 euros.|The counter closes at 19:00.|Repairs take up to 10 days.|Letters are answered within 5 days.|Batteries are collected at the exit.",
        ("give the money back", "give store credit", "refuse the return"),
         "the jacket|the kettle|the tent|the lamp|the blender|the rug|the headset|the toaster|the suitcase|the drill|the skates|the mirror"),
        scene("customer|buyer", "gets", "a full refund|the money back|a new device|store credit|a free repair|the postage back",
        [num("days_since_delivery", "asked {v} days after delivery", "<= <", [7, 14, 30]), yn("receipt", "has the receipt|kept the receipt", "has no receipt|lost the receipt"),
         role("paid_by", "paid by {v}", "card|bank transfer|voucher|invoice|cash"), yn("all_parts", "sent back all parts", "sent back only some of the parts"),
         yn("registered", "has registered the device", "has not registered the device")],
        [yn("tried_own_repair", "tried to repair the device at home", "did not try to repair the device"),
         yn("water_damage", "dropped the device into water", "never dropped the device into water"),
         num("returns_this_year", "has made {v} other returns this year", "> >=", [3, 5, 8])],
        [("order_euros", "spent {n} euros"), ("call_minutes", "waited {n} minutes on the phone"), ("years_as_customer", "has been a customer for {n} years")],
         "The hotline is open until 18:00.|New models arrive in May.|Spare parts cost at least 5 euros.|Parcels above 20 kg are picked up.",
         ("refund in full", "offer store credit", "refuse"))])


def secure_entry(g):
    """Laboratories and data centres: training, badge, escort."""
    return _rows(g, [scene("visitor|technician|contractor|researcher|engineer", "may",
        "enter the server hall|enter the laser lab|work in the clean room|open rack 12|enter the cold store of the lab|go into the control room|handle the samples",
        [yn("safety_training", "has done the safety training|has passed the safety training", "has not done the safety training|has yet to do the safety training"),
         yn("badge", "wears a badge|has a badge", "wears no badge|left the badge at home"), yn("escort", "is with an escort|has an escort", "is without an escort|has no escort"),
         clock("arrival", "arrives {t}", 7, 19),
         role("team", "works for {v}", "the network team|the cooling team|the laser group|the auditors|the cleaning firm|the power supplier"),
          num("training_hours", "has {v} hours of practice", ">= >", [8, 12, 20, 40]), day("day", "comes {t}"),
          yn("announced_day_before", "was announced the day before", "was not announced")],
        [yn("camera", "carries a camera", "carries no camera"), yn("food", "brings food|has food in the bag", "brings no food"),
         yn("on_blocked_list", "is on the blocked list", "is not on the blocked list"), yn("fever", "has a fever", "has no fever"),
         yn("open_shoes", "wears sandals", "wears closed shoes")],
        [("phone_extension", "has extension {n}"), ("group_size", "belongs to a group of {n}"), ("ticket_number", "works on ticket {n}"),
         ("years_at_firm", "has been with the firm for {n} years")],
         "The door alarm sounds after 30 seconds.|The hall is kept at 22 degrees.|Tools are stored in room 4.|Deliveries use the west gate before 10:00.|Racks 20 to 30 are empty.",
        ("open the door", "call the person in charge", "keep the door shut"))])


def pool_rules(g):
    """Depth, age, height and caps at the swimming pool."""
    return _rows(g, [scene("bather|swimmer|guest|child", "may",
        "use the deep pool|jump from the tower|go down the big slide|swim in lane 1|use the wave pool|use the diving board|take part in the night swim",
        [num("height_cm", "is {v} cm tall", ">= >", [110, 120, 130, 140], 3), yn("cap", "wears a bathing cap|wears a cap", "wears no cap|is bareheaded"),
         yn("swimming_badge", "has the bronze badge|holds the bronze badge", "has no bronze badge"),
         yn("with_adult", "is with an adult|comes with an adult", "is without an adult|has no adult along"), clock("time", "comes {t}"), day("day", "comes {t}"),
         num("lengths_swum", "can swim {v} lengths", ">= >", [4, 8, 10]), yn("showered", "has showered", "has not showered"),
             role("ticket", "has {v}", "a day ticket|an evening ticket|a family ticket|a school ticket|a ten-visit card")],
        [yn("open_wound", "has an open wound", "has no open wound"), yn("street_shoes", "wears street shoes", "is barefoot"), yn("glasses", "wears glasses", "wears no glasses"),
         yn("warned_today", "was warned today", "was not warned today"), yn("armbands", "wears armbands", "wears no armbands")],
        [("locker", "uses locker {n}"), ("wristband", "wears wristband {n}"),
         ("family_size", "came in a party of {n}")],
         "The water is 27 degrees warm.|The kiosk closes at 17:30.|Towels can be hired for 4 euros.|The small pool is 60 cm deep.|Lane 6 is for the swimming club.",
        ("let the {x} pass", "fetch the lifeguard", "stop the {x}"))])


def trip_consent(g):
    """School trips: forms, payments, dates."""
    return _rows(g, [scene("pupil|student|child", "may", "join the trip|sleep over at the camp|go canoeing|visit the mine|ride on the ferry|climb the ropes course|walk into town alone",
        [yn("consent_form", "has a form signed by a parent|has a signed form", "has no signed form|has an unsigned form"),
         num("age", "is {v} years old", ">= >", [9, 10, 12, 14, 16]), role("class", "is in {v}", "class 5a|class 5b|class 6c|class 7a|class 8b"),
         yn("paid", "has paid the trip money", "has not paid the trip money|still owes the trip money"), dated("registered_on", "was registered {t}"),
         yn("can_swim", "can swim", "cannot swim"), yn("phone_number_left", "has left a phone number for emergencies", "has left no phone number for emergencies"),
          yn("briefing", "was at the briefing|attended the briefing", "missed the briefing")],
        [yn("fever", "has a fever", "has no fever"), num("warnings", "has {v} warnings", ">= >", [3, 4, 5]), yn("detention", "has detention that day", "has no detention that day"),
         yn("arm_in_plaster", "has an arm in plaster", "has two healthy arms")],
        [("pocket_money", "takes {n} euros along"), ("seat", "has seat {n} on the bus"), ("journey_minutes", "needs {n} minutes to school"),
         ("room", "would sleep in room {n}")], "The bus leaves at 7:45.|Lunch costs 6 euros.|The class 6b play is on 12 May.|Each teacher looks after 15 pupils.|Rubber boots are useful.",
        ("take the {x} along", "ring the parents", "leave the {x} at school"))])


def shift_pay(g):
    """Bonuses for nights, Sundays and long shifts."""
    return _rows(g, [scene("worker|nurse|guard|baker|driver|porter", "gets", "the night bonus|double pay|the Sunday supplement|an extra day off|a taxi home|25 percent more pay|the meal allowance",
        [clock("shift_start", "starts {t}", 12, 20), num("shift_hours", "works {v} hours", ">= >", [6, 8, 10, 12]), day("day", "works {t}"),
         role("contract", "has {v}", "a permanent contract|a temporary contract|a student contract|a mini contract|an agency contract"),
         num("months_employed", "has been there for {v} months", ">= >", [6, 12, 24]), yn("on_the_roster", "is on the printed roster", "is not on the printed roster"),
         yn("first_aider", "is a first-aider", "is not a first-aider"), yn("called_in", "was called in at short notice", "was not called in at short notice")],
        [yn("swapped_privately", "swapped the shift privately", "did not swap the shift"), yn("probation", "is on probation", "is past probation|is not on probation"),
         yn("time_sheet_missing", "handed in no time sheet", "handed in a time sheet"), num("late_minutes", "came {v} minutes late", "> >=", [10, 15, 20])],
        [("locker", "has locker {n}"), ("shifts_this_year", "has worked {n} shifts this year"), ("distance_km", "lives {n} km away"),
         ("staff_number", "has staff number {n}")],
         "Payday is the 25th.|Breaks last 30 minutes.|The canteen is open until 22:00.|Uniforms are washed on Mondays.|Overtime is counted in quarter hours.",
        ("pay the full bonus", "pay half the bonus", "pay no bonus"))])


def stacking_discounts(g):
    """Coupons, cards and sales that go together or do not."""
    asides = "The sale ends on 31 May.|Delivery takes 3 days.|The shop opens at 9:00.|Gift cards are valid for 2 years.|Bags cost 20 cents."
    return _rows(g, [scene("customer|shopper|buyer", "gets",
        "the extra 10 percent|both discounts|the second coupon's discount|free delivery on top of the discount|a free gift|the loyalty price|five euros off",
        [num("basket_euros", "has goods worth {v} euros in the basket", ">= >", [40, 50, 80, 100], 5),
         role("card", "has {v}", "a silver card|a gold card|a student card|a blue card|a family card"), day("day", "shops {t}"),
         yn("newsletter", "reads the newsletter|is signed up for the newsletter", "is not signed up for the newsletter"),
         yn("pays_with_app", "pays with the app", "pays without the app"), num("basket_items", "buys {v} items", ">= >", [3, 4, 6]),
         yn("coupon", "shows a coupon|has a coupon", "shows no coupon|has no coupon")],
        [yn("sale_goods", "buys goods from the sale", "buys no goods from the sale"),
         yn("coupon_used_this_week", "has already used a discount this week", "has used no discount this week"), yn("gift_cards", "buys gift cards", "buys no gift cards"),
         yn("staff_price", "pays the staff price", "does not pay the staff price")],
        [("queue_minutes", "has waited for {n} minutes"), ("till", "stands at till {n}"), ("points", "has {n} points on the account")], asides,
         ("grant both discounts", "grant the larger discount only", "grant no discount")),
        scene("voucher", "may", "be combined with another offer|be used on sale goods|be used twice|be used online|be added to the bill of a group",
        [num("value_euros", "is worth {v} euros", "<= < >=", [10, 20, 25, 50]), role("colour", "is {v}", "red|green|blue|yellow|white"), dated("issued_on", "was issued {t}"),
         yn("stamped", "is stamped", "is not stamped"), yn("bears_name", "bears the name of the buyer", "bears no name"),
         yn("code_on_back", "has a code on the back", "has no code on the back")],
        [yn("promotional", "was given away as a promotion", "was paid for"), yn("torn", "is torn", "is undamaged"),
         yn("partly_used", "has been used in part", "has never been used")],
        [("number", "carries the number {n}"), ("branch", "comes from branch {n}")], asides, ("accept the {x}", "ask the manager", "reject the {x}"),
         "the voucher of Ana|the voucher of Ben|the voucher of Cleo|the voucher of Dev|the voucher of Ewa|the first voucher|the second voucher|the voucher from the drawer")])


def retention(g):
    """What is deleted, after how long, and what is kept."""
    kinds = "a job application|a chat log|a camera recording|an invoice|a delivery note|a visitor list"
    needs = [num("age_years", "is {v} years old", "> >=", [3, 5, 6, 10]), role("type", "is {v}", kinds),
        num("days_since_opened", "was last opened {v} days ago", "> >=", [30, 60, 90, 180], 3),
        yn("erasure_requested", "is named in an erasure request", "is named in no erasure request"),
        yn("contract_ended", "belongs to a contract that has ended", "belongs to a contract that still runs"), yn("exists_twice", "exists twice", "exists only once"),
        yn("holds_private_addresses", "holds private addresses", "holds no private addresses")]
    bans = [yn("legal_hold", "is on legal hold|is under a legal hold", "is not on legal hold|is under no legal hold"),
        yn("open_case", "belongs to an open court case", "belongs to no open court case"), yn("archive", "is marked for the archive", "is not marked for the archive"),
        yn("tax_audit", "is part of a tax audit", "is not part of a tax audit")]
    decoys = [("size_mb", "takes up {n} MB"), ("pages", "has {n} pages"), ("folder", "lies in folder {n}"), ("readers", "was read by {n} people")]
    asides = "Backups run at 2:00.|The archive room is locked after 18:00.|Logs of the door are kept for 7 days.|Every folder has an owner.|The yearly review is in March."
    things = "A-17|B-42|C-08|R-311|R-526|K4|M9|D-65|X-3|the first one|the red one|the old one"
    return _rows(g, [scene("file|record|document", "must", "be deleted|be erased|be shredded|be destroyed|be removed from the system", needs, bans, decoys, asides,
        ("delete it", "ask the privacy officer", "keep it"), things), scene("file|record|document", "may",
        "be deleted|be erased|be shredded|be sent to the archive bin|be wiped early", needs, bans, decoys, asides, ("delete it", "ask the privacy officer", "keep it"), things)])


def deploys(g):
    """Approvals, tests and freezes before a change goes live."""
    return _rows(g, [scene("change|release|update", "may", "go live|be deployed|be rolled out to everyone|be merged|be shipped without a meeting",
        [num("reviewers", "was approved by {v} reviewers", ">= >", [3, 4]), yn("tests", "has passed all tests|passes all tests", "has a failing test|fails one of the tests"),
         role("signed_off_by", "was signed off by {v}", "the release manager|the security team|an architect|a team lead|the product owner"),
         clock("start", "is set to start {t}", 9, 18), day("day", "is set for rollout {t}"), num("changed_lines", "touches {v} lines", "<= <", [50, 100, 200], 5),
         yn("rollback_plan", "has a rollback plan|comes with a rollback plan", "has no rollback plan"),
         yn("security_fix", "closes a security hole", "closes no security hole"), yn("behind_feature_flag", "is behind a feature flag", "is not behind a feature flag")],
        [dated("date", "falls {t}"), yn("alters_schema", "alters the database schema", "leaves the database schema alone"),
         yn("open_incident", "is tied to an open incident", "is tied to no open incident"), yn("new_dependency", "adds a new dependency", "adds no new dependency"),
         yn("in_freeze", "falls into the freeze", "falls outside the freeze")],
        [("build", "has build number {n}"), ("files", "touches {n} files"), ("author_months", "comes from an author with {n} months in the team"),
         ("build_minutes", "took {n} minutes to build")],
         "The daily meeting is at 9:30.|Logs are kept for 14 days.|The staging server restarts at 6:00.|Tickets older than 90 days are closed.|The build may use 8 cores.",
        ("deploy now", "wait for another approval", "reject the {x}"),
        "the billing patch|the search rewrite|the login fix|the cache tweak|the new menu|the mail template|the export job|the price table|the map widget|the report page")])


def flat_rules(g):
    """Pets, grills and noise in rented flats; the playground in the yard."""
    asides = "Bins are collected on Tuesdays.|Rent is due on the 3rd.|The cellar light goes out after 5 minutes.|The caretaker is in on Fridays until noon.|The yard is swept in turns."
    return _rows(g, [scene("tenant|lodger|resident", "may", "keep a dog|keep a rabbit|put a grill on the balcony|sublet a room|practise the drums|hang washing in the attic|keep two cats",
        [yn("landlord_agreed", "has the landlord's consent|has consent from the landlord", "has no consent from the landlord"),
         role("floor", "lives on {v}", "the ground floor|the first floor|the second floor|the third floor|the top floor"),
         num("flat_m2", "rents {v} square metres", ">= >", [40, 50, 60, 80], 2), num("years_in_house", "has lived there for {v} years", ">= >", [3, 4, 5, 10]),
         yn("insurance", "has liability insurance", "has no liability insurance"),
         yn("balcony", "has a balcony", "has no balcony"), yn("neighbours_agreed", "has the neighbours' agreement", "lacks the neighbours' agreement")],
        [yn("complaint", "has had a complaint|had a complaint this year", "has never had a complaint"),
         num("rent_arrears_days", "is {v} days behind with the rent", "> >=", [10, 14, 30], 2), yn("notice_given", "is under notice to leave", "is not under notice to leave"),
         yn("flatmate_allergic", "shares with somebody who has an allergy", "shares with nobody who has an allergy")],
        [("heating_euros", "pays {n} euros for heating"), ("doorbell", "has doorbell {n}"), ("plants", "owns {n} plants")], asides, ("agree", "ask for papers first", "say no")),
        scene("child|visitor|person", "may", "use the playground|use the climbing frame|play ball in the yard|use the swing|ride on the seesaw|play in the sandpit",
        [num("age", "is {v} years old", "<= <", [8, 10, 12, 14]), clock("time", "comes {t}", 8, 19), day("day", "comes {t}"),
         yn("with_adult", "is with a grown-up|has a grown-up along", "has no grown-up along"), yn("lives_here", "lives in the house", "does not live in the house|lives elsewhere"),
         yn("soft_ball", "brings a soft ball", "brings no soft ball")],
        [yn("dog", "brings a dog|has a dog along", "brings no dog"), yn("scooter", "is on a scooter", "is on foot"), yn("radio", "plays loud music", "plays no music"),
         yn("glass", "carries a glass bottle", "carries no glass bottle")],
        [("house_number", "comes from number {n}"), ("known_neighbours", "knows {n} of the neighbours"), ("visits_so_far", "has been there {n} times")], asides,
         ("let the {x} play", "ask the caretaker", "send the {x} home"))])


def ward_visits(g):
    """Hours, relatives and masks on a hospital ward."""
    return _rows(g, [scene("visitor|caller|guest", "may", "visit ward 4|see the patient|enter the children's ward|sit with the patient|go up to the third floor|stay for supper",
        [clock("arrival", "arrives {t}", 9, 19), role("relation", "is {v} of the patient", "a parent|a sister|a brother|the partner|a friend|a colleague"),
         num("age", "is {v} years old", ">= >", [12, 14, 16, 18]), yn("mask", "wears a mask", "wears no mask"),
         yn("registered", "has signed in at reception|signed in at reception", "has not signed in at reception"), day("day", "comes {t}"),
         yn("appointment", "has an appointment", "has no appointment"), yn("doctor_agreed", "has the doctor's leave", "lacks the doctor's leave")],
        [yn("cough", "has a cough", "has no cough"), num("group_size", "comes in a group of {v}", ">= >", [3, 4, 5]), yn("flowers", "brings flowers", "brings no flowers"),
         yn("pet", "has an animal along", "has no animal along"), yn("recent_fever", "had a fever this week", "had no fever this week")],
        [("bed", "asks for bed {n}"), ("journey_km", "has come {n} km"),
         ("chocolates", "brings {n} chocolates")],
         "The shop on the ground floor closes at 18:30.|Supper is served at 17:00.|Lift 2 is for beds only.|The chapel is always open.|Phone calls cost 10 cents a minute.",
        ("let the {x} through", "call the nurse in charge", "ask the {x} to leave"))])


def workshop_machines(g):
    """Certificates, goggles and supervision at machines."""
    return _rows(g, [scene("trainee|apprentice|member|helper|hobbyist", "may",
        "use the lathe|run the band saw|work at the welding bench|start the press|use the laser cutter|drive the forklift|use the planer|fire the kiln",
        [yn("certificate", "has the certificate|holds the certificate", "has no certificate"), yn("goggles", "wears goggles", "wears no goggles"),
         yn("supervisor_present", "is supervised|works under supervision", "is unsupervised|works without supervision"),
         num("practice_hours", "has {v} hours of practice", ">= >", [5, 10, 20, 40]), num("age", "is {v} years old", ">= >", [15, 16, 18]), clock("time", "would start {t}", 8, 19),
         role("group", "belongs to {v}", "the wood group|the metal group|the pottery group|the bike group|the model group"),
         yn("booked", "has booked the machine", "has not booked the machine"), yn("ear_protection", "has ear protection", "has no ear protection")],
        [yn("gloves", "wears gloves", "wears no gloves"), yn("loose_sleeves", "has loose sleeves", "has tight sleeves"),
         num("hours_worked_today", "has worked {v} hours today", "> >=", [6, 8, 9]),
         yn("drowsy_medicine", "takes a medicine that causes drowsiness", "takes no medicine that causes drowsiness"), yn("necklace", "wears a necklace", "wears no necklace")],
        [("bench", "stands at bench {n}"), ("toolbox", "has toolbox {n}"), ("boards", "has {n} boards to cut"),
         ("minutes_early", "was {n} minutes early")],
         "Dust is vacuumed at 20:00.|Boards longer than 2 metres lie in the yard.|The first-aid box is in room 3.|Blades are changed on the first Monday.|Tools are hung up after use.",
        ("switch the machine on", "get the supervisor", "send the {x} away"))])


def expense_approval(g):
    """Amounts, categories and who signs."""
    things = "the dinner in Graz|the train ticket|the hotel bill|the new chair|the taxi ride|the software licence|the course fee|the flowers|the phone bill|the printer paper"
    cats = role("category", "is booked under {v}", "travel|training|catering|equipment|marketing|repairs")
    decoys = [("line", "stands on line {n}"), ("pages", "has {n} pages attached"), ("team_size", "comes from a team of {n}")]
    asides = "Reports close on the 28th.|The exchange rate is set every Monday.|Blank forms lie in tray 3.|The office opens at 8:30.|Cards are renewed every 3 years."
    signer = role("signed_by", "is signed by {v}", "a team lead|the head of finance|a director|the office manager|a project lead")
    return _rows(g, [scene("claim|expense", "may", "be paid out|be reimbursed|be paid without a meeting|be booked at once",
        [num("amount_euros", "comes to {v} euros", "<= <", [50, 100, 200, 500], 5), signer, cats, yn("receipt", "has a receipt|comes with a receipt", "has no receipt"),
         num("days_until_handed_in", "was handed in after {v} days", "<= <", [14, 30, 60]), yn("project_code", "carries a project code", "carries no project code")],
        [yn("alcohol", "includes alcohol", "includes no alcohol"), yn("company_card", "was paid with the company card", "was paid with a private card"),
         yn("unnamed_guests", "covers guests who are not named", "covers no unnamed guests"),
         yn("claimed_before", "was claimed before", "was never claimed before")], decoys, asides, ("pay it", "ask for another signature", "reject it"), things),
        scene("claim|expense", "must", "be signed by two people|go to the board|be checked by an auditor|be approved in advance|be explained in writing",
        [num("amount_euros", "comes to {v} euros", "> >=", [100, 200, 500, 900], 5), cats, yn("foreign_currency", "is in a foreign currency", "is in euros"),
         yn("no_receipt", "lacks a receipt", "has a receipt"), yn("on_weekend", "falls on a weekend", "falls on a working day"),
         num("people", "covers {v} people", "> >=", [4, 6, 10])],
        [yn("in_budget", "is part of the approved budget", "is not part of the approved budget"), yn("standing_order", "repeats a standing order", "repeats no standing order"),
         yn("grant", "is paid from a grant", "is not paid from a grant")], decoys, asides, ("ask for two signatures", "ask for one signature", "pass it on"), things)])


def sports_eligibility(g):
    """Who may start, play and take part."""
    return _rows(g, [scene("player|rower|runner|athlete|fencer", "may",
        "start in the final|play in the junior team|take part in the relay|enter the cup|travel with the team|wear the captain's armband|run the long distance",
        [num("age", "is {v} years old", "< <= >=", [15, 17, 19, 23]), num("training_sessions", "has been to {v} training sessions", ">= >", [6, 8, 10, 20]),
         yn("medical_check", "has passed the medical check|has a medical certificate", "has had no medical check"),
         yn("fee_paid", "has paid the club fee", "has not paid the club fee"),
         role("home_club", "comes from {v}", "the North club|the Harbour club|the Hill club|the Station club|the Mill club"), dated("registered_on", "was registered {t}"),
         yn("licence", "has a licence|holds a licence", "has no licence"), num("games_this_season", "has played {v} games this season", ">= >", [4, 5, 8])],
        [num("yellow_cards", "has {v} yellow cards", ">= >", [3, 4, 5]), yn("red_card", "was sent off last time", "was not sent off last time"),
         yn("injury", "is injured", "is uninjured"), yn("second_club", "is also registered with a second club", "is registered with one club only")],
        [("shirt", "wears number {n}"), ("points", "has scored {n} points"), ("journey_km", "lives {n} km from the ground"),
         ("medals", "has {n} medals")], "The ground opens at 10:00.|Entry costs 5 euros.|A match lasts 60 minutes.|Shirts are handed out on Thursday.|The referee brings the ball.",
        ("put the {x} on the list", "ask the committee", "strike the {x} off"))])


def club_votes(g):
    """Who may vote or stand for office in a club."""
    return _rows(g, [scene("member|delegate|owner|shareholder", "may", "vote on the budget|stand for the board|propose a motion|vote by letter|speak at the assembly|call a meeting|count the votes",
        [num("months_in_club", "joined {v} months ago", ">= >", [3, 6, 12, 24]), num("age", "is {v} years old", ">= >", [16, 18, 21]),
         yn("fee_paid", "has paid this year's fee", "has not paid this year's fee|owes this year's fee"),
         role("status", "has {v}", "full membership|youth membership|guest membership|honorary membership|supporting membership"),
         yn("present", "is in the hall", "is not in the hall"), yn("proxy", "has a written proxy", "has no written proxy"), dated("signed_up_on", "signed up for the assembly {t}"),
         yn("seconder", "has a seconder", "has no seconder")],
        [yn("personal_interest", "has a personal interest in the matter", "has no personal interest in the matter"),
         yn("resigned", "has handed in a resignation", "has not handed in a resignation"), num("missed_meetings", "has missed {v} meetings in a row", ">= >", [3, 4, 5]),
         yn("employed", "is employed by the club", "is not employed by the club")],
        [("seat", "sits on chair {n}"), ("card", "has card number {n}"),
         ("house_number", "lives at house number {n}")], "The assembly starts at 19:00.|Minutes are sent out within 10 days.|Coffee is free.|The board has 7 seats.|A quorum is 25 people.",
        ("hand out a ballot", "ask the secretary", "hand out no ballot"))])


def plan_features(g):
    """Functions of a service by plan, size and role."""
    plan = role("plan", "is on {v}", "the Free plan|the Basic plan|the Pro plan|the Team plan|the Business plan|the School plan")
    needs = [plan, num("seats", "has {v} seats", ">= >", [5, 10, 25, 50]), yn("verified_address", "has a verified address", "has no verified address"),
        num("months_active", "has been active for {v} months", ">= >", [3, 6, 12]), yn("two_factor", "uses two-factor login", "does not use two-factor login"),
        yn("yearly_billing", "is billed by the year", "is billed by the month"), role("region", "is hosted in {v}", "Ireland|Canada|Japan|Brazil|Norway|India"),
        yn("own_domain", "has its own domain", "has no domain of its own")]
    bans = [yn("payment_overdue", "has an overdue payment", "has no overdue payment"), yn("in_trial_period", "is still in the trial period", "is past the trial period"),
        num("storage_percent", "uses {v} percent of its storage", "> >=", [80, 90], 2), yn("abuse_report", "has an open abuse report", "has no open abuse report")]
    decoys = [("projects", "has {n} projects"), ("logins_this_week", "had {n} logins this week"), ("files", "holds {n} files"), ("guests", "has {n} guests")]
    asides = "Support answers within 24 hours.|Backups run at 3:00.|Files may be up to 200 MB.|Prices change in January.|New versions come out on Tuesdays."
    things = "Norda|Brightwell|Kestrel|Solvia|Umbra|Velo|Westmark|Pinecrest"
    desk = ("switch the function on", "offer an upgrade", "leave the function off")
    return _rows(g, [scene("account|workspace", "may",
        "export to PDF|use the audit log|call the API|add guests|share folders with outsiders|use single sign-on", needs, bans, decoys, asides, desk, things),
                     scene("account|workspace", "gets", "phone support|a test server|unlimited history|early access|a personal adviser|daily backups", needs, bans, decoys, asides, desk, things)])


FAMILIES = {f.__name__: f for f in (
    gym_access, airline_baggage, returns_refunds, secure_entry, pool_rules, trip_consent, shift_pay, stacking_discounts, retention, deploys, flat_rules, ward_visits,
    workshop_machines, expense_approval, sports_eligibility, club_votes, plan_features)}
