"""Thresholds, dates and rules, their answers computed."""
from datetime import date, timedelta

from clauses import ask_both, ask_pair, cap, Clause, scale
from .systems import both, choose, choose_pair, mixer, noise, twins, writer

# subject, verb (None: "is"), key, unit, low, high, decimals
AMOUNTS = [("the load", "weigh", "weight", "kg", 12, 900, 0), ("the ticket", "cost", "price", "euros", 4, 95, 2), ("the temperature of the milk", None, "temperature", "°C", 2, 30, 1), ("the plank", "measure", "length", "cm", 20, 400, 0), ("the film", "last", "duration", "minutes", 20, 200, 0), ("the tank", "hold", "content", "litres", 10, 800, 0),
           ("the discount", None, "discount", "percent", 5, 70, 0), ("the drive", "take", "driving_time", "minutes", 10, 240, 0), ("the field", "cover", "area", "hectares", 2, 90, 1), ("the file", "take up", "size", "MB", 1, 900, 0), ("the room", "measure", "floor_area", "square metres", 8, 90, 0), ("the repair", "cost", "repair_cost", "euros", 20, 900, 0),
           ("the heat of the oven", None, "oven_temperature", "°C", 60, 280, 0), ("the turnout", None, "turnout", "percent", 12, 96, 1), ("the class", "have", "size", "pupils", 8, 36, 0), ("the pump", "move", "flow", "litres a minute", 4, 90, 0), ("the bill", "come to", "total", "euros", 15, 400, 2), ("the suitcase", "weigh", "weight", "kg", 5, 40, 1),
           ("the rope", "measure", "length", "metres", 4, 90, 0), ("the deposit", None, "deposit", "euros", 50, 2000, 0), ("the share of women", None, "share", "percent", 10, 90, 0), ("the trip", "cover", "distance", "km", 20, 900, 0), ("the dose", None, "dose", "mg", 5, 500, 0), ("the video", "reach", "viewers", "viewers", 100, 9000, 0),
           ("the concert", "draw", "visitors", "visitors", 80, 900, 0), ("the wage", None, "hourly_wage", "euros an hour", 11, 60, 2), ("the harvest", "come to", "harvest", "tonnes", 3, 90, 1), ("the temperature of the fridge", None, "temperature", "°C", 1, 15, 1), ("the charge of the battery", None, "charge", "percent", 3, 99, 0), ("the fence", "measure", "height", "cm", 60, 250, 0)]
SMALLER = [("kg", "g", 1000, "the parcel", "weigh"), ("metres", "cm", 100, "the table", "measure"), ("km", "metres", 1000, "the footpath", "measure"), ("hours", "minutes", 60, "the flight", "last"), ("litres", "ml", 1000, "the jug", "hold"), ("euros", "cents", 100, "the stamp", "cost"), ("tonnes", "kg", 1000, "the trailer", "weigh"), ("minutes", "seconds", 60, "the song", "last")]


def _third(verb):
    first, *rest = verb.split()
    return " ".join([{"have": "has", "reach": "reaches"}.get(first, first + "s"), *rest])


def thresholds(g):
    """Numbers with units against a limit: one digit decides; bands as choices and as levels."""
    subject, verb, key, unit, low, high, places = g.pick(AMOUNTS)
    step = 10 ** -places
    num = lambda v: f"{v * step:.{places}f}" if places else f"{v:,}" if v > 9999 else str(v)
    lo, hi = int(low / step), int(high / step)
    limit = g.rng.randint(lo + 3, hi - 3)
    if g.coin():
        size = 10 ** g.rng.randint(1, len(str(limit)) - 1) if limit > 9 else 1
        limit = max(limit // size * size, lo + 3)
    jump = g.rng.choice([1, 1, 2, 3, 5, 10, max((hi - lo) // 8, 1)])
    form = g.rng.randint(0, 4)
    clause_of = lambda text: Clause(subject, "does", f"{verb} {text}", f"{_third(verb)} {text}") if verb else Clause(subject, "is", text)
    write, extra = writer(g), noise(g)
    value = lambda v: float(num(v)) if places else v
    told = g.pick(["{S} {is} {v} {u}.", "{S} {is} {v} {u}, as noted by {n}.", "According to {n}, {s} {is} {v} {u}.", "Note of {n}: {s} {is} {v} {u}.", "{S}: {v} {u}.", "As measured, {s} {is} {v} {u}."])
    who = g.name()
    order = mixer(g, [*extra, key, "unit", "subject"])
    tell = lambda v: write(order({**extra, "subject": subject[4:], key: value(v), "unit": unit})) if form < 2 else write(order({**extra, "subject": subject[4:], key: f"{num(v)} {unit}"})) if form == 2 else told.format(S=cap(subject), s=subject, v=num(v), u=unit, n=who, **{"is": _third(verb) if verb else "is"})
    kinds = {"over": (["over {n}", "more than {n}", "above {n}"], limit + jump, limit - g.rng.randint(0, jump)), "under": (["under {n}", "less than {n}", "below {n}"], limit - jump, limit + g.rng.randint(0, jump)), "least": (["at least {n}", "{n} or more", "no less than {n}", "not less than {n}"], limit + g.rng.randint(0, jump), limit - jump),
             "most": (["at most {n}", "{n} or less", "no more than {n}", "not more than {n}"], limit - g.rng.randint(0, jump), limit + jump), "exactly": (["exactly {n}", "precisely {n}"], limit, limit + g.rng.choice([-1, 1]) * jump)}
    kind = g.rng.choice(list(kinds))
    words, y, n = kinds[kind]
    text = g.pick(words).format(n=f"{num(limit)} {unit}")
    n, y = max(n, 0), max(y, 0)
    safe = text.startswith(("over", "more", "above", "under", "less", "below", "at ", "exactly", "precisely"))
    clause = clause_of(text)
    out = ask_pair(g, tell(y), tell(n), clause, 0, denied=None if safe else False)
    pick = g.coin()
    limit_text = f"{num(limit)} {unit}"
    if kind == "exactly":
        out += both(g, tell(y if pick else n), [f"Is the value exactly {limit_text}?", f"The figure is {limit_text}, no more and no less."], [f"Is the value different from {limit_text}?", f"The figure differs from {limit_text}."], pick)
    else:
        against = {"over": ["at most {}", "{} or less"], "under": ["at least {}", "{} or more"], "least": ["below {}", "less than {}"], "most": ["above {}", "more than {}"]}[kind]
        out += both(g, tell(y if pick else n), [f"The figure is {text}.", f"Is the figure {text}?"], [f"The figure is {g.rng.choice(against).format(limit_text)}.", f"Is the figure {g.rng.choice(against).format(limit_text)}?"], pick)
    deal = g.rng.randint(0, 4)
    if deal <= 1:
        a = g.rng.randint(lo + 2, lo + (hi - lo) // 3)
        width = max(g.rng.choice([10, 20, 25, 50, 100, (hi - lo) // 4]), 4)
        cuts = [a, a + width, a + 2 * width][: g.rng.randint(2, 3)]
        t = lambda v: num(v)
        names = [f"less than {t(cuts[0])} {unit}"] + [f"from {t(p)} to less than {t(q)} {unit}" for p, q in zip(cuts, cuts[1:])] + [f"{t(cuts[-1])} {unit} or more"]
        band = lambda v: sum(v >= x for x in cuts)
        inside = lambda k: g.rng.choice([max(cuts[0] - 1, 0), g.rng.randint(min(lo, cuts[0] - 1), cuts[0] - 1)]) if k == 0 else g.rng.choice([cuts[-1], g.rng.randint(cuts[-1], cuts[-1] + width)]) if k == len(cuts) else g.rng.choice([cuts[k - 1], cuts[k] - 1, g.rng.randint(cuts[k - 1], cuts[k] - 1)])
        i, j = g.rng.sample(range(len(names)), 2)
        v, w = inside(i), inside(j)
        if deal:
            return out + [scale(g, tell(v), ["Into which band does the value fall?", "How high is the figure?", f"Which range holds for the {key.replace('_', ' ')}?"], names, band(v))]
        tags = g.pick([["low", "medium", "high", "very high"], ["S", "M", "L", "XL"], ["band 1", "band 2", "band 3", "band 4"], ["green", "yellow", "orange", "red"], ["cheap rate", "normal rate", "raised rate", "top rate"]])[: len(names)]
        if g.coin():
            legend = "; ".join(f"{k}: {d}" for k, d in zip(tags, names))
            states = [({"bands": dict(zip(tags, names)), "case": tell(x)}, tags[band(x)]) for x in (v, w)] if g.coin() else [(f"Bands: {legend}. " + told.format(S=cap(subject), s=subject, v=num(x), u=unit, n=who, **{"is": _third(verb) if verb else "is"}), tags[band(x)]) for x in (v, w)]
            return out + choose_pair(g, states, ["Which band is it?", "Sort the value into a band.", "Pick the band."], tags)
        return out + choose_pair(g, [(tell(v), names[band(v)]), (tell(w), names[band(w)])], ["Into which range does the figure fall?", "Which range is right?", "Pick the range."], names)
    if deal == 2:
        width = g.rng.choice([3, 5, 10, 20, max((hi - lo) // 6, 3)])
        a, z = limit, limit + width
        inside, outside = g.rng.randint(a + 1, z - 1), g.rng.choice([max(a - g.rng.randint(1, 9), 0), z + g.rng.randint(1, 9)])
        span = f"{num(a)} and {num(z)} {unit}"
        return out + twins(g, tell(inside), tell(outside), [f"Does the figure lie between {span}?", f"The figure is between {span}.", f"Is it within the range from {num(a)} to {num(z)} {unit}?"], 2, [f"Is the figure outside the range from {num(a)} to {num(z)} {unit}?", f"The figure does not lie between {span}."])
    if deal == 3:
        big, small, factor, thing, verb2 = g.pick(SMALLER)
        base = g.rng.randint(2, 9)
        up = g.coin()
        x, z = base * factor + g.rng.choice([1, 5, factor // 10, factor // 2]), base * factor - g.rng.choice([1, 5, factor // 10, factor // 2])
        say = lambda q: f"{cap(thing)} {_third(verb2)} {q} {small}." if form > 2 else write({"subject": thing[4:], "value": q, "unit": small, **extra})
        clause = Clause(thing, "does", f"{verb2} {(w := g.pick(['more than', 'over']) if up else g.pick(['less than', 'under']))} {base} {big}", f"{_third(verb2)} {w} {base} {big}")
        return out + ask_pair(g, say(x if up else z), say(z if up else x), clause, 2)
    rule, keep, broken = g.pick([("The limit for this is {n}; more is not accepted.", False, "limit"), ("It must not exceed {n}.", False, "limit"), ("No more than {n} is permitted.", False, "limit"), ("The minimum is {n}; less is not accepted.", True, "minimum"), ("It has to be {n} or more.", True, "minimum"), ("Anything below {n} is rejected.", True, "minimum")])
    rule = rule.format(n=limit_text)
    good, bad = (limit + g.rng.randint(0, jump), max(limit - jump, 0)) if keep else (max(limit - g.rng.randint(0, jump), 0), limit + jump)
    state = lambda v: {"rule": rule, "case": tell(v)} if form < 3 else f"{rule} {tell(v)}"
    out += twins(g, state(good), state(bad), ["Is the rule kept?", "Does the value comply?", f"Is the {key.replace('_', ' ')} acceptable?", "The value is in order."], 2, ["Is the rule broken?", "Does the value have to be turned down?", "The value violates the rule."])
    return out + choose_pair(g, [(state(good), "accept"), (state(bad), "reject")], ["What follows?", "Decide.", "How is the case to be handled?"], {"accept": "The rule is kept", "reject": "The rule is broken"}, 3)


DATED = [("the passport", "expiry"), ("the voucher", "expiry"), ("the medicine", "expiry"), ("the yoghurt", "expiry"), ("the licence", "expiry"), ("the certificate", "expiry"), ("the season ticket", "expiry"), ("the domain", "expiry"), ("the insurance", "expiry"), ("the vaccine batch", "expiry"), ("the visa", "expiry"), ("the warranty", "expiry"),
         ("the invoice", "due"), ("the essay", "due"), ("the rent", "due"), ("the tax form", "due"), ("the report", "due"), ("the loan payment", "due"), ("the order form", "due"), ("the homework", "due"), ("the registration", "due"), ("the feed delivery", "due"), ("the proofs", "due"), ("the player list", "due")]
DAY_FORMS = [lambda d: d.isoformat(), lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}, {d.year}", lambda d: f"{d.day} {d:%b} {d.year}", lambda d: f"{d:%A}, {d.day} {d:%B} {d.year}"]
WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
SHOPS = ["the bakery", "the pharmacy", "the clinic", "the ticket office", "the farm shop", "the garage", "the customs desk", "the box office", "the bank", "the florist", "the recycling yard", "the help desk", "the warehouse gate", "the school office", "the vet", "the hardware store"]
SINCE = [("Goods may be returned within {n} days of purchase.", "bought", "The goods were bought on {d}.", "return"), ("A complaint must be sent within {n} days of delivery.", "delivered", "The delivery came on {d}.", "complaint"), ("The exam can be taken again within {n} days of the first try.", "first_try", "The first try was on {d}.", "second try"),
         ("Claims are accepted up to {n} days after the accident.", "accident", "The accident happened on {d}.", "claim"), ("The contract can be revoked within {n} days of signing.", "signed", "The contract was signed on {d}.", "revocation"), ("Expenses must be handed in within {n} days of the trip's end.", "trip_end", "The trip ended on {d}.", "expense sheet"),
         ("The wound must be checked within {n} days of the operation.", "operation", "The operation was on {d}.", "check"), ("A result can be contested within {n} days of the match.", "match", "The match was played on {d}.", "protest"), ("The deposit is paid back if the key is returned within {n} days of moving out.", "moved_out", "The tenant moved out on {d}.", "key"), ("Samples must be tested within {n} days of being taken.", "taken", "The sample was taken on {d}.", "test")]


def schedules(g):
    """Expiry, overdue, within so many days, weekdays, opening hours."""
    kind, write, extra, fmt = g.rng.randint(0, 3), writer(g), noise(g), g.pick(DAY_FORMS)
    d = date(g.rng.randint(2021, 2029), g.rng.randint(1, 12), g.rng.randint(1, 28))
    if kind == 0:
        thing, sort = g.pick(DATED)
        expiry = sort == "expiry"
        key = g.pick(["valid_until", "expires_on", "good_until"]) if expiry else g.pick(["due_date", "due_on", "deadline"])
        sent = g.pick(["{S} is valid until {d}. Today is {t}.", "Today is {t}. {S} can be used until {d}.", "It is {t} now; the last day on which {s} can be used is {d}."] if expiry else ["{S} is due on {d}. Today is {t}, and it has not come in.", "Today is {t}. {S} was to arrive by {d} and is still missing.", "It is {t} now. {S}, due on {d}, has not been handed in."])
        shape = g.coin()
        tell = lambda t: write({**extra, "item": thing[4:], "today": fmt(t), key: fmt(d), **({} if expiry else {"received": False})}) if shape else sent.format(S=cap(thing), s=thing, d=fmt(d), t=fmt(t))
        gap = g.rng.choice([1, 1, 2, 5, 9, 30, 31, 365])
        late, early = d + timedelta(days=gap), d - timedelta(days=g.rng.choice([1, 2, 6, 20, 31, 360]))
        clause = Clause(thing, *(("has", "expired") if expiry else ("is", "overdue")))
        out = ask_pair(g, tell(late), tell(early), clause)
        past = g.coin()
        out += both(g, tell(late if past else early), ["Is it too late?", f"The date for {thing} has passed."], ["Is there still time?", f"The date for {thing} has not passed yet."], past)
        gaps = [g.rng.randint(1, 40), -g.rng.randint(1, 7), -g.rng.randint(8, 30), -g.rng.randint(31, 200)]
        names = ["expired" if expiry else "overdue", "at most 7 days left", "8 to 30 days left", "more than 30 days left"]
        if g.coin(0.4):
            i = g.rng.randint(0, 3)
            return out + [scale(g, tell(d + timedelta(days=gaps[i])), [f"How much time is left for {thing}?", f"How does {thing} stand?", "How far off is the date?"], names, i)]
        if g.coin():
            i, j = g.rng.sample(range(4), 2)
            return out + choose_pair(g, [(tell(d + timedelta(days=gaps[i])), names[i]), (tell(d + timedelta(days=gaps[j])), names[j])], [f"How does {thing} stand?", "How much time is left?", "Which is right?"], names)
        n = g.rng.randint(2, 25)
        return out + choose(g, tell(d - timedelta(days=n)), [f"How many days from today to the date of {thing}?", "How many days are left until the date?"], {n, n + 1, n + g.rng.choice([3, 7, 10]), max(n - g.rng.choice([2, 3]), 0)}, n)
    if kind == 1:
        rule, key, sent, what = g.pick(SINCE)
        n = g.rng.choice([7, 10, 14, 21, 28, 30, 60])
        inside, outside = g.rng.choice([n - 1, n - 2, g.rng.randint(1, n - 3)]), g.rng.choice([n + 1, n + 2, n + g.rng.randint(3, 40)])
        shape = g.rng.randint(0, 2)
        tell = lambda days: [f"{rule.format(n=n)} {sent.format(d=fmt(d))} Today is {fmt(d + timedelta(days=days))}.", {"rule": rule.format(n=n), "case": write({**extra, key: fmt(d), "today": fmt(d + timedelta(days=days))})}, {"rule": rule.format(n=n), "facts": f"{sent.format(d=fmt(d))} It is now {fmt(d + timedelta(days=days))}."}][shape]
        out = twins(g, tell(inside), tell(outside), [f"Is the {what} still in time today?", f"Is today within the {n} days?", f"The {what} would be in time today.", f"Does the {what} keep to the time limit if it is done today?"], 0, [f"Is it too late today for the {what}?", f"Have the {n} days run out?", f"The {what} would come too late today."])
        v = g.coin()
        out += both(g, tell(inside if v else outside), [f"Would the {what} be in time today?"] * 2 + ["The time limit still runs."], ["The time limit is over.", f"Would the {what} be late today?"], v)
        return out + choose_pair(g, [(tell(inside), "in_time"), (tell(outside), "too_late")], ["Which holds today?", f"How does the {what} stand?"], {"in_time": "The time limit has not run out", "too_late": "The time limit has run out"})
    if kind == 2:
        shop = g.pick(SHOPS)
        i = g.rng.randint(0, 2)
        j = g.rng.randint(i + 2, 5)
        o, c = g.rng.randint(6, 10), g.rng.randint(14, 21)
        shut = g.coin(0.4)
        shape = g.rng.randint(0, 2)
        hours = f"{o}:00 to {c}:00"
        sent = g.pick(["{S} is open from {a} to {z}, {h}, and closed on all other days.", "Opening hours of {s}: {a} to {z}, {h}. On other days it stays shut.", "From {a} to {z} {s} opens at {o}:00 and closes at {c}:00; there is no service on other days."]).format(S=cap(shop), s=shop, a=WEEK[i], z=WEEK[j], h=hours, o=o, c=c)
        clock = lambda h: f"{h}:{minute:02d}"
        minute = g.rng.choice([5, 10, 15, 20, 30, 45, 50])
        tell = lambda day, h: [f"{sent} It is {WEEK[day]}, {clock(h)}.", write({"place": shop[4:], "opening_hours": {"days": f"{WEEK[i]} to {WEEK[j]}", "from": f"{o}:00", "to": f"{c}:00"}, "now": f"{WEEK[day]} {clock(h)}", **extra}), {"notice": sent, "now": f"{WEEK[day]} {clock(h)}"}][shape]
        day, h = g.rng.randint(i, j), g.rng.randint(o, c - 1)
        off = g.rng.choice([x for x in range(7) if not i <= x <= j])
        bad = (off, h) if shut else (day, g.rng.choice([o - 1, o - 2, c, c + 1]))
        clause = Clause(shop, "is", g.rng.choice(["open now", "open at this moment", "open at present"]))
        yes, no = tell(day, h), tell(*bad)
        out = ask_pair(g, yes, no, clause)
        v = g.coin()
        out += ask_both(g, yes if v else no, clause, v, 0, Clause(shop, "is", "closed now"))
        early, after = (day, g.rng.randint(max(o - 4, 1), o - 1)), (day, g.rng.randint(c, 23))
        options = {"open": "It is open now", "not_yet": "It opens later today", "closed_for_today": "It was open today and has closed", "closed_day": "It does not open at all today"}
        cases = [(tell(day, h), "open"), (tell(*early), "not_yet"), (tell(*after), "closed_for_today"), (tell(off, h), "closed_day")]
        return out + choose_pair(g, g.rng.sample(cases, 2), [f"How is it with {shop}?", "Which holds now?", f"What does somebody find who comes to {shop} now?"], options)
    n = g.rng.choice([3, 5, 7, 10, 14, 20, 30, 45])
    what, verb = g.pick([("the course", "starts"), ("the show", "opens"), ("the harvest", "begins"), ("the sale", "starts"), ("the flight", "leaves"), ("the surgery", "takes place"), ("the move", "takes place"), ("the broadcast", "airs"), ("the stocktaking", "takes place"), ("the tournament", "begins"), ("the upgrade", "runs"), ("the term", "begins")])
    shape = g.coin()
    tell = lambda x: write({**extra, "event": what[4:], "date": fmt(x), "weekday": f"{x:%A}", "today": fmt(d)}) if shape else f"Today is {fmt(d)}. {cap(what)} {verb} on {x:%A}, {x.day} {x:%B} {x.year}."
    near, far = d + timedelta(days=g.rng.choice([1, n - 1, g.rng.randint(1, n - 1)])), d + timedelta(days=g.rng.choice([n + 1, n + 3, n + g.rng.randint(2, 60)]))
    out = twins(g, tell(near), tell(far), [f"Is {what} less than {n} days away?", f"From today it is fewer than {n} days until {what} {verb}.", f"Are there fewer than {n} days between today and {what}?"], 0, [f"Is {what} more than {n} days away?", f"From today it is more than {n} days until {what} {verb}."])
    work, rest = (d + timedelta(days=k + 7) for k in ((0 - d.weekday()) % 7 + g.rng.randint(0, 4), (5 - d.weekday()) % 7 + g.rng.randint(0, 1)))
    out += twins(g, tell(rest), tell(work), [f"Does the date of {what} fall on a weekend?", f"Is the date of {what} a Saturday or a Sunday?"], 1, [f"Is the date of {what} a weekday from Monday to Friday?", f"The date of {what} falls on a working day, Monday to Friday."])
    x, z = d + timedelta(days=g.rng.randint(7, 13)), d + timedelta(days=g.rng.randint(14, 20))
    if x.weekday() != z.weekday():
        out += choose_pair(g, [(tell(x), f"{x:%A}"), (tell(z), f"{z:%A}")], [f"Which weekday is the date of {what}?", f"On which day of the week is {what}?"], {w: None for w in {f"{x:%A}", f"{z:%A}", *g.rng.sample(WEEK, 2)}}, 2)
    v = g.coin()
    return out + both(g, tell(rest if v else work), ["It is on a weekend.", f"Is {what} on a Saturday or Sunday?"], ["It is not on a weekend.", f"Is {what} on one of the days from Monday to Friday?"], v)


# key, condition (singular), told when so, told when not so
TRAITS = [("resident", "lives in the district", "lives in the district", "lives outside the district"), ("licence", "holds a driving licence", "holds a driving licence", "holds no driving licence"), ("trained", "has finished the training", "has finished the training", "has not finished the training"), ("employed", "has a job", "has a job", "is out of work"),
          ("student", "is a student", "is a student", "is not a student"), ("referral", "has a referral from a doctor", "has a referral from a doctor", "has no referral"), ("insured", "is insured", "is insured", "is not insured"), ("has_children", "has children", "has children", "has no children"), ("first_application", "applies for the first time", "applies for the first time", "has applied before"),
          ("form_signed", "has signed the form", "has signed the form", "has not signed the form"), ("own_land", "owns land", "owns land", "owns no land"), ("team_member", "plays in a team", "plays in a team", "plays in no team"), ("press_card", "carries a press card", "carries a press card", "carries no press card"), ("veteran", "is a veteran", "is a veteran", "is not a veteran"),
          ("income_proof", "has shown proof of income", "has shown proof of income", "has shown no proof of income"), ("swims", "can swim", "can swim", "cannot swim")]
SCALED = [("age", "is at least {n} years old", "is {v} years old", [16, 18, 21, 25, 60]), ("years_employed", "has worked there for at least {n} years", "has worked there for {v} years", [2, 3, 5, 10]), ("score", "scored at least {n} points", "scored {v} points", [40, 50, 60, 75]), ("savings", "has savings of at least {n} euros", "has savings of {v} euros", [500, 1000, 3000]),
          ("hours_volunteered", "has volunteered for at least {n} hours", "has volunteered for {v} hours", [10, 20, 50]), ("distance_km", "travels at least {n} km to work", "travels {v} km to work", [10, 20, 30]), ("hectares", "farms at least {n} hectares", "farms {v} hectares", [3, 5, 12]), ("matches", "has played at least {n} matches", "has played {v} matches", [5, 8, 15])]
BARS = [("suspended", "is suspended", "is suspended", "is not suspended"), ("in_debt", "owes the office money", "owes the office money", "owes the office nothing"), ("on_leave", "is on leave", "is on leave", "is not on leave"), ("warned", "has been warned", "has been warned", "has never been warned"), ("under_investigation", "is under investigation", "is under investigation", "is not under investigation"),
        ("has_fever", "has a fever", "has a fever", "has no fever"), ("already_funded", "is already funded", "is already funded", "is not funded yet"), ("cancelled_twice", "has cancelled twice", "has cancelled twice", "has never cancelled"), ("data_missing", "has left data out", "has left data out", "has given all data")]
GRANTS = ["the grant", "the reduced fare", "a council flat", "a guest visa", "the night shift bonus", "a study place", "the heating allowance", "a loan of tools", "a stall at the market", "a press seat", "the early check-in", "a home office day", "a place in the camp", "the seed subsidy", "a season card", "the fuel rebate",
          "a second opinion", "a van for the day", "the sports scholarship", "an allotment", "a cabin on deck two", "the family tariff", "remote access", "a spot in the trial"]
POLICIES = [("Whoever {p} and {q} gets {o}. Nobody else does.", "and"), ("{O} is given to people of whom both is true: the person {p}; the person {q}.", "and"), ("An applicant gets {o} only if he or she {p} and also {q}; more is not needed.", "and"), ("{O} is granted when the applicant {p} and {q}, and refused in all other cases.", "and"), ("Without exception, {o} needs two things: that the applicant {p} and that the applicant {q}. That is all it needs.", "and"),
            ("Whoever {p} or {q} gets {o}. Nobody else does.", "or"), ("{O} is granted if the applicant {p}, if the applicant {q}, or both; otherwise it is refused.", "or"), ("One of two things is enough for {o}: that the applicant {p}, or that the applicant {q}. Anyone else is refused.", "or"), ("{O} is refused exactly to those applicants of whom neither is true: that the applicant {p}, that the applicant {q}. All others get it.", "or"), ("An applicant gets {o} if at least one is so: the applicant {p}; the applicant {q}. If neither is so, the answer is no.", "or"),
            ("Every applicant who {p} gets {o}, unless the applicant {r}. All others are refused.", "but"), ("{O} is given to everyone who {p}, except for people of whom it is true that one {r}; nobody else gets it.", "but"), ("An applicant who {p} gets {o}, but not if he or she {r}. Other applicants get nothing.", "but"), ("{O} goes only to applicants of whom one can say: the applicant {p}. Who {r} is excluded even then; the rest are admitted.", "but"),
            ("Whoever {p} and {q} gets {o}, unless the person {r}. Nobody else gets it.", "and_but"), ("{O} is granted if the applicant {p} and {q}, but never to anyone who {r}; otherwise it is refused.", "and_but"), ("{O} is granted if the applicant {p} or {q}, but never to anyone who {r}; otherwise it is refused.", "or_but"), ("It takes one of two things to get {o}: that the applicant {p} or that the applicant {q}. But whoever {r} is refused in any case.", "or_but"),
            ("Every applicant gets {o}, unless the applicant {r}.", "not"), ("{O} is open to all applicants except those of whom one must say: the applicant {r}.", "not"), ("Whoever {r} is refused {o}. All other applicants get it.", "not")]
LOGIC = {"and": lambda p, q, r: p and q, "or": lambda p, q, r: p or q, "but": lambda p, q, r: p and not r, "and_but": lambda p, q, r: p and q and not r, "or_but": lambda p, q, r: (p or q) and not r, "not": lambda p, q, r: not r}
USES = {"and": "pq", "or": "pq", "but": "pr", "and_but": "pqr", "or_but": "pqr", "not": "r"}


def policies(g):
    """A policy of two or three conditions (and, or, unless, only if, except) applied to a person."""
    one, two, bar = *g.rng.sample(TRAITS, 2), g.pick(BARS)
    o, who, write, extra = g.pick(GRANTS), g.name(), writer(g, "applicant"), noise(g)
    if g.coin(0.6):
        key, cond, said, limits = g.pick(SCALED)
        n = g.rng.choice(limits)
        up, down = n + g.rng.choice([0, 1, 2, n // 3 + 1]), n - g.rng.choice([1, 2, max(n // 3, 1)]) if n > 2 else 1
        two = (key, cond.format(n=n), (said.format(v=up), up), (said.format(v=down), down) if down != 1 else (said.format(v=1).replace("years", "year").replace("hectares", "hectare"), 1))
    conds = {"p": one, "q": two, "r": bar}
    if g.coin():
        conds["p"], conds["q"] = conds["q"], conds["p"]
    form, logic = g.pick(POLICIES)
    keys, ok = USES[logic], LOGIC[logic]
    rule = form.format(o=o, O=cap(o), **{k: c[1] for k, c in conds.items()})
    if g.coin(0.3):
        rule = {"benefit": o, **({"all_of": [conds[k][1] for k in keys if k != "r"]} if logic in ("and", "and_but", "but") else {"any_of": [conds[k][1] for k in "pq"]} if logic in ("or", "or_but") else {"open_to": "everyone"}), **({"never_if": conds["r"][1]} if "r" in keys else {}), "otherwise": "refuse" if logic != "not" else "grant"}
    words = lambda c, v: (c[2] if v else c[3]) if isinstance(c[2], str) else (c[2] if v else c[3])[0]
    plain = lambda c, v: v if isinstance(c[2], str) else (c[2] if v else c[3])[1]
    shown = list(keys) + ([g.rng.choice([k for k in "pqr" if k not in keys])] if len(keys) < 3 and g.coin() else [])
    g.rng.shuffle(shown)
    shape = g.rng.randint(0, 2)

    def tell(f):
        facts = f"{who} {g.join([words(conds[k], f[k]) for k in shown])}."
        if shape == 0 and isinstance(rule, str):
            return f"{rule} {facts}"
        return {"policy": rule, "case": facts} if shape == 1 else write({"policy": rule, "applicant": {"name": who, **extra, **{conds[k][0]: plain(conds[k], f[k]) for k in shown}}})

    def draw():
        while True:
            f = {k: g.coin() for k in "pqr"}
            turns = [k for k in keys if ok(**{**f, k: not f[k]}) != ok(**f)]
            if turns:
                k = g.rng.choice(turns)
                t = {**f, k: not f[k]}
                return (f, t) if ok(**f) else (t, f)

    yes, no = draw()
    clause = g.rng.choice([Clause(who, "does", f"get {o}", f"gets {o}"), Clause(who, "is", f"entitled to {o}"), Clause(who, "does", f"qualify for {o}", f"qualifies for {o}"), Clause(who, "can", f"have {o}")])
    out = ask_pair(g, tell(yes), tell(no), clause)
    yes, no = draw()
    v = g.coin()
    out += ask_both(g, tell(yes if v else no), clause, v, 0, Clause(who, "must", f"be refused {o}"))
    if g.coin():
        return out + choose_pair(g, [(tell(yes), "grant"), (tell(no), "refuse")], ["Decide the case.", f"What is the answer to {who}?", "Apply the policy.", "What follows from the policy?"], g.rng.choice([{"grant": "The policy is met", "refuse": "The policy is not met"}, {"grant": None, "refuse": None}]))
    p, q = conds["p"], conds["q"]
    rule = g.pick(["Whoever {p} and {q} gets {o} at once. If only one of the two is so, a manager has to approve it. If neither is so, it is refused.", "{O}: allowed if the applicant {p} and {q}; subject to approval if exactly one of these is true; refused if none is.", "Two questions are put for {o}: is it so that the applicant {p}, and that the applicant {q}? Two times yes means allow, one yes means ask for approval, no yes means deny."]).format(o=o, O=cap(o), p=p[1], q=q[1])
    shown = [k for k in shown if k != "r"] + [k for k in "pq" if k not in shown]
    options = {"allow": "Both conditions are met", "needs_approval": "One condition is met", "deny": "No condition is met"}
    x, z = g.rng.sample(range(3), 2)
    case = lambda n: tell({"p": n == 0 or n == 1 and turn, "q": n == 0 or n == 1 and not turn, "r": False})
    turn, names = g.coin(), list(options)
    if g.coin(0.3):
        return out + [scale(g, case(x), ["How far does the applicant get?", "What does the policy lead to?"], ["deny", "needs approval", "allow"], 2 - x)]
    return out + choose_pair(g, [(case(x), names[x]), (case(z), names[z])], ["Decide the case.", "What does the policy say?", f"What happens with the application of {who}?"], options)


PEOPLE = [("members of the club", "member", "is a member of the club", "is not a member of the club"), ("pensioners", "pensioner", "is a pensioner", "is not a pensioner"), ("students", "student", "is a student", "is not a student"), ("people in uniform", "uniform", "is in uniform", "is not in uniform"), ("contractors", "contractor", "is a contractor", "is not a contractor"),
          ("people with a guest pass", "guest_pass", "has a guest pass", "has no guest pass"), ("trainees", "trainee", "is a trainee", "is not a trainee"), ("people on the night shift", "night_shift", "is on the night shift", "is not on the night shift"), ("volunteers", "volunteer", "is a volunteer", "is not a volunteer"), ("holders of a gold card", "gold_card", "holds a gold card", "holds no gold card"),
          ("people on crutches", "crutches", "is on crutches", "is not on crutches"), ("first-time visitors", "first_visit", "is there for the first time", "has been there before"), ("journalists", "journalist", "is a journalist", "is not a journalist"), ("people with a warning on file", "warning_on_file", "has a warning on file", "has no warning on file"), ("people who come with a guide", "guide", "comes with a guide", "comes without a guide"),
          ("nurses", "nurse", "is a nurse", "is not a nurse"), ("farmers", "farmer", "is a farmer", "is not a farmer"), ("people with a medical certificate", "medical_certificate", "has a medical certificate", "has no medical certificate")]
DEEDS = ["feed the goats", "take photographs in the hall", "walk across the field", "use the goods lift", "fly a drone over the site", "light a fire on the beach", "fish in the harbour", "sleep in the break room", "sit in the front row", "enter the cold store", "ride along in the van", "drink from the well", "log in from abroad", "speak at the assembly", "pick apples", "play music in the yard", "visit after eight", "swim in the lake"]
DUTIES = ["pay the entrance fee", "wear a helmet", "sign in at the gate", "show an identity card", "leave the phone outside", "wash the boots", "fill in the form", "attend the briefing", "take the test", "pay customs duty", "join the queue", "hand in a report", "wear a badge", "stay until noon"]


def precedence(g):
    """Prohibitions and duties, exceptions to exceptions, and rules of which the earlier or the later wins."""
    who, duty, write, extra = g.name(), g.coin(0.35), writer(g, "person"), noise(g)
    do = g.pick(DUTIES if duty else DEEDS)
    a, c, d = g.rng.sample(PEOPLE, 3)
    shape = g.rng.randint(0, 2)
    keys = g.rng.choice([[a, c], [a, c, d], [a, c, d]])
    clause = Clause(who, "does", f"have to {do}", f"has to {do}") if duty else g.rng.choice([Clause(who, "may", do), Clause(who, "is", f"allowed to {do}")])
    spread = keys[:]
    g.rng.shuffle(spread)

    def tell(rule, f):
        facts = g.join([p[2] if f[p[1]] else p[3] for p in spread])
        return [f"{rule} {who} {facts}." if isinstance(rule, str) else {"rules": rule, "case": f"{who} {facts}."}, {"rules": rule, "case": f"{who} {facts}."}, write({"rules": rule, "person": {"name": who, **extra, **{p[1]: f[p[1]] for p in spread}}})][shape]

    if g.coin():
        base = g.coin() if not duty else True
        start = f"Everyone has to {do}." if duty else g.pick([f"Everyone may {do}.", f"It is allowed to {do}."] if base else [f"Nobody may {do}.", f"It is forbidden to {do}."])
        if duty or not base:
            first = g.pick(["Exempt from this are {x}.", "This does not apply to {x}.", "{X} are exempt.", "The only exception is made for {x}."])
        else:
            first = g.pick(["This does not apply to {x}.", "{X} are excluded from this.", "The only ones who may not are {x}."])
        second = g.pick(["The exception does not cover {x}: for them the first rule holds again.", "But for {x}, the exception does not count.", "{X} cannot make use of this exception; the first rule holds for them.", "For {x}, though, this exception is void and the first rule applies."])
        third = g.pick(["The previous sentence is not applied to {x}; they keep the exception.", "But {x} keep the exception even so."])
        if base and not duty:
            second = g.pick(["The exclusion does not cover {x}: for them the first rule holds again.", "But for {x}, this exclusion does not count."])
            third = g.pick(["The previous sentence is not applied to {x}; they stay excluded.", "But {x} stay excluded even so."])
        rule = " ".join([start] + [t.format(x=p[0], X=cap(p[0])) for t, p in zip((first, second, third), keys)])

        def outcome(f):
            depth = 0
            for p in keys:
                if not f[p[1]]:
                    break
                depth += 1
            return base if depth % 2 == 0 else not base

        sorts = [rule]
    else:
        default, told = g.coin(), g.coin(0.3)
        verdicts = [g.coin() for _ in keys]
        if len(set(verdicts)) == 1:
            verdicts[g.rng.randint(0, len(keys) - 1)] = not verdicts[0]
        later = g.coin()
        say = (lambda p, v: f"{cap(p[0])} have to {do}." if v else f"{cap(p[0])} do not have to {do}.") if duty else (lambda p, v: f"{cap(p[0])} may {do}." if v else f"{cap(p[0])} may not {do}.")
        rest = ["Whoever no rule covers " + (("has to " if default else "does not have to ") if duty else ("may " if default else "may not ")) + do + "."][0]
        wins = {True: g.pick(["Where two rules clash, the later one wins.", "If several rules apply, the last of them decides.", "A later rule overrides an earlier one."]), False: g.pick(["Where two rules clash, the earlier one wins.", "If several rules apply, the first of them decides.", "An earlier rule overrides a later one."])}
        marks = g.rng.choice([["Rule 1:", "Rule 2:", "Rule 3:"], ["1.", "2.", "3."], ["(a)", "(b)", "(c)"], ["First,", "Second,", "Third,"]])
        low = lambda t: t[:1].lower() + t[1:] if marks[0] == "First," else t

        def make(x):
            if told:
                return {"rules": [{"who": p[0], do.replace(" ", "_"): ("required" if v else "not required") if duty else ("allowed" if v else "forbidden")} for p, v in zip(keys, verdicts)], "all_others": ("required" if default else "not required") if duty else ("allowed" if default else "forbidden"), "conflict": wins[x]}
            return " ".join([f"{m} {low(say(p, v))}" for m, p, v in zip(marks, keys, verdicts)] + [rest, wins[x]])

        def outcome(f, x=None):
            hits = [v for p, v in zip(keys, verdicts) if f[p[1]]]
            return hits[-1 if (later if x is None else x) else 0] if hits else default

        rule = make(later)
        sorts = [make(True), make(False)]

    def draw():
        while True:
            f = {p[1]: g.coin(0.6) for p in keys}
            turns = [k for k in f if outcome({**f, k: not f[k]}) != outcome(f)]
            if turns:
                k = g.rng.choice(turns)
                t = {**f, k: not f[k]}
                return (f, t) if outcome(f) else (t, f)

    yes, no = draw()
    out = ask_pair(g, tell(rule, yes), tell(rule, no), clause)
    if len(sorts) == 2:
        f = {p[1]: True for p in keys}
        if outcome(f, True) != outcome(f, False):
            late, soon = (tell(s, f) for s in sorts)
            out += ask_pair(g, *((late, soon) if outcome(f, True) else (soon, late)), clause, 1)
    yes, no = draw()
    v = g.coin()
    out += ask_both(g, tell(rule, yes if v else no), clause, v)
    options = g.rng.choice([{"required": None, "not_required": None}, {"must": f"The person has to {do}", "exempt": f"The person does not have to {do}"}] if duty else [{"allowed": None, "forbidden": None}, {"may": f"The person may {do}", "may_not": f"The person may not {do}"}])
    k = list(options)
    return out + choose_pair(g, [(tell(rule, yes), k[0]), (tell(rule, no), k[1])], [f"What do the rules say about {who}?", "Apply the rules.", f"What holds for {who}?", "Decide by the rules."], options, 2)


# case, destinations, categories (field, sentence, values), conditions (key, condition, true, false, told when so, told when not so)
ROUTES = [("ticket", ["the network team", "the billing desk", "the night crew", "the vendor", "the first-line desk", "the account managers"], ("topic", "it is about {}", ["routers", "invoices", "passwords", "printers", "phones", "licences"]), [("production_down", "production is down", "production is down", "production is running"), ("vip", "the sender is a VIP", "the sender is a VIP", "the sender is no VIP"), ("contract", "the sender has a contract", "the sender has a contract", "the sender has no contract"), ("reopened", "it was reopened", "it was reopened", "it is new")]),
          ("patient", ["cardiology", "the children's ward", "the walk-in clinic", "radiology", "the day ward", "the isolation room"], ("complaint", "the complaint is {}", ["chest pain", "a rash", "a cough", "a sprained ankle", "a headache", "earache"]), [("minor", "the patient is a child", "the patient is a child", "the patient is an adult"), ("infectious", "the illness is infectious", "the illness is infectious", "the illness is not infectious"), ("referred", "a doctor has referred the patient", "a doctor has referred the patient", "no doctor has referred the patient"), ("needs_scan", "a scan is needed", "a scan is needed", "no scan is needed")]),
          ("parcel", ["ramp A", "ramp B", "the customs cage", "the cold room", "the returns desk", "the manual sorter"], ("destination", "it goes to {}", ["Lisbon", "Oslo", "Kyoto", "Quito", "Leeds", "Hanoi"]), [("frozen", "it holds frozen goods", "it holds frozen goods", "it holds nothing frozen"), ("abroad", "it goes abroad", "it goes abroad", "it stays in the country"), ("label_torn", "its label is torn", "its label is torn", "its label is intact"), ("returned", "it was sent back", "it was sent back", "it was not sent back")]),
          ("application", ["the housing office", "the tax office", "the mayor's desk", "the building board", "the front counter", "the archive"], ("matter", "it concerns {}", ["a shed", "a dog tax", "a street party", "a new flat", "a birth certificate", "a tree"]), [("objection", "it is an objection", "it is an objection", "it is not an objection"), ("company", "it comes from a company", "it comes from a company", "it comes from a private person"), ("fee_paid", "the fee is paid", "the fee is paid", "the fee is not paid"), ("incomplete", "papers are missing", "papers are missing", "no papers are missing")]),
          ("article", ["the sports desk", "the legal desk", "the picture desk", "the chief editor", "the copy desk", "the web team"], ("subject", "it is on {}", ["football", "elections", "theatre", "weather", "schools", "trains"]), [("names_people", "it accuses somebody", "it accuses somebody", "it accuses nobody"), ("exclusive", "it is exclusive", "it is exclusive", "it is not exclusive"), ("has_photos", "it comes with photos", "it comes with photos", "it comes without photos"), ("for_web_only", "it is for the web alone", "it is for the web alone", "it is for print and web")]),
          ("crate of fruit", ["the press", "the market stall", "the export hall", "the compost", "the canteen", "the jam kitchen"], ("fruit", "it holds {}", ["apples", "pears", "plums", "cherries", "quinces", "grapes"]), [("bruised", "the fruit is bruised", "the fruit is bruised", "the fruit is not bruised"), ("organic", "the fruit is organic", "the fruit is organic", "the fruit is not organic"), ("rotten", "the fruit is rotten", "the fruit is rotten", "the fruit is sound"), ("ripe", "the fruit is ripe", "the fruit is ripe", "the fruit is unripe")]),
          ("guest", ["the main house", "the annex", "the garden rooms", "the duty manager", "the tower suite", "the group desk"], ("origin", "the guest booked through {}", ["an agency", "the website", "the phone", "a partner hotel", "a fair", "an app"]), [("with_dog", "the guest has a dog", "the guest has a dog", "the guest has no dog"), ("long_stay", "the guest stays over a week", "the guest stays over a week", "the guest stays less than a week"), ("complaining", "the guest has a complaint", "the guest has a complaint", "the guest has no complaint"), ("in_group", "the guest belongs to a group", "the guest belongs to a group", "the guest travels alone")]),
          ("pupil", ["the blue group", "the red group", "the remedial course", "the head teacher", "the advanced course", "the music class"], ("language", "the chosen language is {}", ["Latin", "Polish", "Italian", "Greek", "Czech", "Arabic"]), [("new", "the pupil is new", "the pupil is new", "the pupil is not new"), ("repeats", "the pupil repeats the year", "the pupil repeats the year", "the pupil does not repeat the year"), ("plays_instrument", "the pupil plays an instrument", "the pupil plays an instrument", "the pupil plays no instrument"), ("top_marks", "the pupil has top marks", "the pupil has top marks", "the pupil has no top marks")])]


def cascades(g):
    """Routing tables and if-then-else cascades; the default branch is right as often as any other."""
    noun, places, (field, said, values), conditions = g.pick(ROUTES)
    places, write, extra, shape = g.rng.sample(places, len(places)), writer(g, noun.split()[0]), noise(g), g.rng.randint(0, 2)
    questions = ["Where does the case go?", f"Where does this {noun} go?", f"Which place is right for this {noun}?", "Follow the rules: which destination?", f"Apply the table to this {noun}.", "Which branch is taken?"]
    if g.coin(0.4):
        n = g.rng.randint(2, 4)
        listed = g.rng.sample(values, n)
        free = [v for v in values if v not in listed]
        table = dict(zip(listed, places))
        if g.coin(0.3):
            table[listed[1]] = places[0]
        default = places[n]
        rest = g.rng.choice(["default", "otherwise", "all_others", "*"])
        prose = g.rng.choice([" ".join(f"If {said.format(v)}, the {noun} goes to {p}." for v, p in table.items()) + f" Every other {noun} goes to {default}.", f"Routing of {noun} by {field}: " + "; ".join(f"{v} -> {p}" for v, p in table.items()) + f"; anything else -> {default}.", f"Any {noun} goes to {default}, with these exceptions: " + "; ".join(f"if {said.format(v)}, to {p}" for v, p in table.items()) + "."])
        tell = lambda v: [f"{prose} In this case {said.format(v)}.", {"rules": prose, "case": write({**extra, field: v})}, write({"routes": {**table, rest: default}, "case": {**extra, field: v}})][shape]
        by = {}
        for v in listed:
            by.setdefault(table[v], []).append(v)
        by[default] = free
        x, z = g.rng.sample(list(by), 2)
        a, c = tell(g.rng.choice(by[x])), tell(g.rng.choice(by[z]))
    else:
        n = g.rng.randint(2, 3)
        chain = g.rng.sample(conditions, n)
        ends = places[: n + 1]
        form = g.rng.randint(0, 3)
        prose = ["If {c0}, the {n} goes to {p0}. Otherwise, if {c1}, the {n} goes to {p1}. " + ("Otherwise, if {c2}, the {n} goes to {p2}. " if n == 3 else "") + "In all other cases the {n} goes to {d}.", "if {c0} -> {p0}; else if {c1} -> {p1}; " + ("else if {c2} -> {p2}; " if n == 3 else "") + "else -> {d}",
                 "Go through the list and stop at the first match. 1. If {c0}: {p0}. 2. If {c1}: {p1}. " + ("3. If {c2}: {p2}. " if n == 3 else "") + "No match: {d}.", "By default the {n} goes to {d}. But if {c0}, the {n} goes to {p0}; failing that, if {c1}, to {p1}" + ("; failing that, if {c2}, to {p2}." if n == 3 else ".")][form].format(
            n=noun, d=ends[-1], **{f"c{i}": c[1] for i, c in enumerate(chain)}, **{f"p{i}": p for i, p in enumerate(ends[:-1])})
        shown = chain[:]
        g.rng.shuffle(shown)
        told = lambda f: cap(g.join([c[2] if f[c[0]] else c[3] for c in shown])) + "."
        tell = lambda f: [f"{prose}{'' if prose.endswith('.') else '.'} {told(f)}", {"rules": prose, "case": told(f)}, write({"rules": prose, noun.split()[0]: {**extra, **{c[0]: f[c[0]] for c in shown}}})][shape]
        i = g.rng.randint(0, n - 1)
        f = {c[0]: k == i or (k > i and g.coin(0.35)) for k, c in enumerate(chain)}
        t = {**f, chain[i][0]: False}
        x, z = ends[i], ends[next((k for k, c in enumerate(chain) if t[c[0]]), n)]
        a, c = tell(f), tell(t)
        table, default = dict(zip(range(n), ends)), ends[-1]
    used = list(dict.fromkeys([*table.values(), default, *g.rng.sample(places, g.rng.randint(0, 1))]))
    if g.coin():
        x, z, a, c = z, x, c, a
    out = ask_pair(g, a, c, g.rng.choice([Clause(f"the {noun}", "does", f"go to {x}", f"goes to {x}"), Clause(f"the right place for this {noun}", "is", x)]))
    v = g.coin()
    out += ask_both(g, a, Clause(f"the {noun}", "is", f"to be sent to {x if v else z}"), v)
    out += choose_pair(g, [(a, x), (c, z)], questions, used)
    return out if g.coin(0.5) else out + choose(g, *((a, questions, used, x) if g.coin() else (c, questions, used, z)))


FAMILIES = {f.__name__: f for f in (thresholds, schedules, policies, precedence, cascades)}
