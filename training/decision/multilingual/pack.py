"""Writes one folder of at most 55 MiB with all that a GPU run needs: code, the base's weights, rows to train on, and
`choose`.

    python -m multilingual.pack ROWS.npz CHOOSE.npz --out FOLDER [--state STATE.npz] [--mib 55]

The base is copied as published, in 4-bit blocks (12 MB, and 216 bytes per word used), without loss; a state file
holds changes in 8 bits. Rows are 16-bit tokens compressed with LZMA; units that do not fit are left out. Then run
`OUT=RESULTS bash FOLDER/gpu.sh`.
"""

import argparse
import lzma
import os
import shutil

import numpy as np

from . import base, dataset, weights

HERE = os.path.dirname(os.path.abspath(__file__))
CODE = (
    "__init__",
    "base",
    "batches",
    "dataset",
    "evaluate",
    "export_state",
    "network",
    "rounding",
    "train",
    "unpack",
    "weights",
)


def compress(path):
    """Replaces a file by its .xz; bytes of that."""
    with open(path, "rb") as plain, lzma.open(path + ".xz", "wb", preset=9) as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(path)
    return os.path.getsize(path + ".xz")


def write_rows(folder, data, units):
    """Writes rows.npz.xz with the first units; (bytes, vocabulary)."""
    path = os.path.join(folder, "rows.npz")
    arrays, about = dataset.subset(data, units)
    arrays, lost = dataset.in_16_bits(arrays)
    dataset.save(path, arrays, {**about, "lost": lost})
    return compress(path), arrays["vocabulary"]


def fill(folder, data, chosen, limit):
    """Writes base.npz and as many units as fit into `limit` bytes; (units, bytes of rows, bytes of the rest)."""
    blocks, words = base.blocks()
    units = data.units()
    while True:
        size, vocabulary = write_rows(folder, data, units)
        weights.save_base(os.path.join(folder, "base.npz"), blocks, words, np.union1d(vocabulary, chosen.vocabulary))
        compress(os.path.join(folder, "base.npz"))
        rest = folder_size(folder) - size
        if rest + size <= limit or units == 1:
            return units, size, rest
        units = max(int(units * max(limit - rest, 0) / size * 0.98), 1)


def folder_size(folder):
    return sum(os.path.getsize(os.path.join(parent, f)) for parent, _, files in os.walk(folder) for f in files)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("rows")
    a.add_argument("choose")
    a.add_argument("--out", required=True, help="a folder; what is in it is deleted")
    a.add_argument("--state", help="a state file to train on from")
    a.add_argument("--mib", type=float, default=55.0)
    args = a.parse_args()
    shutil.rmtree(args.out, ignore_errors=True)
    code = os.path.join(args.out, os.path.basename(HERE))
    os.makedirs(code)
    for name in CODE:
        shutil.copy(os.path.join(HERE, f"{name}.py"), code)
    shutil.copy(os.path.join(HERE, "gpu.sh"), args.out)
    shutil.copy(args.choose, os.path.join(args.out, "choose.npz"))
    compress(os.path.join(args.out, "choose.npz"))
    if args.state:
        shutil.copy(args.state, os.path.join(args.out, "state.npz"))
        compress(os.path.join(args.out, "state.npz"))
    data = dataset.Dataset(args.rows)
    units, size, rest = fill(args.out, data, dataset.Dataset(args.choose), args.mib * 2**20)
    print(
        f"{units} of {data.units()} units, {(rest + size) / 2**20:.1f} MiB: rows {size / 2**20:.1f}, the rest {rest / 2**20:.1f}"
    )


if __name__ == "__main__":
    main()
