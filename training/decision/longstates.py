"""Long states: one fact in 2, 8 or 32 windows, and rules for making one answer of the windows' scores.

    python longstates.py MODEL.safetensors [--rows 16] [--counts 2 8 32] [--part choose|report] [--out FILE.md]

The facts and the sentences around them are in no training row. Each draw gives the question with the fact there (yes), with
another value there (no), with nothing there ("does the text tell ...": no), and a choice. The rule is chosen on
`choose` rows (one seed), the figures of `report` (another seed, the other half of the facts) are looked at once.
"""
import argparse
import random

import numpy as np
import torch

import data
import predict
import weights
import yardstick
from measure import ece

FACTS = {
    "choose": [("the number of the container", ["417", "902", "655", "133"]), ("the new name of the ship", ["Aurora", "Nordlys", "Pelikan", "Mistral"]), ("the reason for the delay", ["a missing stamp", "a flat tyre", "a strike", "heavy fog"]), ("the guest of honour", ["the mayor", "the bishop", "the architect", "the coach"]),
               ("the password hint", ["my first dog", "a yellow boat", "the old mill", "grandmother's cake"])],
    "report": [("the date of the hearing", ["4 May", "19 June", "30 August", "2 October"]), ("the colour of the roof", ["red", "grey", "green", "black"]), ("the owner of the vineyard", ["Tessa", "Bjorn", "Imani", "Hugo"]), ("the cause of the fire", ["a candle", "lightning", "an old heater", "fireworks"]),
               ("the prize of the raffle", ["a goat", "a week in Rome", "a piano", "a bicycle"])],
}
PEOPLE = "the gardener|the baker|the twins|our neighbour|the caretaker|the old captain|the teacher|the choir|the painter|the committee".split("|")
DID = "walked along the river|talked about the harvest|looked for a lost glove|sat under the lime tree|told the story of the bell|carried wood into the shed|waited for the rain to stop|played cards in the kitchen|planted beans|mended a net|drew a map of the valley|listened to the radio".split("|")
WHEN = "that morning|before breakfast|as in every year|until it got dark|with great patience|for an hour or two|while the others slept|and said nothing|to everyone's surprise|once more|in the cold|on the way home".split("|")


def talk(rng):
    s = f"{rng.choice(PEOPLE)} {rng.choice(DID)} {rng.choice(WHEN)}."
    return s[:1].upper() + s[1:]


def text(rng, fact, count):
    """Some `count` windows of talk with the fact somewhere in it."""
    room = data.LIMIT - 40
    length = room + (count - 1) * (room * 3 // 4) - room // 3
    sentences, n = [], 0
    while n < length:
        sentences.append(talk(rng))
        n += len(data.tokens(sentences[-1]))
    if fact:
        sentences.insert(rng.randrange(len(sentences) + 1), fact)
    return " ".join(sentences)


def rows(part, count, n, seed):
    rng, out = random.Random(f"{part} {count} {seed}"), []
    while len(out) < n:
        thing, values = rng.choice(FACTS[part])
        value, wrong = rng.sample(values, 2)
        fact = lambda v: f"{thing[:1].upper() + thing[1:]} is {v}."
        q = rng.choice([f"Is {thing} {value}?", f"{thing[:1].upper() + thing[1:]} is {value}.", f"Does the text say that {thing} is {value}?"])
        noul = lambda s, words, label, kind: {"state": s, "type": "noul", "instructions": words, "criteria": None, "label": label, "kind": kind}
        out.append(noul(text(rng, fact(value), count), q, True, "there"))
        out.append(noul(text(rng, fact(wrong), count), q, False, "another value"))
        out.append(noul(text(rng, None, count), f"Does the text tell {thing}?", False, "absent"))
        shown = values[:]
        rng.shuffle(shown)
        out.append({"state": text(rng, fact(value), count), "type": "choice", "instructions": f"What is {thing}?", "criteria": {v: None for v in shown}, "label": value, "kind": "choice"})
    return out[:n]


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("--rows", type=int, default=40)
    a.add_argument("--counts", type=int, nargs="+", default=[2, 8, 32])
    a.add_argument("--part", default="choose", choices=["choose", "report"])
    a.add_argument("--out")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    out = [f"One fact in a long state, half `{args.part}`. Accuracy in % over all rows (there / another value / absent / choice), ECE, negative log-likelihood.\n", "| windows | rows | rule | accuracy | there | another value | absent | choice | ECE | NLL |", "|---|---|---|---|---|---|---|---|---|---|"]
    for count in args.counts:
        part = rows(args.part, count, args.rows, 1)
        windows = predict.window_logits(model, part)
        sizes = [len(w) for w in windows]
        for rule in predict.RULES:
            got = [yardstick.answer(r, predict.combine(w, rule), config["temperatures"]) for r, w in zip(part, windows)]
            of = lambda k: f"{100 * np.mean([x[0] for r, x in zip(part, got) if r['kind'] == k]):.0f}"
            out.append(f"| {min(sizes)}–{max(sizes)} | {len(part)} | {rule} | {100 * np.mean([x[0] for x in got]):.1f} | {of('there')} | {of('another value')} | {of('absent')} | {of('choice')} | "
                       f"{ece([x[1] for x in got], [x[0] for x in got]):.3f} | {np.mean([-np.log(max(x[2], 1e-9)) for x in got]):.2f} |")
            print(out[-1], flush=True)
    if args.out:
        with open(args.out, "w", encoding="utf-8") as f:
            f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
