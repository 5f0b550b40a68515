"""Scores dumped rows with a checkpoint as it is served (rounded weights, rounded activations): decoder logits after 1,
2 and 4 steps, and the independent heads'. Writes one .npz a set. Refuses to judge.
"""

import argparse
import pathlib

import data
import numpy as np
import torch
from model import ENGLISH, Encoder, Hybrid, chosen, pad
from quantize import served

STEPS = (1, 2, 4)


def load(path, kind, exact=False):
    model = Hybrid(Encoder.base(kind))
    model.load_state_dict(torch.load(path))
    model.eval()
    return model if exact else served(model)


def worst(name, rows):
    """A message's logits from its windows': for a harm the highest, for the action the least peaceful window's."""
    rows = np.stack(rows)
    return rows[rows[:, 0].argmin()] if name.startswith("action") else rows.max(0)


@torch.no_grad()
def score(model, rows, kind=ENGLISH, tokens=4096):
    """A dictionary of arrays, one line a row."""
    pieces = [(at, piece) for at, row in enumerate(rows) for piece in kind.windows(row["ids"])]
    pieces.sort(key=lambda piece: len(piece[1]))
    found, at = {}, 0
    while at < len(pieces):
        end = at + 1
        while end < len(pieces) and (end - at + 1) * len(pieces[end][1]) <= tokens:
            end += 1
        batch, at = pieces[at:end], end
        ids, mask = pad([piece for _, piece in batch])
        hidden = model.encoder(ids, mask)
        memory = model.decoder.read(hidden)
        made = {"heads": model.independent(hidden, mask)}
        for steps in STEPS:
            made[f"harm{steps}"], made[f"action{steps}"] = model.decoder.denoise(memory, mask, steps)
        for name, values in made.items():
            into = found.setdefault(name, [[] for _ in rows])
            for (row, _), value in zip(batch, values.numpy()):
                into[row].append(value)
    return {name: np.stack([worst(name, values) for values in lists]) for name, lists in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="what dump_text wrote")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--multilingual", type=pathlib.Path, help="what multilingual.py wrote: the other encoder")
    parser.add_argument("--exact", action="store_true", help="without rounding, for comparison")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    arguments.out.mkdir(parents=True, exist_ok=True)
    kind = chosen(arguments.multilingual)
    model = load(arguments.checkpoint, kind, arguments.exact)
    for name in arguments.sets:
        rows = data.encode(data.read(arguments.folder / f"{name}.jsonl"), kind.tokenizer())
        found = score(model, rows, kind)
        np.savez_compressed(arguments.out / f"{name}.npz", **found)
        print(name, len(rows), flush=True)


if __name__ == "__main__":
    main()
