"""How right a network of this size gets on the new tasks when it is trained on them: what to expect at most of one that never saw them.

    python ceiling.py MODEL NEW_DATA [--cpu-minutes N] [--tasks N] [--lr R]

The rows of the tasks kept out (`newtask`) are parted by the hash of their state: four fifths are trained on from MODEL (a weight file or a
checkpoint), the last fifth is judged before and after, by half and type and by task. The weights are thrown away: none of this is
ever shipped, and no choice is made by it.
"""
import argparse
import hashlib
import json
import random
import time

import torch

import data
import families
import mixture
import predict
import train
import weights
import yardstick
from model import FAST_BFLOAT16


def is_judged(row):
    return hashlib.sha256(json.dumps(row["state"], sort_keys=True).encode()).digest()[0] % 5 == 0


def encoded(row):
    """As `train.Stream.unit` gives it; nothing for a row of several windows."""
    options, sequences = data.encode(row)
    if len(sequences) > 1 or len(sequences[0][2][0]) > data.LIMIT:
        return None
    target, order = data.target(row, options), sequences[0][0]
    return sequences[0][2], [target[i] for i in order], row["type"], order, None


def batches(rows, rng, batch_tokens=1280):
    """One pass over the rows, shuffled."""
    part, longest = [], 0
    for item in filter(None, map(encoded, rng.sample(rows, len(rows)))):
        longest = max(longest, len(item[0][0]))
        if part and longest * (len(part) + 1) > batch_tokens:
            yield part
            part, longest = [], len(item[0][0])
        part.append(item)
    yield part


def judge(model, name, rows):
    model.eval()
    with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16):
        logits = predict.logits_of(model, rows)
    answers = [yardstick.answer(r, z, yardstick.FLAT) for r, z in zip(rows, logits)]
    for part in ("choose", "report"):
        mine = [(r, a) for r, a in zip(rows, answers) if families.half(mixture.task_group(r["source"])) == part]
        print(yardstick.summary(f"{name}, {part}", *zip(*mine)), flush=True)
        for kind in ("choice", "noul"):
            tasks = {}
            for r, a in mine:
                if r["type"] == kind:
                    tasks.setdefault(r["source"], []).append(a[0])
            print(f"    {kind}: " + ", ".join(f"{s} {100 * sum(v) / len(v):.0f} ({len(v)})" for s, v in sorted(tasks.items())), flush=True)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("model")
    a.add_argument("new")
    a.add_argument("--cpu-minutes", type=float, default=12)
    a.add_argument("--tasks", type=int, default=1500)
    a.add_argument("--lr", type=float, default=1.2e-4)
    args = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = weights.from_checkpoint(args.model)[0] if args.model.endswith(".pt") else weights.read(args.model, act=False)[0]
    rows = [r for r in mixture.load_decisions2(args.new, ("newtask",))]
    judged, taught = yardstick.evenly([r for r in rows if is_judged(r)], args.tasks, 7), [r for r in rows if not is_judged(r)]
    print(len(taught), "rows to train on,", len(judged), "judged", flush=True)
    judge(model, "before", judged)
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.98), eps=1e-6, weight_decay=0.01)
    rng, start, step, right = random.Random(1), time.process_time(), 0, []
    while (minutes := (time.process_time() - start) / 60) < args.cpu_minutes:
        for batch in batches(taught, rng):
            minutes = (time.process_time() - start) / 60
            if minutes >= args.cpu_minutes:
                break
            for group in optimizer.param_groups:
                group["lr"] = args.lr * min(minutes + 0.02, 1.0, 2 * (1 - minutes / args.cpu_minutes) + 0.003)
            inputs, marked = data.collate([it[0] for it in batch])
            with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16):
                logits = model(*inputs)
            loss, hits = train.loss_of(logits, batch, marked, 0.0)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step, right = step + 1, (right + hits)[-4000:]
            if step % 200 == 0:
                print(f"{minutes:.1f} min step {step} right {100 * sum(right) / len(right):.1f}", flush=True)
    judge(model, "after", judged)


if __name__ == "__main__":
    main()
