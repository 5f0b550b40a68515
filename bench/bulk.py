"""Items a second of a bulk batch of native texts, by one worker and by two, and what the fan-out adds to scoring.

Starts `gavel api` and workers as processes of their own on the database and queue in the environment (bench/bulk.sh
sees to both), submits batches of 100-character messages, and waits for them. The rate is that from the first item's
start to the batch's end. Each worker runs one chunk at a time, so that two workers have two cores to gain. The overhead
is the processor time of the workers above that of the same messages in one process, twice: scored alone (`bench text`:
links, harms, domains, signals, policy), and asked of `gavel api` itself, 50 a request at `/api/v1/moderate/text/batch`,
which also reads and writes JSON and charges.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from datetime import datetime

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 3
TICK = os.sysconf("SC_CLK_TCK")


def messages(count):
    rows = (ROOT / "training/text/contrast/test.jsonl").read_text("utf-8").splitlines()
    text = " ".join(" ".join(json.loads(row)["text"].split()) for row in rows if '"lang":"en"' in row)
    texts = [text[at : at + 100] for at in range(0, len(text) - 100, 100)][:1000]
    return [texts[n % len(texts)] for n in range(count)]


def start(binary, args, folder, name, env=os.environ):
    log = pathlib.Path(folder) / f"{name}.log"
    env = {
        **env,
        "GAVEL_LISTEN": "127.0.0.1:0",
        "GAVEL_DATA_DIR": str(pathlib.Path(folder) / name),
        "GAVEL_LOG_FORMAT": "json",
        "GAVEL_WORKER_BULK_JOBS": "1",
    }
    with log.open("wb") as stderr:
        return subprocess.Popen([binary, *args], stderr=stderr, stdout=subprocess.DEVNULL, env=env), log


def address(log):
    while True:
        found = re.search(r'"address":"([0-9.:]+)"', log.read_text("utf-8"))
        if found:
            return "http://" + found.group(1)
        time.sleep(0.1)


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text("utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def ask(url, key, body=None, kind="application/jsonl"):
    headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
    with urllib.request.urlopen(urllib.request.Request(url, data=body, headers=headers)) as answer:
        return json.load(answer)


def in_process(api, base, key, texts):
    """Processor time of the API for each message, 50 a request, in µs."""
    before = cpu(api)
    for at in range(0, len(texts), 50):
        body = json.dumps({"messages": [{"content": text} for text in texts[at : at + 50]], "mode": "native"}).encode()
        ask(f"{base}/api/v1/moderate/text/batch", key, body, "application/json")
    return (cpu(api) - before) * 1e6 / len(texts)


def run(base, key, body):
    """One batch: seconds from submission to acceptance, and from its start to its end."""
    begun = time.monotonic()
    batch = ask(f"{base}/api/v1/batches", key, body)
    accepted = time.monotonic() - begun
    while batch["status"] in ("queued", "running"):
        time.sleep(0.1)
        batch = ask(f"{base}/api/v1/batches/{batch['id']}", key)
    assert batch["status"] == "completed" and batch["counts"]["failed"] == 0, batch
    return accepted, between(batch, "started_at", "finished_at")


def between(batch, start, end):
    """The seconds between two moments of a batch."""
    return (datetime.fromisoformat(batch[end]) - datetime.fromisoformat(batch[start])).total_seconds()


def pick_up(base, key, count=60):
    """The median and 95th percentile of the time from a batch's submission to its start, in s; batches of one item."""
    body = json.dumps(
        {"custom_id": "0", "url": "/api/v1/moderate/text", "body": {"content": "hello", "mode": "native"}}
    ).encode()
    waits = []
    for number in range(count):
        time.sleep(0.2 + 0.01 * (number % 20))
        batch = ask(f"{base}/api/v1/batches", key, body)
        while batch["status"] in ("queued", "running"):
            time.sleep(0.05)
            batch = ask(f"{base}/api/v1/batches/{batch['id']}", key)
        waits.append(between(batch, "created_at", "started_at"))
    cuts = statistics.quantiles(waits, n=20)
    return cuts[9], cuts[18]


def main():
    release, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    gavel, texts = str(release / "gavel"), messages(count)
    with tempfile.TemporaryDirectory() as folder:
        plain = pathlib.Path(folder) / "texts.txt"
        plain.write_text("\n".join(dict.fromkeys(texts)), "utf-8")
        scoring = statistics.median(
            float(subprocess.check_output([str(release / "bench"), "text", str(plain)])) for _ in range(ROUNDS)
        )
        account = json.loads(
            subprocess.check_output(
                [gavel, "account", "create", "--email", "bench@example.test", "--credits", "10000000", "--json"]
            )
        )
        key, lines = account["api_key"], []
        for n, text in enumerate(texts):
            body = {"content": text, "mode": "native"}
            lines.append(
                json.dumps({"custom_id": str(n), "method": "POST", "url": "/api/v1/moderate/text", "body": body})
            )
        body = "\n".join(lines).encode()
        api, log = start(gavel, ["api"], folder, "api")
        base, workers = address(log), []
        in_process(api, base, key, texts)
        asked = statistics.median(in_process(api, base, key, texts) for _ in range(ROUNDS))
        print(
            f"{count} native texts of 100 characters, {os.cpu_count()} cores, median of {ROUNDS}; in one process "
            f"{scoring:.1f} CPU µs to score one, {asked:.1f} over HTTP\n"
        )
        print("| workers | accepted in s | items a second | worker CPU µs an item | over scoring | over HTTP |")
        print("|---|---|---|---|---|---|")
        try:
            for number in (1, 2):
                workers.append(start(gavel, ["worker"], folder, f"worker{number}")[0])
                time.sleep(5)
                run(base, key, body)
                rounds = []
                for _ in range(ROUNDS):
                    before = sum(cpu(worker) for worker in workers)
                    accepted, seconds = run(base, key, body)
                    used = (sum(cpu(worker) for worker in workers) - before) * 1e6 / count
                    rounds.append((accepted, count / seconds, used))
                accepted, rate, used = (statistics.median(column) for column in zip(*rounds))
                print(
                    f"| {number} | {accepted:.2f} | {rate:.0f} | {used:.1f} | {(used / scoring - 1) * 100:.0f} % | "
                    f"{(used / asked - 1) * 100:.0f} % |"
                )
            waits = [("PostgreSQL and Redis, two workers", pick_up(base, key))]
            env = {
                name: value
                for name, value in os.environ.items()
                if name not in ("GAVEL_DATABASE_URL", "GAVEL_REDIS_URL")
            }
            env["GAVEL_DATA_DIR"] = str(pathlib.Path(folder) / "serve")
            account = [gavel, "account", "create", "--email", "bench@example.test", "--credits", "1000", "--json"]
            key = json.loads(subprocess.check_output(account, env=env))["api_key"]
            serve, log = start(gavel, ["serve"], folder, "serve", env)
            workers.append(serve)
            waits.append(("one process on SQLite", pick_up(address(log), key)))
            print("\n| from submission to start, s | median | 95th percentile |\n|---|---|---|")
            for name, (median, high) in waits:
                print(f"| {name} | {median:.2f} | {high:.2f} |")
        finally:
            for process in [api, *workers]:
                process.terminate()
            for process in [api, *workers]:
                process.wait()


if __name__ == "__main__":
    main()
