"""Trains 50 steps on CPU from a small pack and checks what must hold. Needs no data folder, but the wheels.

GAVEL_WHEELS=WHEELS python -m multilingual.test_pipeline      (in training/decision; some two minutes on an idle core)
"""

import os
import random
import subprocess
import sys
import tempfile

import numpy as np
import torch

import families
import written

from . import batches, dataset, texts, train, weights

FAMILIES = ("deadline", "flags", "urgent", "distractor", "stars", "foreign")
SHORT = "--steps 50 --batch 300 --log 10 --warm 3000 --frozen 9 --lr 3e-4"


def build(path, rows):
    """A dataset of rows, with pairs and denials as units."""
    builder, units, numbers = dataset.Builder(), {}, {}
    for n, r in enumerate(rows):
        links = {
            c: numbers.setdefault(r[k], len(numbers) + 1) for c, k in (("denial", "neg"), ("pair", "pair")) if k in r
        }
        units.setdefault(r.get("pair") or r.get("neg") or n, []).append(
            texts.encode(builder, r, group="test", lang="en", **links)
        )
    for unit in units.values():
        builder.unit(unit)
    dataset.save(path, *builder.arrays())
    return dataset.Dataset(path)


def check_zero_shot(data):
    """Before training options rank by their cosine to the state; every trained tensor gets a gradient once the head
    is not zero."""
    net = weights.load(None, None, data.vocabulary)
    b = batches.collate(data, np.arange(12))
    with torch.no_grad():
        z = net(b)
        state, _, option = net.embeddings(net.encode(b)[0], b)
    cosine = (state * option).sum(-1).masked_fill(~b["there"], -9)
    assert torch.equal(z.argmax(-1), cosine.argmax(-1)), "the untrained network is not the zero-shot similarity"
    torch.nn.init.normal_(net.head_out.weight, std=0.02)
    train.loss_of(net(b), b, 1.0).backward()
    missing = [n for n, p in net.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0]
    assert not missing, f"no gradient: {missing}"


def check_independence(data):
    """Neither the order of options nor other rows of the batch change the scores of a row."""
    net = weights.load(None, None, data.vocabulary).eval()
    torch.nn.init.normal_(net.head_out.weight, std=0.02)
    row = next(r for r in range(1, len(data)) if len(data.option_texts(r)) > 2)
    part = slice(data.option_start[row], data.option_start[row + 1])
    with torch.no_grad():
        alone = net(batches.collate(data, np.array([row])))[0]
        among = net(batches.collate(data, np.array([row - 1, row, row + 1])))[1, : len(alone)]
        data.options[part] = data.options[part][::-1].copy()
        turned = net(batches.collate(data, np.array([row])))[0].flip(0)
        data.options[part] = data.options[part][::-1].copy()
    assert torch.allclose(alone, among, atol=2e-4), (alone, among)
    assert torch.allclose(alone, turned, atol=2e-4), (alone, turned)


def check_state(folder, data):
    """A state file restores the weights to within rounding; bytes of the file."""
    run = torch.load(f"{folder}/run.pt", weights_only=False)
    command("export_state", f"{folder}/run.pt", f"{folder}/state.npz")
    net = weights.load(None, f"{folder}/state.npz", data.vocabulary)
    base = dict(weights.load(None, None, data.vocabulary).named_parameters())
    for n, p in net.named_parameters():
        error = float((p - run["model"][n]).detach().abs().max())
        change = float((run["model"][n] - base[n]).detach().abs().max())
        assert error <= 0.006 * change + 1e-6, (n, error, change)
    return os.path.getsize(f"{folder}/state.npz")


def command(module, *words):
    """What a module of this package prints, run as a command."""
    call = [sys.executable, "-m", f"multilingual.{module}", *map(str, words)]
    return subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout


def check_resuming(folder, data):
    """A run continues from its checkpoint and from its state file; bytes of the state file."""
    words = (f"{folder}/rows.npz", "--batch", 300, "--frozen", 9, "--log", 1)
    command("train", *words, "--out", f"{folder}/run.pt", "--steps", 2)
    size = check_state(folder, data)
    resumed = command("train", *words, "--out", f"{folder}/run.pt", "--steps", 3, "--resume")
    assert "from step 2" in resumed and "step 3" in resumed, resumed
    again = command("train", *words, "--out", f"{folder}/second.pt", "--steps", 3, "--from", f"{folder}/state.npz")
    assert "from step 2" in again and "step 3" in again, again
    return size


def check_pack(folder):
    """A pack trains with nothing else at hand, and the loss falls; the loss of every ten steps."""
    command("pack", f"{folder}/rows.npz", f"{folder}/choose.npz", "--out", f"{folder}/pack")
    env = {k: v for k, v in os.environ.items() if k != "GAVEL_WHEELS"}
    env |= {"OUT": f"{folder}/out", "DEVICE": "cpu", "MINUTES": "60", "SPLITS": "3", "EXTRA": SHORT}
    env["PATH"] = os.path.dirname(sys.executable) + os.pathsep + env["PATH"]
    os.makedirs(env["OUT"])
    subprocess.run(["bash", f"{folder}/pack/gpu.sh"], check=True, env=env, stdout=subprocess.DEVNULL)
    with open(f"{folder}/out/train-3.log") as f:
        losses = [float(text.split(" loss ")[1].split()[0]) for text in f if " loss " in text]
    assert len(losses) == 5 and losses[-1] < losses[0], losses
    assert os.path.getsize(f"{folder}/out/choose-3.md") > 100
    assert os.path.getsize(f"{folder}/out/state-3.npz.00") <= 15 * 2**20
    return losses


def main():
    torch.set_num_threads(1)
    rows = families.rows(24, "train", 3, only=set(FAMILIES)) + written.by_hand()
    random.Random(1).shuffle(rows)
    with tempfile.TemporaryDirectory() as folder:
        data = build(f"{folder}/rows.npz", rows)
        build(f"{folder}/choose.npz", written.by_hand()[:20])
        check_zero_shot(data)
        check_independence(data)
        size = check_resuming(folder, data)
        losses = check_pack(folder)
    print(f"ok: losses {losses}, a state file of {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
