"""Text moderation while a Checkpoint is trained beside it: `gavel serve` on SQLite, 50 requests a second at fixed
times, first alone and then during the training of a Judge of two questions on SAMPLES labelled samples. Prints p50 and
p99 of the answers, how long training took from its start, and the server's peak of memory.

Usage: bench/training.py [SAMPLES]      (release build, or GAVEL=path; models from `make models`)

The samples are made here: orders of a shop, whose team and urgency follow from rules that no model can know beforehand.
"""

import concurrent.futures
import json
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import urllib.request

from stats import PORT, ask, gavel, served

BASE, RATE, ALONE_S = f"http://127.0.0.1:{PORT}", 50, 30
TEAMS = {"blue": ["kettle", "lamp", "mug"], "green": ["tent", "rope", "stove"], "red": ["novel", "atlas", "map"]}
URGENCY = {"later": "no hurry", "soon": "this week", "now": "before noon"}


def samples(count):
    pick = random.Random(1)
    for _ in range(count):
        team, urgency = pick.choice(list(TEAMS)), pick.choice(list(URGENCY))
        words = [
            pick.choice(["Hello,", "Hi there,", "Good day,"]),
            f"my {pick.choice(TEAMS[team])} from order {pick.randrange(10**5)}",
        ]
        words += [
            pick.choice(["arrived broken", "is missing a part", "has the wrong colour"]),
            f"; I need an answer {URGENCY[urgency]}.",
        ]
        yield {"state": " ".join(words), "ground_truth": {"team": team, "urgency": list(URGENCY).index(urgency)}}


def post(path, key, body, kind="application/json"):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(BASE + path, data=body, headers=headers), timeout=60) as answer:
        return json.load(answer)


def load(key, goes_on):
    """Seconds of each answer, counted from when its request was due."""
    body = json.dumps(
        {"content": "anyone up for a round tonight? the new map is out and we still need two more", "mode": "native"}
    ).encode()
    taken, begun, number = [], time.monotonic(), 0

    def one(due):
        post("/api/v1/moderate/text", key, body)
        taken.append(time.monotonic() - due)

    with concurrent.futures.ThreadPoolExecutor(64) as pool:
        while goes_on():
            due = begun + number / RATE
            time.sleep(max(0.0, due - time.monotonic()))
            pool.submit(one, due)
            number += 1
    return taken


def peak_mb():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if file.read().split(b"\0")[1:2] != [b"serve"]:
                    continue
            with open(f"/proc/{pid}/status") as file:
                return max(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
        except OSError:
            pass
    return float("nan")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "warn"}
        env.setdefault("GAVEL_MODELS_DIR", ".cache/models")
        account = gavel(env, "account", "create", "--email", "bench@example.org", "--credits", "100000")["account_id"]
        key = gavel(env, "key", "create", "--account", account, "--scopes", "moderate,infer,manage,read")["api_key"]
        with served(env):
            made = """mutation($input: CreateJudgeInput!) {
                createJudge(input: $input) { judge { id } userErrors { message } }
            }"""
            questions = {
                "team": list(TEAMS),
                "urgency": {"type": "score", "instructions": "How urgent is it?", "criteria": list(URGENCY)},
            }
            judge = ask(key, made, {"input": {"name": "bench", "instructions": questions, "storeContent": True}})[0]
            judge = judge["createJudge"]["judge"]["id"]
            lines = "\n".join(json.dumps(sample) for sample in samples(count)).encode()
            post(f"/api/v1/judges/{judge}/dataset", key, lines, "application/jsonl")
            end = time.monotonic() + ALONE_S
            alone = load(key, lambda: time.monotonic() < end)
            submit = """mutation($input: SubmitCheckpointInput!) {
                submitCheckpoint(input: $input) { checkpoint { id } userErrors { message } }
            }"""
            submitted = ask(key, submit, {"input": {"judgeId": judge}})[0]["submitCheckpoint"]
            checkpoint, done = submitted["checkpoint"]["id"], threading.Event()
            state = "query($id: ID!) { checkpoint(id: $id) { state startedAt finishedAt } }"
            ended = {}

            def watch():
                while ended.get("state") not in ("SUCCEEDED", "FAILED", "CANCELLED"):
                    time.sleep(1)
                    ended.update(ask(key, state, {"id": checkpoint})[0]["checkpoint"])
                done.set()

            threading.Thread(target=watch).start()
            beside = load(key, lambda: not done.is_set())
            print(
                f"{count} samples, {os.cpu_count()} cores, {RATE} requests a second; {ended}; peak {peak_mb():.0f} MB\n"
            )
            print("| | answers | p50 ms | p99 ms |")
            print("|---|---|---|---|")
            for name, taken in (("alone", alone), ("beside training", beside)):
                cuts = statistics.quantiles(taken, n=100)
                print(f"| {name} | {len(taken)} | {cuts[49] * 1e3:.1f} | {cuts[98] * 1e3:.1f} |")


if __name__ == "__main__":
    main()
