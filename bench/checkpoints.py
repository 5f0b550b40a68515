"""Tables of what bench/checkpoints.rs printed, beside scikit-learn's logistic regression on the same embeddings."""

import csv
import json
import pathlib
import statistics
import sys

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

out = pathlib.Path(sys.argv[1])


def lines(name):
    return [json.loads(line) for line in open(out / name)]


def scores(answers):
    labels, p = np.array([label for label, _ in answers]), np.array([p for _, p in answers])
    right, sure = p.argmax(1) == labels, p.max(1)
    bins = np.minimum((sure * 10).astype(int), 9)
    ece = sum(abs(right[bins == i].sum() - sure[bins == i].sum()) for i in range(10)) / len(labels)
    return 100 * right.mean(), ece


def sklearn(name, key):
    with open(out / "sets" / f"{name}.{key}.csv") as file:
        rows = list(csv.reader(file))
    held, labels = np.array([row[0] == "1" for row in rows]), np.array([row[1] for row in rows])
    x = np.array([row[2:] for row in rows], dtype="f4")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)),
        {"logisticregression__C": [1e-4, 1e-3, 1e-2, 1e-1]},
        cv=5,
        scoring="neg_log_loss",
    )
    search.fit(x[~held], labels[~held])
    return 100 * (search.predict(x[held]) == labels[held]).mean()


gains = []
print(
    "| set, key | labels | held out | zero-shot, % (ECE) | Checkpoint, % (ECE) | gain | scikit-learn, % | candidate | "
    "cross-validated, % |"
)
print("|---|---|---|---|---|---|---|---|---|")
for row in lines("trained.jsonl"):
    name, report = pathlib.Path(row["set"]).stem, row["report"]
    before, after = scores(row["zero_shot"]), scores(row["checkpoint"])
    gains.append(after[0] - before[0])
    validated = {one["name"]: one["accuracy"] for one in report["candidates"]}
    print(
        f"| {name}, {report['key']} | {report['labels']} | {len(row['zero_shot'])} | {before[0]:.1f} ({before[1]:.3f}) "
        f"| {after[0]:.1f} ({after[1]:.3f}) "
        f"| {gains[-1]:+.1f} | {sklearn(name, report['key']):.1f} | {report['chosen']} "
        f"| {100 * validated['zero_shot']:.1f} to {100 * validated[report['chosen']]:.1f} |"
    )
print(f"\nMean gain {statistics.mean(gains):+.1f}, least {min(gains):+.1f}.\n")
print("| set | training, wall s | CPU s | peak MB | artefact, KB |\n|---|---|---|---|---|")
for name, row in {pathlib.Path(row["set"]).stem: row for row in lines("trained.jsonl")}.items():
    print(
        f"| {name} | {row['seconds']:.0f} | {row['cpu_seconds']:.0f} | {row['peak_mb']} | "
        f"{row['head_bytes'] / 1e3:.0f} |"
    )
print("\n| set | a request without, CPU ms | with its Checkpoint | ratio |\n|---|---|---|---|")
for row in lines("served.jsonl"):
    without, with_it = statistics.median(row["without_ms"]), statistics.median(row["with_ms"])
    print(f"| {pathlib.Path(row['serve']).stem} | {without:.2f} | {with_it:.2f} | {with_it / without:.2f} |")
