"""Families that no weights are trained on, part 2: levels, adequacy, intents, rules, irony, and nothing that fits."""
import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one, scale

OFTEN = [["never", "not once", "at no time"], ["once in a blue moon", "hardly ever", "on rare occasions"], ["now and then", "from time to time", "every so often"], ["most days", "as a rule", "nearly every time"], ["without fail", "each and every time", "always, with no exception"]]
HABITS = [("{f}, {w} checks the back door", "check the back door"), ("{w} takes the stairs {f}", "take the stairs"), ("the kiln {w} uses overheats {f}", "overheat"), ("{w} forgets the badge {f}", "forget the badge"), ("the tap in the flat of {w} drips {f}", "drip"), ("{w} eats at the canteen {f}", "eat at the canteen")]
OFTEN_NAMES = [["never", "rarely", "sometimes", "often", "always"], ["0: it does not happen", "1: it happens seldom", "2: it happens at times", "3: it happens most of the time", "4: it happens every time"],
               ["never: no case at all", "rarely: single cases", "sometimes: a fair share of cases", "often: the larger share of cases", "always: all cases"], ["F0", "F1 seldom", "F2 at times", "F3 mostly", "F4 every time"]]


def frequency(g):
    """How often does it happen?"""
    k, v = g.rng.sample(range(5), 2)
    (form, _), who = g.rng.choice(HABITS), g.name()
    make = lambda i: (lambda s: s[:1].upper() + s[1:] + ".")(form.format(f=g.rng.choice(OFTEN[i]), w=who))
    names, flip = g.rng.choice(OFTEN_NAMES), g.coin(0.3)
    words = g.rng.choice(["How often does it happen?", "Rate the frequency.", "How frequent is it?"])
    order = names[::-1] if flip else names
    a, c = make(k), make(v)
    return [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 4 - i if flip else i, "reversible": False, "pair": 0} for s, i in ((a, k), (c, v))] + (
        ask_both(g, a, Clause("this", "does", "ever happen", "happens at least sometimes"), k > 1) if k != 1 else [])


EFFECTS = [["a scratch on the casing", "a squeaking hinge", "a faded sticker", "a loose cup holder"], ["the radio cuts out on hills", "the wiper leaves streaks", "the seat no longer slides", "the window goes up slowly"], ["the engine will not start", "the gear box is stuck in second", "the headlights stay dark", "the door cannot be opened"],
           ["the brakes fail", "fuel leaks onto the hot exhaust", "the steering wheel comes off", "smoke comes from the battery"]]
PRIORITY = [["low", "medium", "high", "highest"], ["looks only, fix it at the next service", "a nuisance, fix it this month", "cannot be used, fix it this week", "a danger to life, take it off the road at once"],
            ["D: blemish", "C: discomfort", "B: out of service", "A: danger"], ["low: a blemish", "medium: less comfort", "high: the vehicle cannot be used", "highest: people may be hurt"]]


def fault_priority(g):
    """Faults of a vehicle against described priorities."""
    k, v = g.rng.sample(range(4), 2)
    car = g.rng.choice(["Van 3", "The school bus", "Truck 12", "The rental car", "The fire engine"])
    lead = g.rng.choice(["{c}: {e}.", "{c} came in today. Finding: {e}.", "Driver's note on {c}: {e}!", "Hi, {c} again, this time {e}."])
    make = lambda i: lead.format(c=car, e=g.rng.choice(EFFECTS[i]))
    names, flip = g.rng.choice(PRIORITY), g.coin(0.3)
    words = g.rng.choice(["Which priority does the fault get?", "How serious is the fault?", "Grade the defect."])
    order = names[::-1] if flip else names
    a, c = make(k), make(v)
    rows = [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 3 - i if flip else i, "reversible": False, "pair": 0} for s, i in ((a, k), (c, v))]
    return rows + (ask_both(g, a, Clause("the vehicle", "is", "safe to drive"), k == 0) if k in (0, 3) else [])


NEEDS = {"the date of the visit": ("which day you come", "We will come on the {n}th of May."), "the total": ("the sum", "It adds up to {n} euros."), "the contact": ("whom to call", "Please call {p}."), "the entrance": ("which door to use", "Use the door on {c} Street."), "the file format": ("the format", "Send it as a PDF."), "the width": ("the width of the shelf", "It is {n} cm wide."), "the dress code": ("what to wear", "Dark clothes, please.")}
POLITE = ["With kind regards.", "We appreciate your interest.", "It was a pleasure to read your mail.", "More will follow in due course.", "You are a valued partner."]


def requests_answered(g):
    """Does a mail give what was asked for, point by point?"""
    keys = g.rng.sample(list(NEEDS), g.rng.randint(1, 3))
    other = g.rng.choice([k for k in NEEDS if k not in keys])
    ask = g.rng.choice(["Please let us know {q}.", "We still need {q}.", "Kindly tell me {q}."]).format(q=g.join([NEEDS[k][0] for k in keys]))
    say = lambda k: NEEDS[k][1].format(n=g.rng.randint(3, 28), p=g.name(), c=g.pick(b.CITIES))
    good, bad = [say(k) for k in keys], [g.rng.choice(POLITE), say(other)]
    half = [say(keys[0]), g.rng.choice(POLITE)]
    shape = g.coin()
    show = lambda parts: {"mail": ask, "response": " ".join(parts)} if shape else f"They wrote: {ask}\nWe wrote back: {' '.join(parts)}"
    out = ask_pair(g, show(good), show(bad), Clause("the response", "does", "give the information that was requested", "gives the information that was requested"))
    level = g.rng.choice([0, 1, 2] if len(keys) > 1 else [0, 2])
    names = g.rng.choice([["nothing of it", "some of it", "all of it"], ["unanswered", "half answered", "answered"], ["0: no requested point is covered", "1: some requested points are covered", "2: all requested points are covered"]])
    out.append(scale(g, show([bad, half, good][level]), ["How much of what was requested is given?", "How well are the points covered?"], names, level))
    return out + ask_both(g, show(bad), Clause("the sender", "must", "ask again"), True)


DESKS = {"visa": ("Travel permits", "get a permit for my trip"), "library_card": ("Borrowing books", "borrow books"), "waste": ("Rubbish collection", "have the old sofa taken away"), "marriage": ("Weddings", "set a date for our wedding"), "dog_tax": ("Keeping dogs", "register my puppy"), "noise": ("Loud neighbours", "report the loud music next door"),
         "school": ("Enrolling children", "enrol my daughter in a school"), "building": ("Building permits", "put up a garage"), "lost_passport": ("Lost documents", "replace the passport I lost")}
OTHERS = ["My neighbour came to {o}, whereas I am here to {w}.", "Unlike my brother, who wants to {o}, I want to {w}.", "I know most people come to {o}. I came to {w}.", "You can forget what I said on the phone about wanting to {o}; I now want to {w}.", "After I managed to {o}, the only thing left is to {w}.", "To {o} is for later. First I have to {w}."]


def others_wanted(g):
    """At a town hall: what this person wants, beside what others want or what is done."""
    x, y, *rest = g.rng.sample(list(DESKS), 5)
    form = g.rng.choice(OTHERS)
    tell = lambda w, o: form.format(w=DESKS[w][1], o=DESKS[o][1])
    a, c = tell(x, y), tell(y, x)
    bare = g.coin(0.3)
    options = {k: None if bare else DESKS[k][0] for k in [x, y, *rest[: g.rng.randint(0, 3)]]}
    qs = ["Which desk should the visitor go to?", "What does the visitor need?", "Pick the desk."]
    out = [pick_one(g, s, qs, options, k, bare=0, pair=0) for s, k in ((a, x), (c, y))]
    return out + ask_pair(g, a, c, Clause("the visitor", "does", f"want to {DESKS[x][1].replace('my', 'the')}", f"wants to {DESKS[x][1].replace('my', 'the')}"), 1)


def parking(g):
    """Who may park where and when."""
    kind = g.rng.choice(["car", "van", "motorbike", "lorry"])
    start, end = g.rng.randint(6, 10), g.rng.randint(15, 20)
    badge = g.coin()
    hour = g.rng.randint(start, end - 1)
    rule = g.rng.choice([f"Between {start}:00 and {end}:00 only vehicles with a badge may park here. At other times all may. Lorries may never park here.", f"No lorries. Badge holders at any time, others only before {start}:00 or after {end}:00."])
    may = lambda k, x, h: k != "lorry" and (x or not start <= h < end)
    flips = [("lorry" if kind != "lorry" else "car", True, hour), (kind, not badge, hour)]
    first, second = (kind, badge, hour), g.rng.choice([f for f in flips])
    if may(*first) == may(*second):
        first, second = ("car", True, hour), ("car", False, hour)
    shape = g.coin()
    tell = lambda k, x, h: {"sign": rule, "vehicle": k, "badge": x, "time": f"{h}:30"} if shape else f"The sign says: {rule} At {h}:30 a {k} {'with' if x else 'without'} a badge arrives."
    a, c = (first, second) if may(*first) else (second, first)
    out = ask_pair(g, tell(*a), tell(*c), Clause("the vehicle", "may", "park here"))
    out += [pick_one(g, tell(*s), ["Which is right?", "What does the warden do?"], {"leave_it": "The vehicle is in order", "write_a_fine": "The vehicle must not stand here"}, k, pair=1) for s, k in ((a, "leave_it"), (c, "write_a_fine"))]
    return out + ask_both(g, tell(*a), Clause("the vehicle", "must", "be moved"), False)


def library(g):
    """Lending rules with exceptions."""
    special = g.rng.choice(["an atlas", "a magazine", "a board game"])
    max_items = g.rng.randint(2, 6)
    rule = f"Readers may take home up to {max_items} items. {special[:1].upper() + special[1:]} must stay in the house. Whoever has an overdue item may not borrow anything."
    who = g.name()
    may = lambda i, n, o: i != special and n < max_items and not o
    good = (g.rng.choice([x for x in ["an atlas", "a novel", "a magazine", "a board game"] if x != special]), g.rng.randint(0, max_items - 1), False)
    bad = g.rng.choice([(special, good[1], False), (good[0], max_items, False), (good[0], good[1], True)])
    shape = g.coin()
    tell = lambda i, n, o: {"rules": rule, "reader": {"name": who, "items_at_home": n, "overdue": o}, "wants": i} if shape else f"{rule} {who} has {n} items at home, {'one of them overdue' if o and n else 'with an overdue one on record' if o else 'none overdue'}, and wants to borrow {i}."
    assert may(*good) and not may(*bad)
    out = ask_pair(g, tell(*good), tell(*bad), Clause(who, "may", "take the item home"))
    return out + [pick_one(g, tell(*s), ["What does the librarian do?", "Apply the lending rules."], {"lend": "Hand it over", "decline": "Not possible under the rules"}, k, pair=1) for s, k in ((good, "lend"), (bad, "decline"))]


IRONIC = [("Sure, because {b} is what everyone dreams of.", False), ("Who would not love it: {b}.", False), ("Ten out of ten for {b}, if ruining an evening was the aim.", False), ("Honestly, {g} made my week.", True), ("I did not expect it, but {g}, and I mean that.", True), ("Credit where it is due: {g}.", True)]
NEWS = [("a leaking roof", "a dry, bright flat"), ("a rude waiter", "a kind waiter"), ("four hours in a lift", "a lift that works"), ("mouldy bread", "fresh bread"), ("a cancelled flight", "a smooth flight"), ("a lost suitcase", "a suitcase that came first")]


def irony(g):
    (bad, good), (no, _), (yes, _) = g.rng.choice(NEWS), g.rng.choice(IRONIC[:3]), g.rng.choice(IRONIC[3:])
    a, c = no.format(b=bad), yes.format(g=good)
    out = ask_pair(g, c, a, g.rng.choice([Clause("the speaker", "does", "mean the praise", "means the praise"), Clause("the speaker", "is", "content")]))
    return out + [pick_one(g, s, ["Is it meant seriously?", "Read the tone."], {"in_earnest": "The words are meant", "mocking": "The words are turned against what they praise"}, k, pair=1) for s, k in ((c, "in_earnest"), (a, "mocking"))]


SHELVES = {"bread": ["rye loaf", "bagel", "baguette"], "fish": ["trout fillet", "tuna", "smoked salmon"], "cleaning": ["dish soap", "bleach", "scrubbing brush"], "stationery": ["ballpoint", "envelope", "stapler"], "pet_food": ["cat biscuits", "bird seed", "dog treats"], "cosmetics": ["lipstick", "hand cream", "shampoo"], "garden": ["rake", "flower pot", "hose"]}


def shelf(g):
    """Goods and shelves, where the right shelf may be missing."""
    kind = g.rng.choice(list(SHELVES))
    item = g.rng.choice(SHELVES[kind])
    others = g.rng.sample([k for k in SHELVES if k != kind], g.rng.randint(2, 4))
    key, words = g.rng.choice([("no_shelf", "None of the shelves fits"), ("elsewhere", "It belongs somewhere else"), ("none_of_these", None)])
    q = [g.rng.choice(["Which shelf?", "Where does it go?", "Put it on a shelf."])]
    return [pick_one(g, item, q, {**{k: None for k in others}, kind: None, key: words}, kind, pair=0), pick_one(g, item, q, {**{k: None for k in others}, key: words}, key, pair=0)]


FAMILIES = {f.__name__: f for f in (frequency, fault_priority, requests_answered, others_wanted, parking, library, irony, shelf)}
