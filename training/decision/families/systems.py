"""Orders, health checks, accounts and tables, as records and as prose; and what `policies` and `tools` share with them."""
import json

import banks as b
from clauses import ask_both, ask_pair, cap, Clause, pick_one, row, scale

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


FAMILIES = {f.__name__: f for f in (orders, health, accounts, inventory)}
