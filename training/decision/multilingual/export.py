"""Writes the weight file that the engine reads, from a state file.

    python -m multilingual.export STATE.npz OUT.safetensors --version 1.0.0 --date 2026-11-27 [--fitted CONFIG.json]

Linear layers of the encoder are stored as the engine computes them: 7-bit weights times the divisors of their inputs
(`NAME.weight` int8, `NAME.scale`, `NAME.bias`), the divisors as `encoder.layer.N.PART.divisor` with PART `hidden`,
`attended`, `normed` or `inner`.
Positions, ranks and marks are at half precision. Words are not in it: the engine reads those of the base.
"""

import argparse
import json

import numpy as np
import torch
from safetensors.torch import save_file

from . import network, rounding, weights

NAME = "gavel-decision-multilingual"
UNFITTED = {
    "temperatures": {"choice": [1.0] * 5, "score": [1.0] * 3, "noul": [1.0]},
    "together": {"choice": 1.0, "score": 1.0, "noul": 1.0},
}
READ = (  # what a layer rounds, with the linear layers that read it
    ("hidden", "read_hidden", ("query", "key", "value")),
    ("attended", "read_attended", ("attn_out",)),
    ("normed", "read_normed", ("up",)),
    ("inner", "read_inner", ("down",)),
)


def layer_tensors(layer, n):
    """{name: tensor} of the n-th layer."""
    prefix = f"encoder.layer.{n}"
    out = {}
    for name, inputs, linears in READ:
        divisor = getattr(layer, inputs).divisor
        out[f"{prefix}.{name}.divisor"] = divisor
        for ours in linears:
            out |= rounded(f"{prefix}.{network.BERT_NAMES[ours]}", getattr(layer, ours), divisor)
    for ours in ("attn_norm", "out_norm"):
        out |= plain(f"{prefix}.{network.BERT_NAMES[ours]}", getattr(layer, ours))
    return out


def rounded(name, linear, divisor):
    w = linear.weight.detach() * divisor
    scale = w.abs().amax(1, keepdim=True).clamp_min(rounding.LEAST) / rounding.WEIGHT_STEPS
    return {
        f"{name}.weight": (w / scale).round().to(torch.int8),
        f"{name}.scale": scale.squeeze(1),
        f"{name}.bias": linear.bias.detach(),
    }


def plain(name, part):
    return {f"{name}.weight": part.weight.detach(), f"{name}.bias": part.bias.detach()}


def tensors(net):
    out = {
        "embeddings.position_embeddings.weight": net.positions.detach().half(),
        **plain("embeddings.LayerNorm", net.norm),
        "join.embeddings": net.join_embedding.detach(),
        "join.rank_embeddings": net.rank_embedding.detach().half(),
        "join.state_embeddings": net.state_embedding.detach(),
        "score.state_similarity": net.state_similarity.detach(),
        "score.question_similarity": net.question_similarity.detach(),
        "score.dense.weight": net.head_hidden.weight.detach().half(),
        "score.dense.bias": net.head_hidden.bias.detach(),
        **plain("score.out", net.head_out),
    }
    for n, layer in enumerate(net.layers):
        out |= layer_tensors(layer, n)
    return {k: v.clone().contiguous() for k, v in out.items()}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("state")
    a.add_argument("out")
    a.add_argument("--version", required=True)
    a.add_argument("--date", required=True, help="of the release, such as 2026-11-27")
    a.add_argument("--fitted", help="temperatures from `calibrate`; without it all are 1")
    args = a.parse_args()
    net = weights.load(None, args.state, np.arange(4, dtype=np.uint32))
    fitted = UNFITTED
    if args.fitted:
        with open(args.fitted) as f:
            fitted = json.load(f)
    config = {**fitted, "windows": "deviant", "release_date": args.date, "split": net.split}
    meta = {"name": NAME, "version": args.version, "format": "1", "config": json.dumps(config, sort_keys=True)}
    save_file(tensors(net), args.out, metadata=meta)


if __name__ == "__main__":
    main()
