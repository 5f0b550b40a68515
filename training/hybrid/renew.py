#!/usr/bin/env python3
"""Renews the native log-odds and the combined probabilities of the golden file after a change of the native weights; what the decoder
says stays as `export.py` wrote it. Standard library only.

    renew.py rows GOLDEN OUT         writes the messages as rows for `dump_text OUT DUMPED`
    renew.py golden GOLDEN WEIGHTS DUMPED    writes GOLDEN again
"""

import json
import math
import pathlib
import sys


def lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text("utf-8").splitlines()]


def save(path, rows):
    pathlib.Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def config(weights):
    """The fitted constants in the header of the weight file."""
    with open(weights, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return json.loads(header["__metadata__"]["config"])


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def renewed(row, native, fitted):
    decoder = row["decoder"][str(row["steps"])]
    mixed = [
        sigmoid(weights["native"] * log_odds + weights["decoder"] * said + weights["bias"])
        for weights, log_odds, said in zip((fitted["combine"][name] for name in fitted["harms"]), native, decoder)
    ]
    return row | {"native": [round(value, 6) for value in native], "combined": [round(value, 6) for value in mixed]}


def main():
    match sys.argv[1:]:
        case ["rows", golden, out]:
            save(out, [{"id": row["id"], "text": row["message"], "src": "golden", "chat": 1} for row in lines(golden)])
        case ["golden", golden, weights, dumped]:
            fitted, native = config(weights), {row["id"]: row["native"] for row in lines(dumped)}
            save(golden, [renewed(row, native[row["id"]], fitted) for row in lines(golden)])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
