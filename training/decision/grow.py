"""A start of more layers from a smaller trained one.

    python grow.py TRAINED OUT.pt [--encoder gte-small] [--keep 0,1,...,10] [--share 1.0]

MiniLM-L6 and gte-small come from one model of twelve layers, of which MiniLM-L6 kept every second: its layer n correlates by .6 to .9
with layer 2n of gte-small and not at all with the others. So what training changed in a decision model on MiniLM-L6 (TRAINED, a
checkpoint or a weight file) is added to those layers, to positions, segments and their norm, and its heads are taken over. The
layer above the last one that has a partner is left out unless --keep says otherwise: the heads know the output of that one.
"""
import argparse

import torch

import weights
from model import DecisionModel


def grown(trained, encoder, keep, share):
    base, model = DecisionModel(), DecisionModel(encoder=encoder, keep=keep)
    partner = {f"layers.{model.keep.index(2 * n)}.": f"layers.{n}." for n in range(len(base.layers)) if 2 * n in model.keep}
    was, now = dict(base.named_parameters()), dict(trained.named_parameters())
    with torch.no_grad():
        for name, p in model.named_parameters():
            if name.startswith(("dense", "out.")):
                p.copy_(now[name])
                continue
            if name == "words":  # those of another encoder, which nothing was trained on
                continue
            head = ".".join(name.split(".")[:2]) + "." if name.startswith("layers.") else None
            if head is None or head in partner:
                theirs = name if head is None else name.replace(head, partner[head], 1)
                p.add_(now[theirs] - was[theirs], alpha=share)
    return model


def main():
    a = argparse.ArgumentParser()
    a.add_argument("trained")
    a.add_argument("out")
    a.add_argument("--encoder", default="gte-small")
    a.add_argument("--keep", default=",".join(map(str, range(11))))
    a.add_argument("--share", type=float, default=1.0)
    args = a.parse_args()
    trained = weights.from_checkpoint(args.trained)[0] if args.trained.endswith(".pt") else weights.read(args.trained, act=False)[0]
    model = grown(trained, args.encoder, [int(k) for k in args.keep.split(",")], args.share)
    torch.save({"encoder": model.encoder, "keep": model.keep, "model": model.state_dict(), "ema": {n: p.detach().clone() for n, p in model.named_parameters()}}, args.out)


if __name__ == "__main__":
    main()
