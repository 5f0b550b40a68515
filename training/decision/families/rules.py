"""Rules with conditions, prohibitions and exceptions, applied to a case; the fact in one place of a long text.

Held out whole (see `held1.py`): parking rules, and the rules of a library.
"""
import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one

# condition: (as a condition of a rule, key, true as told, false as told)
CONDITIONS = [("has a ticket", "ticket", "has a ticket", "has no ticket"), ("is a member", "member", "is a member", "is not a member"), ("wears a helmet", "helmet", "wears a helmet", "wears no helmet"), ("has booked in advance", "booked", "booked in advance", "did not book"),
              ("is with an adult", "with_adult", "comes with an adult", "comes alone"), ("has paid the deposit", "deposit_paid", "paid the deposit", "has not paid the deposit"), ("is trained on the machine", "trained", "is trained on the machine", "was never trained on the machine"),
              ("shows an identity card", "id_shown", "shows an identity card", "shows no identity card"), ("lives in the town", "resident", "lives in the town", "lives elsewhere"), ("has signed the waiver", "waiver_signed", "has signed the waiver", "has not signed the waiver"),
              ("is on the list", "on_list", "is on the list", "is not on the list"), ("has a permit", "permit", "has a permit", "is without a permit"), ("works on site", "on_site", "works on site", "works from home"), ("was vaccinated", "vaccinated", "was vaccinated", "was not vaccinated")]
BANS = [("is suspended", "suspended", "is suspended", "is not suspended"), ("brings a dog", "dog", "brings a dog", "brings no dog"), ("carries glass bottles", "glass", "carries glass bottles", "carries no glass"), ("owes a fee", "owes_fee", "owes a fee", "owes nothing"), ("is ill", "ill", "is ill", "is healthy"),
        ("arrives after ten", "late", "arrives after ten", "arrives before ten"), ("has drunk alcohol", "drunk", "has drunk alcohol", "is sober"), ("has been warned twice", "warned_twice", "has been warned twice", "has never been warned"), ("smokes", "smokes", "smokes", "does not smoke")]
ACTIONS = ["enter the hall", "use the crane", "borrow a boat", "swim in the pool", "climb the tower", "join the tour", "drive the cart", "use the workshop", "attend the trial", "stay overnight", "board the ferry", "visit the ward", "fish in the lake"]


def conditions(g):
    """May / may not under two conditions and a ban; the case differs in one of them."""
    act = g.pick(ACTIONS)
    x, y = g.rng.sample(CONDITIONS[:-2] if g.split == "train" else CONDITIONS, 2)
    z = g.pick(BANS)
    kind = g.rng.randint(0, 6)
    rules = [
        (f"One may {act} only if one {x[0]} and {y[0]}.", lambda p, q, r: p and q), (f"One may {act} if one {x[0]} or {y[0]}.", lambda p, q, r: p or q), (f"Everyone who {x[0]} may {act}, unless he or she {z[0]}.", lambda p, q, r: p and not r),
        (f"Nobody may {act} who {z[0]}. Everybody else may.", lambda p, q, r: not r), (f"To {act} one must show that one {x[0]}; whoever {z[0]} is refused in any case.", lambda p, q, r: p and not r),
        (f"It is forbidden to {act}, except for a person who {x[0]}.", lambda p, q, r: p), (f"A person who {x[0]} may {act}. So may one who {y[0]}. But nobody who {z[0]} may.", lambda p, q, r: (p or q) and not r)]
    rule, ok = rules[kind]
    who = g.name()
    facts = {"p": g.coin(0.6), "q": g.coin(0.6), "r": g.coin(0.35)}
    for _ in range(20):
        flips = [k for k in "pqr" if ok(*{**facts, k: not facts[k]}.values()) != ok(*facts.values())]
        if flips:
            break
        facts = {"p": g.coin(0.6), "q": g.coin(0.6), "r": g.coin(0.35)}
    k = g.rng.choice(flips)
    shape = g.rng.randint(0, 2)

    def tell(f):
        parts = [(x, f["p"]), (y, f["q"]), (z, f["r"])]
        if shape == 0:
            return {"rule": rule, "person": {"name": who, **{c[1]: v for c, v in parts}}}
        body = ", ".join(c[2] if v else c[3] for c, v in parts[:2]) + f" and {z[2] if f['r'] else z[3]}"
        return f"{rule} {who} {body}." if shape == 1 else {"rule": rule, "case": f"{who} {body}."}

    one, two = tell(facts), tell({**facts, k: not facts[k]})
    value = ok(*facts.values())
    yes, no = (one, two) if value else (two, one)
    clause = g.rng.choice([Clause(who, "may", act), Clause(f"{who}", "is", f"allowed to {act}")])
    out = ask_pair(g, yes, no, clause)
    out += ask_both(g, one, clause, value, 0, Clause(f"{who}", "must", "be refused"))
    options = g.rng.choice([{"allow": "The rule permits it", "refuse": "The rule forbids it"}, {"yes": None, "no": None}, {"permitted": None, "forbidden": None}, {"let_in": "Conditions are met", "turn_away": "Conditions are not met"}])
    keys = list(options)
    if g.coin(0.6):
        out += [pick_one(g, s, ["Apply the rule.", "What does the rule say for this case?", "Decide the case."], options, keys[0 if v else 1], pair=1) for s, v in ((yes, True), (no, False))]
    return out


ITEMS = ["a folding knife", "a bottle of wine", "a laptop", "a drone", "an umbrella", "a hamster", "a football", "a camera", "a gas burner", "a skateboard", "a violin", "a tent", "a ladder", "perfume", "a lighter", "a radio", "a grill", "a kayak"]
PLACES = ["the museum", "the train", "the park", "the stadium", "the reading room", "the beach", "the courthouse", "the camp site", "the plane"]


def prohibited(g):
    """Lists of what is allowed, forbidden, and forbidden at times."""
    items = g.rng.sample(ITEMS, 5)
    yes, no, some = items[:2], items[2:4], items[4]
    place = g.pick(PLACES)
    cond = g.pick([("on weekends", "Saturday", "Tuesday"), ("before noon", "10 in the morning", "4 in the afternoon"), ("in winter", "January", "July"), ("for staff", "a member of staff", "a visitor"), ("after eight in the evening", "nine in the evening", "noon")])
    form = g.pick(["Rules for {p}: {n} are forbidden. {y} are allowed. {s} is allowed only {c}.", "In {p} you may have {y}. You may not have {n}. You may have {s} only {c}.", "Not allowed in {p}: {n}. Allowed: {y}. Allowed {c} only: {s}.", "Please leave {n} at home when you visit {p}; {y} may come along. {s}: {c} only."])
    rule = form.format(p=place, n=g.join(no), y=g.join(yes), s=some, c=cond[0])
    rule = rule[:1].upper() + rule[1:]
    shape = g.coin()
    tell = lambda item, when: {"rules": rule, "request": {"item": item, "when_or_who": when}} if shape else f"{rule} Request: {item}, {when}."
    when = g.rng.choice(cond[1:])
    words = g.pick(["Is it allowed?", "May it be brought?", "The rules allow it.", "Does the request keep to the rules?", "Can the item come in?"])
    make = lambda i, w, v, p: {"state": tell(i, w), "type": "noul", "instructions": words, "criteria": None, "label": v, "pair": p}
    out = [make(yes[0], when, True, 0), make(no[0], when, False, 0), make(some, cond[1], True, 1), make(some, cond[2], False, 1)]
    item, v = g.rng.choice([(yes[1], "allowed"), (no[1], "forbidden"), (some, "conditional")])
    out.append(pick_one(g, rule, [f"How do the rules treat {item}?", f"What holds for {item}?"], {"allowed": "Always allowed", "forbidden": "Never allowed", "conditional": "Allowed under a condition"}, v))
    return out + ask_both(g, tell(no[1], when), Clause("this", "is", "permitted"), False, 0, Clause("this", "is", "prohibited"))


def tiers(g):
    """Who may decide on what amount; which band a value falls into."""
    what, unit = g.pick([("refund", "euros"), ("order", "euros"), ("leave", "days"), ("discount", "percent"), ("load", "kilos"), ("loan", "euros"), ("delay", "minutes"), ("group", "people"), ("stay", "nights")])
    roles = g.pick([["the clerk", "the team lead", "the director"], ["a bot", "an agent", "a manager"], ["level 1", "level 2", "level 3"], ["the desk", "the office", "the board"]])
    low = g.rng.choice([5, 10, 20, 50, 100])
    high = low * g.rng.choice([2, 3, 5, 10])
    rule = g.pick(["A {w} of up to {l} {u} is decided by {a}, up to {h} {u} by {b}, anything above by {c}.", "{a} handles a {w} up to {l} {u}; {b} one of more than {l} and up to {h} {u}; {c} whatever exceeds {h} {u}.", "Above {h} {u}, a {w} goes to {c}. Otherwise above {l} {u} it goes to {b}. All the rest goes to {a}."]).format(
        w=what, l=low, h=high, u=unit, a=roles[0], b=roles[1], c=roles[2])
    rule = rule[:1].upper() + rule[1:]
    level = lambda v: (v > low) + (v > high)
    v = g.rng.choice([g.rng.randint(1, low), g.rng.randint(low + 1, high), g.rng.randint(high + 1, high * 2)])
    w = g.rng.choice([x for x in (g.rng.randint(1, low), g.rng.randint(low + 1, high), g.rng.randint(high + 1, high * 2)) if level(x) != level(v)])
    shape = g.rng.randint(0, 2)
    tell = lambda x: [{"policy": rule, what: {"amount": x, "unit": unit}}, f"{rule} The {what} in question: {x} {unit}.", {"policy": rule, "case": f"A {what} of {x} {unit}, asked for by {g.name()}."}][shape]
    a, c = tell(v), tell(w)
    out = ask_pair(g, a, c, Clause(f"the {what}", "is", f"a matter for {roles[level(v)]}"))
    out += [pick_one(g, s, ["Who decides?", "To whom does the case go?", "Apply the policy."], roles, roles[level(x)], pair=1) for s, x in ((a, v), (c, w))]
    return out + ask_both(g, a, Clause(f"the {what}", "does", f"exceed {low} {unit}", f"exceeds {low} {unit}"), v > low)


NEEDLES = [("the gate code", ["4471", "9120", "6602", "1837", "5094"]), ("the room of the talk", ["Hall B", "Room 12", "the attic", "the chapel", "Studio 4"]), ("the name of the new cook", ["Elif", "Hugo", "Wanda", "Nils", "Bea"]), ("the colour of the badge", ["green", "orange", "purple", "white", "brown"]),
           ("the day of the fire drill", ["Monday", "Tuesday", "Thursday", "Friday", "Saturday"]), ("the price of the ticket", ["7 euros", "12 euros", "19 euros", "25 euros", "31 euros"]), ("the cause of the outage", ["a cut cable", "a full disk", "an expired certificate", "a wrong setting", "a flood"]),
           ("the winner of the contest", ["Samir", "Tessa", "Omar", "Greta", "Keiko"]), ("the bus to the depot", ["line 3", "line 8", "line 14", "line 21", "line 40"]), ("the drink of the day", ["mint tea", "cider", "cocoa", "lemonade", "coffee"])]


DOINGS = ["repaired the fence", "moved the chairs", "wrote to the landlord", "watered the roses", "counted the boxes", "cleaned the windows", "met the new tenants", "cancelled the taxi", "printed the posters", "fed the hens", "read the old letters", "paid for the coffee",
          "called the roofer", "sorted the books", "tested the alarm", "brought the post"]
WHENS = ["on Monday", "in the morning", "last week", "after lunch", "at the weekend", "before the storm", "in March", "without asking", "as agreed", "for the second time", "with a friend", "late at night"]


def chatter(g, n):
    """Sentences that have nothing to do with anything asked."""
    return [g.pick(b.FILLER) if g.coin(0.4) else f"{g.rng.choice(b.NAMES)} {g.rng.choice(DOINGS)} {g.rng.choice(WHENS)}." for _ in range(n)]


def needle(g):
    """One fact among other sentences, or not there at all."""
    (thing, values), *others = g.rng.sample(NEEDLES, 4)
    value, wrong = g.rng.sample(values, 2)
    filler = chatter(g, g.rng.randint(2, 9) if g.coin(0.8) else g.rng.randint(10, 34)) + [f"{t[:1].upper() + t[1:]} is {g.rng.choice(v)}." for t, v in others[: g.rng.randint(0, 3)]]
    g.rng.shuffle(filler)
    at = g.rng.randint(0, len(filler))
    tell = lambda v: " ".join(filler[:at] + ([g.rng.choice([f"{thing[:1].upper() + thing[1:]} is {v}.", f"By the way, {thing} is {v}.", f"Please note: {thing} is {v}."])] if v else []) + filler[at:])
    words = g.pick([f"Is {thing} {value}?", f"{thing[:1].upper() + thing[1:]} is {value}.", f"Does the text say that {thing} is {value}?"])
    out = [{"state": tell(v), "type": "noul", "instructions": words, "criteria": None, "label": v == value, "pair": 0} for v in (value, wrong)]
    out.append({"state": tell(None), "type": "noul", "instructions": f"Does the text tell {thing}?", "criteria": None, "label": False, "pair": 1})
    out.append({"state": tell(value), "type": "noul", "instructions": f"Does the text tell {thing}?", "criteria": None, "label": True, "pair": 1})
    key, d = g.pick([("not_stated", "The text does not say"), ("unknown", None), ("none_of_these", None)])
    options = {v: None for v in g.rng.sample(values, 4)} | {value: None, key: d}
    there = g.coin(0.7)
    out.append(pick_one(g, tell(value if there else None), [f"What is {thing}?", f"Pick {thing}.", f"Which is {thing}?"], options, value if there else key))
    return out


FAMILIES = {f.__name__: f for f in (conditions, prohibited, tiers, needle)}
