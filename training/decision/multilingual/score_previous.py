"""Scores the English network on the rows of choose.npz or report.npz, for `multilingual.evaluate --beside 2.5.0=FILE`.

    python -m multilingual.score_previous MODEL.safetensors DECISIONS2 DECISIONS3 --keep SCORES.json [--tasks 600] [--held 30] [--every 1]

--tasks and --held must be those of `multilingual.prepare --part`: the same rows are drawn again, in the same order.
"""

import argparse
import json

import numpy as np
import torch

import predict
import weights

from . import sampling


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("second")
    a.add_argument("third")
    a.add_argument("--keep", required=True)
    a.add_argument("--tasks", type=int, default=600)
    a.add_argument("--held", type=int, default=30)
    a.add_argument("--part", choices=("choose", "report"), default="choose")
    a.add_argument("--every", type=int, default=1, help="every n-th row only (and all families held out)")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    sets = sampling.held_rows(args.second, args.third, args.tasks, args.held, args.part)
    rows = [(name, r) for name, part in sets.items() for r in part]
    wanted = [n for n, (name, _) in enumerate(rows) if n % args.every == 0 or name == "families held out"]
    scores = {}
    for n, z in zip(wanted, predict.logits_of(model, [rows[n][1] for n in wanted], config["windows"])):
        p = predict.probabilities(z, rows[n][1]["type"], config["temperatures"])
        scores[n] = [round(float(x), 4) for x in np.log(np.maximum(p, 1e-9))]
    with open(args.keep, "w") as f:
        json.dump(scores, f)


if __name__ == "__main__":
    main()
