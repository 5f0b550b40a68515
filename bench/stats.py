"""Statistics over many samples of one Judge, asked over GraphQL: how long each answer takes.

Usage: bench/stats.py [SAMPLES [ROUNDS]]     (release build, or GAVEL=path; with GAVEL_TEST_POSTGRES_URL set and psql
there, PostgreSQL as well as SQLite)

Rows are written as recording writes them, one in ten of them labelled, over three months and two versions of the Judge.
The server is started after that, so that "first" meets no cache but the machine's own. Prints a table for
bench/README.md.
"""

import contextlib
import csv
import datetime
import http.client
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

BINARY = os.environ.get("GAVEL") or os.path.join(os.environ.get("CARGO_TARGET_DIR", "target"), "release", "gavel")
PORT = 18097
VALUES = ["billing", "technical", "sales", "account", "other"]
KEYS = ["team", "urgency", "tone"]
STATS = """count labelled credits days { day count labelled credits } latency { count mean p50 p90 p95 p99 max }
    keys { key count answered abstained labelled answers { value count } days { day value count }
        agreement { accuracy macroF1 kappa confusion { truth answered count } classes { value precision recall f1 } }
        calibration { ece brier bins { from count confidence accuracy } } }"""
ASKED = {
    "everything": (STATS, None),
    "everything, of one version and month": (
        STATS,
        {"version": 1, "since": "2026-02-01T00:00:00Z", "until": "2026-03-01T00:00:00Z"},
    ),
    "counts by day": ("count credits days { day count }", None),
    "a threshold": ('key(key: "team") { threshold(value: "billing", precision: 0.9) { probability recall } }', None),
}


def gavel(env, *arguments):
    return json.loads(subprocess.run([BINARY, "--json", *arguments], env=env, check=True, capture_output=True).stdout)


def ask(key, query, variables):
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    start = time.perf_counter()
    connection.request("POST", "/graphql", json.dumps({"query": query, "variables": variables}), headers)
    text = connection.getresponse().read()
    taken = (time.perf_counter() - start) * 1e3
    answer = json.loads(text)
    assert "errors" not in answer, text
    return answer["data"], taken


def judge(key, keys):
    query = "mutation($i: CreateJudgeInput!) { createJudge(input: $i) { judge { id } } }"
    made = {"name": "bench", "instructions": {name: VALUES for name in KEYS[:keys]}, "storeContent": True}
    return ask(key, query, {"i": made})[0]["createJudge"]["judge"]["id"]


def rows(account, judges, count):
    """Rows of `sample` and of `sample_answer`, in their columns' order."""
    dice = random.Random(1)
    samples, answers, number = [], [], 0
    for judge_id, keys in judges:
        at = datetime.datetime(2026, 1, 1)
        for place in range(count):
            number += 1
            at += datetime.timedelta(seconds=dice.expovariate(count / 7.8e6))
            when, version, certainty = at.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00"), 1 + 2 * place // count, 1.0
            labelled = dice.random() < 0.1
            for position, key in enumerate(KEYS[:keys]):
                weights = [dice.gammavariate(0.4, 1) + 1e-9 for _ in VALUES]
                shares = [weight / sum(weights) for weight in weights]
                most = max(range(len(VALUES)), key=shares.__getitem__)
                sure, certainty = shares[most] >= 0.3, min(certainty, shares[most])
                value = VALUES[most] if sure else "none_of_these"
                truth = most if dice.random() < shares[most] else dice.randrange(len(VALUES))
                probabilities = dict(zip(VALUES, shares))
                answer = {"type": "choice", "choice": value, "confidence": shares[most], "probabilities": probabilities}
                answers.append(
                    [
                        number,
                        key,
                        position,
                        judge_id,
                        version,
                        "inference",
                        when,
                        "choice",
                        value,
                        json.dumps(answer),
                        shares[most] if sure else None,
                        json.dumps(probabilities),
                        sum(p * p for p in shares),
                        VALUES[truth] if labelled else None,
                        shares[truth] if labelled else None,
                        "key_bench" if labelled else None,
                        when if labelled else None,
                    ]
                )
            samples.append(
                [
                    number,
                    f"sample_{number:026}",
                    account,
                    judge_id,
                    version,
                    "inference",
                    f"req_{number:026}",
                    f"{dice.getrandbits(256):064x}",
                    json.dumps({"subject": "An order", "body": "lorem ipsum dolor " * 15}),
                    None,
                    "gavel-decision-2.5.0",
                    "local",
                    dice.lognormvariate(3, 0.7),
                    500,
                    certainty,
                    keys if labelled else 0,
                    None,
                    None,
                    when,
                ]
            )
    return {"sample": samples, "sample_answer": answers}


COLUMNS = {
    "sample": "seq, id, account_id, judge_id, judge_version, source, request_id, content_hash, state, instructions, "
    "model, backend, latency_ms, credits, certainty, labels, claimed_by, claimed_until, created_at",
    "sample_answer": "sample_seq, key, position, judge_id, judge_version, source, created_at, kind, value, answer, "
    "probability, probabilities, squares, truth, truth_probability, truth_by, truth_at",
}


def load(url, folder, tables):
    for table, made in tables.items():
        if url:
            path = os.path.join(folder, table + ".csv")
            with open(path, "w", newline="") as file:
                csv.writer(file).writerows(made)
            copy = f"\\copy {table} ({COLUMNS[table]}) FROM '{path}' CSV"
            subprocess.run(["psql", "-qc", copy, url], check=True)
        else:
            database = sqlite3.connect(os.path.join(folder, "gavel.sqlite"))
            places = ", ".join("?" * len(made[0]))
            database.executemany(f"INSERT INTO {table} ({COLUMNS[table]}) VALUES ({places})", made)
            database.commit()
            database.close()


@contextlib.contextmanager
def loaded(url, keys, count, change=lambda tables: tables):
    """An account with a Judge for each number of keys and their samples: the environment of its servers, its API key
    and the Judges."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "GAVEL_DATA_DIR": folder, "GAVEL_LISTEN": f"127.0.0.1:{PORT}", "GAVEL_LOG": "warn"}
        env.setdefault("GAVEL_MODELS_DIR", ".cache/models")
        if url:
            env["GAVEL_DATABASE_URL"] = url
        account = gavel(env, "account", "create", "--email", "bench@example.org", "--credits", "1")["account_id"]
        key = gavel(env, "key", "create", "--account", account, "--scopes", "manage")["api_key"]
        with served(env):
            judges = [(judge(key, number), number) for number in keys]
        load(url, folder, change(rows(account, judges, count)))
        yield env, key, judges


def vacuum(url):
    subprocess.run(["psql", "-qc", "VACUUM ANALYZE", url], check=True)


def on_each_database(measure):
    """What `measure` returns on SQLite, and on a database of its own on PostgreSQL if there is one. It gets a name and
    a URL."""
    results = [measure("SQLite", None)]
    admin = os.environ.get("GAVEL_TEST_POSTGRES_URL")
    if admin:
        name = f"gavel_bench_{os.getpid()}"
        subprocess.run(["psql", "-qc", f"CREATE DATABASE {name}", admin], check=True)
        try:
            results.append(measure("PostgreSQL", admin.rsplit("/", 1)[0] + "/" + name))
        finally:
            subprocess.run(["psql", "-qc", f"DROP DATABASE {name} WITH (FORCE)", admin], check=False)
    return results


def measure(name, url, count, rounds):
    with loaded(url, (1, 3), count) as (env, key, judges):
        states = ["just loaded"]
        if url:
            states = ["just loaded, not yet vacuumed", "vacuumed"]
        for state in states:
            if state == "vacuumed":
                vacuum(url)
            with served(env):
                for judge_id, keys in judges:
                    for asked, (fields, chosen) in ASKED.items():
                        stats = f"stats(filter: $f) {{ {fields} }}"
                        query = f"query($id: ID!, $f: SampleFilterInput) {{ judge(id: $id) {{ {stats} }} }}"
                        taken = [ask(key, query, {"id": judge_id, "f": chosen})[1] for _ in range(rounds)]
                        figures = f"{taken[0]:.0f} | {statistics.median(taken):.0f} | {max(taken):.0f}"
                        print(f"| {name} | {state} | {keys} | {asked} | {figures} |", flush=True)


class served:
    """A server, while it is needed; gives its process."""

    def __init__(self, env):
        self.env = env

    def __enter__(self):
        self.server = subprocess.Popen(
            [BINARY, "serve"], env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(300):
            try:
                connection = http.client.HTTPConnection("127.0.0.1", PORT)
                connection.request("GET", "/livez")
                if connection.getresponse().status == 200:
                    return self.server
            except OSError:
                pass
            time.sleep(0.1)
        self.server.kill()
        raise SystemExit("the server does not come up")

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    print("| database | rows | keys | asked | first ms | median ms | longest ms |\n|---|---|---|---|---|---|---|")
    on_each_database(lambda name, url: measure(name, url, count, rounds))


if __name__ == "__main__":
    main()
