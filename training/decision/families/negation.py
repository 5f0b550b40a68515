"""Negation and correction: what is denied, taken back, put right, or true of all but one.

Sentences are put together from parts, and the answer from the same parts. Held out whole (see `held1.py`): rooms
described by what they lack, and orders corrected in mid-sentence.
"""
import banks as b
from clauses import Clause, ask, ask_both, ask_pair, pick_one, wrap

# thing -> pairs of states that exclude each other
THINGS = {
    "the lift": [("working", "out of order"), ("running", "stuck")], "the heating": [("on", "off"), ("working", "broken")], "the front door": [("locked", "unlocked"), ("open", "shut")],
    "the printer": [("online", "offline"), ("working", "jammed")], "the payment terminal": [("working", "broken"), ("connected", "disconnected")],
    "the warehouse": [("full", "empty"), ("open", "closed")], "the contract": [("signed", "unsigned"), ("valid", "void")], "the report": [("finished", "unfinished"), ("public", "confidential")],
    "the backup": [("complete", "incomplete"), ("encrypted", "unencrypted")], "the road to the depot": [("passable", "blocked"), ("open", "closed")], "the invoice": [("correct", "wrong"), ("settled", "outstanding")],
    "the pump": [("running", "idle"), ("safe", "dangerous")], "the ticket": [("resolved", "unresolved"), ("valid", "expired")], "the meeting room": [("free", "occupied"), ("clean", "dirty")],
    "the mail gateway": [("reachable", "unreachable"), ("healthy", "overloaded")], "the driver": [("available", "busy"), ("awake", "asleep")], "the alarm": [("armed", "disarmed"), ("silent", "ringing")],
    "the shipment": [("complete", "incomplete"), ("on time", "late")], "the certificate": [("valid", "expired"), ("genuine", "forged")], "the water": [("clean", "polluted"), ("hot", "cold")],
    "the test suite": [("green", "red"), ("stable", "flaky")], "the sensor": [("calibrated", "uncalibrated"), ("dry", "wet")], "the account": [("active", "suspended"), ("verified", "unverified")],
    "the kitchen": [("open", "closed"), ("clean", "dirty")], "the ferry": [("on schedule", "delayed"), ("running", "cancelled")], "the database": [("reachable", "unreachable"), ("writable", "read-only")],
}
# {t} thing, {y} what it is, {n} what it is not
SAYS = ["{T} is {y}.", "{T} is not {n}.", "{T} is not {n} any more.", "{T} is no longer {n}, it is {y} now.", "I thought {t} was {n}, but it is {y}.", "Correction: {t} is {y}, not {n}.",
        "Somebody wrote that {t} is {n}. That was wrong.", "{T} was {n} this morning; since noon it has been {y}.", "Contrary to what I said, {t} is not {n}.", "It turned out that {t} is {y} after all.",
        "Far from being {n}, {t} is {y}.", "False alarm, {t} is not {n}.", "{T} isn't {n}, we only mixed it up with another one.", "Despite the rumours {t} is {y}.", "Nobody can claim that {t} is {n}; I checked it myself.",
        "You asked if {t} is {n}. No.", "You asked if {t} is {y}. Yes, it is.", "{T}, which used to be {n}, is {y} today.", "My mistake: {t} is {y}.", "It is not true that {t} is {n}.", "Don't worry, {t} isn't {n}."]


def _status(g, thing, y, n):
    text = g.pick(SAYS).format(t=thing, T=thing[:1].upper() + thing[1:], y=y, n=n)
    return text


def denial(g):
    """Is the thing so? Asked of what it is and of what it is not."""
    thing = g.pick(THINGS)
    y, n = g.rng.choice(THINGS[thing])
    if g.coin():
        y, n = n, y
    form = g.pick(SAYS)
    T = thing[:1].upper() + thing[1:]
    a, c = form.format(t=thing, T=T, y=y, n=n), form.format(t=thing, T=T, y=n, n=y)
    if g.coin(0.4):
        pre, post = g.pick(["", "Hi all, ", "Update: ", "Short note. ", f"{g.name()} here. "]), g.pick(["", " Thanks.", " More later.", f" Regards, {g.name()}", " Please pass it on."])
        a, c = pre + a + post, pre + c + post
    is_y, is_n = Clause(thing, "is", y), Clause(thing, "is", n)
    out = ask_pair(g, a, c, is_y, 0)
    state = wrap(g, a)
    out += ask_both(g, state, is_y, True, 0, is_n)
    out += ask(g, state, is_n, False)
    if g.coin(0.4):
        out.append(pick_one(g, state, [f"What is the state of {thing}?", f"How is {thing}?", f"Which word describes {thing} now?"], [y, n] + ([g.rng.choice(["unknown", "not said"])] if g.coin() else []), y))
    return out


WANTS = {"a call back": "a call back", "a replacement": "a replacement", "a discount": "a discount", "an invoice": "an invoice", "a new password": "a new password", "a visit from a technician": "a visit", "an upgrade": "an upgrade",
         "a longer contract": "a longer contract", "a printed catalogue": "a catalogue", "a copy of the contract": "a copy of the contract", "the newsletter": "the newsletter", "a meeting": "a meeting", "a spare part": "a spare part",
         "a free sample": "a free sample", "gift wrapping": "gift wrapping", "a later delivery date": "a later delivery", "a quote": "a quote", "a seat by the window": "a window seat", "an apology": "an apology", "help with the installation": "help with the installation",
         "a translation": "a translation", "travel insurance": "travel insurance", "a vegetarian meal": "a vegetarian meal", "a room on the ground floor": "a ground-floor room"}
DOES_WANT = ["I would like {x}.", "Please arrange {x} for me.", "Could I have {x}?", "All I want is {x}.", "What I need is {x}.", "I am asking for {x}.", "It is {x} that I am after.", "Send me {x}, please."]
DOES_NOT = ["I do not want {x}.", "I don't need {x}.", "Please, no {x2}.", "I never asked for {x}.", "There is no need for {x}.", "I am not asking for {x}.", "You can keep your offer of {x}.", "I can do without {x}.", "Spare me {x}."]
BOTH = ["I don't want {n}, I want {y}.", "Not {n}, please: {y}.", "You offered {n}, but what I asked for was {y}.", "Instead of {n} I would prefer {y}.", "No {n2} this time, just {y}.", "{Y} rather than {n}, please.", "I said {y}, not {n}.",
        "I was going to ask for {n}, but {y} is enough.", "{N} would be no use to me; please arrange {y}.", "Forget {n}. I need {y}."]


def _bare(x):
    return x.split(" ", 1)[1] if x.split(" ", 1)[0] in ("a", "an", "the") else x


def wanted(g):
    """What does the writer ask for, and what is only mentioned?"""
    y = g.pick(WANTS)
    n = g.other(list(WANTS), y)
    kind = g.rng.randint(0, 2)
    cap = lambda t: t[:1].upper() + t[1:]
    fmt = lambda f, y, n: f.format(y=y, n=n, Y=cap(y), N=cap(n), n2=_bare(n))
    wants = lambda x: Clause(g.rng.choice(["the writer", "the customer", "this person"]), "does", f"want {x}", f"wants {x}")
    if kind == 0:
        form = g.pick(BOTH)
        a, c = fmt(form, y, n), fmt(form, n, y)
        out = ask_pair(g, a, c, wants(y))
        options = {y, n, *g.rng.sample(list(WANTS), g.rng.randint(0, 3))}
        for s, label in ((a, y), (c, n)):
            out.append(pick_one(g, s, ["What does the writer ask for?", "What is wanted?", "Which of these should be arranged?", "Pick what the customer wants."], options, label, pair=1))
        return out + ask_both(g, a, wants(n), False)
    a, c = g.pick(DOES_WANT).format(x=y), g.pick(DOES_NOT).format(x=y, x2=_bare(y))
    more = g.pick(["", " Thank you.", f" My name is {g.name()}.", " I wrote last week already.", " The rest is fine."])
    return ask_pair(g, wrap(g, a + more), c + more, wants(y)) + ask_both(g, c + more, wants(y), False)


ACTS = [("signed the form", "sign the form"), ("paid the fee", "pay the fee"), ("came to the training", "come to the training"), ("answered the survey", "answer the survey"), ("returned the key", "return the key"), ("passed the exam", "pass the exam"),
        ("read the handbook", "read the handbook"), ("booked a room", "book a room"), ("handed in the badge", "hand in the badge"), ("voted", "vote"), ("got the parcel", "get the parcel"), ("renewed the licence", "renew the licence"), ("found a seat", "find a seat")]


def except_for(g):
    """All, none, only, all but one, neither."""
    who = g.rng.sample(b.NAMES, g.rng.randint(3, 5))
    past, base = g.pick(ACTS)
    one, rest = who[0], who[1:]
    a, c = one, who[1]
    forms = [
        (f"{g.join(who)} were asked. Everyone except {one} {past}.", set(rest)), (f"Of {g.join(who)}, only {one} {past}.", {one}), (f"{g.join(who)} were there, but none of them {past}.", set()),
        (f"All of them, {g.join(who)}, {past}.", set(who)), (f"{g.join(rest)} {past}. {one} did not.", set(rest)), (f"{one} {past}, which {g.join(rest)} failed to do.", {one}),
        (f"Neither {a} nor {c} {past}" + (f", but {g.join(who[2:])} did." if len(who) > 2 else "."), set(who[2:])), (f"Apart from {one}, nobody among {g.join(rest)} {past}.", {one}),
        (f"Both {a} and {c} {past}; {g.join(who[2:])} did not.", {a, c}), (f"It was not {one} but {g.join(rest)} who {past}.", set(rest))]
    text, yes = g.pick(forms)
    miss = [w for w in who if w not in yes]
    out = [(w, True) for w in g.rng.sample(sorted(yes), min(len(yes), 1))] + [(w, False) for w in g.rng.sample(miss, min(len(miss), 1))]
    clause = lambda name: Clause(name, "did", base, past)
    rows = [ask(g, text, clause(name), v)[0] for name, v in out]
    if len(out) == 2:
        words = g.pick(["Did {n} {b}?", "Has {n} done it?", "{n} is one of those who {p}.", "Is {n} among those who {p}?"])
        rows = [{"state": text, "type": "noul", "instructions": words.format(n=n, b=base, p=past), "criteria": None, "label": v, "pair": 0} for n, v in out] + rows[:1]
    n_yes, n_all = len(yes), len(who)
    if g.coin(0.5):
        how = "all" if n_yes == n_all else "none" if n_yes == 0 else "some"
        rows.append(pick_one(g, text, [f"How many of them {past}?", f"Which share of the people {past}?"], {"all": "Every one of them", "some": "Some did, some did not", "none": "Not one of them"}, how))
    return rows + ask_both(g, text, clause(who[-1]), who[-1] in yes)


FAULTS = ["rust", "a leak", "a crack", "a scratch", "mould", "a loose screw", "water damage", "a missing label", "a dent", "a burnt smell", "dust on the lens", "a noise from the fan", "a worn belt", "a bent pin", "an oil stain", "corrosion"]


def inspection(g):
    """What a report found and what it did not find."""
    found = g.rng.sample(FAULTS, 4)
    yes, no = found[: g.rng.randint(1, 2)], found[2:]
    thing = g.pick(["the bicycle", "unit 7", "the boiler", "the van", "the camera", "the roof", "the returned drill", "the left engine", "the container"])
    bare = lambda xs: " or ".join(_bare(x) for x in xs)
    forms = [f"Inspection of {thing}: {g.join(yes)} found, no {bare(no)}.", f"We looked at {thing}. There was {g.join(yes)}. We saw no {bare(no)}.", f"{thing}: no sign of {no[0]}, no {_bare(no[1])} either. But there is {g.join(yes)}.",
             f"I checked {thing} for {no[0]} and {no[1]} and found neither; what I found was {g.join(yes)}.", f"Report on {thing}. {g.join(yes)} noted. {no[0]} not noted, {no[1]} not noted."]
    text = g.pick(forms)
    text = text[:1].upper() + text[1:]
    state = wrap(g, text)
    clause = lambda x: Clause("there", "is", x)
    out = [{"state": state, "type": "noul", "instructions": w, "criteria": None, "label": v, "pair": 0} for w, v in
           (lambda f: [(f.format(yes[0]), True), (f.format(no[0]), False)])(g.pick(["Was there {}?", "Does the report find {}?", "The report mentions {} as present.", "Was {} found?", "Is {} one of the faults?"]))]
    probe = g.rng.choice(found)
    out += ask_both(g, state, clause(probe), probe in yes)
    if len(yes) == 1:
        out.append(pick_one(g, state, ["What was found?", "Which fault does it have?", "Pick the fault that was found."], [yes[0], *no] + ([g.other(FAULTS, yes[0])] if g.coin() else []), yes[0]))
    return out


FAMILIES = {f.__name__: f for f in (denial, wanted, except_for, inspection)}
