"""Order of actions, chains of relations, and sums in stories."""
import banks as b
from clauses import cap
from .reading import choose, dress_up, pair_of, twin_of

FEM = "Amara Daria Greta Imani Keiko Mina Nadia Petra Rosa Tessa Ulla Wanda Yara Zoe Bea Emma Gina Jana Lena Olga Pia".split()
MASC = "Bjorn Chidi Farid Hugo Jonas Omar Samir Viktor Anton Carlos Felix Hamid Ivo Kofi Marco Nils Raj".split()


# order of actions

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
    dress = dress_up(g)
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

    out = pair_of(g, s, t, ask(w1, x, y), 0)
    out += twin_of(g, t, ask(w2, y, x), ask(w2, x, y), 1)
    if three:
        out += twin_of(g, s, ask(w3, x, z), ask(w3, z, x), 3)
        u = story(x, z, y)
        place = g.rng.randint(1, 2)
        asks = ["Which of them came between the other two?", "What was done in the middle?", "What did {} do after one of the jobs and before the other?".format(n)] if place == 1 else ["What was done last?", f"What did {n} do at the very end?", "Which job was finished last of all?"]
        return out + choose(g, [(s, ing((x, y, z)[place])), (u, ing((x, z, y)[place]))], asks, [ing(x), ing(y), ing(z)], pair=2)
    order = lambda a, c: f"{ing(a)}, then {ing(c)}"
    return out + choose(g, [(s, order(x, y)), (t, order(y, x))], ["In which order was it done?", f"What was the order of {n}'s work?", "Pick the right order."], [order(x, y), order(y, x), order(x, w)], pair=2)


# chains

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
    out = twin_of(g, state, f.format(x=x, z=z, w=word), f.format(x=x, z=z, w=bad), 0)
    out += choose(g, [(state, word)], [f"How is {x} related to {z}?", f"What is {x} to {z}?", f"{x} is {z}'s ...?", f"Which word says what {x} is to {z}?"], options)
    return out + choose(g, [(state, back)], [f"What is {z} to {x}?", f"How is {z} related to {x}?"], {back: None, **{o: None for o in g.rng.sample(sorted({*inverse.values()} - {back}), 3)}})


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
    out = pair_of(g, s, t, ask(f, far), 0) + twin_of(g, t, ask(f2, chain[-1]), ask(f2, far), 1)
    return out + choose(g, [(s, far), (t, chain[-1])], [f"Where is {x} now?", f"In which of these would one find {x} now?", f"Where has {x} ended up?"], [far, chain[-1]], pair=2)


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
    out = pair_of(g, s, t, ask(f, x, z), 0) + twin_of(g, t, ask(f2, z, x), ask(f2, x, z), 1)
    out += choose(g, [(s, who[-1]), (t, who[0])], [f"Who {top}?", f"Which of them {top}?", f"Name the one who {top}."], who, pair=2)
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
    out = pair_of(g, s, t, ask(f, p), 0) + twin_of(g, t, ask(f2, q), ask(f2, p), 1)
    return out + choose(g, [(s, p[lev]), (t, q[lev])], [f"In which {levels[lev]} is the village that {n[0]} {act}?", f"{n[0]} {act} a village. In which {levels[lev]} does that village lie?"], c, pair=2)


def chains(g):
    """Kinship, rank, containment and place over two or three steps."""
    return g.rng.choice([_kin, _nest, _line, _line, _region])(g, dress_up(g))


# sums

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
    n, dress = g.name(), dress_up(g)
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
    out = pair_of(g, s, t, fits, 0) + pair_of(g, t, s, lacks, 1)
    story, asked, work = g.pick(STORIES)
    b_, c = g.rng.randint(2, 30), g.rng.randint(2, 30)
    a = b_ + c + g.rng.randint(3, 60)
    if b_ == c:
        c += 1
    state, asked = dress([story.format(n=n, a=a, b=b_, c=c)]), asked.format(n=n)
    right = work(a, b_, c)
    wrong = sorted({a, b_, c, a + b_ + c, a - b_, a - c, a + b_ - c, a - b_ + c, a - b_ - c, a + b_, right + 1, right - 1, right + 10} - {right})
    wrong = [w for w in wrong if w > 0]
    out += choose(g, [(state, str(right))], [f"How many {asked}?", f"Work it out: how many {asked}?", f"Which number is right? How many {asked}?"], [str(right), *map(str, g.rng.sample(wrong, g.rng.randint(2, 4)))])
    q = g.pick(["How many {a}? Is {v} right?", "Is the answer {v}? How many {a}?", "Question: how many {a}? Answer: {v}. Is the answer correct?", "Somebody asks how many {a}. Would {v} be right?"])
    out += twin_of(g, state, q.format(a=asked, v=right), q.format(a=asked, v=g.rng.choice(wrong)), 2)
    d = g.rng.choice([1, 2, 4, 7])
    q = g.pick(["How many {a}? Is it {w} than {v}?", "Count how many {a}. Is the result {w} than {v}?", "How many {a}: {w} than {v}?", "The question is how many {a}. The number is {w} than {v}."])
    up = g.coin()
    lo, hi = max(right - d, 0), right + d
    yes, no = (lo, hi) if up else (hi, lo)
    return out + twin_of(g, state, q.format(a=asked, v=yes, w="more" if up else "less"), q.format(a=asked, v=no, w="more" if up else "less"), 3)


FAMILIES = {f.__name__: f for f in (sequence, chains, sums)}
