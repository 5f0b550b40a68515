"""The decision model: a marker cross-encoder on a BERT or MPNet encoder, 384 or 768 wide, of 6 to 12 layers.

One sequence a question, one score read at the marker ([MASK]) before each option. The word embeddings of MiniLM-L6 are used as
published, at half precision, and never trained; those of other encoders are trained like everything else, and served as a byte
and a scale a token. It refuses to know about text: `data.py` turns a row into ids, positions and segments.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

import data
import encoders
import values

HEADS, SEGMENTS = 12, 3
EPS = 1e-12
# Whether this processor multiplies in bfloat16 by itself; where it does not, single precision is eight times faster.
FAST_BFLOAT16 = torch.cpu._is_avx512_bf16_supported()


class Ste(torch.autograd.Function):
    """Rounding whose gradient is that of the identity."""

    @staticmethod
    def forward(ctx, x, rounded):
        return rounded

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def quantise_weight(w):
    """Symmetric 7-bit weights: values in [-63, 63] and one scale an output channel.

    The scale is the best of a few clippings of the largest value, by squared error.
    """
    top = w.abs().amax(dim=1, keepdim=True).clamp_min(1e-12)
    best, best_scale = None, None
    for share in (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        scale = top * share / 63.0
        err = ((w / scale).round().clamp(-63, 63) * scale - w).pow(2).sum(dim=1, keepdim=True)
        if best is None:
            best, best_scale = err, scale
        else:
            best_scale = torch.where(err < best, scale, best_scale)
            best = torch.minimum(err, best)
    return (w / best_scale).round().clamp(-63, 63), best_scale


def fake_quant_activation(x):
    """What serving does to the input of a linear: one scale a token, absmax / 127, rounded to a signed byte."""
    scale = x.abs().amax(dim=-1, keepdim=True).clamp_min(1e-12) / 127.0
    return (x / scale).round().clamp(-127, 127) * scale


class QLinear(nn.Linear):
    """A linear that can act as serving does: `act` rounds its input a token at a time, `weights` rounds its weights
    (both straight-through, so that it can be trained so). The scales of the weights are kept until `rescale`."""

    act = False
    weights = False
    scale = None

    def rescale(self):
        with torch.no_grad():
            self.scale = quantise_weight(self.weight.detach().float())[1]

    def forward(self, x):
        w = self.weight
        if self.weights:
            with torch.no_grad():
                rounded = (w / self.scale).round_().clamp_(-63, 63).mul_(self.scale)
            w = Ste.apply(w, rounded)
        if self.act:
            with torch.no_grad():
                rounded = fake_quant_activation(x.detach().float()).to(x.dtype)
            x = Ste.apply(x, rounded)
        return F.linear(x, w, self.bias)


class Layer(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.query, self.key, self.value = (QLinear(hidden, hidden) for _ in range(3))
        self.attn_out = QLinear(hidden, hidden)
        self.attn_norm = nn.LayerNorm(hidden, eps=EPS)
        self.up = QLinear(hidden, 4 * hidden)
        self.down = QLinear(4 * hidden, hidden)
        self.out_norm = nn.LayerNorm(hidden, eps=EPS)
        self.drop = 0.0

    def forward(self, x, mask, rows=None):
        """`rows`: [batch, markers] indices; with it only those positions are computed (the crown)."""
        b, n, hidden = x.shape
        src = x if rows is None else x.gather(1, rows.unsqueeze(-1).expand(-1, -1, hidden))
        m = src.shape[1]
        heads = lambda t, k: t.view(b, k, HEADS, hidden // HEADS).transpose(1, 2)
        # Plain products: on CPU in bfloat16 they are five times faster than the fused attention of torch 2.15.
        scores = heads(self.query(src), m) @ heads(self.key(x), n).transpose(-1, -2) * (hidden // HEADS) ** -0.5
        scores = scores + mask
        a = scores.softmax(-1).to(scores.dtype) @ heads(self.value(x), n)
        a = self.attn_out(a.transpose(1, 2).reshape(b, m, hidden))
        h = self.attn_norm(src + F.dropout(a, self.drop, self.training))
        f = self.down(F.gelu(self.up(h)))
        return self.out_norm(h + F.dropout(f, self.drop, self.training))


NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attn_out": "attention.output.dense",
    "attn_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "out_norm": "output.LayerNorm",
}


def served_words(encoder, words):
    """Word embeddings as serving has them. MiniLM's are fetched and halved; others lie beside our weights, a byte a value."""
    if encoder == "minilm-l6":
        return words.half().float()
    q, scale = quantise_words(words)
    return q * scale


def quantise_words(words):
    """Signed bytes and one scale of half precision a token."""
    scale = (words.abs().amax(dim=1, keepdim=True) / 127.0).clamp_min(1e-12).half().float()
    return (words / scale).round().clamp(-127, 127), scale


def first_ranks(hidden):
    """What the embeddings of ranks are before training: waves over the rank, so that neighbours are alike; nothing for no value."""
    rank, drawn = torch.arange(values.RANKS).float()[:, None], torch.Generator().manual_seed(11)
    waves = torch.cat([f(rank * w) for w in (0.03, 0.06, 0.13, 0.26, 0.52, 1.05) for f in (torch.sin, torch.cos)], 1)
    table = waves @ torch.randn(waves.shape[1], hidden, generator=drawn) * 0.012
    table[0] = 0.0
    return table


def distance_buckets(positions):
    """MPNet's buckets of how far a key (last dimension) is from a query: 16 for each direction, 8 of them exact, the others by the
    logarithm up to 128. As in the published implementation (transformers, modeling_mpnet.py)."""
    far = positions[:, :, None] - positions[:, None, :]
    size = far.abs()
    by_log = 8 + (torch.log(size.clamp_min(1) / 8.0) / math.log(16.0) * 8).long()
    return torch.where(size < 8, size, by_log.clamp_max(15)) + 16 * (far < 0)


def close(positions, segments):
    """Positions of a sequence without the gaps between its parts: options begin behind the question, the state 16 behind them. An encoder
    that attends by distance sees its parts as near as they stand."""
    first, second = data.OPT_FIRST, data.STATE_FIRST
    behind = ((positions + 1) * (segments == 0)).amax(1, keepdim=True)
    return torch.where(segments == 0, positions, torch.where(segments == 1, positions - first + behind, positions - second + behind + 16))


class DecisionModel(nn.Module):
    """`keep`: which layers of the encoder are used, bottom first (all of them if not given)."""

    def __init__(self, dropout=0.0, encoder="minilm-l6", keep=None):
        super().__init__()
        base = encoders.tensors(encoder)
        held = sorted({int(k.split(".")[2]) for k in base if k.startswith("encoder.layer.")})
        self.encoder, self.keep = encoder, list(held if keep is None else keep)
        words = served_words(encoder, base["embeddings.word_embeddings.weight"])
        hidden = words.shape[1]
        if encoder in ("minilm-l6", "mpnet"):
            self.register_buffer("words", words, persistent=False)
        else:
            self.words = nn.Parameter(words)
        self.positions = nn.Parameter(base["embeddings.position_embeddings.weight"].clone())
        self.segments = nn.Parameter(base["embeddings.token_type_embeddings.weight"][:1].repeat(SEGMENTS, 1))
        self.ranks = nn.Parameter(first_ranks(hidden))
        distances = base.get("encoder.relative_attention_bias.weight")
        self.distances = None if distances is None else nn.Parameter(distances.clone())
        self.norm = nn.LayerNorm(hidden, eps=EPS)
        self.layers = nn.ModuleList(Layer(hidden) for _ in self.keep)
        self.dense = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.zeros_(self.out.bias)
        with torch.no_grad():
            self.norm.weight.copy_(base["embeddings.LayerNorm.weight"])
            self.norm.bias.copy_(base["embeddings.LayerNorm.bias"])
            for i, layer in zip(self.keep, self.layers):
                layer.drop = dropout
                for ours, theirs in NAMES.items():
                    part = getattr(layer, ours)
                    part.weight.copy_(base[f"encoder.layer.{i}.{theirs}.weight"])
                    part.bias.copy_(base[f"encoder.layer.{i}.{theirs}.bias"])

    def set_quant(self, act, weights):
        for m in self.modules():
            if isinstance(m, QLinear):
                m.act, m.weights = act, weights
                if weights:
                    m.rescale()

    def forward(self, ids, positions, segments, owner, markers, ranks):
        """Logits [batch, markers]. owner: [batch, tokens], the option a token belongs to (1, 2, ...), 0 for question
        and state, -1 for padding; markers: [batch, markers] indices (padded with 0); ranks: [batch, tokens], of `values.py`.

        A token of an option sees the question, the state and its own option; question and state see everything.
        Without this all markers would be one and the same: they share token, position and segment."""
        if self.distances is not None:
            positions = close(positions, segments)
        x = F.embedding(ids, self.words) + F.embedding(positions, self.positions) + F.embedding(segments, self.segments) + F.embedding(ranks, self.ranks)
        x = self.norm(x)
        if torch.is_autocast_enabled("cpu"):
            x = x.to(torch.bfloat16)
        mine, theirs = owner[:, :, None], owner[:, None, :]
        seen = ((mine == theirs) | (mine == 0) | (theirs == 0)) & (theirs >= 0)
        mask = torch.where(seen, 0.0, -30000.0).to(x.dtype)[:, None]
        if self.distances is not None:
            mask = mask + F.embedding(distance_buckets(positions), self.distances).permute(0, 3, 1, 2).to(x.dtype)
        for layer in self.layers[:-1]:
            x = layer(x, mask)
        at_markers = mask.gather(2, markers[:, None, :, None].expand(-1, mask.shape[1], -1, mask.shape[3]))
        x = self.layers[-1](x, at_markers, rows=markers)
        return self.out(F.gelu(self.dense(x))).squeeze(-1).float()
