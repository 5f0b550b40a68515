"""Trains on tokenised rows: on CPU (one thread, bfloat16 where the processor supports it) or on a GPU (bfloat16).

    python -m multilingual.train ROWS.npz --out RUN.pt [--from STATE.npz] [--resume] [--until 11:55] [--tokens N] [--minutes M]

It stops at the time of day --until, after --minutes, at --tokens tokens in all, or on SIGTERM, always after a whole
step. Every --save seconds it writes the checkpoint (weights, running average, optimiser, counts) to a temporary file
and renames it. --resume continues from --out; --from continues from the small state file that `export_state` makes. A
learning rate without --decay stays flat after warm-up, for runs over many sessions; --decay .4 lowers it to zero over
the last 40 % of --tokens or --minutes.
"""

import argparse
import os
import signal
import time

import numpy as np
import torch

from . import batches, dataset, evaluate, network, rounding, weights

NEW = (
    "head_hidden",
    "head_out",
    "join_embedding",
    "rank_embedding",
    "state_embedding",
)  # parameters that the base lacks
SCALES = ("state_similarity", "question_similarity")  # also new, but about 20 in size
SMOOTH = 0.92  # share of the label's probability that stays on it; the rest is spread over all options


def loss_of(z, b, consistency):
    """Mean loss of scores z [Q, K]: cross-entropy against smoothed targets; for levels also half the squared distance
    of cumulative probabilities; for a question and its negation also `consistency` times (P + P' - 1) squared."""
    logp = z.log_softmax(-1)
    there = b["there"]
    target = torch.where(there, SMOOTH * b["target"] + (1 - SMOOTH) / there.sum(-1, keepdim=True), 0.0)
    loss = -(target * logp.masked_fill(~there, 0)).sum(-1)
    distance = (logp.exp().cumsum(-1) - b["target"].cumsum(-1)).square().sum(-1)
    loss = loss + torch.where(b["kind"] == dataset.KINDS.index("score"), 0.5 * distance, 0.0)
    return loss.mean() + consistency * inconsistency(logp[:, 0].exp(), b["denial"]) / len(loss)


def inconsistency(yes, denial):
    """Sum of (P + P' - 1) squared over pairs of rows with the same denial number. yes, denial: [Q]."""
    same = (denial[:, None] == denial[None, :]) & (denial > 0)[:, None]
    once = torch.triu(same, diagonal=1)
    return torch.where(once, (yes[:, None] + yes[None, :] - 1).square(), 0.0).sum()


def parameter_groups(net, args):
    """Groups with the factor on their learning rate: --head for new parameters, --layer-decay per layer below the
    last for the base's."""
    groups = {}
    for name, p in net.named_parameters():
        part = name.split(".")[0]
        if part in NEW:
            factor = args.head
        elif part in SCALES:
            factor = 40 * args.head
        else:
            depth = len(net.layers) - 1 - int(name.split(".")[1]) if part == "layers" else len(net.layers)
            factor = args.layer_decay**depth
        decay = args.weight_decay if p.dim() == 2 and part in ("layers", "head_hidden") else 0.0
        if p.requires_grad:
            groups.setdefault((factor, decay), []).append(p)
    return [{"params": v, "factor": f, "weight_decay": d, "lr": 0.0} for (f, d), v in groups.items()]


class Run:
    """Network, optimiser, running average and counts."""

    def __init__(self, args, vocabulary):
        torch.manual_seed(args.seed)
        self.args = args
        if args.start:
            args.split = weights.about_state(args.start)["split"]
        self.net = weights.load(args.base, None, vocabulary, args.frozen, split=args.split).to(args.device)
        self.counts = {"step": 0, "tokens": 0, "rows": 0, "seconds": 0.0}
        self.rounds = False
        squares = {}
        if args.start:
            about, squares = weights.load_state(args.start, self.net)
            self.counts = {k: about[k] for k in self.counts}
        for layer in self.net.layers[args.frozen :]:
            layer.dropout = args.dropout
        groups = parameter_groups(self.net, args)
        self.optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-7, fused=True)
        self.trained = {n: p for n, p in self.net.named_parameters() if p.requires_grad}
        self.restore_moments(squares)
        self.ema = {n: p.detach().clone() for n, p in self.trained.items()}
        self.warm_from = self.counts["tokens"]

    def restore_moments(self, squares):
        """Adam's second moment from a state file; the first is zero, and the step is past bias correction."""
        for n, p in self.trained.items():
            if n in squares:
                moments = {"exp_avg": torch.zeros_like(p), "exp_avg_sq": squares[n].to(p)}
                self.optimizer.state[p] = {"step": torch.tensor(200.0, device=p.device), **moments}

    def squares(self):
        """{name: Adam's second moment}."""
        state = self.optimizer.state
        return {n: state[p]["exp_avg_sq"] for n, p in self.trained.items() if p in state}

    def save(self, path):
        checkpoint = {
            "model": self.net.state_dict(),
            "ema": self.ema,
            "optimizer": self.optimizer.state_dict(),
            "squares": self.squares(),
            "counts": self.counts,
            "warm_from": self.warm_from,
            "rounds": self.rounds,
            "args": vars(self.args),
        }
        torch.save(checkpoint, path + ".tmp")
        os.replace(path + ".tmp", path)

    def resume(self, path):
        checkpoint = torch.load(path, weights_only=False, map_location=self.args.device)
        self.net.load_state_dict(checkpoint["model"], strict=False)
        factors = [g["factor"] for g in self.optimizer.param_groups]
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        for g, factor in zip(self.optimizer.param_groups, factors):
            g["factor"] = factor
        self.ema = checkpoint["ema"]
        self.counts = checkpoint["counts"]
        self.warm_from = checkpoint["warm_from"]
        self.rounds = checkpoint["rounds"]
        self.net.set_rounding(self.rounds)

    def done(self, began):
        """Share of the run that is over."""
        args = self.args
        return max(self.counts["tokens"] / args.tokens, (time.time() - began) / (60 * args.minutes))

    def rate(self, began):
        """Factor on the learning rate: rises over --warm tokens, stays, falls to zero over the last share --decay of
        the run."""
        args = self.args
        up = min(1.0, (self.counts["tokens"] - self.warm_from) / args.warm + 0.02)
        return up * min(1.0, max(1 - self.done(began), 0.0) / args.decay) if args.decay else up

    def start_rounding(self, some_batches):
        """From now on, linear layers compute as the server does."""
        self.net.eval()
        with self.autocast():
            self.net.settle_rounding([batches.to_device(b, self.args.device) for b in some_batches])
        self.net.train()
        self.net.set_rounding(True)
        self.rounds = True

    def autocast(self):
        device = self.args.device.split(":")[0]
        return torch.autocast(device, torch.bfloat16, enabled=device != "cpu" or evaluate.FAST_BFLOAT16)

    def step(self, b, rate):
        """One optimiser step; (loss, whether each row is right), both still on the device."""
        for g in self.optimizer.param_groups:
            g["lr"] = self.args.lr * g["factor"] * rate
        with self.autocast():
            z = self.net(b)
        loss = loss_of(z, b, self.args.consistency)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.trained.values(), 1.0)
        self.optimizer.step()
        self.counts["step"] += 1
        self.counts["tokens"] += b["used"]
        self.counts["rows"] += len(z)
        self.average()
        return loss.detach(), z.argmax(-1) == b["target"].argmax(-1)

    @torch.no_grad()
    def average(self):
        """Every fourth step: the running average, over about the last 400 steps."""
        step = self.counts["step"]
        if step % 4 == 0:
            share = max(0.01, min(0.2, 20 / step))
            torch._foreach_lerp_(list(self.ema.values()), [p.detach() for p in self.trained.values()], share)

    def over(self, began):
        args = self.args
        late = args.until and args.started_at < args.until <= time.strftime("%H:%M")
        done = self.counts["tokens"] >= args.tokens or self.counts["step"] >= args.steps
        return late or done or time.time() - began > 60 * args.minutes


class Log:
    """Loss and accuracy by group since the last line."""

    def __init__(self, data):
        self.data = data
        self.steps = []
        self.losses = []
        self.by = {}

    def add(self, b, loss, right):
        """Keeps the tensors until `line`, so that no step waits for the device."""
        self.steps.append((b["rows"], loss, right))

    def collect(self):
        for rows, loss, right in self.steps:
            self.losses.append((loss.item(), len(rows)))
            for r, ok in zip(rows, right.tolist()):
                n, k = self.by.get(self.data.name("group", r), (0, 0))
                self.by[self.data.name("group", r)] = (n + 1, k + ok)
        self.steps = []

    def line(self, counts, waited):
        """waited: seconds that the run has waited for batches."""
        self.collect()
        loss = sum(x * n for x, n in self.losses) / max(sum(n for _, n in self.losses), 1)
        groups = " ".join(f"{g} {100 * k / n:.0f}" for g, (n, k) in sorted(self.by.items()))
        self.losses = []
        self.by = {}
        speed = counts["tokens"] / max(counts["seconds"], 1e-9)
        head = f"{time.strftime('%H:%M:%S')} step {counts['step']} rows {counts['rows']} tokens {counts['tokens']}"
        return f"{head} {speed:.0f}/s waited {waited:.0f} s loss {loss:.4f} {groups}"


class Stream(torch.utils.data.IterableDataset):
    """Endless collated batches, in the order of a seed and of the worker that makes them."""

    def __init__(self, data, args, seed):
        self.data = data
        self.args = args
        self.seed = seed

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        seed = self.seed + 1000 * (info.id if info else 0)
        for rows in batches.Order(self.data, self.args.batch, seed, self.args.longest):
            yield batches.collate(self.data, np.array(rows))


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("rows")
    a.add_argument("--out", required=True, help="the checkpoint (.pt)")
    a.add_argument("--base", help="base.npz of a pack (default: the wheels in GAVEL_WHEELS)")
    a.add_argument("--from", dest="start", metavar="STATE", help="a state file to continue from")
    a.add_argument("--resume", action="store_true", help="continue from --out if it exists")
    a.add_argument("--until", metavar="HH:MM")
    a.add_argument("--tokens", type=int, default=10**12)
    a.add_argument("--minutes", type=float, default=10**6)
    a.add_argument("--steps", type=int, default=10**9)
    a.add_argument("--device", default="cpu")
    a.add_argument("--workers", type=int, default=0, help="processes that make batches")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--lr", type=float, default=1e-4)
    a.add_argument("--head", type=float, default=5.0, help="factor on the rate of new parameters")
    a.add_argument("--layer-decay", type=float, default=0.95)
    a.add_argument("--weight-decay", type=float, default=0.02)
    a.add_argument("--dropout", type=float, default=0.0)
    a.add_argument("--frozen", type=int, default=0, help="lowest layers that are not trained")
    a.add_argument("--split", type=int, default=network.SPLIT, help="the layer from which a question reads the state")
    a.add_argument(
        "--round-from", type=float, default=1.0, help="share of the run after which layers compute in 8 bits"
    )
    a.add_argument("--choose", help="choose.npz, to print accuracies on")
    a.add_argument("--choose-every", type=float, default=60, help="seconds between them")
    a.add_argument("--warm", type=int, default=200_000, help="tokens of warm-up, also after --from")
    a.add_argument("--decay", type=float, default=0.0, help="last share of the run over which the rate falls to zero")
    a.add_argument("--batch", type=int, default=2048, help="tokens of a step")
    a.add_argument("--longest", type=int, default=400, help="tokens of a row")
    a.add_argument("--consistency", type=float, default=1.0)
    a.add_argument("--save", type=float, default=240, help="seconds between checkpoints")
    a.add_argument("--log", type=int, default=50, help="steps between lines of the log")
    a.add_argument("--compile", action="store_true", help="fuse the rounding on a GPU")
    args = a.parse_args()
    args.started_at = time.strftime("%H:%M")
    return args


def train(run, data, stopped):
    """Steps until the run is over or `stopped` has an item; saves at the end."""
    args, log = run.args, Log(data)
    began = saved = chosen = time.time()
    chooser = dataset.Dataset(args.choose) if args.choose else None
    recent = []
    before = run.counts["seconds"]
    stream = Stream(data, args, args.seed + run.counts["step"])
    loader = torch.utils.data.DataLoader(
        stream, batch_size=None, num_workers=args.workers, pin_memory=args.device != "cpu"
    )
    waited = 0.0
    asked = time.time()
    for b in loader:
        waited += time.time() - asked
        if stopped or run.over(began):
            break
        recent = [*recent[-7:], b]
        if not run.rounds and run.done(began) >= args.round_from:
            run.start_rounding(recent)
            print(f"rounding from step {run.counts['step']}", flush=True)
        log.add(b, *run.step(batches.to_device(b, args.device), run.rate(began)))
        run.counts["seconds"] = before + time.time() - began
        if run.counts["step"] % args.log == 0:
            print(log.line(run.counts, waited), flush=True)
        if time.time() - saved > args.save:
            run.save(args.out)
            saved = time.time()
        if chooser and time.time() - chosen > args.choose_every:
            print(choose_line(run, chooser), flush=True)
            chosen = time.time()
        asked = time.time()
    run.save(args.out)


def choose_line(run, data):
    """Accuracy in % of each set of `choose` by type, with the weights of this step."""
    run.net.eval()
    words = run.net.words
    run.net.words = weights.words_for(run.args.base, data.vocabulary).to(words.device)
    found = evaluate.scores(run.net, data, range(len(data)), run.args.device, tokens=32_768)
    run.net.words = words
    run.net.train()
    results = evaluate.Results(data, found)
    by = evaluate.grouped(data, sorted(results.p))["set"]
    return "choose " + "; ".join(f"{name} {results.figures(rows)[0]:.1f}" for name, rows in sorted(by.items()))


def main():
    args = arguments()
    if args.device == "cpu":
        torch.set_num_threads(1)
    else:
        # cuDNN's attention builds a plan for every new shape, and every batch has new ones.
        torch.backends.cuda.enable_cudnn_sdp(False)
    if args.compile:
        rounding.compile_rounding(args.device)
    data = dataset.Dataset(args.rows)
    run = Run(args, data.vocabulary)
    if args.resume and os.path.exists(args.out):
        run.resume(args.out)
    run.net.train()
    print(f"rows {len(data)} units {data.units()} from step {run.counts['step']} on {args.device}", flush=True)
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    train(run, data, stopped)
    print(
        f"stopped at {time.strftime('%H:%M:%S')}, step {run.counts['step']}, {run.counts['tokens']} tokens", flush=True
    )


if __name__ == "__main__":
    main()
