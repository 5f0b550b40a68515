"""Words that mislead, scope words, what became of a request, and what holds now."""
import banks as b
from clauses import ask_both, ask_pair, cap, Clause, pick_one
from .customer_messages import deny, dress, NONE, PARTIES, rungs, spare, twin, two, veil

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


FAMILIES = {f.__name__: f for f in (misleading_words, outcome, scope_words, holds_now)}
