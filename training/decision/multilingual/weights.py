"""Weight files.

base.npz (in packs): the base in its own 4-bit blocks, with the word embeddings of one vocabulary.

State file (.npz): for every tensor that training changed, the difference from the base (from the initial value, for
tensors the base lacks) as int8 in blocks of 32 with a float16 scale; small tensors in float16. For trained tensors also
the row and column means of Adam's second moment, from which a run that continues rebuilds it (Adafactor's
factorisation); the first moment restarts at zero. Divisors of rounded inputs are as they are. `about` has the counts of
the run, `split`, and whether layers `round`.
"""

import json

import numpy as np
import torch

from . import base, network

BLOCK = 32
SMALL = 4096  # values of a tensor below which float16 is used


def save_base(path, blocks, words, vocabulary):
    """blocks, words: from `base.blocks`; vocabulary: sorted word ids [V]."""
    shapes = {k: list(v.shape) for k, v in blocks.items() if v.dtype == base.Q4}
    arrays = {k: as_bytes(v) if v.dtype == base.Q4 else v for k, v in blocks.items()}
    about = np.frombuffer(json.dumps(shapes).encode(), np.uint8)
    np.savez(path, about=about, vocabulary=vocabulary, words=as_bytes(words[vocabulary]), **arrays)


def as_bytes(blocks):
    return np.frombuffer(blocks.tobytes(), np.uint8)


def load_base(path, vocabulary):
    """({BERT name: float32 array}, word embeddings [V, width]) from a pack's base.npz, or from the wheels if path is
    None."""
    if path is None:
        blocks, words = base.blocks()
        return base.tensors(blocks), base.words_of(words, vocabulary)
    with np.load(path) as f:
        shapes = json.loads(bytes(f["about"]))
        names = [k for k in f if k not in ("about", "vocabulary", "words")]
        blocks = {k: f[k].view(base.Q4).reshape(shapes[k]) if k in shapes else f[k] for k in names}
        words = f["words"].view(base.Q4).reshape(-1, base.WIDTH // base.BLOCK)
        known = f["vocabulary"]
    place = np.minimum(np.searchsorted(known, vocabulary), len(known) - 1)
    if not np.array_equal(known[place], vocabulary):
        raise SystemExit(f"{path} lacks words that these rows use")
    return base.tensors(blocks), base.words_of(words, place)


def quantise(x):
    """(int8 [n / 32, 32], float16 scales [n / 32]) of a float32 array whose size is a multiple of 32."""
    flat = x.reshape(-1, BLOCK)
    scale = np.maximum(np.abs(flat).max(1, keepdims=True) / 127.0, 1e-7).astype(np.float16)
    return np.clip(np.rint(flat / scale.astype(np.float32)), -127, 127).astype(np.int8), scale[:, 0]


def restore(q, scale):
    return q.astype(np.float32) * scale.astype(np.float32)[:, None]


def initial_values(tensors, split):
    """{parameter name: float32 array} of the network before training."""
    return {n: p.detach().numpy().copy() for n, p in network.Network(tensors, split=split).named_parameters()}


def save_state(path, net, initial, squares, about):
    """initial: from `initial_values`; squares: {name: Adam's second moment}; about: counts of the run, as JSON."""
    out = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for name, p in net.named_parameters():
        change = p.detach().float().cpu().numpy() - initial[name]
        if change.any():
            out |= change_arrays(name, change)
        if name in squares:
            second = squares[name].detach().float().cpu()
            second = second.reshape(second.shape[0], -1)
            out[f"{name}/rows"] = second.mean(1).numpy()
            out[f"{name}/columns"] = second.mean(0).numpy()
    out |= {f"{name}/divisor": b.cpu().numpy() for name, b in net.named_buffers() if name.endswith(".divisor")}
    np.savez(path, **out)


def change_arrays(name, change):
    if change.size < 64:
        return {f"{name}/change": change}
    if change.size % BLOCK or change.size < SMALL:
        return {f"{name}/change": change.astype(np.float16)}
    q, scale = quantise(change)
    return {f"{name}/q": q, f"{name}/scale": scale}


def load_state(path, net):
    """Adds the changes of a state file to an untrained network. Returns (about, {name: Adam's second moment})."""
    squares = {}
    params = dict(net.named_parameters())
    with np.load(path) as f:
        arrays = {k: f[k] for k in f}
    for name, buffer in net.named_buffers():
        if f"{name}/divisor" in arrays:
            buffer.copy_(torch.from_numpy(arrays.pop(f"{name}/divisor")))
    for name in {k.rsplit("/", 1)[0] for k in arrays if "/" in k}:
        p = params[name]
        if f"{name}/q" in arrays:
            change = restore(arrays[f"{name}/q"], arrays[f"{name}/scale"])
        else:
            change = arrays.get(f"{name}/change", np.zeros(p.shape)).astype(np.float32)
        p.data += torch.from_numpy(change.reshape(tuple(p.shape))).to(p.device)
        if f"{name}/rows" in arrays:
            rows, columns = arrays[f"{name}/rows"], arrays[f"{name}/columns"]
            product = np.outer(rows, columns) / max(float(rows.mean()), 1e-30)
            squares[name] = torch.from_numpy(product.astype(np.float32)).reshape(p.shape)
    return json.loads(bytes(arrays["about"])), squares


def words_for(base_path, vocabulary):
    """Word embeddings [V, width] of a vocabulary."""
    return torch.from_numpy(load_base(base_path, vocabulary)[1])


def load(base_path, state, vocabulary, frozen=0, averaged=True, split=network.SPLIT):
    """The network of the base (state None), of a state file (.npz), or of a checkpoint (.pt; `averaged`: its running
    average). `split` is that of the file, if there is one."""
    tensors, words = load_base(base_path, vocabulary)
    checkpoint = torch.load(state, weights_only=False, map_location="cpu") if state and state.endswith(".pt") else None
    if checkpoint:
        about = {"split": checkpoint["args"]["split"], "round": checkpoint["rounds"]}
    else:
        about = about_state(state) if state else {"split": split, "round": False}
    net = network.Network(tensors, frozen, about["split"])
    net.words = torch.from_numpy(words)
    if checkpoint:
        load_checkpoint(net, checkpoint, averaged)
    elif state:
        load_state(state, net)
    net.set_rounding(about["round"])
    return net


def about_state(path):
    """`about` of a state file."""
    with np.load(path) as f:
        return json.loads(bytes(f["about"]))


def load_checkpoint(net, checkpoint, averaged):
    """checkpoint: the dict that `train` saves."""
    net.load_state_dict(checkpoint["model"], strict=False)
    if averaged:
        net.load_state_dict(checkpoint["ema"], strict=False)
