"""Levels: urgency, severity, satisfaction, certainty and star ratings, with bare, described and reversed levels.

The text is put together from a matter and a phrase that decides the level, so that the matter (a typo, a fire) and the phrase vary freely
where the question is about time, and the level follows by rule where it is about impact. Held out whole (see
`held1.py`): how often something happens, and the priority of faults.
"""
import banks as b
from clauses import Clause, ask_both, pick_one, scale, wrap

MATTERS = ["the price list has a misspelt word", "the printer on floor two is jammed", "my invoice shows the wrong address", "the search box looks odd on phones", "the report needs a new chart", "our stock list is not in order", "the coffee machine needs descaling",
           "I would like the slides of the talk", "the badge reader beeps twice", "two chairs in the hall wobble", "the meeting notes are missing a page", "a light flickers in the corridor", "the logo on the page is blurred", "I need a second monitor",
           "the newsletter has an old date", "one of the links leads nowhere", "we want to change the name of the team", "the parking permit has to be renewed", "there is a question about the holiday plan", "the manual lacks an index",
           "the export leaves out a column", "the door to the archive sticks", "the customer asks for a copy of the contract", "the sample order has to be confirmed", "the water in the hall drips"]
URGENCY = [
    ["There is no hurry.", "Whenever it suits you.", "It can wait for weeks.", "Look at it some day, if at all.", "Nothing depends on it.", "Only if you are bored.", "Take your time.", "Put it at the bottom of the list.", "No rush at all.", "Some time this year would be nice.", "Do it when things are quiet."],
    ["Some time this week would be good.", "Please look at it in the next few days.", "By Friday is fine.", "It should be done within the week.", "A few days are no problem, but not a month.", "Could you get to it before the weekend?", "It would help to have it by Thursday.", "Please plan it for this week."],
    ["I need it today.", "Please see to it before this evening.", "It has to be done by close of business.", "Today, if at all possible; people are waiting.", "We need it before the afternoon meeting.", "Tomorrow is too late.", "Please handle it this morning.", "It must be out by five."],
    ["Drop everything, this cannot wait a minute.", "Right now, please, we are losing money every second.", "Immediately! Nobody can work.", "This is an emergency.", "Now, not in ten minutes.", "Everything stands still until it is done, come at once.", "People are in danger, act immediately.", "Call me this very second."]]
URGENCY_NAMES = [
    (["low", "medium", "high", "critical"],) * 2, (["low", "normal", "urgent", "emergency"], ["low: no deadline, can wait", "normal: within the week", "urgent: today", "emergency: this moment"]),
    (["can wait", "this week", "today", "now"], ["can wait: nobody is held up", "this week: somebody waits, a few days are fine", "today: must be done before the day ends", "now: work has stopped or people are in danger"]),
    (["P4", "P3", "P2", "P1"], ["P4: no time limit", "P3: within days", "P2: the same day", "P1: at once"]), (["not urgent", "slightly urgent", "urgent", "extremely urgent"],) * 2,
    (["none", "some", "strong", "extreme"], ["The writer has all the time in the world", "The writer wants it within days", "The writer wants it the same day", "The writer wants it this instant"]),
    (["0 pressure", "1 mild pressure", "2 strong pressure", "3 extreme pressure"], ["Whenever there is time", "In the coming days", "Before the end of the day", "Immediately, everything else must stop"])]
ASK_URGENCY = ["How urgent is it?", "Rate the urgency.", "How urgent is this request?", "When must somebody act?", "Which priority fits?", "How soon is this needed?", "Set the priority.", "How much time pressure is there?"]


def urgent(g):
    u = g.rng.randint(0, 3)
    matter, phrase = g.pick(MATTERS), g.pick(URGENCY[u])
    M = matter[:1].upper() + matter[1:]
    make = g.pick([lambda p: f"{M}. {p}", lambda p: f"{p} {M}.", lambda p: f"Hello, {matter}. {p} Thanks.", lambda p: f"{M}. {p} Regards, {g.rng.choice(b.NAMES)}", lambda p: f"About this: {matter}. {p}"])
    state = wrap(g, make(phrase))
    bare, full = g.pick(URGENCY_NAMES)
    names = bare if g.coin(0.35) else full
    out = [scale(g, state, ASK_URGENCY, names, u)]
    v = g.other(range(4), u)
    second = make(g.pick(URGENCY[v]))
    words, flip = g.pick(ASK_URGENCY), g.coin(0.3)
    order = names[::-1] if flip else names
    out += [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 3 - k if flip else k, "reversible": False, "pair": 0} for s, k in ((state, u), (second, v))]
    if u in (0, 3):
        clause, value = g.rng.choice([(Clause("this", "is", "urgent"), u == 3), (Clause("this", "can", "wait"), u == 0), (Clause("the writer", "is", "in a hurry"), u == 3)])
        out += ask_both(g, state, clause, value)
    if g.coin(0.3):
        out.append(pick_one(g, state, ASK_URGENCY, dict(zip(bare, full)), bare[u]))
    return out


WHO = ["one user", "a handful of users", "most users", "all users"]
WHAT = [("a colour looks slightly off in {x}", 0), ("a label in {x} is cut off", 0), ("the icon of {x} is the old one", 0), ("{x} is slower than usual", 1), ("{x} needs a second click", 1), ("{x} shows yesterday's figures until one reloads", 1),
        ("{x} does not open", 2), ("{x} returns errors", 2), ("nothing can be saved in {x}", 2), ("{x} deletes what was entered, and it cannot be brought back", 3), ("{x} shows private data of strangers", 3), ("{x} charges money twice", 3)]
PARTS = ["the calendar", "the checkout", "the search", "the mail page", "the report view", "the login", "the upload", "the map", "the chat", "the booking form"]
SEVERITY_NAMES = [["minor", "moderate", "major", "critical"], ["cosmetic", "annoying", "serious", "disastrous"], ["SEV4", "SEV3", "SEV2", "SEV1"],
                  ["only the looks are affected", "it works, but worse than it should", "something does not work at all", "data or money is lost, or private data leaks"],
                  ["minor: looks only", "moderate: slower or clumsier, but it works", "major: a function is unusable", "critical: loss or leak of data or money"], ["S0 looks", "S1 nuisance", "S2 broken", "S3 loss or leak"]]


def severity(g):
    """What a fault does decides, not how loudly it is told."""
    text, level = g.pick(WHAT)
    part = g.pick(PARTS)
    other = g.rng.choice([w for w in WHAT if w[1] != level])
    loud = g.pick(["", "", "Terrible! ", "Just a small note: ", "Unbelievable: ", "By the way, ", "Hello team, "])
    who = g.rng.choice(WHO)
    make = lambda t: f"{loud}{t.format(x=part)}".strip()[:1].upper() + f"{loud}{t.format(x=part)}".strip()[1:] + f" for {who}."
    names = g.pick(SEVERITY_NAMES)
    words = g.pick(["How severe is the fault?", "Rate the severity.", "How bad is it?", "Which severity level fits the report?", "Assess the impact of the bug."])
    flip = g.coin(0.3)
    state = wrap(g, make(text), ("report", "bug", "text"))
    order = names[::-1] if flip else names
    rows = [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 3 - k if flip else k, "reversible": False, "pair": 0} for s, k in ((state, level), (make(other[0]), other[1]))]
    value = level >= 2
    return rows + ask_both(g, state, Clause("a function", "is", "unusable, or worse") if g.coin() else Clause("this", "is", "a serious fault"), value)


STARS = [["One star.", "1 out of 5.", "A single star, and only because zero is not possible.", "Lowest mark.", "One of five points."], ["Two stars.", "2 out of 5.", "Two of five points.", "A weak two stars."], ["Three stars.", "3 out of 5.", "Right in the middle, three of five.", "Half marks."],
         ["Four stars.", "4 out of 5.", "Four of five points.", "One star short of full marks."], ["Five stars.", "5 out of 5.", "Full marks.", "Top score.", "All five stars, no question."]]
WORDS = [["It broke on the first day and nobody helped.", "Worst purchase of my life.", "I want that evening of my life back.", "Useless from start to end.", "Stay away from this."], ["Mostly a let-down, with one or two good moments.", "It works now and then, which is not enough.", "I expected far better.", "More bad than good."],
         ["It is all right, nothing more.", "Some good, some bad, evenly mixed.", "Average in every way.", "Neither pleased nor annoyed."], ["Really good, with one small flaw.", "I like it, although the lid could be tighter.", "Better than most, not perfect.", "Very solid, a tiny bit noisy."],
         ["I could not be happier.", "Perfect in every respect.", "Simply the best I have owned.", "Everything about it is a joy.", "I would buy it again at once."]]
STAR_NAMES = [["1 star", "2 stars", "3 stars", "4 stars", "5 stars"], ["one star", "two stars", "three stars", "four stars", "five stars"], ["very bad", "bad", "average", "good", "excellent"], ["terrible: nothing good about it", "poor: more bad than good", "middling: as much good as bad", "good: small flaws only", "superb: no flaws"],
              ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"], ["hates it", "dislikes it", "is indifferent", "likes it", "loves it"]]


def stars(g):
    k, v = g.rng.sample(range(5), 2)
    thing = g.pick(b.PRODUCTS + ["the hotel", "the film", "the plumber", "the course", "the soup", "the museum"])
    say = lambda i: g.pick([g.pick(WORDS[i]), g.pick(STARS[i]), f"{g.pick(WORDS[i])} {g.pick(STARS[i])}", f"{g.pick(STARS[i])} {g.pick(WORDS[i])}"])
    make = g.pick([lambda t: t, lambda t: f"My view on {thing}: {t}", lambda t: f"Review of {thing}. {t}"])
    a, c = make(say(k)), make(say(v))
    names = g.pick(STAR_NAMES)
    flip, words = g.coin(0.25), g.pick(["How many stars does the reviewer give?", "How satisfied is the writer?", "Rate the review.", "What is the overall verdict?", "How good does the writer find it?", "Which rating fits the text?"])
    order = names[::-1] if flip else names
    out = [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 4 - i if flip else i, "reversible": False, "pair": 0} for s, i in ((a, k), (c, v))]
    if k != 2:
        out += ask_both(g, wrap(g, a), Clause("the writer", "is", g.pick(["satisfied", "happy with it", "pleased"])), k > 2)
    return out


CERTAIN = [["I have no idea whether {c}.", "Who knows whether {c}; I certainly don't.", "I cannot say if {c}."], ["It might be that {c}.", "Perhaps {c}.", "There is a chance that {c}.", "Possibly {c}, but don't count on it."],
           ["I am fairly sure that {c}.", "Most likely {c}.", "It looks as if {c}.", "In all probability {c}."], ["I know for certain that {c}.", "{C}, no doubt about it.", "I saw it myself: {c}.", "It is proven that {c}."]]
FACTS = ["the key is in the drawer", "the train leaves at nine", "the shop is closed on Monday", "the letter was sent", "Anna has the folder", "the bridge is safe", "the test was positive", "the price includes tax", "the offer ends on Sunday", "the lamp is broken"]
CERTAIN_NAMES = [["no idea", "possible", "likely", "certain"], ["does not know", "thinks it may be", "thinks it probable", "is sure"], ["0: no knowledge", "1: a guess", "2: a good guess", "3: knowledge"], ["none", "weak", "strong", "full"]]


def certainty(g):
    k, v = g.rng.sample(range(4), 2)
    fact = g.pick(FACTS)
    make = lambda i: g.pick(CERTAIN[i]).format(c=fact, C=fact[:1].upper() + fact[1:])
    a, c = make(k), make(v)
    names, flip = g.pick(CERTAIN_NAMES), g.coin(0.3)
    words = g.pick(["How sure is the speaker?", "How certain does the writer sound?", "Rate the confidence of the statement.", f"How sure is the speaker that {fact}?"])
    order = names[::-1] if flip else names
    out = [{"state": s, "type": "score", "instructions": words, "criteria": list(order), "label": 3 - i if flip else i, "reversible": False, "pair": 0} for s, i in ((a, k), (c, v))]
    return out + (ask_both(g, a, Clause("the speaker", "is", "certain"), k == 3) if k != 2 else [])


FAMILIES = {f.__name__: f for f in (urgent, severity, stars, certainty)}
