"""Is everything there, what belongs to whom, what holds after several changes, and what a message mainly wants.

The answer is drawn first and the text made from it; what is beside the point (optional fields, spare items, side matters) varies freely.
"""
import banks as b
from clauses import ask_both, ask_pair, cap, Clause, pick_one
from .customer_messages import deny, dress, NONE, rungs, spare, twin, two, veil


def some(g, xs, n):
    """n of a list, without the last sixth of it in train."""
    xs = list(xs)
    own = xs[:len(xs) - len(xs) // 6] if g.split == "train" else xs
    return g.rng.sample(own if len(own) >= n else xs, n)


def mixed(g, xs):
    return g.rng.sample(list(xs), len(xs))


def frame(g):
    """A text as it is or in a small record: a function. Unlike `dress` it adds no sentences, which could bear on the question."""
    shape, key, who, no = g.rng.random(), g.rng.choice(["message", "text", "note", "entry", "report"]), g.name(), g.rng.randint(100, 999)

    def tell(text):
        return text if shape < 0.55 else {key: text} if shape < 0.65 else {"no": no,
            key: text} if shape < 0.75 else f"{cap(key)} {no}: {text}" if shape < 0.85 else f"{who} writes: {text}" if shape < 0.93 else [{key: text}]
    return tell


FIELDS = {"owner": ["Ms Lind", "R. Haas", "the Zeman family"], "phone": ["555 0142", "555 0199"], "birth_date": ["1984-02-11", "2001-09-30"],
    "street": ["Mill Lane 4", "Harbour Road 71"], "postcode": ["8041", "50667"], "email": ["info@example.org", "desk@example.net"], "start_day": ["1 May", "12 October"],
    "weight_kg": [14, 62, 310], "colour": ["grey", "dark red"], "serial_number": ["K-2209", "77-001-B"], "insurance": ["Norda 5512", "none wanted"], "debts_eur": [0, 0, 2500],
    "children": [0, 2], "smoker": [False, True], "signature": ["signed by hand", "signed with a stamp"], "account_number": ["AT61 0001", "DE02 7788"],
    "allergies": ["nuts", "none known"], "doctor": ["Dr Quinn", "Dr Patel"], "height_cm": [128, 171], "engine_kw": [0, 44], "length_m": [6.2, 11], "harbour": ["Porto", "Malmo"],
    "breed": ["collie", "mixed"], "vaccinated": [False, True], "swimmer": [False, True], "room_type": ["single", "shared"], "reason": ["storm damage", "a new job"]}
FORMS = {"boat registration": ["owner", "harbour", "length_m", "engine_kw", "colour", "serial_number"],
    "dog licence": ["owner", "breed", "vaccinated", "birth_date", "colour", "street"], "summer camp": ["birth_date", "allergies", "swimmer", "doctor", "phone", "height_cm"],
    "loan request": ["account_number", "debts_eur", "children", "reason", "signature", "phone"],
    "damage report": ["street", "reason", "insurance", "phone", "signature", "start_day"],
    "gym contract": ["birth_date", "account_number", "start_day", "signature", "smoker", "weight_kg"],
    "freight slip": ["weight_kg", "street", "postcode", "serial_number", "insurance", "email"], "dormitory place": ["room_type", "start_day", "smoker", "allergies", "email", "children"],
    "donor card": ["birth_date", "weight_kg", "doctor", "smoker", "phone", "signature"], "parking permit": ["street", "postcode", "serial_number", "colour", "owner", "start_day"]}


def form_fields(g):
    """A form against the fields it must have; an optional field may be empty, 0 and false are values."""
    title = g.pick(FORMS)
    fields = g.rng.sample(FORMS[title], g.rng.randint(4, 6))
    must, free = fields[:-1], fields[-1]
    miss, probe = g.rng.choice(must), g.rng.choice(must)
    values = {f: g.pick(FIELDS[f]) for f in fields}
    order, gone, shape, who = mixed(g, fields), g.rng.choice([None, None, "", "absent"]), g.rng.randint(0, 5), g.name()
    word = lambda f: f.replace("_kg", " in kg").replace("_kw", " in kW").replace("_cm", " in cm").replace("_m", " in m").replace("_eur", " in euros").replace("_", " ")
    lone = g.coin(0.4)

    def tell(empty):
        left = {f: None if f in empty else values[f] for f in order}
        record = {f: gone if v is None else v for f, v in left.items() if not (v is None and gone == "absent")}
        show = lambda v: "yes" if v is True else "no" if v is False else str(v)
        if shape == 0:
            return {"form": title, "required": must, "entered": record}
        if shape == 1:
            return {"required_fields": must, "optional_fields": [free], title.replace(" ", "_"): record}
        if shape == 2:
            return [{"field": f, "required": f in must, "value": "" if v is None else v} for f, v in left.items()]
        if shape == 3:
            return f"Form: {title}\nMust be filled in: {', '.join(word(f) for f in must)}\n" + "\n".join(f"- {word(f)}: {'' if v is None else show(v)}".rstrip() for f, v in left.items())
        if shape == 4:
            blank = [word(f) for f in order if left[f] is None]
            return f"For the {title} one has to give {g.join([word(f) for f in must])}; {word(free)} may stay empty. {who} wrote " + "; ".join(f"{word(f)}: {show(v)}" for f,
                v in left.items() if v is not None) + (f". Left blank: {', '.join(blank)}." if blank else ". No line was left blank.")
        return " | ".join(f"{word(f)}{'*' if f in must else ''}: {'___' if v is None else show(v)}" for f, v in left.items()) + f"\n(* required for the {title})"

    full, part = tell([free] if lone else g.rng.choice([[], [free]])), tell([miss] if lone else [miss, free] if g.coin() else [miss])
    out = two(g, full, part, [("Is every required field filled in?", True), ("Can the form be accepted as complete?", True), ("All that is required has been entered.", True),
        (f"Does the {title} form have every required entry?", True), ("Nothing that is required is missing.", True), ("Is a required field empty or absent?", False),
        ("Does the form have to go back because something required is missing?", False),
        ("At least one required entry is missing.", False), ("Is the form incomplete?", False), ("The required part of the form has a gap.", False)], 0)
    ask = ["Which required field is missing?", "What must still be filled in?", "Name the required entry that is not there.", "Which required entry do we have to ask for?",
        "What is lacking on the form?"]
    out += twin(g, [(part, miss), (full, "none")], ask, must + ["none"], 1)
    state, have = g.rng.choice([(full, True), (part, probe != miss)])
    if g.coin(0.4):
        probe, state, have = miss, part, False
    p = word(probe)
    return out + deny(g, state, [(f"Is there an entry for {p}?", True), (f"A value for {p} was given.", True), (f"Do we know the {p} from the form?", True),
        (f"Does the form lack a value for {p}?", False), (f"{cap(p)} has no value here.", False), (f"Do we still have to ask for {p}?", False)], have)


# what is wanted, what there is, and (thing, the same in other words, a near thing that is not it)
SCENES = [
    ("shopping list", "receipt", [("butter", "butter 250 g", "peanut butter"), ("oat milk", "oat drink 1 l", "oat flakes"), ("potatoes", "potatoes, 2 kg bag", "potato crisps"),
        ("tomatoes", "loose tomatoes", "tomato paste"), ("toilet paper", "toilet rolls, pack of 8", "kitchen paper"), ("dish soap", "washing-up liquid", "dish brush"),
        ("rye bread", "rye loaf, sliced", "rye flour"), ("fizzy water", "sparkling water", "still water"), ("matches", "box of matches", "lighter"),
        ("minced beef", "ground beef 500 g", "beef stock")]),
    ("packing list", "bag", [("torch", "flashlight", "spare bulb"), ("swimming trunks", "bathing shorts", "swimming goggles"), ("sleeping bag", "down sleeping bag", "sleeping mask"),
        ("sun cream", "sunscreen, factor 30", "sunglasses"), ("rain jacket", "waterproof jacket", "woollen pullover"), ("hiking boots", "mountain boots", "boot polish"),
        ("toothbrush", "small toothbrush", "toothpaste"), ("phone charger", "charger for the phone", "phone case"),
        ("pocket knife", "folding knife", "pocket mirror"), ("tent pegs", "pegs for the tent", "tent poles")]),
    ("recipe", "pantry", [("icing sugar", "powdered sugar", "brown sugar"), ("chickpeas", "garbanzo beans", "kidney beans"), ("courgettes", "zucchini", "cucumbers"),
        ("spring onions", "scallions", "red onions"), ("ginger powder", "ground ginger", "ginger biscuits"), ("double cream", "heavy cream", "sour cream"),
        ("coconut milk", "tinned coconut milk", "coconut flakes"),
        ("beetroot", "red beets", "red cabbage"), ("corn starch", "cornflour", "corn flakes"), ("rocket", "arugula", "lettuce"), ("aubergines", "eggplants", "peppers")]),
    ("tool list", "returned box", [("cordless drill", "battery drill", "drill bits"), ("spanner", "wrench", "pliers"), ("tape measure", "measuring tape, 5 m", "adhesive tape"),
        ("extension lead", "extension cable", "cable ties"), ("ear defenders", "hearing protection", "safety glasses"), ("stepladder", "folding ladder", "ladder hook"),
        ("work gloves", "protective gloves", "work trousers"), ("paint roller", "roller for paint", "paint tray"), ("hammer", "claw hammer", "nails")]),
    ("first-aid rule", "first-aid box", [("gauze", "gauze pads", "cotton wool"), ("triangular bandage", "three-cornered bandage", "elastic bandage"),
        ("rescue blanket", "foil blanket", "ice pack"), ("disposable gloves", "single-use gloves", "hand cream"), ("antiseptic", "disinfectant spray", "nasal spray"),
        ("tweezers", "steel tweezers", "safety pins"),
        ("thermometer", "digital thermometer", "stethoscope"), ("eye wash", "rinsing solution for the eyes", "eye patch")]),
    ("school list", "satchel", [("ruler", "30 cm ruler", "set square"), ("coloured pencils", "twelve colouring pencils", "pencil sharpener"), ("eraser", "rubber", "ink remover"),
        ("calculator", "pocket calculator", "calendar"), ("gym shoes", "trainers for gym", "gym bag"), ("glue stick", "stick of glue", "sticky tape"), ("ink pen", "fountain pen", "ink cartridges")]),
    ("stage plan", "stage set-up", [("two microphones", "a pair of mics", "two microphone stands"), ("drum kit", "full set of drums", "practice pad"),
        ("grand piano", "concert grand", "piano stool"), ("bass amp", "bass amplifier", "bass strings"), ("lighting desk", "light mixing console", "desk lamp"),
        ("music stands", "stands for sheet music", "sheet music")]),
    ("hamper order", "hamper", [("red wine", "bottle of Merlot", "wine vinegar"), ("dark chocolate", "bitter chocolate, 70 %", "chocolate liqueur"),
        ("honey", "jar of honey", "honey melon"), ("goat cheese", "cheese from goat's milk", "cheese knife"), ("olives", "green olives", "olive oil"),
        ("walnuts", "bag of walnuts", "nut brittle"), ("apricot jam", "jam made of apricots", "dried apricots")]),
]


def sheets(g, left, right):
    """One way to show two lists: a function of both."""
    shape, one, other = g.rng.randint(0, 7), g.name(), g.pick(b.COMPANIES)
    line = lambda xs: ", ".join(xs) or "nothing"
    dash = lambda xs: "\n".join(f"- {x}" for x in xs)
    return lambda a, c: [
        lambda: {left.replace(" ", "_"): a, right.replace(" ", "_"): c}, lambda: f"{cap(left)}: {line(a)}\n{cap(right)}: {line(c)}", lambda: f"{cap(left)}:\n{dash(a)}\n\n{cap(right)}:\n{dash(c)}",
        lambda: f"The {left} names {g.join(a)}. In the {right} there is: {g.join(c or ['nothing'])}.",
        lambda: {"wanted": {"from": left, "items": a}, "found": {"in": right, "items": c}},
        lambda: f"{one}: What does the {left} say?\n{other}: {cap(line(a))}.\n{one}: And the {right}?\n{other}: {cap(line(c))}.",
        lambda: f"{cap(right)}: {'; '.join(c) or 'nothing'}. This is to be held against the {left}: {'; '.join(a)}.", lambda: [{"sheet": right, "entries": c}, {"sheet": left, "entries": a}]][shape]()


def two_lists(g):
    """Is all of one list in the other, and what is not? A near thing does not count, other words for it do."""
    left, right, pool = g.pick(SCENES)
    n = g.rng.randint(2, 5)
    *trio, spare_one = some(g, pool, n + 1)
    wanted, (miss, same, near) = [t[0] for t in trio], trio[0]
    again = {t: t[1] if g.coin(0.4) else t[0] for t in trio}
    rest, more = [again[t] for t in trio[1:]], [spare_one[g.rng.randint(0, 1)]] if g.coin(0.4) else []
    lure = [near] if g.coin(0.7) else []
    there = again[trio[0]]
    tell, wanted = sheets(g, left, right), mixed(g, wanted)
    order = mixed(g, rest + more + lure)
    at = g.rng.randint(0, len(order))
    full = tell(wanted, order[:at] + [there] + order[at:])
    put = g.rng.choice([[near], [spare_one[0]] if not more else [], []]) if not lure else g.rng.choice([[], [spare_one[0]] if not more else []])
    part = tell(wanted, order[:at] + put + order[at:])
    out = two(g, full, part, [(f"Is everything on the {left} there?", True), (f"Does the {right} have all that the {left} names?", True), (f"Nothing from the {left} is missing.", True),
        (f"The {right} covers the whole {left}.", True), (f"Could every line of the {left} be ticked off?", True), (f"Is something from the {left} missing?", False),
        (f"The {right} lacks at least one thing that the {left} names.", False), (f"Is the {right} incomplete, measured by the {left}?", False),
        (f"Does a line of the {left} remain open?", False), (f"Somebody forgot a thing from the {left}.", False)], 0)
    out += twin(g, [(part, miss), (full, "nothing")], [f"What from the {left} is missing?", "Which thing is not there?", f"What does the {right} lack?",
        f"Which line of the {left} stays open?", "What has to be added?"], wanted + ["nothing"], 1)
    state, yes = g.rng.choice([(full, True), (part, False)])
    if g.coin(0.4):
        out += ask_both(g, state, Clause(f"the {right}", "does", f"contain what the {left} calls \"{miss}\"", f"contains what the {left} calls \"{miss}\""), yes)
    elif len(trio) > 2 and g.coin(0.6):
        short = tell(wanted, order[:1] if order and order[0] in rest else [rest[0]] + more)
        out += rungs(g, [(full, 0), (part, 1), (short, 2)] if len(rest) > 1 else [(full, 0), (part, 1)],
            [f"How many things from the {left} are missing?", "How many lines are open?", "Count what is not there."],
            g.pick([["none", "one", "two or more"], ["0: all there", "1: one missing", "2: more than one missing"], ["nothing missing", "a single thing missing", "several things missing"]]))
    return out


COUNTS = [("order", "parcel", "", ["cups", "candles", "light bulbs", "notebooks", "door hinges", "towels", "tea tins", "batteries", "brushes", "picture frames"]),
    ("recipe", "larder", " g", ["flour", "sugar", "butter", "rice", "lentils", "almonds", "raisins", "semolina"]),
    ("loading plan", "van", "", ["barrels", "tyres", "sacks of cement", "crates", "windows", "radiators", "beams"]),
    ("seed plan", "store", " kg", ["barley", "oats", "clover", "peas", "mustard seed", "rye"]),
    ("equipment rule", "lifeboat", "", ["vests", "flares", "blankets", "oars", "ropes", "lamps", "water cans"]),
    ("ward stock rule", "cupboard", "", ["syringes", "bandages", "masks", "cannulas", "swabs", "bottles of saline"]),
    ("paint plan", "shed", " l", ["white paint", "primer", "varnish", "wood stain", "blue paint"]),
    ("seating plan", "hall", "", ["chairs", "benches", "stools", "tables", "cushions"])]


def counted_lines(g):
    """Lines with quantities: is there enough of each, and of what too little?"""
    left, right, unit, pool = g.pick(COUNTS)
    things = some(g, pool, g.rng.randint(2, 4))
    step = 1 if not unit else 50 if unit == " g" else 2
    need = {t: step * g.rng.randint(2, 12) for t in things}
    have = {t: need[t] + (step * g.rng.randint(1, 4) if g.coin(0.4) else 0) for t in things}
    low = g.rng.choice(things)
    less = {**have, low: need[low] - step * g.rng.randint(1, 1 + (need[low] > 2 * step))}
    shape, order, who = g.rng.randint(0, 5), mixed(g, things), g.name()
    amount = lambda n, t: f"{n}{unit} {'of ' if unit else ''}{t}"

    def tell(h):
        a, c = [amount(need[t], t) for t in things], [amount(h[t], t) for t in order]
        return [lambda: [{"item": t, "needed": need[t], "there": h[t]} for t in things], lambda: {left.replace(" ", "_"): need, right: {t: h[t] for t in order}},
            lambda: f"The {left} asks for {g.join(a)}. {who} counted in the {right}: {g.join(c)}.",
            lambda: f"{cap(left)}:\n" + "\n".join(f"- {x}" for x in a) + f"\n{cap(right)}:\n" + "\n".join(f"- {x}" for x in c),
            lambda: "item; needed; there\n" + "\n".join(f"{t}; {need[t]}{unit}; {h[t]}{unit}" for t in things),
            lambda: f"Found in the {right}: {'; '.join(c)}. By the {left} we need at least {'; '.join(a)}."][shape]()

    full, part = tell(have), tell(less)
    out = two(g, full, part, [("Is there enough of everything?", True), ("Every line reaches the quantity that is needed.", True), (f"Does the {right} meet the {left} in full?", True),
        ("No line falls short.", True), ("Can we do without fetching more?", True), ("Is there too little of something?", False), ("At least one line falls short.", False),
        (f"Does the {right} fall short of the {left} anywhere?", False),
        ("Do we have to fetch more of anything?", False), ("The quantities are not sufficient throughout.", False)], 0)
    out += twin(g, [(part, low), (full, "nothing")], ["Of what is there too little?", "Which line falls short?", "What has to be topped up?",
        "What is not there in the needed quantity?"], things + ["nothing"], 1)
    t = g.rng.choice(things)
    state, h = g.rng.choice([(full, have), (part, less), (part, less)])
    t = low if g.coin() else t
    return out + deny(g, state, [(f"Is the quantity of {t} sufficient?", True), (f"There is as much {t} as needed, or more." if unit else f"There are as many {t} as needed, or more.",
        True), (f"Will the {t} do?", True), (f"Is the quantity of {t} too small?", False), (f"More {t} must be brought.", False), (f"Do we run short of {t}?", False)], h[t] >= need[t])


# subject -> (key, question, answer, answer, near the question but no answer)
TALKS = {
    "the bicycle for sale": [("age", "How old is it?", "I bought it new in 2019.", "It is six years old.", "It looks as good as new."),
        ("lights", "Does it have lights?", "There are lights front and back.", "No lights, I am afraid.", "I only rode it by day."),
        ("frame", "How big is the frame?", "The frame is 54 cm.", "It has a 58 cm frame.", "The frame is black and really pretty."),
        ("reason", "Why are you selling it?", "I cannot cycle any more because of my knee.", "I sell it because I got a new one.", "Lots of people are selling theirs now.")],
    "the room to let": [("rent", "What is the rent?", "The rent is 380 euros.", "It costs 415 a month.", "The rent is paid on the first of the month."),
        ("floor", "Which floor is it on?", "It is on the third floor.", "The room is right under the roof, on the fifth floor.", "The floor is oak."),
        ("pets", "Are pets allowed?", "Cats are fine, dogs are not.", "No animals, sorry.", "My sister has a parrot."),
        ("flatmates", "How many people live there?", "We are four.", "Apart from you only me.", "The people here are all very kind.")],
    "minding the dog": [("food", "What does he eat?", "He eats dry food only.", "Give him rice with chicken.", "He has a blue bowl in the kitchen."),
        ("walks", "How often does he go out?", "He goes out three times a day.", "One long walk in the morning is enough.", "The park is round the corner."),
        ("cats", "Does he get on with cats?", "He chases every cat.", "Cats do not bother him at all.", "The neighbours have cats."),
        ("vet", "Who is his vet?", "His vet is Dr Costa in Oak Road.", "We go to the animal clinic by the bridge.", "He was at the vet's in May.")],
    "the sourdough": [("flour", "Which flour do you use?", "I take dark rye flour.", "Plain wheat flour.", "The flour stands in the cupboard."),
        ("rest", "How long does it rest?", "It rests for twelve hours.", "Overnight, that is about nine hours.", "Rest is important."),
        ("oven", "How hot must the oven be?", "230 degrees.", "As hot as it gets, mine has 260.", "My oven is rather old."),
        ("salt", "How much salt goes in?", "Ten grams of salt.", "One level teaspoon of salt.", "I like sea salt best.")],
    "the trail": [("length", "How long is it?", "It is eleven kilometres.", "About 7 km.", "It felt short to me."),
        ("water", "Is there water on the way?", "There are two springs.", "You will find no water up there.", "It rained when we went."),
        ("children", "Can children walk it?", "Children can do it from about six.", "It is too steep for children.", "My children stayed at home."),
        ("start", "Where does it begin?", "It begins behind the chapel.", "You start at the car park by the lake.", "The beginning is the best part.")],
    "the piano lessons": [("fee", "What do you charge?", "I charge 30 euros an hour.", "The first one is free, then it is 25.", "You can pay in cash or by card."),
        ("day", "On which day could you teach?", "Only Tuesdays are free.", "I could do it on Saturday.", "Every day is a good day for music."),
        ("books", "Which book do we need?", "You need the red Bach book.", "We do it without a book.", "I have shelves full of books."),
        ("home", "Do you come to our house?", "I come to you.", "No, I teach only at my place.", "Your house is in a nice street.")],
    "the kittens": [("boy_or_girl", "Are they boys or girls?", "Two boys and one girl.", "All three are female.", "They are so sweet."),
        ("age", "How old are they?", "They were born nine weeks ago.", "They are eleven weeks old.", "They grow fast."),
        ("vaccine", "Have they had their jabs?", "They have had the first jab.", "They have not been vaccinated yet.", "Our vet is wonderful."),
        ("mother", "Can we see the mother cat?", "The mother is here and you can see her.", "Unfortunately the mother was found and taken away, so no.", "The mother is called Minka.")],
    "the allotment": [("size", "How big is the plot?", "It has 240 square metres.", "The plot is 12 by 15 metres.", "It is big enough for happiness."),
        ("shed", "Is there a shed?", "A small shed is there.", "There is no shed on it.", "Sheds are allowed in the colony."),
        ("soil", "What is the soil like?", "The soil is sandy.", "It is heavy clay.", "I never had it tested."),
        ("bees", "May I keep bees?", "Yes, up to two hives.", "Bees are forbidden in our colony.", "I love honey.")],
    "the rented van": [("fuel", "What fuel does it take?", "It runs on diesel.", "It is electric.", "There is a petrol station near by."),
        ("seats", "How many seats does it have?", "It seats three.", "There are nine seats.", "The seats were cleaned yesterday."),
        ("height", "How high is it?", "It is 2.6 metres high.", "Two metres forty.", "Watch out under low bridges."),
        ("licence", "Which licence do I need?", "An ordinary car licence will do.", "You need a lorry licence.", "Please have your licence with you.")],
}


def chat_answers(g):
    """A chat: which questions does the answer settle, which does it avoid or pass near by?"""
    topic = g.pick(TALKS)
    n = g.rng.choice([2, 2, 3])
    *asked, unasked = g.rng.sample(TALKS[topic], n + 1)
    who, other = some(g, b.NAMES, 2)
    left_out = g.rng.choice(asked)
    good = {q[0]: q[g.rng.randint(2, 3)] for q in asked}
    fill = [unasked[2]] if g.coin(0.3) else []
    kind, order, shape = g.rng.randint(0, 2), mixed(g, asked), g.rng.randint(0, 4)
    pre = g.pick(["", "Hi! ", "Sure. ", "Thanks for asking. ", "Let me see. ", "Good questions! "])
    put = lambda q: {0: q[4], 1: "", 2: f"As to the other thing ({q[0].replace('_', ' ')}), I will have to look."}[kind]

    def tell(missing, also=()):
        says = pre + " ".join(x for x in [put(q) if q in missing else good[q[0]] for q in order] + fill + list(also) if x)
        asks = " ".join(q[1] for q in asked)
        return [lambda: f"{who}: This is about {topic}. {asks}\n{other}: {says}", lambda: [{"who": who, "text": f"About {topic}: {asks}"}, {"who": other, "text": says}],
            lambda: {"topic": topic, "questions": [q[1] for q in asked], "answer": says},
            lambda: f"{who} asked {other} about {topic}: " + asks + f" {other} wrote: \"{says}\"",
            lambda: f"Questions about {topic}\n" + "\n".join(f"{i}. {q[1]}" for i, q in enumerate(asked, 1)) + f"\nAnswer: {says}"][shape]()

    also = [left_out[4]] if kind == 1 and g.coin(0.3) else []
    full, part = tell([], also), tell([left_out], also)
    out = two(g, full, part, [("Are all the questions answered?", True), (f"Does {other} answer everything {who} asked?", True), ("Every question got an answer.", True),
        ("No question stays open.", True), (f"Can {who} be done with asking?", True), ("Is a question left open?", False), (f"Does {who} have to ask one thing again?", False),
        (f"{other} leaves at least one question unanswered.", False), ("Not every question has been answered.", False), ("Has something been passed over?", False)], 0)
    out += twin(g, [(part, left_out[0]), (full, "none")], ["Which question is still open?", "What was not answered?", f"What does {who} still not know?",
        "Which point does the answer pass over?"], {**{q[0]: q[1] for q in asked}, "none": "Every question is answered"}, 1)
    probe = left_out if g.coin(0.8) else g.rng.choice(asked)
    state, yes = g.rng.choice([(full, True), (part, probe != left_out)])
    out += deny(g, state, [(f"Does the answer settle this: {probe[1]}", True), (f"\"{probe[1]}\" has been answered.", True), (f"Is this question answered: {probe[1]}", True),
        (f"Is this still open: {probe[1]}", False), (f"\"{probe[1]}\" has not been answered.", False), (f"Does {who} still have to find this out: {probe[1]}", False)], yes)
    if g.coin(0.35):
        out += rungs(g, [(full, 2), (part, 1), (tell(asked) if kind != 1 else tell(asked, ["More on that soon."]), 0)],
            ["How far are the questions answered?", "How complete is the answer?", "Rate how many of the questions are settled."],
            g.pick([["none", "some", "all"], ["answers nothing", "answers a part", "answers all of it"], ["0: nothing is settled", "1: partly settled", "2: all settled"]]))
    return out


# what is asked for, where it is reported: (point, done, near by, not done)
POINTS = [
    ("acceptance criteria", "pull request notes", [("the login locks after five wrong tries", "Five wrong passwords in a row now lock the login.",
        "The login page has a new background.", "Locking after wrong tries is left for a later change."),
        ("the list can be sorted by date", "A click on the date column orders the rows by date.", "The date column is a bit wider.", "Sorting the rows by date is not part of this."),
        ("users can delete their account", "A new button lets users remove their account for good.", "The account name is now shown at the top.",
            "Removing an account still needs a decision."), ("the export copes with empty tables", "A table without rows now gives an empty file on export.",
                "The export button sits on the right.", "Tables without rows still make the export fail."),
        ("closing an unsaved form brings a warning", "Leaving the form with unsaved input now warns the user.", "The form got two columns.",
            "A warning for unsaved input is planned for May."), ("search ignores upper and lower case", "Capitals and small letters make no difference to search any more.",
                "The search box has a lens icon.", "So far search still tells capitals from small letters."),
        ("the new module has tests", "Tests for the new module are in.", "The new module was renamed.", "The new module has no tests so far.")]),
    ("agenda", "minutes", [("cost of the fence", "The fence was approved at 1,200 euros.", "Somebody praised the old fence.", "The cost of the fence was not reached for lack of time."),
        ("choice of a treasurer", "Ms Haas was elected treasurer.", "The treasurer's biscuits were praised.", "The election of a treasurer was put off."),
        ("noise in the yard", "On noise it was agreed that the yard is closed after ten.", "The yard looked nice in the snow.", "Nobody got round to the noise."),
        ("summer party", "The party will be on 8 July with a band.", "It was warm for the season.", "The party is to be talked about next time."),
        ("key for the cellar", "Every flat will get a cellar key by May.", "The cellar was painted in spring.", "The matter of the cellar key was left open."),
        ("new bins", "Two brown bins will be ordered.", "The bins were emptied on Monday.", "New bins were not dealt with."),
        ("bicycle stands", "Ten stands will be set up by the gate.", "Two members had come by bicycle.", "The stands were dropped from the list, as it was late.")]),
    ("work order", "fitter's report", [("bleed the radiators", "All radiators were bled.", "The radiators are white and of iron.", "Bleeding the radiators was not possible today."),
        ("replace the filter", "A new filter was put in.", "The filter is of the type F7.", "The filter was out of stock, so the old one is still in."),
        ("test the alarm", "The alarm was set off as a test and worked.", "The alarm hangs in the hall.", "There was no time to test the alarm."),
        ("seal the window", "The window has a new seal.", "The window faces north.", "The window could not be sealed in the rain."),
        ("clean the burner", "The burner was taken out and cleaned.", "The burner is from 2012.", "The burner was too hot to be cleaned."),
        ("check the pressure", "The pressure was checked: 1.6 bar.", "The gauge for the pressure is on the left.", "The pressure was not checked."),
        ("label the fuses", "Every fuse now has a label.", "The fuse box is by the door.", "The fuses are still without labels.")]),
    ("specification", "delivery note", [("a cover that can be locked", "The cover has a lock with two keys.", "The cover is blue.", "A lock for the cover will follow."),
        ("wheels with brakes", "Each wheel has a brake.", "The wheels are of rubber.", "The wheels came without brakes."),
        ("a manual in Polish", "The manual is in Polish and English.", "The manual has 40 pages.", "The Polish manual was not printed yet."),
        ("a lamp inside", "Inside there is a lamp.", "Inside it is painted white.", "The inner lamp was left out."),
        ("a spare battery", "A second battery is enclosed.", "The battery is at the back.", "A spare battery was not to be had."),
        ("a handle on both sides", "There is a handle left and right.", "The handle is of beech wood.", "There is one handle only, on the left."),
        ("feet that can be adjusted", "The height of the feet can be set.", "The feet are of steel.", "The feet are fixed for now.")]),
    ("care plan", "nurse's entry", [("take the temperature", "The temperature was 37.1 at noon.", "The window was open for fresh air.",
        "The thermometer was broken, so no temperature was taken."), ("change the dressing", "A fresh dressing was put on.", "The patient asked what a dressing costs.",
            "The dressing will be changed by the night shift."), ("walk in the corridor", "We walked up and down the corridor twice.", "The corridor was being mopped.",
                "There was no walk, as the patient was asleep."), ("weigh the patient", "The scales showed 64 kg.", "The patient ate well.", "Weighing had to be skipped."),
        ("give the eye drops", "The eye drops were given at eight.", "The patient read without glasses.", "The eye drops were not given."),
        ("call the family", "I rang the family and told them.", "A photo of the family stands by the bed.", "Nobody has called the family yet.")]),
]


def points_done(g):
    """A report in prose against the points it had to cover: done, only touched on, or put off."""
    left, right, pool = g.pick(POINTS)
    asked = some(g, pool, g.rng.randint(2, 4))
    miss = g.rng.choice(asked)
    how, shape, order = g.rng.randint(2, 3), g.rng.randint(0, 4), mixed(g, asked)
    bullets = g.coin()

    def tell(missing):
        lines = [p[how] if p in missing else p[1] for p in order]
        body = "\n".join(f"- {x}" for x in lines) if bullets else " ".join(lines)
        names = [p[0] for p in asked]
        return [lambda: {left.replace(" ", "_"): names, right.replace(" ", "_").replace("'", ""): lines if bullets else body},
            lambda: f"{cap(left)}: {'; '.join(names)}.\n{cap(right)}: " + ("\n" if bullets else "") + body,
            lambda: f"{cap(left)}\n" + "\n".join(f"[ ] {n}" for n in names) + f"\n\n{cap(right)}\n{body}",
            lambda: f"{cap(right)}:" + ("\n" if bullets else " ") + body + f"\nThe {left} had these points: {', '.join(names)}.",
            lambda: [{"document": left, "points": names}, {"document": right, "text": " ".join(lines)}]][shape]()

    full, part = tell([]), tell([miss])
    out = two(g, full, part, [(f"By the {right}, is every point of the {left} done?", True),
        (f"The {right} show that all of the {left} was dealt with.".replace("show", "show" if right.endswith(("notes", "minutes")) else "shows"), True),
        (f"Can the {left} be closed, all points done?", True), (f"No point of the {left} is left.", True), ("Has everything been settled?", True), (f"Is a point of the {left} not done?", False),
        ("At least one point has not been settled.", False), (f"Does the {left} still have an open point?", False), ("Is something still to do?", False),
        (f"Not all of the {left} has been carried out.", False)], 0)
    out += twin(g, [(part, miss[0]), (full, "none")], ["Which point is still open?", "Which point has not been done?", f"What is left of the {left}?", "What was not dealt with?",
        "Name the open point."], [p[0] for p in asked] + ["none"], 1)
    probe = miss if g.coin(0.8) else g.rng.choice(asked)
    state, done = g.rng.choice([(full, True), (part, probe != miss)])
    t = probe[0]
    out += deny(g, state, [(f"Is this point done: {t}?", True), (f"The point \"{t}\" has been settled.", True), (f"Can one tick off \"{t}\"?", True),
        (f"Is this point still open: {t}?", False), (f"The point \"{t}\" has not been settled.", False), (f"Does \"{t}\" remain to be done?", False)], done)
    if len(asked) > 2 and g.coin(0.4):
        out += rungs(g, [(full, 2), (part, 1), (tell(asked), 0)], ["How much of it is done?", "How far was the list worked off?", "Rate the degree of completion."],
            g.pick([["nothing", "a part", "everything"], ["no point done", "some points done", "all points done"], ["0: none", "1: in part", "2: in full"]]))
    return out


SUBJECTS = ["tides", "honey bees", "mirrors", "volcanoes", "carpets", "bridges", "clocks", "windmills", "owls", "kites", "canals", "potatoes", "lighthouses", "mosses", "comets", "bicycles"]
RUBRIC = {  # criterion -> (it is met, it only sounds so)
    "names a source": (["{p} writes in the book 'All About {X}' that {x} matter more than we think.", "According to a study by the University of {c}, {x} are well understood.",
        "Source: {p}, A History of {X}, last chapter."],
        ["I read something about that somewhere.", "Many say that {x} matter more than we think.", "It is well known how things stand with {x}."]),
    "has a conclusion": (["In conclusion, {x} have changed many lives.", "To sum up: where there are {x}, people gather.", "All this leads to the conclusion that {x} will be with us for long."],
        ["There would be far more to say on {x}.", "And then there is also their colour.", "That will be the matter of another essay."]),
    "gives an example": (["For example, those near {c} are famous.", "Take {c}: there, {x} are part of daily life.", "One instance is {c}, where they are celebrated each summer."],
        ["There are many examples of this.", "This is so in lots of places.", "Examples could be given."]),
    "mentions an objection": (["Some object that {x} cost too much.", "Against this it is said that {x} are a thing of the past.", "Critics reply that we could do without {x}."],
        ["Nobody has said a word against that.", "No objection was ever heard.", "Everyone agrees on this."]),
    "gives a number": (["About 40 percent of people see them daily.", "In all, 312 kinds are known.", "They were first described 2,400 years ago."],
        ["A great many people see them daily.", "Countless kinds are known.", "They were first described a long time ago."]),
    "states the writer's own opinion": (["I find {x} beautiful.", "In my view, {x} are underrated.", "Personally, I think that {x} are a delight."],
        ["Opinions on {x} differ.", "What people think of {x} depends.", "Some find {x} beautiful, others do not."]),
    "ends with a question": (["And who knows what {x} will be like far in the future?", "What will become of {x} in our children's days?"],
        ["Nobody knows what {x} will be like far in the future.", "Our children will see what becomes of {x}."]),
    "says why the subject was chosen": (["I chose {x} because my aunt works with them.", "I write about {x} since I have known them from childhood."],
        ["My subject is {x}.", "This text is about {x}."]),
}


def essay_rubric(g):
    """A short essay against a rubric: each criterion yes or no, which one fails, and the number that are met."""
    x, city = g.pick(SUBJECTS), g.pick(b.CITIES)
    who, author = some(g, b.NAMES, 2)
    n = g.rng.choice([2, 3, 3])
    names = some(g, RUBRIC, n)
    fill = lambda t: t.format(x=x, X=x.title(), p=author, c=city)
    met, not_met = ({k: fill(g.rng.choice(RUBRIC[k][i])) for k in names} for i in (0, 1))
    rank = {"says why the subject was chosen": 0, "has a conclusion": 8, "ends with a question": 9}
    order = sorted(mixed(g, names), key=lambda k: rank.get(k, 4))
    opening, shape = g.pick(["{X} are all around us.", "Few people think about {x}.", "When I was small, {x} frightened me.", "Let us talk about {x}.",
        "What would life be without {x}?"]).format(x=x, X=cap(x)), g.rng.randint(0, 4)
    cut = g.coin(0.3)

    def tell(good):
        body = " ".join([opening] + [met[k] if k in good else not_met[k] for k in order if k in good or not cut or k == "ends with a question"])
        return [lambda: body, lambda: {"essay": body}, lambda: {"student": who, "rubric": names, "essay": body}, lambda: f"The essay must do this: {'; '.join(names)}.\n\nEssay: {body}",
            lambda: "Rubric:\n" + "\n".join(f"- {k}" for k in names) + f"\n\n{body}"][shape]()

    k = names[0]
    rest = [c for c in names[1:] if g.coin()]
    yes, no = tell([k] + rest), tell(rest)
    ask = [(f"The essay {k}.", True), (f"Is it right that the essay {k}?", True), (f"Is this met: \"{k}\"?", True), (f"Does the essay earn the mark for \"{k}\"?", True),
        (f"The criterion \"{k}\" is met.", True), (f"Is this criterion missed: \"{k}\"?", False), (f"The criterion \"{k}\" is not met.", False),
        (f"Must the mark for \"{k}\" be refused?", False), (f"It is not so that the essay {k}.", False)]
    out = two(g, yes, no, ask, 0)
    every = "; ".join(names)
    full, part = tell(names), tell(names[1:])
    all_met = [(f"Does the essay meet all of these: {every}?", True), (f"All of this is in the essay: {every}.", True), (f"Is the rubric ({every}) met in full?", True),
        (f"Does the essay miss any of these: {every}?", False), (f"At least one of these is not met: {every}.", False), (f"Is the rubric ({every}) met only in part or not at all?", False)]
    if g.coin(0.6):
        out += two(g, full, part, all_met, 1)
    if g.coin(0.6):
        out += twin(g, [(part, k), (full, "none")], ["Which criterion is not met?", "Where does the essay lose a mark?", "Which of these does the essay lack?"], names + ["none"], 2)
    level = len(rest)
    scale_names = g.pick([[str(i) for i in range(n + 1)], [f"{i} of {n} met" for i in range(n + 1)],
        ["none met", "one met", "two met", "all three met"][:n + 1] if n == 3 else ["none met", "one met", "both met"], [f"{i} points" if i != 1 else "1 point" for i in range(n + 1)]])
    return out + rungs(g, [(no, level), (yes, level + 1)], [f"One point for each that is met: {every}. How many points?", f"How many of these does the essay fulfil: {every}?",
        f"Grade the essay by the number of these criteria that it meets: {every}."], scale_names, 3)


# aux, base, third person, objects, what the one without says, "what" question
TRAITS = [("does", "want", "wants", ["the window seat", "the aisle seat", "the seat at the back", "the seat by the door"], "does not mind where to sit", "What does {n} want?"),
    ("does", "work as", "works as", ["a welder", "a florist", "a baker", "a surveyor", "an optician"], "has no job at present", "What is {n}'s job?"),
    ("does", "complain about", "complains about", ["the noise", "the dust", "the late bus", "the cold water", "the bill"], "has no complaint", "What does {n} complain about?"),
    ("did", "order", "ordered", ["the soup", "the trout", "the lentil curry", "the pancakes", "the goulash"], "ordered nothing", "What did {n} order?"),
    ("does", "play", "plays", ["the cello", "the flute", "the drums", "the harp", "the horn"], "plays no instrument", "What does {n} play?"),
    ("did", "report", "reported", ["a broken lamp", "a blocked drain", "a lost key", "a cracked window", "a wasps' nest"], "reported nothing", "What did {n} report?"),
    ("will", "bring", "will bring", ["the salad", "the grill", "the plates", "the lemonade", "the cake"], "will bring nothing", "What will {n} bring?"),
    ("does", "speak", "speaks", ["Finnish", "Turkish", "Korean", "Arabic", "Czech"], "speaks no foreign language", "What does {n} speak?"),
    ("is", "allergic to", "is allergic to", ["pollen", "nuts", "cats", "penicillin", "wool"], "has no allergy", "What is {n} allergic to?"),
    ("is", "in charge of", "is in charge of", ["the lights", "the costumes", "the tickets", "the sound", "the stage"], "has no task", "What is {n} in charge of?"),
    ("does", "live on", "lives on", ["the ground floor", "the first floor", "the second floor", "the fourth floor", "the fifth floor"], "lives elsewhere", "Where does {n} live?"),
    ("did", "repair", "repaired", ["the gate", "the roof", "the pump", "the tractor", "the stove"], "repaired nothing", "What did {n} repair?"),
    ("does", "collect", "collects", ["stamps", "old maps", "teapots", "coins", "beetles"], "collects nothing", "What does {n} collect?"),
    ("did", "choose", "chose", ["the red tile", "the grey tile", "the green tile", "the white tile"], "made no choice", "Which one did {n} choose?")]


def who_has_what(g):
    """Several people, each with a wish, job or complaint of their own; asked by person and by thing."""
    aux, base, third, objects, without, what = g.pick(TRAITS)
    n = g.rng.randint(2, 4)
    people, things = some(g, b.NAMES, n + 1), g.rng.sample(objects, min(n, len(objects)))
    *people, idle = people[:len(things) + 1]
    lone, shape, form, said = g.coin(0.5), g.rng.randint(0, 6), g.rng.randint(0, 2), g.rng.randint(0, n)

    def tell(who):
        pairs = list(zip(who, things))
        lines = [f"{p} {third} {t}" for p, t in pairs]
        if shape == 0 and len(pairs) > 1:
            lines = [f"{pairs[0][0]} {third} {pairs[0][1]}"] + [f"{p} {t}" for p, t in pairs[1:]]
            return ", ".join(lines) + (f", and {idle} {without}." if lone else ".")
        if shape == 1:
            return [{"name": p, "entry": f"{third} {t}"} for p, t in pairs] + ([{"name": idle, "entry": without}] if lone else [])
        if shape == 2:
            return "\n".join(f"- {p}: {third} {t}" for p, t in pairs) + (f"\n- {idle}: {without}" if lone else "")
        if shape == 3:
            return {"question": what.format(n="each of them"), "answers": {**{p: t for p, t in pairs},
                **({idle: None} if lone else {})}} if what.startswith("What") and "job" not in what else {p: f"{third} {t}" for p, t in pairs}
        told = [[x + "." for x in lines], [f"It is {p} who {third} {t}." for p, t in pairs], [x + "." if i % 2 else f"{x}, as everyone knows." for i, x in enumerate(lines)]][form]
        idler = [f"{idle} {without}."] if lone else []
        told = told[:said] + idler + told[said:]
        return "\n".join(told) if shape == 4 else " ".join(told)

    who = people
    swapped = [people[1], people[0], *people[2:]]
    p, t = people[0], things[0]
    a, c = tell(who), tell(swapped)
    clause = Clause(p, aux, f"{base} {t}", f"{third} {t}")
    out = ask_pair(g, a, c, clause, 0) if g.coin() else two(g, a, c, [(f"Is it {p} who {third} {t}?", True), (f"The one who {third} {t} is {p}.", True),
        (f"Is {p} the person who {third} {t}?", True), (f"Is it somebody other than {p} who {third} {t}?", False), (f"The one who {third} {t} is not {p}.", False)], 0)
    kept = lone and shape != 3
    everyone = people + ([idle] if kept else [])
    if g.coin():
        out += twin(g, [(a, p), (c, people[1])], [f"Who {third} {t}?", f"Which person {third} {t}?", f"Name the one who {third} {t}."], everyone, 1)
    else:
        out += twin(g, [(a, t), (c, things[1])], [what.format(n=p), f"What holds for {p}?", f"Which of these belongs to {p}?"],
            things + ([g.other([o for o in objects if o not in things], "")] if len(things) < len(objects) and g.coin() else []), 1)
    if kept and g.coin(0.6):
        out += [pick_one(g, g.rng.choice([a, c]), [f"Who {without}?", f"Of whom is it said that he or she {without}?", "Who has nothing of the kind beside his or her name?"], everyone, idle)]
        q = idle if g.coin() else g.rng.choice(people)
        return out + deny(g, a, [(f"Does it say that {q} {without}?", True), (f"{q} {without}.", True), (f"Is {q} the one who {without}?", True),
            (f"Is it someone other than {q} who {without}?", False), (f"The one who {without} is not {q}.", False), (f"Is it wrong that {q} {without}?", False)], q == idle)
    u = g.rng.choice(things)
    return out + ask_both(g, c, Clause(p, aux, f"{base} {u}", f"{third} {u}"), u == things[1])


DEEDS = [("paid the fee", "pay the fee"), ("signed up for the trip", "sign up for the trip"), ("returned the key", "return the key"), ("voted", "vote"),
    ("passed the test", "pass the test"), ("sent a photo", "send a photo"), ("came to practice", "come to practice"), ("got a vaccination", "get a vaccination"),
    ("brought lunch", "bring lunch"), ("watered the plants", "water the plants"), ("read the chapter", "read the chapter"), ("tried the soup", "try the soup"),
    ("handed in homework", "hand in homework"), ("wore a helmet", "wear a helmet"), ("filled in the survey", "fill in the survey"), ("learned the part by heart", "learn the part by heart")]


def who_did_not(g):
    """Some did it, some did not; the crossing out, the tick and the word 'not' decide."""
    did, do = g.pick(DEEDS)
    people = some(g, b.NAMES, g.rng.randint(3, 5))
    lazy, flip, shape = people[0], g.coin(0.35), g.rng.randint(0, 6)
    order = mixed(g, people)

    def tell(one):
        """`one` stands alone: the only one who did not, or (flip) the only one who did."""
        others = [p for p in order if p != one]
        yes = lambda p: (p != one) != flip
        some_did, some_not = ([one], others) if flip else (others, [one])
        return [lambda: {"question": f"Who {did}?", "answers": {p: yes(p) for p in order}}, lambda: "\n".join(f"[{'x' if yes(p) else ' '}] {p} {did}" for p in order),
            lambda: f"{g.join(some_did)} {did}. {g.join(some_not)} did not.", lambda: f"{g.join(some_not)} did not {do}; {g.join(some_did)} did.",
            lambda: "; ".join(f"{p}: {'yes' if yes(p) else 'no'}" for p in order) + f" (question: who {did}?)",
            lambda: [{"name": p, "status": did if yes(p) else f"did not {do}"} for p in order], lambda: " ".join(f"{p} {did}." if yes(p) else f"{p} did not {do}." for p in order)][shape]()

    a, c = tell(lazy), tell(people[1])
    out = ask_pair(g, *((a, c) if flip else (c, a)), Clause(lazy, "did", do, did), 0)
    ask = [f"Who {did}?", f"Name the one who {did}.", f"Which person is the only one who {did}?"] if flip else [f"Who did not {do}?", f"Which of them did not {do}?",
        f"Who is the one that did not {do}?", f"All but one {did}. Who is the exception?"]
    out += twin(g, [(a, lazy), (c, people[1])], ask, people, 1)
    ok = g.rng.choice(people)
    return out + deny(g, a, [(f"Is {ok} among those who {did}?", True), (f"{ok} {did}.", True), (f"Does the list show that {ok} {did}?", True),
        (f"Is {ok} among those who did not {do}?", False), (f"{ok} failed to {do}.", False), (f"{ok} did not {do}.", False)], (ok != lazy) != flip)


HE, SHE, THEY = ["Mr {s}", "my uncle", "the old man", "my brother-in-law", "the bridegroom", "the boy next door", "my grandfather", "the king"], ["Mrs {s}", "my aunt", "the old lady",
    "my sister-in-law", "the bride", "the girl next door", "my grandmother", "the queen"], ["the twins", "my parents", "the neighbours", "the two guards", "the musicians",
        "the Parkers", "both cousins", "the movers"]
SURNAMES = ["Hall", "Ito", "Brandt", "Osei", "Varga", "Lund", "Moretti", "Kowal", "Dubois", "Yilmaz"]
TOLD = ["{A} told {b} that {p} had {pp}.", "{A} heard from {b} that {p} had {pp}, not somebody else.", "{A} met {b} in the street. {P} had just {pp}.",
    "{A} and {b} were on the phone. In the end it came out that {p} had {pp}.", "{A} reminded {b} that {p} had {pp}."]
EITHER = ["{A} thanked {b} because {p} had {pp}.", "When {a} saw {b} again, {p} had already {pp}.", "{A} wrote to {b}, since {p} had {pp}.", "{A} nodded at {b}, as {p} had {pp}.",
    "Before {a} rang up {b}, {p} had {pp}."]  # here `they` cannot well mean all of them
FAULTS = [("left the tap running", "leave the tap running"), ("sold the boat", "sell the boat"), ("won the raffle", "win the raffle"), ("found the ring", "find the ring"),
    ("broken the window", "break the window"), ("paid the bill", "pay the bill"), ("fed the hens", "feed the hens"), ("missed the train", "miss the train"),
    ("eaten the last roll", "eat the last roll"), ("lost the ticket", "lose the ticket"), ("called the doctor", "call the doctor"), ("locked the shed", "lock the shed"),
    ("baked the bread", "bake the bread"), ("taken the wrong coat", "take the wrong coat"), ("written the card", "write the card"), ("closed the account", "close the account")]


def pronoun_cues(g):
    """He, she or they: only one of the two fits the pronoun."""
    (k1, side1), (k2, side2) = g.rng.sample([("he", HE), ("she", SHE), ("they", THEY)], 2)
    s1, s2 = g.rng.sample(SURNAMES, 2)
    one, other = g.pick(side1).format(s=s1), g.pick(side2).format(s=s2)
    pp, base = g.pick(FAULTS)
    form, tell = g.pick(EITHER if "they" in (k1, k2) else TOLD + EITHER), frame(g)
    made = lambda k: tell(form.format(A=cap(one), a=one, b=other, p=k, P=cap(k), pp=pp))
    a, c = made(k1), made(k2)
    plain = lambda w: [(f"Did {w} {base}?", True), (f"Is it {w}, by this text, that had {pp}?", True), (f"It was {w} that had {pp}.", True), (f"Does the pronoun refer to {w}?", True),
        (f"Does the pronoun stand for somebody other than {w}?", False), (f"It was not {w} that had {pp}.", False)]
    out = two(g, a, c, plain(one), 0)
    out += twin(g, [(a, one), (c, other)], [f"Who had {pp}?", "Whom does the pronoun stand for?", f"Who is said to have {pp}?", f"Who was it that had {pp}?"], spare(g, {one: None, other: None}), 1)
    state, k = g.rng.choice([(a, True), (c, False)])
    w, yes = g.rng.choice([(one, k), (other, not k)])
    return out + deny(g, state, plain(w), yes)


ROLES = ["plumber", "nurse", "judge", "pilot", "baker", "teacher", "surgeon", "cashier", "gardener", "mayor", "electrician", "midwife", "engineer", "driver", "librarian", "coach", "vet", "guard"]
# the pronoun tells the sex of the {r} if {w} is of the other one; with both of one sex it may be either
EITHER_ONE = ["The {r} called {w} before {p} left.", "The {r} told {w} that {p} would be late.", "The {r} shook hands with {w} and then {p} sat down.",
    "The {r} met {w} when {p} was on the way home.", "The {r} spoke to {w} after {p} had eaten."]
# here the pronoun always goes with the {r}; then the same without it
ROLE_ONLY = [("{W} asked the {r} for {d} advice.", "{W} asked the {r} for advice."), ("The {r} lent {w} {d} own umbrella.", "The {r} lent {w} an umbrella."),
    ("{W} waited for the {r}, but {p} did not come.", "{W} waited for the {r}, but nobody came."),
    ("{W} trusts the {r}, since {p} has never been wrong.", "{W} trusts the {r} and always has."),
    ("{W} went to see the {r}, but {p} was not in.", "{W} went to see the {r}, but the door was locked.")]
# claim, then a sentence that states it, one that contradicts it, one that leaves it open; {m} is a man's title and name, {f} a woman's
CLAIMS = [("{f} has more than one brother", "{f} rang one of her brothers.", "{f} rang her only brother.", "{f} rang a cousin."),
    ("{m} has a sister", "{m} lives with his sister.", "{m} has three brothers, but no sister.", "{m} lives with three friends."),
    ("the {r} has children", "The {r} has a son and a daughter.", "The {r} has no children and likes it that way.", "The {r} likes children."),
    ("{f} is a widow", "{f}'s husband died in 2015 and she has not remarried.", "{f} has never been married.", "{f} lives alone."),
    ("{m} is married", "{m} and his wife run the shop.", "{m} is a bachelor who runs the shop.", "{m} runs the shop with a friend."),
    ("the {r} has been here before", "The {r} is here again.", "The {r} is here for the first time.", "The {r} is here."),
    ("{f} still smokes", "{f} smokes, as she always has.", "{f} gave up smoking for good in 2020.", "{f} smoked when she was a student."),
    ("there is only one {r} in the village", "The village has a single {r}.", "The village has two of them: a young {r} and an old {r}.", "The village has a young {r}."),
    ("{m} is the eldest of the children", "{m} is older than all of his brothers and sisters.", "{m} has two elder brothers.", "{m} has a younger brother."),
    ("{f} drove the car herself", "{f} sat at the wheel all the way.", "{f} slept on the back seat while the {r} drove.", "{f} arrived by car."),
    ("the {r} came alone", "The {r} came with nobody else.", "The {r} came with two helpers.", "The {r} came at noon."),
    ("{m} knew of the plan", "{m} had made the plan.", "Nobody had told {m} of the plan, and he did not know of it.", "{m} was surprised."),
    ("both of {f}'s daughters are doctors", "{f} has two daughters, and each of them is a doctor.", "{f} has two daughters, a doctor and a painter.",
        "{f} has two daughters; the elder is a doctor."), ("{m} speaks Greek", "{m} answered in fluent Greek.", "{m} does not know a word of Greek.",
            "{m} spends his summers in Greece."), ("the {r} was paid", "The {r} got the money in cash.", "The {r} left without having been paid a cent.", "The {r} sent a bill."),
    ("{f} owns the house", "The house belongs to {f} alone.", "{f} rents the house from the {r}.", "{f} lives in the house."),
    ("the {r} and {m} are brothers", "The {r} is {m}'s brother.", "The {r} is no relation of {m}.", "The {r} knows {m} well."),
    ("{m} has never met {f}", "{m} and {f} have never met.", "{m} met {f} at a fair last year.", "{m} wrote to {f}."),
    ("the {r} finished the work", "The {r} has finished the work.", "The {r} broke off the work halfway.", "The {r} began the work on Monday."),
    ("{f} was hurt", "{f} broke an arm.", "{f} came out of it without a scratch.", "{f} fell off her bicycle.")]
VERDICTS = [{"stated": "The text says so", "contradicted": "The text says the opposite", "not_said": "The text leaves it open"},
    {"supported": "It follows from the text", "refuted": "The text rules it out", "open": "The text does not settle it"},
    {"yes": "By the text it is so", "no": "By the text it is not so", "unknown": "Cannot be known from the text"}, {"A": "stated", "B": "contradicted", "C": "not said"},
    {"true": "true by the text", "false": "false by the text", "not_given": "not given in the text"}]


def cue_stated(g):
    """Stated, contradicted or not said: the sex of someone by a pronoun, and small facts by a word."""
    r, name, lady = g.pick(ROLES), g.pick(SURNAMES), g.pick(SURNAMES)
    tell = frame(g)
    if g.coin(0.4):
        either = g.coin(0.6)
        form, bare = (g.pick(EITHER_ONE), "") if either else g.pick(ROLE_ONLY)
        man, open_man = g.coin(), g.coin()
        claim = f"the {r} is a {'man' if man else 'woman'}"

        def text(verdict):
            """0: the pronoun fits the role only, 1: the same with the other pronoun, 2: it may be either of them, or there is none."""
            male = (man, not man, open_man)[verdict]
            w = f"{'Mr' if male == (verdict == 2) else 'Mrs'} {name}"
            return (bare if verdict == 2 and not either else form).format(r=r, w=w, W=w, p="he" if male else "she", d="his" if male else "her")
    else:
        words, *texts = g.pick(CLAIMS)
        names = dict(r=r, m=f"Mr {name}", f=f"Mrs {g.other(SURNAMES, name) if lady == name else lady}")
        claim = words.format(**names)
        text = lambda v: cap(texts[v].format(**names))
    i, j = g.rng.sample(range(3), 2)
    a, c = tell(text(i)), tell(text(j))
    options = g.pick(VERDICTS)
    keys = list(options)
    out = twin(g, [(a, keys[i]), (c, keys[j])], [f"Claim: {claim}.", f"Is this stated, contradicted or not said: {claim}?", f"What does the text say on this: {claim}?",
        f"Compare with the text: \"{cap(claim)}.\"", f"Judge the claim that {claim}."], options, 0, bare=0 if "A" in options else 0.35)
    k = g.rng.choice([1, 2])
    yes, no = tell(text(0)), tell(text(k))
    asks = [(f"Does the text say that {claim}?", True), (f"Can one tell from the text that {claim}?", True), (f"From this text we know that {claim}.", True),
        (f"Is it clear from the text that {claim}?", True), (f"The text does not tell us that {claim}.", False), (f"Is there no sign in the text that {claim}?", False)]
    out += two(g, yes, no, asks[:4] + asks[4:5], 1)
    if g.coin(0.6):
        against = tell(text(1))
        out += two(g, tell(text(2)), against if g.coin() else yes, [(f"Does the text leave open whether {claim}?", True), (f"It is not said whether {claim}.", True),
            (f"From the text one cannot know whether {claim}.", True), (f"Does the text settle whether {claim}?", False), (f"The text lets us know whether or not {claim}.", False)], 2)
    return out


# what changes -> values
THINGS = {"the gate of the flight": ["gate A4", "gate B17", "gate C2", "gate D9", "gate F30"],
    "the price of the boat": ["4,200 euros", "3,900 euros", "3,500 euros", "4,600 euros", "5,000 euros"],
    "the delivery address": ["Mill Lane 3", "Oak Road 18", "Harbour Street 5", "Castle Hill 40", "Pine Way 9"],
    "the patient's room": ["room 12", "room 31", "room 7", "room 22", "room 40"], "the delivery slot": ["8 to 10", "10 to 12", "12 to 2", "2 to 4", "4 to 6"],
    "the dish of the day": ["lentil stew", "fish cakes", "mushroom risotto", "goulash", "spinach pie"], "the required version": ["3.1", "3.4", "4.0", "2.9", "4.2"],
    "the colour of the sofa": ["grey", "mustard", "navy", "moss green", "wine red"], "the driver of tour 6": ["Kofi", "Olga", "Hamid", "Rosa", "Nils"],
    "the speaker at the opening": ["Dr Lind", "Ms Adeyemi", "Mr Costa", "Professor Weber", "Ms Zeman"], "the name of the ferry": ["Aurora", "Seagull", "Northern Star", "Marie", "Blue Wave"],
    "the platform of the 9:40 train": ["platform 1", "platform 3", "platform 5", "platform 8", "platform 11"],
    "the main colour of the poster": ["orange", "black", "turquoise", "violet", "beige"], "the dose": ["5 mg", "10 mg", "15 mg", "20 mg", "40 mg"],
    "the title of the book": ["Salt", "The Long Field", "Low Tide", "A Quiet House", "Winter Bread"],
    "the goalkeeper for Sunday": ["Emma", "Bjorn", "Chidi", "Tessa", "Marco"], "the wood for the table": ["oak", "ash", "walnut", "beech", "cherry"]}
START = ["At first {t} was {v}.", "{T} was {v} to begin with.", "In the beginning we had {v} for {t}.", "{T} was set to {v}.", "The first entry for {t} was {v}."]
SET = ["Then it was changed to {v}.", "After that, {v} was entered instead.", "It became {v} next.", "A new decision made it {v}.", "The old entry was crossed out and {v} put there.",
    "This was altered to {v} and confirmed."]
BACK = ["The latest change was taken back.", "That last change was then undone, so the value before it applies again.", "This change was revoked and the value before it put back.",
    "The change was cancelled, back to what stood before it."]
IDEA = ["Somebody proposed {v}, but that was turned down.", "There was an idea to make it {v}; nothing came of it.", "{V} was talked about and not taken.",
    "A wish for {v} came in and was refused.", "{V} was considered, without result."]


def history(g, values, n):
    """Events after the first entry, as (kind, value), and the value after each."""
    stack, events, fresh = [values[0]], [], list(values[1:])
    for _ in range(n):
        kind = g.rng.choice(["set", "set", "idea"] + (["back"] if len(stack) > 1 and events[-1][0] == "set" else []))
        events.append((kind, stack[-1] if kind == "back" else fresh.pop(0)))
        stack = stack[:-1] if kind == "back" else stack + [events[-1][1]] if kind == "set" else stack
    return events, stack


def chronicle(g, thing, first, count):
    """One way to tell a history: a function of the events."""
    shape, day = g.rng.randint(0, 5), g.rng.randint(1, 9)
    lead, lines = g.pick(START), [{"set": g.pick(SET), "back": g.pick(BACK), "idea": g.pick(IDEA)} for _ in range(count)]
    status, tell = {"set": "approved", "idea": "rejected", "back": "withdrawn"}, dress(g)

    def put(events):
        told = [lead.format(t=thing, T=cap(thing), v=first)] + [w[k].format(v=v, V=cap(v)) for w, (k, v) in zip(lines, events)]
        if shape <= 1:
            return tell(" ".join(told))
        if shape == 2:
            return "\n".join(f"{day + i} June: {x}" for i, x in enumerate(told))
        if shape == 3:
            return {"subject": thing, "first": first, "changes": [{"no": i, "action": {"set": "set to", "idea": "proposal, rejected:", "back": "undo the change to"}[k] + f" {v}"} for i,
                (k, v) in enumerate(events, 1)]}
        if shape == 4:
            return [{"day": day, "event": "first entry", "value": first}] + [{"day": day + i,
                "event": {"set": "changed", "idea": "change requested and rejected", "back": "change revoked"}[k], "value": v} for i, (k, v) in enumerate(events, 1)]
        return f"{cap(thing)}, newest entry on top:\n" + "\n".join(f"- {day + i} June: {x}" for i, x in list(enumerate(told))[::-1])
    return put


def latest_value(g):
    """One thing changed several times, some changes revoked or only proposed: what holds now, what held first?"""
    thing = g.pick(THINGS)
    values = mixed(g, THINGS[thing])
    n = g.rng.randint(1, 3)
    events, stack = history(g, values, n)
    used = {values[0], *(v for _, v in events)}
    fresh = next(v for v in values if v not in used)
    can_undo = events and events[-1][0] == "set"
    ends = [[("set", fresh)], [("idea", fresh)]] if not can_undo or g.coin(0.5) else [[("back", stack[-1])], [("idea", fresh)]] if g.coin() else [[("back", stack[-1])], [("set", fresh)]]
    put = chronicle(g, thing, values[0], n + 1)
    after = {"set": fresh, "idea": stack[-1], "back": stack[-2] if len(stack) > 1 else stack[-1]}
    (e1, e2), first = mixed(g, ends), values[0]
    a, c, x, y = put(events + e1), put(events + e2), after[e1[0][0]], after[e2[0][0]]
    says = lambda v: [(f"Is {thing} {v} now?", True), (f"{cap(thing)} is {v} as things stand.", True), (f"Does {v} hold today for {thing}?", True),
        (f"After all this, {thing} is {v}.", True), (f"Is {thing} something other than {v} by now?", False), (f"{cap(thing)} is not {v} at present.", False),
        (f"Would it be wrong to count on {v} today?", False)]
    out = two(g, a, c, says(x), 0)
    options = {v: None for v in used | {fresh}}
    out += twin(g, [(a, x), (c, y)], [f"What is {thing} now?", f"What holds for {thing} at the end?", "Which value is valid today?", "Which value should be used from now on?",
        "Pick the current value."], options, 1)
    same = [(f"Is {thing} today the same as at the start?", True), ("The first value holds today.", True), ("Do we have the original value now?", True),
        (f"Is {thing} different from what it was at first?", False), ("What holds now is not the first value.", False)]
    if (x == first) != (y == first):
        out += two(g, *((a, c) if x == first else (c, a)), same, 2)
    elif x == first or g.coin(0.2):
        out += deny(g, a, same, x == first)
    if g.coin(0.4):
        out.append(pick_one(g, g.rng.choice([a, c]), [f"What was {thing} at the very beginning?", "Which value was the original one?", "What was entered first?"], options, first))
    if g.coin(0.4):
        v = g.rng.choice(list(options))
        held = {first} | {v for k, v in events + e1 if k == "set"}
        out += deny(g, a, [(f"Did {v} ever apply, at any time?", True), (f"{cap(v)} was valid at some point.", True), (f"Was {v} in force at least for a while?", True),
            (f"Has {v} never been in force?", False), (f"{cap(v)} did not apply at any time.", False)], v in held, 1)
    return out


def changes_of_two(g):
    """Two of a kind, each with changes of its own: whose value is which now?"""
    what, forms = g.pick([("seat", ["12A", "14C", "3F", "21D", "7B"]), ("locker", ["14", "88", "230", "57", "301"]),
        ("shift", ["the early shift", "the late shift", "the night shift", "the weekend shift"]), ("desk", ["desk 4", "desk 9", "desk 16", "desk 21"]),
        ("bed", ["bed 1", "bed 2", "bed 5", "bed 8"]), ("plot", ["plot 3", "plot 6", "plot 10", "plot 11"]), ("stall", ["stall A", "stall C", "stall E", "stall K"]),
        ("route", ["the harbour route", "the hill route", "the airport route", "the school route"]), ("mentor", ["Dr Osei", "Ms Brandt", "Mr Lund", "Ms Varga"]),
        ("cabin", ["cabin 2", "cabin 5", "cabin 6", "cabin 13"])])
    p, q = some(g, b.NAMES, 2)
    v = mixed(g, forms)
    now = {p: v[0], q: v[1]}
    first = dict(now)
    story, shape, tell = [], g.rng.randint(0, 3), dress(g)
    for _ in range(g.rng.randint(1, 3)):
        kind, who = g.rng.choice(["swap", "move", "move", "ask"]), g.rng.choice([p, q])
        free = g.rng.choice([x for x in v if x not in now.values()])
        if kind == "swap":
            now = {p: now[q], q: now[p]}
            story.append(g.rng.choice([f"{p} and {q} swapped.", f"Then {q} and {p} changed places with each other."]))
        elif kind == "move":
            now = {**now, who: free}
            story.append(g.rng.choice([f"{who} was given {free} instead.", f"Later {who} changed to {free}.", f"For {who} it was altered to {free}."]))
        else:
            story.append(g.rng.choice([f"{who} asked for {free} and did not get it.", f"{who} thought of changing to {free}, but let it be."]))
    free = g.rng.choice([x for x in v if x not in now.values()])
    ends = {"swap": f"In the end {p} and {q} swapped.", "p": f"In the end {p} got {free}.", "none": f"In the end {p} asked for {free} in vain.", "q": f"In the end {q} got {free}."}
    after = {"swap": {p: now[q], q: now[p]}, "p": {p: free, q: now[q]}, "none": now, "q": {p: now[p], q: free}}
    e1, e2 = g.rng.sample(["swap", "p", g.rng.choice(["none", "q"])], 2)
    start = g.pick([f"{p} had {first[p]} and {q} had {first[q]}.", f"{q} began with {first[q]}, {p} with {first[p]}.", f"The {what} of {p} was {first[p]}, that of {q} was {first[q]}.",
        f"On the first list: {p}, {first[p]}; {q}, {first[q]}."])
    make = lambda e: [lambda: tell(" ".join([start] + story + [ends[e]])), lambda: "\n".join(f"{i}. {x}" for i, x in enumerate([start] + story + [ends[e]], 1)),
        lambda: {what: {p: first[p], q: first[q]}, "what_happened_then": story + [ends[e]]}, lambda: f"{cap(what)}s: {start}\n" + "\n".join(f"- {x}" for x in story + [ends[e]])][shape]()
    a, c = make(e1), make(e2)
    who = p if after[e1][p] != after[e2][p] else q
    x, y = after[e1][who], after[e2][who]
    asks = lambda who, x: [(f"Does {who} have {x} now?", True), (f"{who}'s {what} is {x} in the end.", True), (f"Is {x} the {what} of {who} at present?", True),
        (f"As things stand, {who} has {x}.", True), (f"Does {who} have something other than {x} now?", False), (f"{who}'s {what} is not {x} any more, or never was.", False)]
    out = two(g, a, c, asks(who, x), 0)
    out += twin(g, [(a, x), (c, y)], [f"Which {what} does {who} have now?", f"What is {who}'s {what} in the end?", f"Pick the current {what} of {who}.",
        f"What should stand beside {who} on the list today?"], v, 1)
    z = g.rng.choice([p, q])
    probe = g.rng.choice([after[e1][z], after[e1][z], first[z], g.rng.choice(v)])
    out += deny(g, a, asks(z, probe), probe == after[e1][z])
    return out + ask_both(g, c, Clause(f"{z}'s first {what}", "is", f"the same as {z}'s {what} now"), first[z] == after[e2][z], 1)


# trade -> intent -> (description, what the writer wants, the matter as something mentioned)
TRADES = {
    "bank": {"card_block": ("Stop a card", "please stop my card, I have lost it", "the lost card"),
        "address": ("New address of a client", "I only want to give you my new address", "the new address"),
        "loan": ("Borrow money", "I would like to borrow 8,000 euros for a kitchen", "the loan"),
        "transfer": ("Send money", "I need to send 300 euros to Portugal", "the payment to Portugal"),
        "limit": ("Raise or lower a spending limit", "my daily limit should be higher", "the daily limit"),
        "app": ("Trouble with the app", "the app does not open on my phone", "the trouble with the app")},
    "airline": {"baggage": ("Lost or damaged baggage", "my bag did not come out on the belt", "the missing bag"),
        "meal": ("Special food on board", "I need a meal without nuts on board", "the nut-free meal"),
        "seat": ("Choose or change a seat", "I would like to sit by the window", "the window seat"), "pet": ("Travel with an animal", "I want to take my cat on board", "the cat"),
        "upgrade": ("Travel in a better class", "I would like to fly business class with my miles", "the better class"),
        "assistance": ("Help at the airport", "my mother needs a wheelchair at the airport", "the wheelchair")},
    "gym": {"freeze": ("Pause the membership", "please pause my membership for two months", "the pause"),
        "class": ("Book a class", "I want a place in the spinning class", "the spinning class"),
        "trainer": ("Personal training", "I am looking for a personal trainer", "the personal trainer"), "locker": ("Lockers and keys", "my locker will not open", "the locker"),
        "fee": ("Monthly fee", "I think I paid this month's fee twice", "the monthly fee")},
    "clinic": {"prescription": ("Renew medicine", "I need my tablets prescribed again", "the tablets"),
        "results": ("Ask for test results", "I would like to know what my blood test showed", "the blood test"), "vaccine": ("Get a vaccination", "I want a flu jab", "the flu jab"),
        "sick_note": ("Certificate for work", "I need a note for my employer that I am ill", "the sick note"),
        "referral": ("See a specialist", "please send me on to a skin specialist", "the skin specialist"),
        "parking": ("Parking at the clinic", "I want to know where to park at your place", "the car park")},
    "school": {"absence": ("A pupil stays at home", "my son is ill and will not come today", "the absence from class"),
        "lunch": ("School meals", "please put my daughter down for lunch on Fridays", "the school lunch"),
        "bus": ("School bus", "the school bus passed our stop without halting", "the school bus"),
        "marks": ("Marks and reports", "I would like to talk over the mark in maths", "the mark in maths"),
        "trip": ("Class trips", "I want to sign the class up for the museum trip", "the class trip"),
        "bullying": ("Trouble among pupils", "a boy keeps hitting my daughter in the break", "the trouble in the break")},
    "webshop": {"size": ("Swap for another size", "I need these trousers one size larger", "the trousers"),
        "track": ("Where an order is", "I would like to know where the parcel is that I ordered on Sunday", "the parcel"),
        "gift_card": ("Gift cards", "I would like to buy a gift card", "the gift card"), "restock": ("Goods that are sold out", "tell me when the green kettle can be had again",
            "the green kettle"), "defect": ("Goods that do not work", "the mixer I got from you is dead", "the mixer"),
        "newsletter": ("Advertising mails", "take me off the list for your advertising", "the advertising")},
    "landlord": {"heating": ("Heating and hot water", "the radiators in my flat stay cold", "the radiators"),
        "noise": ("Noise of neighbours", "the people above me drill every night", "the drilling at night"),
        "rent": ("Rent and deposit", "I have a question about the new rent", "the rent"), "key": ("Keys and locks", "I need a second key to the front door", "the front door key"),
        "notice": ("Moving out", "I am giving up the flat at the end of June", "the end of a lease"), "pest": ("Mice and insects", "there are mice in the kitchen", "the mice")},
    "energy supplier": {"reading": ("Report a meter reading", "my meter shows 4,812 today, please note it down", "the meter reading"),
        "outage": ("No current", "there is no current in our street", "the power cut"), "instalment": ("Monthly instalment", "I would like to pay less each month",
            "the monthly instalment"), "solar": ("Solar panels", "I want to connect my new solar panels", "the solar panels"),
        "move": ("Change of home", "I am moving and want to take the contract with me", "a change of home"),
        "tariff": ("Change of tariff", "I want to change to the green tariff", "the green tariff")},
    "library": {"renew": ("Keep a book longer", "I would like to keep my book for two more weeks", "the longer loan"),
        "fine": ("Fees for late books", "I do not see why I should pay this late fee", "the late fee"),
        "order": ("Order from another library", "please get me an atlas from another library", "the atlas"),
        "room": ("Reserve a study room", "I want to reserve the small study room", "the study room"), "wifi": ("Internet in the library", "I cannot get on to your wifi", "the wifi")},
}
SIDE = {  # how another matter is mentioned, though it is not what is wanted now
    "past": ["I know that I wrote about {o} last week; that is sorted. Today {w}.", "{W}. We talked about {o} in spring, and all is well there.",
        "In January it was {o} that kept us busy, this time {w}.", "You were a great help with {o}, thank you. Now {w}.", "Good that we are done with {o}. What I need today: {w}.",
        "{W}. (For {o} you have already sent me an answer.)"],
    "unreal": ["If it were about {o}, I would have rung you. But {w}.", "Perhaps I will come back to you about {o} next year. For now {w}.",
        "{W}. One day there may be something to say about {o}, but not today.", "I might have asked about {o} had it been necessary; it is not. {W}.",
        "I have thought about {o} and will leave that be. {W}.", "You need not do anything about {o}. {W}."],
    "topic": ["Your website talks of nothing but {o}. I have another matter: {w}.", "I pressed the button for {o} since there was no better one, but {w}.",
        "The voice on the phone sent me to {o}; wrong place. {W}.", "{W}. I chose {o} in the form by mistake.", "My subject line says {o}, left over from an old message. In fact {w}.",
        "The man at the desk thought I had come about {o}. No: {w}."],
}


def main_wish(g):
    """A wish beside another matter that is settled, unreal, or named by mistake."""
    trade = g.pick(TRADES)
    intents = TRADES[trade]
    x, y, *rest = g.rng.sample(list(intents), min(len(intents), g.rng.randint(3, 6)))
    form, tell = g.pick(SIDE[g.rng.choice(["past", "past", "unreal", "topic", "topic"])]), dress(g)
    say = lambda w, o: tell(cap(form.format(w=intents[w][1], W=cap(intents[w][1]), o=intents[o][2])))
    a, c = say(x, y), say(y, x)
    options = {k: intents[k][0] for k in [x, y, *rest]}
    asks = ["What does the writer want today?", f"A message to the {trade}. What is it for?", "Which request is to be carried out?", "Pick the matter that is open.",
        "What should be done for this person?", "Which option names the real request?"]
    if g.coin(0.3):
        hidden, new = veil(g, options)
        out = twin(g, [(a, new[x]), (c, new[y])], asks, hidden, 0, bare=0)
    else:
        out = twin(g, [(a, x), (c, y)], asks, spare(g, options), 0)
    if g.coin(0.2):
        none = g.rng.choice(NONE)
        out.append(pick_one(g, a, asks, {**{k: v for k, v in options.items() if k != x}, none[0]: none[1]}, none[0]))
    wants = lambda k: (lambda d: [(f"Does the writer now want something that belongs under \"{d}\"?", True), (f"The open request is one of this kind: {d}.", True),
        (f"Is the message sent for this: {d}?", True), (f"Should the {trade} act on this: {d}?", True), (f"Is \"{d}\" beside the point of the message?", False),
        (f"The {trade} has nothing to do here under \"{d}\".", False), (f"Is something other than \"{d}\" wanted?", False)])(intents[k][0])
    out += two(g, a, c, wants(x), 1)
    k = g.rng.choice([x, y])
    return out + deny(g, a, wants(k), k == x)


# subject -> (description, sentences about it, the same as an aside)
MAINS = {
    "harvest": ("The harvest", ["The wheat was cut in the last week of July.", "We brought in eight tonnes per hectare.", "Most of the barley went to the mill."],
        "the wheat looked good"), "wedding": ("A wedding", ["The couple said yes under the old lime tree.", "Eighty guests danced until three.", "The bride's father gave a speech."],
            "two cousins got married in May"), "leak": ("A leak", ["Water has been dripping from the ceiling since Tuesday.", "We put a bucket under it.",
                "The stain is already as large as a table."], "a pipe in the cellar drips a little"),
    "concert": ("A concert", ["The quartet opened with Haydn.", "The slow movement was breathtaking.", "After the encore the audience stood."],
        "somebody was playing the violin next door"), "exam": ("An exam", ["There were forty questions in two hours.", "The third part was on fractions.",
            "Most of the class handed in early."], "my niece has an exam on Friday"), "diet": ("Eating habits",
                ["I have eaten no sugar since spring.", "In the morning I have oats and an apple.", "Meat is for Sundays only."], "I had porridge for breakfast"),
    "storm": ("A storm", ["The wind tore down three trees.", "Roofs were damaged all along the coast.", "Ferries stayed in the harbour overnight."], "it was rather windy"),
    "election": ("An election", ["Two women and a man are standing for mayor.", "The ballots will be counted on Sunday night.", "Turnout was low last time."],
        "there are posters of the mayor on every lamp post"), "football": ("A match", ["The visitors scored in the first minute.", "A penalty brought the draw.",
            "In the second half the keeper saved everything."], "the match was on in the background"),
    "software": ("A software update", ["The new release loads twice as fast.", "Three old menus have been removed.", "Users have to sign in once after it is installed."],
        "my computer wanted to be updated"), "cat": ("A cat", ["She sleeps in the laundry basket.", "At five she wants her food.", "The vet says that she is in fine health."],
            "the cat was asleep on the sofa"), "bridge": ("A building site", ["The crane for the bridge was put up in March.", "The piers stand, the deck is to follow.",
                "Until autumn cars must take the detour."], "they are building a bridge down the road"),
    "debts": ("Money trouble", ["The company owes its suppliers two million.", "The bank has stopped the credit line.", "Wages for May have not been paid."], "everything gets dearer"),
    "recipe": ("A dish", ["The onions are fried until brown.", "Then the lentils go in with a bay leaf.", "It simmers for forty minutes."], "there was stew on the stove"),
    "journey": ("A journey", ["From Riga we took the night train.", "We crossed the border at dawn.", "The last stretch was by bus over a pass."], "my brother is off to Peru")}
ASIDE = ["By the way, {o}.", "In passing: {o}.", "({O}.)", "Oh, and {o}, but that only on the side.", "Besides, {o}, not that it matters here.", "I should add that {o}."]


def main_subject(g):
    """What a text is mainly about when another subject is touched on once."""
    x, y, *rest = some(g, MAINS, g.rng.randint(3, 6))
    form, n, at, tell = g.pick(ASIDE), g.rng.randint(2, 3), g.rng.randint(1, 3), frame(g)
    said = {k: g.rng.sample(MAINS[k][1], n) for k in (x, y)}

    def make(main, side):
        aside = form.format(o=MAINS[side][2], O=cap(MAINS[side][2]))
        return tell(" ".join(said[main][:at] + [aside] + said[main][at:]))

    a, c = make(x, y), make(y, x)
    options = {k: MAINS[k][0] for k in [x, y, *rest]}
    out = twin(g, [(a, x), (c, y)], ["What is this mainly about?", "What is the main subject?", "Under which heading should it be filed?", "Choose the subject of most of the text.",
        "What does the writer chiefly tell of?"], spare(g, options), 0)
    about = lambda k: (lambda d: [(f"Is {d} the main subject?", True), (f"The text is mainly about {d}.", True), (f"Would \"{cap(d)}\" be a fitting title?", True),
        (f"Does most of the text deal with {d}?", True), (f"Is {d} at best a side matter here?", False),
        (f"The text is mainly about something other than {d}.", False)])(MAINS[k][0][:1].lower() + MAINS[k][0][1:])
    out += two(g, a, c, about(x), 1)
    k = g.rng.choice([x, y, rest[0]])
    out += deny(g, c, about(k), k == y)
    z = g.rng.choice([y, rest[0]])
    return out + (ask_both(g, a, Clause(MAINS[z][0][:1].lower() + MAINS[z][0][1:], "is", "touched on in passing"), z == y, 1) if g.coin(0.4) else [])


FAMILIES = {f.__name__: f for f in (form_fields, two_lists, counted_lines, chat_answers, points_done, essay_rubric, who_has_what, who_did_not, pronoun_cues, cue_stated, latest_value,
    changes_of_two, main_wish, main_subject)}
