"""Orders, logs, accounts, tables, limits, dates, policies, routes, tools, schemas and event streams, as records and as prose."""
import json
from datetime import date, timedelta

import banks as b
from clauses import Clause, ask_both, ask_pair, cap, pick_one, row, scale

SHORT = {"quantity": "qty", "number": "no", "address": "addr", "required": "req", "department": "dept", "created": "crt", "delivery": "dlv", "amount": "amt", "customer": "cust", "temperature": "temp", "minimum": "min", "maximum": "max", "reference": "ref", "signature": "sig",
         "verified": "verif", "package": "pkg", "message": "msg", "category": "cat", "description": "desc", "attempt": "att", "weight": "wt", "account": "acct"}
NONE = [("none_of_these", "None of the other options"), ("none", None), ("no_match", "No option fits"), ("none_fits", None)]
OPAQUE = ["ABCDEFGH", "12345678", ["opt_1", "opt_2", "opt_3", "opt_4", "opt_5", "opt_6", "opt_7", "opt_8"], "stuvwxyz"]


def art(word):
    return ("an " if word[0] in "aeiou" else "a ") + word


def writer(g, name=None):
    """One way of writing records, for all states of a draw: case of the keys, nesting, JSON as text."""
    words = lambda k: str(k).replace("-", "_").replace(" ", "_").split("_")
    case = g.rng.choice([lambda k: k, lambda k: k, lambda k: words(k)[0] + "".join(map(cap, words(k)[1:])), lambda k: " ".join(map(cap, words(k))), lambda k: "-".join(words(k)), lambda k: "_".join(SHORT.get(w, w) for w in words(k)), lambda k: k.upper()])
    nest = g.rng.choice([lambda r: r, lambda r: r, lambda r: {name or "record": r}, lambda r: {"data": {name or "entry": r}}, lambda r: {"meta": {"version": 3}, name or "item": r}])
    text = g.rng.choice([None, None, None, None, None, 0, 1])
    rename = lambda x: {case(k): rename(v) for k, v in x.items()} if isinstance(x, dict) else [rename(v) for v in x] if isinstance(x, list) else x

    def write(r):
        r = rename(nest(r) if isinstance(r, dict) else r)
        return r if text is None else json.dumps(r, ensure_ascii=False, indent=text or None)

    return write


def noise(g):
    """A field or two that nobody asks about."""
    pool = {"id": g.rng.randint(1000, 99999), "created_by": g.name(), "region": g.pick(["north", "south", "east", "west", "central"]), "note": None, "source": g.pick(["web", "phone", "import", "partner", "app"]), "version": g.rng.randint(1, 9), "tags": [], "office": g.pick(b.CITIES), "reference_number": f"R-{g.rng.randint(100, 999)}"}
    return {k: pool[k] for k in g.rng.sample(list(pool), g.rng.choice([0, 1, 1, 2, 3]))}


def mixer(g, keys):
    """One order of keys for all states of a draw."""
    order = list(keys)
    g.rng.shuffle(order)
    return lambda r: {k: r[k] for k in order if k in r}


def twins(g, yes, no, questions, pair=0, denied=()):
    """One question on two states, or the question that means the opposite."""
    against = bool(denied) and g.coin(0.3)
    words = g.pick(denied if against else questions)
    return [{**row(g, yes, words, not against), "pair": pair}, {**row(g, no, words, against), "pair": pair}]


def both(g, state, questions, denied, value, neg=0):
    """A question and its opposite on one state."""
    return [{**row(g, state, g.pick(questions), value), "criteria": None, "neg": neg}, {**row(g, state, g.pick(denied), not value), "criteria": None, "neg": neg}]


def veil(g, rows):
    """The same rows with keys that say nothing, some of the time."""
    if g.coin(0.85) or len(rows[0]["criteria"]) > 8:
        return rows
    keys = g.rng.choice(OPAQUE)
    new = {k: keys[i] for i, k in enumerate(rows[0]["criteria"])}
    return [{**r, "criteria": {new[k]: f"{k}: {d}" if d else k.replace("_", " ") for k, d in r["criteria"].items()}, "label": new[r["label"]]} for r in rows]


def choose(g, state, questions, options, label):
    """A choice; at times with an option that none fits, which is right where the right one was taken away."""
    options = dict(options) if isinstance(options, dict) else {str(o): None for o in options}
    label = str(label)
    if len(options) > 2 and not set(options) & {k for k, _ in NONE} and g.coin(0.2):
        key, told = g.rng.choice(NONE)
        if g.coin():
            del options[label]
            label = key
        options[key] = told
    return veil(g, [pick_one(g, state, questions, options, label)])


def choose_pair(g, states, questions, options, pair=1):
    """One choice on two states: [(state, label), (state, other label)]."""
    first = pick_one(g, states[0][0], questions, options, str(states[0][1]), pair=pair)
    return veil(g, [first, {**first, "state": states[1][0], "label": str(states[1][1])}])


def counts(g, n, top):
    """Numbers to choose from, n among them, at no fixed place."""
    pool = [x for x in range(max(0, n - 3), min(top, n + 3) + 1) if x != n]
    return [str(x) for x in {n, *g.rng.sample(pool, min(3, len(pool)))}]


GOODS = b.PRODUCTS + ["bandages", "syringes", "exercise books", "milk cans", "seed bags", "hay bales", "jerseys", "goal nets", "router", "network cable", "film reels", "microphones", "wheel nuts", "brake pads", "bed linen", "paint tins"]
CONSIGNMENTS = ["order", "shipment", "parcel", "delivery", "consignment", "pallet", "crate", "package", "container", "purchase", "supply order", "spare-parts order"]
# key: (aux, rest, said, told when so, told when not so)
ORDER_FLAGS = {
    "paid": ("is", "paid for", None, "has been paid for", "is still unpaid"), "insured": ("is", "insured", None, "is insured against loss", "carries no insurance"), "marked_fragile": ("is", "marked fragile", None, "is marked fragile", "bears no fragile mark"),
    "express": ("does", "go by express", "goes by express", "goes by express", "goes by ordinary post"), "signature_required": ("does", "need a signature", "needs a signature", "must be signed for", "needs no signature"), "label_printed": ("does", "have a printed label", "has a printed label", "has its label printed", "has no printed label yet"),
    "invoiced": ("has", "been invoiced", None, "has been invoiced", "still has to be invoiced"), "refrigerated": ("is", "refrigerated", None, "travels refrigerated", "travels uncooled"), "hazardous": ("is", "classed as hazardous", None, "is classed as hazardous", "is classed as harmless"),
    "address_verified": ("does", "have a verified address", "has a verified address", "goes to a verified address", "goes to an address that nobody has verified"), "tracked": ("is", "tracked", None, "is tracked all the way", "goes without tracking"), "damaged": ("is", "damaged", None, "is damaged", "is intact"),
    "sealed": ("is", "sealed", None, "is sealed", "has no seal"), "weighed": ("has", "been weighed", None, "has been weighed", "still has to be weighed"), "customs_cleared": ("has", "cleared customs", None, "has cleared customs", "is still held at customs"),
    "gift_wrapped": ("is", "gift-wrapped", None, "comes in gift wrap", "comes without gift wrap"), "stackable": ("is", "stackable", None, "may be stacked", "must not be stacked"), "photographed": ("has", "been photographed", None, "has been photographed", "has not been photographed"),
    "returnable": ("is", "returnable", None, "may be sent back", "cannot be sent back"), "supplier_confirmed": ("has", "been confirmed by the supplier", None, "has been confirmed by the supplier", "is still unconfirmed by the supplier"), "oversized": ("is", "oversized", None, "is oversized", "keeps to the standard size")}
OPEN_FLAGS = ["paid", "label_printed", "invoiced", "address_verified", "weighed", "customs_cleared", "photographed", "supplier_confirmed"]


def orders(g):
    """Flags, counts and lines of an order among others that differ; as a record and as prose."""
    noun = g.pick(CONSIGNMENTS)
    subject, write = f"the {noun}", writer(g, noun.replace(" ", "_").replace("-", "_"))
    keys = g.rng.sample([k for k in ORDER_FLAGS if g.split != "train" or k not in ("returnable", "supplier_confirmed", "oversized")], g.rng.randint(2, 5))
    extra, probe, second = noise(g), g.rng.choice(keys), g.rng.choice(keys)
    order, blank = mixer(g, [*keys, *extra, "items", "customer"]), g.rng.choice([k for k in keys if k not in (probe, second)] or [None]) if g.coin(0.3) else None
    on, off = g.rng.choice([(True, False)] * 4 + [("yes", "no"), ("yes", "no"), (1, 0), ("Y", "N")])
    told, at = g.coin(0.3), g.rng.random()
    clause = lambda k: Clause(subject, *ORDER_FLAGS[k][:2], ORDER_FLAGS[k][2])

    def tell(values):
        if told:
            parts = [f"{'it' if i else subject} {ORDER_FLAGS[k][3 if v else 4]}" for i, (k, v) in enumerate(values.items())]
            return " ".join(cap(p) + "." for p in parts) if at < 0.5 else cap(g.join(parts)) + "."
        return write(order({**extra, **{k: on if v else off for k, v in values.items()}, **({blank: g_blank} if blank else {})}))

    g_blank = g.rng.choice([None, "pending", "unknown"])
    values = {k: g.coin() for k in keys}
    a, c = tell(values), tell({**values, probe: not values[probe]})
    out = ask_pair(g, *((a, c) if values[probe] else (c, a)), clause(probe)) + ask_both(g, a, clause(second), values[second])
    kind = g.rng.randint(0, 5)
    if kind == 0 and len(keys) > 2:
        hit = g.rng.choice([k for k in keys if k != blank])
        turn, blank = g.coin(), None
        only = {k: (k == hit) == turn for k in keys}
        options = {k: cap(clause(k).s if turn else clause(k).ns) for k in keys}
        out += choose(g, tell(only), [f"Only one of these holds for {subject}. Which?", "Which of the options is so?", f"Pick what is the case with {subject}.", "Which statement does the state support?"], {v: None for v in options.values()}, options[hit])
    elif kind == 1:
        k = g.rng.choice([x for x in OPEN_FLAGS if x not in keys])
        words = {"yes": ("yes", "Y"), "no": ("no", "N"), "pending": ("pending", "in progress"), "not_recorded": (None, None)}
        col, say = g.rng.choice([0, 0, 1]), clause(k)
        x, y = g.rng.sample(list(words), 2)
        state = lambda v: write({**extra, **{q: on if values[q] else off for q in keys}, k: words[v][col]})
        out += choose_pair(g, [(state(x), x), (state(y), y)], [f"What does the record say of {k.replace('_', ' ')}?", f"How does {k.replace('_', ' ')} stand?", f"Which holds for {k.replace('_', ' ')}?"], {"yes": "It is so", "no": "It is not so", "pending": "It is still under way", "not_recorded": "There is no value"})
        if set((x, y)) == {"yes", "pending"}:
            out += twins(g, state("yes"), state("pending"), [cap(say.q), f"Can one be sure that {say.s}?"], 2)
    elif kind == 2:
        lines = g.rng.sample(GOODS, g.rng.randint(2, 4))
        hit = g.rng.choice(lines)
        key, yes, no, asked = g.rng.choice([("in_stock", False, True, "is out of stock"), ("backordered", True, False, "is backordered"), ("picked", False, True, "has not been picked"), ("fragile", True, False, "is fragile"), ("discounted", True, False, "is sold at a discount"), ("returned", True, False, "has been returned"), ("delivered", False, True, "is yet to be delivered")])
        qty = {x: g.rng.randint(1, 9) for x in lines}
        state = write({**extra, "items": [{"name": x, "quantity": qty[x], key: yes if x == hit else no} for x in lines]})
        out += choose(g, state, [f"Which item {asked}?", f"Pick the item that {asked}.", f"One line {asked}. Which one?"], lines, hit)
        other = g.rng.choice([hit, g.other(lines, hit)])
        out += both(g, state, [f"Is it the {other} line that {asked}?", f"The line {other} {asked}."], [f"It is another line than {other} that {asked}.", f"Is the line that {asked} something other than {other}?"], other == hit, 1)
    elif kind == 3:
        lines = g.rng.sample(GOODS, g.rng.randint(1, 5))
        absent, n = g.rng.choice([x for x in GOODS if x not in lines]), len(lines)
        have = g.rng.choice(lines)
        make = g.rng.choice([lambda x: write({**extra, "customer": who, "items": x}), lambda x: f"{cap(subject)} for {who}: {', '.join(x)}.", lambda x: write({"customer": who, "lines": [{"item": i} for i in x]})])
        who = g.name()
        out += choose(g, make(lines), [f"How many different goods does {subject} list?", "How many kinds of goods are there?", "Count the lines."], counts(g, n, 7), n)
        swapped = [absent if x == have else x for x in lines]
        out += twins(g, make(lines), make(swapped), [f"Is there a line '{have}'?", f"Does {subject} list '{have}'?", f"Is '{have}' on the list?"], 2, [f"Is '{have}' missing from {subject}?", f"Is there no line '{have}'?"])
    elif kind == 4:
        told, blank = False, None
        want = g.rng.randint(0, 2)
        hits = [] if want == 0 else keys if want == 2 else g.rng.sample(keys, g.rng.randint(1, len(keys) - 1))
        out.append(scale(g, tell({k: k in hits for k in keys}), ["How many of these marks are set: " + ", ".join(k.replace("_", " ") for k in keys) + "?", f"How much of this holds for {subject}: " + ", ".join(k.replace("_", " ") for k in keys) + "?"], g.rng.choice([["none", "some", "all"], ["nothing of it", "a part of it", "everything"]]), want))
    return out


OK_CODES = {200: "OK", 201: "Created", 204: "No Content"}
BAD_CODES = {400: ("Bad Request", "client"), 401: ("Unauthorized", "client"), 403: ("Forbidden", "client"), 404: ("Not Found", "client"), 409: ("Conflict", "client"), 422: ("Unprocessable Entity", "client"), 429: ("Too Many Requests", "client"),
             500: ("Internal Server Error", "server"), 502: ("Bad Gateway", "server"), 503: ("Service Unavailable", "server"), 504: ("Gateway Timeout", "server")}
PATHS = ["orders", "patients", "courses", "rooms", "trips", "flats", "parcels", "fields", "matches", "episodes", "users", "invoices", "wards", "pupils", "tickets", "harvests", "players", "articles", "vans", "claims"]
PIPES = {"build": ["checkout", "lint", "type check", "unit tests", "build", "package", "deploy", "smoke test", "license scan", "integration tests", "upload", "docs"], "import": ["read file", "parse rows", "match customers", "write ledger", "send report", "archive file", "check totals"],
         "print job": ["load paper", "print", "fold", "trim", "bind", "pack"], "video job": ["ingest", "transcode", "subtitles", "thumbnail", "review", "publish"], "payroll run": ["collect hours", "compute tax", "book wages", "print slips", "send slips"], "backup": ["snapshot", "compress", "encrypt", "copy offsite", "verify"],
         "milking round": ["rinse", "attach", "milk", "cool", "clean"], "lab order": ["register sample", "spin", "measure", "check values", "report"], "ticket sale": ["reserve seat", "charge card", "issue ticket", "send mail"], "release": ["tag", "changelog", "sign", "notarise", "publish", "announce"]}
RESULTS = [("passed", "failed", "skipped"), ("success", "failure", "skipped"), ("ok", "error", "skipped"), ("PASS", "FAIL", "SKIP"), ("succeeded", "failed", "not run"), ("green", "red", "grey")]
SERVICES = ["database", "cache", "mail", "search", "payments", "login", "uploads", "queue", "maps", "video", "chat", "scheduler", "ward display", "ticket gate", "cold store", "timetable", "scoreboard", "web shop"]
HEALTHS = [("up", "down"), ("healthy", "unhealthy"), ("ok", "failing"), ("reachable", "unreachable"), ("available", "unavailable"), ("online", "offline")]


def health(g):
    """API responses, steps of a pipeline, health checks and retries: success, the step that failed, whether it tries again."""
    kind, write, extra = g.rng.randint(0, 3), writer(g, g.rng.choice(["response", "result", "run", "check"])), noise(g)
    if kind == 0:
        verb, path, ms, named = g.pick(["GET", "POST", "PUT", "PATCH", "DELETE"]), f"/{g.pick(PATHS)}/{g.rng.randint(1, 999)}", g.rng.randint(9, 900), g.coin()
        shape = g.rng.randint(0, 4)

        def tell(code):
            reason = OK_CODES.get(code) or BAD_CODES[code][0]
            full = f"{code} {reason}" if named else str(code)
            return [write({"method": verb, "path": path, "status": code, **({"reason": reason} if named else {}), "duration_ms": ms, **extra}), f"{verb} {path} -> {full} ({ms} ms)", f"The call {verb} {path} came back with {full} after {ms} ms.", f'10.0.0.{ms % 200} "{verb} {path}" {full} {ms}ms', write({"request": {"method": verb, "path": path}, "response": {"code": code, "took_ms": ms}})][shape]

        good, bad = g.pick(list(OK_CODES) * 2), g.pick(BAD_CODES)
        out = twins(g, tell(good), tell(bad), ["Did the request succeed?", "Was the call successful?", "The request went through.", "Did the server carry out the request?", "Is this a success response?", "Judging by the status code, did the call work?"], 0, ["Did the request fail?", "Is this an error response?", "The call failed.", "Was the call turned down or broken off?", "Does the status code signal an error?"])
        code = g.rng.choice([g.pick([c for c in BAD_CODES if BAD_CODES[c][1] == side]) for side in ("client", "server")] + [g.pick(OK_CODES)])
        label = "success" if code in OK_CODES else BAD_CODES[code][1] + "_error"
        out += choose(g, tell(code), ["What kind of response is it?", "Classify the status code.", "Which class of answer did the call get?"], {"success": "A code from 200 to 299", "client_error": "A code from 400 to 499", "server_error": "A code of 500 or more"}, label)
        x, y = g.rng.sample(list(BAD_CODES), 2)
        named = False
        meaning = {400: "the request was malformed", 401: "the caller did not log in", 403: "the caller is not permitted", 404: "nothing was found there", 409: "it clashes with what is stored", 422: "the values could not be processed", 429: "there were too many calls", 500: "the server had an internal error", 502: "a gateway got a bad answer", 503: "the service is unavailable", 504: "a gateway waited too long"}
        more = g.rng.sample([c for c in meaning if c not in (x, y)], g.rng.randint(1, 2))
        return out + choose_pair(g, [(tell(x), meaning[x]), (tell(y), meaning[y])], ["What went wrong?", "What does the status code mean?", "Why did the call fail?"], {meaning[c]: None for c in (x, y, *more)})
    if kind == 1:
        job = g.pick(PIPES)
        steps = sorted(g.rng.sample(PIPES[job], g.rng.randint(3, min(5, len(PIPES[job])))), key=PIPES[job].index)
        good, bad, skip = g.pick(RESULTS)
        hit, probe = g.rng.sample(steps, 2)
        shape, hour = g.rng.randint(0, 5), g.rng.randint(1, 22)
        left = g.rng.choice([s for s in steps if s not in (hit, probe)] + [None])

        def tell(failed):
            pairs = [(s, bad if s in failed else skip if s == left else good) for s in steps]
            return [write({**extra, "steps": [{"name": s, "result": r} for s, r in pairs]}), write({"job": job, **{s.replace(" ", "_"): r for s, r in pairs}}), "\n".join(f"{hour:02d}:{7 + 3 * i:02d} {s} ... {r}" for i, (s, r) in enumerate(pairs)), f"{cap(job)}: " + ", ".join(f"{s} {r}" for s, r in pairs) + ".",
                    " ".join(f"Step {i} ({s}): {r}." for i, (s, r) in enumerate(pairs, 1)), "\n".join(f"[{r}] {s}" for s, r in pairs)][shape]

        out = twins(g, tell([hit]), tell([]), [f"Did any step of the {job} fail?", "Is there a failed step?", f"Something in the {job} failed.", "Is at least one step marked as failed?"], 0, [f"Did the {job} get through without a failed step?", "No step failed.", "Is the log free of failed steps?"])
        out += choose_pair(g, [(tell([hit]), hit), (tell([probe]), probe)], ["Which step failed?", "Where did it break?", f"Which step of the {job} needs a look?", "Pick the failing step."], steps)
        ask = g.rng.choice([hit, probe])
        out += both(g, tell([hit]), [f"Did the step '{ask}' fail?", f"The step '{ask}' went wrong."], [f"Did the step '{ask}' pass?", f"The step '{ask}' was fine."], ask == hit)
        left = None
        failed = g.rng.sample(steps, g.rng.randint(0, len(steps)))
        if g.coin(0.5):
            return out + choose(g, tell(failed), ["How many steps failed?", "Count the failed steps.", "What is the number of failed steps?"], counts(g, len(failed), 6), len(failed))
        want = g.rng.randint(0, 2)
        return out + [scale(g, tell([] if want == 0 else steps if want == 2 else g.rng.sample(steps, g.rng.randint(1, len(steps) - 1))), ["How many of the steps failed?", f"How badly did the {job} go?"], g.rng.choice([["no step failed", "some steps failed", "every step failed"], ["all passed", "partly failed", "failed throughout"]]), want)]
    if kind == 2:
        names, (up, down) = g.rng.sample(SERVICES, g.rng.randint(3, 5)), g.pick(HEALTHS)
        shape, hit, probe = g.rng.randint(0, 4), *g.rng.sample(names, 2)
        tell = lambda bad: [write({**extra, **{n.replace(" ", "_"): down if n in bad else up for n in names}}), write({"checks": [{"service": n, "status": down if n in bad else up} for n in names], **extra}), "\n".join(f"{n}: {down if n in bad else up}" for n in names), " ".join(f"The {n} service is {down if n in bad else up}." for n in names),
                            ", ".join(f"{n}={down if n in bad else up}" for n in names)][shape]
        clause = Clause(f"the {probe} service", "is", g.rng.choice([up, "in working order"]))
        rest = [n for n in names if n != probe and g.coin(0.3)]
        out = ask_pair(g, tell(rest), tell(rest + [probe]), clause)
        out += twins(g, tell([]), tell([hit]), ["Are all services fine?", "Does every check pass?", "Everything is in working order.", f"Are all {len(names)} services {up}?"], 1, ["Is something not working?", "Does any check fail?", f"Is any service {down}?", "At least one service has a problem."])
        out += choose_pair(g, [(tell([hit]), hit), (tell([probe]), probe)], ["Which service has a problem?", f"Which one is {down}?", "Where does the check fail?", "Which service should be restarted?"], names, 2)
        bad = g.rng.sample(names, g.rng.randint(0, len(names)))
        out += choose(g, tell(bad), [f"How many services are {down}?", "How many checks fail?"], counts(g, len(bad), 6), len(bad))
        x = g.rng.choice([hit, g.other(names, hit)])
        return out + both(g, tell([hit]), [f"Is '{x}' the service with the problem?", f"The check of '{x}' fails."], [f"The check of '{x}' passes.", f"Is '{x}' fine?"], x == hit)
    job, top = f"the {g.pick(list(PIPES) + ['upload', 'mail to the supplier', 'sync', 'payment', 'export', 'call to the bank', 'download', 'fax to the ward'])}", g.rng.randint(3, 8)
    n, wait, error, form = g.rng.randint(1, top - 1), g.rng.choice([10, 20, 30, 45, 60, 90]), g.pick(["timeout", "connection refused", "disk full", "bad gateway", "line busy", "host not found"]), g.rng.random()
    recorded = g.coin()
    states = {
        "retrying": [f"Attempt {n} of {top} of {job} failed ({error}). The next attempt starts in {wait} seconds.", f"{cap(job)}: try {n} of {top} ended with {error}; trying again in {wait} seconds.", f"{error} in attempt {n}/{top} of {job}, waiting {wait} s before attempt {n + 1}."],
        "gave_up": [f"Attempt {top} of {top} of {job} failed ({error}). No further attempt will be made.", f"{cap(job)}: try {top} of {top} ended with {error}; giving up.", f"{error} in attempt {top}/{top} of {job}, no attempts left, stopped."],
        "succeeded": [f"Attempt {n} of {top} of {job} failed ({error}). Attempt {n + 1} worked, and the job is finished.", f"{cap(job)}: try {n} of {top} ended with {error}; try {n + 1} went through.", f"{error} in attempt {n}/{top} of {job}, attempt {n + 1} completed without error."]}
    records = {"retrying": {"state": "retrying", "attempt": n, "next_retry_in_s": wait}, "gave_up": {"state": "failed", "attempt": top, "next_retry_in_s": None}, "succeeded": {"state": "done", "attempt": n + 1, "next_retry_in_s": None}}
    pick = int(form * 3)
    tell = lambda k: write({"job": job[4:], "max_attempts": top, **records[k], "last_error": error, **extra}) if recorded else states[k][pick]
    x = {"retrying": (["Is a retry under way or planned?", "Will it be tried again?", "Another attempt is still to come."], ["Is it over, with no further attempt to come?", "No more attempts will follow."]),
         "gave_up": ([f"Has {job} failed for good?", "Was it given up?", "The attempts ended without success."], [f"Is {job} finished with success, or still being tried?", "It has not been given up."]),
         "succeeded": ([f"Did {job} succeed in the end?", "Did it work at last?", "It went through in the end."], [f"Is {job} still without success?", "So far no attempt has worked."])}
    k = g.rng.choice(list(states))
    other = g.other(states, k)
    out = twins(g, tell(k), tell(other), x[k][0], 0, x[k][1])
    out += choose_pair(g, [(tell(k), k), (tell(other), other)], ["How do things stand?", f"What is the state of {job}?", "Which is it?"], {"retrying": "It failed and will be tried again", "gave_up": "It failed and no more tries follow", "succeeded": "It worked in the end"})
    q = g.rng.choice(list(states))
    m = g.rng.choice([q, g.other(states, q)])
    return out + both(g, tell(m), x[q][0], x[q][1], m == q) + (choose(g, states["retrying"][pick], ["How many attempts are left?", "How many more tries are allowed?"], counts(g, top - n, 9), top - n) if g.coin(0.4) else [])


RIGHTS = [("publish articles", "articles:publish"), ("delete invoices", "invoices:delete"), ("read patient files", "patients:read"), ("enter grades", "grades:write"), ("release shipments", "shipments:release"), ("refund tickets", "tickets:refund"), ("edit crop plans", "plans:edit"), ("book rooms for others", "rooms:book"),
          ("approve leave", "leave:approve"), ("export reports", "reports:export"), ("invite guests", "users:invite"), ("change prices", "prices:write"), ("register players", "players:write"), ("upload films", "films:upload"), ("restart servers", "servers:restart"), ("sign contracts", "contracts:sign"),
          ("order medicines", "medicines:order"), ("close accounts", "accounts:close"), ("stream live matches", "matches:stream"), ("view salaries", "salaries:read"), ("assign drivers", "drivers:assign"), ("list flats for rent", "flats:list"), ("cancel trips", "trips:cancel"), ("moderate comments", "comments:moderate")]
USER_ROLES = ["admin", "editor", "viewer", "auditor", "nurse", "teacher", "dispatcher", "moderator", "contractor", "trainee", "accountant", "coach"]
PLANS = ["free", "basic", "plus", "pro", "business", "enterprise"]
TEAMS = ["sales", "logistics", "press", "finance", "ward 3", "harvest", "youth", "studio"]


def _needs(g, scope):
    """Requirements of an action: key -> (as an infinitive, as plural verb, in a policy, values that meet it, values that do not, told of a user)."""
    roles, plans, teams, days = g.rng.sample(USER_ROLES, 2), sorted(g.rng.sample(PLANS[2:], 2), key=PLANS.index), g.rng.sample(TEAMS, 1), g.rng.choice([7, 14, 30, 60, 90])
    area = scope.split(":")[0]
    wrong = [s for _, s in RIGHTS if s != scope] + [f"{area}:{v}" for v in ("count", "archive", "print") if f"{area}:{v}" != scope]
    some = lambda extra: sorted(g.rng.sample(wrong, g.rng.randint(1, 2)) + extra)
    return {"role": (f"have the role {roles[0]} or {roles[1]}", None, {"role_one_of": roles}, roles, [r for r in USER_ROLES if r not in roles], "has the role {}", "the role"),
            "scopes": (f"hold the scope {scope}", None, {"scope": scope}, [some([scope]), some([scope])], [some([]), some([])], "holds the scopes {}", "a missing scope"),
            "verified": ("be verified", "are verified", {"verified": True}, [True], [False], ("is verified", "is not verified"), "no verification"),
            "suspended": ("not be suspended", "are not suspended", {"suspended": False}, [False], [True], ("is suspended", "is not suspended"), "a suspension"),
            "plan": (f"be on the plan {plans[0]} or {plans[1]}", f"are on the plan {plans[0]} or {plans[1]}", {"plan_one_of": plans}, plans, [p for p in PLANS if p not in plans], "is on the plan {}", "the plan"),
            "team": (f"belong to the team {teams[0]}", None, {"team": teams[0]}, teams, [t for t in TEAMS if t not in teams], "belongs to the team {}", "the team"),
            "two_factor": ("have two-factor login switched on", None, {"two_factor": True}, [True], [False], ("has two-factor login switched on", "has two-factor login switched off"), "two-factor login"),
            "account_age_days": (f"have an account that is at least {days} days old", None, {"min_account_age_days": days}, [days, days + 1, days + g.rng.randint(2, 80), days * 3], [days - 1, days - g.rng.randint(2, 5), days // 3], "has an account that is {} days old", "the age of the account")}


def accounts(g):
    """May this user do that, under a stated policy on roles, scopes, plans and the like?"""
    act, scope = g.pick(RIGHTS)
    needs, who, write = _needs(g, scope), g.name(), writer(g)
    keys = g.rng.sample(list(needs), g.rng.randint(1, 3))
    shown = keys + g.rng.sample([k for k in needs if k not in keys], g.rng.randint(0, 2))
    g.rng.shuffle(shown)
    plural = [needs[k][1] or needs[k][0] for k in keys]
    policy = g.pick(["To {a}, a user must {i}. Nothing else is needed.", "Users who {p} may {a}. Nobody else may.", "The right to {a} is given to all users who {p}, and to nobody else.", "Whoever wants to {a} must {i}; whoever does so is let through.", "A user may {a} exactly when all of this holds: the user must {i}.",
                     "All users who {p} can {a}; everyone else gets an error.", "Policy: users may {a} if they {p}, and only then."]).format(a=act, i=g.join([needs[k][0] for k in keys]), p=g.join(plural))
    rule = {"action": act, "requires_all": {k: v for x in keys for k, v in needs[x][2].items()}} if g.coin(0.35) else policy
    shape, extra = g.rng.randint(0, 3), noise(g)
    if shape == 0 and not isinstance(rule, str):
        shape = 1

    def user(met, name=who):
        return {"name": name, **{k: g.rng.choice(needs[k][3] if k in met or k == "suspended" and k not in keys else needs[k][4]) for k in shown}}

    def told(u):
        say = lambda k: needs[k][5][0 if u[k] else 1] if isinstance(needs[k][5], tuple) else needs[k][5].format(g.join(u[k]) if isinstance(u[k], list) else u[k])
        return f"{u['name']} {g.join([say(k) for k in shown])}."

    tell = lambda u: [f"{rule} {told(u)}", write({"policy": rule, "user": {**u, **extra}}), {"policy": rule, "user": told(u)}, write({"user": {**extra, **u}, "policy": rule})][shape]
    free = [k for k in shown if k not in keys and g.coin()]
    failing = g.rng.choice(keys)
    yes = user([*keys, *free])
    no = {**yes, failing: g.rng.choice(needs[failing][4])}
    good, bad = tell(yes), tell(no)
    clause = g.rng.choice([Clause(who, "may", act), Clause(who, "is", f"allowed to {act}"), Clause(who, "is", f"permitted to {act}"), Clause(who, "does", f"have the right to {act}", f"has the right to {act}")])
    out = ask_pair(g, good, bad, clause)
    value = g.coin()
    out += ask_both(g, good if value else bad, clause, value)
    if g.coin(0.35):
        k = g.rng.choice(list(needs))
        two = {"verified": ("is", "verified"), "suspended": ("is", "suspended"), "two_factor": ("does", "have two-factor login switched on", "has two-factor login switched on")}
        if k in two and k in shown:
            on, off = {**yes, k: True}, {**yes, k: False}
            out += ask_pair(g, tell(on), tell(off), Clause(who, *two[k]), 2)
    if len(keys) > 1:
        options = {needs[k][6]: None for k in keys} | ({"nothing": "The user may do it"} if g.coin() else {})
        second = g.rng.choice([k for k in keys if k != failing])
        other = {**yes, second: g.rng.choice(needs[second][4])}
        pair = [(bad, needs[failing][6]), (tell(other), needs[second][6])]
        if "nothing" in options and g.coin(0.6):
            pair = [pair[0], (good, "nothing")]
        out += choose_pair(g, pair, [f"What keeps {who} from being allowed to {act}?", "What stands in the way?", f"What is the obstacle for {who}?", "Which requirement is the problem?"], options)
    if g.coin(0.5):
        names = g.rng.sample(b.NAMES, 3)
        hit = g.rng.choice(names + [None])
        lacks = {n: None if n == hit else g.rng.choice(keys) for n in names}
        users = [user([k for k in [*keys, *free] if k != lacks[n]], n) for n in names]
        listed = f"{rule} {' '.join(told(u) for u in users)}" if shape in (0, 2) and isinstance(rule, str) else write({"policy": rule, "users": users})
        out += veil(g, [pick_one(g, listed, [f"Which user may {act}?", f"Who is allowed to {act}?", f"Who of them can {act}?"], {n: None for n in names} | {"none_of_them": "None of the users"}, hit or "none_of_them")])
    else:
            out += choose_pair(g, [(good, "allow"), (bad, "deny")], [f"{who} tries to {act}. What should the system do?", "Decide on the request to " + act + ".", f"How is the attempt of {who} to {act} to be answered?"], {"allow": "All requirements are met", "deny": "A requirement is not met"}, 3)
    return out


# noun, plural, names, numeric columns (key, word, low, high), a category
TABLES = [("product", "products", b.PRODUCTS, [("price", "price", 4, 99), ("stock", "stock", 0, 60)], ("aisle", ["A", "B", "C"])), ("ward", "wards", ["Ward 1", "Ward 2", "Ward 3", "Ward 4", "Ward 5", "Ward 6"], [("beds", "number of beds", 8, 40), ("nurses", "number of nurses", 2, 15)], ("floor", ["ground", "first", "second"])),
          ("class", "classes", ["1a", "1b", "2a", "2b", "3a", "3b"], [("pupils", "number of pupils", 12, 34), ("average", "average", 40, 95)], ("building", ["old", "new", "annex"])), ("server", "servers", ["alpha", "bravo", "delta", "gamma", "omega", "sigma"], [("load", "load", 1, 99), ("memory_gb", "memory", 4, 128)], ("zone", ["east", "west", "north"])),
          ("trip", "trips", b.CITIES, [("price", "price", 90, 990), ("nights", "number of nights", 1, 21)], ("transport", ["train", "bus", "ferry"])), ("flat", "flats", ["Mill Road 4", "Hill Street 9", "Lake View 2", "Oak Lane 7", "Harbour 11", "Park Row 3"], [("rent", "rent", 400, 1900), ("size", "size", 22, 140)], ("heating", ["gas", "oil", "heat pump"])),
          ("truck", "trucks", ["T-01", "T-02", "T-03", "T-04", "T-05", "T-06"], [("load_kg", "load", 100, 9000), ("mileage", "mileage", 900, 90000)], ("fuel", ["diesel", "electric", "hydrogen"])), ("field", "fields", ["North Acre", "Long Strip", "Pond Field", "Upper Ridge", "Mill Field", "Stone Patch"], [("hectares", "area", 1, 60), ("yield_t", "yield", 1, 90)], ("crop", ["wheat", "barley", "maize"])),
          ("player", "players", b.NAMES, [("goals", "number of goals", 0, 30), ("age", "age", 17, 39)], ("position", ["defence", "midfield", "attack"])), ("article", "articles", ["Tide Turns", "Quiet Streets", "Bread Prices", "New Bridge", "Old Songs", "Snow Report"], [("words", "number of words", 150, 2400), ("views", "number of views", 10, 9000)], ("desk", ["culture", "local", "business"])),
          ("employee", "employees", b.NAMES, [("hours", "number of hours", 4, 45), ("projects", "number of projects", 1, 9)], ("site", ["Graz", "Cork", "Lima"])), ("cow", "cows", ["Bella", "Daisy", "Flora", "Heidi", "Molly", "Rosie"], [("litres", "milk yield", 8, 40), ("weight", "weight", 420, 780)], ("barn", ["left", "middle", "right"])),
          ("supplier", "suppliers", b.COMPANIES, [("lead_days", "lead time", 1, 30), ("score", "score", 30, 99)], ("country", ["Spain", "Norway", "Japan"])), ("medicine", "medicines", ["Alvorin", "Betosan", "Cardilex", "Dolamin", "Evaprin", "Fenotal"], [("packs", "number of packs", 0, 80), ("dose_mg", "dose", 5, 800)], ("shelf", ["top", "middle", "bottom"])),
          ("film", "films", ["Blue Hour", "Last Train", "Paper Moon", "Red Coast", "Silent Wood", "White Noise"], [("minutes", "running time", 70, 190), ("tickets", "number of tickets sold", 5, 400)], ("screen", ["one", "two", "three"]))]


def inventory(g):
    """Rows of a table that satisfy a condition: which, whether any, how many; the largest and the smallest."""
    noun, plural, names, numbers, (cat, kinds) = g.pick(TABLES)
    names = g.rng.sample(list(names), g.rng.randint(3, 5))
    (key, word, low, high), (key2, word2, low2, high2) = g.rng.sample(numbers, 2)
    values, seconds = g.rng.sample(range(low, high + 1), len(names)), g.rng.sample(range(low2, high2 + 1), len(names))
    groups = [g.rng.choice(kinds) for _ in names]
    shape, write, cols = g.rng.randint(0, 6), writer(g, plural), ["name", *g.rng.sample([key, key2, cat], 3)]

    def tell(vs, gs=groups):
        rows = [dict(zip(("name", key, key2, cat), r)) for r in zip(names, vs, seconds, gs)]
        cells = [[str(r[c]) for c in cols] for r in rows]
        return [write({plural: [{c: r[c] for c in cols} for r in rows]}), write([{c: r[c] for c in cols} for r in rows]), "\n".join(["| " + " | ".join(cols) + " |", "|" + " --- |" * 4] + ["| " + " | ".join(c) + " |" for c in cells]), "\n".join(",".join(c) for c in [cols, *cells]), {r["name"]: {c: r[c] for c in cols[1:]} for r in rows},
                "\n".join(f"{r['name']}: " + ", ".join(f"{c} {r[c]}" for c in cols[1:]) for r in rows), " ".join((r["name"] if r["name"].startswith(cap(noun)) else f"{cap(noun)} {r['name']}") + " has " + g.join([f"{c.replace('_', ' ')} {r[c]}" for c in cols[1:]]) + "." for r in rows)][shape]

    a = tell(values)
    order = sorted(values)
    out = []
    i = g.rng.randint(1, len(order) - 1)
    up = g.coin()
    limit = order[i] - 1 if up else order[i - 1] + 1
    above = g.pick(["above {}", "over {}", "greater than {}", "higher than {}"] if up else ["below {}", "under {}", "smaller than {}", "lower than {}"])
    fits = lambda v, n: v > n if up else v < n
    end, far = (max, order[-1]) if up else (min, order[0])
    at = values.index(far)
    near = sorted(values, reverse=up)[1]
    gap = abs(far - near)
    if gap > 1:
        bound = far - g.rng.randint(1, gap - 1) if up else far + g.rng.randint(1, gap - 1)
        lowered = list(values)
        lowered[at] = bound - g.rng.randint(0, min(3, bound)) if up else bound + g.rng.randint(0, 3)
        cond = f"{art(word)} {above.format(bound)}"
        out += twins(g, a, tell(lowered), [f"Is there any {noun} with {cond}?", f"Does any {noun} have {cond}?", f"At least one {noun} has {cond}."], 0, [f"Is there no {noun} with {cond}?", f"No {noun} has {cond}."])
        options = {n: None for n in names} | {"none": f"No {noun} at all"}
        out += choose_pair(g, [(a, names[at]), (tell(lowered), "none")], [f"Which {noun} has {cond}?", f"Pick the {noun} with {cond}.", f"{cap(art(noun))} with {cond} is wanted. Which one is it?"], options, 1) if g.coin(0.4) else choose(g, a, [f"Which {noun} has {cond}?", f"Pick the {noun} with {cond}."], names, names[at])
    kind = g.rng.randint(0, 5)
    if kind == 0:
        n = sum(fits(v, limit) for v in values)
        out += choose(g, a, [f"How many {plural} have {art(word)} {above.format(limit)}?", f"Count the {plural} with {art(word)} {above.format(limit)}."], counts(g, n, len(names)), n)
    elif kind == 1:
        k = g.rng.choice(kinds)
        n = groups.count(k)
        out += choose(g, a, [f"For how many {plural} is the {cat} {k}?", f"How many {plural} have '{k}' as {cat}?"], counts(g, n, len(names)), n)
    elif kind == 2:
        x, y = g.rng.sample(range(len(names)), 2)
        swapped = list(values)
        swapped[x], swapped[y] = values[y], values[x]
        clause = Clause(names[x], "does", f"have a {g.pick(['higher', 'greater', 'larger'])} {word} than {names[y]}", None)
        clause.s = clause.s.replace(" does have ", " has ")
        yes, no = (a, tell(swapped)) if values[x] > values[y] else (tell(swapped), a)
        out += ask_pair(g, yes, no, clause, 2)
    elif kind == 3:
        x = g.rng.randint(0, len(names) - 1)
        out += choose(g, a, [f"What is the {word} of {names[x]}?", f"Which {word} does {names[x]} have?", f"Read off the {word} of {names[x]}."], values, values[x])
    elif kind == 4:
        k = g.rng.choice(kinds)
        gs = [g.rng.choice([z for z in kinds if z != k]) for _ in names]
        one = list(gs)
        one[g.rng.randint(0, len(names) - 1)] = k
        out += twins(g, tell(values, one), tell(values, gs), [f"Is there any {noun} whose {cat} is {k}?", f"Does the list hold {art(noun)} with '{k}' as {cat}?"], 2, [f"Is the {cat} '{k}' missing from the list?", f"There is no {noun} whose {cat} is {k}."])
    else:
        bound = order[0] - 1 if up else order[-1] + 1
        worse = list(values)
        worse[g.rng.randint(0, len(names) - 1)] = bound - g.rng.randint(0, max(min(3, bound), 0)) if up else bound + g.rng.randint(0, 3)
        if bound >= 0:
            cond = f"{art(word)} {above.format(bound)}"
            out += twins(g, a, tell(worse), [f"Do all {plural} have {cond}?", f"Every {noun} has {cond}.", f"Is it so for each {noun} that it has {cond}?"], 2, [f"Is there {art(noun)} without {cond}?", f"Not every {noun} has {cond}."])
    top = g.coin()
    best = names[values.index((max if top else min)(values))]
    x = g.rng.choice([best, g.other(names, best)])
    most = g.rng.choice(["highest", "largest", "greatest"] if top else ["lowest", "smallest"])
    if g.coin():
        out += choose(g, a, [f"Which {noun} has the {most} {word}?", f"Name the {noun} with the {most} {word}.", f"Where is the {word} {most}?"], names, best)
    return out + both(g, a, [f"Does {x} have the {most} {word}?", f"{x} has the {most} {word} of all."], [f"Does another {noun} than {x} have the {most} {word}?", f"{x} does not have the {most} {word}."], x == best)


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


FAMILIES = {f.__name__: f for f in (orders, health, accounts, inventory, thresholds, schedules, policies, precedence, cascades, tools, validation, streams)}
