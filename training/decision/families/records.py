"""Families about records, rules and dates that 1.0.0 was trained on."""
from datetime import date, timedelta

import banks as b
from .base import choice, levels, noul


def purchase(g):
    """Return rules applied to a record."""
    days, window = g.rng.randint(1, 90), g.pick([7, 14, 20, 21, 28, 30, 45, 60])
    opened, sale = g.coin(0.4), g.coin(0.25)
    if g.coin(0.5):
        days = g.rng.randint(1, window) if g.coin(0.6) else window + g.rng.randint(1, 40)
    item = g.pick(b.PRODUCTS)
    rule = g.pick([f"Items may be returned within {window} days if unopened. Sale items cannot be returned.",
                   f"Return policy: unopened goods, at most {window} days after purchase; nothing that was on sale.",
                   f"We take back anything unopened that was bought up to {window} days ago, except discounted articles."])
    ok = days <= window and not opened and not sale
    if g.coin(0.5):
        state = {"policy": rule, "request": {"item": item, "days_since_purchase": days, "opened": opened, "on_sale": sale}}
    else:
        state = (f"{rule} {g.name()} bought a {item} {days} days ago{' on sale' if sale else ' at the full price'} and "
                 f"{'has opened it' if opened else 'has not opened it'}.")
    out = [noul(g, state, ["May the item be returned?", "The return is allowed under the policy.", "Does the policy allow this return?"], ok,
                {"true": "The policy allows it", "false": "The policy forbids it"})]
    why = "accept" if ok else "too_late" if days > window else "opened" if opened else "sale_item"
    if sum([days > window, opened, sale]) <= 1:
        out.append(choice(g, state, ["What should happen with the request?", "Decide on the return."], {
            "accept": "All conditions are met", "too_late": "The period has passed", "opened": "The item was opened", "sale_item": "Sale items are excluded"}, why))
    out.append(noul(g, state, ["Has the item been opened?", "The item was opened."], opened))
    return out


def deadline(g):
    today = date(g.rng.randint(2019, 2031), g.rng.randint(1, 12), g.rng.randint(1, 28))
    gap = g.rng.choice([-40, -12, -5, -2, -1, 0, 1, 3, 6, 11, 35, 90])
    due = today + timedelta(days=gap)
    fmt = g.pick([lambda d: d.isoformat(), lambda d: f"{d.day} {d:%B} {d.year}", lambda d: f"{d:%B} {d.day}, {d.year}"])
    what = g.pick(["invoice", "report", "tax form", "library book", "application", "payment", "contract", "assignment"])
    state = {"today": fmt(today), f"{what.replace(' ', '_')}_due": fmt(due), "owner": g.name()} if g.coin(0.5) else \
        g.pick([f"Today is {fmt(today)}. The {what} is due on {fmt(due)}.", f"The {what} must be in by {fmt(due)}; it is now {fmt(today)}."])
    late = due < today
    out = [noul(g, state, [f"Is the {what} overdue?", f"The deadline for the {what} has passed.", "Has the due date passed?"], late)]
    out.append(choice(g, state, ["What is the status of the deadline?", f"How does the {what} stand?"], {
        "overdue": "The due date is before today", "due_today": "The due date is today", "upcoming": "The due date is after today"},
        "overdue" if late else "due_today" if gap == 0 else "upcoming"))
    return out


def amount(g):
    """Amounts against described bands, as score levels in rising or falling order."""
    unit, word = g.pick([("EUR", "cost"), ("USD", "price"), ("km", "distance"), ("people", "group size"), ("minutes", "waiting time"),
                         ("items", "stock"), ("kg", "weight"), ("hours", "delay"), ("degrees", "temperature"), ("points", "risk score")])
    k = g.rng.randint(2, 5)
    step = g.rng.choice([5, 10, 20, 50, 100, 250])
    cuts = sorted(g.rng.sample(range(1, 12), k - 1))
    cuts = [c * step for c in cuts]
    value = g.rng.randint(0, 13 * step)
    if g.coin(0.15):
        value = g.rng.choice(cuts)
    level = sum(value >= c for c in cuts)
    adjectives = {2: ["low", "high"], 3: ["low", "medium", "high"], 4: ["low", "moderate", "high", "extreme"], 5: ["very low", "low", "medium", "high", "very high"]}[k]
    style = g.rng.randint(0, 2)
    names = []
    for i in range(k):
        low, high = (cuts[i - 1] if i else None), (cuts[i] if i < k - 1 else None)
        span = f"under {high} {unit}" if low is None else f"{low} {unit} or more" if high is None else f"{low} to under {high} {unit}"
        names.append(span if style == 0 else f"{adjectives[i]}: {span}" if style == 1 else f"{adjectives[i]} ({span})")
    if g.coin(0.25):
        names, level = names[::-1], k - 1 - level
    state = {word.replace(" ", "_"): value, "unit": unit, "noted_by": g.name()} if g.coin(0.5) else \
        g.pick([f"The {word} is {value} {unit}.", f"{g.name()} measured a {word} of {value} {unit}.", f"Reported {word}: {value} {unit}, at {g.pick(b.CITIES)}."])
    out = [levels(g, state, [f"Rate the {word}.", f"Which band does the {word} fall into?", f"How high is the {word}?"], names, level, reversible=False)]
    limit = value + g.rng.choice([-3, -1, 1, 2]) * g.rng.randint(1, max(step // 2, 2))
    out.append(noul(g, state, [f"Is the {word} above {limit} {unit}?", f"The {word} exceeds {limit} {unit}."], value > limit))
    return out


def permission(g):
    roles = {"viewer": ["read"], "editor": ["read", "write"], "manager": ["read", "write", "approve"], "admin": ["read", "write", "approve", "delete"]}
    if g.coin(0.4):
        actions = ["read", "write", "approve", "delete", "export", "invite"]
        roles = {r: sorted(g.rng.sample(actions, g.rng.randint(1, 4))) for r in g.rng.sample(["guest", "clerk", "lead", "auditor", "owner", "bot"], 3)}
    role = g.rng.choice(list(roles))
    every = sorted({a for v in roles.values() for a in v})
    want = g.coin(0.5)
    pool = [a for a in every if (a in roles[role]) == want] or every
    action = g.rng.choice(pool)
    ok = action in roles[role]
    who = g.name()
    if g.coin(0.5):
        state = {"roles": roles, "user": {"name": who, "role": role}, "requested_action": action}
    else:
        text = " ".join(f"A{'n' if r[0] in 'aeo' else ''} {r} may {g.join(v)}." for r, v in roles.items())
        state = f"{text} {who} is {'an' if role[0] in 'aeo' else 'a'} {role} and wants to {action} a document."
    out = [noul(g, state, ["Is the action allowed?", f"{who} may {action}.", "Does the role permit what is requested?", "Should access be granted?"], ok)]
    out.append(choice(g, state, ["Decide on the request.", "What should the gate do?"], {"allow": "The role includes the action", "deny": "The role does not include it"}, "allow" if ok else "deny"))
    out.append(choice(g, state, [f"Which role does {who} have?"], {r: None for r in roles}, role))
    return out


def extraction(g):
    """Is a value taken from a document the right one?"""
    d = date(2024, 1, 1) + timedelta(days=g.rng.randint(0, 900))
    number, total = f"{g.rng.choice('ABKRX')}-{g.rng.randint(100, 9999)}", f"{g.rng.randint(10, 4000)}.{g.rng.randint(0, 99):02d}"
    fields = {"invoice number": number, "date": d.isoformat(), "total": f"{total} EUR", "customer": g.name(), "supplier": g.pick(b.COMPANIES), "city": g.pick(b.CITIES)}
    text = g.pick(["Invoice {n} from {s}, {c}. Date: {d}. Billed to {u}. Amount due: {t}.",
                   "{s} ({c}) thanks {u} for the order. Invoice no. {n} of {d}; please pay {t} within 30 days.",
                   "Dear {u}, enclosed is our invoice {n} dated {d} over {t}. Kind regards, {s}, {c}.",
                   "RECEIPT {s} / {c} / {d} / no {n} / for {u} / total {t}"]).format(
        n=number, s=fields["supplier"], c=fields["city"], d=fields["date"], u=fields["customer"], t=fields["total"])
    key = g.rng.choice(list(fields))
    right = g.coin(0.5)
    wrong = {"invoice number": f"{number[:2]}{g.rng.randint(100, 9999)}", "date": (d + timedelta(days=g.rng.choice([-30, -1, 1, 10, 365]))).isoformat(),
             "total": f"{g.rng.randint(10, 4000)}.{g.rng.randint(0, 99):02d} EUR", "customer": g.other(b.NAMES, fields["customer"]),
             "supplier": g.other(b.COMPANIES, fields["supplier"]), "city": g.other(b.CITIES, fields["city"])}[key]
    if g.coin(0.2):
        wrong = fields[g.rng.choice([k for k in fields if k != key])]
    value = fields[key] if right else wrong
    if g.coin(0.5):
        out = [noul(g, {"document": text, "field": key, "extracted": value}, ["Is the extracted value correct?", "The extracted value matches the document.", "Was the field read correctly?"], right)]
    else:
        out = [noul(g, text, [f"Is the {key} {value}?", f"The {key} is {value}.", f'Does the document give "{value}" as the {key}?'], right)]
    options = {fields[key]: None, wrong: None}
    for _ in range(g.rng.randint(0, 2)):
        options[g.rng.choice(list(fields.values()))] = None
    out.append(choice(g, text, [f"What is the {key}?", f"Pick the {key} of the document."], options, fields[key]))
    return out


def lookup(g):
    """A field of a record, nested or not."""
    status = g.pick(["open", "closed", "pending", "shipped", "cancelled", "draft", "approved"])
    record = {"id": f"{g.rng.choice('TQZ')}{g.rng.randint(100, 999)}", "status": status, "owner": g.name(), "paid": g.coin(), "archived": g.coin(0.3),
              "priority": g.rng.choice(["low", "normal", "high"]), "city": g.pick(b.CITIES), "product": g.pick(b.PRODUCTS)}
    if g.coin(0.4):
        record["customer"] = {"name": g.name(), "tier": g.rng.choice(["basic", "silver", "gold"]), "newsletter": g.coin()}
    keys = list(record)
    g.rng.shuffle(keys)
    state = {k: record[k] for k in keys}
    if g.coin(0.25):
        state = {"meta": {"version": g.rng.randint(1, 9), "source": g.pick(["web", "mail", "phone", "import"])}, "record": state}
    out = [choice(g, state, ["What is the status?", "Pick the current status of the record.", "In which state is it?"],
                  {s: None for s in {status, *g.rng.sample(["open", "closed", "pending", "shipped", "cancelled", "draft", "approved"], g.rng.randint(2, 5))}}, status),
           noul(g, state, ["Has it been paid?", "The record is marked as paid.", "Is it paid?"], record["paid"]),
           noul(g, state, ["Is it archived?", "The record is archived."], record["archived"])]
    guess = status if g.coin() else g.rng.choice(["open", "closed", "pending", "shipped", "cancelled"])
    out.append(noul(g, state, [f"Is the status {guess}?", f"The record is {guess}."], guess == status))
    if "customer" in record:
        tier = record["customer"]["tier"]
        out.append(choice(g, state, ["Which tier is the customer in?", "Pick the tier."], {"basic": None, "silver": None, "gold": None}, tier))
    return g.rng.sample(out, 3)


def eligibility(g):
    """Conditions joined by and / or, some of them unknown."""
    age, income, years = g.rng.randint(16, 80), g.rng.randint(10, 90), g.rng.randint(0, 15)
    min_age, max_income, min_years = g.rng.choice([18, 21, 25, 60, 65]), g.rng.choice([20, 30, 40, 50]), g.rng.choice([1, 2, 3, 5])
    tests = {f"is at least {min_age} years old": age >= min_age, f"earns at most {max_income} thousand a year": income <= max_income,
             f"has lived here for {min_years} years or more": years >= min_years}
    used = g.rng.sample(list(tests), 2)
    both = g.coin()
    ok = all(tests[t] for t in used) if both else any(tests[t] for t in used)
    who = g.name()
    rule = f"The grant is for anyone who {used[0]} {'and' if both else 'or'} {used[1]}."
    state = {"rule": rule, "applicant": {"name": who, "age": age, "income_thousand": income, "years_resident": years}} if g.coin() else \
        f"{rule} {who} is {age}, earns {income} thousand a year and has lived here for {years} years."
    return [noul(g, state, ["Is the applicant eligible?", f"{who} qualifies for the grant.", "Are the conditions met?"], ok),
            noul(g, state, [f"Is {who} at least {min_age} years old?"], age >= min_age)]


def hours(g):
    opens, closes, now = g.rng.randint(7, 11), g.rng.randint(16, 22), g.rng.randint(5, 23)
    minute = g.rng.choice([0, 10, 15, 30, 45])
    day = g.rng.choice(["Monday", "Wednesday", "Friday", "Saturday", "Sunday"])
    closed = g.rng.choice(["Sunday", "Monday", "Saturday"])
    place = g.pick(["shop", "library", "clinic", "museum", "pool", "office", "bakery"])
    is_open = opens <= now < closes and day != closed
    state = {"opens": f"{opens:02d}:00", "closes": f"{closes:02d}:00", "closed_on": closed, "now": f"{day} {now:02d}:{minute:02d}"} if g.coin() else \
        f"The {place} is open from {opens}:00 to {closes}:00, closed on {closed}s. It is {day}, {now:02d}:{minute:02d}."
    return [noul(g, state, [f"Is the {place} open now?", f"The {place} is open at this moment.", "Can one go in right now?"], is_open)]


def table(g):
    n, key = g.rng.randint(3, 6), g.pick(["price", "distance_km", "rating", "age", "score", "weight_kg", "seats", "stock"])
    names = g.rng.sample(b.NAMES + b.CITIES, n)
    values = g.rng.sample(range(1, 100), n)
    if g.coin(0.35):
        values = [v * 10 for v in values]
    state = [{"name": x, key: v, "group": g.rng.choice(["a", "b", "c"])} for x, v in zip(names, values)] if g.coin(0.6) else \
        "; ".join(f"{x}: {key.replace('_', ' ')} {v}" for x, v in zip(names, values))
    top = g.coin()
    word = key.replace("_", " ")
    best = names[values.index(max(values) if top else min(values))]
    out = [choice(g, state, [f"Which has the {'highest' if top else 'lowest'} {word}?", f"Pick the entry with the {'largest' if top else 'smallest'} {word}."], {x: None for x in names}, best)]
    i, j = g.rng.sample(range(n), 2)
    out.append(noul(g, state, [f"Does {names[i]} have a higher {word} than {names[j]}?", f"The {word} of {names[i]} is higher than that of {names[j]}."], values[i] > values[j]))
    at = g.rng.randrange(n)
    said = values[at] if g.coin() else g.rng.choice(values)
    out.append(noul(g, state, [f"Is the {word} of {names[at]} {said}?", f"{names[at]} has a {word} of {said}."], said == values[at]))
    return out


def gate(g):
    """Calls of an agent's tools against a policy."""
    tools = {"read_file": "allow", "list_files": "allow", "search_web": "allow", "send_email": "ask", "install_package": "ask", "delete_file": "deny",
             "drop_table": "deny", "transfer_money": "deny", "create_branch": "allow", "restart_server": "ask", "change_password": "deny", "post_message": "ask"}
    shuffled = {t: (v if g.coin(0.5) else g.rng.choice(["allow", "ask", "deny"])) for t, v in tools.items()}
    some = g.rng.sample(list(tools), g.rng.randint(3, 6))
    tool = g.rng.choice(some)
    by = {v: [t for t in some if shuffled[t] == v] for v in ("allow", "ask", "deny")}
    words = {"allow": "Allowed without asking", "ask": "A person must confirm", "deny": "Never allowed"}
    policy = ". ".join(f"{words[v]}: {', '.join(ts)}" for v, ts in by.items() if ts) + "."
    args = g.pick([{"path": "notes.txt"}, {"target": "production"}, {"to": "team@example.org"}, {"name": "orders"}, {"amount": 250}, {}])
    state = {"policy": policy, "call": {"tool": tool, "args": args}} if g.coin() else f"Policy. {policy} The agent calls {tool}."
    verdict = shuffled[tool]
    return [choice(g, state, ["What should happen with the tool call?", "Apply the policy to this call.", "May the agent go on?"],
                   {"allow": "Run it", "ask": "Ask a person first", "deny": "Refuse it"}, verdict),
            noul(g, state, ["Is a person's confirmation needed?", "The call must be confirmed by a person."], verdict == "ask"),
            noul(g, state, ["Is the call forbidden?", "The policy forbids this call."], verdict == "deny")]


def moderation_rule(g):
    """Numeric rules of a community applied to a record."""
    warn, ban = g.rng.choice([2, 3]), g.rng.choice([5, 6, 8])
    strikes, age = g.rng.randint(0, 10), g.rng.choice([1, 3, 10, 60, 400])
    state = {"rules": f"Under {warn} strikes: nothing. From {warn} strikes: warning. From {ban} strikes: ban.", "user": {"name": g.name(), "strikes": strikes, "account_age_days": age}}
    if g.coin():
        state = f"{state['rules']} {g.name()} has {strikes} strikes on an account of {age} days."
    verdict = "ban" if strikes >= ban else "warning" if strikes >= warn else "nothing"
    return [choice(g, state, ["Which measure do the rules ask for?", "Apply the rules."], {"nothing": None, "warning": None, "ban": None}, verdict),
            noul(g, state, ["Must the user be banned?", "The rules ask for a ban."], verdict == "ban")]


def count(g):
    items = g.rng.sample(b.PRODUCTS, g.rng.randint(2, 6))
    state = {"cart": items} if g.coin() else f"The cart holds {g.join(['a ' + i for i in items])}."
    probe = g.rng.choice(items) if g.coin() else g.rng.choice([p for p in b.PRODUCTS if p not in items])
    n = len(items) if g.coin() else g.rng.randint(2, 6)
    return [noul(g, state, [f"Is there a {probe} in the cart?", f"The cart contains a {probe}."], probe in items),
            noul(g, state, [f"Are there {n} things in the cart?", f"The cart holds {n} things."], n == len(items))]


def change(g):
    """The last word counts."""
    a, c = g.rng.sample(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"], 2)
    who, other = g.rng.sample(b.NAMES, 2)
    moved, kept = g.coin(), None
    text = f"{who}: Shall we meet on {a}? {other}: " + (
        g.pick([f"{a} does not work, let us take {c}. {who}: {c} is fine.", f"Could we do {c} instead? {who}: Sure, {c} then.", f"I would rather meet on {c}. {who}: Agreed."]) if moved
        else g.pick([f"I first thought of {c}, but {a} is better. {who}: Good.", f"Yes, {a} suits me. {c} would be too late.", f"{a} works for me."]))
    final = c if moved else a
    options = {x: None for x in {a, c, g.rng.choice(["Sunday", "Monday", "Friday"])}}
    return [choice(g, text, ["On which day do they meet?", "Which day was agreed?"], options, final),
            noul(g, text, [f"Do they meet on {a}?", f"The meeting is on {a}."], final == a)]


FAMILIES = {f.__name__: f for f in (purchase, deadline, amount, permission, extraction, lookup, eligibility, hours, table, gate, moderation_rule, count, change)}
