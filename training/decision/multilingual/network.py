"""The network: texts are encoded separately; the upper layers then let a question and its options read the state.

Encoder stream: states, questions and options each pass the twelve layers of the base, separately. Join stream: from
layer `split` on, the tokens of a question and its options start from the encoder stream's hidden state and attend to
each other (an option sees only itself and the question, so the order of options cannot matter) and to the keys and
values that the same layer computed for the state. A state never sees a question, so its keys and values serve any
number of questions; questions and options up to layer `split` depend on their text alone.

The score of an option is head(features) + a (cos(state, option) - .85) + c (cos(question, option) - .85). The head's
last layer and c are zero before training, so the first step has exactly the base's zero-shot accuracy. Word
embeddings are the base's and stay fixed.
"""

import torch
import torch.nn.functional as F
from torch import nn

from . import base
from .rounding import Rounding

HEADS, SPLIT, RANKS, EPS = 12, 6, 64, 1e-12
KINDS = 3  # choice, score, yes/no
SIMILARITY_SCALE = 20.0  # a, before training
SIMILARITY_CENTRE = 0.85
MASKED = -30000.0
NO_OPTION = -1e4
BERT_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attn_out": "attention.output.dense",
    "attn_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "out_norm": "output.LayerNorm",
}


def split_heads(x):
    """[batch, tokens, width] -> [batch, heads, tokens, width / heads]"""
    return x.view(x.shape[0], x.shape[1], HEADS, -1).transpose(1, 2)


def attend(query, key, value, mask):
    """Multi-head attention. query: [batch, tokens, width]; key, value: [batch, keys, width]; mask: [batch, 1, tokens,
    keys], additive. Returns [batch, tokens, width]."""
    query, key, value = split_heads(query), split_heads(key), split_heads(value)
    if query.is_cuda:
        out = F.scaled_dot_product_attention(query, key, value, attn_mask=mask.to(query.dtype))
    else:  # plain products are several times faster than the fused kernel on CPU in bfloat16
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5 + mask
        out = scores.softmax(-1).to(value.dtype) @ value
    return out.transpose(1, 2).reshape(out.shape[0], -1, base.WIDTH)


class Layer(nn.Module):
    """A BERT layer that can also attend to keys and values from elsewhere."""

    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.attn_out = nn.Linear(width, width)
        self.attn_norm = nn.LayerNorm(width, eps=EPS)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.out_norm = nn.LayerNorm(width, eps=EPS)
        self.read_hidden, self.read_attended, self.read_normed = (Rounding(width) for _ in range(3))
        self.read_inner = Rounding(4 * width)
        self.dropout = 0.0

    def roundings(self):
        """The inputs that are rounded, each with the linear layers that read it."""
        return [
            (self.read_hidden, [self.query, self.key, self.value]),
            (self.read_attended, [self.attn_out]),
            (self.read_normed, [self.up]),
            (self.read_inner, [self.down]),
        ]

    def forward(self, x, mask, extra=None):
        """x: [batch, tokens, width]; extra: (keys, values) to append, each [batch, more, width]. Returns (output, own
        keys, own values)."""
        read = self.read_hidden(x)
        query, key, value = (self.read_hidden.apply_to(part, read) for part in (self.query, self.key, self.value))
        keys = key if extra is None else torch.cat([key, extra[0]], 1)
        values = value if extra is None else torch.cat([value, extra[1]], 1)
        attended = self.read_attended(attend(query, keys, values, mask))
        attended = self.read_attended.apply_to(self.attn_out, attended)
        h = self.attn_norm(x + F.dropout(attended, self.dropout, self.training))
        inner = self.read_normed.apply_to(self.up, self.read_normed(h))
        f = self.read_inner.apply_to(self.down, self.read_inner(F.gelu(inner)))
        return self.out_norm(h + F.dropout(f, self.dropout, self.training)), key, value


def initial_ranks():
    """Rank embeddings before training, [RANKS, width]: waves over the rank, so that neighbours are similar; rank 0
    (no value) is zero."""
    rank = torch.arange(RANKS).float()[:, None]
    generator = torch.Generator().manual_seed(11)
    waves = torch.cat([f(rank * w) for w in (0.03, 0.06, 0.13, 0.26, 0.52, 1.05) for f in (torch.sin, torch.cos)], 1)
    table = waves @ torch.randn(waves.shape[1], base.WIDTH, generator=generator) * 0.012
    table[0] = 0.0
    return table


class Network(nn.Module):
    """See the top of the file. The lowest `frozen` layers, and the embeddings below them, are not trained."""

    def __init__(self, tensors=None, frozen=0, split=SPLIT):
        super().__init__()
        width = base.WIDTH
        self.split = split
        self.register_buffer("words", torch.zeros(1, width), persistent=False)
        self.positions = nn.Parameter(torch.zeros(512, width))
        self.norm = nn.LayerNorm(width, eps=EPS)
        self.layers = nn.ModuleList(Layer(width) for _ in range(base.LAYERS))
        self.join_embedding = nn.Parameter(
            torch.zeros(2, width)
        )  # added to tokens of questions and options at layer `split`
        self.rank_embedding = nn.Parameter(initial_ranks())
        self.state_embedding = nn.Parameter(
            torch.zeros(base.LAYERS - split, width)
        )  # marks keys and values of the state
        self.head_hidden = nn.Linear(5 * width, width)
        self.head_out = nn.Linear(width, 1)
        self.start_head()
        self.state_similarity = nn.Parameter(torch.full((KINDS,), SIMILARITY_SCALE))
        self.question_similarity = nn.Parameter(torch.zeros(KINDS))
        self.frozen = frozen
        self.zero_shot = False  # skips the join stream, whose output is zero before training
        if tensors is not None:
            self.load_base(tensors)
        self.freeze()

    def start_head(self):
        """The same start every time, because state files hold differences from it."""
        shape = self.head_hidden.weight.shape
        drawn = torch.randn(shape, generator=torch.Generator().manual_seed(12))
        self.head_hidden.weight.data.copy_(drawn * shape[1] ** -0.5)
        nn.init.zeros_(self.head_hidden.bias)
        nn.init.zeros_(self.head_out.weight)
        nn.init.zeros_(self.head_out.bias)

    def load_base(self, tensors):
        """tensors: {BERT name: float32 array} from `base.tensors`. The token type embedding is added to the positions."""
        self.positions.data.copy_(torch.from_numpy(tensors["positions"] + tensors["types"][0]))
        self.load_part(self.norm, "norm", tensors)
        for i, layer in enumerate(self.layers):
            for ours, theirs in BERT_NAMES.items():
                self.load_part(getattr(layer, ours), f"encoder.layer.{i}.{theirs}", tensors)

    def load_part(self, part, name, tensors):
        part.weight.data.copy_(torch.from_numpy(tensors[f"{name}.weight"].copy()))
        part.bias.data.copy_(torch.from_numpy(tensors[f"{name}.bias"].copy()))

    def freeze(self):
        fixed = [self.positions, *self.norm.parameters()] if self.frozen else []
        for layer in self.layers[: self.frozen]:
            fixed += layer.parameters()
        for p in fixed:
            p.requires_grad_(False)

    def set_rounding(self, on):
        """Whether linear layers compute as the server does (`rounding.py`)."""
        for layer in self.layers:
            for inputs, _ in layer.roundings():
                inputs.on = on

    @torch.no_grad()
    def settle_rounding(self, some_batches):
        """Chooses the divisors of the rounded inputs by the largest inputs in some batches."""
        for layer in self.layers:
            for inputs, _ in layer.roundings():
                inputs.measuring = True
        for b in some_batches:
            self(b)
        for layer in self.layers:
            for inputs, linears in layer.roundings():
                inputs.settle(linears)

    def embed(self, b):
        x = self.norm(F.embedding(b["ids"], self.words) + F.embedding(b["places"], self.positions))
        kind = x.device.type
        return x.to(torch.get_autocast_dtype(kind)) if torch.is_autocast_enabled(kind) else x

    def encode(self, b):
        """The encoder stream: (last hidden state [P, L, width], input of layer `split` [P, L, width], [(keys,
        values)] from there on)."""
        grad = torch.is_grad_enabled()
        with torch.set_grad_enabled(grad and not self.frozen):
            x = self.embed(b)
        same = b["text"][:, :, None] == b["text"][:, None, :]
        mask = torch.where(same, 0.0, MASKED).to(x.dtype)[:, None]
        upper = []
        middle = None
        for i, layer in enumerate(self.layers):
            if i == self.split:
                middle = x
            with torch.set_grad_enabled(grad and i >= self.frozen):
                x, key, value = layer(x, mask)
            if i >= self.split:
                upper.append((key, value))
        return x, middle, upper

    def join(self, b, middle, upper):
        """The join stream: hidden states [Q, J, width] of the tokens of each question and its options."""
        owner = b["owner"]
        x = gather(middle, b["joint"])
        of_question, of_option = self.join_embedding
        x = x + torch.where(owner[..., None] > 0, of_option, of_question)
        x = (x + one_hot(b["joint_ranks"], x.dtype) @ self.rank_embedding).to(middle.dtype)
        state_ranks = one_hot(b["state_ranks"], x.dtype)
        mask = join_mask(owner, b["state_text"]).to(x.dtype)
        for i, (key, value) in enumerate(upper):
            layer = self.layers[self.split + i]
            weight = layer.read_hidden.weight
            keys = gather(key, b["state"]) + self.state_shift(i, weight(layer.key), state_ranks)
            values = gather(value, b["state"]) + self.state_shift(i, weight(layer.value), state_ranks)
            x = layer(x, mask, (keys, values))[0]
        return x

    def state_shift(self, i, weight, ranks):
        """What the ranks of values and `state_embedding` add to the keys or values of the states, [Q, S, width], in
        the i-th upper layer. ranks: `one_hot`."""
        return ranks @ F.linear(self.rank_embedding + self.state_embedding[i], weight).to(ranks.dtype)

    def embeddings(self, x, b):
        """Unit vectors of state [Q, 1, width], question [Q, 1, width] and options [Q, K, width]: means over tokens,
        as the base was trained."""
        pooled = F.normalize(mean_by_text(x.float(), b["pool"], b["texts"]), dim=-1)
        return pooled[b["state_id"]][:, None], pooled[b["question_id"]][:, None], pooled[b["option_id"]]

    def forward(self, b):
        """Scores [Q, K] of a batch from `batches.collate`; NO_OPTION where a question has fewer options."""
        x, middle, upper = self.encode(b)
        state, question, option = self.embeddings(x, b)
        by_state = (state * option).sum(-1) - SIMILARITY_CENTRE
        by_question = (question * option).sum(-1) - SIMILARITY_CENTRE
        z = (
            self.state_similarity[b["kind"]][:, None] * by_state
            + self.question_similarity[b["kind"]][:, None] * by_question
        )
        if not self.zero_shot:
            z = z + self.head(b, self.join(b, middle, upper).float(), state, question, option)
        return z.masked_fill(~b["there"], NO_OPTION)

    def head(self, b, joint, state, question, option):
        """What the join stream adds to the scores, [Q, K]. joint: [Q, J, width]."""
        options = torch.einsum("qot,qtw->qow", b["option_mean"], joint)
        asked = (joint * b["question_mean"][:, :, None]).sum(1, keepdim=True).expand_as(options)
        parts = [options, asked, options * asked, state * option, question * option]
        features = torch.cat([F.layer_norm(v, v.shape[-1:]) for v in parts], -1)
        return self.head_out(F.gelu(self.head_hidden(features))).squeeze(-1).float()


def gather(x, at):
    """Tokens of x [P, L, width] at flat places `at` [Q, N]: [Q, N, width]."""
    return x.reshape(-1, x.shape[-1])[at]


def one_hot(ranks, kind):
    """[..., RANKS] of ranks [...]. Tables are multiplied by it, because the gradient of a look-up is slow where many
    tokens share a row."""
    return (ranks[..., None] == torch.arange(RANKS, device=ranks.device)).to(kind)


def join_mask(owner, state_text):
    """Additive mask [Q, 1, J, J + S]: question tokens see all, options see themselves, the question and the state."""
    mine, theirs = owner[:, :, None], owner[:, None, :]
    seen = ((mine == theirs) | (mine == 0) | (theirs == 0)) & (theirs >= 0)
    state = (state_text >= 0)[:, None, :].expand(-1, owner.shape[1], -1)
    return torch.where(torch.cat([seen, state], 2), 0.0, MASKED)[:, None]


def mean_by_text(x, text, count):
    """Means [count, width] over the tokens of each text. x: [P, L, width]; text: [P * L], the number of the text,
    `count` for padding."""
    flat = x.reshape(-1, x.shape[-1])
    total = torch.zeros(count + 1, flat.shape[-1], device=x.device).index_add(0, text, flat)
    tokens = torch.zeros(count + 1, device=x.device).index_add(0, text, torch.ones_like(text, dtype=torch.float32))
    return (total / tokens.clamp_min(1)[:, None])[:count]
