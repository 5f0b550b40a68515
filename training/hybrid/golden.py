"""Writes the golden file that the server's own arithmetic is tested against, without what depends on the constants that
combine the models: `renew.py` adds that.

The golden rows are of our own writing only: special.jsonl, and some of the contrast test rows, of the other languages
for the multilingual encoder. A rounding that falls the other way can move a logit by more than .5, and processors sum
floats in different orders. So the rows are those on which little hangs on that; rows of special.jsonl on which much
does are left out and named.
"""

import argparse
import json
import pathlib

import data
import torch
from model import Encoder, Hybrid, chosen
from quantize import load, served
from score import STEPS, score

# One step: on dev, more made it worse (the card says by how much).
STEPS_SERVED = 1
# How often, and by how much, the words are changed to see what hangs on a rounding, and by how much a logit may move.
SEEDS, NOISE, MOST = 12, 1e-6, 0.3


def steady(model, rows, kind):
    """For each row whether small changes of the words move all logits of the harms and of the action little."""
    words = model.encoder.words.weight.data

    def logits():
        found = score(model, rows, kind)
        return torch.cat([torch.as_tensor(found[f"{name}{STEPS_SERVED}"]) for name in ("harm", "action")], 1)

    exact, before, moved = words.clone(), logits(), torch.zeros(len(rows))
    for seed in range(SEEDS):
        noise = torch.randn(words.shape, generator=torch.Generator().manual_seed(seed), dtype=words.dtype) * NOISE
        words += noise
        moved = torch.maximum(moved, (logits() - before).abs().amax(1))
        words.copy_(exact)
    return (moved <= MOST).tolist()


def chosen_rows(model, folder, kind):
    special = data.read(folder / "special.jsonl")
    if kind.folder:
        # What has no words has no language either, and is read by the other encoder.
        special = [row for row in special if any(char.isalpha() for char in row["text"])]
        others = [row for row in data.read(folder / "contrast_test.jsonl") if row["lang"] != "en"]
        wanted = [(others[:: len(others) // 94], 47)]
    else:
        wanted = [
            (data.read(folder / "contrast_test.jsonl")[::32], 31),
            (data.read(folder / "hybrid_test.jsonl")[::12], 16),
        ]
    rows = []
    special = data.encode(special, kind.tokenizer())
    for row, still in zip(special, steady(model, special, kind)):
        if still:
            rows.append(row)
        else:
            print(f"{row['id']} is left out: much of it hangs on a rounding")
    for candidates, most in wanted:
        candidates = data.encode(candidates, kind.tokenizer())
        rows += [row for row, still in zip(candidates, steady(model, candidates, kind)) if still][:most]
    return rows


def golden(model, rows, kind):
    found = score(model.double(), rows, kind)
    tidy = lambda values: [round(float(value), 5) for value in values]
    for at, row in enumerate(rows):
        yield {
            "id": row["id"],
            "message": row["raw"],
            "text": row["text"],
            "windows": kind.windows(row["ids"]),
            "native": [],
            "decoder": {str(steps): tidy(found[f"harm{steps}"][at]) for steps in STEPS},
            "action": {str(steps): tidy(found[f"action{steps}"][at]) for steps in STEPS},
            "steps": STEPS_SERVED,
            "combined": [],
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="what dump_text wrote, special.jsonl among it")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--multilingual", type=pathlib.Path, help="what multilingual.py wrote: the other encoder")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    kind = chosen(arguments.multilingual)
    model = Hybrid(Encoder.base(kind))
    load(model, arguments.weights)
    served(model).eval()
    rows = chosen_rows(model, arguments.folder, kind)
    lines = [json.dumps(line, ensure_ascii=False) for line in golden(model, rows, kind)]
    arguments.out.write_text("\n".join(lines) + "\n", "utf-8")
    print(len(lines), "golden rows")


if __name__ == "__main__":
    main()
