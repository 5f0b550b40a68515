"""Draws, varies and tokenises rows: `rows-SEED.npz` to train on, or `choose.npz` for choices.

    python -m multilingual.prepare DECISIONS DECISIONS2 DECISIONS3 MODERATION --out FOLDER --units 60000 --seed 1
    python -m multilingual.prepare DECISIONS DECISIONS2 DECISIONS3 MODERATION --out FOLDER --part choose

The same arguments give the same file. A unit is a row in one of its forms (`views.other_form`, `data.vary`), a
minimal pair, a question and its negation, or up to three questions about one state. Only this step reads text;
training needs its file and the base's weights.
"""

import argparse
import os
import random
import time

import banks
import data
import render
import views

from . import dataset, sampling, texts

MOST_TOKENS = 400  # of state, question and options together
DENIED = 0.12  # share of yes/no questions that come with their negation
GIVEN = 0.05  # share of units with answers to other questions as context
FILLED = 0.12  # share of suitable rows with an unrelated sentence added to the state


def answer_text(row):
    """The rendered right option."""
    options = dict(render.render_options(row["type"], row["criteria"]))
    label = {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])
    return options[label]


def with_filler(row, rng):
    """Adds an unrelated sentence before or after a short English message, where that cannot change the answer."""
    state = row["state"]
    short = row["type"] == "choice" and isinstance(state, str) and 20 < len(state) < 300 and len(row["criteria"]) > 2
    message = sampling.language_of(row) == "en" and sampling.group_of(row) in ("old", "intent", "own-lang")
    if not short or not message or "\n" in state or ":" in state:
        return row
    filler = rng.choice(banks.FILLER)
    return {**row, "state": rng.choice([f"{filler} {state}", f"{state} {filler}"])}


class Maker:
    """Draws units and puts them into a builder."""

    def __init__(self, rows, seed):
        self.rng = random.Random(seed)
        self.draw = sampling.Draw(rows, self.rng)
        self.recent = []
        self.denials = 0
        self.pairs = 0

    def given(self):
        """[[question, answer]] of up to three recent rows, for `hybrid`, or None."""
        if len(self.recent) < 20 or self.rng.random() > GIVEN:
            return None
        rows = self.rng.sample(self.recent, self.rng.randint(1, 3))
        answers = [[render.render_question(r["instructions"]), answer_text(r)] for r in rows]
        return [a for a in answers if 0 < len(a[0]) < 120 and len(a[1]) < 60] or None

    def forms(self, unit, denial, pair):
        """The rows of a unit as they are trained on. Both rows of a pair or denial are varied alike."""
        seed = self.rng.random()
        given = self.given() if len(unit) == 1 else None
        out = []
        for n, row in enumerate(unit):
            rng = random.Random(seed if denial or pair else seed + n)
            form = data.vary(row if denial else views.other_form(row, rng), rng)
            if not denial and not pair and rng.random() < FILLED:
                form = with_filler(form, rng)
            out.append({**form, "given": given} if given else form)
        return out

    def drawn(self):
        """(rows, whether they are a question and its negation, whether they are a minimal pair)."""
        unit = self.draw.unit()
        if len(unit) == 1 and self.rng.random() < DENIED and views.deniable(unit[0]):
            return [unit[0], views.negated(unit[0], self.rng)], True, False
        denial = len(unit) == 2 and "neg" in unit[1]
        return unit, denial, len(unit) == 2 and not denial and "pair" in unit[1]

    def unit(self, builder):
        """Rows for `Builder.unit`; none if all are too long."""
        unit, denial, pair = self.drawn()
        if any(len(str(r["state"])) + len(str(r["criteria"])) > 8 * MOST_TOKENS for r in unit):
            return []
        self.denials += denial
        self.pairs += pair
        links = {"denial": self.denials if denial else 0, "pair": self.pairs if pair else 0}
        rows = [r for r in self.forms(unit, denial, pair) if texts.cost(r) <= MOST_TOKENS]
        if len(unit) == 1 and "probs" not in unit[0]:
            self.recent = [*self.recent[-60:], unit[0]]
        return [
            texts.encode(builder, r, group=sampling.group_of(r), lang=sampling.language_of(r), **links) for r in rows
        ]


def training(args):
    maker = Maker(sampling.training_rows(args.folders, args.families, args.seed), args.seed)
    print({g: sum(map(len, s.values())) for g, s in maker.draw.groups.items()}, flush=True)
    builder = dataset.Builder()
    while len(builder.unit_start) <= args.units:
        unit = maker.unit(builder)
        if unit:
            builder.unit(unit)
    return builder


def choosing(args):
    """The sets of a half, each row a unit; the set is the group."""
    builder = dataset.Builder()
    numbers = {}
    for name, rows in sampling.held_rows(args.folders[1], args.folders[2], args.tasks, args.held, args.part).items():
        for r in rows:
            links = {
                c: numbers.setdefault(r[k], len(numbers) + 1)
                for c, k in (("denial", "neg"), ("pair", "pair"))
                if k in r
            }
            builder.unit([texts.encode(builder, r, group=name, lang=sampling.language_of(r), **links)])
    return builder


def main():
    a = argparse.ArgumentParser()
    a.add_argument("folders", nargs=4, metavar="FOLDER")
    a.add_argument("--out", required=True)
    a.add_argument("--units", type=int, default=60_000)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument(
        "--families",
        type=int,
        default=400,
        help="rows of each of our own families and of each source and label of posts",
    )
    a.add_argument("--part", choices=("choose", "report"), help="write PART.npz only")
    a.add_argument("--tasks", type=int, default=600, help="rows of each set of tasks in PART.npz")
    a.add_argument("--held", type=int, default=30, help="rows of each family held out in PART.npz")
    args = a.parse_args()
    began = time.time()
    arrays, about = (choosing(args) if args.part else training(args)).arrays()
    os.makedirs(args.out, exist_ok=True)
    path = os.path.join(args.out, f"{args.part}.npz" if args.part else f"rows-{args.seed}.npz")
    dataset.save(path, arrays, about)
    print(path, {k: len(arrays[k]) for k in ("vocabulary", "tokens", "state")}, f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
