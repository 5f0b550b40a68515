"""Which of two or more values is the greater, said as plainly as can be: what the worded comparisons of other families build on.

Held out whole (see `held1.py`): finishing times, sensors against limits, and which of two openings came first.
"""
from datetime import date, timedelta

import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one

NAMED = [list("abcdefgh"), list("ABCDEFGH"), b.CITIES, b.NAMES, b.PRODUCTS, b.COMPANIES, ["red", "blue", "green", "grey", "white", "black", "pink"], ["first", "second", "third", "fourth"], [f"item {n}" for n in range(1, 9)],
         ["apples", "pears", "plums", "grapes", "figs", "nuts", "dates", "limes"], ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"], ["left", "right", "middle"], ["morning", "noon", "evening", "night"]]
UNITS = ["", "", "", " kg", " km", " euros", " points", " litres", " people", "%", " boxes", " votes", " degrees", " pages"]
KEYS = ["price", "weight", "score", "count", "age", "size", "stock", "length", "votes", "total", "distance", "level", "amount", "points", "height", "rate"]


def _ladder(g, n):
    """(texts of n values in rising order, `date` or `time` or nothing)."""
    kind = g.rng.choice(["small", "small", "middle", "large", "decimal", "decimal", "date", "date", "clock"])
    if kind == "date":
        at, days = date(g.rng.randint(1990, 2030), g.rng.randint(1, 12), g.rng.randint(1, 28)), []
        for _ in range(n):
            days.append(at)
            at += timedelta(days=g.rng.choice([1, 2, 9, 30, 75, 400, 2000]))
        form = g.rng.choice([lambda d: d.isoformat(), lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}, {d.year}", lambda d: f"{d.day}.{d.month}.{d.year}", lambda d: f"{d.day} {d:%b} {d.year}"])
        return [form(d) for d in days], "date"
    if kind == "clock":
        at, times = g.rng.randint(0, 500), []
        for _ in range(n):
            times.append(at)
            at += g.rng.randint(1, 180)
        half = lambda t: f"{(t // 60 + 11) % 12 + 1}:{t % 60:02d} {'pm' if t >= 720 else 'am'}"
        write = half if g.coin(0.3) else lambda t: f"{t // 60:02d}:{t % 60:02d}"
        return [write(t) for t in times], "time"
    top = {"small": 20, "middle": 300, "large": 90_000, "decimal": 900}[kind]
    drawn = sorted(g.rng.sample(range(1, max(top, 4 * n)), n))
    if g.coin(0.3):  # neighbours
        drawn = list(range(drawn[0], drawn[0] + n))
    write = (lambda v: f"{v / 10}") if kind == "decimal" else (lambda v: f"{v:,}") if g.coin(0.3) else str
    return [write(v) for v in drawn], ""


def _tell(g, dated):
    """How names and values are written; the same way for every state of a pair."""
    unit, key = "" if dated else g.rng.choice(UNITS), dated or g.pick(KEYS)
    verb = "on" if dated else g.rng.choice(["has", "with", "comes to", "stands at", "is at"])
    quoted = lambda v: v + unit if unit or dated else float(v.replace(",", "")) if "." in v else int(v.replace(",", ""))
    return key, g.rng.choice([
        lambda ps: {k: quoted(v) for k, v in ps}, lambda ps: {k: {key: quoted(v)} for k, v in ps}, lambda ps: [{"name": k, key: quoted(v)} for k, v in ps],
        lambda ps: {key: {k: quoted(v) for k, v in ps}}, lambda ps: ", ".join(f"{k}: {v}{unit}" for k, v in ps), lambda ps: "; ".join(f"{k} {v}{unit}" for k, v in ps),
        lambda ps: "\n".join(f"{k} = {v}{unit}" for k, v in ps), lambda ps: " ".join(f"{k[:1].upper() + k[1:]} {verb} {v}{unit}." for k, v in ps),
        lambda ps: g.join([f"{k} {verb} {v}{unit}" for k, v in ps]) + "."])


def compared(g):
    """Two named values: is one more than the other?"""
    (low, high), dated = _ladder(g, 2)
    x, y = g.rng.sample(g.rng.choice(NAMED), 2)
    key, tell = _tell(g, dated)
    swap = g.coin()
    order = lambda p, q: [(y, q), (x, p)] if swap else [(x, p), (y, q)]
    small, large = tell(order(low, high)), tell(order(high, low))
    more = g.coin(0.65)
    words = (["later than {}", "after {}", "later than that of {}"] if more else ["earlier than {}", "before {}", "earlier than that of {}"]) if dated else (["more than {}", "higher than {}", "above {}", "greater than {}", "larger than {}"] if more else ["less than {}", "lower than {}", "below {}", "smaller than {}"])
    clause = Clause(g.rng.choice([x, x, f"the {key} of {x}"]), "is", g.rng.choice(words).format(y))
    yes, no = (large, small) if more else (small, large)
    out = ask_pair(g, yes, no, clause, denied=None if g.coin(0.3) else False)
    if g.coin(0.3):
        same = tell(order(high, high))
        out += ask_pair(g, same, large, Clause(f"{x} and {y}", "have", f"the same {key}"), pair=1, denied=False)
    if g.coin(0.5):
        tops = ["Which is later?", "Which comes last?"] if dated else ["Which is more?", "Which is higher?", f"Which has the higher {key}?", "Which is greater?"]
        lows = ["Which is earlier?", "Which comes first?"] if dated else ["Which is less?", "Which is lower?", f"Which has the lower {key}?"]
        qs = tops if more else lows
        out += [pick_one(g, s, [q], [x, y], k, pair=2) for q in [g.rng.choice(qs)] for s, k in ((large, x if more else y), (small, y if more else x))]
    return out


def extremes(g):
    """The most and the least of two to five."""
    n = g.rng.randint(2, 5)
    rising, dated = _ladder(g, n)
    names = g.rng.sample(g.rng.choice([bank for bank in NAMED if len(bank) >= n]), n)
    key, tell = _tell(g, dated)
    top = g.coin(0.6)
    places = list(range(n))
    g.rng.shuffle(places)
    given = [rising[i] for i in places]
    best = names[places.index(n - 1 if top else 0)]
    shown = list(zip(names, given))
    # The other state of the pair: the extreme value changes places with another one.
    at, other = names.index(best), g.rng.choice([i for i in range(n) if names[i] != best])
    given[at], given[other] = given[other], given[at]
    a, c = tell(shown), tell(list(zip(names, given)))
    words = (["latest", "last"] if top else ["earliest", "first"]) if dated else (["highest", "largest", "greatest"] if top else ["lowest", "smallest"])
    word = g.rng.choice(words)
    qs = [f"Which is the {word}?", f"Pick the {word}."] if dated else [f"Which has the {word} {key}?", f"Which is the {word}?", f"Pick the one with the {word} {key}."]
    out = [pick_one(g, s, [q], names, k, pair=0) for q in [g.rng.choice(qs)] for s, k in ((a, best), (c, names[other]))]
    out += ask_pair(g, a, c, Clause(best, "is", f"the {word}") if dated else Clause(best, "does", f"have the {word} {key}", f"has the {word} {key}"), pair=1, denied=False)
    return out


def bounded(g):
    """One value against another of the record, or of the question."""
    (low, middle, high), dated = _ladder(g, 3)
    low, high = g.rng.choice([(low, high), (low, high), (low, middle), (middle, high)]) if g.coin() else (low, high)
    limit = middle if middle not in (low, high) else g.rng.choice([low, high])
    cap, floor = g.rng.choice([("maximum", "minimum"), ("upper limit", "lower limit"), ("latest", "earliest")] if dated else [("maximum", "minimum"), ("upper limit", "lower limit"), ("max", "min"), ("cap", "floor"), ("allowed", "required")])
    upper = g.coin()
    name, key = cap if upper else floor, dated or g.pick(KEYS)
    inside = g.coin()
    shape = g.rng.choice([lambda v: {key: v, **({name.replace(" ", "_"): limit} if inside else {})}, lambda v: {**({name.replace(" ", "_"): limit} if inside else {}), key: v}, lambda v: f"{key}: {v}" + (f", {name}: {limit}" if inside else ""), lambda v: (f"The {name} is {limit}. " if inside else "") + f"The {key} is {v}."])
    bound = f"the {name}" if inside else limit
    over = g.coin()
    words = (["after {}", "later than {}"] if over else ["before {}", "earlier than {}"]) if dated else (["over {}", "above {}", "more than {}", "higher than {}"] if over else ["under {}", "below {}", "less than {}", "lower than {}"])
    a, c = shape(high), shape(low)
    strict = limit not in (low, high)
    # A value that equals the limit is on the other side of it, unless the words include it.
    if not strict and (limit == high) == over:
        words = ["not before {}", "{} or later"] if over and dated else ["not after {}", "{} or earlier"] if dated else ["at least {}", "{} or more", "no less than {}"] if over else ["at most {}", "{} or less", "no more than {}"]
    clause = Clause(f"the {key}", "is", g.rng.choice(words).format(bound))
    yes, no = (a, c) if over else (c, a)
    out = ask_pair(g, yes, no, clause, denied=None if g.coin(0.3) else False)
    if strict and inside and not dated:
        good = g.coin()
        out += ask_both(g, (c if good else a) if upper else (a if good else c), Clause(f"the {name}", "is", g.rng.choice(["respected", "kept", "observed"])), good)
    return out


FAMILIES = {f.__name__: f for f in (compared, extremes, bounded)}
