"""Questions about posts and chat messages, of rows that the text models are trained on: is it offensive, a threat, a scam?

MODERATION is the folder whose `text_train.jsonl.gz` the text models are trained on; of it only sources whose licence is stated and
permits it (SOURCES), beside our own `training/text/contrast/train.jsonl`. A text that shares six words in a row with a task kept out
of training is left out: posts are quoted by many data sets.
"""
import gzip
import json
import os
import random
import re

SOURCES = {"davidson", "edos", "fox_news", "toxic_spans", "wiki_context_toxicity", "irc_ubuntu", "mishra_smishing"}
CONTRAST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "text", "contrast", "train.jsonl")
POST = ["post", "comment", "message", "text", "tweet", "reply"]

# Of each label: questions whose yes is the label; questions whose yes is its absence; names of the two classes; what the two mean.
WORDS = {
    "toxic": (["Is this {p} offensive?", "Does the {p} contain abusive language?", "Is the {p} toxic?", "Would people find this {p} insulting or rude?", "Should a moderator step in because of abuse?", "Does the {p} attack or demean anybody?",
               "Decide whether somebody could be offended by this {p}.", "Is the {p} abusive towards a person or a group?"],
              ["Is this {p} civil?", "Is the {p} free of insults and abuse?", "Is everybody treated decently in this {p}?", "Is the {p} free of degrading words about anybody?"],
              [("offensive", "not offensive"), ("abusive", "acceptable"), ("toxic", "clean"), ("remove", "keep")],
              ("insults, demeans or abuses someone, or is written to offend", "may disagree or complain, but abuses nobody")),
    "harassment": (["Is the {p} aimed at a person to insult or bully them?", "Does the {p} harass someone?", "Is somebody bullied in this {p}?", "Does the writer attack the person they talk to?"],
                   ["Is the person addressed treated with respect?", "Is this {p} free of personal attacks?"], [("harassment", "no harassment"), ("personal attack", "no personal attack")],
                   ("attacks or bullies a person in the conversation", "nobody in the conversation is attacked")),
    "hate": (["Is this {p} hateful towards a group of people?", "Is this hate speech?", "Does the {p} express contempt for people because of who they are?", "Does the {p} attack people for their sex, origin, faith or orientation?", "Would you remove this {p} as hate speech?"],
             ["Is the {p} free of hate towards groups?", "Does the {p} leave groups of people in peace?"], [("hate speech", "not hate speech"), ("hateful", "not hateful")],
             ("shows hostility to people because of the group they belong to", "no group is attacked, whatever the language")),
    "violence": (["Does the {p} threaten or call for violence?", "Is this a threat?", "Does the writer threaten to hurt someone?", "Does the {p} encourage people to harm others?"], ["Is the {p} free of threats?", "Is everybody safe from the writer of this {p}?"],
                 [("threat", "no threat"), ("violent", "not violent")], ("threatens someone, or urges others to hurt them", "no threat is meant, though words of violence may be used")),
    "self_harm": (["Does the writer think of hurting or killing themselves?", "Is the writer at risk of suicide?", "Should someone look after this person because of self-harm?", "Does the {p} speak of self-harm as a wish or a plan?"],
                  ["Is the writer out of danger of self-harm, as far as the {p} tells?"], [("at risk", "not at risk"), ("self-harm", "other")], ("thinks of self-harm, says goodbye, or urges somebody to it", "no such wish is told")),
    "spam": (["Is this spam?", "Is the {p} unwanted advertising?", "Does the {p} promote something nobody asked for?"], ["Is this {p} part of an honest conversation?", "Is the {p} something other than advertising?"], [("spam", "not spam"), ("spam", "ham")],
             ("advertises or floods without being asked", "an ordinary message")),
    "scam": (["Is this a scam?", "Does the {p} try to trick somebody out of money or data?", "Is this {p} phishing or fraud?", "Should the reader be warned of fraud?"], ["Can the {p} be trusted not to be a fraud?", "Is this an honest {p}?"],
             [("scam", "legitimate"), ("fraud", "no fraud")], ("lures the reader into paying or giving away data", "honest, or a warning about such messages")),
    "sexual": (["Is the {p} sexual?", "Does the {p} make a sexual advance or remark?"], ["Is the {p} free of sexual content?"], [("sexual", "not sexual")], ("propositions, sells sex or makes crude sexual remarks", "health, art or friendly talk at most")),
    "illicit": (["Does the {p} offer or ask for something illegal?", "Is drugs, weapons or stolen goods trade going on here?"], ["Is the {p} about something legal?"], [("illegal trade", "legal")], ("trades or asks for what is forbidden", "nothing forbidden is traded")),
    "extremism": (["Does the {p} praise or recruit for violent extremism?"], ["Is the {p} free of extremist propaganda?"], [("extremist", "not extremist")], ("recruits for or praises violent movements", "does not")),
}
DAVIDSON = {"hate": "hate speech", "offensive": "offensive language", "neither": "neither"}  # from the gravest on
EDOS = {"1. threats, plans to harm and incitement": "threat of harm", "2. derogation": "insult or contempt", "3. animosity": "casual sexism", "4. prejudiced discussions": "defence of unequal treatment"}
POLICY = ["Our rule: a {p} that {yes} has to be hidden. Does the rule apply?", "Answer yes if the {p} {yes}, otherwise no.", "A moderator removes what {yes}. Is this removed?", "Class A: {yes}. Class B: {no}. Is it class A?"]


def grams(text, n=6):
    words = re.sub(r"[^a-z0-9]+", " ", re.sub(r"@\w+|http\S+", "", text.lower())).split()
    return {" ".join(words[i : i + n]) for i in range(len(words) - n + 1)} or {" ".join(words)}


def messages(folder):
    """Rows of the text models' training set that may be used, with their source."""
    with gzip.open(os.path.join(folder, "text_train.jsonl.gz"), "rt", encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            if row["src"] in SOURCES:
                yield row
    with open(CONTRAST, encoding="utf-8") as f:
        for line in f:
            row = json.loads(line)
            if row.get("lang") == "en":
                yield {**row, "src": "contrast"}


def state(rng, text):
    return rng.choice([text, text, text, text, {"text": text}, {"comment": text}, {"message": {"text": text, "channel": rng.choice(["general", "help", "trade"])}}, f"Post: {text}", f'"{text}"'])


def question(rng, label, value, row):
    """(type, instructions, criteria, answer)"""
    yes, no, classes, meanings = WORDS[label]
    p = rng.choice(POST)
    if row["src"] == "davidson" and label == "toxic" and rng.random() < 0.25:
        if rng.random() < 0.4:
            return "score", f"How bad is this {p}?", ["neither offensive nor hateful", "offensive language", "hate speech"], 2 - list(DAVIDSON).index(row["src_label"])
        return "choice", rng.choice(["What kind of language is this?", f"Classify the {p}."]), {k: None for k in rng.sample(list(DAVIDSON.values()), 3)}, DAVIDSON[row["src_label"]]
    if row["src"] == "edos" and label == "hate" and value and rng.random() < 0.25:
        names = list(EDOS.values())
        return "choice", f"What kind of sexism is in this {p}?", {k: None for k in rng.sample(names, 4)}, EDOS[row["src_label"]]
    drawn = rng.random()
    if drawn < 0.15:
        return "noul", rng.choice(POLICY).format(p=p, yes=meanings[0], no=meanings[1]), None, value
    ask_absence = rng.random() < 0.3
    words = rng.choice(no if ask_absence else yes).format(p=p)
    if drawn < 0.70:
        criteria = None if ask_absence or rng.random() < 0.8 else {"true": meanings[0], "false": meanings[1]}
        return "noul", words, criteria, value != ask_absence
    if drawn < 0.82:
        names = rng.choice([("yes", "no"), ("Yes", "No")])
        return "choice", words, {k: None for k in rng.sample(names, 2)}, names[0] if value != ask_absence else names[1]
    names = rng.choice(classes)
    told = dict(zip(names, meanings)) if rng.random() < 0.4 else dict.fromkeys(names)
    return "choice", rng.choice([f"Classify the {p}.", f"Which label fits this {p}?", f"What is the right label for the {p}?"]), {k: told[k] for k in rng.sample(names, 2)}, names[0] if value else names[1]


def rows(folder, left_out, n, seed):
    """At most n rows of each source and label, half of them with the label. `left_out`: texts that no row may share six words with."""
    rng, kinds = random.Random(seed), {}
    banned = set().union(*map(grams, left_out)) if left_out else set()
    for row in messages(folder):
        if len(row["text"]) > 600 or grams(row["text"]) & banned:
            continue
        for label in WORDS:
            if row.get(label) is not None:
                kinds.setdefault((row["src"], label), ([], []))[int(row[label])].append(row)
    for (source, label), (without, having) in sorted(kinds.items()):
        if len(having) < 60:
            continue
        # Sources of one class alone (civil comments with a toxic span) borrow the other from talk pages and chat.
        if len(without) < 60:
            without = [r for other in ("wiki_context_toxicity", "irc_ubuntu") for r in kinds.get((other, label), ([], []))[0]]
        size = min(n // 2, len(having), len(without))
        for value, part in ((True, having), (False, without)):
            for row in rng.sample(part, size):
                kind, words, criteria, answer = question(rng, label, value, row)
                yield {"state": state(rng, row["text"]), "type": kind, "instructions": words, "criteria": criteria, "label": answer, "source": f"posts:{source}/{label}", "split": "train"}
