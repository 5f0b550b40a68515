"""More subjects for skills that one family alone teaches too narrowly: comparisons, records, corrections, levels, checklists, rules."""
import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one

# what is measured: (sentence, key, word for less, word for more, range)
SCALES = [("{x} asks {v} euros for it", "asking_price", "cheaper", "dearer", (10, 900)), ("{x} was {v} minutes late", "minutes_late", "more punctual", "less punctual", (1, 90)), ("{x} lies {v} metres deep", "depth_m", "shallower", "deeper", (2, 80)),
          ("{x} measured {v} degrees", "degrees", "colder", "warmer", (1, 39)), ("{x} made {v} mistakes", "mistakes", "more accurate", "less accurate", (1, 50)), ("{x} uses {v} watts", "watts", "thriftier", "hungrier for power", (5, 900)), ("{x} makes {v} decibels", "decibels", "quieter", "louder", (20, 99)),
          ("{x} answered after {v} minutes", "minutes_to_answer", "quicker to answer", "slower to answer", (1, 120)), ("{x} took {v} days", "days_taken", "quicker", "slower", (1, 80)), ("{x} carries {v} tonnes", "tonnes", "weaker", "stronger", (1, 60)), ("{x} has {v} beds", "beds", "smaller", "larger", (2, 90)),
          ("{x} loaded in {v} ms", "load_ms", "faster to load", "slower to load", (20, 900)), ("{x} opened in {v0}", "opened", "older", "newer", (1800, 2024)), ("{x} was founded in {v0}", "founded", "more ancient", "more recent", (1700, 2020)), ("{x} needs {v} litres per trip", "litres_per_trip", "more economical", "less economical", (2, 60))]
NAMES = [b.NAMES, b.COMPANIES, ["the bakery", "the smithy", "the tannery", "the dairy"], ["truck A", "truck B", "truck C", "truck D"], ["the north site", "the south site", "the east site", "the west site"], ["plan 1", "plan 2", "plan 3", "plan 4"]]


def measures(g):
    """Less and more of many measures; where less is better, and where years count."""
    form, key, less, more, (low, high) = g.pick(SCALES)
    names = g.rng.sample(g.rng.choice(NAMES), g.rng.randint(2, 4))
    values = g.rng.sample(range(low, high), len(names))
    if g.coin(0.4):
        values = [values[0] + i * g.rng.choice([1, 2, 3]) for i in range(len(names))]
    cap = lambda t: t[:1].upper() + t[1:]
    shape = g.rng.randint(0, 3)

    def tell(vs):
        pairs = list(zip(names, vs))
        if shape == 0:
            return {"entries": [{"name": n, key: v} for n, v in pairs]}
        if shape == 1:
            return {n: v for n, v in pairs} | {"unit": key.replace("_", " ")}
        return (". ".join if shape == 2 else "; ".join)(cap(form.format(x=n, v=v, v0=v)) for n, v in pairs) + "."

    x, y = names[:2]
    swapped = [values[1], values[0], *values[2:]]
    word, wants_less = g.rng.choice([(less, True), (more, False)])
    a, c = tell(values), tell(swapped)
    yes, no = (a, c) if (values[0] < values[1]) == wants_less else (c, a)
    out = ask_pair(g, yes, no, Clause(x, "is", f"{word} than {y}"))
    best = lambda vs: names[vs.index((min if wants_less else max)(vs))]
    if best(values) != best(swapped):
        out += [pick_one(g, s, [f"Which of them is {word} than all the others?", f"Pick the one that is {word}.", f"Which one is {word}?"], names, best(v), pair=1) for s, v in ((a, values), (c, swapped))]
    return out + ask_both(g, a, Clause(y, "is", f"{less} than {x}"), values[1] < values[0], 0, Clause(y, "is", f"{more} than {x}"))


LIMITS = [("spent", "budget", "euros", "the budget is exceeded", "within the budget"), ("booked", "capacity", "places", "it is overbooked", "there is room"), ("load", "max_load", "kg", "it is overloaded", "the load is allowed"), ("age", "minimum_age", "years", "the age is reached", "too young"),
          ("calls", "quota", "calls", "the quota is used up", "the quota is kept"), ("level", "alarm_at", "cm", "the alarm level is passed", "below the alarm level"), ("height_cm", "minimum_height_cm", "cm", "tall enough", "not tall enough"), ("score", "pass_mark", "points", "the test is passed", "the test is failed")]


def against_limit(g):
    """A value against a limit that stands beside it."""
    key, cap_key, unit, over, under = g.pick(LIMITS)
    limit = g.rng.choice([10, 12, 18, 20, 25, 40, 50, 60, 75, 100, 120, 150, 200, 250, 400, 500, 1000])
    gap = max(limit // g.rng.choice([2, 3, 5, 10, 20]), 1)
    hi, lo = limit + g.rng.randint(1, gap), max(limit - g.rng.randint(1, gap), 0)
    word, cap_word = key.replace("_", " "), cap_key.replace("_", " ")
    shape = g.rng.randint(0, 3)
    tell = lambda v: [{key: v, cap_key: limit}, {"id": 12, "values": {cap_key: limit, key: v}}, f"The {cap_word} is {limit} {unit}. The {word} is {v} {unit}.", f"{word.capitalize()}: {v}. {cap_word.capitalize()}: {limit}."][shape]
    up = g.coin()
    clause = Clause(f"the {word}", "is", g.pick([f"above the {cap_word}", f"higher than the {cap_word}", f"greater than the {cap_word}"]) if up else g.pick([f"below the {cap_word}", f"lower than the {cap_word}", f"less than the {cap_word}"]))
    out = ask_pair(g, tell(hi if up else lo), tell(lo if up else hi), clause)
    out += [pick_one(g, tell(v), ["Which holds?", "What follows from the numbers?"], [over, under], k, pair=1) for v, k in ((hi, over), (lo, under))]
    v = g.rng.choice([hi, lo])
    return out + ask_both(g, tell(v), Clause(f"the {cap_word}", "is", f"more than the {word}"), v < limit)


SWITCHES = ["export", "search", "chat", "payments", "uploads", "invites", "comments", "printing", "beta access", "guest login", "webhooks", "the shop", "the forum", "analytics", "maintenance mode", "the heater", "the pump", "the night light", "the camera", "the lawn sprinkler"]


def switches(g):
    """What is on and what is off, as booleans, words, lists or numbers."""
    some = g.rng.sample(SWITCHES, g.rng.randint(2, 5))
    values = {s: g.coin() for s in some}
    probe = some[0]
    slug = lambda s: s.replace("the ", "").replace(" ", "_")
    shape = g.rng.randint(0, 6)

    def tell(v):
        on, off = [s for s in some if v[s]], [s for s in some if not v[s]]
        return [lambda: {slug(s): v[s] for s in some}, lambda: {"features": {slug(s): {"enabled": v[s]} for s in some}}, lambda: {"enabled": [slug(s) for s in on], "disabled": [slug(s) for s in off]}, lambda: {slug(s): "on" if v[s] else "off" for s in some},
                lambda: {"switches": [{"name": slug(s), "state": int(v[s])} for s in some]}, lambda: f"Switched on: {', '.join(on) or 'nothing'}. Switched off: {', '.join(off) or 'nothing'}.", lambda: " ".join(f"{s[:1].upper() + s[1:]} {'is on' if v[s] else 'is off'}." for s in some)][shape]()

    order = some[:]
    g.rng.shuffle(order)
    some[:] = order
    yes, no = tell({**values, probe: True}), tell({**values, probe: False})
    on = Clause(probe, "is", g.pick(["on", "enabled", "available", "running", "switched on"]))
    out = ask_pair(g, yes, no, on)
    other = g.rng.choice(some)
    return out + ask_both(g, tell(values), Clause(other, "is", "on"), values[other], 0, Clause(other, "is", g.rng.choice(["off", "disabled"])))


DETAILS = [("arrival", ["at noon", "at three", "at six", "at nine in the evening", "around midnight"]), ("street", ["Mill Lane", "Oak Road", "River Street", "High Street", "Station Road"]), ("quantity", ["four boxes", "ten boxes", "a dozen boxes", "twenty boxes"]), ("drink", ["tea", "coffee", "water", "juice", "beer"]),
           ("guide", ["Anton", "Bea", "Carlos", "Emma", "Kofi"]), ("month", ["March", "April", "July", "October", "December"]), ("floor", ["the ground floor", "the first floor", "the third floor", "the attic"]), ("payment", ["cash", "card", "bank transfer", "a voucher"]), ("language", ["Polish", "Greek", "Danish", "Welsh"])]
FIXES = ["{W}, no wait, {r}.", "{W}, I mean {r}.", "{W}. Correction: {r}.", "On second thoughts, not {w} but {r}.", "First I said {w}; please change that to {r}.", "{W} it was, now {r}.", "Not {w}: {r}.", "I wrote {w} by mistake, it has to be {r}.", "Replace {w} by {r}, please.", "{R}, not {w} as I told you before.",
         "My last message said {w}. That no longer holds, take {r}.", "Let us keep {r}; {w} would not do.", "{R} stays. I only thought of {w} for a moment."]


def corrected(g):
    """A detail put right; the last word counts wherever it stands."""
    what, values = g.pick(DETAILS)
    w, r, third = g.rng.sample(values, 3)
    form, lead = g.pick(FIXES), g.pick(["", f"{what.capitalize()}: ", f"As to the {what}: ", "Hello again. "])
    cap = lambda t: t[:1].upper() + t[1:]
    tell = lambda w, r: lead + form.format(w=w, r=r, W=cap(w), R=cap(r))
    a, c = tell(w, r), tell(r, w)
    qs = [f"Which {what} is right?", f"What should be entered for the {what}?", f"Pick the {what}.", f"Which {what} holds now?"]
    out = ask_pair(g, a, c, Clause(f"the {what}", "is", r))
    out += [pick_one(g, s, qs, [w, r, third], k, pair=1) for s, k in ((a, r), (c, w))]
    return out + ask_both(g, a, Clause(f"the {what}", "is", w), False)


GRADES = [
    (["How badly was it damaged?", "Rate the damage.", "Grade the damage to the goods."], [["none", "slight", "heavy", "total"], ["no damage at all", "marks that do not matter for use", "only parts can still be used", "nothing can be saved"], ["0: as new", "1: blemished", "2: partly broken", "3: destroyed"]],
     [["The vase came without a mark.", "Everything arrived in one piece.", "The crate is as it left us.", "Not a scratch on it."], ["The cover has a small tear.", "A corner is a bit dented, it works.", "There is a stain on the back.", "The paint is scratched in one spot."], ["Half of the plates are in pieces.", "The left side does not work any more.", "Two of the four legs broke off.", "The upper shelves are smashed."],
      ["Only ashes are left of it.", "It was crushed flat.", "All of it is beyond repair.", "Nothing but splinters arrived."]]),
    (["How many of them?", "Which share is meant?", "How large a part is it?"], [["none", "few", "half", "most", "all"], ["0: not one", "1: a small part", "2: about one in two", "3: the larger part", "4: every one"], ["nothing", "a little", "an even half", "the majority", "everything"]],
     [["Not a single seat was taken.", "No one of the guests stayed.", "None of the lamps work."], ["Hardly any seats were taken.", "Only a handful of the guests stayed.", "One lamp in ten works."], ["Every other seat was taken.", "Fifty percent of the guests stayed.", "One lamp in two works."], ["Nearly all seats were taken.", "All but a few guests stayed.", "Nine lamps in ten work."],
      ["Each and every seat was taken.", "The guests stayed to the last one.", "There is no lamp that does not work."]]),
    (["How much work is it?", "Estimate the effort.", "How big is the task?"], [["tiny", "small", "big", "huge"], ["done in minutes", "done in hours", "done in days", "done in months or more"], ["XS", "S", "L", "XXL"], ["tiny: minutes", "small: some hours", "big: several days", "huge: months"]],
     [["It takes five minutes.", "One click and it is done.", "I can do that while the kettle boils."], ["An afternoon should do.", "Give me two or three hours.", "It will be done before lunch."], ["We need most of the week.", "Three or four days of work.", "It will keep two people busy until Friday."], ["That is a project for half a year.", "We shall be at it until next winter.", "It will take many months."]]),
    (["How hard was it?", "Rate the difficulty.", "How difficult does the writer find it?"], [["easy", "moderate", "difficult", "impossible"], ["0: no trouble", "1: some trouble", "2: a lot of trouble", "3: could not be done"], ["a child could do it", "it takes some thought", "only with great pains", "it cannot be done"]],
     [["I did it with my eyes closed.", "It was child's play.", "Nothing to it."], ["It took a little thought.", "I had to look up one or two things.", "Not trivial, but fine."], ["I sweated over it for days.", "It nearly broke me, but I got there.", "With great pains it worked in the end."], ["I had to give up.", "Nobody could manage it.", "There is no way to do this."]]),
    (["How well does the plant do?", "Rate the state of health.", "How is the patient animal doing?"], [["dead", "ailing", "recovering", "thriving"], ["0: lost", "1: getting worse", "2: getting better", "3: in full health"], ["no life in it", "worse by the day", "better by the day", "in the best of health"]],
     [["It did not survive the night.", "There is no life left in it.", "We buried it yesterday."], ["It gets weaker every day.", "It has stopped eating.", "More leaves fall each morning."], ["It is slowly getting stronger.", "It ate a little again today.", "The first new shoots are out."], ["It bursts with energy.", "It has never looked better.", "It grows like mad."]]),
]


def grades(g):
    """Levels of damage, share, effort, difficulty, health."""
    questions, names, texts = g.rng.choice(GRADES)
    n = len(texts)
    k, v = g.rng.sample(range(n), 2)
    lead = g.pick(["", "", "Short report: ", f"{g.name()} says: ", "As of today: ", "Well. "])
    a, c = lead + g.pick(texts[k]), lead + g.pick(texts[v])
    levels, flip, words = g.rng.choice(names), g.coin(0.35), g.rng.choice(questions)
    order = levels[::-1] if flip else levels
    out = [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": n - 1 - i if flip else i, "reversible": False, "pair": 0} for s, i in ((a, k), (c, v))]
    plain = [str(x) for x in levels]
    return out + [pick_one(g, s, [words], plain, plain[i], pair=1) for s, i in ((a, k), (c, v))] if g.coin(0.3) else out


PAPERS = ["a CV", "a letter", "a photo", "a copy of the passport", "two references", "a list of marks", "a work sample", "the signed form", "proof of address", "a time plan"]


def checklist(g):
    """Is everything there that was asked for? What is missing?"""
    asked = g.rng.sample(PAPERS, g.rng.randint(2, 4))
    extra = g.rng.choice([p for p in PAPERS if p not in asked])
    miss = g.rng.choice(asked)
    part = [p for p in asked if p != miss] + ([extra] if g.coin() else [])
    full = asked + ([extra] if g.coin() else [])
    g.rng.shuffle(full)
    g.rng.shuffle(part)
    shape = g.rng.randint(0, 2)
    tell = lambda got: [{"required": asked, "received": got}, f"We asked for {g.join(asked)}. What came: {g.join(got)}.", f"Required: {', '.join(asked)}\nHanded in: {', '.join(got)}"][shape]
    out = ask_pair(g, tell(full), tell(part), g.rng.choice([Clause("the application", "is", "complete"), Clause("everything required", "has", "been handed in")]))
    out.append(pick_one(g, tell(part), ["What is missing?", "Which required paper has not come?"], asked + ["nothing"], miss, pair=1))
    out.append(pick_one(g, tell(full), ["What is missing?", "Which required paper has not come?"], asked + ["nothing"], "nothing", pair=1))
    probe = g.rng.choice(asked)
    return out + ask_both(g, tell(part), Clause(probe, "is", "among what came"), probe != miss)


def time_window(g):
    """Rules with hours, ages or counts, and an exception."""
    start, end = g.rng.randint(6, 12), g.rng.randint(14, 22)
    inside, outside = g.rng.randint(start, end - 1), g.rng.choice([g.rng.randint(0, start - 1), g.rng.randint(end + 1, 23)])
    limit = g.rng.randint(2, 18)
    act, ban = g.pick([("play music", "drums"), ("use the sauna", "phones"), ("mow the lawn", "petrol mowers"), ("feed the ducks", "bread"), ("use the slide", "shoes"), ("light a fire", "wet wood"), ("deliver goods", "trailers")])
    kind = g.rng.randint(0, 2)
    who = g.name()
    if kind == 0:
        rule, good, bad = f"One may {act} from {start}:00 to {end}:00.", f"{inside}:30", f"{outside}:30"
        tell = lambda x: {"rule": rule, "time": x} if shape else f"{rule} It is {x} and {who} wants to {act}."
    elif kind == 1:
        rule, good, bad = f"Only people of {limit} years or more may {act}.", limit + g.rng.randint(0, 9), limit - g.rng.randint(1, min(limit - 1, 8))
        tell = lambda x: {"rule": rule, "person": {"name": who, "age": x}} if shape else f"{rule} {who} is {x} years old."
    else:
        rule, good, bad = f"Everyone may {act}, but {ban} are forbidden at all times.", f"without {ban}", f"with {ban}"
        tell = lambda x: {"rule": rule, "case": f"{who} comes {x}"} if shape else f"{rule} {who} comes {x} and wants to {act}."
    shape = g.coin()
    out = ask_pair(g, tell(good), tell(bad), g.rng.choice([Clause(who, "may", act), Clause("it", "is", "allowed"), Clause("the rule", "is", "kept")]))
    return out + [pick_one(g, tell(s), ["Apply the rule.", "What holds?"], {"fine": "It keeps to the rule", "not_fine": "It breaks the rule"}, k, pair=1) for s, k in ((good, "fine"), (bad, "not_fine"))]


FAMILIES = {f.__name__: f for f in (measures, against_limit, switches, corrected, grades, checklist, time_window)}
