"""Families that no weights are trained on, part 1: negation, records, comparisons, updates.

Each has its own subject, sentences and questions; only the general wordings of `clauses.py` are shared with families that are
trained on. What they measure is whether the skill was learnt, not the sentences.
"""
from datetime import date, timedelta

import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one

AMENITIES = ["balcony", "bathtub", "minibar", "desk", "hairdryer", "kettle", "safe", "television", "sea view", "fireplace", "coffee machine", "wardrobe", "sofa bed", "air conditioner"]
LACKS = ["comes without a {n}", "lacks a {n}", "has to do without a {n}", "offers no {n}", "was built without a {n}"]
HAS = ["comes with a {n}", "boasts a {n}", "offers a {n}", "is equipped with a {n}", "has its own {n}"]


def amenities(g):
    """What a room has and what it lacks."""
    x, y, z = g.rng.sample(AMENITIES, 3)
    room = f"{g.rng.choice(['Room', 'Suite', 'Cabin', 'Chalet'])} {g.rng.randint(1, 40)}"
    has, lacks, more = g.rng.choice(HAS), g.rng.choice(LACKS), g.rng.choice(HAS)
    tell = lambda p, q: f"{room} {has.format(n=p)}, but {lacks.format(n=q)}. It also {more.format(n=z)}."
    if g.coin():
        tell = lambda p, q: f"{room} {lacks.format(n=q)}; on the other hand it {has.format(n=p)} and {more.format(n=z)}."
    a, c = tell(x, y), tell(y, x)
    out = ask_pair(g, a, c, Clause(room, "does", f"have a {x}", f"has a {x}"))
    probe = g.rng.choice([x, y, z])
    out += ask_both(g, a, Clause("the guest", "will", f"find a {probe} there"), probe != y)
    out.append(pick_one(g, a, ["What is missing in the room?", "Which of these does the room not have?"], [x, y, z], y))
    return out


def mid_correction(g):
    """An order put right while it is spoken."""
    what, values = g.rng.choice([("colour", ["red", "blue", "yellow", "black", "silver"]), ("size", ["small", "medium", "large", "extra large"]), ("number", ["two", "three", "five", "nine", "twelve"]), ("town", b.CITIES[:8]), ("topping", ["olives", "mushrooms", "ham", "peppers"]), ("day", ["Monday", "Wednesday", "Friday", "Sunday"])])
    wrong, right, third = g.rng.sample(values, 3)
    form = g.rng.choice(["Put me down for {w}... sorry, I meant {r}.", "{W}, please. Hang on, make that {r}.", "I'd go for {w} - no, scratch that, {r}.", "We agreed on {w}, or rather on {r}.", "It should be {w}. Oops, wrong line: {r}.", "Let me have {w}. Actually no, {r} instead."])
    lead = g.rng.choice([f"About the {what}: ", f"Regarding the {what}, this is my order. ", f"The {what}? "])
    tell = lambda w, r: lead + form.format(w=w, W=w[:1].upper() + w[1:], r=r)
    a, c = tell(wrong, right), tell(right, wrong)
    qs = [f"Which {what} does the customer want in the end?", f"What {what} should be noted?", f"Pick the {what} that counts."]
    bare = lambda s, k: pick_one(g, s, qs, [wrong, right, third], k, pair=1)
    return ask_pair(g, a, c, Clause(f"the {what} ordered", "is", right)) + [bare(a, right), bare(c, wrong)] + ask_both(g, a, Clause(f"the {what} that counts", "is", wrong), False)


SETTINGS = {"dark_mode": "dark mode", "auto_save": "automatic saving", "location_sharing": "sharing of the location", "sound": "the sound", "two_factor": "two-factor login", "read_receipts": "read receipts", "offline_maps": "offline maps", "subtitles": "subtitles", "ads": "advertising", "parental_lock": "the parental lock", "vibration": "vibration", "cookies": "cookies"}


def settings(g):
    """Switches of an account, in records of several shapes."""
    keys = g.rng.sample(list(SETTINGS), g.rng.randint(2, 5))
    values = {k: g.coin() for k in keys}
    probe = g.rng.choice(keys)
    shell = g.rng.choice([lambda f: {"settings": f}, lambda f: {"profile": {"name": "kim", "preferences": f}}, lambda f: f, lambda f: {"device": "tablet", "config": {k: {"enabled": v} for k, v in f.items()}}, lambda f: {"options": [{"option": k, "on": v} for k, v in f.items()]}])
    state = lambda v: shell({**values, probe: v})
    yes, no = state(True), state(False)
    clause = Clause(SETTINGS[probe], "is", g.rng.choice(["switched on", "enabled", "turned on", "active"]))
    out = ask_pair(g, yes, no, clause, denied=False)
    other = g.rng.choice(keys)
    shown = shell(values)
    what = Clause(SETTINGS[other], "is", "switched on")
    return out + ask_both(g, shown, what, values[other], 0, Clause(SETTINGS[other], "is", "switched off"))


SENSORS = {"co2_ppm": (400, 2000, "the CO2 value"), "noise_db": (30, 110, "the noise"), "humidity_percent": (10, 95, "the humidity"), "pressure_bar": (1, 12, "the pressure"), "speed_kmh": (10, 160, "the speed"), "voltage": (180, 260, "the voltage"), "fuel_litres": (0, 80, "the fuel level"), "wind_ms": (0, 35, "the wind speed")}


def readings(g):
    """A measured value against a limit in the record or in the question."""
    key = g.rng.choice(list(SENSORS))
    low, high, name = SENSORS[key]
    limit = g.rng.randint(low + (high - low) // 4, high - (high - low) // 4)
    gap = max((high - low) // g.rng.choice([4, 6, 10, 20]), 1)
    over, under = limit + g.rng.randint(1, gap), limit - g.rng.randint(1, gap)
    in_state = g.coin()
    extra = {"sensor": f"S{g.rng.randint(1, 99)}", "ok": True} if g.coin() else {}
    shell = g.rng.choice([lambda r: r, lambda r: {"reading": r}, lambda r: {"station": {"name": "north", "latest": r}}])
    tell = lambda v: shell({**extra, key: v, **({"limit": limit} if in_state else {})})
    up = g.coin()
    bound = "the limit" if in_state else str(limit)
    clause = Clause(name, "is", g.rng.choice([f"over {bound}", f"above {bound}", f"beyond {bound}"] if up else [f"under {bound}", f"below {bound}", f"short of {bound}"]))
    yes, no = (tell(over), tell(under)) if up else (tell(under), tell(over))
    out = ask_pair(g, yes, no, clause, denied=False)
    v = g.rng.choice([over, under])
    out += ask_both(g, tell(v), Clause(name, "does", f"exceed {bound}", f"exceeds {bound}"), v > limit)
    options = {str(x): None for x in {over, under, limit + 2 * gap}}
    out.append(pick_one(g, shell({**extra, key: v}), [f"Which value was measured for {name}?"], options, str(v)))
    return out


def race(g):
    """Less is better: who was faster?"""
    x, y = g.rng.sample(b.NAMES, 2)
    v = g.rng.randint(12, 170)
    w = v + g.rng.choice([1, 2, 4, 9, 15, 30])
    unit = g.rng.choice(["minutes", "seconds", "hours", "days"])
    tell = g.rng.choice([lambda p, q: f"{x} needed {p} {unit} for the course, {y} {q} {unit}.", lambda p, q: {"results": [{"runner": x, f"time_{unit}": p}, {"runner": y, f"time_{unit}": q}]}, lambda p, q: f"Finishing times: {x} {p} {unit}, {y} {q} {unit}."])
    a, c = tell(v, w), tell(w, v)
    fast = g.coin()
    clause = Clause(x, "was", g.rng.choice([f"faster than {y}", f"quicker than {y}"]) if fast else f"slower than {y}")
    out = ask_pair(g, a if fast else c, c if fast else a, clause)
    out += [pick_one(g, s, ["Who won?", "Who came in first?", "Who was faster?"], [x, y], k, pair=1) for s, k in ((a, x), (c, y))]
    return out + ask_both(g, a, Clause(y, "did", "win the race", "won the race"), False)


def first_event(g):
    """Which of two things happened first?"""
    d = date(g.rng.randint(1950, 2025), g.rng.randint(1, 12), g.rng.randint(1, 28))
    e = d + timedelta(days=g.rng.choice([3, 14, 40, 300, 900, 3000]))
    fmt = g.rng.choice([lambda t: t.isoformat(), lambda t: f"{t:%B} {t.year}" if abs((e - d).days) > 60 else f"{t:%B} {t.day}, {t.year}", lambda t: f"{t.day}.{t.month}.{t.year}"])
    x, y = g.rng.sample(["the harbour", "the theatre", "the tunnel", "the school", "the mill", "the observatory", "the market hall", "the lighthouse"], 2)
    tell = g.rng.choice([lambda p, q: f"{x.capitalize()} opened on {fmt(p)}; {y} opened on {fmt(q)}.", lambda p, q: {"opened": {x[4:]: fmt(p), y[4:]: fmt(q)}}])
    a, c = tell(d, e), tell(e, d)
    old = g.coin()
    clause = Clause(x, "did", f"open {'before' if old else 'after'} {y}", f"opened {'before' if old else 'after'} {y}")
    out = ask_pair(g, a if old else c, c if old else a, clause)
    return out + [pick_one(g, s, ["Which is the older one?", "Which opened first?"], [x, y], k, pair=1) for s, k in ((a, x), (c, y))]


def moved_meeting(g):
    """Where a meeting takes place after several changes."""
    p, q, r = g.rng.sample(["the library", "the canteen", "the roof terrace", "office 5", "the blue tent", "the gym", "studio two"], 3)
    kind = g.rng.choice(["book club", "council", "rehearsal", "briefing", "stand-up"])
    tell = g.rng.choice([
        lambda i, j, k: f"The {kind} was planned for {i}. That was taken, so we chose {j}. Yesterday it was shifted again, to {k}.",
        lambda i, j, k: [{"sent": "Mon", "text": f"{kind} in {i}"}, {"sent": "Tue", "text": f"change: {kind} in {j}"}, {"sent": "Wed", "text": f"change: {kind} in {k}"}],
        lambda i, j, k: f"Mon: {kind} in {i}.\nTue: moved to {j}.\nWed: {j} has a leak, everyone to {k} please."])
    a, c = tell(p, q, r), tell(p, r, q)
    qs = [f"Where does the {kind} take place?", "Which place is the right one in the end?", "Where should I go?"]
    out = ask_pair(g, a, c, Clause(f"the {kind}", "is", f"in {r}"))
    return out + [pick_one(g, s, qs, [p, q, r], k, pair=1) for s, k in ((a, r), (c, q))] + ask_both(g, a, Clause("one", "should", f"go to {q}"), False)


FAMILIES = {f.__name__: f for f in (amenities, mid_correction, settings, readings, race, first_event, moved_meeting)}
