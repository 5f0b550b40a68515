"""The mean of the weights of runs: python average.py OUT.pt A B ... (checkpoints, taken with their running averages, or weight files)."""
import sys

import torch

import weights


def main():
    out, *paths = sys.argv[1:]
    models = [weights.from_checkpoint(p)[0] if p.endswith(".pt") else weights.read(p, act=False)[0] for p in paths]
    states = [m.state_dict() for m in models]
    model = models[0]
    model.load_state_dict({k: sum(s[k] for s in states) / len(states) for k in states[0]})
    averaged = {n: p.detach().clone() for n, p in model.named_parameters()}
    torch.save({"encoder": model.encoder, "keep": model.keep, "model": model.state_dict(), "ema": averaged, "step": 0, "rows": 0, "tokens": 0, "seconds": 0}, out)


if __name__ == "__main__":
    main()
