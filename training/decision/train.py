"""Trains the decision model on CPU, one thread, bfloat16 products, sized by the CPU time of the process.

    python train.py OLD_DATA NEW_DATA MODERATION --cpu-minutes 75 --init MODEL.safetensors --out run.pt [--resume]

The learning rate follows the CPU time that is spent: a process that is stopped, or starved by others, trains
later, not less. SIGTERM ends it after the step it is in, with its state saved. The state (weights, running average, optimiser, step, random numbers, CPU seconds) is saved every --save
seconds; with --resume the run goes on from it. What it draws is in `mixture.py`; `dev`, `calib`, `newtask` and held-out
families are never read into training.
"""
import argparse
import json
import os
import random
import signal
import time

import torch

import data
import mixture
import render
import views
import weights
from model import FAST_BFLOAT16, DecisionModel

FIRST_TOKENS = 128  # a sequence while the first mixture holds: short rows teach as much at half the time
MAX_TOKENS = 240  # later, of rows that are not of our families


def answer_text(row):
    """The rendered right option, for `given`."""
    options = dict(render.render_options(row["type"], row["criteria"]))
    label = {True: "true", False: "false"}[row["label"]] if row["type"] == "noul" else str(row["label"])
    return options[label]


class Stream:
    """Batches without end: rows drawn, varied, sorted by length inside a chunk, batched by tokens."""

    def __init__(self, rows, rng, batch_tokens, denied):
        self.rng, self.batch_tokens, self.denied = rng, batch_tokens, denied
        self.draw = mixture.Draw(rows, rng)
        self.units = [u for sources in self.draw.groups.values() for v in sources.values() for u in v]
        self.by_state = {}
        for n, unit in enumerate(self.units):
            self.by_state.setdefault(self.key(json.loads(unit[0])), []).append(n)
        self.by_state = {k: v for k, v in self.by_state.items() if len(v) > 1}

    def key(self, row):
        return hash(json.dumps(row["state"], sort_keys=True))

    def row(self, n):
        return json.loads(self.units[n][0])

    def given(self, row):
        """Context for hybrid rows: answers to other questions on this state, or to questions on another one."""
        if self.rng.random() > 0.07:
            return None
        same = self.by_state.get(self.key(row), [])
        peers = [r for r in map(self.row, self.rng.sample(same, min(len(same), 6))) if r["instructions"] != row["instructions"]]
        if not peers or self.rng.random() < 0.3:
            peers = [self.row(self.rng.randrange(len(self.units))) for _ in range(2)]
        peers = self.rng.sample(peers, min(len(peers), self.rng.randint(1, 3)))
        out = []
        for p in peers:
            text = render.render_question(p["instructions"])
            if len(text) < 160:
                out.append([text, answer_text(p)])
        return out or None

    def unit(self):
        """The encoded rows of one unit; the two of a pair are varied alike. Some yes/no questions come with their negation."""
        unit, out, seed = self.draw.unit(), [], self.rng.random()
        given = self.given(unit[0]) if len(unit) == 1 else None
        if len(unit) == 1 and self.rng.random() < self.denied and views.deniable(unit[0]):
            unit = [unit[0], {**views.negated(unit[0], self.rng), "neg": 0}]
        # The same number for a question and its negation, by which `loss_of` finds the two.
        denial = seed if len(unit) == 2 and "neg" in unit[1] else None
        for row in unit:
            if len(str(row["state"])) + len(str(row["instructions"])) > 6 * data.LIMIT:
                continue
            rng = random.Random(seed)
            seen = data.vary(row if denial else views.other_form(row, rng), rng)
            if given:
                seen["given"] = given
            options, sequences = data.encode(seen)
            limit = (data.LIMIT if row["source"].startswith("family:") else MAX_TOKENS) if self.draw.later else FIRST_TOKENS
            if len(sequences) > 1 or len(sequences[0][2][0]) > limit:
                continue
            t = data.target(seen, options)
            order = sequences[0][0]
            out.append((sequences[0][2], [t[i] for i in order], seen["type"], order, mixture.group_of(row), row["source"], denial))
        return out

    def chunk(self, size=1024):
        units = [u for u in (self.unit() for _ in range(size)) if u]
        units.sort(key=lambda u: max(len(it[0][0]) for it in u) + self.rng.random())
        batches, part, longest = [], [], 0
        for u in units:
            longest = max([longest] + [len(it[0][0]) for it in u])
            if part and longest * (len(part) + len(u)) > self.batch_tokens:
                batches.append(part)
                part, longest = [], max(len(it[0][0]) for it in u)
            part = part + u
        batches.append(part)
        self.rng.shuffle(batches)
        return batches

    def __iter__(self):
        while True:
            yield from self.chunk()


def loss_of(logits, batch, marked, consistency):
    """Cross-entropy against (soft) targets; for score also the squared distance of cumulated probabilities; for a yes/no question and its
    negation also `consistency` times the square of P + P' - 1."""
    logits = logits.masked_fill(~marked, -1e4)
    logp = logits.log_softmax(-1)
    target = torch.zeros_like(logp)
    for i, (_, t, *_) in enumerate(batch):
        target[i, : len(t)] = torch.tensor(t, dtype=torch.float32)
    loss = -(target * logp).sum(-1)
    for i, (_, t, kind, order, *_) in enumerate(batch):
        if kind == "score":
            by_level = torch.tensor([order.index(k) for k in range(len(order))])
            p, q = logp[i, by_level].exp().cumsum(0), target[i, by_level].cumsum(0)
            loss[i] = loss[i] + 0.5 * (p - q).pow(2).sum()
    first = {}
    for i, (_, _, kind, order, *_, denial) in enumerate(batch):
        if denial and kind == "noul":
            yes = logp[i, order.index(0)].exp()
            if denial in first:
                loss[i] = loss[i] + consistency * (yes + first[denial] - 1).square()
            first[denial] = yes
    right = (logits.argmax(-1) == target.argmax(-1)).float()
    return loss.mean(), right.tolist()


def rate(minutes, args):
    """Warm-up, flat, then linear to zero."""
    share = minutes / args.cpu_minutes
    return args.lr * min(minutes / args.warm + 0.02, 1.0, max(1 - share, 0.0) / (1 - args.flat) + 0.003)


def parameter_groups(model, args):
    """Each with the factor of its learning rate: 2 for the heads, 5 for the ranks of values, which are new, less layer by layer towards the embeddings."""
    count, groups = len(model.layers), {}
    for name, p in model.named_parameters():
        if name.startswith(("dense", "out.")):
            factor = 2.0
        elif name == "ranks":
            factor = 5.0
        else:
            depth = count - 1 - int(name.split(".")[1]) if name.startswith("layers.") else count
            factor = args.layer_decay**depth
        decay = 0.01 if p.dim() == 2 and name not in ("words", "positions", "segments", "ranks", "distances") else 0.0
        groups.setdefault((factor, decay), []).append(p)
    return [{"params": v, "weight_decay": decay, "factor": factor} for (factor, decay), v in groups.items()]


def first_model(args):
    if args.init:
        return weights.from_checkpoint(args.init)[0] if args.init.endswith(".pt") else weights.read(args.init, act=False)[0]
    keep = [int(k) for k in args.keep.split(",")] if args.keep else None
    return DecisionModel(encoder=args.encoder, keep=keep)


def main():
    a = argparse.ArgumentParser()
    a.add_argument("old")
    a.add_argument("new")
    a.add_argument("moderation")
    a.add_argument("--cpu-minutes", type=float, required=True)
    a.add_argument("--out", required=True)
    a.add_argument("--init", help="a weight file, or a checkpoint (.pt), to start from")
    a.add_argument("--encoder", default="minilm-l6", choices=["minilm-l6", "gte-small", "bge-small", "mpnet"], help="what to start from without --init")
    a.add_argument("--keep", help="its layers that are used, as 0,2,4 (all if not given)")
    a.add_argument("--resume", action="store_true")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--lr", type=float, default=1.5e-4)
    a.add_argument("--layer-decay", type=float, default=0.9, help="factor on the learning rate of each layer below the last")
    a.add_argument("--warm", type=float, default=1.0, help="CPU minutes of warm-up")
    a.add_argument("--flat", type=float, default=0.45, help="share of the time at the full rate")
    a.add_argument("--first", type=float, default=30.0, help="CPU minutes with the first mixture")
    a.add_argument("--batch-tokens", type=int, default=1280)
    a.add_argument("--families", type=int, default=1500, help="rows of each of our own families, and of each source and label of posts")
    a.add_argument("--denied", type=float, default=0.0, help="share of the yes/no questions that come with their negation in the same batch")
    a.add_argument("--consistency", type=float, default=0.0, help="weight of (P + P' - 1) squared for a question and its negation")
    a.add_argument("--quantised", action="store_true", help="round weights and inputs of linears as serving does")
    a.add_argument("--save", type=float, default=240)
    args = a.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    state = torch.load(args.out, weights_only=False) if args.resume and os.path.exists(args.out) else None
    model = DecisionModel(encoder=state["encoder"], keep=state["keep"]) if state else first_model(args)
    model.train()
    optimizer = torch.optim.AdamW(parameter_groups(model, args), lr=args.lr, betas=(0.9, 0.98), eps=1e-6, fused=True)
    ema = {n: p.detach().clone() for n, p in model.named_parameters()}
    step, tokens_seen, rows_seen, spent = 0, 0, 0, 0.0
    if state:
        model.load_state_dict(state["model"], strict=False)
        factors = [g["factor"] for g in optimizer.param_groups]
        optimizer.load_state_dict(state["optimizer"])
        for g, factor in zip(optimizer.param_groups, factors):
            g["factor"] = factor
        ema, step, rows_seen, tokens_seen, spent = state["ema"], state["step"], state["rows"], state["tokens"], state["seconds"]
        rng.setstate(state["rng"])
        torch.set_rng_state(state["torch_rng"])
        del state
    stream = Stream(mixture.training_rows(args.old, args.new, args.moderation, args.families, args.seed), rng, args.batch_tokens, args.denied)
    print("encoder", model.encoder, model.keep, "units", len(stream.units), {g: sum(map(len, s.values())) for g, s in stream.draw.groups.items()}, "from step", step, flush=True)
    model.set_quant(args.quantised, args.quantised)
    before, saved = time.process_time(), time.time()
    loss_sum, seen, by_family = 0.0, {}, {}

    def save():
        torch.save({"encoder": model.encoder, "keep": model.keep, "model": model.state_dict(), "ema": ema, "optimizer": optimizer.state_dict(), "step": step, "rows": rows_seen, "tokens": tokens_seen,
                    "seconds": spent + time.process_time() - before, "rng": rng.getstate(), "torch_rng": torch.get_rng_state(), "args": vars(args)}, args.out + ".tmp")
        os.replace(args.out + ".tmp", args.out)

    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    for batch in stream:
        minutes = (spent + time.process_time() - before) / 60
        if stopped or minutes >= args.cpu_minutes:
            break
        lr, stream.draw.later = rate(minutes, args), minutes > args.first
        for group in optimizer.param_groups:
            group["lr"] = lr * group.get("factor", 1.0)
        if args.quantised and step % 100 == 0:
            model.set_quant(True, True)  # the scales follow the weights
        inputs, marked = data.collate([it[0] for it in batch])
        with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16):
            logits = model(*inputs)
        loss, right = loss_of(logits, batch, marked, args.consistency)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        step += 1
        tokens_seen += sum(len(it[0][0]) for it in batch)
        rows_seen += len(batch)
        if step % 4 == 0:
            with torch.no_grad():
                for n, p in model.named_parameters():
                    ema[n].lerp_(p, max(0.01, min(0.2, 20 / step)))
        loss_sum += loss.item() * len(batch)
        for it, ok in zip(batch, right):
            n, k = seen.get(it[4], (0, 0))
            seen[it[4]] = (n + 1, k + ok)
            if it[4] in ("new-families", "families", "values"):
                name = it[5].removeprefix("family:")
                n, k = by_family.get(name, (0, 0))
                by_family[name] = (n + 1, k + ok)
        if step % 100 == 0:
            n = sum(x for x, _ in seen.values())
            print(f"{time.strftime('%H:%M:%S')} {minutes:.1f} min step {step} rows {rows_seen} tokens {tokens_seen} lr {lr:.2e} loss {loss_sum / n:.4f} "
                  + " ".join(f"{g} {100 * k / m:.1f}" for g, (m, k) in sorted(seen.items())), flush=True)
            loss_sum, seen = 0.0, {}
        if step % 500 == 0:
            print("families " + " ".join(f"{f} {100 * k / n:.0f}" for f, (n, k) in sorted(by_family.items())), flush=True)
            by_family = {}
        if time.time() - saved > args.save:
            save()
            saved = time.time()
    save()


if __name__ == "__main__":
    main()
