"""Weights and activations as they are served: int8 per output channel, clipped to 7 bits, and 8 bits per token.

Refuses nothing: it rounds what it is given.
"""

import torch
from model import NORMS, PARTS
from safetensors.torch import load_file
from torch import nn

MOST = 63  # u8 x s8 products of this size never saturate 16 bits


def rounded(weight):
    """Int8 weights and a scale for each output channel."""
    scale = weight.abs().amax(1).clamp_min(1e-12) / MOST
    return (weight / scale[:, None]).round().clamp(-MOST, MOST).to(torch.int8), scale


class Int8Linear(nn.Module):
    """A linear layer in the server's arithmetic: each token rounded on a scale of its own, 127 steps to either side of
    zero, products summed as integers. These are below 2^24, so that floats add them exactly, in any order."""

    def __init__(self, linear):
        super().__init__()
        weight, scale = rounded(linear.weight.detach())
        self.register_buffer("weight", weight.t().float().contiguous())
        self.register_buffer("scale", scale)
        self.register_buffer("bias", linear.bias.detach().clone())

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        scale = rows.abs().amax(1, keepdim=True).clamp_min(1e-12) / 127
        read = (rows / scale).round_().clamp_(-127, 127)
        return (read @ self.weight * scale * self.scale + self.bias).view(*x.shape[:-1], -1)


def served(model):
    """The model as the server computes it; it can no longer be trained or saved."""
    encoder = model.encoder
    with torch.no_grad():
        for table in (encoder.positions, encoder.types):
            table.weight.copy_(table.weight.half().float())
        for layer in encoder.layers:
            for part in PARTS:
                setattr(layer, part, Int8Linear(getattr(layer, part)))
    return model


def load(model, path):
    """Gives the model the weights of a weight file, multiplied out from their integers; `heads` stay as they are."""
    held = load_file(path)
    state = {
        f"decoder.{name.removeprefix('decoder.')}": tensor
        for name, tensor in held.items()
        if name.startswith("decoder.")
    }
    state["encoder.positions.weight"] = held["embeddings.position_embeddings.weight"].float()
    state["encoder.types.weight"] = held["embeddings.token_type_embeddings.weight"].float()
    for end in ("weight", "bias"):
        state[f"encoder.norm.{end}"] = held[f"embeddings.LayerNorm.{end}"]
        for at in range(len(model.encoder.layers)):
            for ours, theirs in (PARTS | NORMS).items():
                state[f"encoder.layers.{at}.{ours}.{end}"] = held[f"encoder.layer.{at}.{theirs}.{end}"].float()
    for at in range(len(model.encoder.layers)):
        for ours, theirs in PARTS.items():
            state[f"encoder.layers.{at}.{ours}.weight"] *= held[f"encoder.layer.{at}.{theirs}.scale"][:, None]
    left = model.load_state_dict(state, strict=False)
    if left.unexpected_keys or any(not name.startswith(("heads.", "encoder.words.")) for name in left.missing_keys):
        raise SystemExit(f"{path} is not a weight file of this model: {left}")


def tensors(model):
    """The weight file's tensors but the decoder's; from the trained model, not the served one."""
    state = model.encoder.state_dict()
    out = {
        "embeddings.position_embeddings.weight": state["positions.weight"].half(),
        "embeddings.token_type_embeddings.weight": state["types.weight"].half(),
        "embeddings.LayerNorm.weight": state["norm.weight"],
        "embeddings.LayerNorm.bias": state["norm.bias"],
    }
    for at in range(len(model.encoder.layers)):
        for ours, theirs in PARTS.items():
            weight, scale = rounded(state[f"layers.{at}.{ours}.weight"])
            name = f"encoder.layer.{at}.{theirs}"
            out |= {f"{name}.weight": weight, f"{name}.scale": scale, f"{name}.bias": state[f"layers.{at}.{ours}.bias"]}
        for ours, theirs in NORMS.items():
            for end in ("weight", "bias"):
                out[f"encoder.layer.{at}.{theirs}.{end}"] = state[f"layers.{at}.{ours}.{end}"]
    return {name: tensor.contiguous().clone() for name, tensor in out.items()}


def vocabulary(kind):
    """The tensors of a vocabulary that set-up does not fetch: words in int8 with one scale, and the tokenizer's
    bytes."""
    base = load_file(kind.base() / kind.weights)
    scale = base["embeddings.word_embeddings.scale"]
    tokenizer = bytearray((kind.base() / "tokenizer.json").read_bytes())
    return {
        "embeddings.word_embeddings.weight": (base["embeddings.word_embeddings.weight"] / scale).round().to(torch.int8),
        "embeddings.word_embeddings.scale": scale,
        "tokenizer": torch.frombuffer(tokenizer, dtype=torch.uint8),
    }
