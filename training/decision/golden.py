"""Writes the cases that the Rust engine is tested on: requests with the probabilities of the quantised evaluation.

    python golden.py MODEL.safetensors OUT.jsonl [--sequences]

A line: `state`, `questions` {key: {type, instructions, criteria}}, `probabilities` {key: {option: p}}, `given` where
a question carries answers committed before, and (with --sequences) ids, positions, segments, owners, markers and ranks of each sequence.
"""
import argparse
import json
import random

import torch

import data
import predict
import render
import weights
from golden_cases import CASES


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("out")
    a.add_argument("--sequences", type=int, default=8, help="cases that also show their sequences")
    args = a.parse_args()
    torch.set_num_threads(1)
    model, config = weights.read(args.model)
    with open(args.out, "w", encoding="utf-8") as f:
        for n, case in enumerate(CASES):
            out = dict(case)
            rows = [{**q, "state": case["state"], "given": case.get("given", {}).get(k)} for k, q in case["questions"].items()]
            out["probabilities"] = {}
            for key, row, z in zip(case["questions"], rows, predict.logits_of(model, rows, config["windows"])):
                p = predict.probabilities(z, row["type"], config["temperatures"])
                options = render.render_options(row["type"], row["criteria"])
                out["probabilities"][key] = {k: round(float(x), 6) for (k, _), x in zip(options, p)}
            if n < args.sequences:
                out["sequences"] = {}
                for key, row in zip(case["questions"], rows):
                    _, sequences = data.encode(row)
                    out["sequences"][key] = [
                        {"options": [render.render_options(row["type"], row["criteria"])[i][0] for i in idx], "window": w,
                         "ids": [int(x) for x in lay[0]], "positions": lay[1], "segments": lay[2], "owners": lay[3], "markers": lay[4], "ranks": lay[5]}
                        for idx, w, lay in sequences]
            f.write(json.dumps(out, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
