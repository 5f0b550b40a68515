"""Degrees: urgency, severity, ratings in words, commitment, tone."""
from clauses import cap, pick_one
from .customer_messages import ASIDES, deny, dress, NONE, PARTIES, rungs, spare, twin, two, veil

PRESSING = [
    ["We are thinking about a new sign for the gate one day.", "For the club's jubilee in three years we collect old photos.", "I wonder whether the farm museum might swap a plough with us some time.", "It is an idea for some later year: a second entrance.", "There is no date for it at all; we merely dream of a tree house in the school yard.", "For your archive I enclose a picture of the old mill.",
     "Nobody is waiting for it, but a thank-you card from you would be nice at some point.", "If the company ever prints a new brochure, our name has changed.", "We would not mind other curtains in the waiting room in a year or two.", "The statutes could be put into nicer words when nobody has anything better to do.", "In a few years the van will need a successor, so prices would interest us.", "Some day I would like to see how your studio works."],
    ["The class trip is in five weeks, and the bus has to be booked by then.", "My passport is needed at the end of next month.", "We need the seed in about four weeks, when the ground is warm.", "The lease ends in six weeks, so we need an answer by then.", "The tournament starts in a month, and the shirts should be here for it.", "In five weeks the auditors come and want to see the list.",
     "The exhibition opens next month, and the texts must be ready by then.", "The contract with the carrier runs out in six weeks, and a new one has to be signed before that.", "My operation is in five weeks, and you wanted the form before it.", "The holidays begin in a month; until then the tickets have to be here.", "The heating season starts in six weeks, and the boiler has to be looked at by then.", "In a month the new edition goes to print, and the advert must be in by then."],
    ["The tablets last for another three days.", "The feed in the silo will be used up in four days.", "The exam is in three days, and the candidate's login is missing.", "The lorry leaves in four days, and the papers have to be in it.", "The tenants move in three days from now and have no keys yet.", "The match is in four days, and we have no referee.",
     "Our domain expires in three days, and the renewal hangs.", "In four days the bride wears the dress that lies with you.", "The visa interview is in three days, and the letter is missing.", "The milk quota has to be reported within four days.", "The court wants our reply in three days.", "The article appears in four days, and the quotes are not approved."],
    ["The patient is given his last tablet tonight and gets none tomorrow.", "The ferry leaves this evening, and the passport lies with you.", "The shop opens its doors this afternoon, and the till has no code.", "The office for visas closes at five today, after that the application is void.", "The broadcast is at eight tonight, and the film is not here.", "The cows must be fed this evening, and the silo is empty.",
     "My interview is this afternoon, and I have no link.", "The bus for the class leaves at two today, and no driver has been named.", "By midnight the bid has to be in, and your signature is missing.", "The customer flies home tonight and needs his repaired hearing aid before that.", "The kick-off is at six today, and the key to the pitch is with you.", "The notary expects the money today, or the house goes to somebody else."],
    ["A man has collapsed in the hall and does not breathe.", "The barn is burning, and the animals are still inside.", "A child is locked in a car in the blazing sun.", "Gas is streaming out in the kitchen, and people are in the house.", "Water is pouring onto the live cables in the ward.", "A stranger is emptying our account at this moment.",
     "The cow is giving birth and bleeding heavily.", "The brakes of the lorry have failed, and it is on the mountain road right now.", "The lift hangs between two floors with a woman in labour in it.", "A climber hangs from the wall by one hand.", "Intruders are deleting our files as I write.", "My grandmother has swallowed the cleaning fluid."]]
MANNERS = ["{x}", "Dear colleagues, I hope that you are well and had a pleasant weekend. {x} Many thanks in advance and a lovely day to all of you.", "HELLO!!! {x} Hello???!!!", "{x} You lot are a disgrace!", "Sorry to bother you, I know how much you have to do. {x}", "{x} :-) Have a nice day!", "Listen, I am fed up with you. {x}",
           "I would be ever so grateful for your kind attention. {x} Please forgive the trouble.", "{x}!!!", "Hey, {n} here. {x}", "{x} I say this without any reproach, and I admire your work.", "Good grief, is anyone there?! {x} Unbelievable!!!", "A small remark, if I may. {x}", "{x} That is all.", "To be quite frank, your last answer was rubbish. {x}", "Perhaps you have heard already. {x} Best regards, {n}", "I do not want to make a fuss. {x}", "WRITE BACK!!! {x}"]
PRESS_NAMES = [
    ([0, 1, 2, 3, 4], ["no date: it may never be done", "within weeks", "within days", "before the day ends", "this very minute"]), ([0, 1, 2, 3, 4], ["1: no time limit", "2: some weeks left", "3: some days left", "4: hours left", "5: not a minute left"]), ([0, 1, 2, 3, 4], ["very low", "low", "medium", "high", "very high"]),
    ([0, 1, 2, 3, 4], ["Nothing happens if nobody acts", "It matters in some weeks", "It matters in a few days", "It matters today", "Every second counts"]), ([0, 0, 1, 2, 3], ["can wait for weeks or longer", "has to be done in the next days", "has to be done today", "has to be done at once"]),
    ([0, 0, 1, 2, 3], ["relaxed: weeks or more", "soon: a few days", "urgent: today", "emergency: now, life or property is at stake"]), ([0, 0, 1, 2, 3], ["low", "normal", "urgent", "emergency"]), ([0, 0, 1, 2, 2], ["weeks or more", "a few days", "today or this minute"]), ([0, 0, 0, 1, 2], ["not today: more than a day is left", "today: hours are left", "now: somebody or something is being harmed"]),
    ([0, None, 1, None, 2], ["low", "medium", "high"]), ([0, None, 1, None, 2], ["calm", "pressing", "critical"])]


def pressing(g):
    """Urgency by consequence and time; courtesy, noise and length tell nothing."""
    form, other = g.pick(MANNERS), g.pick(MANNERS)
    who = g.name()

    def make(u, form=form):
        t = g.pick(PRESSING[u])
        return form.format(x=t[:-1] if "{x}!" in form else t, n=who)

    tell = g.pick([lambda t: t, lambda t: {"message": t}, lambda t: {"from": who, "text": t, "read": False}, lambda t: f"From: {who}\nMessage: {t}", lambda t: [{"role": "customer", "text": t}]])
    where, names = g.pick(PRESS_NAMES)
    u, v = g.rng.sample([i for i in range(5) if where[i] is not None], 2)
    while where[u] == where[v]:
        u, v = g.rng.sample([i for i in range(5) if where[i] is not None], 2)
    questions = ["How urgent is it?", "How soon must somebody act?", "Rate the urgency.", "How much time is left?", "How urgent is the matter itself?", "Which level of urgency fits?", "When does something have to happen?", "Judge the time pressure."]
    a, c = tell(make(u)), tell(make(v))
    if g.coin(0.65):
        out = rungs(g, [(a, where[u]), (c, where[v])], questions, names, 0)
    else:
        out = twin(g, [(a, names[where[u]]), (c, names[where[v]])], questions, names, 0)
    hi, lo = g.rng.choice([(g.rng.choice([3, 4]), g.rng.choice([0, 1, 2])), (4, 0), (3, 1), (3, 2)])
    out += two(g, tell(make(hi)), tell(make(lo)), [("Does somebody have to act today or at once?", True), ("Is there less than a day left?", True), ("Would an answer in two days come too late?", True), ("Can it wait until tomorrow night?", False), ("Is there time for it after today?", False), ("It would do to act in two days.", False), ("This has to be dealt with before the day is over.", True), ("Is more than a day left for it?", False)], 1)
    hi, lo = g.rng.choice([(4, 2), (4, 1), (3, 1), (3, 0), (4, 0), (2, 0)])
    x, y = make(hi, form), make(lo, other)
    first = g.rng.choice(["a", "b"])
    both = {"a": x, "b": y} if first == "a" else {"a": y, "b": x}
    more = g.coin()
    out.append(pick_one(g, g.rng.choice([both, f"Message A: {both['a']}\nMessage B: {both['b']}"]), ["Which message is more urgent?", "Which of the two comes first?", "Which one leaves less time?"] if more else ["Which message is less urgent?", "Which of the two can wait longer?", "Which one leaves more time?"], {"a": "the first message", "b": "the second message"}, first if more else g.other(["a", "b"], first)))
    k = g.rng.choice([0, 1, 4, 4])
    return out + deny(g, tell(make(k, other)), [("Does it have to be done right now?", True), ("Is this an emergency?", True), ("Every minute counts here.", True), ("Could it be left for a week?", False), ("Is there a week or more for it?", False), ("Nothing bad happens if it is left for some days.", False)], k == 4)


# (thing, works worse, does not work, one, a part, all, way round, no way round, lost for good)
TROUBLE = [("the booking page", "answers slowly", "does not answer", "one guest", "the guests of two hotels", "all guests", "bookings are taken by phone meanwhile", "bookings cannot be made in any other way", "the bookings of last week are erased and no copy exists"),
           ("the milking robot", "milks more slowly than usual", "has stopped", "one farmer", "the farmers in the valley", "all farmers of the co-operative", "they milk by hand meanwhile", "there is no other means of milking there", "the milk of two days is spoilt"),
           ("the scheduling program of the clinic", "takes long to open", "does not open", "one nurse", "the nurses on two wards", "all the staff", "they work with lists on paper", "there is no list on paper to work with", "the notes of the night are erased and cannot be brought back"),
           ("the school's exam portal", "loads with some delay", "lets nobody sign in", "one pupil", "the pupils of year nine", "all pupils", "the exam can be written on paper", "the exam cannot be written in any other form", "the papers handed in this morning are lost for ever"),
           ("the label printer", "prints faintly", "prints nothing", "one packer", "the packers on the night shift", "all packers", "labels are written by hand", "without it nothing may leave the house", "the addresses of the open orders are gone for good"),
           ("the card reader at the gates", "needs a second try", "is dead", "one visitor", "the visitors at the south gate", "all visitors", "paper tickets are accepted instead", "nobody gets in without it", "the tickets that were sold are wiped out and nowhere else on file"),
           ("the editing system", "saves slowly", "saves nothing", "one editor", "the sports editors", "all editors", "they write in another program and paste later", "there is no other program to write in", "the texts of the Sunday edition are deleted and cannot be restored"),
           ("the heating in the estate", "gets only lukewarm", "is off", "one tenant", "the tenants in block C", "all tenants", "electric heaters have been handed out", "there is nothing else to heat with", "the frozen pipes have burst and the flats below are ruined"),
           ("the route planner", "shows yesterday's traffic", "gives no routes", "one driver", "the drivers in the south", "all drivers", "they use paper maps", "they have nothing else to go by", "the freight papers of the day are destroyed without a copy"),
           ("the telephone system", "crackles", "is silent", "one agent", "the agents on the second floor", "all agents", "they call with their mobiles", "they have no other telephones", "the recorded orders are erased beyond recovery"),
           ("the scoring system of the stadium", "lags by a minute", "is down", "one referee", "the referees of the junior league", "all referees", "the score is kept on a board", "the score cannot be kept in any other way", "the results of the first day are lost and nobody wrote them down"),
           ("the cooling of the warehouse", "is a little too weak", "has failed", "one tenant of the hall", "the tenants on the upper deck", "all tenants of the hall", "the goods have been moved to cold lorries", "there is nowhere else to put the goods", "some of the goods had thawed by then and were thrown away"),
           ("the payroll program", "needs three clicks more", "refuses every entry", "one clerk", "the clerks of the branch in Graz", "all clerks", "they enter the hours in a spreadsheet", "the hours cannot be entered anywhere else", "the hours of March are overwritten and there is no backup"),
           ("the ferry's ticket machine", "is slow to print", "takes no money", "one passenger", "the passengers at the north pier", "all passengers", "tickets are sold on board", "tickets are not sold anywhere else", "the season tickets on file are deleted and cannot be recreated")]
# attributes: state (0 worse, 1 broken), reach (0 one, 1 part, 2 all), way round, lost -> level
SCHEMES = [
    (lambda s, r, w, l: r, ["a single person is affected", "several, but not all, are affected", "everybody is affected"], "How far does it reach?"), (lambda s, r, w, l: r, ["scope 1: one", "scope 2: some", "scope 3: all"], "How many are affected?"),
    (lambda s, r, w, l: 0 if not s else 1 if w else 2, ["it works, only worse than usual", "it does not work, but there is a way round", "it does not work and there is no way round"], "How badly is the work hindered?"),
    (lambda s, r, w, l: 0 if not s else 1 if w else 2 if r < 2 else 3, ["low: it still works", "moderate: broken, but people can go on in another way", "high: broken without a way round, for one or some", "critical: broken without a way round, for all"], "Which severity level fits?"),
    (lambda s, r, w, l: 0 if not s else 1 if w else 2 + r, ["1: works, though worse", "2: broken with a way round", "3: broken, no way round, for one person", "4: broken, no way round, for a part", "5: broken, no way round, for everyone"], "How severe is the incident?"),
    (lambda s, r, w, l: 3 if l else 0 if not s else 1 if w else 2, ["nuisance: worse than usual", "hindrance: broken, another way exists", "standstill: broken, no other way", "loss: something is gone or spoilt for good"], "Grade the incident."),
    (lambda s, r, w, l: int(l), ["nothing has been lost so far", "something has been lost or ruined for good"], "What about lasting damage?"),
    (lambda s, r, w, l: 2 if l else int(s), ["S3: works worse", "S2: does not work", "S1: lasting loss"], "Which class of incident is it?")]
SOUND = ["", "", "Dear all, ", "Sorry to trouble you, ", "TERRIBLE NEWS: ", "A catastrophe: ", "Just a small thing: ", "Report of the day: ", "For your information, ", "Nobody panic, ", "I can hardly believe it: ", "Update: "]


def incident_grade(g):
    """Severity by what fails, for whom, with or without a way round, and what is lost; the tone counts for nothing."""
    thing, worse, broken, one, some, every, way, no_way, loss = g.pick(TROUBLE)
    sound, shape, order = g.pick(SOUND), g.rng.randint(0, 3), g.coin()
    aside = " " + g.pick(ASIDES) if g.coin(0.3) else ""
    remark = g.pick(["", "", "", "a catastrophe!!!", "just a small thing", "please do not panic", "terrible!!!", "sorry to trouble you", "see you at lunch", "unbelievable!"])
    lossless = g.pick(["nothing has been lost", "no lasting damage has been done", "nothing is gone for good", "nothing has been ruined"])

    def tell(s, r, w, l):
        what, whom, other, kept = [worse, broken][s], [one, some, every][r], way if w else no_way, loss if l else lossless
        if shape == 0:
            return cap(f"{sound}{thing} {what}. This affects {whom}. " + (f"{cap(other)}. " if s else "") + f"{cap(kept)}.") + aside
        if shape == 1:
            rest = [f"{cap(kept)}."] + ([f"{cap(other)}."] if s else [])
            return cap(f"{sound}for {whom}, {thing} {what}. ") + " ".join(rest if order else rest[::-1]) + aside
        fields = {"what": f"{thing} {what}", "affected": whom, **({"workaround": way if w else f"none; {no_way}"} if s else {}), "damage": kept, **({"remark": remark} if remark else {})}
        if order:
            fields = dict(reversed(fields.items()))
        return {"incident": fields} if shape == 2 else "\n".join(f"{cap(k)}: {v}" for k, v in fields.items())

    draw = lambda: (int(g.coin(0.75)), g.rng.randint(0, 2), g.coin(), g.coin(0.3))
    grade, names, words = g.rng.choice(SCHEMES)
    fine = lambda t: not (t[3] and not t[0])
    one_case, two_case = draw(), draw()
    while not (fine(one_case) and fine(two_case) and grade(*one_case) != grade(*two_case)):
        one_case, two_case = draw(), draw()
    told = [(tell(*t), grade(*t)) for t in (one_case, two_case)]
    questions = [words, words, "Pick the level that applies.", "Rate the incident by these levels.", "Which of these describes the incident?"]
    if g.coin(0.7):
        out = rungs(g, told, questions, names, 0)
    elif g.coin():
        out = twin(g, [(s, names[k]) for s, k in told], questions, names, 0)
    else:
        hidden, new = veil(g, {n: n for n in names})
        out = twin(g, [(s, new[names[k]]) for s, k in told], questions, hidden, 0, bare=0)
    t = (1, g.rng.randint(0, 2), g.coin(), g.coin(0.3))
    kind = g.rng.randint(0, 3)
    if kind == 0:
        yes, no = (1, t[1], False, t[3]), (1, t[1], True, t[3])
        qs = [("Is there no way round the problem?", True), ("Have the people concerned been left without another way?", True), ("Is there a way round it?", False), ("Can the people concerned help themselves in the meantime?", False), ("There is a stopgap.", False), ("A workaround exists.", False), ("Work has come to a standstill for those concerned.", True)]
    elif kind == 1:
        yes, no = (1, 2, t[2], t[3]), (1, g.rng.randint(0, 1), t[2], t[3])
        qs = [(f"Are {every} affected?", True), ("Does it hit everyone?", True), ("Nobody is spared.", True), (f"Are there some among {every} who are not affected?", False), ("Only a part of the people, or a single one, is affected.", False), ("Is the problem limited in reach, so that it does not hit all?", False)]
    elif kind == 2:
        yes, no = (1, t[1], t[2], True), (1, t[1], t[2], False)
        qs = [("Is there damage that cannot be undone?", True), ("Has something been lost or ruined for good?", True), ("The harm is lasting.", True), ("Has everything been kept from lasting harm?", False), ("There is no lasting damage.", False), ("Can one say that nothing was lost?", False)]
    else:
        yes, no = (1, t[1], t[2], False), (0, t[1], t[2], False)
        qs = [(f"Has {thing} stopped working?", True), ("Is it out of use?", True), (f"Does {thing} still work, if worse than usual?", False), (f"One can still use {thing}, though with some trouble.", False), ("It is a nuisance, not a failure.", False), ("It is a failure, not a mere nuisance.", True)]
    out += two(g, tell(*yes), tell(*no), qs, 1)
    rule = g.pick(["An incident is major if {a}.", "By our rule, \"major\" means that {a}.", "We call it major when {a}; otherwise it is minor."]).format(a="it hits everybody and there is no way round")
    s = (1, 2, False, t[3])
    near = g.rng.choice([(1, 2, True, t[3]), (1, g.rng.randint(0, 1), False, t[3])])
    out += two(g, tell(*s), tell(*near), [(f"{rule} Is this one major?", True), (f"{rule} Is this one minor?", False), (f"{rule} So this incident is major.", True), (f"{rule} So this incident is not major.", False)], 2)
    t = (1, g.rng.choice([0, 0, 1, 2]), *t[2:])
    return out + deny(g, tell(*t), [(f"Is {one} the only one affected?", True), ("It concerns one alone.", True), ("Is more than one affected?", False), ("It concerns more than one.", False)], t[1] == 0)


# kind of thing -> aspect -> (praise, blame)
REVIEWED = {
    "hotel": {"room": (["the room was bright and quiet", "our room had all we needed", "we loved the room"], ["the room was damp", "our room smelt of smoke", "the room was loud and cramped"]), "breakfast": (["breakfast was rich and fresh", "the rolls at breakfast were warm and crisp"], ["breakfast was meagre", "the eggs at breakfast were cold"]),
              "staff": (["everyone at the desk was kind", "the staff read our every wish"], ["the staff rolled their eyes at us", "the people at the desk were rude"]), "location": (["the sea is two steps away", "it lies right by the park, a lovely spot"], ["it stands beside a motorway, a dreadful spot", "it lies miles from everything"]), "price": (["we paid little for it", "the rate was very fair"], ["we paid far too much", "the rate was shameless"])},
    "online shop": {"delivery": (["the parcel came a day early", "it was at my door the next morning"], ["the parcel came two weeks late", "I waited a month until it was at my door"]), "packaging": (["it was packed with care", "the box was sturdy and neat"], ["it was stuffed into a torn bag", "the box was far too thin"]), "quality": (["the seams are flawless", "it is made to last"], ["the seams split on the first day", "it fell apart in my hands"]),
                    "price": (["it cost less than anywhere else", "a bargain"], ["it cost twice what others take", "daylight robbery at that price"]), "support": (["the hotline helped at once", "my question was answered within the hour"], ["the hotline hung up on me", "my question was never answered"])},
    "clinic": {"waiting time": (["I was called in after five minutes", "there was no wait at all"], ["I sat in the waiting room for three hours", "the wait was endless"]), "doctor": (["the doctor listened to every word", "the surgeon explained each step patiently"], ["the doctor cut me short", "the surgeon never looked up from her papers"]), "cleanliness": (["everything was spotless", "one could eat from the floor"], ["there was blood on the floor", "the bathroom was filthy"]),
               "food": (["the meals were tasty", "I asked for a second helping of the stew"], ["the meals were inedible", "I sent the grey stew back"])},
    "restaurant": {"food": (["the fish melted on the tongue", "every dish was a delight"], ["the fish was half raw", "every dish was oversalted"]), "service": (["the waiter was quick and charming", "our glasses were never empty"], ["the waiter forgot us twice", "we were snapped at by the waiter"]), "atmosphere": (["we sat snugly by candlelight", "the music was soft and pleasant"], ["the music was deafening", "we sat in a draught under neon light"]), "prices": (["the bill was a pleasant surprise", "one eats there for little money"], ["the bill gave us a shock", "one pays a fortune there"])},
    "course": {"teacher": (["the teacher made every hour fly", "our teacher explained things superbly"], ["the teacher read aloud from a book", "our teacher mixed everything up"]), "material": (["the handouts are clear", "the exercises fit perfectly"], ["the handouts are full of mistakes", "the exercises made no sense"]), "pace": (["the pace was just right", "there was time for each question"], ["we were rushed through it", "it dragged on and on"]), "venue": (["the hall was airy", "the classroom was comfortable"], ["the hall was freezing", "the classroom stank"])},
    "train trip": {"punctuality": (["we arrived to the minute", "it left on the dot"], ["we arrived ninety minutes late", "it left an hour behind time"]), "seats": (["the seats were soft and wide", "one could stretch one's legs"], ["the seats were hard as boards", "my knees hit the seat in front"]), "crew": (["the conductor carried my bag with a smile", "the crew were cheerful and helpful"], ["the conductor barked at my child", "the crew were nowhere when we needed them"]), "toilets": (["the toilets were clean", "the washroom smelt of lemon"], ["the toilets were blocked", "the washroom was a disgrace"])},
    "app": {"design": (["it is a joy to look at", "the screens are tidy and clear"], ["it is ugly", "the screens are a mess"]), "speed": (["it opens in a blink", "everything reacts at once"], ["it takes ages to open", "each tap is followed by a long wait"]), "reliability": (["it has not crashed once", "it runs without a hitch"], ["it crashes daily", "it froze five times this week"]), "help": (["the guide answered all my questions", "the support people knew what to do"], ["the guide is useless", "the support people had no clue"]), "price": (["it is worth every cent", "the fee is small for what one gets"], ["the fee is outrageous", "it is far too dear for what it does"])},
    "landlord": {"flat": (["the flat is dry and sunny", "the rooms are well kept"], ["the flat is full of mould", "the rooms are run down"]), "repairs": (["whatever breaks is mended the same day", "the tap was fixed within hours"], ["nothing ever gets mended", "the tap has dripped for a year"]), "tone": (["he is always courteous on the phone", "his letters are friendly"], ["he shouts on the phone", "his letters are insulting"]), "rent": (["the rent is low", "I pay less than all my friends"], ["the rent is scandalous", "I pay twice what others pay"])},
    "gym": {"machines": (["the machines are new", "all the weights are in good order"], ["half of the machines are broken", "the weights are rusty"]), "trainers": (["the trainers correct you kindly", "my trainer made a great plan"], ["the trainers stare at their phones", "my trainer could not care less"]), "showers": (["the showers are hot and clean", "the changing rooms gleam"], ["the showers are mouldy", "the changing rooms are disgusting"]), "fee": (["the fee is modest", "it is cheap for what you get"], ["the fee is steep", "they ask much too much"])},
    "farm shop": {"vegetables": (["the carrots taste of something", "the lettuce is crisp"], ["the carrots are limp", "the lettuce was rotten inside"]), "service": (["the farmer's wife is a dear", "we were served with a smile"], ["we were served grudgingly", "the man at the till was gruff"]), "choice": (["there is everything one could want", "the range is wide"], ["there is next to nothing on the shelves", "they only had turnips again"]), "prices": (["one pays little there", "the prices are friendly"], ["the prices are cheeky", "one pays through the nose"])},
    "magazine": {"articles": (["the articles are deep and lively", "I read every line with pleasure"], ["the articles are dull", "I yawned through every page"]), "photos": (["the pictures are stunning", "the photos alone are worth it"], ["the pictures are blurred", "the photos are poor"]), "delivery": (["it is in my box every Friday without fail", "it always comes promptly"], ["it is missing every second week", "it keeps coming days late"]), "price": (["it costs next to nothing", "good value"], ["it is overpriced", "it costs far too much for so few pages"])},
}
VERDICT = [["All in all a disaster; never again.", "On the whole I regret it bitterly.", "My verdict: dreadful.", "Overall it was awful, keep away.", "To sum up: the worst I have known."], ["All in all I was rather disappointed.", "Overall it was below average.", "On balance I am dissatisfied, though I have seen worse.", "My verdict: not good, if not quite the worst.", "To sum up, rather poor."],
           ["All in all neither good nor bad.", "Overall it was average.", "On balance I am in two minds, it was so-so.", "My verdict: middling.", "To sum up: it evens out."], ["All in all I was quite satisfied.", "Overall it was good, with room for more.", "On balance I liked it, though it was not perfect.", "My verdict: good, if not great.", "To sum up, rather pleasing."], ["All in all it was superb, I would not change a thing.", "Overall it was perfect.", "On the whole I am overjoyed with it.", "My verdict: outstanding.", "To sum up: the best I have known."]]
VERDICT_NAMES = [["1 star", "2 stars", "3 stars", "4 stars", "5 stars"], ["terrible", "poor", "average", "good", "excellent"], ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"], ["1: rejects it completely", "2: more displeased than pleased", "3: undecided", "4: more pleased than displeased", "5: delighted without reserve"]]
SHARES = [["every point named is blamed", "more points are blamed than praised", "as many are praised as blamed", "more points are praised than blamed", "every point named is praised"], ["all bad", "mostly bad", "half and half", "mostly good", "all good"]]


def mixed_review(g):
    """Aspects praised and blamed beside each other, and a verdict, stated or by count."""
    kind = g.pick(REVIEWED)
    n = g.rng.randint(2, 4)
    some = g.rng.sample(list(REVIEWED[kind]), n + 1 if n < len(REVIEWED[kind]) else n)
    named, absent = some[:n], some[n:]
    lines = {a: (g.pick(REVIEWED[kind][a][0]), g.pick(REVIEWED[kind][a][1])) for a in named}
    shape, lead, closing = g.rng.randint(0, 4), g.pick(["", "", f"About the {kind}. ", f"My review of a {kind}. " if kind[0] not in "aeiou" else f"My review of an {kind}. ", "Here is what I think. ", "I tried it last week. "]), g.coin(0.4)

    def tell(good, verdict=None):
        parts = [cap(lines[a][0 if good[a] else 1]) for a in named]
        if shape <= 2:
            if shape == 1 and n == 2:
                parts = [parts[0] + ("; " if good[named[0]] == good[named[1]] else ", but ") + lines[named[1]][0 if good[named[1]] else 1]]
            text = lead + ". ".join(parts) + "." + (f" {verdict}" if verdict else "")
            return {"product": kind, "review": text} if shape == 2 else text
        if shape == 3:
            return {"reviewed": kind, "aspects": {a: p for a, p in zip(named, parts)}, **({"overall": verdict} if verdict else {})}
        return f"Reviewed: {kind}\n" + "\n".join(f"- {p}" for p in parts) + (f"\n{verdict}" if verdict else "")

    good = {a: g.coin() for a in named}
    a = g.rng.choice(named)
    yes, no = {**good, a: True}, {**good, a: False}
    out = two(g, tell(yes), tell(no), [(f"Is the reviewer content with this: {a}?", True), (f"Does the reviewer praise this aspect: {a}?", True), (f"On the {a}, the reviewer's view is favourable.", True), (f"Was there anything wrong in the reviewer's eyes as regards the {a}?", False), (f"Does the reviewer find fault with this: {a}?", False), (f"The {a} is criticised.", False), (f"The reviewer has nothing against the {a}.", True), (f"As to the {a}, is the reviewer displeased?", False)], 0)
    levels = {"praised": "The reviewer speaks well of it", "criticised": "The reviewer finds fault with it", "not_mentioned": "The review does not speak of it"}
    words = [f"What does the review say about this aspect: {a}?", f"How does the {a} come off?", f"Judge this aspect alone: {a}."]
    out += twin(g, [(tell(yes), "praised"), (tell(no), "criticised")], words, levels, 1)
    if absent and g.coin(0.35):
        z = absent[0]
        out.append(pick_one(g, tell(good), [f"What does the review say about this aspect: {z}?", f"How does the {z} come off?", f"Judge this aspect alone: {z}."], levels, "not_mentioned"))
    lone = {x: (x != a) for x in named}
    flip = g.coin()
    least = {x: v != flip for x, v in lone.items()}
    out.append(pick_one(g, tell(least), ["Which aspect is criticised?", "With what does the reviewer find fault?", "What was wrong?"] if not flip else ["Which aspect is praised?", "What did the reviewer like?", "What was right?"], (named + absent if g.coin() else named) + (["none of them"] if g.coin(0.4) else []), a))
    if g.coin(0.25):
        out.append(pick_one(g, tell({x: True for x in named}), ["Which aspect is criticised?", "What was wrong?", "With what does the reviewer find fault?"], named + ["none of them"], "none of them"))
    u, v = g.rng.sample(range(5), 2)
    names = g.pick(VERDICT_NAMES)
    questions = ["What is the overall verdict?", "How satisfied is the reviewer on the whole?", "Which rating fits the review as a whole?", "Rate the reviewer's overall satisfaction.", "How does the reviewer see it in the end?"]
    start = g.rng.randint(0, 1)
    mixed = {x: i % 2 == start for i, x in enumerate(named)}
    told = [(tell({x: True for x in named} if k == 4 else {x: False for x in named} if k == 0 else mixed, g.pick(VERDICT[k])), k) for k in (u, v)]
    out += rungs(g, told, questions, names, 2) if g.coin(0.7) else twin(g, [(s, names[k]) for s, k in told], questions, names, 2)
    if closing:
        share = lambda t: 4 if all(t.values()) else 0 if not any(t.values()) else 2 if 2 * sum(t.values()) == len(t) else 3 if 2 * sum(t.values()) > len(t) else 1
        states = [dict(zip(named, bits)) for bits in ([g.coin() for _ in named] for _ in range(6))] + [{x: True for x in named}, {x: False for x in named}]
        s, t = g.rng.sample(states, 2)
        if share(s) != share(t):
            out += rungs(g, [(tell(s), share(s)), (tell(t), share(t))], ["How is praise shared out over the points named?", "Weigh the points: how many are good, how many bad?", "Which share of the points is praised?", "Count praise and blame."], g.rng.choice(SHARES), 3)
    w = g.rng.choice([0, 1, 3, 4])
    state = tell(mixed if w in (1, 3) else {x: w == 4 for x in named}, g.pick(VERDICT[w]))
    return out + deny(g, state, [("Is the reviewer satisfied on the whole?", True), ("The overall verdict is favourable.", True), ("All things considered, is the reviewer pleased?", True), ("Is the reviewer dissatisfied on the whole?", False), ("The overall verdict is unfavourable.", False), ("All things considered, is the reviewer displeased?", False)], w > 2)


# (what somebody may do, done)
DEEDS = ["send the parts by Friday", "repair the roof before winter", "pay the full sum back", "open the second ward in May", "deliver the hay on Monday", "publish the correction tomorrow", "free two seats on the early flight", "raise the wages in spring", "come to the final", "replace the worn tyres", "keep the price until June", "return the deposit this month", "hand over the keys on the first",
         "answer every applicant", "extend the warranty", "finish the bridge this year", "provide an interpreter", "move the class to a larger room", "fix the login this week", "clear the road by noon", "take back the unsold copies", "lend out the big tractor", "bring the results on Thursday", "waive the late fee", "train the new staff", "reopen the pool in July", "support the old version until autumn", "let the choir use the hall"]
PLEDGE = [
    ["{w} flatly refused to {v}.", "{w} made it plain that it will not {v}.", "{w} has ruled out that it will {v}.", "{w} wrote: \"We will under no circumstances {v}.\"", "{w} wrote: \"It is out of the question for us to {v}.\"", "{w} said no when asked to {v}.", "{w} wrote: \"You must not count on us to {v}; we shall not do so.\"", "{w} declined to {v}."],
    ["{w} may or may not {v}; it has not decided.", "{w} wrote: \"We might {v}, we might not.\"", "{w} did not rule out that it could {v}, but has yet to decide.", "{w} is still thinking about whether to {v}.", "{w} left open whether it will {v}.", "{w} wrote: \"We cannot say yet whether we will {v}.\"", "{w} wrote: \"Perhaps we will {v}, but we make no promises.\"", "{w} wrote: \"We have not made up our minds whether to {v}.\""],
    ["{w} will try to {v}, but cannot guarantee it.", "{w} wrote: \"We hope to {v} and will do our best.\"", "{w} intends to {v}, if nothing comes up.", "{w} wrote: \"We aim to {v}, without any guarantee.\"", "{w} wants to {v}, but would not be pinned down.", "{w} wrote: \"We expect to {v}, though something may still get in the way.\"", "{w} wrote: \"We plan to {v}; please do not take this as a firm pledge.\"", "{w} is making an effort to {v}, without giving its word."],
    ["{w} promised to {v}.", "{w} gave its word that it will {v}.", "{w} signed a contract that binds it to {v}.", "{w} wrote: \"You have our word: we will {v}.\"", "{w} guaranteed in writing that it will {v}.", "{w} wrote: \"We will {v}, without fail.\"", "{w} has firmly committed itself to {v_ing}.", "{w} wrote: \"You can rely on us to {v}; that is a promise.\"", "{w} swore to {v}, come what may."]]
PLEDGE_NAMES = [["refuses", "leaves it open", "will try", "promises firmly"], ["0: says no", "1: undecided", "2: intends to, without a guarantee", "3: binding promise"], ["It will not be done", "Nobody knows whether it will be done", "It is meant to be done, but not guaranteed", "It has been pledged"], ["rejection", "no decision", "good intention", "firm commitment"], ["none: refused", "open: may or may not", "soft: will try", "hard: has given its word"]]
CASES = ["the bridge is closed", "the vaccine has arrived", "the match was sold out", "the parcel is in Riga", "the roof leaks", "the price went up", "the server was attacked", "the cow is pregnant", "the train has left", "the director is ill", "the test was wrong", "the contract was signed", "the film has been sold", "the flat is taken", "the barn is insured", "the lorry broke down", "the exam was too hard",
         "the landlord knows of it", "the harvest is ruined", "the report is genuine", "the goalkeeper is injured", "the hotel is full", "the sample got mixed up", "the road is icy", "the paper was right", "the pump is to blame", "the money has been sent"]
SURE = [
    ["It has been ruled out that {c}.", "It is out of the question that {c}.", "It has been proven false that {c}.", "By now we know for certain: it is not true that {c}.", "There is no possibility that {c}; we checked.", "We looked into it, and it can be excluded that {c}.", "The claim that {c} has been refuted."],
    ["It cannot be ruled out that {c}.", "It might be that {c}, it might not.", "It is conceivable that {c}; we have nothing to go by.", "There is some chance that {c}.", "It could be that {c}, nobody has looked into it.", "One cannot exclude that {c}.", "We do not know whether {c}; it is possible."],
    ["It is very likely that {c}, although no one has confirmed it.", "Most signs suggest that {c}, but proof is lacking.", "We are fairly sure that {c}, if not entirely.", "In all probability {c}; a last check is still to come.", "I would bet that {c}, though I have not seen it myself.", "Nearly everything points to it that {c}, but it is not official.", "I strongly assume that {c}, without having it in writing."],
    ["It has been confirmed that {c}.", "There is no doubt whatever that {c}.", "It is a fact that {c}; I saw it with my own eyes.", "It has been proven that {c}.", "We know for certain that {c}.", "We checked twice, and indeed {c}.", "It is official and beyond dispute that {c}."]]
SURE_NAMES = [["ruled out", "possible", "probable", "confirmed"], ["it is not so", "it may be so", "it is probably so", "it is certainly so"], ["0: excluded", "1: open", "2: likely, not proven", "3: proven"], ["refuted", "no more than a possibility", "probable without proof", "established"], ["certainly not", "perhaps", "probably", "certainly"]]


def gerund(v):
    w, *rest = v.split(" ")
    w = {"let": "letting", "free": "freeing"}.get(w) or (w[:-1] + "ing" if w.endswith("e") else w + "ing")
    return " ".join([w, *rest])


def commitment(g):
    """How binding is what somebody says, and how sure is what is reported?"""
    u, v = g.rng.sample(range(4), 2)
    tell = dress(g)
    if g.coin():
        who, deed = g.pick(PARTIES), g.pick(DEEDS)
        make = lambda k: g.pick(PLEDGE[k]).format(w=who, v=deed, v_ing=gerund(deed))
        w, names = who[0].lower() + who[1:], g.pick(PLEDGE_NAMES)
        questions = [f"How binding is what {w} says?", f"How firmly has {w} committed itself?", f"What can one expect of {w}?", "How strong is the commitment?", f"Has {w} agreed to {deed}, and how firmly?"]
        firm = [(f"Has {w} promised to {deed}?", True), (f"Is {w} bound by its word to {deed}?", True), (f"It is promised that {w} will {deed}.", True), (f"Is a firm promise from {w} still lacking?", False), (f"{who} has not given its word that it will {deed}.", False), ("There is no firm commitment.", False), ("There is a firm commitment.", True)]
        refuse = [(f"Has {w} refused to {deed}?", True), (f"Is it settled that {w} will not {deed}?", True), (f"{who} has said no.", True), (f"Can one still hope that {w} will {deed}?", False), (f"Has {w} kept from saying no?", False), (f"{who} has not refused.", False)]
        open_ = [(f"Is it undecided whether {w} will {deed}?", True), ("The matter is undecided on their side.", True), (f"Has {w} made up its mind?", False), (f"{who} has already decided.", False)]
    else:
        case = g.pick(CASES)
        make = lambda k: g.pick(SURE[k]).format(c=case)
        names = g.pick(SURE_NAMES)
        questions = [f"How sure is it that {case}?", "How certain is what is reported?", f"What is known about this: {case}?", "Which degree of certainty does the text express?", f"How firmly is it established that {case}?"]
        firm = [(f"Is it confirmed that {case}?", True), (f"Is it beyond doubt that {case}?", True), (f"The text takes it as certain that {case}.", True), (f"Does it still have to be confirmed, or is it untrue, that {case}?", False), (f"It is not confirmed that {case}.", False), (f"Is there no confirmation that {case}?", False)]
        refuse = [(f"Has it been ruled out that {case}?", True), (f"Is it certainly untrue that {case}?", True), (f"The text denies that {case}.", True), (f"Could it be that {case}?", False), (f"It may be so, for all the text says, that {case}.", False), (f"Is it possible or even certain that {case}?", False)]
        open_ = [(f"Is it an open question whether {case}?", True), (f"It is undecided whether {case}.", True), (f"Is it known for certain whether {case}?", False), (f"The question whether {case} has been settled.", False)]
    a, c = tell(make(u)), tell(make(v))
    out = rungs(g, [(a, u), (c, v)], questions, names, 0) if g.coin(0.65) else twin(g, [(a, names[u]), (c, names[v])], questions, names, 0)
    kind = g.rng.randint(0, 2)
    if kind == 0:
        out += two(g, tell(make(3)), tell(make(g.rng.randint(0, 2))), firm, 1)
    elif kind == 1:
        out += two(g, tell(make(0)), tell(make(g.rng.randint(1, 3))), refuse, 1)
    else:
        out += two(g, tell(make(1)), tell(make(g.rng.choice([0, 3]))), open_, 1)
    k = g.rng.choice([0, 1, 2, 3, 3, 3])
    return out + deny(g, tell(make(k)), firm, k == 3)


ERRANDS = ["send the file", "cancel my contract", "move the van", "bring two chairs", "feed the calves", "sign the form", "close the window", "call the insurer", "repair the fence", "book the flight", "correct the invoice", "water the pitch", "print the tickets", "clean the ward", "pay the bill", "open the gate", "return the keys", "check the tyres", "explain the delay", "change the headline", "remove my name from the list", "turn the music down", "weigh the crates", "refund the fee",
           "unlock the hall", "reset the password", "mark the tests", "pick up the parcel", "reply to the mayor", "congratulate the winners", "order the cake", "thank the nurses"]
COURTESY = [["{V}, you idiot.", "Are you deaf? {V}.", "{V}, and get off your lazy behind.", "Which fool is in charge here? {V}.", "I have no time for clowns like you. {V}.", "{V}, or are you too stupid for that?", "Shut up and {v}.", "A trained monkey could {v}; why can't you, you moron?", "{V}, you useless lot.", "Stop whining and {v}, you muppet."],
            ["{V}.", "{V} on Tuesday.", "Task: {v}.", "I want you to {v}.", "{V} when you are back.", "You have to {v}.", "Next: {v}.", "To do for Monday: {v}.", "{V} at nine.", "Item four: {v}."],
            ["Would you be so kind as to {v}?", "Could you please {v}? Thank you very much.", "I would be most grateful if you could {v}.", "If it is not too much trouble, would you {v}?", "May I kindly ask you to {v}? Many thanks.", "Please {v}, if you would. I appreciate your help.", "I hope you don't mind my asking: could you please {v}?", "It would be very kind of you to {v}; thank you in advance.", "Might I trouble you to {v}? I'd be much obliged.", "Pardon me, would you please {v}? That would be lovely."]]
COURTESY_NAMES = [["rude", "neutral", "polite"], ["insulting", "plain", "courteous"], ["0: offends the reader", "1: a bare instruction", "2: friendly and considerate"], ["impolite: insults or scorn", "neither: short and dry", "polite: courteous words"], ["The reader is insulted", "The reader is told what to do, without courtesy or insult", "The reader is asked with courtesy"]]
STYLE = [["hey, can u {v}? cheers mate", "yo, gotta {v} asap, ok? lol", "heya! wanna {v} for me? thx a bunch", "dude, pls {v}, ta", "sup, u gonna {v} or what? haha", "hiya, cud u {v}? xx", "oi, {v}, will ya? cheers", "lol just {v} pls, ur a star", "morning folks, anyone wanna {v}? thx :)", "hey hun, {v} when ya can, kk?"],
         ["Hello, could you {v}? Thanks.", "Good morning, please {v} this week. Thank you.", "Hi Mr Olsen, can you {v}? Kind regards.", "Hello team, please {v}. Thanks.", "Good afternoon. Could someone {v}? Thank you.", "Hello, I would like you to {v}. Regards.", "Hi all, please {v} by Friday. Thanks.", "Hello Ms Brandt, can you {v} today? Thank you."],
         ["Dear Sir or Madam, I hereby respectfully request that you {v}. Yours faithfully.", "To whom it may concern: the undersigned requests that you {v}. Yours faithfully.", "Esteemed Members of the Board, permit me to request that you {v}. I remain, yours sincerely.", "Dear Director, it is hereby requested that you {v} at your earliest convenience. Most respectfully yours.", "Your Excellency, I have the honour to request that you {v}. I remain your obedient servant.", "Dear Sirs, with reference to our correspondence, we hereby request that you {v}. Yours faithfully.",
          "Dear Madam, pursuant to our agreement, you are hereby requested to {v}. Yours faithfully.", "Honourable Committee, the applicant hereby requests that you {v}. Respectfully submitted."]]
STYLE_NAMES = [["casual", "ordinary", "formal"], ["slang", "everyday business style", "ceremonious"], ["0: chatty, as among friends", "1: as in a normal mail at work", "2: stiff and official"], ["colloquial", "neutral", "highly formal"]]
MOODS = {"apologetic": ("Says sorry", ["I am so sorry to ask, and it is all my own fault, but I need you to {v}.", "Forgive me, I made a mess of it; could you {v}?", "My sincere apologies for my mistake. I should have done it myself: {v}.", "I feel bad about it and beg your pardon. The task is to {v}."]),
         "threatening": ("Announces harm or legal steps", ["{V}, or you will hear from my lawyer.", "If you don't {v}, I shall go to court.", "{V}, or I will make sure that you lose your job.", "You have one chance to {v}; after that I call the police."]), "grateful": ("Expresses thanks for something", ["What you did last time was wonderful, I cannot thank you enough. The next task is to {v}.", "A thousand thanks for all your help so far! Now I need you to {v}.", "I am deeply grateful for what you have done. What remains is to {v}.", "Thank you from the bottom of my heart for yesterday. Next on the list: {v}."]),
         "matter_of_fact": ("Without any feeling", ["Task 14: {v}.", "The plan for Tuesday has one item: {v}.", "Step three: {v}.", "The list says: {v}."]), "angry": ("Shows anger", ["I am furious! For the tenth time: {v}!", "It makes my blood boil that I have to say it again: {v}!", "I am sick and tired of asking you to {v}!", "How dare you ignore me! I told you to {v}!"]), "worried": ("Shows fear", ["I am afraid of what happens if nobody manages to {v}.", "I lie awake at night for fear that nobody will {v}.", "I tremble at the thought that you could forget to {v}.", "It frightens me that you may not {v} in time."]),
         "joking": ("Makes a joke", ["Even my goldfish asked when you are going to {v}, and he has a memory of three seconds. Ha ha!", "Knock, knock. Who's there? The man who begs you to {v}! Ha ha!", "My cat offered to {v}, but her rates are outrageous, ha ha. So it falls to you!", "If you {v}, I will name my next hamster after you, ha ha!"]), "pleading": ("Begs", ["I beg you, I implore you: {v}!", "Please, please, please, I am on my knees: {v}!", "You are my only hope. I beg of you to {v}!", "Have mercy, I beseech you to {v}!"])}
NEAR_MOODS = [{"angry", "threatening"}, {"pleading", "worried"}, {"pleading", "apologetic"}]


def manners(g):
    """How something is said, whatever is said: courtesy, style, mood."""
    verb, other = g.rng.sample(ERRANDS, 2)
    kind = g.rng.randint(0, 2)
    fill = lambda t, v=verb: t.format(v=v, V=cap(v))
    shape = g.rng.randint(0, 4)
    who = g.name()
    tell = lambda t: [t, t, {"from": who, "text": t}, f"From: {who}\nText: {t}", {"message": t, "read": True}][shape]
    if kind == 2:
        x, y, *rest = g.rng.sample(list(MOODS), 2 + g.rng.randint(1, 4))
        while {x, y} in NEAR_MOODS:
            x, y, *rest = g.rng.sample(list(MOODS), 2 + g.rng.randint(1, 4))
        a, c = tell(fill(g.pick(MOODS[x][1]))), tell(fill(g.pick(MOODS[y][1]), g.rng.choice([verb, other])))
        options = spare(g, {k: MOODS[k][0] for k in [x, y, *rest]})
        questions = ["What is the tone?", "In which mood is it written?", "How does the writer sound?", "Which tone fits, whatever the subject?", "Pick the tone of the message."]
        if g.coin(0.3):
            hidden, new = veil(g, options)
            out = twin(g, [(a, new[x]), (c, new[y])], questions, hidden, 0, bare=0)
        else:
            out = twin(g, [(a, x), (c, y)], questions, options, 0)
        if g.coin(0.25):
            none = g.rng.choice(NONE)
            out.append(pick_one(g, a, questions, {k: MOODS[k][0] for k in [y, *rest]} | dict([none]), none[0]))
        word = x.replace("_", "-")
        form = [(f"Is the tone {word}?", True), (f"Does the writer sound {word}?", True), (f"The message is {word} in tone.", True), (f"Is the tone something other than {word}?", False), (f"Would it be wrong to call the tone {word}?", False), (f"The message does not sound {word}.", False)]
        return out + two(g, a, c, form, 1) + deny(g, *g.rng.choice([(a, form, True), (c, form, False)]))
    bank, names = (COURTESY, COURTESY_NAMES) if kind == 0 else (STYLE, STYLE_NAMES)
    u, v = g.rng.sample(range(3), 2)
    a, c = tell(fill(g.pick(bank[u]))), tell(fill(g.pick(bank[v])))
    questions = ["How polite is it?", "Rate the courtesy of the message.", "How does the writer treat the reader?", "Which level of politeness fits?"] if kind == 0 else ["How formal is it?", "Rate the formality.", "Which style is it written in?", "Which level of formality fits the wording?"]
    names = g.pick(names)
    out = rungs(g, [(a, u), (c, v)], questions, names, 0) if g.coin(0.6) else twin(g, [(a, names[u]), (c, names[v])], questions, names, 0)
    high = [("Is the message polite?", True), ("The writer is courteous.", True), ("Does the writer treat the reader with respect?", True), ("Is the message rude?", False), ("The writer insults the reader.", False), ("Is the reader treated with scorn?", False)] if kind == 0 else [("Is the message formal?", True), ("The wording is official and stiff.", True), ("Would one write like this to a court rather than to a friend?", True), ("Is the message casual?", False), ("It is written in slang.", False), ("Would one write like this to a friend rather than to a court?", False)]
    out += two(g, tell(fill(g.pick(bank[2]))), tell(fill(g.pick(bank[0]))), high, 1)
    k = g.rng.choice([0, 2])
    out += deny(g, tell(fill(g.pick(bank[k]), other)), high, k == 2)
    x, y = g.rng.sample(range(3), 2)
    s, t = fill(g.pick(bank[x])), fill(g.pick(bank[y]), other)
    more = g.coin()
    words = (["Which message is more polite?", "Which of the two is the more courteous one?"] if more else ["Which message is less polite?", "Which of the two is the less courteous one?"]) if kind == 0 else (["Which message is more formal?", "Which of the two is in the stiffer style?"] if more else ["Which message is less formal?", "Which of the two is in the more casual style?"])
    out.append(pick_one(g, {"first": s, "second": t}, words, {"first": "the one under first", "second": "the one under second"}, "first" if (x > y) == more else "second"))
    return out


FAMILIES = {f.__name__: f for f in (pressing, incident_grade, mixed_review, commitment, manners)}
