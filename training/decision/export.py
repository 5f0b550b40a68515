"""Writes a checkpoint as the weight file the engine reads.

    python export.py CHECKPOINT OUT.safetensors --version 1.0.0 [--last]

Temperatures are all 1 until `calibrate.py` has fitted them on the quantised weights and written them in.
"""
import argparse
import datetime

import weights

FLAT = {"temperatures": {"choice": [1.0] * 5, "score": [1.0] * 3, "noul": [1.0]}, "windows": "deviant"}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("checkpoint")
    a.add_argument("out")
    a.add_argument("--version", required=True)
    a.add_argument("--last", action="store_true", help="the last step instead of the running average")
    args = a.parse_args()
    model, state = weights.from_checkpoint(args.checkpoint, averaged=not args.last)
    weights.write(model, args.out, args.version, {**FLAT, "release_date": datetime.date.today().isoformat()})
    print(args.out, "steps", state["step"], "rows", state["rows"], "tokens", state["tokens"], "seconds", round(state["seconds"]))


if __name__ == "__main__":
    main()
