"""Adequacy of an answer, intents beside a distractor, sarcasm, and options of which none fits.

Held out whole (see `held1.py`): mails that must answer several requests, callers who mention what others wanted, and things to sort where no shelf fits.
"""
import banks as b
from clauses import Clause, ask_both, ask_pair, pick_one, scale, wrap

# what is asked -> facts by slot: (question part, answer part, something on the topic that does not answer)
SLOTS = {
    "price": (["what does {x} cost", "how much is {x}", "what is the price of {x}"], ["It costs {n} euros.", "The price is {n} euros.", "{n} euros."], ["Prices are on our website.", "We have fair prices.", "It is not expensive."]),
    "time": (["when does {x} start", "at what time does {x} begin", "what time is {x}"], ["It starts at {h} o'clock.", "At {h}.", "The beginning is at {h} o'clock."], ["It always starts on time.", "Please be early.", "The time will be announced."]),
    "place": (["where is {x}", "where does {x} take place", "in which place is {x}"], ["It is in {c}.", "You find it in {c}.", "In the hall in {c}."], ["It is a lovely place.", "It is easy to reach.", "You will get a map."]),
    "length": (["how long does {x} take", "how long is {x}"], ["It takes {n} minutes.", "About {n} minutes.", "It lasts {n} minutes."], ["It is worth the time.", "It will not be boring.", "That depends."]),
    "person": (["who leads {x}", "who is in charge of {x}"], ["{p} leads it.", "{p} is in charge.", "That would be {p}."], ["We have experienced people.", "A very nice colleague.", "You will be introduced."]),
    "limit": (["how many people can join {x}", "how many places does {x} have"], ["There are {n} places.", "Up to {n} people can join.", "{n} people at most."], ["Everyone is welcome to ask.", "It is rather popular.", "Many people like it."]),
    "bring": (["what should I bring to {x}", "what do I need for {x}"], ["Bring {o}.", "You need {o}.", "Please come with {o}."], ["Bring good spirits.", "We look after everything important.", "You will see."]),
    "language": (["in which language is {x}", "what language is spoken at {x}"], ["It is held in {l}.", "The language is {l}.", "Everything is in {l}."], ["Everyone will understand.", "We speak slowly.", "Languages are no problem."]),
}
THINGS = ["the workshop", "the city tour", "the cooking class", "the yoga hour", "the concert", "the guided walk", "the repair course", "the first-aid course", "the tasting", "the boat trip", "the lecture", "the exhibition tour", "the chess club", "the choir"]
EMPTY = ["Thank you for your message.", "We are glad that you ask!", "Please contact our office.", "That is a very good question.", "I will pass this on.", "I am not sure, sorry.", "Have a nice day!", "Our team will be in touch soon.", "Let me look into that and come back to you."]
ADEQUATE = [["does not answer", "answers in part", "answers everything"], ["no answer", "half an answer", "full answer"], ["The reply leaves the question open", "One part is answered, another is not", "Every part is answered"], ["inadequate", "partly adequate", "adequate"],
            ["0: off the point", "1: incomplete", "2: complete"], ["misses the question", "covers some of it", "covers all of it"]]


def fill(g, text, x):
    return text.format(x=x, n=g.rng.randint(4, 95), h=g.rng.randint(8, 20), c=g.pick(b.CITIES), p=g.name(), o=g.pick(["a towel", "warm clothes", "your own cup", "a passport", "a pen", "old shoes", "a laptop"]), l=g.pick(["English", "Polish", "Greek", "Danish"]))


def reply(g):
    """Does the reply answer what was asked: all of it, a part, nothing?"""
    x, n = g.pick(THINGS), g.rng.choice([1, 1, 2, 2, 3])
    slots = g.rng.sample(list(SLOTS), n + 1)
    asked, off = slots[:n], slots[n]
    q = " and ".join(fill(g, g.pick(SLOTS[s][0]), x) for s in asked)
    question = g.pick(["{Q}?", "Hello, {q}?", "Could you tell me {q}?", "Hi! {Q}? Thanks.", "I have a question: {q}?"]).format(q=q, Q=q[:1].upper() + q[1:])
    good = {s: fill(g, g.pick(SLOTS[s][1]), x) for s in asked}

    def answer(level):
        if level == 2:
            parts = list(good.values())
        elif level == 1:
            kept = g.rng.sample(asked, g.rng.randint(1, n - 1))
            parts = [good[s] for s in asked if s in kept] + ([g.pick(SLOTS[s][2]) for s in asked if s not in kept] if g.coin(0.6) else [])
        else:
            parts = g.rng.choice([[g.pick(EMPTY)], [g.pick(SLOTS[s][2]) for s in asked], [fill(g, g.pick(SLOTS[off][1]), x)], [g.pick(EMPTY), fill(g, g.pick(SLOTS[off][1]), x)]])
        return " ".join(([g.pick(["Hello!", "Thanks for asking.", "Sure."])] if g.coin(0.25) else []) + parts)

    shape = g.rng.randint(0, 2)
    tell = lambda r: [{"question": question, "answer": r}, f"Question: {question}\nReply: {r}", [{"role": "customer", "text": question}, {"role": "agent", "text": r}]][shape]
    full, bad = tell(answer(2)), tell(answer(0 if n == 1 or g.coin() else 1))
    out = ask_pair(g, full, bad, g.rng.choice([Clause("the reply", "does", "answer everything that was asked", "answers everything that was asked"), Clause("the question", "is", "fully answered"), Clause("the reply", "does", "give all that was asked for", "gives all that was asked for")]))
    level = g.rng.randint(0, 2) if n > 1 else g.rng.choice([0, 2])
    names = g.pick(ADEQUATE)
    out.append(scale(g, tell(answer(level)), ["How well does the reply answer the question?", "Rate the answer.", "How adequate is the answer?", "How complete is the reply?"], names, level))
    nothing = answer(0)
    out += ask_both(g, tell(nothing), Clause("the reply", "does", "answer the question", "answers the question"), False)
    if g.coin(0.4):
        options = {k: v for k, v in zip("abcd", [answer(2), answer(0), answer(0), answer(1 if n > 1 else 0)])}
        keys = list(options)
        g.rng.shuffle(keys)
        texts = dict(zip(keys, options.values()))
        if len(set(texts.values())) == 4:
            out.append(pick_one(g, question, ["Which reply answers the question best?", "Pick the best answer.", "Which answer gives what was asked?"], texts, keys[0], bare=0))
    return out


# topic -> (description, as a wish, as something past or somebody else's)
INTENTS = {
    "invoice": ("Bills and receipts", "I need a copy of my bill", "the bill"), "delivery": ("Where a parcel is", "I would like to know where my parcel is", "the parcel"), "password": ("Signing in", "I cannot sign in", "the password"),
    "opening_hours": ("When the shop is open", "I want to know until when you are open", "your opening hours"), "job": ("Applying for work", "I want to apply for a job", "the job"), "repair": ("Broken devices", "my machine has to be repaired", "the repair"),
    "address_change": ("A new address", "I have moved and my address must be changed", "my address"), "cancellation": ("Ending a contract", "I wish to end my contract", "ending the contract"), "booking": ("Reserving a table or room", "I would like to reserve a table", "the reservation"),
    "complaint": ("Unhappy about staff", "I want to complain about the rude driver", "the rude driver"), "donation": ("Giving money to a cause", "I would like to give money to your cause", "my donation"), "parking": ("Where to park", "I need a place to park", "the parking place"),
    "lost_property": ("Things left behind", "I left my umbrella with you", "the umbrella"), "insurance": ("Cover for damage", "I want to insure my bicycle", "the insurance"), "warranty": ("Faults within the guarantee period", "I want to use my guarantee", "the guarantee"),
    "membership": ("Joining the club", "I would like to become a member", "the membership"), "voucher": ("Gift vouchers", "I want to buy a gift voucher", "the voucher"), "language_course": ("Learning a language", "I want to learn Spanish with you", "the Spanish course"),
}
MIXED = ["Last week it was about {o}; that is settled. Today {w}.", "{W}. (The matter of {o} is solved, thank you.)", "Thanks for your help with {o}. Now {w}.", "This is not about {o}: {w}.", "My sister wrote to you about {o}. As for me, {w}.", "Your reply was all about {o}, but {w}.",
         "I do not mean {o}. {W}.", "Before you ask, {o} is fine. {W}.", "I was sent to the people for {o}, yet {w}.", "Everyone talks about {o} these days. {W}.", "Please ignore my earlier mail on {o}. {W}.", "{W}, and no, this has nothing to do with {o}."]


def distractor(g):
    """The intent is one thing, another one is only mentioned."""
    x, y, *rest = g.rng.sample(list(INTENTS), 6)
    form = g.pick(MIXED)
    cap = lambda t: t[:1].upper() + t[1:]
    tell = lambda w, o: form.format(w=INTENTS[w][1], W=cap(INTENTS[w][1]), o=INTENTS[o][2])
    a, c = tell(x, y), tell(y, x)
    options = {k: INTENTS[k][0] for k in [x, y, *rest[: g.rng.randint(0, 4)]]}
    qs = ["What does the writer want today?", "Pick the intent.", "Which topic is the message really about?", "Route the message.", "Which team should get this?", "What is the request?"]
    bare = g.coin(0.35)
    out = [pick_one(g, s, qs, {k: None if bare else v for k, v in options.items()}, k, bare=0, pair=0) for s, k in ((wrap(g, a), x), (c, y))]
    if g.coin(0.2):
        left = {k: v for k, v in options.items() if k != x}
        out.append(pick_one(g, a, qs, {**left, "none_of_these": "None of the other options"}, "none_of_these"))
    about = lambda k: Clause("the writer", "is", f"asking for help with this: {INTENTS[k][0].lower()}")
    words = g.pick(["Is the request about this: {}?", "The writer asks about this: {}.", "Should the message go to the team for \"{}\"?", "Does the writer want something that belongs to \"{}\"?"])
    out += [{"state": a, "type": "noul", "instructions": words.format(INTENTS[k][0].lower()), "criteria": None, "label": k == x, "pair": 1} for k in (x, y)]
    return out + ask_both(g, a, about(y), False)


BAD = ["the train was two hours late", "my soup was cold", "the phone died after a day", "it rained into the tent", "the queue took all morning", "the update deleted my notes", "the wifi failed in every meeting", "the neighbour drilled at six", "the parcel came crushed", "they lost my luggage",
       "the heating broke in January", "the app crashed again", "my seat was wet", "the guide forgot us", "the paint came off"]
GOOD = ["the train was on time", "my soup was delicious", "the phone lasts for days", "the tent stayed dry", "there was no queue", "the update found my lost notes", "the wifi held all day", "the neighbour brought cake", "the parcel came a day early", "they carried my luggage", "the heating is wonderfully warm", "the app is faster now",
        "my seat was by the window", "the guide was patient with us", "the paint looks like new"]
PRAISE = ["Great, just great: {x}.", "Oh wonderful, {x}.", "Well done, {x}.", "Lovely! {X}.", "Fantastic, {x}.", "How nice: {x}.", "Brilliant work, {x}.", "Exactly what I hoped for: {x}.", "Thanks a lot, {x}.", "My day is complete, {x}.", "{X}. I am thrilled.", "{X}. What a treat."]


def sarcasm(g):
    """The same praise over good and over bad news."""
    i = g.rng.randrange(len(BAD)) if g.split != "train" else g.rng.randrange(len(BAD) - 2)
    form = g.pick(PRAISE)
    make = lambda t: form.format(x=t, X=t[:1].upper() + t[1:])
    bad, good = make(BAD[i]), make(GOOD[i])
    clause = g.rng.choice([Clause("the writer", "is", "sarcastic"), Clause("the praise", "is", "ironic"), Clause("the writer", "is", "unhappy about it")])
    out = ask_pair(g, wrap(g, bad), good, clause)
    out += ask_both(g, bad, Clause("the writer", "is", "pleased"), False, 0, Clause("the writer", "is", "annoyed"))
    if g.coin(0.6):
        out += [pick_one(g, s, ["How is this meant?", "What is the tone?", "Is the praise meant?"], {"sincere": "Meant as it is said", "sarcastic": "The opposite is meant"}, k, pair=1) for s, k in ((bad, "sarcastic"), (good, "sincere"))]
    if g.coin(0.5):
        names = g.pick([["unhappy", "neutral", "happy"], ["negative: the writer is displeased", "neutral: neither", "positive: the writer is pleased"], ["bad experience", "mixed", "good experience"]])
        out.append(scale(g, *((bad, ["How does the writer feel?", "Rate the experience."], names, 0) if g.coin() else (good, ["How does the writer feel?", "Rate the experience."], names, 2))))
    return out


KINDS = {"fruit": ["apple", "plum", "mango", "cherry", "grape"], "tool": ["hammer", "saw", "wrench", "drill", "chisel"], "animal": ["otter", "goat", "heron", "lynx", "mole"], "vehicle": ["tram", "bicycle", "lorry", "ferry", "scooter"], "clothing": ["scarf", "jacket", "glove", "sock", "skirt"],
         "instrument": ["cello", "flute", "drum", "harp", "trumpet"], "furniture": ["sofa", "wardrobe", "stool", "desk", "shelf"], "drink": ["tea", "lemonade", "milk", "cider", "cocoa"], "profession": ["nurse", "mason", "pilot", "tailor", "judge"], "metal": ["copper", "iron", "tin", "zinc", "silver"],
         "sport": ["rowing", "tennis", "fencing", "rugby", "judo"], "weather": ["hail", "fog", "drizzle", "thunder", "frost"], "tree": ["oak", "birch", "willow", "maple", "larch"], "building": ["chapel", "barn", "castle", "warehouse", "tower"]}
NONES = [("none_of_these", "None of the other options"), ("other", None), ("none", "No option fits"), ("something_else", "Something that is not listed"), ("not_listed", None), ("neither", "None of them"), ("unclassified", "Does not belong to any of the others")]


def nothing_fits(g):
    """Sorting of things and messages where the right place may be missing."""
    missing = g.coin(0.45)
    key, words = g.pick(NONES)
    if g.coin():
        kind = g.rng.choice(list(KINDS))
        state, title = g.pick(KINDS[kind]), g.pick(["What kind of thing is it?", "Sort it.", "Which group does it belong to?", "Pick the category."])
        others = {k: None for k in g.rng.sample([k for k in KINDS if k != kind], g.rng.randint(2, 5))}
        right = {kind: None}
    else:
        kind = g.rng.choice(list(INTENTS))
        state, title = g.pick(["{}.", "Hello, {}.", "{}, please help."]).format(INTENTS[kind][1]), g.pick(["Which topic fits?", "Route the message.", "What is it about?"])
        others = {k: INTENTS[k][0] for k in g.rng.sample([k for k in INTENTS if k != kind], g.rng.randint(2, 5))}
        right = {kind: INTENTS[kind][0]}
    full, empty = {**others, **right, key: words}, {**others, key: words}
    out = [pick_one(g, state, [title], full, kind, pair=0), pick_one(g, state, [title], empty, key, pair=0)]
    names = ", ".join(list((others if missing else {**others, **right})))
    return out + [{"state": state, "type": "noul", "instructions": g.pick(["Does it belong to one of these: {}?", "One of these fits: {}.", "Is it covered by this list: {}?"]).format(names.replace("_", " ")), "criteria": None, "label": not missing}]


FAMILIES = {f.__name__: f for f in (reply, distractor, sarcasm, nothing_fits)}
