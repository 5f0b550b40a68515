"""What follows from a comparison: affordable, in time, full, too cold, won, improved, within a band, to be approved.

Most rows come in pairs of states that differ in one value, or in two values that change places, with opposite answers.
"""
import math
from datetime import date, timedelta
from typing import NamedTuple

import banks as b
from clauses import Clause, ask_both, ask_pair, cap, pick_one, scale

MODELS = ["Arlo 3", "Brisk 200", "Corvo", "Delta X", "Ember", "Fjord 7", "Gala Pro", "Hazel", "Ivo Mini", "Juno", "Kite 40", "Lumen"]
TEAMS = ["Reds", "Falcons", "Harbour", "United", "Rovers", "Tigers", "Northside", "Comets", "Valley", "Sharks"]
MONEY = [("", " euros"), ("", " euros"), ("$", ""), ("€", ""), ("", " dollars"), ("£", ""), ("", " CHF"), ("", " EUR")]


def _spread(g, lo, hi, n=3):
    """n different whole numbers from lo to hi in rising order, often close to each other."""
    if hi - lo < 4 * n:
        return sorted(g.rng.sample(range(lo, hi + 1), n))
    while True:
        mid = int(math.exp(g.rng.uniform(math.log(lo), math.log(hi)))) if lo > 0 and hi > 20 * lo else g.rng.randint(lo, hi)
        digits = 10 ** max(len(str(abs(mid))) - g.rng.choice([1, 2]), 0)
        if g.coin(0.4):
            mid = mid // digits * digits
        step = lambda: g.rng.choice([1, 1, g.rng.randint(1, 9), digits, digits * g.rng.randint(1, 9), g.rng.randint(1, max(abs(mid) // 2, 2)), g.rng.randint(1, max((hi - lo) // 4, 2))])
        at, out = mid, [mid]
        for _ in range(n - 1):
            if g.coin():
                out.append(max(out) + step())
            else:
                out.append(min(out) - step())
        out.sort()
        if n == 3 and g.coin(0.7):
            out = [at - step(), at, at + step()]
        if out[0] >= lo and out[-1] <= hi:
            return out


def _draw(g, kind, n=3):
    """(n rising values, how to write one in a sentence, how to write one in a record)."""
    what, *more = kind
    if what == "date":
        at, days = date(g.rng.randint(2018, 2030), g.rng.randint(1, 12), g.rng.randint(1, 28)), []
        for _ in range(n):
            days.append(at)
            at += timedelta(days=g.rng.choice([1, 1, 2, 5, 12, 30, 45, 100, 365, 900]))
        forms = [lambda d: d.isoformat(), lambda d: d.isoformat(), lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}, {d.year}", lambda d: f"{d.day} {d:%b} {d.year}",
            lambda d: f"{d.day}.{d.month}.{d.year}"]
        text, mixed = g.rng.choice(forms), g.coin(0.1)
        return days, lambda d: (g.rng.choice(forms) if mixed else text)(d), lambda d: text(d)
    if what == "clock":
        lo, hi = more or (6 * 60, 23 * 60 + 40)
        while True:
            times = [g.rng.randint(lo, hi)]
            while len(times) < n:
                times.append(times[-1] + g.rng.choice([1, 2, 5, 10, g.rng.randint(3, 40), g.rng.randint(20, 150)]))
            if times[-1] <= hi:
                break
        half = lambda t: f"{(t // 60 + 11) % 12 + 1}:{t % 60:02d} {'pm' if t >= 720 else 'am'}"
        text = half if g.coin(0.3) else lambda t: f"{t // 60:02d}:{t % 60:02d}"
        return times, text, text
    if what == "money":
        lo, hi = more
        cents = g.coin(0.2)
        values = _spread(g, lo * 100, min(hi, 3000) * 100, n) if cents else _spread(g, lo, hi, n)
        (before, after), commas, short = g.rng.choice(MONEY), g.coin(), g.coin(0.06)
        plain = lambda v: f"{v / 100:,.2f}" if cents and commas else f"{v / 100:.2f}" if cents else f"{v // 1000}k" if short and v % 1000 == 0 else f"{v:,}" if commas else str(v)
        raw = lambda v: v / 100 if cents else v
    else:
        lo, hi, places, after = more
        before, commas = "", g.coin()
        values = _spread(g, lo, hi, n)
        plain = lambda v: f"{v / 10 ** places:.{places}f}" if places else f"{v:,}" if commas else str(v)
        raw = lambda v: v / 10 ** places if places else v
    text = lambda v: f"{before}{plain(v)}{after}"
    return values, text, text if g.coin(0.35) else raw


class Rule(NamedTuple):
    """A value against a limit. Lists are parted by "|", a clause is subject/aux/rest/said; {x} is the thing, {n} and {m} names.

    Without `keys` the record names the value after the thing, where only the thing tells whether more is better.
    """
    things: str
    keys: str
    limits: str
    tells: str
    rules: str
    kind: tuple
    under: str
    over: str
    equal: str = ""
    often: float = 0.1


def _clause(text, **names):
    return Clause(*text.format(**names).split("/"))


def _against(g, groups):
    """Pairs of states on both sides of a limit; the value changes, the limit does, or the two change places."""
    r = g.rng.choice(groups)
    kind = r.kind
    if kind[0] == "each":
        thing, *kind = g.pick(kind[1])
    else:
        thing = g.pick(r.things.split("|"))
    n, m = g.rng.sample(b.NAMES, 2)
    names = {"x": thing, "X": cap(thing), "n": n, "m": m}
    (low, mid, high), text, raw = _draw(g, kind)
    asked = g.coin(0.2)
    how = "value" if asked else g.rng.choice(["value", "limit", "swap"])
    even = mid if r.equal and g.coin(r.often) else None
    if even is not None and how == "swap":
        how = g.rng.choice(["value", "limit"])
    below, above = {"value": ((low, mid), (high, mid)), "limit": ((mid, high), (mid, low)), "swap": ((low, high), (high, low))}[how]
    if even is not None:
        below, above = (below, (mid, mid)) if r.equal == "over" else ((mid, mid), above)

    key = g.pick(r.keys.split("|")) if r.keys else thing.removeprefix("the ").replace(" ", "_")
    limit = g.pick(r.limits.split("|"))
    tell, rule = g.pick(r.tells.split("|")), g.pick(r.rules.split("|"))
    told, ruled = (lambda v: cap(tell.format(v=text(v), **names))), (lambda v: cap(rule.format(l=text(v), **names)))
    flip, spoken, field = g.coin(), lambda k: k.replace("_", " "), g.rng.choice(["note", "message", "text", "entry", "remark"])
    turn = lambda p, q: [q, p] if flip else [p, q]
    extra = g.rng.choice([{}, {}, {"id": g.rng.randint(100, 9999)}, {"name": n}, {"item": thing}, {"item": thing, "name": n}])
    record = lambda *pairs: dict([*extra.items(), *pairs] if len(key) % 2 else [*pairs, *extra.items()])
    prose = lambda v, l: " ".join(turn(told(v), ruled(l)))
    if asked:
        shape = g.rng.choice([lambda v, l: told(v), lambda v, l: told(v), lambda v, l: record((key, raw(v))), lambda v, l: {field: told(v)}, lambda v, l: f"{cap(spoken(key))}: {text(v)}"])
    else:
        shape = g.rng.choice([
            prose, prose, prose, lambda v, l: {field: prose(v, l)}, lambda v, l: record(*turn((key, raw(v)), (limit, raw(l)))), lambda v, l: record(*turn((key, raw(v)), (limit, raw(l)))),
            lambda v, l: {"rule": ruled(l), key: raw(v)}, lambda v, l: {"terms": {limit: raw(l)}, "current": record((key, raw(v)))},
            lambda v, l: "\n".join(turn(f"{spoken(key)}: {text(v)}", f"{spoken(limit)}: {text(l)}")), lambda v, l: ", ".join(turn(f"{spoken(key)} {text(v)}", f"{spoken(limit)} {text(l)}")),
            lambda v, l: [{"field": k, "value": x} for k, x in turn((key, raw(v)), (limit, raw(l)))], lambda v, l: f"{thing}: " + "; ".join(turn(f"{spoken(key)} = {text(v)}",
                f"{spoken(limit)} = {text(l)}"))])
    yes, no = shape(*below), shape(*above)
    small, large = [[_clause(c, **names) for c in cs.split("|")] for cs in (r.under, r.over)]

    def once(number):
        if g.coin():
            return ask_pair(g, yes, no, g.pick(small), number)
        return ask_pair(g, no, yes, g.pick(large), number)
    out = once(0)
    if g.coin(0.5):
        out += once(1)
    if g.coin(0.3):
        under = g.coin()
        out += ask_both(g, yes if under else no, g.pick(small), under, against=g.pick(large))
    if g.coin(0.25):
        s, t = cap(g.pick(small).s) + ".", cap(g.pick(large).s) + "."
        question = g.pick(["Which statement is right?", "What follows?", "Pick the statement that holds.", "Which of these is true?", "What is the conclusion?"])
        out += [pick_one(g, state, [question], [s, t], k, pair=2) for state, k in ((yes, s), (no, t))]
    if asked:
        for row in out:
            row["instructions"] = f"{ruled(mid)} {row['instructions']}"
    return out


BUDGET = [
    Rule("the invoice for the roof|the quote for the kitchen|the bill for the party|the printing bill|the estimate for the website|the offer of the hotel|the order of chairs|the catering|"
         "the new server|the trip to Lima",
         "cost|amount|total|quoted|invoice_total|price_asked", "budget|max_spend|approved_budget|spending_cap|budget_limit|available_funds",
         "{X} comes to {v}.|{v} is asked for {x}.|{m} puts {x} at {v}.|{X} amounts to {v}.|{v} is what {x} comes to.|We would have to pay {v} for {x}.",
         "The budget is {l}.|The budget allows up to {l}.|{l} is the budget for it.|The budget is at most {l}.|{m} approved a budget of {l}.|Our budget stands at {l}.", ("money", 40, 90_000),
         "{x}/is/within the budget|{x}/does/stay within the budget/stays within the budget|the budget/does/cover {x}/covers {x}|the budget/is/enough for {x}|"
         "{x}/does/fit the budget/fits the budget|the budget/is/kept",
         "{x}/does/exceed the budget/exceeds the budget|{x}/is/over budget|{x}/is/too expensive for the budget|the budget/is/overrun|the budget/is/too small for {x}", "under"),
    Rule("the tent|the bicycle|the sofa|the camera|the guitar|the coat|the phone|the drill|the course|the flight|the necklace|the washing machine",
         "price|cost|price_tag|asking_price|total_price", "balance|savings|money|cash|account_balance|funds",
         "{X} costs {v}.|The price of {x} is {v}.|The shop asks {v} for {x}.|{v} is the price of {x}.|For {x} one pays {v}.",
         "{n} has {l}.|The balance of {n} is {l}.|{n} has saved {l}.|{n} can spend {l}.|There is {l} in the account of {n}.|{l} is all that {n} has.", ("money", 15, 6000),
         "{n}/can/afford {x}|the money/does/suffice for {x}/suffices for {x}|{n}/is/able to pay for {x}|the balance/does/cover the price/covers the price|"
         "{n}/does/have enough for {x}/has enough for {x}|{n}/can/pay the price in full",
         "{n}/is/short of money for {x}|{x}/is/too expensive for {n}|{x}/does/cost more than {n} has/costs more than {n} has|the money/does/fall short/falls short|"
         "{n}/does/have too little for {x}/has too little for {x}", "under"),
]
TIME = [
    Rule("the train|the flight|the bus|the ferry|the tram|the coach|the shuttle|the night bus|the cable car|the boat", "arrival|arrives|there_at|reaches_the_stop|passenger_arrival",
         "departure|leaves|departure_time|departs_at|scheduled_departure",
         "{n} gets there at {v}.|{n} will be there at {v}.|At {v} {n} arrives.|{n} turns up at {v}.|{n} makes it there at {v}.",
         "{X} leaves at {l}.|{X} is to leave at {l}, on the minute.|Departure of {x} is at {l}.|At {l} {x} sets off.|{X} departs at {l} sharp.", ("clock",),
         "{n}/does/catch {x}/catches {x}|{n}/is/in time for {x}|{n}/can/board {x}|{n}/does/arrive before {x} leaves/arrives before {x} leaves|{n}/is/early enough for {x}",
         "{n}/does/miss {x}/misses {x}|{n}/is/too late for {x}|{x}/is/gone when {n} arrives|{n}/does/arrive after {x} has left/arrives after {x} has left"),
    Rule("the post office|the bakery|the museum|the pharmacy|the ticket desk|the town hall|the garage|the market|the bank|the clinic", "arrival|arrives|visit|customer_arrives|comes_at",
         "closing_time|closes|closes_at|closing|shuts_at",
         "{n} arrives at {v}.|{n} can be there at {v}.|At {v} {n} stands at the door.|{n} comes by at {v}.|{n} gets to {x} at {v}.",
         "{X} closes at {l}.|{X} shuts its doors at {l}.|Closing time of {x} is {l}.|{X} is open until {l}.|At {l} {x} closes.", ("clock", 600, 1380),
         "{x}/is/open when {n} comes|{n}/does/arrive before closing time/arrives before closing time|{n}/is/in time|{n}/does/find {x} open/finds {x} open|{n}/can/get in",
         "{x}/is/already closed when {n} comes|{n}/does/come too late/comes too late|{n}/does/find {x} closed/finds {x} closed|{n}/is/too late|"
         "{n}/does/arrive after closing time/arrives after closing time"),
    Rule("the application|the report|the thesis|the tax return|the claim|the bid|the paper|the form|the payment|the complaint",
         "submitted|received|sent_in|handed_in|date_received|submission_date", "deadline|due|due_date|closing_date|last_day",
         "{X} came in on {v}.|{n} handed in {x} on {v}.|On {v} {n} sent {x}, and it arrived the same day.|We received {x} on {v}.|{X} of {n} is dated {v}.",
         "The deadline is {l}.|{X} is due on {l}.|The last day for {x} is {l}.|{X} must be in by {l}.|Deadline for {x}: {l}.", ("date",),
         "{x}/was/on time|{x}/did/meet the deadline/met the deadline|the deadline/was/met|{x}/was/in before the deadline|{n}/did/keep the deadline/kept the deadline",
         "{x}/was/late|{x}/did/miss the deadline/missed the deadline|the deadline/was/missed|{x}/did/come too late/came too late|{x}/was/overdue"),
    Rule("the passport|the voucher|the travel pass|the driving licence|the certificate|the contract|the coupon|the visa|the membership|the discount code",
         "today|date_today|checked_on|current_date|day_of_check", "valid_until|expires|expiry_date|valid_to|expires_on",
         "Today is {v}.|It is {v} today.|{n} checks it on {v}.|The date today is {v}.|Date of today: {v}.", "{X} is valid until {l}.|{X} expires on {l}.|{X} runs out on {l}.|"
         "The last day of {x} is {l}.|{X} of {n} is good until {l}.", ("date",),
         "{x}/is/valid|{x}/is/in force|{x}/can/be used today|{x}/is/within its term|{x}/does/have time left/has time left",
         "{x}/has/expired|{x}/is/out of date|{x}/has/run out|{x}/has/lapsed|{x}/is/past its last day"),
    Rule("the course|the sale|the exhibition|the festival|the holiday|the season|the vote|the trial period|the building work|the term", "today|now|date|current_date|as_of",
         "begins|start|start_date|opens_on|first_day",
         "Today is {v}.|It is {v} today.|{n} asks on {v}.|The date is {v}.|Calendar of today: {v}.", "{X} begins on {l}.|{X} starts on {l}.|The first day of {x} is {l}.|On {l} {x} opens.|"
         "{X} runs from {l} on.", ("date",),
         "{x}/is/in the future|{x}/is/yet to begin|the start of {x}/is/ahead|{x}/does/begin later/begins later|{n}/is/too early for {x}",
         "{x}/has/begun|{x}/has/started|the start of {x}/has/passed|{x}/is/past its first day"),
    Rule("the show|the auction|the sale|the lease|the fair|the strike|the election|the internship|the conference|the rental", "today|now|date|current_date|as_of",
         "ends|end|end_date|closes_on|last_day",
         "Today is {v}.|It is {v} today.|{n} asks on {v}.|The date is {v}.|Written on {v}.", "{X} ends on {l}.|{X} goes on until {l}.|The last day of {x} is {l}.|On {l} {x} comes to its end.|"
         "{X} closes on {l}.", ("date",),
         "{x}/is/yet to end|the end of {x}/is/ahead|{x}/does/have time left/has time left|the last day of {x}/is/in the future",
         "{x}/has/ended|{x}/is/over|{x}/is/a thing of the past|{x}/has/come to an end|the end of {x}/has/passed"),
    Rule("the fridge|the laptop|the boiler|the drill|the watch|the oven|the printer|the phone|the lawn mower|the dishwasher", "broke_down|defect_date|fault_reported|failed_on|reported",
         "warranty_until|warranty_end|guarantee_ends|covered_until",
         "{X} broke down on {v}.|On {v} {x} stopped working.|{n} reported a fault of {x} on {v}.|The defect of {x} showed on {v}.",
         "The warranty runs until {l}.|{X} is under warranty until {l}.|The warranty of {x} ends on {l}.|The maker covers {x} until {l}.", ("date",),
         "{x}/was/under warranty when it failed|the warranty/did/cover the fault/covered the fault|the fault/did/fall within the warranty/fell within the warranty|"
         "the repair/is/covered by the warranty", "the warranty/had/run out when {x} failed|the fault/did/come too late for the warranty/came too late for the warranty|"
         "the fault/was/outside the warranty"),
]
LEFT = [
    Rule("the quiz|the driving test|the captcha|the entry code|the level|the exam|the PIN|the puzzle|the log-in|the safe", "attempts_used|tries|used|attempts_so_far|attempts",
         "max_attempts|allowed|attempts_allowed|limit|tries_allowed",
         "{n} has tried {v} times.|{n} has made {v} attempts at {x}.|So far {n} has used {v} attempts.|{v} attempts at {x} lie behind {n}.|{n} failed {x} {v} times.",
         "{l} attempts are allowed.|For {x}, at most {l} attempts are allowed.|No more than {l} tries are given for {x}.|The limit is {l} attempts.|Everyone gets {l} attempts at {x}.",
         ("n", 2, 14, 0, ""), "{n}/may/try again|{n}/does/have an attempt left/has an attempt left|another attempt/is/allowed|there/is/an attempt left|{n}/can/have another go",
             "the attempts/are/used up|{n}/has/run out of attempts|{n}/has/used every attempt|the last attempt/is/spent", "over", 0.75),
    Rule("the boat tour|the yoga class|the workshop|the minibus|the dinner|the cooking course|the concert|the choir trip|the tasting|the ferry|the night walk",
         "booked|taken|seats_taken|registered|bookings|sign_ups", "seats|capacity|places|max_participants|seats_total",
         "{v} people have booked {x}.|{X} has {v} bookings.|{v} have signed up for {x}.|So far {v} places were given away.|There are {v} sign-ups.",
         "{X} has {l} places.|There are {l} places in all.|At most {l} people can take part in {x}.|The capacity is {l}.|{X} takes {l} people and no more.",
         ("n", 4, 900, 0, ""), "there/is/a place left|{x}/does/have a free place/has a free place|{n}/can/get a place|one more person/can/join|{x}/is/open for one more booking",
             "{x}/is/full|{x}/is/booked out|the last place/is/taken|{x}/is/sold out|{n}/does/come too late to get a place/comes too late to get a place", "over", 0.7),
    Rule("the mobile data|the print credit|the cloud storage|the free articles|the call allowance|the translation credits|the API calls|the message allowance",
         "used|usage|consumed|used_so_far|spent", "quota|allowance|included|limit|plan_limit",
         "{n} has used {v} this month.|Used so far: {v}.|The usage of {n} stands at {v}.|{v} was used up to now.|{n} is at {v}.",
         "The quota is {l} a month.|{l} is included in the plan.|The plan of {n} gives {l}.|The allowance is {l}.|At most {l} may be used.",
         ("n", 3, 40_000, 0, " units"), "the quota/does/leave room for more/leaves room for more|{n}/may/use more|{n}/does/have quota left/has quota left|{n}/can/go on using the plan",
             "the quota/is/used up|the quota/is/exhausted|{n}/has/run through the quota|{n}/is/out of quota", "over", 0.4),
    Rule("the holiday|the leave|the sick-child leave|the study leave|the home office days", "days_taken|taken|used_days|days_used", "days_allowed|entitlement|days_per_year|days_granted",
         "{n} has taken {v} days.|{v} days are gone for {n}.|So far {n} took {v} days.|Days taken by {n}: {v}.",
         "{n} is entitled to {l} days.|{l} days a year are granted.|Everyone gets {l} days.|The contract gives {l} days.", ("n", 3, 40, 0, ""),
         "{n}/does/have a day left/has a day left|there/is/a day left|{n}/may/take another day|another day/is/possible",
         "the days/are/used up|{n}/has/used all the days|the entitlement/is/exhausted|the last day/is/gone", "over", 0.7),
]
SERVICE = [
    Rule("", "", "objective|target|slo|maximum|limit|agreed_maximum", "{X} is {v}.|{X} came out at {v}.|Last week {x} was {v}.|{n} reports {v} for {x}.|{v} was measured for {x}.",
         "At most {l} is agreed.|{X} should not go above {l}.|The objective is {l} or less.|The contract allows up to {l}.|The ceiling for {x} is {l}.",
         ("each", [("the p99 latency", "n", 40, 3000, 0, " ms"), ("the error rate", "n", 1, 900, 2, "%"), ("the waiting time in the queue", "n", 2, 90, 0, " minutes"),
             ("the time to restore", "n", 5, 400, 0, " minutes"), ("the packet loss", "n", 1, 80, 1, "%"), ("the p95 response time", "n", 20, 4000, 0, " ms"),
                   ("the share of late parcels", "n", 5, 200, 1, "%"), ("the noise of the pump", "n", 30, 110, 0, " dB"), ("the pressure in the boiler", "n", 5, 160, 1, " bar"),
                       ("the speed of the van", "n", 20, 160, 0, " km/h"), ("the load on the lift", "n", 100, 2000, 0, " kg"), ("the boot time", "n", 10, 900, 1, " s")]),
         "the objective/is/met|{x}/is/within what is allowed|{x}/is/good enough|the agreement/is/kept|{x}/does/satisfy the objective/satisfies the objective|{x}/is/acceptable",
         "the objective/is/missed|{x}/is/too high|the agreement/is/broken|{x}/does/go beyond what is allowed/goes beyond what is allowed|there/is/a breach"),
    Rule("", "", "promised|target|minimum|agreed|guaranteed|required", "{X} is {v}.|{X} came out at {v}.|Last month {x} was {v}.|{n} reports {v} for {x}.|We reached {v} for {x}.",
         "At least {l} is promised.|{X} should not drop below {l}.|The objective is {l} or more.|The contract guarantees {l}.|The floor for {x} is {l}.",
         ("each", [("the uptime", "n", 9500, 9999, 2, "%"), ("the throughput", "n", 20, 9000, 0, " requests a second"), ("the cache hit rate", "n", 400, 999, 1, "%"),
             ("the share of calls answered in time", "n", 50, 99, 0, "%"), ("the delivery rate", "n", 700, 999, 1, "%"), ("the customer satisfaction", "n", 20, 50, 1, ""),
                   ("the availability", "n", 97000, 99999, 3, "%"), ("the download speed", "n", 10, 1000, 0, " Mbit/s"), ("the test coverage", "n", 30, 99, 0, "%"),
                       ("the yield", "n", 600, 999, 1, "%"), ("the brightness", "n", 100, 900, 0, " lux"), ("the water flow", "n", 5, 90, 0, " litres a minute")]),
         "the objective/is/missed|{x}/is/too low|the promise/is/broken|{x}/does/fall short/falls short|{n}/does/have reason to complain/has reason to complain",
         "the objective/is/met|{x}/is/good enough|the promise/is/kept|{x}/does/satisfy the objective/satisfies the objective|{x}/is/as high as it has to be"),
    Rule("", "temperature|current|now|degrees|measured", "minimum|lowest_allowed|min_allowed|must_not_fall_below|lower_limit",
         "In {x} it is {v}.|{X} is at {v}.|It is {v} in {x}.|{n} found {v} in {x}.|The air in {x} has {v}.", "The lowest temperature allowed is {l}.|It must not be colder than {l}.|"
         "At least {l} is needed.|Below {l} there is damage in {x}.|{X} must be kept at {l} or warmer.",
         ("each", [("the freezer", "n", -320, -20, 1, " °C"), ("the cold store", "n", -30, 12, 0, " °C"), ("the greenhouse", "n", -9, 30, 0, " °C"),
             ("the wine cellar", "n", 2, 20, 0, " degrees"), ("the stable", "n", -15, 22, 0, " °C"), ("the lorry", "n", -250, 90, 1, " °C"), ("the tank", "n", -40, 30, 0, " degrees"),
             ("the pipe room", "n", -12, 18, 0, " °C")]),
         "{x}/is/too cold|the minimum/is/undercut|the temperature/is/below what is allowed|{x}/does/need warming/needs warming|there/is/a risk from cold",
         "{x}/is/warm enough|the temperature/is/allowed|the minimum/is/kept|it/is/warm enough in {x}|{x}/is/safe from cold"),
    Rule("", "temperature|current|now|degrees|measured", "maximum|highest_allowed|max_allowed|must_not_exceed|upper_limit",
         "In {x} it is {v}.|{X} is at {v}.|It is {v} in {x}.|{n} found {v} in {x}.|The air in {x} has {v}.", "The highest temperature allowed is {l}.|It must not be warmer than {l}.|"
         "At most {l} is allowed.|Above {l} the goods in {x} spoil.|{X} must be kept at {l} or colder.",
         ("each", [("the freezer", "n", -320, -20, 1, " °C"), ("the vaccine fridge", "n", -40, 120, 1, " °C"), ("the cold store", "n", -30, 12, 0, " °C"),
             ("the server room", "n", 15, 45, 0, " °C"), ("the ice chest", "n", -25, 6, 0, " degrees"), ("the blood bank", "n", -400, -200, 1, " °C")]),
         "{x}/is/cold enough|the temperature/is/allowed|the maximum/is/kept|it/is/cold enough in {x}", "{x}/is/too warm|the temperature/is/above what is allowed|the maximum/is/exceeded|"
         "{x}/does/need cooling/needs cooling"),
]
AGES = [
    Rule("the bus|the zoo|the ferry|the museum|the castle|the cable car|the water park|the fair|the tram|the aquarium", "age|years|passenger_age|child_age|age_in_years",
         "free_under_age|free_below|ticket_needed_from_age|free_under|charged_from_age", "{n} is {v}.|{n} is {v} years old.|{n} just turned {v}.|Age of {n}: {v}.|"
         "{n}, aged {v}, wants to go with us.",
         "Children under {l} are free at {x}.|Nobody younger than {l} pays.|For {x}, tickets are needed from {l} years on.|Under {l}: free of charge.|"
         "Those below the age of {l} get in free, all others pay.", ("n", 2, 18, 0, ""),
         "{n}/does/go free/goes free|{n}/is/young enough to go free|{n}/is/exempt from paying|it/is/free of charge for {n}|{n}/can/do without a ticket",
         "{n}/does/have to pay/has to pay|{n}/does/need a ticket/needs a ticket|{n}/is/too old to go free|the fare/is/due for {n}", "over", 0.25),
    Rule("the theatre|the cinema|the train|the gym|the gallery|the pool|the opera|the garden show|the bus|the spa", "age|years|visitor_age|guest_age|age_in_years",
         "half_price_from_age|senior_from|reduced_from_age|discount_from_age", "{n} is {v}.|{n} is {v} years old.|{n} turned {v} this spring.|Age of {n}: {v}.|{n}, {v} years old, buys a ticket.",
         "From {l} years on one pays half price.|Seniors, {l} and older, pay half at {x}.|{X} is half price for those aged {l} or more.|Whoever is at least {l} gets the discount.|"
         "Discount for seniors: age {l} and up.", ("n", 45, 90, 0, ""),
         "{n}/does/pay the full price/pays the full price|{n}/is/too young for the discount|{n}/does/have to pay the full price/has to pay the full price|"
         "{n}/does/have to wait for the discount/has to wait for the discount", "{n}/is/entitled to the discount|{n}/does/pay half price/pays half price|"
         "{n}/does/count as a senior/counts as a senior|{n}/can/have the reduced price|{n}/is/old enough for the discount", "over", 0.25),
    Rule("the ghost train|the go-karts|the climbing wall|the quad tour|the late film|the sauna|the diving course|the paintball game|the night club|the rowing club",
         "age|years|guest_age|applicant_age|age_in_years", "minimum_age|min_age|from_age|least_age|admitted_from",
         "{n} is {v}.|{n} is {v} years old.|{n} turned {v} last week.|Age of {n}: {v}.|{n}, aged {v}, wants to take part.",
         "{X} is for those aged {l} or more.|The minimum age for {x} is {l}.|One must be at least {l} for {x}.|Nobody under {l} is admitted.|Entry from {l} years.", ("n", 4, 25, 0, ""),
         "{n}/is/too young for {x}|{n}/does/have to stay out/has to stay out|{n}/is/barred by age|{n}/does/have to be turned away/has to be turned away",
         "{n}/is/old enough for {x}|{n}/may/take part|{n}/can/be admitted|{n}/is/admitted|{n}/does/meet the age rule/meets the age rule", "over", 0.25),
    Rule("the roller coaster|the log ride|the big slide|the drop tower|the swing boat|the zip line|the bumper cars", "height|height_cm|guest_height|body_height|tall",
         "minimum_height|min_height|least_height|height_required", "{n} is {v} tall.|{n} measures {v}.|Height of {n}: {v}.|At the gate {n} measured {v}.|{n}, {v} tall, is in the queue.",
         "{X} is for guests of {l} or more.|The minimum height for {x} is {l}.|One must be at least {l} tall.|Nobody smaller than {l} may ride.|Riders have to measure {l} or more.",
         ("n", 80, 190, 0, " cm"), "{n}/is/too small for {x}|{n}/does/have to stay off/has to stay off|{n}/is/short of the height needed|{n}/does/have to be turned away/has to be turned away",
         "{n}/is/tall enough for {x}|{n}/may/ride|{n}/can/be let on|{n}/is/allowed on {x}", "over", 0.15),
    Rule("the ball pit|the pony ride|the children's train|the bouncy castle|the junior team|the youth camp|the small slide", "age|years|child_age|age_in_years",
         "maximum_age|max_age|oldest_allowed|up_to_age", "{n} is {v}.|{n} is {v} years old.|Age of {n}: {v}.|{n}, aged {v}, wants to join.",
         "{X} is for children up to and including {l}.|The maximum age for {x} is {l}.|One may be {l} at most.|Nobody older than {l} is admitted.", ("n", 4, 21, 0, ""),
         "{n}/is/young enough for {x}|{n}/may/join in|{n}/can/be admitted|{n}/is/admitted", "{n}/is/too old for {x}|{n}/does/have to stay out/has to stay out|{n}/is/barred by age|"
         "{n}/does/have to be turned away/has to be turned away", "under", 0.25),
]
ENOUGH = [
    Rule("screws|chairs|bottles|tiles|mugs|lamps|bricks|seedlings|shirts|envelopes|tins of paint|folders", "in_stock|stock|available|on_hand|stored",
         "ordered|order_quantity|requested|needed|wanted", "There are {v} {x} in stock.|We have {v} {x}.|{n} counted {v} {x} in the store.|In the warehouse lie {v} {x}.|{v} {x} are at hand.",
         "{n} ordered {l} {x}.|{l} {x} are ordered.|The customer wants {l}.|An order of {l} {x} came in.|{l} are needed.",
         ("n", 3, 9000, 0, ""), "the stock/is/too small|the stock/does/fall short of the order/falls short of the order|there/is/a shortage of {x}|more {x}/are/needed for the order|"
             "the order/does/have to wait/has to wait", "the stock/is/enough for the order|the order/can/be filled from stock|there/are/enough {x}|the stock/does/cover the order/covers the order|"
             "the order/can/be sent in full", "over"),
    Rule("the tour|the class|the match|the excursion|the vote|the jury|the choir|the meeting of the board|the trial group|the escape room", "signed_up|participants|people|present|registrations",
         "minimum|min_participants|least_people|required|quorum", "{v} people signed up for {x}.|{X} has {v} people.|{n} counts {v} people.|So far {v} have come forward.|{v} people are there.",
         "{X} needs at least {l} people.|The minimum is {l} people.|With fewer than {l} people {x} is off.|{X} takes place from {l} people on.|{l} people are needed for {x}.",
         ("n", 3, 200, 0, ""), "{x}/does/have to be called off/has to be called off|there/are/too few people|{x}/does/lack people/lacks people|the minimum/is/missed",
             "{x}/can/take place|there/are/enough people|the minimum/is/reached|{x}/does/have the people it needs/has the people it needs|{x}/is/on", "over", 0.2),
    Rule("the car|the drone|the van|the motor boat|the electric bike|the lorry|the scooter|the snow plough", "range|range_left|fuel_lasts_for|km_left|reach",
         "distance|trip|route_length|way_to_go|next_station_at", "The fuel of {x} lasts for {v}.|{X} can go {v} more.|The range of {x} is {v}.|{X} has power for {v}.|{n} has a range of {v}.",
         "The trip is {l} long.|{n} has {l} to go.|The next station is {l} away.|The distance is {l}.|It is {l} to the goal.",
         ("n", 4, 900, 0, " km"), "{x}/does/run dry on the way/runs dry on the way|{x}/does/fall short of the goal/falls short of the goal|"
             "{n}/does/have to refill on the way/has to refill on the way|the range/is/too short", "{x}/does/get there without a refill/gets there without a refill|"
             "the range/is/enough for the trip|{n}/can/go the whole way|{x}/can/make it without a stop to refill", "over", 0.03),
    Rule("the licence|the certificate|the diploma|the badge|the internship|the bonus|the overtime pay|the flying permit", "hours|hours_done|worked|hours_logged|practice",
         "required|hours_required|minimum_hours|needed|must_have", "{n} has done {v}.|{n} logged {v}.|{v} are on the sheet of {n}.|So far {n} has {v}.",
         "{X} takes {l}.|At least {l} are required for {x}.|{l} are needed.|Whoever has {l} or more gets {x}.", ("n", 5, 2500, 0, " hours"),
         "{n}/does/need more hours/needs more hours|{n}/is/short of hours|the hours/are/too few|{n}/does/have to do more hours for {x}/has to do more hours for {x}",
         "{n}/does/have enough hours/has enough hours|the hours/are/enough for {x}|{n}/has/reached the required hours|{n}/can/get {x}|the requirement/is/met", "over"),
]
FITS = [
    Rule("the suitcase|the backpack|the parcel|the crate|the trunk|the sports bag|the cello case|the box of books|the letter|the pram", "weight|bag_weight|weighs|scale|kg",
         "limit|max_weight|weight_limit|allowed|allowance", "{X} weighs {v}.|{X} of {n} weighs {v}.|On the scale {x} comes to {v}.|{n} packed {x}, {v} in all.|{v} is the weight of {x}.",
         "The limit is {l}.|Up to {l} is allowed.|At most {l} is accepted.|The carrier takes up to {l}.|The weight limit for {x} is {l}.",
         ("n", 20, 400, 1, " kg"), "{x}/is/light enough|{x}/can/go as it is|the weight limit/is/kept|{x}/is/within the limit|{x}/may/be taken along",
             "{x}/is/too heavy|{x}/is/over the limit|{n}/does/have to take something out/has to take something out|{x}/does/weigh too much/weighs too much", "under"),
    Rule("the seminar room|the hut|the bus|the cabin|the dining hall|the lift|the tent|the tour boat|the studio|the attic", "group|group_size|people|party|guests",
         "capacity|room_for|max_people|holds|seats", "The group has {v} people.|{n} brings {v} people.|There are {v} of us.|{v} people want to come along.|A group of {v} is on its way.",
         "{X} holds {l} people.|{X} has room for {l}.|The capacity of {x} is {l} people.|At most {l} people may be in {x}.|No more than {l} fit into {x}.",
         ("n", 3, 400, 0, ""), "the group/does/fit into {x}/fits into {x}|there/is/room for all|{x}/is/big enough|the whole group/can/be in {x} at once|{x}/does/hold the group/holds the group",
             "{x}/is/too small|the group/is/too big for {x}|the group/does/have to split up/has to split up|there/are/too many people for {x}|the capacity of {x}/is/exceeded", "under"),
    Rule("the video|the photo|the scan|the archive|the attachment|the log file|the slide deck|the backup|the map|the recording", "size|file_size|mb|bytes|length",
         "upload_limit|max_size|limit|size_limit|max_upload", "{X} is {v}.|{X} has {v}.|{n} wants to send {x} of {v}.|The size of {x} is {v}.|{v} is the size of {x}.",
         "The upload limit is {l}.|Files of up to {l} are accepted.|At most {l} can be sent.|The mail server takes up to {l}.|Nothing bigger than {l} goes through.",
         ("n", 1, 9000, 0, " MB"), "{x}/can/be uploaded|{x}/is/small enough|the upload/is/accepted|{x}/does/go through/goes through|{x}/does/respect the limit/respects the limit",
             "{x}/is/too big|the upload/is/refused|{x}/does/exceed the limit/exceeds the limit|{n}/does/have to shrink {x} first/has to shrink {x} first|{x}/is/over the limit", "under"),
    Rule("the sofa|the wardrobe|the piano|the fridge|the bed frame|the mirror|the desk|the aquarium", "width|item_width|breadth|wide|measured", "door_width|opening|gap|door|passage",
         "{X} is {v} wide.|The width of {x} is {v}.|{n} measured {v} for {x}.|{X} measures {v} across.", "The door is {l} wide.|The opening has a width of {l}.|"
         "The passage lets through {l}, not more.|There is a gap of {l}.", ("n", 40, 260, 0, " cm"),
         "{x}/does/fit through/fits through|{x}/is/narrow enough|{n}/can/get {x} through|there/is/room to pass",
         "{x}/is/too wide|{x}/does/get stuck/gets stuck|the opening/is/too narrow for {x}|{x}/does/have to be taken apart/has to be taken apart"),
]


def within_budget(g):
    """A cost against a budget, a price against the money one has."""
    return _against(g, BUDGET)


def in_time(g):
    """Catching a train, meeting a deadline, valid or expired, begun or ended."""
    return _against(g, TIME)


def left_over(g):
    """Attempts, places and quotas: is one left?"""
    return _against(g, LEFT)


def service_level(g):
    """A measured value against an objective, a ceiling or a floor."""
    return _against(g, SERVICE)


def age_terms(g):
    """Ages and heights against the terms of a ticket or a ride."""
    return _against(g, AGES)


def enough(g):
    """What there is against what is needed."""
    return _against(g, ENOUGH)


def fits(g):
    """Weights, groups, files and furniture against the room there is."""
    return _against(g, FITS)


class Contest(NamedTuple):
    """Candidates with one value each; `wins` are clauses about the one that is best."""
    bank: list
    who: str
    keys: str
    heads: str
    tells: str
    questions: str
    wins: str
    rules: str
    kind: tuple


PEOPLE, FIRMS, PLACES = b.NAMES, b.COMPANIES, b.CITIES
LESS = [
    Contest(PEOPLE, "player|golfer|name", "strokes|total_strokes", "Golf, strokes over the round|Golf tournament, strokes",
        "{x} needed {v} strokes.|{x} finished the round of golf with {v} strokes.|It took {x} {v} strokes on the golf course.",
        "Who won the round of golf?|Who played the best golf?|Which golfer won?|Who won?", "did/win the round of golf/won the round of golf|is/the winner|"
        "did/play the best round/played the best round", "Fewest strokes win.|In golf the lowest score wins.", ("n", 62, 110, 0, "")),
    Contest(FIRMS, "bidder|company|firm", "tender_price|quoted_price|price_for_the_work", "Tenders for the new bridge|Offers for the cleaning work|Quotes for the roof",
        "{x} would do the work for {v}.|{x} offers to do it for {v}.|The quote of {x} is {v}.", "Who gets the contract?|Which firm should get the job?|Which offer is best for the buyer?|"
        "Whose tender wins?", "does/get the contract/gets the contract|does/win the tender/wins the tender|is/the firm to hire",
        "The cheapest tender gets the contract.|The work goes to the lowest price.", ("money", 300, 90_000)),
    Contest(MODELS, "server|service|node", "response_ms|latency_ms|ping_ms|ping", "Ping to each server|Response time of the services",
        "{x} answers after {v} ms.|The ping to {x} is {v} ms.|{x} takes {v} ms to respond.", "Which is the fastest?|Which should be picked if speed matters?|Which one responds best?|"
        "Which is better for online games?", "is/the fastest|does/respond best/responds best|is/the one to pick for speed",
        "A short response time is what counts.|The lower the delay, the better.", ("n", 3, 1800, 0, "")),
    Contest(PEOPLE, "pupil|name|typist", "mistakes|errors|wrong_answers", "Dictation, mistakes|Spelling test, errors made",
        "{x} made {v} mistakes.|{x} had {v} errors in the dictation.|In the text of {x} there are {v} mistakes.",
        "Who did best?|Who won the dictation?|Whose work was best?|Who gets the prize for accuracy?", "did/do best/did best|does/get the prize for accuracy/gets the prize for accuracy|"
        "did/work most accurately/worked most accurately", "The prize goes to the fewest mistakes.|Fewest errors win.", ("n", 2, 90, 0, "")),
    Contest(PEOPLE, "rider|driver|name", "penalty_points|penalties|faults", "Show jumping, penalty points|Skills test, penalty points",
        "{x} got {v} penalty points.|{x} picked up {v} penalties.|The judges gave {x} {v} penalty points.", "Who won?|Who is in the lead?|Who takes first place?|Who gets the gold medal?",
        "did/win/won|does/take first place/takes first place|does/get the gold medal/gets the gold medal", "The fewest penalty points win.|Penalty points count against the rider.",
        ("n", 2, 80, 0, "")),
    Contest(MODELS, "car|model|vehicle", "consumption|litres_per_100_km|fuel_use", "Fuel consumption of the cars|Litres per 100 km",
        "{x} uses {v} litres per 100 km.|{x} has a fuel consumption of {v} litres per 100 km.|The {x} burns {v} litres per 100 km.",
        "Which is the most economical?|Which should be picked if fuel costs matter?|Which car is cheapest to run on fuel?|Which car saves the most fuel?",
        "is/the most economical|is/the thriftiest on fuel|does/save the most fuel/saves the most fuel", "Low consumption is what matters.|The less fuel, the better.", ("n", 30, 160, 1, "")),
    Contest(FIRMS, "shop|seller|supplier", "price|unit_price|total_price", "Prices for the same lamp|What the shops ask for the same kettle",
        "{x} sells it for {v}.|At {x} it costs {v}.|{x} asks {v} for it.", "Where should one buy it?|Which is the best deal?|Which shop should be picked if money matters?|"
        "Where does one save the most?", "does/have the best deal/has the best deal|is/the place to buy it|is/the cheapest",
        "All sell the same thing; only the price matters.|The cheapest is chosen.", ("money", 5, 4000)),
    Contest(PEOPLE, "employee|pupil|member", "absences|days_absent|missed_days", "Days absent|Absences this year",
        "{x} was absent on {v} days.|{x} missed {v} days.|For {x}, {v} absences are noted.", "Who has the best attendance?|Who gets the attendance award?|Who was most reliable in coming?|"
        "Who was there most often?", "does/have the best attendance/has the best attendance|does/get the attendance award/gets the attendance award|was/there most often",
        "The award goes to the fewest absences.|Whoever was absent least is honoured.", ("n", 2, 60, 0, "")),
    Contest(PEOPLE, "applicant|tenant|name", "applied|application_date|applied_on", "First come, first served|Applications, served in the order they came",
        "{x} applied on {v}.|The application of {x} came on {v}.|On {v} {x} sent the form.", "Who gets the flat if the first to apply gets it?|Whose turn is it, if the first comes first?|"
        "Who was quickest to apply?|Who is first in line?", "is/first in line|did/apply first/applied first|was/the quickest to apply", "Whoever applies first gets it.|First come, first served.",
        ("date",)),
    Contest(MODELS, "fridge|machine|lamp", "kwh_per_year|power_use|energy_use", "Energy use of the machines|Power drawn in a year (kWh)",
        "{x} uses {v} kWh a year.|{x} draws {v} kWh a year.|The energy use of {x} is {v} kWh.", "Which saves the most energy?|Which is best for the power bill?|Which is greener in use?|"
        "Which should be picked if energy matters?", "does/save the most energy/saves the most energy|is/the best for the power bill|is/the greenest in use",
        "The less power, the better.|Low energy use is what counts.", ("n", 40, 900, 0, "")),
]
MORE = [
    Contest(TEAMS, "team|club|side", "goals|goals_scored", "Goals in the final|Result, goals per team", "{x} scored {v} goals.|{v} goals went to {x}.|{x} shot {v} goals.",
        "Who won the match?|Which team won?|Who is the winner?|Who takes the cup?", "did/win the match/won the match|is/the winner|does/take the cup/takes the cup",
        "The team with most goals wins.|Most goals win.", ("n", 2, 14, 0, "")),
    Contest(PEOPLE, "candidate|name", "votes|votes_received", "Votes in the election|Ballot count", "{x} got {v} votes.|{v} people voted for {x}.|{x} received {v} votes.",
        "Who won the election?|Who is elected?|Who becomes mayor?|Who won?", "did/win the election/won the election|is/elected|is/the winner of the vote",
        "Most votes win.|Whoever has most votes is elected.", ("n", 3, 60_000, 0, "")),
    Contest(PEOPLE, "bidder|buyer|name", "bid|highest_bid|auction_bid", "Bids at the auction|Auction of the painting",
        "{x} bids {v} at the auction.|{x} raised the hand at {v}.|The bid of {x} is {v}.", "Who gets the painting at the auction?|Who wins the auction?|Whose bid wins?|"
        "To whom does the auctioneer sell?", "does/win the auction/wins the auction|does/get the painting/gets the painting|is/the winning bidder",
        "The auctioneer sells to the highest bid.|The highest bid wins.", ("money", 20, 90_000)),
    Contest(PEOPLE, "player|name", "points|score|points_won", "Quiz night, points|Card game, points collected", "{x} collected {v} points.|{x} has {v} points.|The quiz brought {x} {v} points.",
        "Who won the quiz?|Who is in the lead?|Who takes first place?|Who won?", "did/win/won|is/in the lead|does/take first place/takes first place",
        "Most points win.|The winner is whoever has most points.", ("n", 2, 900, 0, "")),
    Contest(PEOPLE, "athlete|name|thrower", "distance|metres|throw", "Javelin, metres|Shot put, distance in metres",
        "{x} threw {v} metres.|{x} reached {v} metres.|The throw of {x} measured {v} metres.", "Who won the throwing contest?|Whose throw was best?|Who gets the gold medal?|Who won?",
        "did/win the throwing contest/won the throwing contest|does/get the gold medal/gets the gold medal|did/throw best/threw best", "The longest throw wins.|Distance decides.",
        ("n", 500, 8000, 2, "")),
    Contest(MODELS, "phone|laptop|device", "battery_hours|battery_life|runtime_hours", "Battery life of the phones|Hours on one charge",
        "{x} runs {v} hours on one charge.|The battery of {x} lasts {v} hours.|{x} keeps going for {v} hours.",
        "Which should be picked if battery life matters?|Which is best for long trips without a socket?|Which has the best battery?|Which is better for a long day?",
        "does/have the best battery/has the best battery|is/the one for long trips without a socket|does/last best/lasts best", "Battery life is what counts.|The longer it runs, the better.",
        ("n", 20, 400, 1, "")),
    Contest(PLACES, "hotel|place|restaurant", "rating|stars|review_average", "Average review, out of 5|Guest ratings (best is 5)",
        "{x} is rated {v} out of 5.|Guests give {x} {v} out of 5.|The reviews of {x} average {v} out of 5.", "Which is best according to the guests?|Which should be picked if reviews matter?|"
        "Which do guests like most?|Which is the favourite?", "is/the favourite of the guests|is/the best according to the guests|does/please guests most/pleases guests most",
        "A high rating is what counts.|The higher the rating, the better.", ("n", 10, 50, 1, "")),
    Contest(FIRMS, "bank|lender|broker", "interest_on_savings|savings_rate|yield", "Interest on savings, percent|What the banks pay on savings",
        "{x} pays {v} percent on savings.|Savings at {x} earn {v} percent.|{x} gives savers {v} percent.", "Where should a saver go?|Which is best for savings?|Which pays savers best?|"
        "Which should be picked if the interest on savings matters?", "is/the best for savings|does/pay savers best/pays savers best|is/the bank for savers",
        "The saver wants the highest interest.|More interest is better.", ("n", 10, 690, 2, "")),
    Contest(PEOPLE, "seller|agent|name", "sales|revenue|turnover", "Sales this quarter|Turnover per agent", "{x} sold goods for {v}.|{x} made a turnover of {v}.|The sales of {x} come to {v}.",
        "Who is the best seller?|Who gets the sales bonus?|Who is seller of the month?|Who sold best?", "does/get the sales bonus/gets the sales bonus|is/the best seller|did/sell best/sold best",
        "The bonus goes to the highest sales.|Whoever sells most is honoured.", ("money", 100, 90_000)),
    Contest(FIRMS, "employer|company", "salary|pay|monthly_pay", "Job offers, monthly pay|What the employers would pay per month",
        "{x} would pay {v} a month.|The offer of {x} is {v} a month.|At {x} one earns {v} a month.", "Which job should be taken if pay matters?|Which job offer is best for the wallet?|"
        "Where does one earn best?|Which employer pays best?", "does/pay best/pays best|is/the best paid job|is/the employer to choose for pay",
        "Only the pay matters.|The better the pay, the better.", ("money", 900, 9000)),
]


def _contest(g, contests, low):
    """Who is best, and is this one the best: the state of a pair lets the best change values with another."""
    c = g.pick(contests)
    n = g.rng.choice([2, 2, 3, 3, 4, 5])
    rising, text, raw = _draw(g, c.kind, n)
    bank = c.bank[:-3] if g.split == "train" else c.bank
    names, values = g.rng.sample(bank, n), g.rng.sample(rising, n)
    key, who, head, rule = g.pick(c.keys.split("|")), g.pick(c.who.split("|")), g.pick(c.heads.split("|")), g.pick(c.rules.split("|"))
    told, tells = g.pick(c.tells.split("|")), c.tells.split("|")
    mixed, where, ages = g.coin(0.4), g.rng.choice(["none", "none", "state", "question"]), [g.rng.randint(1, 99) for _ in names]
    plan = [g.rng.choice(tells) if mixed else told for _ in names]
    odd, spoken = g.rng.choice(["entry", "number", "row", "no"]), key.replace("_", " ")
    prose = lambda ps: " ".join(cap(t.format(x=x, v=text(v))) for t, (x, v) in zip(plan, ps))
    shape = g.rng.choice([
        prose, prose, lambda ps: f"{head}. {prose(ps)}", lambda ps: {key: {x: raw(v) for x, v in ps}}, lambda ps: {x: {key: raw(v)} for x, v in ps},
            lambda ps: [{who: x, key: raw(v)} for x, v in ps],
        lambda ps: [{key: raw(v), who: x} for x, v in ps], lambda ps: {"title": head, "entries": [{who: x, odd: a, key: raw(v)} for a, (x, v) in zip(ages, ps)]},
            lambda ps: f"{head}:\n" + "\n".join(f"{x}: {text(v)}" for x, v in ps),
        lambda ps: f"{head} - " + ", ".join(f"{x} {text(v)}" for x, v in ps), lambda ps: f"{who} | {spoken}\n" + "\n".join(f"{x} | {text(v)}" for x, v in ps),
            lambda ps: f"{cap(spoken)}: " + "; ".join(f"{x} = {text(v)}" for x, v in ps)])

    def state(given):
        s = shape(list(zip(names, given)))
        if where != "state":
            return s
        return f"{rule} {s}" if isinstance(s, str) else {"rule": rule, **s} if isinstance(s, dict) else {"rule": rule, "list": s}
    order = lambda v: -v.toordinal() if low and isinstance(v, date) else -v if low else v
    rank = lambda given: sorted(names, key=lambda x: -order(given[names.index(x)]))
    first = rank(values)
    i, j = names.index(first[0]), names.index(g.rng.choice(first[1:]))
    swapped = list(values)
    swapped[i], swapped[j] = values[j], values[i]
    second = rank(swapped)
    a, d = state(values), state(swapped)
    people = c.bank in (PEOPLE, TEAMS)
    out = []
    if g.coin(0.75):
        x = g.rng.choice([first[0], second[0]])
        yes, no = (a, d) if x == first[0] else (d, a)
        out += ask_pair(g, yes, no, _clause("{x}/" + g.pick(c.wins.split("|")), x=x), 0)
    if g.coin(0.35):
        x, y = g.rng.choice([(first[0], second[0]), (second[0], first[0])])
        yes, no = (a, d) if x == first[0] else (d, a)
        beats = ["{x}/did/do better than {y}/did better than {y}", "{x}/is/ahead of {y}", "{x}/does/beat {y}/beats {y}"] if people else ["{x}/is/better than {y} in this respect",
            "{x}/is/a better choice than {y} on this count", "{x}/does/beat {y} here/beats {y} here"]
        hint = "" if c.kind[0] == "date" else rule + " "
        pair = ask_pair(g, yes, no, _clause(g.rng.choice(beats), x=x, y=y), 1)
        out += [{**r, "instructions": hint + r["instructions"] if where == "none" else r["instructions"]} for r in pair] if c.kind[0] != "date" else []
    if g.coin(0.7) or not out:
        question = g.pick(c.questions.split("|"))
        out += [pick_one(g, s, [question], names, k, pair=2) for s, k in ((a, first[0]), (d, second[0]))]
    if g.coin(0.2) and first[-1] != second[-1] and c.kind[0] != "date":
        question = g.pick(["Who came last?", "Who did worst?", "Who is at the bottom?", "Who is furthest from winning?"] if people else ["Which is the worst on this count?",
            "Which should be avoided in this respect?", "Which one is the poorest choice here?", "Which comes last in this respect?"])
        out += [pick_one(g, s, [question], names, k, pair=3) for s, k in ((a, first[-1]), (d, second[-1]))]
    if where == "question":
        for r in out:
            r["instructions"] = f"{rule} {r['instructions']}"
    return out


def less_wins(g):
    """Strokes, tenders, delays, mistakes: the smaller value is the better one."""
    return _contest(g, LESS, True)


def more_wins(g):
    """Goals, votes, bids, points: the greater value is the better one."""
    return _contest(g, MORE, False)


# Two matters a thing is judged by: (key, words for the better end, kind, whether less is better)
MATTERS = [("price", "a low price|saving money|the wallet", ("money", 20, 3000), True), ("rating", "what reviewers think|the opinion of other buyers|praise in reviews", ("n", 10, 50, 1, ""),
    False), ("weight_kg", "easy carrying|light weight|lightness", ("n", 5, 300, 1, ""), True), ("battery_hours", "long battery life|lasting without a socket|running for long on one charge", ("n",
    2, 60, 0, ""), False),
           ("delivery_days", "getting it soon|quick delivery|a short wait", ("n", 1, 40, 0, ""), True), ("warranty_years", "a long warranty|cover for many years|"
               "being insured against faults for long", ("n", 1, 15, 0, ""), False), ("noise_db", "quietness|silence|working with little noise", ("n", 20, 90, 0, ""), True),
               ("storage_gb", "room for many photos|plenty of storage|space for files", ("n", 16, 4000, 0, ""), False),
           ("kwh_per_year", "saving energy|the power bill|thrift with electricity", ("n", 40, 900, 0, ""), True),
               ("screen_inches", "a big screen|a large picture|easy reading on the screen", ("n", 50, 320, 1, ""), False),
               ("repairs_per_year", "reliability|freedom from breakdowns|needing few repairs", ("n", 1, 40, 1, ""), True),
               ("water_l", "a large tank|seldom filling the tank|a big supply of water", ("n", 5, 90, 1, ""), False)]


def trade_off(g):
    """Two values for each candidate, and the one that matters said in the question."""
    (key, words, kind, less), (key2, words2, kind2, less2) = g.rng.sample(MATTERS, 2)
    n = g.rng.choice([2, 3, 3, 4])
    names = g.rng.sample(MODELS[:-3] if g.split == "train" else MODELS, n)
    v1, text, raw = _draw(g, kind, n)
    v2, text2, raw2 = _draw(g, kind2, n)
    while True:
        g.rng.shuffle(v1), g.rng.shuffle(v2)
        best, best2 = names[v1.index((min if less else max)(v1))], names[v2.index((min if less2 else max)(v2))]
        if best != best2:
            break
    spoken = lambda k: k.replace("_", " (") + ")" if k.count("_") == 1 else k.replace("_", " ")
    tell = g.rng.choice([lambda r: {x: {key: raw(p), key2: raw2(q)} for x, p, q in r}, lambda r: [{"model": x, key: raw(p), key2: raw2(q)} for x, p, q in r],
        lambda r: [{"name": x, key2: raw2(q), key: raw(p)} for x, p, q in r], lambda r: "\n".join(f"{x}: {spoken(key)} {text(p)}, {spoken(key2)} {text2(q)}" for x, p, q in r),
                         lambda r: " ".join(f"{x}: {spoken(key)} {text(p)} and {spoken(key2)} {text2(q)}." for x, p, q in r),
                             lambda r: f"model | {spoken(key)} | {spoken(key2)}\n" + "\n".join(f"{x} | {text(p)} | {text2(q)}" for x, p, q in r)])
    state = tell(list(zip(names, v1, v2)))
    frame = g.pick(["Which should be picked if {} matters most?", "What would you advise to someone who cares only about {}?", "All that counts is {}. Which one?", "Which is the best for {}?",
        "The buyer puts {} first. Which is it to be?", "Which one wins when it comes to {}?"])
    word, word2 = g.pick(words.split("|")), g.pick(words2.split("|"))
    out = [pick_one(g, state, [cap(frame.format(w))], names, k, pair=0) for w, k in ((word, best), (word2, best2))]
    # The same pair as yes/no, the two best values of the first matter changing places.
    i, j = names.index(best), names.index(best2)
    v1[i], v1[j] = v1[j], v1[i]
    other = tell(list(zip(names, v1, v2)))
    return out + ask_pair(g, state, other, Clause(best, "is", g.pick([f"the best choice for {word}", f"the one to take if {word} matters most", f"the winner when it comes to {word}",
        f"the right choice for somebody who cares only about {word}"])), 1)


# thing, key, kind, what is better (less, more, or nothing said)
CHANGES = [("the price of the flat", "price", ("money", 300, 90_000), ""), ("the number of followers", "followers", ("n", 20, 90_000, 0, ""), "more"),
    ("the rent", "rent", ("money", 200, 3000), ""), ("the waiting time", "waiting_minutes", ("n", 2, 120, 0, " minutes"), "less"),
    ("the number of complaints", "complaints", ("n", 2, 900, 0, ""), "less"), ("the turnover of the shop", "turnover", ("money", 500, 90_000), "more"),
           ("the share price", "share_price", ("money", 5, 900), ""), ("the error rate", "error_rate", ("n", 1, 500, 1, "%"), "less"),
               ("the average score of the class", "average_score", ("n", 200, 990, 1, " points out of 100"), "more"), ("the debt of the town", "debt", ("money", 900, 90_000), "less"),
               ("the number of members", "members", ("n", 10, 9000, 0, ""), "more"), ("the water level", "water_level", ("n", 20, 900, 0, " cm"), ""),
           ("the number of accidents", "accidents", ("n", 2, 400, 0, ""), "less"), ("the customer rating", "customer_rating", ("n", 10, 50, 1, " out of 5"), "more"),
               ("the fuel consumption", "litres_per_100_km", ("n", 30, 150, 1, " litres"), "less"), ("the population", "population", ("n", 200, 90_000, 0, ""), ""),
               ("the load time of the page", "load_time_ms", ("n", 80, 9000, 0, " ms"), "less"), ("the temperature at noon", "temperature", ("n", -20, 35, 0, " °C"), ""),
           ("the success rate", "success_rate", ("n", 20, 99, 0, "%"), "more"), ("the number of sick days", "sick_days", ("n", 2, 300, 0, ""), "less")]


def changed(g):
    """Up, down or the same; better or worse."""
    thing, key, kind, better = g.pick(CHANGES)
    (low, high), text, raw = _draw(g, kind, 2)
    old, new = g.rng.choice([("last week", "this week"), ("last year", "this year"), ("in March", "in April"), ("yesterday", "today"), ("before", "now"), ("in 2024", "in 2025"),
        ("last month", "this month"), ("in the first quarter", "in the second quarter"), ("on Monday", "on Tuesday")])
    k1, k2 = [k.removeprefix("in ").removeprefix("the ").removeprefix("on ").replace(" ", "_") for k in (old, new)]
    w1, w2 = g.rng.choice([(k1, k2), (k1, k2), ("previous", "current"), ("old", "new"), ("then", "now"), ("from", "to")])
    flip = g.coin()
    turn = lambda p, q: [q, p] if flip else [p, q]
    tell = g.rng.choice([
        lambda p, q: f"{cap(old)} {thing} was {text(p)}, {new} it is {text(q)}.", lambda p, q: f"{cap(thing)} is {text(q)} {new}; {old} it was {text(p)}.",
            lambda p, q: f"{cap(thing)} was {text(p)} {old} and is {text(q)} {new}.", lambda p, q: f"{cap(new)} we have {text(q)} for {thing}. {cap(old)} it was {text(p)}.",
        lambda p, q: {key: dict(turn((w1, raw(p)), (w2, raw(q))))}, lambda p, q: dict([("what", thing), *turn((f"{w1}", raw(p)), (f"{w2}", raw(q)))]),
            lambda p, q: [{"period": x, key: raw(v)} for x, v in turn((old, p), (new, q))], lambda p, q: f"{cap(thing)}\n" + "\n".join(turn(f"{old}: {text(p)}", f"{new}: {text(q)}")),
        lambda p, q: f"{cap(thing)}: " + ", ".join(turn(f"{text(p)} {old}", f"{text(q)} {new}"))])
    up, down, same = tell(low, high), tell(high, low), tell(*[g.rng.choice([low, high])] * 2)
    rises = [("has", "gone up"), ("did", "go up", "went up"), ("has", "risen"), ("is", f"higher than {old}"), ("did", "increase", "increased"), ("has", "grown")]
    falls = [("has", "gone down"), ("did", "go down", "went down"), ("has", "fallen"), ("is", f"lower than {old}"), ("did", "decrease", "decreased"), ("has", "shrunk")]
    gains, losses = [("did", "improve", "improved"), ("has", "got better"), ("is", f"better than {old}"), ("did", "change for the better", "changed for the better"),
        ("did", "develop well", "developed well")], [("did", "get worse", "got worse"), ("has", "got worse"), ("is", f"worse than {old}"),
        ("did", "change for the worse", "changed for the worse"), ("did", "develop badly", "developed badly")]
    clause = lambda parts: Clause(thing, *[p.format(old=old) for p in parts])
    out = []

    def pair(rise, words, number):
        yes, no = (up, down) if rise else (down, up)
        return ask_pair(g, yes, same if g.coin(0.2) else no, clause(g.pick(words)), number)
    if better:
        good = g.coin()
        out += pair((better == "more") == good, gains if good else losses, 0)
    if not better or g.coin(0.6):
        rise = g.coin()
        out += pair(rise, rises if rise else falls, 1)
    if g.coin(0.2):
        out += ask_pair(g, same, g.rng.choice([up, down]), clause(g.rng.choice([("did", "stay the same", "stayed the same"), ("has", "stayed as it was"), ("is", f"the same as {old}")])), 2)
    if g.coin(0.4):
        if better and g.coin():
            names, states = ["better", "worse", "the same"], (up, down, same) if better == "more" else (down, up, same)
            questions = [f"How has {thing} developed?", "Better or worse?", f"Has {thing} got better, worse or neither?", "Is this better, worse or the same?"]
        else:
            names, states = g.rng.choice([["up", "down", "no change"], ["rose", "fell", "stayed"], ["increase", "decrease", "unchanged"], ["higher", "lower", "equal"]]), (up, down, same)
            questions = [f"How did {thing} change?", "Which way did it go?", f"Did {thing} rise, fall or stay?", "What happened from the one to the other?"]
        question = g.rng.choice(questions)
        out += [pick_one(g, s, [question], names, k, pair=3) for s, k in zip(states[:2 if g.coin(0.6) else 3], names)]
    return out


# things, value key, bounds, sentences, band sentences, kind, words for inside, below and above, names of the three
BANDS = [
    ("the shop|the bakery|the pharmacy|the town hall|the museum|the doctor's office|the garage|the hairdresser|the zoo", "time|arrival|visit_at|caller_time", "opens closes|from until|open close",
        "{n} comes at {v}.|{n} gets to {x} at {v}.|It is {v} now.|At {v} {n} is at the door.", "{X} is open from {l} to {h}.|{X} opens at {l} and closes at {h}.|Opening hours of {x}: {l} - {h}.|"
        "{X} closes at {h} and opens at {l}.", ("clock", 360, 1320),
     "{x}/is/open at that time|{n}/can/be served at {x}|the visit/does/fall within the opening hours/falls within the opening hours|the time/is/within the opening hours",
     "{x}/is/yet to open|it/is/too early to go to {x}", "{x}/has/already closed for the day|it/is/too late to go to {x}", "before opening|open|after closing"),
    ("the help desk|the office|the hotline|the support team|the secretary|the dispatcher|the works council", "called_at|time|call|contacted", "begins ends|start end|from to",
        "{n} calls at {v}.|The call comes at {v}.|{n} phones {x} at {v}.|It is {v} when {n} rings.", "{X} works from {l} to {h}.|{X} can be reached between {l} and {h}.|"
        "Office hours of {x}: {l} to {h}.|{X} starts at {l} and stops at {h}.", ("clock", 360, 1320),
     "{x}/can/be reached|the call/is/within working hours|{n}/does/get through to {x}/gets through to {x}|{x}/is/on duty",
     "{n}/is/too early|the call/does/come before working hours/comes before working hours", "{n}/is/too late|the call/does/come after working hours/comes after working hours",
     "too early|within hours|too late"),
    ("the tyre pressure|the pH of the pool|the oven heat|the blood sugar|the humidity|the voltage|the salt content|the chlorine level|the fill level", "value|current|measured|now",
        "min max|lower upper|lowest highest|from to", "{X} is {v}.|{n} notes {v} for {x}.|At the check {x} was {v}.|{v} was found for {x}.",
        "{X} should be between {l} and {h}.|The allowed range is {l} to {h}.|For {x}, no less than {l} and no more than {h} is right.|{X} must be at most {h} and at least {l}.",
        ("n", 20, 2500, 1, ""),
     "{x}/is/in the allowed range|{x}/is/as it should be|{x}/is/all right|the range/is/kept", "{x}/is/too low|{x}/does/need to be raised/needs to be raised",
     "{x}/is/too high|{x}/does/need to be lowered/needs to be lowered", "too low|in range|too high"),
    ("the youth team|the study|the summer camp|the scholarship|the language course|the talent show|the au pair programme", "age|years|applicant_age",
        "min_age max_age|youngest oldest|from_age to_age", "{n} is {v}.|{n} is {v} years old.|{n}, aged {v}, applies.|Age of {n}: {v}.",
        "{X} is for those from {l} to {h}.|For {x} one must be between {l} and {h} years old.|{X} takes people of at least {l} and at most {h} years.|Ages for {x}: {l} to {h}.",
        ("n", 5, 60, 0, ""),
     "{n}/can/join {x}|{n}/is/of the right age for {x}|{n}/is/admitted by age|{n}/does/meet the age terms/meets the age terms", "{n}/is/too young|{n}/is/below the age for {x}",
     "{n}/is/too old|{n}/is/past the age for {x}", "too young|the right age|too old"),
    ("the order|the parcel|the loan|the donation|the claim|the bet|the transfer", "amount|sum|value|total", "smallest largest|min max|at_least at_most",
        "{X} is for {v}.|{n} asks for {v}.|{X} of {n} comes to {v}.|{v} is the amount of {x}.", "Between {l} and {h} is accepted.|The least is {l}, the most is {h}.|"
        "Amounts from {l} up to {h} are taken.|No more than {h} and no less than {l} is possible.", ("money", 20, 20_000),
     "the amount/is/accepted|{x}/can/go ahead|the amount/is/within the bounds|{x}/is/possible with this amount", "the amount/is/too small|{x}/is/below the bounds",
     "the amount/is/too large|{x}/is/above the bounds", "too small|accepted|too large"),
    ("the exhibition|the sale|the booking window|the trial offer|the fishing season|the grant round|the enrolment|the ski pass", "date|on|today|visit",
        "first_day last_day|starts ends|from until|opens closes", "Today is {v}.|{n} asks about {x} on {v}.|It is {v}.|{n} comes on {v}.",
        "{X} runs from {l} to {h}.|{X} begins on {l} and ends on {h}.|Dates of {x}: {l} - {h}.|{X} ends on {h}; it begins on {l}.", ("date",),
     "{x}/is/running on that day|{n}/is/within the dates of {x}|{x}/is/open on that day|the day/does/fall within {x}/falls within {x}", "{x}/is/yet to begin|{n}/is/too early",
     "{x}/has/ended|{n}/is/too late", "not begun|running|ended"),
]


def between(g):
    """A value in a band, below it or above it."""
    things, keys, bounds, tells, rules, kind, inside, below, above, three = g.rng.choice(BANDS)
    thing, n = g.pick(things.split("|")), g.name()
    names = {"x": thing, "X": cap(thing), "n": n}
    (v1, low, v2, high, v3), text, raw = _draw(g, kind, 5)
    key, (lo, hi) = g.pick(keys.split("|")), g.pick(bounds.split("|")).split()
    tell, rule = g.pick(tells.split("|")), g.pick(rules.split("|"))
    told, ruled = lambda v: cap(tell.format(v=text(v), **names)), lambda: cap(rule.format(l=text(low), h=text(high), **names))
    flip = g.coin()
    turn = lambda p, q: [q, p] if flip else [p, q]
    asked = g.coin(0.15)
    shape = told if asked else g.rng.choice([
        lambda v: " ".join(turn(told(v), ruled())), lambda v: " ".join(turn(told(v), ruled())), lambda v: dict([(x, y) for part in turn([(key, raw(v))], [(lo, raw(low)), (hi, raw(high))]) for x,
            y in part]), lambda v: {thing.replace("the ", ""): {lo: raw(low), hi: raw(high)}, key: raw(v)},
        lambda v: {"rule": ruled(), key: raw(v)}, lambda v: f"{cap(thing)}: {lo.replace('_', ' ')} {text(low)}, {hi.replace('_', ' ')} {text(high)}; {key.replace('_', ' ')} {text(v)}",
            lambda v: "\n".join(turn(f"{key.replace('_', ' ')}: {text(v)}", f"{text(low)} - {text(high)} ({thing})")), lambda v: {"note": " ".join(turn(told(v), ruled()))}])
    states = [shape(v1), shape(v2), shape(v3)]
    make = lambda words: _clause(g.pick(words.split("|")), **names)
    out = []
    for number in range(g.rng.choice([1, 2])):
        at = g.rng.choice([1, 1, 0, 2])
        other = g.rng.choice([0, 2]) if at == 1 else g.rng.choice([1, 2 - at])
        out += ask_pair(g, states[at], states[other], make([below, inside, above][at]), number)
    if g.coin(0.3):
        at = g.rng.randint(0, 2)
        good = g.coin()
        at = 1 if good else g.rng.choice([0, 2])
        out += ask_both(g, states[at], make(inside), good)
    if g.coin(0.4):
        options = three.split("|")
        question = g.pick(["Where does it lie?", "What is the case?", "Which of these applies?", "How does the value stand to the bounds?", "Pick what fits."])
        make_row = g.coin(0.6)
        for at, state in enumerate(states):
            out.append(pick_one(g, state, [question], options, options[at], pair=2) if make_row else scale(g, state, [question], options, at))
    if asked:
        for r in out:
            r["instructions"] = f"{ruled()} {r['instructions']}"
    return out


# What is decided on, key, kind, the actions for a small, a middle and a large value: (name, what it means)
ACTIONS = [
    ("the expense claim", "amount", ("money", 20, 20_000), [("approve", "it is paid at once"), ("ask_manager", "the manager has to agree first"), ("reject", "it is turned down")]),
    ("the refund", "refund_amount", ("money", 5, 3000), [("pay_out", "the money is sent straight away"), ("check", "a colleague looks at it first"), ("refuse", "nothing is paid")]),
    ("the applicant's debt", "debt", ("money", 100, 50_000), [("grant", "the loan is given"), ("ask_for_security", "the loan needs a guarantor"), ("decline", "no loan")]),
    ("the delay", "delay_minutes", ("n", 3, 300, 0, " minutes"), [("do_nothing", "passengers wait"), ("voucher", "passengers get a voucher"), ("refund", "passengers get the money back")]),
    ("the disk usage", "used", ("n", 10, 100, 0, "%"), [("leave", "no action"), ("warn", "send a warning"), ("clean_up", "delete old files now")]),
    ("the heat in the compost", "temperature", ("n", 15, 85, 0, " °C"), [("leave", "nothing is done"), ("turn", "the heap is turned"), ("water", "the heap is watered")]),
    ("the wind", "wind_kmh", ("n", 10, 140, 0, " km/h"), [("open", "the lift runs as usual"), ("slow", "the lift runs slowly"), ("close", "the lift is shut")]),
    ("the number of reports against the post", "reports", ("n", 1, 90, 0, ""), [("keep", "the post stays"), ("review", "a moderator reads it"), ("remove", "the post is taken down")]),
    ("the test score", "score", ("n", 5, 100, 0, " points"), [("fail", "the course is to be repeated"), ("resit", "an oral test decides"), ("pass", "the course is passed")]),
    ("the order value", "order_value", ("money", 5, 900), [("pay_shipping", "shipping is charged in full"), ("half_shipping", "half the shipping is charged"),
        ("free_shipping", "shipping is free")]),
    ("the thickness of the ice", "ice_cm", ("n", 1, 60, 0, " cm"), [("keep_off", "nobody goes on the ice"), ("walk", "people may walk on it"), ("drive", "cars may drive on it")]),
    ("the attendance", "attendance", ("n", 20, 100, 0, "%"), [("no_certificate", "no certificate is given"), ("extra_work", "an extra paper is asked for"),
        ("certificate", "the certificate is given")]),
]
# Who asks for what, and conditions: key, words, kind, whether at most (or else at least)
GATES = [
    ("the loan", [("income", "an income of", ("money", 900, 9000), False), ("debts", "debts of", ("money", 100, 9000), True), ("years_in_job", "years in the job:", ("n", 1, 20, 0, ""), False),
        ("late_payments", "late payments:", ("n", 1, 15, 0, ""), True)]),
    ("the flat", [("income", "an income of", ("money", 900, 9000), False), ("people", "people:", ("n", 1, 8, 0, ""), True), ("deposit", "a deposit of", ("money", 300, 6000), False),
        ("pets", "pets:", ("n", 1, 8, 0, ""), True)]),
    ("the place at the college", [("grade_points", "grade points:", ("n", 10, 100, 0, ""), False), ("age", "age:", ("n", 16, 60, 0, ""), True),
        ("test_score", "test score:", ("n", 10, 100, 0, ""), False), ("missed_days", "missed days:", ("n", 1, 40, 0, ""), True)]),
    ("the release", [("coverage", "test coverage of", ("n", 30, 99, 0, "%"), False), ("open_bugs", "open bugs:", ("n", 1, 60, 0, ""), True), ("reviews", "reviews:", ("n", 1, 9, 0, ""), False),
        ("error_rate", "an error rate of", ("n", 1, 90, 1, "%"), True)]),
    ("the job", [("experience_years", "years of experience:", ("n", 1, 30, 0, ""), False), ("salary_wish", "a salary wish of", ("money", 1000, 9000), True),
        ("languages", "languages:", ("n", 1, 9, 0, ""), False), ("notice_weeks", "weeks of notice:", ("n", 1, 26, 0, ""), True)]),
    ("the supplier contract", [("offer", "an offer of", ("money", 500, 90_000), True), ("delivery_days", "delivery days:", ("n", 1, 60, 0, ""), True),
        ("references", "references:", ("n", 1, 20, 0, ""), False), ("warranty_months", "months of warranty:", ("n", 6, 60, 0, ""), False)]),
    ("the flight permit", [("flying_hours", "flying hours:", ("n", 10, 900, 0, ""), False), ("wind", "a wind of", ("n", 3, 90, 0, " km/h"), True),
        ("visibility", "a visibility of", ("n", 5, 200, 1, " km"), False), ("load", "a load of", ("n", 20, 900, 0, " kg"), True)]),
    ("the blood donation", [("age", "age:", ("n", 18, 75, 0, ""), True), ("weight", "a weight of", ("n", 45, 130, 0, " kg"), False), ("pulse", "a pulse of", ("n", 45, 120, 0, ""), True),
        ("weeks_since_last", "weeks since the last one:", ("n", 2, 40, 0, ""), False)]),
]


def decision(g):
    """Amount bands that lead to an action, and several conditions that all have to hold."""
    return _bands_action(g) if g.coin() else _all_hold(g)


def _bands_action(g):
    thing, key, kind, actions = g.pick(ACTIONS)
    (v1, first, v2, second, v3), text, raw = _draw(g, kind, 5)
    v3 = g.rng.choice([v3, v3, second])  # at the upper bound the last band begins
    v2 = g.rng.choice([v2, v2, first])
    said = [a.replace("_", " ") for a, _ in actions]
    (lo, mid, hi) = g.rng.choice([(f"below {text(first)}", f"from {text(first)} to below {text(second)}", f"{text(second)} or more"),
        (f"under {text(first)}", f"at least {text(first)} but under {text(second)}", f"at least {text(second)}"),
        (f"less than {text(first)}", f"{text(first)} or more but less than {text(second)}", f"from {text(second)} on")])
    parts = [f"{w}: {s}" for w, s in zip((lo, mid, hi), said)]
    if g.coin(0.4):
        parts.reverse()
    rule = g.pick([f"Rule for {thing}: ", f"What to do, by {key.replace('_', ' ')}: ", "The table says: ", f"We go by {thing}. "]) + "; ".join(parts) + "."
    told = g.pick(["{X} is {v}.", "{n} notes {v} for {x}.", "Case of {n}: {x} is {v}.", "{v} is given for {x}.", "For {n}, {x} is {v}.", "{X}: {v}."])
    n, flip, place = g.name(), g.coin(), g.rng.choice(["state", "state", "question", "options"])
    one = lambda v: cap(told.format(X=cap(thing), x=thing, v=text(v), n=n))
    alone = g.rng.choice([one, one, lambda v: {key: raw(v)}, lambda v: {"case": thing, key: raw(v)}, lambda v: f"{key.replace('_', ' ')} = {text(v)}"])
    both = g.rng.choice([lambda v: " ".join([one(v), rule] if flip else [rule, one(v)]), lambda v: {"policy": rule, key: raw(v)}, lambda v: {key: raw(v), "policy": rule},
        lambda v: {"thresholds": dict(zip(said, (lo, mid, hi))), key: raw(v)}])
    states = [(both if place == "state" else alone)(v) for v in (v1, v2, v3)]
    order = g.rng.sample(range(3), 2)
    lead = f"{rule} " if place == "question" else ""
    question = lead + g.pick(["What is to be done?", "Which action follows?", "What happens with this case?", "Decide the case.", "What does the rule say here?", "Which step is right?"])
    options = {a: (f"{w}" if g.coin(0.3) else f"{w}; {d}") if place == "options" else d for (a, d), w in zip(actions, (lo, mid, hi))}
    out = [pick_one(g, states[i], [question], options, actions[i][0], bare=0 if place == "options" else 0.5, pair=0) for i in order]
    if place != "options":
        action = said[order[0]]
        pair = ask_pair(g, states[order[0]], states[order[1]], Clause(g.pick([f"the action \"{action}\"", f"\"{action}\"", f"the step \"{action}\"", f"the decision \"{action}\""]), "is",
            g.pick(["the right one", "what the rule calls for", "to be taken here", "what follows"])), 1)
        out += [{**r, "instructions": lead + r["instructions"]} for r in pair]
    return out


def _all_hold(g):
    """Two or three conditions; the state that fails misses one of them, which may be any."""
    thing, conditions = g.pick(GATES)
    chosen, n = g.rng.sample(conditions, g.rng.choice([2, 2, 3])), g.name()
    good, bad, wanted = [], [], []
    for key, words, kind, most in chosen:
        (low, mid, high), text, raw = _draw(g, kind)
        keep, miss = (low, high) if most else (high, low)
        keep = mid if g.coin(0.1) else keep
        good.append((key, words, text(keep), raw(keep)))
        bad.append((key, words, text(miss), raw(miss)))
        wanted.append(f"{words} {g.rng.choice(['at most', 'no more than', 'up to'] if most else ['at least', 'no less than'])} {text(mid)}")
    fail = g.rng.randrange(len(chosen))
    rule = g.pick(["{X} is given only if all of this holds: {c}.", "Conditions for {x}: {c}.", "For {x} one needs: {c}.", "{X} calls for all of these: {c}.",
        "Needed for {x}: {c}."]).format(x=thing, X=cap(thing), c="; ".join(wanted))
    asked, flip = g.coin(0.25), g.coin()
    mixed = g.rng.sample(range(len(chosen)), len(chosen))
    turn = lambda p, q: [q, p] if flip else [p, q]
    facts = lambda vs: f"{n} has: " + "; ".join(f"{words} {t}" for _, words, t, _ in vs) + "."
    shape = g.rng.choice([facts, lambda vs: {k: r for k, _, _, r in vs}, lambda vs: {"case": n, **{k: r for k, _, _, r in vs}}] if asked else [
        lambda vs: " ".join(turn(facts(vs), rule)), lambda vs: " ".join(turn(facts(vs), rule)), lambda vs: {"rule": rule, **{k: r for k, _, _, r in vs}},
            lambda vs: {"case": {k: r for k, _, _, r in vs}, "conditions": wanted}, lambda vs: f"{rule}\n" + "\n".join(f"{k.replace('_', ' ')}: {t}" for k, _, t, _ in vs)])
    state = lambda vs: shape([vs[i] for i in mixed])
    yes, no = state(good), state([bad[i] if i == fail else v for i, v in enumerate(good)])
    granted = [Clause(thing, "is", "to be granted"), Clause(thing, "can", "be approved"), Clause("the case", "does", "meet all conditions", "meets all conditions"),
        Clause("the request", "does", "pass", "passes"), Clause("the answer", "is", "a yes by these conditions")]
    refused = [Clause(thing, "does", "have to be refused", "has to be refused"), Clause("the case", "does", "miss a condition", "misses a condition"),
        Clause("the request", "does", "fail", "fails"), Clause("the request", "is", "to be turned down"), Clause("the answer", "is", "a no by these conditions")]
    lead = f"{rule} " if asked else ""
    out = ask_pair(g, yes, no, g.pick(granted), 0) if g.coin() else ask_pair(g, no, yes, g.pick(refused), 0)
    if g.coin(0.5):
        a, d = g.pick([("approve", "reject"), ("grant", "refuse"), ("accept", "turn_down"), ("go", "no_go")])
        question = g.pick(["What is to be decided?", "What follows from the conditions?", "How should the case be settled?", "Which decision is right?", "What is the outcome?"])
        options = {a: "all conditions hold", d: "at least one condition does not hold"}
        out += [pick_one(g, s, [question], options, k, pair=1) for s, k in ((yes, a), (no, d))]
    if g.coin(0.5):
        # How many of the conditions hold, and which one fails.
        short = [k.replace("_", " ") for k, *_ in chosen]
        other = g.other(range(len(chosen)), fail)
        no2 = state([bad[i] if i == other else v for i, v in enumerate(good)])
        question = g.pick(["Which condition is not met?", "Where does the case fail?", "What stands in the way?", "What is the reason to refuse it?"])
        out += [pick_one(g, s, [question], short, k, pair=2) for s, k in ((no, short[fail]), (no2, short[other]))]
    return [{**r, "instructions": lead + r["instructions"]} for r in out]


FAMILIES = {f.__name__: f for f in (within_budget, in_time, left_over, service_level, age_terms, enough, fits, less_wins, more_wins, trade_off, changed, between, decision)}
