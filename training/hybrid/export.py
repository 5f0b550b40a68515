#!/usr/bin/env python3
"""Writes the weight file and the golden file that the server's own arithmetic is tested against, both without the constants that
combine the models: `fit.py` finds those with the weight file, and `renew.py` writes them.

The golden rows are of our own writing only: special.jsonl, and some of the contrast test rows, of the other languages for the
multilingual encoder. Refuses to write other
people's messages.
"""

import argparse
import json
import pathlib

import torch

import data
from model import ACTIONS, BODY, HARMS, LIMIT, STRIDE, Encoder, Hybrid, chosen
from quantize import served, tensors, vocabulary
from score import STEPS, score

VERSION = "1.0.0"


# One step: on dev, more made it worse (the card says by how much).
STEPS_SERVED = 1
# The native model alone, until the combination is fitted.
CONFIG = {
    "steps": STEPS_SERVED,
    "combine": {name: {"native": 1.0, "decoder": 0.0, "bias": 0.0} for name in HARMS},
    "harms": HARMS,
    "actions": ACTIONS,
    "window": {"tokens": LIMIT, "body": BODY, "stride": STRIDE},
}


KINDS = {torch.float32: "F32", torch.float16: "F16", torch.int8: "I8", torch.uint8: "U8"}


def save(path, tensors, about):
    """The safetensors format with its header in a fixed order, so that equal weights are equal files."""
    header, at, bodies = {"__metadata__": about}, 0, []
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].element_size(), item[0])):
        body = tensor.contiguous().numpy().tobytes()
        header[name] = {"dtype": KINDS[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(body)]}
        bodies.append(body)
        at += len(body)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(bodies))


def steady(model, rows, kind):
    """The rows on which no logit hangs on one rounding: changes of 1e-5 in the words move none by more than a quarter."""
    exact, words = score(model, rows, kind)["harm1"], model.encoder.words.weight.data
    moved = torch.zeros(len(rows))
    for seed in range(2):  # in F32; what is written is F64
        noise = torch.randn(words.shape, generator=torch.Generator().manual_seed(seed), dtype=words.dtype) * 1e-5
        words += noise
        moved = torch.maximum(moved, (torch.as_tensor(score(model, rows, kind)["harm1"]) - torch.as_tensor(exact)).abs().amax(1))
        words -= noise
    return [row for row, by in zip(rows, moved.tolist()) if by <= 0.25]


def golden(model, folder, kind):
    rows = data.read(folder / "special.jsonl")
    if kind.folder:
        others = [row for row in data.read(folder / "contrast_test.jsonl") if row["lang"] != "en"]
        rows += others[:: len(others) // 47][:47]
    else:
        rows += data.read(folder / "contrast_test.jsonl")[:: 2962 // 31][:31] + data.read(folder / "hybrid_test.jsonl")[::32][:16]
    data.encode(rows, kind.tokenizer())
    rows = steady(model, rows, kind)
    found = score(model.double(), rows, kind)
    for at, row in enumerate(rows):
        tidy = lambda values: [round(float(value), 5) for value in values]
        yield {
            "id": row["id"], "message": row["raw"], "text": row["text"], "windows": kind.windows(row["ids"]), "native": [],
            "decoder": {str(steps): tidy(found[f"harm{steps}"][at]) for steps in STEPS},
            "action": {str(steps): tidy(found[f"action{steps}"][at]) for steps in STEPS},
            "steps": STEPS_SERVED, "combined": [],
        }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path, help="what dump_text wrote, special.jsonl among it")
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("--multilingual", type=pathlib.Path, help="what multilingual.py wrote: the other encoder")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    kind = chosen(arguments.multilingual)
    model = Hybrid(Encoder.base(kind))
    model.load_state_dict(torch.load(arguments.checkpoint))
    model.eval()
    made = tensors(model)
    made |= {f"decoder.{name}": tensor.clone() for name, tensor in model.decoder.state_dict().items()}
    if kind.folder:
        made |= vocabulary(kind)
    about = {"name": kind.name, "version": VERSION, "format": "1", "config": json.dumps(CONFIG, separators=(",", ":"))}
    save(arguments.weights, made, about)
    lines = [json.dumps(line, ensure_ascii=False) for line in golden(served(model), arguments.folder, kind)]
    arguments.golden.write_text("\n".join(lines) + "\n", "utf-8")
    print(arguments.weights.stat().st_size, "bytes,", len(lines), "golden rows")


if __name__ == "__main__":
    main()
