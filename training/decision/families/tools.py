"""Which tool fits, whether a record is valid, and what holds after a stream of events."""
import json

import banks as b
from clauses import ask_both, ask_pair, cap, Clause, scale
from .systems import both, choose, choose_pair, noise, twins, writer

# groups of functions that exclude one another: name, description, requests
TOOLS = [
    [("create_booking", "Reserve a room or table", ["Please reserve a table for four on {d}.", "I need a double room for {d}."]), ("cancel_booking", "Call off a reservation", ["I will not come on {d}, please drop my reservation.", "Call off my room for {d}."]), ("find_free_dates", "Show which dates are still free", ["Which nights are still free in {m}?", "Is there anything left in {m}?"]), ("resend_booking_mail", "Send the confirmation again", ["My confirmation got lost, send it once more.", "I deleted the mail with my reservation, can I get it again?"])],
    [("get_weather", "Forecast for a place and day", ["Will it rain in {c} on {d}?", "How warm will it get in {c}?"]), ("get_local_time", "Current time in a place", ["How late is it in {c} now?", "What time do people have in {c} at the moment?"]), ("get_distance", "Distance between two places", ["How far is it from {c} to the coast?", "How many kilometres is {c} from here?"]), ("get_population", "Number of people in a place", ["How many people live in {c}?", "What is the number of inhabitants of {c}?"])],
    [("send_invoice", "Mail an invoice to a customer", ["Bill {n} for the last three hours.", "{n} should get the invoice by mail."]), ("mark_invoice_paid", "Note that an invoice was paid", ["{n} has transferred the money, tick off the invoice.", "The invoice of {n} is settled, please change its status."]), ("list_unpaid_invoices", "Show invoices still to be paid", ["Who still owes us money?", "Show me all bills that nobody has paid."]), ("void_invoice", "Withdraw a wrong invoice", ["The bill for {n} was a mistake, withdraw it.", "Invoice 77 should never have gone out, annul it."])],
    [("play_song", "Start a piece of music", ["Put on something by {n}.", "Start the song about the rain."]), ("pause_music", "Stop the music for now", ["Hold the music for a moment.", "Silence, please, I will go on listening later."]), ("raise_volume", "Make the music louder", ["I can hardly hear it, turn it up.", "Louder, please."]), ("name_song", "Tell which piece is playing", ["What is this song called?", "Who sings what is on now?"])],
    [("translate_text", "Put a text into another language", ["How does one say 'good evening' in Polish?", "Put this letter into Italian."]), ("summarise_text", "Shorten a text to the main points", ["Give me the gist of this report in three lines.", "What are the main points of the letter?"]), ("correct_text", "Fix spelling and grammar of a text", ["Check my letter for typos.", "Fix the commas in this paragraph."]), ("read_text_aloud", "Speak a text", ["Read the letter out to me.", "I have no glasses, let me hear the article."])],
    [("open_ticket", "Report a new problem", ["The scanner at gate 3 is dead, please report it.", "File a report: the heating in room 8 is broken."]), ("close_ticket", "Mark a reported problem as solved", ["The scanner works again, the report can be closed.", "Ticket 812 is solved, tick it off."]), ("assign_ticket", "Give a reported problem to a person", ["Let {n} take care of report 40.", "Hand ticket 812 to {n}."]), ("comment_ticket", "Add a remark to a reported problem", ["Add to ticket 812 that the part is ordered.", "Write under report 40: waiting for the key."])],
    [("check_stock", "Tell how many pieces are left", ["How many of the {p} do we still have?", "Are there any pieces of the {p} left?"]), ("reorder_stock", "Order more pieces from the supplier", ["We are running low on the {p}, order twenty more from the supplier.", "Have the supplier send us more of the {p}."]), ("move_stock", "Carry pieces to another store", ["Bring ten of the {p} from the cellar to the shop in {c}.", "Shift the {p} to the warehouse in {c}."]), ("write_off_stock", "Take broken or lost pieces off the books", ["Three of the {p} got wet and are ruined, take them off the books.", "The {p} were stolen, write them off."])],
    [("add_patient", "Enter a new patient", ["{n} is here for the first time, enter the data.", "Set up a file for a new patient, {n}."]), ("order_lab_test", "Ask the laboratory for a test", ["Have the blood of {n} tested.", "The laboratory should check {n} for iron."]), ("show_lab_result", "Display a finished test", ["What came out of the blood test of {n}?", "Show me the iron level that the laboratory found for {n}."]), ("write_prescription", "Prescribe a medicine", ["{n} needs a fresh prescription for the drops.", "Prescribe the ointment for {n}."])],
    [("add_grade", "Enter a mark of a pupil", ["{n} got a B in the spelling test, put it down.", "Enter 14 points for {n}."]), ("show_grades", "List the marks of a pupil", ["Which marks does {n} have so far?", "Show me how {n} did this term."]), ("report_absence", "Note that a pupil is missing", ["{n} is ill and stays at home today.", "{n} is missing in class this morning."]), ("mail_parents", "Write to the parents of a pupil", ["Write to the mother of {n} about the trip.", "Let the parents of {n} know by mail that the bus is late."])],
    [("start_irrigation", "Turn on the water on a field", ["The beans are dry, give them water.", "Water the upper field now."]), ("stop_irrigation", "Turn off the water on a field", ["The field is soaked, turn the water off.", "Enough water for the beans, shut it."]), ("soil_report", "Show moisture and nutrients of a field", ["How moist is the ground of the upper field?", "Does the soil lack nitrogen?"]), ("plan_harvest", "Fix date and crew of a harvest", ["Set the picking of the beans for {d} with six people.", "Plan the harvest of the upper field for {d}."])],
    [("track_parcel", "Show where a parcel is", ["Where is my parcel right now?", "Has the parcel for {n} left {c} yet?"]), ("redirect_parcel", "Send a parcel to another address", ["Send my parcel to the office instead of my home.", "I have moved, let the parcel go to {c}."]), ("claim_damage", "Report a parcel that arrived broken", ["The box came in pieces, I want to claim the damage.", "The {p} in my parcel arrived broken."]), ("order_pickup", "Have a parcel collected", ["Please collect a parcel at my door on {d}.", "Somebody should pick up the box from my office."])],
    [("set_alarm", "Ring at a given time", ["Wake me at half past six.", "Ring at seven tomorrow."]), ("set_timer", "Count down a span of time", ["Tell me when eleven minutes are over.", "Count down twenty minutes for the eggs and the bread."]), ("add_note", "Write something down", ["Write down that the key is with {n}.", "Note: the blue paint is better."]), ("call_contact", "Phone a person", ["Ring up {n}, please.", "Get me {n} on the phone."])],
    [("transfer_money", "Send money to another account", ["Send 40 euros to {n}.", "Pay {n} back the 25 euros from Sunday by transfer."]), ("show_balance", "Tell how much is in an account", ["How much money do I have left?", "What is in my account?"]), ("block_card", "Make a card unusable", ["My wallet is gone, nobody must be able to pay with my card.", "Lock my card at once."]), ("raise_card_limit", "Allow higher payments by card", ["I want to be able to spend more per day with my card.", "Please lift the daily maximum of my card."])],
    [("list_matches", "Show coming matches of a team", ["When do the players of {c} take the field next?", "Which matches come up for {c} in {m}?"]), ("show_result", "Tell how a past match ended", ["How did {c} play yesterday?", "What was the final score of {c} on Sunday?"]), ("buy_match_ticket", "Buy a seat for a match", ["Two seats for the next home match, please.", "Get me into the stadium when {c} plays."]), ("show_squad", "List the players of a team", ["Who is playing for {c} this season?", "Which goalkeepers does {c} have?"])],
    [("deploy_service", "Put a new version into production", ["Bring version 2.4 of the shop live.", "Roll out the new build to production."]), ("roll_back_service", "Return to the previous version", ["The new version is broken, go back to the one before.", "Undo the last rollout of the shop."]), ("restart_service", "Stop a service and start it again", ["The shop hangs, stop it and start it again.", "Reboot the mail service."]), ("show_logs", "Display what a service has written", ["What did the shop print before it crashed?", "Show me the last lines the mail service wrote."])]]


def tools(g):
    """Which function fits a request; functions beside it share words with it, and at times none fits."""
    group = g.pick(TOOLS)
    fill = {"d": g.pick(["Friday", "the 4th of May", "Tuesday", "next Sunday", "3 June"]), "m": g.pick(["April", "July", "October", "January"]), "c": g.pick(b.CITIES), "n": g.name(), "p": g.pick([p for p in b.PRODUCTS if p.endswith("s")] + ["kettles", "tents", "lamps", "cameras"])}
    (name, does, asks), (name2, does2, asks2) = g.rng.sample(group, 2)
    own = [t for t in group if t[0] not in (name, name2)]
    others = [t for gr in TOOLS if gr is not group for t in gr if t[0] not in ("open_ticket", "add_note")]
    near = [t for t in others if set(t[0].split("_")) & set(name.split("_") + name2.split("_"))]
    ask, ask2 = g.rng.choice(asks).format(**fill), g.rng.choice(asks2).format(**fill)
    offered = g.rng.sample(own, g.rng.randint(0, len(own))) + g.rng.sample(near, min(len(near), g.rng.randint(0, 2)))
    offered += g.rng.sample(others, max(0, g.rng.randint(1, 3) - len(offered)))
    offered = list({t[0]: t for t in offered}.values())
    case = g.rng.choice([lambda k: k, lambda k: k, lambda k: k.split("_")[0] + "".join(map(cap, k.split("_")[1:])), lambda k: k.replace("_", "-")])
    who, shape, drawn = g.name(), g.rng.randint(0, 3), g.rng.sample(offered + [(name, does, asks), (name2, does2, asks2)], len(offered) + 2)
    tell = lambda a: [a, {"request": a}, f"{who} writes: {a}", {"tools": [{"name": case(t[0]), "description": t[1]} for t in drawn], "message": a}][shape]
    questions = ["Which function should be called?", "Pick the tool for the request.", "Which tool fits?", "What should the assistant call?", "Which function carries out the request?", "Choose the right tool for this message."]
    options = {case(t[0]): t[1] for t in drawn}
    none, told = g.rng.choice([("none", "No tool fits the request"), ("no_tool", "None of the functions fits"), ("none_of_these", None)])
    if g.coin(0.35):
        without = [t for t in drawn if t[0] != name]
        opts = {case(t[0]): t[1] for t in without} | {none: told}
        state = tell if shape < 3 else lambda a: {"request": a}
        out = choose_pair(g, [(state(ask), none), (state(ask2), case(name2))], questions, opts)
    else:
        if g.coin(0.4):
            options[none] = told
        out = choose_pair(g, [(tell(ask), case(name)), (tell(ask2), case(name2))], questions, options)
    tool = lambda n, d: g.rng.choice([f"{case(n)}", f"{case(n)} ({d[:1].lower() + d[1:]})"])
    t = tool(name, does)
    out += twins(g, tell(ask), tell(ask2), [f"Should {t} be called?", f"Does {t} fit the request?", f"Is {t} the right function here?", f"The request calls for {t}.", f"Would {t} do what is asked?"], 0, [f"Is {t} the wrong function here?", f"{t} does not fit the request."])
    v = g.coin()
    t = tool(*((name, does) if v else (name2, does2)))
    out += both(g, tell(ask), [f"Is {t} the function to call?", f"The message asks for {t}."], [f"Is some other function than {t} needed, or none?", f"{t} is not what the message asks for."], v)
    if g.coin(0.4):
        label = g.rng.choice(["yes", "no"])
        here = [case(t[0]) for t in drawn if t[0] != name]
        yes, no = here + [case(name)], here
        g.rng.shuffle(yes)
        make = lambda x: {"available_functions": x, "request": ask}
        out += twins(g, make(yes), make(no), ["Can the request be carried out with one of the functions?", "Is there a function for this?", "One of the functions fits the request."], 2, ["Is a fitting function missing?", "None of the functions fits the request."])
    return out


def _schema(g):
    """Fields of a record: key -> (rule in words, rule in a schema, good values, {problem: bad values})."""
    low, high = g.rng.choice([(1, 10), (0, 5), (1, 99), (18, 65), (0, 100), (10, 50)])
    letters = g.rng.sample("ABCDEFGHKLMNPRST", 3)
    near = lambda: g.rng.randint(low, high)
    kinds = g.rng.sample(["red", "blue", "green", "white", "black"], 3) if g.coin() else g.rng.sample(["small", "medium", "large", "open", "closed", "new"], 3)
    size = g.rng.choice([4, 5, 6])
    return {
        g.pick(["quantity", "age", "score", "level", "rooms", "seats", "portions", "laps", "boxes", "stops"]): (f"must be a whole number from {low} to {high}", {"type": "integer", "min": low, "max": high}, [near(), near(), low, high], {"out_of_range": [high + 1, high + g.rng.randint(2, 40), low - 1], "wrong_type": [g.pick(["twelve", "many", "n/a", "some", "a few"])]}),
        g.pick(["name", "title", "city", "contact", "driver", "author", "crop", "station"]): ("must be a text", {"type": "string"}, [g.name(), g.pick(b.CITIES)], {}),
        g.pick(["kind", "state", "category", "option"]): (f"must be one of {', '.join(kinds)}", {"enum": kinds}, kinds, {"not_in_list": ["purple", "unknown", "huge", "broken"]}),
        g.pick(["code", "sku", "ward_code", "flight", "badge"]): ("must be two capital letters followed by three digits", {"pattern": "two capital letters, three digits"}, [f"{letters[0]}{letters[1]}{g.rng.randint(100, 999)}", f"{letters[2]}{letters[0]}{g.rng.randint(100, 999)}"], {"bad_format": [f"{letters[0]}{g.rng.randint(1000, 9999)}", f"{letters[0]}{letters[1]}{g.rng.randint(10, 99)}", f"{g.rng.randint(100, 999)}{letters[1]}{letters[2]}", f"{letters[0].lower()}{letters[1].lower()}{g.rng.randint(100, 999)}"]}),
        g.pick(["date", "start", "born", "delivered_on"]): ("must be a date written as YYYY-MM-DD", {"format": "YYYY-MM-DD"}, [f"20{g.rng.randint(10, 29)}-0{g.rng.randint(1, 9)}-{g.rng.randint(10, 28)}"], {"bad_format": [f"{g.rng.randint(10, 28)}.0{g.rng.randint(1, 9)}.2024", f"0{g.rng.randint(1, 9)}/{g.rng.randint(13, 28)}/2024", "next Monday", f"{g.rng.randint(10, 28)} May 2024"]}),
        g.pick(["email", "reply_to"]): ("must be an email address", {"format": "email"}, [f"{g.name().lower()}@example.org", f"office@{g.pick(b.CITIES).lower()}.example"], {"bad_format": [f"{g.name().lower()}.example.org", "by post", f"www.{g.pick(b.CITIES).lower()}.example"]}),
        g.pick(["active", "confirmed", "vegan", "insured"]): ("must be a boolean", {"type": "boolean"}, [True, False], {"wrong_type": ["maybe", 7, "later"]}),
        g.pick(["pin", "postcode", "locker"]): (f"must have exactly {size} digits", {"digits": size}, ["".join(g.rng.choice("123456789") for _ in range(size))], {"wrong_length": ["".join(g.rng.choice("123456789") for _ in range(size + x)) for x in (-1, 1, 2)]})}


PROBLEMS = {"missing_field": "A required field is not there", "wrong_type": "A value is of another type than stated", "out_of_range": "A number is too low or too high", "not_in_list": "A value is not one of those listed", "bad_format": "A value is not written as stated", "wrong_length": "A value has too many or too few digits", "duplicate_id": "Two records share an id", "unknown_field": "There is a field that the rules do not know"}


CLASH = [{"bad_format", "wrong_length"}, {"bad_format", "wrong_type"}, {"wrong_type", "not_in_list"}]


def validation(g):
    """Does a record keep to a stated schema, and if not, which problem is it and where?"""
    fields = _schema(g)
    keys = g.rng.sample(list(fields), g.rng.randint(2, 4))
    shape, closed = g.rng.randint(0, 3), g.coin(0.3)
    thing = g.pick(["record", "form", "entry", "row", "message", "label", "registration", "file card", "import line", "order line"])
    rules = g.pick(["All fields are required. ", "Every {t} needs all of these fields. ", "Required: every field named here. "]).format(t=thing) + " ".join(f"{cap(k.replace('_', ' ')) if shape == 0 else repr(k)} {fields[k][0]}." for k in keys) + (" Other fields are not allowed." if closed else "")
    schema = {"required": keys, "fields": {k: fields[k][1] for k in keys}, **({"other_fields": "not allowed"} if closed else {})}
    name = thing.replace(" ", "_")

    def tell(r):
        if shape == 0:
            return f"{rules} The {thing}: " + "; ".join(f"{k.replace('_', ' ')}: {json.dumps(v) if not isinstance(v, str) else v}" for k, v in r.items()) + "."
        return [None, {"rules": rules, name: r}, {"schema": schema, name: r}, f"{rules}\n{json.dumps(r)}"][shape]

    good = {k: g.rng.choice(fields[k][2]) for k in keys}
    faults = [(p, k, {**good, k: v}) for k in keys for p, vs in fields[k][3].items() for v in [g.rng.choice(vs)]]
    k = g.rng.choice(keys)
    faults.append(("missing_field", k, {x: v for x, v in good.items() if x != k}))
    if g.coin():
        faults.append(("missing_field", k, faults[-1][2]))
    if closed:
        faults.append(("unknown_field", "remark", {**good, "remark": "none"}))
    fault, where, bad = g.rng.choice(faults)
    a, c = tell(good), tell(bad)
    out = twins(g, a, c, [f"Is the {thing} valid?", f"Does the {thing} keep to the rules?", f"The {thing} satisfies every rule.", f"Can the {thing} be accepted?", "Does the validation pass?", "Is everything in order with the data?"], 0, [f"Is the {thing} invalid?", f"Does the {thing} break a rule?", "Is there a problem with the data?", f"The {thing} has to be rejected."])
    v = g.coin()
    out += both(g, a if v else c, ["Is the data valid?", f"The {thing} passes validation."], ["Is something wrong with the data?", f"The {thing} fails validation."], v)
    kind = g.rng.randint(0, 3)
    other = g.rng.choice([f for f in faults if f[0] != fault and {f[0], fault} not in CLASH] or [None])
    if kind == 0 and other:
        third = g.rng.sample([p for p in PROBLEMS if p not in (fault, other[0]) and {p, fault} not in CLASH and {p, other[0]} not in CLASH], g.rng.randint(1, 3))
        x, y = (fault, c), (other[0], tell(other[2]))
        if g.coin(0.3):
            y = ("no_problem", a)
        return out + choose_pair(g, [(x[1], x[0]), (y[1], y[0])], ["What is the problem?", f"What is wrong with the {thing}?", "Name the error.", "What does the validator report?"], {p: d for p, d in {**PROBLEMS, "no_problem": "Every rule is kept"}.items() if p in (x[0], y[0], *third)})
    if kind == 1 and len(keys) > 2:
        spots = [f for f in faults if f[1] != where and f[1] in keys]
        if spots and where in keys:
            spot = g.rng.choice(spots)
            return out + choose_pair(g, [(c, where), (tell(spot[2]), spot[1])], ["Which field breaks the rules?", "Which field is at fault?", "Where is the error?", f"Which field of the {thing} has to be corrected or added?"], keys)
    if kind == 2:
        n = g.rng.randint(3, 5)
        ids = g.rng.sample(range(11, 99), n)
        twin = list(ids)
        twin[g.rng.randint(1, n - 1)] = ids[0]
        dup = ids[0]
        g.rng.shuffle(twin)
        form = g.rng.randint(0, 2)
        who = g.rng.sample(b.NAMES, n)
        state = lambda xs: [{"rule": "ids must be unique", "rows": [{"id": i, "name": w} for i, w in zip(xs, who)]}, "Ids must be unique.\nid,name\n" + "\n".join(f"{i},{w}" for i, w in zip(xs, who)), "Each id may be used once. " + " ".join(f"{w} has id {i}." for i, w in zip(xs, who))][form]
        out += twins(g, state(twin), state(ids), ["Is an id used twice?", "Are there duplicate ids?", "The list has a duplicate id."], 1, ["Are all ids unique?", "No id occurs twice."])
        return out + choose(g, state(twin), ["Which id is used twice?", "Name the duplicate id."], ids, dup)
    wrong = g.rng.sample([(k, vs) for k in keys for vs in fields[k][3].values()], g.rng.randint(0, 1 + (len(keys) > 2)))
    if len({k for k, _ in wrong}) < len(wrong):
        wrong = wrong[:1]
    broken = {**good, **{k: g.rng.choice(vs) for k, vs in wrong}}
    return out + [scale(g, tell(broken), ["How many fields break the rules?", f"How many errors does the {thing} have?"], ["none", "one", "more than one"] if g.coin() else ["no error", "a single error", "several errors"], min(len(wrong), 2))]


# entities, [(event, sentence, state after it)]
STREAMS = [(["door 1", "door 2", "door 3", "door 4", "door 5"], [("opened", "{} was opened", "open"), ("closed", "{} was closed", "closed"), ("taken_out", "{} was taken out", "taken out")]), (b.NAMES, [("to_ward_2", "{} was admitted to ward 2", "on ward 2"), ("to_surgery", "{} was taken to surgery", "in surgery"), ("to_xray", "{} was taken to the x-ray room", "in the x-ray room"), ("discharged", "{} was discharged", "discharged")]),
           (["truck A", "truck B", "truck C", "truck D"], [("loading", "{} started loading", "loading"), ("departed", "{} left the yard", "on the road"), ("at_customer", "{} arrived at the customer", "at the customer"), ("repair", "{} went into repair", "in repair")]), (["server one", "server two", "server three", "server four"], [("started", "{} was started", "running"), ("stopped", "{} was stopped", "stopped"), ("paused", "{} was paused", "paused")]),
           (["flight 210", "flight 314", "flight 452", "flight 667"], [(k.replace(" ", "_"), "{} was shown as " + k, "shown as " + k) for k in ("delayed", "boarding", "cancelled", "on time")]), (["room 11", "room 12", "room 14", "room 15"], [("occupied", "{} was taken by guests", "occupied"), ("cleaned", "{} was cleaned and freed", "free"), ("closed_off", "{} was closed off for painting", "closed off")]),
           (["pump 1", "pump 2", "pump 3", "pump 4"], [("full_power", "{} was set to full power", "at full power"), ("half_power", "{} was set to half power", "at half power"), ("off", "{} was switched off", "switched off")]), (["the red team", "the blue team", "the green team", "the white team"], [("attack", "{} was ordered to attack", "attacking"), ("rest", "{} was sent to rest", "resting"), ("warm_up", "{} was told to warm up", "warming up")]),
           (["task 7", "task 12", "task 15", "task 31"], [("todo", "{} was put on the to-do list", "on the to-do list"), ("doing", "{} was put in progress", "in progress"), ("done", "{} was finished", "finished"), ("dropped", "{} was dropped", "dropped")]), (["the north field", "the south field", "the hill field", "the river field"], [("barley", "{} was sown with barley", "under barley"), ("rye", "{} was sown with rye", "under rye"), ("fallow", "{} was left fallow", "fallow"), ("sheep", "{} was turned into sheep pasture", "sheep pasture")]),
           (["the shop in Graz", "the shop in Cork", "the shop in Lima", "the shop in Oslo"], [("open", "{} opened its doors", "open"), ("closed", "{} closed its doors", "closed")]), (["lamp A", "lamp B", "lamp C", "lamp D"], [("red", "{} turned red", "red"), ("green", "{} turned green", "green"), ("amber", "{} turned amber", "amber"), ("dark", "{} went dark", "dark")]),
           (["camera 1", "camera 2", "camera 3", "camera 4"], [("recording", "{} began to record", "recording"), ("paused", "{} was paused", "paused"), ("offline", "{} went offline", "offline")]), (["claim 70", "claim 71", "claim 72", "claim 73"], [("accepted", "{} was accepted", "accepted"), ("rejected", "{} was rejected", "rejected"), ("on_hold", "{} was put on hold", "on hold"), ("in_review", "{} went into review", "in review")]),
           (["class 4a", "class 4b", "class 5a", "class 5b"], [("gym", "{} went to the gym", "in the gym"), ("yard", "{} went to the yard", "in the yard"), ("lab", "{} went to the lab", "in the lab"), ("hall", "{} went to the hall", "in the hall")]), (["lane 1", "lane 2", "lane 3", "lane 4"], [("all_traffic", "{} was opened to all traffic", "open to all traffic"), ("no_traffic", "{} was closed to all traffic", "closed to all traffic"), ("buses_only", "{} was opened to buses only", "open to buses only")])]


def streams(g):
    """Events of several entities, interleaved in time order: the state of each after its last event."""
    names, states = g.pick(STREAMS)
    names = g.rng.sample(list(names), g.rng.randint(2, 3))
    words = {w: (sent, adj) for w, sent, adj in states}
    subject, write, extra = names[0], writer(g, "events"), noise(g)
    x, z = g.rng.sample(list(words), 2)
    shape = g.rng.randint(0, 4)

    def line(per):
        """Interleaved events, the order of the entities the same for the same lengths."""
        queue, left = [], {n: list(v) for n, v in per.items()}
        for n in turns:
            queue.append((n, left[n].pop(0)))
        minute = start
        stamped = []
        for (n, w), gap in zip(queue, gaps):
            minute += gap
            stamped.append((f"{minute // 60 % 24:02d}:{minute % 60:02d}", n, w))
        if shape == 0:
            return write([{"time": t, "object": n, "event": w} for t, n, w in stamped])
        if shape == 1:
            return write({**extra, "events": [{"at": t, "id": n, "new_state": words[w][1]} for t, n, w in stamped]})
        if shape == 2:
            return "\n".join(f"{t} {words[w][0].format(n)}" for t, n, w in stamped)
        if shape == 3:
            return " ".join(f"At {t} {words[w][0].format(n)}." for t, n, w in stamped)
        return "\n".join(f"[{t}] {n.upper() if n.islower() else n}: {w}" for t, n, w in stamped)

    def chain(end, length):
        seq = [end]
        while len(seq) < length:
            seq.insert(0, g.rng.choice([w for w in words if w != seq[0]]))
        return seq

    per = {n: chain(g.rng.choice(list(words)), g.rng.randint(1, 3)) for n in names[1:]}
    before = chain(g.rng.choice(list(words)), 1) if g.coin(0.4) else []
    mine, turned = before + [z, x], before + [x, z]
    turns = [n for n, v in {**per, subject: mine}.items() for _ in v]
    g.rng.shuffle(turns)
    gaps, start = [g.rng.randint(1, 19) for _ in turns], g.rng.randint(360, 1000)
    a, c = line({**per, subject: mine}), line({**per, subject: turned})
    adj = lambda w: words[w][1]
    clause = Clause(subject, "is", g.rng.choice(["{} now", "{} at the end", "{} after the last event", "{} in the end"]).format(adj(x)))
    out = ask_pair(g, a, c, clause)
    probe = g.rng.choice(names)
    ends = {n: v[-1] for n, v in per.items()} | {subject: x}
    v = g.coin()
    said = ends[probe] if v else g.rng.choice([w for w in words if w != ends[probe]])
    out += ask_both(g, a, Clause(probe, "is", f"{adj(said)} {g.rng.choice(['now', 'at the end'])}"), v)
    out += choose_pair(g, [(a, adj(x)), (c, adj(z))], [f"What is the state of {subject} at the end?", f"How does {subject} stand after the last event?", f"Which holds for {subject} now?", f"In which state does the log leave {subject}?"], [adj(w) for w in words])
    kind = g.rng.randint(0, 3)
    if kind == 0:
        w = g.rng.choice(list(words))
        n = sum(e == w for e in ends.values())
        out += choose(g, a, [f"For how many of them is the state '{adj(w)}' at the end?", f"How many of {g.join(names)} are {adj(w)} at the end?", f"Count those whose last state is '{adj(w)}'."], ["0", "1", "2", "3"][: len(names) + 1], n)
    elif kind == 1 and list(ends.values()).count(x) == 1:
        out += choose(g, a, [f"Which one is {adj(x)} at the end?", f"Which of them is left {adj(x)}?", f"Pick the one that is {adj(x)} after the last event."], names, subject)
    elif kind == 2:
        last = turns[-1]
        out += choose(g, a, ["Whom or what does the last event concern?", "Which one changed last?", "Who or what is named in the final entry?"], names, last)
    elif kind == 3:
        w = adj(x)
        every = line({**{n: v[:-1] + [x] for n, v in per.items()}, subject: mine})
        one = line({**{n: v[:-1] + [x] for n, v in per.items()}, subject: turned})
        out += twins(g, every, one, [f"Are all of them {w} at the end?", f"In the end, are {g.join(names)} all {w}?"], 3, [f"Is at least one of them not {w} at the end?", f"At the end not all of them are {w}."])
    return out


FAMILIES = {f.__name__: f for f in (tools, validation, streams)}
