"""Service talk: who needs what, what is wanted or declined, who acts next; and what its sister files (`degrees`, `wording`) share.

The answer is drawn first and the text made from it; tone, length and facts about other things vary freely beside it.
"""
import re

import banks as b
from clauses import ask_both, cap, Clause, pick_one, row, scale

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
PARTIES = ["The supplier", "The landlord", "The clinic", "The bank", "The school", "The airline", "The publisher", "The carrier", "The club", "The co-operative", "The agency", "The insurer", "The city", "The builder"]


FAMILIES = {f.__name__: f for f in (need, asked_for, next_actor)}
