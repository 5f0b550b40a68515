"""Cases graded by their facts: ordered levels with descriptions, what follows from a level, and which of two cases weighs more.

Each subject is a table of cases by level (`[a|b]` is one of the words, `{n}` a name), sets of level names that fit it, and pairs of texts that
differ in a phrase. The tone (calm, agitated) is drawn apart from the facts, so that it decides nothing.
"""
import re

from clauses import Clause, ask, ask_both, ask_pair, pick_one, scale, wrap

CALM = ["Just for the file: {c}", "A short note. {c}", "{c} That is all from my side.", "{c} Have a nice day.", "By the way: {c}", "For your information: {c}", "{c} Best wishes, {n}",
    "Hello, one thing in passing: {c}", "{c} I only mention it.", "A small remark: {c}"]
LOUD = ["THIS IS UNBELIEVABLE!!! {c}", "I am beside myself! {c}", "{c} I cannot believe it!!!", "Alarm, alarm! {c}", "{c} My heart is racing!!", "Help! {c}", "{c} I am so worked up!!!", "Oh my goodness!!! {c}",
    "{c} It makes me scream!", "READ THIS NOW! {c}"]


def expand(g, text, who=None):
    """One of the words of each `[a|b]`, and a name for `{n}`."""
    return re.sub(r"\[([^\]]*)\]", lambda m: g.rng.choice(m.group(1).split("|")), text).replace("{n}", who or g.name())


def tell(g, text, low):
    """The text in a calm, plain or agitated manner; trivial cases are a little more often agitated, grave ones calm."""
    draw = g.rng.random()
    loud = 0.32 if low else 0.22
    if draw > 0.54:
        return text
    return g.pick(LOUD if draw < loud else CALM).replace("{c}", text).replace("{n}", g.name())


def clause_of(g, s, t, n):
    """A clause that is true from level t on, and the names to show with the state (or None)."""
    facts = [Clause(*f[1:]) for f in s["facts"] if f[0] == t]
    if facts and g.coin(0.6):
        return g.rng.choice(facts), None
    sets = [(m, x.split(" | ")) for m, x in s["sets"] if m[t] != m[t - 1]]
    m, names = g.rng.choice(sets)
    name = names[int(m[t])]
    rest = g.rng.choice([f'at the level "{name}" or above', f'at least "{name}"'])
    clear = all(len(x.split()) > 3 for x in names)
    return Clause("this case", "is", rest), None if clear and g.coin(0.4) else names


def shown(names, text):
    """A text together with the scale that the question speaks of."""
    return {"levels_rising": names, "case": text} if names else text


def grade(g, s):
    """All rows on one subject: two cases on one scale, yes or no from a level on, a pair that differs in a phrase, the next step, two compared."""
    n = len(s["cases"])
    i, j = g.rng.sample(range(n), 2)
    a, c = (tell(g, expand(g, g.pick(s["cases"][k])), k < n / 2) for k in (i, j))
    m, names = g.pick(s["sets"])
    names = names.split(" | ")
    first = scale(g, wrap(g, a, ("report", "text", "message")), s["ask"], names, int(m[i]))
    rows = [first]
    if m[i] != m[j]:
        k = int(m[j])
        k = k if first["criteria"] == names else len(names) - 1 - k
        rows = [{**first, "state": a, "pair": 0}, {**first, "state": c, "label": k, "pair": 0}]
    t = g.rng.randint(min(i, j) + 1, max(i, j))
    clause, levels = clause_of(g, s, t, n)
    rows += ask_pair(g, shown(levels, a if i >= t else c), shown(levels, c if i >= t else a), clause, 1)
    t = max(g.rng.choice([i, i + 1]), 1) if i < n - 1 else i if g.coin(0.7) else g.rng.randint(1, i)
    clause, levels = clause_of(g, s, t, n)
    rows += ask_both(g, shown(levels, a), clause, i >= t) if g.coin(0.4) else ask(g, shown(levels, a), clause, i >= t)
    text, *ends = g.pick(s["flips"])
    who = g.name()
    text = tell(g, expand(g, text, who), g.coin())
    low, high = (text.replace("{w}", end.replace("{n}", who)) for end in ends[::2])
    lo, hi = ends[1::2]
    clause, levels = clause_of(g, s, g.rng.randint(lo + 1, hi), n)
    rows += ask_pair(g, shown(levels, high), shown(levels, low), clause, 2)
    m, names = g.rng.choice(s["sets"])
    names = names.split(" | ")
    if g.coin(0.5) and m[lo] != m[hi]:
        x = scale(g, low, s["ask"], names, int(m[lo]), pair=3)
        rows += [x, {**x, "state": high, "label": x["criteria"].index(names[int(m[hi])])}]
    keys, said = zip(*s["next"])
    k, text = g.rng.choice([(i, a), (lo, low), (hi, high)])
    rows.append(pick_one(g, text, s["then"], dict(zip(keys, said)), keys[k], bare=0.25))
    if g.coin(0.35):
        rows.append(pick_one(g, c, s["ask"], names, names[int(m[j])]))
    if g.coin(0.6):
        more = g.coin(0.65)
        x, y, u, v = g.rng.choice([(a, c, i, j), (c, a, j, i), (low, high, lo, hi), (high, low, hi, lo)])
        state = g.rng.choice([{"A": x, "B": y}, f"A: {x}\nB: {y}", f"Case A: {x} Case B: {y}"])
        rows.append(pick_one(g, state, s["more"] if more else s["less"], {"A": "case A", "B": "case B"}, "A" if (u > v) == more else "B"))
    return rows


COMPLAINT = dict(
    cases=[["The guest found the [music|lighting|wallpaper] ugly and asks for nothing.", "{n} only wants us to know that the [soup|coffee|bread] could be warmer; no claim is made.",
            "A [passenger|visitor] writes that the [seats|signs] were better in the old days.", "The lady suggests a bigger [menu|mirror|coat stand]; she wants no reply.",
            "{n} grumbles about the [rain|view|parking] and adds that no answer is needed.", "The customer mentions the word lawyer only because she is one; she likes the shop and asks for nothing.",
            "The writer is furious about the colour of the [bags|menus], but wants neither money nor a reply.", "A [hiker|reader] would have liked [softer towels|more mustard]; it is meant as a hint only.",
            "{n} declined the refund of 400 euros for the room and only wants the incident written down.", "The guest says that the manager was charming and the [dessert|garden] a bit dull; he claims nothing.",
            "A father regrets that the [play corner|pony] is gone and asks for nothing in return."],
           ["The [cup|lamp|shirt] arrived with a scratch, and {n} wants another one.", "The guest paid for [two|three] coffees and got one; she wants the 4 euros back.",
            "{n} was charged [9|12|15] euros for a breakfast that was not eaten and wants the money.", "The [socks|gloves] are the wrong size; the customer asks for an exchange.",
            "A ticket for [8|11] euros was printed twice, and the visitor asks for the price of one.", "The pizza came without [cheese|olives], and {n} would like a new one.",
            "The [book|calendar] lacks two pages; the reader asks for a whole copy.", "Nobody was rude and nobody was hurt, says {n}, but the [scarf|hat] has a hole and should be exchanged.",
            "The customer shouts that he wants his 6 euros for the [cold soup|flat beer], no more and no less.", "The bouquet was short of [three|five] roses; {n} asks for those roses.",
            "The bill shows 20 euros too much, and the guest wants them back."],
           ["The waiter called {n} a [peasant|fool] in front of the whole room.", "The customer asks for [700|900|1,200] euros because the [wedding cake|tour] never came.",
            "{n} says that the cashier kept the change and denied it.", "The guest demands [600|850] euros for a ruined [suit|carpet].", "A member of staff mocked the [accent|weight] of a visitor.",
            "The clerk hung up on {n} after an insult.", "The couple wants the [1,500|2,000] euros for the lost holiday back.", "Our driver lied about the price and laughed at {n}.",
            "The porter shouted at a [child|pensioner] for a dropped [spoon|ticket].", "It is a trifle, says {n}: the receptionist said 'people like you belong in the [barn|street]'.",
            "A guest claims 1,100 euros for the cancelled [party|cruise]; no lawyer is involved."],
           ["The [boy|lady] broke a tooth on a stone in our bread.", "The letter comes from the lawyer of {n} and sets a date for a lawsuit.",
            "{n} slipped on our wet [stairs|floor] and lies in hospital with a broken hip.", "The consumer authority asks for a statement about the [labels|prices].",
            "The child was burnt by the [tea|soup] that our waiter spilled.", "A court has sent us the claim of {n} over 30 euros.", "The guest was taken away by ambulance after the [fish|mushrooms].",
            "The police want to hear us about the [fall|theft] reported by {n}.", "The customer is very kind about it: the [shelf|sign] fell on her head and she needed stitches.",
            "{n} has handed the matter of the [hat|umbrella] to a solicitor.", "The equality office opens a case because {n} was refused a table."]],
    sets=[("0123", "noted: the writer asks for nothing | desk: an exchange or a few euros | manager: hundreds of euros, or insulting or dishonest staff | legal: somebody was hurt, or a lawyer, court or authority is involved"),
        ("0123", "note | front desk | manager | legal department"), ("0112", "no claim at all | a claim against us or our staff that we can settle among ourselves | an injury, or lawyers, courts or authorities"),
        ("0123", "1: file it | 2: give the small thing that is asked for | 3: the head of the house has to speak to the customer | 4: the lawyers have to see it before anybody replies"),
        ("0001", "we can settle it in the house | lawyers, courts, authorities or injuries come into it"),
        ("0012", "level 1: a wish, a small exchange or small change | level 2: a large sum, or bad conduct of our staff | level 3: injury or legal steps"), ("0123", "keep as a remark | settle with small change or a new thing | the manager must step in | the lawyers must step in")],
    ask=["How far up must the complaint go?", "Which escalation level fits the complaint?", "Who has to deal with it?", "Grade the complaint by what happened and what is asked.", "Set the level of the complaint.",
        "Which step of the ladder is right for this complaint?"],
    facts=[(1, "there", "is", "something that the house has to answer for or settle"), (3, "the case", "does", "belong to the lawyers", "belongs to the lawyers"),
        (3, "there", "is", "an injury or a lawyer, court or authority involved"), (2, "this", "is", "too grave for the front desk to settle alone")],
    flips=[("{n} wants {w} euros back for the [dinner|tour].", "9", 1, "950", 2), ("The glass splinter in the [soup|salad] {w}.", "was seen in time, and {n} asks for another plate", 1, "cut the guest's tongue", 3),
        ("The letter about the [hat|vase] was written by {n}, {w}.", "who asks for another one", 1, "who acts as the buyer's solicitor", 3),
        ("The waiter {w} as the guest left.", "forgot 2 euros of the change, which the guest asks for,", 1, "swore at the guest", 2),
        ("{n} did not like the [bread|tea] and {w}.", "asks for nothing", 0, "wants another one", 1),
        ("The guest stumbled over the [mat|cable], {w}.", "laughed and asks for nothing", 0, "broke a wrist and lies in hospital", 3)],
    next=[("file_it", "Write it down; nobody has to act"), ("settle_at_desk", "Exchange the thing or pay back the small sum"),
        ("call_the_manager", "The head of the house takes over: a large sum or the conduct of staff"), ("pass_to_lawyers", "Only the legal department may answer: injury, lawyer, court or authority")],
    then=["What should happen next?", "What is the right next step?", "How should the house proceed?"],
    more=["Which of the two should be handled first?", "Which complaint has to go further up?", "Which case is the graver one?"],
    less=["Which of the two can be handled later?", "Which complaint is the lesser one?"])

SECURITY = dict(
    cases=[["The tester tried to read the [payroll|patient] files and was refused.", "The [leaked|stolen] password that was reported had been changed [years|months] ago and opens nothing.",
            "The suspicious mail to {n} turned out to be our own newsletter.", "The unknown device in the [hall|office] network is the new [printer|clock] that {n} registered.",
            "All [40|90] accounts of former staff are closed, as the check shows.", "The scan of the [shop|booking] site found no gap.", "The reported 'hack' was {n} mistyping the password; nothing was opened.",
            "The list that is 'public on the internet' is our [menu|timetable], which is meant to be public.", "The lost stick was found, sealed and unused, with nothing on it.",
            "The [auditor|tester] could neither guess nor steal a single login.", "The screaming headline about our [app|portal] concerns another firm with a similar name."],
           ["The rules allow passwords of [eight|nine] characters; nobody has got in, and a second factor protects all accounts.",
            "The [login|start] page shows the version of the software, which tells an attacker a little but opens nothing.", "The policy document has not been read by {n} yet; all the controls work.",
            "A header that the guide recommends is missing on the [help|contact] page; no attack is known that uses it.", "The certificate is valid but renewed by hand by {n}; a reminder would be better.",
            "The guest network could be named less plainly; it leads nowhere.", "The training slides on phishing are old; the filters are up to date.", "The log is kept for [60|80] days instead of the advised 90.",
            "The list of open ports is longer than needed, but each of them refuses strangers.", "The visitor badge does not show a date; the doors do not accept it anyway.",
            "The lock screen starts after ten minutes; five would be tidier."],
           ["Any employee who is logged in can open the [payslips|reviews] of colleagues.", "A [trainee|temp] with an account can make himself administrator.",
            "With a valid customer login one can see the [orders|addresses] of other customers.", "Somebody who already sits in the [office|warehouse] network can read the backups without a password.",
            "{n} moved from the wage office to sales and can still open the [wage|bonus] list.", "Everybody in the house can open the cabinet with the [contracts|keys].",
            "A user with the role 'reader' can delete [invoices|files]; strangers cannot get in.", "The shared folder with [medical notes|salaries] is open to all staff, not to the outside.",
            "Logged-in sellers can change the prices of other sellers.", "A member of the club who knows the trick can read the board's mail after logging in.",
            "From a desk inside the firm, not from the internet, the door codes can be read by anyone."],
           ["Anybody on the internet can download the [patient|customer] files without a login.", "The admin page of the [shop|portal] opens for strangers with no password at all.",
            "The list with [5,000|80,000] card numbers lies on a public page.", "Unknown people are reading the mails of {n} at this moment.",
            "The whole [member|salary] table can be fetched from outside by typing a quote mark into the search field.", "The key to all servers was posted in a public [forum|repository] and still works.",
            "A stranger has sent us [ten|fifty] of our customers' passports as proof.", "By changing a number in the address, any passer-by sees other people's [bills|results].",
            "One small thing {n} noticed: the backups are on the open internet and need no login.",
            "The web camera in the [ward|safe room] can be watched by anyone who has the link, and the link is on a search engine.", "Attackers from outside have locked the files and copied the personnel records."]],
    sets=[("0123", "none: nothing to exploit | low: better hygiene, but nobody gets at anything through it | medium: somebody with an account or inside the house can get at what is not his | high: strangers from outside can get at protected data"),
        ("0123", "informational | low | medium | critical"), ("0012", "no gap that gives access to anything | a gap only for people with an account or inside the house | a gap for the whole world"),
        ("0123", "S0: close the report | S1: improve when the page is reworked | S2: mend it soon, people with an account or a desk here could abuse it | S3: shut it off now, outsiders can get in or are in"),
        ("0122", "no finding | a finding without access to data | a finding with access to data"), ("0001", "outsiders cannot get in through it | outsiders can get in")],
    ask=["How severe is the security finding?", "Rate the finding by who could abuse it.", "Which risk class does the finding get?", "How much can be reached through this gap, and by whom?",
        "Grade the security report.", "What is the risk rating?"],
    facts=[(2, "protected data or rights", "are", "within reach of people who should not have them"), (3, "people without any account", "are", "able to get at protected things"),
        (1, "there", "is", "something to improve")],
    flips=[("The [salary|patient] list can be opened by {w}.", "nobody but the two people in charge", 0, "any stranger on the internet", 3),
        ("The folder with the [contracts|notes] is open to {w}.", "all staff, though not to the outside", 2, "the whole internet", 3),
        ("The leaked key of {n} {w}.", "was cancelled long ago and opens nothing", 0, "still opens all customer files to strangers", 3),
        ("With {w}, one can see the [bills|orders] of other customers.", "a customer login, and only with that", 2, "no login at all", 3),
        ("A trainee with an account {w} the payslips of colleagues.", "was refused when he tried to open", 0, "can open", 2)],
    next=[("close_report", "There is nothing to mend"), ("tidy_up_later", "An improvement without hurry; nothing can be reached through it"),
        ("limit_insiders", "Correct the rights of people who have an account or sit in the house"), ("cut_off_access", "Take it off the network at once, because outsiders can reach it")],
    then=["What should be done about the finding?", "Which reaction fits the finding?", "What is the next step for the security team?"],
    more=["Which of the two should be handled first?", "Which finding is more dangerous?", "Which report needs the faster answer?"],
    less=["Which of the two can wait longer?", "Which finding is less dangerous?"])

HYGIENE = dict(
    cases=[["The fridge stood at [three|four] degrees and all the boxes were dated.", "The inspector found the [bakery|canteen] clean and the papers complete.",
            "The droppings on the [shelf|sill] turned out to be [peppercorns|coffee beans]; all was in order.", "The cooks washed their hands at each change, and raw and cooked food were kept apart.",
            "No mice, no flies, correct labels in the [dairy|deli].", "The neighbour's rumour of rats was checked: no trace in [kitchen|cellar] or yard, all clean.", "The [fish|meat] was fresh, cold and labelled.",
            "All the chopping boards were [new|clean] and kept by colour; no remarks.", "The guest who fell ill had eaten elsewhere; the [grill|stall] itself passed without a remark.",
            "The [soup|rice] was kept at 70 degrees, as it should be; nothing to note.", "Soap, warm water and towels were at each basin, and {n} could show all records."],
           ["The cleaning list for [Monday|Tuesday] was not signed, although the kitchen was clean.", "The training certificate of {n} was at home instead of in the folder.",
            "A tile in the [corridor|staff room], far from the food, is cracked.", "The poster on hand washing was missing; the hands were washed.", "The spare [aprons|hats] lay in the wrong cupboard.",
            "The temperature sheet was written in pencil; all the values were right.", "The address on the [jam|honey] label used an old postcode.", "The paint in the changing room peels.",
            "The bell at the delivery door had no name plate.", "The folder with the supplier list lacked a page, while the food itself was perfect.",
            "The name of the new owner, {n}, was not on the notice board."],
           ["Raw [chicken|mince] was stored above the ready [salad|cake].", "The fridge with the [cream|fish] stood at 13 degrees.", "There was no soap at the only hand basin of the kitchen.",
            "The [ham|cheese] was sold a week after its last date.", "The same board was used for raw meat and [bread|lettuce].", "The [rice|stew] had been cooling at room temperature for seven hours.",
            "{n} cut [fruit|sandwiches] with an open, uncovered cut on the finger.", "Mould grew on the wall right above the [dough|cheese].", "The nuts in the [cake|sauce] were not named on the card.",
            "The [milk|egg] crates stood in the sun all morning and were put on sale.", "The mood was merry and the kitchen smelt fine; the oysters lay at 15 degrees."],
           ["Live rats ran across the [kitchen|bakery] floor.", "[Twelve|Thirty] guests are ill after the [buffet|fish].", "Sewage was rising from the drain next to the [stove|counter].",
            "There was no running water in the whole [kitchen|butchery], and cooking went on.", "The [flour|rice] sacks were full of mouse droppings and the flour was in use.",
            "Cockroaches crawled in the [oven|bread bins].", "{n}, who has hepatitis, was making the salads.", "A rat sat among the [plates|loaves], and there were more behind the oven.",
            "Salmonella was found in the [ice cream|mayonnaise] on sale, and guests have been taken to hospital.", "A small remark in the report: the nest with live mice is in the [dough|sugar] bin.",
            "Waste water dripped from the ceiling into the open [soup|sauce] pots."]],
    sets=[("0123", "A: nothing to object to | B: a matter of paper or looks that cannot touch the food | C: food may become unsafe and the practice has to change | D: pests, sewage, no water, infected staff or sick guests"),
        ("0123", "no remark | minor | major | critical"), ("0112", "clean sheet | something to put right while the place stays open | the place has to be shut at once"),
        ("0011", "the food is safe | the food is or may be unsafe"), ("0123", "0: praise and go | 1: a line in the report | 2: order a change and come again within days | 3: seal the doors today"),
        ("0012", "no risk to the people who eat there | a possible risk through poor handling of food | an acute danger to the people who eat there")],
    ask=["How serious is the hygiene finding?", "Which grade does the inspector give?", "Rate the finding of the food inspection.", "How great is the danger for those who eat there?", "Which class of finding is it?",
        "What level has the inspection result?"],
    facts=[(2, "the safety of the food", "is", "at stake"), (3, "the kitchen", "does", "have to close at once", "has to close at once"), (1, "there", "is", "something to object to")],
    flips=[("The fridge with the [cream|fish] stood at {w} degrees.", "three", 0, "fourteen", 2),
        ("The animals seen in the [kitchen|bakery] were {w}.", "toys of the owner's child, and all was in order", 0, "live rats", 3),
        ("The training certificate of {n}, who {w}, was not in the folder.", "cooks cleanly and is healthy", 1, "makes the salads and has hepatitis", 3),
        ("The inspector saw mould {w}.", "in the staff changing room, far from the food", 1, "on the wall right above the open dough", 2),
        ("Raw chicken was stored {w} the ready salad.", "apart from and well below, and correctly so,", 0, "above, dripping onto", 2),
        ("The liquid on the kitchen floor was {w}.", "clean water from the mop, and all was in order", 0, "sewage rising from the drain", 3)],
    next=[("no_action", "The inspection ends without a remark"), ("note_in_report", "A line about papers or looks; the food is not touched by it"),
        ("order_change", "The handling of food must be changed, with a second visit soon"), ("close_kitchen", "Nothing may be cooked or sold here from now on")],
    then=["What should the inspector do?", "What follows from the finding?", "Which measure fits?"],
    more=["Which of the two should be handled first?", "Which finding is the more serious one?"],
    less=["Which finding is the less serious one?", "Which of the two can be dealt with later?"])

TRIP = dict(
    cases=[["The [strike|storm] is called off, and the [train|ferry] of {n} runs as printed.", "The gate has changed from [B2|C4] to [B9|C7]; the flight of {n} leaves and lands on time.",
            "The [bus|tram] is blue instead of red today, otherwise nothing is different.", "The closed road is not on the way of {n}, who arrives as planned.",
            "There is no [coffee|newspaper] on board; the train is on time.", "The flight that was cancelled is the one before; that of {n} lands on time.",
            "{n} lost the window seat and got the aisle; the arrival stays the same.", "The [captain|driver] made up for the late start, and all arrived on the minute.",
            "The announcement of a delay was for another platform; the train to [Ghent|Basel] arrives on time.", "The [ferry|coach] is full to the last seat, but {n} has a ticket and gets there as planned.",
            "The queue at the airport was awful, and the plane still left and landed on time with {n} on board."],
           ["The train of {n} is [20|25|35] minutes late and then goes straight through.", "The [ferry|bus] waits for the fog to lift and lands half an hour after the planned time.",
            "The plane circles and lands [15|20] minutes late.", "The coach of {n} stands in a jam and comes three quarters of an hour late.",
            "The same train leaves at [9.40|10.40] instead of 9.10, with the seats as booked.", "No need to rebook: the ship sails as booked, only forty minutes later.",
            "The tram had to wait for a [parade|herd of sheep] and was a quarter of an hour late.", "{n} misses the speech of welcome because the booked train runs 30 minutes late.",
            "The flight was not cancelled, as feared, it merely leaves 50 minutes later.", "The driver overslept; the bus came 25 minutes late and took everybody.",
            "The border check took longer, so the night train arrives 40 minutes after the printed time."],
           ["The train of {n} is cancelled; with the [bus|ferry] the arrival is this evening.", "The bridge is shut, so {n} drives round by [Graz|Bern] and arrives this afternoon.",
            "The flight was dropped, and {n} is rebooked to the one at [six|seven] tonight.", "The ferry does not sail; by plane {n} reaches the island before dark.",
            "The missed connection means another line by way of [Turin|Lyon], with arrival the same night.", "The [tunnel|pass] is closed, and a replacement bus over the hill brings all of them in today.",
            "The airport of [Nice|Pisa] is shut; the plane lands in the next town, and a coach does the rest before evening.", "The track is blocked; {n} takes a taxi instead and is there for dinner.",
            "{n} swaps the cancelled train for a lift with a colleague and arrives today.", "No fuss: the booked boat is out of service, a smaller one of another line takes {n} across at noon.",
            "The coach firm has gone bankrupt; {n} buys a train ticket and still gets there today."],
           ["Nothing goes any more, and {n} spends the night on a bench at [the station|the airport].", "All flights are cancelled until the day after tomorrow, and {n} sits in [Oslo|Cairo].",
            "The last ferry is gone; {n} has to sleep on the [island|pier].", "The road is buried, there is no other, and the village is cut off for [three|four] days.",
            "The passport was stolen, so {n} cannot board anything before the embassy opens on Monday.", "The trip was called off half way, and {n} went home without reaching the place.",
            "The next free seat is in [three|five] days; there is no other way to get there.", "The border is shut until further notice, and {n} stands in front of it.",
            "A quiet evening: the train ended in the snow, and {n} sleeps in the waiting room until tomorrow.", "The ship turned back to the first port, and the next crossing is next week.",
            "{n} has given up: no train, bus or car gets to [Arosa|Split] before tomorrow noon."]],
    sets=[("0123", "0: arrives as planned | 1: arrives late with what was booked | 2: arrives the same day by another way | 3: does not arrive that day"), ("0123", "none | slight | considerable | severe"),
        ("0112", "no disruption | a nuisance, but the traveller gets there that day | stranded"),
        ("0123", "nothing changes | wait, keep the ticket | change to another train, flight, boat or road | find a bed for the night or give up the trip"),
        ("0012", "the booked connection gets the traveller there | another connection or road is needed | no connection gets there today"), ("0001", "gets there that day | does not get there that day")],
    ask=["How badly is the trip disrupted?", "Rate the disruption.", "How does the trip go on for the traveller?", "Which level of disruption fits?", "How strongly are the travel plans affected?",
        "What has become of the trip?"],
    facts=[(1, "the trip", "is", "disturbed"), (2, "the traveller", "is", "unable to arrive with what was booked"), (3, "the arrival", "is", "impossible on the planned day")],
    flips=[("The [train|coach] of {n} arrives {w}.", "on the minute", 0, "25 minutes late", 1),
        ("The ferry of {n} is cancelled; the next way across goes {w}.", "in an hour with another line, arriving today", 2, "in three days", 3),
        ("The announced strike {w}.", "is off, and {n} travels and arrives as planned", 0, "stops everything for two days, and {n} sleeps at the station", 3),
        ("The flight of {n} {w}.", "leaves half an hour late, with the seats as booked", 1, "is cancelled, and the first free seat is in four days", 3),
        ("The closed pass is {w}.", "not on the way of {n}, who arrives as planned", 0, "the only road, so {n} stays in the valley for two nights", 3),
        ("The train of {n} {w}.", "comes 20 minutes late and then goes straight through", 1, "is cancelled, but a bus gets there this evening", 2)],
    next=[("carry_on", "Travel as planned"), ("wait_a_little", "Keep the ticket and wait for the late departure"), ("take_another_way", "Switch to another connection or road that arrives today"),
        ("stay_overnight", "No arrival today: find a place to sleep or go home")],
    then=["What should the traveller do?", "What comes next for the traveller?", "Which advice fits?"],
    more=["Which of the two should the travel desk help first?", "Which trip is disrupted more?"],
    less=["Which of the two can the travel desk help later?", "Which trip is disrupted less?"])

LEAVING = dict(
    cases=[["{n} has just signed for [three|five] more years and asks for a second [seat|line].", "The [bakery|clinic] buys two more licences and praises the team.",
            "{n} hates the colour of the bills, and has prolonged the contract until [2031|2032].", "The customer brought us [two|three] friends as new customers and extended.",
            "Having looked at the others, {n} has decided for us and paid [four|five] years ahead.", "The [school|hotel] moves all its branches over to us.",
            "{n} withdrew the notice and took the larger package instead.", "The farm pays for next year already and wants more [boxes|hours].",
            "The firm renewed after a quarrel and booked the [training|premium] plan too.", "'Cancel' was a slip of the pen, {n} writes; the contract has been prolonged.",
            "The customer gave up the other supplier and now orders all [paper|milk] from us."],
           ["{n} finds the [invoice|menu] hard to read and asks for larger print.", "The customer is angry about the long queue on the phone and wants an apology.",
            "{n} asks why the [delivery|parcel] came on Tuesday instead of Monday.", "The [pharmacy|museum] wishes for a German manual.", "{n} calls the new logo a crime against good taste.",
            "The customer wants the 12 euros of the double charge back.", "{n} rages about the [colour|smell] of the boxes and asks for the old ones.", "The [cafe|studio] would like a photo on the login page.",
            "{n} cancelled a meeting, not the contract, and complains about the date.", "The customer is annoyed by the newsletter and wants fewer pictures in it.",
            "A typing error in the name of {n} has to be corrected, the writer says sharply."],
           ["{n} asks what the [rival|neighbour] firm charges less for and whether we can match it.", "The customer has asked three others for offers.",
            "If the price is not lowered, says {n}, the contract will have to be thought over.", "{n} wants to know how long the notice period is.", "The [gym|dentist] tries out a product of our rival this month.",
            "{n} asks in a friendly way how one would take the data along, in case of a change.", "The buyer writes that the board will compare suppliers in [May|June].",
            "We stay only if the [helpline|warehouse] gets better, writes {n}.", "{n} has let the offer for a renewal lie and asks for a month to compare.",
            "With warm thanks for the cake: {n} is meeting a rival of ours on Thursday.", "The customer is undecided between us and [Westmark|Solvia] for next year."],
           ["{n} has cancelled as of the [first|last] of next month.", "The customer writes that the contract with [Westmark|Solvia] is signed and ours ends in May.",
            "Please delete my account and confirm the end of the contract, writes {n}.", "The [bakery|clinic] thanks us for ten lovely years and says goodbye.",
            "{n} has moved all the data to the new supplier and sends back the keys.", "The notice of {n} came by registered letter this morning.", "The firm closes its account, with kind regards.",
            "{n} does not renew; the new provider starts on [Monday|the first].", "It was wonderful with you, writes {n}, and encloses the cancellation.",
            "The customer has stopped the [standing order|direct debit] and confirmed in writing that she leaves.", "Nobody is angry, says {n}, but from July on we buy from another house; here is the notice."]],
    sets=[("0123", "safe: binds itself for longer or buys more | grumbling: has a wish or complaint, says nothing about going | wavering: compares, asks about leaving or sets a condition | going: has given notice or signed elsewhere"),
        ("0123", "no risk | low risk | high risk | lost"), ("0012", "nothing points to leaving | leaving is being weighed | leaving is decided"),
        ("0123", "0: say thank you | 1: answer the complaint | 2: make an offer before they decide | 3: arrange the end of the contract"),
        ("0112", "just committed itself | still with us, without a new commitment or a notice | has said that it ends"), ("0001", "still a customer with no notice given | has decided to leave")],
    ask=["How likely is it that we lose this customer?", "Rate the risk that the customer leaves.", "Where does the customer stand?", "How close is the customer to leaving?", "Which churn level fits?",
        "How firm is the tie to the customer, by what was done and said?"],
    facts=[(2, "the customer", "is", "at least weighing up whether to stay"), (3, "the customer's departure", "is", "decided"), (2, "the thought of leaving", "is", "present")],
    flips=[("{n} is furious about the bill and {w}.", "wants 10 euros back", 1, "has cancelled", 3), ("After looking at our rivals, {n} has {w}.", "prolonged with us for four years", 0, "signed with one of them", 3),
        ("The [clinic|school] asks how long {w}.", "the new brochure will be", 1, "the notice period is", 2), ("{n} has {w} the contract.", "prolonged", 0, "ended", 3),
        ("{n} {w}.", "asks for larger print on the bill", 1, "is comparing us with two other suppliers", 2)],
    next=[("say_thanks", "Thank the customer for staying or buying more"), ("answer_the_point", "Reply to the wish or complaint; no offer is needed"),
        ("make_an_offer", "Win the customer back while it still weighs things up"), ("close_contract", "The decision has been taken: confirm the end")],
    then=["What should the account manager do?", "What is the right reaction?", "What follows for the sales team?"],
    more=["Which customer is more likely to leave?", "Which of the two is closer to going?"],
    less=["Which customer is less likely to leave?", "Which of the two is tied to us more firmly?"])

REVIEW = dict(
    cases=[["Nicely done, {n}; I would merge it as it is.", "I first thought the [loop|test] was wrong, but it is right; nothing to change.", "This [function|class] is a joy to read.",
            "Thank you for the [tests|comments]; no remarks from me.", "I looked for a leak in [the cache|the parser] and there is none; go ahead.", "Clever use of [a set|an iterator] here; leave it.",
            "The security check that I missed is two lines further down; all fine.", "Approved, {n}, without a single wish.", "I learnt something from [this query|these ten lines]; merge it.",
            "Wow, this is insanely good; do not touch it any more!", "My remark about lost data was a misreading on my part; the code is right."],
           ["I would call it [total|count] instead of [sum|number], but it is up to you.", "A blank line after the [imports|loop] would be prettier; as you like.", "Optional: the [comment|title] could be shorter.",
            "I'd have put the [helper|constant] at the top; feel free to ignore it.", "Taste only: single quotes look better to me, {n}.", "If you touch it anyway, sort the [names|imports]; otherwise leave it.",
            "Personally I prefer [a list comprehension|an early return] here; both work equally well.", "My eyes hurt!!! But it is only the alignment; merge it either way.",
            "You could spell it 'colour', {n}; no need to.", "A funnier name for the [test|branch] would please me, that is all.", "The word 'critical' in the comment sounds a bit grand; your choice."],
           ["It works, but please add a test for the [empty list|new option] before we merge.", "The result is right; the copied [block|query] has to become one function first, though.",
            "Before merging, the [public|exported] function needs a doc string, as our rules demand.", "Please remove the [debug prints|dead code] before it goes in.",
            "Does the right thing, {n}, but the name `[chk2|tmpx]` tells a reader nothing; rename it before merging.", "The [readme|changelog] has to mention the new option before we merge.",
            "Works as it should; our rule of one [class|query] per file must be kept, so please split it before the merge.",
            "The program runs well; the [magic number|path] must move to the settings before I approve.", "Right in all cases I tried, but please take out the unused [import|argument] before merging.",
            "Please squash the [nine|twelve] commits into one before it goes in; the code itself works.", "I cannot approve it before the [type hints|licence header] our rules ask for are there; it works otherwise."],
           ["This deletes the wrong [rows|files], and they cannot be brought back.", "The [price|dose] comes out ten times too high.", "The password is written to the [log|public page] in clear text.",
            "With two users at a time, one of the [orders|payments] is lost.", "Anybody can read the [letters|invoices] of others by changing the number in the address.",
            "The program ends with an error at the start, for all of us.", "One tiny thing, {n}: the tax is added twice to each [bill|receipt].",
            "The text from the form goes into the database command unchecked, so a stranger can wipe it.", "The backup is overwritten with an empty [file|table].",
            "Lovely style, {n}, only the [refund|salary] is sent to the wrong account.", "A very small nit, as it is one character: < instead of > lets those without a ticket in and keeps the others out."]],
    sets=[("0123", "praise: nothing to change | nit: a matter of taste that the author may ignore | change: the program works, but the author must tidy something up before merging | blocker: wrong results, lost data or an open door"),
        ("0123", "praise | nit | required change | blocker"), ("0011", "may be merged as it is | may not be merged as it is"), ("0012", "merge | put the form, tests or papers in order, then merge | do not merge, it would do damage"),
        ("0123", "0: smile and merge | 1: decide by your own taste | 2: tidy up, the behaviour stays the same | 3: the behaviour is wrong and does harm"),
        ("0001", "the program does what it should | the program does something wrong or dangerous")],
    ask=["How heavy is the review remark?", "Which weight has the remark?", "Rate the remark from nit to blocker.", "How strongly does the remark stand against merging?", "Which level fits this comment on the code?"],
    facts=[(2, "the author", "does", "have to change something before the merge", "has to change something before the merge"), (3, "the behaviour of the code", "is", "wrong or dangerous"),
        (2, "the remark", "is", "binding for the author")],
    flips=[("The name `[size|n]` could be longer; {w}.", "feel free to ignore this", 1, "our rules demand it, so change it before merging", 2),
        ("With an empty basket the [price|fee] {w}.", "comes out as it should; nothing to change", 0, "comes out negative and we pay the customer", 3),
        ("The log line contains the {w}.", "word 'user' twice, change it or not as you like", 1, "password of the user in clear text", 3),
        ("A test for the new [option|case] {w}.", "is there, well done, merge it", 0, "is missing; it works, but add one before we merge", 2),
        ("The clean-up step removes {w}.", "just what it should, no remarks", 0, "the customers' files as well, for good", 3)],
    next=[("merge_it", "Merge without changes"), ("author_decides", "The author may follow the taste of the reviewer or not"), ("tidy_first", "Correct the form, the tests or the papers, then merge"),
        ("stop_merge", "Keep it out: it gives wrong results, loses data or opens a door")],
    then=["What happens to the change now?", "What should the author do?", "Which step follows from the remark?"],
    more=["Which remark should be handled first?", "Which remark weighs more?"],
    less=["Which remark weighs less?", "Which remark can wait longer?"])

ACCIDENT = dict(
    cases=[["The [ladder|beam] fell where {n} had stood a moment before; nobody was touched.", "{n} slipped on the [oil|soap] without falling; not a scratch.",
            "The [forklift|trolley] missed the [cook|clerk] by a hand's breadth.", "The pot of acid tipped into the sink; nobody was near and nobody was hurt.",
            "The ambulance that was seen in the yard brought a [visitor|form]; nobody was hurt.", "A [shelf|crate] collapsed in the empty hall.",
            "The helmet took the blow of the [brick|pipe]; {n} felt nothing at all.", "The scream came from {n}, who saw a [mouse|spider]; nobody was harmed.",
            "The chain broke with a terrible bang, far from all people.", "The [knife|saw] fell beside the boot of {n}, not on it.", "The blood on the floor was [beet juice|paint]; all are well."],
           ["{n} got a plaster on the [thumb|knee] and went on packing.", "A splinter was pulled out of the [palm|finger] with tweezers from the box, and {n} worked on.",
            "{n} cooled a small burn under the tap for ten minutes and went back to the stove.", "The bump on the head of {n} got an ice bag; the doctor was not needed.",
            "{n} rinsed the soap out of the eye and was back at the desk after a quarter of an hour.", "A scratch from the [cat|wire], wiped with spirit; the shift went on.",
            "It bled like mad and {n} shouted for an ambulance, but a plaster was enough.", "The hospital was not called: a bandage from the box, a cup of tea, and {n} worked on.",
            "A blister on the [heel|hand] was covered with tape.", "{n} pinched a finger in the drawer, swore, held it under cold water and carried on.",
            "A bee stung {n}; some gel from the first-aid box, and the work continued."],
           ["{n} had the cut on the [arm|chin] stitched by the doctor and was home by noon.", "The doctor put the [wrist|ankle] in a splint and sent {n} home for a few days.",
            "At the surgery the metal chip was taken out of the eye of {n}, who will be fit by Monday.", "{n} was driven to the doctor for a sprained [foot|knee] and stays at home until Thursday.",
            "The dentist mended the chipped tooth of {n} within the hour; nothing remains of it.", "The doctor gave {n}, who went home afterwards, an injection for the dog bite.",
            "{n} is signed off by the doctor for [three|four] days with a bruised rib.", "The company doctor examined {n} after the fumes and found it mild; a day of rest at home will do.",
            "No stay in hospital: the family doctor closed the wound of {n} with two stitches.", "{n} needs pills from the doctor for the strained [back|shoulder] and is off until Wednesday.",
            "The doctor dressed the burn of {n} and wrote a sick note for the rest of the week; no scar will stay."],
           ["{n} lost [two fingers|the sight of one eye].", "The [roofer|driver] was flown to the clinic and operated on.", "{n} lies in intensive care after breathing the [gas|fumes].",
            "The crushed [foot|hand] of {n} had to be taken off.", "{n} has a broken back and stays in hospital for weeks.", "The helper did not survive the fall from the [roof|crane].",
            "No reason for fuss, {n} writes from the ward, they keep me here for ten days with the [hip|skull].", "{n} will never hear again with the left ear.", "The acid has cost {n} the eyesight.",
            "After the fall {n} can no longer walk.", "By the way, {n} was admitted to the clinic with burns over half the body."]],
    sets=[("0123", "near miss: nobody is hurt | first aid: helped on the spot, work goes on | doctor: treated outside and home the same day, heals within days | grave: stays in hospital, lasting harm or death"),
        ("0123", "near miss | first-aid case | medical treatment | serious injury"), ("0112", "nobody is hurt | somebody has a passing injury | somebody is in hospital, maimed or dead"),
        ("0012", "no doctor needed | a doctor's visit was enough | hospital stay, lasting harm or death"),
        ("0123", "0: warn the others of what could have happened | 1: enter it in the first-aid book | 2: send the doctor's note to the insurer | 3: call the labour inspectorate today"), ("0111", "unhurt | hurt")],
    ask=["How serious was the accident for the people?", "Rate the harm to people.", "Which class of accident is it?", "How badly was somebody hurt?", "Which level does the accident report get?"],
    facts=[(1, "somebody at work", "was", "hurt"), (2, "a doctor or a hospital", "was", "needed"), (3, "the injury", "is", "a grave one")],
    flips=[("The [beam|pipe] fell {w}.", "beside {n}, who was not touched", 0, "on {n}, who lies in intensive care", 3),
        ("{n} got a cut on the hand, {w}.", "put a plaster on it and worked on", 1, "had it stitched by the doctor and went home", 2),
        ("After the fall {n} {w}.", "got up without a scratch", 0, "could no longer move the legs and was operated on", 3),
        ("The drop of acid hit {w}.", "the floor only and nobody was hurt", 0, "the eye of {n}, who is blind on that side now", 3),
        ("The burn of {n} was {w}.", "cooled at the tap, then work went on", 1, "so deep that weeks in the clinic will follow", 3),
        ("The dog bit {w}.", "into the air, and {n} is unharmed", 0, "{n} in the leg, which the doctor stitched within the hour", 2)],
    next=[("warn_the_others", "Nobody is hurt: tell the team what could have happened"), ("enter_in_book", "An entry in the first-aid book is enough"),
        ("report_to_insurer", "A doctor was needed: send the note to the insurer"), ("call_inspectorate", "Grave harm: the authority has to be told at once")],
    then=["What has to be done after this?", "Which duty follows?", "What must the safety officer do?"],
    more=["Which of the two should be handled first?", "Which accident is worse for the people?", "In which case was the harm greater?"],
    less=["Which accident did less harm to people?", "Which of the two reports can wait?"])

SIZE = dict(
    cases=[["Please change the [phone number|opening hours] on the door sign; the form for it is open on your screen.", "Could you tick the box for [gluten|late arrival] in the booking of {n}?",
            "A [coffee break|quarter of an hour] is enough for it.", "Just forward the [ticket|picture] to {n}.", "One call to the [porter|bakery] settles it.", "It sounds huge, but it is three clicks.",
            "Hang the [poster|notice] on the board next to you.", "Tell {n} the code for the [gate|copier].", "The [weekly|monthly] report is written; it only needs your signature on one sheet.",
            "Done before the kettle boils.", "Rename the file about the [annual|summer] plan."],
           ["It takes from [nine|ten] until lunch.", "About [three|four] hours of work, says {n}.", "The [hall|office] has to be cleared, which fills an afternoon.", "Half a working day is enough.",
            "Reading the [contract|manual] and marking the doubtful points takes a morning.", "Six letters at half an hour each have to be written.", "Start after lunch and you are through by five.",
            "The [cellar|attic] can be swept and sorted within an afternoon.", "Eight interviews of [twenty|thirty] minutes, all on the same morning.",
            "It looks like a job for weeks; {n} has tried it and needed four hours.", "The drive there and back takes [four|five] hours, the rest is a signature."],
           ["{n} needs Monday, Tuesday and Wednesday for it.", "Two full days for the painting, one for the [doors|windows].", "[Three|Four] working days, no more.",
            "If you start on Monday, it is done by Thursday evening.", "The stocktaking keeps one person busy for three days.", "It was said to be a trifle; {n} reckons with four days.",
            "Thirty hours of work, that is most of a working week.", "One day for each of the [three|four] floors.", "The course lasts from Tuesday to Friday, all day.",
            "A long weekend of [sanding|digging], Friday to Sunday.", "Two days for the plan and two for the drawings."],
           ["[Two|Three] weeks of work for one person.", "The [archive|garden] keeps {n} busy from the first to the twenty-first of May.", "Fifteen working days are needed.",
            "One week for each of the three [chapters|branches].", "A quick little thing, writes {n}; in truth it fills the next three weeks.",
            "From the first to the [sixteenth|seventeenth] of the month {n} works on nothing else.", "A hundred hours of work for {n}, alone.", "Ten working days for the roof and five for the [paint|gutters].",
            "Twelve working days in a row, then it is finished.", "The translation takes {n} a fortnight and the check another week.", "We shall sit over it for a good two weeks."],
           ["[Half a year|Eight months] of work.", "The new [bridge|school] keeps the team busy from spring to winter.", "{n} will need from this March until next year.", "Three people for five months each.",
            "A whole [summer|winter] and part of the autumn go into it.", "Just a small favour: rewrite the entire encyclopaedia, which took us nine months last time.", "[Forty|Fifty] weeks are planned for it.",
            "It can hardly be done in under [seven|nine] months.", "One month for each of the [six|eight] volumes.", "More than a year will pass before it is finished.",
            "The survey of all [valleys|villages] runs from January to August."]],
    sets=[("01234", "minutes | hours | days | weeks | months"), ("01234", "XS: done at once | S: part of a day | M: several days | L: two or three weeks | XL: months"),
        ("01123", "in passing | within a week | takes two or three weeks | a project of several months"), ("00112", "part of a day at most | more than a day, less than a month | needs months"),
        ("01222", "0: do it now | 1: block the morning or afternoon | 2: put it in the plan, a day is not enough"), ("00012", "a matter of days at most | a matter of weeks | a matter of months"),
        ("01234", "under an hour | under a day | under a week | under a month | over a month")],
    ask=["How much work is the request?", "Estimate the effort.", "Which size has the task?", "How long will the work take?", "Which effort class fits?", "Rate the task by the working time that it takes."],
    facts=[(2, "the work", "does", "take more than one day", "takes more than one day"), (3, "the work", "does", "take longer than a week", "takes longer than a week"),
        (1, "the work", "does", "take an hour or more", "takes an hour or more"), (4, "the work", "is", "a matter of months")],
    flips=[("{n} reckons with three {w} of work for the [fence|index].", "hours", 1, "weeks", 3), ("The [list|form] will take {n} about four {w}.", "minutes", 0, "days", 2),
        ("Sorting the [photos|shells] takes eight {w}, working full time.", "minutes", 0, "months", 4), ("It is a job of four {w}.", "hours", 1, "months", 4), ("It keeps {n} busy for two {w}.", "days", 2, "weeks", 3),
        ("One {w} is needed for each of the five [rooms|maps].", "minute", 0, "month", 4)],
    next=[("do_it_now", "Do it between two other things"), ("keep_half_a_day", "Keep a morning or an afternoon free for it"), ("plan_this_week", "It takes a few days: plan them this week"),
        ("enter_month_plan", "It takes weeks: enter it in the plan of the month"), ("start_a_project", "It takes months: name a project leader and a budget")],
    then=["How should the request be planned?", "What should the planner do with it?", "What is the right way to schedule it?"],
    more=["Which task takes longer?", "Which of the two is more work?", "Which one is the bigger task?"],
    less=["Which task takes less time?", "Which of the two is less work?"])

DONE = dict(
    cases=[["None of the [forty|sixty] chairs has been painted.", "The [roof|mural] is not begun; the paint stands in its boxes.", "{n} has talked a lot about the [essay|fence] and not made the first move.",
            "Not a single one of the [80|200] letters has been written.", "There is not a stitch of the [scarf|quilt] on the needles yet.", "The [digging|sewing] starts next week; up to now nothing has been done.",
            "{n} finished another job; this one lies untouched.", "Zero of [nine|twelve] chapters are there.", "The [puzzle|kit] is still in its wrapping.",
            "Everybody cheers that it is as good as done, but no stone has been laid.", "The field lies as it was; the work on it has not started."],
           ["[Two|Three] of forty chairs are painted.", "The first of [twelve|eleven] chapters is written, the others are not.", "{n} has picked one row of apples out of fifteen.",
            "About a tenth of the [wall|hedge] is done.", "Of the [200|300] letters, twenty are in the post.", "Ninety per cent still have to be [sorted|read].",
            "{n} has knitted the first hand's breadth of the long scarf.", "Five of the [sixty|seventy] trees are planted.", "Almost done, {n} claims; the counter says 6 of 90 [files|crates].",
            "The first evening of a course of twelve is over.", "One shelf of the [ten|eleven] is cleared."],
           ["Twenty of the forty chairs are painted.", "{n} is on page [150|151] of 300.", "The [bridge|tunnel] has come as far as the middle of the river.", "As much of the [hedge|wall] is done as is left.",
            "Half of the [letters|parcels] are in the post.", "Six of twelve chapters are written.", "The [wall|ceiling] is painted on the left half, the right half is bare.", "Of 80 crates, 41 are unpacked.",
            "Fifty per cent of the [seed|cable] is in the ground.", "Hopelessly behind, moans {n}; in fact 30 of 60 [names|maps] are entered.", "{n} is at the half-way mark of the [course|climb]."],
           ["[Thirty-eight|Thirty-nine] of forty chairs are painted.", "Only the last of the twelve chapters is missing.", "{n} has one page of 300 left to read.",
            "All the [letters|parcels] but two of 200 are in the post.", "The scarf is knitted except for the fringe.", "The [hall|fence] is painted, only the last corner is left.",
            "A twentieth of the [floor|data] remains to be done.", "It will never be finished, wails {n}: 97 of 100 [files|trees] are done.", "One single [box|bed] of eighty still waits.",
            "95 per cent of the [field|list] are done, not more.", "Everything is built but the door handle."],
           ["All forty chairs are painted and dry.", "The last of the [letters|parcels] went out this morning; none is left.", "{n} has written the final word of the final chapter and handed it in.",
            "The [roof|mural] is complete, the ladder is put away.", "100 of 100 [files|trees].", "Nothing remains to be done on the [hall|index].", "The scarf, fringe included, is around {n}'s neck.",
            "No [crate|bed] is left; the job is over.", "The [fence|bridge] stands from end to end and has been handed over.",
            "{n} thinks it is not finished, but the list shows each of the 60 maps entered and checked.", "Every box has been ticked off, to the last."]],
    sets=[("01234", "not begun | just begun | about half done | nearly done | finished"),
        ("01234", "0: nothing has been done | 1: a small part is done | 2: as much is done as is left | 3: a small part is left | 4: nothing is left"), ("01112", "untouched | under way | complete"),
        ("01123", "not started | started, half way at most | only a little is missing | done"), ("01234", "0% | about 5-15% | about 50% | about 95% | 100%"),
        ("00122", "the bulk is still ahead | half and half | the bulk is behind us"), ("00001", "something is left to do | nothing is left to do"), ("01111", "no work has gone into it | work has gone into it")],
    ask=["How far is the work?", "How much of the task is done?", "Rate the progress.", "Which state has the job reached?", "How near is the work to its end?", "What is the degree of completion?"],
    facts=[(1, "the work", "has", "begun"), (4, "the work", "is", "complete"), (3, "more than two thirds of the work", "is", "done"), (2, "a third of the work or more", "is", "done")],
    flips=[("{n} has painted {w} of the twenty [doors|boats].", "one", 1, "all", 4), ("{w} of the 60 [lamps|signs] hang where they belong.", "None", 0, "All", 4),
        ("{n} has read {w} of the 400 pages.", "20", 1, "390", 3), ("Of the 80 [jars|bulbs], {w} are still to be filled.", "75", 1, "two", 3), ("The [hedge|quilt] is {w}.", "not begun", 0, "half done", 2),
        ("{n} has {w} the [mosaic|model].", "not yet begun", 0, "nearly finished", 3)],
    next=[("begin_at_all", "Nothing is done yet: make a start"), ("keep_going_long", "Only the first bit is done: most of the time is still to be planned"), ("plan_second_half", "Half is done: plan the other half"),
        ("last_touch", "A last small bit is missing: do it and be through"), ("close_the_job", "All is done: tick it off")],
    then=["What is the next step for this job?", "What should the planner do?", "What follows from the state of the work?"],
    more=["Which job is further along?", "In which case is a larger part done?"],
    less=["Which job is further behind?", "In which case is a smaller part done?"])

RUMOUR = dict(
    cases=[["People say that the [mayor|baker] likes [jazz|mushrooms].", "It is told that {n} once met a film star in the lift.", "The story goes that the [tower|oak] is ten years older than the sign says.",
            "They say the new [bench|fountain] will be green, not blue.", "Word has it that {n} bakes the best plum cake of the street.", "It is rumoured that the [owl|cat] of the library has got a name.",
            "Somebody claims that {n} was born in [Cork|Riga], which is not so.", "SHOCKING, they write: the [teacher|nurse] wears odd socks!!!", "There is talk that the circus comes with two camels instead of one.",
            "It is said that the poisoned apple in the school play was really a pear.", "They whisper that {n} reads crime novels about murderers."],
           ["They say that {n}'s hair is dyed, which {n} denies.", "It is told that {n} fell asleep and snored in the [opera|meeting].", "There is gossip that the [vicar|captain] sings horribly and does not know it.",
            "{n}, they giggle, still sleeps with a teddy bear.", "It is said that {n} wrote love poems to the [dentist|postwoman] and got no answer.",
            "The class laughs at the tale that {n} had wet trousers on the trip.", "They say that {n} failed the driving test for the sixth time, which is untrue.", "The office giggles that {n} wears a wig.",
            "Word goes round that {n} was dumped by text message.", "People joke that {n}'s famous soup comes from a tin.", "The wildest scandal of all times: {n} is said to have cried at a cartoon!"],
           ["It is said that the [bakery|butcher] mixes old meat into the pies, and the customers stay away.", "They claim that {n} stole from the till; it may cost {n} the post.",
            "The false news that the [hotel|inn] is bankrupt makes the guests cancel.", "{n}, a [teacher|doctor], is said to have a bought degree; the board talks of dismissal.",
            "The lie that the [builder|garage] cheats old people has cost him half of his orders.", "People say that {n} pays no taxes, and the partners of the firm withdraw.",
            "A message says that the [cheese|wine] of the farm is watered down; shops take it off the shelf.", "It is put about that {n} takes bribes; the party withdraws its support.",
            "Quite politely, somebody spreads that the lawyer {n} loses cases on purpose, and the clients leave.", "The invented story of lice in the [hotel|barber's shop] has emptied it.",
            "They say that {n} copied the prize-winning [book|song]; the publisher has stopped the sale."],
           ["The post says that [bleach|petrol] drunk with milk cures the flu, and people try it.", "It is claimed that {n} harms children; a crowd with clubs is on the way to the house.",
            "The false message sends the people of the valley towards the flood instead of away from it.", "They say the insulin of the [clinic|pharmacy] is poisoned; the sick have stopped taking it.",
            "The list with the address of {n}, 'the traitor', calls on readers to burn the house down.", "It is spread that the [red|spotted] mushrooms are edible after all.",
            "The chat says that the level crossing is out of use and can be walked on; the trains still run.", "Friendly tip from a group: babies need no water in the heat, says an invented doctor.",
            "The tale that the ice on the [lake|river] holds, which it does not, draws skaters.", "It is whispered that {n} set the fire, and somebody has shot through {n}'s window.",
            "The invented news says that the fire alarm at the [mall|school] is fake and may be ignored, while it burns."]],
    sets=[("0123", "harmless: nobody has a disadvantage | embarrassing: somebody is laughed at | damaging: a job, business or good name is at stake | dangerous: life or health is at stake"),
        ("0123", "harmless | embarrassing | damaging | dangerous"), ("0012", "at worst somebody blushes | somebody loses work, money or honour | somebody may be injured or die"),
        ("0123", "0: let people talk | 1: a kind word to the person who is laughed at | 2: publish a correction and write to the customers or employers | 3: delete it at once and call the police or doctors"),
        ("0001", "no danger to life or limb | danger to life or limb"), ("0122", "no victim | hurt feelings | more than hurt feelings")],
    ask=["How harmful is the rumour?", "Rate the harm that the story can do.", "What is at stake through the rumour?", "Which harm level fits the rumour?", "How bad are the consequences of what is being said?"],
    facts=[(3, "life or health", "is", "at stake"), (2, "the rumour", "does", "do more than make somebody blush", "does more than make somebody blush"), (1, "the rumour", "is", "unpleasant, or worse, for somebody")],
    flips=[("They say that the [red|white] berries on the hill {w}.", "are the prettiest in the land", 0, "are edible, though they are deadly", 3),
        ("The story that {n} {w} goes round in the office.", "likes plum cake", 0, "took bribes, which may lead to dismissal,", 2),
        ("It is said that {n} {w}.", "snores in the opera, and people giggle", 1, "poisoned the well, and men with clubs are on the way there", 3),
        ("It is said that the inn {w}.", "will get green curtains", 0, "is bankrupt, and the guests cancel", 2),
        ("The message says that the ice on the lake {w}.", "looks like a mirror, and so it does", 0, "holds, which it does not, and children are going out on it", 3),
        ("The tale about {n}, {w}, makes the round.", "who is said to wear a wig", 1, "who is said to cheat customers and loses them,", 2)],
    next=[("let_them_talk", "Nobody suffers from it: leave it alone"), ("comfort_the_person", "Somebody is laughed at: a kind word is enough"),
        ("publish_correction", "A job, business or good name suffers: correct it in public"), ("remove_and_alarm", "Life or health is at stake: delete it and call for help")],
    then=["What should be done about the rumour?", "Which reaction fits?", "What should the town office do now?"],
    more=["Which of the two should be handled first?", "Which rumour is more harmful?"],
    less=["Which rumour is less harmful?", "Which of the two can wait?"])


def complaint_step(g):
    """How far up a complaint goes, by what is asked for and what was done."""
    return grade(g, COMPLAINT)


def security_gap(g):
    """Who can get at what through a gap."""
    return grade(g, SECURITY)


def hygiene_finding(g):
    """What an inspection of a kitchen or shop has found."""
    return grade(g, HYGIENE)


def trip_trouble(g):
    """Whether, and how, a traveller still gets there."""
    return grade(g, TRIP)


def leaving_risk(g):
    """How near a customer is to leaving, by acts and not by mood."""
    return grade(g, LEAVING)


def review_remark(g):
    """The weight of a remark on code: praise, taste, a condition, a stop."""
    return grade(g, REVIEW)


def work_accident(g):
    """How badly people were hurt."""
    return grade(g, ACCIDENT)


def job_size(g):
    """How long a piece of work takes, from minutes to months."""
    return grade(g, SIZE)


def done_share(g):
    """How much of a job is done, often by a count."""
    return grade(g, DONE)


def rumour_harm(g):
    """What a rumour can do, true or not."""
    return grade(g, RUMOUR)


FAMILIES = {f.__name__: f for f in (complaint_step, security_gap, hygiene_finding, trip_trouble, leaving_risk, review_remark, work_accident, job_size, done_share, rumour_harm)}
