"""Writes the weight file, without the constants that combine the models: `fit.py` finds those with it, and `renew.py`
writes them."""

import argparse
import json
import pathlib

import torch
from golden import STEPS_SERVED
from model import ACTIONS, BODY, HARMS, LIMIT, STRIDE, Encoder, Hybrid, chosen
from quantize import tensors, vocabulary

VERSION = "1.0.0"
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint", type=pathlib.Path)
    parser.add_argument("weights", type=pathlib.Path)
    parser.add_argument("--multilingual", type=pathlib.Path, help="what multilingual.py wrote: the other encoder")
    arguments = parser.parse_args()
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
    print(arguments.weights.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
