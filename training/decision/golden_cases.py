"""Requests the Rust engine and the Python evaluation must answer alike: every type, every JSON state, the edges."""

ROUTE = {"type": "choice", "instructions": "Which team should handle this?",
         "criteria": {"billing": "Payments, invoices, refunds", "technical": "Bugs and outages", "sales": None, "other": "None of these fits"}}
URGENT = {"type": "noul", "instructions": "Is this urgent?", "criteria": None}
ANGER = {"type": "score", "instructions": "How upset is the customer?", "criteria": ["Calm", "Slightly annoyed", "Angry", "Furious"]}
SCAM = {"type": "noul", "instructions": "Is this message a scam?", "criteria": {"true": "It tries to trick the reader", "false": "An honest message"}}
FILLER = ("The meeting notes cover the new office plants, the seating plan for the third floor and the lunch menu. "
          "Nobody had questions about the printer. The coffee machine will be cleaned on Monday. ")
MANY = {f"option_{i:03d}": (f"the case with the number {i}" if i % 3 else None) for i in range(60)}


def one(state, question, **more):
    return {"state": state, "questions": {"q": question}, **more}


CASES = [
    {"state": "I was charged twice for my subscription and nobody answers. Fix this today!", "questions": {"team": ROUTE, "urgent": URGENT, "anger": ANGER}},
    {"state": {"subject": "App crashes", "body": "It closes when I open settings.", "plan": "free", "attempts": 3}, "questions": {"team": ROUTE, "urgent": URGENT}},
    one("Congratulations! You won a $500 gift card, click here and enter your bank details.", SCAM),
    one("Are we still on for lunch tomorrow?", SCAM),
    one([{"name": "Emeka", "team": "infra", "hours": 9}, {"name": "Tomas", "team": "ops", "hours": 3}],
        {"type": "choice", "instructions": "Who has the most hours?", "criteria": {"Emeka": None, "Tomas": None}}),
    one(FILLER * 30 + "The customer wants her money back for the broken lamp. " + FILLER * 4, ROUTE),
    one("Please send option 17.", {"type": "choice", "instructions": "Which option is asked for?", "criteria": MANY}),
    one("where is my package", {"type": "choice", "instructions": "Pick the intent.", "criteria": {"order_status": None, "refund": None}},
        given={"q": [["Is the user angry?", "no"], ["Which language?", "English"]]}),
    one("", URGENT), one(" ", URGENT), one(None, URGENT), one(True, URGENT), one(0, URGENT), one(-12.5, URGENT), one(1e21, URGENT),
    one([], URGENT), one({}, URGENT), one([1, 2, 3], {"type": "noul", "instructions": "Is 2 in the list?", "criteria": None}),
    one("The text holds [SEP] and [MASK] and [CLS].", URGENT),
    one("ünïcödé ÀÉÎ 漢字 😀 naïve café", {"type": "noul", "instructions": "Is the text in English?", "criteria": None}),
    one("Supercalifragilisticexpialidocious" * 5, URGENT),
    one("x" * 300, URGENT),
    one("I love this phone.", {"type": "score", "instructions": "How positive is the sentiment?", "criteria": ["negative", "neutral", "positive"]}),
    one("I love this phone.", {"type": "score", "instructions": "How negative is the sentiment?", "criteria": ["positive", "neutral", "negative"]}),
    one("It broke after one day.", {"type": "score", "instructions": "Rate the product experience.", "criteria": [f"{i} of 9" for i in range(10)]}),
    one("It broke after one day.", {"type": "score", "instructions": "Any problem?", "criteria": ["no", "yes"]}),
    one("play some jazz", {"type": "choice", "instructions": "", "criteria": {"PlayMusic": None, "BookRestaurant": None, "GetWeather": None, "RateBook": None, "SearchCreativeWork": None}}),
    one("play some jazz", {"type": "choice", "instructions": None, "criteria": {"play_music": "play music", "alarm": "", "weather": "   "}}),
    one("play some jazz", {"type": "choice", "instructions": {"task": "intent", "strict": True}, "criteria": {"play_music": None, "none_of_these": "No listed option applies"}}),
    one("play some jazz", {"type": "choice", "instructions": ["Classify", "the request"], "criteria": {"a": "music", "b": "weather", "c": "food"}}),
    one("same", {"type": "choice", "instructions": "Pick.", "criteria": {"a-b": None, "a_b": None, "A b": None}}),
    one("The invoice is 40 days late.", {"type": "noul", "instructions": "Invoices over 30 days late get a reminder. Does this one?", "criteria": {"true": "A reminder is due", "false": None}}),
    one({"order": {"total": 120.5, "currency": "EUR", "items": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 1}], "paid": False}, "customer": {"tier": "gold", "tags": ["vip", "b2b"]}},
        {"type": "noul", "instructions": "Has the order been paid?", "criteria": None}),
    one({"role": "viewer", "action": "delete", "rules": {"viewer": ["read"], "admin": ["read", "write", "delete"]}}, {"type": "choice", "instructions": "Is the action allowed?", "criteria": {"allow": None, "deny": None, "ask": "A person must decide"}}),
    one(FILLER * 60, {"type": "noul", "instructions": "Will the coffee machine be cleaned?", "criteria": None}),
    one(FILLER * 3, {"type": "noul", "instructions": "word " * 150 + "Is the printer broken?", "criteria": None}),
    one("short", {"type": "choice", "instructions": "Pick the long one.", "criteria": {"x": "long words " * 60, "y": "other words " * 80, "z": "brief"}}),
    one("go", {"type": "choice", "instructions": "Which?", "criteria": {f"k{i}": "described at some length, number " + str(i) for i in range(255)}}),
    one(FILLER * 12, {"type": "choice", "instructions": "Which?", "criteria": {f"k{i}": "described at some length, number " + str(i) for i in range(50)}}),
    one("line one\nline two\r\n\ttabbed", URGENT), one("\u200bzero\u200bwidth\u00a0space", URGENT),
    one("I want to hurt myself", {"type": "choice", "instructions": "Which policy applies?", "criteria": {"self_harm": "Talk of hurting oneself", "spam": None, "fine": "Nothing applies"}}),
    one("You are a complete idiot, get lost.", {"type": "noul", "instructions": "Is this an insult?", "criteria": None}, given={"q": [["Is it spam?", "no"]]}),
    one("How do I change my PIN?", {"type": "choice", "instructions": "Pick the category that best matches the message.", "criteria": {"change_pin": None, "card_arrival": None, "lost_or_stolen_card": None, "none_of_these": "No listed option applies"}}),
    one("What is the capital of Peru?", {"type": "choice", "instructions": "Pick the category that best matches the message.", "criteria": {"change_pin": None, "card_arrival": None, "none_of_these": "No listed option applies"}}),
    one("book a table for two in Turin tonight", {"type": "noul", "instructions": "Does the message match the intent book restaurant?", "criteria": None}),
    one({"question": "Can I bring my dog, and what does it cost?", "answer": "Dogs are welcome."}, {"type": "score", "instructions": "How well does the reply answer the question?", "criteria": ["does not answer", "answers a part", "answers everything"]}),
    one({"today": "2026-11-21", "due": "2026-11-20"}, {"type": "noul", "instructions": "Is the invoice overdue?", "criteria": None}),
    one("The waiting time is 42 minutes.", {"type": "score", "instructions": "Rate the waiting time.", "criteria": ["under 10 minutes", "10 to under 30 minutes", "30 minutes or more"]}),
    one("The waiting time is 42 minutes.", {"type": "score", "instructions": "Rate the waiting time.", "criteria": ["30 minutes or more", "10 to under 30 minutes", "under 10 minutes"]}),
    one([{"role": "customer", "text": "It does not work."}, {"role": "agent", "text": "Please restart it."}, {"role": "customer", "text": "Perfect, thank you!"}],
        {"type": "noul", "instructions": "Was the problem solved?", "criteria": None}),
    one("I am so happy with this, best purchase of the year!", {"type": "choice", "instructions": "What is the dominant emotion of this comment?", "criteria": {"joy": None, "anger": None, "fear": None, "sadness": None, "surprise": None, "disgust": None, "love": None, "neutral": None, "pride": None}}),
    one({"policy": "Allowed without asking: read_file. Never allowed: drop_table.", "call": {"tool": "drop_table", "args": {}}}, {"type": "choice", "instructions": "Apply the policy to this call.", "criteria": {"allow": "Run it", "ask": "Ask a person first", "deny": "Refuse it"}}),
    one([[1, 2], [3, 4]], {"type": "noul", "instructions": "Is there a 3?", "criteria": None}), one(False, URGENT), one(["a", None, 2.5], URGENT),
    one("Où est la gare ?", {"type": "choice", "instructions": "Which language is this?", "criteria": {"French": None, "German": None, "English": None}}),
    one("a", {"type": "choice", "instructions": "Pick.", "criteria": {"a": None, "b": None}}), one("a", {"type": "choice", "instructions": "Pick.", "criteria": {"b": None, "a": None}}),
    one(FILLER * 20, ANGER),
]
