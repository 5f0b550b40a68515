"""Reading closely: what follows, who did what, what refers to what, what caused it; and what `chains` and
`passages` share with them.

Sentences are put together from parts, and the answers are computed from the same parts.
"""
import itertools

import banks as b
from clauses import ask_both, ask_pair, cap, Clause, pick_one, row

ASIDES = ["It was a grey day.", "The coffee machine hummed in the corner.", "A radio played next door.", "Somebody had left a window open.", "The phone rang twice.", "There were biscuits on the table.", "The clock on the wall had stopped.", "Rain was forecast for the evening.",
          "A cat slept on the sill.", "The floor had just been mopped.", "Outside a tram went by.", "The lights were on.", "Two flies circled the lamp.", "It smelled of fresh paint.", "The walls are blue.", "A bell rang in the distance."]


def dress_up(g, talk=True):
    """One way to set down sentences; the same for all states of a draw."""
    kind, first = g.rng.random(), g.pick(ASIDES)
    extra = [first, g.other(ASIDES, first)]
    at = g.rng.randint(0, 2)
    if kind < 0.38:
        return " ".join
    if kind < 0.6:
        return lambda ss: " ".join([*extra[:at], *ss, *extra[at:]])
    if kind < 0.7:
        return lambda ss: "\n".join(f"- {s}" for s in [*ss, *extra[:1]])
    if kind < 0.8:
        key, top = g.rng.choice(["text", "note", "message", "body"]), g.rng.choice([{}, {"id": g.rng.randint(100, 999)}, {"channel": g.rng.choice(["mail", "chat", "form"])}])
        return lambda ss: {**top, key: " ".join(ss)}
    if kind < 0.88 or not talk:
        key = g.rng.choice(["notes", "facts", "lines"])
        return lambda ss: {key: [*ss]}
    who = g.rng.choice([("Clerk", "Visitor"), ("A", "B"), ("Host", "Caller"), ("Trainer", "Trainee"), ("Editor", "Reporter")])
    tail = g.pick(["Thank you, noted.", "I see.", "All right, I have written that down.", "Good to know.", "Understood."])
    return lambda ss: f"{who[0]}: What do we know?\n{who[1]}: {' '.join(ss)}\n{who[0]}: {tail}"


def pair_of(g, yes, no, words, k):
    return [{**row(g, s, words, v), "criteria": None, "pair": k} for s, v in ((yes, True), (no, False))]


def twin_of(g, state, yes, no, k):
    """Two questions on one state."""
    return [{**row(g, state, w, v), "criteria": None, "pair": k} for w, v in ((yes, True), (no, False))]


KEYS = ["abcdefghij", "1234567890", ["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10"]]


def choose(g, cases, questions, options, **more):
    """A choice for each (state, label), with one wording and, some of the time, with keys that say nothing."""
    options = dict(options) if isinstance(options, dict) else {o: None for o in options}
    words, bare = [g.pick(questions)], 0.4
    if g.coin(0.1):
        keys, items = g.rng.choice(KEYS), list(options.items())
        g.rng.shuffle(items)
        new = {o: k for k, (o, _) in zip(keys, items)}
        options, cases, bare = {new[o]: d or o.replace("_", " ") for o, d in items}, [(s, new[k]) for s, k in cases], 0
    elif g.coin(bare):
        options, bare = {k: None for k in options}, 0
    return [pick_one(g, s, words, options, k, bare=0, **more) for s, k in cases]


# what follows

GROUPS = ["nurses on ward 4", "pupils of class 3b", "drivers of the night shift", "tenants of the block", "farmers of the valley", "members of the choir", "editors of the paper", "clerks of the branch", "guides of the park", "players of the squad", "testers of the app", "volunteers at the shelter"]
DEEDS = [("signed", "sign", "signed", "signing", "the petition"), ("read", "read", "read", "reading", "the manual"), ("repaired", "repair", "repaired", "repairing", "the pump"), ("sold", "sell", "sold", "selling", "the flat"), ("took", "take", "taken", "taking", "the exam"), ("locked", "lock", "locked", "locking", "the gate"),
         ("fed", "feed", "fed", "feeding", "the calves"), ("filed", "file", "filed", "filing", "the tax return"), ("installed", "install", "installed", "installing", "the update"), ("picked up", "pick up", "picked up", "picking up", "the parcel"), ("cancelled", "cancel", "cancelled", "cancelling", "the order"), ("wrote", "write", "written", "writing", "the summary"),
         ("visited", "visit", "visited", "visiting", "the clinic"), ("paid", "pay", "paid", "paying", "the deposit"), ("backed up", "back up", "backed up", "backing up", "the server"), ("cleaned", "clean", "cleaned", "cleaning", "the stable"), ("booked", "book", "booked", "booking", "the flight"), ("translated", "translate", "translated", "translating", "the leaflet")]
KINDS = [("the pet that {n} adopted", {"a dog": ["a terrier", "a poodle", "a beagle"], "a bird": ["a parrot", "a canary", "a goose"]}, "an animal"), ("the gift for {n}", {"a piece of jewellery": ["a necklace", "a bracelet", "a ring"], "a toy": ["a doll", "a yo-yo", "a spinning top"]}, "an object"),
         ("the thing that {n} planted", {"a tree": ["an oak", "a birch", "a larch"], "a flower": ["a tulip", "a rose", "a daisy"]}, "a plant"), ("the vehicle that {n} hired", {"a boat": ["a canoe", "a ferry", "a rowing boat"], "an aircraft": ["a helicopter", "a glider", "a jet"]}, "a vehicle"),
         ("the instrument that {n} plays", {"a string instrument": ["a violin", "a cello", "a harp"], "a wind instrument": ["a flute", "a trumpet", "an oboe"]}, "a musical instrument"), ("the dish that {n} ordered", {"a soup": ["a tomato soup", "a pea soup", "an onion soup"], "a dessert": ["a cheesecake", "an ice cream", "a chocolate mousse"]}, "something to eat"),
         ("the item that {n} returned", {"a garment": ["a coat", "a skirt", "a pair of trousers"], "a tool": ["a hammer", "a saw", "a pair of pliers"]}, "an object"), ("the creature that {n} photographed", {"a fish": ["a trout", "a pike", "a carp"], "an insect": ["a beetle", "a wasp", "a moth"]}, "an animal"),
         ("the device that {n} ordered", {"a computer": ["a laptop", "a tablet computer", "a desktop computer"], "a kitchen appliance": ["a dishwasher", "an oven", "a freezer"]}, "a machine"), ("the thing that {n} ate", {"a fruit": ["a pear", "a mango", "a plum"], "a vegetable": ["a carrot", "a leek", "a turnip"]}, "something to eat"),
         ("the job that {n} found", {"a job in a hospital": ["a job as a surgeon", "a job as a midwife", "a job as a hospital porter"], "a job in a school": ["a job as a teacher", "a job as a headmaster", "a job as a school caretaker"]}, "a job"), ("the building that {n} drew", {"a place of worship": ["a church", "a mosque", "a synagogue"], "a farm building": ["a barn", "a pigsty", "a hen house"]}, "a building")]
LANDS = [("France", ["Lyon", "Nice"], "Spain", ["Malaga", "Bilbao"]), ("Norway", ["Oslo", "Bergen"], "Sweden", ["Malmo", "Uppsala"]), ("Japan", ["Kyoto", "Osaka"], "Vietnam", ["Hanoi", "Hue"]), ("Italy", ["Turin", "Parma"], "Greece", ["Patras", "Volos"]), ("Kenya", ["Nairobi", "Kisumu"], "Ghana", ["Accra", "Kumasi"]), ("Peru", ["Lima", "Cusco"], "Chile", ["Temuco", "Arica"])]
GATHERINGS = ["the workshop", "the fair", "the training", "the concert", "the hearing", "the auction", "the photo shoot", "the cattle show", "the book signing", "the vaccination day"]
RANKS = [("older", "younger", "the oldest", "the youngest"), ("taller", "shorter", "the tallest", "the shortest"), ("richer", "poorer", "the richest", "the poorest"), ("heavier", "lighter", "the heaviest", "the lightest"), ("stronger", "weaker", "the strongest", "the weakest"), ("more experienced", "less experienced", "the most experienced", "the least experienced")]
STATES = {"the hall": [("heated", "unheated"), ("full", "empty")], "the contract": [("signed", "unsigned"), ("complete", "incomplete")], "the flat": [("furnished", "unfurnished"), ("occupied", "vacant")], "the server": [("online", "offline"), ("encrypted", "unencrypted")], "the patient": [("awake", "asleep"), ("insured", "uninsured")], "the field": [("wet", "dry"), ("fenced", "unfenced")],
          "the road": [("paved", "unpaved"), ("lit", "unlit")], "the parcel": [("sealed", "unsealed"), ("insured", "uninsured")], "the film": [("finished", "unfinished"), ("subtitled", "without subtitles")], "the well": [("covered", "uncovered"), ("full", "empty")], "the classroom": [("locked", "unlocked"), ("occupied", "vacant")], "the barn": [("open", "shut"), ("dry", "damp")]}
OVER = [("{x} is {y}'s manager", "{y} reports to {x}"), ("{x} is a parent of {y}", "{y} is a child of {x}"), ("{x} lives one floor above {y}", "{y} lives one floor below {x}"), ("{x} owns the house that {y} rents", "{y} rents a house that belongs to {x}"), ("{x} is the teacher of {y}", "{y} is taught by {x}"), ("{x} outranks {y}", "{y} is lower in rank than {x}"), ("{x} is the boss of {y}", "{y} works under {x}")]
RULES = [("the pipe bursts", "the pipe burst", "the pipe did not burst", "the cellar is flooded", "the cellar was flooded", "the cellar was not flooded"), ("the test fails", "the test failed", "the test did not fail", "the release is put off", "the release was put off", "the release was not put off"),
         ("the alarm rings", "the alarm rang", "the alarm did not ring", "the guard comes", "the guard came", "the guard did not come"), ("the rent is late", "the rent was late", "the rent was not late", "a reminder is sent", "a reminder was sent", "no reminder was sent"), ("it freezes", "it froze", "it did not freeze", "the vines are covered", "the vines were covered", "the vines were not covered"),
         ("the fever rises", "the fever rose", "the fever did not rise", "the doctor is called", "the doctor was called", "the doctor was not called"), ("the ferry is full", "the ferry was full", "the ferry was not full", "a second boat sails", "a second boat sailed", "no second boat sailed"), ("the battery is low", "the battery was low", "the battery was not low", "the lamp blinks", "the lamp blinked", "the lamp did not blink"),
         ("a form is missing", "a form was missing", "no form was missing", "the application is sent back", "the application was sent back", "the application was not sent back"), ("the coach agrees", "the coach agreed", "the coach did not agree", "the youngsters play", "the youngsters played", "the youngsters did not play")]


def _quantities(g):
    n, (past, base, _, _, what), who = g.rng.choice([6, 8, 10, 12, 20]), g.pick(DEEDS), g.pick(GROUPS)
    past, base = f"{past} {what}", f"{base} {what}"
    m, w = g.rng.randint(3, n - 2), range(n + 1)
    items = [("all", ["All {n} {w} {p}.", "Every one of the {n} {w} {p}.", "Not one of the {n} {w} failed to {b}."], {n}), ("none", ["None of the {n} {w} {p}.", "Not a single one of the {n} {w} {p}."], {0}), ("some", ["Some of the {n} {w} {p}."], set(range(1, n + 1))),
             ("notall", ["Not all of the {n} {w} {p}.", "Some of the {n} {w} did not {b}."], set(range(n))), ("most", ["Most of the {n} {w} {p}.", "The majority of the {n} {w} {p}."], set(range(n // 2 + 1, n + 1))), ("half", ["Exactly half of the {n} {w} {p}."], {n // 2}), ("exact", ["Exactly {m} of the {n} {w} {p}, no more and no fewer."], {m}),
             ("more", ["More than {m} of the {n} {w} {p}."], set(range(m + 1, n + 1))), ("fewer", ["Fewer than {m} of the {n} {w} {p}."], set(range(m))), ("least", ["At least {m} of the {n} {w} {p}."], set(range(m, n + 1)))]
    blurred = {(p, h) for p in ("some", "most", "notall", "more", "fewer", "least") for h in ("all", "notall", "some", "none")} - {("some", "all"), ("some", "none"), ("notall", "all"), ("most", "some"), ("most", "none"), ("more", "some"), ("more", "none"), ("notall", "none"), ("least", "some"), ("least", "none"), ("fewer", "all")} | {("none", "notall")}
    return [(k, [f.format(n=n, w=who, p=past, b=base, m=m) for f in fs], s) for k, fs, s in items], blurred


def _implied(g):
    n, x = g.rng.sample(b.NAMES, 2)
    past, base, pp, ing, what = g.pick(DEEDS)
    past, base, pp, ing = (f"{v} {what}" for v in (past, base, pp, ing))
    yes = ["{n} managed to {b}.", "{n} remembered to {b}.", "{n} succeeded in {i}.", "{x} found out that {n} had {pp}.", "{x} was glad that {n} had {pp}.", "{n} took the time to {b}, and it got done.", "Nobody had expected it, but {n} did {b}."]
    no = ["{n} failed to {b}.", "{n} forgot to {b}.", "{n} refused to {b}.", "{n} never got round to {i}.", "{x} wrongly believes that {n} {p}.", "{n} only pretended to have {pp}.", "It is a false rumour that {n} {p}.", "{n} could have {pp}, but did not."]
    open_ = ["{n} wanted to {b}.", "{n} promised to {b}.", "{x} asked {n} to {b}.", "{x} hopes that {n} {p}.", "{x} suspects that {n} {p}.", "Nobody knows whether {n} {p}.", "{n} planned to {b}.", "{n} was given leave to {b}.", "{x} wondered if {n} had {pp}."]
    fill = lambda fs: [f.format(n=n, x=x, b=base, p=past, pp=pp, i=ing) for f in fs]
    return [("yes", fill(yes), {1}), ("no", fill(no), {0}), ("open", fill(open_), {0, 1}), ("did", fill(["{n} {p}.", "{n} has {pp}."]), {1}), ("not", fill(["{n} did not {b}.", "{n} has not {pp}."]), {0})], {(p, h) for p in ("yes", "no", "open", "did", "not") for h in ("yes", "no", "open")}


def _kinds(g):
    frame, tree, top = g.pick(KINDS)
    f = cap(frame.format(n=g.name()))
    (c1, m1), (c2, m2) = g.rng.sample(list(tree.items()), 2)
    m1, m2 = g.rng.sample(m1, 3), g.rng.sample(m2, 3)
    one, two, rest = set(m1), set(m2), {"anything else"}
    is_, be = ([f"{f} is {{}}.", f"{f} turned out to be {{}}."], [f"{f} is not {{}}.", f"{f} is certainly not {{}}."])
    say = lambda fs, *x: [t.format(*x) for t in fs]
    return [("m", say(is_, m1[0]), {m1[0]}), ("m_", say(is_, m1[1]), {m1[1]}), ("k", say(is_, m2[0]), {m2[0]}), ("c", say(is_, c1), one), ("d", say(is_, c2), two), ("top", say(is_, top), one | two | rest), ("no_m", say(be, m1[0]), (one | two | rest) - {m1[0]}), ("no_d", [f"{f} is {top}, but not {c2}."], one | rest), ("no_c", say(be, c1), two | rest),
            ("or", [f"{f} is either {m1[0]} or {m2[0]}."], {m1[0], m2[0]}), ("or_", [f"{f} is {m1[0]} or {m1[2]}; which of them is not known."], {m1[0], m1[2]})], set()


def _place_and_day(g):
    la, (p, q), lb, (r, s) = g.pick(LANDS)
    what = cap(g.pick(GATHERINGS))
    late, week = g.rng.sample(["Saturday", "Sunday"], 2), g.rng.sample(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"], 2)
    w = set(itertools.product((p, q, r, s), (*late, *week)))
    at = lambda *places: {x for x in w if x[0] in places}
    on = lambda *days: {x for x in w if x[1] in days}
    t = [f"{what} took place {{}}.", f"{what} was held {{}}."]
    say = lambda x: [f.format(x) for f in t]
    return [("p", say(f"in {p}"), at(p)), ("q", say(f"in {q}"), at(q)), ("land", say(f"in {la}"), at(p, q)), ("lb", say(f"in {lb}"), at(r, s)), ("pd", say(f"in {p} on a {late[0]}"), at(p) & on(late[0])), ("pw", say(f"in {p} on a {week[0]}"), at(p) & on(week[0])), ("end", say("at the weekend"), on(*late)),
            ("sat", say(f"on a {late[0]}"), on(late[0])), ("wk", say(f"on a {week[0]}"), on(week[0])), ("rd", say(f"in {r} at the weekend"), at(r) & on(*late)), ("no_p", say(f"in {la}, though not in {p}"), at(q)), ("or", say(f"either in {p} or in {r}"), at(p, r)), ("busy", say("on a weekday from Monday to Friday"), on(*week))], {("no_p", "q"), ("land", "no_p")}


def _order(g):
    more, less, most, least = g.pick(RANKS)
    x, y, z = g.rng.sample(b.NAMES, 3)
    w = set(itertools.permutations((x, y, z)))
    over = lambda a, c: {p for p in w if p.index(a) < p.index(c)}
    of = [f"Of {x}, {y} and {z}, ", f"Among {x}, {y} and {z}, "]
    say = lambda a, c: [f"{a} is {more} than {c}.", f"{c} is {less} than {a}."]
    return [("xy", say(x, y), over(x, y)), ("yx", say(y, x), over(y, x)), ("yz", say(y, z), over(y, z)), ("xz", say(x, z), over(x, z)), ("zx", say(z, x), over(z, x)), ("chain", [f"{say(x, y)[i]} {say(y, z)[1 - i]}" for i in (0, 1)], over(x, y) & over(y, z)), ("chain2", [f"{say(y, x)[i]} {say(z, y)[i]}" for i in (0, 1)], over(y, x) & over(z, y)),
            ("top", [o + f"{x} is {most}." for o in of], over(x, y) & over(x, z)), ("low", [o + f"{x} is {least}." for o in of], over(y, x) & over(z, x)), ("not_top", [o + f"{x} is not {most}." for o in of], w - (over(x, y) & over(x, z)))], set()


def _two_states(g):
    thing = g.pick(STATES)
    (a, na), (c, nc) = STATES[thing]
    t, w = cap(thing), set(itertools.product((0, 1), (0, 1)))
    s = lambda i, v: {x for x in w if x[i] == v}
    return [("a", [f"{t} is {a}.", f"{t} is not {na}.", f"It is true that {thing} is {a}."], s(0, 1)), ("na", [f"{t} is {na}.", f"{t} is not {a}."], s(0, 0)), ("c", [f"{t} is {c}.", f"{t} is not {nc}."], s(1, 1)), ("nc", [f"{t} is {nc}.", f"{t} is not {c}.", f"It is wrong that {thing} is {c}."], s(1, 0)), ("ac", [f"{t} is {a} and {c}.", f"{t} is both {c} and {a}."], s(0, 1) & s(1, 1)),
            ("anc", [f"{t} is {a} but {nc}.", f"Although {nc}, {thing} is {a}."], s(0, 1) & s(1, 0)), ("nac", [f"{t} is {na} but {c}."], s(0, 0) & s(1, 1)), ("neither", [f"{t} is neither {a} nor {c}."], s(0, 0) & s(1, 0))], set()


def _over(g):
    x, y = g.rng.sample(b.NAMES, 2)
    up, down = g.pick(OVER)
    say = lambda p, q: [cap(f.format(x=p, y=q)) + "." for f in (up, down)]
    neither = f"It is not so that {up.format(x=x, y=y)}, nor the other way round."
    one = f"Either {up.format(x=x, y=y)} or {up.format(x=y, y=x)}."
    return [("xy", say(x, y), {1}), ("yx", say(y, x), {2}), ("none", [neither], {0}), ("one", [one], {1, 2}), ("not", [f"It is not the case that {up.format(x=x, y=y)}."], {0, 2}), ("not2", [f"It is not the case that {up.format(x=y, y=x)}."], {0, 1})], set()


def _if_then(g):
    p, p1, p0, q, q1, q0 = g.pick(RULES)
    w = {(0, 0), (0, 1), (1, 1)}
    rule = [f"Whenever {p}, {q}.", f"If {p}, then {q}, without exception.", f"{cap(q)} every time {p}."]
    say = lambda t: [f"{r} Yesterday {t}." for r in rule]
    end = lambda t: [f"Yesterday {t}.", f"It is a fact that yesterday {t}."]
    return [("R1", say(p1), {(1, 1)}), ("R0", say(p0), {(0, 0), (0, 1)}), ("Q1", say(q1), {(0, 1), (1, 1)}), ("Q0", say(q0), {(0, 0)}), ("p1", end(p1), {(1, 1)}), ("p0", end(p0), {(0, 0), (0, 1)}), ("q1", end(q1), {(0, 1), (1, 1)}), ("q0", end(q0), {(0, 0)})], {
        (a, c) for a in ("p1", "p0", "q1", "q0") for c in ("R1", "R0", "Q1", "Q0", "p1", "p0", "q1", "q0")} | {(a, c) for a in ("R1", "R0", "Q1", "Q0") for c in ("R1", "R0", "Q1", "Q0")}


def _members(g):
    n, (past, base, pp, _, what), who = g.name(), g.pick(DEEDS), g.pick(GROUPS)
    past, base, pp = f"{past} {what}", f"{base} {what}", f"{pp} {what}"
    inside, outside = f"{n} is one of the {who}.", f"{n} is not one of the {who}."
    yes = [f"All the {who} {past}. {inside}", f"{inside} Each of the {who} {past}."]
    no = [f"None of the {who} {past}. {inside}", f"{inside} Not one of the {who} {past}."]
    open_ = [f"All the {who} {past}. {outside}", f"None of the {who} {past}. {outside}", f"Some of the {who} {past}, some did not. {inside}", f"{inside} About half of the {who} {past}."]
    return [("yes", yes, {1}), ("no", no, {0}), ("open", open_, {0, 1}), ("did", [f"{n} {past}.", f"{n} has {pp}."], {1}), ("not", [f"{n} did not {base}.", f"{n} has not {pp}."], {0})], {(p, h) for p in ("yes", "no", "open", "did", "not") for h in ("yes", "no", "open")} | {(p, h) for p in ("did", "not") for h in ("did", "not")}


VERDICTS = [{"follows": "It must be so if the text is right", "contradicts": "It cannot be so if the text is right", "not_said": "The text leaves it open"}, {"entailment": "The hypothesis follows from the premise", "contradiction": "The hypothesis cannot be true beside the premise", "neutral": "Neither follows nor is excluded"},
            {"true": "The text makes it certain", "false": "The text rules it out", "cannot_tell": "It may be so or not"}, {"yes": "It follows", "no": "The opposite follows", "unknown": "Neither follows"}, {"certain": None, "impossible": None, "open": None}]


def entailment(g):
    """Does a sentence follow from others? By the cases that each of them leaves possible."""
    make = g.rng.choice([_quantities, _implied, _kinds, _kinds, _place_and_day, _place_and_day, _order, _two_states, _over, _if_then, _members])
    items, blurred = make(g)

    def verdict(p, h):
        return 0 if p <= h else 1 if not p & h else 2

    found = {}
    for (kp, ps, wp), (kh, hs, wh) in itertools.product(items, items):
        if kp != kh and (kp, kh) not in blurred:
            found.setdefault(kh, {}).setdefault(verdict(wp, wh), []).append(kp)
    words = {k: fs for k, fs, _ in items}
    full = [k for k, v in found.items() if len(v) == 3]
    h = g.rng.choice(full)
    claim, dress = g.rng.choice(words[h]), dress_up(g, False)
    inside = g.coin(0.25)
    state = lambda s: {"premise": s, "hypothesis": claim} if inside else dress([s])
    options = g.rng.choice(VERDICTS)
    asks = ["Does the hypothesis follow from the premise?", "How does the hypothesis relate to the premise?", "Judge the hypothesis by the premise."] if inside else [
        f"What can be said of this, judging by the text: {claim}", f"Claim: {claim} How does the text bear on it?", f"Given the text, how certain is this: {claim}", f"\"{claim}\" Does that follow from the text, clash with it, or neither?"]
    texts = [state(g.rng.choice(words[g.rng.choice(found[h][v])])) for v in (0, 1, 2)]
    two = g.rng.sample([0, 1, 2], 2)
    out = choose(g, [(texts[v], list(options)[v]) for v in two], asks, options, pair=0)
    ask = g.pick(["Does the hypothesis follow from the premise?", "Must the hypothesis be true if the premise is?", "Is the hypothesis certain, given the premise?"]) if inside else g.pick(
        ["Does this follow: {c}", "Must this be true if the text is: {c}", "Can one conclude this from the text: {c}", "Is this certain, given the text? {c}", "From the text one can infer the following: {c}", "{c} Does the text say or imply so?"]).format(c=claim)
    out += pair_of(g, texts[0], texts[g.rng.choice([1, 2])], ask, 1)
    ask = g.pick(["Does the hypothesis contradict the premise?", "Are premise and hypothesis incompatible?"]) if inside else g.pick(["Does the text rule this out: {c}", "Is this in conflict with the text? {c}", "The text and this cannot both be true: {c}", "If the text is right, is this impossible? {c}"]).format(c=claim)
    return out + pair_of(g, texts[1], texts[g.rng.choice([0, 2])], ask, 2)


# who did what to whom

GOODS = ["the drill", "the ladder", "the blue car", "the tent", "the camera", "the violin", "the tractor", "the old sofa", "the microscope", "the wheelchair", "the spare tyre", "the sewing machine", "the goat", "the projector", "the canoe", "the field map"]
# past, base, participle, what the other side did: past and base; things
TRANSFERS = [("gave", "give", "given", "got", "get", GOODS), ("lent", "lend", "lent", "borrowed", "borrow", GOODS), ("sold", "sell", "sold", "bought", "buy", GOODS), ("sent", "send", "sent", "received", "receive", ["the contract", "the X-ray", "the seed list", "the draft", "the sample", "the bill", "the floor plan", "the recipe"]),
             ("taught", "teach", "taught", "learned", "learn", ["Greek", "knitting", "first aid", "Welsh", "chess", "welding", "bookkeeping", "grafting"]), ("leased", "lease", "leased", "rented", "rent", ["the field", "the workshop", "the boathouse", "the van", "the stall", "the office"])]
GIVES = ["{A} {p} {B} {t}.", "{A} {p} {t} to {B}.", "{B} was {pp} {t} by {A}.", "{T} was {pp} to {B} by {A}.", "It was {A} who {p} {t} to {B}.", "It was {B} to whom {A} {p} {t}.", "{B} {c} {t} from {A}.", "It was from {A} that {B} {c} {t}.", "The person who {p} {B} {t} was {A}.", "The one who {c} {t} from {A} was {B}.",
         "{A} is the one who {p} {t} to {B}.", "{B}, to whom {A} {p} {t}, lives nearby.", "{A}, from whom {B} {c} {t}, lives nearby.", "What {A} {p} to {B} was {t}.", "What {B} {c} from {A} was {t}.", "{B} is the person who was {pp} {t} by {A}.", "{T}, which {B} {c} from {A}, came up in the talk.", "{T}, which {A} {p} to {B}, came up in the talk."]
DOES = [("hired", "hire", "hired"), ("examined", "examine", "examined"), ("rescued", "rescue", "rescued"), ("interviewed", "interview", "interviewed"), ("photographed", "photograph", "photographed"), ("trained", "train", "trained"), ("replaced", "replace", "replaced"), ("invited", "invite", "invited"), ("painted", "paint", "painted"), ("sued", "sue", "sued"),
        ("nursed", "nurse", "nursed"), ("overheard", "overhear", "overheard"), ("dismissed", "dismiss", "dismissed"), ("succeeded", "succeed", "succeeded"), ("warned", "warn", "warned"), ("searched", "search", "searched")]
HITS = ["{A} {p} {B}.", "{B} was {pp} by {A}.", "It was {A} who {p} {B}.", "It was {B} whom {A} {p}.", "The one who {p} {B} was {A}.", "The one who was {pp} by {A} was {B}.", "{B} is the person whom {A} {p}.", "{A}, who {p} {B}, stayed until noon.", "{B}, whom {A} {p}, stayed until noon.", "{B}, who was {pp} by {A}, stayed until noon.", "The person {A} {p} was {B}.", "{A} is the one by whom {B} was {pp}."]
OWES = ["{A} owes {B} {t}.", "{B} is owed {t} by {A}.", "{A} still has to pay back {t} to {B}.", "{B} is waiting to get {t} back from {A}.", "It is {A} who owes {B} {t}.", "It is {B} to whom {A} owes {t}.", "{A} has not yet paid {B} back the {t2} that {B} lent out.", "{B} is {A}'s creditor for {t}.", "{A} is in debt to {B}: {t}."]


def roles(g):
    """Actives, passives, clefts and relative clauses, with the two people changed round."""
    a, c, d, e = g.rng.sample(b.NAMES, 4)
    dress, kind = dress_up(g), g.rng.random()
    if kind < 0.5:
        p, base, pp, got, get, things = g.pick(TRANSFERS)
        t, t2 = g.rng.sample(things, 2)
        form, form2 = g.rng.sample(GIVES, 2)
        tell = lambda f, x, y, t: f.format(A=x, B=y, t=t, T=cap(t), p=p, pp=pp, c=got)
        yesno = ["Did {x} {b} {t} to {y}?", "Did {y} {get} {t} from {x}?", "Was {y} {pp} {t} by {x}?", "Was {t} {pp} to {y} by {x}?", "{X} {p} {t} to {y}.", "{y} {c} {t} from {x}.", "Is {x} the one who {p} {t}?", "Is {y} the one who {c} {t}?"]
        word = lambda f, x, y: f.format(x=x, X=x, y=y, b=base, get=get, p=p, pp=pp, t=t, c=got)
        who = [([f"Who {p} {t} to somebody?", f"From whom did {t} come?" if things is GOODS else f"Who {p} {t}?", f"By whom was {t} {pp}?"], 0), ([f"Who {got} {t}?", f"To whom was {t} {pp}?", f"Who was {pp} {t}?"], 1)]
        clause = lambda x, y: Clause(x, "did", f"{base} {t} to {y}", f"{p} {t} to {y}")
    elif kind < 0.82:
        p, base, pp = g.pick(DOES)
        form, form2 = g.rng.sample(HITS, 2)
        t = t2 = ""
        tell = lambda f, x, y, t: f.format(A=x, B=y, p=p, pp=pp)
        yesno = ["Did {x} {b} {y}?", "Was {y} {pp} by {x}?", "{x} {p} {y}.", "According to this, did {x} {b} {y}?", "Is {x} the one who {p} {y}?", "Is {y} the one who was {pp} by {x}?"]
        word = lambda f, x, y: f.format(x=x, y=y, b=base, p=p, pp=pp)
        who = [([f"Who {p} somebody?", f"Who did the action ({base})?"], 0), ([f"Who was {pp}?", f"Who is the one that was {pp}?"], 1)]
        clause = lambda x, y: Clause(x, "did", f"{base} {y}", f"{p} {y}")
    else:
        m, m2 = g.rng.sample([15, 20, 35, 40, 60, 75, 90, 120, 250, 400], 2)
        t, t2 = f"{m} euros", f"{m2} euros"
        form, form2 = g.rng.sample(OWES, 2)
        tell = lambda f, x, y, t: f.format(A=x, B=y, t=t, t2=t)
        yesno = ["Does {x} owe {y} money?", "Does {x} have to pay {y}?", "Is {y} owed money by {x}?", "{x} is in {y}'s debt.", "Is {x} the debtor of {y}?", "Should {y} get money from {x}?", "Is {y} the creditor of {x}?"]
        word = lambda f, x, y: f.format(x=x, y=y)
        who = [([f"Who owes {t}?", f"Who has to pay {t}?", f"Who is the debtor of the {t}?"], 0), ([f"Who is owed {t}?", f"Who should get {t}?", f"Who is the creditor of the {t}?"], 1)]
        clause = lambda x, y: Clause(x, "does", f"owe {y} {t}", f"owes {y} {t}")
    more = [tell(form2, d, e, t2)] if g.coin() and t2 != t else []
    order = g.coin()
    put = lambda x, y: dress([tell(form, x, y, t), *more] if order else [*more, tell(form, x, y, t)])
    s, z = put(a, c), put(c, a)
    ask = g.pick(yesno)
    out = pair_of(g, s, z, word(ask, a, c), 0) if g.coin() else ask_pair(g, s, z, clause(a, c), 0)
    ask = g.pick(yesno)
    out += twin_of(g, z, word(ask, c, a), word(ask, a, c), 1)
    asks, k = g.rng.choice(who)
    if not more or t:
        out += choose(g, [(s, (a, c)[k]), (z, (c, a)[k])], asks, [a, c, *([d, e] if more else [])], pair=2)
    says = [word(yesno[4] if kind < 0.5 else yesno[2] if kind < 0.82 else "{x} owes {y} money.", *xy).rstrip(".") for xy in ((a, c), (c, a))]
    return out + choose(g, [(s, says[0])], ["Which of the two does the text say?", "Which statement is right?", "Who did it to whom?" if kind < 0.82 else "Who owes whom?"], says)


# references

PEOPLE_REFS = [("{a} is {hi} years old, {b} is {lo}.", "the older one"), ("{a} is {lo} years old, {b} is {hi}.", "the younger one"), ("{a} is the plumber and {b} is the tenant.", "the plumber"), ("{a} is the tenant and {b} is the plumber.", "the tenant"), ("{a} paid for the meal, {b} did not.", "the one who paid"), ("{a} is a cousin of {c}, {b} is a neighbour of {c}.", "{c}'s cousin"),
               ("{a} came by train and {b} by car.", "the one who came by train"), ("{b} wears glasses, {a} does not.", "the one without glasses"), ("{a} is taller than {b}.", "the taller of the two"), ("{b} is taller than {a}.", "the shorter of the two"), ("{a} lives on the fifth floor, {b} on the second.", "the one who lives higher up"), ("{b} was the host and {a} the guest.", "the guest"),
               ("{a} speaks Greek; {b} does not.", "the Greek speaker"), ("{b} lost the key and {a} found it.", "the finder of the key"), ("{b} trained {a} last year.", "the trainee"), ("{a} employs {b}.", "the employer"), ("{a} and {b} came in.", "the former"), ("{b} and {a} came in.", "the latter"), ("The team consists of {b} and {a}.", "the one named second"), ("The form lists {a} and {b}.", "the one named first"),
               ("{b} has been here since 2009, {a} since 2018.", "the newcomer of the two"), ("{a} voted yes and {b} voted no.", "the one who had voted yes"), ("{a} sat by the window, {b} by the door.", "the one by the window"), ("{a} has two children, {b} has none.", "the parent"), ("{a} was ill on Monday; {b} was well.", "the one who had been ill"), ("{c} called {a}. {c} did not call {b}.", "the one whom {c} had called"),
               ("{b} had {lo} votes, {a} had {hi}.", "the one with more votes"), ("{a} wore a green coat and {b} a brown one.", "the one in green"), ("{b} sold the boat to {a}.", "the new owner of the boat"), ("{a} wrote the letter that {b} answered.", "the writer of the letter"), ("{a} is the patient, {b} the doctor.", "the patient"), ("{b} is a native of Oslo, {a} of Lima.", "the one from Lima")]
PEOPLE_ACTS = [("booked the hotel", "book the hotel"), ("signed the receipt", "sign the receipt"), ("left early", "leave early"), ("brought the plans", "bring the plans"), ("fixed the tap", "fix the tap"), ("spoke to the press", "speak to the press"), ("drove the van", "drive the van"), ("made the soup", "make the soup"), ("fed the horses", "feed the horses"), ("broke the vase", "break the vase"),
               ("closed the ticket", "close the ticket"), ("translated the page", "translate the page"), ("kept the tickets", "keep the tickets"), ("took the photographs", "take the photographs"), ("ordered the seeds", "order the seeds"), ("won the bid", "win the bid")]
THINGS = [("the blue crate", "the green crate"), ("the north field", "the south field"), ("the first offer", "the second offer"), ("the wooden boat", "the steel boat"), ("the old server", "the new server"), ("the long report", "the short report"), ("the left cabinet", "the right cabinet"), ("the black van", "the white van"), ("the round tent", "the square tent"), ("the mill house", "the lake house")]
THING_REFS = [("{a} got {hi} marks in the test, {b} got {lo}.", "the one with more marks"), ("{a} cost {lo} euros and {b} {hi}.", "the cheaper one"), ("{a} cost {hi} euros and {b} {lo}.", "the dearer one"), ("{c} looks after {a}; {d} looks after {b}.", "the one in {c}'s care"), ("{a} is insured, {b} is not.", "the insured one"), ("{b} is insured, {a} is not.", "the uninsured one"),
              ("{a} was inspected on Monday, {b} on Friday.", "the one inspected on Monday"), ("{a} and {b} are both ours.", "the former"), ("{b} and {a} are both ours.", "the latter"), ("{a} is nearly empty, {b} is full.", "the nearly empty one"), ("{c} found a fault in {a}, but none in {b}.", "the faulty one"), ("{a} belongs to {c} and {b} to {d}.", "{c}'s"), ("{b} was sold to {d}; nobody bought {a}.", "the unsold one")]
THING_ACTS = [("was moved to Oslo", "moved to Oslo"), ("was put up for sale", "put up for sale"), ("was chosen by the board", "chosen by the board"), ("was praised by the inspector", "praised by the inspector"), ("was photographed", "photographed"), ("was cleaned on Tuesday", "cleaned on Tuesday"), ("was shown to the visitors", "shown to the visitors"), ("was struck off the list", "struck off the list")]
TITLES = ["Novak", "Lind", "Adeyemi", "Costa", "Haas", "Ito", "Moreau", "Patel", "Sandoval", "Weber", "Quinn", "Zeman"]
PRONOUNS = ["{m} met {f} at the station. {P} {act}.", "{f} and {m} shared a desk. {P} {act}.", "When {m} called {f}, {p} had just got home. Later {p} {act}.", "{m} wrote to {f} twice. In the end {p} {act}.", "{f} had known {m} for years, and still it was a surprise that {p} {act}.", "{m} told {f} about the plan. The next day {p} {act}.", "After {f} had spoken to {m}, {p} {act}."]


def reference(g):
    """Who or what is meant by a description or a pronoun; the facts say so, nothing else does."""
    dress, kind = dress_up(g), g.rng.random()
    a, c, x, y = g.rng.sample(b.NAMES, 4)
    lo = g.rng.randint(20, 60)
    nums = {"lo": lo, "hi": lo + g.rng.randint(1, 25), "c": x, "d": y}
    if kind < 0.25:
        m, f = g.rng.sample(TITLES, 2)
        a, c = (f"Mr {m}", f"Ms {f}")
        form, (past, base) = g.pick(PRONOUNS), g.pick(PEOPLE_ACTS)
        tell = lambda one: dress([form.format(m=a, f=c, act=past, p="he" if one else "she", P="He" if one else "She")])
        s, z = tell(True), tell(False)
        aux, q = "did", [f"Who {past}?", f"Who was it that {past}?", f"Which of the two {past}?"]
        clause = lambda n: Clause(n, "did", base, past)
    else:
        things = kind > 0.72
        if things:
            a, c = g.rng.sample(g.pick(THINGS), 2)
        fact, desc = g.pick(THING_REFS if things else PEOPLE_REFS)
        past, base = g.pick(THING_ACTS if things else PEOPLE_ACTS)
        desc = desc.format(**nums)
        other = g.coin(0.3)
        rest = "was left as it was" if things else "had nothing to do"
        end = [f"{cap(desc)} {past}.", f"It was {desc} that {past}." if things else f"It was {desc} who {past}.", f"In the end {desc} {past}.", f"Then {desc} {past}."]
        turned = [f"{cap(desc)} {rest}; the other one {past}.", f"It was not {desc} but the other one that {past}.", f"{cap(desc)} {rest}, while the other one {past}."]
        last = g.pick(turned) if other else g.pick(end)
        between = [g.pick(ASIDES)] if g.coin(0.25) and desc not in ("the former", "the latter") else []
        tell = lambda p, q: dress([cap(fact.format(a=p, b=q, **nums)), *between, last])
        s, z = (tell(c, a), tell(a, c)) if other else (tell(a, c), tell(c, a))
        q = [f"Which one {past}?", f"Which of the two {past}?", f"What is it that {past}?"] if things else [f"Who {past}?", f"Which of them {past}?", f"Name the person who {past}."]
        clause = (lambda n: Clause(n, "was", base)) if things else (lambda n: Clause(n, "did", base, past))
    out = ask_pair(g, s, z, clause(a), 0)
    extra = [n for n in (x, y) if kind >= 0.25 and kind <= 0.72 and n in str(s)]
    out += choose(g, [(s, a), (z, c)], q, [a, c, *extra], pair=1)
    form = g.pick(["Was it {} that {p}?", "The one that {p} is {}.", "Is {} meant as the one that {p}?", "It was {} that {p}."])
    return out + (twin_of(g, s, form.format(a, p=past), form.format(c, p=past), 2) if g.coin() else ask_both(g, z, clause(c), True))
# cause and effect

# effect; causes (clause, noun); what should have prevented it (clause, noun)
EFFECTS = [("the delivery was late", [("the van broke down", "the breakdown of the van"), ("the road was icy", "the icy road"), ("the address was wrong", "the wrong address")], [("the driver left early", "the early start"), ("traffic was light", "the light traffic")]),
           ("the harvest was poor", [("it hardly rained", "the lack of rain"), ("hail fell in June", "the hail in June"), ("beetles ate the leaves", "the beetles")], [("the soil was good", "the good soil"), ("there was plenty of fertiliser", "the plentiful fertiliser")]),
           ("the website went down", [("a cable was cut", "the cut cable"), ("the disk was full", "the full disk"), ("a certificate ran out", "the expired certificate")], [("the servers were new", "the new servers"), ("two engineers were on duty", "the two engineers on duty")]),
           ("the operation was put off", [("the surgeon was ill", "the illness of the surgeon"), ("the blood test was lost", "the lost blood test"), ("the theatre was flooded", "the flood in the theatre")], [("the patient was ready", "the readiness of the patient"), ("a bed was free", "the free bed")]),
           ("the class trip was called off", [("the bus company went bankrupt", "the bankruptcy of the bus company"), ("measles broke out", "the outbreak of measles"), ("the hostel burnt down", "the fire at the hostel")], [("everyone had paid", "the full payment"), ("the weather was fine", "the fine weather")]),
           ("the shop made a loss", [("the street was dug up", "the roadworks"), ("the rent doubled", "the doubled rent"), ("a thief emptied the store", "the theft")], [("sales were good in spring", "the good sales in spring"), ("the staff worked hard", "the hard work of the staff")]),
           ("the tenants moved out", [("the roof leaked", "the leaking roof"), ("the rent went up", "the higher rent"), ("mould grew in the kitchen", "the mould in the kitchen")], [("the street was quiet", "the quiet street"), ("the flat had a balcony", "the balcony")]),
           ("the flight landed two hours late", [("a tyre had to be changed", "the change of a tyre"), ("fog lay over the runway", "the fog"), ("a passenger fell ill", "the illness of a passenger")], [("the wind was favourable", "the favourable wind"), ("the crew was on time", "the punctual crew")]),
           ("the film was a success", [("the actress was famous", "the famous actress"), ("the critics were full of praise", "the praise of the critics"), ("the music was catchy", "the catchy music")], [("the tickets were dear", "the dear tickets"), ("it ran for four hours", "its length of four hours")]),
           ("the team missed the play-offs", [("the goalkeeper was injured", "the injury of the goalkeeper"), ("the coach left", "the departure of the coach"), ("three points were deducted", "the deduction of three points")], [("the attack was strong", "the strong attack"), ("the fans came in numbers", "the many fans")]),
           ("the fish in the pond died", [("a factory let out acid", "the acid from the factory"), ("the pond froze to the bottom", "the frost"), ("algae used up the oxygen", "the algae")], [("the pond was fed well", "the good feeding"), ("a warden checked it every day", "the daily checks")]),
           ("the parcel got lost", [("the label fell off", "the missing label"), ("a scanner failed", "the failure of a scanner"), ("two codes were mixed up", "the mix-up of two codes")], [("it was sent by express", "the express service"), ("it was packed well", "the good packing")]),
           ("the bridge was closed", [("a ship hit a pillar", "the collision with a ship"), ("cracks were found", "the cracks"), ("the river rose", "the high water")], [("it was repaired last year", "last year's repair"), ("the mayor protested", "the mayor's protest")]),
           ("the newspaper sold out", [("the front page carried a secret letter", "the secret letter"), ("the back page held a voucher", "the voucher"), ("the election was close", "the close election")], [("the price had gone up", "the higher price"), ("it rained all day", "the rain")]),
           ("the hens laid fewer eggs", [("a fox scared them", "the fox"), ("the lamp in the coop failed", "the failure of the lamp"), ("the feed was changed", "the change of feed")], [("the coop was clean", "the clean coop"), ("the days were growing longer", "the longer days")]),
           ("the patient recovered quickly", [("the new drug worked", "the new drug"), ("the wound was clean", "the clean wound"), ("a nurse noticed the fever in time", "the watchful nurse")], [("the patient smoked", "the smoking"), ("the ward was noisy", "the noise on the ward")])]
# {e} effect, {c}/{n} the cause as clause and noun, {d}/{m} something else that did not cause it
BECAUSE = ["{E} because {c}.", "Because {c}, {e}.", "{C}, so {e}.", "{C}. That is why {e}.", "{C}, and as a result {e}.", "{E}. The reason was {n}.", "Owing to {n}, {e}.", "{E} on account of {n}.", "{E}, and that was due to {n}.", "Since {c}, {e}.", "{C}; consequently {e}.", "It was because of {n} that {e}.", "{N} had the consequence that {e}.", "What caused it was {n}: {e}."]
DESPITE = ["Although {d}, {e}, because {c}.", "In spite of {m}, {e}. The cause was {n}.", "{D}. Nevertheless, because {c}, {e}.", "{D}, but {c}, and so {e}.", "Despite {m}, {e}, owing to {n}.", "{D}. {C}, however, and therefore {e}.", "Even though {d}, {e}; the cause was {n}.", "{C}, so {e}, notwithstanding {m}."]
NOT_BY = ["{E} because {c}, not because {d}.", "It was not {m} but {n} that brought it about: {e}.", "{D}, but that had nothing to do with it: {e} because {c}.", "{E}. Some blamed {m}, yet the inquiry named {n} as the only cause.", "{D}, and {c}. {E}, only because of the latter.", "Not {m} was the reason; it was because of {n} that {e}.", "It is true that {d}, but {e} for another reason: {c}."]
ALONE = ["{E}. {N} was the only cause; {m} played no part.", "{E}. Without {n} that would not have happened; {m} made no difference.", "Had it not been for {n}, all would have gone differently; as it was, {e}. {M} changed nothing either way.", "{E}, solely because {c}. It would have come to the same with or without {m}."]


def causes(g):
    """What brought something about, and what did not, or stood against it."""
    e, why, against = g.pick(EFFECTS)
    x, y, z = g.rng.sample(why, 3)
    dress = dress_up(g)
    kind = g.rng.randint(0, 3)
    form = g.pick((BECAUSE, DESPITE, NOT_BY, ALONE)[kind])
    d = g.rng.choice(against)

    def tell(x, y):
        (c, n), (o, m) = x, y
        return form.format(e=e, E=cap(e), c=c, C=cap(c), n=n, N=cap(n), d=o, D=cap(o), m=m, M=cap(m))

    also = f"On another day, {y[0]}, but without any consequence." if kind == 0 and g.coin() else ""
    if kind == 1:
        s, t, other = [tell(x, d)], [tell(y, d)], d
    elif kind == 0:
        s, t, other = [tell(x, y)], [tell(y, x)], None
        if also:
            s, t, other = [*s, also], [*t, also.replace(y[0], x[0])], y
    else:
        s, t, other = [tell(x, y)], [tell(y, x)], y
    s, t = dress(s), dress(t)
    asks = ["Was {n} the reason why {e}?", "Is it right that {e} because {c}?", "Is {n} named as the cause?", "It was because of {n} that {e}.", "The text says that {e} because {c}.", "Did it come about through {n} that {e}?", "Can it be put down to {n} that {e}?", "{E} because {c}. Is that what the text says?", "According to the text, {n} brought it about that {e}."]
    fill = lambda ask, w: ask.format(e=e, E=cap(e), c=w[0], n=w[1])
    out = pair_of(g, s, t, fill(g.pick(asks), x), 0)
    if other:
        ask = g.pick(asks)
        out += twin_of(g, s, fill(ask, x), fill(ask, other), 1)
    options = {x[1]: cap(x[0]), y[1]: cap(y[0]), **({d[1]: cap(d[0])} if kind == 1 else {}), z[1]: cap(z[0])}
    out += choose(g, [(s, x[1]), (t, y[1])], [f"Why was it that {e}?", f"What was the reason why {e}?", "What was the cause?", f"What brought it about that {e}?", f"Pick the cause: {e}."], options, pair=2)
    if kind == 3:
        without = g.pick(["Going by the text, would it have been the same without {}?", "Take away {}: would the outcome have been the same?", "The outcome would have been the same without {}.", "Judging by the text, would the same have happened if it had not been for {}?"])
        out += twin_of(g, s, without.format(y[1]), without.format(x[1]), 3)
    if kind == 1:
        part = {"cause": "It brought the outcome about", "obstacle": "The outcome came about in spite of it", "not_mentioned": "It is not mentioned"}
        w, k = g.rng.choice([(x, "cause"), (d, "obstacle"), (z, "not_mentioned")])
        out += choose(g, [(s, k)], [f"Which part did this play: {w[1]}?", f"What does the text make of {w[1]}?", f"How is {w[1]} related to the outcome?"], part)
    return out


FAMILIES = {f.__name__: f for f in (entailment, roles, reference, causes)}
