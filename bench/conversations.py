"""Judges the last messages of scripted conversations, with the messages before them and without.

Usage: bench/conversations.py URL KEY        (a Gavel at URL; prints both halves, by kind)
       bench/conversations.py URL KEY fit    (fits the constants of the domain's conversation/evidence.rs on `choose`;
                                              `pip install numpy` first)

The scripts are described in training/text/yardstick/conversations.md.
"""

import collections
import concurrent.futures
import json
import math
import sys
import urllib.request
from pathlib import Path

SCRIPTS = Path(__file__).parent.parent / "training/text/yardstick/conversations.jsonl"
MODES = ["hybrid", "native"]
SIGNALS = {"urges_somebody_in_a_crisis": "incitement", "approach_over_turns": "approach"}
LEAST = 1e-4
# The kind that each regression tells from all others, and the log-odds that it reads: of the message, and the greatest
# of the author's turns and of those of others.
REGRESSIONS = {
    "in_crisis": [("own", "self_harm_intent"), ("own", "harassment")],
    "crisis_incitement": [("others", "self_harm_intent"), ("own", "harassment"), ("own", "toxic")],
    "grooming": [
        ("own", "sexual_minors"),
        ("author", "sexual_minors"),
        ("others", "sexual_minors"),
        ("author", "sexual"),
    ],
}


def moderate(url, key, body):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    data = json.dumps({"explain": True, **body}).encode()
    request = urllib.request.Request(f"{url}/api/v1/moderate/text", data, headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def measure(url, key, scripts):
    """Prints, by half, mode and kind, how many messages are acted upon and what is found."""
    for mode in MODES:

        def judged(script, mode=mode):
            message = {"content": script["text"], "author": script["author"], "mode": mode}
            alone = moderate(url, key, message)
            return script, alone, moderate(url, key, {**message, "context": script["context"]})

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            all_judged = list(pool.map(judged, scripts))
        for half in ("choose", "report"):
            rows = collections.defaultdict(collections.Counter)
            for script, alone, within in all_judged:
                if script["half"] == half:
                    row = rows[script["kind"]]
                    names = {signal["name"] for signal in within["explanation"]["signals"]}
                    row["scripts"] += 1
                    row["acted alone"] += alone["action"] != "none"
                    row["acted"] += within["action"] != "none"
                    row["review alone"] += alone["requires_mod_review"] >= 0.5
                    row["review"] += within["requires_mod_review"] >= 0.5
                    row["support"] += within["explanation"].get("support", False)
                    for name, shown in SIGNALS.items():
                        row[shown] += name in names
            print_table(f"{mode}, {half}", rows)


def print_table(title, rows):
    columns = ["scripts", "acted alone", "acted", "review alone", "review", "support", "incitement", "approach"]
    print(f"\n| {title} | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}")
    for kind, row in sorted(rows.items()):
        print(f"| {kind} | {' | '.join(str(row[column]) for column in columns)} |")


def probabilities(verdict):
    explanation = verdict["explanation"]
    return {**explanation["categories"], **explanation["severity"]}


def log_odds(probability):
    p = min(max(probability, LEAST), 1 - LEAST)
    return math.log(p / (1 - p))


def read(url, key, script, mode):
    """The log-odds that the regressions read."""
    own = probabilities(moderate(url, key, {"content": script["text"], "mode": mode}))
    turns = {"author": [], "others": []}
    for turn in script["context"]:
        said = probabilities(moderate(url, key, {"content": turn["content"], "mode": "native"}))
        turns["author" if turn["author"] == script["author"] else "others"].append(said)

    def value(whose, name):
        return own[name] if whose == "own" else max((turn[name] for turn in turns[whose]), default=0)

    return {name: log_odds(value(*name)) for names in REGRESSIONS.values() for name in names}


def fit(url, key, scripts):
    import numpy

    rows = [(script, read(url, key, script, mode)) for mode in MODES for script in scripts]
    chosen = numpy.array([script["half"] == "choose" for script, _ in rows])
    for kind, names in REGRESSIONS.items():
        x = numpy.array([[read[name] for name in names] for _, read in rows])
        y = numpy.array([script["kind"] == kind for script, _ in rows], float)
        weights, offset = logistic(numpy, x[chosen], y[chosen])
        scores = x @ weights + offset
        aucs = [auc(scores[half], y[half]) for half in (chosen, ~chosen)]
        fitted = dict(zip(names, weights.round(2).tolist()))
        print(f"{kind}: {fitted}, offset {offset:.2f}; AUC {aucs[0]:.3f}, report {aucs[1]:.3f}")


def logistic(numpy, x, y, ridge=2.0, steps=3_000, rate=0.3):
    """A logistic regression on standardised columns; the penalty is for the sum of the loss over rows."""
    mean, spread = x.mean(0), x.std(0) + 1e-6
    z = (x - mean) / spread
    weights, offset = numpy.zeros(x.shape[1]), 0.0
    for _ in range(steps):
        error = 1 / (1 + numpy.exp(-(z @ weights + offset))) - y
        weights -= rate * (z.T @ error + ridge * weights) / len(y)
        offset -= rate * error.mean()
    return weights / spread, offset - (weights / spread * mean).sum()


def auc(scores, y):
    above = scores[y > 0][:, None] - scores[y == 0][None]
    return ((above > 0) + (above == 0) / 2).mean()


def main():
    url, key, *what = sys.argv[1:]
    scripts = [json.loads(line) for line in SCRIPTS.read_text().splitlines()]
    (fit if what == ["fit"] else measure)(url, key, scripts)


if __name__ == "__main__":
    main()
