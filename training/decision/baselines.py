"""What the model is compared with: cosine of sentence embeddings without training, and the most common label."""
import collections

import numpy as np
import torch

import data
import render
from model import DecisionModel


class Cosine:
    """Zero-shot: cosine of the base model's sentence embeddings (mean of the last states) of state and option."""

    def __init__(self):
        self.model = DecisionModel().eval()
        self.cache = {}

    @torch.no_grad()
    def embed(self, texts):
        new = [t for t in dict.fromkeys(texts) if t not in self.cache]
        new.sort(key=len)
        for at in range(0, len(new), 32):
            ids = [[101, *data.tokens(t)[:254].tolist(), 102] for t in new[at : at + 32]]
            n = max(map(len, ids))
            x = torch.tensor([i + [0] * (n - len(i)) for i in ids])
            mask = torch.tensor([[1.0] * len(i) + [0.0] * (n - len(i)) for i in ids])
            m = self.model
            h = m.norm(m.words[x] + m.positions[:n] + m.segments[0])
            for layer in m.layers:
                h = layer(h, torch.where(mask > 0, 0.0, -30000.0)[:, None, None, :])
            v = (h * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            for t, e in zip(new[at : at + 32], torch.nn.functional.normalize(v, dim=1).numpy()):
                self.cache[t] = e
        return np.stack([self.cache[t] for t in texts])

    def right(self, row):
        options = render.render_options(row["type"], row["criteria"])
        e = self.embed([render.render_state(row["state"])] + [t for _, t in options])
        return options[int((e[1:] @ e[0]).argmax())][0] == row["label"]


def majorities(train):
    """The most common label of each (source, type), and of each type."""
    by = collections.defaultdict(collections.Counter)
    for r in train:
        for key in ((r["source"], r["type"]), r["type"]):
            by[key][str(r["label"])] += 1
    return {k: c.most_common(1)[0][0] for k, c in by.items()}
