"""Trains the decision model on CPU, one thread a process, bfloat16 products, sized by the clock.

    python train.py DATA_DIR --minutes 70 --out run/a.pt

Several processes (`--world`) train on draws of their own and average their weights every half minute (local SGD):
on a crowded machine that wastes less than threads that wait for each other.

The learning rate follows the share of the time that has passed, so a slower machine trains fewer steps, not a
different schedule. `dev` and `calib` rows are never read into training; early decisions are made on `hold`, a slice
of train kept out of it by the hash of the state.
"""
import argparse
import hashlib
import json
import os
import random
import time
import zlib

import torch
import torch.distributed as dist

import data
import families
import render
from model import DecisionModel

# How often a row of a source is drawn, where not once an epoch. Long rows of sources that a model of this size
# hardly learns (arithmetic, which of two long answers is better) are drawn less.
WEIGHT = {"gsm8k-solutions": 0.0, "llmbar": 0.3, "pandalm-test": 0.4, "pubmedqa-l": 0.4, "goemotions": 1.2,
          "procedural:rate": 3.0, "procedural:urgency": 1.5, "procedural:mood": 1.5}
MAX_TOKENS = 330


def held(row):
    key = hashlib.sha256(json.dumps(row["state"], sort_keys=True).encode()).digest()
    return key[0] == 7 and key[1] < 128


def answer_text(row):
    """The rendered right option, for `given`."""
    options = dict(render.render_options(row["type"], row["criteria"]))
    label = {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])
    return options[label]


class Stream:
    """Batches without end: rows drawn by weight, varied, sorted by length inside a chunk, batched by tokens."""

    def __init__(self, rows, rng, batch_tokens):
        self.rows, self.rng, self.batch_tokens = rows, rng, batch_tokens
        self.weights = [r.get("weight", WEIGHT.get(r["source"], 1.0)) for r in rows]
        self.by_state = {}
        for r in rows:
            self.by_state.setdefault(json.dumps(r["state"], sort_keys=True), []).append(r)
        self.pool = []

    def row(self):
        while not self.pool:
            self.pool = [r for r, w in zip(self.rows, self.weights) for _ in range(int(w) + (self.rng.random() < w % 1))]
            self.rng.shuffle(self.pool)
        return self.pool.pop()

    def given(self, row):
        """Context for hybrid rows: answers to other questions on this state, or to questions on another one."""
        if self.rng.random() > 0.12:
            return None
        peers = [r for r in self.by_state[json.dumps(row["state"], sort_keys=True)] if r is not row]
        if not peers or self.rng.random() < 0.3:
            peers = [self.rng.choice(self.rows) for _ in range(2)]
        peers = self.rng.sample(peers, min(len(peers), self.rng.randint(1, 3)))
        out = []
        for p in peers:
            text = render.render_question(p["instructions"])
            if text != render.render_question(row["instructions"]) and len(text) < 160:
                out.append([text, answer_text(p)])
        return out or None

    def chunk(self, size=2048):
        items = []
        for _ in range(size):
            row = self.row()
            seen = data.vary(row, self.rng)
            if "given" not in seen and (g := self.given(row)):
                seen["given"] = g
            options, sequences = data.encode(seen)
            if len(sequences) > 1 or len(sequences[0][2][0]) > MAX_TOKENS:
                continue
            t = data.target(seen, options)
            order = sequences[0][0]
            items.append((sequences[0][2], [t[i] for i in order], seen["type"], order))
        items.sort(key=lambda it: len(it[0][0]) + self.rng.random())
        batches, at = [], 0
        while at < len(items):
            end = at + 1
            while end < len(items) and len(items[end][0][0]) * (end + 1 - at) <= self.batch_tokens:
                end += 1
            batches.append(items[at:end])
            at = end
        self.rng.shuffle(batches)
        return batches

    def __iter__(self):
        while True:
            yield from self.chunk()


def loss_of(logits, batch, marked):
    """Cross-entropy against (soft) targets; for score also the squared distance of cumulated probabilities."""
    logits = logits.masked_fill(~marked, -1e4)
    logp = logits.log_softmax(-1)
    target = torch.zeros_like(logp)
    for i, (_, t, _, _) in enumerate(batch):
        target[i, : len(t)] = torch.tensor(t, dtype=torch.float32)
    loss = -(target * logp).sum(-1)
    for i, (_, t, kind, order) in enumerate(batch):
        if kind == "score":
            by_level = torch.tensor([order.index(k) for k in range(len(order))])
            p, q = logp[i, by_level].exp().cumsum(0), target[i, by_level].cumsum(0)
            loss[i] = loss[i] + 0.5 * (p - q).pow(2).sum()
    right = (logits.argmax(-1) == target.argmax(-1)).float()
    return loss.mean(), right.mean().item()


def average(model, steps, world, stop):
    """Mean of the processes' weights, by the steps each made since the last time; whether any wants to stop."""
    if world == 1:
        return stop
    with torch.no_grad():
        flat = torch.cat([p.flatten() for p in model.parameters()] + [torch.ones(1)]) * steps
        flat = torch.cat([flat, torch.tensor([float(stop)])])
        dist.all_reduce(flat)
        mean, at = flat / flat[-2], 0
        for p in model.parameters():
            p.copy_(mean[at : at + p.numel()].view_as(p))
            at += p.numel()
    return flat[-1].item() > 0


def main():
    a = argparse.ArgumentParser()
    a.add_argument("data")
    a.add_argument("--minutes", type=float, required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--lr", type=float, default=2e-4)
    a.add_argument("--batch-tokens", type=int, default=2048)
    a.add_argument("--families", type=int, default=2000, help="rows of each of our own families")
    a.add_argument("--quant-from", type=float, default=1.1, help="share of the time after which products are rounded")
    a.add_argument("--init")
    a.add_argument("--rank", type=int, default=0)
    a.add_argument("--world", type=int, default=1, help="processes, each with a rank; weights are averaged every --sync seconds")
    a.add_argument("--sync", type=float, default=30)
    a.add_argument("--store", help="a fresh file for the processes to meet at")
    a.add_argument("--save-every", type=float, default=300)
    args = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed * 1000 + args.rank)
    if args.world > 1:
        dist.init_process_group("gloo", init_method=f"file://{args.store}", rank=args.rank, world_size=args.world)
    rows = [r for r in data.load(os.path.join(args.data, "decisions.jsonl.gz")) if r["split"] == "train" and not held(r)]
    rows += families.rows(args.families, "train", args.seed)
    rows = [r for r in rows if zlib.crc32(json.dumps(r["state"], sort_keys=True).encode()) % args.world == args.rank]
    print("rows", len(rows), flush=True)
    model = DecisionModel(dropout=0.0)
    if args.init:
        model.load_state_dict(torch.load(args.init)["model"], strict=False)
    model.train()
    heads = [p for n, p in model.named_parameters() if n.startswith(("dense", "out."))]
    decay = [p for n, p in model.named_parameters() if n.startswith("layers") and p.dim() == 2]
    known = {id(p) for p in heads + decay}
    rest = [p for p in model.parameters() if id(p) not in known]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0},
         {"params": heads, "weight_decay": 0.01, "factor": 3.0}], lr=args.lr, betas=(0.9, 0.98), eps=1e-6, fused=True)
    ema = {n: p.detach().clone() for n, p in model.named_parameters()}
    start, total, saved = time.time(), args.minutes * 60, time.time()
    step, tokens_seen, rows_seen, quant, since = 0, 0, 0, False, 0
    next_sync = start + args.sync
    sums = [0.0, 0.0, 0]

    def save(path):
        torch.save({"model": model.state_dict(), "ema": ema, "step": step, "rows": rows_seen, "tokens": tokens_seen,
                    "seconds": time.time() - start, "args": vars(args)}, path + ".tmp")
        os.replace(path + ".tmp", path)

    for batch in Stream(rows, rng, args.batch_tokens):
        share = min((time.time() - start) / total, 1.0)
        lr = args.lr * min(share / 0.04 + 0.02, 1.0, (1 - share) / 0.96 + 0.005)
        for group in optimizer.param_groups:
            group["lr"] = lr * group.get("factor", 1.0)
        if share > args.quant_from and (not quant or step % 50 == 0):
            model.set_quant(True, True)
            quant = True
        ids, pos, seg, owner, markers, marked = data.collate([it[0] for it in batch])
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(ids, pos, seg, owner, markers)
        loss, right = loss_of(logits, batch, marked)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        tokens_seen += int((owner >= 0).sum())
        rows_seen += len(batch)
        since += 1
        if time.time() >= next_sync:
            stop = average(model, since, args.world, time.time() - start >= total)
            since, next_sync = 0, time.time() + args.sync
            keep = 0.8 if share > 0.1 else 0.0
            with torch.no_grad():
                for n, p in model.named_parameters():
                    ema[n].lerp_(p, 1 - keep)
            if stop:
                break
        sums = [sums[0] + loss.item() * len(batch), sums[1] + right * len(batch), sums[2] + len(batch)]
        if step % 50 == 0:
            print(f"{time.strftime('%H:%M:%S')} {share:.3f} step {step} rows {rows_seen} tokens {tokens_seen} loss {sums[0] / sums[2]:.4f} "
                  f"acc {sums[1] / sums[2]:.4f} cpu {time.process_time():.0f}s lr {lr:.2e}", flush=True)
            sums = [0.0, 0.0, 0]
        if args.rank == 0 and time.time() - saved > args.save_every:
            save(args.out)
            saved = time.time()
    if args.rank == 0:
        save(args.out)


if __name__ == "__main__":
    main()
