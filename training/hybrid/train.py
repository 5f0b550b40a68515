"""Trains the hybrid model: encoder, slot decoder and, for comparison, independent heads on the same states.

One run, one seed: warm-up, a constant rate, a linear cool-down over the last steps. Refuses to look at dev or devtest:
what it writes is a checkpoint, judged elsewhere. A file named `stop` in the output folder begins the cool-down at once;
the log then says how many steps were made, and `--steps` with that number repeats the run.
"""

import argparse
import json
import pathlib
import random
import time

import data
import torch
import torch.nn.functional as F
from model import ACTION, FIRST_ACTION, HARMS, MASKED, Encoder, Hybrid, chosen, pad
from quantize import load

# Whether this processor multiplies in bfloat16 by itself; where it does not, single precision is eight times faster.
FAST_BFLOAT16 = torch.cpu._is_avx512_bf16_supported()
# How often a set is read in one pass over the data.
REPEATS = {"contrast_train": 2, "handwritten": 2, "hybrid_train": 2}
# How often our own rows by degree of harm are read besides.
DEGREES = 3


def english(folder, seed, hold_back, twice):
    """The rows of the English encoder, which reads no other language."""
    public = data.read(folder / "text_train.jsonl")
    whole = [row for row in public if row["src"] in twice]
    rows = data.choose([row for row in public if row["src"] not in twice], seed) + whole * 2
    rows += [{**row, "labels": hate_alone(row["labels"])} for row in data.read(folder / "hate.jsonl")]
    for name, times in REPEATS.items():
        own = [
            row
            for row in data.read(folder / f"{name}.jsonl")
            if row["lang"] == "en" and not (hold_back and row["kept"])
        ]
        rows += own * times
    return rows + by_degree(rows) * DEGREES


def by_degree(rows):
    """Our own rows that were written for degrees of harm, once each."""
    return list({row["id"]: row for row in rows if row["src"].startswith("contrast/degree")}.values())


def multilingual(folder, seed, hold_back):
    """The rows of the multilingual encoder: those of every language, and some English ones, since what they teach is
    told in others too."""
    rng = random.Random(seed)
    rows = data.choose_languages([row for row in data.read(folder / "languages.jsonl") if row["lang"] != "en"], rng)
    rows += data.some(
        [{**row, "labels": hate_alone(row["labels"])} for row in data.read(folder / "hate.jsonl")], 4_000, rng
    )
    rows += data.some(data.choose(data.read(folder / "text_train.jsonl"), seed), 10_000, rng)
    own = [row for name in REPEATS for row in data.read(folder / f"{name}.jsonl") if not (hold_back and row["kept"])]
    others = [row for row in own if row["lang"] != "en"]
    degrees = by_degree(others) * DEGREES
    return rows + others * 2 + degrees + data.some([row for row in own if row["lang"] == "en"], 14_000, rng)


def hate_alone(labels):
    """Labels of a source that calls nothing but hate abusive: what it says of the other harms is not known."""
    at = HARMS.index("hate")
    return [label if harm == at else None for harm, label in enumerate(labels)]


def masks(values, generator):
    """What the decoder sees: half of the rows all masked, half each known slot masked with probability t ~ U(0, 1).
    Unknown slots are masked always. The weights: 1 or 1/t on masked, known slots."""
    known = values != data.UNKNOWN
    t = torch.rand(len(values), 1, generator=generator).clamp_min(0.05)
    t = torch.where(torch.rand(len(values), 1, generator=generator) < 0.5, torch.ones_like(t), t)
    hidden = (torch.rand(values.shape, generator=generator) < t) | ~known
    return torch.where(hidden, torch.full_like(values, MASKED), values), (hidden & known) / t


def losses(model, kind, rows, generator):
    ids, mask = pad([kind.framed(row["ids"]) for row in rows])
    with torch.autocast("cpu", torch.bfloat16, enabled=FAST_BFLOAT16):
        hidden = model.encoder(ids, mask)
    hidden = hidden.float()
    values, truth = data.labels_of(rows), data.harms_of(rows)
    seen, weight = masks(values, generator)
    harm, action = model.decoder(seen, model.decoder.read(hidden), mask)
    target = truth.clamp_min(0).float()
    slot = F.binary_cross_entropy_with_logits(harm, target, reduction="none") * weight[:, :ACTION]
    acted = (
        F.cross_entropy(action, (values[:, ACTION] - FIRST_ACTION).clamp_min(0), reduction="none") * weight[:, ACTION]
    )
    heads = F.binary_cross_entropy_with_logits(model.independent(hidden, mask), target, reduction="none") * (truth >= 0)
    return (slot.sum() + acted.sum()) / len(rows), heads.sum() / len(rows)


def balance(model, rows):
    """Each output begins at its label's log-odds in training."""
    truth = data.harms_of(rows)
    share = (truth == 1).sum(0) / (truth >= 0).sum(0)
    acts = data.labels_of(rows)[:, ACTION] - FIRST_ACTION
    count = torch.bincount(acts[acts >= 0], minlength=4) + 1.0
    with torch.no_grad():
        model.decoder.harm.bias.copy_(torch.logit(share))
        model.heads.bias.copy_(torch.logit(share))
        model.decoder.action.bias.copy_((count / count.sum()).log())
    return {name: [int((truth[:, at] == 1).sum()), int((truth[:, at] == 0).sum())] for at, name in enumerate(HARMS)}


def rate(step, steps, warm, cool):
    return min(1.0, (step + 1) / warm, max(0.0, (steps - step) / cool))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="what dump_text wrote")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--cool", type=int, default=400)
    parser.add_argument("--warm", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=1536, help="tokens a batch")
    parser.add_argument("--limit", type=int, default=96, help="tokens a message")
    parser.add_argument("--encoder-rate", type=float, default=1e-4)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--first-layer", type=int, default=0, help="layers below stay as published")
    parser.add_argument("--start", type=pathlib.Path, help="a checkpoint or a weight file to go on from")
    parser.add_argument(
        "--blend", type=float, default=0.0, help="share of the weights of --start in those written last"
    )
    parser.add_argument("--twice", nargs="*", default=[], help="sources of text_train that are read whole, and twice")
    parser.add_argument(
        "--multilingual", type=pathlib.Path, help="what multilingual.py wrote: trains the other encoder"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--hold-back", action="store_true", help="leave out the contrast rows that dump_text marks kept"
    )
    parser.add_argument("--save-every", type=int, default=200)
    parser.add_argument("--seed", type=int, default=20261121)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(arguments.seed)
    generator = torch.Generator().manual_seed(arguments.seed)
    rng = random.Random(arguments.seed)
    arguments.out.mkdir(parents=True, exist_ok=True)

    kind = chosen(arguments.multilingual)
    if arguments.multilingual:
        rows = multilingual(arguments.folder, arguments.seed, arguments.hold_back)
    else:
        rows = english(arguments.folder, arguments.seed, arguments.hold_back, arguments.twice)
    data.encode(rows, kind.tokenizer(), arguments.limit)
    model = Hybrid(Encoder.base(kind))
    encoder = model.encoder
    for layer in encoder.layers[: arguments.first_layer]:
        layer.requires_grad_(False)
    if arguments.first_layer:
        for part in (encoder.positions, encoder.types, encoder.norm):
            part.requires_grad_(False)
    log = {"rows": len(rows), "tokens": sum(len(row["ids"]) + 2 for row in rows), "labels": balance(model, rows)}
    log["arguments"] = {name: str(value) for name, value in vars(arguments).items()}
    if arguments.start and arguments.start.suffix == ".safetensors":
        load(model, arguments.start)
    elif arguments.start:
        model.load_state_dict(torch.load(arguments.start))
    first = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    print(json.dumps(log), flush=True)
    trained = [p for p in encoder.parameters() if p.requires_grad]
    rest = [*model.decoder.parameters(), *model.heads.parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": trained, "base": arguments.encoder_rate}, {"params": rest, "base": arguments.rate}],
        weight_decay=0.01,
    )

    def save(step, seconds):
        torch.save(model.state_dict(), arguments.out / "model.tmp")
        (arguments.out / "model.tmp").rename(arguments.out / "model.pt")
        log.update(steps=step, seconds=round(seconds), cpu_seconds=round(time.process_time()), passes=round(passes, 3))
        (arguments.out / "log.json").write_text(json.dumps(log, indent=1))

    steps, step, queue, passes, sums, began = arguments.steps, 0, [], 0.0, [0.0, 0.0, 0], time.time()
    per_pass = 1
    while step < steps:
        if not queue:
            queue = data.batches(rows, arguments.tokens, rng)
            per_pass = len(queue)
        if step % 20 == 0 and (arguments.out / "stop").exists() and steps - step > arguments.cool:
            steps = step + arguments.cool
        for group in optimizer.param_groups:
            group["lr"] = group["base"] * rate(step, steps, arguments.warm, arguments.cool)
        decoder, heads = losses(model, kind, queue.pop(), generator)
        optimizer.zero_grad()
        (decoder + heads).backward()
        torch.nn.utils.clip_grad_norm_([*trained, *rest], 1.0)
        optimizer.step()
        step, passes = step + 1, passes + 1 / per_pass
        sums = [sums[0] + decoder.item(), sums[1] + heads.item(), sums[2] + 1]
        if step % 50 == 0:
            print(
                f"{step}/{steps} pass {passes:.2f} decoder {sums[0] / sums[2]:.4f} heads {sums[1] / sums[2]:.4f} "
                f"{time.time() - began:.0f} s, {time.process_time():.0f} CPU s",
                flush=True,
            )
            sums = [0.0, 0.0, 0]
        if step == steps and arguments.blend:
            model.load_state_dict(
                {name: torch.lerp(tensor, first[name], arguments.blend) for name, tensor in model.state_dict().items()}
            )
        if step % arguments.save_every == 0 or step == steps:
            save(step, time.time() - began)


if __name__ == "__main__":
    main()
