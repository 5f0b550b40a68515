"""Comparisons of numbers, dates and claims, and the last of several facts.

Held out whole (see `held1.py`): finishing times (less is better), which of two events comes first, and where a meeting ends up.
"""
from datetime import date, timedelta

import banks as b
from clauses import Clause, ask, ask_both, ask_pair, pick_one

# (things, sentence about one, comparative, its opposite, unit)
MEASURES = [
    ("{x} costs {v} euros.", "more expensive", "cheaper", "price", (5, 400)), ("{x} weighs {v} kilos.", "heavier", "lighter", "weight", (2, 120)), ("{x} is {v} years old.", "older", "younger", "age", (3, 90)),
    ("{x} has {v} rooms.", "bigger by rooms", "smaller by rooms", "rooms", (2, 60)), ("{x} sold {v} units.", "the better seller", "the worse seller", "units", (10, 900)), ("{x} is {v} km away.", "farther away", "nearer", "km", (2, 600)),
    ("{x} got {v} votes.", "ahead in votes", "behind in votes", "votes", (10, 990)), ("{x} holds {v} litres.", "larger in volume", "smaller in volume", "litres", (1, 90)), ("{x} reached {v} points.", "ahead on points", "behind on points", "points", (5, 100)),
    ("{x} has {v} open issues.", "worse off in issues", "better off in issues", "open_issues", (1, 70)), ("{x} is {v} metres tall.", "taller", "shorter", "height_m", (3, 300)), ("{x} earns {v} a month.", "better paid", "worse paid", "salary", (900, 6000))]
SUBJECTS = [b.CITIES, b.COMPANIES, b.NAMES, ["the red one", "the blue one", "the green one", "the grey one"], ["offer A", "offer B", "offer C", "offer D"], ["model X2", "model K7", "model R1", "model T9"]]


def _two(g, low, high):
    v = g.rng.randint(low, high)
    gap = g.rng.choice([1, 2, 3, 5, 10, 25, 60])
    return v, v + gap if g.coin() else max(v - gap, 0) if v != gap else v + 1


def numbers(g):
    """Which of two (or more) is the greater?"""
    form, more, less, key, (low, high) = g.pick(MEASURES)
    x, y, *rest = g.rng.sample(g.pick(SUBJECTS), 4)
    v, w = _two(g, low, high)
    if v == w:
        w += 1
    cap = lambda t: t[:1].upper() + t[1:]

    def tell(pairs):
        if shape == 0:
            return [{"name": n, key: k} for n, k in pairs]
        if shape == 1:
            return {n.replace(" ", "_"): {key: k} for n, k in pairs}
        return " ".join(cap(form.format(x=n, v=k)) for n, k in pairs)

    shape = g.rng.randint(0, 4)
    a, c = tell([(x, v), (y, w)]), tell([(x, w), (y, v)])
    word, up = g.rng.choice([(more, True), (less, False)])
    clause = Clause(x, "is", f"{word} than {y}" if not word.startswith(("ahead", "behind", "the")) else f"{word}, compared with {y}")
    yes, no = (a, c) if (v > w) == up else (c, a)
    out = ask_pair(g, yes, no, clause)
    out += ask_both(g, a, Clause(y, "has", f"the higher {key.replace('_', ' ')} of the two"), w > v)
    if g.coin(0.5):
        entries = [(x, v), (y, w)] + [(r, g.rng.randint(low, high)) for r in rest[: g.rng.randint(0, 1)]]
        if len({k for _, k in entries}) == len(entries):
            top = g.coin()
            best = (max if top else min)(entries, key=lambda e: e[1])[0]
            out.append(pick_one(g, tell(entries), [f"Which has the {'highest' if top else 'lowest'} {key.replace('_', ' ')}?", f"Pick the one with the {'most' if top else 'least'}: {key.replace('_', ' ')}."], [n for n, _ in entries], best))
    return out


FORMATS = [lambda d: d.isoformat(), lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}, {d.year}", lambda d: f"{d.day} {d:%b} {d.year}"]
EVENTS = ["the exam", "the delivery", "the audit", "the concert", "the inspection", "the release", "the interview", "the removal", "the deadline", "the workshop", "the hearing", "the launch"]
GAPS = [1, 2, 5, 9, 20, 31, 60, 200, 400]


def dates(g):
    """Before or after; past, today or to come; how long between."""
    d = date(g.rng.randint(2018, 2030), g.rng.randint(1, 12), g.rng.randint(1, 28))
    e = d + timedelta(days=g.rng.choice(GAPS))
    fmt = g.pick(FORMATS)
    x, y = g.rng.sample(EVENTS, 2)
    key = lambda n: n.replace("the ", "")
    tell = g.rng.choice([lambda p, q: {key(x): fmt(p), key(y): fmt(q)}, lambda p, q: f"{x.capitalize()} is on {fmt(p)} and {y} on {fmt(q)}.", lambda p, q: f"Dates: {key(x)} {fmt(p)}; {key(y)} {fmt(q)}."])
    early, late = tell(d, e), tell(e, d)
    if g.coin():
        clause = Clause(x, "is", g.pick([f"before {y}", f"earlier than {y}", f"ahead of {y}"]))
        out = ask_pair(g, early, late, clause)
    else:
        clause = Clause(x, "is", g.pick([f"after {y}", f"later than {y}"]))
        out = ask_pair(g, late, early, clause)
    out.append(pick_one(g, early, ["Which comes first?", "Which is earlier?"], [x, y], x))
    now = lambda t: g.rng.choice([{"today": fmt(t), f"{key(x)}_date": fmt(d)}, f"Today is {fmt(t)}. {x.capitalize()} is set for {fmt(d)}."])
    gap = g.rng.choice(GAPS)
    past = g.coin()
    state = now(d + timedelta(days=gap) if past else d - timedelta(days=gap))
    return out + ask_both(g, state, Clause(x, "is", "in the past") if g.coin() else Clause(f"the date of {x}", "has", "passed already"), past)


COUNTED = [("{v} people came to the open day", "people came"), ("the shop sold {v} bicycles", "bicycles were sold"), ("{v} of the seats were taken", "seats were taken"), ("the survey has {v} answers", "answers came in"), ("{v} trees were planted", "trees were planted"),
           ("{v} parcels were lost", "parcels were lost"), ("the library lent {v} books", "books were lent"), ("{v} members paid", "members paid"), ("the kitchen served {v} meals", "meals were served"), ("{v} lamps were replaced", "lamps were replaced")]
VERDICTS = [{"supported": "The text says so", "contradicted": "The text says otherwise", "not_stated": "The text does not tell"}, {"true": None, "false": None, "cannot_tell": None}, {"confirmed": None, "refuted": None, "unknown": "Nothing is said about it"}]


def claims(g):
    """A claim with a number against a text with a number."""
    said, counted = g.pick(COUNTED)
    v = g.rng.randint(4, 400)
    text = f"In {g.pick(['March', 'May', 'August', 'autumn', '2023', 'the last week'])}, {said.format(v=v)}." + g.pick(["", f" {g.name()} wrote the report.", " The weather was fine."])
    near = g.rng.choice([1, 2, 5, 10, 40])
    kind = g.rng.randint(0, 5)
    bound, claim, true = [(v - near, "more than {} {}", True), (v + near, "more than {} {}", False), (v + near, "fewer than {} {}", True), (v - near, "fewer than {} {}", False), (v, "exactly {} {}", True), (v + near, "exactly {} {}", False)][kind]
    claim = claim.format(bound, counted)
    options = g.rng.choice(VERDICTS)
    keys = list(options)
    state = {"text": text, "claim": claim[:1].upper() + claim[1:] + "."} if g.coin(0.4) else text
    ask_for = [f"Claim: {claim}. Does the text support it?", f"How does the text relate to this: {claim}?", f"Check against the text: {claim}."]
    out = [pick_one(g, state, ask_for, options, keys[0 if true else 1])]
    other, c2 = g.pick([x for x in COUNTED if x[1] != counted])
    out.append(pick_one(g, text, [f"Claim: more than {bound} {c2}. Does the text support it?", f"How does the text relate to this: {bound} {c2}?"], options, keys[2]))
    hi, lo = text.replace(str(v), str(bound + near)), text.replace(str(v), str(max(bound - near, 0)))
    yes, no = (hi, lo) if g.coin() else (lo, hi)
    word = "more" if yes is hi else "fewer"
    form = g.pick(["Did {w} than {n} {c}?".replace("Did ", "Is it so that "), "The text says that {w} than {n} {c}.", "According to the text, {w} than {n} {c}."])
    words = form.format(w=word, n=bound, c=counted)
    if bound - near > 0 and str(bound + near) != str(bound - near):
        out += [{"state": s, "type": "noul", "instructions": words, "criteria": None, "label": s is yes, "pair": 0} for s in (yes, no)]
    return out


STATES = {"the parcel": ["packed", "at the depot", "on the van", "at customs", "delivered", "returned"], "the ticket": ["open", "assigned", "waiting for the customer", "solved", "closed"], "the application": ["received", "under review", "on hold", "accepted", "rejected"],
          "the build": ["queued", "running", "failed", "passed", "deployed"], "the painting": ["in storage", "on loan", "being restored", "on display"], "the bus": ["in the garage", "on route 4", "under repair", "on route 9"], "the loan": ["requested", "approved", "paid out", "repaid"],
          "the machine": ["idle", "warming up", "running", "paused", "switched off"], "the article": ["drafted", "edited", "published", "withdrawn"]}


def updates(g):
    """A log of states: the last entry counts."""
    thing = g.pick(STATES)
    steps = g.rng.sample(STATES[thing], min(g.rng.randint(2, 4), len(STATES[thing])))
    hours = sorted(g.rng.sample(range(6, 23), len(steps)))
    shape = g.rng.randint(0, 3)

    def tell(order):
        if shape == 0:
            return [{"time": f"{h:02d}:00", "status": s} for h, s in zip(hours, order)]
        if shape == 1:
            return "\n".join(f"{h:02d}:00 {thing} {s}" for h, s in zip(hours, order))
        if shape == 2:
            return " ".join(f"At {h} o'clock {thing} was {s}." for h, s in zip(hours, order))
        return f"First {thing} was {order[0]}. " + " ".join(f"{g2} it was {s}." for g2, s in zip(["Then", "Later", "After that"], order[1:-1])) + f" Now it is {order[-1]}."

    last, before = steps[-1], steps[-2]
    a, c = tell(steps), tell(steps[:-2] + [last, before])
    out = ask_pair(g, a, c, Clause(thing, "is", g.pick([f"{last} now", f"{last} at present", f"currently {last}"])))
    out += ask_both(g, a, Clause(thing, "is", f"{before} now"), False)
    qs = [f"What is the state of {thing} now?", f"Where does {thing} stand at the end?", "What is the latest status?", "Which status is the current one?"]
    options = set(steps) | set(g.rng.sample(STATES[thing], 1))
    out += [pick_one(g, a, qs, options, last, pair=1), pick_one(g, c, qs, options, before, pair=1)]
    if g.coin(0.3):
        out.append(pick_one(g, a, ["What was the first status?", f"How did it begin for {thing}?"], options, steps[0]))
    return out


OBJECTS = ["key", "laptop", "folder", "camera", "badge", "drill", "car key", "master copy", "projector", "passport"]


def handover(g):
    """Who has it in the end?"""
    thing = g.pick(OBJECTS)
    who = g.rng.sample(b.NAMES, g.rng.randint(3, 4))
    move = lambda x, y: g.pick([f"{x} gave the {thing} to {y}.", f"{y} took the {thing} from {x}.", f"{x} passed the {thing} on to {y}.", f"The {thing} went from {x} to {y}."])
    start = g.pick([f"{who[0]} had the {thing}.", f"The {thing} was with {who[0]}.", f"In the beginning {who[0]} kept the {thing}."])
    text = " ".join([start] + [move(x, y) for x, y in zip(who, who[1:])])
    back = g.coin(0.3)
    holder = who[-1]
    if back:
        text += g.pick([f" Then {holder} gave it back to {who[-2]}.", f" {who[-2]} asked for it and got it back."])
        holder = who[-2]
    asked = [f"Who has the {thing} now?", f"Whom should one ask for the {thing}?", f"With whom is the {thing} at the end?"]
    probe = g.rng.choice([w for w in who if w != holder])
    form = g.pick(["Does {} have it now?", f"Is the {thing} with {{}} now?", f"{{}} has the {thing} at the end."])
    return [pick_one(g, text, asked, who, holder)] + [{"state": text, "type": "noul", "instructions": form.format(w), "criteria": None, "label": w == holder, "pair": 0} for w in (holder, probe)] + ask_both(
        g, text, Clause(probe, "is", "the one who has it now"), False)


FAMILIES = {f.__name__: f for f in (numbers, dates, claims, updates, handover)}
