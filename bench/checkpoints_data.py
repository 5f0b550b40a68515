"""Writes the sets that bench/checkpoints.sh trains Checkpoints on: one JSON object a line, {split, state, questions,
labels}.

    checkpoints_data.py DATA OUT        DATA is the folder with moderation/ and decisions/ (see bench/README.md)

64 labels a class to train on, and up to 200 of each to hold out, of a source's dev rows first and then of those left
over: as in a Judge's dataset, both have the same shares of classes. `NAME_drawn` has as many rows, drawn at random,
with the classes as they come. Rows of banking77 whose text the decision model was trained on are never held out.
`house` is ours: rules of a made-up shop that no model can know, with other things and greetings held out."""

import csv
import gzip
import itertools
import json
import pathlib
import random
import sys

A_CLASS, HELD_A_CLASS, HOLD_OUT = 64, 200, 400
DATA, OUT = map(pathlib.Path, sys.argv[1:3])


def rows(name):
    with gzip.open(DATA / name, "rt", newline="") as file:
        if name.endswith(".csv.gz"):
            yield from ((row["text"], row.get("category")) for row in csv.DictReader(file))
        elif name.endswith(".tsv.gz"):
            for line in file:
                first, _, second = line.rstrip("\n").partition("\t")
                yield (second, first) if first.isdigit() else (first, second)
        else:
            yield from map(json.loads, file)


def clean(text):
    return text.replace("|", "\n").strip()


def write(name, questions, train, hold_out):
    """Rows are (state, labels)."""
    lines = [(split, row) for split, part in (("train", train), ("hold_out", hold_out)) for row in part]
    with open(OUT / f"{name}.jsonl", "w") as file:
        for split, (state, labels) in lines:
            print(json.dumps({"split": split, "state": state, "questions": questions, "labels": labels}), file=file)
    print(f"{name}: {len(train)} to train on, {len(hold_out)} held out", file=sys.stderr)


def few(pairs, key, seed=1):
    """64 of each class, in random order."""
    pairs, taken = sorted(set(pairs)), []
    random.Random(seed).shuffle(pairs)
    for label in sorted({label for _, label in pairs}):
        taken += [pair for pair in pairs if pair[1] == label][:A_CLASS]
    random.Random(seed).shuffle(taken)
    return [(text, {key: label}) for text, label in taken]


def held(pairs, key, without, rest=(), seed=2):
    """Up to 200 of each class, of `rest` where `pairs` has too few, and none that is trained on."""
    texts, taken = {text for text, _ in without}, []

    def shuffled(pairs):
        pairs = sorted({pair for pair in pairs if pair[0] not in texts})
        random.Random(seed).shuffle(pairs)
        return pairs

    pairs = shuffled(pairs) + shuffled(rest)
    for label in sorted({label for _, label in pairs}):
        taken += [pair for pair in dict.fromkeys(pairs) if pair[1] == label][:HELD_A_CLASS]
    return [(text, {key: label}) for text, label in taken]


def write_both(name, key, question, pairs, rest=()):
    """The set with its classes balanced, and as they come. `rest` is held out first."""
    train = few(pairs, key)
    write(name, {key: question}, train, held(rest or pairs, key, train, pairs))
    pairs, rest = sorted(set(pairs)), sorted(set(rest) - set(pairs))
    random.Random(3).shuffle(pairs)
    random.Random(4).shuffle(rest)
    size = len(train)
    drawn = (rest + pairs[size:])[: HELD_A_CLASS * size // A_CLASS]
    label = lambda part: [(text, {key: label}) for text, label in part]
    write(f"{name}_drawn", {key: question}, label(pairs[:size]), label(drawn))


def choice(text, options):
    return {"type": "choice", "instructions": text, "criteria": {option: None for option in options}}


def noul(text):
    return {"type": "noul", "instructions": text, "criteria": {"true": None, "false": None}}


def truths(name):
    """The rows of a file whose labels are 0 and 1."""
    return [(clean(text), "true" if label == "1" else "false") for text, label in rows(f"moderation/decision/{name}")]


def banking77():
    seen = {
        clean(row["state"]).lower()
        for row in rows("decisions/decisions.jsonl.gz")
        if row["source"].startswith("banking77") and row["split"] == "train" and isinstance(row["state"], str)
    }
    intents = [
        "balance_not_updated_after_bank_transfer",
        "beneficiary_not_allowed",
        "cancel_transfer",
        "declined_transfer",
        "failed_transfer",
        "pending_transfer",
        "transfer_fee_charged",
        "transfer_into_account",
        "transfer_not_received_by_recipient",
        "transfer_timing",
    ]
    pairs = [
        (clean(text), label) for text, label in rows("moderation/decision/banking77_train.csv.gz") if label in intents
    ]
    train = few([pair for pair in pairs if pair[0].lower() in seen], "intent")
    new = [pair for pair in pairs if pair[0].lower() not in seen]
    write(
        "banking77",
        {"intent": choice("What does the customer write about?", intents)},
        train,
        held(new, "intent", train),
    )


def intents():
    names = [
        "alarm",
        "balance",
        "book_flight",
        "calories",
        "cancel_reservation",
        "car_rental",
        "exchange_rate",
        "insurance",
        "lost_luggage",
        "order_status",
        "play_music",
        "recipe",
    ]
    with gzip.open(DATA / "moderation/decision/clinc150_train_val.json.gz", "rt") as file:
        parts = json.load(file)
    read = lambda part: [(clean(text), label) for text, label in parts[part] if label in names]
    write_both("intents", "intent", choice("What does the user want?", names), read("train"), read("val"))


def news():
    with gzip.open(DATA / "moderation/decision/agnews_3800.csv.gz", "rt", newline="") as file:
        pairs = [(clean(row["text"]), row["label"]) for row in csv.DictReader(file)]
    write_both("news", "topic", choice("What is the news about?", sorted({label for _, label in pairs})), pairs)


def reviews():
    question = noul("Is the review positive?")
    write_both("reviews", "positive", question, truths("sst2_train.tsv.gz"), truths("sst2_dev.tsv.gz"))


def emotion():
    names = ["anger", "joy", "optimism", "sadness"]
    read = lambda part: [
        (clean(text), names[int(label)]) for text, label in rows(f"moderation/decision/tweeteval_emotion_{part}.tsv.gz")
    ]
    question = choice("Which emotion does the post express?", names)
    write_both("emotion", "emotion", question, read("train"), read("val"))


def sentiment():
    pairs = [(clean(text), label) for text, label in rows("moderation/decision/tweeteval_sentiment_val.tsv.gz")]
    question = {
        "type": "score",
        "instructions": "How positive is the post?",
        "criteria": ["negative", "neutral", "positive"],
    }
    write_both("sentiment", "sentiment", question, pairs)


def irony():
    train, rest = (truths(f"tweeteval_irony_{part}.tsv.gz") for part in ("train", "val"))
    write_both("irony", "ironic", noul("Is the post ironic?"), train, rest)


# Each problem: the team that the house sends it to, its severity, and its wordings. Contrast: the same words with other
# roles.
PROBLEMS = [
    (
        "amber",
        1,
        [
            "I paid for the {item} {when} and it has not arrived",
            "my {item} was sent {when} but the courier shows nothing",
        ],
    ),
    (
        "amber",
        2,
        [
            "the courier left my {item} at a neighbour's who is away",
            "the parcel with the {item} went to my old address",
        ],
    ),
    ("amber", 0, ["where can I see how far my {item} has come?", "when do you post what I order {when}?"]),
    (
        "birch",
        3,
        ["the {item} arrived {when} but I was charged twice", "you took the money for the {item} again {when}"],
    ),
    (
        "birch",
        1,
        ["the refund for the {item} I sent back {when} is missing", "the invoice for the {item} has the wrong name"],
    ),
    ("birch", 0, ["can I pay for the {item} in instalments?", "does the price of the {item} include tax?"]),
    ("cedar", 3, ["the {item} got hot and smoked {when}", "the {item} gave my son a shock {when}"]),
    ("cedar", 2, ["the {item} stopped working {when}", "my {item} came with a crack and will not start"]),
    ("cedar", 0, ["which batteries does the {item} take?", "is there a manual for the {item}?"]),
    (
        "delta",
        2,
        [
            "I cannot sign in since {when} to see my {item}",
            "the code to reset my password for the {item} order never comes",
        ],
    ),
    (
        "delta",
        3,
        ["somebody signed in as me {when} and ordered a {item}", "a stranger changed the e-mail of my account {when}"],
    ),
    (
        "delta",
        0,
        [
            "how do I change the name on my account before I order a {item}?",
            "can two people share one account for the {item}?",
        ],
    ),
]
ITEMS = (["kettle", "lamp", "toaster", "radio", "drill", "heater", "camera"], ["blender", "printer", "fan", "speaker"])
WHEN = (["yesterday", "on Monday", "last week", "two days ago"], ["this morning", "on Friday", "at the weekend"])
OPEN = (["Hello, ", "Hi there. ", "", "Good morning, ", "Sorry to bother you, "], ["Dear team, ", "", "Hey, "])
CLOSE = (["", " Thanks!", " Please help.", " What now?"], ["", " Could you look into it?", " Regards, Kim"])
# The house calls whoever says that it is a gift, or that they have waited before.
CALLS = [
    "",
    "",
    "",
    "",
    " It is a birthday present.",
    " This is the second time I write.",
    " It was meant as a gift.",
    " I have written to you before.",
]


def house():
    def part(side, seed):
        made = []
        for (team, level, wordings), item, when, hello, bye, call in itertools.product(
            PROBLEMS, ITEMS[side], WHEN[side], OPEN[side], CLOSE[side], CALLS
        ):
            for wording in wordings:
                text = (
                    hello + wording.format(item=item, when=when) + ("" if wording.endswith("?") else ".") + call + bye
                )
                made.append((text, {"team": team, "priority": str(level), "call": "true" if call else "false"}))
        random.Random(seed).shuffle(made)
        return made

    questions = {
        "team": choice("Which team takes it?", ["amber", "birch", "cedar", "delta"]),
        "priority": {
            "type": "score",
            "instructions": "Our priority",
            "criteria": ["can wait", "this week", "today", "at once"],
        },
        "call": noul("Do we call back?"),
    }
    train, left = [], {team: A_CLASS for team in questions["team"]["criteria"]}
    for row in part(0, 3):
        if left[row[1]["team"]]:
            left[row[1]["team"]] -= 1
            train.append(row)
    write("house", questions, train, part(1, 4)[:HOLD_OUT])


OUT.mkdir(parents=True, exist_ok=True)
for make in (banking77, intents, news, reviews, emotion, sentiment, irony, house):
    make()
