"""Weights and activations as they are served: int8 per output channel, clipped to 7 bits, and 8 bits per token.

Refuses nothing: it rounds what it is given.
"""

import torch

from model import LAYERS, PARTS

MOST = 63  # u8 x s8 products of this size never saturate 16 bits


def rounded(weight):
    """Int8 weights and a scale for each output channel."""
    scale = weight.abs().amax(1).clamp_min(1e-12) / MOST
    return (weight / scale[:, None]).round().clamp(-MOST, MOST).to(torch.int8), scale


def fake(x):
    """What a linear layer reads: each token on a scale of its own, 127 steps to either side of zero."""
    scale = x.abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
    return (x / scale).round().clamp(-127, 127) * scale


def served(model):
    """The model with every weight as the file will hold it."""
    encoder = model.encoder
    with torch.no_grad():
        for table in (encoder.positions, encoder.types):
            table.weight.copy_(table.weight.half().float())
        for layer in encoder.layers:
            for part in PARTS:
                linear = getattr(layer, part)
                weight, scale = rounded(linear.weight)
                linear.weight.copy_(weight.float() * scale[:, None])
    return model


def tensors(model):
    """The weight file's tensors but the decoder's; from the trained model, not the served one."""
    state = model.encoder.state_dict()
    out = {
        "embeddings.position_embeddings.weight": state["positions.weight"].half(),
        "embeddings.token_type_embeddings.weight": state["types.weight"].half(),
        "embeddings.LayerNorm.weight": state["norm.weight"],
        "embeddings.LayerNorm.bias": state["norm.bias"],
    }
    norms = {"attended_norm": "attention.output.LayerNorm", "output_norm": "output.LayerNorm"}
    for at in range(LAYERS):
        for ours, theirs in PARTS.items():
            weight, scale = rounded(state[f"layers.{at}.{ours}.weight"])
            name = f"encoder.layer.{at}.{theirs}"
            out |= {f"{name}.weight": weight, f"{name}.scale": scale, f"{name}.bias": state[f"layers.{at}.{ours}.bias"]}
        for ours, theirs in norms.items():
            for end in ("weight", "bias"):
                out[f"encoder.layer.{at}.{theirs}.{end}"] = state[f"layers.{at}.{ours}.{end}"]
    return {name: tensor.contiguous().clone() for name, tensor in out.items()}
