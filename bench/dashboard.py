"""What the dashboard's pages of a large dataset ask for, as they ask it: how long each request takes.

Usage: bench/dashboard.py [SAMPLES [ROUNDS]]     (release build, or GAVEL=path; with GAVEL_TEST_POSTGRES_URL set and
psql there, PostgreSQL as well as SQLite)

The dataset is that of bench/stats.py, with words of its own in each sample. The queries are read from the dashboard's
sources. Prints a table for bench/README.md, and ends with an error when an answer took longer than what people wait
without noticing: 300 ms.
"""

import json
import os
import random
import re
import statistics
import sys

from stats import ask, loaded, on_each_database, served, vacuum

MOST = 300
PAGES = os.path.join(os.path.dirname(__file__), "..", "dashboard", "src", "pages")
WORDS = [
    "refund",
    "invoice",
    "parcel",
    "password",
    "error",
    "charge",
    "account",
    "delivery",
    "login",
    "crash",
    "window",
    "broken",
    "late",
    "twice",
    "missing",
]


def query(file, name):
    """An operation of the dashboard."""
    with open(os.path.join(PAGES, file)) as source:
        text = source.read()
    return re.search(rf"graphql\(`(\s*query {name}\b.*?)`\)", text, re.DOTALL).group(1)


def worded(tables):
    """The same rows, with states that differ."""
    dice = random.Random(2)
    for row in tables["sample"]:
        words = " ".join(dice.choices(WORDS, k=40))
        row[8] = json.dumps({"subject": f"Order {row[0]}", "body": words + (" zeppelin" if row[0] % 5000 == 7 else "")})
    return tables


def measure(name, url, count, rounds):
    slowest = 0
    with loaded(url, [1], count, worded) as (env, key, [(made, _)]):
        if url:
            vacuum(url)
        with served(env):
            samples = query("dataset/queries.ts", "Samples")
            page = {"id": made, "first": 25, "order": "NEWEST_FIRST"}
            asked = {
                "the frame of a Judge": (query("judge/query.ts", "Judge"), {"id": made}),
                "the list of Judges": (query("judges/Judges.tsx", "Judges"), {"first": 20, "includeArchived": False}),
                "dataset: the first page": (samples, page),
                "dataset: oldest first": (samples, {**page, "order": "OLDEST_FIRST"}),
                "dataset: least certain first": (samples, {**page, "order": "LEAST_CERTAIN_FIRST"}),
                "dataset: labelled": (samples, {**page, "filter": {"labelled": True}}),
                "dataset: without a label": (samples, {**page, "filter": {"labelled": False}}),
                "dataset: of one version": (samples, {**page, "filter": {"version": 1}}),
                "dataset: since a day": (samples, {**page, "filter": {"since": "2026-03-20T00:00:00Z"}}),
                "dataset: imported (none)": (samples, {**page, "filter": {"source": "IMPORT"}}),
                "dataset: one answer": (samples, {**page, "answer": {"key": "team", "value": "billing"}}),
                "dataset: one ground truth": (samples, {**page, "answer": {"key": "team", "groundTruth": "sales"}}),
                "dataset: mistakes": (samples, {**page, "answer": {"key": "team", "agrees": False}}),
                "dataset: a frequent word": (samples, {**page, "text": "refund"}),
                "dataset: a rare word": (samples, {**page, "text": "zeppelin"}),
                "dataset: a word that is nowhere": (samples, {**page, "text": "xylophone"}),
                "dataset: a word among the mistakes": (
                    samples,
                    {**page, "text": "refund", "answer": {"key": "team", "agrees": False}},
                ),
            }
            # Scrolling goes on from where the page before ended.
            after, scrolled = None, []
            for _ in range(20):
                found, taken = ask(key, samples, {**page, "after": after})
                after = found["judge"]["samples"]["pageInfo"]["endCursor"]
                scrolled.append(taken)
            taken_by = {"dataset: twenty pages on, each": scrolled}
            for what, (text, variables) in asked.items():
                taken_by[what] = [ask(key, text, variables)[1] for _ in range(rounds)]
            for what, taken in taken_by.items():
                print(
                    f"| {name} | {what} | {taken[0]:.0f} | {statistics.median(taken):.0f} | {max(taken):.0f} |",
                    flush=True,
                )
                slowest = max(slowest, statistics.median(taken))
    return slowest


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    print(f"{count} samples, {rounds} rounds, milliseconds\n")
    print("| database | request | first | median | slowest |")
    print("|---|---|---|---|---|")
    slowest = max(on_each_database(lambda name, url: measure(name, url, count, rounds)))
    if slowest > MOST:
        sys.exit(f"a median of {slowest:.0f} ms is more than {MOST} ms")


if __name__ == "__main__":
    main()
