"""Families about meaning: routing, moderation, sentiment, tone, urgency, answers, topics. Labels come from the bank a
sentence was drawn from."""
import banks as b
from .base import choice, levels, noul


def _none(g, options, p_add=0.5):
    """Adds a 'none of these' option half of the time; returns its key or None."""
    if not g.coin(p_add):
        return None
    key, words = g.rng.choice(b.NONE_KEYS)
    options[key] = words
    return key


def _greet(g, text):
    if g.coin(0.3):
        text = g.pick(["Hi, ", "Hello team, ", "Good morning. ", "Hey, ", "Dear all, "]) + text
    if g.coin(0.25):
        text += g.pick([" Thanks.", f" Best, {g.name()}", " Regards", " Looking forward to your answer.", " Sent from my phone"])
    return text


def routing(g):
    topic = g.rng.choice(list(b.TOPICS))
    others = g.rng.sample([t for t in b.TOPICS if t != topic], g.rng.randint(2, 6))
    missing = g.coin(0.22)
    shown = others if missing else [topic, *others]
    options = {t: b.TOPICS[t][0] for t in shown}
    off = missing and g.coin(0.4)
    text = g.pick(b.OFF_TOPIC) if off else g.pick(b.TOPICS[topic][1])
    none = _none(g, options, 1.0 if missing else 0.4)
    label = none if missing else topic
    text = _greet(g, text)
    if g.coin(0.3):
        text = {"subject": g.pick(["Question", "Help needed", "Hello", "Request", "Problem"]), "body": text, "channel": g.rng.choice(["mail", "chat", "phone"])}
    out = [choice(g, text, ["Which team should get this?", "Route the message.", "What is the message about?", "Pick the right queue.", "Where does this ticket belong?"], options, label)]
    probe = topic if g.coin() and not off else g.rng.choice([t for t in b.TOPICS if t != topic])
    words = probe.replace("_", " ")
    out.append(noul(g, text, [f"Is this about {words}?", f"The message concerns {words}.", f"Should the {words} team get this?", f"Does the topic \"{b.TOPICS[probe][0]}\" fit?"], probe == topic and not off))
    return out


def triage(g):
    """Several questions on one ticket: team, urgency, tone."""
    topic, tone, u = g.rng.choice(list(b.TOPICS)), g.rng.choice(["angry", "grateful", "worried", "neutral"]), g.rng.randint(0, 3)
    parts = [g.pick(b.TOPICS[topic][1]), g.pick(b.URGENCY[u][2])]
    if tone != "neutral":
        parts.append(g.pick(b.TONES[tone][1]))
    if g.coin(0.3):
        g.rng.shuffle(parts)
    text = " ".join(parts)
    state = {"ticket": g.rng.randint(1000, 9999), "from": g.name(), "text": text} if g.coin() else text
    teams = g.rng.sample([t for t in b.TOPICS if t != topic], 3) + [topic]
    long_names = g.coin()
    return [choice(g, state, ["Which team should handle the ticket?", "Assign the ticket."], {t: b.TOPICS[t][0] for t in teams}, topic),
            levels(g, state, ["How urgent is it?", "Rate the urgency of the ticket.", "When must somebody act?"], [x[1 if long_names else 0] for x in b.URGENCY], u),
            noul(g, state, ["Does the ticket need an answer today or sooner?", "It must be handled today at the latest.", "Is it urgent?"], u >= 2),
            choice(g, state, ["What is the tone?", "How does the writer sound?"], {t: b.TONES[t][0] for t in ("angry", "grateful", "worried", "neutral")}, tone),
            noul(g, state, ["Is the customer angry?", "The writer is angry."], tone == "angry")]


def urgency(g):
    u = g.rng.randint(0, 3)
    text = _greet(g, g.pick(["The printer: ", "About the report: ", "The website: ", "Regarding your order: ", "", "The shop system: ", "Our contract: "]) + g.pick(b.URGENCY[u][2]))
    names = g.rng.choice([[x[0] for x in b.URGENCY], [x[1] for x in b.URGENCY], ["not urgent", "slightly urgent", "urgent", "emergency"], ["low", "medium", "high", "critical"]])
    return [levels(g, text, ["How urgent is this?", "Rate the urgency.", "Which priority does the request have?"], names, u),
            noul(g, text, ["Must somebody act today?", "This can wait until tomorrow."][:1], u >= 2),
            noul(g, text, ["Can this wait a few days?", "There is no hurry."], u <= 1)]


def incident(g):
    text, level = g.pick(b.INCIDENTS)
    names = g.rng.choice(b.INCIDENT_LEVELS)
    state = {"service": g.pick(["shop", "mail", "search", "billing", "login"]), "report": text, "reported_by": g.name()} if g.coin() else text
    return [levels(g, state, ["How severe is the incident?", "Rate the severity.", "Assign the severity level."], names, level),
            noul(g, state, ["Should the on-call engineer be woken?", "This is a major incident."][1:], level >= 2)]


def harm(g):
    """Which rule does a message break?"""
    kinds = list(b.HARM)
    fine = g.coin(0.35)
    kind = g.rng.choice(kinds)
    text = g.pick(b.BENIGN) if fine else g.pick(b.HARM[kind][1])
    if not fine and g.coin(0.15):
        text = f"{g.pick(b.BENIGN)} {text}"
    shown = g.rng.sample([k for k in kinds if k != kind], g.rng.randint(2, 5))
    absent = not fine and g.coin(0.15)
    if not absent:
        shown.append(kind)
    options = {k: b.HARM[k][0] for k in shown}
    key, words = g.rng.choice([("none", "Breaks no rule"), ("fine", "Nothing wrong with it"), ("none_of_these", None), ("allowed", "An ordinary message"), ("no_violation", None)])
    if fine or absent or g.coin(0.6):
        options[key] = words
    label = key if fine or absent else kind
    state = {"channel": g.pick(["general", "help", "trading", "random"]), "author": g.name(), "message": text} if g.coin(0.35) else text
    out = [choice(g, state, ["Which rule does the message break?", "Pick the violation.", "What is wrong with this message?", "Classify the message for moderators."], options, label)]
    probe = kind if not fine and g.coin(0.6) else g.rng.choice(kinds)
    yes = not fine and probe == kind
    asks = {"scam": ["Is this a scam?", "The message tries to defraud people."], "spam": ["Is this spam?", "The message is unwanted advertising."],
            "insult": ["Is this an insult?", "The message attacks a person."], "threat": ["Is this a threat?", "The message threatens violence."],
            "doxxing": ["Does this reveal private data of somebody?", "The message doxxes a person."], "self_harm": ["Does the writer talk of hurting themselves?", "The message is about self-harm."],
            "spoiler": ["Does it spoil the ending of a story?"], "politics": ["Is this political?", "The message argues about politics."]}
    related = {"scam": {"spam"}, "spam": {"scam"}, "threat": {"insult"}, "insult": {"threat"}}
    if yes or fine or kind not in related.get(probe, ()):
        out.append(noul(g, state, asks[probe], yes))
    out.append(noul(g, state, [f"Does the message break this rule: no {probe.replace('_', ' ')}?"], yes) if g.coin(0.3) and (yes or kind not in related.get(probe, ())) else
               noul(g, state, ["Should a moderator look at this?", "The message is harmless.", "The message is fine."][:1], not fine and kind not in ("politics", "spoiler")) if kind not in ("politics", "spoiler") or fine else
               noul(g, state, ["Does the message contain an insult?"], False))
    return out


def sentiment(g):
    aspects = g.rng.sample(list(b.ASPECTS), g.rng.randint(1, 3))
    signs = [g.coin() for _ in aspects]
    if g.coin(0.5):
        signs = [signs[0]] * len(signs)
    text = " ".join(g.pick(b.ASPECTS[a][0 if s else 1]) for a, s in zip(aspects, signs))
    positive = sum(signs) / len(signs)
    level3 = 2 if positive == 1 else 0 if positive == 0 else 1
    names = g.rng.choice([["negative", "mixed", "positive"], ["Unhappy", "Partly happy", "Happy"], ["bad review", "so-so review", "good review"]])
    state = {"product": g.pick(b.PRODUCTS), "review": text} if g.coin(0.3) else text
    out = [levels(g, state, ["How positive is the review?", "Rate the sentiment.", "What does the writer feel overall?"], names, level3)]
    a = g.rng.choice(aspects)
    out.append(choice(g, state, [f"How does the writer feel about the {a}?", f"Opinion on the {a}?"], {"positive": None, "negative": None, "not_mentioned": "The text does not say"}, "positive" if signs[aspects.index(a)] else "negative"))
    absent = g.rng.choice([x for x in b.ASPECTS if x not in aspects])
    out.append(noul(g, state, [f"Does the review mention the {absent}?"], False) if g.coin(0.4) else noul(g, state, [f"Is the writer happy with the {a}?", f"The {a} is praised."], signs[aspects.index(a)]))
    return out


def tone(g):
    t = g.rng.choice(list(b.TONES))
    text = g.pick(b.TONES[t][1])
    if g.coin(0.3):
        text = f"{g.pick(b.TONES['neutral'][1])} {text}" if t != "neutral" else text
    shown = [t, *g.rng.sample([x for x in b.TONES if x != t], g.rng.randint(1, 5))]
    out = [choice(g, text, ["What is the tone of the message?", "Which feeling does the writer show?", "How does this sound?"], {x: b.TONES[x][0] for x in shown}, t)]
    probe = t if g.coin() else g.rng.choice(list(b.TONES))
    if {probe, t} not in ({"angry", "sarcastic"}, {"sad", "worried"}):
        out.append(noul(g, text, [f"Is the tone {probe}?", f"The writer sounds {probe}."], probe == t))
    return out


def answer(g):
    """Does a reply answer the question?"""
    q, full, part, bad = g.pick(b.QA)
    level = g.rng.randint(0, 2)
    reply = [bad, part, full][level]
    if level == 0 and g.coin(0.5):
        reply = g.other([x[1] for x in b.QA], full) if g.coin() else g.pick(["I am not sure, sorry.", "Please contact our support.", "We will get back to you.", "That is a good question!"])
    state = {"question": q, "answer": reply} if g.coin(0.6) else f"Question: {q}\nReply: {reply}"
    names = g.rng.choice([["does not answer", "answers a part", "answers everything"], ["off the point", "partial answer", "complete answer"], ["0 of 2 points", "1 of 2 points", "2 of 2 points"]])
    out = [levels(g, state, ["How well does the reply answer the question?", "Rate the answer.", "How complete is the answer?"], names, level)]
    if level != 1:
        out.append(noul(g, state, ["Does the reply answer the question?", "The question is answered."], level == 2))
    else:
        out.append(noul(g, state, ["Is every part of the question answered?", "The reply is complete."], False))
    return out


def relevance(g):
    """Does a document help with a query?"""
    q, full, _, _ = g.pick(b.QA)
    hit = g.coin()
    doc = full if hit else g.other([x[1] for x in b.QA], full)
    return [noul(g, {"query": q, "passage": doc}, ["Is the passage relevant to the query?", "The passage answers the query.", "Does this result help?"], hit)]


def headline(g):
    topic = g.rng.choice(list(b.HEADLINES))
    shown = g.rng.sample([t for t in b.HEADLINES if t != topic], g.rng.randint(2, 6))
    missing = g.coin(0.2)
    options = {t: None for t in (shown if missing else [topic, *shown])}
    none = _none(g, options, 1.0 if missing else 0.3)
    text = g.pick(b.HEADLINES[topic])
    probe = topic if g.coin() else g.other(list(b.HEADLINES), topic)
    return [choice(g, text, ["Which section does the headline belong to?", "Pick the topic.", "What is this news about?"], options, none if missing else topic),
            noul(g, text, [f"Is this {probe} news?", f"The headline is about {probe}."], probe == topic)]


def language(g):
    lang = g.rng.choice(list(b.LANGUAGES))
    text = g.pick(b.LANGUAGES[lang])
    shown = [lang, *g.rng.sample([x for x in b.LANGUAGES if x != lang], g.rng.randint(1, 5))]
    probe = lang if g.coin() else g.other(list(b.LANGUAGES), lang)
    return [choice(g, text, ["Which language is this?", "Identify the language."], {x: None for x in shown}, lang),
            noul(g, text, [f"Is this written in {probe}?", f"The text is {probe}."], probe == lang)]


def personal(g):
    """Private data in a text."""
    kind = g.rng.choice(["phone number", "email address", "card number", "street address", "none"])
    n = lambda k: "".join(str(g.rng.randint(0, 9)) for _ in range(k))
    who = g.name()
    body = {"phone number": f"call me on 0{n(3)} {n(6)}", "email address": f"write to {who.lower()}{n(2)}@example.org", "card number": f"my card is {n(4)} {n(4)} {n(4)} {n(4)}",
            "street address": f"I live at {n(2)} {g.pick(['Mill', 'Oak', 'High', 'Station', 'River'])} Street, {g.pick(b.CITIES)}",
            "none": g.pick(["see you at the party", "the order has 12 pieces", "my team has 4 people", "I will be there at 10", "version 2.4 is out"])}[kind]
    text = f"{g.pick(['Hi', 'Hello', 'Hey there', 'Good evening'])}, {body}. {g.pick(b.FILLER)}"
    options = {k.replace(" ", "_"): None for k in ("phone number", "email address", "card number", "street address")}
    options["none"] = "No private data"
    probe = kind if kind != "none" and g.coin(0.6) else g.rng.choice(["phone number", "email address", "card number", "street address"])
    return [choice(g, text, ["Which private data does the text hold?", "Pick the kind of personal data in it."], options, kind.replace(" ", "_")),
            noul(g, text, [f"Does the text contain a{'n' if probe[0] == 'e' else ''} {probe}?"], probe == kind),
            noul(g, text, ["Does the text hold personal data?", "Private data is in the message."], kind != "none")]


def dialogue(g):
    """A conversation with an agent: solved or not, what next."""
    topic = g.rng.choice([t for t in b.TOPICS if t not in ("praise", "press", "jobs")])
    ask = g.pick(b.TOPICS[topic][1])
    solved = g.coin()
    end = g.pick(["That worked, thank you!", "Perfect, it is all fine now.", "Great, problem solved.", "Oh yes, now it works."]) if solved else \
        g.pick(["It still does not work.", "That did not help at all.", "No, the same problem again.", "I have tried that already, nothing changed."])
    human = not solved and g.coin(0.4)
    if human:
        end += " " + g.pick(["Let me talk to a person.", "I want to speak to a human.", "Give me your manager."])
    turns = [("customer", ask), ("agent", g.pick(["Let me check that for you.", "Please try again after a restart.", "I have changed the setting.", "Could you look once more?"])), ("customer", end)]
    state = [{"role": r, "text": t} for r, t in turns] if g.coin() else "\n".join(f"{r.title()}: {t}" for r, t in turns)
    return [noul(g, state, ["Was the problem solved?", "The customer's problem is solved.", "Is the customer satisfied at the end?"], solved),
            choice(g, state, ["What should the agent do next?", "Pick the next step."], {"close": "The matter is settled", "escalate": "Hand over to a person, as asked", "keep_helping": "Not solved yet, try something else"},
                   "close" if solved else "escalate" if human else "keep_helping"),
            noul(g, state, ["Does the customer ask for a human?", "The customer wants to speak to a person."], human)]


def same(g):
    """Do two messages ask for the same?"""
    topic = g.rng.choice(list(b.TOPICS))
    x = g.pick(b.TOPICS[topic][1])
    equal = g.coin()
    y = g.pick(["Once more: {}", "{} Please answer.", "As I wrote before: {}", "{} Can you help?"]).format(x) if equal else g.pick(b.TOPICS[g.other(list(b.TOPICS), topic)][1])
    return [noul(g, {"first": x, "second": y}, ["Do both messages ask for the same thing?", "The second message repeats the first.", "Are these duplicates?"], equal)]


def claim(g):
    """Supported, contradicted, or not said."""
    who, city, old = g.name(), g.pick(b.CITIES), g.pick(b.CITIES)
    job = g.pick(["nurse", "teacher", "plumber", "lawyer", "pilot", "baker", "judge"])
    text = g.pick([f"{who} works as a {job} in {city} and likes to swim.", f"In {city}, {who} found work as a {job}.", f"{who}, a {job}, has lived in {city} since 2015."])
    kind = g.rng.randint(0, 2)
    said = [g.pick([f"{who} is a {job}.", f"{who} is in {city}."]), f"{who} is a {g.other(['nurse', 'teacher', 'plumber', 'lawyer', 'pilot', 'baker'], job)}." ,
            g.pick([f"{who} has two children.", f"{who} owns a car.", f"{who} studied in Paris.", f"{who} is married."])][kind]
    options = g.rng.choice([{"supported": "The text says so", "contradicted": "The text says otherwise", "unknown": "The text does not say"}, {"yes": None, "no": None, "not_stated": None},
                            {"entailment": None, "contradiction": None, "neutral": None}])
    return [choice(g, {"text": text, "claim": said} if g.coin() else text, [f"Claim: {said} Is it supported by the text?", f'Does the text support "{said}"?'], options, list(options)[kind]),
            noul(g, text, [f"Does the text say this: {said}", f"According to the text: {said}"], kind == 0)]


def intent(g):
    """Statement, question, request, complaint."""
    kind = g.rng.choice(["question", "request", "complaint", "thanks"])
    text = {"question": ["When does it start?", "How old is the building?", "What does the blue light mean?", "Who is in charge of the keys?", "Why is the gate closed?"],
            "request": ["Please send me the form.", "Could you open the window?", "Book a table for two, please.", "Kindly forward this to Anna.", "Remind me tomorrow at nine."],
            "complaint": ["The soup was cold again.", "I have been waiting for an hour.", "The noise next door is unbearable.", "Your app loses my notes.", "The seat was dirty."],
            "thanks": ["Thanks a lot for the flowers.", "Much appreciated, great help.", "Thank you for the quick reply.", "I am grateful for your time."]}
    t = g.pick(text[kind])
    probe = kind if g.coin() else g.rng.choice(list(text))
    return [choice(g, t, ["What kind of message is this?", "Pick the intent.", "What does the writer want?"], {"question": "Asks for information", "request": "Asks somebody to do something", "complaint": "Is unhappy about something", "thanks": "Says thank you"}, kind),
            noul(g, t, [f"Is this a {probe}?" if probe != "thanks" else "Does the writer say thank you?"], probe == kind)]


FAMILIES = {f.__name__: f for f in (routing, triage, urgency, incident, harm, sentiment, tone, answer, relevance, headline, language, personal, dialogue, same, claim, intent)}
