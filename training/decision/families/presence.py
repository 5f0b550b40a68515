"""What is there and what is not, what holds now, what changed, and who wins: each said as plainly as can be, in few words.

The easy steps below `completeness.py` and `conclusions.py`. Every yes/no question is asked of two states that
differ in a word, a value or a sentence, so that only that difference gives the answer. Contests by finishing time are left out,
as they are held out (see `values.py`).
"""
import banks as b
from clauses import Clause, ask_pair, cap
from .completeness import mixed, some
from .customer_messages import two, twin


def _either(g, yes, no, clause, questions, pair, denied=None):
    """One wording on two states: of the clause, or one of the questions, which stand with the answer of the first state."""
    return ask_pair(g, yes, no, clause, pair, denied) if g.coin() else two(g, yes, no, questions, pair)


def _told(g, bare=False):
    """How sentences are told: a function of the list. `bare` adds neither names nor times."""
    shape, key = g.rng.randint(0, 6 if bare else 9), g.rng.choice(["text", "note", "message", "entry"])
    who, at, step, slug = some(g, b.NAMES, 2), g.rng.randint(400, 900), g.rng.randint(1, 20), g.rng.choice(["- ", "* ", "> "])
    clock = lambda i: f"{(at + i * step) // 60:02d}:{(at + i * step) % 60:02d}"
    return lambda xs: [lambda: " ".join(xs), lambda: " ".join(xs), lambda: "\n".join(xs), lambda: "\n".join(slug + x for x in xs), lambda: {key: " ".join(xs)},
        lambda: {key + "s": xs}, lambda: xs, lambda: "\n".join(f"{who[i % 2]}: {x}" for i, x in enumerate(xs)), lambda: "\n".join(f"{clock(i)} {x}" for i, x in enumerate(xs)),
        lambda: "\n".join(f"[{clock(i)}] {who[i % 2]}: {x}" for i, x in enumerate(xs))][shape]()


# kind of text -> (subject, sentences about it). Within a kind no sentence touches on the subject of another; none has a name, date, price, deadline and so on.
TALK = {
    "home": [("the dog", "The dog has been fed.|The dog sleeps under the table."), ("the laundry", "The laundry hangs on the line.|The laundry is still wet."),
        ("the heating", "The heating is set to twenty degrees.|The heating runs on gas."), ("a bicycle", "The bicycle stands in the shed.|A bicycle leans against the wall."),
        ("bread", "There is fresh bread in the kitchen.|The bread is in the oven."), ("the neighbours", "The neighbours are on holiday.|The neighbours have a new roof."),
        ("the weather", "It rains a little.|The sky is blue."), ("a film", "We watched a film about whales.|The film lasted two hours."), ("the garden", "The roses in the garden are in bloom.|The garden has been watered."),
        ("a cake", "A cake is cooling on the sill.|The cake has a cherry on top."), ("a key", "The key lies under the mat.|The key is on the hook."), ("music", "Someone is playing the piano.|A song is on the radio."),
        ("the bathroom", "The bathroom has green tiles.|The bathroom is free."), ("a sofa", "The sofa is grey.|We moved the sofa to the left."), ("a letter", "A letter came from the bank.|There is a letter in the box.")],
    "work": [("the printer", "The printer is on the second floor.|The printer has a new drum."), ("a contract", "The contract has been signed.|The contract runs for three years."),
        ("lunch", "Lunch is in the canteen.|For lunch there is soup."), ("the lift", "The lift goes to the roof.|The lift holds eight people."), ("a workshop", "The workshop is for beginners.|Ten people came to the workshop."),
        ("the car park", "The car park is behind the house.|The car park has forty spaces."), ("training videos", "The training videos are online.|There are six training videos."),
        ("the budget", "The budget has been approved.|The budget is the same as last year."), ("holidays", "Holidays are entered in the calendar.|Everyone has thirty days of holiday."),
        ("a new colleague", "A new colleague starts in sales.|The new colleague comes from Spain."), ("safety shoes", "Safety shoes must be worn in the hall.|Safety shoes are in the locker."),
        ("the website", "The website is in two languages.|The website has a new start page."), ("a survey", "The survey has nine questions.|Half of the staff took part in the survey."),
        ("coffee", "Coffee is free for all.|The coffee comes from a small roaster.")],
    "system": [("a backup", "Backup written to disk 2.|The backup took four minutes."), ("a login", "User 118 logged in.|Login from a known device."), ("memory", "Memory use is at 40 %.|Memory was cleared."),
        ("a certificate", "Certificate renewed.|The certificate is valid."), ("the database", "Database connected.|The database has 12 tables."), ("an upload", "Upload of 3 files done.|Upload started."),
        ("the queue", "The queue is empty.|Queue holds 5 jobs."), ("a restart", "Service restarted.|Restart requested by the admin."), ("the cache", "Cache filled.|Cache emptied by script."),
        ("a sent mail", "Mail sent to the list.|One mail was sent."), ("the temperature", "Temperature is 31 degrees.|Temperature read from sensor 4."), ("a scan for viruses", "Virus scan finished.|Virus scan found nothing."),
        ("the battery", "Battery at 80 %.|Battery is charging."), ("an update", "Update installed.|Update to version 5 downloaded.")],
    "product": [("the weight", "It weighs two kilos.|With 800 grams it is light."), ("the colour", "It comes in red and green.|The case is black."), ("the guarantee", "It has a guarantee of three years.|The guarantee covers all parts."),
        ("washing", "Wash it at 40 degrees.|It can be washed by hand."), ("the size", "It is 60 cm wide.|It fits into a drawer."), ("the material", "It is made of oak.|The frame is steel."),
        ("the noise level", "It runs without a sound.|It is as loud as a hair dryer."), ("the country of origin", "It is made in Portugal.|It was built in Japan."), ("batteries", "It needs two batteries.|Batteries are included."),
        ("delivery", "A van brings it to your door.|It is delivered in one box."), ("a manual", "The manual is in the lid.|A manual comes with it."), ("spare parts", "Spare parts are in stock.|You can order spare parts."),
        ("water resistance", "It may get wet.|It is waterproof."), ("Bluetooth", "It has Bluetooth.|It connects by Bluetooth.")],
    "travel": [("the hotel", "The hotel is by the sea.|The hotel has a lift."), ("the train", "The train has a dining car.|We go there by train."), ("passports", "The passports are in the red bag.|You need a passport."),
        ("breakfast", "Breakfast is in the garden.|Breakfast is a buffet."), ("a museum", "The museum shows old ships.|We will see a museum."), ("a boat trip", "A boat trip is part of the tour.|The boat trip goes round the island."),
        ("insurance", "Insurance is included.|The insurance covers the luggage."), ("a guide", "A guide will show us around.|The guide speaks French."), ("the beach", "The beach is sandy.|It is a short walk to the beach."),
        ("vaccination", "No vaccination is needed.|A vaccination is advised."), ("dogs", "Dogs are welcome.|Dogs stay on a lead."), ("wifi", "There is wifi in every room.|The wifi reaches the pool.")]}
# what can stand in a text: sentences that have this and nothing else of the list, but for CLASH
DETAILS = {
    "an email address": "Write to info@example.org.|My address is desk@example.net.|Send it to team@example.com.", "a phone number": "Call 555 0142.|You can reach us at 555 0199.|Our number is 555 0170.",
    "a date": "It took place on 3 May 2024.|The letter is from 12 October.|It opened on 2023-06-01.", "a price": "It costs 40 euros.|The price is $15.|You pay 9.90 euros for it.",
    "a complaint": "The service was terrible and I am angry.|I am not satisfied at all: it broke at once.|I want to complain about the dirty room.", "a person's name": "{n} will take part.|We asked {n}.|{n} has the list.",
    "a deadline": "Please answer by Friday.|It must be handed in by noon.|Replies have to be in before the end of the week.", "a web address": "See www.example.org for more.|It is all on https://example.com/help.",
    "a question": "Can you come?|Where is the list?|How many do you need?", "an apology": "I am sorry about that.|We apologise for this.|Please forgive me.", "a word of thanks": "Thank you very much.|Thanks for that.|We are grateful to you.",
    "a percentage": "About 30 % took part.|It grew by 12 percent.", "a street address": "It is at Mill Lane 4.|We live at 71 Harbour Road.", "a warning": "Warning: the floor is slippery.|Be careful, the plate is hot.", "praise": "You did this wonderfully.|What a great piece of work!"}
CLASH = [{"a date", "a deadline"}, {"an email address", "a web address"}, {"a word of thanks", "praise"}, {"a complaint", "a warning"}]
CLEAN = ["home", "travel"]  # kinds of text in which none of the details stands


def mentioned(g):
    """Two to eight short sentences: is a subject, or a thing such as a date, among them?"""
    n, say = g.rng.randint(2, 8), lambda s: g.rng.choice(s.split("|"))
    if g.coin(0.45):
        kinds = some(g, DETAILS, 5)
        x, *others = kinds
        others = [k for k in others if {x, k} not in CLASH and {others[0], k} not in CLASH]
        there, put = say(DETAILS[x]).format(n=g.name()), [say(DETAILS[k]).format(n=g.name()) for k in others]
        rest = put[1:1 + g.rng.randint(0, 2)] + [say(s) for _, s in some(g, TALK[g.rng.choice(CLEAN)], 8)]
        rest, tell, spare = mixed(g, rest[:n - 1]), _told(g, bare=True), put[0]
        clause, options = Clause("there", "is", f"{x} in this"), [x, others[0]]
        questions = [(f"Does the text contain {x}?", True), (f"Is {x} in there?", True), (f"Can {x} be found here?", True), (f"Somewhere in it stands {x}.", True), (f"Is there no sign of {x}?", False), (f"The text is without {x}.", False)]
    else:
        topics = some(g, TALK[g.pick(list(TALK))], min(n + 3, 10))
        (x, s1), (y, s2), *topics = topics
        there, spare, rest = say(s1), say(s2), [say(s) for _, s in topics[:n - 1]]
        tell, clause, options = _told(g), Clause(x, "is", "mentioned"), [x, y]
        questions = [(f"Does the text say anything about {x}?", True), (f"Is anything said about {x}?", True), (f"Does {x} come up?", True), (f"Something is said about {x}.", True), (f"One of the sentences is about {x}.", True),
            (f"Is nothing said about {x}?", False), (f"The text says nothing about {x}.", False), (f"Is {x} left out?", False)]
        options += [t for t, _ in topics[n - 1:]]
    at = g.rng.randint(0, len(rest))
    a, c = tell(rest[:at] + [there] + rest[at:]), tell(rest[:at] + [spare] + rest[at:])
    out = _either(g, a, c, clause, questions, 0)
    if g.coin():
        out += twin(g, [(a, options[0]), (c, options[1])], ["Which of these is in the text?", "Which of these comes up?", "What can be found in it?", "Pick the one that is there."], options, 1)
    return out


# things -> (key, noun, indirect question, sentence, values)
FACTS = [
    (b.NAMES, [("room", "{x}'s room", "which room {x} has", "{x} has {v}.", "room 12|room 7|room 31|room 204|room 5"), ("phone", "{x}'s phone number", "what {x}'s phone number is", "{x}'s phone number is {v}.", "555 0142|555 0199|555 0170|555 0123"),
        ("age", "{x}'s age", "how old {x} is", "{x} is {v} old.", "19 years|34 years|42 years|57 years"), ("home town", "{x}'s home town", "where {x} lives", "{x} lives in {v}.", "Oslo|Lima|Graz|Porto|Cork"),
        ("job", "{x}'s job", "what {x} does for a living", "{x} works as {v}.", "a nurse|a cook|a teacher|a pilot|a joiner"), ("pet", "{x}'s pet", "which pet {x} has", "{x} has {v}.", "a cat|a parrot|a rabbit|a tortoise")]),
    (["the gate", "the garage", "the side door", "the safe", "the bike shed", "the cellar"], [("code", "the code of {x}", "what the code of {x} is", "The code of {x} is {v}.", "4471|9020|1358|7702|6614"),
        ("colour", "the colour of {x}", "what colour {x} is", "{x} is {v}.", "green|grey|white|brown"), ("key", "the place of the key to {x}", "where the key to {x} is", "The key to {x} is {v}.", "under the mat|in the drawer|on the hook|in the blue box")]),
    (["the bakery", "the library", "the pool", "the museum", "the post office", "the pharmacy"], [("opening time", "the opening time of {x}", "when {x} opens", "{x} opens at {v}.", "7:00|8:30|9:00|10:00"),
        ("street", "the street of {x}", "in which street {x} is", "{x} is in {v}.", "Mill Lane|Harbour Road|King Street|Park Avenue"), ("head", "the head of {x}", "who runs {x}", "{x} is run by {v}.", "Ms Lind|Mr Haas|Dr Quinn|Ms Varga"),
        ("closing day", "the closing day of {x}", "on which day {x} is closed", "{x} is closed on {v}.", "Monday|Tuesday|Thursday|Sunday")]),
    ([f"the {p}" for p in ("tent", "kettle", "blender", "desk lamp", "backpack", "heater")], [("price", "the price of {x}", "what {x} costs", "{x} costs {v}.", "40 euros|75 euros|19 euros|120 euros"),
        ("weight", "the weight of {x}", "how much {x} weighs", "{x} weighs {v}.", "2 kg|900 g|5 kg|1.4 kg"), ("guarantee", "the guarantee of {x}", "how long the guarantee of {x} is", "The guarantee of {x} is {v}.", "one year|two years|five years"),
        ("stock", "the stock of {x}", "how many of {x} are in stock", "Of {x} we have {v}.", "3 pieces|18 pieces|41 pieces")]),
    ([f"the bus to {c}" for c in b.CITIES[:8]], [("departure", "the departure of {x}", "when {x} leaves", "{x} leaves at {v}.", "8:15|9:40|13:05|17:50"), ("bay", "the bay of {x}", "from where {x} leaves", "{x} leaves from {v}.", "bay 2|bay 5|bay 9"),
        ("driver", "the driver of {x}", "who drives {x}", "{x} is driven by {v}.", "Ms Brandt|Mr Lund|Ms Osei"), ("fare", "the fare of {x}", "what {x} costs", "A ticket for {x} costs {v}.", "12 euros|27 euros|8 euros")]),
    ([f"the {p} project" for p in ("bridge", "harbour", "school", "garden", "website", "museum")], [("deadline", "the deadline of {x}", "when {x} is due", "{x} is due on {v}.", "1 May|12 October|30 June|4 March"),
        ("budget", "the budget of {x}", "how much money {x} has", "{x} has {v} to spend.", "20,000 euros|55,000 euros|8,000 euros"), ("lead", "the lead of {x}", "who leads {x}", "{x} is led by {v}.", "Ms Lind|Mr Zeman|Dr Patel|Ms Varga")])]
UNSAID = ["not stated", "not given", "unknown", "the text does not say"]


def stated_of(g):
    """A fact of one thing among several: is it given, and what is it?"""
    things, kinds = g.pick(FACTS)
    x, y, *more = some(g, things, g.rng.randint(2, 4))
    fact, second = g.rng.sample(kinds, 2)
    values = lambda f: mixed(g, f[4].split("|"))
    v, w, *_ = values(fact)
    there, told = (x, fact, v), [(p, g.rng.choice(kinds)) for p in more]
    told = [(p, f, values(f)[0]) for p, f in told]
    near = [(x, second, values(second)[0])] * g.coin() + [(y, fact, w)] * g.coin()
    free = [p for p in things if p not in (x, y, *more)]
    # The fact is left out, told of another thing, or another fact takes its place.
    instead = g.rng.choice([[], [(g.rng.choice(free), fact, v)], [(g.rng.choice(free), fact, v)], [(x, second, values(second)[0])]])
    if near and near[0][:2] == (x, second) and instead and instead[0][0] == x:
        instead = []
    if not (instead or near or told):
        near = [(y, fact, w)]
    rest, shape, prose = mixed(g, told + near), g.rng.randint(0, 5), _told(g)
    at = g.rng.randint(0, len(rest))

    def tell(facts):
        if shape < 4:
            return prose([cap(f[3].format(x=p, v=u)) for p, f, u in facts])
        if shape == 4:
            return [{"of": p, f[0]: u} for p, f, u in facts]
        return "\n".join(f"{p} | {f[0]} | {u}" for p, f, u in facts)

    a, c = tell(rest[:at] + [there] + rest[at:]), tell(rest[:at] + instead + rest[at:])
    noun, indirect = fact[1].format(x=x), fact[2].format(x=x)
    out = _either(g, a, c, Clause(noun, "is", g.rng.choice(["given", "stated", "told"])), [(f"Is it said {indirect}?", True), (f"Do we learn {indirect}?", True), (f"The text says {indirect}.", True), (f"Does the text tell us {indirect}?", True),
        (f"Is it left open {indirect}?", False), (f"It is not said {indirect}.", False), (f"Does one still have to ask {indirect}?", False)], 0)
    none = g.pick(UNSAID)
    options = {v: None, w: None, none: None, **{u: None for _, f, u in rest if f is fact}}
    return out + twin(g, [(a, v), (c, none)], [f"{cap(noun)}?", f"What does the text give as {noun}?", f"Which is {noun}?", f"Say {indirect}."], options, 1)


# (kinds of line: word -> phrase, sources: word -> phrase, messages, word for the whole, word for a source)
LOGS = [
    ({"ERROR": "an error", "WARN": "a warning", "INFO": "an info line", "DEBUG": "a debug line"}, {s: f"from the {s} service" for s in ("payment", "mail", "search", "login", "image", "report", "stock", "chat")},
        ["request 4471 took 80 ms", "job 12 on node b", "queue at 40", "call to /v1/items", "answer 3 of 9", "id 77 in batch 2"], "log", "service"),
    ({"open": "an open ticket", "closed": "a closed ticket", "waiting": "a waiting ticket"}, {s: f"for the {s} team" for s in ("billing", "network", "sales", "repair", "legal", "office")},
        ["question on a form", "new desk", "address to be changed", "copy of a letter", "phone for a guest", "list of members"], "list", "team"),
    ({"late": "a late parcel", "delivered": "a delivered parcel", "lost": "a lost parcel"}, {c: f"to {c}" for c in b.CITIES[:10]}, ["2 kg", "box 14", "number 8812", "blue label", "two boxes"], "list", "city"),
    ({"passed": "a passed exam", "failed": "a failed exam"}, {s: f"in {s}" for s in ("maths", "history", "biology", "French", "music", "physics")}, ["room 4", "written", "group B", "oral", "second date"], "record", "subject"),
    ({"START": "a start", "STOP": "a stop", "ALARM": "an alarm"}, {s: f"of the {s}" for s in ("press", "pump", "mixer", "oven", "crane", "fan")}, ["line 2", "night shift", "by hand", "unit 7", "code 15"], "log", "machine"),
    ({"urgent": "an urgent message", "normal": "a normal message"}, {s: f"from the {s}" for s in ("school", "bank", "landlord", "clinic", "garage", "library")}, ["about the form", "one page", "by post", "with a copy", "read"], "list", "sender")]


def log_has(g):
    """Is there a line of one kind from one source? Lines of that kind from others and of others from that source stand beside it."""
    kinds, sources, notes, whole, noun = g.pick(LOGS)
    k, q = g.rng.sample(list(kinds), 2)
    s, r, *others = some(g, sources, 4)
    line = lambda kind, source: (kind, source, g.rng.choice(notes))
    there = line(k, s)
    gone = (k, g.rng.choice([r, others[0]]), there[2]) if g.coin() else (q, s, there[2])
    other = lambda: line(*g.rng.choice([(g.rng.choice(list(kinds)), g.rng.choice([r, *others])), (q, s)]))
    rest = mixed(g, [line(k, r)] * g.coin(0.7) + [line(q, s)] * g.coin(0.7) + [other() for _ in range(g.rng.randint(1, 3))])
    shape, at, minute = g.rng.randint(0, 4), g.rng.randint(0, len(rest)), g.rng.randint(0, 30)
    place = lambda x, lines: lines[:at] + [x] + lines[at:]
    tell = lambda lines: [lambda: "\n".join(f"10:{minute + i:02d} {a} {c}: {d}" for i, (a, c, d) in enumerate(lines)), lambda: "\n".join(f"[{a}] {c} - {d}" for a, c, d in lines),
        lambda: "\n".join(f"{i + 1}. {c} | {a} | {d}" for i, (a, c, d) in enumerate(lines)), lambda: [{"kind": a, "of": c, "note": d} for a, c, d in lines], lambda: "; ".join(f"{c}: {a} ({d})" for a, c, d in lines)][shape]()
    what = f"{kinds[k]} {sources[s]}"
    out = _either(g, tell(place(there, rest)), tell(place(gone, rest)), Clause("there", "is", what), [(f"Is {what} in the {whole}?", True), (f"Does the {whole} have {what}?", True), (f"The {whole} shows {what}.", True), (f"Can you see {what}?", True),
        (f"Is the {whole} free of this: {what}?", False), (f"The {whole} does not show {what}.", False)], 0)
    if g.coin(0.6):  # one line only is of the kind
        rest = [x for x in rest if x[0] != k] or [line(q, r)]
        at = min(at, len(rest))
        asks = [f"Which {noun} has {kinds[k]}?", f"Name the {noun} with {kinds[k]}.", f"Which {noun} stands in the line with {kinds[k]}?"]
        out += twin(g, [(tell(place(there, rest)), s), (tell(place((k, r, there[2]), rest)), r)], asks, [s, r, *others[:1]], 1)
    return out


CLOCK = [f"{h}:{m:02d}" for h in range(7, 20) for m in (0, 15, 30, 45)]
# (things, word before the value, values, word for asking, (verb for more, verb for less) or nothing, whether it can be moved)
PLANS = [
    ("the meeting|the dentist's appointment|the call|the lesson|the interview|the rehearsal|the inspection", "at ", CLOCK, "When", ("postponed", "brought forward"), True),
    ("the departure|the start of the show|the dinner|the lunch|the tour", "at ", CLOCK, "When", ("postponed", "brought forward"), True),
    ("the exam|the outing|the wedding|the concert|the visit", "on ", ["2 May", "9 May", "17 May", "3 June", "20 June", "8 July", "1 August"], "When", ("postponed", "brought forward"), True),
    ("the course|the choir practice|the market|the delivery", "on ", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"], "When", None, True),
    ("the talk|the party|the class|the reading", "in ", ["room 12", "room 4", "the library", "the hall", "the canteen", "the garden", "the gym"], "Where", None, True),
    ("the conference|the final|the fair", "in ", b.CITIES, "Where", None, True),
    ("the price of the tent|the rent|the fee|the ticket price", "", [f"{n} euros" for n in range(20, 200, 7)], "What", ("raised", "lowered"), False),
    ("the colour of the door|the colour of the logo|the colour of the car", "", ["blue", "green", "red", "grey", "white", "yellow"], "What", None, False),
    ("the driver|the person in charge|the speaker|the referee", "", b.NAMES, "Who", None, False),
    ("the number of guests|the table number|the gate number", "", [str(n) for n in range(3, 60)], "What", ("raised", "lowered"), False)]


def last_time(g):
    """A value that is changed once to three times: what is it now, what was it at first? The words tell, not the place in the text."""
    things, p, bank, ask, verbs, moves = g.pick(PLANS)
    s, n = g.rng.choice(things.split("|")), g.rng.choice([1, 1, 1, 2, 2, 3])
    if "number" in s:
        verbs = None if "guests" not in s else verbs
    values = g.rng.sample(bank, n + 2)
    fresh, values = values[-1], values[:-1]
    first = g.rng.choice(["{S} was {p}{v}.", "At first {s} was {p}{v}.", "Originally {s} was {p}{v}."] + ["{S} was planned for {v}.", "{S} was set for {v}."] * moves)
    steps = ["It was changed to {v}.", "That was corrected to {v}.", "No, make it {v}.", "Correction: {v}.", "Sorry, it is {v}."] + ["It was moved to {v}.", "It has been moved to {v}."] * moves + ["by direction"] * (2 * bool(verbs))
    steps, shape, told, flip = [g.rng.choice(steps) for _ in range(n)], g.rng.random(), _told(g), g.coin()
    ends = g.rng.choice(["", "", "", "Please tell the others.", "All have been told.", "Thank you."])
    short = g.pick(["{S} is {p}{z} now; it had been {p}{a} before.", "{S} is {p}{z}, not {p}{a} as first said.", "{S} is no longer {p}{a} but {p}{z}.", "Instead of {p}{a}, {s} is now {p}{z}.", "{S} has been changed from {a} to {z}.",
        "{S} has been changed to {z}; before that it was {p}{a}.", "{S}: {z} (was {a})", "{S}: {a}, now {z}", "Old: {s} {p}{a}. New: {s} {p}{z}.", "New: {s} {p}{z}. Old: {s} {p}{a}.", "{S} is {p}{z} now. At first it was {p}{a}."])
    long = g.pick(["{S} is {p}{z} now. Before that it was {p}{y}, and at first it was {p}{a}.", "{S} was {p}{a} at first, then {p}{y}, and is now {p}{z}.", "At first {s} was {p}{a}. It is {p}{z} now, after it had been {p}{y} for a while.",
        "{S}, newest first: {z}, {y}, {a}", "{S}, oldest first: {a}, {y}, {z}"])

    def tell(vs):
        if shape < 0.5:
            lines = [first.format(S=cap(s), s=s, p=p, v=vs[0])]
            for i, (step, v) in enumerate(zip(steps, vs[1:])):
                up = bank.index(v) > bank.index(vs[i])
                line = f"It was {verbs[0 if up else 1]} to {{v}}." if step == "by direction" else step
                lines.append(("Then " + line[0].lower() + line[1:] if i and line.startswith("It ") else line).format(v=v))
            return told(lines + [ends] * bool(ends))
        if shape < 0.85:
            form = short if len(vs) == 2 else long
            return form.format(S=cap(s), s=s, p=p, a=vs[0], y=vs[-2], z=vs[-1])
        key = s.removeprefix("the ").replace(" ", "_").replace("'", "")
        if shape < 0.92:
            parts = [("now", vs[-1]), ("at_first", vs[0])] + [("in_between", vs[1:-1])] * (len(vs) > 2)
            return {key: dict(parts[::-1] if flip else parts)}
        lines = [{"version": i + 1, key: v} for i, v in enumerate(vs)]
        return lines[::-1] if flip else lines

    if n == 3 and 0.5 <= shape < 0.85:
        values = values[:3]
    now = g.coin(0.65)
    spot = -1 if now else 0
    other = list(values)
    if g.coin(0.75):  # two of the values change places
        at = g.rng.randrange(len(values) - 1) if now else g.rng.randrange(1, len(values))
        other[spot], other[at] = other[at], other[spot]
    else:
        other[spot] = fresh
    a, c, v, w = tell(values), tell(other), values[spot], other[spot]
    clause = Clause(s, "is", f"{p}{v} now") if now else Clause(s, "was", f"{p}{v} at first")
    asks = [f"{ask} is {s} now?", f"{ask} is {s} after all changes?", f"{s[:1].upper() + s[1:]} now:"] if now else [f"{ask} was {s} at first?", f"{ask} was {s} before any change?", f"{cap(s)} at first:"]
    out = ask_pair(g, a, c, clause, 0)
    options = list(dict.fromkeys(values + other))
    return out + twin(g, [(a, v), (c, w)], asks, options + [fresh] * (fresh not in options and g.coin(0.3)), 1)


# (subject, what switches it on, what switches it off, how it then is)
TURNS = [("the shop", "was opened", "was closed", "open", "closed"), ("the lamp", "was switched on", "was switched off", "on", "off"), ("the trip", "was booked", "was cancelled", "booked", "cancelled"),
    ("the order", "was placed", "was cancelled", "in force", "cancelled"), ("{n}", "joined the club", "left the club", "a member", "outside the club"), ("the alarm", "was armed", "was disarmed", "armed", "disarmed"),
    ("the road", "was blocked", "was cleared", "blocked", "clear"), ("the account", "was locked", "was unlocked", "locked", "unlocked"), ("the feature", "was enabled", "was disabled", "enabled", "disabled"),
    ("the tap", "was turned on", "was turned off", "on", "off"), ("the window", "was opened", "was shut", "open", "shut"), ("the tent", "was put up", "was taken down", "up", "down"), ("the flag", "was raised", "was lowered", "up", "down"),
    ("the book", "was lent out", "was brought back", "on loan", "back"), ("the car", "was put into the garage", "was taken out of the garage", "in the garage", "outside"), ("the cat", "came in", "went out", "inside", "outside"),
    ("milk", "was put on the list", "was taken off the list", "on the list", "off the list"), ("{n}", "checked in", "checked out", "checked in", "checked out"), ("the offer", "was accepted", "was declined", "accepted", "declined"),
    ("the server", "was started", "was stopped", "running", "stopped"), ("the ban", "was imposed", "was lifted", "in force", "lifted"), ("the ship", "came into port", "left port", "in port", "at sea"),
    ("the subscription", "was taken out", "was ended", "active", "ended"), ("{n}", "fell asleep", "woke up", "asleep", "awake"), ("the engine", "was started", "was turned off", "running", "off"), ("the door", "was locked", "was unlocked", "locked", "unlocked")]


def cancelled_again(g):
    """Switched on and off by one sentence after another: how is it now?"""
    s, on, off, is_on, is_off = g.pick(TURNS)
    s, start, n = s.format(n=g.name()), g.coin(), g.rng.randint(1, 4)
    shape, told, idle = g.rng.random(), _told(g), g.rng.choice(["", "", "", "Nobody was told.", "That is all.", "Nothing else happened."])
    later = [g.rng.choice(["Then", "Later", "After that", "In the evening", "The next day", "A week later"][: 3 + 3 * g.coin()]) for _ in range(n + 1)]
    pronoun = "" if s == "milk" else s
    events = [(on if (i % 2 == 0) == start else off) + (" again" if i > 1 else "") for i in range(n + 1)]

    def tell(k):
        if shape < 0.6:
            return told([cap(f"{s} {e}." if i == 0 else f"{later[i]} {pronoun or s} {e}.") for i, e in enumerate(events[:k])] + [idle] * bool(idle))
        if shape < 0.75:  # told backwards, and it says so
            return "Newest entry first:\n" + "\n".join(cap(f"{s} {e}") for e in events[:k][::-1])
        if shape < 0.85:
            return {"subject": s, "events_in_order": events[:k]}
        return cap(f"first {s} {events[0]}" + "".join(f", then {s} {e}" for e in events[1:k]) + ".")

    a, c = tell(n), tell(n + 1)
    a_on = (n % 2 == 1) == start
    yes, no = (a, c) if a_on else (c, a)
    out = ask_pair(g, yes, no, Clause(s, "is", f"{is_on} now"), 0)
    if g.coin():
        out += ask_pair(g, no, yes, Clause(s, "is", f"{is_off} now"), 1)
    return out + twin(g, [(yes, is_on), (no, is_off)], [f"How is it with {s} now?", f"{cap(s)} is now:", f"At the end {s} is ...", "What is the state at the end?"], [is_on, is_off], 2) * g.coin(0.6)


ITEMS = [x.split("|") for x in (
    "milk|eggs|butter|bread|rice|cheese|apples|salt|honey|tea", "hammer|saw|pliers|drill|ladder|level|screws|paint", "tent|torch|rope|map|compass|knife|blanket|stove", "passport|visa|photo|birth certificate|bank statement|lease|payslip",
    "maths|history|art|music|biology|French|sport|physics", "piano|violin|flute|drums|harp|guitar|trumpet", "soup|salad|pasta|fish|curry|pizza|cake|stew", "dog|cat|horse|goat|rabbit|hen|duck|sheep",
    "read|write|delete|share|print|export|invite|archive", "red|blue|green|white|black|pink|grey|orange", "football|tennis|judo|rowing|chess|hockey|golf|yoga", "sofa|table|chair|shelf|bed|lamp|mirror|desk",
    "rose|tulip|daisy|lily|poppy|iris|violet", "shirt|socks|jacket|scarf|gloves|hat|belt|shoes", "api|web|mail|search|billing|auth|cache|queue")] + [b.NAMES, b.CITIES]
KINDS = [("list", "shopping list"), ("list", "list"), ("box", "box"), ("set", "set"), ("order", "order"), ("group", "group"), ("plan", "plan"), ("parcel", "parcel")]


def _written(g):
    """How one list of words is written: a function."""
    shape = g.rng.randint(0, 4)
    return lambda xs: [lambda: g.join(xs), lambda: ", ".join(xs), lambda: "; ".join(xs), lambda: "\n".join(f"- {x}" for x in xs), lambda: "\n".join(xs)][shape]()


def in_list(g):
    """Is a thing on a list, and which of some is not?"""
    p, q, *others = some(g, g.pick(ITEMS), g.rng.randint(4, 6))
    n, shape, write = g.rng.randint(1, len(others)), g.rng.randint(0, 4), _written(g)
    title = g.rng.choice(["The list", "List", "What we have", "Entries", "Included", "Chosen", "Packed"])
    tell = lambda xs: [lambda: xs, lambda: {"items": xs}, lambda: f"{title}: {', '.join(xs)}", lambda: f"{title}:\n{write(xs)}", lambda: f"On the list: {g.join(xs)}."][shape]()
    rest, at = others[:n], g.rng.randint(0, n)
    a, c = tell(rest[:at] + [p] + rest[at:]), tell(rest[:at] + [q] + rest[at:])
    out = _either(g, a, c, Clause(p, "is", g.rng.choice(["on the list", "in the list", "listed", "there"])), [(f"Does the list have {p}?", True), (f"Do you find {p} here?", True), (f"{cap(p)} is one of them.", True), (f"Does {p} belong to these?", True),
        (f"Is {p} missing from the list?", False), (f"The list does not have {p}.", False), (f"Is {p} absent?", False)], 0)
    if g.coin(0.6):  # all of the options but one are on the list
        return out + twin(g, [(a, q), (c, p)], ["Which of these is not on the list?", "Which one is missing from the list?", "Pick the one that is not listed.", "Which does not stand there?"], [p, q, *rest[:3]], 1)
    return out + twin(g, [(a, p), (c, q)], ["Which of these is on the list?", "Which one is listed?", "Pick the one that stands there.", "Which can be found on the list?"], [p, q, *others[n:]], 1)


SIDES = [("needed", "there"), ("required", "present"), ("wanted", "received"), ("requested", "supplied"), ("needed", "in the bag"), ("expected", "found"), ("ordered", "delivered"), ("asked for", "handed in"), ("on the list", "on the table"), ("planned", "done")]


def list_within(g):
    """All that one short list needs, is it in the other, and what is missing?"""
    need, have = g.pick(SIDES)
    p, q, *others = some(g, g.pick(ITEMS), 6)
    n = g.rng.choice([0, 0, 0, 1])
    wanted, extra, kept = mixed(g, [p, q] + others[:n]), others[n + 1:][:g.rng.randint(0, 2)], others[n]
    shape, write, flip = g.rng.randint(0, 4), _written(g), g.coin(0.25)
    order = mixed(g, wanted + extra)

    def tell(without):
        # Another thing takes the place of the missing one, or the place stays empty.
        there = [kept if x == without else x for x in order] if swap else [x for x in order if x != without]
        parts = [(need, wanted), (have, there)][::-1 if flip else 1]
        return [lambda: {k.replace(" ", "_"): xs for k, xs in parts}, lambda: "\n".join(f"{cap(k)}: {', '.join(xs)}" for k, xs in parts), lambda: " ".join(f"{cap(k)}: {g.join(xs)}." for k, xs in parts),
            lambda: "\n".join(f"{cap(k)}:\n{write(xs)}" for k, xs in parts), lambda: "; ".join(f"{k}: {' + '.join(xs)}" for k, xs in parts)][shape]()

    swap = g.coin(0.6)
    full, no_p, no_q = tell(None), tell(p), tell(q)
    clause = Clause("nothing", "is", "missing") if flip else Clause(f"everything {need}", "is", have)
    out = _either(g, full, no_p, clause, [("Is everything there?", True), ("Is all that is asked for there?", True), ("Is it complete?", True), ("Nothing is missing.", True), ("Is one thing missing?", False),
        ("Something is missing.", False), ("Is it incomplete?", False)], 0, denied=False)
    asks = ["Which is missing?", "What is missing?", "Which one is not there?", "What do we still need?"]
    if g.coin(0.3):
        return out + twin(g, [(full, "nothing"), (no_p, p)], asks, wanted + ["nothing"], 1)
    return out + twin(g, [(no_p, p), (no_q, q)], asks, wanted, 1)


def same_order(g):
    """Two short lists: the same things, whatever their order?"""
    p, *xs = some(g, g.pick(ITEMS), g.rng.choice([3, 3, 4]))
    one, other = g.rng.choice([("A", "B"), ("first", "second"), ("left", "right"), ("Monday", "Tuesday"), ("mine", "yours"), ("old", "new"), ("sent", "received"), tuple(g.rng.sample(b.NAMES, 2))])
    again, shape = mixed(g, xs), g.rng.randint(0, 4)
    out_of = g.rng.choice(xs)
    off = [p if x == out_of else x for x in again]
    tell = lambda c: [lambda: {one: xs, other: c}, lambda: f"{cap(one)}: {', '.join(xs)}\n{cap(other)}: {', '.join(c)}", lambda: f"{cap(one)}: {g.join(xs)}. {cap(other)}: {g.join(c)}.", lambda: [xs, c], lambda: f"{', '.join(xs)} / {', '.join(c)}"][shape]()
    a, c = tell(again), tell(off)
    out = _either(g, a, c, Clause("both lists", "do", "have the same things", "have the same things"), [("Are they the same, in whatever order?", True), ("Are both lists the same, order aside?", True), ("The same things stand in both.", True), ("Do both have the same things?", True),
        ("Does one list have a thing that the other has not?", False), ("The two lists differ in a thing.", False), ("Is something different, order aside?", False)], 0, denied=False)
    return out + (twin(g, [(a, "the same"), (c, "different")], ["Order aside, the two lists are:", "Are the lists the same or different? The order does not matter."], ["the same", "different"], 1) if g.coin(0.4) else [])


FIELD_VALUES = {"price": [40, 55, 19, 120, 8], "colour": ["blue", "green", "red", "grey", "white"], "size": ["S", "M", "L", "XL"], "stock": [3, 12, 40, 0, 7], "city": b.CITIES, "owner": b.NAMES, "status": ["open", "closed", "waiting"],
    "date": ["2 May", "9 May", "3 June", "8 July"], "room": ["12", "4", "31", "7"], "phone": ["555 0142", "555 0199", "555 0170"], "weight": ["2 kg", "5 kg", "900 g"], "language": ["French", "German", "Polish", "Spanish"],
    "priority": ["low", "high", "medium"], "version": ["1.0", "1.1", "2.0", "2.4"], "seat": ["4A", "12C", "7F"], "discount": ["5 %", "10 %", "20 %"], "team": ["north", "south", "east", "west"], "time": ["9:00", "10:30", "14:15"]}


def changed_field(g):
    """A record before and after: which field is not the same?"""
    keys = some(g, FIELD_VALUES, g.rng.randint(2, 4))
    f, h = keys[:2]
    keys = mixed(g, keys)
    old, new = g.rng.choice([("before", "after"), ("old", "new"), ("yesterday", "today"), ("first version", "second version"), ("then", "now"), ("sent", "received")])
    pick = {k: g.rng.sample(FIELD_VALUES[k], 2) for k in keys}
    was, shape = {k: pick[k][0] for k in keys}, g.rng.randint(0, 5)
    flat = lambda r: ", ".join(f"{k} {v}" for k, v in r.items())

    def tell(k):
        now = {**was, k: pick[k][1]}
        return [lambda: {old: was, new: now}, lambda: f"{cap(old)}: {flat(was)}\n{cap(new)}: {flat(now)}", lambda: f"{cap(old)}: {flat(was)}. {cap(new)}: {flat(now)}.",
            lambda: [{"state": old, **was}, {"state": new, **now}], lambda: "\n".join(f"{x}: {was[x]} -> {now[x]}" for x in keys), lambda: {x: {old: was[x], new: now[x]} for x in keys}][shape]()

    a, c = tell(f), tell(h)
    out = _either(g, a, c, g.rng.choice([Clause(f"the {f}", "did", "change", "changed"), Clause(f"the {f}", "has", "changed")]), [(f"Is the {f} another one than before?", True), (f"Is there a change in the {f}?", True), (f"There is a new {f}.", True),
        (f"Is the {f} the same in both?", False), (f"The {f} stayed as it was.", False), (f"Is the {f} unchanged?", False)], 0)
    return out + twin(g, [(a, f), (c, h)], ["Which field changed?", "What changed?", "Which field is different?", "Where is the difference?"], keys, 1)


# size of the figures -> (contest, what is counted)
LESS = {"small": [("dictation", "mistakes"), ("show-jumping round", "faults"), ("typing test", "errors"), ("driving test", "penalty points"), ("proofreading test", "missed errors")],
    "large": [("golf round", "strokes"), ("golf tournament", "strokes"), ("mini-golf game", "strokes"), ("search for the cheapest offer", "euros"), ("call for the cheapest builder", "euros"), ("contest for the shortest wait", "minutes"), ("mini-golf final", "strokes")]}
MORE = {"small": [("football match", "goals"), ("ice hockey match", "goals"), ("quiz", "right answers"), ("angling contest", "fish"), ("handball match", "goals"), ("quiz night", "right answers")],
    "large": [("basketball match", "points"), ("election", "votes"), ("auction", "euros"), ("vote for the class speaker", "votes"), ("reading contest", "books"), ("pumpkin contest", "kg"), ("rugby match", "points"), ("collecting drive", "bottles")]}
# (rule for less, rule for more, what is counted)
RULES = [("The lowest number of {u} wins.", "The highest number of {u} wins.", None), ("Whoever has the fewest {u} wins.", "Whoever has the most {u} wins.", None), ("The fewest {u} win.", "The most {u} win.", None), ("Fewer {u} are better.", "More {u} are better.", None),
    ("The lowest score wins.", "The highest score wins.", "points"), ("The lowest price wins.", "The highest price wins.", "euros"), ("The shortest wait wins.", "The longest wait wins.", "minutes"), ("The lightest wins.", "The heaviest wins.", "kg"),
    ("The one with the fewest {u} comes first.", "The one with the most {u} comes first.", None), ("Having few {u} counts: the smallest number wins.", "Having many {u} counts: the largest number wins.", None)]
COUNTED = ["points", "cards", "coins", "strokes", "goals", "votes", "mistakes", "clicks", "stones", "stamps", "penalties", "tokens"]


def better_less(g):
    """Who wins, where the sentence says, or the kind of contest implies, whether more or less is better?"""
    size, less, kind = g.rng.choice(["small", "large"]), g.coin(), g.rng.choice(["rule", "rule", "contest", "figures", "figures"])
    low, high = g.pick(LESS[size]), g.pick(MORE[size])
    n = 2 if g.coin(0.6) or "match" in high[0] else g.rng.randint(3, 4)
    names = some(g, g.rng.choice([b.NAMES, b.NAMES, b.CITIES, ["red", "blue", "green", "white"], ["team A", "team B", "team C", "team D"]]), n)
    figures, shape = g.rng.sample(range(2, 10) if size == "small" else range(55, 130), n), g.rng.randint(0, 4)

    def tell(head, unit, values):
        """The contest or its rule, and the figures."""
        u = f" {unit}" if unit else ""
        parts = [f"{x} {v}{u}" for x, v in zip(names, values)]
        dot = head if head.endswith(".") else cap(head) + "."
        return [lambda: f"{dot} {cap(', '.join(parts))}.", lambda: f"{dot}\n" + "\n".join(f"{x}: {v}{u}" for x, v in zip(names, values)), lambda: {"contest" if dot != head else "rule": head, unit or "result": dict(zip(names, values))},
            lambda: f"{cap(g.join([f'{x} has {v}{u}' for x, v in zip(names, values)]))}. {dot}", lambda: f"{dot} Result: {'; '.join(parts)}"][shape]()

    best = lambda fewer, values: names[values.index(min(values) if fewer else max(values))]
    turned = figures[::-1] if n == 2 else list(figures)
    if n > 2:  # the best changes places with another
        at = names.index(best(less, figures))
        other = g.rng.choice([i for i in range(n) if i != at])
        turned[at], turned[other] = turned[other], turned[at]
    if kind == "rule":  # same figures, the other rule
        few, many, unit = g.pick(RULES)
        unit = unit or g.pick(COUNTED)
        states = [(tell((few if f else many).format(u=unit), unit, figures), best(f, figures)) for f in (less, not less)]
    elif kind == "contest":  # same figures, another contest
        clear = lambda title, unit: title if any(w in title for w in ("golf", "match", "election", "auction", "cheapest")) else f"{title}, {unit} counted"
        states = [(tell(clear(*(low if f else high)), "", figures), best(f, figures)) for f in (less, not less)]
    else:  # same contest, the figures change places
        title, unit = low if less else high
        if g.coin(0.4):
            few, many, fixed = g.pick(RULES)
            unit = fixed or unit
            title = (few if less else many).format(u=unit)
        states = [(tell(title, unit, v), best(less, v)) for v in (figures, turned)]
    (a, x), (c, y) = states
    out = twin(g, [(a, x), (c, y)], ["Who wins?", "Who is the winner?", "Who comes first?", "Who did best?", "Who has won?"], names, 0)
    return out + ask_pair(g, a, c, g.rng.choice([Clause(x, "is", "the winner"), Clause(x, "does", "win", "wins"), Clause(x, "has", "won")]), 1)


FAMILIES = {f.__name__: f for f in (mentioned, stated_of, log_has, last_time, cancelled_again, in_list, list_within, same_order, changed_field, better_less)}
