"""Reading closely: what follows, who did what, what refers to what, causes, order, chains, sums, sources, paraphrases, kinds
of text, attitudes, facts of a passage.

Sentences are put together from parts, and the answers are computed from the same parts.
"""
import itertools

import banks as b
from clauses import Clause, ask_both, ask_pair, cap, pick_one, row, scale

FEM = "Amara Daria Greta Imani Keiko Mina Nadia Petra Rosa Tessa Ulla Wanda Yara Zoe Bea Emma Gina Jana Lena Olga Pia".split()
MASC = "Bjorn Chidi Farid Hugo Jonas Omar Samir Viktor Anton Carlos Felix Hamid Ivo Kofi Marco Nils Raj".split()
ASIDES = ["It was a grey day.", "The coffee machine hummed in the corner.", "A radio played next door.", "Somebody had left a window open.", "The phone rang twice.", "There were biscuits on the table.", "The clock on the wall had stopped.", "Rain was forecast for the evening.",
          "A cat slept on the sill.", "The floor had just been mopped.", "Outside a tram went by.", "The lights were on.", "Two flies circled the lamp.", "It smelled of fresh paint.", "The walls are blue.", "A bell rang in the distance."]


def _dress(g, talk=True):
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


def _pair(g, yes, no, words, k):
    return [{**row(g, s, words, v), "criteria": None, "pair": k} for s, v in ((yes, True), (no, False))]


def _twin(g, state, yes, no, k):
    """Two questions on one state."""
    return [{**row(g, state, w, v), "criteria": None, "pair": k} for w, v in ((yes, True), (no, False))]


KEYS = ["abcdefghij", "1234567890", ["K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8", "K9", "K10"]]


def _choose(g, cases, questions, options, **more):
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


# 1 what follows ------------------------------------------------------------------------------------------------------------

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
    claim, dress = g.rng.choice(words[h]), _dress(g, False)
    inside = g.coin(0.25)
    state = lambda s: {"premise": s, "hypothesis": claim} if inside else dress([s])
    options = g.rng.choice(VERDICTS)
    asks = ["Does the hypothesis follow from the premise?", "How does the hypothesis relate to the premise?", "Judge the hypothesis by the premise."] if inside else [
        f"What can be said of this, judging by the text: {claim}", f"Claim: {claim} How does the text bear on it?", f"Given the text, how certain is this: {claim}", f"\"{claim}\" Does that follow from the text, clash with it, or neither?"]
    texts = [state(g.rng.choice(words[g.rng.choice(found[h][v])])) for v in (0, 1, 2)]
    two = g.rng.sample([0, 1, 2], 2)
    out = _choose(g, [(texts[v], list(options)[v]) for v in two], asks, options, pair=0)
    ask = g.pick(["Does the hypothesis follow from the premise?", "Must the hypothesis be true if the premise is?", "Is the hypothesis certain, given the premise?"]) if inside else g.pick(
        ["Does this follow: {c}", "Must this be true if the text is: {c}", "Can one conclude this from the text: {c}", "Is this certain, given the text? {c}", "From the text one can infer the following: {c}", "{c} Does the text say or imply so?"]).format(c=claim)
    out += _pair(g, texts[0], texts[g.rng.choice([1, 2])], ask, 1)
    ask = g.pick(["Does the hypothesis contradict the premise?", "Are premise and hypothesis incompatible?"]) if inside else g.pick(["Does the text rule this out: {c}", "Is this in conflict with the text? {c}", "The text and this cannot both be true: {c}", "If the text is right, is this impossible? {c}"]).format(c=claim)
    return out + _pair(g, texts[1], texts[g.rng.choice([0, 2])], ask, 2)


# 2 who did what to whom ----------------------------------------------------------------------------------------------------

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
    dress, kind = _dress(g), g.rng.random()
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
    out = _pair(g, s, z, word(ask, a, c), 0) if g.coin() else ask_pair(g, s, z, clause(a, c), 0)
    ask = g.pick(yesno)
    out += _twin(g, z, word(ask, c, a), word(ask, a, c), 1)
    asks, k = g.rng.choice(who)
    if not more or t:
        out += _choose(g, [(s, (a, c)[k]), (z, (c, a)[k])], asks, [a, c, *([d, e] if more else [])], pair=2)
    says = [word(yesno[4] if kind < 0.5 else yesno[2] if kind < 0.82 else "{x} owes {y} money.", *xy).rstrip(".") for xy in ((a, c), (c, a))]
    return out + _choose(g, [(s, says[0])], ["Which of the two does the text say?", "Which statement is right?", "Who did it to whom?" if kind < 0.82 else "Who owes whom?"], says)


# 3 references --------------------------------------------------------------------------------------------------------------

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
    dress, kind = _dress(g), g.rng.random()
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
    out += _choose(g, [(s, a), (z, c)], q, [a, c, *extra], pair=1)
    form = g.pick(["Was it {} that {p}?", "The one that {p} is {}.", "Is {} meant as the one that {p}?", "It was {} that {p}."])
    return out + (_twin(g, s, form.format(a, p=past), form.format(c, p=past), 2) if g.coin() else ask_both(g, z, clause(c), True))
# 4 cause and effect --------------------------------------------------------------------------------------------------------

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
    dress = _dress(g)
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
    out = _pair(g, s, t, fill(g.pick(asks), x), 0)
    if other:
        ask = g.pick(asks)
        out += _twin(g, s, fill(ask, x), fill(ask, other), 1)
    options = {x[1]: cap(x[0]), y[1]: cap(y[0]), **({d[1]: cap(d[0])} if kind == 1 else {}), z[1]: cap(z[0])}
    out += _choose(g, [(s, x[1]), (t, y[1])], [f"Why was it that {e}?", f"What was the reason why {e}?", "What was the cause?", f"What brought it about that {e}?", f"Pick the cause: {e}."], options, pair=2)
    if kind == 3:
        without = g.pick(["Going by the text, would it have been the same without {}?", "Take away {}: would the outcome have been the same?", "The outcome would have been the same without {}.", "Judging by the text, would the same have happened if it had not been for {}?"])
        out += _twin(g, s, without.format(y[1]), without.format(x[1]), 3)
    if kind == 1:
        part = {"cause": "It brought the outcome about", "obstacle": "The outcome came about in spite of it", "not_mentioned": "It is not mentioned"}
        w, k = g.rng.choice([(x, "cause"), (d, "obstacle"), (z, "not_mentioned")])
        out += _choose(g, [(s, k)], [f"Which part did this play: {w[1]}?", f"What does the text make of {w[1]}?", f"How is {w[1]} related to the outcome?"], part)
    return out


# 5 order of actions --------------------------------------------------------------------------------------------------------

# base, past, participle, -ing, what
ACTIVITIES = [[("peel", "peeled", "peeled", "peeling", "the potatoes"), ("fry", "fried", "fried", "frying", "the onions"), ("grate", "grated", "grated", "grating", "the cheese"), ("boil", "boiled", "boiled", "boiling", "the eggs"), ("chop", "chopped", "chopped", "chopping", "the parsley"), ("beat", "beat", "beaten", "beating", "the cream")],
              [("buy", "bought", "bought", "buying", "the tickets"), ("change", "changed", "changed", "changing", "some money"), ("pack", "packed", "packed", "packing", "the rucksack"), ("write", "wrote", "written", "writing", "the postcards"), ("see", "saw", "seen", "seeing", "the cathedral"), ("hire", "hired", "hired", "hiring", "a bicycle")],
              [("oil", "oiled", "oiled", "oiling", "the chain"), ("replace", "replaced", "replaced", "replacing", "the fuse"), ("tighten", "tightened", "tightened", "tightening", "the screws"), ("sand", "sanded", "sanded", "sanding", "the frame"), ("test", "tested", "tested", "testing", "the brakes"), ("glue", "glued", "glued", "gluing", "the handle")],
              [("rake", "raked", "raked", "raking", "the leaves"), ("prune", "pruned", "pruned", "pruning", "the roses"), ("sow", "sowed", "sown", "sowing", "the beans"), ("mend", "mended", "mended", "mending", "the fence"), ("milk", "milked", "milked", "milking", "the goats"), ("sweep", "swept", "swept", "sweeping", "the yard")],
              [("restart", "restarted", "restarted", "restarting", "the router"), ("copy", "copied", "copied", "copying", "the database"), ("update", "updated", "updated", "updating", "the drivers"), ("delete", "deleted", "deleted", "deleting", "the logs"), ("call", "called", "called", "calling", "the help desk"), ("run", "ran", "run", "running", "the tests")],
              [("weigh", "weighed", "weighed", "weighing", "the baby"), ("take", "took", "taken", "taking", "a blood sample"), ("change", "changed", "changed", "changing", "the bandage"), ("fill in", "filled in", "filled in", "filling in", "the chart"), ("wash", "washed", "washed", "washing", "the bottles"), ("wake", "woke", "woken", "waking", "the patient")],
              [("count", "counted", "counted", "counting", "the pallets"), ("load", "loaded", "loaded", "loading", "the lorry"), ("print", "printed", "printed", "printing", "the labels"), ("sign", "signed", "signed", "signing", "the papers"), ("scan", "scanned", "scanned", "scanning", "the boxes"), ("wash", "washed", "washed", "washing", "the windscreen")],
              [("mark", "marked", "marked", "marking", "the essays"), ("clean", "cleaned", "cleaned", "cleaning", "the blackboard"), ("meet", "met", "met", "meeting", "the parents"), ("copy", "copied", "copied", "copying", "the worksheets"), ("water", "watered", "watered", "watering", "the class plants"), ("tune", "tuned", "tuned", "tuning", "the piano")],
              [("paint", "painted", "painted", "painting", "the ceiling"), ("lay", "laid", "laid", "laying", "the carpet"), ("hang", "hung", "hung", "hanging", "the curtains"), ("wire", "wired", "wired", "wiring", "the lamps"), ("measure", "measured", "measured", "measuring", "the hallway"), ("carry in", "carried in", "carried in", "carrying in", "the wardrobe")]]
# x before y; the last three name y's doer only once
EARLIER = ["{N} {xp} before {yi}.", "Before {yi}, {N} {xp}.", "{N} {yp} after {xi}.", "After {xi}, {N} {yp}.", "Having {xpp}, {N} {yp}.", "Once {N} had {xpp}, it was time for {yi}.", "{N} did not {yb} until the other job was done, namely {xi}.", "Not until {N} had {xpp} did the next job start: {yi}.", "{N} {xp} and only then {yp}.", "{N} {yp}, but only after {xi}.",
           "By the time {N} {yp}, {xi} was long over.", "{N} {yp}; prior to that, {N} {xp}.", "{N} {xp}; subsequently {N} {yp}.", "First {xi}, then {yi}: that is how {N} did it.", "{N} finished {xi} and went on to {yi}.", "No sooner had {N} {xpp} than {N} {yp}.", "{N} had already {xpp} when {N} {yp}.", "{N} left {yi} for later and {xp}; later {N} {yp} as well."]


def sequence(g):
    """Which action came earlier, however it is told."""
    n, acts = g.name(), g.rng.sample(g.pick(ACTIVITIES), 4)
    ing = lambda a: f"{a[3]} {a[4]}"
    dress = _dress(g)
    three = g.coin(0.6)
    f, f2 = g.rng.sample(EARLIER, 2)

    def tell(form, x, y):
        one = lambda a, v: {f"{v}{k}": f"{w} {a[4]}" for k, w in zip(("b", "p", "pp", "i"), a)}
        t = form.format(N=n, **one(x, "x"), **one(y, "y"))
        return cap(t)

    back = g.coin()

    def story(x, y, z):
        told = [tell(f, x, y), tell(f2, y, z)]
        return dress(told[::-1] if back else told) if three else dress(told[:1])

    x, y, z, w = acts
    s, t = story(x, y, z), story(y, x, z)
    words = ["Did {n} {xb} before {yi}?", "Was {xi} done before {yi}?", "When {n} {yp}, had {n} already {xpp}?", "Did {xi} come earlier than {yi}?", "{n} {xp} before {yi}.", "Did {yi} come after {xi}?", "{Yi} came later than {xi}.", "Had {n} {xpp} by the time {n} {yp}?", "Is it right that {n} {yp} after {xi}?", "The order was: {xi}, later {yi}."]
    w1, w2, w3 = (g.pick(words) for _ in range(3))

    def ask(word, x, y):
        return word.format(n=n, xb=f"{x[0]} {x[4]}", xp=f"{x[1]} {x[4]}", xpp=f"{x[2]} {x[4]}", xi=ing(x), yi=ing(y), yp=f"{y[1]} {y[4]}", Yi=cap(ing(y)))

    out = _pair(g, s, t, ask(w1, x, y), 0)
    out += _twin(g, t, ask(w2, y, x), ask(w2, x, y), 1)
    if three:
        out += _twin(g, s, ask(w3, x, z), ask(w3, z, x), 3)
        u = story(x, z, y)
        place = g.rng.randint(1, 2)
        asks = ["Which of them came between the other two?", "What was done in the middle?", "What did {} do after one of the jobs and before the other?".format(n)] if place == 1 else ["What was done last?", f"What did {n} do at the very end?", "Which job was finished last of all?"]
        return out + _choose(g, [(s, ing((x, y, z)[place])), (u, ing((x, z, y)[place]))], asks, [ing(x), ing(y), ing(z)], pair=2)
    order = lambda a, c: f"{ing(a)}, then {ing(c)}"
    return out + _choose(g, [(s, order(x, y)), (t, order(y, x))], ["In which order was it done?", f"What was the order of {n}'s work?", "Pick the right order."], [order(x, y), order(y, x), order(x, w)], pair=2)


# 6 chains ------------------------------------------------------------------------------------------------------------------

KIN = {("parent", "parent"): ("grandmother", "grandfather"), ("child", "child"): ("granddaughter", "grandson"), ("sibling", "parent"): ("aunt", "uncle"), ("child", "sibling"): ("niece", "nephew"), ("parent", "parent", "parent"): ("great-grandmother", "great-grandfather"), ("child", "sibling", "parent"): ("cousin", "cousin"),
       ("parent", "spouse"): ("mother-in-law", "father-in-law"), ("spouse", "child"): ("daughter-in-law", "son-in-law")}
STEP = {"parent": ("mother", "father"), "child": ("daughter", "son"), "sibling": ("sister", "brother"), "spouse": ("wife", "husband")}
NESTS = [["the ring", "the velvet box", "the drawer", "the desk", "the study"], ["the file", "the folder", "the archive", "the old disk", "the server"], ["the bandage", "the pouch", "the first-aid kit", "the boot", "the ambulance"], ["the seeds", "the paper bag", "the tin", "the chest", "the barn"], ["the lens", "the case", "the rucksack", "the locker", "the studio"], ["the chip", "the tray", "the carton", "the pallet", "the container"],
         ["the letter", "the envelope", "the satchel", "the cupboard", "the classroom"], ["the valve", "the pump", "the engine", "the boat", "the boathouse"], ["the pearl", "the purse", "the handbag", "the suitcase", "the cabin"], ["the whistle", "the pocket", "the jacket", "the kit bag", "the changing room"]]
AREAS = [["Aldry", "Bramholt", "Cessin", "Dorvale"], ["Elmot", "Fenwold", "Garsk", "Hinterau"], ["Iskra", "Jorvel", "Kestrin", "Lomond Hill"], ["Marvo", "Netterby", "Ostfeld", "Pellin"]]
LINKS = [("{x} reports to {y}.", "{y} is {x}'s manager.", "{x} is below {y} in the company", "{y} ranks above {x} in the company", "ranks highest"), ("{x} lives directly below {y}.", "{y} lives directly above {x}.", "{x} lives lower than {y}", "{y} lives higher up than {x}", "lives highest"), ("{x}'s farm lies west of {y}'s.", "{y}'s farm lies east of {x}'s.", "{x}'s farm is farther west than {y}'s", "{y}'s farm is farther east than {x}'s", "has the easternmost farm"),
         ("{x} stands in front of {y} in the queue.", "{y} stands behind {x} in the queue.", "{x} will be served before {y}", "{y} will be served after {x}", "is farthest back"), ("{x}'s shop is to the left of {y}'s.", "{y}'s shop is to the right of {x}'s.", "{x}'s shop is farther left than {y}'s", "{y}'s shop is farther right than {x}'s", "has the rightmost shop"), ("{x} joined the hospital earlier than {y}.", "{y} joined the hospital later than {x}.", "{x} has been there longer than {y}", "{y} joined after {x}", "joined latest"),
         ("{x}'s parcel is lighter than {y}'s.", "{y}'s parcel is heavier than {x}'s.", "{x}'s parcel weighs less than {y}'s", "{y}'s parcel weighs more than {x}'s", "has the heaviest parcel"), ("{x} is an apprentice of {y}.", "{y} is the master of {x}.", "{x} is below {y} in the workshop", "{y} stands above {x} in the workshop", "stands highest")]


def _kin(g, dress):
    steps = g.pick(KIN)
    people = [(n, 0) for n in g.rng.sample(FEM, 4)] + [(n, 1) for n in g.rng.sample(MASC, 4)]
    g.rng.shuffle(people)
    if "spouse" in steps:
        i = steps.index("spouse")
        while people[i][1] == people[i + 1][1]:
            g.rng.shuffle(people)
    chain = people[: len(steps) + 1]
    facts = [f"{a} is the {STEP[s][sa]} of {c}." if g.coin() else f"{a} is {c}'s {STEP[s][sa]}." for s, (a, sa), (c, _) in zip(steps, chain, chain[1:])]
    g.rng.shuffle(facts)
    (x, sx), (z, sz) = chain[0], chain[-1]
    word = KIN[steps][sx]
    state = dress(facts)
    wrong = [KIN[k][sx] for k in KIN if KIN[k][sx] != word]
    bad = g.rng.choice(wrong)
    f = g.pick(["Is {x} the {w} of {z}?", "Is {x} {z}'s {w}?", "It follows that {x} is the {w} of {z}.", "Can one conclude that {x} is {z}'s {w}?", "{z} has a {w} whose name is {x}.", "Is {w} the word for what {x} is to {z}?"])
    options = [word, *g.rng.sample(wrong, g.rng.randint(2, 4))]
    inverse = {"grandmother": "grandchild", "grandfather": "grandchild", "aunt": "niece or nephew", "uncle": "niece or nephew", "granddaughter": "grandparent", "grandson": "grandparent", "niece": "aunt or uncle", "nephew": "aunt or uncle", "cousin": "cousin", "great-grandmother": "great-grandchild", "great-grandfather": "great-grandchild",
               "mother-in-law": "son- or daughter-in-law", "father-in-law": "son- or daughter-in-law", "daughter-in-law": "parent-in-law", "son-in-law": "parent-in-law"}
    back = inverse[word]
    out = _twin(g, state, f.format(x=x, z=z, w=word), f.format(x=x, z=z, w=bad), 0)
    out += _choose(g, [(state, word)], [f"How is {x} related to {z}?", f"What is {x} to {z}?", f"{x} is {z}'s ...?", f"Which word says what {x} is to {z}?"], options)
    return out + _choose(g, [(state, back)], [f"What is {z} to {x}?", f"How is {z} related to {x}?"], {back: None, **{o: None for o in g.rng.sample(sorted({*inverse.values()} - {back}), 3)}})


def _nest(g, dress):
    items, there = g.rng.sample([*NESTS], 2)
    k = g.rng.randint(2, 4)
    chain = items[: k + 1]
    far = there[-1]
    says = ["{X} is in {y}.", "{X} lies inside {y}.", "Inside {y} there is {x}.", "{Y} contains {x}.", "{X} is kept in {y}."]
    facts = [g.pick(says).format(x=x, y=y, X=cap(x), Y=cap(y)) for x, y in zip(chain, chain[1:])]
    i = g.rng.randrange(1, k)
    moved = f"Then {chain[i]} was taken out and put into {far}, with all that was in it."
    stayed = f"Then {there[0]} was taken out and put into {far}, with all that was in it."
    g.rng.shuffle(facts)
    extra = f"{cap(there[0])} was in {chain[-1]}, too."
    s, t = dress([*facts, extra, moved]), dress([*facts, extra, stayed])
    x = chain[g.rng.randint(0, i - 1)]
    f, f2 = g.rng.sample(["Is {x} now in {y}?", "{X} is in {y} now.", "Would one find {x} in {y} now?", "Must one look in {y} for {x}?", "Has {x} ended up in {y}?"], 2)
    ask = lambda f, y: f.format(x=x, X=cap(x), y=y)
    out = _pair(g, s, t, ask(f, far), 0) + _twin(g, t, ask(f2, chain[-1]), ask(f2, far), 1)
    return out + _choose(g, [(s, far), (t, chain[-1])], [f"Where is {x} now?", f"In which of these would one find {x} now?", f"Where has {x} ended up?"], [far, chain[-1]], pair=2)


def _line(g, dress):
    one, two, up, down, top = g.pick(LINKS)
    n = g.rng.randint(3, 4)
    who = g.rng.sample(b.NAMES, n)
    i = g.rng.randrange(n - 1)
    forms = [g.rng.choice([one, two]) for _ in who[1:]]
    order = list(range(n - 1))
    g.rng.shuffle(order)
    tell = lambda w: dress([forms[j].format(x=w[j], y=w[j + 1]) for j in order])
    s, t = tell(who), tell(who[::-1])
    x, z = who[i if n - i > 2 else 0], who[-1]
    f, f2 = g.rng.sample(["Is it so that {}?", "Does it follow that {}?", "{}.", "Can one conclude that {}?", "Statement: {}. Right?"], 2)
    form = g.rng.choice([up, down])
    ask = lambda f, p, q: cap(f.format(form.format(x=p, y=q)))
    out = _pair(g, s, t, ask(f, x, z), 0) + _twin(g, t, ask(f2, z, x), ask(f2, x, z), 1)
    out += _choose(g, [(s, who[-1]), (t, who[0])], [f"Who {top}?", f"Which of them {top}?", f"Name the one who {top}."], who, pair=2)
    return out


def _region(g, dress):
    levels = ["village", "district", "province"]
    a, c = g.rng.sample(g.pick(AREAS), 2), g.rng.sample(["Norlund", "Westmar", "Talia", "Ostra", "Sudvik", "Korrin"], 4)
    n = g.rng.sample(b.NAMES, 2)
    p, q = (a[0], c[0], c[2]), (a[1], c[1], c[3])
    facts = [f"{v} is a village in the district of {d}." for v, d, _ in (p, q)] + [f"The district of {d} belongs to the province of {r}." for _, d, r in (p, q)]
    g.rng.shuffle(facts)
    act = g.pick(["lives in", "keeps bees in", "runs a clinic in", "teaches in", "has a shop in", "is building a house in", "was born in", "plays football in"])
    tell = lambda x, y: dress([*facts, f"{n[0]} {act} {x[0]}, {n[1]} {act} {y[0]}."])
    s, t = tell(p, q), tell(q, p)
    lev = g.rng.choice([1, 2])
    f, f2 = g.rng.sample(["Is it so that {n} {a} the {l} of {r}?", "{n} {a} the {l} of {r}.", "Does it follow that {n} {a} the {l} of {r}?", "Can one conclude that {n} {a} the {l} of {r}?"], 2)
    ask = lambda f, r: f.format(n=n[0], a=act, l=levels[lev], r=r[lev])
    out = _pair(g, s, t, ask(f, p), 0) + _twin(g, t, ask(f2, q), ask(f2, p), 1)
    return out + _choose(g, [(s, p[lev]), (t, q[lev])], [f"In which {levels[lev]} is the village that {n[0]} {act}?", f"{n[0]} {act} a village. In which {levels[lev]} does that village lie?"], c, pair=2)


def chains(g):
    """Kinship, rank, containment and place over two or three steps."""
    return g.rng.choice([_kin, _nest, _line, _line, _region])(g, _dress(g))


# 7 sums --------------------------------------------------------------------------------------------------------------------

# story, what is asked ("how many ..."), result of a, b, c, wrong results
STORIES = [("{n} had {a} eggs, sold {b} of them and collected {c} more.", "eggs does {n} have now", lambda a, b, c: a - b + c), ("The ward has {a} beds. {b} are taken by children and {c} by adults.", "beds are free", lambda a, b, c: a - b - c), ("A lorry brought {a} crates in the morning and {b} at night; {c} of all those went back.", "crates stayed", lambda a, b, c: a + b - c), ("{n} wrote {a} pages on Monday, {b} on Tuesday and {c} on Wednesday.", "pages were written in all", lambda a, b, c: a + b + c),
           ("Of {a} seats in the hall, {b} are reserved, and {c} of the others are broken.", "seats can still be used freely", lambda a, b, c: a - b - c), ("The bus set off with {a} people. At the mill {b} got off and {c} got on.", "people are on the bus", lambda a, b, c: a - b + c), ("The herd counted {a} sheep; {b} were sold, and then {c} lambs were born.", "animals are in the herd", lambda a, b, c: a - b + c), ("The queue held {a} jobs; {b} ran, {c} failed and stay in the queue.", "jobs are waiting if only those that ran are taken off", lambda a, b, c: a - b),
           ("A shop had {a} lamps. It sold {b} on Friday and {c} on Saturday.", "lamps are left", lambda a, b, c: a - b - c), ("{n} owed {a} euros, paid back {b} and later borrowed {c} more from the same friend.", "euros does {n} owe", lambda a, b, c: a - b + c), ("The choir has {a} singers, {b} more than the band has members.", "members does the band have", lambda a, b, c: a - b), ("The band has {a} members, {b} fewer than the choir has singers.", "singers does the choir have", lambda a, b, c: a + b),
           ("Class 4 has {a} pupils. {b} went home ill, {c} are on a trip, the rest sit in the room.", "pupils are in the room", lambda a, b, c: a - b - c), ("The tank held {a} litres; {b} were used for the beds and {c} for the trees.", "litres are left", lambda a, b, c: a - b - c), ("A reporter took {a} photos, deleted {b} and got {c} from a colleague.", "photos does the reporter have", lambda a, b, c: a - b + c), ("The hotel had {a} guests; {b} left and {c} arrived.", "guests does it have", lambda a, b, c: a - b + c),
           ("The nurse had {a} doses, gave {b} in the morning and {c} in the afternoon.", "doses remain", lambda a, b, c: a - b - c), ("The forum had {a} members; {b} were banned, {c} joined.", "members does it have", lambda a, b, c: a - b + c), ("{n} baked {a} rolls, {b} were burnt and thrown away, {c} were eaten.", "rolls are left", lambda a, b, c: a - b - c), ("The warehouse stores {a} tyres in hall one, {b} in hall two and {c} in hall three.", "tyres are stored in all", lambda a, b, c: a + b + c),
           ("The first film lasts {a} minutes, the break {c} and the second film {b}.", "minutes does the evening last", lambda a, b, c: a + b + c), ("In the pond {a} frogs were counted in May; by June {b} had moved away and {c} young ones were seen.", "frogs are there in June", lambda a, b, c: a - b + c), ("A flat costs {a} euros; the buyer has paid {b} euros and gets a grant of {c} euros towards the price.", "euros are still to be paid", lambda a, b, c: a - b - c), ("The field is {a} metres long; {b} metres are mown and {c} metres are left for the bees.", "metres are neither mown nor left for the bees", lambda a, b, c: a - b - c)]
# story with {a}, {b}; what makes yes; the question; the question with the opposite answer
ENOUGH = [("{a} guests are coming. There are {b} chairs.", "Is there a chair for every guest?", "Will a guest have to stand?", 1, 0), ("The recipe needs {a} grams of flour. {n} has {b} grams.", "Does {n} have enough flour?", "Is {n} short of flour?", 1, 0), ("The bus takes {b} people. {a} want to go on it.", "Can all of them go in one bus?", "Is the bus too small for them all?", 1, 0), ("{n} has saved {b} euros and wants a coat for {a} euros.", "Can {n} pay for the coat with the savings?", "Does {n} lack money for the coat?", 1, 0),
          ("The file has {a} MB. The stick has {b} MB free.", "Does the file fit on the stick?", "Is the file too big for the stick?", 1, 0), ("The clinic ordered {b} syringes; {a} are needed today.", "Do the ordered syringes suffice for today?", "Are there fewer syringes than needed today?", 1, 0), ("The trailer may carry {b} kilos. The hay weighs {a} kilos.", "May the hay be carried in one load?", "Is the hay too heavy for one load?", 1, 0), ("{n} has {b} minutes until the train. The walk takes {a} minutes.", "Will {n} be at the station in time?", "Will {n} miss the train?", 1, 0),
          ("The rope is {b} metres long; the well is {a} metres deep.", "Does the rope reach the bottom?", "Is the rope too short?", 1, 0), ("There are {b} textbooks for {a} pupils.", "Does each pupil get a textbook of their own?", "Must some pupils share or go without?", 1, 0), ("{a} tiles are needed for the floor. Two boxes hold {h} and {k} tiles.", "Are the two boxes enough?", "Must more tiles be bought?", 1, 0), ("The crew worked {h} hours on Monday and {k} on Tuesday. The contract asks for {a} hours.", "Has the crew done the hours of the contract?", "Does the crew still owe hours?", 1, 0),
          ("Tickets cost {h} euros for {n} and {k} euros for the children. {n} has {z} euros.", "Can {n} pay for everyone?", "Is {n} short of money?", 0, 1), ("The lift takes {z} kilos. The piano weighs {h} kilos, the two movers {k} together.", "May they all go in one ride?", "Is the load too heavy for one ride?", 0, 1), ("Lunch for the trip costs {h} euros, the bus {k}. The class fund holds {z} euros.", "Does the fund cover the trip?", "Does the trip cost more than the fund holds?", 0, 1), ("The two calves need {h} and {k} litres of milk. The bucket holds {z} litres, filled once.", "Is one bucket enough for both calves?", "Do the calves need more than one bucket?", 0, 1),
          ("The memory limit is {z} MB. One job uses {h} MB, the other {k} MB, at the same time.", "Do both jobs stay within the limit?", "Do the jobs exceed the limit together?", 0, 1), ("The pool may hold {z} people. {h} adults and {k} children are in it.", "Is the number in the pool allowed?", "Are there too many people in the pool?", 0, 1), ("The truck has room for {z} crates. {h} crates of pears and {k} of plums are waiting.", "Does everything fit in one trip?", "Will crates be left behind on one trip?", 0, 1), ("The pupil may miss {z} lessons a year and has missed {h} in spring and {k} in autumn.", "Has the pupil kept to the limit?", "Has the pupil missed more than allowed?", 0, 1)]


def sums(g):
    """Small sums in stories: what is left, is it enough, is a limit kept."""
    n, dress = g.name(), _dress(g)
    form, fits, lacks, _, total = g.pick(ENOUGH)
    h, k = g.rng.randint(6, 60), g.rng.randint(6, 60)
    gap = g.rng.choice([1, 2, 3, 5, 8, 12, 20])

    def tell(good):
        if total:
            return dress([form.format(n=n, h=h, k=k, z=h + k + (gap if good else -min(gap, h + k - 1)))])
        if "{h}" in form:
            return dress([form.format(n=n, h=h, k=k, a=h + k - min(gap, h) if good else h + k + gap)])
        return dress([form.format(n=n, a=h, b=h + gap if good else max(h - gap, 2))])

    s, t = tell(True), tell(False)
    fits, lacks = fits.format(n=n), lacks.format(n=n)
    out = _pair(g, s, t, fits, 0) + _pair(g, t, s, lacks, 1)
    story, asked, work = g.pick(STORIES)
    b_, c = g.rng.randint(2, 30), g.rng.randint(2, 30)
    a = b_ + c + g.rng.randint(3, 60)
    if b_ == c:
        c += 1
    state, asked = dress([story.format(n=n, a=a, b=b_, c=c)]), asked.format(n=n)
    right = work(a, b_, c)
    wrong = sorted({a, b_, c, a + b_ + c, a - b_, a - c, a + b_ - c, a - b_ + c, a - b_ - c, a + b_, right + 1, right - 1, right + 10} - {right})
    wrong = [w for w in wrong if w > 0]
    out += _choose(g, [(state, str(right))], [f"How many {asked}?", f"Work it out: how many {asked}?", f"Which number is right? How many {asked}?"], [str(right), *map(str, g.rng.sample(wrong, g.rng.randint(2, 4)))])
    q = g.pick(["How many {a}? Is {v} right?", "Is the answer {v}? How many {a}?", "Question: how many {a}? Answer: {v}. Is the answer correct?", "Somebody asks how many {a}. Would {v} be right?"])
    out += _twin(g, state, q.format(a=asked, v=right), q.format(a=asked, v=g.rng.choice(wrong)), 2)
    d = g.rng.choice([1, 2, 4, 7])
    q = g.pick(["How many {a}? Is it {w} than {v}?", "Count how many {a}. Is the result {w} than {v}?", "How many {a}: {w} than {v}?", "The question is how many {a}. The number is {w} than {v}."])
    up = g.coin()
    lo, hi = max(right - d, 0), right + d
    yes, no = (lo, hi) if up else (hi, lo)
    return out + _twin(g, state, q.format(a=asked, v=yes, w="more" if up else "less"), q.format(a=asked, v=no, w="more" if up else "less"), 3)


# 8 sources -----------------------------------------------------------------------------------------------------------------

# event; attribute -> (noun, sentence about it, values)
REPORTS = [("the fire in the mill", {"cause": ("the cause", "the cause was {v}", ["a cigarette", "a faulty cable", "lightning", "a hot bearing"]), "hurt": ("the number of people hurt", "{v} people were hurt", ["no", "two", "five", "nine"]), "start": ("the time it broke out", "it broke out {v}", ["at dawn", "at noon", "in the late evening", "shortly after midnight"]), "floor": ("the place where it began", "it began {v}", ["in the cellar", "on the ground floor", "in the attic", "in the engine room"])}),
           ("the outage of the shop system", {"cause": ("the cause", "the cause was {v}", ["a full disk", "a cut cable", "a wrong password", "a bad update"]), "orders": ("the number of lost orders", "{v} orders were lost", ["no", "forty", "two hundred", "a thousand"]), "length": ("the length", "it lasted {v}", ["ten minutes", "an hour", "half a day", "two days"]), "finder": ("who noticed it", "it was noticed by {v}", ["a customer", "the night shift", "a monitor", "the cashier"])}),
           ("the outbreak at the dairy farm", {"disease": ("the disease", "the disease was {v}", ["mastitis", "foot rot", "ringworm", "cattle flu"]), "animals": ("the number of sick animals", "{v} animals fell ill", ["three", "eleven", "thirty", "eighty"]), "origin": ("where it came from", "it was brought in by {v}", ["a new bull", "a visitor", "dirty feed", "the milk lorry"]), "vet": ("the time the vet came", "the vet came {v}", ["the same day", "the next day", "a week later", "after two weeks"])}),
           ("the concert in the quarry", {"crowd": ("the size of the audience", "the audience numbered {v}", ["three hundred", "nine hundred", "two thousand", "five thousand"]), "length": ("the length", "it lasted {v}", ["one hour", "ninety minutes", "two hours", "three hours"]), "last": ("the last piece", "the last piece was {v}", ["a waltz", "a march", "a lullaby", "a tango"]), "weather": ("the weather", "it was {v} throughout", ["raining", "dry", "foggy", "snowing"])}),
           ("the accident on the canal", {"boat": ("the boat that was hit", "{v} was hit", ["a barge", "a rowing boat", "a ferry", "a police boat"]), "hurt": ("the number of people hurt", "{v} people were hurt", ["no", "two", "four", "seven"]), "where": ("the place", "it happened {v}", ["at the lock", "under the iron bridge", "near the mill", "in the old port"]), "cause": ("the cause", "the cause was {v}", ["fog", "a broken rudder", "a sleepy captain", "a strong current"])}),
           ("the move of the school", {"place": ("the new place", "the school moved {v}", ["to the old barracks", "to a former bank", "to the lakeside", "to a new building by the station"]), "pupils": ("the number of pupils", "it has {v} pupils", ["ninety", "two hundred", "four hundred", "seven hundred"]), "cost": ("the cost", "the move cost {v}", ["half a million", "two million", "four million", "nine million"]), "payer": ("who paid", "it was paid for by {v}", ["the town", "the parents", "a foundation", "the state"])}),
           ("the sale of the hotel", {"buyer": ("the buyer", "the buyer was {v}", ["a bank", "a family from Graz", "a cooperative", "an airline"]), "price": ("the price", "the price was {v}", ["three million", "five million", "eight million", "twelve million"]), "staff": ("what happens to the staff", "{v} of the staff will stay", ["all", "half", "none", "a third"]), "plan": ("the plan for the building", "the building will become {v}", ["a clinic", "a hostel", "flats", "a school"])}),
           ("the loss of the pallets", {"number": ("the number of pallets", "{v} pallets were lost", ["four", "a dozen", "twenty", "fifty"]), "where": ("the place", "they were lost {v}", ["at customs", "in the port", "at the depot", "on the motorway"]), "goods": ("the goods", "they held {v}", ["tea", "tyres", "tiles", "toys"]), "finder": ("who reported it", "it was reported by {v}", ["a driver", "the client", "a crane operator", "the insurer"])}),
           ("the match in the rain", {"goals": ("the number of goals", "{v} goals were scored", ["two", "three", "five", "seven"]), "crowd": ("the number of spectators", "{v} spectators came", ["eighty", "three hundred", "a thousand", "six thousand"]), "break": ("the length of the break", "the break lasted {v}", ["ten minutes", "twenty minutes", "half an hour", "an hour"]), "hurt": ("who was hurt", "{v} was hurt", ["the goalkeeper", "the captain", "a linesman", "nobody"])}),
           ("the landing of the balloon", {"where": ("the place", "it came down {v}", ["in a maize field", "on a beach", "in a school yard", "on a glacier"]), "crew": ("the number of people on board", "{v} people were on board", ["two", "three", "four", "six"]), "time": ("the time", "it landed {v}", ["at sunrise", "at noon", "at dusk", "at midnight"]), "cause": ("the cause", "the cause was {v}", ["a lack of gas", "a storm", "a tear", "a sick passenger"])})]
SOURCES = ["the police", "a local paper", "a neighbour", "the official report", "a radio programme", "the insurer", "an eyewitness", "the spokeswoman", "a photographer", "the night porter", "a press agency", "the logbook"]
TOLD = ["According to {s}, {c}.", "{S} said that {c}.", "{S} wrote that {c}.", "{S}: {c}.", "{C}, in the words of {s}.", "If {s} can be trusted, {c}.", "{S} stated that {c}.", "{S} had it that {c}.", "{C}: that is what {s} told us.", "In the account of {s}, {c}."]


def sources(g):
    """Two or three accounts that agree, disagree or are silent on a claim."""
    event, attrs = g.pick(REPORTS)
    names = g.rng.sample(SOURCES, 3)
    x, y, z = g.rng.sample(list(attrs), 3)
    v, w, u = g.rng.sample(attrs[x][2], 3)
    vy, vz = g.pick(attrs[y][2]), g.pick(attrs[z][2])
    say = lambda a, val: attrs[a][1].format(v=val)
    forms, shape = [g.pick(TOLD) for _ in names], g.rng.random()

    def tell(*told):
        """Each source with its clauses; None for a source that is left out."""
        cells = [(n, cs) for n, cs in zip(names, told) if cs]
        if shape < 0.2:
            return {"about": event, "accounts": [{"source": n, "says": cap(g.join(cs)) + "."} for n, cs in cells]}
        if shape < 0.3:
            return "\n".join([f"Subject: {event}", *(f"- {n}: {g.join(cs)}" for n, cs in cells)])
        return " ".join([f"The subject is {event}.", *(f.format(s=n, S=cap(n), c=g.join(cs), C=cap(g.join(cs))) for f, (n, cs) in zip(forms, cells))])

    three = g.coin()
    third = [say(z, vz)] if three else None
    agree, clash = tell([say(x, v)], [say(x, v), say(y, vy)], third), tell([say(x, v)], [say(x, w), say(y, vy)], third)
    against = tell([say(x, w)], [say(x, w), say(y, vy)], third)
    silent = tell([say(y, vy)], [say(y, vy), say(z, vz)] if not three else [say(y, vy)], third)
    noun = attrs[x][0]
    words = g.pick(["Do {a} and {b} agree on {n}?", "Is the same said of {n} by {a} and by {b}?", "Do the accounts of {a} and {b} match as to {n}?", "On {n}, {a} and {b} say the same.", "Are {a} and {b} at one about {n}?"]).format(a=names[0], b=names[1], n=noun)
    out = _pair(g, agree, clash, words, 0)
    claim = cap(say(x, v))
    options = dict(zip(*g.rng.choice([(("supported", "contradicted", "disputed", "not_covered"), ("Every source that speaks of it says so", "Every source that speaks of it says otherwise", "Sources disagree about it", "No source speaks of it")),
                                      (("confirmed", "refuted", "contested", "no_evidence"), ("What is said about it bears it out", "What is said about it goes against it", "Some say so, some say otherwise", "Nothing is said about it")), (("all_for", "all_against", "mixed", "silent"), ("Told so by all who tell of it", "Told otherwise by all who tell of it", "Told both ways", "Told by nobody"))])))
    k, j = g.rng.sample(range(4), 2)
    states = [agree, against, clash, silent]
    out += _choose(g, [(states[i], list(options)[i]) for i in (k, j)], [f"Claim: {claim}. How does it stand with the sources?", f"Check the claim against the sources: {claim}.", f"What do the sources make of this: {claim}?", f"Of {event} somebody says: {claim}. Judge that by the sources."], options, pair=1)
    words = g.pick(["Does {a} say that {c}?", "{A} says that {c}.", "Is this the word of {a}: {c}?", "Can one quote {a} for this: {c}?", "Is it {a} who says so: {c}?"])
    out += _twin(g, clash, words.format(a=names[0], A=cap(names[0]), c=say(x, v)), words.format(a=names[1], A=cap(names[1]), c=say(x, v)), 2)
    words = g.pick(["Is anything said about {n}?", "Does any of the sources speak of {n}?", "{N}: do the sources cover that?", "Do we learn anything of {n}?"])
    out += _pair(g, g.rng.choice([agree, against]), silent, words.format(n=noun, N=cap(noun)), 3)
    ask = [f"Which source says that {say(x, v)}?", f"Who says that {say(x, v)}?", f"Whose account is it that {say(x, v)}?"]
    return out + _choose(g, [(clash, names[0]), (tell([say(x, w)], [say(x, v), say(y, vy)], third), names[1])], ask, names[: 2 + three], pair=4)


# 9 paraphrases -------------------------------------------------------------------------------------------------------------

# renderings of one fact and of the fact changed; {a} {b} people, {t} thing, {p} {q} places, {n} {m} numbers
SAME = [(["{a} gave {b} {t}.", "{b} got {t} from {a}.", "{a} handed {t} over to {b}.", "It was {a} who gave {t} to {b}."], "ab"), (["{a} lent {b} {t}.", "{b} borrowed {t} from {a}.", "{T} was lent to {b} by {a}."], "ab"), (["{a} sold {t} to {b}.", "{b} bought {t} from {a}.", "It was {b} to whom {a} sold {t}."], "ab"), (["{a} is taller than {b}.", "{b} is shorter than {a}.", "Of the two, {a} and {b}, {a} is the taller."], "ab"),
        (["{a} arrived before {b}.", "{b} arrived after {a}.", "When {b} arrived, {a} was already there.", "{b} came later than {a}."], "ab"), (["{a} taught {b} to read.", "{b} learned to read from {a}.", "It was from {a} that {b} learned to read."], "ab"), (["{a} moved from {p} to {q}.", "{a} left {p} and went to live in {q}.", "Formerly of {p}, {a} now lives in {q}."], "pq"), (["The train runs from {p} to {q}.", "The train leaves {p} and ends in {q}.", "{q} is where the train from {p} ends."], "pq"),
        (["{T} cost less than we had expected.", "{T} was cheaper than we had expected.", "The price of {t} was lower than we had expected."], ["{T} cost more than we had expected.", "{T} was dearer than we had expected.", "The price of {t} was higher than we had expected."]), (["The office is closed on Mondays.", "On Mondays the office does not open.", "Monday is a day on which the office is closed."], ["The office is open on Mondays.", "On Mondays the office does not close.", "Monday is a day on which the office is open."]), (["All the pupils passed.", "Not one pupil failed.", "There was no pupil who did not pass."], ["Not all the pupils passed.", "Some pupil failed.", "There was a pupil who did not pass."]),
        (["Few guests stayed.", "Most of the guests left.", "Hardly any guest stayed."], ["Few guests left.", "Most of the guests stayed.", "Hardly any guest left."]), (["{a} forgot to lock {t}.", "{a} did not think of locking {t}.", "{a} should have locked {t}, but it slipped {a}'s mind."], ["{a} remembered to lock {t}.", "{a} did think of locking {t}.", "{a} had to lock {t}, and it did not slip {a}'s mind."]), (["{a} refused to sell {t}.", "{a} would not sell {t}.", "{a} said no when asked to sell {t}."], ["{a} agreed to sell {t}.", "{a} was ready to sell {t}.", "{a} said yes when asked to sell {t}."]),
        (["{T} weighs {n} kilos, {m} more than last year.", "Last year {t} weighed {m} kilos less than the {n} it weighs now.", "At {n} kilos, {t} is up by {m} on last year."], ["{T} weighs {n} kilos, {m} less than last year.", "Last year {t} weighed {m} kilos more than the {n} it weighs now.", "At {n} kilos, {t} is down by {m} on last year."]), (["{a} has {n} goats and {b} has {m}.", "{b} owns {m} goats, {a} owns {n}.", "There are {n} goats of {a}'s and {m} of {b}'s."], "ab"),
        (["It rained, so {a} stayed at home.", "{a} stayed at home because it rained.", "The rain kept {a} at home."], ["It rained, and yet {a} did not stay at home.", "{a} went out although it rained.", "The rain did not keep {a} at home."]), (["Half of the {m2} doses are used up.", "{m} of the {m2} doses are gone.", "Of {m2} doses, {m} have been used."], ["A quarter of the {m4} doses are used up.", "{m} of the {m4} doses are gone.", "Of {m4} doses, {m} have been used."]), (["{a} stopped smoking.", "{a} used to smoke but does not any more.", "{a} gave up smoking."], ["{a} started smoking.", "{a} did not use to smoke but does now.", "{a} took up smoking."]),
        (["Only {a} can open {t}.", "Nobody but {a} can open {t}.", "{T} can be opened by {a} alone."], ["Everybody but {a} can open {t}.", "{T} can be opened by all except {a}.", "{a} is the one person who cannot open {t}."]), (["{a} works in {p} and lives in {q}.", "{a}'s job is in {p}, the home in {q}.", "{q} is home to {a}, whose workplace is in {p}."], "pq"), (["The update must be installed today.", "Installing the update today is a duty.", "It is compulsory to install the update today."], ["The update may be installed today.", "Installing the update today is optional.", "It is allowed, not compulsory, to install the update today."]),
        (["{a} admitted that {t} was broken.", "{a} confessed that {t} was broken.", "That {t} was broken was owned up to by {a}."], ["{a} denied that {t} was broken.", "{a} disputed that {t} was broken.", "{a} would not admit that {t} was broken."]), (["{a} is {b}'s landlord.", "{b} is {a}'s tenant.", "{a} is the one who lets to {b}."], "ab"), (["{a} convinced {b} to stay.", "{b} was talked into staying by {a}.", "Thanks to what {a} said, {b} stayed."], "ab"), (["{a} replaced {b} as head of the ward.", "{b} was followed by {a} as head of the ward.", "{a} took over from {b} as head of the ward."], "ab"),
        (["Prices rose by {n} percent.", "There was an increase of {n} percent in prices.", "Prices are {n} percent higher."], ["Prices fell by {n} percent.", "There was a decrease of {n} percent in prices.", "Prices are {n} percent lower."]), (["The path is too narrow for {t}.", "The path is not wide enough for {t}.", "{T} needs more width than the path has."], ["The path is not too narrow for {t}.", "The path is wide enough for {t}.", "{T} needs no more width than the path has."]), (["The north field yields more than the south field.", "The south field yields less than the north field.", "Of the two, the north field gives more than the south one."], ["The south field yields more than the north field.", "The north field yields less than the south field.", "Of the two, the south field gives more than the north one."]),
        (["{a} visits {p} twice a year.", "{a} goes to {p} every six months.", "Each year {a} makes two visits to {p}."], ["{a} visits {p} every second year.", "{a} goes to {p} every two years.", "In two years {a} makes one visit to {p}."])]


def paraphrase(g):
    """Do two sentences mean the same? The second is worded as before, but of the same or of another fact."""
    forms, change = g.pick(SAME)
    a, c, e = g.rng.sample(b.NAMES, 3)
    p, q = g.rng.sample(b.CITIES, 2)
    n, m = g.rng.sample(range(3, 40), 2)
    t = g.pick([x for x in GOODS if x != "the goat"])
    if any("lock" in f or "open {t}" in f or "can be opened" in f for f in forms):
        t = g.rng.choice(["the gate", "the cellar", "the cabinet", "the chest", "the shed", "the office"])
    elif any("{t} was broken" in f or "weigh" in f for f in forms):
        t = g.rng.choice(["the drill", "the tractor", "the camera", "the projector", "the printer", "the old clock"])
    n = max(n, m + 2) if any("kilos" in f for f in forms) else n
    fill = lambda f, a, c, p, q: f.format(a=a, b=c, t=t, T=cap(t), p=p, q=q, n=n, m=m, m2=2 * m, m4=4 * m)
    same = lambda f: cap(fill(f, a, c, p, q))
    i, j = g.rng.sample(range(len(forms)), 2)
    if isinstance(change, str):
        other = (lambda f: cap(fill(f, c, a, p, q))) if change == "ab" else (lambda f: cap(fill(f, a, c, q, p)))
        changed = forms
    else:
        other, changed = same, change
    near = g.coin(0.4)
    one, yes = same(forms[i]), same(forms[j])
    no = other(changed[i if near else j])
    shape, swap, aside = g.rng.randint(0, 4), g.coin(), g.pick(ASIDES)

    def tell(x, y):
        x, y = (y, x) if swap else (x, y)
        return [{"a": x, "b": y}, f"1. {x}\n2. {y}", f"First sentence: {x} Second sentence: {y}", {"sentences": [x, y]}, f"{e} wrote: \"{x}\" Somebody else wrote: \"{y}\" {aside}"][shape]

    s, z = tell(one, yes), tell(one, no)
    words, again = g.rng.sample(["Do the two sentences mean the same?", "Is one a paraphrase of the other?", "Do both sentences say the same thing?", "Same meaning?", "The two sentences have the same meaning.", "Could one sentence stand in place of the other without a change of sense?", "Do they tell the same fact?", "Are the two sentences equivalent?", "Both say the same, only in other words."], 2)
    denied, denied2 = g.rng.sample(["Do the two sentences differ in meaning?", "Do the sentences say different things?", "The two sentences do not mean the same.", "Is the meaning of the two different?", "Is it wrong to call one a paraphrase of the other?", "The sentences tell different facts."], 2)
    out = _pair(g, s, z, words, 0) if g.coin(0.65) else _pair(g, z, s, denied, 0)
    key = g.rng.choice([{"same": "They mean the same", "different": "They do not mean the same"}, {"paraphrase": None, "not_a_paraphrase": None}, {"equivalent": "The one is true whenever the other is", "not_equivalent": "The one may be true and the other false"}])
    out += _choose(g, [(s, list(key)[0]), (z, list(key)[1])], ["Compare the two sentences.", "How do the sentences relate in meaning?", "What holds for the two sentences?"], key, pair=1)
    pick = [f"Which sentence means the same as this: {one}", f"Pick the paraphrase of: {one}", f"{one} Which of the options says that in other words?"]
    if no != one:
        state = g.rng.choice([f"Sentence: {one}", {"sentence": one}, f"{aside} {one}"])
        wrong = {other(f) for f in changed}
        out += _choose(g, [(state, yes)], ["Which option says the same in other words?", "Pick the paraphrase.", "Which of them means the same as the sentence?"] if g.coin() else pick, {yes: None, **{x: None for x in g.rng.sample(sorted(wrong), g.rng.randint(1, len(wrong)))}})
    at, k = g.rng.choice([(s, True), (z, False)])
    return out + [{**row(g, at, w, v), "criteria": None, "neg": 0} for w, v in ((again, k), (denied2, not k))]


# 10 kind and topic of a text -----------------------------------------------------------------------------------------------

WARES = ["the washing machine", "the boiler", "the ticket machine", "the new catalogue", "the garden shed", "the lawn mower", "the X-ray unit", "the school kitchen", "the delivery van", "the mobile app", "the hen house", "the gym", "the guest room", "the fork-lift truck", "the orchard", "the sound desk"]
WRITING = {
    "request": ("Asks the reader to do something for the writer", ["Could you please send me the key to {x}?", "Would you be so kind as to have a look at {x} for me?", "Please be so good as to reserve {x} for us.", "I should be glad if you could take over {x} while I am away.", "May I ask you to sign for {x} on my behalf?", "Would you mind letting me use {x} on Friday?", "It would help me a lot if you could show my aunt {x}.", "Would you kindly keep {x} free for my brother until ten?"]),
    "complaint": ("Expresses annoyance at something that was done badly", ["It is a disgrace what you have done to {x}.", "I am most dissatisfied with the state of {x}.", "For the third time {x} was left filthy, and nobody cares.", "What you charged for {x} is an outrage.", "I have never seen such poor work as on {x}.", "It is not acceptable that {x} has been useless for weeks.", "We are fed up with the trouble over {x}.", "I am annoyed: {x} is nothing like what I was promised."]),
    "instruction": ("Tells step by step how something is done", ["First switch off {x}, then open the cover and clean the filter.", "To start {x}, turn the knob to the left and hold it for five seconds.", "How to look after {x}: wipe it down, dry it, then oil the hinges.", "Step 1: unplug {x}. Step 2: remove the screws. Step 3: lift the lid.", "Before using {x}, check the seals; afterwards, wipe the surface with a dry cloth.", "Lay the mat in front of {x}, tighten both straps, and press the green button.", "When closing {x}, lock the bolt, hang up the key and note the time.", "Take the brush, dip it into soapy water and scrub {x} from top to bottom."]),
    "invitation": ("Asks people to come to an event", ["Come and celebrate {x} with us on Saturday at six!", "We should be delighted to see you at the opening of {x}.", "You and your family are cordially invited to a party around {x}.", "Join us for cake and music beside {x} on Sunday.", "Be our guest when {x} is unveiled on Friday.", "I am turning forty and would love to have you with me at {x}.", "You are warmly invited to the first evening at {x}; bring a friend.", "We are giving a small feast for {x}. Do come!"]),
    "thanks": ("Expresses gratitude", ["Many thanks for what you did for {x}.", "I am deeply grateful for your help with {x}.", "Thank you ever so much for {x}.", "We cannot thank you enough for saving {x}.", "How kind of you to look after {x}; we are much obliged.", "A big thank-you to all who worked on {x}.", "Your help with {x} meant a great deal to us, thank you.", "I want to say how thankful I am for {x}."]),
    "apology": ("Says sorry for something", ["I am truly sorry that I damaged {x}.", "Please forgive us for the mistake with {x}.", "We apologise for the trouble over {x}.", "I beg your pardon for what I said about {x}.", "It was my fault that {x} was left open, and I regret it.", "Sorry, I should have told you about {x} earlier.", "I feel awful about what happened to {x}; please accept my regrets.", "We regret our error concerning {x} and ask you to excuse it."]),
    "report": ("Tells what happened or what was found, plainly", ["On Monday {x} was inspected; two parts were replaced, and work ended at four.", "In the past month {x} was used by 212 people, eleven more than in the month before.", "The committee met on Tuesday, heard the plans for {x} and adjourned at noon.", "At 9:40 a delivery for {x} arrived. At 10:15 it was unloaded.", "The work on {x} began in March and was completed in June.", "Of twelve tests on {x}, eleven were passed and one was repeated.", "Last year the upkeep of {x} cost 3,100 euros, of which the town paid half.", "During the night the temperature in {x} fell from 19 to 12 degrees."]),
    "question": ("Wants to know something", ["How old is {x}?", "Who was it that designed {x}?", "What did {x} cost at the time?", "Does anyone know when {x} was built?", "What colour is {x} going to be?", "Is {x} the same as the one next door, or a newer type?", "I wonder how much {x} weighs. Does anybody know?", "Why does {x} have two doors?"]),
    "advert": ("Tries to sell something", ["Only this week: {x} at half price! Buy now!", "Looking for a bargain? {X} can be yours for just 199 euros!", "Nothing beats {x}: order today and save thirty percent!", "Treat yourself to {x}! Now at an unbeatable price in all our shops.", "Everybody loves {x}. Get yours before they are gone!", "For sale: {x}, in top condition, at a giveaway price!", "Why pay more? {X}, now with two years of free service! Call today!", "New in our range: {x}. Buy one, get one free!"]),
    "warning": ("Alerts the reader to a danger", ["Keep away from {x}: danger of death!", "Caution! {X} may catch fire at any moment.", "Beware of {x}: it gives electric shocks.", "Do not go near {x}, the roof above it may come down.", "Attention: {x} leaks gas. Risk of explosion!", "Danger: loose parts are falling from {x}.", "Whoever touches {x} risks severe burns.", "Mind {x}! The ground around it is about to give way."])}
ALIKE = {"request": {"question", "invitation", "instruction"}, "question": {"request"}, "instruction": {"warning", "request"}, "warning": {"instruction"}, "invitation": {"request", "advert"}, "advert": {"invitation"}}  # too close to be told apart
TOPICS = {
    "food": ("Cooking and eating", ["The soup needs another pinch of salt.", "She bakes rye bread every Friday.", "The sauce thickens if you stir it slowly.", "We had grilled trout with lemon.", "His pancakes are famous in the family.", "The dough has to rise for an hour.", "Too much garlic spoils the dip."]),
    "travel": ("Journeys and holidays", ["The night ferry takes us to the islands.", "We spent two weeks walking along the coast.", "Her visa came just before departure.", "The hostel in the mountains was fully booked.", "From the airport a shuttle goes to the old town.", "They crossed the desert by jeep.", "Our suitcases were sent on to the next hotel."]),
    "health": ("Illness and medicine", ["The doctor prescribed a stronger ointment.", "His cough has lasted for three weeks.", "The nurse took her blood pressure twice.", "A vaccine protects against measles.", "The sprained ankle has to be cooled.", "She is allergic to pollen.", "The X-ray showed no fracture."]),
    "music": ("Playing and hearing music", ["The cellist tuned her instrument.", "The chorus comes in after eight bars.", "He practises scales on the oboe.", "The quartet plays without a conductor.", "Her new song is in a minor key.", "The drummer keeps the beat.", "The choir sang three encores."]),
    "sport": ("Games and training", ["The goalkeeper saved two penalties.", "She serves better than her opponent.", "Training starts with ten push-ups.", "The referee showed a yellow card.", "They lost the volleyball final in the fifth set.", "He wants to improve his backhand.", "The striker was substituted at half-time."]),
    "money": ("Saving, banks and taxes", ["The bank lowered its interest rate.", "She pays off the loan in monthly instalments.", "Put aside a tenth of your wages.", "The tax office wants the figures by May.", "His shares lost a third of their value.", "A savings account costs no fees.", "The pension went up by two percent."]),
    "gardening": ("Plants and beds", ["The tomatoes need more sun.", "Slugs have eaten the lettuce.", "Cut back the lavender after it has bloomed.", "The compost should be turned every month.", "She planted the bulbs in October.", "The hedge is trimmed twice a year.", "Mulch keeps the beds moist."]),
    "computers": ("Machines, programs and networks", ["The update requires a restart.", "Her laptop no longer finds the network.", "The program crashes when it saves a file.", "A firewall blocks the port.", "He forgot to commit his code.", "The hard disk makes a clicking noise.", "The new browser uses less memory."]),
    "school": ("Lessons, pupils and teachers", ["The teacher handed back the essays.", "The pupils are learning long division.", "Tomorrow there is a test in geography.", "Homework is due on Thursday.", "The headmistress greeted the first-year pupils.", "The class voted for a new speaker.", "The bell rings at the end of the lesson."]),
    "pets": ("Animals in the home", ["The puppy chews on every shoe.", "Our cat brings home a mouse each night.", "The hamster runs in its wheel.", "The parrot has learned a new word.", "The rabbit hutch has to be cleaned.", "Her dog is afraid of thunder.", "The goldfish need a bigger bowl."]),
    "housing": ("Flats, houses and rent", ["The landlord raised the rent again.", "The flat has two bedrooms and a balcony.", "The roof tiles were renewed.", "They signed the lease for three years.", "The walls are thin, one hears the neighbours.", "The attic could be turned into a bedroom.", "The estate agent showed us around."]),
    "clothes": ("Dress and fashion", ["The sleeves of the coat are too long.", "She sews her own skirts.", "Wool jumpers shrink in hot water.", "The tailor took in the trousers.", "Stripes are in fashion this autumn.", "He wears a silk tie to work.", "The boots go well with that dress."]),
    "weather": ("Rain, sun, wind and snow", ["The fog will lift by noon.", "Showers are expected in the west.", "It has not snowed so much for years.", "The wind turns to the north.", "A heat wave is on its way.", "Thunderclouds gathered over the hills.", "The frost lasted until April."])}
ASIDE_OF = {"food": "over a plate of noodles", "travel": "on the train to the coast", "health": "in the waiting room of a doctor", "music": "with a record playing", "sport": "on the way back from tennis", "money": "while queueing at the bank", "gardening": "between two rows of beans", "computers": "on a borrowed laptop", "school": "during a maths lesson", "pets": "with the cat nearby", "housing": "in an empty flat", "clothes": "while ironing shirts", "weather": "in pouring rain"}


def _kind_of_text(g):
    x, y = g.rng.sample(sorted(WRITING), 2)
    ware, n = g.pick(WARES), g.name()
    fill = lambda f: f.format(x=ware, X=cap(ware))
    f = fill(g.pick(WRITING[x][1])), fill(g.pick(WRITING[y][1]))
    more = g.pick(["", "", f"{n}, ground floor", f"Yours, {n}", f"{n}, 4 May", "(Text on a card)", "(From a message of Tuesday)"])
    shape = g.rng.randint(0, 3)
    tell = lambda t: [t, f"{t} {more}".strip(), {"text": t, "language": "en"}, {"from": n, "body": t}][shape]
    s, z = tell(f[0]), tell(f[1])
    close = ALIKE.get(x, set()) | ALIKE.get(y, set())
    others = g.rng.sample([k for k in WRITING if k not in {x, y} | close], g.rng.randint(2, 4))
    word = lambda k: {"thanks": "a note of thanks", "advert": "an advertisement"}.get(k, ("an " if k[0] in "aeiou" else "a ") + k)
    aim = {k: d for k, (d, _) in WRITING.items() if k in (x, y, *others)}
    out = []
    if y not in close:
        out += _pair(g, s, z, g.pick(["Is this {w}?", "The text is {w}.", "Would you call this {w}?", "Is {w} what we have here?", "Was this written as {w}?", "Sort of text: {w}. Right?"]).format(w=word(x)), 0)
        low = g.pick(["Is this the aim of the text: {d}?", "The text does this: {d}.", "Does the text do the following: {d}?", "What the writer is doing: {d}. Is that so?"])
        dn = lambda k: WRITING[k][0][0].lower() + WRITING[k][0][1:]
        out += _twin(g, z, low.format(d=dn(y)), low.format(d=dn(x)), 1)
    asks = ["What kind of text is it?", "What is the aim of the writer?", "Which sort of text is this?", "Sort the text by its kind.", "What does the text do?"]
    if y in close:
        aim.pop(y)
        return _choose(g, [(s, x)], asks, aim)
    return out + _choose(g, [(s, x), (z, y)], asks, aim, pair=2)


def _topic_of_text(g):
    x, y, *rest = g.rng.sample(sorted(TOPICS), g.rng.randint(6, 9))
    n = g.name()
    form = g.rng.randint(0, 4)

    def tell(main, side):
        ss = g.rng.sample(TOPICS[main][1], 2)
        a = ASIDE_OF[side]
        return [f"{ss[0]} {ss[1]} (I write this {a}.)", f"I write this {a}. {ss[0]} {ss[1]}", f"{ss[0]} {ss[1]} ({n} read this out {a}.)", {"text": " ".join(ss), "written": a}, f"{n}, {a}: \"{ss[0]} {ss[1]}\""][form]

    s, z = tell(x, y), tell(y, x)
    d = lambda k: TOPICS[k][0][0].lower() + TOPICS[k][0][1:]
    out = _pair(g, s, z, g.pick(["Is the main topic {x}?", "Is the text mainly about {x}?", "The text deals above all with {x}.", "Does it belong under the heading \"{x}\"?", "Main subject: {d}. Right?", "Is this in the main about {d}?"]).format(x=x, d=d(x)), 0)
    f = g.pick(["Should this be filed under {x}?", "The subject is {x}.", "Is {x} what the text is chiefly about?", "{X} is the main subject here, not a detail."])
    out += _twin(g, z, f.format(x=y, X=cap(y)), f.format(x=x, X=cap(x)), 1)
    return out + _choose(g, [(s, x), (z, y)], ["What is the text mainly about?", "Which topic is the main one?", "Pick the heading under which the text belongs.", "File the text under a topic.", "Main subject?"], {k: TOPICS[k][0] for k in (x, y, *rest)}, pair=2)


def genre(g):
    """The kind, the aim or the main topic of a short text."""
    return (_kind_of_text if g.coin() else _topic_of_text)(g)


# 11 attitudes --------------------------------------------------------------------------------------------------------------

PLANS = ["the new roundabout", "the four-day week", "the school uniform", "the wind farm", "the merger with the clinic in Graz", "the ban on fireworks", "the new logo", "the extra night shift", "the indoor pool", "the open-plan office", "the move to the cloud", "the dog tax", "the street market", "the robot milker", "the rent cap", "the video referee", "the shorter menu", "the wolf reserve", "the tram extension", "the paperless ward"]
# five levels from strongly against to strongly for
VIEWS = [["{n} is dead against {t}.", "{n} will fight {t} tooth and nail.", "{n} hates the very idea of {t}.", "{n} calls {t} the worst idea in years.", "{n} rejects {t} outright.", "{n}: \"Over my dead body! I loathe {t}.\"", "Nothing on earth will make {n} accept {t}."],
         ["{n} leans against {t}, though not firmly.", "{n} would, on balance, rather not have {t}.", "{n} is somewhat sceptical about {t}.", "{n} slightly dislikes {t}.", "{n}: \"If I had to choose, I would rather do without {t}.\"", "{n} has mild objections to {t}."],
         ["{n} cannot decide what to think of {t}.", "{n} sees as much to be said for {t} as against it.", "{n} has no opinion on {t} yet.", "{n} is neither for nor against {t}.", "{n}: \"As to {t}, I have not made up my mind.\"", "{n} is torn about {t} and leans to no side.", "{n} does not care one way or the other about {t}."],
         ["{n} leans towards {t}, with small doubts.", "{n} would, on balance, rather have {t}.", "{n} is moderately in favour of {t}.", "{n} quite likes {t}.", "{n}: \"If I had to choose, I would rather say yes to {t}.\"", "{n} is mildly positive about {t}."],
         ["{n} is wildly in favour of {t}.", "{n} will fight for {t} with all means.", "{n} loves the very idea of {t}.", "{n} calls {t} the best idea in years.", "{n} backs {t} without reserve.", "{n}: \"At long last! I adore {t}.\"", "Nothing would make {n} happier than {t}."]]
SIDES = [["strongly against", "rather against", "undecided", "rather for", "strongly for"], ["firm opponent", "mild opponent", "neutral", "mild supporter", "firm supporter"], ["1: rejects it outright", "2: has some reservations", "3: takes no side", "4: tends to like it", "5: backs it fully"], ["full rejection", "slight rejection", "no leaning", "slight approval", "full approval"]]
THREE = [["against", "undecided", "for"], ["opposed", "on the fence", "in favour"], ["no", "neither yes nor no", "yes"]]
TURNS = ["{n} used to be against {t}; these days {n} is for it.", "{n} was in favour of {t} at first, but is against it now.", "{n} is anything but an opponent of {t}: {n} supports it.", "{n} is anything but a supporter of {t}: {n} opposes it.", "People say {n} is against {t}, but in truth {n} is for it.", "People say {n} is for {t}, but in truth {n} is against it."]


def attitude(g):
    """Who is for a thing, who against it, who has not decided."""
    a, c, d = g.rng.sample(b.NAMES, 3)
    t, t2 = g.rng.sample(PLANS[:-3] if g.split == "train" else PLANS, 2)
    i, j, k = g.rng.sample(range(5), 3)
    if (i > 2) == (j > 2) and 2 not in (i, j):
        j = 4 - i
    turn = g.coin(0.25)
    fa, fc, fd, f2 = g.pick(VIEWS[i]), g.pick(VIEWS[j]), g.pick(VIEWS[k]), g.pick(VIEWS[4 - i])
    if turn:
        fa, fc, i, j = (TURNS[0], TURNS[1], 4, 0) if (way := g.rng.randint(0, 2)) == 0 else (TURNS[2 * way], TURNS[2 * way + 1], 4, 0)
        if g.coin():
            fa, fc, i, j = fc, fa, j, i
    three, dress = g.coin() and not turn, _dress(g, False)
    say = lambda f, n, t: f.format(n=n, t=t)
    aside = [say(f2, a, t2), say(g.pick(VIEWS[i]), c, t2)] if g.coin(0.3) and i != 2 and not turn else []
    flip = g.coin()

    def tell(x, y):
        told = [say(fa, x, t), say(fc, y, t), *([say(fd, d, t)] if three else [])]
        return dress(told[::-1] + aside if flip else aside + told)

    s, z = tell(a, c), tell(c, a)
    side = lambda v: 0 if v < 2 else 1 if v == 2 else 2
    wants = [["Is {n} against {t}?", "{n} opposes {t}.", "Would {n} vote no on {t}?", "Is {n} an opponent of {t}?", "{n} would rather not see {t}."], ["Is {n} undecided about {t}?", "{n} takes no side on {t}.", "Is {n} neither for nor against {t}?", "{n} has no leaning as to {t}."],
             ["Is {n} for {t}?", "{n} supports {t}.", "Does {n} have a good opinion of {t}?", "Would {n} vote yes on {t}?", "Is {n} a supporter of {t}?", "{n} would rather see {t} come."]]
    mild = [["Is {n} more against {t} than for it?", "{n} would rather not have {t}.", "Is {n}'s view of {t} more negative than positive?", "{n} tends to say no to {t}."], wants[1], ["Is {n} more for {t} than against it?", "{n} would rather have {t}.", "Is {n}'s view of {t} more positive than negative?", "{n} tends to say yes to {t}."]]
    asks = lambda v: g.pick((mild if v in (1, 3) or g.coin(0.3) and not turn else wants)[side(v)])
    ask = asks(i)
    out = _pair(g, s, z, say(ask, a, t), 0)
    ask = asks(j)
    out += _twin(g, z, say(ask, a, t), say(ask, c, t), 1)
    own = g.rng.choice([["against it or leaning against it", "without a leaning", "for it or leaning towards it"], ["more against than for", "on neither side", "more for than against"]] if {i, j} & {1, 3} else THREE)
    out += _choose(g, [(s, own[side(i)]), (z, own[side(j)])], [f"What does {a} think of {t}?", f"On which side is {a} as to {t}?", f"Where does {a} stand on {t}?", f"{a} on {t}?"], own, pair=2)
    if not turn:
        names, fall, words = g.rng.choice(SIDES), g.coin(0.3), g.pick(["How does {n} feel about {t}?", "Rate {n}'s attitude to {t}.", "To what degree is {n} for {t}?", "Where does {n} stand on {t}?"])
        for x, v in ((s, i), (z, j)):
            out.append({**scale(g, x, [say(words, a, t)], names[::-1] if fall else names, 4 - v if fall else v, reverse=0), "pair": 3})
    sides = [side(i), side(j), *([side(k)] if three else [])]
    if sides.count(side(i)) == 1:
        what = ["rather against than for", "undecided about", "rather for than against"][side(i)]
        out += _choose(g, [(s, a), (z, c)], [f"Who is {what} {t}?", f"Which of them is {what} {t}?", f"Name the one who is {what} {t}."], [a, c, *([d] if three else [])], pair=4)
    return out


# 12 passages ---------------------------------------------------------------------------------------------------------------

# kind; beginnings and ends of names; attribute -> (question, sentence, values)
WORLDS = [("town", ["Tal", "Bren", "Osk", "Mir", "Vel", "Dun"], ["mora", "wick", "ara", "stedt", "inno", "hollow"], {"river": ("On which river does {n} lie?", "{n} lies on the river {v}.", ["Esk", "Orm", "Sill", "Vara", "Tone"]), "founded": ("When was {n} founded?", "{n} was founded in {v}.", ["1142", "1268", "1391", "1504", "1677"]), "inhabitants": ("How many people live in {n}?", "{n} has {v} inhabitants.", ["4,200", "9,800", "17,500", "31,000", "66,000"]),
            "lives_on": ("What does {n} live on?", "The people of {n} live mainly on {v}.", ["glass-making", "fishing", "tourism", "paper mills", "cheese"]), "festival_month": ("When is the town festival of {n}?", "The town festival of {n} is held in {v}.", ["May", "July", "September", "October", "December"]), "coat_of_arms": ("What does the coat of arms of {n} show?", "The coat of arms of {n} shows {v}.", ["a heron", "a key", "three stars", "a plough", "an otter"]), "railway_year": ("In which year did {n} get its railway?", "The railway reached {n} in {v}.", ["1856", "1869", "1883", "1902", "1911"])}),
          ("animal", ["lesser ", "spotted ", "northern ", "crested ", "grey "], ["murl", "tavin", "oskra", "pellow", "drennet"], {"eats": ("What does {n} eat?", "{n} feeds on {v}.", ["snails", "pine seeds", "moths", "river weeds", "fallen fruit"]), "length": ("How long is {n}?", "{n} grows to a length of {v}.", ["12 cm", "25 cm", "40 cm", "70 cm", "110 cm"]), "habitat": ("Where does {n} live?", "{n} lives in {v}.", ["salt marshes", "mountain forests", "caves", "dry grassland", "reed beds"]),
            "young_a_year": ("How many young does {n} have a year?", "{n} has {v} young a year.", ["one", "two", "four", "six", "nine"]), "hunted_by": ("Which animal hunts {n}?", "{n} is hunted by {v}.", ["owls", "foxes", "snakes", "eagles", "martens"]), "tail_colour": ("What colour is the tail of {n}?", "The tail of {n} is {v}.", ["rust red", "white", "pale yellow", "black", "striped"]), "lifespan": ("How old does {n} get?", "{n} lives for about {v}.", ["3 years", "7 years", "15 years", "24 years", "40 years"])}),
          ("device", ["Luma", "Korva", "Tessel", "Nubo", "Vanta"], [" 2", " Mini", " S9", " Pro", " Air"], {"weight": ("How much does {n} weigh?", "{n} weighs {v}.", ["180 g", "340 g", "520 g", "1.2 kg", "2.8 kg"]), "battery": ("How long does the battery of {n} last?", "The battery of {n} lasts {v}.", ["6 hours", "11 hours", "20 hours", "3 days", "2 weeks"]), "price": ("What does {n} cost?", "{n} costs {v}.", ["49 euros", "120 euros", "299 euros", "650 euros", "1,400 euros"]), "use": ("What is {n} made for?", "{n} was made for {v}.", ["measuring noise", "scanning labels", "reading to children", "tracking cattle", "checking pulses"]),
            "made_by": ("Who makes {n}?", "{n} is made by {v}.", ["Arlen & Sons", "Fjell Systems", "Pomona", "Tarkwa Works", "Quellon"]), "case_material": ("What is the case of {n} made of?", "The case of {n} is made of {v}.", ["aluminium", "bamboo", "rubber", "recycled plastic", "steel"]), "came_out_in": ("When did {n} come out?", "{n} came out in {v}.", ["2009", "2013", "2016", "2019", "2022"])}),
          ("plant", ["marsh ", "golden ", "creeping ", "dwarf ", "winter "], ["selwort", "ambery", "fenlily", "torrel", "quillbush"], {"blooms_in": ("When does {n} bloom?", "{n} blooms in {v}.", ["February", "April", "June", "August", "November"]), "height": ("How tall does {n} get?", "{n} gets {v} tall.", ["8 cm", "30 cm", "60 cm", "1 m", "3 m"]), "flower_colour": ("What colour are the flowers of {n}?", "The flowers of {n} are {v}.", ["violet", "white", "orange", "pale green", "crimson"]), "soil": ("What soil does {n} need?", "{n} needs {v}.", ["sandy soil", "clay", "peat", "chalky soil", "gravel"]),
            "use": ("What is {n} used for?", "{n} is used for {v}.", ["dyeing wool", "easing coughs", "flavouring tea", "weaving mats", "keeping moths away"]), "comes_from": ("Where does {n} come from?", "{n} comes originally from {v}.", ["Chile", "Georgia", "Iceland", "Laos", "Morocco"]), "pollinated_by": ("Who pollinates {n}?", "{n} is pollinated by {v}.", ["bumblebees", "moths", "hoverflies", "bats", "beetles"])}),
          ("ship", ["Merry ", "Silver ", "Bold ", "Good ", "Old "], ["Hanna", "Dolphin", "Margaret", "Comet", "Otter"], {"built": ("In which year was {n} built?", "{n} was built in {v}.", ["1788", "1821", "1864", "1897", "1926"]), "cargo": ("What did {n} carry?", "{n} carried {v}.", ["salt", "timber", "tea", "coal", "wine"]), "length": ("How long is {n}?", "{n} is {v} long.", ["18 m", "27 m", "41 m", "63 m", "95 m"]), "home_port": ("What is the home port of {n}?", "The home port of {n} is {v}.", ["Cork", "Porto", "Riga", "Bergen", "Accra"]),
            "first_captain": ("Who was the first captain of {n}?", "The first captain of {n} was {v}.", ["Ida Brandt", "Tom Carey", "Luis Prado", "Ewa Malik", "Sven Holt"]), "masts": ("How many masts does {n} have?", "{n} has {v} masts.", ["one", "two", "three", "four", "five"]), "used_today_as": ("What is {n} used as today?", "Today {n} is used as {v}.", ["a museum", "a hotel", "a school ship", "a restaurant", "a film set"])}),
          ("clinic", ["St Alda ", "Linden ", "Harbour ", "Hilltop ", "Rosefield "], ["Clinic", "Hospital", "Infirmary", "Sanatorium", "Medical Centre"], {"beds": ("How many beds does {n} have?", "{n} has {v} beds.", ["24", "60", "115", "240", "480"]), "known_for": ("What is {n} known for?", "{n} is known for {v}.", ["heart surgery", "eye care", "burns", "sleep medicine", "hand surgery"]), "headed_by": ("Who heads {n}?", "{n} is headed by {v}.", ["Dr Amsel", "Dr Okoro", "Dr Vidal", "Dr Lindqvist", "Dr Rahman"]), "opened": ("When did {n} open?", "{n} opened in {v}.", ["1871", "1909", "1934", "1968", "1995"]),
            "belongs_to": ("Who owns {n}?", "{n} belongs to {v}.", ["the town", "a foundation", "the university", "a church", "its doctors"]), "on_the_roof": ("What is on the roof of {n}?", "On the roof of {n} there is {v}.", ["a garden", "a helipad", "a sundial", "a weather station", "a café"]), "heated_with": ("How is {n} heated?", "{n} is heated with {v}.", ["wood chips", "gas", "waste heat", "solar power", "oil"])})]
UNTOLD = [("not_stated", "The passage does not tell"), ("not stated", None), ("unknown", "It cannot be known from the passage"), ("the passage does not say", None), ("no_answer", "There is no answer in the passage")]


def passages(g):
    """One fact out of a short passage on one or two invented things; sometimes it is not there."""
    kind, heads, tails, attrs = g.pick(WORLDS)
    the = "the " if kind in ("animal", "plant", "ship", "clinic") else ""
    h, t = g.rng.sample(heads, 2), g.rng.sample(tails, 2)
    n, m = the + h[0] + t[0], the + h[1] + t[1]
    size = g.rng.randint(4, 5)
    keys = g.rng.sample(list(attrs), size)
    told = keys[:-1]
    x, gone = g.rng.choice(told), keys[-1]
    two = g.coin(0.65)
    mine, theirs = ({}, {})
    for k in keys:
        mine[k], theirs[k] = g.rng.sample(attrs[k][2], 2)
    theirs_told = [k for k in g.rng.sample(keys, len(keys)) if k in (x, gone)] + g.rng.sample([k for k in told if k != x], 1)
    order_a, order_b = g.rng.sample(told, len(told)), g.rng.sample(theirs_told, len(theirs_told))
    shape, first = g.rng.random(), g.coin()

    short = {k for k in keys if g.coin(0.4)}

    def about(name, keys, facts):
        return " ".join(cap(attrs[k][1].format(n="it" if i and k in short and attrs[k][1].startswith("{n} ") else name, v=facts[k])) for i, k in enumerate(keys))

    def tell(p, q, keys_p=order_a, keys_q=order_b):
        if shape < 0.15:
            record = {name: {k: facts[k] for k in ks} for name, ks, facts in ((n, keys_p, p), (m, keys_q, q)) if two or name == n}
            return record
        parts = [about(n, keys_p, p), *([about(m, keys_q, q)] if two else [])]
        return ("\n" if shape < 0.4 else " ").join(parts if first else parts[::-1])

    swapped_m, swapped_t = {**mine, x: theirs[x]}, {**theirs, x: mine[x]}
    s, z = tell(mine, theirs), tell(swapped_m, swapped_t)
    q = attrs[x][0].format(n=n)
    spare = [v for v in attrs[x][2] if v not in (mine[x], theirs[x])]
    clause = cap(attrs[x][1].format(n=n, v=mine[x]))
    yesno = g.pick(["Does the passage say this: {c}", "Is this right, going by the passage? {c}", "{c}", "True or false: {c}", "{q} Is the answer \"{v}\"?", "{q} {V}: is that right?", "Check this against the passage: {c}"])
    fill = lambda v: yesno.format(c=cap(attrs[x][1].format(n=n, v=v)), q=q, v=v, V=cap(v))
    out = _pair(g, s, z, fill(mine[x]), 0) + (_twin(g, z, fill(theirs[x]), fill(mine[x]), 1) if g.coin() else [])
    asks = [q, q, f"{q} Answer from the passage.", f"Fill in: {attrs[x][1].format(n=n, v='____')}", f"Complete the sentence: {cap(attrs[x][1].format(n=n, v='...'))}"]
    key, words = g.rng.choice(UNTOLD)
    options = {mine[x]: None, theirs[x]: None, **{v: None for v in g.rng.sample(spare, g.rng.randint(0, 2))}}
    if g.coin(0.4):
        options[mine[g.rng.choice([k for k in told if k != x])]] = None
    if g.coin():
        options[key] = words
    out += _choose(g, [(s, mine[x]), (z, theirs[x])], asks, options, pair=2)
    drop = g.rng.choice([k for k in told if k != x])
    with_it = tell(mine, theirs, [gone if k == drop else k for k in order_a])
    q = attrs[gone][0].format(n=n)
    options = {mine[gone]: None, theirs[gone]: None, **{v: None for v in g.rng.sample([v for v in attrs[gone][2] if v not in (mine[gone], theirs[gone])], g.rng.randint(0, 1))}, key: words}
    out += _choose(g, [(with_it, mine[gone]), (s, key)], [q, f"{q} If it is not told, say so.", f"{q} Go by the passage alone."], options, pair=3)
    words = g.pick(["Does the passage answer this: {q}", "Can this be answered from the passage? {q}", "Is there an answer in the passage to the question: {q}", "{q} Does the text tell?", "The passage tells the answer to this: {q}"])
    out += _pair(g, with_it, s, words.format(q=q), 4)
    if two:
        which = g.pick(["Of which is this said: {c}?", "Which of the two is meant? {c}.", "To which of them does this apply: {c}?"]).format(c=cap(attrs[x][1].format(n="it", v=mine[x])).rstrip("."))
        out += _choose(g, [(s, n), (z, m)], [which], [n, m], pair=5)
    return out


FAMILIES = {f.__name__: f for f in (entailment, roles, reference, causes, sequence, chains, sums, sources, paraphrase, genre, attitude, passages)}
