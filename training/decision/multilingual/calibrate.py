"""Fits the temperatures of the multilingual network and of the mean of both networks on `choose`.

    python -m multilingual.calibrate CHOOSE.npz --scores NEW.json --english OLD.json --out CONFIG.json

NEW.json is from `evaluate --keep`, OLD.json (log-probabilities) from `score_previous --keep`. The network's own
temperatures are fitted on states in other languages than English, which it answers about alone, as in `calibrate.py`:
one for each type and class of option counts; a class with fewer than 30 rows takes that of its type. Those of the mean
are fitted on English states, one for each type.
"""

import argparse
import json

import numpy as np
from calibrate import fit
from predict import bucket, softmax

from . import dataset, evaluate

CLASSES = {"choice": 5, "score": 3, "noul": 1}
FEWEST = 30
LEAST = 1e-6  # of a probability, as in the engine


def target(data, row):
    return data.targets(row).astype(np.float64)


def temperatures(data, scores, rows):
    """{type: [temperature of a class]}."""
    out = {}
    for kind, classes in CLASSES.items():
        items = [[] for _ in range(classes)]
        for r in rows:
            if dataset.KINDS[data.kind[r]] == kind:
                items[bucket(kind, len(scores[r]))].append((scores[r], target(data, r), 1.0))
        common = fit([i for part in items for i in part])
        out[kind] = [round(fit(part) if len(part) >= FEWEST else common, 4) for part in items]
    return out


def log_probabilities(data, scores, row, fitted):
    kind = dataset.KINDS[data.kind[row]]
    return np.log(softmax(scores[row] / fitted[kind][bucket(kind, len(scores[row]))]))


def bounded(logs):
    return np.maximum(logs, np.log(LEAST))


def together(data, means, rows):
    """{type: temperature of the mean of both networks' log-probabilities}."""
    out = {}
    for kind in CLASSES:
        own = [r for r in rows if dataset.KINDS[data.kind[r]] == kind]
        out[kind] = round(fit([(means[r], target(data, r), 1.0) for r in own]), 4)
    return out


def main():
    a = argparse.ArgumentParser()
    a.add_argument("rows")
    a.add_argument("--scores", required=True)
    a.add_argument("--english", required=True)
    a.add_argument("--out", required=True)
    args = a.parse_args()
    data = dataset.Dataset(args.rows)
    new = evaluate.read_scores(args.scores)
    old = evaluate.read_scores(args.english)
    english = [r for r in new if data.name("lang", r) == "en"]
    foreign = [r for r in new if data.name("lang", r) != "en"]
    fitted = temperatures(data, new, foreign)
    means = {r: (bounded(old[r]) + bounded(log_probabilities(data, new, r, fitted))) / 2 for r in english}
    config = {"temperatures": fitted, "together": together(data, means, english)}
    with open(args.out, "w") as f:
        json.dump(config, f, indent=1)
    print(json.dumps(config))


if __name__ == "__main__":
    main()
