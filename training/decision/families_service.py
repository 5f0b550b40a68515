"""Service talk: who needs what, what is wanted or declined, who acts next, how urgent, how bad, how sure, how polite, and what holds now.

The answer is drawn first and the text made from it; tone, length and facts about other things vary freely beside it.
"""
import re

import banks as b
from clauses import Clause, ask_both, ask_pair, cap, pick_one, row, scale

LEADS = ["Hello!", "Good morning.", "Hi there.", "Dear team!", "To whom it may concern.", "Good evening.", "Hello again.", "A short note.", "Greetings from the north.", "Dear colleagues!", "Hi!", "Good day."]
TAILS = ["Regards, {n}", "Thanks, {n}", "{n}", "Best wishes, {n}", "With kind regards, {n}", "Yours, {n}", "Sent from my phone.", "Bye for now, {n}", "My name is {n}, by the way.", "Thank you for reading."]
ASIDES = ["It has been windy here for days.", "I am writing from the train.", "The lunch break is nearly over.", "I am writing this on my knees.", "We met at the fair in spring.", "I have been with you for six years.", "Our dog says hello.", "There are three of us at this table.", "I found your address in the directory.",
          "This is the second page of my notes.", "My brother is called Otto after his uncle.", "My cousin works two streets from you.", "I read your newsletter at breakfast.", "I am sitting by the window.", "It is the first time that I use this form.", "My reference number is 40917."]
KEYS = ["message", "text", "body", "note", "content", "comment"]


def dress(g):
    """How a text is told: a function, so that both of a pair are told alike."""
    pre = g.pick(LEADS) + " " if g.coin(0.3) else ""
    post = " " + g.pick(TAILS).format(n=g.name()) if g.coin(0.3) else ""
    if g.coin(0.35):
        aside = g.pick(ASIDES)
        pre, post = (pre + aside + " ", post) if g.coin() else (pre, " " + aside + post)
    key, who, shape = g.rng.choice(KEYS), g.name(), g.rng.random()
    extra = g.rng.choice([{}, {"from": who}, {"channel": g.rng.choice(["mail", "chat", "phone", "form"])}, {"id": g.rng.randint(100, 9999)}, {"from": who, "day": g.rng.choice(["Monday", "Tuesday", "Thursday"])}])

    def tell(text):
        said = pre + cap(text) + post
        if shape < 0.55:
            return said
        if shape < 0.75:
            return {**extra, key: said}
        if shape < 0.87:
            return "\n".join(f"{k}: {v}" for k, v in {**extra, key: said}.items())
        return [{"from": who, "text": said}]
    return tell


def two(g, yes, no, questions, pair=0):
    """One question on two states; a question stands with the answer that the first state gives it."""
    words, value = g.pick(questions)
    return [{**row(g, yes, words, value), "pair": pair}, {**row(g, no, words, not value), "pair": pair}]


def deny(g, state, questions, yes, neg=0):
    """A question and one of the opposite answer on one state."""
    first, second = g.pick([q for q in questions if q[1]]), g.pick([q for q in questions if not q[1]])
    return [{**row(g, state, w, v == yes), "criteria": None, "neg": neg} for w, v in (first, second)]


def twin(g, told, questions, options, pair=1, bare=0.35):
    """One choice on two states."""
    words, options = g.pick(questions), dict(options) if isinstance(options, dict) else {o: None for o in options}
    if any(options.values()) and g.coin(bare):
        options = {k: None for k in options}
    return [pick_one(g, s, [words], options, k, bare=0, pair=pair) for s, k in told]


def rungs(g, told, questions, names, pair=2):
    """One question about levels on two states."""
    words, names = g.pick(questions), list(names)
    flip = g.coin(0.35)
    return [{**scale(g, s, [words], names[::-1] if flip else names, len(names) - 1 - k if flip else k, reverse=0), "pair": pair} for s, k in told]


def spare(g, options):
    """The options, now and then with one for all else, which is not the answer."""
    return {**options, **(dict([g.rng.choice(NONE)]) if g.coin(0.3) else {})}


def veil(g, options):
    """Keys that say nothing, the meaning in the description: (options, new name of each key)."""
    keys = list(options)
    g.rng.shuffle(keys)
    style = g.rng.choice([lambda i: "abcdefgh"[i], lambda i: f"option_{i + 1}", lambda i: f"T{i + 1}", lambda i: "ABCDEFGH"[i], lambda i: f"queue_{i + 1}", lambda i: str(i + 1)])
    names = {k: style(i) for i, k in enumerate(keys)}
    return {names[k]: options[k] or k.replace("_", " ") for k in keys}, names


NONE = [("none_of_these", "None of the other options"), ("something_else", "Something that is not listed"), ("other", "Anything else"), ("no_match", "No other option fits"), ("unlisted", "Not covered by the others")]

# place -> (openings that fit every team, team -> (description, what the message goes on to say))
DESKS = {
    "shop": (["I bought a {p} from you last week", "This is about the {p} in my last order", "My wife got a {p} from your shop for her birthday", "You sold me a {p} in spring"], {
        "returns": ("Sending goods back for money", ["I do not like the colour after all and would like my money back.", "It is not what we hoped for, so how do I send it back to you?", "It does not suit the room; please give us back what we paid."]),
        "repairs": ("Things that stopped working", ["Since yesterday it makes a grinding noise and gives up.", "One part snapped off the first time we touched it; can someone mend it?", "It died after two days and I hope you can fix it."]),
        "parcels": ("Where a delivery is", ["The van never came, and nobody knows where my box is.", "The tracking page has said 'on its way' for nine days.", "Your driver says he left it at a door that is not ours."]),
        "billing": ("Charges and receipts", ["You took the sum from my card twice.", "My accountant needs a piece of paper with your tax number on it.", "The amount on my statement is not the one we agreed on."]),
        "stock": ("Whether something can be bought", ["Will you have it in green again before summer?", "Is it sold out for good, or are there any left?", "I would take three more if you still have them."]),
        "advice": ("Help with choosing", ["Would the larger one be better for a family of five?", "Which of the two models would you take for a small flat?", "I cannot decide between the light and the heavy one; what do you think?"])}),
    "hospital": (["I was on your ward in {m}", "I am writing for my mother, who was with you in {m}", "My son saw one of your doctors in {m}", "We came to your clinic in {m}"], {
        "appointments": ("Finding a time to be seen", ["Could the doctor see us one morning in the coming weeks?", "The hour you gave us does not suit; is there a later one?", "When could we come in for the check after six months?"]),
        "pharmacy": ("Medicines", ["The tablets are used up and the chemist wants a new slip.", "May the drops be taken together with the pills for blood pressure?", "The syrup you gave us tastes odd; has it gone off?"]),
        "records": ("Copies of findings", ["The new doctor asks for the pictures of the knee and what was written about it.", "I would like to have everything on paper that was noted about the operation.", "Could you send the blood values to our family doctor?"]),
        "accounts": ("What treatment costs", ["The sum you want for the night seems too high to us.", "The insurer refuses to pay for the scan; can we pay in parts?", "We were asked to pay the same thing twice."]),
        "visits": ("Seeing patients on the ward", ["Until what hour may the family sit at the bed?", "May children come along to see their grandmother upstairs?", "How many of us can be in the room with her at a time?"]),
        "praise_and_grievances": ("Opinions about the staff", ["The night nurse was short with us, and I want someone to know.", "Everyone on the ward was so kind that I wish to thank them by name.", "The man at the desk shouted at us, and that should not happen again."])}),
    "school": (["My daughter is in year {n}", "I teach the class of year {n}", "I am the father of a boy in year {n}", "This concerns a pupil of year {n}"], {
        "absence": ("Pupils who do not come", ["She has a fever and stays in bed until Thursday.", "There is a funeral in the family, so the seat will be empty on Friday.", "The doctor says two days at home at least."]),
        "meals": ("The canteen", ["Nuts must not be on the plate, or there will be a rash.", "Is there something without meat at noon?", "The soup was cold again today."]),
        "transport": ("The way to school", ["The bus drove past the stop twice this week.", "From May on we live in the next village; who takes children from there?", "The driver does not wait until everyone has sat down."]),
        "marks": ("Grades and tests", ["The essay got a four, and we do not see why.", "Can the paper from Tuesday be written again?", "The points in the report do not add up."]),
        "devices": ("Computers and accounts", ["The tablet does not take the code any more.", "The homework page stays white after the login.", "The laptop from school has no sound."]),
        "fees": ("Money for trips and books", ["The sum for the trip is more than we have at the moment.", "We paid for the books in autumn and are asked again.", "Can the costs of the outing be spread over three months?"])}),
    "it_desk": (["I sit on floor {n}", "I started in the office on floor {n} this week", "Greetings from the team on floor {n}", "We share a printer on floor {n}"], {
        "access": ("Rights and sign-in", ["The folder for the budget says that I may not look into it.", "My code is refused since the holiday.", "I need to be let into the sales files."]),
        "hardware": ("Devices", ["The screen stays black, whatever cable I take.", "My mouse jumps about and the left button sticks.", "The laptop gets so hot that one cannot touch it."]),
        "network": ("Connections", ["Pages take minutes and calls break off.", "In our corner no machine gets online.", "The wireless drops out whenever I walk to the kitchen."]),
        "purchasing": ("Buying equipment", ["We would like two larger screens; what may they cost?", "Please order a headset for the new colleague.", "Can a licence for the drawing program be bought for us?"]),
        "security": ("Suspicious mails and attacks", ["A mail in the name of our boss asks me to buy gift cards.", "I clicked on a strange link and a window asked for my code.", "Somebody from abroad seems to have opened my mailbox."]),
        "training": ("Learning to use programs", ["Could somebody show us how tables are linked?", "Is there a course for the new calendar?", "I have never used the planning tool and would like an hour with someone who knows it."])}),
    "travel": (["We booked a trip to {c} with you", "I fly to {c} in spring", "My parents travel to {c} next month", "We are four people on the tour to {c}"], {
        "changes": ("Other dates or names", ["Could we leave two days later than planned?", "The surname on the ticket has a letter too many.", "My brother would go in my place, if that can be done."]),
        "luggage": ("Bags", ["Only one of our two suitcases was on the belt.", "May I take a cello into the cabin?", "How heavy may the rucksack be?"]),
        "documents": ("Passports and visas", ["Do we need a stamp in the passport before we set out?", "Is an identity card enough at the border?", "The embassy asks for a letter of invitation."]),
        "compensation": ("Money for delays and losses", ["We sat at the airport for nine hours and want something for it.", "The tour left out the castle, although we had paid for it; we want part of the price back.", "What do we get for the night that we lost?"]),
        "needs": ("Help for travellers who need it", ["My father cannot climb stairs and will be in a wheelchair.", "I cannot see and would like somebody to meet me at the gate.", "Our son travels alone and is eight years old."]),
        "groups": ("Parties of ten or more", ["Now the whole choir wants to come along, forty singers.", "What is the price if our entire class of thirty joins?", "We have become a company of twenty-five."])}),
    "housing": (["I live in flat {n}", "I have rented flat {n} since May", "We are the people in flat {n}", "This is the tenant of flat {n}"], {
        "heating_and_water": ("Warmth, taps and drains", ["The radiators have been cold since Sunday.", "Nothing runs off in the kitchen sink.", "There is only a trickle from the shower."]),
        "rent": ("Payments", ["The standing order went out twice this month.", "Why do I pay forty more than last year?", "Could I pay on the tenth instead of the first?"]),
        "neighbours": ("Noise and quarrels in the house", ["The people above us drill until midnight.", "Somebody fills the hall with shoes and prams and will not listen.", "The man next door plays drums at dawn."]),
        "moving_out": ("Giving notice", ["We have found a house and leave in August.", "I would like to end the contract at the end of the quarter.", "To whom do I hand over the rooms when we go?"]),
        "keys": ("Locks and doors", ["I dropped the one for the cellar down a drain.", "The front door does not shut any more and anyone can walk in.", "My daughter needs one of her own to get in."]),
        "cleaning": ("Stairs, bins and yard", ["Nobody has swept the stairs for three weeks.", "The bins overflow and there are rats in the yard.", "There is mud all over the entrance hall."])}),
    "carrier": (["We ship pallets of {p}s with you", "I am expecting a load of {p}s", "Our warehouse in {c} works with you", "We have a contract for {c}"], {
        "pickup": ("Fetching goods", ["Twelve crates stand at our gate and should be fetched on Tuesday.", "Can a lorry come by us before ten?", "There are three more boxes to take along from our yard."]),
        "customs": ("Papers at the border", ["The officer wants to know what the goods are worth.", "The load stands at the border because a form is missing.", "Which code do I write for cotton on the paper for the officers?"]),
        "claims": ("Damage and loss", ["Half of it was soaked when it got here.", "Two boxes were crushed and we want to be paid for them.", "Four cartons are missing and somebody has to make it good."]),
        "rates": ("Prices for transport", ["What would you take for twenty tonnes a month?", "Do you make it cheaper if we send more?", "Please tell us what a load to the coast would come to."]),
        "drivers": ("Behaviour on the road and at the ramp", ["Your man drove over our flower bed and laughed.", "The lorry cut in on me on the motorway.", "The fellow at the wheel smoked beside our petrol tank."]),
        "partners": ("Firms that want to drive for you", ["We own six lorries and would like to work for you.", "Our small firm has free vans and is looking for routes of yours.", "How does one become a haulier on your list?"])}),
    "farm_coop": (["I farm {n} hectares near {c}", "My farm lies outside {c}", "We keep {n} cows", "I took over the farm at {c} from my uncle"], {
        "vet": ("Sick animals", ["One of the calves has not stood up since morning.", "Three ewes limp and do not eat.", "The hens have stopped laying and sneeze."]),
        "machines": ("Tractors and tools", ["The baler loses oil on every turn.", "May I borrow the big seeder for two days?", "The tractor does not pull in third gear."]),
        "seed": ("Seed and fertiliser", ["Which barley do you have for sandy ground?", "I would like forty bags of clover for spring.", "Is the lime that I ordered here yet?"]),
        "sales_of_crops": ("Selling what was grown", ["Who takes eighty tonnes of wheat after harvest?", "What do you pay for potatoes this week?", "I have more milk than my dairy wants; can you place it?"]),
        "subsidies": ("Support from the state", ["The form for the state's money for hedges has to be filled in and I do not understand page two.", "Does fallow land count for the grant?", "The ministry paid me less than last year."]),
        "weather_damage": ("Hail, flood and drought", ["Hail flattened the rape last night.", "The river stands on my beets.", "There has been no drop for seven weeks and the maize is lost."])}),
    "sports_club": (["I have swum with you since {m}", "My children train with you on Mondays", "I am member number {n}", "I play in your second team"], {
        "membership": ("Joining and leaving", ["After this season I want to stop for good.", "My husband would like to join as well.", "Can I let it rest for half a year while I am abroad?"]),
        "coaching": ("Lessons and trainers", ["I would like to learn the butterfly stroke from someone.", "Is there a trainer for beginners over sixty?", "My serve is weak; who could work on it with me?"]),
        "injuries": ("Accidents in training", ["I slipped by the pool and hurt my wrist.", "A ball hit my son in the eye last night.", "Somebody fainted in the sauna and we had to call for help."]),
        "venue": ("Halls, showers and lockers", ["The showers for women have been cold for a week.", "My locker does not open any more.", "There is glass on the floor of hall two."]),
        "matches": ("Fixtures and teams", ["Against whom do we play on the ninth?", "We are only ten for Sunday and need one more.", "Who was put into the team for the cup?"]),
        "shirts": ("Club clothing", ["The jersey with my name is two sizes too small.", "Where do I get the blue tracksuit with the badge?", "I would like a cap in the club's colours."])}),
    "newspaper": (["I have read your paper for {n} years", "This is about the edition of last Tuesday", "I read your article about {c}", "I get your paper in {c}"], {
        "errors": ("Mistakes in articles", ["The mayor you name has been dead for ten years.", "The figure in the third line is wrong by a factor of ten.", "You printed the picture of the wrong man."]),
        "subscriptions": ("Getting the paper", ["The paper has not been in my box since Friday.", "While we are away in July nobody should bring it.", "I would like to read it on the tablet from now on instead of on paper."]),
        "adverts": ("Placing notices", ["What does a quarter of a page for our jubilee cost?", "I would like to announce my daughter's wedding.", "We have a piano to sell and want to put that in."]),
        "letters": ("Opinions for print", ["I see it differently, and you may print these lines under my name.", "Here are my ten lines on the bridge for your page of readers' views.", "I would be glad if my view of the matter could appear."]),
        "tips": ("Hints for reporters", ["There is something foul about the new waste plant, and I have papers that show it.", "You should look into who owns the harbour; I know someone who would talk.", "Every night a lorry empties its tank into our brook, which should be reported on."]),
        "puzzles": ("Crosswords and games", ["The crossword has two solutions for seven across.", "The number puzzle cannot be solved.", "Where can I find the answer to the riddle on page nine?"])}),
    "bank": (["I have had an account with you since {m}", "I am a customer of your branch in {c}", "My account ends in {n}", "We moved our money to you in {m}"], {
        "cards": ("Lost, stolen or broken cards", ["My purse was taken on the tram, with the plastic in it.", "The machine swallowed it and did not give it back.", "The chip is not read in any shop any more."]),
        "loans": ("Borrowing", ["We want to build a house and have a third of the sum.", "Could you lend me ten thousand for a van?", "I would like to pay back what I borrowed earlier than agreed."]),
        "transfers": ("Money sent to others", ["I mistyped a digit, and now a stranger has my rent.", "The sum for my landlord left on Monday and is not there yet.", "How do I send money to my aunt overseas?"]),
        "savings": ("Interest and deposits", ["What do I get if I leave five thousand with you for two years?", "My book shows no interest for last year.", "I would like to put fifty aside each month."]),
        "app": ("The program on the phone", ["After the update it closes as soon as I tap on it.", "My thumb is no longer recognised on the phone.", "The page on my phone shows the figures of January."]),
        "estates": ("Accounts of the dead", ["My father died in March; what do you need from us?", "The notary says that my sister and I are the heirs.", "What happens to grandmother's money now that she has passed away?"])}),
    "energy": (["You supply our house in {c}", "I am a customer in {c}", "Our meter ends in {n}", "We have lived in {c} since {m}"], {
        "outages": ("No power or gas", ["The whole street has been dark for an hour.", "The stove gets no flame since noon.", "All sockets are dead, and those of the neighbours as well."]),
        "meters": ("Counting what is used", ["The wheel turns although everything is off.", "A man wanted to come and note the figures, but he did not.", "The display of the little box in the cellar is blank."]),
        "tariffs": ("Choosing a price plan", ["Would the night price be better for somebody with an electric car?", "Is there a cheaper plan for two people?", "I would like to switch to current from wind."]),
        "instalments": ("Monthly payments", ["Please lower what I pay each month; we use less now.", "I cannot pay the full sum at once, may I split it?", "You collected the sum for May twice."]),
        "connections": ("New lines", ["We are building a barn and need a line to it.", "From October there should be gas in our new house.", "A second cable has to be laid for the workshop."]),
        "solar": ("Selling your own power", ["What do you pay for the current from my roof?", "My panels are up; how do I feed into your net?", "I would like to put cells on the stable and sell what is left over."])}),
}
ROUTE = ["Which team should get this?", "Who has to deal with it?", "Where does this message belong?", "Pick the desk that is in charge.", "Route this.", "Which department is needed?", "What does the writer need help with?", "To whom should it be handed on?", "Which queue?", "Choose the right contact.", "What is the concern?", "Which topic is it?"]
SETTLED = ["(The earlier matter, \"{d}\", is closed.)", "My question of last month (topic: {d}) has been answered.", "A colleague of yours already solved the other thing, filed under {d}.", "This is a new matter; the old one was filed under \"{d}\" and is done."]


def need(g):
    """The team is named in other words than the message's; one phrase decides."""
    openings, teams = DESKS[g.rng.choice(list(DESKS))]
    x, y, *rest = g.rng.sample(list(teams), len(teams))
    opening = g.pick(openings).format(p=g.pick(["lamp", "kettle", "tent", "rug", "chair", "bag", "clock", "stove", "bench", "ladder", "heater", "mirror"]), n=g.rng.randint(3, 12), c=g.pick(b.CITIES), m=g.pick(["January", "March", "April", "June", "July", "September", "October"]))
    tell, form = dress(g), g.pick(["{o}. {t}", "{o}. {t}", "{t} {o}.", "{o}, as you may see in your files. {t}", "{o}. My question is simple. {t}", "{o}. Here is the matter: {t}", "{o}. So: {t}"])
    aside = " " + g.pick(SETTLED).format(d=teams[g.rng.choice(rest)][0].lower()) if g.coin(0.2) else ""
    make = lambda k, t: tell(form.format(o=opening, t=t) + aside)
    a, c = make(x, g.pick(teams[x][1])), make(y, g.pick(teams[y][1]))
    options = {k: teams[k][0] for k in [x, y, *rest[: g.rng.randint(1, 4)]]}
    other, none = g.rng.choice(NONE), g.rng.choice(NONE)
    if g.coin(0.3):
        options[other[0]] = other[1]
    if g.coin(0.35):
        hidden, names = veil(g, options)
        out = twin(g, [(a, names[x]), (c, names[y])], ROUTE, hidden, 0, bare=0)
    else:
        out = twin(g, [(a, x), (c, y)], ROUTE, options, 0)
    if g.coin(0.3):
        left = {k: v for k, v in options.items() if k not in (x, other[0])} | dict([none])
        out.append(pick_one(g, a, ROUTE, left, none[0], bare=0.2))
    title = teams[x][0].lower()
    ask_team = g.pick(["Is this a matter for the team \"{}\"?", "Does the message belong to this topic: {}?", "The writer's need has to do with this: {}.", "Should the desk for \"{}\" answer?", "Is \"{}\" the right heading?", "The right team handles: {}."])
    out += two(g, a, c, [(ask_team.format(title), True)], 1)
    z = g.rng.choice([x, y])
    deny_team = g.pick(["Is this a matter for another team than \"{}\"?", "Would it be wrong to file this under \"{}\"?", "The message has nothing to do with this topic: {}.", "Somebody else than the desk for \"{}\" is needed."])
    return out + [{**row(g, c, w.format(teams[z][0].lower()), v), "criteria": None, "neg": 0} for w, v in ((ask_team, z == y), (deny_team, z != y))]


# (the thing, to do it, doing it, it is there already)
ITEMS = [("a refund", "refund me", "refunding me", "the refund has reached my account"), ("a callback", "call me back", "calling me back", "your colleague has called me back"), ("a copy of the invoice", "mail me a copy of the invoice", "mailing me a copy of the invoice", "the copy of the invoice has reached me"),
         ("an upgrade", "upgrade my plan", "upgrading my plan", "my plan has been upgraded"), ("a replacement", "send me a replacement", "sending me a replacement", "the replacement has arrived"), ("a voucher", "send me a voucher", "sending me a voucher", "the voucher has come"),
         ("a spare key", "cut me a spare key", "cutting me a spare key", "the spare key is in my hands"), ("a new password", "reset my password", "resetting my password", "my password has been reset"), ("a visit from a technician", "send a technician", "sending a technician", "the technician has been here"),
         ("a translation", "translate the letter", "translating the letter", "the letter has been translated"), ("a home visit", "send a nurse to my home", "sending a nurse to my home", "the nurse has been to my home"), ("a second opinion", "ask another doctor", "asking another doctor", "another doctor has given his opinion"),
         ("a new prescription", "renew my prescription", "renewing my prescription", "my prescription has been renewed"), ("a different seat", "change my seat", "changing my seat", "my seat has been changed"), ("a certificate", "issue a certificate", "issuing a certificate", "the certificate has been issued"),
         ("a soil test", "test my soil", "testing my soil", "my soil has been tested"), ("a press pass", "issue me a press pass", "issuing me a press pass", "the press pass lies on my desk"), ("a lower rent", "lower my rent", "lowering my rent", "my rent has been lowered"), ("a new lock", "fit a new lock", "fitting a new lock", "the new lock has been fitted"),
         ("a pick-up of the pallets", "pick up the pallets", "picking up the pallets", "the pallets have been picked up"), ("a season ticket", "send me a season ticket", "sending me a season ticket", "the season ticket is in my wallet"), ("a later deadline", "extend the deadline", "extending the deadline", "the deadline has been extended"),
         ("an export of the data", "export the data", "exporting the data", "the data have been exported"), ("a new router", "send me a new router", "sending me a new router", "the new router is up and running"), ("a cancellation of the contract", "cancel my contract", "cancelling my contract", "my contract has been cancelled"),
         ("a quote", "write me a quote", "writing me a quote", "the quote has been written"), ("an apology", "apologise to my mother", "apologising to my mother", "your manager has apologised to my mother"), ("a tutor", "find a tutor for my son", "finding a tutor for my son", "the tutor has begun to work with my son"),
         ("a hearing test", "test my hearing", "testing my hearing", "my hearing has been tested"), ("an interview with the coach", "arrange an interview with the coach", "arranging an interview with the coach", "the interview with the coach has taken place"), ("a permit for the yard", "issue a permit for the yard", "issuing a permit for the yard", "the permit for the yard has been issued"),
         ("a change of address", "change my address", "changing my address", "my address has been changed"), ("a locker", "assign me a locker", "assigning me a locker", "the locker has been assigned to me"), ("a delivery of straw", "deliver the straw", "delivering the straw", "the straw has been delivered"),
         ("a correction of the article", "correct the article", "correcting the article", "the article has been corrected"), ("a wake-up call", "wake me by phone", "waking me by phone", "the wake-up call has come")]
WANT = ["Please {v}.", "Could you {v}?", "I'd like {x}.", "What I need is {x}.", "I would be glad if you could {v}.", "I must insist on {x}.", "I would welcome {x}.", "Don't forget to {v}.", "No need to hurry, but please {v}.", "Be so kind as to {v}.", "I cannot do without {x}.", "Would it be possible to {v}?", "I won't rest until you {v}.",
        "I have waited long enough: {v}, please.", "You asked if I still want {x}. I do.", "It would help me a great deal if you would {v}.", "I did not think that I would need {x}, but now I do.", "Why have you not begun to {v}? I asked for it on Monday.", "It is high time for you to {v}.", "I don't mind the cost; please {v}.", "Yes, go ahead and {v}.", "I refused at first, but by now I do want {x}."]
NOT = ["There is no need to {v}.", "Please don't {v}.", "I'd rather you did not {v}.", "Hold off on {g}.", "Please refrain from {g}.", "I can do without {x}.", "You offered me {x}; thanks, but no.", "I have decided against {x}.", "Save yourself the trouble of {g}.", "I never asked you to {v}.", "I'd rather keep things as they are than have you {v}.", "Thanks for the offer to {v}, but leave it.",
       "The last thing I want is {x}.", "I take back my request for {x}.", "I no longer want {x}.", "Do not bother {g}.", "You asked if I still want {x}. I don't.", "I thought that I would need {x}, but I don't.", "Kindly stop {g}; I do not want that.", "It won't be necessary to {v}.", "I asked for {x} at first, but I have changed my mind.", "No, do not go ahead and {v}."]
HAS = ["Good news: {d}.", "I can report that {d}.", "As of this morning {d}.", "Thanks to you, {d}.", "You wanted to know where things stand: {d}.", "I am happy to say that {d}.", "Since Tuesday, {d}.", "It went quickly: {d}.", "By now {d}.", "Just so that you can tick it off, {d}.", "Your team was fast, {d}.", "For your files: {d}."]
RATHER = ["I want you to {y} rather than {n}.", "Instead of {ng}, please {y}.", "Not {nx} but {yx} is what I want.", "What would suit me is {yx}; {nx} would not.", "Please {y}; don't {n}.", "No need to {n}, but please {y}.", "Hold off on {ng}, and {y}.", "You suggested {nx}; I prefer {yx}.", "I'd choose {yx} over {nx}.", "I turned down {nx} because I want {yx}.", "It was never about {nx}; I want {yx}.",
          "I'd rather have {yx} than {nx}.", "Do {y}, whatever your colleague says about {ng}; that I don't want.", "Forget about {ng} and {y}.", "If you have to choose: {y}, and leave out {nx}.", "Far from wanting {nx}, I would like {yx}."]
STANCE = {"wants_it": "The customer asks for it", "does_not_want_it": "The customer declines it or takes the request back", "already_has_it": "It has been done or received already"}


def third(text):
    return re.sub(r"\bme\b", "the customer", re.sub(r"\bmy\b", "the customer's", text))


def asked_for(g):
    """Wanted, declined, or there already: alone, against another thing, and among three."""
    i, j, k, m = g.rng.sample(ITEMS, 4)
    say = lambda forms, it: cap(g.pick(forms).format(x=it[0], v=it[1], g=it[2], d=it[3]))
    tell = dress(g)
    x, v = i[0], third(i[1])
    qs = [(f"Does the customer want {x}?", True), (f"Should we {v}?", True), (f"Is the customer asking for {x}?", True), (f"The customer would like us to {v}.", True), (f"Is {x} requested?", True), (f"Would it be wrong to {v} now?", False), (f"The customer is not asking for {x}.", False), (f"Can we leave it, rather than {v}?", False), (f"Is it true that {x} is not requested?", False), (f"There is no request for {x}.", False), (f"We are expected to {v}.", True)]
    kind = g.rng.randint(0, 2)
    if kind == 0:
        wants, other = say(WANT, i), g.rng.choice([("does_not_want_it", NOT), ("already_has_it", HAS)])
        more = " " + say(g.rng.choice([WANT, NOT, HAS]), j) if g.coin(0.4) else ""
        no = say(other[1], i)
        a, c = tell(wants + more), tell(no + more)
        out = two(g, a, c, qs) + deny(g, *g.rng.choice([(a, qs, True), (c, qs, False)]))
        names = dict(STANCE)
        words = [f"How does the customer stand on this: {x}?", f"What is said about {x}?", f"Where do things stand with {x}?", f"What holds for {x}?"]
        forms = {"wants_it": WANT, "does_not_want_it": NOT, "already_has_it": HAS}
        s, t = g.rng.sample(list(forms), 2)
        first, second = tell(say(forms[s], i) + more), tell(say(forms[t], i) + more)
        if g.coin(0.3):
            names, new = veil(g, names)
            return out + twin(g, [(first, new[s]), (second, new[t])], words, names, bare=0)
        return out + twin(g, [(first, s), (second, t)], words, names)
    if kind == 1:
        form = g.pick(RATHER)
        make = lambda y, n: tell(cap(form.format(y=y[1], n=n[1], yx=y[0], nx=n[0], ng=n[2])))
        a, c = make(i, j), make(j, i)
        options, words = [i[0], j[0]] + [t[0] for t in (k, m)[: g.rng.randint(0, 2)]] + (["none of these"] if g.coin(0.3) else []), ["What does the customer want?", "What should be done for the customer?", "Which of these is asked for?", "Pick what is wanted.", "Which request should be carried out?"]
        out = two(g, a, c, qs) + twin(g, [(a, i[0]), (c, j[0])], words, options)
        if g.coin(0.5):
            out += twin(g, [(c, i[0]), (a, j[0])], ["What does the customer not want?", "Which of these is declined?", "What should be left undone?"], [i[0], j[0]], 2)
        if g.coin(0.25):
            out.append(pick_one(g, a, words, [j[0], k[0], m[0], "none of these"], "none of these"))
        return out + deny(g, a, [(f"Does the customer want {j[0]}?", True), (f"Does the customer turn down {j[0]}?", False), (f"The customer asks for {j[0]}.", True), (f"The customer can do without {j[0]}.", False)], False)
    slots = list(zip((i, j, k), g.rng.sample(list(STANCE), 3)))
    prose, shape = {"wants_it": WANT, "does_not_want_it": NOT, "already_has_it": HAS}, g.rng.randint(0, 3)
    coded = g.rng.choice([{"wants_it": "yes, please", "does_not_want_it": "no, thanks", "already_has_it": "received"}, {"wants_it": "requested", "does_not_want_it": "declined", "already_has_it": "done"}, {"wants_it": "open request", "does_not_want_it": "withdrawn by the customer", "already_has_it": "completed"}])
    if shape == 0:
        state = {"customer": g.name(), "items": [{"item": it[0], "status": coded[s]} for it, s in slots]}
    elif shape == 1:
        state = "\n".join(f"{cap(it[0].split(' ', 1)[1])}: {coded[s]}" for it, s in slots)
    elif shape == 2:
        state = [{"from": "customer", "text": say(prose[s], it)} for it, s in slots]
    else:
        state = tell(" ".join(say(prose[s], it) for it, s in slots))
    find = {"wants_it": ["What does the customer ask for?", "Which one is still to be done?", "What is wanted?"], "does_not_want_it": ["What does the customer decline?", "Which one is not wanted?", "What was refused?"], "already_has_it": ["What has been done already?", "Which one has the customer got already?", "What is there already?"]}
    out = [pick_one(g, state, find[s], [t[0] for t, _ in slots] + ([m[0]] if g.coin() else []), it[0]) for it, s in g.rng.sample(slots, 2)]
    it, s = slots[0]
    out.append(pick_one(g, state, [f"How does the customer stand on this: {it[0]}?", f"Where do things stand with {it[0]}?"], {**STANCE, "not_mentioned": "Nothing is said about it"}, s))
    if g.coin(0.3):
        out.append(pick_one(g, state, [f"How does the customer stand on this: {m[0]}?", f"Where do things stand with {m[0]}?"], {**STANCE, "not_mentioned": "Nothing is said about it"}, "not_mentioned"))
    w = next(t for t, s in slots if s == "wants_it")
    n = g.rng.choice([t for t, s in slots if s != "wants_it"])
    form = g.pick(["Is {} still asked for?", "Does the customer want to be given {}, and has not got it yet?", "Do we still have to see to this: {}?", "The customer is waiting for {}.", "Is there an open request for {}?"])
    return out + [{**row(g, state, form.format(t[0]), t is w), "criteria": None, "pair": 3} for t in (w, n)]


# third party -> tasks of the customer, the agent and the third party: (to do it, done)
THREADS = {
    "courier": ([("send a photo of the box", "sent a photo of the box"), ("confirm the street and number", "confirmed the street and number"), ("put the old label back on", "put the old label back on")], [("open a search for the parcel", "opened a search for the parcel"), ("book a new delivery", "booked a new delivery"), ("pay the import fee", "paid the import fee")],
                [("look for the parcel in the depot", "looked for the parcel in the depot"), ("bring the parcel again", "brought the parcel again"), ("send the proof of delivery", "sent the proof of delivery")]),
    "banker": ([("sign the mandate", "signed the mandate"), ("check the account number", "checked the account number"), ("upload the statement", "uploaded the statement")], [("order the refund", "ordered the refund"), ("send the transfer code", "sent the transfer code"), ("correct the amount", "corrected the amount")],
             [("release the payment", "released the payment"), ("trace the transfer", "traced the transfer"), ("unblock the card", "unblocked the card")]),
    "landlord": ([("clear out the cellar", "cleared out the cellar"), ("read the meter", "read the meter"), ("hand in the old keys", "handed in the old keys")], [("draw up the agreement", "drawn up the agreement"), ("call the plumber", "called the plumber"), ("make a list of the damage", "made a list of the damage")],
                 [("approve the costs", "approved the costs"), ("sign the agreement", "signed the agreement"), ("unlock the boiler room", "unlocked the boiler room")]),
    "insurer": ([("fill in the claim form", "filled in the claim form"), ("hand in the receipts", "handed in the receipts"), ("describe the accident", "described the accident")], [("forward the claim", "forwarded the claim"), ("calculate the loss", "calculated the loss"), ("check the contract", "checked the contract")],
                [("send an expert", "sent an expert"), ("accept the claim", "accepted the claim"), ("transfer the money", "transferred the money")]),
    "technician": ([("give a blood sample", "given a blood sample"), ("stop taking the tablets", "stopped taking the tablets"), ("sign the consent", "signed the consent")], [("label the samples", "labelled the samples"), ("order the test", "ordered the test"), ("enter the values", "entered the values")],
                   [("repeat the test", "repeated the test"), ("send the results", "sent the results"), ("calibrate the scale", "calibrated the scale")]),
    "developer": ([("record the steps", "recorded the steps"), ("install the test version", "installed the test version"), ("send the log file", "sent the log file")], [("write up the ticket", "written up the ticket"), ("reproduce the crash", "reproduced the crash"), ("restore the backup", "restored the backup")],
                  [("fix the script", "fixed the script"), ("publish the patch", "published the patch"), ("review the change", "reviewed the change")]),
    "teacher": ([("return the form", "returned the form"), ("pay the deposit", "paid the deposit"), ("choose a language", "chosen a language")], [("reserve the bus", "reserved the bus"), ("print the list", "printed the list"), ("register the group", "registered the group")],
                [("mark the paper", "marked the paper"), ("write the reference", "written the reference"), ("name a second supervisor", "named a second supervisor")]),
    "mechanic": ([("bring in the car", "brought in the car"), ("choose the paint", "chosen the paint"), ("agree to the estimate", "agreed to the estimate")], [("book the rental car", "booked the rental car"), ("file the report", "filed the report"), ("cover the towing costs", "covered the towing costs")],
               [("order the part", "ordered the part"), ("test the brakes", "tested the brakes"), ("write the estimate", "written the estimate")]),
    "vet": ([("separate the calf", "separated the calf"), ("keep the feed samples", "kept the feed samples"), ("note the temperatures", "noted the temperatures")], [("report the case", "reported the case"), ("order the vaccine", "ordered the vaccine"), ("send the ear tags", "sent the ear tags")],
            [("examine the herd", "examined the herd"), ("give the injections", "given the injections"), ("write the certificate", "written the certificate")]),
    "organiser": ([("send the team list", "sent the team list"), ("pay the entry fee", "paid the entry fee"), ("pick up the numbers", "picked up the numbers")], [("reserve the hall", "reserved the hall"), ("order the medals", "ordered the medals"), ("update the website", "updated the website")],
                  [("draw the groups", "drawn the groups"), ("appoint a referee", "appointed a referee"), ("open the gates", "opened the gates")]),
    "editor": ([("approve the quotes", "approved the quotes"), ("send the portrait", "sent the portrait"), ("check the dates", "checked the dates")], [("draft the text", "drafted the text"), ("buy the photos", "bought the photos"), ("clear the rights", "cleared the rights")], [("cut the film", "cut the film"), ("proofread the text", "proofread the text"), ("write the headline", "written the headline")]),
}
DONE = ["I have {p}.", "Just to let you know, I have {p}.", "Done: I have {p}.", "As agreed, I have {p}.", "Hello all, I have {p}.", "It took a while, but I have {p}.", "I have now {p}, as you asked."]
DONE_BY = ["{n} has {p}, as I see.", "I have seen that {n} has {p}.", "By the way, {n} has {p}.", "Thanks to {n}, who has {p}.", "For the record: {n} has {p}.", "{n} told me on the phone: \"I have {p}.\""]
WILL = ["I will {v} soon; nothing else is open.", "The next step is mine: I will {v}.", "Leave the rest to me, I still have to {v}.", "Only one thing is left, and I will do it: {v}.", "I have yet to {v}; please bear with me.", "Before we go on I must {v}."]
UP_TO = ["We are only waiting for {n} to {v}.", "The next step is up to {n}, who still has to {v}.", "Now it is {n}'s turn to {v}.", "All that is missing is that {n} has yet to {v}.", "{n}, could you please {v}? Everything else is done.", "{n}, it is your move: please {v}.", "Before anything else can happen, {n} has to {v}.", "I can go on as soon as {n} has been able to {v}.", "The ball is in {n}'s court: {v}, please.", "I ask {n} to {v}; then we can close this."]
CHAT = ["Thank you for the update.", "Good to hear.", "Sorry for the wait.", "I was out of the office on Monday.", "Much appreciated.", "Understood.", "I have read everything.", "Let us get this done."]


def next_actor(g):
    """A thread of three: who has done what, and whose turn it is."""
    side = g.pick(THREADS)
    roles = ["customer", "agent", side]
    names = dict(zip(roles, g.rng.sample(b.NAMES, 3)))
    tasks = {r: g.rng.sample(ts, 3) for r, ts in zip(roles, THREADS[side])}
    doers = [g.rng.choice(roles) for _ in range(g.rng.randint(1, 3))]
    steps = [(r, tasks[r].pop()) for r in doers]
    p, q = g.rng.sample(roles, 2)
    speaker = next(r for r in roles if r not in (p, q))
    todo = (tasks[p] or tasks[q])[-1]
    lines = []
    for r, (_, past) in steps:
        if g.coin(0.6):
            lines.append((r, g.pick(DONE).format(p=past)))
        else:
            lines.append((g.other(roles, r), g.pick(DONE_BY).format(n=names[r], p=past)))
        if g.coin(0.25):
            lines.append((g.rng.choice(roles), g.pick(CHAT)))
    will, up = g.pick(WILL), g.pick(UP_TO)
    promise = g.coin(0.35)
    end = lambda r: [(r, will.format(v=todo[0]))] if promise else [(speaker, up.format(n=names[r], v=todo[0]))]
    shape = g.rng.randint(0, 3)

    def tell(thread):
        if shape == 0:
            return [{"from": names[r], "role": r, "text": t} for r, t in thread]
        if shape == 1:
            return "\n".join(f"{names[r]} ({r}): {t}" for r, t in thread)
        if shape == 2:
            return {"participants": {r: names[r] for r in roles}, "thread": [f"{names[r]}: {t}" for r, t in thread]}
        return f"{names['customer']} is the customer, {names['agent']} the agent, {names[side]} the {side}. " + " ".join(f"{names[r]} wrote: \"{t}\"" if '"' not in t else f"{names[r]} wrote: {t}" for r, t in thread)

    a, c = tell(lines + end(p)), tell(lines + end(q))
    call = lambda r: g.rng.choice([names[r], f"the {r}"])
    turn = call(p)
    out = two(g, a, c, [(f"Must {turn} act next?", True), (f"Is it {turn}'s turn?", True), (f"The next step is up to {turn}.", True), (f"Is the matter waiting for {turn}?", True), (f"Somebody else than {turn} has to act next.", False), (f"Is the next step due from another person than {turn}?", False), (f"Has {turn} yet to {todo[0]}?", True), (f"Is {turn} the one who still has to {todo[0]}?", True)])
    people = g.rng.choice([{r: f"{names[r]}, the {r}" for r in roles}, {names[r]: f"the {r}" for r in roles}])
    key = dict(zip(roles, people))
    if g.coin(0.3):
        people, new = veil(g, people)
        key, bare = {r: new[k] for r, k in key.items()}, 0
    else:
        bare = 0.5
    out += twin(g, [(a, key[p]), (c, key[q])], ["Who must act next?", "Whose turn is it?", "For whom is everybody waiting?", "Who has to do the next thing?", "From whom is an action due?", f"Who still has to {todo[0]}?"], people, bare=bare)
    r, (plain, past) = g.rng.choice(steps)
    nobody = {"nobody": "nobody has done it yet"}
    out.append(pick_one(g, a, [f"Who has {past}?", f"By whom was this done: {plain}?", f"Which of them has {past}?"], {**people, **nobody}, key[r], bare=bare if bare else 0))
    if g.coin(0.4):
        out.append(pick_one(g, a, [f"Who has {todo[1]}?", f"Which of them has {todo[1]} by now?"], {**people, **nobody}, "nobody", bare=bare if bare else 0))
    w = g.rng.choice([r, g.other(roles, r)])
    return out + ask_both(g, a, Clause(call(w), "has", past), w == r)


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
PARTIES = ["The supplier", "The landlord", "The clinic", "The bank", "The school", "The airline", "The publisher", "The carrier", "The club", "The co-operative", "The agency", "The insurer", "The city", "The builder"]
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


GOODS = ["the blender", "the tent", "the new clinic", "the course", "the tractor", "the hotel", "the ferry company", "the app", "the swimming pool", "the gym", "the boiler", "the sewing machine", "the bakery", "the printer", "the magazine", "the carrier", "the saddle", "the school kitchen", "the phone plan", "the garden centre", "the film", "the travel agency", "the mattress", "the bus line", "the radio play", "the milking machine", "the backpack", "the insurance"]
# praise, complaint: nearly the same words
TWISTS = [("I could not be happier with {t}.", "I could be happier with {t}."), ("There is hardly anything wrong with {t}.", "There is hardly anything right with {t}."), ("I have nothing to complain about with {t}.", "I have plenty to complain about with {t}."), ("{T} is anything but a disappointment.", "{T} is nothing but a disappointment."), ("I can't say enough good things about {t}.", "I can't say anything good about {t}."),
          ("It would be a shame to give up {t}.", "It was a shame to have taken {t}."), ("I was wrong to doubt {t}.", "I was right to doubt {t}."), ("I do not regret for a second that I chose {t}.", "I regret every second that I chose {t}."), ("Never have I been let down by {t}.", "Never have I been so let down as by {t}."), ("I feared the worst from {t}, and was proven wrong.", "I feared the worst from {t}, and was proven right."),
          ("I cannot imagine a better choice than {t}.", "I can imagine many a better choice than {t}."), ("Those who warned me about {t} were mistaken.", "Those who warned me about {t} were not mistaken."), ("What they say against {t} is nonsense.", "What they say in favour of {t} is nonsense."), ("{T} has yet to disappoint me.", "{T} has yet to please me."), ("I looked for a flaw in {t} and found none.", "I looked for a merit in {t} and found none."),
          ("The bad reviews of {t} are beyond me; I see nothing wrong.", "The good reviews of {t} are beyond me; I see nothing right."), ("I would be a fool to switch from {t} to another.", "I would be a fool to stay with {t} any longer."), ("No one will take {t} away from me, I love it.", "If only someone would take {t} away from me, I hate it."), ("I went in full of doubts about {t} and came out full of joy.", "I went in full of joy about {t} and came out full of doubts."), ("I have no reason to be unhappy with {t}.", "I have no reason to be happy with {t}."),
          ("There is little that I would change about {t}.", "There is little that I would keep about {t}."), ("{T} is too good to give up.", "{T} is not good enough to keep."), ("My worries about {t} turned out to be baseless.", "My hopes for {t} turned out to be baseless."), ("It did not take long until I was won over by {t}.", "It did not take long until I was put off by {t}."),
          ("You will search in vain for faults in {t}.", "You will search in vain for strong points in {t}."), ("I would never advise anyone against {t}.", "I would never advise anyone to take {t}."), ("{T} is far from bad, in fact I am delighted.", "{T} is far from good, in fact I am disgusted."), ("I can't complain about {t}, everything went as it should.", "I can't praise {t}, nothing went as it should."), ("Not once did {t} fail to please me.", "Not once did {t} manage to please me."),
          ("I have rarely been as pleased as with {t}.", "I have rarely been less pleased than with {t}."), ("There is no lack of good points to {t}.", "There is a sad lack of good points to {t}."), ("All the fuss about problems with {t}? I had none.", "All the fuss about the joys of {t}? I had none."), ("{T} never gives me any trouble.", "{T} never gives me anything but trouble."), ("I did not believe in {t}; today I would not do without it.", "I believed in {t}; today I would gladly do without it.")]
BARELY = ["I have had to do with {t} since May.", "I am going to write about {t} next week.", "My neighbour knows {t} from an advert.", "I have not tried {t} yet.", "There was a leaflet about {t} in the box.", "I looked up {t} on the net on Monday.", "Someone asked me about {t} yesterday.", "I pass an advert for {t} each morning."]
DUBIOUS = ["I read a lot before I decided.", "My brother was with me.", "It was in the second week of June.", "I paid by card.", "I had seen the advert.", "We are a family of four.", "I live in {c}.", "I write such lines now and then.", "This is my second review.", "It was my own idea."]


def misleading_words(g):
    """Praise in words that sound bad, complaint in words that sound good; meant as it is said."""
    thing = g.pick(GOODS)
    good, bad = g.pick(TWISTS)
    other = g.pick(TWISTS)
    fill = lambda t: t.format(t=thing, T=cap(thing))
    tell = dress(g)
    extra = " " + g.pick(DUBIOUS).format(c=g.pick(b.CITIES)) if g.coin(0.35) else ""
    make = lambda t: tell(fill(t) + extra)
    a, c = make(good), make(bad)
    qs = [("Is the writer satisfied?", True), (f"Does the writer think well of {thing}?", True), ("This is meant as praise.", True), (f"The writer is content with {thing}.", True), ("Is it a favourable view?", True), ("Is the writer dissatisfied?", False), (f"Does the writer find fault with {thing}?", False), ("This is a complaint.", False), (f"The writer is not content with {thing}.", False), ("Is it an unfavourable view?", False), ("Is the writer pleased?", True), ("Does this speak against it?", False)]
    out = two(g, a, c, qs, 0)
    questions = ["Is it praise or complaint?", "What is the writer's view?", "Sort the review.", "How does the writer feel about it?", "What does the text amount to?", "Which side is the writer on?"]
    options = dict(g.pick([[("praise", "The writer is content"), ("complaint", "The writer is not content")], [("positive", "Speaks in favour of it"), ("negative", "Speaks against it")], [("satisfied", "Would take it again"), ("dissatisfied", "Would not take it again")], [("recommends", "A good word for it"), ("warns", "A bad word for it")]]))
    x, y = options
    if g.coin(0.5):
        options["no_opinion"] = "Neither praise nor blame"
    if g.coin(0.3):
        hidden, new = veil(g, options)
        out += twin(g, [(a, new[x]), (c, new[y])], questions, hidden, 1, bare=0)
    else:
        out += twin(g, [(a, x), (c, y)], questions, options, 1)
    neutral = make(g.pick(BARELY))
    names = g.pick([["complaint", "no opinion", "praise"], ["unhappy", "neither", "happy"], ["0: speaks against it", "1: takes no side", "2: speaks in favour of it"], ["negative", "neutral", "positive"], ["The writer is displeased", "The writer gives no view", "The writer is pleased"]])
    told = g.rng.sample([(make(other[0]), 2), (make(other[1]), 0), (neutral, 1)], 2)
    out += rungs(g, told, ["What is the writer's view?", "How does the writer feel about it?", "Rate the opinion.", "Which way does the text lean?"], names, 2)
    if "no_opinion" in options and g.coin(0.5):
        out.append(pick_one(g, neutral, questions, options, "no_opinion"))
    t = g.pick([p for p in TWISTS if p not in ((good, bad),)])
    two_things = g.rng.sample(GOODS, 2)
    p, q = t[0].format(t=two_things[0], T=cap(two_things[0])), g.pick(TWISTS)[1].format(t=two_things[1], T=cap(two_things[1]))
    state = " ".join([p, q] if g.coin() else [q, p])
    like = g.coin()
    out.append(pick_one(g, state, ["With which is the writer content?", "Which one is praised?", "Which would the writer take again?"] if like else ["With which is the writer not content?", "Which one is complained about?", "Which would the writer not take again?"], two_things, two_things[0 if like else 1]))
    value = g.coin()
    return out + deny(g, make(other[0 if value else 1]), qs, value)


# (what one asks for, what the answerer has done)
PLEAS = [("reset {p} password", "reset {p} password"), ("send {o} the manual", "sent {o} the manual"), ("move {p} seat to the aisle", "moved {p} seat to the aisle"), ("correct the bill", "corrected the bill"), ("repair the window", "repaired the window"), ("refund the ticket", "refunded the ticket"), ("enrol {p} son in the swimming group", "enrolled {p} son in the swimming group"), ("deliver the seed to the back gate", "delivered the seed to the back gate"), ("add {p} name to the list", "added {p} name to the list"),
         ("print the programme in large letters", "printed the programme in large letters"), ("renew {p} prescription", "renewed {p} prescription"), ("send {o} the X-ray", "sent {o} the X-ray"), ("lend {o} a ladder", "lent {o} a ladder"), ("unblock {p} card", "unblocked {p} card"), ("store {p} trunk for a month", "put {p} trunk into the store room for a month"), ("translate the certificate", "translated the certificate"), ("trim the hedge", "trimmed the hedge"), ("waive the late fee", "waived the late fee"),
         ("publish {p} letter", "published {p} letter"), ("reopen the case", "reopened the case"), ("give {o} a list of the hotels", "given {o} a list of the hotels"), ("exchange the gloves for a larger pair", "exchanged the gloves for a larger pair"), ("forward the parcel to the office", "forwarded the parcel to the office"), ("sharpen the blades", "sharpened the blades"), ("install the new version", "installed the new version"), ("delete {p} profile", "deleted {p} profile"), ("mark the test again", "marked the test again"), ("weigh the bales", "weighed the bales"),
         ("inspect the brakes", "inspected the brakes"), ("upload the video of the final", "uploaded the video of the final"), ("release the recording", "released the recording"), ("take {p} kayak along on the van", "taken {p} kayak along on the van")]
REQUEST = ["Could you {v}?", "Please {v}.", "Would you mind if I asked you to {v}?", "I would like you to {v}.", "Hello, can you {v}? Thanks.", "My request is short: please {v}.", "I need someone to {v}.", "May I ask you to {v}?"]
OUTCOME = {
    "done": ("It has been done", ["Done: I have {p}.", "We have {p}.", "You will be glad to hear that we have {p}.", "No problem, my colleague has just {p}.", "That was quick: we have {p}.", "At first I thought that we could not, but I have {p}.", "It is not our usual practice, yet I have {p}.", "As you wished, we have {p}."]),
    "refused": ("It will not be done", ["Unfortunately we cannot {v}.", "I am afraid we will not {v}; that is final.", "We appreciate your message and value you as a customer, but we will not {v}.", "That is something we never do; we won't {v}.", "Much as I would like to, I am not allowed to {v}, and nobody here is.", "Thank you so much for asking! Our rules forbid us to {v}.", "No, we are not going to {v}.", "We have considered it and decided not to {v}."]),
    "postponed": ("It will be done at a later time", ["We will {v}, but not before {t}.", "I can't do it now; I will {v} in {t}.", "Yes, gladly, only not yet: we will {v} in {t}.", "Please be patient until {t}, then we will {v}.", "We are short of hands at present and will {v} in {t}.", "It has been put off until {t}, when we will {v}.", "Your turn comes in {t}: that is when we will {v}.", "Not this week. In {t} we will {v}."]),
    "asks_back": ("Something has to be supplied by the customer first", ["Before we can {v}, we need your customer number.", "To be able to {v} I need to know your date of birth; what is it?", "Gladly, but first we need your customer card; without it we cannot {v}.", "We can {v} once you have sent us a copy of your receipt.", "May I have your date of arrival first? Only then can I {v}.", "Could you first tell me your order number? Then we can {v}.", "So that we can {v}, please fill in the attached form.", "We are ready to {v}, but your signature is missing; please send it."]),
    "passes_by": ("The reply is about something else", ["Our new catalogue is out now!", "Thank you for taking part in our survey.", "We have {q}, as agreed with your neighbour.", "We also have a shop in {c}.", "Our team wishes you a happy new year.", "The weather at our place is fine today.", "We look back on forty years of service.", "Congratulations to our colleague {n} on the jubilee!"]),
}
LATER = ["March", "April", "June", "August", "October", "November"]


def outcome(g):
    """What became of a request: done, refused, put off, a question back, or passed by."""
    plea, else_ = g.rng.sample(PLEAS, 2)
    you = lambda t: t.format(p="your", o="you")
    v = plea[0].format(p="my", o="me")
    request = g.pick(REQUEST).format(v=v)
    month, city, who, agent = g.pick(LATER), g.pick(b.CITIES), g.name(), g.name()
    close, open_ = g.pick(["", "", " Kind regards, {n}", " Have a nice day!", " Yours, {n}"]).format(n=agent), g.pick(["", "", "Hello! ", "Thank you for your message. ", "Dear customer! ", "Good morning. "])
    shape = g.rng.randint(0, 4)

    def tell(k):
        said = open_ + cap(g.pick(OUTCOME[k][1]).format(v=you(plea[0]), p=you(plea[1]), q=else_[1].format(p="his", o="him"), t=month, c=city, n=who)) + close
        return [[{"role": "customer", "text": request}, {"role": "agent", "text": said}], f"Customer: {request}\nAgent: {said}", {"request": request, "reply": said}, f"{who} wrote: \"{request}\" The reply was: \"{said}\"", {"thread": [f"{who}: {request}", f"{agent}: {said}"]}][shape]

    x, y = g.rng.sample(list(OUTCOME), 2)
    names = list({x, y} | set(g.rng.sample(list(OUTCOME), g.rng.randint(2, 5))))
    options = {k: OUTCOME[k][0] for k in OUTCOME if k in names}
    rest = {k: d for k, d in options.items() if k != x}
    options = spare(g, options)
    questions = ["What became of the request?", "How does the reply deal with the request?", "Which outcome is it?", "What does the reply do?", "Where does the request stand after the reply?", "Sort the reply."]
    a, c = tell(x), tell(y)
    if g.coin(0.35):
        hidden, new = veil(g, options)
        out = twin(g, [(a, new[x]), (c, new[y])], questions, hidden, 0, bare=0)
    else:
        out = twin(g, [(a, x), (c, y)], questions, options, 0)
    if g.coin(0.2) and len(rest) > 1 and x != "asks_back":
        none = g.rng.choice(NONE)
        out.append(pick_one(g, a, questions, rest | dict([none]), none[0]))
    probe = g.rng.choice(["done", "refused", "postponed", "asks_back", "passes_by"])
    qs = {"done": [("Has the request been met?", True), ("The customer has got what was asked for.", True), ("Is the matter settled as the customer wished?", True), ("Is the request still unmet?", False), ("The customer has not got what was asked for.", False), ("Has what was asked for been left undone so far?", False)],
          "refused": [("Is the request turned down?", True), ("The reply is a refusal.", True), ("Does the agent say that it will not be done?", True), ("Has the agent kept from saying no?", False), ("The reply is not a refusal.", False), ("Is it something else than a no?", False)],
          "postponed": [("Is the request put off to a later time?", True), (f"Does the agent name {month} as the time when it will be done?", True), ("The agent says yes, but only for a later time.", True), ("Is it something else than a yes for a later time?", False), ("The request is not put off to a named month.", False)],
          "asks_back": [("Does the agent need something from the customer first?", True), ("The customer has to supply something.", True), ("Is it the customer's turn to supply something?", True), ("No piece of information and no paper is asked of the customer.", False), ("Is the reply free of any question to the customer and of any paper to hand in?", False)],
          "passes_by": [("Does the reply miss the request altogether?", True), ("The reply has nothing to do with the request.", True), ("Is the request left without any mention in the reply?", True), ("Does the reply deal with the request?", False), ("The reply refers to what was asked.", False)]}[probe]
    wrong = g.other(list(OUTCOME), probe)
    yes, no = tell(probe), tell(wrong)
    out += two(g, yes, no, qs, 1) + deny(g, *g.rng.choice([(yes, qs, True), (no, qs, False)]))
    u, w = g.rng.sample(range(3), 2)
    order = ["refused", "postponed", "done"]
    return out + rungs(g, [(tell(order[u]), u), (tell(order[w]), w)], ["How far has the customer got?", "How well is the customer served by the reply?", "Which stage fits?", "How much of the wish has come true?"], g.pick([["will not be done", "will be done later", "has been done"], ["0: no", "1: not yet", "2: done"], ["rejected", "put off", "fulfilled"], ["The customer gets nothing", "The customer has to wait", "The customer has it"]]), 2)


# (one, several, what they did, its plain form)
COUNTED = [("parcel", "parcels", "arrived on time", "arrive on time"), ("seat", "seats", "stayed dry", "stay dry"), ("task", "tasks", "went to the new team", "go to the new team"), ("file", "files", "survived the crash", "survive the crash"), ("player", "players", "passed the medical check", "pass the medical check"), ("nurse", "nurses", "worked at night", "work at night"), ("pupil", "pupils", "handed in the essay", "hand in the essay"), ("lorry", "lorries", "crossed the border", "cross the border"),
           ("cow", "cows", "got the vaccine", "get the vaccine"), ("flat", "flats", "had a balcony", "have a balcony"), ("article", "articles", "went to print", "go to print"), ("flight", "flights", "left as planned", "leave as planned"), ("server", "servers", "took the update", "take the update"), ("invoice", "invoices", "got paid in time", "get paid in time"), ("referee", "referees", "spoke French", "speak French"), ("field", "fields", "gave a good crop", "give a good crop"), ("tenant", "tenants", "agreed to the plan", "agree to the plan"),
           ("ticket", "tickets", "sold within an hour", "sell within an hour"), ("guest", "guests", "stayed for dinner", "stay for dinner"), ("bridge", "bridges", "held", "hold"), ("lamp", "lamps", "came on", "come on"), ("driver", "drivers", "wore a belt", "wear a belt"), ("sample", "samples", "passed the test", "pass the test"), ("horse", "horses", "cleared the fence", "clear the fence"), ("photo", "photos", "won a prize", "win a prize"), ("crate", "crates", "survived the journey", "survive the journey"), ("member", "members", "voted in favour", "vote in favour"), ("bakery", "bakeries", "raised the price", "raise the price")]
NUMBER = "no one two three four five six seven eight nine ten eleven twelve".split()
# text with {n} {k} {m} in words, {s} one, {p} several, {d} past, {f} plain; least and most that did, of n, k and m (k < m < n)
AMOUNTS = [("All but {k} of the {n} {p} {d}.", lambda n, k, m: (n - k,) * 2), ("None of the {n} {p} {d} except {k}.", lambda n, k, m: (k,) * 2), ("At most {k} of the {n} {p} {d}.", lambda n, k, m: (0, k)), ("At least {k} of the {n} {p} {d}.", lambda n, k, m: (k, n)), ("Only some of the {n} {p} {d}.", lambda n, k, m: (1, n - 1)), ("Every single one of the {n} {p} {d}.", lambda n, k, m: (n, n)),
           ("Not a single one of the {n} {p} {d}.", lambda n, k, m: (0, 0)), ("Not every one of the {n} {p} {d}.", lambda n, k, m: (0, n - 1)), ("More than {k} of the {n} {p} {d}.", lambda n, k, m: (k + 1, n)), ("Fewer than {m} of the {n} {p} {d}.", lambda n, k, m: (0, m - 1)), ("No more than {k} of the {n} {p} {d}.", lambda n, k, m: (0, k)), ("No fewer than {m} of the {n} {p} {d}.", lambda n, k, m: (m, n)),
           ("Exactly {k} of the {n} {p} {d}.", lambda n, k, m: (k, k)), ("Only {k} of the {n} {p} {d}.", lambda n, k, m: (k, k)), ("Just one of the {n} {p} {d}.", lambda n, k, m: (1, 1)), ("There were {n} {p}, and each of them {d}.", lambda n, k, m: (n, n)), ("There were {n} {p}, and none of them {d}.", lambda n, k, m: (0, 0)), ("Not one of the {n} {p} failed to {f}.", lambda n, k, m: (n, n)),
           ("All of the {n} {p} failed to {f}.", lambda n, k, m: (0, 0)), ("Exactly {k} of the {n} {p} did not {f}; the rest did.", lambda n, k, m: (n - k,) * 2), ("Among the {n} {p} there was no {s} that did not {f}.", lambda n, k, m: (n, n)), ("Of the {n} {p}, {m} {d}, and so did the rest.", lambda n, k, m: (n, n)), ("Of the {n} {p}, {m} {d}, but the rest did not.", lambda n, k, m: (m, m)), ("A majority of the {n} {p} {d}.", lambda n, k, m: (n // 2 + 1, n)),
           ("Fewer than half of the {n} {p} {d}.", lambda n, k, m: (0, (n - 1) // 2)), ("Every one of the {n} {p} bar one {d}.", lambda n, k, m: (n - 1,) * 2), ("Between {k} and {m} of the {n} {p} {d}.", lambda n, k, m: (k, m)), ("Apart from {k}, none of the {n} {p} {d}.", lambda n, k, m: (k, k)), ("Apart from {k}, all of the {n} {p} {d}.", lambda n, k, m: (n - k,) * 2), ("The {n} {p} {d} without exception.", lambda n, k, m: (n, n)),
           ("At least one of the {n} {p} did not {f}.", lambda n, k, m: (0, n - 1)), ("Some of the {n} {p} {d}, others did not.", lambda n, k, m: (1, n - 1))]
OF_TWO = [("Neither of the two {p} {d}.", lambda n, k, m: (0, 0)), ("Both of the two {p} {d}.", lambda n, k, m: (2, 2)), ("Only one of the two {p} {d}.", lambda n, k, m: (1, 1)), ("One of the two {p} {d}, the other did not.", lambda n, k, m: (1, 1)), ("At least one of the two {p} {d}.", lambda n, k, m: (1, 2)), ("At most one of the two {p} {d}.", lambda n, k, m: (0, 1)), ("Each of the two {p} {d}.", lambda n, k, m: (2, 2)), ("Not one of the two {p} {d}.", lambda n, k, m: (0, 0))]
HOLDS = [("all {n} {p} {d}", lambda x, n, k: x == n), ("each {s} {d}", lambda x, n, k: x == n), ("none of the {p} {d}", lambda x, n, k: x == 0), ("not a single {s} {d}", lambda x, n, k: x == 0), ("at least one {s} {d}", lambda x, n, k: x >= 1), ("at least one {s} did not {f}", lambda x, n, k: x < n), ("more than half of the {p} {d}", lambda x, n, k: 2 * x > n), ("fewer than half of the {p} {d}", lambda x, n, k: 2 * x < n),
         ("at least {k} of the {p} {d}", lambda x, n, k: x >= k), ("at most {k} of the {p} {d}", lambda x, n, k: x <= k), ("exactly {k} of the {p} {d}", lambda x, n, k: x == k), ("more than {k} of the {p} {d}", lambda x, n, k: x > k), ("fewer than {k} of the {p} {d}", lambda x, n, k: x < k), ("at least two {p} did not {f}", lambda x, n, k: x <= n - 2), ("at least one {s} {d} and at least one did not", lambda x, n, k: 0 < x < n)]


class Told(Clause):
    """A statement with a quantity, denied from outside only, since "all did not" can be read in two ways."""

    def __init__(self, text):
        self.s, self.ns = text, f"it is not true that {text}"
        self.q, self.nq = f"is it so that {text}?", f"is it untrue that {text}?"


def scope_words(g):
    """How many at least and at most, in words of quantity; only what is settled is asked."""
    s, p, d, f = g.pick(COUNTED)
    pair_only = g.coin(0.2)
    n = 2 if pair_only else g.rng.randint(5, 12)
    k = 1 if pair_only else g.rng.randint(2, n // 2)
    m = 1 if pair_only else g.rng.randint(k + 1, n - 1)
    bank = OF_TWO if pair_only else AMOUNTS
    say = lambda t, k=k, one=(s, p, d, f): t.format(n=NUMBER[n], k=NUMBER[k], m=NUMBER[m], s=one[0], p=one[1], d=one[2], f=one[3])
    other = g.other(COUNTED, (s, p, d, f))
    things = {"parcel", "seat", "file", "lorry", "flat", "article", "server", "sample", "photo", "crate", "lamp", "ticket"}
    alike = {s, other[0]} <= things and d in ("arrived on time", "stayed dry", "survived the journey", "went to the new team", "passed the test")
    aside = say(g.pick(bank)[0], one=(*other[:2], d, f) if alike else other) if g.coin(0.35) else ""
    tell, first, shape = dress(g), g.coin(), g.rng.random()
    record = shape < 0.3

    def exact(x):
        key = d.replace(" ", "_")
        order = [i < x for i in range(n)]
        mix.shuffle(order)
        return [{p: [{"no": i + 1, key: v} for i, v in enumerate(order)]}, {"total": {p: n}, key: x, "others": n - x}, f"{cap(p)} in all: {n}\n{cap(d)}: {x}\nDid not {f}: {n - x}"][int(shape * 10)]

    def draw():
        if record:
            x = g.rng.choice([0, n, 1, n - 1, g.rng.randint(0, n)])
            return exact(x), x, x
        t, bounds = g.pick(bank)
        text = say(t)
        return tell(" ".join(filter(None, [text, aside] if first else [aside, text]))), *bounds(n, k, m)

    mix = g.rng
    settled = lambda test, lo, hi, c: True if all(test(x, n, c) for x in range(lo, hi + 1)) else False if not any(test(x, n, c) for x in range(lo, hi + 1)) else None

    def find():
        while True:
            text, test = g.pick(HOLDS)
            if n == 2 and ("{k}" in text or "{n}" in text):
                continue
            c = g.rng.randint(2, n - 1) if n > 2 else 1
            one, two_ = draw(), draw()
            x, y = settled(test, one[1], one[2], c), settled(test, two_[1], two_[2], c)
            if x is not None and y is not None and x != y:
                return Told(say(text, c)), (one if x else two_)[0], (two_ if x else one)[0]

    clause, yes, no = find()
    out = ask_pair(g, yes, no, clause)
    clause, yes, no = find()
    out += ask_both(g, *g.rng.choice([(yes, clause, True), (no, clause, False)]))
    share = lambda lo, hi: "all" if lo == n else "none" if hi == 0 else "some" if lo > 0 and hi < n else None
    for _ in range(40):
        one, two_ = draw(), draw()
        x, y = share(*one[1:]), share(*two_[1:])
        if x and y and x != y:
            out += twin(g, [(one[0], x), (two_[0], y)], [f"How many of the {p} {d}?", f"Which share of the {p} {d}?", f"Was it all, some or none of the {p}?"], {"all": "Every one, without exception", "some": "One or more, but not all", "none": "Not a single one"}, 1)
            break
    open_ = "the exact number is not given"
    for _ in range(40):
        one, two_ = draw(), draw()
        word = lambda lo, hi: NUMBER[lo].replace("no", "none") if lo == 0 == hi else NUMBER[lo] if lo == hi else open_
        x, y = word(*one[1:]), word(*two_[1:])
        if x != y:
            near = {NUMBER[i] for i in (k, n - k, m) if i > 0} - {x, y, open_}
            out += twin(g, [(one[0], x), (two_[0], y)], [f"Exactly how many of the {p} {d}?", f"What is the number of {p} that {d}?", f"Give the number of {p} that {d}."], sorted({x, y, open_} | set(sorted(near)[:2]) | ({"none", "one", "two"} if n == 2 else set())), 2)
            break
    return out


UNDERTAKINGS = ["the renovation of the ward", "the work on Mill Lane", "the vaccination of the herd", "the chess course", "the move of the database", "the test of the new drug", "the shooting of the film", "the dig in the yard", "the search for a coach", "the survey among tenants", "the transfer of the archive", "the audit of the stores", "the swimming class", "the repair of the organ", "the training of the drivers", "the series about harbours", "the recall of the heaters", "the felling of the poplars", "the exchange with the school in Porto",
                "the rollout of the new tills", "the construction of the barn", "the tour of the theatre", "the draining of the field", "the bus service to the fair", "the study on sleep", "the cleaning of the canal", "the collection of old clothes", "the painting of the corridor"]
MONTHS = "January February March April May June July August September October November December".split()
EVENTS = {
    "plan": ["{T} was planned in {m}.", "In {m} {t} was entered in the plan.", "In {m} it was agreed that {t} should take place.", "{T} was announced in {m}."], "start": ["{T} began in {m}.", "In {m} {t} got under way.", "{m} saw the start of {t}.", "In {m} {t} was started."],
    "pause": ["In {m} {t} was interrupted.", "In {m} {t} was put on hold until further notice.", "{T} was suspended in {m}.", "In {m} {t} came to a halt for the time being."], "resume": ["In {m} {t} was resumed.", "In {m} {t} got going again.", "{T} was taken up again in {m}.", "After the break, {t} went on from {m}."],
    "finish": ["In {m} {t} was completed.", "{T} was finished in {m}.", "In {m} {t} came to its planned end.", "{T} was brought to a successful end in {m}."], "cancel": ["In {m} {t} was called off for good.", "{T} was scrapped in {m}.", "In {m} {t} was abandoned altogether.", "In {m} it was decided to drop {t}, and that was that."],
    "talk_end": ["In {m} there was talk of calling off {t}, but nothing came of it.", "In {m} some wanted to scrap {t}; the board said no.", "{T} was nearly called off in {m}, but in the end nothing was changed.", "A rumour in {m} that {t} had been scrapped was false."],
    "talk_on": ["In {m} there was talk of taking up {t} again, but nothing came of it.", "In {m} some wanted {t} to go on; the board said no.", "{T} was nearly taken up again in {m}, but in the end nothing was changed.", "A rumour in {m} that {t} had been taken up again was false."]}
LOGGED = {"plan": "planned", "start": "started", "pause": "suspended", "resume": "resumed", "finish": "completed", "cancel": "cancelled", "talk_end": "motion to cancel: rejected", "talk_on": "motion to resume: rejected"}
NEXT = {"planned": {"start": "running", "cancel": "cancelled", "talk_end": "planned"}, "running": {"pause": "paused", "finish": "finished", "cancel": "cancelled", "talk_end": "running"}, "paused": {"resume": "running", "cancel": "cancelled", "talk_on": "paused", "talk_end": "paused"}, "finished": {}, "cancelled": {"talk_on": "cancelled"}}
STATUS = {"planned": "Agreed on, but not begun", "running": "Under way at present", "paused": "Begun, at a halt for the time being", "finished": "Brought to its end", "cancelled": "Given up for good"}
STATUS_ASKED = {
    "planned": [("Has {t} still to begin?", True), ("{T} is planned, but has not begun.", True), ("Is {t} still no more than a plan?", True), ("Has {t} begun, or been given up?", False), ("{T} is more than a plan by now, or has been dropped.", False)],
    "running": [("Is {t} under way at present?", True), ("{T} is going on now.", True), ("Is {t} running as things stand?", True), ("Is {t} not going on at present?", False), ("{T} is not under way as things stand.", False), ("As things stand, is {t} either over, halted or not begun?", False)],
    "paused": [("Is {t} on hold at present?", True), ("{T} is suspended, but has not been given up.", True), ("Is {t} waiting to be taken up again?", True), ("{T} is not on hold at present.", False), ("Is it wrong that {t} is suspended at the moment?", False)],
    "finished": [("Has {t} been completed?", True), ("{T} has come to its planned end.", True), ("Is {t} finished, with nothing left to do?", True), ("Has {t} not been completed?", False), ("{T} has not been finished.", False), ("Is it wrong that {t} was brought to its planned end?", False)],
    "cancelled": [("Has {t} been called off?", True), ("{T} has been given up for good.", True), ("Was {t} dropped?", True), ("Has {t} been spared from being dropped?", False), ("{T} has not been called off.", False), ("Is it untrue that {t} was called off?", False)]}
TERMS = [("the permit comes", "the permit has come", "the permit has not come"), ("it rains before Sunday", "it rained on Saturday", "Sunday is over and there was no rain before it"), ("the council agrees", "the council has agreed", "the council has said no"), ("twenty people sign up", "thirty people have signed up", "sign-up closed with only eight people"), ("the test turns out well", "the test turned out well", "the test turned out badly"), ("the bank lends the money", "the bank has lent the money", "the bank has refused to lend the money"),
         ("the deposit is paid by Friday", "the deposit was paid on Tuesday", "Friday has gone by without the deposit"), ("the team wins on Saturday", "the team won on Saturday", "the team lost on Saturday"), ("the harvest is good", "the harvest was good", "the harvest was poor"), ("the doctor has no objection", "the doctor has no objection at all", "the doctor objects"), ("the old tenant moves out", "the old tenant has moved out", "the old tenant is staying for good"), ("a sponsor is found", "a sponsor has been found", "the search ended without a sponsor"), ("the part is in stock", "the part is in stock", "the part is sold out"), ("the editor likes the text", "the editor likes the text", "the editor dislikes the text")]
GIFTS = [("repair the roof", "repaired the roof"), ("plant a hedge", "planted a hedge"), ("buy a new van", "bought a new van"), ("lower the fee", "lowered the fee"), ("open a second group", "opened a second group"), ("pay for the bus", "paid for the bus"), ("send a technician", "sent a technician"), ("print a second edition", "printed a second edition"), ("widen the gate", "widened the gate"), ("hire a nurse", "hired a nurse"), ("install new lamps", "installed new lamps"), ("give a party for the staff", "given a party for the staff"),
         ("refund the tickets", "refunded the tickets"), ("replace the mixer", "replaced the mixer"), ("build a stable", "built a stable"), ("translate the guide", "translated the guide")]
BOND = ["{W} promised: \"If {c}, we will {v}; otherwise not.\"", "{W} promised to {v}, but only if {c}.", "Only if {c} does {w} have to {v}; that is the deal.", "{W} has to {v} on condition that {c}, and only then.", "By contract {w} must {v} if {c}, and is free of it if not.", "If {c}, {w} owes it to us to {v}; if not, nothing is owed."]
FATE = {"kept": "The condition came true and the thing was done", "owed": "The condition came true, the thing has yet to be done", "void": "The condition did not come true, so nothing is owed"}


def holds_now(g):
    """What state a thing is in after all that happened to it, and what a conditional promise has come to."""
    if g.coin(0.35):
        c, met, unmet = g.pick(TERMS)
        (v, past), who = g.pick(GIFTS), g.pick(PARTIES)
        w = who[0].lower() + who[1:]
        bond, tell, shape = g.pick(BOND).format(W=who, w=w, c=c, v=v), dress(g), g.rng.randint(0, 3)
        done, undone = g.pick(["By now {w} has {p}.", "{W} has {p}.", "And indeed, {w} has {p}."]).format(w=w, W=who, p=past), g.pick(["So far {w} has not {p}.", "{W} has not {p}.", "As of today {w} has not {p}."]).format(w=w, W=who, p=past)

        def state(k):
            now, did = cap(unmet if k == "void" else met) + ".", done if k == "kept" else undone
            if shape == 0:
                return {"agreement": bond, "since_then": [now, did]}
            if shape == 1:
                return f"Agreement: {bond}\nNow: {now}\nAlso: {did}"
            return tell(f"{bond} {now} {did}")

        x, y = g.rng.sample(list(FATE), 2)
        out = twin(g, [(state(x), x), (state(y), y)], ["What has become of the promise?", "Where do things stand with the promise?", "Which holds for the promise now?", f"How do things stand between us and {w}?"], FATE, 0)
        asked = {"owed": [(f"Is {w} still bound to {v}?", True), (f"Does {w} still owe us something?", True), (f"{who} now has to {v}.", True), (f"Is {w} free of any duty that is still open?", False), (f"There is nothing left that {w} has to do.", False)],
                 "kept": [(f"Has {w} {past}?", True), (f"{who} had to {v} and has done so.", True), ("Has the promise been carried out?", True), (f"Has {w} not {past}?", False), (f"{who} has left it undone.", False)],
                 "void": [("Did the condition fail to come true?", True), (f"{who} never came to owe it, since the condition was not met.", True), (f"Is {w} free because the condition was not met?", True), ("Has the condition been met?", False), ("The condition has come true.", False)]}
        k = g.rng.choice(list(FATE))
        other = g.other(list(FATE), k)
        out += two(g, state(k), state(other), asked[k], 1)
        j = g.rng.choice([k, other])
        return out + deny(g, state(j), asked[k], j == k)
    thing, rival = g.rng.sample(UNDERTAKINGS, 2)

    def walk(length):
        status, path = "planned", ["plan"]
        while len(path) < length and NEXT[status]:
            e = g.rng.choice([e for e in NEXT[status] if e not in ("cancel", "talk_end", "talk_on") or g.coin(0.5)] or list(NEXT[status]))
            status = NEXT[status][e]
            path.append(e)
        return path, status

    target = g.rng.choice(["planned", "planned", "planned", "planned", "running", "running", "running", "paused", "paused"])
    path, before = walk(g.rng.randint(1, 5))
    while before != target:
        path, before = walk(g.rng.randint(1, 5))
    e1, e2 = g.rng.sample(list(NEXT[before]), 2)
    while NEXT[before][e1] == NEXT[before][e2]:
        e1, e2 = g.rng.sample(list(NEXT[before]), 2)
    side, _ = walk(g.rng.randint(1, len(path) + 1))
    with_side, tell, shape, late = g.coin(0.5), dress(g), g.rng.randint(0, 5), g.coin(0.3)
    months = [MONTHS[i] for i in sorted(g.rng.sample(range(12), len(path) + 1))]
    forms = [g.pick(EVENTS[e]) for e in path]
    last = {e: g.pick(EVENTS[e]) for e in (e1, e2)}
    side_text = [g.pick(EVENTS[e]).format(t=rival, T=cap(rival), m=m) for e, m in zip(side, months)]
    slots = sorted(g.rng.randint(0, len(path)) for _ in side_text)
    rival_first = g.coin()

    def state(e):
        whole = path + [e]
        if shape <= 2:
            mine = [f.format(t=thing, T=cap(thing), m=m) for f, m in zip(forms + [last[e]], months)]
            if not with_side:
                return tell(" ".join(mine))
            if shape == 0:
                woven = []
                for i, t in enumerate(mine):
                    woven += [t] + [x for x, at in zip(side_text, slots) if at == i]
                return tell(" ".join(woven))
            return tell(" ".join(side_text + mine if rival_first else mine + side_text))
        log = lambda es: [f"{m}: {LOGGED[x]}" for x, m in zip(es, months)]
        if shape == 3:
            both = [(thing, log(whole))] + ([(rival, log(side))] if with_side else [])
            return {n.removeprefix("the "): (h[::-1] if late else h) for n, h in (both[::-1] if rival_first else both)}
        if shape == 4:
            both = [(thing, whole)] + ([(rival, side)] if with_side else [])
            return [{"matter": n, "month": m, "entry": LOGGED[x]} for n, es in (both[::-1] if rival_first else both) for x, m in zip(es, months)]
        both = [(thing, log(whole))] + ([(rival, log(side))] if with_side else [])
        return "\n".join(f"{cap(n)}: " + "; ".join(h) for n, h in (both[::-1] if rival_first else both))

    x, y = NEXT[before][e1], NEXT[before][e2]
    a, c = state(e1), state(e2)
    fill = lambda qs: [(q.format(t=thing, T=cap(thing)), v) for q, v in qs]
    questions = [f"What is the state of {thing} now?", f"How do things stand with {thing}?", f"Which status does {thing} have at present?", f"What holds for {thing} today?"]
    if g.coin(0.3):
        hidden, new = veil(g, spare(g, STATUS))
        out = twin(g, [(a, new[x]), (c, new[y])], questions, hidden, 0, bare=0)
    else:
        out = twin(g, [(a, x), (c, y)], questions, spare(g, STATUS), 0)
    out += two(g, a, c, fill(STATUS_ASKED[x]), 1)
    if g.coin(0.2):
        none = g.rng.choice(NONE)
        out.append(pick_one(g, a, questions, {k: v for k, v in STATUS.items() if k != x} | dict([none]), none[0]))
    s, z = g.rng.choice([(a, x), (c, y)])
    asked = g.rng.choice([x, y])
    return out + deny(g, s, fill(STATUS_ASKED[asked]), z == asked)


FAMILIES = {f.__name__: f for f in (need, asked_for, next_actor, pressing, incident_grade, mixed_review, commitment, manners, misleading_words, outcome, scope_words, holds_now)}
