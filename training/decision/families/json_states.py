"""Records with booleans, numbers, nulls and lists, nested or flat, and the same record told in prose.

Held out whole (see `held1.py`): settings of an account (booleans) and readings of sensors (numbers).
"""
import banks as b
from clauses import Clause, ask, ask_both, ask_pair, pick_one

# domain -> subject, {key: clause parts (aux, rest, said)}
FLAGS = {
    "order": ("the order", {"paid": ("has", "been paid"), "shipped": ("has", "been shipped"), "gift_wrapped": ("is", "gift-wrapped"), "express": ("is", "sent by express"), "insured": ("is", "insured"), "cancelled": ("has", "been cancelled"), "confirmed": ("is", "confirmed")}),
    "employee": ("the employee", {"on_leave": ("is", "on leave"), "remote": ("does", "work remotely", "works remotely"), "manager": ("is", "a manager"), "badge_active": ("does", "have an active badge", "has an active badge"), "first_aider": ("is", "a first aider"), "on_call": ("is", "on call")}),
    "document": ("the document", {"signed": ("is", "signed"), "draft": ("is", "a draft"), "approved": ("has", "been approved"), "confidential": ("is", "confidential"), "translated": ("has", "been translated"), "archived": ("is", "archived")}),
    "device": ("the device", {"powered_on": ("is", "powered on"), "charging": ("is", "charging"), "rooted": ("is", "rooted"), "lost": ("has", "been reported lost"), "encrypted": ("is", "encrypted"), "updated": ("is", "up to date")}),
    "booking": ("the booking", {"confirmed": ("is", "confirmed"), "breakfast": ("does", "include breakfast", "includes breakfast"), "prepaid": ("is", "prepaid"), "refundable": ("is", "refundable"), "pets": ("does", "allow pets", "allows pets"), "parking": ("does", "include parking", "includes parking")}),
    "server": ("the server", {"reachable": ("is", "reachable"), "in_maintenance": ("is", "in maintenance"), "backed_up": ("is", "backed up"), "public": ("is", "public"), "overloaded": ("is", "overloaded"), "patched": ("is", "patched")}),
    "patient_transport": ("the ride", {"assigned": ("is", "assigned to a driver"), "wheelchair": ("does", "need a wheelchair space", "needs a wheelchair space"), "return_trip": ("does", "include a return trip", "includes a return trip"), "delayed": ("is", "delayed"), "completed": ("is", "completed")}),
    "recipe": ("the dish", {"vegan": ("is", "vegan"), "spicy": ("is", "spicy"), "gluten_free": ("is", "gluten-free"), "frozen": ("is", "frozen"), "contains_nuts": ("does", "contain nuts", "contains nuts")}),
    "course": ("the course", {"full": ("is", "full"), "online": ("is", "online"), "certified": ("is", "certified"), "free": ("is", "free of charge"), "started": ("has", "started")}),
    "invoice": ("the invoice", {"sent": ("has", "been sent"), "disputed": ("is", "disputed"), "overdue": ("is", "overdue"), "settled": ("is", "settled"), "includes_tax": ("does", "include tax", "includes tax")}),
    "house": ("the flat", {"furnished": ("is", "furnished"), "balcony": ("does", "have a balcony", "has a balcony"), "lift": ("does", "have a lift", "has a lift"), "rented": ("is", "rented out"), "renovated": ("has", "been renovated")}),
    "subscriber": ("the subscriber", {"active": ("is", "active"), "trial": ("is", "on a trial"), "verified": ("is", "verified"), "blocked": ("is", "blocked"), "newsletter": ("does", "get the newsletter", "gets the newsletter")}),
}


def style(g, key):
    pick = g.rng.randint(0, 3)
    parts = key.split("_")
    return key if pick < 2 else parts[0] + "".join(p.title() for p in parts[1:]) if pick == 2 else ("is_" if g.coin(0.5) else "") + key


def dress(g, name, flags, extra):
    """A record of flags in one of several shapes."""
    items = list({**flags, **extra}.items())
    g.rng.shuffle(items)
    record, shape = dict(items), g.rng.randint(0, 4)
    if shape == 0:
        return record
    if shape == 1:
        return {name: record}
    if shape == 2:
        return {"meta": {"version": g.rng.randint(1, 9), "source": g.pick(["web", "import", "api"])}, name: record}
    if shape == 3:
        return {"data": {name: {"id": g.rng.randint(100, 999), "flags": record}}}
    return {name: {k: v for k, v in items[: len(items) // 2]}, "status": {k: v for k, v in items[len(items) // 2 :]}}


def flip(x, key):
    """The same state with one boolean turned."""
    return {k: (not v if k == key and isinstance(v, bool) else flip(v, key) if isinstance(v, dict) else v) for k, v in x.items()}


def prose(g, subject, clauses, flags):
    parts = []
    for k, v in flags.items():
        c = clauses[k]
        parts.append(g.pick([c.s, c.s, f"it is a fact that {c.s}"]) if v else g.pick([c.ns, c.ns, f"it is not the case that {c.s}"]))
    g.rng.shuffle(parts)
    return " ".join(p[:1].upper() + p[1:] + "." for p in parts)


def flags(g):
    """Booleans of a record; the same record with one of them turned; the same as prose."""
    name = g.pick(FLAGS)
    subject, spec = FLAGS[name]
    chosen = g.rng.sample(list(spec), g.rng.randint(2, min(4, len(spec))))
    clauses = {k: Clause(subject, *spec[k]) for k in chosen}
    values = {k: g.coin() for k in chosen}
    probe = g.rng.choice(chosen)
    c = clauses[probe]
    if g.coin(0.22):
        a, other = prose(g, subject, clauses, values), prose(g, subject, clauses, {**values, probe: not values[probe]})
    else:
        names = {k: style(g, k) for k in chosen}
        extra = {} if g.coin(0.4) else g.rng.choice([{"id": g.rng.randint(100, 9999)}, {"owner": g.name()}, {"city": g.pick(b.CITIES), "qty": g.rng.randint(1, 9)}, {"note": None}, {"total": round(g.rng.uniform(5, 500), 2)}])
        a = dress(g, name, {names[k]: v for k, v in values.items()}, extra)
        other = flip(a, names[probe])
        if g.coin(0.15):
            words = ("yes", "no") if g.coin() else (1, 0)
            swap = lambda x: {k: (swap(v) if isinstance(v, dict) else (words[0] if v else words[1]) if isinstance(v, bool) else v) for k, v in x.items()}
            a, other = swap(a), swap(other)
    yes, no = (a, other) if values[probe] else (other, a)
    out = ask_pair(g, yes, no, c, 0, denied=False if g.coin(0.8) else True)
    second = g.rng.choice(chosen)
    out += ask_both(g, a, clauses[second], values[second], 0)
    if sum(values.values()) == 1 and len(chosen) > 2 and g.coin(0.6):
        hit = next(k for k in chosen if values[k])
        out.append(pick_one(g, a, [f"Which of these is so for {subject}?", "Which one is true?", "Which flag is set?"], {clauses[k].s: None for k in chosen}, clauses[hit].s))
    return out


NUMBERS = {"stock": ("items in stock", 0, 60), "temperature": ("degrees", -20, 45), "age": ("years of age", 15, 90), "score": ("points", 0, 100), "attempts": ("attempts", 0, 9), "weight_kg": ("kg of weight", 1, 80), "seats_left": ("seats left", 0, 40),
           "balance": ("on the balance", -200, 900), "distance_km": ("km of distance", 1, 300), "open_tickets": ("open tickets", 0, 30), "unread": ("unread messages", 0, 50), "days_overdue": ("days overdue", 0, 40), "pages": ("pages", 1, 400), "guests": ("guests", 1, 12)}


def near(g, v):
    return v + g.rng.choice([-1, 1]) * g.rng.choice([1, 1, 2, 3, 5, 8, 12, 20])


def fields(g):
    """Numbers, nulls and lists of a record."""
    key = g.pick(NUMBERS)
    unit, low, high = NUMBERS[key]
    v = g.rng.randint(low, high)
    limit = near(g, v)
    more = {k: g.rng.randint(NUMBERS[k][1], NUMBERS[k][2]) for k in g.rng.sample([k for k in NUMBERS if k != key], g.rng.randint(0, 3))}
    record = lambda x: {**{k: y for k, y in list(more.items())[:1]}, key: x, **{k: y for k, y in list(more.items())[1:]}}
    word = key.replace("_", " ")
    shell = g.rng.choice([lambda r: r, lambda r: {"record": r}, lambda r: {"id": 7, "values": r}, lambda r: {"item": {"details": r}}, lambda r: f"The {word} is {r[key]}." + "".join(f" The {k.replace('_', ' ')} is {y}." for k, y in r.items() if k != key)])
    up = g.coin()
    clause = Clause(f"the {word}", "is", g.pick([f"above {limit}", f"more than {limit}", f"higher than {limit}", f"greater than {limit}"] if up else [f"below {limit}", f"less than {limit}", f"lower than {limit}", f"under {limit}"]))
    a, c = limit + g.rng.randint(1, 15), limit - g.rng.randint(1, 15)
    hi, lo = shell(record(a)), shell(record(c))
    out = ask_pair(g, hi if up else lo, lo if up else hi, clause, 0, denied=False)
    kind, state = g.rng.randint(0, 3), shell(record(v))
    if kind == 0:
        said = v if g.coin() else near(g, v)
        out += ask(g, state, Clause(f"the {word}", "is", str(said)), said == v)
    elif kind == 1:
        zero = g.coin()
        x = 0 if zero else g.rng.randint(1, 30)
        out += ask_both(g, shell(record(x)), Clause(f"the {word}", "is", "zero"), zero)
    elif kind == 2 and more and isinstance(state, dict):
        options = {str(x): None for x in {v, *more.values(), near(g, v)}}
        out.append(pick_one(g, state, [f"What is the {word}?", f"Pick the value of the {word}.", f"Which number is given for the {word}?"], options, str(v)))
    else:
        out += ask(g, state, clause, v > limit if up else v < limit)
    return out


ROLES = ["admin", "editor", "viewer", "auditor", "guest", "owner", "billing", "support"]


def present(g):
    """Is a value there, empty, or missing; is a member in a list; how many?"""
    kind = g.rng.randint(0, 2)
    who = g.name()
    if kind == 0:
        key, value = g.pick([("email", f"{who.lower()}@example.org"), ("phone", "555 0170"), ("address", f"{g.rng.randint(1, 90)} Mill Road"), ("birthday", "1990-04-02"), ("company", g.pick(b.COMPANIES)), ("vat_number", "X8812"), ("photo", "p.jpg"), ("manager", g.name()), ("deadline", "2027-03-01")])
        full = {"name": who, key: value, "city": g.pick(b.CITIES)}
        empty = {k: v for k, v in full.items() if k != key} if g.coin(0.4) else {**full, key: g.rng.choice([None, "", None])}
        word = key.replace("_", " ")
        shell = g.rng.choice([lambda r: r, lambda r: {"contact": r}, lambda r: {"form": {"id": 3, "fields": r}}])
        return ask_pair(g, shell(full), shell(empty), Clause(f"the {word}", "is", g.pick(["given", "filled in", "known", "on record"])), 0) + ask_both(g, shell(empty), Clause(f"the {word}", "is", "missing"), True)
    if kind == 1:
        have = g.rng.sample(ROLES, g.rng.randint(1, 4))
        probe = g.rng.choice(ROLES)
        rest = [r for r in have if r != probe]
        yes = rest + [probe]
        g.rng.shuffle(yes)
        shell = g.rng.choice([lambda r: {"user": who, "roles": r}, lambda r: {"account": {"name": who, "groups": r, "active": True}}, lambda r: f"{who} has these roles: {', '.join(r) or 'none'}."])
        out = ask_pair(g, shell(yes), shell(rest), Clause(who, "does", f"have the role {probe}", f"has the role {probe}"), 0)
        return out + ask_both(g, shell(rest), Clause(who, "is", f"one of those with the role {probe}"), False)
    n = g.rng.randint(0, 5)
    items = g.rng.sample(b.PRODUCTS, n)
    state = g.rng.choice([{"cart": items}, {"basket": {"items": items, "owner": who}}, {"customer": who, "lines": [{"item": i, "qty": 1} for i in items]}])
    out = ask_both(g, state, Clause("the basket", "is", "empty"), n == 0)
    label = "none" if n == 0 else "one" if n == 1 else "several"
    out.append(pick_one(g, state, ["How many things are in it?", "How much is in the basket?"], {"none": "Nothing at all", "one": "Exactly one thing", "several": "Two things or more"}, label))
    return out


FAMILIES = {f.__name__: f for f in (flags, fields, present)}
