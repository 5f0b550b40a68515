"""Claims and their sources, paraphrase, kind of text, attitude, invented passages."""
import banks as b
from clauses import cap, row, scale
from .reading import choose, dress_up, pair_of, twin_of, ASIDES, GOODS

# sources

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
    out = pair_of(g, agree, clash, words, 0)
    claim = cap(say(x, v))
    options = dict(zip(*g.rng.choice([(("supported", "contradicted", "disputed", "not_covered"), ("Every source that speaks of it says so", "Every source that speaks of it says otherwise", "Sources disagree about it", "No source speaks of it")),
                                      (("confirmed", "refuted", "contested", "no_evidence"), ("What is said about it bears it out", "What is said about it goes against it", "Some say so, some say otherwise", "Nothing is said about it")), (("all_for", "all_against", "mixed", "silent"), ("Told so by all who tell of it", "Told otherwise by all who tell of it", "Told both ways", "Told by nobody"))])))
    k, j = g.rng.sample(range(4), 2)
    states = [agree, against, clash, silent]
    out += choose(g, [(states[i], list(options)[i]) for i in (k, j)], [f"Claim: {claim}. How does it stand with the sources?", f"Check the claim against the sources: {claim}.", f"What do the sources make of this: {claim}?", f"Of {event} somebody says: {claim}. Judge that by the sources."], options, pair=1)
    words = g.pick(["Does {a} say that {c}?", "{A} says that {c}.", "Is this the word of {a}: {c}?", "Can one quote {a} for this: {c}?", "Is it {a} who says so: {c}?"])
    out += twin_of(g, clash, words.format(a=names[0], A=cap(names[0]), c=say(x, v)), words.format(a=names[1], A=cap(names[1]), c=say(x, v)), 2)
    words = g.pick(["Is anything said about {n}?", "Does any of the sources speak of {n}?", "{N}: do the sources cover that?", "Do we learn anything of {n}?"])
    out += pair_of(g, g.rng.choice([agree, against]), silent, words.format(n=noun, N=cap(noun)), 3)
    ask = [f"Which source says that {say(x, v)}?", f"Who says that {say(x, v)}?", f"Whose account is it that {say(x, v)}?"]
    return out + choose(g, [(clash, names[0]), (tell([say(x, w)], [say(x, v), say(y, vy)], third), names[1])], ask, names[: 2 + three], pair=4)


# paraphrases

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
    out = pair_of(g, s, z, words, 0) if g.coin(0.65) else pair_of(g, z, s, denied, 0)
    key = g.rng.choice([{"same": "They mean the same", "different": "They do not mean the same"}, {"paraphrase": None, "not_a_paraphrase": None}, {"equivalent": "The one is true whenever the other is", "not_equivalent": "The one may be true and the other false"}])
    out += choose(g, [(s, list(key)[0]), (z, list(key)[1])], ["Compare the two sentences.", "How do the sentences relate in meaning?", "What holds for the two sentences?"], key, pair=1)
    pick = [f"Which sentence means the same as this: {one}", f"Pick the paraphrase of: {one}", f"{one} Which of the options says that in other words?"]
    if no != one:
        state = g.rng.choice([f"Sentence: {one}", {"sentence": one}, f"{aside} {one}"])
        wrong = {other(f) for f in changed}
        out += choose(g, [(state, yes)], ["Which option says the same in other words?", "Pick the paraphrase.", "Which of them means the same as the sentence?"] if g.coin() else pick, {yes: None, **{x: None for x in g.rng.sample(sorted(wrong), g.rng.randint(1, len(wrong)))}})
    at, k = g.rng.choice([(s, True), (z, False)])
    return out + [{**row(g, at, w, v), "criteria": None, "neg": 0} for w, v in ((again, k), (denied2, not k))]


# kind and topic of a text

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
        out += pair_of(g, s, z, g.pick(["Is this {w}?", "The text is {w}.", "Would you call this {w}?", "Is {w} what we have here?", "Was this written as {w}?", "Sort of text: {w}. Right?"]).format(w=word(x)), 0)
        low = g.pick(["Is this the aim of the text: {d}?", "The text does this: {d}.", "Does the text do the following: {d}?", "What the writer is doing: {d}. Is that so?"])
        dn = lambda k: WRITING[k][0][0].lower() + WRITING[k][0][1:]
        out += twin_of(g, z, low.format(d=dn(y)), low.format(d=dn(x)), 1)
    asks = ["What kind of text is it?", "What is the aim of the writer?", "Which sort of text is this?", "Sort the text by its kind.", "What does the text do?"]
    if y in close:
        aim.pop(y)
        return choose(g, [(s, x)], asks, aim)
    return out + choose(g, [(s, x), (z, y)], asks, aim, pair=2)


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
    out = pair_of(g, s, z, g.pick(["Is the main topic {x}?", "Is the text mainly about {x}?", "The text deals above all with {x}.", "Does it belong under the heading \"{x}\"?", "Main subject: {d}. Right?", "Is this in the main about {d}?"]).format(x=x, d=d(x)), 0)
    f = g.pick(["Should this be filed under {x}?", "The subject is {x}.", "Is {x} what the text is chiefly about?", "{X} is the main subject here, not a detail."])
    out += twin_of(g, z, f.format(x=y, X=cap(y)), f.format(x=x, X=cap(x)), 1)
    return out + choose(g, [(s, x), (z, y)], ["What is the text mainly about?", "Which topic is the main one?", "Pick the heading under which the text belongs.", "File the text under a topic.", "Main subject?"], {k: TOPICS[k][0] for k in (x, y, *rest)}, pair=2)


def genre(g):
    """The kind, the aim or the main topic of a short text."""
    return (_kind_of_text if g.coin() else _topic_of_text)(g)


# attitudes

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
    three, dress = g.coin() and not turn, dress_up(g, False)
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
    out = pair_of(g, s, z, say(ask, a, t), 0)
    ask = asks(j)
    out += twin_of(g, z, say(ask, a, t), say(ask, c, t), 1)
    own = g.rng.choice([["against it or leaning against it", "without a leaning", "for it or leaning towards it"], ["more against than for", "on neither side", "more for than against"]] if {i, j} & {1, 3} else THREE)
    out += choose(g, [(s, own[side(i)]), (z, own[side(j)])], [f"What does {a} think of {t}?", f"On which side is {a} as to {t}?", f"Where does {a} stand on {t}?", f"{a} on {t}?"], own, pair=2)
    if not turn:
        names, fall, words = g.rng.choice(SIDES), g.coin(0.3), g.pick(["How does {n} feel about {t}?", "Rate {n}'s attitude to {t}.", "To what degree is {n} for {t}?", "Where does {n} stand on {t}?"])
        for x, v in ((s, i), (z, j)):
            out.append({**scale(g, x, [say(words, a, t)], names[::-1] if fall else names, 4 - v if fall else v, reverse=0), "pair": 3})
    sides = [side(i), side(j), *([side(k)] if three else [])]
    if sides.count(side(i)) == 1:
        what = ["rather against than for", "undecided about", "rather for than against"][side(i)]
        out += choose(g, [(s, a), (z, c)], [f"Who is {what} {t}?", f"Which of them is {what} {t}?", f"Name the one who is {what} {t}."], [a, c, *([d] if three else [])], pair=4)
    return out


# passages

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
    out = pair_of(g, s, z, fill(mine[x]), 0) + (twin_of(g, z, fill(theirs[x]), fill(mine[x]), 1) if g.coin() else [])
    asks = [q, q, f"{q} Answer from the passage.", f"Fill in: {attrs[x][1].format(n=n, v='____')}", f"Complete the sentence: {cap(attrs[x][1].format(n=n, v='...'))}"]
    key, words = g.rng.choice(UNTOLD)
    options = {mine[x]: None, theirs[x]: None, **{v: None for v in g.rng.sample(spare, g.rng.randint(0, 2))}}
    if g.coin(0.4):
        options[mine[g.rng.choice([k for k in told if k != x])]] = None
    if g.coin():
        options[key] = words
    out += choose(g, [(s, mine[x]), (z, theirs[x])], asks, options, pair=2)
    drop = g.rng.choice([k for k in told if k != x])
    with_it = tell(mine, theirs, [gone if k == drop else k for k in order_a])
    q = attrs[gone][0].format(n=n)
    options = {mine[gone]: None, theirs[gone]: None, **{v: None for v in g.rng.sample([v for v in attrs[gone][2] if v not in (mine[gone], theirs[gone])], g.rng.randint(0, 1))}, key: words}
    out += choose(g, [(with_it, mine[gone]), (s, key)], [q, f"{q} If it is not told, say so.", f"{q} Go by the passage alone."], options, pair=3)
    words = g.pick(["Does the passage answer this: {q}", "Can this be answered from the passage? {q}", "Is there an answer in the passage to the question: {q}", "{q} Does the text tell?", "The passage tells the answer to this: {q}"])
    out += pair_of(g, with_it, s, words.format(q=q), 4)
    if two:
        which = g.pick(["Of which is this said: {c}?", "Which of the two is meant? {c}.", "To which of them does this apply: {c}?"]).format(c=cap(attrs[x][1].format(n="it", v=mine[x])).rstrip("."))
        out += choose(g, [(s, n), (z, m)], [which], [n, m], pair=5)
    return out


FAMILIES = {f.__name__: f for f in (sources, paraphrase, genre, attitude, passages)}
