"""The weight file: tensors and metadata of the model contract, written from a checkpoint and read back for evaluation.

What is read back is what serving sees: weights multiplied out from their 7-bit integers, positions and segments at
half precision, words from their bytes, and (with `act`) inputs of every encoder linear rounded a token at a time.
"""
import json

import torch
from safetensors import safe_open
from safetensors.torch import save_file

from model import NAMES, DecisionModel, QLinear, quantise_weight, quantise_words


WORDS = "embeddings.word_embeddings"
RANKS = "embeddings.rank_embeddings.weight"


def write(model, path, version, config):
    t = {
        "embeddings.position_embeddings.weight": model.positions.detach().half(),
        "embeddings.token_type_embeddings.weight": model.segments.detach().half(),
        RANKS: model.ranks.detach().half(),
        "embeddings.LayerNorm.weight": model.norm.weight.detach(),
        "embeddings.LayerNorm.bias": model.norm.bias.detach(),
    }
    if model.words.requires_grad:
        q, scale = quantise_words(model.words.detach())
        t[f"{WORDS}.weight"], t[f"{WORDS}.scale"] = q.to(torch.int8), scale.squeeze(1).half()
    for i, layer in enumerate(model.layers):
        for ours, theirs in NAMES.items():
            part, name = getattr(layer, ours), f"encoder.layer.{i}.{theirs}"
            if isinstance(part, QLinear):
                q, scale = quantise_weight(part.weight.detach().float())
                t[f"{name}.weight"] = q.to(torch.int8)
                t[f"{name}.scale"] = scale.squeeze(1)
            else:
                t[f"{name}.weight"] = part.weight.detach()
            t[f"{name}.bias"] = part.bias.detach()
    for name, part in (("score.dense", model.dense), ("score.out", model.out)):
        t[f"{name}.weight"], t[f"{name}.bias"] = part.weight.detach(), part.bias.detach()
    t = {k: v.clone().contiguous() for k, v in t.items()}
    config = {**config, "encoder": model.encoder, "layers": model.keep}
    meta = {"name": "gavel-decision", "version": version, "format": "1", "config": json.dumps(config, sort_keys=True)}
    save_file(t, path, metadata=meta)


def metadata(path):
    """What a weight file states of itself: `name`, `version`, `format`, and `config` as JSON."""
    with safe_open(path, "pt") as f:
        return f.metadata()


def read(path, act=True):
    """(model, config) as serving computes it."""
    with safe_open(path, "pt") as f:
        meta, t = f.metadata(), {k: f.get_tensor(k) for k in f.keys()}
    config = json.loads(meta["config"])
    model = DecisionModel(encoder=config.get("encoder", "minilm-l6"), keep=config.get("layers"))
    with torch.no_grad():
        if f"{WORDS}.weight" in t:
            model.words.copy_(t[f"{WORDS}.weight"].float() * t[f"{WORDS}.scale"].float()[:, None])
        model.positions.copy_(t["embeddings.position_embeddings.weight"].float())
        model.segments.copy_(t["embeddings.token_type_embeddings.weight"].float())
        if RANKS in t:
            model.ranks.copy_(t[RANKS].float())
        elif act:  # of 2.1.0 and before, which had none
            model.ranks.zero_()
        model.norm.weight.copy_(t["embeddings.LayerNorm.weight"])
        model.norm.bias.copy_(t["embeddings.LayerNorm.bias"])
        for i in range(len(model.layers)):
            for ours, theirs in NAMES.items():
                part, name = getattr(model.layers[i], ours), f"encoder.layer.{i}.{theirs}"
                w = t[f"{name}.weight"]
                if f"{name}.scale" in t:
                    w = w.float() * t[f"{name}.scale"][:, None]
                part.weight.copy_(w)
                part.bias.copy_(t[f"{name}.bias"])
        for name, part in (("score.dense", model.dense), ("score.out", model.out)):
            part.weight.copy_(t[f"{name}.weight"])
            part.bias.copy_(t[f"{name}.bias"])
    model.set_quant(act, False)
    return model.eval(), config


def from_checkpoint(path, averaged=True):
    """The unquantised model of a checkpoint (its running average, or its last step)."""
    state = torch.load(path, weights_only=False)
    model = DecisionModel(encoder=state.get("encoder", "minilm-l6"), keep=state.get("keep"))
    model.load_state_dict(state["model"], strict=False)
    if averaged:
        with torch.no_grad():
            for n, p in model.named_parameters():
                p.copy_(state["ema"][n])
    return model.eval(), state
